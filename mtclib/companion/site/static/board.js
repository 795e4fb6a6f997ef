// Tables that are asked, sorted and filtered in the page; their data stand packed in the page, too.
"use strict";

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
// As `signed` of claims.py writes it, but with a minus.
const signed = (value) => {
  const size = Math.abs(value);
  return size < 5e-5 ? "0.0" : (value < 0 ? "−" : "+") + (size < 0.05 ? size.toPrecision(1) : size.toFixed(1));
};

// Gain over plain k-means by source: the mean over its sets of the mean over the preparations that are chosen, of which
// advice.py takes the first.  A method without a score is plain k-means there.
function gains(rows, plain) {
  const tree = {};
  for (const row of rows) {
    const sets = tree[row.source] ??= {}, preparations = sets[row["data set"]] ??= {};
    (preparations[row.preparation] ??= {})[row.method] = row.ARI;
  }
  const over = (scores, name) => name in scores && plain in scores ? scores[name] - scores[plain] : 0;
  return Object.values(tree).map((sets) => (name) => mean(Object.values(sets).map(
    (preparations) => mean(Object.values(preparations).map((scores) => over(scores, name))))));
}

function summary(values, quantiles) {
  const middle = mean(values), n = values.length;
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (n - 1));
  const half = quantiles[n] * spread / Math.sqrt(n);
  return {gain: middle, low: middle - half, high: middle + half, worse: values.filter((value) => value < -5e-10).length};
}

// The method whose mean gain has the highest lower end of its interval.
const chosen = (sources, names, quantiles) => {
  const end = (name) => Number(summary(sources.map((gain) => gain(name)), quantiles).low.toFixed(9));
  return names.reduce((best, name) => end(name) > end(best) ? name : best);
};

function advise(rows, names, {plain, enough, quantiles}) {
  const sources = gains(rows, plain);
  const methods = [...new Set(rows.map((row) => row.method))], own = names.filter((name) => methods.includes(name));
  const ranking = methods.map((method) => ({method, ...summary(sources.map((gain) => gain(method)), quantiles)}));
  const found = {sources: sources.length, sets: new Set(rows.map((row) => row["data set"])).size, ranking};
  if (sources.length < enough) return found;
  // The gain if followed: chosen by all other sources, judged on the one left out.
  const followed = sources.map((gain, left) => gain(chosen(sources.filter((_, place) => place !== left), own, quantiles)));
  return {...found, take: chosen(sources, own, quantiles), ...summary(followed, quantiles)};
}

function told(found, {plain, enough}, whole) {
  const what = `${found.sets} set${found.sets === 1 ? "" : "s"} from ${found.sources} source${found.sources === 1 ? "" : "s"}`;
  const wide = whole?.take && whole.take !== plain ? `; all ${whole.sources} sources together advise ${whole.take}` : "";
  if (!found.take) return `${what} like yours: too few sources to tell, fewer than ${enough}. Choose more widely${wide}.`;
  if (found.take === plain) return `${what} like yours: none of our methods below is surely ahead of plain k-means${wide}.`;
  if (found.gain < 0) return `${what} like yours: no advice. Choosing by them would have changed ARI by ${signed(found.gain)} points ` +
    `against k-means (${signed(found.low)} to ${signed(found.high)}), on sources that did not choose. Choose more widely.`;
  return `${what} like yours: take ${found.take}. Following this advice gains ${signed(found.gain)} points of ARI ` +
    `over k-means (${signed(found.low)} to ${signed(found.high)}), each measured on a source that did not choose it, ` +
    `and loses on ${found.worse} of ${found.sources}.` + (found.low > 0 ? "" : " The interval has zero in it: the gain is not certain.");
}

