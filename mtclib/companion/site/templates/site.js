// Search over SECTIONS, which stands above: every section of every page as {page, address, title, text}.
const SHOWN = 20;
const form = document.querySelector("form[role=search]");
const query = form.querySelector("input");
const panel = form.querySelector(".results");
const list = panel.querySelector("ol");

// Accents do not matter; the length stays, so that places in the folded text are places in the text.
const fold = text => text.replace(/[^\x00-\x7f]/g, letter => letter.normalize("NFD")[0]).toLowerCase();
const folded = SECTIONS.map(({page, title, text}) => ({title: fold(`${page} ${title}`), text: fold(text)}));

// Every word must occur; words of a heading count more than words of the text.
function rank(words) {
  return folded
    .map(({title, text}, place) => {
      const points = words.map(word => (title.includes(word) ? 10 : 0) + (text.includes(word) ? 1 : 0));
      return {place, points: points.includes(0) ? 0 : points.reduce((sum, one) => sum + one, 0)};
    })
    .filter(found => found.points)
    .sort((a, b) => b.points - a.points || a.place - b.place);
}

function excerpt(place, words) {
  const text = SECTIONS[place].text;
  // The word that comes last is the one that is rarest, most of the time.
  const start = Math.max(0, Math.max(...words.map(word => folded[place].text.indexOf(word))) - 60);
  const end = Math.min(text.length, start + 180);
  const parts = [start ? "…" : ""];
  let at = start;
  while (at < end) {
    const next = words.map(word => ({at: folded[place].text.indexOf(word, at), length: word.length}))
      .filter(hit => hit.at >= 0 && hit.at < end).sort((a, b) => a.at - b.at || b.length - a.length)[0];
    if (!next) break;
    const mark = document.createElement("mark");
    mark.textContent = text.slice(next.at, next.at + next.length);
    parts.push(text.slice(at, next.at), mark);
    at = next.at + next.length;
  }
  parts.push(text.slice(at, end), end < text.length ? "…" : "");
  return parts;
}

function entry(place, words) {
  const {page, address, title} = SECTIONS[place];
  const item = document.createElement("li");
  const link = document.createElement("a");
  const below = document.createElement("p");
  link.href = address;
  link.textContent = `${page}: ${title}`;
  below.append(...excerpt(place, words));
  item.append(link, below);
  return item;
}

function search() {
  const words = fold(query.value).split(/\s+/).filter(Boolean);
  const found = words.length ? rank(words) : [];
  list.replaceChildren(...found.slice(0, SHOWN).map(({place}) => entry(place, words)));
  const sections = `${found.length} section${found.length === 1 ? "" : "s"}`;
  panel.querySelector("p").textContent = found.length > SHOWN ? `${sections}, the first ${SHOWN} shown` : sections;
  panel.hidden = !words.length;
}

function close() {
  panel.hidden = true;
}

query.addEventListener("input", search);
query.addEventListener("focus", search);
form.addEventListener("submit", event => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
list.addEventListener("click", close);
document.addEventListener("click", event => form.contains(event.target) || close());
form.addEventListener("focusout", event => event.relatedTarget && !form.contains(event.relatedTarget) && close());
document.addEventListener("keydown", event => {
  if (event.key === "Escape") close();
  if (event.key === "/" && !event.target.matches("input, textarea")) {
    event.preventDefault();
    query.focus();
  }
});
form.hidden = false;

// What scrolls must be in reach of the keyboard.
for (const box of document.querySelectorAll(".scroll, .mtclib-scroll, main pre")) {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}
