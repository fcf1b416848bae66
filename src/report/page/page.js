/* Puts the page together. */

function fillHead() {
  const run = report.run, machine = report.machine;
  document.getElementById("run").textContent = [
    `${format.things(report.ranks, "rank")} on ${machine.name || report.topology}: ${
        format.things(machine.hosts.length, "host")}, ${format.things(machine.pus, "PU")}`,
    run.pairs_total ? `${format.messages(run.messages)}, ${format.bytes(run.bytes)} between ${
                          format.things(run.pairs_total, "pair")}` :
                      "no messages between ranks",
    run.mpi === "none" ? "" : run.mpi, run.created,
    run.mpi_share === null ? "" : `${format.percent(run.mpi_share)} of the time in MPI`
  ].filter(Boolean).join(" · ");
  const left = document.getElementById("phases-left");
  left.hidden = report.phases.length === report.phases_total;
  left.textContent = `The ${format.count(report.phases.length)} phases that cost most, of ${
      format.count(report.phases_total)}, can be chosen; "all" has the others, too.`;
  const grouped = document.getElementById("grouped");
  grouped.hidden = !report.groups;
  if (report.groups)
    grouped.textContent = `There are too many pairs for one page: each cell stands for ${
        groupSize} × ${groupSize} ranks, added up.`;
}

function fillChoice(id, options, value, choose) {
  const select = d3.select(`#${id}`);
  select.selectAll("option")
      .data(options)
      .join("option")
      .attr("value", d => d.value)
      .text(d => d.text);
  select.node().value = value;
  select.on("change", () => choose(select.node().value));
}

function fillChoices() {
  const phases =
      report.phases.map((p, k) => ({value: String(k), text: `${phaseName(p)}${onceOf(p)}`}));
  fillChoice(
      "phase", [{value: "all", text: "all, with their repeats"}, ...phases], String(shown.phase),
      v => change({phase: v === "all" ? "all" : Number(v)}));
  const placements = report.placements.map((p, i) => ({value: String(i), text: p.label}));
  for (const role of ["before", "after"])
    fillChoice(role, placements, String(shown[role]), v => change({[role]: Number(v)}));
  for (const id of ["quantity", "load"])
    d3.select(`#${id}`).on("change", function() {
      change({[id]: this.value});
    });
  d3.select("#log").on("change", function() {
    change({log: this.checked});
  });
}

/* The bars of the charts that came with the page, by what is called before and after now. */
function markBars() {
  d3.selectAll(".chart [data-placement]").each(function() {
    const i = Number(this.dataset.placement), role = roleOf(i);
    d3.select(this).select("rect").attr(
        "class",
        role === "before"    ? "b0" :
            role === "after" ? "b1" :
                               "b2");
    d3.select(this).select(".label").text(
        shorten(`${role ? `${role}: ` : ""}${report.placements[i].label}`, 59));
  });
}

/* What to do. It is about the placement before that the page came with. */
function tellConclusion() {
  const conclusion = report.placements[shown.after].conclusion;
  const element = document.getElementById("conclusion");
  element.hidden = shown.before !== report.before || !conclusion;
  element.textContent = conclusion || "";
}

/* What is chosen, for paper, on which the controls aren't. */
function tellChoices() {
  const label = i => report.placements[i].label;
  document.getElementById("told").textContent =
      [phaseText(), `before ${label(shown.before)}`, `after ${label(shown.after)}`].join("; ");
  document.getElementById("told-matrix").textContent =
      `${shown.quantity}, ${shown.log ? "logarithmic" : "linear"} colours, ${phaseText()}`;
}

/* The share of the shown bytes that stays within hosts under a placement; there are some. */
function insideHosts(placement) {
  const pairs = shownPairs(), host = report.placements[placement].host_of_rank;
  const amounts = pairs[shown.quantity];
  return d3.sum(amounts, (a, i) => host[pairs.src[i]] === host[pairs.dst[i]] ? a : 0) /
      d3.sum(amounts);
}

/* Why the matrix in the order of places looks scattered, and what to look at instead. */
function tellScattered() {
  const moved = shown.before !== shown.after && report.machine.hosts.length > 1 &&
      d3.sum(shownPairs()[shown.quantity]) > 0;
  const exact = !report.groups && !sites.areCounted();
  const share = role => format.percent(insideHosts(shown[role]));
  document.getElementById("scattered").textContent = moved ?
      "Ranks keep their numbers, and a placement changes their cores. In the order of places, rows " +
          "follow the cores, so lines of neighbours scatter. What counts are the squares on the " +
          `diagonal, the traffic within hosts${
              exact ? `: ${share("before")} of the ${shown.quantity} before, ${
                          share("after")} after` :
                      ""}.` :
      "";
}

function drawEverything() {
  drawings.forEach(draw => draw());
}

/* Colours follow the system unless they are chosen; on paper they are light and sharp. */
function followColours() {
  const root = document.documentElement, select = document.getElementById("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const set = theme => {
    if (theme)
      root.dataset.theme = theme;
    else
      delete root.dataset.theme;
    drawEverything();
  };
  select.addEventListener("change", () => set(select.value));
  dark.addEventListener("change", drawEverything);
  const usual = sharpness.value;
  const lay = (theme, value) => {
    sharpness.value = value;
    if (theme)
      root.dataset.theme = theme;
    else
      delete root.dataset.theme;
    layouts.forEach(f => f());
  };
  addEventListener("beforeprint", () => {
    tip.hide();
    paper.on = true;
    lay("light", 3);
  });
  addEventListener("afterprint", () => {
    paper.on = false;
    lay(select.value, usual);
  });
}

fillHead();
fillChoices();
placementsTable(document.getElementById("placements"));
const pairPanel = document.getElementById("pair");
MatrixView(document.getElementById("matrix-0"), null, pairPanel);
MatrixView(document.getElementById("matrix-1"), "after", pairPanel);
TreeView(document.getElementById("tree"), document.getElementById("port"));
PlacesView(
    document.getElementById("places"), document.getElementById("group-level"),
    document.getElementById("groups"), document.getElementById("places-left"));
timesTables();
tuningTable();
NodeView(document.getElementById("node"), document.getElementById("node-type"));
sitesTable(document.getElementById("sites"));
pairsTable(document.getElementById("pairs"));
ranksTable(document.getElementById("ranks"));
watch(markBars);
watch(tellChoices);
watch(tellConclusion);
watch(tellScattered);
followColours();
requestAnimationFrame(() => requestAnimationFrame(() => {
                        performance.mark("berth-interactive");
                        document.documentElement.dataset.ready = "true";
                      }));
