// Fills templates with docxtemplater: each line of standard input is
// {"template": base64, "data": {}}, each line of standard output
// {"filled": base64} or {"error": text}.
const { createRequire } = require("node:module");
const { createInterface } = require("node:readline");
const load = createRequire(process.argv[2] + "/");
const PizZip = load("pizzip");
const Docxtemplater = load("docxtemplater");

// A tag is a field with what is done to its items: L|above N 2|falling N|first 3|by N. A
// group has the fields "key" and "of". Docxtemplater looks in the scopes around it for
// what is undefined.
function pipe(tag, scope) {
  const [name, ...steps] = tag.split("|");
  if (scope[name] === undefined) return undefined;
  return steps.reduce((items, step) => {
    const [what, field, than] = step.split(" ");
    switch (what) {
      case "above":
        return items.filter((item) => item[field] > Number(than));
      case "rising":
        return items.toSorted((a, b) => a[field] - b[field]);
      case "falling":
        return items.toSorted((a, b) => b[field] - a[field]);
      case "first":
        return items.slice(0, Number(field));
      case "by":
        return [...new Set(items.map((item) => item[field]))].map((key) => ({ key, of: items.filter((item) => item[field] === key) }));
    }
    throw new Error(`no step ${what}`);
  }, scope[name]);
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { template, data } = JSON.parse(line);
  let answer;
  try {
    const doc = new Docxtemplater(new PizZip(Buffer.from(template, "base64")), {
      delimiters: { start: "{{", end: "}}" },
      paragraphLoop: true,
      linebreaks: true,
      nullGetter: () => "",
      parser: (tag) => ({ get: (scope) => pipe(tag, scope) }),
    });
    doc.render(data);
    answer = { filled: doc.getZip().generate({ type: "base64" }) };
  } catch (e) {
    answer = { error: String(e) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
