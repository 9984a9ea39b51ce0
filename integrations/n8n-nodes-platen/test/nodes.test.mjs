// Tests of the parts that need no n8n. The nodes in a real one are in test/interop of the
// repository.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createRequire } from "node:module";
import { test } from "node:test";

const require = createRequire(import.meta.url);
const { eventOf, fieldsOf } = require("../dist/nodes/Platen/fields.js");
const { isSigned, signedOf } = require("../dist/nodes/Platen/signature.js");
const { addressOf, ask } = require("../dist/nodes/Platen/api.js");
const { send, unmade } = require("../dist/nodes/Platen/runs.js");
const { PlatenTrigger } = require("../dist/nodes/Platen/PlatenTrigger.node.js");

const key = Buffer.alloc(24, 7);
const secret = `whsec_${key.toString("base64")}`;
const body = Buffer.from('{"event_id": "evt_1"}');
const now = () => String(Math.floor(Date.now() / 1000));
const headersOf = (at = now(), by = key) => ({
  "webhook-id": "evt_1",
  "webhook-timestamp": at,
  "webhook-signature": "v1," + createHmac("sha256", by).update(`evt_1.${at}.`).update(body).digest("base64"),
});

test("an event is taken only from those who know the secret", () => {
  const taken = (headers, of = secret, text = body) => {
    const by = signedOf(headers);
    return by !== undefined && isSigned(of, by, text);
  };
  assert.ok(taken(headersOf()));
  const rotated = headersOf();
  rotated["webhook-signature"] = `v1,${"A".repeat(43)}= ${rotated["webhook-signature"]}`;
  assert.ok(taken(rotated));
  assert.ok(!taken(headersOf(undefined, Buffer.alloc(24, 8))), "another secret");
  assert.ok(!taken(headersOf(), secret, Buffer.from("{}")), "another body");
  assert.ok(!taken({ ...headersOf(), "webhook-id": "evt_2" }), "another id");
  assert.ok(!taken(headersOf(String(Number(now()) - 301))), "an old event");
  assert.ok(!taken(headersOf("soon")), "no time");
  assert.ok(!taken({}), "no headers");
  assert.ok(!taken(headersOf(undefined, Buffer.alloc(0)), "whsec_"), "an empty secret");
});

// As the service writes it: a field of text may be most things, and an object also a list.
const text = { type: ["string", "number", "boolean", "array", "null"] };
const schema = {
  type: "object",
  required: ["Name", "Customer"],
  properties: {
    Name: text,
    Total: { type: ["number", "string", "array", "null"] },
    Paid: { type: "boolean" },
    Count: { type: "number" },
    Customer: { type: ["object", "array"], required: ["City"], properties: { City: text, Address: { type: ["object", "array"], properties: { Street: text } } }, items: { $ref: "#/properties/Customer" } },
    Items: { type: "array", items: { type: "object", properties: { Price: text } } },
  },
};

test("fields are those that the templates ask for, each once", () => {
  const other = { schema: { properties: { Name: { type: "number" }, Extra: {} } }, strict: false };
  const fields = fieldsOf([{ schema, strict: true }, other]);
  assert.deepEqual(
    fields.map((f) => [f.id, f.type, f.required]),
    [["Name", "string", true], ["Total", "string", false], ["Paid", "boolean", false], ["Count", "number", false], ["Customer.City", "string", true], ["Customer.Address.Street", "string", false], ["Items", "array", false], ["Extra", "string", false]],
  );
});

test("values become one event, with objects for dots and without empty ones", () => {
  const { event } = eventOf(
    { Name: "Ada", "Customer.City": "Kiel", "Customer.Address.Street": "Hafen 1", Items: '[{"Price": 1}]', Total: 0, Paid: false, Any: "", Extra: null, "__proto__.polluted": "yes" },
    fieldsOf([{ schema, strict: false }]),
  );
  assert.equal(JSON.stringify(event), '{"Name":"Ada","Customer":{"City":"Kiel","Address":{"Street":"Hafen 1"}},"Items":[{"Price":1}],"Total":0,"Paid":false,"__proto__":{"polluted":"yes"}}');
  assert.equal({}.polluted, undefined);
  assert.equal(event.constructor, Object, "n8n asks a body for its constructor");
  assert.equal(eventOf({ Items: "a, b" }, [{ id: "Items", type: "array" }]).unreadable, "Items");
});

/** What n8n gives a node, as far as requests need it. */
function context(answers, address = "https://platen.example/v0/") {
  const asked = [];
  const answer = async (options) => {
    asked.push(options);
    const next = answers.shift();
    if (next instanceof Error) throw next;
    return { headers: {}, ...next };
  };
  return {
    asked,
    getNode: () => ({ name: "Platen", type: "n8n-nodes-platen.platen", typeVersion: 1, position: [0, 0], parameters: {}, id: "1" }),
    getCredentials: async () => ({ address, token: "plt_test" }),
    helpers: {
      httpRequest: answer,
      httpRequestWithAuthentication: (credentials, options) => answer({ ...options, credentials }),
    },
  };
}

