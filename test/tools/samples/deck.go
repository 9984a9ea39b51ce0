package main

import (
	"fmt"
	"html"
	"strings"
)

const deckNamespaces = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`

// box is a shape with text on a slide; places and lengths in points.
type box struct {
	x, y, w, h   int
	preset, fill string
	color        string // of the text; empty: the theme's
	body         string // attributes of a:bodyPr and what is in it
	size         int
	align        string
	isRTL        bool
	lines        []string // "- " in front is a bullet
}

func (b box) draw(id int, _ *page) string {
	var text strings.Builder
	color := ""
	if b.color != "" {
		color = `<a:solidFill><a:srgbClr val="` + b.color + `"/></a:solidFill>`
	}
	for _, line := range b.lines {
		attributes, bullet := fmt.Sprintf(` algn="%s"`, orElse(b.align, "l")), "<a:buNone/>"
		if b.isRTL {
			attributes = ` algn="` + orElse(b.align, "r") + `" rtl="1"`
		}
		if rest, ok := strings.CutPrefix(line, "- "); ok {
			line, bullet = rest, `<a:buChar char="•"/>`
			if b.isRTL {
				attributes += ` marR="285750"`
			}
			attributes += ` marL="285750" indent="-285750"`
		}
		fmt.Fprintf(&text, `<a:p><a:pPr%s>%s</a:pPr><a:r><a:rPr lang="en-GB" sz="%d00">%s<a:latin typeface="+mn-lt"/></a:rPr><a:t>%s</a:t></a:r></a:p>`, attributes, bullet, b.size, color, html.EscapeString(line))
	}
	if text.Len() == 0 {
		text.WriteString("<a:p/>")
	}
	fill := "<a:noFill/>"
	if b.fill != "" {
		fill = `<a:solidFill><a:srgbClr val="` + b.fill + `"/></a:solidFill>`
	}
	return fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="Box %d"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="%d" y="%d"/><a:ext cx="%d" cy="%d"/></a:xfrm><a:prstGeom prst="%s"><a:avLst/></a:prstGeom>%s</p:spPr>`+
		`<p:txBody><a:bodyPr wrap="square" %s</a:bodyPr><a:lstStyle/>%s</p:txBody></p:sp>`, id, id, b.x*emu, b.y*emu, b.w*emu, b.h*emu, orElse(b.preset, "rect"), fill, orElse(b.body, ">"), text.String())
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// shape is what stands on a slide; a page takes the parts that it needs beside.
type shape interface {
	draw(id int, on *page) string
}

// page is a slide under construction.
type page struct {
	c      *container
	part   string // its name
	number int
	links  int
}

// attach adds a part that the slide names, and returns the relationship's id.
func (p *page) attach(kind, relation, name, xml string) string {
	p.links++
	id := fmt.Sprintf("x%d", p.links)
	if kind == "" {
		p.c.parts["ppt/"+name] = xml
	} else {
		p.c.add("ppt/"+name, kind, xml)
	}
	p.c.relate(p.part, id, relation, "../"+name)
	return id
}

// slideOf is a slide of some shapes, with what the speaker says; section begins a section.
type slideOf struct {
	shapes         []shape
	notes, section string
}

func on(shapes ...shape) slideOf { return slideOf{shapes: shapes} }

const (
	slideTypes = officeTypes + "presentationml."
	emptyTree  = `<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>`
	colorMap   = `<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>`
	background = `<p:bg><p:bgPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill><a:effectLst/></p:bgPr></p:bg>`
)

