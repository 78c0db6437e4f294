// Formulas are spans of class `math` that hold TeX. Pages without any do not load KaTeX.
(() => {
  const folder = document.currentScript.dataset.folder;
  const formulas = [...document.querySelectorAll("main .math")];
  if (formulas.length === 0) return;
  const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: folder + "katex.min.css" });
  const script = Object.assign(document.createElement("script"), { src: folder + "katex.min.js" });
  script.onload = () => {
    for (const formula of formulas)
      window.katex.render(formula.textContent, formula, { displayMode: formula.classList.contains("display"), throwOnError: false });
    document.documentElement.dataset.maths = "drawn";
  };
  document.head.append(style, script);
})();
