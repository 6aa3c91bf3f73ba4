// Charts as SVG: curves with a cursor, histograms with a line to drag. Values come from data attributes.
import { $$, element, number } from "./app.js";

const WIDTH = 640;

function ticks(most, count = 4, least = 0) {
  if (most <= 0) return [0];
  const rough = most / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max([1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough && (!least || Number.isInteger(each))) || rough, least);
  const found = [];
  for (let at = 0; at <= most * 1.0001; at += step) found.push(at);
  return found;
}

const short = (value) => (value >= 1e6 ? `${+(value / 1e6).toFixed(1)}M` : value >= 1e4 ? `${+(value / 1e3).toFixed(1)}k` : value < 1 && value > 0 ? value.toFixed(2) : number(value));

/** Draw curves: `series` are {points: [[x, y]…], kind, name}. */
export function curves(figure, series, { height = 300, x = "pages", y = "" } = {}) {
  const width = Math.max(300, figure.clientWidth || WIDTH), left = 44, right = 12, top = 10, bottom = 26;
  const mostX = Math.max(1, ...series.flatMap((each) => each.points.map((point) => point[0])));
  const mostY = Math.max(y === "share" ? 0.05 : 1, ...series.flatMap((each) => each.points.map((point) => point[1])));
  const px = (value) => left + (value / mostX) * (width - left - right);
  const py = (value) => height - bottom - (value / mostY) * (height - top - bottom);
  const svg = element("svg:svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": figure.dataset.label || "" });
  for (const value of ticks(mostY, 4, y === "share" ? 0 : 1)) {
    svg.append(element("svg:line", { class: "axis", x1: left, x2: width - right, y1: py(value), y2: py(value) }));
    svg.append(element("svg:text", { x: left - 6, y: py(value) + 4, "text-anchor": "end" }, short(value)));
  }
  const marks = ticks(mostX, Math.max(2, Math.floor(width / 130)), 1);
  marks.forEach((value) => svg.append(element("svg:text", { x: px(value), y: height - 8, "text-anchor": value === 0 ? "start" : px(value) > width - 40 ? "end" : "middle" }, short(value) + (value === 0 ? ` ${x}` : ""))));
  for (const each of [...series].reverse()) {
    if (!each.points.length) continue;
    const line = each.points.map(([a, b], at) => `${at ? "L" : "M"}${px(a).toFixed(1)} ${py(b).toFixed(1)}`).join("");
    if (!each.kind) svg.append(element("svg:path", { class: "area", d: `${line}L${px(each.points.at(-1)[0]).toFixed(1)} ${py(0)}L${px(each.points[0][0]).toFixed(1)} ${py(0)}Z` }));
    svg.append(element("svg:path", { class: `line ${each.kind || ""}`, d: line }));
  }
  const cursor = element("svg:g", { visibility: "hidden" });
  const rule = element("svg:line", { class: "cursor", y1: top, y2: height - bottom });
  const dot = element("svg:circle", { class: "dot", r: 4.5 });
  const label = element("svg:text", { y: top + 4 });
  cursor.append(rule, dot, label);
  svg.append(cursor);
  svg.addEventListener("pointermove", (event) => {
    const points = series[0]?.points || [];
    if (!points.length) return;
    const box = svg.getBoundingClientRect();
    const value = ((event.clientX - box.left) * (width / box.width) - left) / (width - left - right) * mostX;
    const near = points.reduce((best, point) => (Math.abs(point[0] - value) < Math.abs(best[0] - value) ? point : best));
    rule.setAttribute("x1", px(near[0])); rule.setAttribute("x2", px(near[0]));
    dot.setAttribute("cx", px(near[0])); dot.setAttribute("cy", py(near[1]));
    const right_ = px(near[0]) > width / 2;
    label.setAttribute("x", px(near[0]) + (right_ ? -8 : 8)); label.setAttribute("text-anchor", right_ ? "end" : "start");
    label.textContent = y === "share" ? `${number(near[0])} ${x}: ${near[1].toFixed(3)}` : `${number(near[1])} relevant of ${number(near[0])} read`;
    cursor.setAttribute("visibility", "visible");
  });
  svg.addEventListener("pointerleave", () => cursor.setAttribute("visibility", "hidden"));
  $$("svg", figure).forEach((each) => each.remove());
  figure.prepend(svg);
}

