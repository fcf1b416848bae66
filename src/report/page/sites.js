/* Call sites: which lines of the program are behind a pair, a port and a level. */

const siteName = s => s.op === null ? "unknown" : s.op;

/* The two innermost frames. A frame is a function, which may be long, and its file and line. */
function siteText(site) {
  const cut = (text, most) => {
    const letters = Array.from(text);
    return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
  };
  const frameText = frame => {
    const space = frame.lastIndexOf(" ");
    return space < 0 ? cut(frame, 48) :
                       `${cut(frame.slice(0, space), 36)} ${frame.slice(space + 1)}`;
  };
  return `${siteName(site)} ${site.frames.slice(0, 2).map(frameText).join(" < ")}`.trim();
}

const sites = (() => {
  /* In place of a call site, as in report_internal.h. */
  const unknown = -1, other = -2;
  const at = place => place === unknown ? {op: null, frames: []} :
      place === other                   ? {op: "other call sites", frames: []} :
                                          report.call_sites[place];
  const textOf = place => siteText(at(place)), framesOf = place => at(place).frames,
        nameOf = place => siteName(at(place));

  /* --- sums of parts {site, messages, bytes}; messages may be unknown, NaN --- */

  const larger = (a, b) => b.bytes - a.bytes || b.messages - a.messages || a.site - b.site;
  function addUp(parts) {
    const sum = new Map();
    for (const p of parts) {
      const at = sum.get(p.site);
      if (at) {
        at.messages += p.messages;
        at.bytes += p.bytes;
      } else
        sum.set(p.site, {...p});
    }
    return [...sum.values()].sort(larger);
  }

  /* What parts leave of an amount. */
  const rest = (all, parts) => ({
    site: other,
    messages: all.messages - d3.sum(parts, p => p.messages),
    bytes: all.bytes - d3.sum(parts, p => p.bytes)
  });

  /* An amount of a phase whose call sites have the same shares in all pairs. */
  function divide({site, share}, messages, bytes) {
    const parts =
        site.map((s, i) => ({site: s, messages: messages * share[i], bytes: bytes * share[i]}));
    return 1 - d3.sum(share) > 1e-9 ? [...parts, rest({messages, bytes}, parts)] : parts;
  }

  const divided = new Map(); /* by list of pairs: the parts of each pair that has several */
  function partsOf(k, i) {
    const list = report.pairs[k], messages = list.messages[i], bytes = list.bytes[i];
    if (list.shares) return divide(list.shares, messages, bytes);
    const site = list.site[i];
    if (site !== other) return [{site, messages, bytes}];
    if (!divided.has(k)) {
      const d = list.divided, of = new Map();
      d.pair.forEach((pair, n) => {
        if (!of.has(pair)) of.set(pair, []);
        of.get(pair).push({site: d.site[n], messages: d.messages[n], bytes: d.bytes[n]});
      });
      divided.set(k, of);
    }
    const parts = divided.get(k).get(i) || [], left = rest({messages, bytes}, parts);
    return left.messages > 0 ? [...parts, left] : parts;
  }

  /* --- what is shown --- */

  const lists = () => shown.phase === "all" ? d3.range(report.pairs.length) : [shown.phase];
  const repeats = k => shown.phase === "all" && k < report.phases.length ? report.phases[k].repeats :
                                                                          1;
  const times = (part, n) => ({site: part.site, messages: n * part.messages, bytes: n * part.bytes});

  /* Calls f with each pair of ranks in what is shown that `matches`: its list and its place there.
   */
  function eachPair(k, matches, f) {
    const {src, dst} = report.pairs[k];
    for (let i = 0; i < src.length; i++)
      if (matches(src[i], dst[i])) f(i);
  }

  /* The call sites of a group of pairs, the largest first: of the cell at `row` and `column` of
     `groups`, by list, and of those of its pairs that match and are on the page. */
  function ofGroup(groups, row, column, matches) {
    const parts = [];
    for (const k of lists()) {
      const {src, dst, messages, bytes} = groups[k], n = repeats(k), own = [];
      const i = src.findIndex((s, at) => s === row && dst[at] === column);
      if (i < 0) continue;
      if (report.pairs[k].shares)
        own.push(...divide(report.pairs[k].shares, messages[i], bytes[i]));
      else {
        eachPair(k, matches, at => own.push(...partsOf(k, at)));
        own.push(rest({messages: messages[i], bytes: bytes[i]}, own));
      }
      parts.push(...own.map(p => times(p, n)));
    }
    return addUp(parts.filter(p => p.bytes > 0 || p.messages > 0));
  }

  /* Those of one pair: lists are sorted by ranks. */
  function ofPair(src, dst) {
    const parts = [], key = src * report.ranks + dst;
    for (const k of lists()) {
      const list = report.pairs[k];
      let low = 0, high = list.src.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (list.src[middle] * report.ranks + list.dst[middle] < key)
          low = middle + 1;
        else
          high = middle;
      }
      if (list.src[low] === src && list.dst[low] === dst)
        parts.push(...partsOf(k, low).map(p => times(p, repeats(k))));
    }
    return addUp(parts);
  }

  /* Those of a port's load, in what is shown. Where not all pairs are on the page, the loads have
     the bytes. What nothing is known of is other call sites. */
  function ofPort(element, kind, placement, matches) {
    const loadIn = phase => {
      const l = report.placements[placement].loads.find(x => x.phase === phase);
      if (!l) return undefined;
      const at = l.element.findIndex((e, i) => e === element && l.kind[i] === kind);
      return at < 0 ? 0 : l.bytes[at];
    };
    const parts = [];
    for (const k of lists()) {
      const list = report.pairs[k], some = list.counted || report.groups;
      const bytes = some && list.shares ? loadIn(k) : undefined;
      if (bytes !== undefined)
        parts.push(...divide(list.shares, NaN, bytes).map(p => times(p, repeats(k))));
      else if (!list.counted)
        eachPair(k, matches, i => parts.push(...partsOf(k, i).map(p => times(p, repeats(k)))));
    }
    const all = loadIn(shown.phase === "all" ? null : shown.phase);
    const left = all === undefined ? 0 : all - d3.sum(parts, p => p.bytes);
    if (left > 1e-6 * all) parts.push({site: other, messages: NaN, bytes: left});
    return addUp(parts.filter(p => p.bytes > 0 || p.messages > 0));
  }

  /* --- tables --- */

  /* Fills a cell with the call sites of parts: the first one; all with all frames when it is
     unfolded. */
  function fill(cell, parts) {
    if (parts.every(p => framesOf(p.site).length === 0)) {
      cell.text(parts.map(p => nameOf(p.site)).join(", "));
      return;
    }
    const details = cell.append("details"), more = parts.length - 1;
    details.append("summary").text(
        textOf(parts[0].site) +
        (more > 0 ? ` and ${more} more call site${more === 1 ? "" : "s"}` : ""));
    const item = details.append("ul").selectAll("li").data(parts).join("li");
    item.append("span").text(
        p => `${format.bytes(p.bytes)}, ${format.messages(p.messages)}: ${nameOf(p.site)}`);
    item.append("ol").selectAll("li").data(p => framesOf(p.site)).join("li").text(String);
  }

  /* A column of call sites; `of` is a row's parts. */
  const column = of => ({
    name: "call sites, most bytes first",
    kind: "site",
    value: x => of(x).length ? textOf(of(x)[0].site) : "",
    fill: (cell, x) => fill(cell, of(x))
  });

  function fillFrames(cell, p) {
    const frames = framesOf(p.site);
    if (frames.length < 3) {
      cell.text(textOf(p.site));
      return;
    }
    const details = cell.append("details");
    details.append("summary").text(textOf(p.site));
    details.append("ol").selectAll("li").data(frames).join("li").text(String);
  }

  /* A table of parts, each with its share. `verb`: "load" or "send". */
  function table(container, parts, verb) {
    const sum = d3.sum(parts, p => p.bytes), one = parts.length === 1;
    makeTable(container, {
      caption: `${format.count(parts.length)} call site${one ? ` ${verb}s` : `s ${verb}`} it.`,
      columns: [
        {name: "call site", kind: "site", value: p => textOf(p.site), fill: fillFrames}, {
          name: "messages",
          value: p => p.messages,
          text: v => isNaN(v) ? "not listed" : format.count(v),
          number: true
        },
        {name: "bytes", value: p => p.bytes, text: format.bytes, number: true}, {
          name: "share",
          value: p => sum > 0 ? p.bytes / sum : 0,
          text: format.load,
          number: true
        }
      ],
      rows: parts,
      most: 5
    });
  }

  const known = report.call_sites.length > 0;
  /* Whether models count pairs without a list, so that the page leaves them out. */
  const areCounted = () => lists().some(k => report.pairs[k].counted);
  return {known, areCounted, textOf, ofGroup, ofPair, ofPort, column, table};
})();

