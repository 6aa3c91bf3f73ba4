// Shared by all pages: calls of the REST interface, buttons and forms that use it, messages, theme, dialogs.

export const crawl = document.body.dataset.crawl || "";
export const api = (path) => "/api/v1" + path;
export const here = (path = "") => api(`/crawls/${encodeURIComponent(crawl)}${path}`);
export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const keep = Number(document.body.dataset.keep);
export const number = (value) => Math.round(value).toLocaleString("en");
export const percent = (value) => `${(100 * value).toFixed(value > 0 && value < 0.1 ? 1 : 0)}%`;

/** Make an element; children are nodes or text, never markup. */
export function element(tag, attributes = {}, ...children) {
  const made = tag.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** Call the REST interface; an error carries the server's sentence. */
export async function call(method, path, body) {
  let answer;
  try {
    answer = await fetch(path, { method, headers: body === undefined ? {} : { "Content-Type": "application/json" }, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Error("the server does not answer; is clew serve still running?");
  }
  const values = await answer.json().catch(() => ({ error: `the server answered ${answer.status}` }));
  if (!answer.ok) throw new Error(values.error || `the server answered ${answer.status}`);
  return values;
}

let leaving = false;
addEventListener("beforeunload", () => { leaving = true; });

/** Load the page again after some milliseconds, unless a link to another one was followed meanwhile. */
export function reload(wait = 0) {
  setTimeout(() => { if (!leaving) location.reload(); }, wait);
}

export function toast(text, bad = false) {
  const box = element("div", { class: bad ? "toast bad" : "toast", role: bad ? "alert" : "status" }, text);
  $("#toasts").append(box);
  setTimeout(() => box.remove(), bad ? 9000 : 5000);
}

/** An address, only if a browser may follow it. */
export function webUrl(url) {
  return /^https?:\/\/[^\s]+$/i.test(url) ? url : null;
}

export function shortUrl(url, most = 80) {
  const text = url.replace(/^https?:\/\//, "");
  return text.length <= most ? text : `${text.slice(0, most / 2)}…${text.slice(1 - most / 2)}`;
}

export function verdict(value, relevant) {
  if (value === null || value === undefined) return element("span", { class: "verdict soft" }, "not judged");
  const kind = relevant ? "yes" : "no";
  const bar = element("svg:svg", { viewBox: "0 0 44 6", "aria-hidden": "true" }, element("svg:rect", { class: "back", width: 44, height: 6, rx: 3 }), element("svg:rect", { class: "fore", width: 44 * value, height: 6, rx: 3 }));
  return element("span", { class: `verdict ${kind}` }, element("span", { class: "sign", "aria-hidden": "true" }, relevant ? "✓" : "✗"), bar, value.toFixed(value.toFixed(2) === keep.toFixed(2) ? 3 : 2), element("span", { class: "visually-hidden" }, relevant ? " relevant" : " not relevant"));
}

/** Text with words marked; `words` are pairs of a stem and whether it speaks for relevance. */
export function marked(text, words) {
  const out = document.createDocumentFragment();
  if (!words.length) { out.append(text); return out; }
  const escaped = words.map(([word]) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).sort((a, b) => b.length - a.length);
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join("|")})[\\p{L}\\p{N}]*|(${words.map(([word]) => word).filter((word) => /[^\x00-\u024f]/.test(word)).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|") || "(?!)"})`, "giu");
  const speaks = new Map(words.map(([word, good]) => [word.toLowerCase(), good]));
  let last = 0;
  for (const match of text.matchAll(pattern)) {
    out.append(text.slice(last, match.index));
    const good = speaks.get((match[1] || match[2]).toLowerCase());
    out.append(element("mark", { class: good === false ? "no" : null }, match[0]));
    last = match.index + match[0].length;
  }
  out.append(text.slice(last));
  return out;
}

/** Values of a form as JSON: numbers, booleans and lists by data-type. */
export function values(form) {
  const found = {};
  for (const field of form.elements) {
    if (!field.name || field.disabled || (field.type === "radio" && !field.checked) || field.type === "file") continue;
    const kind = field.dataset.type || (field.type === "number" ? "number" : field.type === "checkbox" ? "boolean" : "text");
    if (kind === "boolean") found[field.name] = field.checked;
    else if (kind === "number") { if (field.value !== "") found[field.name] = Number(field.value); }
    else if (kind === "lines") found[field.name] = field.value.split("\n").map((line) => line.trim()).filter(Boolean);
    else found[field.name] = field.value;
  }
  return found;
}

async function press(button) {
  const { post, put, remove, body, confirm: question, then } = button.dataset;
  if (question && !window.confirm(question)) return;
  button.disabled = true;
  try {
    const method = post ? "POST" : put ? "PUT" : "DELETE";
    const answer = await call(method, post || put || remove, JSON.parse(body || "{}"));
    if (then === "reload") location.reload();
    else if (then === "toast") toast(answer.message || button.dataset.done || "done");
    else if (then) location.href = then;
    button.dispatchEvent(new CustomEvent("done", { bubbles: true, detail: answer }));
  } catch (error) {
    toast(error.message, true);
  }
  button.disabled = false;
}

async function submit(form) {
  const output = $("[data-message]", form) || element("p");
  const button = $("button[type=submit], button:not([type])", form);
  output.className = "message";
  output.textContent = "";
  if (button) button.disabled = true;
  try {
    const answer = await call(form.dataset.method || "POST", form.dataset.api, values(form));
    if (form.dataset.then === "reload") location.reload();
    else if (form.dataset.then) location.href = form.dataset.then;
    if (answer.message) { output.textContent = answer.message; }
    form.dispatchEvent(new CustomEvent("done", { bubbles: true, detail: answer }));
  } catch (error) {
    output.classList.add("bad");
    output.textContent = error.message;
    output.focus?.();
  }
  if (button) button.disabled = false;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-post], button[data-put], button[data-remove]");
  if (button) press(button);
  const closer = event.target.closest("[data-close]");
  if (closer) closer.closest("dialog")?.close();
});
document.addEventListener("submit", (event) => {
  if (event.target.dataset.api) { event.preventDefault(); submit(event.target); }
});
document.addEventListener("change", (event) => {
  if (event.target.matches("select[data-go]")) event.target.form.requestSubmit();
});

// Theme: as the system says, or as chosen here.
const themes = ["auto", "light", "dark"];
function applyTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const button = $("#theme");
  if (button) { button.textContent = { auto: "◐ Auto", light: "☀ Light", dark: "☾ Dark" }[theme]; button.setAttribute("aria-label", `Theme: ${theme}`); }
}
let theme = "auto";
try { theme = localStorage.getItem("theme") || "auto"; } catch { /* private windows */ }
applyTheme(theme);
$("#theme")?.addEventListener("click", () => {
  theme = themes[(themes.indexOf(theme) + 1) % 3];
  try { localStorage.setItem("theme", theme); } catch { /* private windows */ }
  applyTheme(theme);
});


// On a narrow screen the pages are a row to scroll: show where we are.
const current = $(".side nav [aria-current]");
if (current) current.parentElement.scrollLeft = current.offsetLeft - (current.parentElement.clientWidth - current.clientWidth) / 2;
