// A store that speaks as much WebDAV as targets need, to try them on one machine:
//   node examples/webdav.mjs 127.0.0.1:9000 demo-out/store
import {createServer} from 'node:http'
import {existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {dirname, join, normalize} from 'node:path'

const [address, folder] = process.argv.slice(2)
const [host, port] = address.split(':')
mkdirSync(folder, {recursive: true})
const place = url => join(folder, normalize(decodeURIComponent(new URL(url, `http://${address}`).pathname)))

const does = {
  GET: at => existsSync(at) && statSync(at).isFile() ? [200, readFileSync(at)] : [404],
  PUT: (at, body) => existsSync(dirname(at)) ? (writeFileSync(at, body), [201]) : [409],
  MKCOL: at => existsSync(at) ? [405] : (mkdirSync(at), [201]),
  DELETE: at => (rmSync(at, {force: true}), [204]),
  MOVE: (at, _, to) => existsSync(to) ? [412] : (renameSync(at, to), [201]),
}

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const answer = does[request.method]
  const [status, body] = answer ? answer(place(request.url), Buffer.concat(chunks), place(request.headers.destination ?? '/')) : [405]
  response.writeHead(status).end(body)
}).listen(Number(port), host)