/* --- call sites by level --- */

/* Which line of the program loads which level, before and after. */
function sitesTable(container) {
  const heading = document.getElementById("h-sites").parentNode;
  heading.hidden = report.placements.every(p => p.sites.every(s => s.site < 0));
  const levels = report.placements[0].levels;
  const used = d3.range(levels.length)
                   .filter(d => report.placements.some(p => p.sites.some(s => s.bytes[d] > 0)));
  const bytes = (role, s, d) => {
    const found = report.placements[shown[role]].sites.find(x => x.site === s.site);
    return found ? found.bytes[d] : 0;
  };
  watch(() => {
    d3.select(container).selectAll("*").remove();
    if (heading.hidden) return;
    const column = (role, d) => ({
      name: `${levels[d].types}: ${role}`,
      value: s => bytes(role, s, d),
      text: format.bytes,
      number: true
    });
    const of = report.placements[shown.before];
    const top = d3.scan(used, (a, b) => d3.descending(of.levels[a].cost_s, of.levels[b].cost_s));
    const rows = of.sites.slice().sort(
        (a, b) => d3.descending(a.bytes[used[top]], b.bytes[used[top]]));
    makeTable(container, {
      caption: "The bytes that cross each level of the machine, by the line of the program that " +
          "sends them. All phases together; collective calls, too.",
      columns: [
        {name: "call site", kind: "site", value: s => sites.textOf(s.site)},
        ...used.flatMap(d => [column("before", d), column("after", d)])
      ],
      rows,
      most: 20
    });
  });
}

/* --- pairs with their call sites --- */

function pairsTable(container) {
  const total = report.run;
  makeTable(container, {
    caption: total.pairs_total ?
        `The ${report.top_pairs.length} largest of ${
            format.things(total.pairs_total, "pair")}, all phases together: of ${
            format.messages(total.messages)}, ${format.bytes(total.bytes)} in all.` :
        "No messages between ranks.",
    columns: [
      {name: "from rank", value: x => x.src, number: true},
      {name: "to rank", value: x => x.dst, number: true},
      {name: "messages", value: x => x.messages, text: format.count, number: true},
      {name: "bytes", value: x => x.bytes, text: format.bytes, number: true}, {
        name: "share",
        value: x => total.bytes > 0 ? x.bytes / total.bytes : 0,
        number: true,
        text: format.load
      },
      sites.column(x => x.sites)
    ],
    rows: report.top_pairs
  });
}
