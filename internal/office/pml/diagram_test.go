package pml

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
)

// diagram is a deck with a SmartArt diagram at 10, 20 of 400 by 200 points, whose
// data part holds these elements.
func diagram(data string) deck {
	return deck{
		slide: sld(graphicFrame(fmt.Sprintf(`<a:off x="%d" y="%d"/><a:ext cx="%d" cy="%d"/>`, 10*dml.EMUPerPoint, 20*dml.EMUPerPoint, 400*dml.EMUPerPoint, 200*dml.EMUPerPoint),
			`<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram"><dgm:relIds xmlns:dgm="urn:dgm" r:dm="data"/></a:graphicData>`)),
		relations: relation("data", "diagramData", "/ppt/diagrams/data1.xml"),
		parts:     map[string]string{"ppt/diagrams/data1.xml": `<dgm:dataModel>` + data + `</dgm:dataModel>`},
	}
}

// A stored drawing is that of a diagram whose data name its relationship
// (MS-ODRAWXML, 2.1).
const storedBy = `<dgm:extLst><a:ext><dsp:dataModelExt relId="%s"/></a:ext></dgm:extLst>`

func drawing(names ...string) string {
	out := ""
	for _, name := range names {
		out += `<dsp:sp><dsp:nvSpPr><dsp:cNvPr id="0" name="` + name + `"/></dsp:nvSpPr><dsp:spPr>` + frame(1, 2, 3, 4) + `</dsp:spPr></dsp:sp>`
	}
	return `<dsp:drawing><dsp:spTree><dsp:nvGrpSpPr/>` + out + `</dsp:spTree></dsp:drawing>`
}

func TestADiagramIsShownAsItWasStored(t *testing.T) {
	t.Parallel()
	k := diagram(fmt.Sprintf(storedBy, "second") + tree("", "a"))
	k.relations += relation("first", "diagramDrawing", "/ppt/diagrams/drawing1.xml") + relation("web", "diagramDrawing", "https://example.com/drawing.xml") + relation("second", "diagramDrawing", "/ppt/diagrams/drawing2.xml")
	k.parts["ppt/diagrams/drawing1.xml"], k.parts["ppt/diagrams/drawing2.xml"] = drawing("other"), drawing("one", "two")
	got := k.first(t)
	if got.Graphic != "diagram" || strings.Join(names(got.Children), " ") != "one two" || got.Simplified {
		t.Fatalf("got %q of a %q, simplified %v; want one and two of a diagram", names(got.Children), got.Graphic, got.Simplified)
	}
	if at, want := got.Children[0].Frame, (dml.Rect{X: 11, Y: 22, W: 3, H: 4}); at != want {
		t.Errorf("the first is at %v, want %v", at, want)
	}
}

func TestADiagramWhoseDrawingIsNotItsOwnIsBoxes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ extension, kind, target string }{
		"another's":       {fmt.Sprintf(storedBy, "other"), "diagramDrawing", "/ppt/diagrams/drawing1.xml"},
		"nobody's":        {``, "diagramDrawing", "/ppt/diagrams/drawing1.xml"},
		"of another kind": {fmt.Sprintf(storedBy, "d"), "image", "/ppt/diagrams/drawing1.xml"},
		"elsewhere":       {fmt.Sprintf(storedBy, "d"), "diagramDrawing", "https://example.com/drawing.xml"},
		"not in the file": {fmt.Sprintf(storedBy, "d"), "diagramDrawing", "/ppt/diagrams/gone.xml"},
		"empty":           {fmt.Sprintf(storedBy, "d"), "diagramDrawing", "/ppt/diagrams/empty.xml"},
	} {
		k := diagram(c.extension + tree("", "a"))
		k.relations += relation("d", c.kind, c.target)
		k.parts["ppt/diagrams/drawing1.xml"], k.parts["ppt/diagrams/empty.xml"] = drawing("stored"), drawing()
		if got := k.first(t); len(got.Children) != 1 || !got.Simplified || got.Children[0].Name != "" {
			t.Errorf("%s: got %q, simplified %v; want one box", name, names(got.Children), got.Simplified)
		}
	}
}

