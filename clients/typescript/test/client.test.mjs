// Tests of what is written by hand, against a server that answers as it is told. The main
// job on a real service is in test/interop of the repository.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { after, test } from "node:test";
import { ended, Platen, PlatenError, SignatureError, Unanswered, Verifier } from "@platen/client";

const open = new Set();
after(() => open.forEach((server) => server.closeAllConnections() ?? server.close()));

/** A server that gives answers in turn, and notes what it was asked. */
async function serving(answers, options = {}) {
  const asked = [];
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    asked.push({ method: request.method, url: new URL(request.url, "http://here"), headers: request.headers, body: Buffer.concat(parts).toString() });
    const { status = 200, headers = {}, body = "", cut = false } = answers.shift() ?? { status: 418, body: "asked too often" };
    if (cut) return request.socket.destroy();
    response.writeHead(status, headers).end(body);
  });
  open.add(server);
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return { asked, origin, platen: new Platen({ address: origin, token: "plt_test", ...options }) };
}

const json = (status, value, headers = {}) => ({ status, headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(value) });
const problem = (status, code, headers = {}) => json(status, { code, detail: "Why.", requestId: "req_1", errors: [{ pointer: "/name", detail: "is empty" }] }, headers);
const create = (platen) => platen.post("/workflows/", { body: { name: "Letters" } });

test("a POST is repeated with the same key", async () => {
  const { asked, platen } = await serving([problem(503, "busy"), { cut: true }, json(201, { id: "wkf_1" })]);
  const workflow = await create(platen);
  assert.equal(workflow.id, "wkf_1");
  assert.equal(asked.length, 3);
  const keys = asked.map((one) => one.headers["idempotency-key"]);
  assert.ok(keys[0], "there is a key");
  assert.deepEqual(keys, [keys[0], keys[0], keys[0]]);
  for (const one of asked) {
    assert.equal(one.body, '{"name":"Letters"}');
    assert.equal(one.headers.authorization, "plt_test");
    assert.equal(one.url.pathname, "/v0/workflows/");
  }
});

test("a key of the caller's own goes along, and none with one try", async () => {
  const own = await serving([json(201, {})]);
  await own.platen.post("/workflows/", { params: { header: { "Idempotency-Key": "order-17" } }, body: { name: "Letters" } });
  assert.equal(own.asked[0].headers["idempotency-key"], "order-17");
  const once = await serving([problem(500, "internal")], { tries: 1 });
  await assert.rejects(create(once.platen), PlatenError);
  assert.equal(once.asked[0].headers["idempotency-key"], undefined);
  assert.equal(once.asked.length, 1);
});

test("what is refused is not repeated", async () => {
  for (const answer of [problem(400, "name_missing"), { status: 404, body: "<html>" }, problem(429, "rate_limited", { "Retry-After": "3600" }), { status: 302, headers: { Location: "https://elsewhere.example/" } }]) {
    const { asked, platen } = await serving([answer]);
    await assert.rejects(create(platen), (error) => error instanceof PlatenError && error.status === answer.status);
    assert.equal(asked.length, 1);
  }
});

test("an error says what to do, each fault, and the code", async () => {
  const { platen } = await serving([problem(400, "name_missing", { "X-Request-Id": "req_1" })]);
  const error = await create(platen).catch((e) => e);
  assert.equal(error.message, "Why.\n  /name is empty (name_missing)");
  assert.deepEqual([error.code, error.requestId, error.faults.length], ["name_missing", "req_1", 1]);
});

test("Retry-After is seconds or a date, which counts from that of the answer", async () => {
  const noon = Date.UTC(2026, 0, 4, 12);
  const date = (at) => new Date(at).toUTCString();
  for (const [given, want] of [["90", 90_000], ["-1", 0], ["soon", 0], ["99999999999999", 100 * 365 * 24 * 3600 * 1000], [date(noon + 60_000), 60_000], [date(noon - 60_000), 0]]) {
    const { platen } = await serving([problem(429, "rate_limited", { "Retry-After": given, Date: date(noon) })], { tries: 1 });
    const error = await platen.get("/me/").catch((e) => e);
    assert.equal(error.retryAfter, want, given);
  }
});

