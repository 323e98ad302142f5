/* What the pages can do beyond HTML. They work without it: buttons that copy, keys, and forms that wait for the right word. */
"use strict";

(() => {
  const copyText = async (text) => {
    if (navigator.clipboard && window.isSecureContext) {
      await navigator.clipboard.writeText(text);
      return;
    }
    // Browsers give the clipboard to secure pages only; this way is older than that rule.
    const area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    event.preventDefault();
    await copyText(button.dataset.copy);
    button.classList.add("cs-copied");
    setTimeout(() => button.classList.remove("cs-copied"), 1200);
  });

  // "/" goes to the search box, from wherever nothing is being typed.
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const box = document.getElementById("cs-find");
    if (!box) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    box.focus();
    box.select();
  }, true);

  // The button of an act waits until what was typed names what is meant. The server judges again.
  for (const input of document.querySelectorAll("[data-passwords]")) {
    const button = input.form.querySelector("button[type=submit]");
    const passwords = input.dataset.passwords.split("\n");
    const judge = () => {
      button.disabled = !passwords.includes(input.value.trim().toLowerCase());
      button.title = button.disabled ? `Waits until “To confirm” holds ${passwords.map((word) => `“${word}”`).join(" or ")}` : "";
    };
    input.addEventListener("input", judge);
    judge();
  }

  // Empty fields of the filter bar stay out of the address.
  for (const form of document.querySelectorAll("form.cs-filters")) {
    form.addEventListener("submit", () => {
      for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
    });
  }

  // Of thousands of cells one is reached by Tab, and the others from there by the arrow keys.
  const rove = () => {
    for (const list of document.querySelectorAll(".cs-heat")) {
      const cells = [...list.querySelectorAll("a")];
      const place = Math.max(cells.indexOf(document.activeElement), 0);
      cells.forEach((cell, number) => { cell.tabIndex = number === place ? 0 : -1; });
    }
  };
  document.addEventListener("keydown", (event) => {
    const cell = event.target.closest(".cs-heat a");
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    const cells = [...cell.closest(".cs-heat").querySelectorAll("a")];
    const inRow = cells.filter((other) => other.offsetTop === cells[0].offsetTop).length;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -inRow, ArrowDown: inRow }[event.key];
    const next = step && cells[cells.indexOf(cell) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
    rove();
  });
  document.addEventListener("claimsite:read", rove);
  rove();

  // Where the look brings Chart.js, charts are drawn with it; the columns beneath are what is seen without.
  if (window.Chart) {
    const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const drawn = [];
    const draw = () => {
      while (drawn.length) drawn.pop().destroy();
      for (const figure of document.querySelectorAll("[data-chart]")) {
        const { title, labels, values } = JSON.parse(figure.dataset.chart);
        const box = figure.querySelector(".cs-chart-box");
        let canvas = box.querySelector("canvas");
        if (!canvas) {
          canvas = document.createElement("canvas");
          canvas.setAttribute("role", "img");
          canvas.setAttribute("aria-label", box.querySelector("[aria-label]").getAttribute("aria-label"));
          box.replaceChildren(canvas);
        }
        const scale = { ticks: { color: colour("--cs-quiet"), maxTicksLimit: 8, precision: 0 }, border: { color: colour("--cs-line") } };
        drawn.push(new window.Chart(canvas, {
          type: "bar",
          data: { labels, datasets: [{ label: title, data: values, backgroundColor: colour("--cs-info"), borderRadius: 2 }] },
          options: {
            animation: false,
            maintainAspectRatio: false,
            plugins: { legend: { display: false } },
            scales: {
              x: { ...scale, grid: { display: false } },
              y: { ...scale, beginAtZero: true, suggestedMax: 1, grid: { color: colour("--cs-line") } },
            },
          },
        }));
      }
    };
    draw();
    document.addEventListener("claimsite:read", draw);
    new MutationObserver(draw).observe(document.documentElement, { attributes: true, attributeFilter: ["class", "data-theme"] });
  }

  window.addEventListener("pageshow", () => {
    for (const field of document.querySelectorAll("form.cs-filters :disabled")) field.disabled = false;
  });
})();
