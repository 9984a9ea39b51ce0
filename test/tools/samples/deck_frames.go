package main

import (
	"fmt"
	"html"
	"strings"
)

// area is a place on a slide, in points.
type area struct{ x, y, w, h int }

// frame is a frame with a graphic of a kind.
func (a area) frame(id int, kind, content string) string {
	return fmt.Sprintf(`<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="%d" name="Frame %d"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="%d" y="%d"/><a:ext cx="%d" cy="%d"/></p:xfrm><a:graphic><a:graphicData uri="%s">%s</a:graphicData></a:graphic></p:graphicFrame>`,
		id, id, a.x*emu, a.y*emu, a.w*emu, a.h*emu, drawingSchemas+kind, content)
}

// photo is a picture; crop is what is cut off its left and right, in thousandths of a percent.
type photo struct {
	area
	data   string
	crop   int
	preset string
}

func (f photo) draw(id int, on *page) string {
	link := on.attach("", "image", fmt.Sprintf("media/image%d_%d.png", on.number, id), f.data)
	return fmt.Sprintf(`<p:pic><p:nvPicPr><p:cNvPr id="%d" name="Picture %d" descr="A picture"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="%s"/><a:srcRect l="%d" r="%d"/><a:stretch><a:fillRect/></a:stretch></p:blipFill>`+
		`<p:spPr><a:xfrm><a:off x="%d" y="%d"/><a:ext cx="%d" cy="%d"/></a:xfrm><a:prstGeom prst="%s"><a:avLst/></a:prstGeom></p:spPr></p:pic>`, id, id, link, f.crop, f.crop, f.x*emu, f.y*emu, f.w*emu, f.h*emu, orElse(f.preset, "rect"))
}

// sheet is a table on a slide; the first row is its head, columns from right on are
// aligned at the right.
type sheet struct {
	area
	widths []int
	right  int
	size   int
	rows   [][]string // "<" joins a cell to the one at its left
}

func (s sheet) draw(id int, _ *page) string {
	var out strings.Builder
	out.WriteString(`<a:tbl><a:tblPr firstRow="1" bandRow="1"/><a:tblGrid>`)
	for _, w := range s.widths {
		fmt.Fprintf(&out, `<a:gridCol w="%d"/>`, w*emu)
	}
	out.WriteString(`</a:tblGrid>`)
	height := s.h / len(s.rows)
	for n, texts := range s.rows {
		fmt.Fprintf(&out, `<a:tr h="%d">`, height*emu)
		for i, text := range texts {
			out.WriteString(s.cell(n, i, text, texts[i+1:]))
		}
		out.WriteString(`</a:tr>`)
	}
	return s.frame(id, "table", out.String()+`</a:tbl>`)
}

func (s sheet) cell(n, i int, text string, after []string) string {
	attributes, align, format, fill := "", "l", "", "FFFFFF"
	span := 1
	for _, next := range after {
		if next != "<" {
			break
		}
		span++
	}
	switch {
	case text == "<":
		attributes, text = ` hMerge="1"`, ""
	case span > 1:
		attributes, align = fmt.Sprintf(` gridSpan="%d"`, span), "ctr"
	}
	if i >= s.right && align == "l" {
		align = "r"
	}
	color := "262626"
	switch {
	case n == 0:
		fill, color, format = "4472C4", "FFFFFF", ` b="1"`
	case n%2 == 0:
		fill = "E9EEF7"
	}
	line := ""
	for _, side := range []string{"lnL", "lnR", "lnT", "lnB"} {
		line += `<a:` + side + ` w="6350"><a:solidFill><a:srgbClr val="B4C7E7"/></a:solidFill></a:` + side + `>`
	}
	return fmt.Sprintf(`<a:tc%s><a:txBody><a:bodyPr/><a:lstStyle/><a:p><a:pPr algn="%s"/><a:r><a:rPr lang="en-GB" sz="%d00"%s><a:solidFill><a:srgbClr val="%s"/></a:solidFill><a:latin typeface="+mn-lt"/></a:rPr><a:t>%s</a:t></a:r></a:p></a:txBody><a:tcPr anchor="ctr">%s<a:solidFill><a:srgbClr val="%s"/></a:solidFill></a:tcPr></a:tc>`,
		attributes, align, s.size, format, color, html.EscapeString(text), line, fill)
}

// series is a row of values of a chart.
type series struct {
	name, color string
	values      []float64
}

// chart is a chart: "col", "bar", "line" or "pie".
type chart struct {
	area
	kind, title string
	isStacked   bool
	names       []string
	series      []series
}

