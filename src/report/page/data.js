/* The report's data, how numbers are written, and what the page shows at the moment. */

const report = JSON.parse(document.getElementById("data").textContent);

/* --- numbers for people, as the program prints them --- */

const format = (() => {
  function digits(value) {
    const a = Math.abs(value);
    return value.toFixed(a === 0 || a >= 999.5 ? 0 : a >= 99.95 ? 1 : a >= 9.995 ? 2 : 3);
  }
  function bytes(value) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let i = 0;
    while (i + 1 < units.length && Math.abs(value) >= 1024) {
      value /= 1024;
      i++;
    }
    return `${i === 0 ? value.toFixed(0) : digits(value)} ${units[i]}`;
  }
  function time(value) {
    const a = Math.abs(value);
    if (a === 0 || a >= 1) return `${digits(value)} s`;
    if (a >= 1e-3) return `${digits(value * 1e3)} ms`;
    if (a >= 1e-6) return `${digits(value * 1e6)} us`;
    return `${digits(value * 1e9)} ns`;
  }
  /* "64 KiB" of "64.00 KiB" */
  const trim = text => text.replace(/^-?[0-9.]+/, number => String(Number(number)));
  function rate(value) {
    const units = ["B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"];
    let i = 0;
    while (i + 1 < units.length && Math.abs(value) >= 1000) {
      value /= 1000;
      i++;
    }
    return `${digits(value)} ${units[i]}`;
  }
  /* Of a machine of distances costs have no unit. */
  function seconds(value) {
    if (report.unit !== "distance") return time(value);
    return Number.isInteger(value) && Math.abs(value) < 1e10 ? value.toFixed(0) :
                                                               String(Number(value.toPrecision(6)));
  }
  const count = value => value.toLocaleString("en", {maximumFractionDigits: 0});
  const things = (value, thing) => `${count(value)} ${thing}${value === 1 ? "" : "s"}`;
  const messages = value => things(value, "message");
  const percent = value => `${(100 * value).toFixed(1)}%`;
  /* a share of the largest load, where there is little room */
  const load = value => value < 0.001 ? "<0.1%" : `${(100 * value).toFixed(value < 0.1 ? 1 : 0)}%`;
  const amount = (value, quantity) => quantity === "bytes" ? bytes(value) : messages(value);
  return {bytes, trim, rate, time, seconds, count, things, messages, percent, load, amount};
})();

/* For where there is room for `most` characters, which may be two of JavaScript's each: folders at
   the front and numbers at the back tell names apart. */
function shorten(text, most) {
  const letters = Array.from(text), front = Math.floor(most / 2);
  return letters.length > most ?
      [...letters.slice(0, front), "…", ...letters.slice(letters.length - most + front + 1)].join(
          "") :
      text;
}

/* --- what is shown --- */

/* `phase` is a place in report.phases, or "all": all occurrences of all phases. */
const shown = {
  phase: report.phase === null ? "all" : report.phase,
  before: report.before,
  after: report.after,
  quantity: "bytes",
  log: true,
  load: "cost_s"
};

const watchers = [];
/* Calls `f` now and after each change of what is shown. */
function watch(f) {
  watchers.push(f);
  f();
}
function change(values) {
  Object.assign(shown, values);
  watchers.forEach(f => f());
}

/* --- pairs --- */

/* Cells of all phases added up, each times its repeats. What comes after the phases that are listed
   has those of the others, added up already. */
function addUp(phases, sides) {
  const sum = new Map();
  phases.forEach((cells, k) => {
    const repeats = k < report.phases.length ? report.phases[k].repeats : 1;
    for (let i = 0; i < cells.src.length; i++) {
      const key = cells.src[i] * sides + cells.dst[i], at = sum.get(key);
      if (at) {
        at[0] += repeats * cells.messages[i];
        at[1] += repeats * cells.bytes[i];
      } else
        sum.set(key, [repeats * cells.messages[i], repeats * cells.bytes[i]]);
    }
  });
  const keys = [...sum.keys()].sort((a, b) => a - b);
  return {
    src: keys.map(k => Math.floor(k / sides)),
    dst: keys.map(k => k % sides),
    messages: keys.map(k => sum.get(k)[0]),
    bytes: keys.map(k => sum.get(k)[1])
  };
}

