// The pages of PDFs, drawn by pdf.js. A page that has this module shows
//
//   <div class="pages" data-pdf="ADDRESS" data-name="Invoice 17.pdf">
//     <a href="ADDRESS">Open the pages as a PDF</a>
//   </div>
//
// as a column of pages as wide as the element, once it is scrolled to. The text of each
// page can be selected and is read out. The link stays, and is all there is without
// scripts. Elements that come later are found, too; those that go are forgotten. Where
// the address does not answer with a PDF, the element says why: in the words of the
// answer, when it is a page with a <main> or a problem (RFC 9457).
//
// data-first  the first page alone, as a small picture within the element's link. Three
//             are fetched at once. The name of the file belongs into the link's text.
// data-marks  JSON, a list of {"text": "{{Nmae}}", "page": 2, "label": "1", "title": "…"}.
//             Each place where the text stands is outlined, wherever lines break within
//             it; page narrows it to one page. With "one" the one place is outlined that
//             is most like "before" and "after", what stands around the text, and with
//             "each" one on each page. A label is the number of a finding: it
//             stands in the margin beside the places and leads to the element with the id
//             finding-1. That element gets a link to the first place, mark-1. A text that
//             is nowhere is left out.
//
// data-against  the id of another such element. Once both are drawn, words that one of them
//             has and the other lacks are outlined, and the element with the id of data-says
//             says how many there are, or that one of them cannot be shown.
//
// data-state is set to "drawn", "password" or "failed"; an event "pages" goes with it.
//
// show(element, {pdf, marks}) shows another PDF in such an element: an address, a Blob or
// bytes, which are used up. What was shown stays until the new pages are drawn. It comes
// to true when they are, and to false when they cannot be or something else was shown
// meanwhile. Rotated text is marked by the box around it. Fonts that a PDF lacks are the
// browser's; its CMaps, JPEG 2000 and JBIG2 are not here: they are rare in what drives
// write, and cost a megabyte.

