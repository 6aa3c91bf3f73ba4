// Teach: one question at a time, one key for each answer, and what it has changed.
import { $, call, element, here, marked, toast, verdict, webUrl, shortUrl } from "./app.js";

let queue = [], terms = [], current = null, done = [], skipped = new Set(), busy = false;

function show() {
  current = queue.shift() || null;
  $("#question").hidden = !current;
  $("#nothing").hidden = Boolean(current);
  if (!current) return;
  $("#question-title").textContent = current.title || shortUrl(current.url);
  const link = $("#question-url");
  link.textContent = shortUrl(current.url, 100);
  if (webUrl(current.url)) link.href = current.url; else link.removeAttribute("href");
  $("#question-verdict").replaceChildren(verdict(current.verdict, current.verdict >= current.keep));
  $("#question-why").textContent = current.why;
  $("#question-because").textContent = current.because.length ? `Asked because ${current.because.join("; ")}.` : "";
  $("#question-text").replaceChildren(marked(current.text, terms));
  $("#question-text").scrollTop = 0;
}

async function load() {
  if (busy) return;
  busy = true;
  try {
    const answer = await call("GET", here("/questions?number=20"));
    terms = answer.terms;
    const waiting = new Set([...(current ? [current.url] : []), ...skipped, ...done.map((each) => each.url)]);
    queue = answer.questions.filter((each) => !waiting.has(each.url));
    if (!current) show();
    if (!current) {
      $("#nothing-title").textContent = "Nothing to ask";
      $("#nothing-text").textContent = answer.labels[0] + answer.labels[1] ? "Every page that would help has an answer. More come as the crawl reads on." : "No page has been judged yet. Start the crawl first.";
    }
  } catch (error) {
    $("#nothing-title").textContent = error.message;
    setTimeout(load, 3000);
  }
  busy = false;
}

function report(text, word, what) {
  $("#effect").textContent = text;
  $("#history").prepend(element("li", {}, element("strong", {}, word), " ", element("span", { class: "soft" }, what), ` ${text}`));
  while ($("#history").children.length > 8) $("#history").lastChild.remove();
}

async function send(url, good) {
  const answer = await call("POST", here("/labels"), { labels: [{ url, good }] });
  $("#good").textContent = answer.labels[0];
  $("#bad").textContent = answer.labels[1];
  report(answer.message, good === null ? "removed" : good ? "yes" : "no", shortUrl(url, 40));
  refreshTerms();
}

/** Show what the answers have taught: terms that are new or have another weight stand out for a moment. */
async function refreshTerms() {
  const before = new Map([...$("#terms").children].map((item) => [item.dataset.term, item.querySelector(".weight")?.textContent]));
  try { showTerms((await call("GET", here("/terms"))).terms); } catch { return; }
  for (const item of $("#terms").children) item.classList.toggle("fresh", before.get(item.dataset.term) !== item.querySelector(".weight")?.textContent);
}

async function answer(kind) {
  if (kind === "undo") {
    const last = done.pop();
    $("#undo").disabled = !done.length;
    if (!last) return;
    try { if (last.good !== undefined) await send(last.url, null); } catch (error) { toast(error.message, true); }
    skipped.delete(last.url);
    if (current) queue.unshift(current);
    queue.unshift(last.question);
    show();
    return;
  }
  if (!current) return;
  const asked = current;
  const good = kind === "skip" ? undefined : kind === "yes";
  done.push({ url: asked.url, good, question: asked });
  if (kind === "skip") skipped.add(asked.url);
  $("#undo").disabled = false;
  show();
  if (good !== undefined) {
    $("#effect").textContent = "…";
    try { await send(asked.url, good); } catch (error) { toast(error.message, true); }
  }
  if (queue.length < 3) load();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-answer]");
  if (button) answer(button.dataset.answer);
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  const kind = { y: "yes", n: "no", s: "skip", u: "undo" }[event.key.toLowerCase()];
  if (kind) { event.preventDefault(); answer(kind); }
});

function showTerms(list) {
  $("#terms").replaceChildren(...list.map((term) => element("li", { class: term.use === "strike" ? "struck" : Math.abs(term.weight) < 0.5 ? "weak" : null, "data-term": term.term }, element("span", { dir: "auto", title: term.sample || "" }, term.word), element("span", { class: "weight" }, `${term.weight >= 0 ? "+" : ""}${term.weight.toFixed(1)}`), element("button", { "aria-label": `${term.use === "strike" ? "Restore" : "Strike"} ${term.word}` }, term.use === "strike" ? "↺" : "✕"))));
}
async function changeTerms(body, word, term) {
  try {
    const answer = await call("POST", here("/terms"), body);
    showTerms(answer.terms);
    report(answer.message, word, term);
  } catch (error) { toast(error.message, true); }
}
$("#terms").addEventListener("click", (event) => {
  const item = event.target.closest("button")?.closest("li");
  const term = item?.dataset.term;
  if (item?.classList.contains("struck")) changeTerms({ restore: [term] }, "restored", item.firstChild.textContent);
  else if (item) changeTerms({ strike: [term] }, "struck", item.firstChild.textContent);
});
$("#all-terms").addEventListener("click", (event) => {
  const all = $("#terms").classList.toggle("all");
  event.target.setAttribute("aria-expanded", String(all));
  event.target.textContent = all ? "Show strong terms only" : "Show weak terms too";
});
$("#add-term").addEventListener("submit", (event) => {
  event.preventDefault();
  changeTerms({ add: { [$("#word").value.trim()]: Number($("#weight").value) } }, "added", $("#word").value.trim());
  $("#word").value = "";
});
$("#apply")?.addEventListener("done", (event) => report(event.detail.message, "applied", ""));
load();
