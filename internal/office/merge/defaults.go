package merge

import (
	"slices"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/opc"
)

// The order of properties (ECMA-376 part 1, 17.3.1.26 and 17.3.2.28).
var (
	paragraphOrder = strings.Fields("pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc textDirection textAlignment textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange")
	textOrder      = strings.Fields("rStyle rFonts b bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof snapToGrid vanish webHidden color spacing w kern position sz szCs highlight u effect bdr shd fitText vertAlign rtl cs em lang eastAsianLayout specVanish oMath")
)

// place puts a property in its place.
func place(properties, e *etree.Element) {
	order := paragraphOrder
	if properties.Tag == "rPr" {
		order = textOrder
	}
	rank := slices.Index(order, e.Tag)
	for _, c := range properties.ChildElements() {
		if slices.Index(order, c.Tag) > rank {
			properties.InsertChildAt(c.Index(), e)
			return
		}
	}
	properties.AddChild(e)
}

// foldDefaults gives a style that is based on none what its file's defaults say, and takes
// back what the defaults here would add.
func (s *sheet) foldDefaults(style *etree.Element) {
	fold := func(around, tag, before string, neutral map[string]map[string]string) {
		own, here := find(find(find(s.root, "docDefaults"), around), tag), find(find(find(s.styles.root, "docDefaults"), around), tag)
		properties := find(style, tag)
		if properties == nil {
			properties = etree.NewElement("w:" + tag)
			at := len(style.Child)
			if next := find(style, before); before != "" && next != nil {
				at = next.Index()
			}
			style.InsertChildAt(at, properties)
		}
		if own != nil {
			for _, e := range own.ChildElements() {
				merge(properties, e.Copy())
			}
		}
		if here != nil {
			for _, e := range here.ChildElements() {
				if usual, ok := neutral[e.Tag]; ok {
					back := etree.NewElement("w:" + e.Tag)
					for _, a := range e.Attr {
						if value, known := usual[a.Key]; known {
							back.CreateAttr("w:"+a.Key, value)
						}
					}
					merge(properties, back)
				}
			}
		}
		each(properties, s.untheme)
	}
	fold("pPrDefault", "pPr", "rPr", map[string]map[string]string{
		"spacing": {"before": "0", "after": "0", "line": "240", "lineRule": "auto"}, "ind": {"left": "0", "right": "0", "firstLine": "0"}, "jc": {"val": "left"},
	})
	const usual = "Times New Roman"
	fold("rPrDefault", "rPr", "tblPr", map[string]map[string]string{
		"rFonts": {"ascii": usual, "hAnsi": usual, "cs": usual, "eastAsia": usual, "asciiTheme": "", "hAnsiTheme": ""},
		"sz":     {"val": "20"}, "szCs": {"val": "20"}, "color": {"val": "auto"}, "kern": {"val": "0"}, "b": {"val": "0"}, "i": {"val": "0"},
	})
	for _, tag := range []string{"pPr", "rPr"} {
		if properties := find(style, tag); properties != nil && len(properties.Child) == 0 {
			style.RemoveChild(properties)
		}
	}
	for _, fonts := range style.FindElements("rPr/rFonts") {
		for _, key := range []string{"ascii", "hAnsi"} { // a theme's font was here
			if a := fonts.SelectAttr("w:" + key + "Theme"); a != nil && a.Value == "" {
				fonts.RemoveAttr("w:" + key + "Theme")
				if fonts.SelectAttr("w:"+key) == nil {
					fonts.CreateAttr("w:"+key, usual)
				}
			}
		}
	}
}

// merge adds a property, or those of its attributes that the one that is there does not
// have.
func merge(properties, e *etree.Element) {
	there := find(properties, e.Tag)
	if there == nil {
		place(properties, e)
		return
	}
	for _, a := range e.Attr {
		key := a.FullKey()
		themed := strings.TrimSuffix(key, "Theme")
		if there.SelectAttr(key) == nil && there.SelectAttr(themed) == nil && there.SelectAttr(key+"Theme") == nil {
			there.CreateAttr(key, a.Value)
		}
	}
}

// compareThemes finds out whether fonts and colours of the theme mean the same here.
func (s *sheet) compareThemes() error {
	scheme := func(p *opc.Package) (fonts *etree.Element, text string, err error) {
		root, err := rootOf(p, "theme")
		if err != nil || root == nil {
			return nil, "", err
		}
		for _, e := range root.ChildElements() {
			if e.Tag != "themeElements" {
				continue
			}
			for _, c := range e.ChildElements() {
				if c.Tag == "fontScheme" || c.Tag == "clrScheme" {
					text += canonical(c)
				}
				if c.Tag == "fontScheme" {
					fonts = c
				}
			}
		}
		return fonts, text, nil
	}
	fonts, own, err := scheme(s.of.Package)
	if err != nil {
		return err
	}
	_, here, err := scheme(s.pkg)
	if err != nil {
		return err
	}
	s.isPlain, s.fonts = own != here, map[string]string{}
	if fonts == nil {
		return nil
	}
	for _, f := range fonts.ChildElements() {
		kind := strings.TrimSuffix(f.Tag, "Font") // major or minor
		for _, script := range f.ChildElements() {
			face := script.SelectAttrValue("typeface", "")
			switch script.Tag {
			case "latin":
				s.fonts[kind+"HAnsi"], s.fonts[kind+"Ascii"] = face, face
			case "ea":
				s.fonts[kind+"EastAsia"] = face
			case "cs":
				s.fonts[kind+"Bidi"] = face
			}
		}
	}
	return nil
}

// untheme writes out what an element takes from a theme that differs here.
func (s *sheet) untheme(e *etree.Element) {
	if !s.isPlain || e.Space != "w" {
		return
	}
	for _, a := range slices.Clone(e.Attr) {
		switch {
		case a.Space != "w":
		case strings.HasPrefix(a.Key, "theme"): // the colour beside it was computed of it
			e.RemoveAttr(a.FullKey())
		case strings.HasSuffix(a.Key, "Theme") || a.Key == "cstheme":
			e.RemoveAttr(a.FullKey())
			key := strings.TrimSuffix(strings.TrimSuffix(a.Key, "Theme"), "theme")
			if face := s.fonts[a.Value]; face != "" {
				e.CreateAttr("w:"+key, face)
			}
		}
	}
}

// themed tells of a style that takes something from the theme.
func themed(style *etree.Element) bool {
	found := false
	each(style, func(e *etree.Element) {
		for _, a := range e.Attr {
			found = found || a.Space == "w" && (strings.HasPrefix(a.Key, "theme") || strings.HasSuffix(a.Key, "Theme") || a.Key == "cstheme")
		}
	})
	return found
}
