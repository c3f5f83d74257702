"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  const set = (id, text) => { if (at(id).textContent !== text) at(id).textContent = text; };
  const number = (value, digits) => value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const count = (value, words) => (value ? `${value.toLocaleString("en")} ${words}` : "");
  let misses = 0, drawn = "", over = false;

  function shape(name, attributes, text) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text) element.textContent = text;
    return element;
  }

  // Steps: a bound holds until the next one. A gap of 0 has no logarithm and is drawn at the bottom.
  function plot(points, now) {
    const [left, right, top, bottom] = [70, 706, 12, 206];
    const gaps = points.map((p) => [p[0], Math.max(p[2] - p[1], 0)]);
    const open = gaps.map((g) => g[1]).filter((g) => g > 0);
    if (!open.length) return;
    const high = Math.ceil(Math.log10(Math.max(...open))), low = Math.min(Math.floor(Math.log10(Math.min(...open))), high - 1);
    const end = Math.max(gaps[gaps.length - 1][0], now, 1e-9);
    const x = (t) => left + (right - left) * t / end;
    const y = (g) => (g > 0 ? bottom - (bottom - top) * (Math.log10(g) - low) / (high - low) : bottom);
    const parts = [];
    const step = Math.max(1, Math.ceil((high - low) / 6));
    for (let e = low; e <= high; e += step) {
      const label = e > 4 || e < -3 ? `1e${e}` : String(Number((10 ** e).toPrecision(1)));
      parts.push(shape("line", { class: "grid", x1: left, x2: right, y1: y(10 ** e), y2: y(10 ** e) }));
      parts.push(shape("text", { class: "tick", x: left - 8, y: y(10 ** e) + 4, "text-anchor": "end" }, label));
    }
    parts.push(shape("text", { class: "tick", x: left, y: bottom + 22 }, "0 s"));
    parts.push(shape("text", { class: "tick", x: right, y: bottom + 22, "text-anchor": "end" }, `${number(end, 1)} s`));
    let path = "";
    gaps.forEach(([t, g], k) => { path += k ? `H${x(t).toFixed(1)}V${y(g).toFixed(1)}` : `M${x(t).toFixed(1)} ${y(g).toFixed(1)}`; });
    parts.push(shape("path", { class: "gap-line", d: `${path}H${x(end).toFixed(1)}` }));
    const first = !at("plot").childElementCount;
    at("plot").replaceChildren(...parts);
    if (first) at("plot").parentElement.scrollLeft = right;  // on a phone the newest part is the one to see
  }

  function show(state) {
    const running = state.status === "running";
    set("status", running ? (state.stopping ? "stopping" : "running") : state.status.replace("_", " "));
    at("stop").disabled = !running || state.stopping;
    if (state.station !== undefined) {
      set("station", state.station || "–");
      set("share", state.share === null ? "" : `${Math.round(state.share * 100)} % of this stage`);
      const known = state.lower_bound !== null && state.upper_bound !== null;
      set("gap", known ? number(state.upper_bound - state.lower_bound, 4) : "not known yet");
      set("found", state.upper_bound === null ? "–" : number(-state.upper_bound, 4));
      set("possible", state.lower_bound === null ? "–" : number(-state.lower_bound, 4));
      set("work", [count(state.evaluated, "sets"), count(state.expanded, "nodes")].filter(Boolean).join(", ") || "–");
    }
    set("seconds", `${number(state.elapsed, 1)} s`);
    set("workers", state.workers ? `${state.workers} thread${state.workers > 1 ? "s" : ""}` : "");
    set("memory", `${Math.round(state.memory / 1e6)} MB of memory`);
    plot(state.points, state.elapsed);
    if (state.drawing && state.drawing !== drawn) {
      drawn = state.drawing;
      const picture = new DOMParser().parseFromString(drawn, "image/svg+xml").documentElement;
      at("graph").replaceChildren(document.importNode(picture, true));
      at("no-network").textContent = "Parents stand above their children.";
    }
    if (running) return;
    over = true;
    if (state.status === "error") set("message", state.message || "The run ended without a result.");
    else location.replace("report");
  }

  async function ask() {
    try {
      const answer = await fetch("state", { cache: "no-store" });
      if (!answer.ok) throw new Error(String(answer.status));
      misses = 0;
      show(await answer.json());
    } catch (error) {
      misses += 1;
      if (misses > 2) set("status", "the command has ended, or is too busy to answer");
    }
    if (!over) setTimeout(ask, 1000);
  }

  at("stop").addEventListener("click", async () => {
    at("stop").disabled = true;
    set("status", "stopping");
    try { await fetch("stop", { method: "POST", headers: { "X-Sabna": "stop" } }); } catch (error) { at("stop").disabled = false; }
  });
  ask();
})();