// tree is a data model: the parent of each point is its name without the last
// letter, or the document for names of one letter. attributes are those of
// the connections.
func tree(attributes string, names ...string) string {
	points, connections := `<dgm:pt modelId="doc" type="doc"/>`, ""
	for i, name := range names {
		points += `<dgm:pt modelId="` + name + `"><dgm:t><a:p><a:r><a:t>` + name + `</a:t></a:r></a:p></dgm:t></dgm:pt>`
		parent := "doc"
		if len(name) > 1 {
			parent = name[:len(name)-1]
		}
		connections += fmt.Sprintf(`<dgm:cxn srcId="%s" destId="%s" srcOrd="%d" %s/>`, parent, name, i, attributes)
	}
	return model(points, connections)
}

func model(points, connections string) string {
	return `<dgm:ptLst>` + points + `</dgm:ptLst><dgm:cxnLst>` + connections + `</dgm:cxnLst>`
}

// boxText is all text of a box.
func boxText(s *Shape) string {
	out := ""
	for _, p := range s.Text.Paragraphs {
		for _, r := range p.Runs {
			out += r.Text
		}
	}
	return out
}

// wantBoxes wants the boxes of a diagram by their texts; places are compared
// where they are given.
func wantBoxes(t *testing.T, name string, got *Shape, want map[string]dml.Rect) {
	t.Helper()
	if len(got.Children) != len(want) {
		t.Errorf("%s: got %d boxes, want %d", name, len(got.Children), len(want))
	}
	for _, box := range got.Children {
		at, known := want[boxText(box)]
		if !known {
			t.Errorf("%s: got the box %q at %v, want none", name, boxText(box), box.Frame)
			continue
		}
		near := func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }
		if f := box.Frame; at != (dml.Rect{}) && !(near(f.X, at.X) && near(f.Y, at.Y) && near(f.W, at.W) && near(f.H, at.H)) {
			t.Errorf("%s: got the box %q at %v, want %v", name, boxText(box), f, at)
		}
	}
}

// Boxes fill 400 by 200 points from 10, 20 with 6 points between them; none is
// higher than 84.
func TestTextsOfADiagramStandInBoxes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		data string
		want map[string]dml.Rect
	}{
		{"one", tree("", "a"), map[string]dml.Rect{"a": {X: 10, Y: 20, W: 400, H: 84}}},
		{"two side by side", tree("", "a", "b"), map[string]dml.Rect{"a": {X: 10, Y: 20, W: 197, H: 84}, "b": {X: 213, Y: 20, W: 197, H: 84}}},
		// Two levels: each (200 + 6) / 2 is more than 90, so 84 with the gap off.
		{"one above two", tree("", "a", "ab", "ac"), map[string]dml.Rect{"a": {X: 10, Y: 20, W: 400, H: 84}, "ab": {X: 10, Y: 110, W: 197, H: 84}, "ac": {X: 213, Y: 110, W: 197, H: 84}}},
		// Three levels of (200 + 6) / 3 - 6; a is as wide as its two leaves, b as one: 406 / 3 each.
		{"three levels", tree("", "a", "b", "ac", "ad", "ade"), map[string]dml.Rect{
			"a": {X: 10, Y: 20, W: 406.0*2/3 - 6, H: 206.0/3 - 6}, "b": {X: 10 + 406.0*2/3, Y: 20, W: 406.0/3 - 6, H: 206.0/3 - 6},
			"ac": {X: 10, Y: 20 + 206.0/3, W: 406.0/3 - 6, H: 206.0/3 - 6}, "ad": {X: 10 + 406.0/3, Y: 20 + 206.0/3, W: 406.0/3 - 6, H: 206.0/3 - 6},
			"ade": {X: 10 + 406.0/3, Y: 20 + 206.0*2/3, W: 406.0/3 - 6, H: 206.0/3 - 6},
		}},
	} {
		got := diagram(c.data).first(t)
		wantBoxes(t, c.name, got, c.want)
		if !got.Simplified {
			t.Errorf("%s: the shape does not say that it was made simpler", c.name)
		}
	}
}

