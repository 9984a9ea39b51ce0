package wml

import (
	"testing"
)

// sectionOf reads a document of one section with these properties.
func sectionOf(t *testing.T, settings, sectPr string) Section {
	t.Helper()
	d := docx{settings: settings, section: sectPr}.read(t)
	if len(d.Sections) != 1 {
		t.Fatalf("got %d sections, want one", len(d.Sections))
	}
	s := *d.Sections[0]
	s.Headers, s.Footers = nil, nil
	return s
}

// A section that says nothing is a page of US Letter with margins of an inch,
// as Word reads it.
func plainSection() Section {
	return Section{Start: "nextPage", Width: 612, Height: 792, Top: 72, Right: 72, Bottom: 72, Left: 72, Header: 36, Footer: 36,
		PageFormat: "decimal", VAlign: "top", Columns: []Column{{Width: 468, Space: 36}}}
}

func TestEachPropertyOfASectionIsReadAndChangesNothingElse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sectPr string
		want   func(*Section)
	}{
		{``, func(*Section) {}},
		{`<w:type w:val="continuous"/>`, func(s *Section) { s.Start = "continuous" }},
		{`<w:type/>`, func(*Section) {}},
		{`<w:pgMar w:top="200" w:right="400" w:bottom="-600" w:left="800" w:header="100" w:footer="120"/>`, func(s *Section) {
			s.Top, s.Right, s.Bottom, s.Left, s.Header, s.Footer = 10, 20, -30, 40, 5, 6
			s.Columns[0].Width = 552 // 612 less 20 and 40
		}},
		{`<w:pgMar w:gutter="200"/>`, func(s *Section) { s.Gutter, s.Left, s.Columns[0].Width = 10, 82, 458 }},
		{`<w:pgSz w:w="12000" w:h="16000"/>`, func(s *Section) { s.Width, s.Height, s.Columns[0].Width = 600, 800, 456 }},
		// A page is between half an inch and 200 inches; else it is Letter.
		{`<w:pgSz w:w="720" w:h="720"/>`, func(s *Section) { s.Width, s.Height, s.Columns[0].Width = 36, 36, 12 }},
		{`<w:pgSz w:w="719" w:h="16000"/>`, func(*Section) {}},
		{`<w:pgSz w:w="12000" w:h="719"/>`, func(*Section) {}},
		{`<w:pgSz w:w="288000" w:h="288000"/>`, func(s *Section) { s.Width, s.Height, s.Columns[0].Width = 14400, 14400, 14256 }},
		{`<w:pgSz w:w="288001" w:h="16000"/>`, func(*Section) {}},
		{`<w:pgSz w:w="12000" w:h="288001"/>`, func(*Section) {}},
		{`<w:titlePg/>`, func(s *Section) { s.TitlePage = true }},
		{`<w:titlePg w:val="0"/>`, func(*Section) {}},
		{`<w:bidi/>`, func(s *Section) { s.RTL = true }},
		{`<w:bidi w:val="false"/>`, func(*Section) {}},
		{`<w:vAlign w:val="center"/>`, func(s *Section) { s.VAlign = "center" }},
		{`<w:pgNumType w:fmt="lowerRoman" w:start="5"/>`, func(s *Section) { s.PageFormat, s.PageStart = "lowerRoman", 5 }},
		{`<w:pgNumType/>`, func(*Section) {}},
		{`<w:docGrid w:type="lines" w:linePitch="360"/>`, func(s *Section) { s.GridPitch = 18 }},
		{`<w:docGrid w:type="linesAndChars" w:linePitch="360"/>`, func(s *Section) { s.GridPitch = 18 }},
		{`<w:docGrid w:linePitch="360"/>`, func(*Section) {}},
		{`<w:docGrid w:type="snapToChars" w:linePitch="360"/>`, func(*Section) {}},
		// 17.6.10: offsetFrom is text unless it says page.
		{`<w:pgBorders><w:top w:val="single" w:sz="8"/></w:pgBorders>`, func(s *Section) { s.Borders.Top, s.HasBordersFromText = &Border{Style: "single", Width: 1}, true }},
		{`<w:pgBorders w:offsetFrom="text"><w:left w:val="single" w:sz="8"/></w:pgBorders>`, func(s *Section) { s.Borders.Left, s.HasBordersFromText = &Border{Style: "single", Width: 1}, true }},
		{`<w:pgBorders w:offsetFrom="page"><w:right w:val="single" w:sz="8"/></w:pgBorders>`, func(s *Section) { s.Borders.Right = &Border{Style: "single", Width: 1} }},
	} {
		want := plainSection()
		c.want(&want)
		equal(t, c.sectPr, sectionOf(t, "", c.sectPr), want)
	}
}

