package main

import (
	"fmt"
	"html"
	"strings"
)

// cell is a cell of a table; what is empty is as usual.
type cell struct {
	text, raw     string // raw is paragraphs in place of text
	span          int    // columns
	merge         string // "restart" and "continue" join cells of one column
	fill          string
	align, format string // of the text
	anchor        string // "center" or "bottom"
}

// row is a row of cells; height in twentieths of a point.
type row struct {
	height int
	isHead bool
	cells  []cell
}

// merged adds a table whose cells may go over several columns and rows.
func (d *word) merged(properties string, widths []int, rows ...row) {
	d.body.WriteString(d.mergedTable(properties, widths, rows...))
}

func (d *word) mergedTable(properties string, widths []int, rows ...row) string {
	var out strings.Builder
	out.WriteString(`<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/>` + properties + `<w:tblLayout w:type="fixed"/></w:tblPr><w:tblGrid>`)
	for _, w := range widths {
		fmt.Fprintf(&out, `<w:gridCol w:w="%d"/>`, w)
	}
	out.WriteString("</w:tblGrid>")
	for _, r := range rows {
		out.WriteString("<w:tr><w:trPr><w:cantSplit/>")
		if r.height > 0 {
			fmt.Fprintf(&out, `<w:trHeight w:val="%d"/>`, r.height)
		}
		if r.isHead {
			out.WriteString("<w:tblHeader/>")
		}
		out.WriteString("</w:trPr>")
		column := 0
		for _, c := range r.cells {
			span, width := max(c.span, 1), 0
			for _, w := range widths[column : column+span] {
				width += w
			}
			column += span
			out.WriteString(d.cell(c, span, width))
		}
		out.WriteString("</w:tr>")
	}
	out.WriteString("</w:tbl>")
	return out.String()
}

func (d *word) cell(c cell, span, width int) string {
	properties := fmt.Sprintf(`<w:tcW w:w="%d" w:type="dxa"/>`, width)
	if span > 1 {
		properties += fmt.Sprintf(`<w:gridSpan w:val="%d"/>`, span)
	}
	if c.merge != "" {
		properties += `<w:vMerge w:val="` + c.merge + `"/>`
	}
	if c.fill != "" {
		properties += `<w:shd w:val="clear" w:color="auto" w:fill="` + c.fill + `"/>`
	}
	if c.anchor != "" {
		properties += `<w:vAlign w:val="` + c.anchor + `"/>`
	}
	content := c.raw
	if content == "" {
		content = d.paragraph(`<w:spacing w:before="40" w:after="40" w:line="240" w:lineRule="auto"/><w:jc w:val="`+orElse(c.align, "start")+`"/>`, c.format, c.text)
	}
	return `<w:tc><w:tcPr>` + properties + `</w:tcPr>` + content + `</w:tc>`
}

// cells are cells of plain text; those from right on are aligned at the right.
func cells(right int, format string, texts ...string) []cell {
	out := make([]cell, len(texts))
	for i, text := range texts {
		out[i] = cell{text: text, format: format}
		if i >= right {
			out[i].align = "end"
		}
	}
	return out
}

// filled gives cells a colour.
func filled(fill string, list []cell) []cell {
	for i := range list {
		list[i].fill = fill
	}
	return list
}

// paint is a run with a picture in the line; lengths in points.
func (d *word) paint(data string, w, h float64) string {
	d.pictures = append(d.pictures, data)
	d.drawings++
	return fmt.Sprintf(`<w:r><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent cx="%.0f" cy="%.0f"/><wp:docPr id="%d" name="Picture %d"/>%s</wp:inline></w:drawing></w:r>`, w*emu, h*emu, d.drawings, d.drawings, d.graphic(w, h))
}

// float is a run with a picture at the right or left of its column, which the text
// runs around.
func (d *word) float(data, side string, w, h float64) string {
	d.pictures = append(d.pictures, data)
	d.drawings++
	return fmt.Sprintf(`<w:r><w:drawing><wp:anchor distT="0" distB="0" distL="114300" distR="114300" simplePos="0" relativeHeight="%d" behindDoc="0" locked="0" layoutInCell="1" allowOverlap="1"><wp:simplePos x="0" y="0"/>`+
		`<wp:positionH relativeFrom="column"><wp:align>%s</wp:align></wp:positionH><wp:positionV relativeFrom="paragraph"><wp:posOffset>38100</wp:posOffset></wp:positionV>`+
		`<wp:extent cx="%.0f" cy="%.0f"/><wp:wrapSquare wrapText="bothSides"/><wp:docPr id="%d" name="Picture %d"/>%s</wp:anchor></w:drawing></w:r>`, d.drawings, side, w*emu, h*emu, d.drawings, d.drawings, d.graphic(w, h))
}

