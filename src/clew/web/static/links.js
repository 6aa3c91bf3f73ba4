// Rules for hosts and URLs: how many links are concerned comes first.
import { $, call, here, number, toast } from "./app.js";

const pattern = $("#pattern"), verb = $("#verb"), value = $("#value"), apply = $("#apply"), said = $("#rule-count");

verb.addEventListener("change", () => {
  $("#value-box").hidden = !["delay", "pages"].includes(verb.value);
  value.value = verb.value === "pages" ? 100 : 5;
  apply.textContent = verb.value === "forget" ? "Delete permanently" : "Apply";
  apply.disabled = true;
  said.textContent = "";
  if (pattern.value) count();
});
pattern.addEventListener("input", () => { apply.disabled = true; said.textContent = ""; });

async function count() {
  said.className = "message";
  if (!pattern.value.trim()) return;
  said.textContent = "Counting …";
  try {
    if (verb.value === "forget") {
      said.textContent = `${(await call("POST", here("/forget"), { host: pattern.value })).message}.`;
      apply.disabled = false;
      return;
    }
    const found = await call("POST", here("/rules/count"), { pattern: pattern.value });
    said.textContent = found.known ? `${found.pattern} concerns ${number(found.open)} queued links; ${number(found.read)} pages of it are read, and stay.` : `No URL of this crawl matches ${found.pattern} yet: is it spelt correctly?`;
    apply.disabled = false;
    apply.focus();
  } catch (error) { said.classList.add("bad"); said.textContent = error.message; }
}
$("#count").addEventListener("click", count);
$("#rule").addEventListener("submit", (event) => { event.preventDefault(); count(); });
apply.addEventListener("click", async () => {
  const forgets = verb.value === "forget";
  if (forgets && !confirm(`Delete everything of ${pattern.value} from this crawl? It cannot be undone.`)) return;
  try {
    const answer = forgets ? await call("POST", here("/forget"), { host: pattern.value, delete: true }) : await call("POST", here("/rules"), { pattern: pattern.value, verb: verb.value, value: verb.value === "exclude" ? 0 : Number(value.value) });
    toast(answer.message);
    setTimeout(() => location.assign(location.pathname), forgets ? 2000 : 600);
  } catch (error) { said.classList.add("bad"); said.textContent = error.message; }
});
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-host]");
  if (!button) return;
  pattern.value = button.dataset.host;
  pattern.scrollIntoView({ block: "center" });
  pattern.focus();
  count();
});
if (pattern.value) count();
