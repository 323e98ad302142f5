/* Pages whose numbers move read themselves again: only while somebody can see them, and never under the reader's hands. */
"use strict";

(() => {
  const live = document.querySelector("[data-refresh]");
  const told = document.querySelector(".cs-read");
  const button = document.querySelector(".cs-pause");
  const next = document.querySelector(".cs-next");
  if (!live || !told || !button || !next) return;

  const every = Number(live.dataset.refresh) * 1000;
  const memory = "claimsite.paused";
  let paused = sessionStorage.getItem(memory) === "yes";
  let due = Date.now() + every;
  let isReading = false;
  let trouble = "";

  const isInUse = () => {
    const chosen = window.getSelection();
    const typing = document.activeElement?.matches("input, textarea, select") && live.contains(document.activeElement);
    return typing || Boolean(document.querySelector("dialog[open]")) || (!chosen.isCollapsed && live.contains(chosen.anchorNode));
  };

  const put = (page) => {
    const fresh = page.querySelector("[data-refresh]");
    if (!fresh) throw new Error("the page is not there any more");
    // Whoever goes by keyboard stays where they are.
    const place = live.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    live.replaceChildren(...fresh.childNodes);
    told.replaceChildren(...page.querySelector(".cs-read").childNodes);
    told.title = page.querySelector(".cs-read").title;
    if (place) live.querySelector(`[href="${CSS.escape(place)}"]`)?.focus({ preventScroll: true });
    document.dispatchEvent(new Event("claimsite:read"));
  };

  const read = async () => {
    isReading = true;
    try {
      const response = await fetch(window.location.href, { cache: "no-store", credentials: "same-origin" });
      // Logged out meanwhile: the reader is asked to log in, as by any other click.
      if (response.redirected) return void window.location.reload();
      if (!response.ok) throw new Error(`the server answered ${response.status}`);
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (!isInUse() && !paused) put(page);
      trouble = "";
    } catch (error) {
      trouble = `not read again: ${error.message}`;
    }
    isReading = false;
    due = Date.now() + every;
  };

  const tick = () => {
    if (paused) next.textContent = "paused";
    else if (trouble) next.textContent = trouble;
    else next.textContent = `next in ${Math.max(Math.ceil((due - Date.now()) / 1000), 0)} s`;
    next.classList.toggle("cs-trouble", Boolean(trouble) && !paused);
    if (!paused && !isReading && !document.hidden && !isInUse() && Date.now() >= due) read();
  };

  const label = () => {
    button.textContent = paused ? "Go on" : "Pause";
    button.setAttribute("aria-pressed", String(paused));
  };

  button.addEventListener("click", () => {
    paused = !paused;
    sessionStorage.setItem(memory, paused ? "yes" : "no");
    label();
    tick();
  });
  // Whoever comes back to the tab sees at once what is so now.
  document.addEventListener("visibilitychange", tick);

  button.hidden = false;
  label();
  tick();
  setInterval(tick, 1000);
})();
