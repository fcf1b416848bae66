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
  at("h-tuning").parentNode.hidden = false;
  at("tuning-all").textContent = `${tuning.mpi || "Unknown MPI"}, measured in ${
      format.time(
          tuning
              .measured_in_s)}. The choice is what berth's collective library does; gain is over the MPI's own call.`;
  makeTable(at("tuning"), {
    caption: `${format.count(tuning.cells.length)} kinds of calls.`,
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
      }
    ],
    rows: tuning.cells,
    most: 20
  });
}