const source = { statusCode: 200, body: { webhookUrl: "https://hooks.platen.example/key", testWebhookUrl: "https://hooks.platen.example/key/test" } };
const busy = { statusCode: 503, body: { code: "busy", detail: "Later." } };
const completed = { id: "aut_1", workflowId: "wkf_1", state: "COMPLETED", outputs: [] };
const event = { workflowId: "wkf_1", data: { Name: "Ada" }, key: "order-17", reference: "Order 17", test: false, wait: 90 };

test("an event is sent under one key, without the token, until its run has ended", async () => {
  const c = context([source, new Error("cut off"), busy, { statusCode: 202, body: { ...completed, state: "RUNNING" }, headers: { "preference-applied": "wait=50" } }, { statusCode: 200, body: completed }]);
  assert.equal((await send(c, event, 0)).id, "aut_1");
  const posts = c.asked.slice(1);
  assert.equal(posts.length, 4);
  for (const one of posts) {
    assert.equal(one.url, "https://hooks.platen.example/key");
    assert.equal(one.credentials, undefined);
    assert.equal(one.headers["Idempotency-Key"], "order-17");
    assert.equal(one.headers["Platen-Reference"], "Order 17");
  }
  assert.equal(posts[0].headers.Prefer, "wait=50");
  assert.ok(c.asked[0].url.startsWith("https://platen.example/v0/workflows/wkf_1/"), c.asked[0].url);
});

test("a test goes to the address of tests, and a wait of 0 does not wait", async () => {
  const c = context([source, { statusCode: 202, body: { ...completed, state: "ACCEPTED" } }]);
  const run = await send(c, { ...event, test: true, reference: "", wait: 0 }, 0);
  assert.equal(c.asked[1].url, "https://hooks.platen.example/key/test");
  assert.deepEqual([c.asked[1].headers.Prefer, c.asked[1].headers["Platen-Reference"]], ["wait=0", undefined]);
  assert.equal(unmade(c, run, 0, 0), undefined);
});

test("what must not happen twice is not repeated after no answer", async () => {
  const c = context([new Error("cut off"), { statusCode: 201, body: {} }]);
  await assert.rejects(ask(c, { method: "POST", path: "/workflows/wkf_1/outgoing-webhooks/" }), /did not answer/);
  assert.equal(c.asked.length, 1);
});

test("an error names the field, the cure and the code", async () => {
  const refused = { statusCode: 400, body: { code: "body_invalid", detail: "The body has 1 fault.", requestId: "req_1", errors: [{ pointer: "/webhookUrl", detail: "must be an address" }] } };
  const error = await ask(context([refused]), { method: "POST", path: "/" }).catch((e) => e);
  assert.equal(error.message, "The body has 1 fault.");
  assert.match(error.description, /^\/webhookUrl: must be an address\.\nCode body_invalid, request req_1\.$/);
  const elsewhere = await ask(context([{ statusCode: 404, body: "<html>" }]), { method: "GET", path: "/me/" }).catch((e) => e);
  assert.match(elsewhere.description, /API Address/);
});

test("a run without a document says why and what to do", () => {
  const of = (run) => unmade(context([]), { ...completed, error: null, ...run }, 300, 0);
  assert.equal(of({}), undefined);
  const failed = of({ state: "FAILED", outputs: [{ name: "Letter", documentId: "doc_1", error: { code: "fields_missing", message: "The data has no Name: send it." } }] });
  assert.match(failed.message + failed.description, /The data has no Name: send it\..*aut_1.*fields_missing/s);
  assert.match(of({ state: "SKIPPED", reason: "KEY_REUSED" }).message, /"Key" names another event/);
  assert.match(of({ state: "RUNNING" }).description, /Raise "Wait Up To"/);
});

test("an address that is none is named", async () => {
  assert.equal(await addressOf(context([], "https://platen.example")), "https://platen.example/v0");
  assert.equal(await addressOf(context([], " https://platen.example/v0/ ")), "https://platen.example/v0");
  for (const address of ["", "platen.example", "https://platen.example/v0?x=1"]) await assert.rejects(addressOf(context([], address)), /API Address/);
});

/** What n8n gives a trigger that is switched on or off. */
const hook = (answers, { mode = "trigger", replace = false } = {}) => ({
  ...context(answers),
  getMode: () => mode,
  getNodeWebhookUrl: () => "https://n8n.example/webhook/1/webhook",
  getNodeParameter: (name) => (name === "replace" ? replace : "wkf_1"),
});
const { create, delete: remove } = new PlatenTrigger().webhookMethods.default;
const nowhere = { statusCode: 403, body: { code: "outgoing_webhook_not_found", detail: "There is none." } };
const ok = { statusCode: 200, body: {} };
const asked = (c) => c.asked.map((one) => `${one.method} ${one.url.replace("https://platen.example/v0/workflows/wkf_1/", "")}`);

