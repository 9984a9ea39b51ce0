// A public form, and the page that shows what it made. Without this script every button
// sends the form, and the page of the result is loaded again every three seconds.

import { fields, words } from "./fields.js";

const form = document.getElementById("public");
const state = document.getElementById("state");

if (form) {
  const press = fields(form);
  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent || press(event.submitter)) {
      event.preventDefault();
      return;
    }
    sent = event.submitter?.value === "send";
    if (sent) state.textContent = words.sending;
  });
  // A page that comes back from the browser's memory can be sent again.
  window.addEventListener("pageshow", () => {
    sent = false;
    state.textContent = "";
  });
  document.getElementById("problem")?.focus();
}

// look shows what the page has become. The answer comes when the document is made, or after
// some seconds.
async function look() {
  const shown = document.querySelector("main[data-state]");
  if (shown?.dataset.state !== "waiting" && shown?.dataset.state !== "late") return;
  const answer = await fetch(`${location.pathname}?wait`).catch(() => null);
  const text = answer?.ok ? await answer.text() : "";
  const now = new DOMParser().parseFromString(text, "text/html").querySelector("main[data-state]");
  if (now && now.dataset.state !== "waiting" && now.dataset.state !== shown.dataset.state) {
    location.reload();
    return;
  }
  setTimeout(look, 1500);
}
look();
