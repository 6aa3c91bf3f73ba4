// Lab: curves of a race, and a form that starts one.
import { $, $$, api, call, element, values } from "./app.js";
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
$("#race").addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = values(event.target), message = $("#race-message");
  body.policies = $$("[data-policy]").filter((box) => box.checked).map((box) => box.dataset.policy);
  message.className = "message";
  try { message.textContent = (await call("POST", api("/lab"), body)).message; } catch (error) { message.classList.add("bad"); message.textContent = error.message; }
});
