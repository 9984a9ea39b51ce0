package edit

import (
	"fmt"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/opc"
)

// InlinePicture makes a w:drawing that stands in the line (ECMA-376 part 1,
// 20.4.2.8), of a picture that a relationship leads to, with an alternative text unless it
// is empty. Sizes are in points; the number tells it from the other drawings of the document.
func InlinePicture(relation string, number int, alt string, width, height float64) *etree.Element {
	cx, cy := int64(width*opc.EmuPoint), int64(height*opc.EmuPoint)
	e := fragmentXML(fmt.Sprintf(`<w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" distT="0" distB="0" distL="0" distR="0">`+
		`<wp:extent cx="%d" cy="%d"/><wp:docPr id="%d" name="Picture %d"/>`+
		`<a:graphic xmlns:a="%s"><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture">`+
		`<pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:nvPicPr><pic:cNvPr id="%d" name="Picture %d"/><pic:cNvPicPr/></pic:nvPicPr>`+
		`<pic:blipFill><a:blip xmlns:r="%s" r:embed="%s"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>`+
		`<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="%d" cy="%d"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr>`+
		`</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing>`, cx, cy, number, number, opc.DrawingNS, number, number, opc.RelsNS, relation, cx, cy))
	Describe(e.FindElement("./wp:inline/wp:docPr"), "descr", alt)
	return e
}

// Describe gives a w:docPr or a p:cNvPr an alternative text, as its descr or its title; an
// empty one takes it away.
func Describe(properties *etree.Element, key, text string) {
	if text = strings.ReplaceAll(cleanText(text), "\v", "\n"); text == "" {
		properties.RemoveAttr(key)
		return
	}
	properties.CreateAttr(key, text)
}

// SlidePicture makes a p:pic (ECMA-376 part 1, 19.3.1.37) in a frame of EMU, with an
// alternative text unless it is empty.
func SlidePicture(relation, id, name, alt string, x, y, width, height int64) *etree.Element {
	e := fragmentXML(fmt.Sprintf(`<p:pic><p:nvPicPr><p:cNvPr/><p:cNvPicPr><a:picLocks xmlns:a="%[1]s" noChangeAspect="1"/></p:cNvPicPr><p:nvPr/></p:nvPicPr>`+
		`<p:blipFill><a:blip xmlns:a="%[1]s" xmlns:r="%[2]s" r:embed="%[3]s"/><a:stretch xmlns:a="%[1]s"><a:fillRect/></a:stretch></p:blipFill>`+
		`<p:spPr><a:xfrm xmlns:a="%[1]s"><a:off x="%[4]d" y="%[5]d"/><a:ext cx="%[6]d" cy="%[7]d"/></a:xfrm><a:prstGeom xmlns:a="%[1]s" prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>`,
		opc.DrawingNS, opc.RelsNS, relation, x, y, width, height))
	properties := e.FindElement("./p:nvPicPr/p:cNvPr")
	properties.CreateAttr("id", id)
	properties.CreateAttr("name", name)
	Describe(properties, "descr", alt)
	return e
}

// fragmentXML reads XML that is written in this package.
func fragmentXML(text string) *etree.Element {
	d := etree.NewDocument()
	if err := d.ReadFromString(text); err != nil {
		panic(err) // not well-formed where it is written
	}
	e := d.Root()
	d.RemoveChild(e)
	return e
}
