// Does the main job by openapi-fetch and the generated types alone, and says as JSON
// what came of it.
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import createClient from "openapi-fetch";
import type { components, paths } from "./platen.js";

const { API, TOKEN, TEMPLATE, EVENT, RECEIVER, PDF } = process.env as Record<string, string>;
const api = createClient<paths>({ baseUrl: API, headers: { Authorization: TOKEN } });

/** The data of an answer, or an error that says what the API said. */
function got<T>(answer: { data?: T; error?: components["schemas"]["Problem"] }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

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

const workflow = got(await api.POST("/workflows/", { body: { name: "By openapi-typescript" } }));
const workflowId = workflow.id;
const bytes = await readFile(TEMPLATE);
const document = got(
  await api.POST("/workflows/{workflowId}/documents/upload/", {
    params: { path: { workflowId } },
    headers: { "Content-Type": "application/octet-stream" },
    body: bytes as unknown as string,
    bodySerializer: (body) => body,
  }),
);
got(
  await api.PATCH("/workflows/{workflowId}/documents/{documentId}/", {
    params: { path: { workflowId, documentId: document.id } },
    body: { createPdfCopy: true, onMissing: "blank" },
  }),
);
got(
  await api.POST("/workflows/{workflowId}/outgoing-webhooks/", {
    params: { path: { workflowId } },
    body: { webhookUrl: RECEIVER },
  }),
);
const { secret } = got(await api.GET("/workflows/{workflowId}/outgoing-webhooks/secret/", { params: { path: { workflowId } } }));

const address = workflow.source.webhookUrl;
const end = address.lastIndexOf("/");
const source = createClient<paths>({ baseUrl: address.slice(0, end) });
const event: components["schemas"]["SourceData"] = JSON.parse(await readFile(EVENT, "utf8"));
got(await source.POST("/{sourceKey}", { params: { path: { sourceKey: address.slice(end + 1) } }, body: event }));

const automation = await until(async () => {
  const [one] = got(await api.GET("/workflows/{workflowId}/automations/", { params: { path: { workflowId } } }));
  if (one === undefined || one.state === "ACCEPTED" || one.state === "RUNNING") return undefined;
  if (one.state !== "COMPLETED") throw new Error(`the automation is ${one.state}: ${one.error?.message}`);
  return one;
});

const [output] = got(await api.GET("/workflows/{workflowId}/outputs/", { params: { path: { workflowId } } }));
if (output?.state !== "DONE") throw new Error(`the output is ${output?.state}`);
const pdf = got(
  await api.GET("/workflows/{workflowId}/outputs/{outputId}/pdf/", {
    params: { path: { workflowId, outputId: output.id } },
    parseAs: "arrayBuffer",
  }),
);
await writeFile(PDF, new Uint8Array(pdf));

const delivered = await until(async () => {
  const events = got(await api.GET("/workflows/{workflowId}/events/", { params: { path: { workflowId } } }));
  return events.find((one) => one.state === "DELIVERED");
});
console.log(JSON.stringify({ workflowId, automationId: automation.id, eventId: delivered.id, secret }));
