package slides

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/opc"
)

// maxCopiedBytes is how many bytes of charts the requests of one batch may copy.
const maxCopiedBytes = 64 << 20

// written is a part as it would be written now.
func (b *batch) written(part string) ([]byte, error) {
	data, ok := b.deck.pkg.Part(part)
	if !ok {
		return nil, fmt.Errorf("read %s: it is damaged", part)
	}
	return slices.Clone(data), nil
}

// copyRelations gives a part, which is in the folder of another, the
// relationships of that, under their ids. keep may change each, or say that it
// is left out.
func (b *batch) copyRelations(from, to string, keep func(r opc.Relationship, e *etree.Element) bool) error {
	name := relationsPart(from)
	if !b.deck.pkg.Has(name) {
		return nil
	}
	data, err := b.written(name)
	if err != nil {
		return err
	}
	tree := etree.NewDocument()
	if err := tree.ReadFromBytes(data); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	for _, r := range b.deck.pkg.Relationships(from) {
		for _, e := range tree.Root().ChildElements() {
			if e.SelectAttrValue("Id", "") == r.ID && !keep(r, e) {
				tree.Root().RemoveChild(e)
			}
		}
	}
	if data, err = tree.WriteToBytes(); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	b.deck.pkg.SetPart(relationsPart(to), "", data)
	return nil
}

// copySlideRelations gives a copy of a slide what the slide has, without what belongs to
// one slide alone. Layouts and pictures are shared. Charts are copied: their data is a
// part of its own, which somebody may change on one of the slides.
func (b *batch) copySlideRelations(from, to string, invalid edit.RequestFault) (err error) {
	failed := b.copyRelations(from, to, func(r opc.Relationship, e *etree.Element) bool {
		switch {
		case r.Type == "notesSlide" || r.Type == "comments":
			return false
		case err == nil && (r.Type == "chart" || r.Type == "chartEx") && !r.External && b.deck.pkg.Has(r.Target):
			var name string
			name, err = b.copyChart(r.Target, invalid)
			e.CreateAttr("Target", "/"+name)
		}
		return true
	})
	if failed != nil {
		return failed
	}
	return err
}

// copyChart copies the part of a chart with the parts that only it has, such as its
// workbook, and returns its name.
func (b *batch) copyChart(part string, invalid edit.RequestFault) (string, error) {
	name, err := b.copyPart(part, invalid)
	if err != nil {
		return "", err
	}
	failed := b.copyRelations(part, name, func(r opc.Relationship, e *etree.Element) bool {
		if err == nil && !r.External && r.Type != "image" && b.deck.pkg.Has(r.Target) {
			var own string
			own, err = b.copyPart(r.Target, invalid)
			e.CreateAttr("Target", "/"+own)
		}
		return true
	})
	if failed != nil {
		return "", failed
	}
	return name, err
}

func (b *batch) copyPart(part string, invalid edit.RequestFault) (string, error) {
	content, err := b.written(part)
	if err != nil {
		return "", err
	}
	if b.copied += len(content); b.copied > maxCopiedBytes {
		return "", invalid("The requests of one batch may copy at most %d MiB of charts.", maxCopiedBytes>>20)
	}
	extension := path.Ext(part)
	name := freePart(b.deck.pkg, strings.TrimRight(strings.TrimSuffix(part, extension), "0123456789"), extension)
	b.deck.pkg.SetPart(name, b.deck.pkg.ContentType(part), content)
	return name, nil
}
