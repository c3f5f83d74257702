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
  const part = document.getElementById("part");
  let chosen = null, focused = false;

  // --- view: the viewBox is what moves -----------------------------------------------------------------------------
  const whole = svg.viewBox.baseVal;
  const home = { x: whole.x, y: whole.y, w: whole.width, h: whole.height };
  let view = { ...home };
  svg.removeAttribute("width");
  svg.removeAttribute("height");

  function show() {
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
    part.hidden = focused || (view.w >= home.w - 1 && view.h >= home.h - 1);
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
  // Where names would be too small to read, the drawing begins with a part: around the variable with the most edges.
  function start() {
    const box = graph.getBoundingClientRect();
    const across = home.w / box.width, down = home.h / box.height;
    if (Math.max(across, down) <= 2.2) { fit(); return; }
    const scale = Math.min(Math.max(Math.min(across, down), 1), 1.8);
    view = { x: 0, y: 0, w: box.width * scale, h: box.height * scale };
    const count = new Map([...nodes.keys()].map((id) => [id, 0]));
    for (const e of edges) for (const id of [e.dataset.from, e.dataset.to]) count.set(id, count.get(id) + 1);
    centre([...nodes.keys()].reduce((a, b) => (count.get(b) > count.get(a) ? b : a)));
  }
  // A variable in the middle of the view, which does not go beyond the drawing.
  function centre(id) {
    const at = boxOf(nodes.get(id));
    const within = (middle, size, from, whole) =>
      size >= whole ? from + (whole - size) / 2 : Math.min(Math.max(middle - size / 2, from), from + whole - size);
    view.x = within(at.x + at.width / 2, view.w, home.x, home.w);
    view.y = within(at.y + at.height / 2, view.h, home.y, home.h);
    show();
  }
  function hidden(id) {
    const at = boxOf(nodes.get(id));
    return at.x < view.x || at.y < view.y || at.x + at.width > view.x + view.w || at.y + at.height > view.y + view.h;
  }
  function frame(some) {
    const boxes = some.map(boxOf);
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
  // Where the neighbours lie far apart in the drawing, they are set in rows: other parents of the children, parents,
  // the variable, children. Lines are straight then; what is moved is put back afterwards.
  const moved = new Map();
  const kept = new Map([...edges, ...labels].map((e) => [e, { d: e.getAttribute("d"), x: e.getAttribute("x"), y: e.getAttribute("y") }]));
  function boxOf(node) {
    const at = node.getBBox(), by = moved.get(node.dataset.node) || { x: 0, y: 0 };
    return { x: at.x + by.x, y: at.y + by.y, width: at.width, height: at.height };
  }
  function putBack() {
    for (const id of moved.keys()) nodes.get(id).removeAttribute("transform");
    if (moved.size) for (const [e, was] of kept) for (const key in was) if (was[key] !== null) e.setAttribute(key, was[key]);
    moved.clear();
  }
  function inRows(near) {
    const parents = new Set(edges.filter((e) => e.dataset.to === chosen).map((e) => e.dataset.from));
    const children = new Set(edges.filter((e) => e.dataset.from === chosen).map((e) => e.dataset.to));
    const others = [...near].filter((id) => id !== chosen && !parents.has(id) && !children.has(id));
    const most = Math.max(graph.getBoundingClientRect().width * 1.25, ...[...near].map((id) => nodes.get(id).getBBox().width));
    let y = 0;
    for (const group of [others, [...parents], [chosen], [...children]]) {
      const boxes = group.map((id) => [id, nodes.get(id).getBBox()]).sort((a, b) => a[1].x - b[1].x);
      while (boxes.length) {
        const row = [];
        let width = 0;
        while (boxes.length && (!row.length || width + boxes[0][1].width + 18 <= most)) {
          row.push(boxes.shift());
          width += row[row.length - 1][1].width + 18;
        }
        let x = -width / 2;
        for (const [id, at] of row) {
          moved.set(id, { x: x - at.x, y: y - at.y });
          nodes.get(id).setAttribute("transform", `translate(${x - at.x} ${y - at.y})`);
          x += at.width + 18;
        }
        y += boxes.length ? 52 : 78;
      }
    }
    for (const e of [...edges, ...labels]) if (near.has(e.dataset.from) && near.has(e.dataset.to)) straighten(e);
  }
  function straighten(e) {
    const a = boxOf(nodes.get(e.dataset.from)), b = boxOf(nodes.get(e.dataset.to));
    const from = { x: a.x + a.width / 2, y: a.y + a.height / 2 }, to = { x: b.x + b.width / 2, y: b.y + b.height / 2 };
    const dx = to.x - from.x, dy = to.y - from.y;
    const share = (box) => Math.min(box.width / 2 / Math.max(Math.abs(dx), 1e-9), box.height / 2 / Math.max(Math.abs(dy), 1e-9));
    const s = share(a), t = 1 - share(b);
    if (e.tagName === "path") e.setAttribute("d", `M${from.x + dx * s} ${from.y + dy * s}L${from.x + dx * t} ${from.y + dy * t}`);
    else { e.setAttribute("x", from.x + dx * 0.5); e.setAttribute("y", from.y + dy * 0.5); }
  }
  function setFocus(on) {
    focused = on && chosen !== null;
    svg.classList.toggle("focused", focused);
    focus.setAttribute("aria-pressed", String(focused));
    const near = focused ? blanket(chosen) : new Set();
    for (const [id, node] of nodes) node.classList.toggle("near", near.has(id));
    for (const e of [...edges, ...labels]) e.classList.toggle("near", near.has(e.dataset.from) && near.has(e.dataset.to));
    putBack();
    if (focused) {
      const box = graph.getBoundingClientRect(), needed = frame([...near].map((id) => nodes.get(id)));
      if (Math.max(needed.w / box.width, needed.h / box.height) > 1.4) inRows(near);
    }
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
    else if (hidden(id)) centre(id);
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
  // A phone that hides its address bar changes the height alone: that must not undo what was zoomed and moved.
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) fit();
    width = innerWidth;
  });
  start();
})();
