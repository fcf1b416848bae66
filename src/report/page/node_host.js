/* A host's parts and cores with what was measured of them, and the noise of each core. */

const nodeHost = (() => {
  const lost = z => `${(100 * z.lost).toFixed(z.lost < 0.001 ? 3 : 2)}%`;

  /* A bar that is as long as a share of the box it is in. */
  const bar = (box, share) =>
      box.append("i").attr("class", "bar").style("width", `${100 * Math.min(1, share)}%`);

  /* All that is known of a core, for the box beside the pointer. */
  function describe(e) {
    const rates =
        Object.entries(e.rates).map(([use, rate]) => `${use} alone: ${format.rate(rate)}`);
    const noise = (z, when) => z.lost === undefined ?
        [] :
        [`${when}: ${lost(z)} lost to interruptions, longest ${format.time(z.longest_s)}`];
    return [
      `PU ${e.pu}, core ${e.core}`, ...rates, ...noise(e.noise, "all cores working"),
      ...noise(e.noise_spare, "one core left idle")
    ].join("\n");
  }

  function drawCore(parent, e, use, fastest) {
    const box = parent.append("div").attr("class", "core").attr("data-pu", e.pu),
          rate = e.rates[use];
    box.append("b").text(`PU ${e.pu}`);
    box.datum(e);
    if (rate === undefined && e.noise.lost === undefined) {
      box.classed("unknown", true).append("span").text("not measured");
      return;
    }
    if (rate !== undefined) {
      box.append("span").text(format.rate(rate));
      bar(box, rate / fastest);
    }
    if (e.noise.lost !== undefined)
      box.append("span")
          .attr("class", "hint")
          .text(`${lost(e.noise)} lost, ${format.time(e.noise.longest_s)}`);
  }

  /* What a part's cores read, write or copy together. */
  function drawMemory(parent, e, use) {
    const rate = e.rates && e.rates[use];
    if (rate === undefined) return;
    const text = `${format.rate(rate)} with all its cores`;
    parent.append("span")
        .attr("class", "memory")
        .attr("data-numa", e.numa === null ? "" : e.numa)
        .text(text);
  }

  function draw(container, host, use) {
    const fastest = d3.max(host.elements, e => e.pu === undefined ? 0 : e.rates[use] || 0);
    const inside = host.elements.map(() => []);
    host.elements.forEach((e, i) => {
      if (e.parent >= 0) inside[e.parent].push(i);
    });
    function part(parent, i) {
      const e = host.elements[i];
      const box = parent.append("div").attr("class", i === 0 ? "host" : "part");
      const title = box.append("div").attr("class", "title");
      title.append("span").text(
          e.numa === null || e.name.includes("numa") ? e.name : `${e.name}, NUMA node ${e.numa}`);
      drawMemory(title, e, use);
      const cores = inside[i].filter(k => host.elements[k].pu !== undefined);
      const parts = inside[i].filter(k => host.elements[k].pu === undefined);
      if (parts.length) {
        const row = box.append("div").attr("class", "parts");
        parts.forEach(k => part(row, k));
      }
      if (cores.length === 0) return;
      const row = box.append("div").attr("class", "cores");
      cores.forEach(k => drawCore(row, host.elements[k], use, fastest));
    }
    const root = d3.select(container).append("div").attr("class", "node-host");
    root.attr("tabindex", 0).attr("role", "application");
    root.attr(
        "aria-label",
        `Cores of ${host.name}: ${
            use} alone, and what interruptions take. Arrow keys walk from core to core.`);
    part(root, 0);
    /* cores in the rows in which they stand */
    const rows = () => {
      const {left, top} = root.node().getBoundingClientRect(), found = new Map();
      root.selectAll(".core").each(function(e) {
        const b = this.getBoundingClientRect(), y = b.top - top + b.height / 2;
        if (!found.has(y)) found.set(y, []);
        found.get(y).push({x: b.left - left + b.width / 2, y, text: describe(e), element: this});
      });
      return [...found.values()];
    };
    makeWalk(root.node(), rows, point => {
      root.selectAll(".same").classed("same", false);
      if (point) point.element.classList.add("same");
    });
  }

  /* A sentence about cores alone. */
  function tell(host, use) {
    const x = host.extremes.find(e => e.name === use);
    if (!x) return "";
    return x.share > 0.95 ? `All cores ${use} about as fast alone, at ${
                                format.rate(x.slowest)} to ${format.rate(x.fastest)}.` :
                            `Alone, PU ${x.slowest_pu} is the slowest core: its rate is ${
                                format.percent(x.share)} of PU ${x.fastest_pu}'s.`;
  }
  return {draw, tell, lost};
})();

/* --- noise --- */

/* Interruptions of a core by their lengths: above the line with all cores working, below it with
   one left idle. Both axes are logarithmic. */
