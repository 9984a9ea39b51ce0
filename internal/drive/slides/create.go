package slides

import (
	"strconv"
	"strings"

	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/edit"
)

// sideOfNew is how long a side of a shape is that is made without a size, as on
// Google's slides.
const sideOfNew = 3_000_000

// place finds the page, frame and id of an object that is to be made.
func (b *batch) place(id string, p *gslides.PageElementProperties, invalid edit.RequestFault) (*page, frame, error) {
	if err := b.checkNewID(id, invalid); err != nil {
		return nil, frame{}, err
	}
	if p == nil || p.PageObjectId == "" {
		return nil, frame{}, invalid("The page of the new object (elementProperties.pageObjectId) must be specified.")
	}
	page := b.deck.find(p.PageObjectId)
	if page == nil {
		return nil, frame{}, invalid("The page (%s) could not be found.", p.PageObjectId)
	}
	m, err := matrixOf(p.Transform, invalid)
	if err != nil {
		return nil, frame{}, err
	}
	width, height := float64(sideOfNew), float64(sideOfNew)
	if p.Size != nil {
		if width, err = length(p.Size.Width, width, invalid); err != nil {
			return nil, frame{}, err
		}
		if height, err = length(p.Size.Height, height, invalid); err != nil {
			return nil, frame{}, err
		}
	}
	f, err := placedBy(m, width, height, invalid)
	return page, f, err
}

func length(d *gslides.Dimension, otherwise float64, invalid edit.RequestFault) (float64, error) {
	if d == nil {
		return otherwise, nil
	}
	n := d.Magnitude
	switch d.Unit {
	case "EMU":
	case "PT":
		n *= 12700
	default:
		return 0, invalid("The unit of a size must be EMU or PT.")
	}
	if !(n > 0) || n > maxLength {
		return 0, invalid("A size must be more than 0.")
	}
	return n, nil
}

// add puts a new object before all others of a page and returns its id.
func (b *batch) add(p *page, e *etree.Element, id string, invalid edit.RequestFault) (string, error) {
	tree := child(child(p.root, "cSld"), "spTree")
	if tree == nil {
		return "", invalid("The page (%s) takes no objects.", p.id)
	}
	if err := b.spend(sizeOf(e), invalid); err != nil {
		return "", err
	}
	properties := shapeProperties(e)
	properties.CreateAttr("id", strconv.FormatInt(p.freeShape(), 10))
	setOwnID(properties, id)
	at := len(tree.Child)
	if last := child(tree, "extLst"); last != nil {
		at = last.Index()
	}
	tree.InsertChildAt(at, e)
	made := &element{id: p.objectID(e, p.taken), elem: e}
	p.elements = append(p.elements, made)
	b.noteChange(p)
	return made.id, nil
}

// idOf returns the id under which an object is known.
func (p *page) idOf(e *etree.Element) string {
	var find func([]*element) string
	find = func(all []*element) string {
		for _, of := range all {
			if of.elem == e {
				return of.id
			}
			if id := find(of.children); id != "" {
				return id
			}
		}
		return ""
	}
	return find(p.elements)
}

