// The overview while a crawl runs: numbers, curve, queue and last pages change as the server reports them.
import { $, $$, crawl, element, here, number, percent, shortUrl, verdict } from "./app.js";
import { curves, histogram, read } from "./chart.js";

function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const parts = [];
  let left = Math.floor(seconds);
  for (const [unit, size] of [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]]) {
    if (left >= size || (unit === "s" && !parts.length)) { parts.push(`${Math.floor(left / size)} ${unit}`); left %= size; }
  }
  return parts.slice(0, 2).join(" ");
}

function set(name, text) { for (const place of $$(`[data-live="${name}"]`)) if (place.textContent !== text) place.textContent = text; }

function show(state) {
  for (const name of ["pages", "relevant", "open", "in_flight", "failed"]) set(name, number(state[name] || 0));
  set("of_budget", state.budget ? `of ${number(state.budget)}` : "no limit");
  set("on_hosts", `on ${number(state.hosts)} host${state.hosts === 1 ? "" : "s"}`);
  set("pages_per_second", state.pages_per_second.toFixed(1));
  set("share", state.pages ? percent(state.relevant / state.pages) : "–");
  set("recent", state.recent === null ? "–" : percent(state.recent));
  set("left", duration(state.left_seconds));
  const badge = $("#state");
  const word = state.running ? state.state : badge.classList.contains("stopped") ? badge.textContent : "stopped";
  if (badge.textContent !== word) { badge.textContent = word; }
  badge.className = `badge ${state.running ? state.state : "stopped"}`;
  for (const button of $$("#controls button")) button.hidden = !button.dataset.for.split(" ").includes(state.state);
  const start = $("#start");
  const spent = state.budget && state.pages >= state.budget;
  if (state.pages && !state.running) {
    start.textContent = spent ? `Go on up to ${number(2 * state.pages)} pages` : "Go on";
    start.dataset.body = spent ? JSON.stringify({ pages: 2 * state.pages }) : "{}";
  }
  const bar = $("#budget");
  if (state.budget) { bar.hidden = false; bar.max = state.budget; bar.value = state.pages; }
  const figure = $("#curve");
  if (state.curve.length) {
    const other = read(figure, "other");
    figure.dataset.curve = JSON.stringify(state.curve);
    curves(figure, [{ points: state.curve }, ...(other.length ? [{ points: other, kind: "other" }] : [])]);
  }
  if (state.queued.length) {
    $("#scores").dataset.counts = JSON.stringify(state.queued);
    histogram($("#scores"), state.queued, { x: "score" });
    $("#queued-note").textContent = !state.open ? "No link is queued." : `${state.running ? "as ranked now" : "as they were scored when found"}; heights are square roots`;
  }
  for (const part of $$("[data-when]")) part.hidden = (part.dataset.when === "running") !== state.running;
  if (state.verdicts.length) { const figure = $("#by-verdict"); figure.dataset.counts = JSON.stringify(state.verdicts); histogram(figure, state.verdicts, { keep: Number(figure.dataset.keep), x: "verdict" }); }
  if (state.best.length) {
    $("#best").hidden = false;
    $("#best tbody").replaceChildren(...state.best.map((host) => element("tr", {}, element("td", { class: "host small" }, element("a", { class: "plain", title: host.host, href: `/crawls/${encodeURIComponent(crawl)}/pages?host=${encodeURIComponent(host.host)}` }, shortUrl(host.host, 60))), element("td", { class: "num" }, number(host.relevant)), element("td", { class: "num soft" }, number(host.pages)))));
  }
  if (state.running && state.last.length) {
    $("#feed").replaceChildren(...state.last.slice(0, 12).map((page) => element("li", {}, verdict(page.verdict, page.relevant), element("a", { class: "plain cut", dir: "auto", href: `/crawls/${encodeURIComponent(crawl)}/why?url=${encodeURIComponent(page.url)}` }, page.title || shortUrl(page.url)), element("span", { class: "soft small" }, page.error || ""))));
  }
  $("#resting").replaceChildren(...state.resting.slice(0, 6).map((host) => element("p", { class: "small" }, element("strong", {}, host.host), ` rests ${duration(Math.max(0, host.seconds))}${host.reason ? `: ${host.reason}` : ""}`)));
}

let wasRunning = false;
function reloadAtTheEnd(state) {  // how it ended, hints with their cures, what is left
  if (wasRunning && !state.running) location.reload();
  wasRunning = state.running;
}

function note(values) {
  const list = $("#notes");
  $("li.soft:only-child", list)?.remove();
  list.prepend(element("li", {}, element("span", { class: "soft small" }, `${new Date(values.at * 1000).toTimeString().slice(0, 5)} `), values.note));
  while (list.children.length > 12) list.lastChild.remove();
}

const source = new EventSource(here("/events"));
source.addEventListener("state", (event) => { document.body.dataset.live = "yes"; const state = JSON.parse(event.data); show(state); reloadAtTheEnd(state); });
source.addEventListener("note", (event) => note(JSON.parse(event.data)));
source.addEventListener("error", () => { document.body.dataset.live = "no"; });
