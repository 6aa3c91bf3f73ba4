// Rules for hosts and URLs: how many links are concerned comes first.
import { $, call, here, number, toast } from "./app.js";

const pattern = $("#pattern"), verb = $("#verb"), value = $("#value"), apply = $("#apply"), said = $("#rule-count");

verb.addEventListener("change", () => { $("#value-box").hidden = verb.value === "exclude"; value.value = verb.value === "pages" ? 100 : 5; });
pattern.addEventListener("input", () => { apply.disabled = true; said.textContent = ""; });

async function count() {
  said.className = "message";
  if (!pattern.value.trim()) return;
  said.textContent = "Counting …";
  try {
    const found = await call("POST", here("/rules/count"), { pattern: pattern.value });
    said.textContent = found.known ? `${found.pattern} concerns ${number(found.open)} queued links; ${number(found.read)} pages of it are read, and stay.` : `No URL of this crawl matches ${found.pattern} yet: is it spelt correctly?`;
    apply.disabled = false;
    apply.focus();
  } catch (error) { said.classList.add("bad"); said.textContent = error.message; }
}
$("#count").addEventListener("click", count);
$("#rule").addEventListener("submit", (event) => { event.preventDefault(); count(); });
apply.addEventListener("click", async () => {
  try {
    const answer = await call("POST", here("/rules"), { pattern: pattern.value, verb: verb.value, value: verb.value === "exclude" ? 0 : Number(value.value) });
    toast(answer.message);
    setTimeout(() => location.assign(location.pathname), 600);
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