// presets are the kinds of shapes that are made, by Google's names; their names
// in a file are those of ECMA-376 part 1, 20.1.10.56.
const presets = ` TEXT_BOX=rect RECTANGLE=rect ROUND_RECTANGLE=roundRect ELLIPSE=ellipse ARC=arc BENT_ARROW=bentArrow BENT_UP_ARROW=bentUpArrow BEVEL=bevel ` +
	`BLOCK_ARC=blockArc BRACE_PAIR=bracePair BRACKET_PAIR=bracketPair CAN=can CHEVRON=chevron CHORD=chord CLOUD=cloud CORNER=corner CUBE=cube ` +
	`CURVED_DOWN_ARROW=curvedDownArrow CURVED_LEFT_ARROW=curvedLeftArrow CURVED_RIGHT_ARROW=curvedRightArrow CURVED_UP_ARROW=curvedUpArrow ` +
	`DECAGON=decagon DIAGONAL_STRIPE=diagStripe DIAMOND=diamond DODECAGON=dodecagon DONUT=donut DOUBLE_WAVE=doubleWave DOWN_ARROW=downArrow ` +
	`FOLDED_CORNER=foldedCorner FRAME=frame HALF_FRAME=halfFrame HEART=heart HEPTAGON=heptagon HEXAGON=hexagon HOME_PLATE=homePlate ` +
	`HORIZONTAL_SCROLL=horizontalScroll IRREGULAR_SEAL_1=irregularSeal1 IRREGULAR_SEAL_2=irregularSeal2 LEFT_ARROW=leftArrow LEFT_BRACE=leftBrace ` +
	`LEFT_BRACKET=leftBracket LEFT_RIGHT_ARROW=leftRightArrow LEFT_UP_ARROW=leftUpArrow LIGHTNING_BOLT=lightningBolt MATH_DIVIDE=mathDivide ` +
	`MATH_EQUAL=mathEqual MATH_MINUS=mathMinus MATH_MULTIPLY=mathMultiply MATH_NOT_EQUAL=mathNotEqual MATH_PLUS=mathPlus MOON=moon ` +
	`NO_SMOKING=noSmoking NOTCHED_RIGHT_ARROW=notchedRightArrow OCTAGON=octagon PARALLELOGRAM=parallelogram PENTAGON=pentagon PIE=pie PLAQUE=plaque ` +
	`PLUS=plus QUAD_ARROW=quadArrow RIBBON=ribbon RIBBON_2=ribbon2 RIGHT_ARROW=rightArrow RIGHT_BRACE=rightBrace RIGHT_BRACKET=rightBracket ` +
	`RIGHT_TRIANGLE=rtTriangle ROUND_1_RECTANGLE=round1Rect ROUND_2_DIAGONAL_RECTANGLE=round2DiagRect ROUND_2_SAME_RECTANGLE=round2SameRect ` +
	`SMILEY_FACE=smileyFace SNIP_1_RECTANGLE=snip1Rect SNIP_2_DIAGONAL_RECTANGLE=snip2DiagRect SNIP_2_SAME_RECTANGLE=snip2SameRect ` +
	`SNIP_ROUND_RECTANGLE=snipRoundRect STAR_4=star4 STAR_5=star5 STAR_6=star6 STAR_8=star8 STAR_10=star10 STAR_12=star12 STAR_16=star16 ` +
	`STAR_24=star24 STAR_32=star32 STRIPED_RIGHT_ARROW=stripedRightArrow SUN=sun TEARDROP=teardrop TRAPEZOID=trapezoid TRIANGLE=triangle ` +
	`UP_ARROW=upArrow UP_DOWN_ARROW=upDownArrow UTURN_ARROW=uturnArrow VERTICAL_SCROLL=verticalScroll WAVE=wave ` +
	`WEDGE_ELLIPSE_CALLOUT=wedgeEllipseCallout WEDGE_RECTANGLE_CALLOUT=wedgeRectCallout WEDGE_ROUND_RECTANGLE_CALLOUT=wedgeRoundRectCallout `

func presetOf(shapeType string) string {
	_, behind, ok := strings.Cut(presets, " "+shapeType+"=")
	if !ok || shapeType == "" {
		return ""
	}
	preset, _, _ := strings.Cut(behind, " ")
	return preset
}

// shapeTypeOf is Google's name for a preset; empty for one that is not known.
func shapeTypeOf(preset string) string {
	const first = " TEXT_BOX=rect"
	before, _, ok := strings.Cut(presets[len(first):], "="+preset+" ")
	if !ok || preset == "" {
		return ""
	}
	return before[strings.LastIndex(before, " ")+1:]
}

