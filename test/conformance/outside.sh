#!/usr/bin/env bash
# Has programs of other people judge the contract, and the service by it:
# Spectral lints the contract, Specmatic makes requests of its own from it,
# good and bad ones, and Prism stands between the suite and the service and
# judges every answer. It runs against the instance that PLATEN_TEST_STACK
# names; `make conformance` brings one up. TOOLS is the folder with the npm
# packages, OUT the one for documents and logs.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${PLATEN_TEST_STACK:?run this by make conformance}"
tools=$(realpath "${TOOLS:?}")
mkdir -p "${OUT:?}"
out=$(realpath "$OUT")
stack() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1]))[process.argv[2]]' "$PLATEN_TEST_STACK" "$1"; }

api=$(stack apiUrl)
echo "Spectral ..."
curl -fsS "${api%/v0}/openapi.json" -o "$out/openapi.json"
"$tools/node_modules/.bin/spectral" lint --ruleset test/conformance/spectral.yaml --fail-severity warn "$out/openapi.json"

echo "Specmatic, with generative tests ..."
mkdir -p "$out/specmatic"
go run ./test/conformance/outside >"$out/specmatic/openapi.json"
# MAX_TEST_REQUEST_COMBINATIONS bounds what it makes of optional fields alone.
specmatic() {
  local log=$out/specmatic/$1.log
  shift
  if ! (cd "$out/specmatic" && accessToken=$(stack accessToken) SPECMATIC_GENERATIVE_TESTS=true MAX_TEST_REQUEST_COMBINATIONS=60 \
    java -jar "$tools/node_modules/specmatic/specmatic.jar" test openapi.json "$@" >"$log" 2>&1); then
    sed -n '/^Unsuccessful Scenarios/,$p' "$log" | head -100
    echo "Specmatic found failures: $log" >&2
    exit 1
  fi
  grep '^Tests run:' "$log"
}
specmatic api --testBaseURL="$api" --filter="PATH!='/{sourceKey}'"
specmatic hooks --testBaseURL="$(stack hooksUrl)" --filter="PATH='/{sourceKey}'"

echo "The suite through Prism ..."
PLATEN_CONFORMANCE_PRISM=$tools/node_modules/.bin/prism go test ./test/conformance -count=1 -timeout 5m -run '^TestConformance$' -v >"$out/prism.log" 2>&1 || {
  grep -v '^ *--- PASS\|^=== ' "$out/prism.log" | head -100
  exit 1
}
grep -o 'prism judged.*' "$out/prism.log"
