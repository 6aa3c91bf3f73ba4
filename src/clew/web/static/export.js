// Export: a preview of the chosen format, and the same as a command.
import { $, call, element, here } from "./app.js";

const form = $("#export"), hidden = form.querySelector("input[type=hidden]");
const asked = new URLSearchParams(location.search);
for (const [name, value] of asked) if (form.elements[name]) form.elements[name].value = value;

async function preview() {
  hidden.disabled = $("#text").checked;
  const params = new URLSearchParams(new FormData(form));
  const format = params.get("format"), rows = params.get("what") === "rows" || format === "geojson";
  const corpus = format === "corpus.tar", links = params.get("what") === "links" && !corpus;
  const file = corpus ? "corpus/" : `${rows ? "rows" : links ? "links" : "pages"}.${format}`;
  $("#command").textContent = ["clew export", $("#command").dataset.folder, file, corpus ? "--corpus" : rows ? "--records" : links ? "--links" : "", params.get("only") && !rows ? "--only relevant" : "", $("#text").checked || rows || links || corpus ? "" : "--no-text", params.get("fields") && !links && !corpus ? `--fields ${params.get("fields")}` : ""].filter(Boolean).join(" ");
  try {
    const found = await call("GET", here(`/export/preview?${params}`));
    $("#preview-note").textContent = found.note;
    $("#preview").replaceChildren(element("thead", {}, element("tr", {}, ...found.columns.map((name) => element("th", {}, name)))), element("tbody", {}, ...found.rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", { class: "small", dir: "auto" }, cell === null ? "–" : String(cell).slice(0, 90)))))));
  } catch (error) { $("#preview-note").textContent = error.message; $("#preview").replaceChildren(); }
}
form.addEventListener("change", preview);
form.addEventListener("input", preview);
preview();
