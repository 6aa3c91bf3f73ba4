// Settings: send only what was changed here.
import { $, call, toast, values } from "./app.js";

const form = $("#settings"), before = values(form), message = $("#settings-message");
form.removeAttribute("data-api");
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const after = values(form), changed = {};
  for (const [name, value] of Object.entries(after)) if (JSON.stringify(value) !== JSON.stringify(before[name])) changed[name] = value;
  message.className = "message";
  if (!Object.keys(changed).length) { message.textContent = "Nothing has changed."; return; }
  try {
    const answer = await call("PUT", `/api/v1/crawls/${encodeURIComponent(document.body.dataset.crawl)}/settings`, { values: changed });
    Object.assign(before, after);
    message.textContent = answer.message;
    toast(answer.message);
  } catch (error) { message.classList.add("bad"); message.textContent = error.message; message.scrollIntoView({ block: "center" }); }
});
