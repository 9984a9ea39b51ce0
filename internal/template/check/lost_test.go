package check_test

import (
	"slices"
	"strings"
	"testing"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/officetest"
	"github.com/platenhq/platen/internal/template/check"
)

func contentsTable() *docsapi.StructuralElement {
	return &docsapi.StructuralElement{TableOfContents: &docsapi.TableOfContents{Content: []*docsapi.StructuralElement{paragraph("Offer 1")}}}
}

func bodyOf(elements ...*docsapi.StructuralElement) *docsapi.Document {
	return &docsapi.Document{Body: &docsapi.Body{Content: elements}}
}

func suggested(text string) *docsapi.StructuralElement {
	p := paragraph(text)
	p.Paragraph.Elements[0].TextRun.SuggestedDeletionIds = []string{"suggest.1"}
	return p
}

// pictures of a document and of a slide whose bytes are elsewhere, and of one in the file.
func TestAPictureThatIsNotInTheFileIsToldBeforeARun(t *testing.T) {
	t.Parallel()
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	const relations = `<Relationship Id="far" Type="` + office + `image" Target="file:///C:\logo.png" TargetMode="External"/><Relationship Id="near" Type="` + office + `image" Target="/media/logo.png"/></Relationships>`
	graphic := func(blip string) string {
		return `<a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip ` + blip + `/></pic:blipFill><pic:spPr/></pic:pic></a:graphicData></a:graphic>`
	}
	inline := func(alt, blip string) string {
		return `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="914400" cy="457200"/><wp:docPr id="1" name="x" descr="` + alt + `"/>` + graphic(blip) + `</wp:inline></w:drawing></w:r></w:p>`
	}
	anchored := `<w:p><w:r><w:drawing><wp:anchor><wp:extent cx="914400" cy="457200"/><wp:docPr id="2" name="y"/>` + graphic(`r:link="far"`) + `</wp:anchor></w:drawing></w:r></w:p>`
	for body, want := range map[string][]string{
		inline("", `r:link="far"`):                             {"paragraph 1: picture_linked"},
		inline("", `r:embed="near" r:link="far"`):              nil,
		inline("", `r:embed="near"`):                           nil,
		inline("{{image Logo}}", `r:link="far"`):               nil, // the run puts another in its place
		`<w:p/>` + anchored:                                    {"paragraph 2: picture_linked"},
		`<w:p><w:r><w:t>{{Name}}</w:t></w:r></w:p>` + anchored: {"paragraph 2: picture_linked"},
	} {
		parts := officetest.WordParts(body, nil)
		parts["word/_rels/document.xml.rels"], parts["media/logo.png"] = officetest.RelationsStart+relations, "png"
		findings, err := fileFindings(officetest.Zip(t, parts), nil)
		if got := told(findings); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v; want %q", body, got, err, want)
		}
	}
	for blip, want := range map[string][]string{`r:link="far"`: {"slide 1: picture_linked"}, `r:embed="far"`: {"slide 1: picture_linked"}, `r:embed="near"`: nil} {
		file := officetest.Zip(t, map[string]string{
			"[Content_Types].xml":              officetest.TypesStart + `<Override PartName="/ppt/presentation.xml" ContentType="` + officetest.SlidesMain + `"/></Types>`,
			"_rels/.rels":                      officetest.RelationsStart + `<Relationship Id="rId1" Type="` + office + `officeDocument" Target="/ppt/presentation.xml"/></Relationships>`,
			"ppt/presentation.xml":             `<p:presentation ` + officetest.SlideNamespaces + `><p:sldIdLst><p:sldId id="256" r:id="s1"/></p:sldIdLst></p:presentation>`,
			"ppt/_rels/presentation.xml.rels":  officetest.RelationsStart + `<Relationship Id="s1" Type="` + office + `slide" Target="slides/slide1.xml"/></Relationships>`,
			"ppt/slides/slide1.xml":            `<p:sld ` + officetest.SlideNamespaces + `><p:cSld><p:spTree><p:pic><p:nvPicPr><p:cNvPr id="4" name="Logo"/></p:nvPicPr><p:blipFill><a:blip ` + blip + `/></p:blipFill><p:spPr/></p:pic></p:spTree></p:cSld></p:sld>`,
			"ppt/slides/_rels/slide1.xml.rels": officetest.RelationsStart + relations,
			"media/logo.png":                   "png",
		})
		findings, err := fileFindings(file, nil)
		if got := told(findings); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v; want %q", blip, got, err, want)
		}
	}
}

