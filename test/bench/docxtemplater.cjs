// Fills a template with docxtemplater. The first line of standard input is
// {"template": base64, "data": {}} and answered by {"filled": base64}; each
// further one is {"milliseconds": n}, and answered after so long with what one
// of many fillings took: {"cpu": ms, "clock": ms}.
const { createRequire } = require("node:module");
const { createInterface } = require("node:readline");
const load = createRequire(process.argv[1] + "/");
const PizZip = load("pizzip");
const Docxtemplater = load("docxtemplater");

let template, data;

function fill() {
  const doc = new Docxtemplater(new PizZip(template), {
    delimiters: { start: "{{", end: "}}" },
    paragraphLoop: true,
    linebreaks: true,
    // As it is delivered, it knows no dots in names.
    parser: (tag) => ({ get: (scope) => tag.split(".").reduce((value, name) => value?.[name], scope) }),
  });
  doc.render(data);
  return doc.getZip().generate({ type: "nodebuffer", compression: "DEFLATE" });
}

function measure(milliseconds) {
  const used = process.cpuUsage();
  const begun = performance.now();
  let n = 0;
  do {
    fill();
    n++;
  } while (performance.now() - begun < milliseconds);
  const { user, system } = process.cpuUsage(used);
  return { cpu: (user + system) / 1000 / n, clock: (performance.now() - begun) / n };
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  let answer;
  if (request.template) {
    template = Buffer.from(request.template, "base64");
    data = request.data;
    answer = { filled: fill().toString("base64") };
    measure(1000); // until it is compiled
  } else {
    answer = measure(request.milliseconds);
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