// From here on what is seen.
const make = (tag, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};
const TEX = {"\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}"};
const tex = (value) => String(value ?? "").replace(/[\\&%$#_{}~^]/g, (sign) => TEX[sign] ?? `\\${sign}`);
// What rounds to zero has no sign.
const written = (value, digits) => value === null || digits === undefined ? value : value.toFixed(digits).replace(/^-(?=[0.]+$)/, "");
const MOST = 100;

function board(place, {caption, columns, rows, advice, order, bibtex, report}) {
  const names = [...columns.map(({name}) => name), "keys", "load"];
  const all = rows.map((row) => Object.fromEntries(names.map((name, place) => [name, row[place]])));
  const wanted = {}, form = make("form", {className: "board-form"});
  let sorted = order, most = MOST;

  const choice = ({name, initial, required}) => {
    const values = [...new Set(all.map((row) => row[name]))].filter((value) => value !== null).sort();
    const select = make("select", {}, ...(required ? [] : [make("option", {value: "", textContent: "all"})]),
      ...values.map((value) => make("option", {value, textContent: value})));
    select.value = initial ?? "";
    wanted[name] = (row) => !select.value || row[name] === select.value;
    wanted[name].fixed = () => select.value;
    return make("label", {}, name, select);
  };
  const range = ({name}) => {
    const [low, high] = ["from", "to"].map((end) =>
      make("input", {type: "number", min: 0, ariaLabel: `${name}, ${end}`, placeholder: end}));
    wanted[name] = (row) => (!low.value || row[name] >= +low.value) && (!high.value || row[name] <= +high.value);
    return make("span", {role: "group", ariaLabel: name}, low, high);
  };
  const search = make("input", {type: "search"});
  const passes = (row, part) => part.every(({name}) => !wanted[name] || wanted[name](row));
  form.append(...columns.filter(({filter}) => filter).map((column) => (column.filter === "choice" ? choice : range)(column)),
    make("label", {}, "search", search));

  const says = make("p", {ariaLive: "polite"}), count = make("p", {ariaLive: "polite"});
  const more = make("button", {type: "button", onclick: () => { most += MOST; body(); main.body.rows[most - MOST].querySelector("button").focus(); }});
  const table = (name) => {
    const parts = {title: make("caption", {textContent: name}), head: make("tr"), body: make("tbody")};
    const whole = make("table", {className: "docutils"}, parts.title, make("thead", {}, parts.head), parts.body);
    return {...parts, box: make("div", {className: "table-wrapper", role: "region", ariaLabel: name, tabIndex: 0}, whole)};
  };
  const first = table("Methods on these sets, by their mean gain"), main = table(`${caption}; arrow keys lead from row to row`);
  const cells = (values) => values.map((value, place) =>
    make(place ? "td" : "th", {textContent: String(value ?? "").replace(/^-(?=\d)/, "−"), ...(place ? {} : {scope: "row"}),
      className: /^[-+−]?[\d.]+$/.test(value) ? "number" : ""}));
  const texts = (row) => shown().map(({name, digits}) => written(row[name], digits));
  const shown = () => columns.filter(({name, hidden}) => !hidden && !wanted[name]?.fixed?.());

  function cite(row, button) {
    const open = button.ariaExpanded === "true";
    button.ariaExpanded = String(!open);
    if (open) return button.closest("tr").nextSibling.remove();
    const line = (values) => `${values.map(tex).join(" & ")} \\\\`, keys = row.keys ? row.keys.split(",") : [];
    const parts = {LaTeX: [line(shown().map(({name}) => name)), line(texts(row)), ...(row.keys ? [`\\cite{${row.keys}}`] : [])],
      Python: row.load ? ["from mtclib import datasets", row.load] : [], BibTeX: keys.map((key) => bibtex[key])};
    const blocks = Object.entries(parts).filter(([, text]) => text.join("")).map(([name, text]) => {
      const block = make("pre", {textContent: text.join("\n")});
      // A page that is opened as a file may not reach the clipboard otherwise.
      const copy = make("button", {type: "button", ariaLive: "polite", textContent: `copy ${name}`, onclick: () => {
        getSelection().selectAllChildren(block);
        copy.textContent = document.execCommand("copy") ? `${name} copied` : "selected: copy it by Ctrl+C";
      }});
      return make("div", {}, copy, block);
    });
    const to = {"see it in its table": `${row.cell?.split(":")[0]}.html#${encodeURIComponent(row.cell)}`,
      "report an error": `${report}&title=${encodeURIComponent(row.cell)}`};
    const links = report ? Object.entries(to).flatMap(([textContent, href]) => [make("a", {href, textContent}), " "]) : [];
    button.closest("tr").after(make("tr", {}, make("td", {colSpan: shown().length + 1}, ...blocks, ...links)));
  }

  // The keyboard enters and leaves the rows by Tab, and goes through them by arrows.
  main.body.onkeydown = (event) => {
    const buttons = [...main.body.querySelectorAll("td > button")], {target, key} = event;
    const next = buttons.includes(target) && buttons[buttons.indexOf(target) + {ArrowDown: 1, ArrowUp: -1}[key]];
    if (!next) return;
    target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
    event.preventDefault();
  };

  function body() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean), {name, down} = sorted ?? {};
    const kept = all.filter((row) => passes(row, columns) && words.every(
      (word) => Object.values(row).some((value) => String(value ?? "").toLowerCase().includes(word))));
    const missing = (row) => row[name] === null;
    const less = (a, b) => typeof a[name] === "number" ? a[name] - b[name] : a[name].localeCompare(b[name], "en", {numeric: true});
    if (name) kept.sort((a, b) => missing(a) || missing(b) ? missing(a) - missing(b) : (down ? -1 : 1) * less(a, b));
    for (const head of main.head.children) head.ariaSort = head.textContent !== name ? "none" : down ? "descending" : "ascending";
    main.body.replaceChildren(...kept.slice(0, most).map((row, place) => {
      const button = make("button", {type: "button", textContent: "cite", ariaExpanded: "false", tabIndex: place && -1,
        ariaLabel: `cite ${texts(row).slice(0, 2).join(", ")}`});
      button.onclick = () => cite(row, button);
      return make("tr", {}, make("td", {}, button), ...cells(texts(row)));
    }));
    count.textContent = `${kept.length.toLocaleString("en")} of ${all.length.toLocaleString("en")} rows${kept.length > most ? `, the first ${most} shown` : ""}`;
    more.textContent = `Show ${MOST} more`;
    more.hidden = kept.length <= most;
    if (advice) advised();
  }

  function advised() {
    const sets = all.filter((row) => passes(row, columns.filter((column) => column.set)));
    const candidates = sets.filter((row) => passes(row, columns.filter((column) => !column.set)));
    const names = new Set([...candidates.map((row) => row.method), advice.plain]);
    const found = advise(sets, advice.names.filter((name) => names.has(name)), advice);
    const every = columns.filter(({set, initial}) => set && initial);
    const whole = found.take && found.take !== advice.plain ? found : advise(all.filter((row) => passes(row, every)), advice.names, advice);
    says.textContent = told(found, advice, whole);
    const ranked = found.ranking.filter(({method}) => names.has(method)).sort((a, b) => b.gain - a.gain);
    first.body.replaceChildren(...ranked.map(({method, gain, low, high, worse}) => make("tr", {}, ...cells(
      [method, signed(gain), isNaN(low) ? "" : `${signed(low)} to ${signed(high)}`, `${worse} of ${found.sources}`]))));
  }

  function head() {
    main.head.replaceChildren(make("th", {scope: "col", textContent: "to copy"}), ...shown().map(({name}) => make("th", {scope: "col"}, make("button", {type: "button",
      textContent: name, onclick: () => { sorted = {name, down: sorted?.name === name && !sorted.down}; body(); }}))));
    body();
  }

  first.head.append(...["method", "gain, points", "95 % interval", "losses"].map((textContent) => make("th", {scope: "col", textContent})));
  form.oninput = () => { most = MOST; head(); };
  form.onsubmit = () => false;
  place.replaceChildren(form, ...(advice ? [says, first.box] : []), count, main.box, more);
  head();
}

if (typeof document === "object") addEventListener("DOMContentLoaded", () => {
  for (const place of document.querySelectorAll(".board"))
    unpack(place.querySelector("script").textContent).json().then((data) => board(place, data));
}); else module.exports = {advise, told, tex, written};
