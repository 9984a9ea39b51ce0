package main

import (
	"fmt"
	"html"
	"strings"
)

// diagram is SmartArt: texts as a model, and the drawing that PowerPoint stored of
// them. Each node is a shape of the drawing.
type diagram struct {
	area
	layout string // the last part of the layout's name
	nodes  []node
}

// node is a text of a diagram; its place is within the diagram.
type node struct {
	area
	preset, fill, text string
	isLink             bool // an arrow or a line, which is no text of the model
}

func (g diagram) draw(id int, on *page) string {
	const kind = officeTypes + "drawingml.diagram"
	name := func(part string) string { return fmt.Sprintf("diagrams/%s%d.xml", part, on.number) }
	drawing := on.attach("application/vnd.ms-office.drawingml.diagramDrawing", "http://schemas.microsoft.com/office/2007/relationships/diagramDrawing", name("drawing"), g.drawing())
	data := on.attach(kind+"Data", "diagramData", name("data"), g.model(drawing))
	root := func(element, rest string) string {
		return `<dgm:` + element + ` xmlns:dgm="` + drawingSchemas + `diagram" xmlns:a="` + drawingSchemas + `main" uniqueId="urn:microsoft.com/office/officeart/2005/8/` + rest + `</dgm:` + element + `>`
	}
	layout := on.attach(kind+"Layout", "diagramLayout", name("layout"), root("layoutDef", "layout/"+g.layout+`"><dgm:layoutNode name="root"/>`))
	style := on.attach(kind+"Style", "diagramQuickStyle", name("quickStyle"), root("styleDef", `quickstyle/simple1"><dgm:scene3d><a:camera prst="orthographicFront"/><a:lightRig rig="threePt" dir="t"/></dgm:scene3d>`))
	colors := on.attach(kind+"Colors", "diagramColors", name("colors"), root("colorsDef", `colors/accent1_2">`))
	return g.frame(id, "diagram", `<dgm:relIds xmlns:dgm="`+drawingSchemas+`diagram" r:dm="`+data+`" r:lo="`+layout+`" r:qs="`+style+`" r:cs="`+colors+`"/>`)
}

func (g diagram) model(drawing string) string {
	var points, links strings.Builder
	n := 0
	for _, node := range g.nodes {
		if node.isLink {
			continue
		}
		n++
		fmt.Fprintf(&points, `<dgm:pt modelId="%d"><dgm:prSet/><dgm:spPr/><dgm:t><a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr lang="en-GB"/><a:t>%s</a:t></a:r></a:p></dgm:t></dgm:pt>`, n, html.EscapeString(node.text))
		fmt.Fprintf(&links, `<dgm:cxn modelId="%d" srcId="0" destId="%d" srcOrd="%d" destOrd="0"/>`, 100+n, n, n-1)
	}
	return `<dgm:dataModel xmlns:dgm="` + drawingSchemas + `diagram" xmlns:a="` + drawingSchemas + `main"><dgm:ptLst><dgm:pt modelId="0" type="doc"><dgm:prSet loTypeId="urn:microsoft.com/office/officeart/2005/8/layout/` + g.layout + `"/><dgm:spPr/></dgm:pt>` + points.String() + `</dgm:ptLst><dgm:cxnLst>` + links.String() + `</dgm:cxnLst><dgm:bg/><dgm:whole/>` +
		`<dgm:extLst><a:ext uri="http://schemas.microsoft.com/office/drawing/2008/diagram"><dsp:dataModelExt xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram" relId="` + drawing + `" minVer="http://schemas.openxmlformats.org/drawingml/2006/diagram"/></a:ext></dgm:extLst></dgm:dataModel>`
}

func (g diagram) drawing() string {
	var shapes strings.Builder
	for i, n := range g.nodes {
		text := ""
		if n.text != "" {
			text = `<dsp:txBody><a:bodyPr lIns="45720" tIns="45720" rIns="45720" bIns="45720" anchor="ctr"/><a:lstStyle/><a:p><a:pPr algn="ctr"/><a:r><a:rPr lang="en-GB" sz="1800"><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill><a:latin typeface="+mn-lt"/></a:rPr><a:t>` + html.EscapeString(n.text) + `</a:t></a:r></a:p></dsp:txBody>` +
				fmt.Sprintf(`<dsp:txXfrm><a:off x="%d" y="%d"/><a:ext cx="%d" cy="%d"/></dsp:txXfrm>`, n.x*emu, n.y*emu, n.w*emu, n.h*emu)
		}
		fmt.Fprintf(&shapes, `<dsp:sp modelId="{%08d-0000-4000-8000-000000000000}"><dsp:nvSpPr><dsp:cNvPr id="0" name=""/><dsp:cNvSpPr/></dsp:nvSpPr><dsp:spPr><a:xfrm><a:off x="%d" y="%d"/><a:ext cx="%d" cy="%d"/></a:xfrm><a:prstGeom prst="%s"><a:avLst/></a:prstGeom><a:solidFill><a:srgbClr val="%s"/></a:solidFill></dsp:spPr>%s</dsp:sp>`,
			i+1, n.x*emu, n.y*emu, n.w*emu, n.h*emu, n.preset, n.fill, text)
	}
	return `<dsp:drawing xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram" xmlns:a="` + drawingSchemas + `main"><dsp:spTree><dsp:nvGrpSpPr><dsp:cNvPr id="0" name=""/><dsp:cNvGrpSpPr/></dsp:nvGrpSpPr><dsp:grpSpPr/>` + shapes.String() + `</dsp:spTree></dsp:drawing>`
}
