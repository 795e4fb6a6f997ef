// What test_browser.py asks of a page; each function is evaluated in it.
({
  // What reaches out of the window, without what scrolls, the outermost alone.
  outside() {
    const part = ":is(main, [role=main])";
    const outside = new Set([...document.querySelectorAll(`${part}, ${part} *`)].filter(node => {
      const box = node.getBoundingClientRect();
      if (!box.width || (box.left >= -1 && box.right <= innerWidth + 1)) return false;
      for (let above = node.parentElement; above; above = above.parentElement)
        if (["auto", "scroll"].includes(getComputedStyle(above).overflowX)) return false;
      return true;
    }));
    if (document.documentElement.scrollWidth > innerWidth) outside.add(document.documentElement);
    const outermost = [...outside].filter(node => !outside.has(node.parentElement));
    return outermost.map(node => node.outerHTML.slice(0, 80));
  },

  background: () => getComputedStyle(document.body).backgroundColor,

  loaded: () => [...document.images].every(image => image.complete && image.naturalWidth),

  // By how many pixels pictures are drawn wider than they are.
  stretched: () => [...document.querySelectorAll("article a.picture > img")].map(
    image => image.clientWidth - image.naturalWidth),

  unfolded: () => [...document.querySelectorAll("details, details *")].every(
    node => node.open !== false && getComputedStyle(node).animationName === "none"),

  // In JupyterLab.

  ready(path) {
    const panel = window.jupyterapp?.shell?.currentWidget;
    return panel?.context?.path === path && panel.sessionContext.session?.kernel?.status === "idle";
  },

  async run() {
    const {commands, shell} = jupyterapp, session = shell.currentWidget.sessionContext;
    const died = new Promise((_, fail) => session.statusChanged.connect((_, status) =>
      ["dead", "autorestarting"].includes(status) && fail(new Error("the kernel died"))));
    await commands.execute("notebook:clear-all-cell-outputs");
    window.done = Promise.race([died, commands.execute("notebook:run-all-cells")]).then(() => true);
  },

  cells: () => jupyterapp.shell.currentWidget.context.model.toJSON().cells,

  figures: () => [...document.querySelectorAll(".jp-OutputArea-output img")].map(image => {
    const [box, frame] = [image, image.closest(".jp-Notebook")].map(node => node.getBoundingClientRect());
    return {complete: image.complete, drawn: image.naturalWidth > 0, width: box.width,
            inside: box.left >= frame.left && box.right <= frame.right};
  }),
})
