/* Ranks on the cores of each host, before and after, as lstopo draws machines: a box for each host,
   in it a box for each of its parts, in these the PUs with their ranks. Colours are groups of ranks:
   those that share an element of the machine after. */

const places = (() => {
  const m = report.machine, depths = d3.max(m.depth) + 1;
  const byDepth =
      d3.range(depths).map(d => m.element.map((e, i) => i).filter(i => m.depth[i] === d));
  const starts = byDepth.map(row => row.map(i => m.first_pu[i]));
  const children = m.element.map(() => []);
  m.parent.forEach((p, i) => {
    if (p >= 0) children[ports.at.get(p)].push(i);
  });
  const lastPu = i => m.first_pu[i] + m.n_pus[i] - 1;

  /* The element of a level that a PU belongs to; undefined: none. */
  function elementAt(depth, pu) {
    const i = byDepth[depth][d3.bisectRight(starts[depth], pu) - 1];
    return i !== undefined && pu <= lastPu(i) ? i : undefined;
  }

  /* By PU of a placement: its ranks. */
  function ranksByPu(placement) {
    const of = new Map();
    report.placements[placement].pu_of_rank.forEach((pu, rank) => {
      if (!of.has(pu)) of.set(pu, []);
      of.get(pu).push(rank);
    });
    return of;
  }
  return {byDepth, children, lastPu, elementAt, ranksByPu};
})();

