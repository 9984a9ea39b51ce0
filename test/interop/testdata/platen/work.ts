// The main job by @platen/client, with nothing of one platform.
import { ended, Platen, SignatureError, Verifier } from "@platen/client";

export interface Input {
  api: string;
  token: string;
  template: Uint8Array<ArrayBuffer>;
  event: string;
  receiver: string;
}

export async function work(input: Input) {
  const platen = new Platen({ address: input.api, token: input.token });
  const { id: workflowId, source } = await platen.post("/workflows/", { body: { name: "By @platen/client" } });
  const path = { workflowId };
  await platen.upload(workflowId, input.template, { createPdfCopy: true, onMissing: "blank" });
  await platen.post("/workflows/{workflowId}/outgoing-webhooks/", { params: { path }, body: { webhookUrl: input.receiver } });
  const { secret } = await platen.get("/workflows/{workflowId}/outgoing-webhooks/secret/", { params: { path } });

  const key = crypto.randomUUID();
  const automation = await platen.sendAndWait(source.webhookUrl, input.event, { key, reference: "Order 17", wait: 120 });
  if (!ended(automation) || automation.state !== "COMPLETED") throw new Error(`the automation is ${automation.state}: ${automation.error?.message}`);
  const again = await platen.sendAndWait(source.webhookUrl, input.event, { key });
  if (again.id !== automation.id || again.reference !== "Order 17") throw new Error(`the same event is ${again.id}, called ${again.reference}`);

  const output = automation.outputs[0];
  if (output?.state !== "DONE") throw new Error(`the output is ${output?.state}`);
  const pdf = await platen.pdf(workflowId, output.id);
  if (!pdf.name.endsWith(".pdf")) throw new Error(`the file is called ${pdf.name}`);

  await platen.get("/workflows/{workflowId}/", { params: { path: { workflowId: "wkf_00000000000000" } } }).then(
    () => Promise.reject(new Error("a workflow that is not there was found")),
    (error: { code?: string }) => error.code === "workflow_not_found" || Promise.reject(error),
  );

  const until = Date.now() + 120_000;
  for (;;) {
    const seen = [];
    for await (const event of platen.list("/workflows/{workflowId}/events/", { params: { path, query: { limit: 1 } } })) seen.push(event);
    const delivered = seen.find((event) => event.state === "DELIVERED");
    if (delivered !== undefined) return { pdf: pdf.content, result: { workflowId, automationId: automation.id, eventId: delivered.id, secret } };
    if (Date.now() > until) throw new Error("no event was delivered within two minutes");
    await new Promise((done) => setTimeout(done, 200));
  }
}

/** What a receiver got. */
export interface Received {
  secret: string;
  headers: Record<string, string>;
  body: string;
}

/** Takes an event that Platen signed, and refuses the same one with other data. */
export async function verify({ secret, headers, body }: Received): Promise<string> {
  const verifier = new Verifier(secret);
  const event = await verifier.verify(headers, body);
  if (event.event_type !== "DOCUMENTS_CREATED") throw new Error(`the event is ${event.event_type}`);
  const forged = await verifier.verify(headers, body.replace(event.data.automationId, "aut_00000000000000")).catch((error: unknown) => error);
  if (!(forged instanceof SignatureError)) throw new Error("a forged event was taken");
  return event.event_id;
}
