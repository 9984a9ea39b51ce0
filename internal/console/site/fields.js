// The fields of a template's form: rows come and go at once, and pictures stay in the form,
// as texts. Without this script the buttons send the form, and the server answers with the
// page. The words are in data-words of the body, in the language of the page.

export const words = JSON.parse(document.body.dataset.words ?? "{}");

function addRow(list) {
  const fresh = list.querySelector(":scope > template[data-new]"), rows = list.querySelectorAll(":scope > table > [data-row]");
  if (rows.length >= Number(list.dataset.most)) return;
  const numbers = [...rows].map((row) => Number(row.querySelector(":scope > tr > .drop > input").value));
  // Rows of an event's items have the large numbers.
  const number = Math.max(-1, ...numbers.filter((one) => one < Number(list.dataset.items))) + 1;
  const bare = list.dataset.token.slice(1, -1);
  const html = fresh.innerHTML.replaceAll(list.dataset.token, `[${number}]`).replaceAll(`value="${bare}"`, `value="${number}"`).replaceAll(`{${bare}}`, rows.length + 1);
  list.querySelector(":scope > table").insertAdjacentHTML("beforeend", html);
  const row = list.querySelector(":scope > table").lastElementChild;
  row.querySelector("input:not([type=hidden]), textarea")?.focus();
}

function dropRow(button) {
  const list = button.closest("[data-list]"), row = button.closest("[data-row]");
  const next = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  (next?.querySelector("[data-drop]") ?? list.querySelector(":scope > p > [data-add]")).focus();
}

// choose keeps a picture in the form, as its text, and tells whether it did.
async function choose(form, input) {
  const [picture] = input.files, box = input.closest("[data-picture]");
  if (!picture) return false;
  const fail = (text) => {
    input.value = "";
    input.setAttribute("aria-invalid", "true");
    box.querySelector(".why")?.remove();
    const why = document.createElement("p");
    why.className = "why";
    why.setAttribute("role", "alert");
    why.textContent = text;
    input.closest("label").after(why);
    return false;
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
  image.alt = words.chosen;
  image.src = text;
  Object.assign(hidden, { type: "hidden", name: `f.${path}`, value: text });
  of.className = "hidden";
  of.textContent = `: ${label}`;
  Object.assign(button, { className: "small", name: "do", value: `unpick:${path}` });
  button.append(words.another, of);
  box.replaceChildren(name, image, hidden, button);
  button.focus();
  return true;
}

// fields has a form keep its pictures, and returns what does what a button asks of rows: it
// tells whether the button was one of those. changed is called after either.
export function fields(form, changed = () => {}) {
  form.addEventListener("change", async (event) => {
    if (event.target.type === "file" && await choose(form, event.target)) changed();
  });
  return (button) => {
    if (button?.hasAttribute("data-add")) addRow(button.closest("[data-list]"));
    else if (button?.hasAttribute("data-drop")) {
      dropRow(button);
      changed();
    } else return false;
    return true;
  };
}