// ECMA-376 part 1, 17.15.1.49.
func TestAGutterAtTheTopIsAddedThere(t *testing.T) {
	t.Parallel()
	want := plainSection()
	want.Gutter, want.Top, want.Header = 10, 82, 46
	equal(t, "section", sectionOf(t, `<w:gutterAtTop/>`, `<w:pgMar w:gutter="200"/>`), want)
}

// ECMA-376 part 1, 17.6.4; 468 points lie between the margins.
func TestColumnsShareTheWidthOfTheTextUnlessTheyHaveTheirOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, xml string
		want      []Column
	}{
		{"none", ``, []Column{{468, 36}}},
		{"two", `<w:cols w:num="2"/>`, []Column{{216, 36}, {216, 36}}},
		{"three, with a space", `<w:cols w:num="3" w:space="360"/>`, []Column{{144, 18}, {144, 18}, {144, 18}}},
		{"none at all", `<w:cols w:num="0"/>`, []Column{{468, 36}}},
		{"less than none", `<w:cols w:num="-3"/>`, []Column{{468, 36}}},
		{"as narrow as may be", `<w:cols w:num="12" w:space="720"/>`, []Column{{6, 36}, {6, 36}, {6, 36}, {6, 36}, {6, 36}, {6, 36}, {6, 36}, {6, 36}, {6, 36}, {6, 36}, {6, 36}, {6, 36}}},
		{"too narrow", `<w:cols w:num="12" w:space="740"/>`, []Column{{468, 37}}},
		{"of widths of their own", `<w:cols w:num="2" w:equalWidth="0"><w:col w:w="2000" w:space="400"/><w:col w:w="6000"/></w:cols>`, []Column{{100, 20}, {300, 0}}},
		{"widths that do not count", `<w:cols w:num="2" w:equalWidth="1"><w:col w:w="2000"/><w:col w:w="6000"/></w:cols>`, []Column{{216, 36}, {216, 36}}},
		{"widths that nothing makes count", `<w:cols w:num="2"><w:col w:w="2000"/><w:col w:w="6000"/></w:cols>`, []Column{{216, 36}, {216, 36}}},
		{"widths of a point at most", `<w:cols w:num="2" w:equalWidth="0"><w:col w:w="20"/><w:col/><w:col w:w="21" w:space="20"/></w:cols>`, []Column{{1.05, 1}}},
		{"no widths", `<w:cols w:num="2" w:equalWidth="0"/>`, []Column{{216, 36}, {216, 36}}},
		{"other elements", `<w:cols w:equalWidth="0"><w:other w:w="2000"/></w:cols>`, []Column{{468, 36}}},
	} {
		s := sectionOf(t, "", c.xml)
		equal(t, c.what, s.Columns, c.want)
		if s.HasColumnLine {
			t.Errorf("%s: a line stands between the columns", c.what)
		}
	}
	if !sectionOf(t, "", `<w:cols w:num="2" w:sep="1"/>`).HasColumnLine {
		t.Error("sep: no line between the columns")
	}
	if sectionOf(t, "", `<w:cols w:num="2" w:sep="0"/>`).HasColumnLine {
		t.Error("sep switched off: a line stands between the columns")
	}
}

// Word allows 45 columns.
func TestColumnsBeyondWordsLimitAreLeftOut(t *testing.T) {
	t.Parallel()
	own := ""
	for range 50 {
		own += `<w:col w:w="100"/>`
	}
	for what, cols := range map[string]string{"equal": `<w:cols w:num="50" w:space="0"/>`, "of their own": `<w:cols w:equalWidth="0">` + own + `</w:cols>`} {
		if got := len(sectionOf(t, "", cols).Columns); got != 45 {
			t.Errorf("%s: got %d columns, want 45", what, got)
		}
	}
}

func TestTextIsNeverNarrowerThanTwelvePoints(t *testing.T) {
	t.Parallel()
	for right, want := range map[float64]float64{100: 440, 527: 13, 528: 12, 529: 12, 1000: 12} {
		s := Section{Width: 600, Left: 60, Right: right}
		if got := s.TextWidth(); got != want {
			t.Errorf("a right margin of %g: got %g, want %g", right, got, want)
		}
	}
}

func TestTheBodyIsCutAtTheEndsOfSections(t *testing.T) {
	t.Parallel()
	const portrait, landscape = `<w:sectPr><w:pgSz w:w="12000" w:h="16000"/></w:sectPr>`, `<w:sectPr><w:pgSz w:w="16000" w:h="12000"/></w:sectPr>`
	d := docx{
		body:    `<w:p>` + text("a") + `</w:p>` + para(portrait, text("b")) + para(landscape, text("c")) + `<w:sdt><w:sdtContent>` + para(portrait, text("d")) + `</w:sdtContent></w:sdt><w:p>` + text("e") + `</w:p>`,
		section: `<w:pgSz w:w="10000" w:h="10000"/>`,
	}.read(t)
	type section struct {
		Width float64
		Texts []string
	}
	var got []section
	for _, s := range d.Sections {
		got = append(got, section{s.Width, shownTexts(s.Blocks)})
	}
	equal(t, "sections", got, []section{{600, []string{"a", "b"}}, {800, []string{"c"}}, {600, []string{"d"}}, {500, []string{"e"}}})
	if e := d.Sections[0].Elem; e == nil || e.Tag != "sectPr" {
		t.Errorf("the first section leads back to %v, want its sectPr", e)
	}
}

