package referee

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// A Document is a document as documents.get answers it with the content of its tabs.
type Document struct {
	Segments []*Segment
	Revision string // what a batch may require

	raw      object // shared by clones, which write their content into it
	pictures int    // that a batch put in
}

// A Segment is a body, header, footer or footnote of a tab.
type Segment struct {
	Tab   string
	Group string // body, headers, footers or footnotes
	ID    string // empty for a body
	Units []Unit

	holder object // where content is
	tab    object // the tab's document
}

// ReadDocument reads an answer of documents.get.
func ReadDocument(answer []byte) (*Document, error) {
	raw, err := decode(answer)
	if err != nil {
		return nil, err
	}
	d := &Document{raw: raw}
	if raw["tabs"] == nil {
		return nil, fmt.Errorf("the answer has no tabs: documents.get is asked with includeTabsContent")
	}
	d.Revision, _ = raw["revisionId"].(string)
	d.readTabs(list(raw, "tabs"))
	return d, nil
}

func (d *Document) readTabs(tabs []any) {
	for _, t := range tabs {
		t, _ := t.(object)
		id, _ := child(t, "tabProperties")["tabId"].(string)
		if tab := child(t, "documentTab"); tab != nil {
			d.readSegment(id, "body", "", child(tab, "body"), tab)
			for _, group := range []string{"headers", "footers", "footnotes"} {
				for _, key := range slices.Sorted(maps.Keys(child(tab, group))) {
					d.readSegment(id, group, key, child(tab, group, key), tab)
				}
			}
		}
		d.readTabs(list(t, "childTabs"))
	}
}

func (d *Document) readSegment(tab, group, id string, holder, of object) {
	if holder != nil {
		d.Segments = append(d.Segments, &Segment{Tab: tab, Group: group, ID: id, Units: readContent(list(holder, "content")), holder: holder, tab: of})
	}
}

// JSON is the answer that documents.get gives of the document.
func (d *Document) JSON() []byte {
	d.raw["revisionId"] = d.Revision
	for _, s := range d.Segments {
		w := contentWriter{units: s.Units}
		s.holder["content"] = w.content()
	}
	out, err := json.Marshal(d.raw)
	if err != nil {
		panic(err) // it was read from JSON
	}
	return out
}

// Clone is a document of its own. It is not to be used at the same time as the other.
func (d *Document) Clone() *Document {
	copied := *d
	copied.Segments = make([]*Segment, len(d.Segments))
	for i, s := range d.Segments {
		segment := *s
		segment.Units = slices.Clone(s.Units)
		copied.Segments[i] = &segment
	}
	return &copied
}

// AddSegment gives a tab one segment more, such as a footnote.
func (d *Document) AddSegment(tab, group, id string, units []Unit) {
	for i, s := range d.Segments {
		if s.Tab != tab || s.Group != "body" {
			continue
		}
		if s.tab[group] == nil {
			s.tab[group] = object{}
		}
		key := map[string]string{"headers": "headerId", "footers": "footerId", "footnotes": "footnoteId"}[group]
		holder := object{key: id}
		s.tab[group].(object)[id] = holder
		d.Segments = slices.Insert(d.Segments, i+1, &Segment{Tab: tab, Group: group, ID: id, Units: units, holder: holder, tab: s.tab})
		return
	}
}

// AddToTabs puts a value with a name into a group of every tab, such as a list.
func (d *Document) AddToTabs(group, name string, value map[string]any) {
	for _, s := range d.Segments {
		if s.Group == "body" {
			s.tab[group] = with(child(s.tab, group), name, value)
		}
	}
}

// NestTabs makes the last tab a child of the first.
func (d *Document) NestTabs() {
	tabs := list(d.raw, "tabs")
	if len(tabs) < 2 {
		return
	}
	first := tabs[0].(object)
	first["childTabs"] = append(list(first, "childTabs"), tabs[len(tabs)-1])
	d.raw["tabs"] = tabs[:len(tabs)-1]
}

// segment finds what a location or range is in.
func (d *Document) segment(at object) *Segment {
	id, _ := at["segmentId"].(string)
	tab, given := at["tabId"].(string)
	if !given {
		tab = d.Segments[0].Tab
	}
	known := false
	for _, s := range d.Segments {
		if known = known || s.Tab == tab; s.Tab == tab && s.ID == id {
			return s
		}
	}
	if !known {
		refuse("The tab ID %q does not exist.", tab)
	}
	refuse("Segment with ID %s was not found.", id)
	return nil
}
