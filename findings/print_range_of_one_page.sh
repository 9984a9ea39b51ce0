#!/usr/bin/env bash
# Go pdfcpu v0.15.0 refuses a PDF whose print range has a single page, relaxed or not.
#
# Expected: PrintPageRange is pairs of a first and a last page (ISO 32000-1, table 150).
#   [1 1] prints page 1. Relaxed validation lets viewer preferences pass that any reader
#   shows; qpdf and poppler find nothing wrong.
# Seen: "dict=ViewerPreferences entry=PrintPageRange invalid dict entry", for [1 1] and
#   for [1 1 3 4]. [1 2] is fine: the last page has to be greater than the first. Merge,
#   split and encrypt end with the same error, as they validate first.
# Why it matters here: forms and terms that print "only page 1" are appended to our
#   documents. Entries that say how a file is printed go before it is validated.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel error pdf-lib@1.17.1 >/dev/null
cat > write.mjs <<'JS'
import fs from 'node:fs';
import { PDFDocument } from 'pdf-lib';

for (const range of [[1, 2], [1, 1], [1, 1, 3, 4]]) {
  const pdf = await PDFDocument.create();
  for (let page = 1; page <= 4; page++) pdf.addPage().drawText(`page ${page}`);
  const pairs = [];
  for (let i = 0; i < range.length; i += 2) pairs.push({ start: range[i], end: range[i + 1] });
  pdf.catalog.getOrCreateViewerPreferences().setPrintPageRange(pairs);
  fs.writeFileSync(`${range.join(' ')}.pdf`, await pdf.save());
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
	for file, refused := range map[string]bool{"1 2.pdf": false, "1 1.pdf": true, "1 1 3 4.pdf": true} {
		err := api.ValidateFile(file, config)
		fmt.Printf("[%s]: %v\n", strings.TrimSuffix(file, ".pdf"), err)
		if refused != (err != nil && strings.Contains(err.Error(), "PrintPageRange")) {
			fmt.Println("this changed")
			os.Exit(1)
		}
	}
}
GO
GOFLAGS=-mod=mod go mod tidy >/dev/null 2>&1
go run . | sort
