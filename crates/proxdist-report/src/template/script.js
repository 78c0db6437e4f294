"use strict";
(() => {
  const body = document.body;
  const errors = [];
  const note = (text) => { errors.push(String(text)); body.dataset.errors = errors.join(" | "); };
  addEventListener("error", (event) => note(event.message));
  addEventListener("unhandledrejection", (event) => note(event.reason));

  const byId = (id) => document.getElementById(id);
  const data = (id) => { const element = byId(id); return element ? JSON.parse(element.textContent) : null; };

  // Mirrors `number` of the Rust side: plain in everyday sizes, powers of ten beyond.
  const format = (value, digits) => {
    if (value === null || !Number.isFinite(value)) return "not finite";
    if (value === 0) return "0";
    const [mantissa, power] = value.toExponential(digits - 1).split("e");
    const exponent = Number(power);
    const trim = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text).replace("-", "−");
    if (exponent >= -4 && exponent < 6) return trim(value.toFixed(Math.max(0, digits - 1 - exponent)));
    const raised = [...String(exponent)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])).join("");
    return trim(mantissa) + " × 10" + raised;
  };

  const table = () => {
    const source = data("coefficient-data");
    if (!source) return;
    const PAGE = 200;
    const { names, index, values } = source;
    const value = new Map(index.map((j, i) => [j, values[i]]));
    const of = (j) => (value.has(j) ? value.get(j) : 0);
    const size = (j) => { const v = of(j); return v === null ? Infinity : Math.abs(v); };
    const largest = values.reduce((m, v) => (v === null ? m : Math.max(m, Math.abs(v))), 0);
    const lower = names.map((name) => name.toLowerCase());
    const collator = new Intl.Collator(undefined, { numeric: true });
    const orders = {
      index: (a, b) => a - b,
      name: (a, b) => collator.compare(names[a], names[b]),
      value: (a, b) => (of(a) ?? Infinity) - (of(b) ?? Infinity),
      size: (a, b) => (size(a) === size(b) ? 0 : size(a) - size(b)),
    };
    const state = { query: "", zeros: false, key: "size", down: true, page: 0 };
    const rows = byId("coefficients").tBodies[0];
    const all = names.map((_, j) => j);
    let kept = [];

    const select = () => {
      const query = state.query.trim().toLowerCase();
      kept = (state.zeros ? all : index).filter((j) => lower[j].includes(query));
      const order = orders[state.key];
      kept.sort((a, b) => (state.down ? order(b, a) : order(a, b)) || a - b);
      state.page = 0;
    };
    const cell = (row, text, kind) => {
      const td = row.insertCell();
      td.textContent = text;
      if (kind) td.className = kind;
      return td;
    };
    const draw = () => {
      const start = state.page * PAGE;
      const shown = kept.slice(start, start + PAGE);
      const fresh = document.createElement("tbody");
      for (const j of shown) {
        const row = fresh.insertRow();
        const v = of(j);
        cell(row, j + 1, "rank number");
        cell(row, names[j]);
        cell(row, format(v, 6), "number");
        const bar = cell(row, "", "bar");
        if (v && largest > 0) {
          const span = bar.appendChild(document.createElement("span"));
          span.style.width = (100 * Math.abs(v) / largest).toFixed(1) + "%";
          if (v < 0) span.className = "negative";
        }
      }
      rows.replaceChildren(...fresh.rows);
      const last = start + shown.length;
      const total = kept.length.toLocaleString("en").replaceAll(",", "\u202f");
      byId("range").textContent = kept.length ? `${start + 1}–${last} of ${total}` : "nothing matches";
      byId("previous").disabled = state.page === 0;
      byId("next").disabled = last >= kept.length;
      for (const button of document.querySelectorAll("#coefficients [data-key]")) {
        const on = button.dataset.key === state.key;
        button.closest("th").setAttribute("aria-sort", on ? (state.down ? "descending" : "ascending") : "none");
      }
    };
    const refresh = () => { select(); draw(); };
    byId("search").addEventListener("input", (event) => { state.query = event.target.value; refresh(); });
    byId("zeros").addEventListener("change", (event) => { state.zeros = event.target.checked; refresh(); });
    byId("previous").addEventListener("click", () => { state.page -= 1; draw(); });
    byId("next").addEventListener("click", () => { state.page += 1; draw(); });
    for (const button of document.querySelectorAll("#coefficients [data-key]")) {
      button.addEventListener("click", () => {
        const key = button.dataset.key;
        state.down = state.key === key ? !state.down : key === "size" || key === "value";
        state.key = key;
        refresh();
      });
    }
    byId("zeros").checked = false;
    byId("search").value = "";
    refresh();
  };

  // The table of decisions follows the slider; the formulas are those of the page without scripts.
  const decisions = () => {
    const cuts = data("threshold-data");
    const slider = byId("threshold");
    if (!cuts || !slider) return;
    const share = (part, all) => (all > 0 ? (100 * part / all).toFixed(1) + " %" : "–");
    const draw = () => {
      const [threshold, tp, fp, tn, fn] = cuts[slider.valueAsNumber];
      const all = tp + fp + tn + fn;
      const texts = { tp: format(tp, 6), fp: format(fp, 6), tn: format(tn, 6), fn: format(fn, 6), accuracy: share(tp + tn, all),
        precision: share(tp, tp + fp), recall: share(tp, tp + fn), specificity: share(tn, tn + fp), taken: share(tp + fp, all) };
      for (const [id, text] of Object.entries(texts)) byId("cut-" + id).textContent = text;
      byId("threshold-value").textContent = format(threshold, 4);
      slider.setAttribute("aria-valuetext", format(threshold, 4));
    };
    slider.addEventListener("input", draw);
    draw();
  };

  // Paper cannot be unfolded.
  const unfold = () => {
    let opened = [];
    addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll("details:not([open]):not(.again)")];
      for (const part of opened) part.open = true;
    });
    addEventListener("afterprint", () => { for (const part of opened) part.open = false; });
  };

  const tips = () => {
    const trace = data("trace-data");
    for (const svg of document.querySelectorAll("svg[data-x]")) {
      if (!trace) return;
      // The title would pop up as a second tooltip; its text stays for screen readers.
      const title = svg.querySelector("title");
      if (title) { svg.setAttribute("aria-label", title.textContent); title.remove(); }
      const places = svg.dataset.x.split(" ").map(Number);
      const [top, bottom] = svg.dataset.y.split(" ").map(Number);
      const holder = svg.parentElement;
      holder.classList.add("hover");
      const make = (kind) => { const div = holder.appendChild(document.createElement("div")); div.className = kind; return div; };
      const rule = make("rule"), tip = make("tip");
      const hide = () => { tip.style.display = rule.style.display = "none"; };
      const show = (event) => {
        const frame = svg.getBoundingClientRect(), outer = holder.getBoundingClientRect();
        const scale = frame.width / svg.viewBox.baseVal.width;
        const x = (event.clientX - frame.left) / scale;
        const nearest = places.reduce((best, p, i) => (Math.abs(p - x) < Math.abs(places[best] - x) ? i : best), 0);
        const [step, objective, distance, rho, nonzeros, seconds] = trace[nearest];
        const lines = [`step ${step}`, `F ${format(objective, 7)}`, `distance ${format(distance, 3)}`, `ρ ${format(rho, 3)}`,
          `${nonzeros} nonzero`, `${format(seconds, 3)} s`];
        tip.replaceChildren(...lines.flatMap((line) => [line, document.createElement("br")]));
        const left = frame.left - outer.left + places[nearest] * scale;
        const offset = frame.top - outer.top;
        Object.assign(rule.style, { display: "block", left: left + "px", top: offset + top * scale + "px", height: (bottom - top) * scale + "px" });
        tip.style.display = "block";
        const beyond = left + 14 + tip.offsetWidth > outer.width;
        tip.style.left = Math.max(0, beyond ? left - tip.offsetWidth - 10 : left + 10) + "px";
        tip.style.top = offset + top * scale + 8 + "px";
      };
      svg.addEventListener("pointermove", show);
      svg.addEventListener("pointerdown", show);
      svg.addEventListener("pointerleave", hide);
    }
  };

  for (const part of [table, decisions, unfold, tips]) {
    try { part(); } catch (error) { note(error); }
  }
  body.classList.add("ready");
  body.dataset.ready = "true";
})();
