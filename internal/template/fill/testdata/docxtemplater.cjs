// Fills templates with docxtemplater: each line of standard input is
// {"template": base64, "data": {}}, each line of standard output
// {"filled": base64} or {"error": text}.
const { createRequire } = require("node:module");
const { createInterface } = require("node:readline");
const load = createRequire(process.argv[2] + "/");
const PizZip = load("pizzip");
const Docxtemplater = load("docxtemplater");

createInterface({ input: process.stdin }).on("line", (line) => {
  const { template, data } = JSON.parse(line);
  let answer;
  try {
    const doc = new Docxtemplater(new PizZip(Buffer.from(template, "base64")), {
      delimiters: { start: "{{", end: "}}" },
      paragraphLoop: true,
      linebreaks: true,
      nullGetter: () => "",
    });
    doc.render(data);
    answer = { filled: doc.getZip().generate({ type: "base64" }) };
  } catch (e) {
    answer = { error: String(e) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
