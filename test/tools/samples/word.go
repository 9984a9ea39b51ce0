package main

import (
	"fmt"
	"html"
	"strings"
)

const wordNamespaces = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ` +
	`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
	`xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" ` +
	`xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
	`xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" ` +
	`xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" ` +
	`xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" ` +
	`xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`

// word is a document under construction.
type word struct {
	font, lang string
	isRTL      bool
	body       strings.Builder
	header     string
	footer     string
	notes      []string // paragraphs of footnotes
	styles     string   // further styles
	lists      string   // definitions of list 3
	kind       string   // of the last section, such as "continuous"
	section    string   // what the last section says beside its size and margins
	margins    [4]int   // above, right, below and left, in twentieths of a point
	landscape  bool
	drawings   int
	pictures   []string
}

func newWord(font, lang string) *word {
	return &word{font: font, lang: lang, margins: [4]int{1417, 1417, 1134, 1417}}
}

// p adds a paragraph: properties is the content of w:pPr, format that of w:rPr.
func (d *word) p(properties, format, text string) {
	d.body.WriteString(d.paragraph(properties, format, text))
}

func (d *word) paragraph(properties, format, text string) string {
	if d.isRTL {
		properties = "<w:bidi/>" + properties
	}
	format = strings.ReplaceAll(format, "<w:b/>", "<w:b/><w:bCs/>")
	return "<w:p><w:pPr>" + properties + "</w:pPr>" + d.runs(format, text) + "</w:p>"
}

// runs makes runs of a text: \t is a tab, \n a line break, **…** bold.
func (d *word) runs(format, text string) string {
	var out strings.Builder
	for i, part := range strings.Split(text, "**") {
		if part == "" {
			continue
		}
		own := format
		if i%2 == 1 {
			own = "<w:b/><w:bCs/>" + own
		}
		escaped := html.EscapeString(part)
		escaped = strings.NewReplacer("\t", `</w:t><w:tab/><w:t xml:space="preserve">`, "\n", `</w:t><w:br/><w:t xml:space="preserve">`).Replace(escaped)
		direction := ""
		if d.isRTL {
			direction = "<w:rtl/>"
		}
		fmt.Fprintf(&out, `<w:r><w:rPr>%s%s</w:rPr><w:t xml:space="preserve">%s</w:t></w:r>`, own, direction, escaped)
	}
	return out.String()
}

// size is a run's size in points, for all scripts.
func size(points float64) string {
	return fmt.Sprintf(`<w:sz w:val="%.0f"/><w:szCs w:val="%.0f"/>`, points*2, points*2)
}

// table adds a table of columns with widths in twentieths of a point; the first row
// is its head, and columns from right on are aligned at the right.
func (d *word) table(borders string, widths []int, right int, rows ...[]string) {
	out := &d.body
	visual := ""
	if d.isRTL {
		visual = "<w:bidiVisual/>"
	}
	out.WriteString("<w:tbl><w:tblPr>" + visual + `<w:tblW w:w="0" w:type="auto"/>` + borders + `<w:tblLayout w:type="fixed"/></w:tblPr><w:tblGrid>`)
	for _, w := range widths {
		fmt.Fprintf(out, `<w:gridCol w:w="%d"/>`, w)
	}
	out.WriteString("</w:tblGrid>")
	for n, row := range rows {
		out.WriteString("<w:tr>")
		for i, text := range row {
			shade, align, format := "", "", ""
			if n == 0 {
				shade, format = `<w:shd w:val="clear" w:color="auto" w:fill="D9E2F3"/>`, "<w:b/>"
			}
			if i >= right {
				align = `<w:jc w:val="end"/>`
			}
			fmt.Fprintf(out, `<w:tc><w:tcPr><w:tcW w:w="%d" w:type="dxa"/>%s</w:tcPr>%s</w:tc>`, widths[i], shade, d.paragraph(align, format, text))
		}
		out.WriteString("</w:tr>")
	}
	out.WriteString("</w:tbl>")
}

const grid = `<w:tblBorders><w:top w:val="single" w:sz="4" w:space="0" w:color="808080"/><w:left w:val="single" w:sz="4" w:space="0" w:color="808080"/>` +
	`<w:bottom w:val="single" w:sz="4" w:space="0" w:color="808080"/><w:right w:val="single" w:sz="4" w:space="0" w:color="808080"/>` +
	`<w:insideH w:val="single" w:sz="4" w:space="0" w:color="808080"/><w:insideV w:val="single" w:sz="4" w:space="0" w:color="808080"/></w:tblBorders>`

// shape anchors a preset shape to the page: places and lengths in points, fill and
// line as colours, text as the paragraphs in it.
func (d *word) shape(preset string, x, y, w, h float64, fill, line, text string) string {
	d.drawings++
	box := ""
	if text != "" {
		box = "<wps:txbx><w:txbxContent>" + text + "</w:txbxContent></wps:txbx>"
	}
	if fill == "" {
		fill = "<a:noFill/>"
	} else if !strings.HasPrefix(fill, "<") {
		fill = `<a:solidFill><a:srgbClr val="` + fill + `"/></a:solidFill>`
	}
	stroke := "<a:ln><a:noFill/></a:ln>"
	if line != "" {
		stroke = `<a:ln w="19050"><a:solidFill><a:srgbClr val="` + line + `"/></a:solidFill></a:ln>`
	}
	return fmt.Sprintf(`<w:r><w:drawing><wp:anchor distT="0" distB="0" distL="0" distR="0" simplePos="0" relativeHeight="%d" behindDoc="1" locked="0" layoutInCell="1" allowOverlap="1"><wp:simplePos x="0" y="0"/>`+
		`<wp:positionH relativeFrom="page"><wp:posOffset>%.0f</wp:posOffset></wp:positionH><wp:positionV relativeFrom="page"><wp:posOffset>%.0f</wp:posOffset></wp:positionV>`+
		`<wp:extent cx="%.0f" cy="%.0f"/><wp:wrapNone/><wp:docPr id="%d" name="Shape %d"/><a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape">`+
		`<wps:wsp><wps:cNvSpPr/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="%.0f" cy="%.0f"/></a:xfrm><a:prstGeom prst="%s"><a:avLst/></a:prstGeom>%s%s</wps:spPr>%s`+
		`<wps:bodyPr lIns="91440" tIns="45720" rIns="91440" bIns="45720" anchor="ctr"/></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></w:r>`,
		d.drawings, x*emu, y*emu, w*emu, h*emu, d.drawings, d.drawings, w*emu, h*emu, preset, fill, stroke, box)
}

