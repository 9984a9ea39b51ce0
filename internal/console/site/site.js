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
    main.replaceChildren(...page.childNodes);
    if (links >= 0) [...main.querySelectorAll("a, button, pre, summary")][links]?.focus({ preventScroll: true });
  }
  document.addEventListener("visibilitychange", function () {
    if (document.hidden) { stream?.close(); stream = null; return; }
    renew();
    listen();
  });
  listen();
})();
