// Programs that the compiler takes, and mistakes that it finds.
import { Platen, type SignedEvent } from "../src/index.js";

declare const platen: Platen;
declare const event: SignedEvent;

const workflow = await platen.get("/workflows/{workflowId}/", { params: { path: { workflowId: "wkf_1" } } });
workflow.source.webhookUrl satisfies string;
for await (const automation of platen.list("/automations/", { params: { query: { state: ["FAILED"] } } })) automation.outputs satisfies object[];
(await platen.delete("/workflows/{workflowId}/", { params: { path: { workflowId: "wkf_1" } } })) satisfies undefined;
if (event.event_type === "DOCUMENT_FAILED") event.data.error.code satisfies string;
if (event.event_type === "BATCH_COMPLETED") event.data.batch.counts.FAILED satisfies number;

// @ts-expect-error: there is no such path
await platen.get("/workflow/");
// @ts-expect-error: the path needs an id
await platen.get("/workflows/{workflowId}/");
// @ts-expect-error: there is no such field
await platen.post("/workflows/", { body: { nam: "Letters" } });
// @ts-expect-error: there is no such state
platen.list("/automations/", { params: { query: { state: ["DONE"] } } });
// @ts-expect-error: no list
platen.list("/me/");
// @ts-expect-error: only of a failure
event.data.error;
