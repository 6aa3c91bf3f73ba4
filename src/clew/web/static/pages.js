// Pages: preview, labels, and the line of the histogram.
import { $, $$, call, here, number, toast } from "./app.js";
import { histogram, read } from "./chart.js";

const figure = $("#verdicts"), line = $("#line"), counts = figure ? read(figure, "counts") : [];

function above(value) {
  const total = counts.reduce((sum, count, at) => sum + ((at + 0.5) / counts.length >= value ? count : 0), 0);
  $("#above").textContent = `${number(total)} pages have a verdict of ${value.toFixed(2)} or more`;
}
function draw(value) {
  histogram(figure, counts, { keep: value, onmove: (moved, end) => { line.value = moved; above(moved); if (end) draw(moved); } });
}
if (figure) {
  draw(Number(line.value));
  above(Number(line.value));
  line.addEventListener("input", () => { draw(Number(line.value)); above(Number(line.value)); });
  addEventListener("resize", () => draw(Number(line.value)));
  $("#show-above").addEventListener("click", () => {
    const address = new URL(location.href);
    address.searchParams.set("low", line.value);
    address.searchParams.delete("offset");
    location.href = address;
  });
  $("#set-keep").addEventListener("click", async () => {
    if (!confirm(`Call pages relevant from a verdict of ${line.value} on (goal.keep)? It applies from the next run on.`)) return;
    try { await call("PUT", here("/settings"), { values: { "goal.keep": line.value } }); toast(`the threshold is ${line.value} from the next run on`); } catch (error) { toast(error.message, true); }
  });
}

const dialog = $("#preview");
let shown = null;

function showFrame(on) {
  $("#as-text").setAttribute("aria-pressed", String(!on));
  $("#as-page").setAttribute("aria-pressed", String(on));
  $("#preview-text").hidden = on;
  const box = $("#preview-frame");
  box.hidden = !on;
  box.replaceChildren();
  if (on && shown) {
    const frame = document.createElement("iframe");
    frame.className = "replay";
    frame.title = "Archived page, without scripts and network";
    frame.setAttribute("sandbox", "");
    frame.referrerPolicy = "no-referrer";
    frame.src = here(`/pages/${shown.id}/archived`);
    box.append(frame);
  }
  $("#preview-note").textContent = on ? "shown without scripts, images of other servers and links" : "";
}

async function preview(id) {
  try { shown = await call("GET", here(`/pages/${id}`)); } catch (error) { toast(error.message, true); return; }
  $("#preview-title").textContent = shown.title || shown.url;
  $("#preview-url").textContent = shown.url;
  $("#preview-text").textContent = shown.text || "This page has no text.";
  $("#as-page").disabled = !shown.archived;
  showFrame(false);
  dialog.showModal();
}

$("#as-text").addEventListener("click", () => showFrame(false));
$("#as-page").addEventListener("click", () => showFrame(true));

document.addEventListener("click", async (event) => {
  const row = event.target.closest(".results > li");
  if (!row) return;
  if (event.target.closest("[data-preview]") && !event.ctrlKey && !event.metaKey) { event.preventDefault(); preview(row.dataset.id); return; }
  const button = event.target.closest("[data-label]");
  if (!button) return;
  const pressed = button.getAttribute("aria-pressed") === "true";
  const good = pressed ? null : button.dataset.label === "yes";
  try {
    const answer = await call("POST", here("/labels"), { labels: [{ url: row.dataset.url, good }] });
    for (const each of $$("[data-label]", row)) each.setAttribute("aria-pressed", String(!pressed && each === button));
    toast(answer.message);
  } catch (error) { toast(error.message, true); }
});
