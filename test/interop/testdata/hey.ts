// Does the main job by the client that hey-api generates alone, and says as JSON what
// came of it.
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { client } from "./platen/client.gen.js";
import * as api from "./platen/sdk.gen.js";
import type { SourceData } from "./platen/types.gen.js";

const { API, TOKEN, TEMPLATE, EVENT, RECEIVER, PDF } = process.env as Record<string, string>;
client.setConfig({ auth: TOKEN, baseUrl: API });

/** Asks until there is an answer, for two minutes. */
async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + 120_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > end) throw new Error("not within two minutes");
    await setTimeout(200);
  }
}

const throwOnError = true;
const { data: workflow } = await api.createWorkflow({ throwOnError, body: { name: "By hey-api" } });
const path = { workflowId: workflow.id };
const { data: document } = await api.uploadDocument({ throwOnError, path, body: new Blob([await readFile(TEMPLATE)]) });
await api.updateDocument({ throwOnError, path: { ...path, documentId: document.id }, body: { createPdfCopy: true, onMissing: "blank" } });
await api.createOutgoingWebhook({ throwOnError, path, body: { webhookUrl: RECEIVER } });
const { data: signing } = await api.getSigningSecret({ throwOnError, path });

const address = workflow.source.webhookUrl;
const end = address.lastIndexOf("/");
const event: SourceData = JSON.parse(await readFile(EVENT, "utf8"));
await api.postSourceData({ throwOnError, baseUrl: address.slice(0, end), path: { sourceKey: address.slice(end + 1) }, body: event });

const automation = await until(async () => {
  const { data } = await api.listAutomations({ throwOnError, path });
  const [one] = data;
  if (one === undefined || one.state === "ACCEPTED" || one.state === "RUNNING") return undefined;
  if (one.state !== "COMPLETED") throw new Error(`the automation is ${one.state}: ${one.error?.message}`);
  return one;
});

const { data: outputs } = await api.listOutputs({ throwOnError, path });
const [output] = outputs;
if (output?.state !== "DONE") throw new Error(`the output is ${output?.state}`);
const { data: pdf } = await api.getOutputPdf({ throwOnError, path: { ...path, outputId: output.id } });
await writeFile(PDF, new Uint8Array(await pdf.arrayBuffer()));

const delivered = await until(async () => {
  const { data } = await api.listEvents({ throwOnError, path });
  return data.find((one) => one.state === "DELIVERED");
});
console.log(JSON.stringify({ workflowId: workflow.id, automationId: automation.id, eventId: delivered.id, secret: signing.secret }));
