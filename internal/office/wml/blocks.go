package wml

import (
	"slices"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
)

// readBlocks reads the block content of a body, cell, header, note or text box
// and hands each block to emit. Content controls, custom XML, accepted insertions
// and elements that are not known are looked through.
func (r *resolver) readBlocks(parent *etree.Element, table *tableContext, emit func(Block)) {
	if parent == nil {
		return
	}
	if r.depth >= opc.MaxNesting {
		r.doc.IsTruncated = true
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	dml.EachChild(parent, func(e *etree.Element) { r.readBlock(e, table, emit) })
}

func (r *resolver) readBlock(e *etree.Element, table *tableContext, emit func(Block)) {
	switch e.Tag {
	case "p":
		r.readParagraph(e, table, emit)
	case "tbl":
		if t := r.readTable(e, table); t != nil {
			emit(t)
		}
	case "sdt":
		content := wChild(e, "sdtContent")
		text, isBound := r.bound(e)
		if !isBound {
			r.readBlocks(content, table, emit)
			return
		}
		for _, b := range r.bindBlocks(r.collectBlocks(content, table), e, text) {
			emit(b)
		}
	case "customXml", "ins", "moveTo", "smartTag":
		r.readBlocks(e, table, emit)
	case "del", "moveFrom":
	case "altChunk":
		r.doc.IsTruncated = true
	default:
		switch {
		case isIgnorable(e):
		case holds(e, "p", "tbl"):
			r.readBlocks(e, table, emit)
		case holds(e, "r"):
			r.readParagraph(e, table, emit)
		case holds(e, "t"):
			r.doc.LacksText = true
		}
	}
}

func (r *resolver) collectBlocks(parent *etree.Element, table *tableContext) []Block {
	var out []Block
	r.readBlocks(parent, table, func(b Block) { out = append(out, b) })
	return out
}

// readParagraph hands a paragraph to emit. Blocks that stand in it, as no program of
// Office writes them, cut it into several.
func (r *resolver) readParagraph(e *etree.Element, table *tableContext, emit func(Block)) {
	pPr := wChild(e, "pPr")
	props, base := r.resolveParagraph(pPr, table)
	p := &Paragraph{Elem: e, ParagraphProperties: props}
	mark := wChild(pPr, "rPr")
	p.Mark = r.resolveRun(base, mark)
	r.readInline(p, e, base, nil)
	if len(p.Runs) == 0 && mark != nil && (wChild(mark, "del") != nil || wChild(mark, "moveFrom") != nil) {
		return // the whole paragraph was deleted
	}
	if l := r.findList(p.NumID); l != nil && (!p.Mark.Hidden || len(p.Runs) > 0) {
		r.readLabel(p, l, mark)
	}
	endsSection := wChild(pPr, "sectPr") != nil
	for i := slices.IndexFunc(p.Runs, isBlock); i >= 0; i = slices.IndexFunc(p.Runs, isBlock) {
		inner, rest := p.Runs[i].Elem, *p
		rest.Runs = p.Runs[i+1:]
		if p.Runs = p.Runs[:i]; i > 0 {
			emit(p)
			rest.Label = nil
		}
		r.readBlock(inner, table, emit)
		if len(rest.Runs) == 0 && !endsSection {
			return
		}
		p = &rest
	}
	p.EndsSection = endsSection
	emit(p)
}

// isBlock is true for a paragraph or table that stands where a run should.
func isBlock(run *Run) bool { return run.Elem.Tag == "p" || run.Elem.Tag == "tbl" }

// readLabel counts the paragraph in its list. The label is
// formatted as the paragraph mark, with the level's own formatting over it.
func (r *resolver) readLabel(p *Paragraph, l *list, mark *etree.Element) {
	lvl := l.level(p.Level)
	if lvl == nil {
		return
	}
	label := &Label{Suffix: lvl.suffix, Align: lvl.align, NumID: p.NumID, Level: p.Level, RunProperties: p.Mark}
	label.Underline = "" // Word does not carry the mark's underline over
	r.applyRun(&label.RunProperties, lvl.rPr)
	text := l.count(p.Level, func(n int, format string) string { return r.number(n, format, label.Lang) })
	if lvl.format == "none" && text == "" {
		return
	}
	label.Text = text
	p.Label = label
	if text == "" {
		return
	}
	family := label.Font([]rune(text)[0])
	if converted, ok := dml.SymbolText(family, text); ok {
		label.Text = converted
	} else if lvl.format == "bullet" {
		label.Text, _ = dml.SymbolText("Symbol", text)
		if []rune(text)[0] < 0xF000 {
			label.Text = text
		}
	}
}