func TestWhatGoogleLosesOfADocumentIsToldWithItsPlace(t *testing.T) {
	t.Parallel()
	tab := func(title, text string) *docsapi.Tab {
		return &docsapi.Tab{TabProperties: &docsapi.TabProperties{Title: title}, DocumentTab: &docsapi.DocumentTab{Body: &docsapi.Body{Content: []*docsapi.StructuralElement{paragraph(text)}}}}
	}
	withoutPages := func(d *docsapi.Document) *docsapi.Document {
		d.DocumentStyle = &docsapi.DocumentStyle{DocumentFormat: &docsapi.DocumentFormat{DocumentMode: "PAGELESS"}}
		return d
	}
	pagelessTab := tab("Two", "x")
	pagelessTab.DocumentTab.DocumentStyle = &docsapi.DocumentStyle{DocumentFormat: &docsapi.DocumentFormat{DocumentMode: "PAGELESS"}}
	floating := paragraph("{{Name}}")
	floating.Paragraph.SuggestedPositionedObjectIds = map[string]docsapi.ObjectReferences{"suggest.1": {ObjectIds: []string{"kix.1"}}}
	for name, c := range map[string]struct {
		document *docsapi.Document
		want     []string
	}{
		"a table of contents":              {bodyOf(paragraph("Offer"), contentsTable(), paragraph("{{Name}}")), []string{"table of contents: contents_lost"}},
		"one of a document without tags":   {bodyOf(paragraph("Offer"), contentsTable()), nil},
		"suggestions":                      {bodyOf(paragraph("{{Name}}"), suggested("a"), suggested("b")), []string{"paragraph 2: template_has_suggestions"}},
		"suggestions in a plain document":  {bodyOf(suggested("a")), []string{"paragraph 1: template_has_suggestions"}},
		"several tabs":                     {&docsapi.Document{Tabs: []*docsapi.Tab{tab("One", "{{Name}}"), tab("Two", "x")}}, []string{": tabs_printed"}},
		"several tabs without tags":        {&docsapi.Document{Tabs: []*docsapi.Tab{tab("One", "y"), tab("Two", "x")}}, nil},
		"one tab":                          {&docsapi.Document{Tabs: []*docsapi.Tab{tab("One", "{{Name}}")}}, nil},
		"a document without pages":         {withoutPages(bodyOf(paragraph("{{Name}}"))), []string{": pageless"}},
		"one of tabs":                      {&docsapi.Document{Tabs: []*docsapi.Tab{tab("One", "{{Name}}"), pagelessTab}}, []string{`tab "Two": pageless`, ": tabs_printed"}},
		"one without tags":                 {withoutPages(bodyOf(paragraph("x"))), nil},
		"a picture suggested to float":     {bodyOf(floating), []string{"paragraph 1: template_has_suggestions"}},
		"a section suggested to go":        {bodyOf(paragraph("{{Name}}"), &docsapi.StructuralElement{SectionBreak: &docsapi.SectionBreak{SuggestedDeletionIds: []string{"suggest.1"}}}), []string{"behind paragraph 1: template_has_suggestions"}},
		"a contents table that may come":   {bodyOf(paragraph("x"), &docsapi.StructuralElement{TableOfContents: &docsapi.TableOfContents{SuggestedInsertionIds: []string{"suggest.1"}}}), []string{"table of contents: template_has_suggestions"}},
		"tags in the output's name alone":  {bodyOf(contentsTable()), nil},
		"a contents table in a cell's tab": {bodyOf(tableOf([]*docsapi.TableCell{cellOf(contentsTable(), paragraph("{{Name}}"))})), []string{"table 1, row 1, cell 1, table of contents: contents_lost"}},
	} {
		template := ofDocument(c.document)
		template.Add("outputName", "{{Name}}")
		for _, data := range []string{"", `{"Name": "Ada"}`} {
			var event []byte
			if data != "" {
				event = []byte(data)
			}
			findings, err := find(template, []string{"Name"}, event)
			if got := told(findings); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s, data %q: got %q, %v; want %q", name, data, got, err, c.want)
			}
		}
	}
}

