/* The machine's tree before and after. Each level is a row in which elements are as wide as they
   have PUs; above it is a band for each port of the links that lead there, filled as high and as
   intense as the port is loaded. */

const ports = (() => {
  /* By kind, as in berth/cost.h: the parent's down port, the own up port, the switch. */
  const names = [
    "uplink, at parent ↑", "downlink, at parent ↓", "uplink, own end ↑", "downlink, own end ↓",
    "switch"
  ];
  const m = report.machine, at = new Map(m.element.map((e, i) => [e, i]));
  const children = m.element.map(() => []);
  m.parent.forEach((p, i) => {
    if (p >= 0) children[at.get(p)].push(i);
  });
  const isPu = i => m.names[i] === null;
  /* PUs are leaves of the tree; the lowest ones that are listed may have some that aren't. */
  const isCut = i => !isPu(i) && children[i].length === 0;
  const holds = (i, pu) => pu >= m.first_pu[i] && pu < m.first_pu[i] + m.n_pus[i];
  const nameOf = i => isPu(i) ? `PU ${m.first_pu[i]}` : m.names[i];

  function text(i, kind) {
    const parent = m.parent[i] >= 0 ? nameOf(at.get(m.parent[i])) : "";
    const link = kind === 0 || kind === 2 ? "uplink" : "downlink";
    return kind === 4 ? `${nameOf(i)}: switch` :
                        `${link} of ${nameOf(i)}, ${kind < 2 ? `at ${parent}` : "own end"}`;
  }

  /* Whether a message from PU a to PU b crosses the port. Ranks on one PU meet in the switch above.
   */
  function crosses(i, kind, a, b) {
    const from = holds(i, a), to = holds(i, b);
    if (kind === 4) {
      if (!from || !to) return from || to;
      return !children[i].some(c => holds(c, a) && holds(c, b) && !isPu(c));
    }
    if (from && to) return isPu(i) && kind < 2;
    return kind === 0 || kind === 2 ? from : to;
  }

  /* Whether a pair of ranks loads the port under a placement, as a function of them. */
  function loadedBy(i, kind, placement) {
    const pu = report.placements[placement].pu_of_rank;
    const inside = Uint8Array.from(pu, p => holds(i, p) ? 1 : 0);
    return (src, dst) => src !== dst && (inside[src] || inside[dst]) === 1 &&
        crosses(i, kind, pu[src], pu[dst]);
  }

  /* The pairs that load the port in what is shown, the largest first. */
  function pairsOn(i, kind, placement) {
    const pairs = shownPairs(), loads = loadedBy(i, kind, placement), list = [];
    for (let k = 0; k < pairs.src.length; k++)
      if (loads(pairs.src[k], pairs.dst[k]))
        list.push({
          src: pairs.src[k],
          dst: pairs.dst[k],
          messages: pairs.messages[k],
          bytes: pairs.bytes[k]
        });
    return list.sort(
        (a, b) => b.bytes - a.bytes || b.messages - a.messages || a.src - b.src || a.dst - b.dst);
  }
  /* where there is little room */
  const shortNames = ["↑ at parent", "↓ at parent", "↑ own end", "↓ own end", "switch"];
  return {names, shortNames, at, isPu, isCut, nameOf, text, loadedBy, pairsOn};
})();

