#!/usr/bin/env bash
# Has a Postgres and a Temporal that tests share, and that stay until they are stopped.
# Tests find them by .stack/ready.json. Usage: test/stack.sh start | stop | running
# STOP_SECONDS is how long stop waits.
set -euo pipefail
cd "$(dirname "$0")/.."

running() { test -s .stack/ready.json && test -s .stack/pid && ps -o args= -p "$(cat .stack/pid)" 2>/dev/null | grep -q platen-dev; }

stop() {
  if running; then
    pid=$(cat .stack/pid)
    kill "$pid"
    limit=$((SECONDS + ${STOP_SECONDS:-60}))
    while running; do
      if ((SECONDS >= limit)); then
        echo "Postgres and Temporal do not end: platen-dev, process $pid, was told to ${STOP_SECONDS:-60} seconds ago. .stack/log says what it waits for. End it with: kill -9 $pid" >&2
        exit 1
      fi
      sleep 0.1
    done
  fi
  test ! -s .stack/data || rm -rf "$(cat .stack/data)"
  rm -rf .stack
}

case ${1-} in
running) running ;;
stop) stop ;;
start)
  if running; then
    echo "Postgres and Temporal are running already. Stop them: make stack-stop"
    exit
  fi
  stop
  mkdir .stack
  data=$(mktemp -d "${TMPDIR:-/tmp}/platen-stack-XXXXXX")
  chmod 711 "$data" # Postgres runs as another user when we are root
  echo "$data" >.stack/data
  free=127.0.0.1:0
  nohup bin/platen-dev run --data-dir "$data/data" --api $free --hooks $free --drive $free --metrics $free --temporal $free --temporal-ui $free \
    --ready-file "$PWD/.stack/ready.json" >.stack/log 2>&1 &
  echo $! >.stack/pid
  until running; do
    if ! kill -0 "$(cat .stack/pid)" 2>/dev/null; then
      cat .stack/log >&2
      exit 1
    fi
    sleep 0.1
  done
  echo "Postgres and Temporal are running: go test ./internal/postgres/run -run Claim. Stop them: make stack-stop"
  ;;
*)
  echo "Usage: test/stack.sh start | stop | running" >&2
  exit 2
  ;;
esac
