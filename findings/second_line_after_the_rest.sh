#!/usr/bin/env bash
# npm easy-template-x 7.2.8 moves the second line of a value behind the text that follows the tag.
#
# Expected: "A {x} Z" with the value "line1, newline, line2" reads
#   "A line1", break, "line2 Z".
# Seen: "A line1 Z", break, "line2". The tag is filled in place, and the lines after
#   the first are appended to the end of the run, behind " Z".
# Why it matters here: a document that came out of this library reads in another
#   order than its author wrote. Nothing in the file is invalid, so a check of the
#   structure cannot tell; comparing rendered text with the data can.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel error easy-template-x@7.2.8 docx@9.15.2 jszip@3.10.1 >/dev/null
cat > look.mjs <<'JS'
import { TemplateHandler } from 'easy-template-x';
import JSZip from 'jszip';
import { Document, Packer, Paragraph } from 'docx';

const template = await Packer.toBuffer(new Document({ sections: [{ children: [new Paragraph('A {x} Z')] }] }));
const filled = await new TemplateHandler().process(template, { x: 'line1\nline2' });
const xml = await (await JSZip.loadAsync(filled)).file('word/document.xml').async('string');
const body = xml.slice(xml.indexOf('<w:p>'), xml.indexOf('</w:p>'));
const order = [...body.matchAll(/<w:br\/>|<w:t\b[^>]*>([^<]*)<\/w:t>/g)].map((m) => m[1] ?? '|').join('');
console.log('reading order:', order);
process.exit(order === 'A line1 Z|line2' ? 0 : 1);
JS
node look.mjs