func (g chart) draw(id int, on *page) string {
	link := on.attach(officeTypes+"drawingml.chart", "chart", fmt.Sprintf("charts/chart%d_%d.xml", on.number, id),
		`<c:chartSpace xmlns:c="`+drawingSchemas+`chart" xmlns:a="`+drawingSchemas+`main"><c:roundedCorners val="0"/><c:chart><c:title><c:tx><c:rich><a:bodyPr/><a:p><a:pPr><a:defRPr sz="1400" b="0"/></a:pPr><a:r><a:rPr lang="en-GB" sz="1400" b="0"/><a:t>`+html.EscapeString(g.title)+
			`</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/></c:title><c:autoTitleDeleted val="0"/><c:plotArea><c:layout/>`+g.plot()+`</c:plotArea><c:legend><c:legendPos val="b"/><c:overlay val="0"/></c:legend><c:plotVisOnly val="1"/></c:chart>`+
			`<c:txPr><a:bodyPr/><a:p><a:pPr><a:defRPr sz="1100"/></a:pPr><a:endParaRPr lang="en-GB"/></a:p></c:txPr></c:chartSpace>`)
	return g.frame(id, "chart", `<c:chart xmlns:c="`+drawingSchemas+`chart" r:id="`+link+`"/>`)
}

func (g chart) plot() string {
	var all strings.Builder
	for i, s := range g.series {
		all.WriteString(g.row(i, s))
	}
	grouping := "clustered"
	overlap := ""
	if g.isStacked {
		grouping, overlap = "stacked", `<c:overlap val="100"/>`
	}
	const axes = `<c:axId val="111"/><c:axId val="222"/>`
	names, values := "b", "l"
	var plot string
	switch g.kind {
	case "pie":
		return `<c:pieChart><c:varyColors val="1"/>` + all.String() + `<c:firstSliceAng val="0"/></c:pieChart>`
	case "line":
		plot = `<c:lineChart><c:grouping val="standard"/><c:varyColors val="0"/>` + all.String() + `<c:marker val="1"/>` + axes + `</c:lineChart>`
	default:
		if g.kind == "bar" {
			names, values = "l", "b"
		}
		plot = `<c:barChart><c:barDir val="` + g.kind + `"/><c:grouping val="` + grouping + `"/><c:varyColors val="0"/>` + all.String() + `<c:gapWidth val="80"/>` + overlap + axes + `</c:barChart>`
	}
	return plot + `<c:catAx><c:axId val="111"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/><c:axPos val="` + names + `"/><c:numFmt formatCode="General" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:crossAx val="222"/><c:crosses val="autoZero"/></c:catAx>` +
		`<c:valAx><c:axId val="222"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/><c:axPos val="` + values + `"/><c:majorGridlines><c:spPr><a:ln w="6350"><a:solidFill><a:srgbClr val="D9D9D9"/></a:solidFill></a:ln></c:spPr></c:majorGridlines><c:numFmt formatCode="General" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:crossAx val="111"/><c:crosses val="autoZero"/></c:valAx>`
}

func (g chart) row(i int, s series) string {
	column := string(rune('B' + i))
	var names, values strings.Builder
	for n, name := range g.names {
		fmt.Fprintf(&names, `<c:pt idx="%d"><c:v>%s</c:v></c:pt>`, n, html.EscapeString(name))
		fmt.Fprintf(&values, `<c:pt idx="%d"><c:v>%g</c:v></c:pt>`, n, s.values[n])
	}
	count := len(g.names)
	fill := `<a:solidFill><a:srgbClr val="` + s.color + `"/></a:solidFill>`
	look, labels := `<c:spPr>`+fill+`</c:spPr><c:invertIfNegative val="0"/>`, ""
	switch g.kind {
	case "line":
		look = `<c:spPr><a:ln w="28575">` + fill + `</a:ln></c:spPr><c:marker><c:symbol val="circle"/><c:size val="6"/><c:spPr>` + fill + `</c:spPr></c:marker>`
	case "pie":
		look = ""
		for n := range g.names {
			look += fmt.Sprintf(`<c:dPt><c:idx val="%d"/><c:bubble3D val="0"/><c:spPr><a:solidFill><a:schemeClr val="accent%d"/></a:solidFill></c:spPr></c:dPt>`, n, n%6+1)
		}
		labels = `<c:dLbls><c:showLegendKey val="0"/><c:showVal val="0"/><c:showCatName val="0"/><c:showSerName val="0"/><c:showPercent val="1"/><c:showBubbleSize val="0"/></c:dLbls>`
	}
	smooth := ""
	if g.kind == "line" {
		smooth = `<c:smooth val="0"/>`
	}
	return fmt.Sprintf(`<c:ser><c:idx val="%d"/><c:order val="%d"/><c:tx><c:strRef><c:f>Sheet1!$%s$1</c:f><c:strCache><c:ptCount val="1"/><c:pt idx="0"><c:v>%s</c:v></c:pt></c:strCache></c:strRef></c:tx>%s%s`+
		`<c:cat><c:strRef><c:f>Sheet1!$A$2:$A$%d</c:f><c:strCache><c:ptCount val="%d"/>%s</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:f>Sheet1!$%s$2:$%s$%d</c:f><c:numCache><c:formatCode>General</c:formatCode><c:ptCount val="%d"/>%s</c:numCache></c:numRef></c:val>%s</c:ser>`,
		i, i, column, html.EscapeString(s.name), look, labels, count+1, count, names.String(), column, column, count+1, count, values.String(), smooth)
}
