package protect

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Flags of annotations (ISO 32000-2, table 167).
const (
	flagHidden   = 1 << 1
	flagPrint    = 1 << 2
	flagReadOnly = 1 << 6
	flagLocked   = 1 << 7
)

// detach makes a PDF one whose pages mean the same behind those of another: links say
// where they lead without names, which both may use, and no structure or script of the
// document as a whole is left.
func detach(pdf *model.Context) error {
	root := pdf.RootDict
	old, err := pdf.DereferenceDict(root["Dests"])
	if err != nil {
		return fmt.Errorf("read destinations: %w", err)
	}
	links := links{pdf: pdf, old: old}
	for _, entry := range pdf.Table {
		if entry != nil && !entry.Free {
			links.spell(entry.Object)
		}
	}
	for _, whole := range []string{"Dests", "Names", "StructTreeRoot", "OpenAction", "AA", "PageLabels"} {
		root.Delete(whole)
	}
	clear(pdf.Names)
	return nil
}

// links leads the links of a PDF to pages without names.
type links struct {
	pdf *model.Context
	old types.Dict // names as PDF 1.1 has them
	// keepsTags: places in a structure stay.
	keepsTags bool
}

// spell changes what an object holds itself. Places in a structure go with it, unless they are
// kept.
func (l links) spell(o types.Object) {
	switch o := o.(type) {
	case types.Dict:
		l.spellDict(o)
	case types.StreamDict:
		l.spellDict(o.Dict)
	case types.Array:
		for _, one := range o {
			l.spell(one)
		}
	}
}

func (l links) spellDict(d types.Dict) {
	for _, entry := range d {
		l.spell(entry)
	}
	if !l.keepsTags {
		delete(d, "StructParent")
		delete(d, "StructParents")
	}
	l.lead(d, "Dest")
	if s := d.NameEntry("S"); s != nil && *s == "GoTo" {
		l.lead(d, "D")
	}
}

// lead puts the place of a name where the name was. A name of nothing leads nowhere.
func (l links) lead(d types.Dict, key string) {
	var found types.Object
	switch o, _ := l.pdf.Dereference(d[key]); o := o.(type) {
	case types.Name:
		found = l.old[string(o)]
	case types.StringLiteral, types.HexLiteral:
		text, err := model.Text(o)
		if names := l.pdf.Names["Dests"]; err == nil && names != nil {
			found, _ = names.Value(text)
		}
	default:
		return
	}
	place, _ := l.pdf.Dereference(found)
	if within, ok := place.(types.Dict); ok {
		place, _ = l.pdf.Dereference(within["D"])
	}
	if _, ok := place.(types.Array); !ok {
		delete(d, key)
		return
	}
	d[key] = place.Clone()
}

// A form is what there was of one.
type form struct{ fields, unseen int } // unseen: without looks in the file

// fixAnnotations makes of the fields of a form what they look like. There is no form any
// more. With asDrawn it does the same with notes and drawings.
func fixAnnotations(pdf *model.Context, asDrawn bool) (was form, _ error) {
	root, err := pdf.Catalog()
	if err != nil {
		return was, fmt.Errorf("read the catalog: %w", err)
	}
	root.Delete("AcroForm")
	for page := 1; page <= pdf.PageCount; page++ {
		d, _, _, err := pdf.PageDict(page, false)
		if err != nil || d == nil {
			return was, fmt.Errorf("read page %d: %w", page, err)
		}
		annotations, err := pdf.DereferenceArray(d["Annots"])
		if err != nil {
			return was, fmt.Errorf("read the annotations of page %d: %w", page, err)
		}
		kept := annotations[:0:0]
		for _, one := range annotations {
			a, err := pdf.DereferenceDict(one)
			if err != nil {
				return was, fmt.Errorf("read an annotation of page %d: %w", page, err)
			}
			kind := a.NameEntry("Subtype")
			if kind == nil && !isField(pdf, a) {
				continue // no reader shows an annotation of no kind
			}
			kept = append(kept, one)
			switch {
			case kind == nil || *kind == "Widget":
				was.fields++
				if !fixField(pdf, a) {
					was.unseen++
				}
			case a["DA"] == nil && (*kind == "FreeText" || *kind == "Redact"):
				a["DA"] = types.StringLiteral("/Helv 12 Tf 0 g")
			}
			if asDrawn && kind != nil && *kind != "Widget" {
				fixNote(pdf, a)
			}
		}
		if len(kept) < len(annotations) {
			d["Annots"] = kept
		}
	}
	return was, nil
}

// isField tells whether an annotation is a field of a form, itself or by what is above it.
func isField(pdf *model.Context, a types.Dict) bool {
	for range maxFieldDepth {
		if a["FT"] != nil {
			return true
		}
		above, err := pdf.DereferenceDict(a["Parent"])
		if err != nil || above == nil {
			return false
		}
		a = above
	}
	return false
}