test("an upload is repeated only after an answer that says that nothing was done", async () => {
  const cut = await serving([{ cut: true }, json(201, { id: "doc_1" })]);
  await assert.rejects(cut.platen.upload("wkf_1", new Uint8Array([1])), Unanswered);
  assert.equal(cut.asked.length, 1);
  const busy = await serving([problem(503, "busy"), json(201, { id: "doc_1" })]);
  assert.equal((await busy.platen.upload("wkf_1", new Uint8Array([1]), { onMissing: "fail" })).id, "doc_1");
  assert.match(busy.asked[1].body, /name="settings"[^]*"onMissing":"fail"[^]*name="file"/);
});

test("a DELETE is repeated where a repeat leaves the same", async () => {
  const path = { workflowId: "wkf_1", targetId: "tgt_1" };
  const once = await serving([problem(500, "internal")]);
  await assert.rejects(once.platen.delete("/workflows/{workflowId}/targets/{targetId}/", { params: { path } }), PlatenError);
  assert.equal(once.asked.length, 1);
  const twice = await serving([problem(500, "internal"), { status: 204 }]);
  assert.equal(await twice.platen.delete("/workflows/{workflowId}/", { params: { path } }), undefined);
  assert.equal(twice.asked.length, 2);
});

test("a list is read as far as its reader goes, from the client's own address", async () => {
  const page = (n, next) => json(200, [{ id: `wkf_${n}` }, { id: `wkf_${n + 1}` }], next ? { Link: `<https://elsewhere.example/v0/workflows/?limit=200&status=COMPLETE&cursor=${next}>; rel="next"` } : {});
  const { asked, platen } = await serving([page(1, "two"), page(3, "three"), page(5), page(1, "two"), page(1, "two"), problem(404, "token_unknown")]);
  const all = [];
  for await (const workflow of platen.list("/workflows/", { params: { query: { status: ["COMPLETE"] } } })) all.push(workflow.id);
  assert.deepEqual(all, ["wkf_1", "wkf_2", "wkf_3", "wkf_4", "wkf_5", "wkf_6"]);
  assert.deepEqual(asked.map((one) => one.url.search), ["?limit=200&status=COMPLETE", "?limit=200&status=COMPLETE&cursor=two", "?limit=200&status=COMPLETE&cursor=three"]);
  for await (const _ of platen.list("/workflows/")) break;
  assert.equal(asked.length, 4);
  await assert.rejects(async () => {
    for await (const _ of platen.list("/workflows/"));
  }, /token_unknown/);
});

test("an event is sent again under one key, without the token", async () => {
  const { asked, origin, platen } = await serving([problem(500, "internal"), json(200, {})]);
  await platen.send(`${origin}/key`, { Name: "Ada" }, { requestId: "order-17", reference: "Order 17" });
  assert.equal(asked.length, 2);
  assert.ok(asked[0].headers["idempotency-key"]);
  assert.equal(asked[0].headers["idempotency-key"], asked[1].headers["idempotency-key"]);
  assert.deepEqual([asked[1].headers.authorization, asked[1].headers["x-request-id"], asked[1].headers["platen-reference"], asked[1].headers.prefer], [undefined, "order-17", "Order 17", undefined]);
});

test("an event is sent as its text has it", async () => {
  const { asked, origin, platen } = await serving([json(200, {})]);
  await platen.send(`${origin}/key`, '{"Price": 10.10}');
  assert.equal(asked[0].body, '{"Price": 10.10}');
});

test("waiting asks again under the same key until the automation has ended", async () => {
  const running = { id: "aut_1", state: "RUNNING" };
  const { asked, origin, platen } = await serving([json(202, running, { "Preference-Applied": "wait=50" }), json(200, { ...running, state: "COMPLETED" })]);
  const automation = await platen.sendAndWait(`${origin}/key`, {}, { wait: 90 });
  assert.ok(ended(automation));
  assert.equal(asked[0].headers.prefer, "wait=50");
  assert.equal(asked[0].headers["idempotency-key"], asked[1].headers["idempotency-key"]);
});

test("what did not end in time is answered as it stands, and what nobody knows is an error", async () => {
  const running = await serving([json(202, { id: "aut_1", state: "RUNNING" })]);
  assert.equal(ended(await running.platen.sendAndWait(`${running.origin}/key`, {}, { wait: 0 })), false);
  const unknown = await serving([json(200, {})]);
  await assert.rejects(unknown.platen.sendAndWait(`${unknown.origin}/key`, {}, { wait: 0 }), /send it again under the same key/);
});

