package slides

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/opc"
)

// knownStyles says which properties the file gave to text and paragraphs that were
// shown with a style. Who gives that same style to other text means all of
// those properties.
type knownStyles struct {
	runs       map[string]*etree.Element // a:rPr
	paragraphs map[string]*etree.Element // a:pPr
}

// learnStyles reads the styles of a presentation as it was before the batch.
func learnStyles(d *deck) *knownStyles {
	l := &knownStyles{runs: map[string]*etree.Element{}, paragraphs: map[string]*etree.Element{}}
	v := d.variants()
	for _, s := range d.slides {
		eachBody(s.slide.Shapes, func(body *dml.TextBody) { l.learnBody(body, v) })
	}
	return l
}

func (l *knownStyles) learnBody(body *dml.TextBody, v *variants) {
	for _, p := range body.Paragraphs {
		key := edit.StyleKey(v.paragraphStyle(p))
		if _, ok := l.paragraphs[key]; !ok {
			l.paragraphs[key] = child(p.Elem, "pPr")
		}
		for _, r := range p.Runs {
			key := edit.StyleKey(v.textStyle(r))
			if _, ok := l.runs[key]; !ok && r.Elem != nil {
				l.runs[key] = child(r.Elem, "rPr")
			}
		}
	}
}

// givesStyle tells of a request that may mean properties by a style.
func givesStyle(r *gslides.Request) bool {
	return r != nil && (r.UpdateTextStyle != nil || r.UpdateParagraphStyle != nil)
}

// inRange finds the paragraphs that a range of a text touches.
func (b *batch) inRange(id string, cell *gslides.TableCellLocation, r *gslides.Range, invalid edit.RequestFault) (*page, []*paragraph, int64, int64, error) {
	page, body, err := b.body(id, cell, invalid)
	if err != nil {
		return nil, nil, 0, 0, err
	}
	all := paragraphs(body)
	if len(all) == 0 {
		return page, nil, 0, 0, nil
	}
	length := all[len(all)-1].end - 1
	from, to := int64(0), length
	if r == nil || r.Type != "ALL" {
		if from, to, err = span(r, length+1, invalid); err != nil {
			return nil, nil, 0, 0, err
		}
	}
	var touched []*paragraph
	for _, p := range all {
		if p.start < to && from < p.end || from == to && p.start <= from && from < p.end {
			touched = append(touched, p)
		}
	}
	return page, touched, from, to, nil
}

// updateTextStyle gives text the properties of text that was shown with this
// style, or where there is none the properties that its fields name.
func (b *batch) updateTextStyle(r *gslides.UpdateTextStyleRequest, invalid edit.RequestFault) error {
	fields, err := edit.StyleFields(r.Fields, gslides.TextStyle{}, invalid)
	if err != nil {
		return err
	}
	if r.Style == nil {
		return invalid("The text style must be specified.")
	}
	page, touched, from, to, err := b.inRange(r.ObjectId, r.CellLocation, r.TextRange, invalid)
	if err != nil {
		return err
	}
	properties, whole := b.styles.runs[edit.StyleKey(r.Style)]
	relation := ""
	if link := r.Style.Link; !whole && link != nil && link.Url != "" && fields["link"] {
		plain := *r.Style
		plain.Link = nil
		properties, whole = b.styles.runs[edit.StyleKey(&plain)]
		if relation, err = b.deck.pkg.Relate(page.part, "hyperlink", link.Url, true); err != nil {
			return err
		}
	}
	whole = whole && len(fields) >= wholeTextStyle
	for _, p := range touched {
		start, _ := edit.ByteOffset(p.text, from-p.start)
		end, _ := edit.ByteOffset(p.text, to-p.start)
		for _, run := range runsIn(p, start, end) {
			if whole {
				giveStyle(run, properties)
			} else {
				setTextStyle(run, r.Style, fields)
			}
			if relation != "" {
				leadTo(run, relation)
			}
		}
	}
	b.noteChange(page)
	return nil
}

const (
	// wholeTextStyle and wholeParagraphStyle are the numbers of fields that
	// make up a style.
	wholeTextStyle      = 10
	wholeParagraphStyle = 8
)

// giveStyle gives a run exactly these properties.
func giveStyle(run, properties *etree.Element) {
	if own := child(run, "rPr"); own != nil {
		run.RemoveChild(own)
	}
	if properties != nil {
		run.InsertChildAt(0, properties.Copy())
	}
}

