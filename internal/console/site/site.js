// The page reads itself again when something that it shows has changed. Without this
// script it shows the same after it was loaded again.
(function () {
  const address = document.body.dataset.live;
  if (!address || !window.EventSource) return;
  let stream = null;
  function listen() {
    if (stream || document.hidden) return;
    stream = new EventSource(address);
    stream.addEventListener("change", renew);
    stream.addEventListener("error", function () {
      if (stream && stream.readyState === EventSource.CLOSED && !looking) look();
    });
  }
  // Without a stream the page asks now and then whether something has changed.
  let looking = 0, seen = "";
  async function look() {
    looking = setTimeout(look, 15000 * (0.8 + 0.4 * Math.random()));
    const answer = await fetch(address + "&look=1").catch(() => null);
    if (!answer || answer.status === 429 || answer.status >= 500) return; // the next look may tell
    if (!answer.ok || answer.redirected) { stop(); renew(); return; } // the page says why
    const now = await answer.text();
    if (seen && seen !== now) renew();
    seen = now;
  }
  function stop() {
    clearTimeout(looking);
    looking = 0;
    stream?.close();
    stream = null;
  }
  async function renew() {
    const main = document.querySelector("main");
    const busy = document.activeElement;
    if (busy && main.contains(busy) && busy.matches("input, textarea, select")) return;
    if (main.querySelector("details[open]")) return; // somebody is at a form
    if (!getSelection().isCollapsed) return;
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
    if (!page) return;
    if (new URL(answer.url).pathname !== location.pathname) { location.reload(); return; }
    const links = busy ? [...main.querySelectorAll("a, button, pre, summary")].indexOf(busy) : -1;
    const drawn = [...main.querySelectorAll(".pages")];
    main.replaceChildren(...page.childNodes);
    // Pages that are drawn stay as they are.
    for (const fresh of main.querySelectorAll(".pages")) {
      const old = drawn.find((e) => e.dataset.pdf === fresh.dataset.pdf && e.dataset.marks === fresh.dataset.marks);
      if (old) fresh.replaceWith(old);
    }
    if (links >= 0) [...main.querySelectorAll("a, button, pre, summary")][links]?.focus({ preventScroll: true });
  }
  document.addEventListener("visibilitychange", function () {
    if (document.hidden) { stop(); return; }
    renew();
    listen();
  });
  listen();
})();
