#!/usr/bin/env bash
# Checks README.md, CONTRIBUTING.md, CHANGELOG.md, docs, and what programs and pages
# say (texts) by the rules beside this script, with Vale.
# First each rule must find what testdata/wrong.md breaks.
set -euo pipefail
cd "$(dirname "$0")/../../.."
vale() { bin/vale --config test/tools/prose/vale.ini --output line "$@"; }

found=$(vale test/tools/prose/testdata/wrong.md || true)
for rule in test/tools/prose/rules/Platen/*.yml; do
  name=Platen.$(basename "$rule" .yml)
  grep -q ":$name:" <<<"$found" || { echo "the rule $name finds nothing in test/tools/prose/testdata/wrong.md" >&2; exit 1; }
done
vale README.md CONTRIBUTING.md CHANGELOG.md docs

texts=$(mktemp -d)
trap 'rm -rf "$texts"' EXIT
${GO:-go} run ./test/tools/prose/texts >"$texts/texts.md"
vale "$texts/texts.md" >"$texts/found" || {
  while IFS=: read -r _ line _ _ message; do
    echo "$message $(sed -n "${line}p" "$texts/texts.md")" >&2
  done <"$texts/found"
  exit 1
}
