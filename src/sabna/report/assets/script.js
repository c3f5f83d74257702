"use strict";
(() => {
  const graph = document.getElementById("graph");
  const svg = graph.querySelector("svg");
  const detail = document.getElementById("detail");
  const chooser = document.getElementById("chooser");
  const hint = detail.innerHTML;
  const nodes = new Map([...svg.querySelectorAll(".node")].map((n) => [n.dataset.node, n]));
  const edges = [...svg.querySelectorAll(".edge")];
  const labels = [...svg.querySelectorAll(".label")];
  const finder = document.getElementById("finder");
  const focus = document.getElementById("focus");
  let chosen = null, focused = false;

  // --- view: the viewBox is what moves -----------------------------------------------------------------------------
  const whole = svg.viewBox.baseVal;
  const home = { x: whole.x, y: whole.y, w: whole.width, h: whole.height };
  let view = { ...home };
  svg.removeAttribute("width");
  svg.removeAttribute("height");

  function show() {
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
  }

  // A small network is not blown up beyond its natural size.
  function fitTo(part) {
    const box = graph.getBoundingClientRect();
    const scale = Math.max(part.w / box.width, part.h / box.height, 0.75);
    const w = box.width * scale, h = box.height * scale;
    view = { x: part.x + (part.w - w) / 2, y: part.y + (part.h - h) / 2, w, h };
    show();
  }
  function fit() {
    if (focused) fitTo(frame([...nodes.values()].filter((n) => n.classList.contains("near"))));
    else fitTo(home);
  }
  function frame(some) {
    const boxes = some.map((node) => node.getBBox());
    const x = Math.min(...boxes.map((b) => b.x)) - 24, y = Math.min(...boxes.map((b) => b.y)) - 24;
    const w = Math.max(...boxes.map((b) => b.x + b.width)) + 24 - x, h = Math.max(...boxes.map((b) => b.y + b.height)) + 24 - y;
    return { x, y, w, h };
  }

  // --- focus: the chosen variable, its parents, children and their other parents ------------------------------------
  function blanket(id) {
    const near = new Set([id]);
    for (const e of edges) if (e.dataset.to === id) near.add(e.dataset.from);
    for (const child of edges.filter((e) => e.dataset.from === id).map((e) => e.dataset.to)) {
      near.add(child);
      for (const e of edges) if (e.dataset.to === child) near.add(e.dataset.from);
    }
    return near;
  }
  function setFocus(on) {
    focused = on && chosen !== null;
    svg.classList.toggle("focused", focused);
    focus.setAttribute("aria-pressed", String(focused));
    const near = focused ? blanket(chosen) : new Set();
    for (const [id, node] of nodes) node.classList.toggle("near", near.has(id));
    for (const e of [...edges, ...labels]) e.classList.toggle("near", near.has(e.dataset.from) && near.has(e.dataset.to));
    fit();
  }
  focus.addEventListener("click", () => setFocus(!focused));

  function point(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  }

  function zoom(factor, at) {
    const w = Math.min(Math.max(view.w * factor, 60), Math.max(home.w, 400) * 6);
    const f = w / view.w;
    const c = at || { x: view.x + view.w / 2, y: view.y + view.h / 2 };
    view = { x: c.x - (c.x - view.x) * f, y: c.y - (c.y - view.y) * f, w, h: view.h * f };
    show();
  }

  function move(dx, dy) {
    view = { ...view, x: view.x + dx, y: view.y + dy };
    show();
  }

  document.getElementById("zoom-in").addEventListener("click", () => zoom(0.75));
  document.getElementById("zoom-out").addEventListener("click", () => zoom(1 / 0.75));
  document.getElementById("zoom-fit").addEventListener("click", fit);
  graph.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && !graph.contains(document.activeElement)) return;
    event.preventDefault();
    zoom(Math.exp(event.deltaY * 0.0016), point(event));
  }, { passive: false });

  // Dragging with one pointer moves, with two zooms.
  const pointers = new Map();
  let dragged = false;
  graph.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, event);
    dragged = false;
  });
  graph.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const scale = view.w / svg.getBoundingClientRect().width;
    if (pointers.size === 1) {
      if (Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY) < 4 && !dragged) return;
      dragged = true;
      graph.setPointerCapture(event.pointerId);
      move((before.clientX - event.clientX) * scale, (before.clientY - event.clientY) * scale);
    } else {
      dragged = true;
      const other = [...pointers.values()].find((p) => p.pointerId !== event.pointerId);
      const gap = (p) => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY);
      zoom(gap(before) / Math.max(gap(event), 1), point(other));
    }
    pointers.set(event.pointerId, event);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    graph.addEventListener(end, (event) => pointers.delete(event.pointerId));
  }

  // --- choosing a variable -----------------------------------------------------------------------------------------
  function clear() {
    for (const element of svg.querySelectorAll(".chosen,.parent,.child,.lit")) {
      element.classList.remove("chosen", "parent", "child", "lit");
    }
    svg.classList.remove("picked");
    detail.innerHTML = hint;
    chooser.value = "";
    chosen = null;
    focus.disabled = true;
  }

  function choose(id, take) {
    const node = nodes.get(id);
    const card = document.getElementById("v" + id);
    if (!node || !card) return;
    clear();
    chosen = id;
    focus.disabled = false;
    svg.classList.add("picked");
    node.classList.add("chosen");
    for (const edge of edges) {
      if (edge.dataset.from !== id && edge.dataset.to !== id) continue;
      edge.classList.add("lit");
      if (edge.dataset.to === id) nodes.get(edge.dataset.from).classList.add("parent");
      else nodes.get(edge.dataset.to).classList.add("child");
    }
    const title = card.querySelector("h3").cloneNode(true);
    const content = card.querySelector(".card").cloneNode(true);
    content.className = "";
    detail.replaceChildren(title, content);
    detail.scrollTop = 0;
    chooser.value = id;
    if (focused) setFocus(true);
    if (take) node.focus({ preventScroll: true });
  }

  function neighbour(id, up) {
    const edge = edges.find((e) => (up ? e.dataset.to : e.dataset.from) === id);
    return edge && (up ? edge.dataset.from : edge.dataset.to);
  }

  graph.addEventListener("click", (event) => {
    const node = event.target.closest(".node");
    if (node) event.preventDefault();
    if (dragged) return;
    if (node) choose(node.dataset.node, true);
    else if (!focused) clear();
  });

  // Where a drawing is larger than its window, what was looked for is shown with its neighbours alone.
  function find() {
    const wanted = finder.value.trim().toLowerCase();
    if (!wanted) return;
    const names = [...nodes].map(([id, node]) => [id, node.getAttribute("aria-label").toLowerCase()]);
    const [id] = names.find(([, name]) => name === wanted) || names.find(([, name]) => name.startsWith(wanted)) ||
      names.find(([, name]) => name.includes(wanted)) || [];
    finder.setCustomValidity(id === undefined ? "No variable has this in its name." : "");
    if (id === undefined) { finder.reportValidity(); return; }
    choose(id);
    const box = graph.getBoundingClientRect();
    if (Math.max(home.w / box.width, home.h / box.height) > 1.4) setFocus(true);
  }
  finder.addEventListener("change", find);
  finder.addEventListener("input", () => finder.setCustomValidity(""));
  finder.addEventListener("keydown", (event) => { if (event.key === "Enter") find(); });
  chooser.addEventListener("change", () => (chooser.value === "" ? clear() : choose(chooser.value)));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-select]");
    if (!link) return;
    if (detail.contains(link)) event.preventDefault();
    else document.getElementById("v" + link.dataset.select).open = true;
    choose(link.dataset.select, detail.contains(link));
  });

  graph.addEventListener("keydown", (event) => {
    const node = event.target.closest(".node");
    const step = view.w / 12;
    const keys = {
      "+": () => zoom(0.75), "=": () => zoom(0.75), "-": () => zoom(1 / 0.75), "0": fit,
      ArrowLeft: () => move(-step, 0), ArrowRight: () => move(step, 0),
      ArrowUp: () => (node ? walk(node, true) : move(0, -step)),
      ArrowDown: () => (node ? walk(node, false) : move(0, step)),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
  function walk(node, up) {
    const next = neighbour(node.dataset.node, up);
    if (next !== undefined) choose(next, true);
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || chosen === null) return;
    if (focused) setFocus(false);
    else clear();
  });

  // --- tables sort by a click on the head of a column --------------------------------------------------------------
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (head.classList.contains("bar")) return;
      head.tabIndex = 0;
      const sort = () => {
        const descending = head.getAttribute("aria-sort") !== "descending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
        const rows = [...table.tBodies[0].rows].sort((a, b) => {
          const [x, y] = [key(a), key(b)];
          const order = isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y;
          return descending ? -order : order;
        });
        table.tBodies[0].append(...rows);
      };
      head.addEventListener("click", sort);
      head.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sort(); }
      });
    });
  }

  // On paper all tables are open.
  addEventListener("beforeprint", () => {
    setFocus(false);
    for (const card of document.querySelectorAll("details")) card.open = true;
  });
  addEventListener("resize", fit);
  fit();
})();
