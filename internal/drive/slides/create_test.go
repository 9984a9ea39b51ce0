package slides

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	gslides "google.golang.org/api/slides/v1"
)

func TestASlidePerItemIsMadeOfOneAndThatDeleted(t *testing.T) {
	t.Parallel()
	p := pptx(t, sp("2", para("Dear {{Name}}"))+group(sp("3", para("{{Name}}"))), sp("2", para("Say {{Name}}")))
	duplicate := func(id, box string) *gslides.Request {
		return &gslides.Request{DuplicateObject: &gslides.DuplicateObjectRequest{ObjectId: "slide_256", ObjectIds: map[string]string{"slide_256": id, "slide_256_3": box}}}
	}
	fill := func(page, with string) *gslides.Request {
		return &gslides.Request{ReplaceAllText: &gslides.ReplaceAllTextRequest{ContainsText: &gslides.SubstringMatchCriteria{Text: "{{Name}}"}, ReplaceText: with, PageObjectIds: []string{page}}}
	}
	answers := apply(t, p,
		duplicate("item_two", "box_two"), duplicate("item_one", "box_one"),
		fill("item_one", "Ada"), fill("item_two", "Bob"),
		&gslides.Request{DeleteObject: &gslides.DeleteObjectRequest{ObjectId: "slide_256"}},
		&gslides.Request{InsertText: &gslides.InsertTextRequest{ObjectId: "box_two", Text: "!"}},
	)
	if answers[0].DuplicateObject.ObjectId != "item_two" || answers[2].ReplaceAllText.OccurrencesChanged != 2 {
		t.Errorf("got %+v, %+v", answers[0].DuplicateObject, answers[2].ReplaceAllText)
	}
	wantSketch(t, p, "item_one: item_one_2=Dear Ada item_one_20 box_one=Ada", "item_two: item_two_2=Dear Bob item_two_20 box_two=!Bob")
	again := get(t, reread(t, p))
	notes := again.Slides[1].SlideProperties.NotesPage
	if notes == nil || contentOf(t, notes.PageElements[0].Shape.Text) != "Say {{Name}}\n" {
		t.Errorf("the copy's notes are %+v", notes)
	}
	if again.Slides[0].SlideProperties.LayoutObjectId == "" || again.Slides[0].SlideProperties.NotesPage.ObjectId == notes.ObjectId {
		t.Error("a copy lost its layout, or shares its notes")
	}
}

func TestSlidesAreMadeOfLayouts(t *testing.T) {
	t.Parallel()
	p := pptx(t, sp("2", para("a")), "")
	layout := get(t, p).Layouts[0].ObjectId
	answers := apply(t, p,
		&gslides.Request{CreateSlide: &gslides.CreateSlideRequest{}},
		&gslides.Request{CreateSlide: &gslides.CreateSlideRequest{ObjectId: "first_one", ForceSendFields: []string{"InsertionIndex"}, SlideLayoutReference: &gslides.LayoutReference{LayoutId: layout}}},
		&gslides.Request{CreateSlide: &gslides.CreateSlideRequest{InsertionIndex: 1}},
	)
	made := get(t, reread(t, p))
	var ids []string
	for _, s := range made.Slides {
		ids = append(ids, s.ObjectId)
		if s.SlideProperties.LayoutObjectId == "" {
			t.Errorf("the slide %s has no layout", s.ObjectId)
		}
	}
	want := []string{"first_one", answers[2].CreateSlide.ObjectId, "slide_256", answers[0].CreateSlide.ObjectId}
	if !slices.Equal(ids, want) {
		t.Errorf("got slides %q, want %q", ids, want)
	}
}

