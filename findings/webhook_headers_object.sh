#!/usr/bin/env bash
# npm standardwebhooks 1.1.1 and svix 1.99.1 refuse the Headers object of fetch.
#
# Expected: a receiver on a runtime with the fetch API (Hono, Next.js, Deno, workers)
#   passes request.headers to verify(), as it does to everything else.
# Seen: "Missing required headers", for a signature that is right. Both libraries read
#   own properties of the object, and a Headers object has none.
#   Object.fromEntries(request.headers) verifies.
# Why it matters here: the receiver answers 400 to each event, the attempts go on for
#   days, and the message names headers that were sent. It looks like our fault.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel error standardwebhooks@1.1.1 svix@1.99.1 >/dev/null
cat > look.mjs <<'JS'
import * as standard from 'standardwebhooks';
import * as svix from 'svix';

const secret = 'whsec_' + Buffer.from('0123456789abcdef01234567').toString('base64');
const body = '{"type":"DOCUMENTS_CREATED"}';
const now = new Date();
const plain = {
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(Math.floor(now / 1000)),
  'webhook-signature': new standard.Webhook(secret).sign('evt_1', now, body),
};
const said = (verify) => { try { verify(); return 'verified'; } catch (e) { return e.message; } };
let asSeen = true;
for (const [name, { Webhook }] of Object.entries({ standardwebhooks: standard, svix })) {
  const receiver = new Webhook(secret);
  const object = said(() => receiver.verify(body, plain));
  const headers = said(() => receiver.verify(body, new Headers(plain)));
  const entries = said(() => receiver.verify(body, Object.fromEntries(new Headers(plain))));
  console.log(`${name}: plain object: ${object}; Headers: ${headers}; Object.fromEntries(Headers): ${entries}`);
  asSeen &&= object === 'verified' && headers === 'Missing required headers' && entries === 'verified';
}
process.exit(asSeen ? 0 : 1);
JS
node look.mjs