// leadTo makes a run a link. Only what else it does on a click, its direction
// and extensions come behind in its properties (ECMA-376 part 1, 21.1.2.3.9).
func leadTo(run *etree.Element, relation string) {
	properties := child(run, "rPr")
	if properties == nil {
		properties = etree.NewElement("a:rPr")
		run.InsertChildAt(0, properties)
	}
	if old := child(properties, "hlinkClick"); old != nil {
		properties.RemoveChild(old)
	}
	link := etree.NewElement("a:hlinkClick")
	link.CreateAttr("xmlns:r", opc.RelsNS)
	link.CreateAttr("r:id", relation)
	for _, behind := range []string{"hlinkMouseOver", "rtl", "extLst"} {
		if later := child(properties, behind); later != nil {
			properties.InsertChildAt(later.Index(), link)
			return
		}
	}
	properties.AddChild(link)
}

// runsIn returns the runs that hold the bytes from to to of a paragraph, after
// cutting those that hold others too.
func runsIn(p *paragraph, from, to int) []*etree.Element {
	var runs []*etree.Element
	at := 0
	for _, piece := range p.pieces {
		start, end := at, at+len(piece.Text)
		at = end
		if end <= from || to <= start || piece.Run == nil {
			continue
		}
		run := piece.Run
		if piece.Kind == edit.TextPiece {
			if to < end {
				cutRun(run, piece.Text, to-start)
			}
			if from > start {
				run = cutRun(run, piece.Text[:min(to, end)-start], from-start)
			}
		}
		runs = append(runs, run)
	}
	return runs
}

// cutRun divides a run of this text and returns the second half.
func cutRun(run *etree.Element, text string, at int) *etree.Element {
	behind := run.Copy()
	setText(child(run, "t"), text[:at])
	setText(child(behind, "t"), text[at:])
	run.Parent().InsertChildAt(run.Index()+1, behind)
	return behind
}

func setText(t *etree.Element, text string) {
	for len(t.Child) > 0 {
		t.RemoveChildAt(0)
	}
	t.CreateText(text)
}

// setTextStyle sets the properties that fields name, as far as they are plain.
func setTextStyle(run *etree.Element, s *gslides.TextStyle, fields map[string]bool) {
	properties := child(run, "rPr")
	if properties == nil {
		properties = etree.NewElement("a:rPr")
		run.InsertChildAt(0, properties)
	}
	flag := func(field, key, on, off string, isOn bool) {
		if fields[field] {
			value := off
			if isOn {
				value = on
			}
			properties.CreateAttr(key, value)
		}
	}
	flag("bold", "b", "1", "0", s.Bold)
	flag("italic", "i", "1", "0", s.Italic)
	flag("underline", "u", "sng", "none", s.Underline)
	flag("strikethrough", "strike", "sngStrike", "noStrike", s.Strikethrough)
	flag("smallCaps", "cap", "small", "none", s.SmallCaps)
	if fields["fontSize"] && s.FontSize != nil {
		properties.CreateAttr("sz", fmt.Sprint(int(math.Round(s.FontSize.Magnitude*100))))
	}
	if fields["baselineOffset"] {
		// Thousandths of a percent of the size, as PowerPoint's own.
		value := map[string]string{"SUPERSCRIPT": "30000", "SUBSCRIPT": "-25000"}[s.BaselineOffset]
		if value == "" {
			value = "0"
		}
		properties.CreateAttr("baseline", value)
	}
	if fields["foregroundColor"] {
		setColor(properties, "solidFill", s.ForegroundColor)
	}
	if fields["backgroundColor"] {
		setColor(properties, "highlight", s.BackgroundColor)
	}
	family := s.FontFamily
	if f := s.WeightedFontFamily; fields["weightedFontFamily"] && f != nil {
		family = f.FontFamily
	}
	if fields["fontFamily"] || fields["weightedFontFamily"] {
		dropChild(properties, "latin")
		if family != "" {
			latin := etree.NewElement("a:latin")
			latin.CreateAttr("typeface", family)
			insertOrdered(properties, latin)
		}
	}
	if fields["link"] && s.Link == nil {
		dropChild(properties, "hlinkClick")
	}
}

func dropChild(e *etree.Element, tag string) {
	if c := child(e, tag); c != nil {
		e.RemoveChild(c)
	}
}

