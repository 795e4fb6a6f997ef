// On a phone the search box is inside the folded menu: a second way to it stands in the head of the page.
document.querySelector(".header-right")?.insertAdjacentHTML(
  "afterbegin", '<button class="search-on-phones" data-searchlite-open aria-label="Search">&#x2315;</button>');

// A figure that a narrow screen makes small opens at its own size.
for (const figure of document.querySelectorAll(".cell_output img"))
  figure.onclick = () => open(figure.src);

// A page that is opened as a file may not fetch the index of the search, but may run it as a script.
window.fetch = (url) => new Promise((done) => {
  const script = document.createElement("script");
  script.src = `${url}.js`;
  script.onload = () => done(new Response(JSON.stringify(searchIndex)));
  document.head.append(script);
});

// A name that is typed in full stands before longer names that begin with it.
let searchLite;
const typed = (query) => ({t, s}) => (s || t).split(".").pop().toLowerCase() === query.trim().toLowerCase();
Object.defineProperty(window, "SearchLite", {get: () => searchLite, set: (original) => {
  searchLite = {...original, create: (options) => {
    const engine = original.create(options);
    return {...engine, search: (query) => {
      const {items, terms} = engine.search(query), isIt = typed(query);
      return {items: items.sort((a, b) => isIt(b) - isIt(a)), terms};
    }};
  }};
}});
