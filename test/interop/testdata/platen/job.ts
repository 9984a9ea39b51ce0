// Runs the job on Node, Deno and Bun, or says whether an event is genuine.
import { readFile, writeFile } from "node:fs/promises";
import { env } from "node:process";
import { verify, work } from "./work.js";

const { API, TOKEN, TEMPLATE, EVENT, RECEIVER, PDF, RECEIVED } = env as Record<string, string>;
if (RECEIVED) {
  console.log(await verify(JSON.parse(await readFile(RECEIVED, "utf8"))));
} else {
  const { pdf, result } = await work({ api: API, token: TOKEN, template: new Uint8Array(await readFile(TEMPLATE)), event: await readFile(EVENT, "utf8"), receiver: RECEIVER });
  await writeFile(PDF, pdf);
  console.log(JSON.stringify(result));
}
