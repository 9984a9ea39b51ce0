// The form of a preview. Without this script every button sends the form, and the server
// answers with the page. With it, rows come and go at once, pictures stay in the form,
// and what was typed fills the template a moment after the last key.

import { show } from "./pages.js";

const quiet = 400; // ms without typing before the template is filled
const words = {
  filling: "Filling …",
  filled: "Filled.",
  wrong: "The template cannot be filled with this. What is wrong stands above its pages.",
  waiting: "Many previews are being made. One moment …",
  offline: "The service does not answer. What you typed is still here: press Fill the template.",
  large: "The picture is too large: choose one of at most 2 MB.",
  full: "All pictures together are too large: choose smaller ones.",
  empty: "The file is empty. Choose another.",
  unreadable: "The picture could not be read. Choose another one.",
  kind: "The file is no picture that can be used: choose a PNG, JPEG or GIF file.",
};

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

function addRow(list) {
  const fresh = list.querySelector(":scope > template[data-new]"), rows = list.querySelectorAll(":scope > table > [data-row]");
  if (rows.length >= Number(list.dataset.most)) return;
  const numbers = [...rows].map((row) => Number(row.querySelector(":scope > tr > .drop > input").value));
  // Rows of an event's items have the large numbers.
  const number = Math.max(-1, ...numbers.filter((one) => one < Number(list.dataset.items))) + 1;
  const bare = list.dataset.token.slice(1, -1);
  const html = fresh.innerHTML.replaceAll(list.dataset.token, `[${number}]`).replaceAll(`value="${bare}"`, `value="${number}"`);
  list.querySelector(":scope > table").insertAdjacentHTML("beforeend", html);
  const row = list.querySelector(":scope > table").lastElementChild;
  for (const cell of row.querySelectorAll(".hidden")) cell.textContent = cell.textContent.replace(/row\s*$/, `row ${rows.length + 1}`);
  row.querySelector("input:not([type=hidden]), textarea")?.focus();
}

function dropRow(button) {
  const list = button.closest("[data-list]"), row = button.closest("[data-row]");
  const next = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  (next?.querySelector("[data-drop]") ?? list.querySelector(":scope > p > [data-add]")).focus();
  changed();
}

// choose keeps a picture in the form, as its text.
async function choose(input) {
  const [picture] = input.files, box = input.closest("[data-picture]");
  if (!picture) return;
  const fail = (text) => {
    input.value = "";
    input.setAttribute("aria-invalid", "true");
    box.querySelector(".why")?.remove();
    const why = document.createElement("p");
    why.className = "why";
    why.setAttribute("role", "alert");
    why.textContent = text;
    input.closest("label").after(why);
  };
  if (picture.size === 0) return fail(words.empty);
  if (!/^image\/(png|jpeg|gif)$/.test(picture.type)) return fail(words.kind);
  if (picture.size > Number(form.dataset.picture)) return fail(words.large);
  const others = [...form.querySelectorAll("[data-picture] > input[type=hidden]")].reduce((sum, one) => sum + one.value.length, 0);
  if (others + picture.size * 1.4 > Number(form.dataset.most) - 100_000) return fail(words.full);
  const text = await new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => resolve("");
    reader.readAsDataURL(picture);
  });
  if (!text) return fail(words.unreadable);
  const path = box.dataset.picture, label = box.querySelector(".cell").textContent;
  const name = document.createElement("span"), image = document.createElement("img"), hidden = document.createElement("input"), button = document.createElement("button"), of = document.createElement("span");
  name.className = "cell";
  name.textContent = label;
  image.alt = "The picture that was chosen";
  image.src = text;
  Object.assign(hidden, { type: "hidden", name: `f.${path}`, value: text });
  of.className = "hidden";
  of.textContent = ` for ${label}`;
  Object.assign(button, { className: "small", name: "do", value: `unpick:${path}` });
  button.append("Choose another", of);
  box.replaceChildren(name, image, hidden, button);
  button.focus();
  changed();
}

if (form) {
  form.addEventListener("input", (event) => {
    if (event.target.type !== "file") changed();
  });
  form.addEventListener("change", (event) => {
    if (event.target.type === "file") choose(event.target);
  });
  form.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (button?.hasAttribute("data-plain")) return;
    event.preventDefault();
    if (button?.hasAttribute("data-add")) addRow(button.closest("[data-list]"));
    else if (button?.hasAttribute("data-drop")) dropRow(button);
    else send(button?.value);
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
