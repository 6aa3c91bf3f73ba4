// New: fields for each goal, files read here, seeds checked as they are typed.
import { $, $$, api, call, element, values } from "./app.js";

const form = $("#new");
const goal = () => form.elements.goal.value;

function showGoal() {
  for (const part of $$("[data-goals]")) part.hidden = !part.dataset.goals.split(" ").includes(goal());
  $("#about-note").textContent = ["topic", "sites"].includes(goal()) ? "" : "(optional)";
  if (goal() === "examples") $("#examples-box").open = true;
}
form.addEventListener("change", (event) => { if (event.target.name === "goal") showGoal(); });
showGoal();

async function intoField(input, field) {
  const file = input.files[0];
  if (!file) return;
  if (file.size > 5e6) { $("#problem").textContent = `${file.name} is larger than 5 MB; a few rows are enough`; $("#problem").classList.add("bad"); return; }
  field.value = await file.text();
}
$("#rows-file").addEventListener("change", (event) => intoField(event.target, $("#rows")));
$("#sites-file").addEventListener("change", (event) => intoField(event.target, $("#sites")));

function settings() {
  const found = {};
  for (const line of ($("#more")?.value || "").split("\n")) {
    const [key, ...rest] = line.split("=");
    if (rest.length && key.trim()) found[key.trim()] = rest.join("=").trim();
  }
  return found;
}

const lines = (field) => field.value.split("\n").map((line) => line.trim()).filter(Boolean);
let timer, checked = "", latest = 0;
async function check() {
  const seeds = lines($("#seeds")), contact = $("#contact").value.trim();
  const key = JSON.stringify([seeds, contact, settings()]);
  if (key === checked) return;
  checked = key;
  const list = $("#findings");
  if (!seeds.length) { list.replaceChildren(); return; }
  if (!contact) { list.replaceChildren(element("li", { class: "soft" }, "Give a contact below, then they are checked.")); return; }
  const turn = ++latest;
  list.replaceChildren(element("li", { class: "soft" }, "Checking …"));
  try {
    const answer = await call("POST", api("/check"), { seeds, contact, settings: settings() });
    if (turn !== latest) return;
    $("#contact-problem").textContent = "";
    list.replaceChildren(...answer.seeds.map((seed) => element("li", {}, element("span", { class: `badge ${seed.usable ? "yes" : "no"}` }, seed.usable ? "✓ usable" : `✗ ${seed.state}`), " ", element("span", { dir: "ltr" }, seed.url), " ", element("span", { class: "soft" }, [seed.words, seed.cure].filter(Boolean).join("; ")))));
  } catch (error) {
    if (turn !== latest) return;
    const contact = error.message.match(/^crawl\.contact = ".*": (.*)$/s);  // the fault of another field
    $("#contact-problem").textContent = contact ? contact[1] : "";
    list.replaceChildren(contact ? element("li", { class: "soft" }, "They are checked when the contact below is right.") : element("li", {}, element("span", { class: "badge no" }, "✗"), ` ${error.message}`));
  }
}
for (const field of [$("#seeds"), $("#contact")]) {
  field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(check, 900); });
  field.addEventListener("blur", check);
}
function nameByTopic() {
  const name = $("#name");
  if (!name.dataset.typed) name.value = $("#about").value.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 40);
}
$("#about").addEventListener("input", nameByTopic);
nameByTopic();  // something may have been typed before this script was loaded
$("#name").addEventListener("input", () => { $("#name").dataset.typed = "yes"; });

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const problem = $("#problem");
  problem.className = "message";
  problem.textContent = "";
  const body = values(form);
  if (!body.name.trim()) {
    problem.classList.add("bad");
    problem.textContent = goal() === "topic" && !body.about?.trim() ? "Say what you are looking for, and give the crawl a name." : "Give the crawl a name.";
    return;
  }
  body.value = { place: $("#country").value, files: $("#kind").value, schema: $("#schema").value, sites: $("#of-sites").value }[body.goal] || "";
  body.settings = settings();
  body.examples = [];
  for (const [input, good] of [[$("#saved"), true], [$("#saved-bad"), false]]) for (const file of input.files) body.examples.push({ name: file.name, html: await file.text(), good });
  if ($("#pasted").value.trim()) { const page = element("article", {}); page.textContent = $("#pasted").value; body.examples.push({ name: "pasted", html: `<!doctype html><html><body>${page.outerHTML}</body></html>`, good: true }); }
  if (body.goal === "sites") body.seeds = [];
  try {
    const made = await call("POST", api("/crawls"), body);
    location.href = made.url;
  } catch (error) {
    problem.classList.add("bad");
    problem.textContent = error.message.replace(/^crawl\.contact = ".*": /s, "Contact: ");
    problem.scrollIntoView({ block: "center" });
  }
});
