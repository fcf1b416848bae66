/* What was measured of the hosts that the placements use: `berth calibrate node`. */

function NodeView(container, typeSelect) {
  const about = document.getElementById("node-about");
  let node = null, charts = [];

  /* "64 KiB" */
  const size = v => format.trim(format.bytes(v));
  const rate = {log: false, text: format.rate};
  const sizes = {name: "bytes of a copy", log: true, text: format.bytes};
  const cores = name => ({name, whole: true, text: format.count});
  const chosen = (list, value) =>
      list[Math.max(0, list.findIndex(x => String(x.value) === String(value)))];

  /* --- pieces of the section --- */

  function part(id, title, sentence) {
    const root =
        d3.select(container).append("div").attr("class", "node-part").attr("id", `node-${id}`);
    root.append("h3").text(title);
    if (sentence) root.append("p").attr("class", "says").text(sentence);
    return root;
  }
  /* A choice that isn't one is left out. `choose` gets the option. */
  function choice(root, name, options, first, choose) {
    const label = root.append("label").text(`${name} `);
    label.style("display", options.length > 1 ? null : "none");
    const select = label.append("select");
    select.selectAll("option")
        .data(options)
        .join("option")
        .attr("value", o => o.value)
        .text(o => o.text);
    select.node().value = String(first);
    const printed = root.append("span").attr("class", "printed");
    const tell = option => printed.text(options.length > 1 ? `${name}: ${option.text}.` : "");
    const take = () => {
      const option = chosen(options, select.node().value);
      tell(option);
      choose(option);
    };
    if (options.length) tell(chosen(options, first));
    select.on("change", take);
    return take;
  }
  const controls = root => root.append("div").attr("class", "choices");
  const grid = root => root.append("div").attr("class", "charts").node();
  function makeChart(box) {
    const chart = LineChart(box);
    charts.push(chart);
    return chart;
  }
  const numaText = k => k === null ? "all NUMA nodes" : `NUMA node ${k}`;

  /* --- the host --- */

  function drawHost() {
    const host = node.host;
    if (host === null) {
      part("host", "Cores and memory", "The host has too many parts for a picture.");
      return;
    }
    const uses = ["copy", "read", "write", "transpose"].filter(
        use => host.elements.some(e => e.rates && e.rates[use] !== undefined));
    const root = part("host", "Cores and memory");
    const says = root.append("p").attr("class", "says");
    const show = use => {
      says.text(nodeHost.tell(host, use));
      d3.select(box).selectAll("*").remove();
      nodeHost.draw(box, host, use);
    };
    const options = uses.map(u => ({value: u, text: u}));
    choice(controls(root), "Use of memory", options, uses[0], o => show(o.value));
    root.append("p")
        .attr("class", "hint")
        .text(
            "Each small box is a core. It shows the core's rate alone, with a bar relative to " +
            "the fastest core, the share of time that interruptions take, and the longest one. " +
            "A NUMA node shows the rate of all its cores together.");
    const box = root.append("div").node();
    show(uses[0] || "copy");
  }

  /* --- copies --- */

  /* "avx512 up to 8 KiB, touch from 16 KiB on" */
  function tellBest(best) {
    const runs = [];
    for (const b of best)
      if (runs.length && runs[runs.length - 1].name === b.name)
        runs[runs.length - 1].last = b.bytes;
      else
        runs.push({name: b.name, first: b.bytes, last: b.bytes});
    return runs
        .map((r, i) => {
          if (runs.length === 1) return `${r.name} at all sizes`;
          if (i === 0) return `${r.name} up to ${size(r.last)}`;
          if (i === runs.length - 1) return `${r.name} from ${size(r.first)} on`;
          return r.first === r.last ? `${r.name} at ${size(r.first)}` :
                                      `${r.name} from ${size(r.first)} to ${size(r.last)}`;
        })
        .join(", ");
  }
  function tellLarge() {
    const large = node.large_copy;
    if (!large.known) return "There are too many curves to choose a kernel for large copies.";
    if (large.name === null)
      return "No kernel is at least 5% faster than memcpy at all large sizes.";
    return `From ${size(large.from)} on, ${large.name} is at least 5% faster than memcpy ` +
        "wherever memory is, hot and cold. berth's libraries copy with it.";
  }
  function bestLine(group) {
    return {
      name: "the fastest kernel",
      look: 0,
      points: group.best.map((b, i) => {
        const curve = group.curves.find(c => c.name === b.name),
              k = curve ? curve.x.indexOf(b.bytes) : -1;
        return {
          x: b.bytes,
          y: b.rate,
          spread: k < 0 ? null : curve.spread[k],
          samples: k < 0 ? undefined : curve.samples[k],
          label: i === 0 || group.best[i - 1].name !== b.name ? b.name : "",
          more: `${b.name}${
              b.times_memcpy === null ? "" :
                                        `: ${b.times_memcpy.toFixed(2)} times as fast as memcpy`}`
        };
      })
    };
  }
  function copyLines(group, kernel) {
    const line = c => ({
      name: c.name,
      look: c.name === kernel ? 2 :
          c.name === "memcpy" ? 1 :
                                "quiet",
      points: pointsOf(c)
    });
    const lines = group.curves.map(line), marked = lines.filter(l => l.look !== "quiet");
    return [bestLine(group), ...marked, ...lines.filter(l => l.look === "quiet")];
  }
  function drawCopies() {
    if (node.copies.length === 0) return;
    const root = part("copies", "Copies by one core", tellLarge()), box = controls(root),
          at = grid(root);
    const key = g => `${g.memory_numa} ${g.core_numa}`;
    const places = [...new Map(node.copies.map(g => [key(g), g])).values()].map(
        g => ({
          value: key(g),
          text: `from ${numaText(g.memory_numa)} to ${
              g.core_numa === g.memory_numa ? "itself" : numaText(g.core_numa)}`
        }));
    const own = node.copies.find(g => g.core_numa === g.memory_numa) || node.copies[0];
    const states = [...new Set(node.copies.map(g => g.state))],
          views = states.map(() => makeChart(at));
    const now = {place: key(own), kernel: ""};
    const show = () => states.forEach((state, i) => {
      const group = node.copies.find(g => key(g) === now.place && g.state === state);
      const none = {best: [], curves: []};
      views[i].show({
        title: `${
            state === "hot"      ? "Hot buffers" :
                state === "cold" ? "Cold buffers" :
                                   state}: rate of one core.`,
        means: group ? `Fastest: ${tellBest(group.best)}.` : "Not measured.",
        x: sizes,
        y: {...rate, name: "rate", log: true},
        lines: copyLines(group || none, now.kernel),
        others: "other kernels"
      });
    });
    choice(box, "Memory", places, now.place, o => {
      now.place = o.value;
      show();
    });
    const kernels = [...new Set(node.copies.flatMap(g => g.curves.map(c => c.name)))].filter(
        n => n !== "memcpy");
    choice(
        box, "Point out",
        [{value: "", text: "the fastest kernel"}, ...kernels.map(k => ({value: k, text: k}))], "",
        o => {
          now.kernel = o.value;
          show();
        });
    show();
  }

  /* --- memory --- */

  const orders = {close: "neighbours first", spread: "far from each other first"};

  function tellScaling(group) {
    const best = group.scaling[d3.scan(group.scaling, (a, b) => b.times - a.times)];
    return best ? `${format.things(best.cores, "core")} ${group.name} ${
                      best.times.toFixed(2)} times as fast as one: ${format.rate(best.rate)}.` :
                  "";
  }
  function memoryLines(group) {
    const looks = {close: 0, spread: 1},
          lines =
              group.curves.map((c, i) => ({
                                 name: orders[c.state] || c.state || group.name,
                                 look: looks[c.state] === undefined ? 2 + i % 3 : looks[c.state],
                                 points: pointsOf(c)
                               }));
    const scaling = group.scaling[0],
          from = scaling && group.curves.find(c => c.state === scaling.state);
    if (!from) return lines;
    return [
      ...lines, {
        name: "one core's rate, times their number",
        look: "ideal",
        points: from.x.map((x, i) => ({x, y: scaling.linear[i], spread: 0}))
      }
    ];
  }
  function drawMemory() {
    if (node.memory.length === 0) return;
    const root = part(
        "memory", "Memory, as cores are added",
        "Where a curve leaves the dotted line, cores wait for memory. " +
            "More cores than that add little to such work.");
    const box = controls(root), at = grid(root);
    const key = g => String(g.core_numa);
    const places = [...new Map(node.memory.map(g => [key(g), g])).values()].map(
        g => ({
          value: key(g),
          text: g.core_numa === null ? "of all cores" : `of the cores of NUMA node ${g.core_numa}`
        }));
    const uses = [...new Set(node.memory.map(g => g.name))], views = uses.map(() => makeChart(at));
    const take = choice(
        box, "Rate", places, places.some(p => p.value === "null") ? "null" : places[0].value,
        o => uses.forEach((use, i) => {
          const group = node.memory.find(g => key(g) === o.value && g.name === use);
          views[i].show({
            title: `${use}: rate of all busy cores.`,
            means: group ? tellScaling(group) : "Not measured.",
            x: cores("busy cores"),
            y: {...rate, name: "rate"},
            lines: group ? memoryLines(group) : []
          });
        }));
    take();
  }

  /* --- computing and sending --- */

  function tellBeside() {
    const worst = node.beside
                      .map(b => ({
                             name: b.name,
                             n: b.computing.x[b.computing.x.length - 1],
                             kept: b.kept[b.kept.length - 1]
                           }))
                      .filter(b => b.kept !== null);
    const most = worst[d3.scan(worst, (a, b) => a.kept - b.kept)];
    if (!most) return "";
    return `While one core sends, ${most.name} keeps ${
        format.percent(
            most.kept)} of its rate alone, on ${format.things(most.n, "computing core")}.${
        worst.length > 1 ? " Other uses keep as much, or more." : ""}`;
  }
  function drawBeside() {
    if (node.beside.length === 0) return;
    const root = part("beside", "Computing beside a core that sends", tellBeside()),
          at = grid(root);
    const lines = points =>
        node.beside.map((b, i) => ({name: b.name, look: i % 5, points: points(b)}));
    makeChart(at).show({
      title: "What computing cores keep of their rate alone.",
      means: "100%: sending takes nothing from them.",
      x: cores("computing cores"),
      y: {name: "share of the rate", text: format.percent},
      lines: lines(b => pointsOf(b.computing, b.kept))
    });
    makeChart(at).show({
      title: "Rate of the core that sends beside them.",
      means: "Where a curve falls, computing slows communication down.",
      x: cores("computing cores"),
      y: {...rate, name: "rate"},
      lines: lines(b => b.sending ? pointsOf(b.sending) : [])
    });
  }

  /* --- granules --- */

  function tellGranules(group) {
    const b = group.best;
    if (b.name === null) return "";
    return b.share > 0.97 ?
        "No dynamic schedule is more than 3% faster than static shares." :
        `With ${format.things(b.granules, "granule")} for each core, the schedule ${b.name} takes ${
            format.percent(b.share)} of the time of static shares.`;
  }
  function drawGranules() {
    if (node.granules.length === 0) return;
    const root = part(
        "granules", "Granules of work",
        "Many small granules balance unequal work. " +
            "lines and locks show what a shared cache line and a mutex add.");
    const at = grid(root), names = ["static", "dynamic", "locked", "lines", "locks"];
    for (const group of node.granules)
      makeChart(at).show({
        title: `${
            group.state === "equal"       ? "Equal" :
                group.state === "unequal" ? "Unequal" :
                                            group.state} work: time for all of it.`,
        means: tellGranules(group),
        x: {name: "granules for each core", log: true, text: format.count},
        y: {name: "time", text: format.time},
        lines: group.curves
                   .map((c, i) => ({
                          name: c.name,
                          look: Math.max(0, names.indexOf(c.name)) ||
                              (c.name === "static" ? 0 : i % 5),
                          points: pointsOf(c)
                        }))
                   .sort((a, b) => a.look - b.look)
      });
  }

  /* --- noise --- */

  function tellNoise() {
    const all = node.noise_all, spare = node.noise_spare, timers = node.timers;
    const idle = node.noise.find(z => z.idle !== null);
    return [
      all.cores ?
          `With all cores working, interruptions take ${
              nodeHost.lost(all)} of their time; the longest takes ${format.time(all.longest_s)}.` :
          "",
      spare.cores && idle ?
          `With PU ${idle.idle} left idle, they take ${
              nodeHost.lost(
                  spare)} of the others' time; the longest takes ${format.time(spare.longest_s)}.` :
          "",
      timers.clock_s === null ? "" : `Reading the clock takes ${format.time(timers.clock_s)}.`,
      timers.sleep_s === null ?
          "" :
          `A sleep of ${format.trim(format.time(timers.sleep_asked_s))} takes ${
              format.time(timers.sleep_s)}.`
    ].filter(Boolean)
        .join(" ");
  }
  function drawNoise() {
    const scale = noiseScale(node.noise), says = tellNoise();
    if (node.noise.length === 0 && !says) return;
    const root = part("noise", "Noise", says);
    if (!scale) return;
    const of = d3.nest().key(z => z.pu).entries(node.noise);
    of.sort((a, b) => d3.max(b.values, z => z.lost) - d3.max(a.values, z => z.lost));
    const both = node.noise_spare.cores > 0;
    root.append("p")
        .attr("class", "hint")
        .text(`Bars are interruptions a second, by their length, both on logarithmic axes.${
            both ? " Above the line all cores work, below it one is left idle." :
                   ""} The core that loses most comes first.`);
    const at = grid(root),
          more = root.append("button").attr("class", "more").attr("type", "button");
    let shownCores = 0;
    const show = () => {
      for (const entry of of .slice(shownCores, shownCores + 4))
        charts.push(NoiseChart(at, Number(entry.key), entry.values, scale));
      shownCores = Math.min(of.length, shownCores + 4);
      more.style("display", shownCores < of.length ? null : "none")
          .text(`show more (${format.count(shownCores)} of ${format.count(of.length)} cores)`);
    };
    more.on("click", show);
    show();
  }

  /* --- messages in blocks --- */

  const packers = {
    hand: "program, by assignments",
    memcpy: "program, by memcpy",
    touch: "program, by memcpy after a touch",
    pack: "MPI_Pack and MPI_Unpack",
    type: "derived datatype"
  };
  const looks = {type: 0, hand: 1, memcpy: 2, touch: 3, pack: 4};

  function tellCrossover(s) {
    if (!s || !s.known) return "No crossover was measured.";
    return s.crossover === null ?
        "Even at the largest blocks, the datatype is slower than packing by the program." :
        `From blocks of ${
            size(s.crossover)} on, the datatype is as fast as packing by the program.`;
  }
  function packingLines(side, bytes) {
    return side.tables
        .map(t => ({
               name: packers[t.by],
               look: looks[t.by],
               points: t.block
                           .map((x, i) => ({
                                  x,
                                  y: t.ratio[i],
                                  spread: t.spread[i],
                                  samples: t.samples[i],
                                  bytes: t.bytes[i],
                                  more: format.time(t.seconds[i])
                                }))
                           .filter(p => p.bytes === bytes && p.y !== null)
             }))
        .filter(line => line.points.length > 0)
        .sort((a, b) => a.look - b.look);
  }
  function drawCrossovers(box, side) {
    d3.select(box).selectAll("*").remove();
    makeTable(box, {
      caption: "Blocks from which the datatype is as fast as packing by the program, by message.",
      columns: [
        {name: "message", value: s => s.bytes, text: format.bytes, number: true},
        {name: "contiguous", value: s => s.contiguous_s, text: format.time, number: true}, {
          name: "from blocks of",
          value: s => s.crossover === null ? Infinity : s.crossover,
          text: (v, s) => !s.known ? "not measured" :
              s.crossover === null ? "never" :
                                     format.bytes(v),
          number: true
        }
      ],
      rows: side.sizes
    });
  }
  function drawPacking() {
    if (node.packing.length === 0) return;
    const root = part("packing", "Messages in blocks"),
          says = root.append("p").attr("class", "says");
    root.append("p")
        .attr("class", "hint")
        .text(
            "Two ranks exchange messages whose data lie in blocks with gaps as large. " +
            "Who packs, and how long does it take?");
    const box = controls(root), at = grid(root), chart = makeChart(at);
    const list = d3.select(at).append("div").node();
    const now = {mpi: node.packing[0], side: null, bytes: null};
    const show = () => {
      const side = now.mpi.sides[now.side], found = side.sizes.find(s => s.bytes === now.bytes);
      says.text(`${tellCrossover(found)} (${now.mpi.mpi}, ${sides[now.side].text}, messages of ${
          size(now.bytes)})`);
      chart.show({
        title: "Time of a message, in times of a contiguous one.",
        means: found ? `A contiguous one takes ${format.time(found.contiguous_s)}.` : "",
        x: {name: "bytes of a block", log: true, text: format.bytes},
        y: {name: "times a contiguous message", log: true, text: v => v.toFixed(2)},
        lines: packingLines(side, now.bytes),
        notes: found && found.crossover !== null ?
            [{x: found.crossover, text: `from ${size(found.crossover)} on`}] :
            []
      });
      drawCrossovers(list, side);
    };
    const sides = ["data sent in blocks", "data received in blocks", "both in blocks"].map(
        (text, i) => ({value: i, text}));
    /* the sizes may differ between MPIs */
    const sizeBox = {take: null, root: null};
    const fillSizes = () => {
      const all = now.mpi.sides[0].sizes.map(s => s.bytes);
      if (!all.includes(now.bytes)) now.bytes = all[Math.floor(all.length / 2)];
      sizeBox.root.selectAll("*").remove();
      choice(
          sizeBox.root, "Messages of", all.map(v => ({value: v, text: size(v)})), now.bytes, o => {
            now.bytes = o.value;
            show();
          });
    };
    choice(box, "MPI", node.packing.map((p, i) => ({value: i, text: p.mpi})), 0, o => {
      now.mpi = node.packing[o.value];
      fillSizes();
      show();
    });
    choice(box, "Blocks", sides, 0, o => {
      now.side = o.value;
      show();
    });
    sizeBox.root = box.append("span");
    now.side = 0;
    fillSizes();
    show();
  }

  /* --- all of it --- */

  function tellAbout() {
    const hosts = `${format.things(node.hosts, "host")} of type ${node.type} ${
        node.hosts === 1 ? "has" : "have"} ranks.`;
    const what = [node.processor, node.date].filter(Boolean).join(", ");
    const measured = `berth calibrate node measured one${what ? `: ${what}` : ""}${
        node.complete ? "" : " (incomplete)"}.`;
    const left = node.left_out ?
        `The page has no room for ${format.count(node.left_out)} of its curves and tables.` :
        "";
    about.textContent =
        [hosts, measured, "Whiskers are spreads of more than 5%.", left].filter(Boolean).join(" ");
  }
  function show(i) {
    node = report.nodes[i];
    charts = [];
    tip.hide();
    d3.select(container).selectAll("*").remove();
    tellAbout();
    for (const draw
             of [drawHost, drawCopies, drawMemory, drawBeside, drawGranules, drawNoise,
                 drawPacking])
      draw();
  }
  document.getElementById("h-node").parentNode.hidden = report.nodes.length === 0;
  if (report.nodes.length === 0) return;
  d3.select(typeSelect)
      .selectAll("option")
      .data(report.nodes)
      .join("option")
      .attr("value", (_, i) => i)
      .text(n => n.type);
  typeSelect.parentNode.parentNode.hidden = report.nodes.length < 2;
  typeSelect.addEventListener("change", () => show(Number(typeSelect.value)));
  const resize = () => charts.forEach(c => c.resize());
  layouts.push(resize);
  addEventListener("resize", onNextFrame(resize));
  show(0);
}
