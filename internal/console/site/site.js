// What the script says, unless the page says it in another language. {n} and {time} are
// what it is about.
const words = {
  empty: "The file is empty. Choose another.",
  kind: "Choose a .docx or .pptx file: this is neither.",
  large: "The file has more than {n} MiB. Choose a smaller one.",
  most: "10 MiB at most",
  offline: "The file was not sent, because the service does not answer. Press the button again.",
  now: "just now",
  minutes: "{n} min ago",
  hours: "{n} h ago",
  today: "today, {time}",
  yesterday: "yesterday, {time}",
  ...JSON.parse(document.body.dataset.words ?? "{}").site,
};
const worded = (text, value) => text.replace(/{\w+}/, value);

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
  let looking = 0, seen = new URL(address, location).searchParams.get("seen") || "";
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
    const chosen = new Set([...main.querySelectorAll("input[name=id]:checked")].map((box) => box.value));
    main.replaceChildren(...page.childNodes);
    for (const box of main.querySelectorAll("input[name=id]")) box.checked = chosen.has(box.value);
    offer();
    tell();
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

// A file can be dropped anywhere on the area around its field, which says what was chosen.
// A field that is named after a file gets that name while nobody typed in another.
(function () {
  const inUnit = (unit, n) => new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit, maximumFractionDigits: 1 }).format(n);
  const sizeOf = (bytes) => bytes < 1e6 ? inUnit("kilobyte", Math.ceil(bytes / 1e3)) : inUnit("megabyte", bytes / 1e6);
  const areaOf = (event) => event.target.closest?.(".drop");
  function over(event) {
    const area = areaOf(event);
    if (!area || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    area.classList.add("over");
  }
  document.addEventListener("dragenter", over);
  document.addEventListener("dragover", over);
  document.addEventListener("dragleave", (event) => areaOf(event)?.classList.remove("over"));
  document.addEventListener("drop", function (event) {
    const area = areaOf(event);
    if (!area || !event.dataTransfer.files.length) return;
    event.preventDefault();
    area.classList.remove("over");
    const one = new DataTransfer(), field = area.querySelector("input");
    one.items.add(event.dataTransfer.files[0]);
    field.files = one.files;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
  document.addEventListener("change", function (event) {
    const area = areaOf(event), field = event.target;
    if (field.type !== "file" || !field.dataset.most) return;
    const file = field.files[0];
    const wrong = !file ? "" : file.size === 0 ? words.empty :
      area && !field.dataset.kinds && !/\.(docx|pptx)$/i.test(file.name) ? words.kind :
      file.size > field.dataset.most ? worded(words.large, field.dataset.most >> 20) : "";
    field.setCustomValidity(wrong);
    if (!area) return;
    area.querySelector("p").textContent = file ? file.name + ", " + sizeOf(file.size) + (wrong && ". " + wrong) : area.querySelector("p").dataset.empty || words.most;
    for (const note of field.form?.querySelectorAll("[data-forgotten]") || []) note.hidden = Boolean(file) && !wrong;
    for (const name of document.querySelectorAll("[data-named-after='" + CSS.escape(field.id) + "']")) {
      if (!file || wrong || (name.value && name.value !== name.dataset.proposed)) continue;
      name.dataset.proposed = file.name.replace(/\.[^.]*$/, "").replace(/[_\s]+/g, " ").trim().slice(0, name.maxLength);
      name.value = name.dataset.proposed;
    }
  });
})();

// A form that keeps its file is sent without leaving the page, so that the file is still
// there for the next press. A browser forgets it else.
document.addEventListener("submit", async function (event) {
  const form = event.target;
  if (!("keepsFile" in form.dataset)) return;
  if (form.ariaBusy === "true") { event.preventDefault(); return; }
  const field = form.querySelector("input[type=file]"), button = event.submitter;
  if (!field.files.length) return;
  event.preventDefault();
  form.ariaBusy = "true";
  button.disabled = true;
  const answer = await fetch(button.hasAttribute("formaction") ? button.formAction : form.action, { method: "POST", body: new FormData(form), headers: { Accept: "text/html" } }).catch(() => null);
  if (answer?.redirected) { location.assign(answer.url); return; }
  const page = answer && new DOMParser().parseFromString(await answer.text().catch(() => ""), "text/html").querySelector("main");
  form.ariaBusy = "false";
  button.disabled = false;
  if (!page) {
    const why = Object.assign(document.createElement("p"), { className: "why", role: "alert", textContent: words.offline });
    form.querySelector(":scope > .why")?.remove();
    form.prepend(why);
    return;
  }
  const kept = field.files;
  document.querySelector("main").replaceChildren(...page.childNodes);
  const again = document.querySelector("form[data-keeps-file] input[type=file]");
  if (again) {
    again.files = kept;
    again.dispatchEvent(new Event("change", { bubbles: true }));
  }
  offer();
  tell();
  document.querySelector("main [autofocus]")?.focus();
});

// A button that chooses everything on the page needs this script.
function offer() {
  for (const button of document.querySelectorAll("button[data-all]")) button.hidden = false;
}
document.addEventListener("click", function (event) {
  const button = event.target.closest("button[data-all]");
  if (!button) return;
  const boxes = [...button.form.querySelectorAll("input[type=checkbox]")], all = boxes.every((box) => box.checked);
  for (const box of boxes) box.checked = !all;
});
offer();

// Times stand in the zone of the browser: young ones by their age, older ones by their day.
// Those in a sentence have the time alone, and the day where it is another. The title has
// the time in UTC.
const minute = 60e3, hour = 60 * minute, day = 24 * hour;
const locale = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
const seconds = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const date = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const dateOfYear = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
const dayAlone = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
const onDay = (at, now) => (at.toDateString() === now.toDateString() ? clock : at.getFullYear() === now.getFullYear() ? date : dateOfYear).format(at);
function inWords(at, now) {
  const age = now - at, today = new Date(now).setHours(0, 0, 0, 0);
  if (age >= 0 && age < minute) return words.now;
  if (age >= 0 && age < hour) return worded(words.minutes, Math.floor(age / minute));
  if (age >= 0 && age < 6 * hour) return worded(words.hours, Math.floor(age / hour));
  if (at >= today && at < today + day) return worded(words.today, clock.format(at));
  if (at >= today - day && at < today) return worded(words.yesterday, clock.format(at));
  return onDay(at, now);
}
function tell() {
  const now = new Date();
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (isNaN(at)) continue;
    if (!time.title) time.title = at.toISOString().slice(0, 19).replace("T", " ") + " UTC";
    const text = "day" in time.dataset ? dayAlone.format(at) : "hour" in time.dataset ? clock.format(at) : "clock" in time.dataset ? seconds.format(at) : "at" in time.dataset ? onDay(at, now) : inWords(at, now);
    if (time.textContent !== text) time.textContent = text;
  }
}
tell();
setInterval(tell, 30e3);

// The key / goes to the search. A press on an id copies it.
document.addEventListener("keydown", function (event) {
  const field = document.querySelector("#find");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || !field || event.target.closest?.("input, textarea, select")) return;
  event.preventDefault();
  field.focus();
  field.select();
});
document.addEventListener("click", function (event) {
  const code = event.target.closest?.("code.copy");
  if (!code || !navigator.clipboard) return;
  navigator.clipboard.writeText(code.textContent).then(function () {
    code.classList.add("copied");
    setTimeout(() => code.classList.remove("copied"), 1500);
  }).catch(() => {});
});
