// Lab: curves of a race, and a form that starts one.
import { $, $$, api, call, element, reload, values } from "./app.js";
import { curves } from "./chart.js";

const kinds = ["", "c1", "c2", "c3", "c4", "c5", "c6", "other"];
function draw() {
  for (const figure of $$("figure[data-race]")) {
    const policies = JSON.parse(figure.dataset.race).slice(0, kinds.length);
    curves(figure, policies.map((each, at) => ({ points: each.points, kind: kinds[at] })), { y: "share" });
    $(".legend", figure).replaceChildren(...policies.map((each, at) => element("span", { class: kinds[at] || null }, `${each.policy} ${each.points.at(-1)[1].toFixed(3)}`)));
  }
}
draw();
addEventListener("resize", draw);
const showTask = () => { $("#task-box").hidden = Boolean($("#world").value); };  // a crawl has its own goal
$("#world").addEventListener("change", showTask);
showTask();

async function watch() {  // until a race that goes on has ended
  const before = $$("#races [data-state=running]").length;
  if (!before) return;
  const { started } = await call("GET", api("/lab")).catch(() => ({ started: null }));
  if (started && started.filter((each) => each.state === "running").length < before) reload();
  else setTimeout(watch, 2000);
}
watch();
$("#race").addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = values(event.target), message = $("#race-message");
  body.policies = $$("[data-policy]").filter((box) => box.checked).map((box) => box.dataset.policy);
  message.className = "message";
  try { await call("POST", api("/lab"), body); location.href = "/lab"; } catch (error) { message.classList.add("bad"); message.textContent = error.message; }
});
