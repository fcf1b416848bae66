/* Line charts: a value against sizes, cores or blocks. Lines differ in colour, dashes and marks, so
   that they can be told apart in grey. Arrow keys walk from point to point. */

/* What arrow keys, the pointer and a finger do in a drawing: they go to one of its points, each
   with {x, y, text} in the drawing's pixels. `rows` gives the points in rows; `mark` shows one, or
   none (null). */
function makeWalk(element, rows, mark) {
  let at = null; /* [row, place] of the keyboard */
  const box = () => element.getBoundingClientRect();
  function show(point) {
    const {left, top} = box();
    mark(point);
    tip.show(point.text, left + point.x, top + point.y);
  }
  function hide() {
    mark(null);
    tip.hide();
  }
  function nearest(x, y) {
    let best = null, least = 40;
    for (const row of rows())
      for (const p of row) {
        const distance = Math.hypot(p.x - x, p.y - y);
        if (distance >= least) continue;
        least = distance;
        best = p;
      }
    return best;
  }
  function point() {
    const {left, top} = box();
    const found = nearest(d3.event.clientX - left, d3.event.clientY - top);
    if (found)
      show(found);
    else
      hide();
  }
  /* The point of a row that is nearest to another row's. */
  const placeIn = (row, x) => d3.scan(row, (a, b) => Math.abs(a.x - x) - Math.abs(b.x - x));
  const limit = (v, n) => Math.max(0, Math.min(n - 1, v));
  function step(along, across) {
    const all = rows().filter(row => row.length > 0);
    if (all.length === 0) return;
    if (!at)
      at = [0, 0];
    else {
      const row = limit(at[0] + across, all.length), from = all[limit(at[0], all.length)];
      const place = limit(at[1], from.length);
      at = row === at[0] ? [row, limit(place + along, from.length)] :
                           [row, placeIn(all[row], from[place].x)];
    }
    show(all[at[0]][at[1]]);
  }
  const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
  d3.select(element)
      .on("mousemove", point)
      .on("click", point)
      .on("mouseleave", hide)
      .on("keydown",
          () => {
            if (!steps[d3.event.key]) return;
            d3.event.preventDefault();
            step(...steps[d3.event.key]);
          })
      .on("blur", () => {
        at = null;
        hide();
      });
}

/* " ± 3.0%, 7 samples", as far as it is known. */
function spreadText(p) {
  const spread = p.spread === null ? ", spread unknown" : ` ± ${format.percent(p.spread)}`;
  return p.samples ? `${spread}, ${format.things(p.samples, "sample")}` : "";
}

/* Points of a curve of the page's data. `y`: other values than the curve's. */
const pointsOf = (curve, y = curve.y) =>
    curve.x.map((x, i) => ({x, y: y[i], spread: curve.spread[i], samples: curve.samples[i]}))
        .filter(p => p.y !== null);

/* A chart in a figure. It shows {title, means, x, y, lines, notes}:
   x and y: {name, log, text}, how the axis is called, whether it is logarithmic, and how a value is
   written; y begins at 0 unless it is logarithmic.
   lines: {name, look, points}; look: 0 to 4, "quiet" or "ideal". A point is {x, y, spread, samples,
   label, more}: `label` stands above it, `more` in its tip.
   notes: {x, text}, marked on the x axis. */