func (b *batch) createShape(r *gslides.CreateShapeRequest, invalid edit.RequestFault) (string, error) {
	preset := presetOf(r.ShapeType)
	if preset == "" {
		return "", invalid("This drive makes no shapes of type %.60s.", r.ShapeType)
	}
	p, f, err := b.place(r.ObjectId, r.ElementProperties, invalid)
	if err != nil {
		return "", err
	}
	e := etree.NewElement("p:sp")
	nv := e.CreateElement("p:nvSpPr")
	nv.CreateElement("p:cNvPr").CreateAttr("name", r.ShapeType)
	locks := nv.CreateElement("p:cNvSpPr")
	nv.CreateElement("p:nvPr")
	properties := e.CreateElement("p:spPr")
	f.write(properties.CreateElement("a:xfrm"))
	geometry := properties.CreateElement("a:prstGeom")
	geometry.CreateAttr("prst", preset)
	geometry.CreateElement("a:avLst")
	body := e.CreateElement("p:txBody")
	if r.ShapeType == "TEXT_BOX" {
		locks.CreateAttr("txBox", "1")
		properties.CreateElement("a:noFill")
		body.CreateElement("a:bodyPr").CreateAttr("wrap", "square")
	} else {
		// Google's new shapes are light grey with a dark line.
		fill(properties, "EEEEEE")
		line := properties.CreateElement("a:ln")
		line.CreateAttr("w", "9525")
		fill(line, "595959")
		body.CreateElement("a:bodyPr").CreateAttr("anchor", "ctr")
	}
	body.CreateElement("a:lstStyle")
	body.CreateElement("a:p")
	return b.add(p, e, r.ObjectId, invalid)
}

func fill(e *etree.Element, hex string) {
	e.CreateElement("a:solidFill").CreateElement("a:srgbClr").CreateAttr("val", hex)
}

const (
	maxTableSide  = 100     // rows or columns of a new table
	heightOfRow   = 381_000 // of a new table's
	tableGraphics = "http://schemas.openxmlformats.org/drawingml/2006/table"
)

func (b *batch) createTable(r *gslides.CreateTableRequest, invalid edit.RequestFault) (string, error) {
	if r.Rows < 1 || r.Columns < 1 || r.Rows > maxTableSide || r.Columns > maxTableSide {
		return "", invalid("A table must have 1 to %d rows and columns.", maxTableSide)
	}
	sized := r.ElementProperties != nil && r.ElementProperties.Size != nil
	p, f, err := b.place(r.ObjectId, r.ElementProperties, invalid)
	if err != nil {
		return "", err
	}
	if len(f.turned) > 0 {
		return "", invalid("Tables cannot be rotated.")
	}
	if !sized {
		f.height = heightOfRow * r.Rows
	}
	e := etree.NewElement("p:graphicFrame")
	nv := e.CreateElement("p:nvGraphicFramePr")
	nv.CreateElement("p:cNvPr").CreateAttr("name", "Table")
	nv.CreateElement("p:cNvGraphicFramePr")
	nv.CreateElement("p:nvPr")
	f.write(e.CreateElement("p:xfrm"))
	data := e.CreateElement("a:graphic").CreateElement("a:graphicData")
	data.CreateAttr("uri", tableGraphics)
	table := data.CreateElement("a:tbl")
	table.CreateElement("a:tblPr")
	grid := table.CreateElement("a:tblGrid")
	for range r.Columns {
		grid.CreateElement("a:gridCol").CreateAttr("w", strconv.FormatInt(f.width/r.Columns, 10))
	}
	for range r.Rows {
		row := table.CreateElement("a:tr")
		row.CreateAttr("h", strconv.FormatInt(f.height/r.Rows, 10))
		for range r.Columns {
			newCell(row)
		}
	}
	return b.add(p, e, r.ObjectId, invalid)
}

// newCell makes an empty cell with Google's thin grey lines.
func newCell(row *etree.Element) {
	cell := row.CreateElement("a:tc")
	body := cell.CreateElement("a:txBody")
	body.CreateElement("a:bodyPr")
	body.CreateElement("a:lstStyle")
	body.CreateElement("a:p")
	properties := cell.CreateElement("a:tcPr")
	for _, side := range []string{"lnL", "lnR", "lnT", "lnB"} {
		line := properties.CreateElement("a:" + side)
		line.CreateAttr("w", "9525")
		fill(line, "9E9E9E")
	}
}