func (d *word) graphic(w, h float64) string {
	n := len(d.pictures)
	return fmt.Sprintf(`<a:graphic><a:graphicData uri="`+drawingSchemas+`picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="%d" name="image%d.png"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="image%d"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>`+
		`<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="%.0f" cy="%.0f"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic>`, n, n, n, w*emu, h*emu)
}

// note is the run that calls a footnote.
func (d *word) note(text string) string {
	d.notes = append(d.notes, text)
	return fmt.Sprintf(`<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="%d"/></w:r>`, len(d.notes))
}

func (d *word) footnotes() string {
	out := `<w:footnotes ` + wordNamespaces + `><w:footnote w:type="separator" w:id="-1"><w:p><w:pPr><w:spacing w:after="0" w:line="240" w:lineRule="auto"/></w:pPr><w:r><w:separator/></w:r></w:p></w:footnote>` +
		`<w:footnote w:type="continuationSeparator" w:id="0"><w:p><w:pPr><w:spacing w:after="0" w:line="240" w:lineRule="auto"/></w:pPr><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>`
	for i, text := range d.notes {
		out += fmt.Sprintf(`<w:footnote w:id="%d"><w:p><w:pPr><w:spacing w:after="0" w:line="240" w:lineRule="auto"/></w:pPr><w:r><w:rPr>%s<w:vertAlign w:val="superscript"/></w:rPr><w:footnoteRef/></w:r>%s</w:p></w:footnote>`,
			i+1, size(9), d.runs(size(9), " "+text))
	}
	return out + `</w:footnotes>`
}

// field is a field with the result that is stored for it.
func field(instruction, format, result string) string {
	return `<w:r><w:rPr>` + format + `</w:rPr><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:rPr>` + format + `</w:rPr><w:instrText xml:space="preserve"> ` + instruction + ` </w:instrText></w:r>` +
		`<w:r><w:rPr>` + format + `</w:rPr><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:rPr>` + format + `</w:rPr><w:t>` + html.EscapeString(result) + `</w:t></w:r><w:r><w:rPr>` + format + `</w:rPr><w:fldChar w:fldCharType="end"/></w:r>`
}

// pageOf is the words that count the pages, such as "Page" and "of".
func (d *word) pageOf(properties, format, page, of string) string {
	return `<w:p><w:pPr>` + properties + `</w:pPr>` + d.runs(format, page+" ") + field("PAGE", format, "1") + d.runs(format, " "+of+" ") + field("NUMPAGES", format, "1") + `</w:p>`
}

// control is a content control around runs; properties is what w:sdtPr holds.
func control(properties, runs string) string {
	return `<w:sdt><w:sdtPr>` + properties + `</w:sdtPr><w:sdtContent>` + runs + `</w:sdtContent></w:sdt>`
}

// checkBox is a content control with a check box, as Word writes it.
func (d *word) checkBox(isChecked bool) string {
	sign, value := "☐", "0"
	if isChecked {
		sign, value = "☒", "1"
	}
	return control(`<w14:checkbox><w14:checked w14:val="`+value+`"/><w14:checkedState w14:val="2612" w14:font="MS Gothic"/><w14:uncheckedState w14:val="2610" w14:font="MS Gothic"/></w14:checkbox>`,
		`<w:r><w:rPr><w:rFonts w:ascii="MS Gothic" w:hAnsi="MS Gothic" w:eastAsia="MS Gothic" w:hint="eastAsia"/></w:rPr><w:t>`+sign+`</w:t></w:r>`)
}

// raw adds a paragraph of runs that are made already.
func (d *word) raw(properties, runs string) {
	if d.isRTL {
		properties = "<w:bidi/>" + properties
	}
	d.body.WriteString(`<w:p><w:pPr>` + properties + `</w:pPr>` + runs + `</w:p>`)
}

// gap is an empty paragraph of some size in points, as people put between tables.
func (d *word) gap(points float64) { d.p(tight+`<w:rPr>`+size(points)+`</w:rPr>`, "", "") }
