#!/usr/bin/env bash
# Checks README.md, CHANGELOG.md and docs by the rules beside this script, with Vale.
# First each rule must find what testdata/wrong.md breaks.
set -euo pipefail
cd "$(dirname "$0")/../.."
vale() { bin/vale --config test/prose/vale.ini --output line "$@"; }

found=$(vale test/prose/testdata/wrong.md || true)
for rule in test/prose/rules/Platen/*.yml; do
  name=Platen.$(basename "$rule" .yml)
  grep -q ":$name:" <<<"$found" || { echo "the rule $name finds nothing in test/prose/testdata/wrong.md" >&2; exit 1; }
done
vale README.md CHANGELOG.md docs