function NoiseChart(container, pu, entries, scale) {
  const margin = {left: 46, right: 10, top: 28, bottom: 34}, height = 180;
  const figure =
      d3.select(container).append("figure").attr("class", "lines").attr("data-noise", pu);
  const all = entries.find(z => z.idle === null), spare = entries.find(z => z.idle !== null);
  const tell = (z, when) => z ?
      `${when}: ${nodeHost.lost(z)} lost, longest ${format.time(z.longest_s)}${
          z.period_s === null ? "" : `, every ${format.time(z.period_s)}`}.` :
                                "";
  const caption = figure.append("figcaption");
  caption.append("strong").text(`PU ${pu}.`);
  caption.append("span").text([
    "", tell(all, "All cores working"), tell(spare, spare ? `PU ${spare.idle} idle` : "")
  ].join(" "));
  const svg = figure.append("svg")
                  .attr("tabindex", 0)
                  .attr("role", "application")
                  .attr(
                      "aria-label",
                      `Interruptions a second of PU ${
                          pu} by length. Arrow keys walk from length to length.`);
  let width = 480, rows = [], ring = null;

  function drawBars(z, x, height_, base, up) {
    if (!z) return [];
    const end = i =>
        i + 1 < z.at_least_s.length ? z.at_least_s[i + 1] : z.at_least_s[i] * scale.step;
    const g = svg.append("g").attr("class", up ? "all" : "spare");
    const points = [];
    z.at_least_s.forEach((from, i) => {
      if (!(from > 0) || !(z.per_second[i] > 0)) return;
      const left = x(from), right = x(Math.min(end(i), from * scale.step)),
            tall = height_(z.per_second[i]);
      const y = up ? base - tall : base;
      g.append("rect")
          .attr("x", left)
          .attr("y", y)
          .attr("width", Math.max(1, right - left - 1))
          .attr("height", tall);
      points.push({
        x: (left + right) / 2,
        y: up ? y : y + tall,
        text: `PU ${z.pu}, ${up ? "all cores working" : `PU ${z.idle} idle`}\nat least ${
            format.time(from)}: ${format.count(z.count[i])} in ${format.time(z.seconds)}, ${
            Number(z.per_second[i].toPrecision(3))} a second`
      });
    });
    return points;
  }
  function drawAxes(x, tall, base) {
    const g = svg.append("g").attr("class", "axes").attr("aria-hidden", "true");
    const powers = (low, high) =>
        d3.range(Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9) + 1);
    const lengths = powers(...x.domain()),
          room = Math.max(1, Math.ceil(lengths.length * 62 / (width - margin.left)));
    for (const k of lengths.filter((_, i) => i % room === 0))
      g.append("text")
          .attr("class", "middle")
          .attr("x", x(10 ** k))
          .attr("y", height - margin.bottom + 14)
          .text(format.trim(format.time(10 ** k)));
    for (const k of powers(scale.low, scale.high).filter(k => tall(10 ** k) > 12))
      for (const sign of spare ? [-1, 1] : [-1]) {
        const y = base + sign * tall(10 ** k);
        g.append("line")
            .attr("x1", margin.left)
            .attr("x2", width - margin.right)
            .attr("y1", y)
            .attr("y2", y);
        g.append("text")
            .attr("class", "right")
            .attr("x", margin.left - 5)
            .attr("y", y + 4)
            .text(format.trim(String(10 ** k)));
      }
    g.append("text")
        .attr("class", "soft")
        .attr("x", 2)
        .attr("y", 12)
        .text("interruptions a second");
    g.append("text")
        .attr("class", "soft right")
        .attr("x", width - 2)
        .attr("y", height - 4)
        .text("length");
  }
  function draw() {
    svg.attr("width", width).attr("height", height).selectAll("*").remove();
    const [top, bottom] = [margin.top, height - margin.bottom],
                base = spare ? (top + bottom) / 2 : bottom;
    const x =
        d3.scaleLog().domain([scale.from, scale.to]).range([margin.left, width - margin.right]);
    const tall = d3.scaleLog().domain([scale.low, scale.high]).range([2, base - top]);
    drawAxes(x, tall, base);
    rows = [drawBars(all, x, tall, base, true), drawBars(spare, x, tall, base, false)];
    svg.append("path")
        .attr("class", "base")
        .attr("d", `M${margin.left} ${base}H${width - margin.right}`);
    ring = svg.append("circle").attr("class", "ring").attr("r", 6).style("display", "none");
  }
  makeWalk(svg.node(), () => rows, point => {
    ring.style("display", point ? null : "none");
    if (point) ring.attr("cx", point.x).attr("cy", point.y);
  });
  function resize() {
    width = paper.on ? (paper.width - paper.gap) / 2 :
                       Math.max(240, Math.min(620, figure.node().clientWidth || 480));
    draw();
  }
  resize();
  return {resize};
}

/* One scale for all cores: lengths, and how many there are in a second. Null: there is nothing. */
function noiseScale(noise) {
  const lengths = noise.flatMap(z => z.at_least_s.filter(v => v > 0));
  const often = noise.flatMap(z => z.per_second.filter(v => v > 0));
  const step = Math.SQRT2; /* of the histogram's lengths */
  if (lengths.length === 0 || often.length === 0) return null;
  return {
    from: d3.min(lengths),
    to: d3.max(lengths) * step,
    low: d3.min(often) / 2,
    high: d3.max(often) * 1.5,
    step
  };
}