test("a trigger sets the outgoing webhook, and in the editor that of tests", async () => {
  const live = hook([nowhere, ok]);
  await create.call(live);
  assert.deepEqual(asked(live), ["GET outgoing-webhooks/", "POST outgoing-webhooks/"]);
  const listening = hook([{ statusCode: 403, body: { code: "test_receiver_not_found", detail: "There is none." } }, ok], { mode: "manual" });
  await create.call(listening);
  assert.deepEqual(asked(listening), ["GET outgoing-webhooks/test-receiver/", "PUT outgoing-webhooks/test-receiver/"]);
});

test("another receiver is named, and replaced only if the user says so", async () => {
  const other = { statusCode: 200, body: { webhookUrl: "https://receiver.example/events" } };
  const error = await create.call(hook([other])).catch((e) => e);
  assert.match(error.description, /receiver\.example.*Replace Another Receiver/);
  const replacing = hook([other, ok], { replace: true });
  await create.call(replacing);
  assert.deepEqual(asked(replacing), ["GET outgoing-webhooks/", "PATCH outgoing-webhooks/"]);
  const switchedOff = hook([other]);
  await remove.call(switchedOff);
  assert.equal(switchedOff.asked.length, 1, "somebody else's receiver stays");
});

test("at a start, events that n8n swallowed while it started come once more", async () => {
  const mine = { statusCode: 200, body: { webhookUrl: "https://n8n.example/webhook/1/webhook" } };
  const detail = (...answers) => ({ statusCode: 200, body: { deliveries: answers.map((answer) => ({ answer })) } });
  const c = hook([mine, ok, { statusCode: 200, body: [{ id: "evt_1" }, { id: "evt_2" }] }, detail("", "n8n is starting up. Please wait"), ok, detail("n8n is starting up. Please wait", "{}")]);
  await create.call(c);
  assert.deepEqual(asked(c), ["GET outgoing-webhooks/", "PATCH outgoing-webhooks/", "GET events/", "GET events/evt_1/", "POST events/evt_1/redeliver/", "GET events/evt_2/"]);
});

test("what cannot be asked for again leaves the receiver where it is", async () => {
  const mine = { statusCode: 200, body: { webhookUrl: "https://n8n.example/webhook/1/webhook" } };
  const warned = [];
  const c = { ...hook([mine, ok, { statusCode: 403, body: { code: "scope_missing", detail: "No." } }]), logger: { warn: (text) => warned.push(text) } };
  assert.equal(await create.call(c), true);
  assert.match(warned.join(), /No\./);
});

/** What n8n gives a trigger that gets a request, and the statuses that it answers. */
function received(answers, workflow, rawBody = body) {
  const statuses = [];
  const warned = [];
  const response = { status: (status) => (statuses.push(status), response), send: () => response, end: () => response };
  const c = {
    ...context(answers),
    logger: { warn: (text) => warned.push(text) },
    getMode: () => "webhook",
    getNodeParameter: (name) => (name === "events" ? ["DOCUMENTS_CREATED"] : workflow),
    getHeaderData: () => headersOf(),
    getRequestObject: () => ({ rawBody }),
    getResponseObject: () => response,
    getBodyData: () => ({ event_type: "DOCUMENTS_CREATED" }),
  };
  return { statuses, warned, receive: () => new PlatenTrigger().webhook.call(c) };
}

test("what nobody signed makes no execution, also when Platen does not say the secret", async () => {
  const form = received([{ statusCode: 200, body: { secret } }], "wkf_form", null);
  assert.equal((await form.receive()).workflowData, undefined);
  const refused = received([{ statusCode: 403, body: { code: "scope_missing", detail: "No." } }], "wkf_refused");
  assert.equal((await refused.receive()).workflowData, undefined);
  assert.deepEqual([form.statuses, refused.statuses, refused.warned.length], [[401], [503], 1]);
});

test("a secret of before is taken for an hour at most", async () => {
  const other = `whsec_${Buffer.alloc(24, 8).toString("base64")}`;
  const { statuses, receive } = received([{ statusCode: 200, body: { secret } }, { statusCode: 200, body: { secret: other } }], "wkf_rotated");
  const clock = Date.now;
  try {
    assert.ok((await receive()).workflowData);
    Date.now = () => clock() + 3_500_000;
    assert.ok((await receive()).workflowData);
    Date.now = () => clock() + 3_700_000;
    assert.equal((await receive()).workflowData, undefined);
  } finally {
    Date.now = clock;
  }
  assert.deepEqual(statuses, [401]);
});