function PlacesView(container, levelSelect, legend, hint) {
  const m = report.machine, colours = 8;
  /* as wide as the longest number of a rank */
  const cell = Math.max(24, 7 * String(report.ranks - 1).length + 7);
  let room = 512; /* PUs that are drawn, in whole hosts */
  const levels = d3.range(1, places.byDepth.length).filter(d => {
    const n = places.byDepth[d].length;
    return n > 1 && !places.byDepth[d].every(ports.isPu);
  });
  let group = [];      /* by rank: its element at the chosen level */
  let ordinal = null;  /* by element: its number among those with ranks */

  /* --- groups --- */

  const used = (depth, placement) => new Set(
      report.placements[placement].pu_of_rank.map(pu => places.elementAt(depth, pu)));

  /* The lowest level whose groups have colours of their own. */
  function usualLevel() {
    const few = levels.filter(d => used(d, shown.after).size <= colours);
    return few.length ? few[few.length - 1] : levels[0];
  }

  function chooseGroups() {
    const depth = Number(levelSelect.value);
    const pus = report.placements[shown.after].pu_of_rank;
    group = pus.map(pu => levels.length ? places.elementAt(depth, pu) : undefined);
    const elements = [...new Set(group)].filter(e => e !== undefined).sort((a, b) => a - b);
    ordinal = new Map(elements.map((e, i) => [e, i]));
    document.getElementById("told-groups").textContent =
        levels.length ? `A group shares a ${m.level_types[depth]}.` : "";
    d3.select(legend).selectAll("*").remove();
    if (elements.length > colours) {
      legend.textContent = `${format.count(elements.length)} groups share ${
          colours} colours. Hover over a rank to see its group outlined.`;
      return;
    }
    for (const e of elements) {
      const item = d3.select(legend).append("span");
      item.append("i").attr("class", `g${ordinal.get(e)}`);
      item.append("span").text(nameOf(e));
    }
  }

  /* Parts of hosts have the same names in each host. */
  function nameOf(e) {
    const host = hostOf(m.first_pu[e]);
    const inside = host >= 0 && m.n_pus[e] < m.host_pus[host];
    return inside ? `${m.hosts[host]} ${ports.nameOf(e)}` : ports.nameOf(e);
  }
  const hostOf = pu => {
    const h = d3.bisectRight(m.host_first_pu, pu) - 1;
    return h >= 0 && pu < m.host_first_pu[h] + m.host_pus[h] ? h : -1;
  };

  /* --- drawing --- */

  const element = (parent, name, type) => {
    const e = document.createElement(type || "div");
    e.className = name;
    parent.append(e);
    return e;
  };

  function describe(rank) {
    return [
      `rank ${rank}`,
      ...["before", "after"]
          .filter((role, i) => i || shown.before !== shown.after)
          .map(role => `${roleOf(shown[role]) || "on"}: ${placeOf(shown[role], rank)}`),
      group[rank] === undefined ? "" : `group: ${nameOf(group[rank])}`
    ].filter(Boolean)
        .join("\n");
  }

  function drawPu(parent, pu, ranks) {
    const box = element(parent, "pu", "span"), here = ranks.get(pu) || [];
    box.style.width = `${cell}px`;
    if (!here.length) box.title = `PU ${pu}: free`;
    for (const rank of here) {
      const e = element(box, "rank", "span"), g = group[rank];
      e.textContent = rank;
      e.dataset.rank = rank;
      if (g === undefined) continue;
      e.classList.add(`g${ordinal.get(g) % colours}`);
      e.dataset.group = g;
    }
  }

  /* The PUs from `first` on, in rows. */
  function drawPus(parent, first, last, ranks) {
    const n = last - first + 1, across = n <= 4 ? n : n <= 16 ? 4 : 8;
    const box = element(parent, "pus");
    box.style.maxWidth = `${across * (cell + 2)}px`;
    for (let pu = first; pu <= last; pu++) drawPu(box, pu, ranks);
  }

  /* What is inside of an element: its parts, or its PUs. */
  function drawInside(parent, i, ranks) {
    const parts = places.children[i].filter(c => !ports.isPu(c));
    let next = m.first_pu[i];
    const inside = parts.length ? element(parent, "parts") : parent;
    for (const part of [...parts, null]) {
      const end = part === null ? places.lastPu(i) + 1 : m.first_pu[part];
      if (next < end) drawPus(inside, next, end - 1, ranks);
      if (part === null) return;
      const box = element(inside, "part");
      element(box, "title").textContent = m.names[part];
      drawInside(box, part, ranks);
      next = places.lastPu(part) + 1;
    }
  }

  function drawHost(parent, h, ranks) {
    const box = element(parent, "host"), i = ports.at.get(m.host_element[h]);
    element(box, "title").textContent = m.hosts[h];
    if (i === undefined)
      drawPus(box, m.host_first_pu[h], m.host_first_pu[h] + m.host_pus[h] - 1, ranks);
    else
      drawInside(box, i, ranks);
  }

  /* Hosts with ranks before or after, as many as there is room for. */
  function chooseHosts() {
    const all = [...new Set([
      shown.before, shown.after
    ].flatMap(p => report.placements[p].host_of_rank))].sort((a, b) => a - b);
    let pus = 0;
    const drawn = all.filter((h, i) => {
      pus += m.host_pus[h];
      return i === 0 || pus <= room;
    });
    return {all, drawn};
  }

  function draw() {
    const {all, drawn} = chooseHosts(), empty = m.hosts.length - all.length;
    container.textContent = "";
    for (const role of shown.before === shown.after ? ["after"] : ["before", "after"]) {
      const p = report.placements[shown[role]], ranks = places.ranksByPu(shown[role]);
      const root = element(container, "places-of");
      root.dataset.role = role;
      element(root, "", "p").textContent =
          `${shown.before === shown.after ? "" : `${role}: `}${p.label}`;
      const hosts = element(root, "hosts");
      hosts.tabIndex = 0;
      hosts.setAttribute("aria-label", `Ranks on hosts under ${p.label}`);
      for (const h of drawn) drawHost(hosts, h, ranks);
    }
    hint.textContent = empty === 0 ? "" :
        `${format.count(empty)} host${empty === 1 ? " has" : "s have"} no ranks, and ${
            empty === 1 ? "is" : "are"} left out.`;
    if (drawn.length === all.length) return;
    const more = element(container, "more", "button");
    more.type = "button";
    more.textContent = `show more (${format.count(drawn.length)} of ${format.count(all.length)} hosts)`;
    more.onclick = () => {
      room *= 10;
      draw();
    };
  }

  /* --- looking closer --- */

  function outline(name) {
    for (const e of container.querySelectorAll(".same")) e.classList.remove("same");
    if (name === undefined) return;
    for (const e of container.querySelectorAll(`[data-group="${name}"]`)) e.classList.add("same");
  }

  function point(event) {
    const rank = event.target.dataset && event.target.dataset.rank;
    outline(rank === undefined ? undefined : event.target.dataset.group);
    if (rank === undefined)
      tip.hide();
    else
      tip.show(describe(Number(rank)), event.clientX, event.clientY);
  }

  d3.select(levelSelect)
      .selectAll("option")
      .data(levels)
      .join("option")
      .attr("value", d => d)
      .text(d => m.level_types[d]);
  levelSelect.parentNode.hidden = document.getElementById("group-hint").hidden = !levels.length;
  if (levels.length) levelSelect.value = usualLevel();
  const show = () => {
    chooseGroups();
    draw();
  };
  levelSelect.addEventListener("change", show);
  container.addEventListener("mouseover", point);
  container.addEventListener("click", point);
  /* Both pictures show the same hosts. */
  container.addEventListener("scroll", event => {
    for (const e of container.querySelectorAll(".hosts")) e.scrollTop = event.target.scrollTop;
  }, true);
  container.addEventListener("mouseleave", () => {
    outline();
    tip.hide();
  });
  watch(show);
}