/** Draw a histogram over 0 to 1; `keep` draws a line, `onmove` lets it be dragged. */
export function histogram(figure, counts, { height = 120, keep = null, onmove = null, x = "" } = {}) {
  const width = Math.max(220, figure.clientWidth || WIDTH), side = 8, bottom = 22, top = onmove ? 16 : 6;
  const most = Math.max(1, ...counts), step = (width - 2 * side) / Math.max(1, counts.length);
  const svg = element("svg:svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": figure.dataset.label || "" });
  counts.forEach((count, at) => {
    const tall = count ? Math.max(2, (Math.sqrt(count) / Math.sqrt(most)) * (height - top - bottom)) : 0;
    const bar = element("svg:rect", { class: keep !== null && (at + 0.5) / counts.length >= keep ? "bar yes" : "bar", x: side + at * step + 1, y: height - bottom - tall, width: Math.max(1, step - 2), height: tall, rx: 2 });
    bar.append(element("svg:title", {}, `${(at / counts.length).toFixed(2)} to ${((at + 1) / counts.length).toFixed(2)}: ${number(count)}`));
    svg.append(bar);
  });
  svg.append(element("svg:line", { class: "axis", x1: side, x2: width - side, y1: height - bottom, y2: height - bottom }));
  for (const value of [0, 0.5, 1]) svg.append(element("svg:text", { x: side + value * (width - 2 * side), y: height - 7, "text-anchor": value === 0 ? "start" : value === 1 ? "end" : "middle" }, value + (value === 0 && x ? ` ${x}` : "")));
  $$("svg", figure).forEach((each) => each.remove());
  figure.prepend(svg);
  if (keep === null) return;
  const line = element("svg:line", { class: "keep", y1: top - 8, y2: height - bottom }), grip = element("svg:circle", { class: "grip", r: 6, cy: top - 6 });
  svg.append(line, ...(onmove ? [grip] : []));
  let value = keep;
  const place = () => { const at = side + value * (width - 2 * side); line.setAttribute("x1", at); line.setAttribute("x2", at); grip.setAttribute("cx", at); };
  place();
  if (!onmove) return;
  const move = (event, end) => { const box = svg.getBoundingClientRect(); value = Math.min(1, Math.max(0, Math.round(((event.clientX - box.left) * (width / box.width) - side) / (width - 2 * side) * 100) / 100)); place(); onmove(value, end); };
  let dragging = false;
  svg.addEventListener("pointerdown", (event) => { dragging = true; svg.setPointerCapture(event.pointerId); move(event, false); });
  svg.addEventListener("pointermove", (event) => dragging && move(event, false));
  svg.addEventListener("pointerup", (event) => { if (dragging) { dragging = false; move(event, true); } });
}

export function read(figure, name) { return JSON.parse(figure.dataset[name] || "[]"); }

/** The curve of a crawl and of the one to compare with, which is cut a little after where the crawl is now. */
export function compared(own, other) {
  const last = own.at(-1)?.[0] || 0;
  const shown = other.filter(([pages]) => pages <= Math.max(100, 1.5 * last));
  return [{ points: own }, ...(shown.length ? [{ points: shown, kind: "other" }] : [])];
}

export function drawAll() {
  for (const figure of $$("figure[data-curve]")) curves(figure, compared(read(figure, "curve"), read(figure, "other")));
  for (const figure of $$("figure[data-counts]:not([data-own])")) histogram(figure, read(figure, "counts"), { keep: figure.dataset.keep ? Number(figure.dataset.keep) : null, x: figure.dataset.x || "" });
}
drawAll();
let waiting;
addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(drawAll, 150); });