func TestBoxesOfADiagramArePlain(t *testing.T) {
	t.Parallel()
	k := diagram(tree("", "a"))
	k.theme = `<a:clrScheme name="x"><a:accent1><a:srgbClr val="00FF00"/></a:accent1></a:clrScheme>`
	k.main = `<p:defaultTextStyle><a:lvl1pPr algn="r"><a:defRPr i="1"/></a:lvl1pPr></p:defaultTextStyle>`
	box := k.first(t).Children[0]
	wantColor(t, "fill", box.Fill, green)
	if box.Kind != ShapePlain || box.Geometry.Preset != "rect" || box.Line != nil || box.Elem == nil {
		t.Errorf("got %+v, want a plain rectangle", box)
	}
	text := box.Text
	if text.Left != 3.6 || text.Top != 3.6 || text.Right != 3.6 || text.Bottom != 3.6 || text.Anchor != "ctr" || !text.Shrink || text.Columns != 1 {
		t.Errorf("got the text %+v, want it in the middle, shrunk to fit", text)
	}
	p := text.Paragraphs[0]
	if r := p.Runs[0]; p.Align != "ctr" || r.Size != 24 || r.Color != white || !r.Italic {
		t.Errorf("got align %s, size %v, %v, italic %v; want ctr, 24, white, and italic as the defaults say", p.Align, r.Size, r.Color, r.Italic)
	}
}

// ECMA-376 part 1, 21.4.3: points of other types and connections of other types
// belong to how the diagram is drawn.
func TestOnlyTextsThatHangTogetherAreShown(t *testing.T) {
	t.Parallel()
	const doc = `<dgm:pt modelId="doc" type="doc"/>`
	pt := func(id, attributes, text string) string {
		return `<dgm:pt modelId="` + id + `" ` + attributes + `><dgm:t><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></dgm:t></dgm:pt>`
	}
	cxn := func(from, to, more string) string {
		return `<dgm:cxn srcId="` + from + `" destId="` + to + `" ` + more + `/>`
	}
	for _, c := range []struct {
		name, data string
		want       string // in their order, those below others behind them
	}{
		{"types of points", model(doc+pt("a", "", "a")+pt("b", `type="node"`, "b")+pt("c", `type="asst"`, "c")+pt("d", `type="pres"`, "d")+pt("e", `type="parTrans"`, "e"),
			cxn("doc", "a", "")+cxn("doc", "b", "")+cxn("doc", "c", "")+cxn("doc", "d", "")+cxn("doc", "e", "")), "a b c"},
		{"types of connections", model(doc+pt("a", "", "a")+pt("b", "", "b")+pt("c", "", "c"), cxn("doc", "a", `type="parOf"`)+cxn("doc", "b", `type="presOf"`)+cxn("doc", "c", "")), "a c"},
		{"their order", model(doc+pt("a", "", "a")+pt("b", "", "b")+pt("c", "", "c"), cxn("doc", "a", `srcOrd="2"`)+cxn("doc", "b", `srcOrd="0"`)+cxn("doc", "c", `srcOrd="1"`)), "b c a"},
		{"points that are not there", model(doc+pt("a", "", "a"), cxn("doc", "a", "")+cxn("doc", "x", "")+cxn("x", "a", "")), "a"},
		{"points that hang nowhere", model(doc+pt("a", "", "a")+pt("b", "", "b"), cxn("doc", "a", "")), "a"},
		{"points without a text", model(doc+pt("a", "", "a")+`<dgm:pt modelId="b"/>`, cxn("doc", "a", "")+cxn("doc", "b", "")), "a"},
		{"a point in two places", model(doc+pt("a", "", "a")+pt("b", "", "b"), cxn("doc", "a", "")+cxn("a", "b", "")+cxn("doc", "b", "")), "a b"},
		{"a ring", model(doc+pt("a", "", "a")+pt("b", "", "b"), cxn("doc", "a", "")+cxn("a", "b", "")+cxn("b", "a", "")), "a b"},
		{"the document below a point", model(doc+pt("a", "", "a"), cxn("doc", "a", "")+cxn("a", "doc", "")), "a"},
		{"blank texts at the ends", model(doc+pt("a", "", "a")+pt("b", "", " ")+pt("c", "", "")+pt("d", "", " "), cxn("doc", "a", "")+cxn("doc", "b", "")+cxn("a", "c", "")+cxn("c", "d", "")), "a"},
		{"a blank text above another", model(doc+pt("a", "", "")+pt("b", "", "b"), cxn("doc", "a", "")+cxn("a", "b", "")), " b"},
		{"nothing", model(doc, ""), ""},
		{"blank texts alone", model(doc+pt("a", "", " "), cxn("doc", "a", "")), ""},
	} {
		got := diagram(c.data).first(t)
		var texts []string
		for _, box := range got.Children {
			texts = append(texts, boxText(box))
		}
		if s := strings.Join(texts, " "); s != c.want || got.Simplified != (c.want != "") {
			t.Errorf("%s: got %q, simplified %v; want %q", c.name, s, got.Simplified, c.want)
		}
	}
}

