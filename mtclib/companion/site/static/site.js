// On a phone the search box is inside the folded menu: a second way to it stands in the head of the page.
document.querySelector(".header-right")?.insertAdjacentHTML(
  "afterbegin", '<button class="search-on-phones" data-searchlite-open aria-label="Search"></button>');

// Beside a page stand two drawers: their icons take the focus into them, and where the keyboard is in one, it is open.
for (const [name, drawer, title] of [["navigation", ".sidebar-drawer", "All pages"], ["toc", ".toc-drawer", "On this page"]]) {
  const box = document.querySelector(drawer), toggle = document.getElementById(`__${name}`);
  for (const label of document.querySelectorAll(`label[for=__${name}]:not(.overlay)`)) {
    const button = Object.assign(document.createElement("button"), {className: label.className, ariaLabel: title, innerHTML: label.innerHTML});
    button.onclick = () => [...box.querySelectorAll("a")].find((link) => link.getClientRects().length)?.focus();
    label.replaceWith(button);
  }
  box.addEventListener("focusin", () => { toggle.checked = getComputedStyle(box).position === "fixed"; });
  box.addEventListener("focusout", ({relatedTarget}) => { if (relatedTarget && !box.contains(relatedTarget)) toggle.checked = false; });
  box.addEventListener("click", ({target}) => { if (target.closest("a")) toggle.checked = false; });
  box.addEventListener("keydown", ({key}) => { if (key === "Escape") toggle.checked = false; });
}

// A place inside a fold is shown when a link or the address leads there, and everything in print.  A cell has no id: it is
// found by its name in the link of its card, and takes the focus.  The tables of variants, which may come first, have it, too.
const cellNamed = (name) => [...document.querySelectorAll(".mtclib-card > a:last-child")].find(({href, parentElement}) =>
  new URL(href).searchParams.get("title") === name && !parentElement.textContent.includes("pipeline variant"))?.closest("td");
const unfold = () => {
  const name = decodeURIComponent(location.hash.slice(1)), target = document.getElementById(name) ?? cellNamed(name);
  target?.querySelector(":scope > details")?.setAttribute("open", "");
  for (let above = target; above; above = above.parentElement) if (above.localName === "details") above.open = true;
  target?.scrollIntoView({behavior: "instant"});
  if (target?.localName === "td") target.focus();
};
addEventListener("hashchange", unfold);
addEventListener("load", unfold);
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((fold) => { fold.open = true; }));
// Pictures that are not seen yet come last, but come: print does not wait for any.
addEventListener("load", () => document.querySelectorAll("img").forEach((image) => { image.loading = "eager"; }));

// What scrolls sideways takes the focus, so that the keyboard can scroll it; what does not is no stop on its way.
const reach = () => document.querySelectorAll("pre, .table-wrapper:not(.board *), div.math, .text_html, .mtclib-scroll").forEach((box) => {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  else box.removeAttribute("tabindex");
});
for (const event of ["load", "resize"]) addEventListener(event, reach);
addEventListener("toggle", reach, true);

// The keyboard enters a table by one cell and leaves it by Tab; arrows lead from cell to cell.  The card of a cell is seen
// whole, and Escape puts it away.
const CELL = "td[tabindex]", ARROWS = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};
const enter = (table, cell) => table.querySelectorAll(CELL).forEach((other) => { other.tabIndex = other === cell ? 0 : -1; });
document.querySelectorAll(".mtclib-grid").forEach((table) => enter(table, table.querySelector(CELL)));
document.addEventListener("focusin", ({target}) => {
  if (!target.matches(CELL)) return;
  enter(target.closest("table"), target);
  target.scrollIntoView({block: "nearest"});
});
document.addEventListener("keydown", (event) => {
  const {key, target} = event, [down, right] = ARROWS[key] ?? [];
  if (key === "Escape" && document.activeElement.closest(`${CELL}, .mtclib-card`)) document.activeElement.blur();
  if (down === undefined || !target.matches(CELL)) return;
  const {rows} = target.closest("tbody");
  let row = target.parentElement.sectionRowIndex, column = target.cellIndex, next;
  do next = rows[row += down]?.cells[column += right]; while (next && !next.matches(CELL));
  next?.focus();
  event.preventDefault();
});

// The text that `pack` of pages.py has packed, as an answer that one can read.
const unpack = (text) => new Response(new Blob([Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))])
  .stream().pipeThrough(new DecompressionStream("gzip")));

// The search knows words without their endings; what it shows is as written.
const stem = (text = "") => text.toLowerCase().replace(/(?<=[a-z]{3})(?:ing|ed|es|e|(?<!s)s)\b/g, "");
const stemmed = (shown) => ({u: shown.u, t: stem(shown.t), s: stem(shown.s), x: stem(shown.x), shown});

// A page that is opened as a file may not fetch the index of the search, but may run it as a script.
window.fetch = (url) => new Promise((done) => {
  const script = document.createElement("script");
  script.src = `${url}.js`;
  script.onload = async () => done(Response.json((await unpack(searchIndex).json()).map(stemmed)));
  document.head.append(script);
});

// The first letter in the search box opens the search, which takes that letter, too.
document.addEventListener("keydown", ({target, key, ctrlKey, metaKey, altKey}) => {
  if (target.matches(".searchlite-adopted") && key.trim().length === 1 && !(ctrlKey || metaKey || altKey)) target.click();
});

// Words that any question may have are not asked for.  Places with all others come first; then those with most, and those
// with words that begin like the last one.  A name that is typed in full stands before longer names that begin with it, and
// a question of `copy_index` of conf.py that has all words before what else has them; what changed comes last.
const COMMON = new Set(`a an and any are as at be been but by can could did do does for from get had has have how i if in is it its
  me my of on or our should so than that the their them there these they this to was we were what when where which who why will
  with would you your`.split(/\s+/).map(stem));
const WHOLE = "0_0";  // not the beginning of any word, so that the word before it is not taken for one
const parts = (words) => words.reduce((all, word) => [...all, ...all.map((some) => [...some, word])], [[]])
  .slice(1).sort((a, b) => b.length - a.length);
let searchLite;
const joined = (name) => name.toLowerCase().replace(/[\s-]+/g, "");
const typed = (query) => ({t, s}) => joined((s || t).split(".").pop()) === joined(query);
Object.defineProperty(window, "SearchLite", {get: () => searchLite, set: (original) => {
  searchLite = {...original, create: (options) => {
    const engine = original.create(options);
    return {...engine, search: (query) => {
      const words = original.tokenize(stem(query)), asked = words.filter((word) => !COMMON.has(word));
      const places = new Map(), isIt = typed(query), answers = new Set();
      for (const some of parts((asked.length ? asked : words).slice(0, 6)))
        for (const one of [[...some, WHOLE], some])
          if (places.size < 20)
            for (const {u, s, x, shown} of engine.search(one.join(" ")).items) {
              places.set(u, {...shown, u});
              if (!x && asked.every((word) => original.tokenize(s).includes(word))) answers.add(u);
            }
      const first = (one) => 2 * isIt(one) + answers.has(one.u) - one.u.includes("changelog.html");
      return {items: [...places.values()].sort((a, b) => first(b) - first(a)), terms: asked};
    }};
  }};
}});
