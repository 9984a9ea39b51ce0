package docs

import (
	"fmt"
	"slices"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/opc"
)

// WithoutSuggestions is the view (suggestionsViewMode) in which tracked changes
// are shown as if they had been rejected. In every other one they are shown as
// accepted, as Word prints them.
const WithoutSuggestions = "PREVIEW_WITHOUT_SUGGESTIONS"

// RejectSuggestions takes the tracked changes of text and of rows back. Tracked
// changes of styles and of the ends of paragraphs stay as they are shown
// otherwise. The package must be the caller's own.
func RejectSuggestions(p *opc.Package) error {
	for _, part := range edit.StoryParts(p) {
		tree, err := p.XML(part)
		if err != nil {
			return fmt.Errorf("reject suggestions: %w", err)
		}
		reject(tree.Root())
	}
	return nil
}

func reject(e *etree.Element) {
	for _, t := range slices.Clone(e.Child) {
		c, ok := t.(*etree.Element)
		switch {
		case !ok:
		case c.Space != "w":
			reject(c)
		case c.Tag == "ins" || c.Tag == "moveTo":
			if len(c.Child) > 0 { // in properties they have no content
				e.RemoveChild(c)
			}
		case c.Tag == "tr" && child(child(c, "trPr"), "ins") != nil:
			e.RemoveChild(c)
		case c.Tag == "del" || c.Tag == "moveFrom":
			restore(e, c)
		default:
			reject(c)
		}
	}
}

// restore puts what was deleted back into the text.
func restore(parent, deleted *etree.Element) {
	if len(deleted.Child) == 0 {
		return
	}
	reject(deleted)
	at := deleted.Index()
	for _, t := range slices.Clone(deleted.Child) {
		if c, ok := t.(*etree.Element); ok {
			eachText(c)
		}
		deleted.RemoveChild(t)
		parent.InsertChildAt(at, t)
		at++
	}
	parent.RemoveChild(deleted)
}

// eachText makes deleted text (ECMA-376 part 1, 17.3.3.7) text again.
func eachText(e *etree.Element) {
	switch e.Tag {
	case "delText":
		e.Tag = "t"
	case "delInstrText":
		e.Tag = "instrText"
	}
	for _, c := range e.ChildElements() {
		eachText(c)
	}
}
