// The overview while a crawl runs: numbers, curve, queue and last pages change as the server reports them.
import { $, $$, call, crawl, element, here, number, percent, reload, shortUrl, toast, verdict } from "./app.js";
import { compared, curves, histogram, read } from "./chart.js";

function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const parts = [];
  let left = Math.floor(seconds);
  if (left >= 600) left -= left % 60;
  for (const [unit, size] of [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]]) {
    if (left >= size || (unit === "s" && !parts.length)) { parts.push(`${Math.floor(left / size)} ${unit}`); left %= size; }
  }
  return parts.slice(0, 2).join(" ");
}

function set(name, text) { for (const place of $$(`[data-live="${name}"]`)) if (place.textContent !== text) place.textContent = text; }

/** Say how the crawl compares with the breadth-first one after as many pages; few pages make no ratio. */
function compare(own, other) {
  const [pages, relevant] = own.at(-1) || [0, 0];
  const beside = other.filter((point) => point[0] <= pages).at(-1);
  if (!beside || !pages || pages > other.at(-1)[0] * 1.02) { $("#beside").textContent = ""; return; }
  const times = beside[1] >= 10 && relevant > beside[1] ? `, ${(relevant / beside[1]).toFixed(1)} times as many` : "";
  $("#beside").textContent = `${number(relevant)} relevant pages of ${number(pages)}${times}; breadth-first had ${number(beside[1])} after as many.`;
}

/** Buttons for one of the last pages: label it, or make a rule that leaves pages like it out. */
function actions(page) {
  const name = page.title || shortUrl(page.url);
  const buttons = page.verdict === null || page.verdict === undefined ? [element("span", { class: "soft small" }, page.error || "")]
    : [["yes", "✓", "Relevant"], ["no", "✗", "Not relevant"]].map(([value, sign, word]) => element("button", { class: "quiet small", "data-label": value, title: word, "aria-label": `${word}: ${name}` }, sign));
  const rule = element("a", { class: "button quiet small", title: "Exclude pages like it", "aria-label": `Exclude pages like ${shortUrl(page.url)}`, href: `/crawls/${encodeURIComponent(crawl)}/links?pattern=${encodeURIComponent(page.url)}` }, "⊘");
  return element("span", { class: "row tight", "data-url": page.url }, ...buttons, rule);
}

const labelled = new Map();  // the last pages are drawn anew while a crawl runs
function press(row) {
  for (const button of $$("[data-label]", row)) button.setAttribute("aria-pressed", String(labelled.get(row.dataset.url) === button.dataset.label));
}

$("#feed")?.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-label]");
  if (!button) return;
  const row = button.closest("[data-url]"), url = row.dataset.url;
  const value = labelled.get(url) === button.dataset.label ? null : button.dataset.label;
  try {
    const answer = await call("POST", here("/labels"), { labels: [{ url, good: value === null ? null : value === "yes" }] });
    if (value) labelled.set(url, value); else labelled.delete(url);
    press(row);
    toast(answer.message);
  } catch (error) { toast(error.message, true); }
});

function show(state) {
  if ($("#fresh")) { if (state.running || state.pages) reload(); return; }
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
    curves(figure, compared(state.curve, other));
    compare(state.curve, other);
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
    $("#best tbody").replaceChildren(...state.best.map((host) => element("tr", {}, element("td", { class: "host small" }, element("a", { class: "plain", title: host.host, href: `/crawls/${encodeURIComponent(host.shard === undefined ? crawl : `${crawl}:${host.shard}`)}/pages?host=${encodeURIComponent(host.host)}` }, shortUrl(host.host, 60))), element("td", { class: "num" }, number(host.relevant)), element("td", { class: "num soft" }, number(host.pages)))));
  }
  if (state.running && state.last.length) {
    $("#feed").replaceChildren(...state.last.slice(0, 12).map((page) => element("li", {}, verdict(page.verdict, page.relevant), element("a", { class: "plain cut", dir: "auto", href: `/crawls/${encodeURIComponent(crawl)}/why?url=${encodeURIComponent(page.url)}` }, page.title || shortUrl(page.url)), actions(page))));
    $$("#feed [data-url]").forEach(press);
  }
  $("#resting").replaceChildren(...state.resting.slice(0, 6).map((host) => element("p", { class: "small" }, element("strong", {}, host.host), ` rests ${duration(Math.max(0, host.seconds))}${host.reason ? `: ${host.reason}` : ""}`)));
}

if ($("#curve")) compare(read($("#curve"), "curve"), read($("#curve"), "other"));

let wasRunning = false;
function reloadAtTheEnd(state) {  // how it ended, hints with their cures, what is left
  if (wasRunning && !state.running) reload(1200);  // its last numbers are counted then
  if ($("#being-read") && state.pages) reload();
  wasRunning = state.running;
}

/** What a hint proposes, as a button or a link; the same as on a page that is loaded. */
function cure({ do: what, key, value }) {
  const base = `/crawls/${encodeURIComponent(crawl)}`;
  if (what === "exclude") return element("a", { class: "button tiny", href: `${base}/links?pattern=${encodeURIComponent(value)}` }, `Exclude ${value} …`);
  if (what === "edit") return element("a", { class: "button tiny", href: `${base}/settings#${encodeURIComponent(key)}` }, `Fill in ${key}`);
  if (what === "start") return element("button", { class: "tiny", "data-post": here("/start"), "data-body": JSON.stringify({ pages: Number(value) }), "data-then": "toast", "data-done": "started" }, `Go on up to ${number(Number(value))} pages`);
  return element("button", { class: "tiny", "data-put": here("/settings"), "data-body": JSON.stringify({ values: { [key]: value } }), "data-then": "toast", "data-done": "set; it applies from the next run on" }, `Set ${key} = ${value}`);
}

function note(values) {
  const list = $("#notes");
  $("li.soft:only-child", list)?.remove();
  list.prepend(element("li", {}, element("span", { class: "soft small" }, `${new Date(values.at * 1000).toTimeString().slice(0, 5)} `), values.note, " ", ...values.cures.map(cure)));
  while (list.children.length > 12) list.lastChild.remove();
}

const source = new EventSource(here("/events"));
source.addEventListener("state", (event) => { document.body.dataset.live = "yes"; const state = JSON.parse(event.data); show(state); reloadAtTheEnd(state); });
source.addEventListener("note", (event) => note(JSON.parse(event.data)));
source.addEventListener("error", () => { document.body.dataset.live = "no"; });
