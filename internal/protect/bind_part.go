package protect

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// A boundPart is a PDF whose pages are put into another. It has new numbers for all that its
// pages, bookmarks and tags lead to; what nothing leads to is left out.
type boundPart struct {
	b     *Binder
	pdf   *model.Context
	title string
	links links

	tagsRoot types.Object // as its catalog has it
	lang     types.Object

	next    int         // the last number that is given, of the whole PDF
	numbers map[int]int // new ones by the old
	waiting []int       // old numbers of objects that nobody looked at
	ready   []boundObject
	sharing map[[32]byte]int

	pageTree int // the new number of the root of its pages
	mark     int // that of its bookmark
	bookmark types.Dict
	tags     partTags
	layers   map[string]types.Array
}

// A boundObject is one with its new number, and with new numbers in it.
type boundObject struct {
	number int
	object types.Object
	stream []byte // nil: it has none
}

// prepare finds everything that is to be written of the part.
func (p *boundPart) prepare() error {
	root := p.pdf.RootDict
	old, err := p.pdf.DereferenceDict(root["Dests"])
	if err != nil {
		return fmt.Errorf("read destinations: %w", err)
	}
	p.links, p.sharing = links{pdf: p.pdf, old: old, keepsTags: true}, map[[32]byte]int{}
	pages, ok := root["Pages"].(types.IndirectRef)
	if !ok {
		return errors.New("it has no tree of pages")
	}
	tree, err := p.pdf.DereferenceDict(pages)
	if err != nil {
		return fmt.Errorf("read the tree of pages: %w", err)
	}
	p.pageTree = p.numberOf(pages)
	tree["Parent"] = boundReference(boundPages)
	if err := p.prepareTags(); err != nil {
		return err
	}
	if err := p.prepareBookmark(); err != nil {
		return err
	}
	if err := p.prepareLayers(); err != nil {
		return err
	}
	return p.follow()
}

// A boundReference is one to an object of the whole PDF.
type boundReference int

func (r boundReference) String() string      { return r.PDFString() }
func (r boundReference) PDFString() string   { return reference(int(r)).PDFString() }
func (r boundReference) Clone() types.Object { return r }

// numberOf is the new number of an object, which is to be looked at.
func (p *boundPart) numberOf(r types.IndirectRef) int {
	old := int(r.ObjectNumber)
	number, ok := p.numbers[old]
	if !ok {
		p.next++
		number = p.next
		p.numbers[old] = number
		p.waiting = append(p.waiting, old)
	}
	return number
}

// follow looks at all objects that something leads to.
func (p *boundPart) follow() error {
	for len(p.waiting) > 0 {
		old := p.waiting[len(p.waiting)-1]
		p.waiting = p.waiting[:len(p.waiting)-1]
		if err := p.look(old); err != nil {
			return err
		}
	}
	return nil
}

// look makes an object ready. A reference to nothing is one to null (ISO 32000-1, 7.3.10).
func (p *boundPart) look(old int) error {
	o, err := p.pdf.Dereference(reference(old))
	if err != nil {
		return fmt.Errorf("read object %d: %w", old, err)
	}
	p.links.spell(o)
	if s, ok := o.(*types.StreamDict); ok {
		o = *s
	}
	s, ok := o.(types.StreamDict)
	if !ok {
		p.ready = append(p.ready, boundObject{p.numbers[old], p.renumbered(o), nil})
		return nil
	}
	if s.Raw == nil {
		if err := s.Encode(); err != nil {
			return fmt.Errorf("read the stream %d: %w", old, err)
		}
	}
	d := s.Dict.Clone().(types.Dict)
	delete(d, "Length")
	d = p.renumbered(d).(types.Dict)
	if s.Raw == nil {
		s.Raw = []byte{}
	}
	p.ready = append(p.ready, boundObject{p.numbers[old], d, s.Raw})
	return nil
}

// renumbered is an object with the new numbers of those that it leads to. Places in the tree
// of parents get those behind the ones of the parts before.
func (p *boundPart) renumbered(o types.Object) types.Object {
	switch o := o.(type) {
	case types.IndirectRef:
		return p.renumberedReference(o)
	case *types.IndirectRef:
		return p.renumberedReference(*o)
	case types.Dict:
		if s := o.NameEntry("S"); s != nil && *s == "JavaScript" && o["JS"] != nil {
			return nil // an action of a page or a note
		}
		out := make(types.Dict, len(o))
		for key, value := range o {
			if place, ok := value.(types.Integer); ok && (key == "StructParents" || key == "StructParent") {
				if p.tags.root == 0 {
					continue
				}
				value = place + types.Integer(p.b.tags.parents)
			}
			out[key] = p.renumbered(value)
		}
		return out
	case types.Array:
		out := make(types.Array, len(o))
		for i, value := range o {
			out[i] = p.renumbered(value)
		}
		return out
	case boundReference:
		return reference(int(o))
	}
	return o
}