func TestShapesAndTablesAreMade(t *testing.T) {
	t.Parallel()
	p := pptx(t, sp("2", para("a")), "")
	apply(t, p,
		&gslides.Request{CreateShape: &gslides.CreateShapeRequest{ObjectId: "my_box", ShapeType: "TEXT_BOX", ElementProperties: onPage("slide_256", 10, 20, 100, 50)}},
		&gslides.Request{InsertText: &gslides.InsertTextRequest{ObjectId: "my_box", Text: "hello"}},
		&gslides.Request{CreateShape: &gslides.CreateShapeRequest{ShapeType: "STAR_5", ElementProperties: &gslides.PageElementProperties{PageObjectId: "slide_256"}}},
		&gslides.Request{CreateTable: &gslides.CreateTableRequest{ObjectId: "my_table", Rows: 2, Columns: 3, ElementProperties: onPage("slide_256", 0, 0, 300, 40)}},
		&gslides.Request{InsertText: &gslides.InsertTextRequest{ObjectId: "my_table", Text: "x", CellLocation: &gslides.TableCellLocation{RowIndex: 1, ColumnIndex: 2}}},
	)
	wantSketch(t, p, "slide_256: slide_256_2=a my_box=hello slide_256_4= my_table=table")
	elements := get(t, reread(t, p)).Slides[0].PageElements
	box, star, table := elements[1], elements[2], elements[3].Table
	if box.Shape.ShapeType != "TEXT_BOX" || box.Size.Width.Magnitude != 1_270_000 || box.Transform.TranslateY != 254_000 {
		t.Errorf("got a box %s of %v at %+v", box.Shape.ShapeType, box.Size.Width, box.Transform)
	}
	if star.Shape.ShapeType != "STAR_5" || star.Size.Width.Magnitude != 3_000_000 {
		t.Errorf("got %s of %v", star.Shape.ShapeType, star.Size.Width)
	}
	if table.Rows != 2 || table.Columns != 3 || contentOf(t, table.TableRows[1].TableCells[2].Text) != "x\n" || table.TableColumns[0].ColumnWidth.Magnitude != 1_270_000 {
		t.Errorf("got %d rows, %d columns", table.Rows, table.Columns)
	}
}

func TestObjectsAreMovedTurnedAndFlipped(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]*gslides.AffineTransform{
		"moved":       {ScaleX: 1, ScaleY: 1, TranslateX: 500_000, TranslateY: -100_000, Unit: "EMU"},
		"turned":      {ScaleX: math.Cos(0.5), ShearX: -math.Sin(0.5), ShearY: math.Sin(0.5), ScaleY: math.Cos(0.5), TranslateX: 12700, TranslateY: 25400, Unit: "EMU"},
		"flipped":     {ScaleX: -1, ScaleY: 1, TranslateX: 1_000_000, Unit: "EMU"},
		"turned over": {ScaleX: -1, ScaleY: -1, TranslateX: 1_000_000, TranslateY: 1_000_000, Unit: "EMU"},
	} {
		p := pptx(t, sp("2", para("a")), "")
		apply(t, p, &gslides.Request{UpdatePageElementTransform: &gslides.UpdatePageElementTransformRequest{ObjectId: "slide_256_2", ApplyMode: "ABSOLUTE", Transform: m}})
		got := get(t, reread(t, p)).Slides[0].PageElements[0]
		for what, n := range map[string][2]float64{
			"scaleX": {got.Transform.ScaleX, m.ScaleX}, "scaleY": {got.Transform.ScaleY, m.ScaleY},
			"shearX": {got.Transform.ShearX, m.ShearX}, "shearY": {got.Transform.ShearY, m.ShearY},
		} {
			if math.Abs(n[0]-n[1]) > 1e-5 {
				t.Errorf("%s: got %s %v, want %v", name, what, n[0], n[1])
			}
		}
		if math.Abs(got.Transform.TranslateX-m.TranslateX) > 20 || math.Abs(got.Transform.TranslateY-m.TranslateY) > 20 {
			t.Errorf("%s: got %+v, want %+v", name, got.Transform, m)
		}
	}
	p := pptx(t, sp("2", para("a")), "")
	twice := &gslides.Request{UpdatePageElementTransform: &gslides.UpdatePageElementTransformRequest{
		ObjectId: "slide_256_2", ApplyMode: "RELATIVE", Transform: &gslides.AffineTransform{ScaleX: 2, ScaleY: 1, TranslateX: 10, Unit: "EMU"},
	}}
	apply(t, p, twice, twice)
	got := get(t, reread(t, p)).Slides[0].PageElements[0]
	if got.Size.Width.Magnitude != 4*127_000 || got.Transform.TranslateX != 4*12_700+30 {
		t.Errorf("scaled twice: got %v at %v", got.Size.Width.Magnitude, got.Transform.TranslateX)
	}
}