// deck is a presentation.
func deck(slides ...slideOf) map[string]string {
	c := newContainer()
	c.relate("", "r", "officeDocument", "ppt/presentation.xml")
	c.add("ppt/slideMasters/slideMaster1.xml", slideTypes+"slideMaster", `<p:sldMaster `+deckNamespaces+`><p:cSld>`+background+`<p:spTree>`+emptyTree+`</p:spTree></p:cSld>`+colorMap+`<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="l"/></p:sldLayoutIdLst></p:sldMaster>`)
	c.relate("ppt/slideMasters/slideMaster1.xml", "l", "slideLayout", "../slideLayouts/slideLayout1.xml")
	c.relate("ppt/slideMasters/slideMaster1.xml", "t", "theme", "../theme/theme1.xml")
	c.add("ppt/slideLayouts/slideLayout1.xml", slideTypes+"slideLayout", `<p:sldLayout `+deckNamespaces+` type="blank"><p:cSld><p:spTree>`+emptyTree+`</p:spTree></p:cSld></p:sldLayout>`)
	c.relate("ppt/slideLayouts/slideLayout1.xml", "m", "slideMaster", "../slideMasters/slideMaster1.xml")
	c.add("ppt/theme/theme1.xml", officeTypes+"theme", theme())
	c.relate("ppt/presentation.xml", "m", "slideMaster", "slideMasters/slideMaster1.xml")
	list, sections, hasNotes := "", "", false
	for i, s := range slides {
		name, id := fmt.Sprintf("slides/slide%d.xml", i+1), fmt.Sprintf("s%d", i+1)
		on := &page{c: c, part: "ppt/" + name, number: i + 1}
		var shapes strings.Builder
		for n, shape := range s.shapes {
			shapes.WriteString(shape.draw(n+2, on))
		}
		c.add(on.part, slideTypes+"slide", `<p:sld `+deckNamespaces+`><p:cSld><p:spTree>`+emptyTree+shapes.String()+`</p:spTree></p:cSld></p:sld>`)
		c.relate(on.part, "l", "slideLayout", "../slideLayouts/slideLayout1.xml")
		c.relate("ppt/presentation.xml", id, "slide", name)
		list += fmt.Sprintf(`<p:sldId id="%d" r:id="%s"/>`, 256+i, id)
		if s.notes != "" {
			on.speak(s.notes)
			hasNotes = true
		}
		if s.section != "" {
			if sections != "" {
				sections += `</p14:sldIdLst></p14:section>`
			}
			sections += fmt.Sprintf(`<p14:section name="%s" id="{4B1C7A52-0D3E-4F60-9A71-%012X}"><p14:sldIdLst>`, s.section, i+1)
		}
		if sections != "" {
			sections += fmt.Sprintf(`<p14:sldId id="%d"/>`, 256+i)
		}
	}
	if sections != "" {
		sections = `<p:extLst><p:ext uri="{521415D9-36F7-43E2-AB2F-B90AF26B5E84}"><p14:sectionLst xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main">` + sections + `</p14:sldIdLst></p14:section></p14:sectionLst></p:ext></p:extLst>`
	}
	masters := `<p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="m"/></p:sldMasterIdLst>`
	if hasNotes {
		masters += `<p:notesMasterIdLst><p:notesMasterId r:id="n"/></p:notesMasterIdLst>`
		c.relate("ppt/presentation.xml", "n", "notesMaster", "notesMasters/notesMaster1.xml")
		c.add("ppt/notesMasters/notesMaster1.xml", slideTypes+"notesMaster", `<p:notesMaster `+deckNamespaces+`><p:cSld>`+background+`<p:spTree>`+emptyTree+`</p:spTree></p:cSld>`+colorMap+`</p:notesMaster>`)
		c.relate("ppt/notesMasters/notesMaster1.xml", "t", "theme", "../theme/theme2.xml")
		c.add("ppt/theme/theme2.xml", officeTypes+"theme", theme())
	}
	c.add("ppt/presentation.xml", slideTypes+"presentation.main", `<p:presentation `+deckNamespaces+`>`+masters+`<p:sldIdLst>`+list+`</p:sldIdLst><p:sldSz cx="12192000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/>`+sections+`</p:presentation>`)
	return c.done()
}

// speak gives the slide notes.
func (p *page) speak(text string) {
	name := fmt.Sprintf("notesSlides/notesSlide%d.xml", p.number)
	p.attach(slideTypes+"notesSlide", "notesSlide", name, `<p:notes `+deckNamespaces+`><p:cSld><p:spTree>`+emptyTree+`<p:sp><p:nvSpPr><p:cNvPr id="2" name="Notes"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph type="body" idx="1"/></p:nvPr></p:nvSpPr><p:spPr/>`+
		`<p:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr lang="en-GB"/><a:t>`+html.EscapeString(text)+`</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:notes>`)
	p.c.relate("ppt/"+name, "s", "slide", fmt.Sprintf("../slides/slide%d.xml", p.number))
	p.c.relate("ppt/"+name, "m", "notesMaster", "../notesMasters/notesMaster1.xml")
}

func theme() string {
	colors := ""
	for _, pair := range [][2]string{{"dk1", "000000"}, {"lt1", "FFFFFF"}, {"dk2", "44546A"}, {"lt2", "E7E6E6"}, {"accent1", "4472C4"}, {"accent2", "ED7D31"}, {"accent3", "A5A5A5"}, {"accent4", "FFC000"}, {"accent5", "5B9BD5"}, {"accent6", "70AD47"}, {"hlink", "0563C1"}, {"folHlink", "954F72"}} {
		colors += `<a:` + pair[0] + `><a:srgbClr val="` + pair[1] + `"/></a:` + pair[0] + `>`
	}
	font := `<a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/>`
	fill := strings.Repeat(`<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>`, 3)
	return `<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Plain"><a:themeElements><a:clrScheme name="Plain">` + colors + `</a:clrScheme><a:fontScheme name="Plain"><a:majorFont>` + font + `</a:majorFont><a:minorFont>` + font + `</a:minorFont></a:fontScheme>` +
		`<a:fmtScheme name="Plain"><a:fillStyleLst>` + fill + `</a:fillStyleLst><a:lnStyleLst>` + strings.Repeat(`<a:ln w="6350"><a:solidFill><a:schemeClr val="phClr"/></a:solidFill></a:ln>`, 3) + `</a:lnStyleLst><a:effectStyleLst>` + strings.Repeat(`<a:effectStyle><a:effectLst/></a:effectStyle>`, 3) + `</a:effectStyleLst><a:bgFillStyleLst>` + fill + `</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>`
}
