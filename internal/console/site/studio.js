// The form of a preview. Without this script every button sends the form, and the server
// answers with the page. With it, what was typed fills the template a moment after the last
// key.

import { fields, words } from "./fields.js";
import { show } from "./pages.js";

const quiet = 400; // ms without typing before the template is filled
const form = document.getElementById("studio");
const template = document.getElementById("template");
const sample = document.getElementById("sample");
const result = document.getElementById("result");
const tabs = document.getElementById("tabs");
const state = document.getElementById("state");

let asked = null; // the request under way
let timer = 0;
let chosen = ""; // the tab that was pressed
let file = null; // the template's PDF, once it is needed a second time
let marks = JSON.stringify(JSON.parse(template?.dataset.marks ?? "[]"));

function say(text) {
  if (state && state.textContent !== text) state.textContent = text;
}

function select(which) {
  sample.hidden = which !== "sample";
  template.hidden = which !== "template";
  for (const tab of tabs.querySelectorAll("button")) tab.setAttribute("aria-pressed", String(tab.dataset.show === which));
}

// remark marks the template's pages once more, when there are other mistakes.
async function remark(now) {
  const text = JSON.stringify(now);
  if (text === marks) return;
  marks = text;
  if (!file) {
    const answer = await fetch(template.dataset.pdf).catch(() => null);
    if (!answer?.ok) return;
    file = await answer.blob();
  }
  await show(template, { pdf: file, marks: now });
}

const bytesOf = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

async function put(answer) {
  if (answer.form) document.getElementById("fields").innerHTML = answer.form;
  const back = [...result.querySelectorAll(".pages-back")].map((link) => [link.parentElement.id, link]);
  result.innerHTML = answer.result ?? "";
  result.hidden = !result.textContent.trim();
  // Where the marks stay as they are, so do the ways to them.
  if (JSON.stringify(answer.marks ?? []) === marks) for (const [id, link] of back) document.getElementById(id)?.append(" ", link);
  const marking = remark(answer.marks ?? []);
  if (answer.pdf) {
    sample.className = "pages";
    tabs.hidden = false;
    select(chosen || "sample");
    await show(sample, { pdf: bytesOf(answer.pdf) });
  } else if (answer.name !== undefined) {
    select("template");
  }
  await marking;
  document.dispatchEvent(new CustomEvent("studio", { detail: answer.filled }));
  return answer.filled;
}

const pause = (ms, signal) => new Promise((resolve, reject) => {
  const waits = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => { clearTimeout(waits); reject(signal.reason); });
});

// send asks for what the form comes to. A later question takes the place of this one.
async function send(button) {
  clearTimeout(timer);
  asked?.abort();
  const { signal } = asked = new AbortController();
  const data = new FormData(form);
  for (const [name, value] of [...data]) if (value instanceof File) data.delete(name); // pictures are texts by now
  if (button) data.set("do", button);
  say(words.filling);
  try {
    for (;;) {
      const response = await fetch(form.dataset.live, { method: "POST", body: new URLSearchParams(data), signal });
      const answer = await response.json();
      if (signal.aborted) return;
      if (response.status === 429) {
        say(words.waiting);
        await pause(1000 * (Number(response.headers.get("Retry-After")) || 2), signal);
        continue;
      }
      if (!response.ok) {
        say(`${answer.title}. ${answer.text}`);
        return;
      }
      say(await put(answer) ? words.filled : answer.name === undefined ? "" : words.wrong);
      return;
    }
  } catch {
    if (!signal.aborted) say(words.offline);
  }
}

function changed() {
  clearTimeout(timer);
  if (form.dataset.typing === "on") timer = setTimeout(send, quiet);
}

if (form) {
  const press = fields(form, changed);
  form.addEventListener("input", (event) => {
    if (event.target.type !== "file") changed();
  });
  form.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (button?.hasAttribute("data-plain")) return;
    event.preventDefault();
    if (!press(button)) send(button?.value);
  });
  tabs.addEventListener("click", (event) => {
    const which = event.target.closest("button")?.dataset.show;
    if (which) select(chosen = which);
  });
  // A mark is in the template's pages, which may stand behind those of the sample.
  result.addEventListener("click", (event) => {
    const target = event.target.closest('a[href^="#mark-"]');
    if (!target || !template.hidden) return;
    event.preventDefault();
    select("template");
    document.querySelector(target.getAttribute("href"))?.focus();
    location.hash = target.hash;
  });
}
