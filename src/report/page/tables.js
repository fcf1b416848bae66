/* Tables that are sorted by a click on a column's head. */

/* question: {caption, columns: [{name, value, text, number, kind, fill}], rows, most, marked}.
   `value` is what is sorted by and kept in data-value, `text` what is shown for it, unless `fill`
   fills the cell; `most` rows are shown until more are asked for. */
function makeTable(container, question) {
  const root = d3.select(container).append("div");
  /* beside what scrolls, so that all of it is seen */
  root.append("p").attr("class", "caption").text(question.caption);
  const table = root.append("div")
                    .attr("class", "table")
                    .append("table")
                    .attr("aria-label", question.caption);
  let rows = question.rows.slice(), most = question.most || Infinity, sorted = null, down = false;
  const head = table.append("thead")
                   .append("tr")
                   .selectAll("th")
                   .data(question.columns)
                   .join("th")
                   .attr("scope", "col")
                   .attr("class", c => c.number ? "number" : null);
  const body = table.append("tbody");
  const more = root.append("button").attr("class", "more").attr("type", "button");

  head.append("button").attr("type", "button").text(c => c.name).on("click", c => {
    down = sorted === c ? !down : Boolean(c.number);
    sorted = c;
    rows =
        rows.slice().sort((a, b) => (down ? d3.descending : d3.ascending)(c.value(a), c.value(b)));
    show();
  });
  more.on("click", () => {
    most = most * 10;
    show();
  });

  function show() {
    head.attr("aria-sort", c => c !== sorted ? null : down ? "descending" : "ascending");
    const tr = body.selectAll("tr")
                   .data(rows.slice(0, most))
                   .join("tr")
                   .attr("class", d => question.marked && question.marked(d) ? "chosen" : null);
    tr.selectAll("td")
        .data(d => question.columns.map(c => ({c, d})))
        .join("td")
        .attr("class", x => x.c.number ? "number" : x.c.kind || null)
        .attr("data-value", x => x.c.value(x.d))
        .each(function(x) {
          if (x.c.fill)
            x.c.fill(d3.select(this).text(null), x.d);
          else
            this.textContent = (x.c.text || String)(x.c.value(x.d), x.d);
        });
    more.style("display", rows.length > most ? null : "none")
        .text(`show more (${format.count(Math.min(most, rows.length))} of ${
            format.count(rows.length)})`);
  }
  show();
  return {
    replace(next) {
      rows = next;
      sorted = null;
      show();
    }
  };
}

/* --- the placements --- */

function placementsTable(container) {
  const rows = d3.range(report.placements.length).map(i => ({i, p: report.placements[i]}));
  const verdict = p => p.verdicts === undefined ? "" : p.verdicts[shown.before];
  const cost = i => report.placements[i].cost_s[report.model];
  const gain = i =>
      cost(shown.before) > 0 ? (cost(shown.before) - cost(i)) / cost(shown.before) : 0;
  const moved = (i, key) =>
      d3.sum(report.placements[i][key], (at, r) => at !== report.placements[shown.before][key][r]);
  const columns = [
    {
      name: "placement",
      kind: "name",
      value: r => `${r.p.label}`,
      text: (t, r) => roleOf(r.i) ? `${t} (${roleOf(r.i)})` : t
    },
    {name: "algorithm", value: r => r.p.algorithm},
    ...report.models.map(model => ({
                           name: model,
                           number: true,
                           value: r => r.p.cost_s[model],
                           fill: (cell, r) => cell.text(format.seconds(r.p.cost_s[model]))
                                                  .append("span")
                                                  .attr("class", "margin")
                                                  .text(r.p.margins[model] || "")
                         })),
    {
      name: "gain",
      value: r => gain(r.i),
      number: true,
      text: v => `${v >= 0 ? "+" : ""}${format.percent(v)}`
    },
    {name: "ranks moved", value: r => moved(r.i, "pu_of_rank"), text: format.count, number: true}, {
      name: "to other hosts",
      value: r => moved(r.i, "host_of_rank"),
      text: format.count,
      number: true
    },
    {
      name: `bottleneck (${report.model})`,
      value: r => r.p.bottleneck ? r.p.bottleneck.text : "none"
    }
  ];
  if (report.placements.some(p => p.verdicts))
    columns.splice(-3, 0, {name: "verdict", value: r => verdict(r.p)});
  watch(() => {
    d3.select(container).selectAll("*").remove();
    makeTable(container, {
      caption: `${
          report.phases.length > 1 ? "All phases together, whichever is chosen. " :
                                     ""}Gain and moved ranks are against ${
          report.placements[shown.before].label}, by model ${report.model}.`,
      columns,
      rows,
      marked: r => roleOf(r.i) !== ""
    });
  });
}

/* --- where each rank went --- */

function ranksTable(container) {
  const root = d3.select(container);
  const label = root.append("label").attr("class", "screen").text("Only those with ");
  const filter = label.append("input")
                     .attr("type", "search")
                     .attr("placeholder", "a rank, a host, moved")
                     .attr("id", "rank-filter");
  const box = root.append("div").node();
  const column = (name, role, key, text) => ({
    name: `${role}: ${name}`,
    value: r => report.placements[shown[role]][key][r],
    text,
    number: key !== "host_of_rank"
  });
  const hostName = h => report.machine.hosts[h];
  const moveOf = r => {
    const a = report.placements[shown.before], b = report.placements[shown.after];
    return a.pu_of_rank[r] === b.pu_of_rank[r]  ? "stays" :
        a.host_of_rank[r] === b.host_of_rank[r] ? "moved within its host" :
                                                  "moved to another host";
  };
  const columns = [
    {name: "rank", value: r => r, number: true},
    ...["before", "after"].flatMap(
        role =>
            [column("host", role, "host_of_rank", hostName), column("core", role, "core_of_rank"),
             column("PU", role, "pu_of_rank")]),
    {name: "move", value: moveOf}
  ];
  const matches = (r, words) => words.every(
      word => String(r) === word || moveOf(r).includes(word) ||
          ["before", "after"].some(
              role =>
                  hostName(report.placements[shown[role]].host_of_rank[r]).toLowerCase() === word));
  function show() {
    const words = filter.node().value.toLowerCase().split(/\s+/).filter(Boolean);
    const ranks = d3.range(report.ranks), rows = ranks.filter(r => matches(r, words));
    d3.select(box).selectAll("*").remove();
    makeTable(box, {
      caption: `${format.count(rows.length)} of ${format.count(report.ranks)} ranks${
          words.length ?
              `, those with "${words.join(" ")}"` :
              ""}; ${format.count(ranks.filter(r => moveOf(r) !== "stays").length)} moved`,
      columns,
      rows,
      most: 32
    });
  }
  filter.on("input", show);
  watch(show);
}
