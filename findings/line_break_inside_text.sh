#!/usr/bin/env bash
# npm docx-templates 4.15.0 writes a line break inside the element that holds text.
#
# Expected: a value of two lines, put in with INS, becomes text, <w:br/>, text:
#   three children of the run. ECMA-376 (17.3.3.31) lets <w:t> hold characters only.
# Seen: one <w:t> with the <w:br/> element inside it, which the schema forbids.
#   A reader that takes the text of <w:t> up to its first
#   child element loses every line but the first, without an error.
# Why it matters here: such files are templates and appendices of our users. The
#   address of a customer prints as "Street 1" alone when the reader is strict.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel error docx-templates@4.15.0 docx@9.15.2 jszip@3.10.1 >/dev/null
cat > look.mjs <<'JS'
import reports from 'docx-templates';
import JSZip from 'jszip';
import { Document, Packer, Paragraph } from 'docx';

const createReport = reports.default ?? reports;
const template = await Packer.toBuffer(new Document({
  sections: [{ children: [new Paragraph('Ship to +++INS address+++ today')] }],
}));
const report = await createReport({ template, data: { address: 'Street 1\n12345 Town' } });
const xml = await (await JSZip.loadAsync(report)).file('word/document.xml').async('string');
const inside = xml.match(/<w:t\b[^>]*>[^<]*<w:br\/>[^<]*<\/w:t>/);
console.log('break inside <w:t>:', inside ? inside[0] : 'none');
process.exit(inside ? 0 : 1);
JS
node look.mjs
