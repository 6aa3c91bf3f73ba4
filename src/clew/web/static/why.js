// Why: label the page that is explained.
import { $, $$, call, here, toast } from "./app.js";

$("#label")?.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-label]");
  if (!button) return;
  const pressed = button.getAttribute("aria-pressed") === "true";
  try {
    const answer = await call("POST", here("/labels"), { labels: [{ url: $("#label").dataset.url, good: pressed ? null : button.dataset.label === "yes" }] });
    for (const each of $$("[data-label]", $("#label"))) each.setAttribute("aria-pressed", String(!pressed && each === button));
    toast(answer.message);
  } catch (error) { toast(error.message, true); }
});
