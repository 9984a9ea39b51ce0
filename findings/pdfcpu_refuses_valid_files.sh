#!/usr/bin/env bash
# Go pdfcpu v0.15.0, relaxed: refuses a PDF with a print range of one page, and one with a
# redaction mark of MuPDF (npm mupdf 1.28.1). Both files are valid.
#
# Expected: relaxed validation passes what the strict one would and more. PrintPageRange is
#   pairs of a first and a last page (ISO 32000-1, table 150), so [1 1] is page 1. A
#   redaction needs a text style (DA) if it has an OverlayText (table 192).
# Seen: an error for [1 1] and [1 1 3 4], as the last page has to be greater than the
#   first, and one for the mark, as DA is always asked for. Merge, split and encrypt end
#   with the same errors, as they validate first. qpdf and poppler find nothing wrong.
# Why it matters here: people append forms and terms to our documents. Print ranges go
#   before the file is validated, and marks get a text style.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel error pdf-lib@1.17.1 mupdf@1.28.1 >/dev/null
cat > write.mjs <<'JS'
import fs from 'node:fs';
import * as mupdf from 'mupdf';
import { PDFDocument } from 'pdf-lib';

for (const range of [[1, 2], [1, 1], [1, 1, 3, 4]]) {
  const pdf = await PDFDocument.create();
  for (let page = 1; page <= 4; page++) pdf.addPage().drawText(`page ${page}`);
  const pairs = [];
  for (let i = 0; i < range.length; i += 2) pairs.push({ start: range[i], end: range[i + 1] });
  pdf.catalog.getOrCreateViewerPreferences().setPrintPageRange(pairs);
  fs.writeFileSync(`print ${range.join(' ')}.pdf`, await pdf.save());
}
for (const kind of ['Square', 'Redact']) {
  const pdf = new mupdf.PDFDocument();
  pdf.insertPage(-1, pdf.addPage([0, 0, 600, 800], 0, pdf.addObject({}), ''));
  const mark = pdf.loadPage(0).createAnnotation(kind);
  mark.setRect([100, 100, 200, 150]);
  mark.update();
  fs.writeFileSync(`mark ${kind}.pdf`, pdf.saveToBuffer('').asUint8Array());
}
JS
node write.mjs
cat > go.mod <<'MOD'
module look

go 1.26

require github.com/pdfcpu/pdfcpu v0.15.0
MOD
cat > main.go <<'GO'
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

func main() {
	api.DisableConfigDir()
	config := model.NewDefaultConfiguration()
	config.ValidationMode = model.ValidationRelaxed
	changed := false
	for _, look := range []struct{ file, refusal string }{
		{"print 1 2", ""}, {"print 1 1", "entry=PrintPageRange invalid dict entry"}, {"print 1 1 3 4", "entry=PrintPageRange invalid dict entry"},
		{"mark Square", ""}, {"mark Redact", "dict=Redact required entry=DA missing"},
	} {
		said := ""
		if err := api.ValidateFile(look.file+".pdf", config); err != nil {
			said = err.Error()
		}
		passes := said == ""
		asSeen := passes == (look.refusal == "") && strings.Contains(said, look.refusal)
		fmt.Printf("%s: passes: %t %s\n", look.file, passes, said[max(0, strings.LastIndex(said, "dict=")):])
		changed = changed || !asSeen
	}
	if changed {
		fmt.Println("this changed")
		os.Exit(1)
	}
}
GO
GOFLAGS=-mod=mod go mod tidy >/dev/null 2>&1
go run .
