#!/usr/bin/env bash
# golang.org/x/text v0.43.0, unicode/bidi: the "visual ordering of all the runs" is the
# order in which they were typed.
#
# Expected: Paragraph.Order "computes the visual ordering", says its comment: the runs from
#   left to right as they are drawn (UAX 9, rule L2).
# Seen: the direction of each run is right, their order is not. A text of one direction, or
#   with one run of the other in its middle, hides it: both orders are the same there.
#   npm bidi-js 1.0.3 has the order of the standard.
# Why it matters here: drawn in this order, a Hebrew address has its words on the wrong
#   sides of its number. We order the runs of each line ourselves.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
cat > go.mod <<'MOD'
module look

go 1.26

require golang.org/x/text v0.43.0
MOD
cat > main.go <<'GO'
package main

import (
	"encoding/json"
	"os"

	"golang.org/x/text/unicode/bidi"
)

type line struct {
	Text, Base string
	Runs       []string
}

func main() {
	lines := []line{
		{Text: "to שלום now", Base: "ltr"},
		{Text: "to רחוב 12 בית now", Base: "ltr"},
		{Text: "רחוב Main בית", Base: "rtl"},
	}
	for i := range lines {
		var p bidi.Paragraph
		option := bidi.DefaultDirection(bidi.LeftToRight)
		if lines[i].Base == "rtl" {
			option = bidi.DefaultDirection(bidi.RightToLeft)
		}
		if _, err := p.SetString(lines[i].Text, option); err != nil {
			panic(err)
		}
		order, err := p.Order()
		if err != nil {
			panic(err)
		}
		for n := range order.NumRuns() {
			run := order.Run(n)
			lines[i].Runs = append(lines[i].Runs, run.String())
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(lines); err != nil {
		panic(err)
	}
}
GO
GOFLAGS=-mod=mod go mod tidy >/dev/null 2>&1
go run . > go.json
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel error bidi-js@1.0.3 >/dev/null
cat > look.mjs <<'JS'
import fs from 'node:fs';
import factory from 'bidi-js';

const bidi = factory();
// A run from right to left is drawn with its last word first.
const words = (run) => (/[\u0590-\u05ff]/.test(run) ? run.trim().split(' ').reverse() : run.trim().split(' '));
const differs = [];
for (const { Text, Base, Runs } of JSON.parse(fs.readFileSync('go.json', 'utf8'))) {
  const asGo = Runs.flatMap(words).filter(Boolean);
  const place = bidi.getReorderedIndices(Text, bidi.getEmbeddingLevels(Text, Base));
  const drawn = Text.split(' ').sort((a, b) => place.indexOf(Text.indexOf(a)) - place.indexOf(Text.indexOf(b)));
  // A terminal would turn Hebrew words: they are printed as he and their length.
  const letters = (list) => JSON.stringify(list).replace(/[\u0590-\u05ff]+/g, (w) => `he${w.length}`);
  console.log(`${Base}: Go ${letters(asGo)}, bidi-js ${letters(drawn)}`);
  differs.push(asGo.join() !== drawn.join());
}
process.exit(differs.join() === 'false,true,true' ? 0 : 1);
JS
node look.mjs
