package wml

import (
	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
)

func (r *resolver) readNotes(kind string, into map[string]*Note) {
	for _, rel := range r.pkg.Relationships(r.main) {
		if rel.Type != kind || rel.External || !r.pkg.Has(rel.Target) {
			continue
		}
		root, err := partRoot(r.pkg, rel.Target)
		if err != nil {
			r.doc.IsTruncated = true
			continue
		}
		r.part = rel.Target
		dml.EachChild(root, func(e *etree.Element) {
			id, _ := wAttr(e, "id")
			if kind, ok := wAttr(e, "type"); ok && kind != "normal" {
				return
			}
			r.fields = nil
			r.noteNow = r.numberNote(kind, id)
			if _, begins := r.doc.PageNotes[id]; begins && kind == "footnotes" {
				r.noteID = id
			}
			into[id] = &Note{Elem: e, Blocks: r.collectBlocks(e, nil)}
			r.noteNow, r.noteID = "", ""
		})
		r.part = r.main
	}
}

func (r *resolver) readNoteReference(run *Run, e *etree.Element, kind ItemKind) {
	id, _ := wAttr(e, "id")
	name := "footnotes"
	if kind == EndnoteItem {
		name = "endnotes"
		if _, known := r.notes[name+"/"+id]; !known && len(id) > 0 {
			r.notes[name+"/"+id] = 0 // known, and without a number so far
			r.doc.EndnoteIDs = append(r.doc.EndnoteIDs, id)
		}
	}
	item := Item{Kind: kind, NoteID: id, Elem: e}
	if v, ok := wAttr(e, "customMarkFollows"); !ok || !isOnValue(v) {
		item.Text = r.numberNote(name, id)
	}
	run.Items = append(run.Items, item)
}

// NoteNumbers is how notes are numbered (ECMA-376 part 1, 17.11.4 to 17.11.21).
type NoteNumbers struct {
	Format string // of ST_NumberFormat
	Start  int    // the first number
	// Restart is "continuous", "eachSect" or "eachPage".
	Restart string
}

// read takes over what a w:footnotePr or w:endnotePr says.
func (n *NoteNumbers) read(e *etree.Element) {
	if f := wChild(e, "numFmt"); f != nil {
		n.Format = numberFormat(f)
	}
	if v, ok := wInt(wChild(e, "numStart"), "val"); ok {
		n.Start = v
	}
	if v := wVal(wChild(e, "numRestart")); v != "" {
		n.Restart = v
	}
}

// noteNumbers is how the notes of a kind are numbered in the section at hand: as the
// settings say, and the section over them.
func (r *resolver) noteNumbers(kind string) NoteNumbers {
	n, tag := NoteNumbers{Format: "decimal", Start: 1, Restart: "continuous"}, "footnotePr"
	if kind == "endnotes" {
		n.Format, tag = "lowerRoman", "endnotePr"
	}
	n.read(wChild(r.settings, tag))
	if r.sectionNow < len(r.sectionProperties) {
		n.read(wChild(r.sectionProperties[r.sectionNow], tag))
	}
	return n
}

// numberNote returns the number of a note; notes of a kind are numbered in the
// order in which the text refers to them.
func (r *resolver) numberNote(kind, id string) string {
	key := kind + "/" + id
	if r.notes[key] == 0 {
		n := r.noteNumbers(kind)
		count, ok := r.noteCounts[kind]
		if !ok || n.Restart == "eachSect" && count.section != r.sectionNow {
			count = noteCount{next: n.Start}
		}
		r.noteCounts[kind] = noteCount{count.next + 1, r.sectionNow}
		r.notes[key] = len(r.notes) + 1
		r.noteTexts[key] = r.number(count.next, n.Format, r.docPr.Lang)
		if kind == "footnotes" && n.Restart == "eachPage" {
			r.doc.PageNotes[id] = n
		}
	}
	return r.noteTexts[key]
}

// noteCount is the number of the next note of a kind, and the section of the last.
type noteCount struct{ next, section int }

// number writes a number in a format for text of a language. What is written in figures
// instead is a loss.
func (r *resolver) number(n int, format, language string) string {
	text, isKnown := dml.NumberIn(n, format, language)
	if !isKnown {
		r.lost.Add(dml.LossNumberFormat)
	}
	return text
}

// numberFormat is the format that a w:numFmt names, with the pattern of one of its own.
func numberFormat(e *etree.Element) string {
	if pattern, ok := wAttr(e, "format"); ok && wVal(e) == "custom" {
		return dml.CustomFormat + pattern
	}
	return wVal(e)
}

// sectionsIn finds the properties of the sections of a document in their order.
func sectionsIn(e *etree.Element) []*etree.Element {
	var all []*etree.Element
	dml.EachChild(e, func(c *etree.Element) {
		switch c.Tag {
		case "sectPr":
			all = append(all, c)
		case "p", "pPr", "body", "sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag":
			all = append(all, sectionsIn(c)...)
		}
	})
	return all
}