// renumberedReference is one to the object that stands for another. A picture or font that the
// PDF has already is not written again.
func (p *boundPart) renumberedReference(r types.IndirectRef) types.Object {
	old := int(r.ObjectNumber)
	if number, ok := p.numbers[old]; ok {
		return reference(number)
	}
	key, ok := p.sharedKey(r)
	if !ok {
		return reference(p.numberOf(r))
	}
	number, there := p.b.shared[key]
	if !there {
		number, there = p.sharing[key]
	}
	if there {
		p.numbers[old] = number
		return reference(number)
	}
	number = p.numberOf(r)
	if len(p.b.shared)+len(p.sharing) < mostShared {
		p.sharing[key] = number
	}
	return reference(number)
}

// sharedKey names the content of a picture, a font or a profile of colours that leads to no
// other object.
func (p *boundPart) sharedKey(r types.IndirectRef) (key [32]byte, ok bool) {
	o, err := p.pdf.Dereference(r)
	s, isStream := o.(types.StreamDict)
	if err != nil || !isStream || s.Raw == nil {
		return key, false
	}
	subtype := s.Dict.NameEntry("Subtype")
	isShared := s.Dict["Length1"] != nil || s.Dict["N"] != nil && s.Dict["Type"] == nil ||
		subtype != nil && (*subtype == "Image" || *subtype == "CIDFontType0C" || *subtype == "Type1C" || *subtype == "OpenType")
	if !isShared {
		return key, false
	}
	d := s.Dict.Clone().(types.Dict)
	delete(d, "Length")
	if leadsOn(d) {
		return key, false
	}
	h := sha256.New()
	_, _ = io.WriteString(h, d.PDFString())
	_, _ = h.Write(s.Raw)
	return [32]byte(h.Sum(nil)), true
}

// leadsOn tells whether there is a reference in an object.
func leadsOn(o types.Object) bool {
	switch o := o.(type) {
	case types.IndirectRef, *types.IndirectRef:
		return true
	case types.Dict:
		for _, value := range o {
			if leadsOn(value) {
				return true
			}
		}
	case types.Array:
		for _, value := range o {
			if leadsOn(value) {
				return true
			}
		}
	}
	return false
}

// prepareBookmark makes the root of the part's bookmarks the bookmark of the part, so that they
// stand below it.
func (p *boundPart) prepareBookmark() error {
	_, first, _, err := p.pdf.PageDict(1, false)
	if err != nil || first == nil {
		return errors.Join(errors.New("its first page is not found"), err)
	}
	p.bookmark = types.Dict{"Title": textString(p.title), "Dest": types.Array{reference(p.numberOf(*first)), types.Name("Fit")}}
	own, ok := p.pdf.RootDict["Outlines"].(types.IndirectRef)
	var d types.Dict
	if ok {
		if d, err = p.pdf.DereferenceDict(own); err != nil {
			return fmt.Errorf("read bookmarks: %w", err)
		}
	}
	if d["First"] == nil || d["Last"] == nil {
		p.next++
		p.mark = p.next
		return nil
	}
	p.next++
	p.mark = p.next
	p.numbers[int(own.ObjectNumber)] = p.mark // it is written as the bookmark, and not as it is
	p.bookmark["First"], p.bookmark["Last"] = p.renumbered(d["First"]), p.renumbered(d["Last"])
	if n := d.IntEntry("Count"); n != nil && *n != 0 {
		p.bookmark["Count"] = types.Integer(-max(*n, -*n)) // closed
	}
	return nil
}

// prepareLayers reads the layers of the part, some of them hidden.
func (p *boundPart) prepareLayers() error {
	all, err := p.pdf.DereferenceDict(p.pdf.RootDict["OCProperties"])
	if err != nil || all == nil {
		return err
	}
	shown, err := p.pdf.DereferenceDict(all["D"])
	if err != nil {
		return fmt.Errorf("read layers: %w", err)
	}
	p.layers = map[string]types.Array{}
	for key, in := range map[string]types.Dict{"OCGs": all, "ON": shown, "OFF": shown, "Order": shown} {
		list, err := p.pdf.DereferenceArray(in[key])
		if err != nil {
			return fmt.Errorf("read layers: %w", err)
		}
		p.layers[key] = p.renumbered(list).(types.Array)
	}
	return nil
}