func TestMakingRefusesInGooglesWords(t *testing.T) {
	t.Parallel()
	shear := onPage("slide_256", 0, 0, 10, 10)
	shear.Transform.ShearX = 0.5
	flat := onPage("slide_256", 0, 0, 10, 10)
	flat.Transform.ScaleX = 0
	for name, c := range map[string]struct {
		request *gslides.Request
		want    string
	}{
		"a short id":         {&gslides.Request{CreateSlide: &gslides.CreateSlideRequest{ObjectId: "x"}}, "5 to 50 characters"},
		"an id in use":       {&gslides.Request{CreateSlide: &gslides.CreateSlideRequest{ObjectId: "slide_256_2"}}, "should be unique"},
		"a late index":       {&gslides.Request{CreateSlide: &gslides.CreateSlideRequest{InsertionIndex: 2}}, "insertion index 2"},
		"no such layout":     {&gslides.Request{CreateSlide: &gslides.CreateSlideRequest{SlideLayoutReference: &gslides.LayoutReference{LayoutId: "x"}}}, "could not be found"},
		"no predefined":      {&gslides.Request{CreateSlide: &gslides.CreateSlideRequest{SlideLayoutReference: &gslides.LayoutReference{PredefinedLayout: "BIG_NUMBER"}}}, "not present"},
		"no kind":            {&gslides.Request{CreateShape: &gslides.CreateShapeRequest{ElementProperties: onPage("slide_256", 0, 0, 1, 1)}}, "shapes of type"},
		"no page":            {&gslides.Request{CreateShape: &gslides.CreateShapeRequest{ShapeType: "ELLIPSE"}}, "page"},
		"no such page":       {&gslides.Request{CreateShape: &gslides.CreateShapeRequest{ShapeType: "ELLIPSE", ElementProperties: onPage("x", 0, 0, 1, 1)}}, "could not be found"},
		"sheared":            {&gslides.Request{CreateShape: &gslides.CreateShapeRequest{ShapeType: "ELLIPSE", ElementProperties: shear}}, "shear"},
		"flat":               {&gslides.Request{CreateShape: &gslides.CreateShapeRequest{ShapeType: "ELLIPSE", ElementProperties: flat}}, "invertible"},
		"without size":       {&gslides.Request{CreateShape: &gslides.CreateShapeRequest{ShapeType: "ELLIPSE", ElementProperties: onPage("slide_256", 0, 0, 0, 1)}}, "more than 0"},
		"a huge table":       {&gslides.Request{CreateTable: &gslides.CreateTableRequest{Rows: 101, Columns: 1}}, "1 to 100"},
		"nothing to copy":    {&gslides.Request{DuplicateObject: &gslides.DuplicateObjectRequest{ObjectId: "x"}}, "could not be found"},
		"ids of others":      {&gslides.Request{DuplicateObject: &gslides.DuplicateObjectRequest{ObjectId: "slide_256_2", ObjectIds: map[string]string{"slide_256": "other"}}}, "not part of"},
		"one id for two":     {&gslides.Request{DuplicateObject: &gslides.DuplicateObjectRequest{ObjectId: "slide_256", ObjectIds: map[string]string{"slide_256": "other", "slide_256_2": "other"}}}, "should be unique"},
		"no mode":            {&gslides.Request{UpdatePageElementTransform: &gslides.UpdatePageElementTransformRequest{ObjectId: "slide_256_2", Transform: &gslides.AffineTransform{ScaleX: 1, ScaleY: 1}}}, "applyMode"},
		"an object in group": {&gslides.Request{UpdatePageElementTransform: &gslides.UpdatePageElementTransformRequest{ObjectId: "slide_256_3", ApplyMode: "ABSOLUTE", Transform: &gslides.AffineTransform{ScaleX: 1, ScaleY: 1}}}, "groups"},
	} {
		p := pptx(t, sp("2", para("a"))+group(sp("3", para("b"))), "")
		if _, err := Apply(p, "id", []*gslides.Request{c.request}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestAnIDIsFreeAgainWhenItsObjectIsDeleted(t *testing.T) {
	t.Parallel()
	p := pptx(t, sp("2", para("a")), "")
	box := &gslides.Request{CreateShape: &gslides.CreateShapeRequest{ObjectId: "my_box", ShapeType: "ELLIPSE", ElementProperties: onPage("slide_256", 0, 0, 10, 10)}}
	answers := apply(t, p, box, &gslides.Request{DeleteObject: &gslides.DeleteObjectRequest{ObjectId: "my_box"}}, box)
	if got := answers[2].CreateShape.ObjectId; got != "my_box" {
		t.Errorf("got %s", got)
	}
	wantSketch(t, p, "slide_256: slide_256_2=a my_box=")
}

func TestABatchCannotMakeAFileOfAnySize(t *testing.T) {
	t.Parallel()
	p := pptx(t, sp("2", para("a")), "")
	requests := make([]*gslides.Request, 200)
	for i := range requests {
		requests[i] = &gslides.Request{CreateTable: &gslides.CreateTableRequest{Rows: 100, Columns: 100, ElementProperties: onPage("slide_256", 0, 0, 1000, 1000)}}
	}
	if _, err := Apply(p, "id", requests); err == nil || !strings.Contains(err.Error(), "elements") {
		t.Errorf("got %v, want a limit", err)
	}
}

func TestFieldsOfATextsStyleAreSetOneByOne(t *testing.T) {
	t.Parallel()
	red := &gslides.OptionalColor{OpaqueColor: &gslides.OpaqueColor{RgbColor: &gslides.RgbColor{Red: 1}}}
	p := pptx(t, sp("2", para("abc")), "")
	end := int64(2)
	start := int64(1)
	apply(t, p, &gslides.Request{UpdateTextStyle: &gslides.UpdateTextStyleRequest{
		ObjectId: "slide_256_2", TextRange: &gslides.Range{Type: "FIXED_RANGE", StartIndex: &start, EndIndex: &end}, Fields: "bold,baselineOffset,foregroundColor,backgroundColor,fontFamily,link,fontSize",
		Style: &gslides.TextStyle{
			Bold: true, BaselineOffset: "SUPERSCRIPT", ForegroundColor: red, BackgroundColor: red, FontFamily: "Georgia",
			Link: &gslides.Link{Url: "https://example.com/"}, FontSize: &gslides.Dimension{Magnitude: 20, Unit: "PT"},
		},
	}})
	runs := get(t, reread(t, p)).Slides[0].PageElements[0].Shape.Text.TextElements
	s := runs[2].TextRun.Style
	if runs[2].TextRun.Content != "b" || !s.Bold || s.BaselineOffset != "SUPERSCRIPT" || s.FontFamily != "Georgia" || s.Link == nil || s.Link.Url != "https://example.com/" ||
		s.FontSize.Magnitude != 20 || s.BackgroundColor == nil {
		t.Errorf("got %q as %+v", runs[2].TextRun.Content, s)
	}
	if before := runs[1].TextRun.Style; before.Bold || before.Link != nil {
		t.Errorf("the text before got the style, too: %+v", before)
	}
}

func createShape(kind string, at *gslides.PageElementProperties) *gslides.Request {
	return &gslides.Request{CreateShape: &gslides.CreateShapeRequest{ObjectId: "my_shape", ShapeType: kind, ElementProperties: at}}
}

// Every name of Google's has one preset (ECMA-376 part 1, 20.1.10.56), by which
// the shape is shown as what it was made.
func TestAShapeIsShownAsTheTypeThatItWasMade(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, pair := range strings.Fields(presets) {
		kind, preset, _ := strings.Cut(pair, "=")
		if got := presetOf(kind); got != preset {
			t.Errorf("%s: got %s, want %s", kind, got, preset)
		}
		if before, ok := seen[preset]; ok && before != "TEXT_BOX" {
			t.Errorf("%s and %s are both %s", before, kind, preset)
		}
		seen[preset] = kind
		if got := shapeTypeOf(preset); kind != "TEXT_BOX" && got != kind {
			t.Errorf("%s: got %s, want %s", preset, got, kind)
		}
	}
	for _, kind := range []string{"", "rect", "RECT", "RECTANGLE=rect", "TYPE_UNSPECIFIED", "CUSTOM"} {
		if got := presetOf(kind); got != "" {
			t.Errorf("%q: got %s", kind, got)
		}
	}
	for _, preset := range []string{"", "RECTANGLE", "line", "rect RECTANGLE"} {
		if got := shapeTypeOf(preset); got != "" {
			t.Errorf("%q: got %s", preset, got)
		}
	}
}

func TestABoxIsPlainAndAShapeIsPainted(t *testing.T) {
	t.Parallel()
	at := onPage("slide_256", 1, 2, 3, 4)
	for kind, want := range map[string]string{
		"TEXT_BOX": `<p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="12700" y="25400"/><a:ext cx="38100" cy="50800"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:noFill/></p:spPr>` +
			`<p:txBody><a:bodyPr wrap="square"/><a:lstStyle/><a:p/></p:txBody>`,
		"CLOUD": `<p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="12700" y="25400"/><a:ext cx="38100" cy="50800"/></a:xfrm><a:prstGeom prst="cloud"><a:avLst/></a:prstGeom>` +
			`<a:solidFill><a:srgbClr val="EEEEEE"/></a:solidFill><a:ln w="9525"><a:solidFill><a:srgbClr val="595959"/></a:solidFill></a:ln></p:spPr><p:txBody><a:bodyPr anchor="ctr"/><a:lstStyle/><a:p/></p:txBody>`,
	} {
		p := pptx(t, "", "")
		apply(t, p, createShape(kind, at))
		if got := slideXML(t, p); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s in it", kind, got, want)
		}
	}
}

func TestNewObjectsStandBeforeAllOthersAndTheExtensionsOfThePage(t *testing.T) {
	t.Parallel()
	p := pptx(t, sp("2", para("a"))+`<p:extLst><p:ext uri="{1}"/></p:extLst>`, "")
	apply(t, p, createShape("CLOUD", onPage("slide_256", 0, 0, 1, 1)))
	wantSketch(t, p, "slide_256: slide_256_2=a my_shape=")
	if got := slideXML(t, p); strings.Index(got, "my_shape") > strings.Index(got, `<p:ext uri="{1}"`) {
		t.Errorf("got %s", got)
	}
}

// Lengths are EMU, 12,700 to the point; without a size a side has 3,000,000.
func TestObjectsHaveTheSizeOfTheirElementProperties(t *testing.T) {
	t.Parallel()
	emus := &gslides.Dimension{Magnitude: 1000, Unit: "EMU"}
	for name, c := range map[string]struct {
		at   *gslides.PageElementProperties
		want string
	}{
		"points":               {onPage("slide_256", 1, 2, 3, 4), "38100×50800 at 12700,25400"},
		"EMU":                  {&gslides.PageElementProperties{Size: &gslides.Size{Width: emus, Height: emus}}, "1000×1000 at 0,0"},
		"a width":              {&gslides.PageElementProperties{Size: &gslides.Size{Width: emus}}, "1000×3000000 at 0,0"},
		"no size":              {&gslides.PageElementProperties{}, "3000000×3000000 at 0,0"},
		"scaled":               {&gslides.PageElementProperties{Size: &gslides.Size{Width: emus, Height: emus}, Transform: &gslides.AffineTransform{ScaleX: 2, ScaleY: 0.5, TranslateX: 7, Unit: "EMU"}}, "2000×500 at 7,0"},
		"moved without a unit": {&gslides.PageElementProperties{Transform: &gslides.AffineTransform{ScaleX: 1, ScaleY: 1}}, "3000000×3000000 at 0,0"},
	} {
		p := pptx(t, "", "")
		c.at.PageObjectId = "slide_256"
		apply(t, p, createShape("CLOUD", c.at))
		e := first(t, reread(t, p))
		if got := fmt.Sprintf("%.0f×%.0f at %.0f,%.0f", e.Size.Width.Magnitude, e.Size.Height.Magnitude, e.Transform.TranslateX, e.Transform.TranslateY); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestPlacesThatAnObjectCannotHaveAreRefused(t *testing.T) {
	t.Parallel()
	with := func(change func(*gslides.PageElementProperties)) *gslides.PageElementProperties {
		at := onPage("slide_256", 0, 0, 10, 10)
		change(at)
		return at
	}
	for name, c := range map[string]struct {
		at   *gslides.PageElementProperties
		want string
	}{
		"none":               {nil, "The page of the new object (elementProperties.pageObjectId) must be specified."},
		"no page":            {&gslides.PageElementProperties{}, "The page of the new object (elementProperties.pageObjectId) must be specified."},
		"no such page":       {onPage("nowhere", 0, 0, 1, 1), "The page (nowhere) could not be found."},
		"an object as page":  {onPage(box, 0, 0, 1, 1), "The page (slide_256_2) could not be found."},
		"nothing wide":       {onPage("slide_256", 0, 0, 0, 1), "A size must be more than 0."},
		"negative height":    {onPage("slide_256", 0, 0, 1, -1), "A size must be more than 0."},
		"no number":          {onPage("slide_256", 0, 0, math.NaN(), 1), "A size must be more than 0."},
		"a size of no unit":  {with(func(p *gslides.PageElementProperties) { p.Size.Width.Unit = "" }), "The unit of a size must be EMU or PT."},
		"a size of another":  {with(func(p *gslides.PageElementProperties) { p.Size.Height.Unit = "CM" }), "The unit of a size must be EMU or PT."},
		"moved by no unit":   {with(func(p *gslides.PageElementProperties) { p.Transform.TranslateX, p.Transform.Unit = 1, "" }), "The unit of a transform must be EMU or PT."},
		"sheared":            {with(func(p *gslides.PageElementProperties) { p.Transform.ShearX = 0.1 }), "This drive does not shear objects."},
		"flat":               {with(func(p *gslides.PageElementProperties) { p.Transform.ScaleY = 0 }), "The transform must be invertible."},
		"out of all bounds":  {with(func(p *gslides.PageElementProperties) { p.Transform.TranslateX = 1e12 }), "The transform is out of bounds."},
		"larger than bounds": {with(func(p *gslides.PageElementProperties) { p.Transform.ScaleX = 1e10 }), "The transform is out of bounds."},
	} {
		if got := refuse(t, pptx(t, sp("2", para("a")), ""), createShape("CLOUD", c.at)); got != "Invalid requests[0].createShape: "+c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	if got := refuse(t, pptx(t, "", ""), createShape("SPEECH", onPage("slide_256", 0, 0, 1, 1))); got != "Invalid requests[0].createShape: This drive makes no shapes of type SPEECH." {
		t.Errorf("an unknown type: got %q", got)
	}
}

func TestANewTableSharesItsFrame(t *testing.T) {
	t.Parallel()
	create := func(rows, columns int64, at *gslides.PageElementProperties) *gslides.Request {
		return &gslides.Request{CreateTable: &gslides.CreateTableRequest{ObjectId: "my_table", Rows: rows, Columns: columns, ElementProperties: at}}
	}
	for name, c := range map[string]struct {
		at            *gslides.PageElementProperties
		width, height float64
	}{
		"of a size":      {onPage("slide_256", 0, 0, 300, 40), 100 * 12700, 20 * 12700},
		"without a size": {&gslides.PageElementProperties{PageObjectId: "slide_256"}, 1_000_000, 381_000},
	} {
		p := pptx(t, "", "")
		apply(t, p, create(2, 3, c.at))
		e := first(t, reread(t, p))
		for _, column := range e.Table.TableColumns {
			if column.ColumnWidth.Magnitude != c.width {
				t.Errorf("%s: got a column of %v, want %v", name, column.ColumnWidth.Magnitude, c.width)
			}
		}
		for _, row := range e.Table.TableRows {
			if row.RowHeight.Magnitude != c.height || len(row.TableCells) != 3 {
				t.Errorf("%s: got a row of %v with %d cells, want %v with 3", name, row.RowHeight.Magnitude, len(row.TableCells), c.height)
			}
		}
		if len(e.Table.TableColumns) != 3 || len(e.Table.TableRows) != 2 {
			t.Errorf("%s: got %d columns and %d rows", name, len(e.Table.TableColumns), len(e.Table.TableRows))
		}
	}
	turned := onPage("slide_256", 0, 0, 10, 10)
	turned.Transform = &gslides.AffineTransform{ShearX: -1, ShearY: 1, Unit: "EMU"}
	const sides = "A table must have 1 to 100 rows and columns."
	for _, c := range []struct {
		request *gslides.Request
		want    string
	}{
		{create(0, 1, onPage("slide_256", 0, 0, 1, 1)), sides},
		{create(1, 101, onPage("slide_256", 0, 0, 1, 1)), sides},
		{create(101, 1, onPage("slide_256", 0, 0, 1, 1)), sides},
		{create(1, -1, onPage("slide_256", 0, 0, 1, 1)), sides},
		{create(1, 1, turned), "Tables cannot be rotated."},
		{create(1, 1, onPage("nowhere", 0, 0, 1, 1)), "The page (nowhere) could not be found."},
	} {
		if got := refuse(t, pptx(t, "", ""), c.request); got != "Invalid requests[0].createTable: "+c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