// parts ends the document.
func (d *word) parts() map[string]string {
	const kind = officeTypes + "wordprocessingml."
	c := newContainer()
	c.relate("", "r1", "officeDocument", "word/document.xml")
	references := ""
	part := func(name, id, content string) {
		c.add("word/"+name+".xml", kind+id, content)
		c.relate("word/document.xml", id, id, name+".xml")
	}
	if d.header != "" {
		references += `<w:headerReference w:type="default" r:id="header"/>`
		part("header1", "header", `<w:hdr `+wordNamespaces+`>`+d.header+`</w:hdr>`)
	}
	if d.footer != "" {
		references += `<w:footerReference w:type="default" r:id="footer"/>`
		part("footer1", "footer", `<w:ftr `+wordNamespaces+`>`+d.footer+`</w:ftr>`)
	}
	if d.notes != nil {
		part("footnotes", "footnotes", d.footnotes())
	}
	for i, data := range d.pictures {
		target := fmt.Sprintf("media/image%d.png", i+1)
		c.parts["word/"+target] = data
		c.relate("word/document.xml", fmt.Sprintf("image%d", i+1), "image", target)
		c.relate("word/header1.xml", fmt.Sprintf("image%d", i+1), "image", target)
	}
	page := `<w:pgSz w:w="11906" w:h="16838"/>`
	if d.kind != "" {
		references += `<w:type w:val="` + d.kind + `"/>`
	}
	if d.landscape {
		page = `<w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/>`
	}
	page += fmt.Sprintf(`<w:pgMar w:top="%d" w:right="%d" w:bottom="%d" w:left="%d" w:header="708" w:footer="708" w:gutter="0"/>`, d.margins[0], d.margins[1], d.margins[2], d.margins[3])
	c.add("word/document.xml", kind+"document.main", `<w:document `+wordNamespaces+`><w:body>`+d.body.String()+`<w:sectPr>`+references+page+d.section+`</w:sectPr></w:body></w:document>`)
	part("styles", "styles", d.stylesheet())
	part("settings", "settings", `<w:settings `+wordNamespaces+`><w:defaultTabStop w:val="708"/><w:compat><w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat></w:settings>`)
	part("numbering", "numbering", d.numbering())
	return c.done()
}

func (d *word) stylesheet() string {
	font := html.EscapeString(d.font)
	return `<w:styles ` + wordNamespaces + `><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="` + font + `" w:hAnsi="` + font + `" w:eastAsia="` + font + `" w:cs="` + font + `"/>` + size(11) +
		`<w:lang w:val="` + d.lang + `" w:eastAsia="` + d.lang + `" w:bidi="` + d.lang + `"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="120" w:line="264" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults>` +
		`<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>` +
		`<w:style w:type="table" w:default="1" w:styleId="TableNormal"><w:name w:val="Normal Table"/><w:tblPr><w:tblCellMar><w:top w:w="0" w:type="dxa"/><w:left w:w="108" w:type="dxa"/><w:bottom w:w="0" w:type="dxa"/><w:right w:w="108" w:type="dxa"/></w:tblCellMar></w:tblPr></w:style>` +
		d.styles + `</w:styles>`
}

func (d *word) numbering() string {
	third := ""
	if d.lists != "" {
		third = `<w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num>`
	}
	return `<w:numbering ` + wordNamespaces + `><w:abstractNum w:abstractNumId="0"><w:multiLevelType w:val="multilevel"/>` + level(0, "decimal", "%1.", 567, 567) + level(1, "decimal", "%1.%2", 567, 567) + `</w:abstractNum>` +
		`<w:abstractNum w:abstractNumId="1">` + level(0, "bullet", "•", 720, 360) + `</w:abstractNum>` +
		d.lists + `<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>` + third + `</w:numbering>`
}

// list defines list 3 by its levels.
func (d *word) list(levels ...string) {
	d.lists = `<w:abstractNum w:abstractNumId="2"><w:multiLevelType w:val="multilevel"/>` + strings.Join(levels, "") + `</w:abstractNum>`
}

// level is a level of a list; indents in twentieths of a point.
func level(n int, format, text string, indent, hanging int) string {
	start := `<w:start w:val="1"/>`
	if format == "bullet" {
		start = ""
	}
	return fmt.Sprintf(`<w:lvl w:ilvl="%d">%s<w:numFmt w:val="%s"/><w:lvlText w:val="%s"/><w:lvlJc w:val="start"/><w:pPr><w:ind w:start="%d" w:hanging="%d"/></w:pPr></w:lvl>`, n, start, format, text, indent, hanging)
}

// item is the properties of a paragraph of a list: 1 has numbers, 2 bullets.
func item(list, level int) string {
	return fmt.Sprintf(`<w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%d"/></w:numPr>`, level, list)
}
