#!/usr/bin/env bash
# npm pptx-automizer 0.9.4 (files of pptxgenjs 4.0.1): "cleanup" removes the slides of a
# template and keeps their speaker notes.
#
# Expected: removeExistingSlides with cleanup leaves the slides that were added, and
#   nothing of the old ones. The notes of a slide belong to it alone.
# Seen: the old slides are gone. The text of their notes is still in the file, in
#   ppt/notesSlides, with relations to slides that are not there. No program shows it;
#   unzip does.
# Why it matters here: such presentations are templates and appendices of our users.
#   What a slide's author noted for himself goes out with a file that shows none of it.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel error pptx-automizer@0.9.4 pptxgenjs@4.0.1 jszip@3.10.1 >/dev/null
cat > look.mjs <<'JS'
import fs from 'node:fs';
import automizer from 'pptx-automizer';
import generator from 'pptxgenjs';
import JSZip from 'jszip';

const Automizer = automizer.default ?? automizer;
const Generator = generator.default ?? generator;

async function write(name, notes) {
  const file = new Generator();
  for (const note of notes) {
    const slide = file.addSlide();
    slide.addText('slide', { x: 1, y: 1, w: 5, h: 1 });
    slide.addNotes(note);
  }
  await file.writeFile({ fileName: name });
}
await write('template.pptx', ['our margin is 40 %', 'do not mention the delay']);
await write('library.pptx', ['welcome everybody']);

const merger = new Automizer({ templateDir: '.', outputDir: '.', removeExistingSlides: true, cleanup: true });
await merger.loadRoot('template.pptx').load('library.pptx', 'library').addSlide('library', 1).write('out.pptx');

const zip = await JSZip.loadAsync(fs.readFileSync('out.pptx'));
const names = Object.keys(zip.files);
const slides = names.filter((n) => /^ppt\/slides\/[^/]+\.xml$/.test(n));
const texts = await Promise.all(names.filter((n) => /^ppt\/notesSlides\/[^/]+\.xml$/.test(n)).map((n) => zip.file(n).async('string')));
const kept = ['our margin is 40 %', 'do not mention the delay', 'welcome everybody'].filter((note) => texts.some((t) => t.includes(note)));
console.log('slides in the file:', slides.length, '- notes in the file:', kept.join('; '));
process.exit(slides.length === 1 && kept.length === 3 ? 0 : 1);
JS
node look.mjs
