// Package walk goes through a document as the Docs API shows it: its tabs, their
// stories, and what stands in those, in the order in which a document is filled. It
// knows Google's types alone. What is done at a place belongs to the packages that walk.
package walk

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/api/docs/v1"
)

// Tabs are the tabs of a document that have a DocumentTab, each before its child tabs. A
// document in the older form, without tabs, is one tab without properties.
func Tabs(d *docs.Document) []*docs.Tab {
	if len(d.Tabs) > 0 {
		return appendTabs(nil, d.Tabs)
	}
	return []*docs.Tab{{DocumentTab: &docs.DocumentTab{
		Body: d.Body, Headers: d.Headers, Footers: d.Footers, Footnotes: d.Footnotes,
		DocumentStyle: d.DocumentStyle, NamedStyles: d.NamedStyles, Lists: d.Lists,
		InlineObjects: d.InlineObjects, PositionedObjects: d.PositionedObjects,
	}}}
}

func appendTabs(all, tabs []*docs.Tab) []*docs.Tab {
	for _, t := range tabs {
		if t.DocumentTab != nil {
			all = append(all, t)
		}
		all = appendTabs(all, t.ChildTabs)
	}
	return all
}

// Kind is what a story is of its tab.
type Kind int

const (
	Body Kind = iota
	Header
	Footer
	Footnote
	// Unreferenced is a footnote that no text refers to. Google shows none; our drive
	// shows text boxes as such. Its text can be replaced, and not edited by index.
	Unreferenced
)

// Story is a text of a tab that has indexes of its own, a segment in Google's words.
type Story struct {
	Kind     Kind
	ID       string // of the segment; "" is the body
	Content  []*docs.StructuralElement
	in       func() string // begins the names of its places
	floating map[string]docs.PositionedObject
}

// Stories are the body of a tab, its headers, footers and footnotes, those of a kind
// in the order of their ids.
func Stories(t *docs.DocumentTab) []Story {
	var all []Story
	referred := map[string]bool{}
	add := func(kind Kind, in, id string, content []*docs.StructuralElement) {
		s := Story{kind, id, content, func() string { return in }, t.PositionedObjects}
		all = append(all, s)
		s.Visit(func(n Node) {
			for _, part := range n.Parts {
				if e, ok := part.(*docs.ParagraphElement); ok && e.FootnoteReference != nil {
					referred[e.FootnoteReference.FootnoteId] = true
				}
			}
		})
	}
	if t.Body != nil {
		add(Body, "", "", t.Body.Content)
	}
	for _, id := range slices.Sorted(maps.Keys(t.Headers)) {
		add(Header, "header, ", id, t.Headers[id].Content)
	}
	for _, id := range slices.Sorted(maps.Keys(t.Footers)) {
		add(Footer, "footer, ", id, t.Footers[id].Content)
	}
	for _, id := range slices.Sorted(maps.Keys(t.Footnotes)) {
		kind := Unreferenced
		if referred[id] {
			kind = Footnote
		}
		add(kind, "note or text box, ", id, t.Footnotes[id].Content)
	}
	return all
}

// Node is what stands at a place of a story.
type Node struct {
	Place           func() string         // in its tab, for people: "header, table 1, row 2, cell 1, paragraph 3"
	Paragraph       *docs.Paragraph       // nil: it is none
	TableOfContents *docs.TableOfContents // nil: it is none
	// Parts are the *docs.StructuralElement, *docs.TableRow or *docs.TableCell, and behind
	// a paragraph each *docs.ParagraphElement and *docs.PositionedObject of it.
	Parts []any
}

// Visit shows each structural element of a story, and behind a table its rows, cells
// and what stands in these. Tables of contents are not entered: Google makes them from
// the headings.
func (s Story) Visit(visit func(Node)) {
	paragraphs, tables := 0, 0
	for _, e := range s.Content {
		n := Node{Paragraph: e.Paragraph, TableOfContents: e.TableOfContents, Parts: []any{e}}
		switch {
		case e.Paragraph != nil:
			paragraphs++
			n.Place = name(s.in, "paragraph %d", paragraphs)
			for _, part := range e.Paragraph.Elements {
				n.Parts = append(n.Parts, part)
			}
			for _, id := range e.Paragraph.PositionedObjectIds {
				o := s.floating[id]
				n.Parts = append(n.Parts, &o)
			}
		case e.Table != nil:
			tables++
			n.Place = name(s.in, "table %d", tables)
		case e.TableOfContents != nil:
			n.Place = name(s.in, "table of contents")
		default:
			n.Place = name(s.in, "behind paragraph %d", paragraphs)
		}
		visit(n)
		if e.Table == nil {
			continue
		}
		for i, r := range e.Table.TableRows {
			row := name(n.Place, ", row %d", i+1)
			visit(Node{Place: row, Parts: []any{r}})
			for j, c := range r.TableCells {
				cell := name(row, ", cell %d", j+1)
				visit(Node{Place: cell, Parts: []any{c}})
				Story{s.Kind, s.ID, c.Content, name(cell, ", "), s.floating}.Visit(visit)
			}
		}
	}
}

func name(in func() string, format string, numbers ...any) func() string {
	return func() string { return in() + fmt.Sprintf(format, numbers...) }
}