// setColor paints text or what is behind it; no colour takes the paint away.
func setColor(properties *etree.Element, tag string, c *gslides.OptionalColor) {
	dropChild(properties, tag)
	if c == nil || c.OpaqueColor == nil || c.OpaqueColor.RgbColor == nil {
		return
	}
	rgb := c.OpaqueColor.RgbColor
	paint := etree.NewElement("a:" + tag)
	paint.CreateElement("a:srgbClr").CreateAttr("val", edit.HexColor(rgb.Red, rgb.Green, rgb.Blue))
	insertOrdered(properties, paint)
}

// runOrder is the order of a run's properties in the schema (ECMA-376 part 1,
// 21.1.2.3.9).
const runOrder = " ln noFill solidFill gradFill blipFill pattFill grpFill effectLst effectDag highlight uLnTx uLn uFillTx uFill latin ea cs sym hlinkClick hlinkMouseOver rtl extLst "

func insertOrdered(properties, e *etree.Element) {
	rank := strings.Index(runOrder, " "+e.Tag+" ")
	at := len(properties.Child)
	for i, t := range properties.Child {
		if c, ok := t.(*etree.Element); ok && strings.Index(runOrder, " "+c.Tag+" ") > rank {
			at = i
			break
		}
	}
	properties.InsertChildAt(at, e)
}

// updateParagraphStyle gives paragraphs the properties of one that was shown
// with this style, or where there is none the properties that its fields name.
func (b *batch) updateParagraphStyle(r *gslides.UpdateParagraphStyleRequest, invalid edit.RequestFault) error {
	fields, err := edit.StyleFields(r.Fields, gslides.ParagraphStyle{}, invalid)
	if err != nil {
		return err
	}
	if r.Style == nil {
		return invalid("The paragraph style must be specified.")
	}
	page, touched, _, _, err := b.inRange(r.ObjectId, r.CellLocation, r.TextRange, invalid)
	if err != nil {
		return err
	}
	properties, whole := b.styles.paragraphs[edit.StyleKey(r.Style)]
	for _, p := range touched {
		if whole && len(fields) >= wholeParagraphStyle {
			if own := child(p.elem, "pPr"); own != nil {
				p.elem.RemoveChild(own)
			}
			if properties != nil {
				p.elem.InsertChildAt(0, properties.Copy())
			}
			continue
		}
		if err := setParagraphStyle(propertiesOf(p.elem), r.Style, fields, invalid); err != nil {
			return err
		}
	}
	b.noteChange(page)
	return nil
}

// setParagraphStyle sets the properties that fields name. One without a value is what the
// paragraph inherits.
func setParagraphStyle(own *etree.Element, s *gslides.ParagraphStyle, fields map[string]bool, invalid edit.RequestFault) error {
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		switch field {
		case "alignment":
			align := map[string]string{"CENTER": "ctr", "END": "r", "JUSTIFIED": "just"}[s.Alignment]
			if align == "" {
				align = "l"
			}
			own.CreateAttr("algn", align)
		case "direction":
			value := "0"
			if s.Direction == "RIGHT_TO_LEFT" {
				value = "1"
			}
			own.CreateAttr("rtl", value)
		case "indentStart":
			setLength(own, "marL", s.IndentStart)
		case "indentEnd":
			setLength(own, "marR", s.IndentEnd)
		case "indentFirstLine": // below: files count it from the other lines
		default:
			return invalid("This drive sets the field %q of a paragraph's style only with all of a style that the presentation has.", field)
		}
	}
	if fields["indentFirstLine"] {
		first := s.IndentFirstLine
		if first != nil {
			start, _ := strconv.ParseFloat(own.SelectAttrValue("marL", "0"), 64)
			first = &gslides.Dimension{Magnitude: emuOf(first)/emuPerPoint - start/emuPerPoint, Unit: "PT"}
		}
		setLength(own, "indent", first)
	}
	return nil
}

const emuPerPoint = 12700

// emuOf is a length of the API in EMU.
func emuOf(d *gslides.Dimension) float64 {
	if d.Unit == "EMU" {
		return d.Magnitude
	}
	return d.Magnitude * emuPerPoint
}

func setLength(own *etree.Element, key string, d *gslides.Dimension) {
	if d == nil {
		own.RemoveAttr(key)
		return
	}
	own.CreateAttr(key, strconv.Itoa(int(math.Round(emuOf(d)))))
}