function LineChart(container) {
  const SPREAD = 0.05; /* those that are larger have whiskers */
  const margin = {left: 66, right: 14, top: 26, bottom: 40}, height = 250;
  const marks =
      [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolCross];
  const figure = d3.select(container).append("figure").attr("class", "lines");
  const caption = figure.append("figcaption");
  const legend = figure.append("p").attr("class", "keys");
  const svg = figure.append("svg").attr("tabindex", 0).attr("role", "application");
  const values = figure.append("details").attr("class", "screen");
  values.append("summary").text("Values");
  const table = values.append("div");
  let chart = null, width = 480, rows = [], ring = null;
  const isMarked = line => Number.isInteger(line.look);

  /* --- axes --- */

  /* What can be drawn: nothing has a place at 0 on a logarithmic axis. */
  const fits = (axis, value) => Number.isFinite(value) && (!axis.log || value > 0);
  function linesThatFit() {
    return chart.lines
        .map(line => ({
               ...line,
               points: line.points.filter(p => fits(chart.x, p.x) && fits(chart.y, p.y))
             }))
        .filter(line => line.points.length > 0);
  }
  function scaleX(points) {
    let [low, high] = d3.extent(points, p => p.x);
    if (low === high) [low, high] = chart.x.log ? [low / 2, high * 2] : [low - 1, high + 1];
    return (chart.x.log ? d3.scaleLog().base(2) : d3.scaleLinear()).domain([low, high]).range([
      margin.left + 8, width - margin.right - 8
    ]);
  }
  function scaleY(points) {
    const [low, high] = d3.extent(points, p => p.y);
    const scale = chart.y.log ? d3.scaleLog().domain([low / 1.25, high * 1.25]) :
                                d3.scaleLinear().domain([0, high * 1.1]);
    return scale.range([height - margin.bottom, margin.top]);
  }
  /* Of the values that an axis could name, as many as there is room for. */
  function ticksOf(axis, scale, room) {
    const [low, high] = scale.domain(), length = Math.abs(scale.range()[1] - scale.range()[0]);
    const most = Math.max(1, Math.floor(length / room));
    if (!axis.log) {
      const found = scale.ticks(Math.min(most, 6));
      return axis.whole ? found.filter(Number.isInteger) : found;
    }
    const base = axis === chart.x ? 2 : 10;
    const powers = (first, step) => {
      const from = Math.ceil(Math.log(low / first) / Math.log(base) - 1e-9);
      const to = Math.floor(Math.log(high / first) / Math.log(base) + 1e-9);
      return d3.range(from, to + 1, step).map(k => first * Math.pow(base, k));
    };
    const fine = base === 10 ? [1, 2, 5].flatMap(f => powers(f, 1)).sort(d3.ascending) : [];
    if (fine.length > 1 && fine.length <= most) return fine;
    const all = powers(1, 1);
    return all.length < 2 ? [low, high] : powers(1, Math.max(1, Math.ceil(all.length / most)));
  }
  function drawAxes(x, y) {
    const g = svg.append("g").attr("class", "axes").attr("aria-hidden", "true");
    const bottom = height - margin.bottom;
    for (const v of ticksOf(chart.y, y, 30)) {
      g.append("line")
          .attr("x1", margin.left)
          .attr("x2", width - margin.right)
          .attr("y1", y(v))
          .attr("y2", y(v));
      g.append("text")
          .attr("class", "right")
          .attr("x", margin.left - 6)
          .attr("y", y(v) + 4)
          .text(format.trim(chart.y.text(v)));
    }
    for (const v of ticksOf(chart.x, x, 62)) {
      g.append("line").attr("x1", x(v)).attr("x2", x(v)).attr("y1", bottom).attr("y2", bottom + 5);
      g.append("text")
          .attr("class", "middle")
          .attr("x", x(v))
          .attr("y", bottom + 18)
          .text(format.trim(chart.x.text(v)));
    }
    g.append("text").attr("class", "soft").attr("x", 2).attr("y", 14).text(chart.y.name);
    g.append("text")
        .attr("class", "soft right")
        .attr("x", width - 2)
        .attr("y", height - 5)
        .text(chart.x.name);
  }

  /* --- what is measured --- */

  const markOf = line =>
      d3.symbol().size(line.look === "quiet" ? 9 : 44).type(marks[line.look] || d3.symbolCircle)();

  function drawWhiskers(g, line, x, y) {
    const [bottom, top] = y.range();
    const end = v => Math.max(top, Math.min(bottom, fits(chart.y, v) ? y(v) : bottom));
    g.selectAll(".whisker")
        .data(line.points.filter(p => p.spread > SPREAD))
        .join("path")
        .attr("class", "whisker")
        .attr("d", p => {
          const at = x(p.x), low = end(p.y * (1 - p.spread)), high = end(p.y * (1 + p.spread));
          return `M${at - 4} ${low}h8m-4 0V${high}m-4 0h8`;
        });
  }
  /* Labels above points, of which those are left out that another one is in the way of. They lie
     above all lines. */
  function drawLabels(lines, x, y) {
    const boxes = [], g = svg.append("g").attr("class", "labels");
    for (const p of lines.flatMap(line => line.points).filter(p => p.label)) {
      const half = 3.25 * p.label.length, top = y(p.y) - 22;
      const at = Math.max(margin.left + half, Math.min(width - margin.right - half, x(p.x)));
      const hits = b => Math.abs(b.at - at) < b.half + half + 8 && Math.abs(b.top - top) < 16;
      if (top < margin.top - 8 || boxes.some(hits)) continue;
      boxes.push({at, half, top});
      g.append("text").attr("class", "middle").attr("x", at).attr("y", top + 12).text(p.label);
    }
  }
  function drawLine(line, x, y) {
    const g = svg.append("g").attr("class", `line l-${line.look}`).attr("data-line", line.name);
    g.append("path")
        .attr("class", "way")
        .attr("d", d3.line().x(p => x(p.x)).y(p => y(p.y))(line.points));
    if (!isMarked(line) && line.points.length > 1) return;
    drawWhiskers(g, line, x, y);
    g.selectAll(".mark")
        .data(line.points)
        .join("path")
        .attr("class", "mark")
        .attr("transform", p => `translate(${x(p.x)},${y(p.y)})`)
        .attr("d", markOf(line));
  }
  function drawNotes(x) {
    for (const note of (chart.notes || []).filter(n => fits(chart.x, n.x))) {
      const at = x(note.x), right = at > width * 0.6;
      const g = svg.append("g").attr("class", "note");
      g.append("path").attr("d", `M${at} ${margin.top}V${height - margin.bottom}`);
      g.append("text")
          .attr("class", right ? "right" : null)
          .attr("x", at + (right ? -5 : 5))
          .attr("y", margin.top + 10)
          .text(note.text);
    }
  }

  const describe =
      (line,
       p) => [line.name, `${chart.x.text(p.x)}: ${chart.y.text(p.y)}${spreadText(p)}`, p.more || ""]
                 .filter(Boolean)
                 .join("\n");

  function draw() {
    const lines = linesThatFit(), points = lines.flatMap(line => line.points);
    svg.attr("width", width).attr("height", height).selectAll("*").remove();
    rows = [];
    if (points.length === 0) {
      svg.append("text").attr("x", margin.left).attr("y", height / 2).text("Nothing can be drawn.");
      return;
    }
    const x = scaleX(points), y = scaleY(points);
    drawAxes(x, y);
    drawNotes(x);
    /* what counts lies above */
    for (const line of [...lines].sort((a, b) => isMarked(a) - isMarked(b))) drawLine(line, x, y);
    drawLabels(lines, x, y);
    rows =
        lines.map(line => line.points.map(p => ({x: x(p.x), y: y(p.y), text: describe(line, p)})));
    ring = svg.append("circle").attr("class", "ring").attr("r", 8).style("display", "none");
  }

  /* --- around it --- */

  function drawKeys() {
    const quiet = chart.lines.filter(line => line.look === "quiet").length;
    const shown = chart.lines.filter(line => line.look !== "quiet");
    const keys = quiet ? [...shown, {name: chart.others, look: "quiet"}] : shown;
    const key = legend.selectAll(".key").data(keys).join("span").attr("class", "key");
    key.selectAll("*").remove();
    const sample =
        key.append("svg").attr("width", 34).attr("height", 14).attr("aria-hidden", "true");
    const g = sample.append("g").attr("class", line => `line l-${line.look}`);
    g.append("path").attr("class", "way").attr("d", "M1 7H33");
    g.filter(isMarked)
        .append("path")
        .attr("class", "mark")
        .attr("transform", "translate(17,7)")
        .attr("d", markOf);
    key.append("span").text(line => line.name);
  }
  function fillTable() {
    table.selectAll("*").remove();
    if (!values.node().open || !chart) return;
    makeTable(table.node(), {
      caption: chart.title,
      columns: [
        {name: "curve", value: r => r.line.name},
        {name: chart.x.name, value: r => r.p.x, text: v => chart.x.text(v), number: true},
        {name: chart.y.name, value: r => r.p.y, text: v => chart.y.text(v), number: true}, {
          name: "spread",
          value: r => r.p.spread,
          text: v => v === null || v === undefined ? "unknown" : format.percent(v),
          number: true
        },
        {
          name: "samples",
          value: r => r.p.samples,
          text: v => v === undefined ? "" : String(v),
          number: true
        }
      ],
      rows: chart.lines.filter(line => line.look !== "ideal")
                .flatMap(line => line.points.map(p => ({line, p}))),
      most: 20
    });
  }
  values.on("toggle", fillTable);
  makeWalk(svg.node(), () => rows, point => {
    if (!ring) return;
    ring.style("display", point ? null : "none");
    if (point) ring.attr("cx", point.x).attr("cy", point.y);
  });

  function resize() {
    width = paper.on ? (paper.width - paper.gap) / 2 :
                       Math.max(240, Math.min(620, figure.node().clientWidth || 480));
    if (chart) draw();
  }
  return {
    resize,
    show(next) {
      chart = next;
      caption.selectAll("*").remove();
      caption.append("strong").text(chart.title);
      caption.append("span").text(chart.means ? ` ${chart.means}` : "");
      svg.attr(
          "aria-label", `${chart.title} ${chart.means || ""} Arrow keys walk from point to point.`);
      drawKeys();
      resize();
      fillTable();
    }
  };
}
