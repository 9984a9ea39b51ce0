"""Takes the events of an outgoing webhook, and only those that are signed with its secret.

It needs Python 3.9 or later and no package:

    python3 receiver.py FILE-OF-THE-SECRET [host:port]
"""
import base64
import hashlib
import hmac
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LARGEST = 1 << 20  # bytes of a body


def read_key(file):
    try:
        with open(file, encoding="utf-8") as f:
            secret = f.read().strip()
    except FileNotFoundError:
        sys.exit(f"{file}: no such file")
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"))
    except ValueError:
        key = b""
    # With a key that is empty, anybody could sign an event.
    if not secret.startswith("whsec_") or len(key) < 24:
        sys.exit(f"{file} holds no signing secret: GET …/outgoing-webhooks/secret/ answers it, whsec_…")
    return key


def verified(key, headers, body):
    event, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not event or not at.isascii() or not at.isdigit() or abs(time.time() - int(at)) >= 300:
        return False
    want = b"v1," + base64.b64encode(hmac.digest(key, f"{event}.{at}.".encode() + body, hashlib.sha256))
    return any(hmac.compare_digest(want, got.encode()) for got in headers.get("webhook-signature", "").split(" "))


class Receiver(BaseHTTPRequestHandler):
    timeout = 15  # seconds for a request that does not end
    seen = set()  # a table with a unique key in earnest
    taking = threading.Lock()

    def do_GET(self):
        self.send_error(405, "Events are POSTed here.")  # somebody's browser

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit() or int(length) > LARGEST:
            return self.send_error(413)
        body = self.rfile.read(int(length))
        if not verified(self.server.key, self.headers, body):
            print("An event is refused: it is not signed with this secret, or is older than five minutes.", file=sys.stderr)
            return self.send_error(401)
        event = json.loads(body)
        with self.taking:
            again = event["event_id"] in self.seen  # any event may come twice
            self.seen.add(event["event_id"])
        self.send_response(204)
        self.end_headers()  # before any work
        if again:
            return
        print(event["event_type"], [d["name"] for d in event["data"]["documents"]], flush=True)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        print(f"A request is dropped: {sys.exc_info()[1]}", file=sys.stderr)


def main():
    if len(sys.argv) < 2:
        sys.exit("name the file with the signing secret")
    host, _, port = (sys.argv[2] if len(sys.argv) > 2 else "127.0.0.1:9000").rpartition(":")
    key = read_key(sys.argv[1])
    server = Server((host, int(port)), Receiver)
    server.key = key
    print(f"Waiting for events at http://{host}:{server.server_port}/events", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