func TestTextsThatFitTheirBoxAreToldWhereTheyAreFilled(t *testing.T) {
	t.Parallel()
	shape := func(id, text, kind, parent string) *slidesapi.PageElement {
		e := shapeOf(text)
		e.ObjectId = id
		if kind != "" {
			e.Shape.ShapeProperties = &slidesapi.ShapeProperties{Autofit: &slidesapi.Autofit{AutofitType: kind}}
		}
		if parent != "" {
			e.Shape.Placeholder = &slidesapi.Placeholder{ParentObjectId: parent}
		}
		return e
	}
	template := func(slide ...*slidesapi.PageElement) *check.Template {
		return ofPresentation(&slidesapi.Presentation{
			Slides:  []*slidesapi.Page{{PageElements: []*slidesapi.PageElement{shape("x", "{{Name}}", "NONE", "")}}, {PageElements: slide}},
			Layouts: []*slidesapi.Page{{PageElements: []*slidesapi.PageElement{shape("layout", "Title", "AUTOFIT_TYPE_UNSPECIFIED", "master")}}},
			Masters: []*slidesapi.Page{{PageElements: []*slidesapi.PageElement{shape("master", "Title", "TEXT_AUTOFIT", "")}}},
		})
	}
	for name, c := range map[string]struct {
		template *check.Template
		want     []string
	}{
		"a text that shrinks":              {template(shape("a", "{{Name}}", "TEXT_AUTOFIT", "")), []string{"slide 2: autofit_lost"}},
		"a box that grows":                 {template(shape("a", "{{Name}}", "SHAPE_AUTOFIT", "")), []string{"slide 2: autofit_lost"}},
		"two of a slide":                   {template(shape("a", "{{Name}}", "SHAPE_AUTOFIT", ""), shape("b", "{{Name}}", "SHAPE_AUTOFIT", "")), []string{"slide 2: autofit_lost"}},
		"as the master has it":             {template(shape("a", "{{Name}}", "", "layout")), []string{"slide 2: autofit_lost"}},
		"unlike the master":                {template(shape("a", "{{Name}}", "NONE", "layout")), nil},
		"a text that is not filled":        {template(shape("a", "Name", "TEXT_AUTOFIT", "")), nil},
		"a picture that takes the place":   {template(shape("a", "{{image Name}}", "TEXT_AUTOFIT", "")), nil},
		"one in a group":                   {template(&slidesapi.PageElement{ElementGroup: &slidesapi.Group{Children: []*slidesapi.PageElement{shape("a", "{{Name}}", "TEXT_AUTOFIT", "")}}}), []string{"slide 2: autofit_lost"}},
		"a text that nothing says that of": {template(shape("a", "{{Name}}", "", "")), nil},
	} {
		findings, err := find(c.template, []string{"Name"}, nil)
		if got := told(findings); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, c.want)
		}
	}
}

// A chart of a file has its data with it; Google keeps a picture, or a link to a sheet.
func TestTheTagOfAChartIsCheckedInItsDescription(t *testing.T) {
	t.Parallel()
	const tag = "{{chart Items sort Nmae: Name, Qty}}"
	object := func(o *docsapi.EmbeddedObject) *docsapi.Document {
		o.Description = tag
		return &docsapi.Document{
			Body: &docsapi.Body{Content: []*docsapi.StructuralElement{{Paragraph: &docsapi.Paragraph{
				Elements: []*docsapi.ParagraphElement{{InlineObjectElement: &docsapi.InlineObjectElement{InlineObjectId: "a"}}}, PositionedObjectIds: []string{"b"},
			}}}},
			InlineObjects:     map[string]docsapi.InlineObject{"a": {InlineObjectProperties: &docsapi.InlineObjectProperties{EmbeddedObject: o}}},
			PositionedObjects: map[string]docsapi.PositionedObject{"b": {PositionedObjectProperties: &docsapi.PositionedObjectProperties{EmbeddedObject: o}}},
		}
	}
	slide := func(e *slidesapi.PageElement) *slidesapi.Presentation {
		e.Description = tag
		return &slidesapi.Presentation{Slides: []*slidesapi.Page{{PageElements: []*slidesapi.PageElement{e}}}}
	}
	const unknown, lost = ": unknown_field", ": chart_not_filled"
	for name, c := range map[string]struct {
		template *check.Template
		want     []string
	}{
		"in a document":     {ofDocument(object(&docsapi.EmbeddedObject{})), []string{"paragraph 1" + unknown}},
		"with a title":      {ofDocument(object(&docsapi.EmbeddedObject{Title: "Of {{Nobody}}"})), []string{"paragraph 1" + unknown, "paragraph 1, title of a chart" + unknown}},
		"titled on a slide": {ofPresentation(slide(&slidesapi.PageElement{Title: "Of {{Nobody}}"})), []string{"slide 1" + unknown, "slide 1, title of a chart" + unknown}},
		"as a picture":      {ofDocument(object(&docsapi.EmbeddedObject{ImageProperties: &docsapi.ImageProperties{}})), []string{"paragraph 1" + unknown, "paragraph 1" + lost}},
		"linked to a sheet": {ofDocument(object(&docsapi.EmbeddedObject{LinkedContentReference: &docsapi.LinkedContentReference{}})), []string{"paragraph 1" + unknown, "paragraph 1" + lost}},
		"on a slide":        {ofPresentation(slide(&slidesapi.PageElement{})), []string{"slide 1" + unknown}},
		"of a sheet, there": {ofPresentation(slide(&slidesapi.PageElement{SheetsChart: &slidesapi.SheetsChart{}})), []string{"slide 1" + unknown, "slide 1" + lost}},
	} {
		got := told(c.template.Findings([]string{"Items.Name", "Items.Qty"}))
		slices.Sort(got)
		got = slices.Compact(got) // a document has two
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		schema, err := c.template.Schema()
		if err != nil {
			t.Fatal(err)
		}
		if want := `"required":["Name","Qty"]}}`; !strings.Contains(string(schema), want) {
			t.Errorf("%s: got the schema %s, want %s in it", name, schema, want)
		}
	}
}