function TreeView(container, panel) {
  const m = report.machine, bandHeight = 18, nameHeight = 20, space = 7;
  const scale = d3.select(container).append("p").attr("id", "scale");
  const depths = d3.max(m.depth) + 1;
  const byDepth =
      d3.range(depths).map(d => m.element.map((e, i) => i).filter(i => m.depth[i] === d));
  let gutter = 172; /* on the left, with names of bands */
  let width = 800;  /* of what is beside it */
  let bands = [];   /* {depth, kind (-1: names), y, height} */
  let height = 0, most = 0;
  let transform = d3.zoomIdentity;
  let cursor = null; /* {view, band, index}: the port that the keyboard is at */
  let listed = null; /* {placement, element, kind} of the panel */
  const views = ["before", "after"].map(makeView);

  function makeView(role) {
    const root =
        d3.select(container).append("div").attr("class", "tree-of").attr("data-role", role);
    const head = root.append("p");
    const canvas = root.append("canvas").attr("tabindex", 0).attr("role", "application").node();
    return {role, root, head, canvas, context: canvas.getContext("2d"), loads: null};
  }

  /* --- what is shown --- */

  const loadsOf = placement => report.placements[placement].loads.find(
      l => l.phase === (shown.phase === "all" ? null : shown.phase));

  /* The loads by kind and by place in the list of elements. */
  function arrange(loads) {
    const values = d3.range(5).map(() => new Float64Array(m.element.length));
    const other = d3.range(5).map(() => new Float64Array(m.element.length));
    if (!loads) return {values, other};
    const rest = shown.load === "bytes" ? "cost_s" : "bytes";
    for (let i = 0; i < loads.element.length; i++) {
      values[loads.kind[i]][ports.at.get(loads.element[i])] = loads[shown.load][i];
      other[loads.kind[i]][ports.at.get(loads.element[i])] = loads[rest][i];
    }
    return {values, other};
  }

  const phaseOf = placement => {
    const p = report.placements[placement];
    return shown.phase === "all" ? p.phases.find(x => p.bottleneck && x.id === p.bottleneck.phase) :
                                   p.phases[shown.phase];
  };

  /* {element, kind, …} of the bottleneck, or null. */
  function bottleneckOf(placement) {
    const phase = phaseOf(placement), b = phase && phase.bottleneck;
    if (!b) return null;
    const element = b.port === "down" ? b.child_number : b.element_number;
    const kind =
        b.port === "switch" ? 4 : (b.port === "down" ? 0 : 2) + (b.direction === "in" ? 1 : 0);
    return {...b, element, kind, index: ports.at.get(element), cost: phase.cost_s, phase};
  }

  function choose() {
    views.forEach(v => {
      v.placement = shown[v.role];
      v.known = loadsOf(v.placement) !== undefined;
      v.loads = arrange(loadsOf(v.placement));
      v.bottleneck = bottleneckOf(v.placement);
    });
    views[1].root.style("display", shown.before === shown.after ? "none" : null);
    most = d3.max(views, v => d3.max(v.loads.values, a => d3.max(a))) || 0;
    layBands();
    scale.text(`Load as ${shown.load === "bytes" ? "bytes" : "time"}, ${phaseText()}${
        most > 0 ? `; 100% is ${loadText(most)}` : ""}.`);
    views.forEach(describeView);
    draw();
  }

  function layBands() {
    bands = [];
    let y = 4;
    for (let depth = 0; depth < depths; depth++) {
      for (let kind = 0; kind < 5; kind++) {
        const loaded = views.some(
            v => byDepth[depth].some(
                i => v.loads.values[kind][i] > 0 || v.loads.other[kind][i] > 0));
        if (!loaded) continue;
        bands.push({depth, kind, y, height: bandHeight});
        y += bandHeight + 1;
      }
      bands.push({depth, kind: -1, y, height: nameHeight});
      y += nameHeight + space;
    }
    height = y;
  }

  const loadText = value => shown.load === "bytes" ? format.bytes(value) : format.seconds(value);

  function describeView(v) {
    const p = report.placements[v.placement], b = v.bottleneck;
    v.head.text(null);
    v.head.append("strong").text(`${shown.before === shown.after ? "" : `${v.role}: `}${p.label} `);
    if (!v.known) v.head.append("span").text("The loads of this phase are not on the page. ");
    v.canvas.setAttribute(
        "aria-label",
        `The machine's tree under ${p.label}; ${
            b ? `bottleneck: ${b.text}. Arrow keys walk from port to port, Enter lists its pairs.` :
                "no port is loaded."}`);
    if (!b) {
      v.head.append("span").text("No port is loaded.");
      return;
    }
    v.head.append("span")
        .attr("class", "bottleneck")
        .text(`bottleneck: ${b.text}: ${format.seconds(b.cost)}, ${format.bytes(b.bytes)} by ${
            format.count(b.pairs_total)} pair${b.pairs_total === 1 ? "" : "s"}`);
    if (shown.phase === "all" && report.phases.length > 1)
      v.head.append("span").text(`, in phase ${phaseName(b.phase)}, the most expensive`);
  }

  /* --- drawing --- */

  const left = i => gutter + m.first_pu[i] / m.pus * width * transform.k + transform.x;
  const wide = i => m.n_pus[i] / m.pus * width * transform.k;

  /* A share in its band: above the filling, within it, or on a plate of its own where the edge of
     the filling would cross it. */
  function putShare(c, share, x, y, colours) {
    const text = format.load(share), crossed = share > 0.15 && share < 0.88;
    if (crossed) {
      const room = c.measureText(text).width + 8;
      c.fillStyle = colours.paper;
      c.fillRect(x - room / 2, y - 7, room, 14);
    }
    putText(c, text, "center", x, y, share < 0.88 ? colours.ink : colours.paper);
  }

  /* Elements narrower than two pixels share columns, which show the largest of them. */
  function drawBand(v, band, colours, shares) {
    const c = v.context, columns = new Float64Array(Math.ceil(width) + 1);
    let narrow = false;
    c.fillStyle = colours.band;
    c.fillRect(gutter, band.y, width, band.height);
    const fill = (x, w, share) => {
      const h = Math.max(1, (band.height - 1) * share);
      c.fillStyle = colours.ramp[Math.round(255 * share)];
      c.fillRect(x, band.y + band.height - h, w, h);
    };
    for (const i of byDepth[band.depth]) {
      const x = left(i), w = wide(i), value = v.loads.values[band.kind][i];
      if (x + w < gutter || x > gutter + width || !(value > 0)) continue;
      if (w >= 2) {
        const from = Math.max(x, gutter), to = Math.min(x + w, gutter + width);
        fill(from, Math.max(1, to - from - (w >= 4 ? 1 : 0)), value / most);
        if (to - from >= 44) shares.push([value / most, (from + to) / 2, band.y + band.height / 2]);
      } else {
        const at = Math.max(0, Math.floor(x - gutter));
        columns[at] = Math.max(columns[at], value);
        narrow = true;
      }
    }
    for (let x = 0; narrow && x < columns.length; x++)
      if (columns[x] > 0) fill(gutter + x, 1, columns[x] / most);
  }

  const shortName = i => shorten(ports.isPu(i) ? String(m.first_pu[i]) : m.names[i], 16);

  /* Of each level: the longest name, the fewest PUs, whether names tell elements apart. */
  const rows =
      byDepth.map(list => ({
                    letters: d3.max(list, i => shortName(i).length),
                    pus: d3.min(list, i => m.n_pus[i]),
                    distinct: !list.some((i, n) => n && shortName(i) === shortName(list[0]))
                  }));

  /* Names stand in their elements' boxes. Where they are wider than these, boxes become a ruler, on
     which every second, fourth … element has its name; names that don't tell elements apart are
     left out. */
  function drawNames(v, band, colours) {
    const c = v.context, {letters, pus, distinct} = rows[band.depth];
    const least = pus / m.pus * width * transform.k;
    let step = 1;
    while (step * least < letters * 7.2 + 8) step *= 2;
    c.strokeStyle = colours.line;
    c.lineWidth = 1;
    if (step === 1)
      drawBoxes(c, band, colours);
    else
      drawRuler(c, band, distinct ? step : Infinity, least >= 3, colours);
    if (step > 1 && !distinct)
      putText(
          c,
          `${format.count(byDepth[band.depth].length)}${
              paper.on ? " of them" : ": zoom in for their names"}`,
          "center", gutter + width / 2, band.y + 12, colours.soft);
  }

  function drawBoxes(c, band, colours) {
    const end = gutter + width;
    for (const i of byDepth[band.depth]) {
      const from = Math.max(left(i), gutter), to = Math.min(left(i) + wide(i), end);
      if (from >= to) continue;
      c.strokeRect(from + 0.5, band.y + 0.5, Math.max(1, to - from - 2), band.height - 2);
      putName(c, i, "center", (from + to) / 2, band.y + band.height / 2, to - from, colours);
    }
  }

  /* `ticks`: elements without names have short ones. */
  function drawRuler(c, band, step, ticks, colours) {
    const end = gutter + width;
    c.beginPath();
    c.moveTo(gutter, band.y + 0.5);
    c.lineTo(end, band.y + 0.5);
    byDepth[band.depth].forEach((i, n) => {
      const from = left(i), x = Math.round(from) + 0.5, named = n % step === 0 && step < Infinity;
      if (x < gutter || x > end || !(named || ticks)) return;
      c.moveTo(x, band.y);
      c.lineTo(x, band.y + (named ? band.height : 4));
      if (named) putName(c, i, "left", from + 4, band.y + 12, end - from - 4, colours);
    });
    c.stroke();
  }

  function putText(c, text, align, x, y, colour) {
    c.textAlign = align;
    c.fillStyle = colour;
    c.fillText(text, x, y);
  }

  function putName(c, i, align, x, y, room, colours) {
    if (c.measureText(shortName(i)).width <= room)
      putText(c, shortName(i), align, x, y, colours.ink);
  }

  function outline(v, band, i, colour, thickness) {
    const c = v.context, x = Math.max(left(i), gutter),
          to = Math.min(left(i) + wide(i), gutter + width);
    if (to < gutter || x > gutter + width) return;
    c.strokeStyle = colour;
    c.lineWidth = thickness;
    c.strokeRect(x - 1, band.y - 1, Math.max(4, to - x) + 1, band.height + 2);
  }

  function drawView(v, colours) {
    const c = v.context, s = sharpness.value, w = gutter + width;
    v.canvas.width = Math.round(w * s);
    v.canvas.height = Math.round(height * s);
    v.canvas.style.width = `${w}px`;
    v.canvas.style.height = `${height}px`;
    c.setTransform(s, 0, 0, s, 0, 0);
    c.font = '12px system-ui, "DejaVu Sans", sans-serif';
    c.textBaseline = "middle";
    const shares = []; /* written last, over outlines */
    for (const band of bands) {
      const name = band.kind < 0 ? shorten(m.level_types[band.depth], Math.floor(gutter / 8)) :
          gutter < 172           ? ports.shortNames[band.kind] :
                                   ports.names[band.kind];
      putText(
          c, name, "right", gutter - 8, band.y + band.height / 2,
          band.kind < 0 ? colours.ink : colours.soft);
      if (band.kind < 0)
        drawNames(v, band, colours);
      else
        drawBand(v, band, colours, shares);
    }
    const bandOf = (i, kind) => bands.find(b => b.depth === m.depth[i] && b.kind === kind);
    if (v.bottleneck && v.bottleneck.index !== undefined &&
        bandOf(v.bottleneck.index, v.bottleneck.kind)) {
      const band = bandOf(v.bottleneck.index, v.bottleneck.kind);
      outline(v, band, v.bottleneck.index, colours.paper, 5);
      outline(v, band, v.bottleneck.index, colours.mark, 2.5);
    }
    if (cursor && cursor.view === v && bands[cursor.band]) {
      outline(v, bands[cursor.band], cursor.index, colours.paper, 6);
      outline(v, bands[cursor.band], cursor.index, colours.ink, 3);
    }
    for (const [share, x, y] of shares) putShare(c, share, x, y, colours);
  }

  function draw() {
    const colours = {
      ramp: colourRamp().map(c => `rgb(${c})`),
      ink: cssColour("ink"),
      paper: cssColour("paper"),
      soft: cssColour("soft"),
      line: cssColour("soft"),
      band: cssColour("band"),
      mark: cssColour("mark")
    };
    views.forEach(v => drawView(v, colours));
  }

  function fit() {
    const room = paper.on ? paper.width : container.clientWidth || 1000;
    gutter = room < 720 ? 96 : 172;
    width = Math.max(160, room - gutter - 4);
  }

  function resize() {
    const was = width;
    fit();
    transform =
        d3.zoomIdentity.translate(transform.x * width / was, transform.y).scale(transform.k);
    views.forEach(v => {
      v.canvas.__zoom = transform;
    });
    zoom.extent([[0, 0], [width, 1]]).translateExtent([[0, 0], [width, 1]]).scaleExtent([
      1, Math.max(1, m.pus / 4)
    ]);
    draw();
  }

  /* --- looking closer --- */

  const redraw = onNextFrame(draw);
  const zoom = makeZoom().on("zoom", () => {
    transform = d3.event.transform;
    views.forEach(v => {
      v.canvas.__zoom = transform;
    }); /* both are moved together */
    tip.hide();
    redraw();
  });

  /* The port at a point of a canvas: {view, band, index}, or null. */
  function portAt(v, x, y) {
    const band = bands.findIndex(b => y >= b.y && y < b.y + b.height);
    if (band < 0 || x < gutter) return null;
    const pu = (x - gutter - transform.x) / (width * transform.k) * m.pus;
    const list = byDepth[bands[band].depth];
    let low = 0, high = list.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (m.first_pu[list[middle]] <= pu)
        low = middle;
      else
        high = middle - 1;
    }
    const index = list[low];
    return pu >= m.first_pu[index] && pu < m.first_pu[index] + m.n_pus[index] ?
        {view: v, band, index} :
        null;
  }

  function describePort({view, band, index}) {
    const kind = bands[band].kind;
    if (kind < 0)
      return `${ports.nameOf(index)}: ${m.n_pus[index]} PU${m.n_pus[index] === 1 ? "" : "s"}`;
    const value = view.loads.values[kind][index], other = view.loads.other[kind][index];
    const [cost, bytes] = shown.load === "bytes" ? [other, value] : [value, other];
    const b = view.bottleneck, isBottleneck = b && b.index === index && b.kind === kind;
    const same =
        views.filter(v => v.known).map(v => `${v.role}: ${loadText(v.loads.values[kind][index])}`);
    return [
      ports.text(index, kind), `${format.seconds(cost)}, ${format.bytes(bytes)}`,
      most > 0 ? `${format.percent(value / most)} of the largest load` : "",
      shown.before === shown.after ? "" : same.join(", "), isBottleneck ? "the bottleneck" : ""
    ].filter(Boolean)
        .join("\n");
  }

  function list(port) {
    const kind = bands[port.band].kind;
    if (kind < 0) return;
    listed = {placement: port.view.placement, index: port.index, kind};
    port.view.root.node().append(panel); /* where one looks */
    showList();
    scrollDownTo(panel);
  }

  /* The pairs of the bottleneck that shows, whose times are known. */
  function timesOf({placement, index, kind}) {
    const b = shown.phase === "all" ? null : bottleneckOf(placement);
    return b && b.index === index && b.kind === kind ?
        new Map(b.pairs.map(x => [x.src * report.ranks + x.dst, x.time_s])) :
        null;
  }

  /* The call sites behind the listed port. */
  function listSites() {
    const {index, kind, placement} = listed;
    const parts =
        sites.ofPort(m.element[index], kind, placement, ports.loadedBy(index, kind, placement));
    if (sites.known && parts.length) sites.table(panel, parts, "load");
  }

  function showList() {
    if (!listed) return;
    const p = report.placements[listed.placement], root = d3.select(panel);
    root.selectAll("*").remove();
    root.append("h3").text(`${ports.text(listed.index, listed.kind)}, under ${p.label}`);
    if (listed.kind === 4 && ports.isCut(listed.index)) {
      root.append("p").text(
          "What is below this switch isn't on the page, so its pairs aren't known.");
      return;
    }
    const pairs = ports.pairsOn(listed.index, listed.kind, listed.placement);
    listSites();
    if (sites.areCounted()) {
      root.append("p").text(
          "Pairs of some collective calls aren't on the page: they are too many, or depend on hosts.");
      if (!pairs.length) return;
    }
    if (!pairs.length) {
      root.append("p").text("No pair loads it in what is shown.");
      return;
    }
    const times = timesOf(listed), timeOf = x => times.get(x.src * report.ranks + x.dst);
    const time = {
      name: "time",
      value: x => timeOf(x) === undefined ? -1 : timeOf(x),
      text: v => v < 0 ? "" : format.seconds(v),
      number: true
    };
    const part = report.groups ?
        ` (of the ${
            format.count(report.pairs.reduce(
                (n, c) => n + c.src.length,
                0))} largest pairs, which alone are on the page; of equal ones some of everywhere)` :
        "";
    makeTable(panel, {
      caption: `${format.count(pairs.length)} pair${pairs.length === 1 ? " loads" : "s load"} it${
          part}: ${format.messages(d3.sum(pairs, x => x.messages))}, ${
          format.bytes(d3.sum(pairs, x => x.bytes))}`,
      columns: [
        {name: "from rank", value: x => x.src, number: true},
        {name: "to rank", value: x => x.dst, number: true},
        {name: "messages", value: x => x.messages, text: format.count, number: true},
        {name: "bytes", value: x => x.bytes, text: format.bytes, number: true},
        ...(times ? [time] : []), {name: "from", value: x => placeOf(listed.placement, x.src)},
        {name: "to", value: x => placeOf(listed.placement, x.dst)},
        ...(sites.known ? [sites.column(x => sites.ofPair(x.src, x.dst))] : [])
      ],
      rows: pairs,
      most: 20
    });
  }

  function walk(v, event) {
    const steps = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1};
    const usable = d3.range(bands.length).filter(b => bands[b].kind >= 0);
    if (!usable.length) return;
    if (!cursor || cursor.view !== v) {
      const b = v.bottleneck,
            band = b && b.index !== undefined ?
          bands.findIndex(x => x.depth === m.depth[b.index] && x.kind === b.kind) :
          -1;
      cursor = band >= 0 ? {view: v, band, index: b.index} :
                           {view: v, band: usable[0], index: byDepth[bands[usable[0]].depth][0]};
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const row = byDepth[bands[cursor.band].depth];
      const to = row.indexOf(cursor.index) + steps[event.key];
      cursor.index = row[Math.max(0, Math.min(row.length - 1, to))];
    } else {
      const to = usable[Math.max(
          0, Math.min(usable.length - 1, usable.indexOf(cursor.band) + steps[event.key]))];
      const pu = m.first_pu[cursor.index], row = byDepth[bands[to].depth];
      cursor.band = to;
      cursor.index = row[Math.max(0, d3.bisectRight(row.map(i => m.first_pu[i]), pu) - 1)];
    }
    draw();
    const box = v.canvas.getBoundingClientRect();
    tip.show(
        describePort(cursor),
        box.left + Math.min(Math.max(left(cursor.index), gutter), gutter + width),
        box.top + bands[cursor.band].y);
  }

  function onKey(v) {
    const event = d3.event;
    if (event.key.startsWith("Arrow"))
      walk(v, event);
    else if (event.key === "Enter" && cursor)
      list(cursor);
    else if (event.key === "+" || event.key === "-")
      zoom.scaleBy(
          d3.select(v.canvas), event.key === "+" ? 1.6 : 1 / 1.6,
          cursor ? [left(cursor.index) + wide(cursor.index) / 2 - gutter, 0] : undefined);
    else if (event.key === "0")
      zoom.transform(d3.select(v.canvas), d3.zoomIdentity);
    else
      return;
    event.preventDefault();
  }

  views.forEach(v => {
    const at = () => portAt(v, ...d3.mouse(v.canvas));
    callZoom(v.canvas, zoom)
        .on("mousemove",
            () => {
              const port = at();
              if (port)
                tip.show(describePort(port), d3.event.clientX, d3.event.clientY);
              else
                tip.hide();
            })
        .on("mouseleave", () => tip.hide())
        .on("click",
            () => {
              const port = at();
              if (port) list(port);
            })
        .on("keydown", () => onKey(v))
        .on("blur", () => {
          cursor = null;
          tip.hide();
          redraw();
        });
  });
  drawings.push(draw);
  layouts.push(resize);
  fit();
  watch(() => {
    choose();
    showList();
  });
  resize();
  addEventListener("resize", onNextFrame(resize));
}
