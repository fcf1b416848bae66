/* What `berth tune` measured of the job's collective calls. */

function tuningTable() {
  const tuning = report.tuning, at = id => document.getElementById(id);
  if (tuning === null) return;
  const choice = c => c.algorithm === null ? "not measured" : [
    `${c.algorithm}${c.degree ? ` of ${c.degree}` : ""}`,
    c.segment_bytes ? format.bytes(c.segment_bytes) : "",
    c.overlap_bytes ? `overlap ${format.bytes(c.overlap_bytes)}` : ""
  ].filter(Boolean).join(", ");
  const time = v => v === null ? "unknown" : format.time(v);
  const gain = c => c.measured_s === null || c.mpi_s === null ? null : 1 - c.measured_s / c.mpi_s;
  const shows = tuning.cells.some(c => c.times !== null || c.mpi_times !== null);
  at("h-tuning").parentNode.hidden = false;
  at("tuning-all").textContent = `${tuning.mpi || "Unknown MPI"}, measured in ${
      format.time(
          tuning
              .measured_in_s)}. The choice is what berth's collective library does; gain is over the MPI's own call.${
      shows ?
          " Histograms have the fastest 99% of the measured calls: above those of the choice, " +
              "below those of the MPI's own call, on one logarithmic scale." :
          ""}`;
  makeTable(at("tuning"), {
    caption: `${format.things(tuning.cells.length, "kind")} of calls.`,
    columns: [
      {name: "operation", value: c => c.operation},
      {name: "ranks", number: true, value: c => c.ranks, text: format.count}, {
        name: "hosts",
        number: true,
        value: c => c.hosts,
        text: v => v === 0 ? "unknown" : format.count(v)
      },
      {name: "bytes", number: true, value: c => c.bytes, text: format.bytes}, {
        name: "calls",
        number: true,
        value: c => c.calls,
        text: v => v === 0 ? "unknown" : format.count(v)
      },
      {name: "choice", kind: "name", value: choice},
      {name: "measured", number: true, value: c => c.measured_s, text: time},
      {name: "the MPI's", number: true, value: c => c.mpi_s, text: time}, {
        name: "gain",
        number: true,
        value: gain,
        text: v => v === null ? "" : `${v >= 0 ? "+" : ""}${format.percent(v)}`
      },
      ...shows ? [{
        name: "times of calls",
        value: c => (c.times || c.mpi_times || {from_s: 0}).from_s,
        fill: (cell, c) => timesOf(cell, [c.times, c.mpi_times])
      }] :
                 []
    ],
    rows: tuning.cells,
    most: 20
  });
}

/* Histograms of times, one below the other on one scale; null: there is none. */
function timesOf(cell, histograms) {
  const width = 150, height = 14, known = histograms.filter(h => h !== null);
  if (known.length === 0) return;
  const end = h => h.from_s * h.factor ** h.counts.length;
  const x = d3.scaleLog([d3.min(known, h => h.from_s), d3.max(known, end)], [0, width]);
  const between = h => `${format.time(h.from_s)} to ${format.time(end(h))}`;
  const names = ["the choice", "the MPI's"];
  const svg = cell.append("svg")
                  .attr("class", "times")
                  .attr("role", "img")
                  .attr("width", width)
                  .attr("height", 2 * height + 2);
  svg.append("title").text(histograms.map((h, i) => h === null ? "" : `${names[i]}: ${between(h)}`)
                               .filter(Boolean)
                               .join("; "));
  histograms.forEach((h, i) => {
    if (h === null) return;
    const most = d3.max(h.counts), bottom = (i + 1) * height + 2 * i;
    svg.append("g")
        .attr("class", i ? "before" : "after")
        .selectAll("rect")
        .data(h.counts)
        .join("rect")
        .attr("x", (_, k) => x(h.from_s * h.factor ** k))
        .attr(
            "width",
            (_, k) => Math.max(1, x(h.from_s * h.factor ** (k + 1)) - x(h.from_s * h.factor ** k)))
        .attr("y", n => bottom - height * n / most)
        .attr("height", n => height * n / most);
  });
}