const added = new Map();
/* Of a list of cells by phase those of the phase that is shown. */
function cellsOf(phases, name) {
  if (shown.phase !== "all") return phases[shown.phase];
  if (!added.has(name)) added.set(name, addUp(phases, report.ranks));
  return added.get(name);
}

const shownPairs = () => cellsOf(report.pairs, "pairs");
const groupSize = report.groups ? report.groups.ranks : 1;

/* Ranks in the order of their PUs under a placement; null: by number. */
const orders = new Map();
function ranksInOrder(placement) {
  if (!orders.has(placement)) {
    const ranks = d3.range(report.ranks);
    if (placement !== null) {
      const pu = report.placements[placement].pu_of_rank;
      ranks.sort((a, b) => pu[a] - pu[b] || a - b);
    }
    orders.set(placement, ranks);
  }
  return orders.get(placement);
}

/* --- places --- */

const roleOf = i => shown.before === shown.after ? "" :
    i === shown.before                           ? "before" :
    i === shown.after                            ? "after" :
                                                   "";

function placeOf(placement, rank) {
  const p = report.placements[placement];
  return `${report.machine.hosts[p.host_of_rank[rank]]} core ${p.core_of_rank[rank]}`;
}

/* The number and the name; what phase 0 has if that doesn't say it. */
function phaseName(p) {
  const note = report.phase_notes[report.phases.findIndex(x => x.id === p.id)];
  return `${p.id}${p.name ? ` "${p.name}"` : ""}${note ? ` (${note})` : ""}`;
}
const onceOf = p => p.repeats === 1 ? "" : `, one of ${format.count(p.repeats)}`;
/* As pictures have it. */
const phaseText = () => {
  if (shown.phase === "all") return "all phases, with their repeats";
  const p = report.phases[shown.phase];
  return `phase ${phaseName(p)}${onceOf(p)}`;
};

/* --- colours --- */

/* A colour of colours.css by its name. */
const cssColour = name =>
    getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/* 256 colours from least to most, as [r, g, b], by what the page's ground is. */
function colourRamp() {
  const dark = d3.lab(cssColour("paper")).l < 50;
  return d3.range(256).map(i => {
    const share = i / 255,
          c = d3.rgb(d3.interpolateCividis(dark ? 0.12 + 0.88 * share : 1 - share));
    return [c.r, c.g, c.b];
  });
}

/* --- the box beside the pointer --- */

const tip = {
  element: document.getElementById("tip"),
  scrolled: 0, /* where the page stood when it was shown */
  show(text, x, y) {
    const box = this.element;
    box.textContent = text;
    box.hidden = false;
    this.scrolled = scrollY;
    const {width, height} = box.getBoundingClientRect();
    box.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 8))}px`;
    box.style.top = `${y + 18 + height > innerHeight ? Math.max(4, y - height - 10) : y + 18}px`;
  },
  hide() {
    this.element.hidden = true;
  }
};

/* What it is about scrolls away from under it. A scroll before it was shown may be told late. */
addEventListener("scroll", () => {
  if (scrollY !== tip.scrolled) tip.hide();
});

/* --- looking closer --- */

/* Zooms as the mouse asks, and with two fingers: one finger scrolls the page. */
const makeZoom = () => d3.zoom().filter(() => {
  const event = d3.event;
  return event.touches ? event.touches.length > 1 : !event.ctrlKey && !event.button;
});

/* D3 forbids that fingers scroll; page.css says what they may do. */
function callZoom(canvas, zoom) {
  return d3.select(canvas).call(zoom).style("touch-action", null);
}

/* Scrolls to what a click has filled, unless it is seen. */
function scrollDownTo(panel) {
  const below = panel.getBoundingClientRect().top + 200 - innerHeight;
  if (below > 0) scrollBy(0, below);
}

/* --- drawing --- */

/* Canvases are drawn with so many pixels for one of the page's. */
const sharpness = {
  value: Math.max(1, window.devicePixelRatio || 1)
};

/* At most one drawing for each frame. */
function onNextFrame(draw) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  };
}

const drawings = []; /* functions that draw at once, for new colours */
const layouts = [];  /* functions that find their room and draw, for printing */

/* What is printed is laid out for the narrower of A4 and Letter with usual margins: while the page
   is prepared for the printer, its elements still are as wide as the window. */
const paper = {
  on: false,
  width: 700,
  gap: 24
};
