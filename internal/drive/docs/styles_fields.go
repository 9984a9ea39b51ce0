package docs

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/opc"
)

// setParagraphStyle sets the fields of a style one by one. The order of fields
// counts for nothing: the first line's indent comes after the others.
func (b *batch) setParagraphStyle(p *etree.Element, s *gdocs.ParagraphStyle, fields map[string]bool, invalid edit.RequestFault) error {
	names := slices.Sorted(maps.Keys(fields))
	if i := slices.Index(names, "namedStyleType"); i > 0 {
		// It is applied before the others (ParagraphStyle.namedStyleType).
		names = slices.Insert(slices.Delete(names, i, i+1), 0, "namedStyleType")
	}
	for _, field := range names {
		switch field {
		case "alignment":
			value := map[string]string{"START": "left", "CENTER": "center", "END": "right", "JUSTIFIED": "both"}[s.Alignment]
			if value == "" {
				value = "left"
			}
			replaceProperty(p, "jc", map[string]string{"val": value})
		case "spaceAbove":
			changeProperty(p, "spacing", "before", twips(s.SpaceAbove))
		case "spaceBelow":
			changeProperty(p, "spacing", "after", twips(s.SpaceBelow))
		case "lineSpacing":
			changeProperty(p, "spacing", "line", fmt.Sprint(int(math.Round(s.LineSpacing*2.4))))
			changeProperty(p, "spacing", "lineRule", "auto")
		case "indentStart":
			changeProperty(p, "ind", "left", twips(s.IndentStart))
		case "indentEnd":
			changeProperty(p, "ind", "right", twips(s.IndentEnd))
		case "indentFirstLine":
			// Below, where the other indents are set.
		case "keepLinesTogether":
			setFlag(p, "keepLines", s.KeepLinesTogether)
		case "keepWithNext":
			setFlag(p, "keepNext", s.KeepWithNext)
		case "pageBreakBefore":
			setFlag(p, "pageBreakBefore", s.PageBreakBefore)
		case "avoidWidowAndOrphan":
			setFlag(p, "widowControl", s.AvoidWidowAndOrphan)
		case "direction":
			setFlag(p, "bidi", s.Direction == "RIGHT_TO_LEFT")
		case "shading":
			dropProperty(propertiesOf(p), "shd")
			if s.Shading != nil && hexOf(s.Shading.BackgroundColor) != "" {
				changeProperty(p, "shd", "val", "clear")
				changeProperty(p, "shd", "fill", hexOf(s.Shading.BackgroundColor))
			}
		case "borderTop", "borderBottom", "borderLeft", "borderRight", "borderBetween":
			setParagraphBorder(p, strings.ToLower(strings.TrimPrefix(field, "border")), s)
		case "namedStyleType":
			if err := b.setNamedStyle(p, s.NamedStyleType, invalid); err != nil {
				return err
			}
		default:
			return invalid("This drive cannot set the field %q of a paragraph's style by itself.", field)
		}
	}
	if fields["indentFirstLine"] {
		indentFirstLine(p, s.IndentFirstLine)
	}
	return nil
}

func setFlag(p *etree.Element, tag string, isOn bool) {
	value := "0"
	if isOn {
		value = "1"
	}
	changeProperty(p, tag, "val", value)
}

// indentFirstLine sets the indent of the first line, which Google counts from
// the margin and OOXML from the other lines.
func indentFirstLine(p *etree.Element, d *gdocs.Dimension) {
	changeProperty(p, "ind", "left", leftOf(p))
	e := child(propertiesOf(p), "ind")
	left, err1 := strconv.Atoi(e.SelectAttrValue("w:left", "0"))
	first, err2 := strconv.Atoi(twips(d))
	if err1 != nil || err2 != nil {
		return
	}
	e.RemoveAttr("w:firstLine")
	e.RemoveAttr("w:hanging")
	if first >= left {
		e.CreateAttr("w:firstLine", strconv.Itoa(first-left))
	} else {
		e.CreateAttr("w:hanging", strconv.Itoa(left-first))
	}
}

func leftOf(p *etree.Element) string {
	e := child(child(p, "pPr"), "ind")
	if e == nil {
		return "0"
	}
	return e.SelectAttrValue("w:left", e.SelectAttrValue("w:start", "0"))
}

// setNamedStyle gives a paragraph one of Word's built-in styles. Like Google,
// it takes away what was set of the paragraph beside a style.
func (b *batch) setNamedStyle(p *etree.Element, named string, invalid edit.RequestFault) error {
	name := ""
	switch {
	case named == "NORMAL_TEXT":
		name = "normal"
	case named == "TITLE", named == "SUBTITLE":
		name = strings.ToLower(named)
	case len(named) == len("HEADING_1") && strings.HasPrefix(named, "HEADING_") && strings.Contains("123456", named[8:]):
		name = "heading " + named[8:]
	default:
		return invalid("The named style type %.60s is unknown.", named)
	}
	ids, err := styleIDs(b.pkg)
	if err != nil {
		return err
	}
	id := ids[name]
	properties := propertiesOf(p)
	for _, e := range properties.ChildElements() {
		if !isOwn(e.Tag) {
			properties.RemoveChild(e)
		}
	}
	if name == "normal" {
		return nil // what a paragraph without a style has
	}
	if id == "" {
		return invalid("This document has no style for %s.", named)
	}
	changeProperty(p, "pStyle", "val", id)
	return nil
}

// styleIDs are the ids of paragraph styles by their names in the file, in lower case.
// Those of built-in styles are the same in every language of Word.
func styleIDs(pkg *opc.Package) (map[string]string, error) {
	ids := map[string]string{}
	for _, r := range pkg.Relationships(pkg.MainPart()) {
		if r.Type != "styles" || r.External || !pkg.Has(r.Target) {
			continue
		}
		tree, err := pkg.XML(r.Target)
		if err != nil {
			return nil, err
		}
		for _, e := range tree.Root().ChildElements() {
			if e.Tag != "style" || e.SelectAttrValue("w:type", "") != "paragraph" {
				continue
			}
			if n := child(e, "name"); n != nil {
				if name := strings.ToLower(n.SelectAttrValue("w:val", "")); ids[name] == "" {
					ids[name] = e.SelectAttrValue("w:styleId", "")
				}
			}
		}
	}
	return ids, nil
}

// relink makes a run a link of its own, or none when link is nil. Of a link
// over several runs the others keep it.
func relink(run, link *etree.Element) {
	endFieldLink(run)
	parent := run.Parent()
	if parent == nil {
		return
	}
	if parent.Tag == "hyperlink" && parent.Space == "w" {
		over := parent
		rest := etree.NewElement("w:hyperlink")
		for _, a := range over.Attr {
			rest.CreateAttr(a.FullKey(), a.Value)
		}
		for next := run.Index() + 1; next < len(over.Child); {
			rest.AddChild(over.RemoveChildAt(next))
		}
		over.RemoveChild(run)
		parent = over.Parent()
		at := over.Index() + 1
		parent.InsertChildAt(at, run)
		if len(rest.Child) > 0 {
			parent.InsertChildAt(at+1, rest)
		}
		if len(over.ChildElements()) == 0 {
			parent.RemoveChild(over)
		}
	}
	if link == nil {
		return
	}
	fresh := etree.NewElement("w:hyperlink")
	for _, a := range link.Attr {
		fresh.CreateAttr(a.FullKey(), a.Value)
	}
	at := run.Index()
	parent.RemoveChild(run)
	parent.InsertChildAt(at, fresh)
	fresh.AddChild(run)
}
