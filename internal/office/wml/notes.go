package wml

import (
	"strconv"

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
			into[id] = &Note{Elem: e, Blocks: r.collectBlocks(e, nil)}
			r.noteNow = ""
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

// numberNote returns the number of a note; notes of a kind are numbered in the
// order in which the text refers to them.
func (r *resolver) numberNote(kind, id string) string {
	key := kind + "/" + id
	n := r.notes[key]
	if n == 0 {
		r.notes[kind]++
		n = r.notes[kind]
		r.notes[key] = n
	}
	if kind == "endnotes" {
		return dml.FormatNumber(n, "lowerRoman")
	}
	return strconv.Itoa(n)
}
