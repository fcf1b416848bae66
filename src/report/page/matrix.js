/* The communication matrix: rows send, columns receive. It is drawn pixel by pixel, so that it
   costs the same with 16 ranks and with 100,000 pairs; where several pairs share a pixel, the
   largest one is shown. */

function MatrixView(figure, order, panel) {
  const margin = {left: 84, top: 52, right: 6, bottom: 4};
  const root = d3.select(figure);
  const head = root.append("figcaption");
  const label = head.append("label").text("Ranks in the order of ");
  const select = label.append("select").attr("class", "screen");
  const chosen = label.append("span").attr("class", "printed");
  const plot = root.append("div").attr("class", "plot");
  const canvas = plot.append("canvas").attr("tabindex", 0).attr("role", "application").node();
  const axes = plot.append("svg").attr("aria-hidden", "true");
  const axisX = axes.append("g"), axisY = axes.append("g");
  const to = axes.append("text").attr("class", "title").text("to rank (receives)");
  const from = axes.append("text").attr("class", "title").text("from rank (sends)");
  const legend = root.append("div").attr("class", "legend");
  const context = canvas.getContext("2d");
  const sides = Math.ceil(report.ranks / groupSize);
  const key = order === null ? "rank" : "after";
  let side = 100;   /* of the square, in the page's pixels */
  let cells = null; /* positions and amounts of what is shown */
  let least = 0, most = 0;
  let transform = d3.zoomIdentity;
  let cursor = null; /* [column, row] of the keyboard */
  let rising = null; /* the cells by the amount that is shown, the least first */
  let tints = null;  /* the colour of each cell */
  let found = null;  /* the cell that is shown at each pixel, and their number a row */

  /* --- what is shown --- */

  const options = () => [{value: "rank", text: "their numbers"}].concat(
      report.placements.map((p, i) => ({
                              value: String(i),
                              text: `their places: ${roleOf(i) ? `${roleOf(i)}, ` : ""}${p.label}`
                            })));

  function fillSelect() {
    const was = select.node().value || (key === "rank" ? "rank" : String(shown.after));
    select.selectAll("option")
        .data(options())
        .join("option")
        .attr("value", d => d.value)
        .text(d => d.text);
    select.node().value = was;
  }

  const placement = () => select.node().value === "rank" ? null : Number(select.node().value);

  const groups = () =>
      placement() === null ? report.groups.by_rank : report.groups.by_placement[placement()];

  /* Cells by their positions in the order: groups come so, pairs of ranks are looked up. */
  function placed() {
    const p = placement();
    if (report.groups) return cellsOf(groups(), `groups ${p}`);
    const pairs = shownPairs(), position = new Int32Array(report.ranks);
    if (p === null) return pairs;
    ranksInOrder(p).forEach((rank, i) => {
      position[rank] = i;
    });
    return {
      src: pairs.src.map(r => position[r]),
      dst: pairs.dst.map(r => position[r]),
      messages: pairs.messages,
      bytes: pairs.bytes
    };
  }

  function choose() {
    cells = placed();
    chosen.text(select.node().selectedOptions[0].textContent);
    const values = cells[shown.quantity], positive = values.filter(v => v > 0);
    least = d3.min(positive) || 0;
    most = d3.max(positive) || 0;
    rising = Uint32Array.from(values.keys()).sort((a, b) => values[a] - values[b]);
    canvas.setAttribute(
        "aria-label",
        `Communication matrix of ${report.ranks} ranks, ${
            cells.src.length} cells with traffic; arrow keys walk from cell to cell`);
  }

  /* How far an amount is from the least to the most. */
  function share(value) {
    if (most <= least) return 1;
    return shown.log ? Math.log(value / least) / Math.log(most / least) : value / most;
  }

  /* --- drawing --- */

  /* The pixel of the canvas where a column or row begins. */
  const pixel = (index, offset) =>
      Math.round((index * side / sides * transform.k + offset) * sharpness.value);

  /* Larger amounts are painted over smaller ones. */
  function paint(image) {
    const n = image.width, words = new Uint32Array(image.data.buffer), at = found.at.fill(-1);
    for (const i of rising) {
      const x0 = pixel(cells.dst[i], transform.x), y0 = pixel(cells.src[i], transform.y);
      if (x0 >= n || y0 >= n) continue;
      const x1 = Math.max(x0 + 1, pixel(cells.dst[i] + 1, transform.x));
      const y1 = Math.max(y0 + 1, pixel(cells.src[i] + 1, transform.y));
      if (x1 <= 0 || y1 <= 0) continue;
      const left = Math.max(x0, 0), right = Math.min(x1, n), bottom = Math.min(y1, n);
      for (let y = Math.max(y0, 0); y < bottom; y++) {
        words.fill(tints[i], y * n + left, y * n + right);
        at.fill(i, y * n + left, y * n + right);
      }
    }
  }

  /* Where hosts begin in the order, thinned out to what can be seen. */
  function drawHosts() {
    const p = placement();
    if (p === null) return [];
    const ranks = ranksInOrder(p), host = report.placements[p].host_of_rank, starts = [];
    ranks.forEach((rank, i) => {
      if (i === 0 || host[rank] !== host[ranks[i - 1]]) starts.push(i);
    });
    const width = i => i / groupSize * side / sides * transform.k;
    const apart = width(report.ranks / starts.length);
    context.strokeStyle = cssColour("soft");
    context.globalAlpha = Math.min(0.55, apart / 45); /* dense lines mustn't hide the cells */
    context.lineWidth = sharpness.value;
    context.beginPath();
    const lines = starts.length > 1 && apart >= 5 ? starts : [];
    for (const i of lines.slice(1)) {
      const x = Math.round((width(i) + transform.x) * sharpness.value) + 0.5;
      const y = Math.round((width(i) + transform.y) * sharpness.value) + 0.5;
      context.moveTo(x, 0);
      context.lineTo(x, canvas.height);
      context.moveTo(0, y);
      context.lineTo(canvas.width, y);
    }
    context.stroke();
    context.globalAlpha = 1;
    return starts;
  }

  function drawCursor() {
    if (!cursor) return;
    const size = side / sides * transform.k;
    context.strokeStyle = cssColour("mark");
    context.lineWidth = 2 * sharpness.value;
    context.strokeRect(
        (cursor[0] * size + transform.x) * sharpness.value - 1,
        (cursor[1] * size + transform.y) * sharpness.value - 1,
        Math.max(size * sharpness.value, 4) + 2, Math.max(size * sharpness.value, 4) + 2);
  }

  /* Ticks are ranks; in the order of places they are hosts. */
  function drawAxes(starts) {
    const p = placement(), domain = [0, sides * groupSize];
    const scales = [
      transform.rescaleX(d3.scaleLinear(domain, [0, side])),
      transform.rescaleY(d3.scaleLinear(domain, [0, side]))
    ];
    scales.forEach((scale, along) => {
      const axis = along === 0 ? d3.axisTop(scale) : d3.axisLeft(scale);
      if (p === null) {
        const end = v => scale(v) + (along === 0 ? 8 * String(v).length : 12);
        axis.tickValues(
            scale.ticks(side < 360 ? 5 : 7)
                .filter(
                    v => Number.isInteger(v) && v < report.ranks && end(v) <= side + margin.right));
        axis.tickFormat(String);
      } else {
        const ranks = ranksInOrder(p), host = report.placements[p].host_of_rank;
        const nameAt = i => report.machine.hosts[host[ranks[i]]];
        let last = -Infinity;
        const letters = d3.max(starts, i => Math.min(8, nameAt(i).length));
        const room = along === 0 ? 8 * letters + 8 : 18;
        axis.tickValues(starts.filter(i => {
          const at = scale(i);
          const end = along === 0 ? at + room - 16 : at + 12; /* of the name */
          if (at < -1 || end > side + margin.right || at - last < room) return false;
          last = at;
          return true;
        }));
        axis.tickFormat(i => shorten(nameAt(i), 8));
      }
      const g = along === 0 ? axisX : axisY;
      g.attr("transform", `translate(${margin.left},${margin.top})`).call(axis.tickSizeOuter(0));
      g.selectAll("text")
          .style("text-anchor", along === 0 ? "start" : "end")
          .attr("dy", along === 0 ? null : "0.8em")
          .attr("dx", along === 0 ? "-2px" : null);
    });
  }

  /* All colours, the least amount's on the left, as the address of a picture. */
  function drawRamp(ramp) {
    const strip = document.createElement("canvas");
    strip.width = 256;
    strip.height = 1;
    const pen = strip.getContext("2d"), image = pen.createImageData(256, 1);
    ramp.forEach((c, i) => image.data.set([c[0], c[1], c[2], 255], 4 * i));
    pen.putImageData(image, 0, 0);
    return strip.toDataURL();
  }

  function drawLegend(ramp) {
    const width = Math.min(side, 420), height = 44;
    legend.text(null);
    if (most <= 0) {
      legend.text(`no ${shown.quantity} are sent`);
      return;
    }
    const one = most <= least; /* value, which has one colour */
    const svg = legend.append("svg")
                    .attr("width", width + margin.left)
                    .attr("height", height)
                    .attr("role", "img")
                    .attr(
                        "aria-label",
                        `Colours from ${format.amount(least, shown.quantity)} to ${
                            format.amount(most, shown.quantity)}`);
    if (one)
      svg.append("rect")
          .attr("x", margin.left)
          .attr("y", 6)
          .attr("width", 24)
          .attr("height", 12)
          .attr("fill", `rgb(${ramp[255]})`);
    else
      svg.append("image")
          .attr("href", drawRamp(ramp))
          .attr("x", margin.left)
          .attr("y", 6)
          .attr("width", width)
          .attr("height", 12)
          .attr("preserveAspectRatio", "none");
    const ticks = one ? [0] : width < 340 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1];
    const value = t => one ? most : shown.log ? least * Math.pow(most / least, t) : most * t;
    svg.selectAll("text")
        .data(ticks)
        .join("text")
        .attr("y", 34)
        .attr("x", t => margin.left + t * width)
        .attr(
            "text-anchor",
            t => t === 0 ? "start" :
                t === 1  ? "end" :
                           "middle")
        .text(t => shown.quantity === "bytes" ? format.bytes(value(t)) : format.count(value(t)));
  }

  function draw() {
    const n = Math.round(side * sharpness.value);
    if (canvas.width !== n) canvas.width = canvas.height = n;
    if (!found || found.n !== n) found = {at: new Int32Array(n * n), n};
    const image = context.createImageData(n, n);
    paint(image);
    context.putImageData(image, 0, 0);
    drawAxes(drawHosts());
    drawCursor();
  }

  /* With the colours of the day, which drawing alone takes as they are. */
  function drawAll() {
    const ramp = colourRamp();
    const words = ramp.map(c => (0xff000000 | c[2] << 16 | c[1] << 8 | c[0]) >>> 0);
    tints = Uint32Array.from(
        cells[shown.quantity], v => v > 0 ? words[Math.round(255 * Math.max(0, share(v)))] : 0);
    drawLegend(ramp);
    draw();
  }

  function resize() {
    const was = side;
    const width = paper.on ? (paper.width - paper.gap) / 2 :
                             Math.max(260, Math.min(588, figure.clientWidth || 560));
    side = width - margin.left - margin.right;
    plot.style("width", `${width}px`).style("height", `${side + margin.top + margin.bottom}px`);
    d3.select(canvas)
        .style("left", `${margin.left}px`)
        .style("top", `${margin.top}px`)
        .style("width", `${side}px`)
        .style("height", `${side}px`);
    axes.attr("width", width).attr("height", side + margin.top + margin.bottom);
    to.attr("x", margin.left + side / 2).attr("y", 14);
    from.attr("transform", `translate(12,${margin.top + side / 2}) rotate(-90)`);
    transform = d3.zoomIdentity.translate(transform.x * side / was, transform.y * side / was)
                    .scale(transform.k);
    canvas.__zoom = transform;
    zoom.translateExtent([[0, 0], [side, side]]).extent([[0, 0], [side, side]]).scaleExtent([
      1, Math.max(1, sides / 4)
    ]);
    drawAll();
  }

  /* --- looking closer --- */

  const redraw = onNextFrame(draw);
  const zoom = makeZoom().on("zoom", () => {
    transform = d3.event.transform;
    tip.hide();
    redraw();
  });

  const rankText = index => groupSize === 1 ?
      `rank ${ranksInOrder(placement())[index]}` :
      `ranks ${placement() === null ? "" : "at places "}${index * groupSize} to ${
          Math.min(report.ranks, (index + 1) * groupSize) - 1}`;

  /* What is said of a cell: who sends how much to whom, and where both run. */
  function describe(column, row, i) {
    const lines = [`${rankText(row)} → ${rankText(column)}`];
    lines.push(
        i < 0 ? "nothing" :
                `${format.messages(cells.messages[i])}, ${format.bytes(cells.bytes[i])}`);
    if (groupSize === 1)
      for (const p of new Set([shown.before, shown.after])) {
        const ranks = ranksInOrder(placement());
        lines.push(`${roleOf(p) || report.placements[p].label}: ${placeOf(p, ranks[row])} → ${
            placeOf(p, ranks[column])}`);
      }
    return lines.join("\n");
  }

  /* The cell at a point, or one that is within two pixels where cells are small. */
  function cellAt(x, y) {
    const size = side / sides * transform.k;
    const column = Math.floor((x - transform.x) / size), row = Math.floor((y - transform.y) / size);
    const reach = size < 3 ? 2 : 0;
    let best = -1;
    for (let dy = -reach; dy <= reach; dy++)
      for (let dx = -reach; dx <= reach; dx++) {
        const px = Math.floor((x + dx) * sharpness.value),
              py = Math.floor((y + dy) * sharpness.value);
        if (px < 0 || py < 0 || px >= found.n || py >= found.n) continue;
        const i = found.at[py * found.n + px];
        if (i >= 0 && (best < 0 || cells[shown.quantity][i] > cells[shown.quantity][best]))
          best = i;
      }
    if (best >= 0) return [cells.dst[best], cells.src[best], best];
    return column >= 0 && row >= 0 && column < sides && row < sides ? [column, row, -1] : null;
  }

  function hover() {
    const [x, y] = d3.mouse(canvas), cell = cellAt(x, y);
    if (cell)
      tip.show(describe(...cell), d3.event.clientX, d3.event.clientY);
    else
      tip.hide();
  }

  /* The cell in a column and row; -1: nothing is sent there. */
  const indexAt = (column, row) =>
      cells.src.findIndex((src, i) => src === row && cells.dst[i] === column);

  function showCursor() {
    const size = side / sides * transform.k, box = canvas.getBoundingClientRect();
    const x = (cursor[0] + 0.5) * size + transform.x, y = (cursor[1] + 0.5) * size + transform.y;
    if (x < 0 || y < 0 || x > side || y > side)
      zoom.translateTo(
          d3.select(canvas), (cursor[0] + 0.5) * side / sides, (cursor[1] + 0.5) * side / sides);
    draw();
    tip.show(
        describe(cursor[0], cursor[1], indexAt(cursor[0], cursor[1])),
        box.left + Math.min(Math.max(x, 0), side), box.top + Math.min(Math.max(y, 0), side));
  }

  /* --- the cell that is clicked --- */

  function listPairs(isInside) {
    const pairs = shownPairs(), list = [];
    pairs.src.forEach((src, i) => {
      if (isInside(src, pairs.dst[i]))
        list.push({src, dst: pairs.dst[i], messages: pairs.messages[i], bytes: pairs.bytes[i]});
    });
    makeTable(panel, {
      caption: `${format.count(list.length)} of its pairs are on the page, which has the largest.`,
      columns: [
        {name: "from rank", value: x => x.src, number: true},
        {name: "to rank", value: x => x.dst, number: true},
        {name: "messages", value: x => x.messages, text: format.count, number: true},
        {name: "bytes", value: x => x.bytes, text: format.bytes, number: true},
        ...(sites.known ? [sites.column(x => sites.ofPair(x.src, x.dst))] : [])
      ],
      rows: list.sort((a, b) => b.bytes - a.bytes),
      most: 10
    });
  }

  let listed = null; /* {src, dst}, ranks, if the panel is of a pair in this matrix */

  /* Lists what is behind a cell: its call sites, and its pairs if it stands for many. */
  function list(column, row, i) {
    const [head, ...lines] = describe(column, row, i).split("\n"), root = d3.select(panel);
    const ranks = ranksInOrder(placement()), at = Array(report.ranks);
    ranks.forEach((rank, place) => {
      at[rank] = Math.floor(place / groupSize);
    });
    const isInside = (src, dst) => at[src] === row && at[dst] === column;
    const parts = report.groups ? sites.ofGroup(groups(), row, column, isInside) :
                                  sites.ofPair(ranks[row], ranks[column]);
    panel.owner = canvas;
    listed = {src: ranks[row], dst: ranks[column]};
    root.selectAll("*").remove();
    root.append("h3").text(`${head}, ${phaseText()}`);
    root.append("p").text(`${lines.join("; ")}.`);
    if (parts.length && sites.known) sites.table(panel, parts, "send");
    if (parts.length && !sites.known) root.append("p").text("The pattern has no call sites.");
    if (report.groups) listPairs(isInside);
  }

  /* The pair is the same in another phase and order; a group of ranks isn't. */
  function listAgain() {
    if (!listed || panel.owner !== canvas) return;
    if (report.groups) {
      d3.select(panel).selectAll("*").remove();
      listed = null;
      return;
    }
    const ranks = ranksInOrder(placement());
    const column = ranks.indexOf(listed.dst), row = ranks.indexOf(listed.src);
    list(column, row, indexAt(column, row));
  }

  const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
  function onKey() {
    const event = d3.event, step = steps[event.key];
    if (step) {
      const from = cursor || [0, 0];
      cursor = cursor ? from.map((v, i) => Math.max(0, Math.min(sides - 1, v + step[i]))) : from;
      showCursor();
    } else if (event.key === "Enter" && cursor) {
      list(cursor[0], cursor[1], indexAt(cursor[0], cursor[1]));
      scrollDownTo(panel);
    } else if (event.key === "+" || event.key === "-") {
      const by = event.key === "+" ? 1.6 : 1 / 1.6;
      zoom.scaleBy(d3.select(canvas), by, cursor && [
        (cursor[0] + 0.5) * side / sides * transform.k + transform.x,
        (cursor[1] + 0.5) * side / sides * transform.k + transform.y
      ]);
    } else if (event.key === "0") {
      zoom.transform(d3.select(canvas), d3.zoomIdentity);
    } else
      return;
    event.preventDefault();
  }

  callZoom(canvas, zoom)
      .on("mousemove", hover)
      .on("click",
          () => {
            const cell = cellAt(...d3.mouse(canvas));
            if (!cell) return;
            list(...cell);
            scrollDownTo(panel);
          })
      .on("mouseleave", () => tip.hide())
      .on("keydown", onKey)
      .on("blur", () => {
        cursor = null;
        tip.hide();
        redraw();
      });
  select.on("change", () => {
    choose();
    drawAll();
    listAgain();
  });
  drawings.push(drawAll);
  layouts.push(resize);
  fillSelect();
  choose();
  resize();
  addEventListener("resize", onNextFrame(resize));
  watch(() => {
    fillSelect();
    choose();
    drawAll();
    listAgain();
  });
}
