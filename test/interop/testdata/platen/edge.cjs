// Runs the job in a context that has what edge platforms have, and nothing of Node.
const { readFileSync, writeFileSync } = require("node:fs");
const { EdgeVM } = require("@edge-runtime/vm");

const { API, TOKEN, TEMPLATE, EVENT, RECEIVER, PDF, RECEIVED } = process.env;
const edge = new EdgeVM();
edge.evaluate(readFileSync("out/edge.js", "utf8"));
if (edge.evaluate("typeof process + typeof require + typeof Buffer") !== "undefined".repeat(3)) throw new Error("the context has something of Node");
const call = (name, input) => {
  edge.context.input = JSON.stringify(input);
  return edge.evaluate(`job.${name}({ ...JSON.parse(input), template: Uint8Array.from(atob(JSON.parse(input).template ?? ""), (c) => c.charCodeAt(0)) })`);
};

(async () => {
  if (RECEIVED) return console.log(await call("verify", JSON.parse(readFileSync(RECEIVED, "utf8"))));
  const { pdf, result } = await call("work", { api: API, token: TOKEN, template: readFileSync(TEMPLATE, "base64"), event: readFileSync(EVENT, "utf8"), receiver: RECEIVER });
  writeFileSync(PDF, pdf);
  console.log(JSON.stringify(result));
})();