func TestTextsThatCannotBeReadAreNoBoxes(t *testing.T) {
	t.Parallel()
	stored := relation("d", "diagramDrawing", "/ppt/diagrams/drawing1.xml")
	for name, change := range map[string]func(*deck){
		"no data":          func(k *deck) { delete(k.parts, "ppt/diagrams/data1.xml") },
		"data elsewhere":   func(k *deck) { k.relations = stored + relation("data", "diagramData", "https://example.com") },
		"damaged data":     func(k *deck) { k.relations = stored + relation("data", "diagramData", "/ppt/diagrams/data1.bin") },
		"no relationship":  func(k *deck) { k.relations = stored },
		"too narrow":       func(k *deck) { k.slide = strings.Replace(k.slide, `cx="5080000"`, `cx="241300"`, 1) }, // 19 points
		"too low":          func(k *deck) { k.slide = strings.Replace(k.slide, `cy="2540000"`, `cy="241300"`, 1) },
		"without any size": func(k *deck) { k.slide = strings.Replace(k.slide, `<a:ext`, `<a:other`, 1) },
	} {
		k := diagram(tree("", "a"))
		k.relations += stored
		k.parts["ppt/diagrams/drawing1.xml"], k.parts["ppt/diagrams/data1.bin"] = drawing("stored"), `<dgm:dataModel>`
		change(&k)
		if got := k.first(t); len(got.Children) != 0 || got.Simplified || got.Graphic != "diagram" {
			t.Errorf("%s: got %d boxes, simplified %v; want none", name, len(got.Children), got.Simplified)
		}
	}
	small := diagram(tree("", "a"))
	small.slide = strings.NewReplacer(`cx="5080000"`, `cx="254000"`, `cy="2540000"`, `cy="254000"`).Replace(small.slide)
	wantBoxes(t, "of 20 by 20 points", small.first(t), map[string]dml.Rect{"a": {X: 10, Y: 20, W: 20, H: 20}})
}

func TestDiagramsAreLimited(t *testing.T) {
	t.Parallel()
	const most, deepest = 500, 12
	points, connections := `<dgm:pt modelId="doc" type="doc"/>`, ""
	for i := range most + 10 {
		name := strconv.Itoa(i)
		points += `<dgm:pt modelId="` + name + `"><dgm:t><a:p><a:r><a:t>` + name + `</a:t></a:r></a:p></dgm:t></dgm:pt>`
		connections += `<dgm:cxn srcId="doc" destId="` + name + `"/>`
	}
	boxes := diagram(model(points, connections)).first(t).Children
	if want := most - 1; len(boxes) != want { // the document is one of them
		t.Errorf("got %d boxes side by side, want %d", len(boxes), want)
	}
	if w := boxes[0].Frame.W; w != 1 {
		t.Errorf("a box is %v points wide, want the least, 1", w)
	}
	var deep []string
	for i := range deepest + 5 {
		deep = append(deep, strings.Repeat("a", i+1))
	}
	if got := len(diagram(tree("", deep...)).first(t).Children); got != deepest {
		t.Errorf("got %d boxes below each other, want %d", got, deepest)
	}
}
