import type { IDataObject, IHookFunctions, INodeType, INodeTypeDescription, IWebhookFunctions, IWebhookResponseData } from "n8n-workflow";
import { NodeConnectionTypes, NodeOperationError } from "n8n-workflow";

import { addressOf, ask, type Context, part } from "./api";
import { searchWorkflows, workflowProperty } from "./methods";
import { isSigned, signedOf } from "./signature";

export class PlatenTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Platen Trigger",
    name: "platenTrigger",
    icon: { light: "file:../../icons/platen.svg", dark: "file:../../icons/platen.dark.svg" },
    group: ["trigger"],
    version: 1,
    subtitle: '={{$parameter["events"].join(", ")}}',
    description: "Starts the workflow when Platen made a document",
    defaults: { name: "Platen Trigger" },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "platenApi", required: true }],
    webhooks: [{ name: "default", httpMethod: "POST", responseMode: '={{$parameter["respond"]}}', path: "webhook" }],
    properties: [
      workflowProperty,
      {
        displayName: "Events",
        name: "events",
        type: "multiOptions",
        required: true,
        options: [
          { name: "Batch Completed", value: "BATCH_COMPLETED", description: "The last row of a batch has ended" },
          { name: "Document Created", value: "DOCUMENTS_CREATED", description: "A document was made" },
          { name: "Document Failed", value: "DOCUMENT_FAILED", description: "A document could not be made" },
          { name: "Workflow Test", value: "WORKFLOW_TEST", description: "Somebody tries the outgoing webhook in Platen" },
        ],
        default: ["DOCUMENTS_CREATED"],
      },
      {
        displayName: "Respond",
        name: "respond",
        type: "options",
        options: [
          { name: "Immediately", value: "onReceived", description: "An event comes once as a rule. If n8n dies in the middle, start its execution again by hand." },
          { name: "When the Workflow Has Finished", value: "lastNode", description: "Platen sends the event again if the workflow fails, takes more than 15 seconds, or n8n dies" },
        ],
        default: "onReceived",
      },
      {
        displayName: "Replace Another Receiver",
        name: "replace",
        type: "boolean",
        default: false,
        description: "Whether events that go to another address now go to this workflow instead",
      },
    ],
  };

  methods = { listSearch: { searchWorkflows } };

  webhookMethods = {
    default: {
      // The address is set each time, which also enables it where Platen had disabled it.
      async checkExists(this: IHookFunctions): Promise<boolean> {
        return false;
      },

      async create(this: IHookFunctions): Promise<boolean> {
        const receiver = receiverOf(this);
        const webhookUrl = this.getNodeWebhookUrl("default") as string;
        const before = await current(this, receiver);
        if (before !== undefined && before !== webhookUrl && !this.getNodeParameter("replace")) {
          throw new NodeOperationError(this.getNode(), `The workflow of Platen sends its ${receiver.isTest ? "events of tests" : "events"} to another address already`, {
            description: `They go to ${before}. Turn on "Replace Another Receiver" to have them here instead. Platen keeps one receiver of a workflow.`,
          });
        }
        await ask(this, { method: receiver.isTest ? "PUT" : before === undefined ? "POST" : "PATCH", path: receiver.path, body: { webhookUrl } });
        if (before === webhookUrl) {
          // n8n takes the receiver away when this fails, and waiting events fail with it.
          await redeliverSwallowed(this, receiver.events).catch((error: Error) => this.logger.warn(`Events that n8n took while it started were not all asked for again: ${error.message}`));
        }
        return true;
      },

      async delete(this: IHookFunctions): Promise<boolean> {
        const receiver = receiverOf(this);
        // Somebody may have set another one since.
        if ((await current(this, receiver)) === this.getNodeWebhookUrl("default")) {
          await ask(this, { method: "DELETE", path: receiver.path });
        }
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const request = this.getRequestObject();
    const response = this.getResponseObject();
    const refuse = (status: number, why: string) => {
      response.status(status).send(why).end();
      return { noWebhookResponse: true };
    };
    const by = signedOf(this.getHeaderData() as Record<string, unknown>);
    if (by === undefined) return refuse(401, "The event has no signature, or its time is more than five minutes away.");
    const body: unknown = request.rawBody;
    if (!Buffer.isBuffer(body)) return refuse(401, "The event is a form, and Platen sends none."); // n8n has not kept its bytes
    try {
      if (!(await isSignedBySecret(this, (secret) => isSigned(secret, by, body)))) {
        return refuse(401, "The event is not signed with the secret of this workflow.");
      }
    } catch (error) {
      // An error would be an execution that failed, and anybody may send something.
      this.logger.warn(`The signing secret could not be read: ${(error as Error).message}`);
      return refuse(503, "The signing secret could not be read. Send the event again later.");
    }
    const event = this.getBodyData() as IDataObject & { event_type?: string; data?: IDataObject };
    if (!(this.getNodeParameter("events") as string[]).includes(event.event_type ?? "")) {
      return { webhookResponse: "This event is not wanted" };
    }
    // The file is fetched by the node behind: n8n mixes up files of webhooks that come at once.
    return { workflowData: [[{ json: event }]] };
  }
}

/** The receiver of a workflow: while the editor listens it is that of tests. */
function receiverOf(context: IHookFunctions | IWebhookFunctions) {
  const id = part(context.getNodeParameter("workflow", "", { extractValue: true }));
  const isTest = context.getMode() === "manual";
  const path = `/workflows/${id}/outgoing-webhooks/${isTest ? "test-receiver/" : ""}`;
  return { isTest, path, events: `/workflows/${id}/events/` };
}

/** Milliseconds before a start of n8n in which it may have swallowed events. */
const startTime = 15 * 60_000;

/**
 * Asks for the events once more that n8n has taken while it started: until its database is
 * ready, it answers everything with 200 and this text.
 */
async function redeliverSwallowed(context: IHookFunctions, path: string): Promise<void> {
  const since = new Date(Date.now() - startTime).toISOString();
  const delivered = (await ask<Array<{ id: string }>>(context, { method: "GET", path, query: { state: "DELIVERED", since, order: "newest", limit: 500 } })).body;
  for (const { id } of delivered) {
    const { deliveries } = (await ask<{ deliveries: Array<{ answer: string }> }>(context, { method: "GET", path: `${path}${part(id)}/` })).body;
    if (deliveries[deliveries.length - 1]?.answer.startsWith("n8n is starting up")) {
      await ask(context, { method: "POST", path: `${path}${part(id)}/redeliver/` });
    }
  }
}

/** Where events go now; undefined: nowhere. */
async function current(context: IHookFunctions, receiver: { path: string }): Promise<string | undefined> {
  const answer = await ask<{ webhookUrl: string }>(context, { method: "GET", path: receiver.path, absent: /^(outgoing_webhook|test_receiver)_not_found$/ });
  return answer.status === 200 ? answer.body.webhookUrl : undefined;
}

/**
 * Secrets by the address and token that they were read with. They are kept in memory alone.
 * They are read again when a signature does not fit, but not each time that somebody forges
 * one, and after a while: events carry the signature of a secret of before, too, which would
 * be taken until the next event otherwise.
 */
const secrets = new Map<string, { secret: string; at: number }>();
const mostSecrets = 1000;
const readAgainAfter = 10_000; // milliseconds
const keptFor = 3_600_000; // milliseconds

async function isSignedBySecret(context: IWebhookFunctions, fits: (secret: string) => boolean): Promise<boolean> {
  const { path } = receiverOf(context);
  const { token } = await context.getCredentials<{ token: string }>("platenApi");
  const name = JSON.stringify([await addressOf(context), token, path]);
  const known = secrets.get(name);
  const age = Date.now() - (known?.at ?? 0);
  if (known !== undefined && age < keptFor && (fits(known.secret) || age < readAgainAfter)) return fits(known.secret);
  const { secret } = (await ask<{ secret: string }>(context as Context, { method: "GET", path: `${path}secret/` })).body;
  if (secrets.size >= mostSecrets) secrets.clear();
  secrets.set(name, { secret, at: Date.now() });
  return fits(secret);
}
