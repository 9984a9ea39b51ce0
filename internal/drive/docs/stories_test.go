package docs

import (
	"maps"
	"slices"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"
)

func createHeader(kind string, at *gdocs.Location) *gdocs.Request {
	return &gdocs.Request{CreateHeader: &gdocs.CreateHeaderRequest{Type: kind, SectionBreakLocation: at}}
}

func createFooter(kind string, at *gdocs.Location) *gdocs.Request {
	return &gdocs.Request{CreateFooter: &gdocs.CreateFooterRequest{Type: kind, SectionBreakLocation: at}}
}

// headerIDs writes which default headers the sections of a document have.
func headerIDs(doc *gdocs.Document) string {
	var all []string
	for _, e := range doc.Body.Content {
		if e.SectionBreak != nil {
			all = append(all, "["+e.SectionBreak.SectionStyle.DefaultHeaderId+"]")
		}
	}
	return strings.Join(all, " ")
}

func TestAHeaderIsMadeForTheSectionOfItsBreak(t *testing.T) {
	t.Parallel()
	// Two sections without a header, 0-1 and 3-4; header1 is another's.
	body := `<w:p><w:pPr><w:sectPr/></w:pPr></w:p>` + para("two") + `<w:sectPr/>`
	for name, c := range map[string]struct {
		at   *gdocs.Location
		want string
	}{
		// A section without a header of its own has that of the one before it
		// (ECMA-376 part 1, 17.10.2).
		"without a place":    {nil, "[kix.header2] [kix.header2]"},
		"of the first break": {&gdocs.Location{TabId: tabID}, "[kix.header2] [kix.header2]"},
		"of the second":      {&gdocs.Location{Index: 2}, "[] [kix.header2]"},
	} {
		d := docxWith(t, body, nil)
		replies, err := Apply(d, "id", []*gdocs.Request{createHeader("DEFAULT", c.at)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		doc := get(t, reread(t, d))
		if got := headerIDs(doc); got != c.want || replies[0].CreateHeader.HeaderId != "kix.header2" {
			t.Errorf("%s: got headers %s and the id %s, want %s", name, got, replies[0].CreateHeader.HeaderId, c.want)
		}
		if got := outline(doc.Headers["kix.header2"].Content); got != "¶" {
			t.Errorf("%s: got the header %q, want an empty one", name, got)
		}
	}
}

func TestANewFooterIsAPartOfItsOwn(t *testing.T) {
	t.Parallel()
	d := docxWith(t, para("a")+`<w:sectPr><w:headerReference w:type="default" r:id="header1"/><w:pgSz w:w="1000" w:h="1000"/></w:sectPr>`, nil)
	apply(t, d, createFooter("DEFAULT", nil), &gdocs.Request{InsertText: &gdocs.InsertTextRequest{Location: &gdocs.Location{SegmentId: "kix.footer1"}, Text: "x"}})
	const part = "word/footer1.xml"
	if got, want := d.Package.ContentType(part), "application/vnd.openxmlformats-officedocument.wordprocessingml.footer+xml"; got != want {
		t.Errorf("got the type %s, want %s", got, want)
	}
	if got := partXML(t, d, part); !strings.Contains(got, ">x<") {
		t.Errorf("got %s", got)
	}
	// References come before all else of a section (ECMA-376 part 1, 17.6.17).
	section := element(t, bodyXML(t, d)).FindElement("./w:sectPr").ChildElements()
	var tags []string
	for _, e := range section {
		tags = append(tags, e.Tag)
	}
	if want := []string{"footerReference", "headerReference", "pgSz"}; !slices.Equal(tags, want) || section[0].SelectAttrValue("w:type", "") != "default" {
		t.Errorf("got the section %q, want %q", tags, want)
	}
}

func TestABodyWithoutASectionGetsOneForItsFooter(t *testing.T) {
	t.Parallel()
	doc := get(t, apply(t, docxWith(t, para("a"), nil), createFooter("DEFAULT", nil)))
	if got := doc.DocumentStyle.DefaultFooterId; got != "kix.footer1" {
		t.Errorf("got the footer %q", got)
	}
	if got := outline(doc.Body.Content); got != "§a¶" {
		t.Errorf("got %q", got)
	}
}

func TestADefaultHeaderIsMadeBesideOneOfFirstPages(t *testing.T) {
	t.Parallel()
	d := docxWith(t, para("a")+`<w:sectPr><w:headerReference w:type="first" r:id="header1"/></w:sectPr>`, nil)
	doc := get(t, apply(t, d, createHeader("DEFAULT", nil)))
	if s := doc.DocumentStyle; s.DefaultHeaderId != "kix.header2" || s.FirstPageHeaderId != "kix.header1" {
		t.Errorf("got %q and %q", s.DefaultHeaderId, s.FirstPageHeaderId)
	}
}

func TestAHeaderIsDeletedFromAllSectionsThatShowIt(t *testing.T) {
	t.Parallel()
	reference := `<w:sectPr><w:headerReference w:type="default" r:id="header1"/><w:headerReference w:type="even" r:id="header2"/></w:sectPr>`
	d := docxWith(t, `<w:p><w:pPr>`+reference+`</w:pPr></w:p>`+para("two")+reference, map[string]string{
		"header2": `<w:hdr` + namespaces + `>` + para("other") + `</w:hdr>`,
	})
	drop := &gdocs.Request{DeleteHeader: &gdocs.DeleteHeaderRequest{HeaderId: "kix.header1", TabId: tabID}}
	doc := get(t, apply(t, d, drop))
	if got := slices.Collect(maps.Keys(doc.Headers)); !slices.Equal(got, []string{"kix.header2"}) || headerIDs(doc) != "[] []" {
		t.Errorf("got headers %q, by section %s", got, headerIDs(doc))
	}
	if got := doc.DocumentStyle.EvenPageHeaderId; got != "kix.header2" {
		t.Errorf("got the header of even pages %q", got)
	}
	// What refers to a relationship that is gone has Word repair the file.
	if got := partXML(t, reread(t, d), "word/document.xml"); strings.Contains(got, `r:id="header1"`) {
		t.Errorf("got %s, want no reference to the header", got)
	}
	for _, r := range d.Package.Relationships("word/document.xml") {
		if r.Target == "word/header1.xml" {
			t.Errorf("the relationship %s is left", r.ID)
		}
	}
	if got, want := refuse(t, reread(t, d), drop), "Invalid requests[0].deleteHeader: Segment with ID kix.header1 was not found."; got != want {
		t.Errorf("deleted again: got %q, want %q", got, want)
	}
}

func TestHeadersAndFootersThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	// A header is there, and a footer is made before.
	for name, c := range map[string]struct {
		request *gdocs.Request
		want    string
	}{
		"another header":          {createHeader("DEFAULT", nil), "createHeader: Default header already exists."},
		"another footer":          {createFooter("DEFAULT", &gdocs.Location{}), "createFooter: Default footer already exists."},
		"of first pages":          {createHeader("FIRST_PAGE", nil), "createHeader: The type of the header must be DEFAULT."},
		"of no type":              {createFooter("", nil), "createFooter: The type of the footer must be DEFAULT."},
		"of no section":           {createHeader("DEFAULT", &gdocs.Location{Index: 1}), "createHeader: There is no section break at index 1."},
		"behind the document":     {createHeader("DEFAULT", &gdocs.Location{Index: 100}), "createHeader: There is no section break at index 100."},
		"in a header":             {createFooter("DEFAULT", &gdocs.Location{SegmentId: "kix.header1"}), "createFooter: The section break must be in the body."},
		"of another tab":          {createFooter("DEFAULT", &gdocs.Location{TabId: "t.3"}), `createFooter: The tab "t.3" was not found.`},
		"a header as a footer":    {&gdocs.Request{DeleteFooter: &gdocs.DeleteFooterRequest{FooterId: "kix.header1"}}, "deleteFooter: Segment with ID kix.header1 is not a footer."},
		"a footer as a header":    {&gdocs.Request{DeleteHeader: &gdocs.DeleteHeaderRequest{HeaderId: "kix.footer1"}}, "deleteHeader: Segment with ID kix.footer1 is not a header."},
		"the body as a header":    {&gdocs.Request{DeleteHeader: &gdocs.DeleteHeaderRequest{}}, "deleteHeader: Segment with ID  is not a header."},
		"a note as a header":      {&gdocs.Request{DeleteHeader: &gdocs.DeleteHeaderRequest{HeaderId: "kix.footnote2"}}, "deleteHeader: Segment with ID kix.footnote2 is not a header."},
		"a header of another tab": {&gdocs.Request{DeleteHeader: &gdocs.DeleteHeaderRequest{HeaderId: "kix.header1", TabId: "t.1"}}, `deleteHeader: The tab "t.1" was not found.`},
	} {
		if got := refuse(t, docx(t, para("a")), createFooter("DEFAULT", nil), c.request); got != "Invalid requests[1]."+c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
