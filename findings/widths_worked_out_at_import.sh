#!/usr/bin/env bash
# Go github.com/mattn/go-runewidth v0.0.26 and v0.0.27 make every program that imports them
# start later, also one that never asks for a width.
#
# Expected: importing a package that looks widths of characters up in tables costs well under
#   a millisecond, as it did in v0.0.25. A table for faster look-ups is made when somebody
#   calls CreateLUT, which is what the function is for.
# Seen: the package's init works out the width of each of the 1,114,112 code points of
#   Unicode, twice, and writes 2.1 MiB. That takes tens of milliseconds of processor time,
#   about a hundred times as long as in v0.0.25 and v0.0.31.
# Why it matters here: pdfcpu v0.15.0 asks for v0.0.27 by way of its forms, so each command
#   of an operator, each program and each test began with this work, a third of what all
#   packages together did before main. A newer v0.0.31 in go.mod ends it.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
export GOFLAGS=-mod=mod GOWORK=off
go mod init look >/dev/null 2>&1
cat > main.go <<'GO'
package main

import _ "github.com/mattn/go-runewidth"

func main() {}
GO
shortest() { # of five starts, in microseconds
  for _ in 1 2 3 4 5; do
    GODEBUG=inittrace=1 GOMAXPROCS=1 ./look 2>&1 | awk '$2 == "github.com/mattn/go-runewidth" { printf "%d\n", $5 * 1000 }'
  done | sort -n | head -n 1
}
declare -A took
for version in v0.0.25 v0.0.26 v0.0.27 v0.0.31; do
  go get "github.com/mattn/go-runewidth@$version" >/dev/null 2>&1
  go build -o look .
  took[$version]=$(shortest)
  echo "$version: the package's init takes ${took[$version]} µs"
done
for version in v0.0.26 v0.0.27; do
  ((took[$version] > 10 * took[v0.0.25] && took[$version] > 10 * took[v0.0.31])) || { echo "this has changed: $version is no longer slow to import"; exit 1; }
done
