/* Where the time in MPI calls goes: by function, call site and communicator. */

/* Fills a cell with a share and its bar: as long as `most` of the shares allows. */
function fillShare(most) {
  return (cell, x) => {
    cell.append("span").text(format.percent(x.share));
    cell.append("i").style("width", `${most > 0 ? 80 * x.share / most : 0}px`);
  };
}

/* Columns that functions and call sites have in common. */
function timeColumns(rows) {
  const bound = x => x.max_is_bound ? "≥ " : "";
  const known = f => (v, x) => x.max_s === null ? "" : f(v, x);
  return [
    {
      name: "share of MPI time",
      kind: "share",
      number: false,
      value: x => x.share,
      fill: fillShare(d3.max(rows, x => x.share))
    },
    {name: "average of a rank", number: true, value: x => x.mean_s, text: format.time}, {
      name: "maximum of a rank",
      number: true,
      value: x => x.max_s,
      text: known((v, x) => `${bound(x)}${format.time(v)}`)
    },
    {name: "at rank", number: true, value: x => x.max_rank, text: known(v => v === null ? "unknown" : String(v))}, {
      name: "maximum / average",
      number: true,
      value: x => x.imbalance,
      text: known((v, x) => `${bound(x)}${v.toFixed(2)}`)
    }
  ];
}

function timesByFunction(container, times) {
  const rows = times.functions.slice();
  if (times.other_s >= 5e-4 * times.all_s)
    rows.push({
      op: "(other)",
      share: times.other_s / times.all_s,
      mean_s: times.other_s / report.ranks,
      max_s: null,
      max_rank: null,
      imbalance: null
    });
  makeTable(container, {
    caption: "By function.",
    columns: [{name: "function", kind: "name", value: x => x.op}, ...timeColumns(rows)],
    rows
  });
}

function timesBySite(container, times) {
  function fill(cell, s) {
    if (s.frames.length < 3) {
      cell.text(siteText(s));
      return;
    }
    const details = cell.append("details");
    details.append("summary").text(siteText(s));
    details.append("ol").selectAll("li").data(s.frames).join("li").text(String);
  }
  if (times.sites.length === 0) return;
  makeTable(container, {
    caption: `By call site, innermost frame first.${
        times.sites.some(x => x.max_is_bound) ?
            " ≥: at least. Different ranks spent the most time on different communicators." :
            ""}`,
    columns: [...timeColumns(times.sites), {name: "call site", kind: "site", value: siteText, fill}],
    rows: times.sites,
    most: 20
  });
}

function timesByCommunicator(container, times) {
  const name = id => id === 0 ? "MPI_COMM_WORLD" : String(id);
  const share = s => format.percent(times.all_s > 0 ? s.total_s / times.all_s : 0);
  if (times.communicators.length === 0) return;
  makeTable(container, {
    caption: "Collective calls, by communicator. The average is that of its ranks.",
    columns: [
      {name: "communicator", value: c => c.id, text: name}, {
        name: "ranks",
        number: true,
        value: c => c.ranks,
        text: v => v === null ? "unknown" : format.count(v)
      },
      {
        name: "share of MPI time",
        kind: "share",
        value: c => c.share,
        fill: fillShare(d3.max(times.communicators, c => c.share))
      },
      {
        name: "average of a rank",
        number: true,
        value: c => c.mean_s,
        text: v => v === null ? "unknown" : format.time(v)
      },
      {
        name: "functions",
        value: c => c.functions.map(f => `${f.op} ${share(f)}`).join(", ")
      }
    ],
    rows: times.communicators,
    most: 20
  });
}

function timesTables() {
  const times = report.mpi_time, at = id => document.getElementById(id);
  if (times === null) return;
  const ofRun = report.run.mpi_share === null ? "" : `${format.percent(report.run.mpi_share)} of the run, `;
  at("h-times").parentNode.hidden = false;
  at("times-all").textContent = `${ofRun}${
      format.time(times.all_s / report.ranks)} a rank on average. The whole run, whichever phase is chosen.`;
  timesByFunction(at("times-functions"), times);
  timesBySite(at("times-sites"), times);
  timesByCommunicator(at("times-comms"), times);
}