func TestABodyWithoutSectionPropertiesIsOneSection(t *testing.T) {
	t.Parallel()
	read := func(body string) *Document {
		return docx{parts: map[string]string{"word/document.xml": `<w:document ` + namespaces + `><w:body>` + body + `</w:body></w:document>`}}.read(t)
	}
	for what, body := range map[string]string{"text": `<w:p/>`, "nothing": ``} {
		if d := read(body); len(d.Sections) != 1 || d.Sections[0].Elem != nil || d.Sections[0].Width != 612 {
			t.Errorf("%s: got %d sections, want one of the default size", what, len(d.Sections))
		}
	}
	if d := read(para(`<w:sectPr/>`, ``)); len(d.Sections) != 1 {
		t.Errorf("a body that ends with a section: got %d sections, want one", len(d.Sections))
	}
}

func TestHeadersAndFootersAreInheritedByTheirKind(t *testing.T) {
	t.Parallel()
	story := func(name string) string { return `<w:p>` + text(name) + `</w:p>` }
	d := docx{
		stories: map[string]string{"header1": story("first"), "header2": story("plain"), "header3": story("other"), "footer1": story("foot")},
		body: para(`<w:sectPr><w:headerReference w:type="first" r:id="header1"/><w:headerReference r:id="header2"/><w:footerReference w:type="even" r:id="footer1"/></w:sectPr>`, ``) +
			para(`<w:sectPr><w:headerReference w:type="default" r:id="header3"/><w:headerReference w:type="even" r:id="missing"/></w:sectPr>`, ``) + `<w:p/>`,
	}.read(t)
	texts := func(stories map[string]*Story) map[string]string {
		out := map[string]string{}
		for kind, s := range stories {
			out[kind] = s.Part + " " + shownTexts(s.Blocks)[0] + " " + s.Root.Tag
		}
		return out
	}
	foot := map[string]string{"even": "word/footer1.xml foot ftr"}
	equal(t, "headers of the first section", texts(d.Sections[0].Headers), map[string]string{"first": "word/header1.xml first hdr", "default": "word/header2.xml plain hdr"})
	equal(t, "footers of the first section", texts(d.Sections[0].Footers), foot)
	// What a section does not name it has from the one before.
	for i := 1; i <= 2; i++ {
		equal(t, "headers of a later section", texts(d.Sections[i].Headers), map[string]string{"first": "word/header1.xml first hdr", "default": "word/header3.xml other hdr"})
		equal(t, "footers of a later section", texts(d.Sections[i].Footers), foot)
	}
}

func TestLinksOfAHeaderAreThoseOfItsPart(t *testing.T) {
	t.Parallel()
	link := `<w:hyperlink r:id="web">` + text("x") + `</w:hyperlink>`
	d := docx{
		relations: outside("web", "hyperlink", "https://body.example"),
		stories:   map[string]string{"header1": `<w:p>` + link + `</w:p>`},
		parts:     map[string]string{"word/_rels/header1.xml.rels": relationships(outside("web", "hyperlink", "https://header.example"))},
		body:      para(`<w:sectPr><w:headerReference r:id="header1"/></w:sectPr>`, ``) + `<w:p>` + link + `</w:p>`,
	}.read(t)
	if got := paragraphsOf(d.Sections[0].Headers["default"].Blocks)[0].Runs[0].Link.URL; got != "https://header.example" {
		t.Errorf("header: got %q", got)
	}
	if got := paragraphsOf(d.Sections[1].Blocks)[0].Runs[0].Link.URL; got != "https://body.example" {
		t.Errorf("text behind the header: got %q", got)
	}
}

func TestAHeaderThatCannotBeReadIsTold(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		relations string
		truncated bool
	}{
		"damaged":   {relation("h", "header", "broken.xml"), true},
		"not there": {relation("h", "header", "missing.xml"), false},
		"outside":   {outside("h", "header", "https://example.com/header.xml"), false},
	} {
		d := docx{relations: c.relations, parts: map[string]string{"word/broken.xml": `<w:hdr`}, section: `<w:headerReference r:id="h"/>`}.read(t)
		if len(d.Sections[0].Headers) != 0 || d.IsTruncated != c.truncated {
			t.Errorf("%s: got %d headers and truncated %t, want none and %t", what, len(d.Sections[0].Headers), d.IsTruncated, c.truncated)
		}
	}
}
