// Sort a table by a column: numbers by what they mean, names by the alphabet; unknown values stay last.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.querySelector("button")?.addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") === "descending" || (column === 0 && !head.hasAttribute("aria-sort"));
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const value = (row) => row.cells[column].dataset.value;
    const rows = [...table.tBodies[0].rows].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === undefined || y === undefined) return (x === undefined) - (y === undefined) || (column ? 0 : (up ? 1 : -1) * a.cells[0].textContent.localeCompare(b.cells[0].textContent));
      return (up ? 1 : -1) * (x - y);
    });
    table.tBodies[0].append(...rows);
  }));
}

// Show the values under the pointer or the finger, and bring one line to the front when its name is touched.
for (const figure of document.querySelectorAll("figure.curves")) {
  const svg = figure.querySelector("svg"), tip = figure.querySelector(".tip");
  const data = JSON.parse(figure.querySelector("script").textContent);
  const cross = document.createElementNS(svg.namespaceURI, "line");
  cross.setAttribute("class", "cross"); cross.setAttribute("y1", data.top); cross.setAttribute("y2", data.bottom);
  svg.append(cross);
  const hide = () => { tip.style.display = "none"; cross.style.visibility = "hidden"; };
  svg.addEventListener("pointerleave", hide);
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect(), scale = data.width / box.width;
    const share = ((event.clientX - box.left) * scale - data.left) / (data.right - data.left);
    if (share < 0 || share > 1) return hide();
    const at = share * data.most;
    const values = data.lines.map((line) => {
      let i = line.x.findIndex((x) => x >= at);
      if (i < 0) i = line.x.length - 1;
      return { name: line.name, colour: line.colour, mean: line.mean[i], half: line.half[i] };
    }).sort((a, b) => b.mean - a.mean);
    tip.replaceChildren(Object.assign(document.createElement("b"), { textContent: `after ${Math.round(at).toLocaleString("en")} fetches` }));
    for (const line of values) {
      const row = document.createElement("span"), name = document.createElement("i"), number = document.createElement("i");
      name.textContent = line.name; name.style.setProperty("--tone", `var(--c${line.colour})`);
      number.textContent = `${(100 * line.mean).toFixed(1)}${line.half ? ` ± ${(100 * line.half).toFixed(1)}` : ""} %`;
      number.style.setProperty("--tone", "transparent");
      row.append(name, number); tip.append(row);
    }
    const x = data.left + share * (data.right - data.left);
    cross.setAttribute("x1", x); cross.setAttribute("x2", x); cross.style.visibility = "visible";
    tip.style.display = "block";
    const left = event.clientX - box.left;
    tip.style.left = `${left > box.width / 2 ? Math.max(0, left - tip.offsetWidth - 16) : Math.min(left + 16, box.width - tip.offsetWidth)}px`;
  });
  for (const name of svg.querySelectorAll(".name")) {
    const mark = (on) => svg.querySelectorAll("[data-name]").forEach((part) =>
      part.classList.toggle(part.dataset.name === name.dataset.name ? "raised" : "faded", on));
    name.addEventListener("pointerenter", () => mark(true));
    name.addEventListener("pointerleave", () => mark(false));
  }
}