test("a token goes nowhere in clear text", () => {
  for (const address of ["https://platen.example", "https://platen.example/v0/", "http://127.0.0.1:8080/v0", "http://localhost", "http://[::1]"]) {
    assert.match(new Platen({ address, token: "plt_test" }).address, /\/v0$/);
  }
  for (const address of ["http://platen.example/v0", "platen.example", "https://u:p@platen.example", "ftp://platen.example", "https://platen.example?x=1", ""]) {
    assert.throws(() => new Platen({ address, token: "plt_test" }), /address|TLS/, address);
  }
  for (const token of ["", "a b", "plt\n"]) assert.throws(() => new Platen({ address: "https://platen.example", token }), /access token/);
});

test("waiting ends with the signal", async () => {
  const { platen } = await serving([problem(503, "busy", { "Retry-After": "20" })]);
  const stop = new AbortController();
  const asking = platen.get("/me/", { signal: stop.signal });
  setTimeout(() => stop.abort(new Error("enough")), 50);
  await assert.rejects(asking, /enough/);
});

test("a try that takes too long is given up and repeated", async () => {
  let calls = 0;
  const platen = new Platen({
    address: "https://platen.example",
    token: "plt_test",
    timeout: 20,
    fetch: async (request, { signal }) => {
      if (++calls > 1) return Response.json({ user: {} });
      return new Promise((_, failed) => signal.addEventListener("abort", () => failed(signal.reason)));
    },
  });
  assert.deepEqual(await platen.get("/me/"), { user: {} });
  assert.equal(calls, 2);
});

test("a file has its name and its bytes, whole and as it comes", async () => {
  const pdf = { headers: { "Content-Type": "application/pdf", "Content-Disposition": "inline; filename=\"Zoe.pdf\"; filename*=utf-8''Zo%C3%AB.pdf" }, body: "%PDF-1.7" };
  const { platen } = await serving([pdf, pdf]);
  const file = await platen.pdf("wkf_1", "out_1");
  assert.deepEqual([file.name, new TextDecoder().decode(file.content)], ["Zoë.pdf", "%PDF-1.7"]);
  const stream = await platen.stream("/workflows/{workflowId}/batches/{batchId}/outputs.pdf/", { params: { path: { workflowId: "wkf_1", batchId: "bat_1" } } });
  assert.equal(await new Response(stream).text(), "%PDF-1.7");
});

const secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz";
const body = '{"event_id": "evt_1", "event_type": "DOCUMENTS_CREATED", "data": {"workflowId": "wkf_1", "documents": []}}';

test("an event is taken only from those who know the secret", async () => {
  const verifier = new Verifier(secret);
  const signed = (at = new Date()) => verifier.sign("evt_1", at, body);
  const event = await verifier.verify(await signed(), body);
  assert.deepEqual([event.event_id, event.event_type], ["evt_1", "DOCUMENTS_CREATED"]);
  await verifier.verify(new Headers(await signed()), new TextEncoder().encode(body));
  await verifier.verifyRequest(new Request("https://here.example", { method: "POST", headers: await signed(), body }));
  const rotated = await signed();
  rotated["webhook-signature"] = `v1,${"A".repeat(43)}= ${rotated["webhook-signature"]}`;
  await verifier.verify(rotated, body);

  const other = new Verifier(`whsec_${"QUJD".repeat(8)}`);
  const of = await signed();
  for (const [name, forged] of Object.entries({
    "another secret": async () => other.verify(await signed(), body),
    "another body": async () => verifier.verify(await signed(), `${body} `),
    "another id": async () => verifier.verify({ ...of, "webhook-id": "evt_2" }, body),
    "an old event": async () => verifier.verify(await signed(new Date(Date.now() - 3_600_000)), body),
    "no headers": () => verifier.verify({}, body),
    "another scheme": () => verifier.verify({ ...of, "webhook-signature": of["webhook-signature"].replace("v1,", "v2,") }, body),
    "no base64": () => verifier.verify({ ...of, "webhook-signature": "v1,%" }, body),
  })) {
    await assert.rejects(forged, SignatureError, name);
  }
  for (const bad of ["", "whsec_", "whsec_short", secret.slice(6), `whsec_%${secret}`]) assert.throws(() => new Verifier(bad), /signing secret/, bad);
});

test("it is there for require, too", () => {
  const required = createRequire(import.meta.url)("@platen/client");
  assert.equal(typeof required.Platen, "function");
  assert.equal(typeof required.Verifier, "function");
});
