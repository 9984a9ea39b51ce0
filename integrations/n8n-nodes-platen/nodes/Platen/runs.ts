import type { IDataObject, IExecuteFunctions, INodeExecutionData } from "n8n-workflow";
import { NodeOperationError, sleep } from "n8n-workflow";

import { ask, type Context, part } from "./api";

export interface Failure {
  code: string;
  message: string;
}

export interface Output {
  id: string;
  documentId: string;
  name: string | null;
  state: string;
  files: Array<{ kind: string; url?: string }>;
  missingFields: string[];
  error: Failure | null;
}

/** A run of a workflow of Platen. */
export interface Automation {
  id: string;
  workflowId: string;
  state: string;
  reason: string | null;
  reference: string | null;
  test: boolean;
  missingFields: string[];
  error: Failure | null;
  outputs: Output[];
}

export interface Event {
  workflowId: string;
  data: IDataObject;
  key: string;
  reference: string;
  test: boolean;
  /** Seconds. */
  wait: number;
}

/** Seconds that the service lets a request wait at most. */
const longestWait = 50;

/**
 * Sends an event and answers with its run: once that has ended or waits for people, or as
 * it stands when the time is over.
 */
export async function send(context: IExecuteFunctions, event: Event, itemIndex: number): Promise<Automation> {
  const source = await ask<{ webhookUrl: string; testWebhookUrl: string }>(context, { method: "GET", path: `/workflows/${part(event.workflowId)}/source/`, itemIndex });
  const address = event.test ? source.body.testWebhookUrl : source.body.webhookUrl;
  const end = Date.now() + event.wait * 1000;
  for (;;) {
    const left = Math.max(0, Math.ceil((end - Date.now()) / 1000));
    const { body, headers } = await ask<Partial<Automation>>(context, {
      method: "POST",
      address,
      headers: {
        "Idempotency-Key": event.key,
        Prefer: `wait=${Math.min(left, longestWait)}`,
        ...(event.reference !== "" && { "Platen-Reference": event.reference }),
      },
      body: event.data,
      repeatable: true, // the same event under its key is one
      itemIndex,
    });
    if (body.id !== undefined && !["ACCEPTED", "RUNNING"].includes(body.state ?? "")) return body as Automation;
    if (Date.now() >= end) {
      if (body.id !== undefined) return body as Automation;
      throw new NodeOperationError(context.getNode(), "The event is stored, and Platen could not say what becomes of it", {
        description: "Run this node again with the same \"Key\": it waits for the first one's run.",
        itemIndex,
      });
    }
    // Without this header nobody waited: too many do.
    if (headers["preference-applied"] === undefined) await sleep(1000);
  }
}

/** Reads a run. */
export async function read(context: Context, workflowId: string, automationId: string, itemIndex?: number): Promise<Automation> {
  const path = `/workflows/${part(workflowId)}/automations/${part(automationId)}/`;
  return (await ask<Automation>(context, { method: "GET", path, itemIndex })).body;
}

/** An error for a run that made no document, with what to do about it. */
export function unmade(context: IExecuteFunctions, run: Automation, waited: number, itemIndex: number): NodeOperationError | undefined {
  const failed = (message: string, description: string) => new NodeOperationError(context.getNode(), message, { description, itemIndex });
  const about = `Run ${run.id}`;
  switch (run.state) {
    case "FAILED": {
      const failures = run.outputs.flatMap((o) => (o.error === null ? [] : [{ name: o.name ?? o.documentId, ...o.error }]));
      const first = failures[0] ?? run.error ?? { code: "", message: "The document could not be made" };
      return failed(first.message, [...failures.slice(1).map((f) => `${f.name}: ${f.message}`), `${about}, code ${first.code}.`].join("\n"));
    }
    case "SKIPPED":
      if (run.reason === "KEY_REUSED") return failed('"Key" names another event already, so nothing was made of this one', `${about}. Give each event a key of its own, such as your order's number, and the same data with it.`);
      return failed("The workflow of Platen takes no events now", `${about}, reason ${run.reason}. Add a template to the workflow, and look whether it makes documents by itself.`);
    case "CANCELLED":
      return failed("Somebody cancelled the run in Platen", `${about}. Send the event under another "Key" to have it made.`);
    case "ACCEPTED":
    case "RUNNING":
      if (waited > 0) return failed(`The document is not there after ${waited} seconds`, `${about} goes on. Raise "Wait Up To", or let the Platen Trigger start a workflow when the document is there.`);
  }
  return undefined;
}

/** The items of a run: one for each document that it made, with its PDF where it is wanted. */
export async function itemsOf(context: Context, run: Automation, download: string, itemIndex: number): Promise<INodeExecutionData[]> {
  const about = { automationId: run.id, workflowId: run.workflowId, state: run.state, reference: run.reference, test: run.test, missingFields: run.missingFields };
  if (run.outputs.length === 0) return [{ json: { ...about }, pairedItem: itemIndex }];
  return await Promise.all(
    run.outputs.map(async (output) => {
      const json: IDataObject = { ...about, outputId: output.id, documentId: output.documentId, name: output.name, outputState: output.state, files: output.files as unknown as IDataObject[], missingFields: output.missingFields };
      if (download === "" || output.state !== "DONE") return { json, pairedItem: itemIndex };
      return { json, binary: { [download]: await pdf(context, run.workflowId, output.id, itemIndex) }, pairedItem: itemIndex };
    }),
  );
}

/** The PDF of an output. */
async function pdf(context: Context, workflowId: string, outputId: string, itemIndex?: number) {
  const { body, headers } = await ask<ArrayBuffer>(context, { method: "GET", path: `/workflows/${part(workflowId)}/outputs/${part(outputId)}/pdf/`, file: true, itemIndex });
  const helpers = context.helpers as IExecuteFunctions["helpers"];
  return await helpers.prepareBinaryData(Buffer.from(body), fileName(headers["content-disposition"] ?? ""), "application/pdf");
}

function fileName(disposition: string): string {
  const encoded = /filename\*=utf-8''([^;]+)/i.exec(disposition)?.[1];
  if (encoded !== undefined) return decodeURIComponent(encoded);
  return /filename="?([^";]+)"?/.exec(disposition)?.[1] ?? "document.pdf";
}
