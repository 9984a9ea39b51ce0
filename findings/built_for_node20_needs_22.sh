#!/usr/bin/env bash
# @modelcontextprotocol/conformance 0.1.16: built with --target node20, and names no version of
# Node; on Node 20 not even its help is printed.
#
# Expected: a target of a bundler says where the bundle runs. npm warns of no other version,
#   because the package has no "engines".
# Seen: the target lowers syntax alone. The bundle imports globSync of fs, which came with
#   Node 22, and an import of a name that a module lacks is an error before the first line
#   runs. 0.1.14 and 0.1.15 are the same; 0.1.13 still runs on Node 20.
# Why it matters here: it is the protocol's own judge of servers for agents. A pipeline on the
#   oldest Node that is said to do reports a broken server where nothing was asked of one.
#   `make agents` brings the Node that the suite needs.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
installed() { npm install --prefix "$1" --no-save --no-package-lock --no-audit --no-fund --loglevel error "${@:2}" >/dev/null; }
installed suite @modelcontextprotocol/conformance@0.1.16
installed before @modelcontextprotocol/conformance@0.1.13
installed twenty node@20.20.2
installed twentytwo node@22.23.3
says() { "$1/node_modules/node/bin/node" "$2/node_modules/@modelcontextprotocol/conformance/dist/index.js" --help 2>&1 | grep -oE "^SyntaxError: .*|^Usage: conformance" || true; }
target=$(grep -oE 'target node[0-9]+' suite/node_modules/@modelcontextprotocol/conformance/package.json)
engines=$(grep -c '"engines"' suite/node_modules/@modelcontextprotocol/conformance/package.json || true)
on20=$(says twenty suite)
on22=$(says twentytwo suite)
before=$(says twenty before)
echo "0.1.16 is built with: $target, engines named: $engines"
echo "0.1.16 on Node 20: $on20"
echo "0.1.16 on Node 22: $on22"
echo "0.1.13 on Node 20: $before"
[ "$target" = "target node20" ] && [ "$engines" = 0 ] && [[ $on20 == *globSync* ]] && [ "$on22" = "Usage: conformance" ] && [ "$before" = "Usage: conformance" ]
