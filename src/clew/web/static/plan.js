// The plan of a run: hosts, delays, rules, time.
import { $, call, element, here, number, shortUrl } from "./app.js";

const span = (seconds) => (seconds === null ? "–" : seconds < 90 ? `${Math.round(seconds)} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : seconds < 172800 ? `${(seconds / 3600).toFixed(1)} h` : `${(seconds / 86400).toFixed(1)} d`);

try {
  const plan = await call("GET", here("/plan"));
  const skipped = Object.entries(plan.seeds).filter(([, rule]) => rule);
  const usable = Object.keys(plan.seeds).length - skipped.length;
  $("#plan-state").textContent = usable ? `${usable} of ${Object.keys(plan.seeds).length} seeds can be fetched.` : "No seed can be fetched: use other seeds, or try again later.";
  if (!usable) $("#plan-state").classList.add("bad");
  const figures = [["Hosts known", number(plan.hosts.length)], ["Links in scope now", number(plan.in_scope)], ["Pages to fetch", !plan.budget_pages ? "no limit" : number(plan.to_fetch)], ["Time, at least", span(plan.at_least)], ["Disk", `${(plan.disk_bytes / 1e6).toFixed(0)} MB`]];
  $("#plan-figures").replaceChildren(...figures.map(([name, text]) => element("div", {}, element("dt", {}, name), element("dd", {}, text))));
  $("#plan-figures").hidden = false;
  $("#plan-warnings").replaceChildren(...[...plan.warnings, ...skipped.map(([seed, rule]) => `${seed}: ${rule}`)].map((text) => element("p", { class: "message warn" }, text)));
  if (plan.budget_pages && !plan.to_fetch) $("#plan-state").textContent += " The budget is spent: raise crawl.pages in the settings, or go on from the overview.";
  $("#plan-hosts tbody").replaceChildren(...plan.hosts.slice(0, 200).map((host) => element("tr", {}, element("td", { class: "wrap wide name" }, shortUrl(host.origin, 60)), element("td", { "data-label": "May we?" }, element("span", { class: `badge ${host.may === "no" ? "no" : host.may === "yes" ? "yes" : ""}` }, host.may), " ", element("span", { class: "soft small" }, host.why)), element("td", { class: "num", "data-label": "Delay" }, `${host.delay} s`), element("td", { class: "num", "data-label": "Links in scope" }, number(host.in_scope)), element("td", { class: "small soft", "data-label": "Left out" }, Object.entries(host.dropped).map(([rule, count]) => `${rule}: ${number(count)}`).join(", ") || "–"))));
  $("#plan-hosts").hidden = false;
} catch (error) {
  $("#plan-state").textContent = error.message;
  $("#plan-state").classList.add("bad");
}