// showsText tells whether the looks of a field draw any text. Forms that leave that to their
// reader (NeedAppearances) have empty ones, of before they were filled in. Looks that cannot
// be read, or that draw others, may.
func showsText(pdf *model.Context, looks types.Object) bool {
	stream, _, err := pdf.DereferenceStreamDict(looks)
	if err != nil || stream == nil || stream.Decode() != nil {
		return true
	}
	for word := range bytes.FieldsFuncSeq(stream.Content, func(r rune) bool { return strings.ContainsRune(" \t\r\n\f\x00()<>[]", r) }) {
		switch string(word) {
		case "Tj", "TJ", "'", "\"", "Do":
			return true
		}
	}
	return false
}

// fixField turns a field into a stamp with the field's looks. One without looks is hidden,
// for readers give a stamp some of their own: it is not seen if there was anything in it.
func fixField(pdf *model.Context, a types.Dict) (seen bool) {
	flags := 0
	if f := a.IntEntry("F"); f != nil {
		flags = *f
	}
	flags |= flagPrint | flagReadOnly | flagLocked
	shown := looksOf(pdf, a)
	filled := hasValue(pdf, a)
	unseen := filled && (shown == nil || !showsText(pdf, shown))
	for _, key := range []string{"FT", "T", "TU", "TM", "Ff", "V", "DV", "MK", "A", "AA", "Parent", "Kids", "DA", "DS", "RV", "Q", "MaxLen", "Opt", "TI", "I", "H", "AS", "Lock", "SV", "BS"} {
		delete(a, key)
	}
	a["Subtype"] = types.Name("Stamp")
	if shown == nil {
		flags |= flagHidden
		delete(a, "AP")
	} else {
		a["AP"] = types.Dict{"N": shown}
	}
	a["F"] = types.Integer(flags)
	return !unseen
}

// looksOf is what an annotation looks like, nil if that is left to the reader.
func looksOf(pdf *model.Context, a types.Dict) types.Object {
	looks, _ := pdf.DereferenceDict(a["AP"])
	shown := looks["N"]
	if states, _ := pdf.Dereference(shown); states != nil {
		if byState, ok := states.(types.Dict); ok {
			shown = nil
			if state := a.NameEntry("AS"); state != nil {
				shown = byState[*state]
			}
		}
	}
	return shown
}

// fixNote turns a note or a drawing that has looks into a stamp with these looks.
func fixNote(pdf *model.Context, a types.Dict) {
	shown := looksOf(pdf, a)
	if shown == nil {
		return
	}
	for key := range a {
		if key != "Type" && key != "Rect" && key != "OC" && (key != "F" || a.IntEntry("F") == nil) {
			delete(a, key)
		}
	}
	a["Subtype"], a["AP"] = types.Name("Stamp"), types.Dict{"N": shown}
}

// hasValue tells whether a field that readers draw by themselves shows a text: such are not
// buttons, whose states have looks, or signatures.
func hasValue(pdf *model.Context, a types.Dict) bool {
	for range maxFieldDepth {
		if value, _ := pdf.Dereference(a["V"]); value != nil {
			text, err := model.Text(value)
			return err == nil && text != ""
		}
		above, err := pdf.DereferenceDict(a["Parent"])
		if err != nil || above == nil {
			return false
		}
		a = above
	}
	return false
}

// maxFieldDepth is how far up a field is followed to its value.
const maxFieldDepth = 20

// addLayers adds the layers of an appended PDF, some of them hidden, to the catalog.
func addLayers(whole *model.Context, added types.Object) error {
	if added == nil {
		return nil
	}
	own, there := whole.RootDict["OCProperties"]
	if !there {
		whole.RootDict["OCProperties"] = added
		return nil
	}
	into, err := whole.DereferenceDict(own)
	if err != nil {
		return fmt.Errorf("read the layers: %w", err)
	}
	from, err := whole.DereferenceDict(added)
	if err != nil {
		return fmt.Errorf("read the layers: %w", err)
	}
	if err := addList(whole, into, from, "OCGs"); err != nil {
		return err
	}
	settings, err := whole.DereferenceDict(into["D"])
	if err != nil || settings == nil {
		return err
	}
	theirs, err := whole.DereferenceDict(from["D"])
	if err != nil || theirs == nil {
		return err
	}
	for _, key := range []string{"ON", "OFF", "Order"} {
		if err := addList(whole, settings, theirs, key); err != nil {
			return err
		}
	}
	return nil
}

// addList puts the entries of one list behind those of another.
func addList(whole *model.Context, into, from types.Dict, key string) error {
	more, err := whole.DereferenceArray(from[key])
	if err != nil {
		return fmt.Errorf("read layers: %w", err)
	}
	all, err := whole.DereferenceArray(into[key])
	if err != nil {
		return fmt.Errorf("read layers: %w", err)
	}
	if len(more) > 0 {
		into[key] = append(all[:len(all):len(all)], more...)
	}
	return nil
}