const most = 200; // pages of a PDF that are shown
const drawnAtOnce = 12; // canvases that are kept
const largest = 16e6; // pixels of a canvas
const placesEach = 20; // of a mark, in a page
const candidates = 500; // the places of which one is chosen
const together = 3; // small pictures that are fetched at once

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
.pages{--pages-mark:#b3261e;min-height:2rem}
.pages-column{max-width:54rem}
.pages-page{position:relative;background:#fff;color:#000;color-scheme:only light;margin:0 0 1rem;box-shadow:0 0 0 1px #8a94a3;--scale-round-x:1px;--scale-round-y:1px;overflow-wrap:normal}
.pages-page canvas{display:block;position:absolute;inset:0;width:100%;height:100%}
.pages[data-first] .pages-page{margin:0;box-shadow:none;border:1px solid #8a94a3;box-sizing:border-box}
.pages-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.pages-text{position:absolute;inset:0;overflow:clip;line-height:1;text-align:initial;letter-spacing:normal;word-spacing:normal;text-size-adjust:none;-webkit-text-size-adjust:none;forced-color-adjust:none;transform-origin:0 0;--min-font-size:1}
.pages-text span,.pages-text br{color:transparent;position:absolute;white-space:pre;cursor:text;transform-origin:0 0}
.pages-text span{--font-height:0;--scale-x:1;--rotate:0deg;font-size:calc(var(--total-scale-factor)*var(--min-font-size)*var(--font-height));transform:rotate(var(--rotate)) scaleX(var(--scale-x)) scale(calc(1/var(--min-font-size)))}
.pages-text ::selection{background:rgb(0 80 255/.3);color:transparent}
.pages-marks{position:absolute;inset:0;pointer-events:none}
.pages-mark{position:absolute;outline:2px solid var(--pages-mark);background:rgb(179 38 30/.12);border-radius:2px}
.pages[data-against] .pages-mark{--pages-mark:#12703a;background:rgb(18 112 58/.14)}
.pages .pages-badge{position:absolute;pointer-events:auto;min-width:1.5rem;height:1.5rem;padding:0 .3rem;box-sizing:border-box;border-radius:.75rem;background:var(--pages-mark);color:#fff;font:600 .875rem/1.5rem system-ui,sans-serif;text-align:center;text-decoration:none;scroll-margin:40vh 0}
.pages-badge:focus-visible,.pages-badge:target{outline:3px solid #000;box-shadow:0 0 0 5px #fff}
`);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

// What the module says, unless the page says it in another language. Whatever else is shown
// comes from the server.
const words = {
  making: "The pages are being made …",
  page: "Page {n} of {all}",
  first: "First page",
  finding: "Finding {n}",
  shown: "Show on page {n}",
  more: "The other {n} pages are in the PDF.",
  encrypted: "This PDF is encrypted",
  password: "Password of this PDF. It stays in your browser",
  wrong: "This is not its password.",
  open: "Open",
  damaged: "The file cannot be shown here. Open it as a PDF.",
  offline: "The pages could not be fetched. Check the connection, and load this page again.",
  differ: "Words that one of them lacks: {n}. They are outlined.",
  same: "Both have the same words.",
  long: "They are too long to be compared here.",
  alone: "One of the two cannot be shown, so they are not compared.",
  refused: "The pages cannot be shown right now. Load this page again in a moment.",
  ...JSON.parse(document.body.dataset.words ?? "{}").pages,
};
const worded = (text, values) => text.replace(/{(\w+)}/g, (_, name) => values[name]);

// Said is an error in words for whoever looks at the page.
class Said extends Error {}

let loading = null;
function library() {
  loading ??= import("./pdf.min.mjs").then((pdf) => {
    pdf.GlobalWorkerOptions.workerSrc = new URL("./pdf.worker.min.mjs", import.meta.url).href;
    return { pdf, worker: new pdf.PDFWorker({ verbosity: pdf.VerbosityLevel.ERRORS }) };
  }).catch((error) => {
    loading = null; // another try may do
    throw error;
  });
  return loading;
}

async function bytesOf(source, signal) {
  if (source instanceof Blob) return new Uint8Array(await source.arrayBuffer());
  if (typeof source !== "string") return new Uint8Array(source);
  const answer = await fetch(source, { signal }).catch((error) => {
    throw signal.aborted ? error : new Said(words.offline);
  });
  const kind = answer.headers.get("Content-Type") ?? "";
  if (answer.ok && kind.startsWith("application/pdf")) return new Uint8Array(await answer.arrayBuffer());
  const text = await answer.text();
  if (kind.includes("json")) {
    let detail = "";
    try { detail = JSON.parse(text).detail; } catch { /* it has no words */ }
    throw new Said(detail || words.refused);
  }
  const main = kind.startsWith("text/html") && new DOMParser().parseFromString(text, "text/html").querySelector("main, body");
  throw new Said((main && main.querySelector("p")?.textContent.trim()) || words.refused);
}

// turns lets so many go on at once.
const turns = { free: together, waiting: [] };
async function inTurn(work) {
  if (turns.free > 0) turns.free--;
  else await new Promise((resolve) => turns.waiting.push(resolve));
  try {
    return await work();
  } finally {
    const next = turns.waiting.shift();
    if (next) next();
    else turns.free++;
  }
}

// unless settles as the work does, and fails when the signal aborts: pdf.js may never settle
// what it destroyed.
function unless(signal, work) {
  return Promise.race([work, new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))]);
}

function make(tag, className, attributes = {}) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// A Sheets is an opened PDF and the column of its pages.
class Sheets {
  static async open(view, source, signal) {
    const [{ pdf, worker }, data] = await Promise.all([library(), bytesOf(source, signal)]);
    signal.throwIfAborted();
    const task = pdf.getDocument({ data, worker, useWasm: false, verbosity: pdf.VerbosityLevel.ERRORS });
    signal.addEventListener("abort", () => task.destroy());
    task.onPassword = (enter, reason) => view.askPassword(enter, reason === pdf.PasswordResponses.INCORRECT_PASSWORD, signal);
    const file = await task.promise;
    return new Sheets(view, pdf, task, file, await file.getPage(1));
  }

  constructor(view, pdf, task, file, first) {
    Object.assign(this, { view, pdf, task, file, column: make("div", "pages-column"), closed: false });
    const all = view.first ? 1 : Math.min(file.numPages, most);
    this.pages = Array.from({ length: all }, (_, i) => ({ number: i + 1, box: make("div", "pages-page"), at: 0, task: null }));
    this.pages[0].page = Promise.resolve(first);
    const size = first.getViewport({ scale: 1 });
    for (const p of this.pages) this.size(p, size);
    this.column.append(...this.pages.map((p) => p.box));
    if (!view.first && file.numPages > all) {
      const more = make("p");
      more.textContent = worded(words.more, { n: file.numPages - all });
      this.column.append(more);
    }
  }

  size(p, size) {
    p.width = size.width;
    p.box.style.aspectRatio = `${size.width} / ${size.height}`;
    p.box.style.setProperty("--total-scale-factor", this.width() / size.width);
  }

  width() {
    return this.column.clientWidth || this.view.width();
  }

  page(p) {
    p.page ??= this.file.getPage(p.number).then((page) => {
      this.size(p, page.getViewport({ scale: 1 }));
      return page;
    });
    return p.page;
  }

  text(p) {
    p.text ??= this.page(p).then((page) => page.getTextContent());
    return p.text;
  }

  async draw(p) {
    const page = await this.page(p);
    const scale = this.width() / p.width;
    const viewport = page.getViewport({ scale });
    const sharp = Math.min(devicePixelRatio, Math.sqrt(largest / (viewport.width * viewport.height)));
    if (this.closed || p.at === scale * sharp) return;
    p.at = scale * sharp;
    p.task?.cancel();
    const canvas = make("canvas");
    canvas.width = Math.floor(viewport.width * sharp);
    canvas.height = Math.floor(viewport.height * sharp);
    if (!this.view.first || !this.view.link) {
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", this.view.first ? words.first : worded(words.page, { n: p.number, all: this.file.numPages }));
    } else canvas.setAttribute("aria-hidden", "true");
    p.task = page.render({ canvas, viewport, transform: sharp === 1 ? null : [sharp, 0, 0, sharp, 0, 0] });
    try {
      await p.task.promise;
    } catch (error) {
      if (error instanceof this.pdf.RenderingCancelledException) return;
      throw error;
    }
    if (p.canvas) p.canvas.replaceWith(canvas);
    else p.box.prepend(canvas);
    p.canvas = canvas;
    if (this.view.first || p.layer) return;
    p.layer = make("div", "pages-text");
    canvas.after(p.layer);
    await new this.pdf.TextLayer({ textContentSource: await this.text(p), container: p.layer, viewport }).render();
  }

  // drop frees what is far from the screen; it is drawn again when it comes near.
  drop(p) {
    p.task?.cancel();
    if (p.canvas) p.canvas.width = p.canvas.height = 0;
    p.canvas?.remove();
    p.layer?.remove();
    p.canvas = p.layer = null;
    p.at = 0;
  }

  // watch draws what comes near the screen.
  watch() {
    this.near = new Set();
    this.observer = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        const p = this.pages.find((p) => p.box === entry.target);
        if (entry.isIntersecting) this.near.add(p);
        else this.near.delete(p);
      }
      for (const p of this.near) this.draw(p).catch((error) => this.view.fail(error));
      const drawn = this.pages.filter((p) => p.canvas && !this.near.has(p));
      for (const p of drawn.slice(0, Math.max(0, drawn.length + this.near.size - drawnAtOnce))) this.drop(p);
    }, { rootMargin: "100% 0px" });
    for (const p of this.pages) this.observer.observe(p.box);
  }

  // scale has texts as wide as their pages, once the column has its width on the page.
  scale() {
    for (const p of this.pages) p.box.style.setProperty("--total-scale-factor", this.width() / p.width);
  }

  fit() {
    this.scale();
    for (const p of this.near ?? []) this.draw(p).catch((error) => this.view.fail(error));
  }

  // mark looks through the pages in turn, and outlines what it finds.
  async mark(marks) {
    if (!marks.length) return;
    const seen = new Set(), layers = new Map(), places = new Map(), alike = new Map();
    for (const p of this.pages) {
      const wanted = marks.filter((m) => m.text && (!m.page || m.page === p.number));
      if (!wanted.length) continue;
      const [page, text] = await Promise.all([this.page(p), this.text(p)]);
      if (this.closed) return;
      const sheet = { layer: make("div", "pages-marks"), taken: new Map(), viewport: page.getViewport({ scale: 1 }), p };
      layers.set(p, sheet);
      for (const m of wanted) {
        const found = find(text, m).map((place) => ({ ...place, sheet }));
        if (m.each) places.set(m, [...places.get(m) ?? [], ...best(found).slice(0, 1)]);
        else places.set(m, [...places.get(m) ?? [], ...found]);
      }
    }
    for (const m of marks) {
      let found = places.get(m) ?? [];
      if (m.one && !m.each) {
        // Findings about the same text amid the same words are of one place after the other.
        const key = JSON.stringify([m.text, m.before, m.after]), n = alike.get(key) ?? 0;
        alike.set(key, n + 1);
        found = best(found);
        found = found.slice(Math.min(n, Math.max(found.length - 1, 0))).slice(0, 1);
      }
      for (const { boxes, sheet } of found) this.outline(sheet.layer, sheet.taken, sheet.viewport, boxes, m, !seen.has(m.label), sheet.p.number, seen);
    }
    for (const { layer, p } of layers.values()) if (layer.firstChild) p.box.append(layer);
  }

  // spoken are the words of all pages, with their places.
  async spoken() {
    const all = [];
    for (const p of this.pages) {
      const content = await this.text(p);
      for (const item of content.items) for (const word of (item.str ?? "").matchAll(/\S+/g)) all.push({ text: word[0], p, content, item, from: word.index, to: word.index + word[0].length });
    }
    return all;
  }

  // point outlines words.
  async point(wordsOf) {
    for (const p of this.pages) {
      const mine = wordsOf.filter((w) => w.p === p);
      if (!mine.length || this.closed) continue;
      const layer = make("div", "pages-marks"), viewport = (await this.page(p)).getViewport({ scale: 1 });
      this.outline(layer, new Map(), viewport, lines(mine.map((w) => corners(w.content, w.item, w.from, w.to))), {}, false, p.number, new Set());
      p.box.append(layer);
    }
  }

  outline(layer, taken, viewport, boxes, m, first, number, seen) {
    const percent = (part, whole) => `${(100 * part / whole).toFixed(3)}%`;
    for (const [i, box] of boxes.entries()) {
      const xs = [], ys = [];
      for (const [x, y] of box) {
        const [px, py] = viewport.convertToViewportPoint(x, y);
        xs.push(px);
        ys.push(py);
      }
      const left = Math.min(...xs), top = Math.min(...ys);
      const outline = make("span", "pages-mark");
      Object.assign(outline.style, {
        left: percent(left, viewport.width), top: percent(top, viewport.height),
        width: percent(Math.max(...xs) - left, viewport.width), height: percent(Math.max(...ys) - top, viewport.height),
      });
      if (m.title) outline.title = m.title;
      layer.append(outline);
      if (i > 0 || !m.label) continue;
      const badge = make("a", "pages-badge", { href: `#finding-${m.label}`, "aria-label": worded(words.finding, { n: m.label }) + (m.title ? `: ${m.title}` : "") });
      badge.textContent = m.label;
      if (m.title) badge.title = m.title;
      // It covers no text: it stands in the margin, and findings of one line side by side.
      const place = Math.round(top / 10), beside = taken.get(place) ?? 0;
      taken.set(place, beside + 1);
      Object.assign(badge.style, { left: `${0.25 + beside * 1.75}rem`, top: outline.style.top });
      if (first && !seen.has(m.label)) {
        seen.add(m.label);
        badge.id = `mark-${m.label}`;
        this.view.found(m.label, number);
      }
      layer.append(badge);
    }
  }

  close() {
    this.closed = true;
    this.observer?.disconnect();
    for (const p of this.pages) this.drop(p);
    this.task.destroy();
  }
}

// bare is text without what lines are broken by.
const bare = (text) => text.replace(/[\s\u00ad\u200b]+/g, "");
const ruler = document.createElement("canvas").getContext("2d");

// alikeness counts the characters that two texts have in common from their beginnings.
function alikeness(a, b) {
  let n = 0;
  while (n < a.length && n < b.length && a[n] === b[n]) n++;
  return n;
}

const backwards = (text) => [...text].reverse().join("");

// best are the places that are most like what is looked for.
function best(places) {
  const most = Math.max(...places.map((p) => p.score));
  return places.filter((p) => p.score === most);
}

// find returns each place of a mark's text: boxes of four corners, one a line, and how
// much of what stands around it is as in the mark.
function find(content, { text, before = "", after = "" }) {
  const wanted = bare(text), front = backwards(bare(before)), behind = bare(after);
  let flat = "";
  const at = []; // item and offset of each character of flat
  for (const item of content.items) {
    for (let i = 0; i < (item.str ?? "").length; i++) {
      if (!bare(item.str[i])) continue;
      flat += item.str[i];
      at.push([item, i]);
    }
  }
  const places = [];
  for (let from = flat.indexOf(wanted); wanted && from >= 0 && places.length < (front || behind ? candidates : placesEach); from = flat.indexOf(wanted, from + wanted.length)) {
    const spans = new Map();
    for (const [item, i] of at.slice(from, from + wanted.length)) {
      const span = spans.get(item) ?? [i, i];
      spans.set(item, [span[0], i]);
    }
    const end = from + wanted.length, [first, last] = [at[from], at[end - 1]];
    let score = alikeness(front, backwards(flat.slice(Math.max(0, from - 60), from))) + alikeness(behind, flat.slice(end, end + 120));
    // What begins or ends its paragraph begins or ends what a PDF writes at once.
    if (!front && !bare(first[0].str.slice(0, first[1]))) score += 3;
    if (!behind && !bare(last[0].str.slice(last[1] + 1))) score += 3;
    // {{Name} is not the beginning of {{Name}}.
    if (!behind.startsWith("}") && flat[end] === "}" || !front.startsWith("{") && flat[from - 1] === "{") score -= 100;
    places.push({ boxes: lines([...spans].map(([item, [a, b]]) => corners(content, item, a, b + 1))), score });
  }
  return places;
}

// corners are those of the part of an item between two characters.
function corners(content, item, from, to) {
  const [a, b, c, d, x, y] = item.transform;
  const height = Math.hypot(c, d) || item.height, along = Math.hypot(a, b) || 1;
  const share = (n) => {
    ruler.font = `100px ${content.styles[item.fontName]?.fontFamily ?? "sans-serif"}`;
    return ruler.measureText(item.str.slice(0, n)).width / (ruler.measureText(item.str).width || 1);
  };
  let [left, right] = content.styles[item.fontName]?.vertical ? [0, 1] : [share(from), share(to)];
  if (item.dir === "rtl") [left, right] = [1 - right, 1 - left];
  const point = (u, v) => [x + (a / along) * item.width * u + (c / height) * height * v, y + (b / along) * item.width * u + (d / height) * height * v];
  return [point(left, -0.22), point(right, -0.22), point(right, 0.9), point(left, 0.9)];
}

// lines joins boxes that follow each other in a line.
function lines(boxes) {
  const out = [];
  for (const box of boxes) {
    const last = out.at(-1);
    if (last && Math.abs(last[0][1] - box[0][1]) < 3 && box[0][0] >= last[0][0] && box[0][0] - last[1][0] < 12) {
      last[1] = box[1];
      last[2] = box[2];
    } else out.push([...box]);
  }
  return out;
}

// A View is an element with pages.
class View {
  constructor(element) {
    this.element = element;
    this.first = element.hasAttribute("data-first");
    this.link = element.querySelector("a");
    this.turn = 0;
    this.places = new Map(); // page of the first place, by label
    this.note = make("div", "", { role: "status" });
    element.append(this.note);
    this.resized = new ResizeObserver(() => {
      clearTimeout(this.settled);
      this.settled = setTimeout(() => { if (!this.first) this.sheets?.fit(); }, 100);
    });
    this.resized.observe(element);
  }

  width() {
    return this.element.clientWidth || 600;
  }

  marks() {
    try {
      return JSON.parse(this.element.dataset.marks || "[]");
    } catch {
      return [];
    }
  }

  become(state) {
    this.element.dataset.state = state;
    this.element.dispatchEvent(new CustomEvent("pages", { bubbles: true, detail: state }));
  }

  async show(source, marks) {
    const turn = ++this.turn;
    this.stop?.abort();
    this.stop = new AbortController();
    this.element.setAttribute("aria-busy", "true");
    if (!this.first && !this.sheets) this.say(words.making, "soft");
    const { signal } = this.stop;
    let next = null;
    const drawn = async () => {
      next = await Sheets.open(this, source, signal);
      // As much as is on the screen is drawn before it takes the place of the old pages.
      const shown = Math.max(1, [...(this.sheets?.near ?? [])].length);
      for (const p of next.pages.slice(0, Math.min(shown, 3))) await next.draw(p);
    };
    try {
      await unless(signal, drawn());
    } catch (error) {
      next?.close();
      if (turn === this.turn && !signal.aborted) this.fail(error);
      return false;
    }
    if (turn !== this.turn) {
      next.close();
      return false;
    }
    this.put(next);
    await unless(signal, next.mark(marks)).catch(() => {}); // the list of findings says them all the same
    return turn === this.turn;
  }

  // put shows new pages where the old ones were.
  put(next) {
    const old = this.sheets;
    this.sheets = next;
    this.forget();
    this.note.replaceChildren();
    if (old) old.column.replaceWith(next.column);
    else if (this.first && this.link) {
      const text = make("span", "pages-hidden");
      text.append(...this.link.childNodes);
      this.link.replaceChildren(next.column, text);
    } else this.element.prepend(next.column);
    next.scale();
    old?.close();
    this.element.removeAttribute("aria-busy");
    if (this.first) next.task.destroy(); // the picture is all that is needed
    else next.watch();
    this.become("drawn");
  }

  fail(error) {
    this.element.removeAttribute("aria-busy");
    this.say(error instanceof Said ? error.message : words.damaged, "why");
    this.become("failed");
  }

  say(text, className) {
    const p = make("p", className);
    p.textContent = text;
    this.note.replaceChildren(p);
  }

  // askPassword asks for the password of an encrypted PDF, and keeps it for the next one
  // in this element.
  askPassword(enter, wrong, signal) {
    if (this.password && !wrong) {
      enter(this.password);
      return;
    }
    this.element.removeAttribute("aria-busy");
    if (this.first) {
      this.say(words.encrypted, "soft");
      this.stop.abort();
      this.become("password");
      return;
    }
    const form = make("form"), title = make("p"), label = make("label"), input = make("input", "", { type: "password", autocomplete: "off" }), button = make("button");
    title.textContent = words.encrypted + (wrong ? ". " + words.wrong : "");
    label.append(words.password, input);
    button.textContent = words.open;
    form.append(title, label, button);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (signal.aborted) return;
      this.password = input.value;
      this.element.setAttribute("aria-busy", "true");
      enter(input.value);
    });
    this.note.replaceChildren(form);
    if (wrong) input.focus();
    this.become("password");
  }

  // found links the list's entry to the first place of its mark.
  found(label, number) {
    this.places.set(label, number);
    const entry = document.getElementById(`finding-${label}`);
    if (!entry || entry.querySelector(`a[href="#mark-${CSS.escape(label)}"]`)) return;
    const back = make("a", "pages-back", { href: `#mark-${label}` });
    back.textContent = worded(words.shown, { n: number });
    entry.append(" ", back);
  }

  // linked repeats what found did, in entries that are new.
  linked() {
    for (const [label, number] of this.places) this.found(label, number);
  }

  forget() {
    for (const label of this.places.keys()) document.querySelector(`#finding-${CSS.escape(label)} > .pages-back`)?.remove();
    this.places.clear();
  }

  close() {
    this.turn++;
    this.stop?.abort();
    this.resized.disconnect();
    this.forget();
    this.sheets?.close();
  }
}

const compared = 9e6; // pairs of words that are looked at

// apart are the words of each list that are not in the longest that both have in common; null:
// that takes too long.
function apart(a, b) {
  let start = 0, ends = 0;
  while (start < Math.min(a.length, b.length) && a[start].text === b[start].text) start++;
  while (ends < Math.min(a.length, b.length) - start && a.at(-1 - ends).text === b.at(-1 - ends).text) ends++;
  const one = a.slice(start, a.length - ends), other = b.slice(start, b.length - ends), wide = other.length + 1;
  if (one.length * other.length > compared) return null;
  const common = new Uint16Array((one.length + 1) * wide);
  for (let i = one.length - 1; i >= 0; i--) {
    for (let k = other.length - 1; k >= 0; k--) {
      common[i * wide + k] = one[i].text === other[k].text ? common[(i + 1) * wide + k + 1] + 1 : Math.max(common[(i + 1) * wide + k], common[i * wide + k + 1]);
    }
  }
  const lost = [], added = [];
  let i = 0, k = 0;
  while (i < one.length || k < other.length) {
    if (i < one.length && k < other.length && one[i].text === other[k].text) i++, k++;
    else if (k === other.length || i < one.length && common[(i + 1) * wide + k] >= common[i * wide + k + 1]) lost.push(one[i++]);
    else added.push(other[k++]);
  }
  return [lost, added];
}

// compare outlines what two elements do not both say.
async function compare(before, now) {
  const [a, b] = [views.get(before)?.sheets, views.get(now)?.sheets], says = document.getElementById(now.dataset.says);
  const found = apart(await a.spoken(), await b.spoken());
  if (found) await Promise.all([a.point(found[0]), b.point(found[1])]);
  const n = found ? found[0].length + found[1].length : 0;
  if (says) says.textContent = !found ? words.long : n ? worded(words.differ, { n }) : words.same;
  now.dataset.compared = String(n);
}

addEventListener("pages", () => {
  for (const now of document.querySelectorAll("[data-against]:not([data-compared])")) {
    const before = document.getElementById(now.dataset.against), states = [before?.dataset.state, now.dataset.state];
    if (states.includes("failed")) document.getElementById(now.dataset.says)?.replaceChildren(words.alone);
    if (states.some((state) => state !== "drawn")) continue;
    now.dataset.compared = "";
    compare(before, now).catch(() => {}); // both are shown all the same
  }
});

const views = new Map();
const wanted = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    wanted.unobserve(target);
    const view = views.get(target);
    if (!view || view.turn > 0) continue;
    const begin = () => view.show(target.dataset.pdf, view.marks());
    if (view.first) inTurn(begin);
    else begin();
  }
}, { rootMargin: "300px 0px" });

function viewOf(element) {
  let view = views.get(element);
  if (!view) views.set(element, view = new View(element));
  return view;
}

export function show(element, { pdf, marks = [] }) {
  const view = viewOf(element);
  if (typeof pdf === "string") element.dataset.pdf = pdf;
  element.dataset.marks = JSON.stringify(marks);
  return view.show(pdf, marks);
}

function mount(root) {
  const found = [...root.querySelectorAll(".pages[data-pdf]")];
  if (root.matches?.(".pages[data-pdf]")) found.push(root);
  for (const element of found) {
    if (views.has(element)) views.get(element).linked();
    else {
      viewOf(element);
      wanted.observe(element);
    }
  }
}

new MutationObserver((records) => {
  let gone = false;
  for (const record of records) {
    for (const node of record.addedNodes) if (node.nodeType === Node.ELEMENT_NODE && !node.closest(".pages-column")) mount(node);
    gone ||= record.removedNodes.length > 0;
  }
  if (!gone) return;
  for (const [element, view] of views) {
    if (element.isConnected) continue;
    view.close();
    views.delete(element);
  }
}).observe(document.documentElement, { childList: true, subtree: true });
mount(document);
