// Takes the events of an outgoing webhook, and only those that are signed with
// its secret. It needs no package:
//
//     node receiver.mjs FILE-OF-THE-SECRET [host:port]
import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [secretFile, address = '127.0.0.1:9000'] = process.argv.slice(2)
const key = readKey(secretFile)
const seen = new Set() // a table with a unique key in earnest

function readKey(file) {
  if (!file) fail('name the file with the signing secret')
  let secret
  try {
    secret = readFileSync(file, 'utf8').trim()
  } catch (error) {
    fail(error.message)
  }
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  // With a key that is empty, anybody could sign an event.
  if (!secret.startsWith('whsec_') || key.length < 24) fail(`${file} holds no signing secret: GET …/outgoing-webhooks/secret/ answers it, whsec_…`)
  return key
}

function fail(message) {
  console.error(message)
  process.exit(1)
}

function verified(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = headers
  if (!id || !(Math.abs(Date.now() / 1000 - at) < 300)) return false
  const want = createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest()
  return signatures.split(' ').some((s) => {
    const got = Buffer.from(s.replace(/^v1,/, ''), 'base64')
    return s.startsWith('v1,') && got.length === want.length && timingSafeEqual(got, want)
  })
}

async function read(request) {
  const parts = []
  let size = 0
  for await (const part of request) {
    size += part.length
    if (size > 1 << 20) throw new Error('the body is larger than 1 MiB')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

async function take(request, response) {
  // Somebody's browser.
  if (request.method !== 'POST') return response.writeHead(405).end('Events are POSTed here.\n')
  const body = await read(request)
  if (!verified(request.headers, body)) {
    console.error('An event is refused: it is not signed with this secret, or is older than five minutes.')
    return response.writeHead(401).end()
  }
  response.writeHead(204).end() // before any work
  const event = JSON.parse(body)
  if (seen.has(event.event_id)) return // any event may come twice
  seen.add(event.event_id)
  console.log(event.event_type, event.data.documents.map((d) => d.name))
}

// Whoever sends half a body, or too much, does not stop it.
const server = createServer((request, response) => take(request, response).catch(() => response.destroy()))

const colon = address.lastIndexOf(':')
server.listen(address.slice(colon + 1), address.slice(0, colon), () => {
  const { address: host, port } = server.address()
  console.log(`Waiting for events at http://${host}:${port}/events`)
})
