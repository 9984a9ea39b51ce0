package wml

import (
	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
)

// styleSheet is styles.xml: the defaults and the styles by id.
type styleSheet struct {
	styles     map[string]*style
	defaultRPr *etree.Element
	defaultPPr *etree.Element
	defaults   map[string]*style // by kind
}

// style is one w:style; chain holds it after everything it is based on.
type style struct {
	id, name, kind string
	basedOn        string
	elem           *etree.Element
	rPr, pPr       *etree.Element
	chain          []*style
}

func newStyleSheet(root *etree.Element) *styleSheet {
	s := &styleSheet{styles: map[string]*style{}, defaults: map[string]*style{}}
	if root == nil {
		return s
	}
	s.defaultRPr = wPath(root, "docDefaults", "rPrDefault", "rPr")
	s.defaultPPr = wPath(root, "docDefaults", "pPrDefault", "pPr")
	dml.EachChild(root, func(e *etree.Element) {
		if e.Tag != "style" {
			return
		}
		id, _ := wAttr(e, "styleId")
		kind, _ := wAttr(e, "type")
		st := &style{id: id, kind: kind, elem: e, name: wVal(wChild(e, "name")), basedOn: wVal(wChild(e, "basedOn")),
			rPr: wChild(e, "rPr"), pPr: wChild(e, "pPr")}
		if id != "" { // nothing refers to a style without an id, least of all what is based on nothing
			s.styles[id] = st
		}
		if v, ok := wAttr(e, "default"); ok && isOnValue(v) {
			s.defaults[kind] = st
		}
	})
	for _, st := range s.styles {
		s.link(st)
	}
	for _, st := range s.defaults {
		if st.id == "" {
			s.link(st)
		}
	}
	return s
}

// link fills the chain from the root style down; a loop of basedOn ends where
// it closes.
func (s *styleSheet) link(st *style) {
	var up []*style
	seen := map[*style]bool{}
	for at := st; at != nil && !seen[at]; at = s.styles[at.basedOn] {
		seen[at] = true
		up = append(up, at)
	}
	for i := len(up) - 1; i >= 0; i-- {
		st.chain = append(st.chain, up[i])
	}
}

// get returns the style of that kind, or the kind's default for an id that is
// not there; nil when neither exists.
func (s *styleSheet) get(id, kind string) *style {
	if st := s.styles[id]; st != nil && st.kind == kind {
		return st
	}
	return s.defaults[kind]
}

// character returns a character style, nil when there is none: unlike
// paragraphs, runs without a style take nothing from the default one.
func (s *styleSheet) character(id string) *style {
	if st := s.styles[id]; st != nil && st.kind == "character" {
		return st
	}
	return nil
}
