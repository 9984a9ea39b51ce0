package wml

import (
	"strings"
	"testing"
	"time"
)

// complexField is a field of several runs; each run has these properties.
func complexField(rPr, instruction, result string) string {
	run := func(content string) string { return `<w:r><w:rPr>` + rPr + `</w:rPr>` + content + `</w:r>` }
	return run(`<w:fldChar w:fldCharType="begin"/>`) + run(`<w:instrText xml:space="preserve"> `+instruction+` </w:instrText>`) +
		run(`<w:fldChar w:fldCharType="separate"/>`) + run(`<w:t>`+result+`</w:t>`) + run(`<w:fldChar w:fldCharType="end"/>`)
}

// ECMA-376 part 1, 17.16.5.25: the address is the field's argument; \l, \o and
// \t have arguments of their own, \m and \n have none.
func TestHyperlinkFieldsLeadToTheirAddressOrBookmark(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ instruction, url, bookmark string }{
		{`HYPERLINK "https://example.com"`, "https://example.com", ""},
		{`HYPERLINK https://example.com`, "https://example.com", ""},
		{`hyperlink “https://example.com”`, "https://example.com", ""},
		{`HYPERLINK "https://example.com" \l "part"`, "https://example.com#part", "part"},
		{`HYPERLINK \l "part"`, "", "part"},
		{`HYPERLINK \l "part" \o "Go there"`, "", "part"},
		{`HYPERLINK \o "Go there" \l "part"`, "", "part"},
		{`HYPERLINK \l "part" \t "_blank"`, "", "part"},
		{`HYPERLINK \n \l "part" \m`, "", "part"},
		{`HYPERLINK "https://example.com" \o "a tip" \t "_blank"`, "https://example.com", ""},
		{`HYPERLINK \t "_blank" "https://example.com"`, "https://example.com", ""},
		{`HYPERLINK "file:///C:/My Documents/a.pdf"`, "file:///C:/My Documents/a.pdf", ""},
		{`HYPERLINK \l "part" \* MERGEFORMAT`, "", "part"},
		{`HYPERLINK"https://example.com"\l"part"`, "https://example.com#part", "part"},
		{`HYPERLINK "https://example.com`, "https://example.com", ""},
		{`HYPERLINK "https://example.com" second`, "https://example.com", ""},
	} {
		d := docx{body: `<w:p>` + complexField("", c.instruction, "x") + text("behind") + `</w:p>`}.read(t)
		runs := firstParagraph(t, d).Runs
		if l := runs[0].Link; l == nil || l.URL != c.url || l.Bookmark != c.bookmark {
			t.Errorf("%s: got %+v, want address %q and bookmark %q", c.instruction, l, c.url, c.bookmark)
		}
		if l := runs[1].Link; l != nil {
			t.Errorf("%s: the text behind the field leads to %+v", c.instruction, l)
		}
	}
}

func TestAHyperlinkFieldIsTheLinkOfTheRunThatItIsWholly(t *testing.T) {
	t.Parallel()
	inside := func(runs string) string { return strings.NewReplacer("<w:r>", "", "</w:r>", "").Replace(runs) }
	field := inside(complexField("", `HYPERLINK "https://example.com"`, "x"))
	for body, want := range map[string]string{
		`<w:r><w:rPr><w:b/></w:rPr>` + field + `</w:r>`: "https://example.com",
		`<w:r>` + field + `<w:t>behind</w:t></w:r>`:     "",
		`<w:r><w:t>before</w:t>` + field + `</w:r>`:     "",
		`<w:r>` + field + field + `</w:r>`:              "",
		`<w:r>` + inside(char("begin")+instruction(`HYPERLINK "https://example.com"`)+char("separate")+complexField("", "PAGE", "1")+char("end")) + `</w:r>`: "https://example.com",
		`<w:r>` + inside(char("begin")+instruction(`HYPERLINK "https://example.com"`)+char("separate")+text("x")) + `</w:r>`:                                 "",
	} {
		got := ""
		if l := firstParagraph(t, docx{body: `<w:p>` + body + `</w:p>`}.read(t)).Runs[0].Link; l != nil {
			got = l.URL
		}
		if got != want {
			t.Errorf("%s: leads to %q, want %q", body, got, want)
		}
	}
}

func TestHyperlinkFieldsWithoutAnAddressLeadNowhere(t *testing.T) {
	t.Parallel()
	for _, instruction := range []string{`HYPERLINK`, `HYPERLINK ""`, `HYPERLINK \l`, `HYPERLINK \o "tip"`, `HYPERLINK \n`} {
		r := firstRun(t, docx{body: `<w:p>` + complexField("", instruction, "x") + `</w:p>`}.read(t))
		if r.Link != nil {
			t.Errorf("%s: got %+v, want no link", instruction, r.Link)
		}
	}
}

func TestHiddenFieldsShowNothing(t *testing.T) {
	t.Parallel()
	const vanish = `<w:vanish/>`
	for what, xml := range map[string]string{
		"a page number":              complexField(vanish, "PAGE", "3"),
		"a page number, not updated": `<w:r><w:rPr>` + vanish + `</w:rPr><w:fldChar w:fldCharType="begin"/><w:instrText>PAGE</w:instrText><w:fldChar w:fldCharType="end"/></w:r>`,
		"a simple page number":       `<w:fldSimple w:instr="PAGE"><w:r><w:rPr>` + vanish + `</w:rPr><w:t>3</w:t></w:r></w:fldSimple>`,
		"a date":                     complexField(vanish, "DATE", "today"),
		"a check box":                `<w:r><w:rPr>` + vanish + `</w:rPr><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox/></w:ffData></w:fldChar><w:fldChar w:fldCharType="end"/></w:r>`,
	} {
		for _, r := range firstParagraph(t, docx{body: `<w:p>` + xml + `</w:p>`}.read(t)).Runs {
			for _, item := range r.Items {
				t.Errorf("%s: got an item of kind %d with text %q, want nothing", what, item.Kind, item.Text)
			}
		}
	}
}

func char(kind string) string { return `<w:r><w:fldChar w:fldCharType="` + kind + `"/></w:r>` }

func instruction(s string) string { return `<w:r><w:instrText>` + s + `</w:instrText></w:r>` }

func TestComplexFieldsShowLivePagesOrTheirLastResult(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, xml string
		want      []Item
	}{
		{"the page", complexField("", "PAGE", "3"), []Item{{Kind: PageFieldItem, Text: "3"}}},
		{"the number of pages", complexField("", `NumPages \* Arabic`, "9"), []Item{{Kind: PageCountItem, Text: "9", Format: "decimal"}}},
		{"the pages of the section", complexField("", "SECTIONPAGES", "4"), []Item{{Kind: SectionCountItem, Text: "4"}}},
		{"the last result of others", complexField("", "DATE", "today"), []Item{{Text: "today"}}},
		{"no instruction", complexField("", "", "x"), []Item{{Text: "x"}}},
		{"an instruction in several runs", char("begin") + instruction("PA") + instruction("GE") + char("separate") + text("3") + char("end"), []Item{{Kind: PageFieldItem, Text: "3"}}},
		{"a result in several runs", char("begin") + instruction("PAGE") + char("separate") + text("1") + text("2") + char("end") + text("behind"), []Item{{Kind: PageFieldItem, Text: "1"}, {Text: "behind"}}},
		{"only text is a page's result", char("begin") + instruction("PAGE") + char("separate") + `<w:r><w:tab/></w:r>` + text("1") + char("end"), []Item{{Kind: PageFieldItem, Text: "1"}}},
		{"a page without a result", char("begin") + instruction("PAGE") + char("separate") + char("end"), []Item{{Kind: PageFieldItem}}},
		{"a page without a part for its result", char("begin") + instruction("PAGE") + char("end"), []Item{{Kind: PageFieldItem}}},
		{"another without a result", char("begin") + instruction("DATE") + char("end") + text("behind"), []Item{{Text: "behind"}}},
		{"text in an instruction", char("begin") + text("hidden") + instruction("DATE") + char("separate") + text("today") + char("end"), []Item{{Text: "today"}}},
		{"an instruction in a result", char("begin") + instruction("DATE") + char("separate") + instruction("PAGE") + text("today") + char("end"), []Item{{Text: "today"}}},
		{"an instruction outside", instruction("PAGE") + text("x"), []Item{{Text: "x"}}},
		{"a field inside a result", char("begin") + instruction("REF x") + char("separate") + text("p. ") + complexField("", "PAGE", "3") + char("end"), []Item{{Text: "p. "}, {Kind: PageFieldItem, Text: "3"}}},
		{"a field inside an instruction", char("begin") + instruction("IF ") + complexField("", "PAGE", "3") + instruction(" = 1") + char("separate") + text("yes") + char("end"), []Item{{Text: "yes"}}},
		{"a field without a result inside an instruction", char("begin") + instruction("IF ") + char("begin") + instruction("PAGE") + char("end") + char("separate") + text("yes") + char("end"), []Item{{Text: "yes"}}},
		{"a page inside a page", char("begin") + instruction("PAGE") + char("separate") + char("begin") + instruction("NUMPAGES") + char("end") + text("3") + char("end"), []Item{{Kind: PageFieldItem, Text: "3"}}},
		{"an end without a beginning", char("end") + text("x"), []Item{{Text: "x"}}},
		{"a separation without a beginning", char("separate") + text("x"), []Item{{Text: "x"}}},
	} {
		equal(t, c.what, itemsOf(t, docx{body: `<w:p>` + c.xml + `</w:p>`}.read(t)), c.want)
	}
}

// ECMA-376 part 1, 17.16.5.16 (DATE), 17.16.5.69 (TIME) and 17.16.4.1 (pictures): what is
// shown is the moment of the update, in the language of the field.
func TestDatesAndTimesAreThoseOfTheClock(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 7, 15, 4, 9, 0, time.UTC)
	german, austrian, american := `<w:lang w:val="de-DE"/>`, `<w:lang w:val="de-AT"/>`, `<w:lang w:val="en-US"/>`
	for _, c := range []struct{ what, xml, want string }{
		{"a picture", complexField(german, `DATE \@ "dddd, d. MMMM yyyy" \* MERGEFORMAT`, "Montag, 1. Juli 2019"), "Samstag, 7. März 2026"},
		{"of a region", complexField(austrian, `DATE \@ "d. MMMM"`, "x"), "7. März"},
		{"without a space", complexField(american, `DATE \@"M/d/yy"`, "x"), "3/7/26"},
		{"without a picture", complexField(german, `DATE`, "01.07.2019"), "07.03.2026"},
		{"the same of another language", complexField(american, `DATE \l`, "7/1/2019"), "3/7/2026"},
		{"a time", complexField(american, `TIME \@ "h:mm am/pm"`, "1:00 AM"), "3:04 PM"},
		{"a time without a picture", complexField(german, `TIME`, "01:00"), "15:04"},
		{"seconds", complexField(german, `TIME \@ "HH:mm:ss 'Uhr'"`, "x"), "15:04:09 Uhr"},
		{"a result in several runs", char("begin") + instruction(`DATE \@ "yyyy"`) + char("separate") + text("20") + text("19") + char("end") + text("!"), "2026!"},
		{"no result", char("begin") + instruction(`DATE \@ "yyyy"`) + char("end") + text("!"), "2026!"},
		{"a simple field", `<w:fldSimple w:instr="DATE \@ &quot;yyyy-MM-dd&quot;"><w:r><w:t>2019-07-01</w:t></w:r></w:fldSimple>`, "2026-03-07"},
		{"of the day it was made on", complexField(german, `CREATEDATE \@ "yyyy"`, "2019"), "2019"},
	} {
		d, err := ReadDocumentAt(docx{body: `<w:p>` + c.xml + `</w:p>`}.data(t), now)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, c.what, shownTexts(d.Sections[0].Blocks), []string{c.want})
	}
}

func TestAFieldMaySpanParagraphs(t *testing.T) {
	t.Parallel()
	d := docx{body: `<w:p>` + char("begin") + instruction("TOC") + char("separate") + text("one") + `</w:p><w:p>` + text("two") + char("end") + `</w:p>` +
		`<w:p>` + char("begin") + instruction("HYPERLINK ") + `</w:p><w:p>` + instruction("https://example.com") + char("separate") + text("three") + char("end") + text("four") + `</w:p>`}.read(t)
	equal(t, "texts", shownTexts(d.Sections[0].Blocks), []string{"one", "two", "", "threefour"})
	runs := paragraphsOf(d.Sections[0].Blocks)[3].Runs
	if l := runs[0].Link; l == nil || l.URL != "https://example.com" {
		t.Errorf("link of a field that began a paragraph before: got %+v", l)
	}
	if runs[1].Link != nil {
		t.Errorf("text behind the field: got the link %+v", runs[1].Link)
	}
}

func TestOfNestedLinksTheInnermostFieldLeadsUnlessAnElementDoes(t *testing.T) {
	t.Parallel()
	inner := complexField("", `HYPERLINK "https://inner.example"`, "x")
	for what, c := range map[string]struct{ xml, want string }{
		"field in a field":       {char("begin") + instruction(`HYPERLINK "https://outer.example"`) + char("separate") + inner + char("end"), "https://inner.example"},
		"field in an element":    {`<w:hyperlink r:id="web">` + inner + `</w:hyperlink>`, "https://example.com"},
		"other field in a field": {char("begin") + instruction(`HYPERLINK "https://outer.example"`) + char("separate") + complexField("", "DATE", "x") + char("end"), "https://outer.example"},
	} {
		d := docx{relations: outside("web", "hyperlink", "https://example.com"), body: `<w:p>` + c.xml + `</w:p>`}.read(t)
		if l := firstRun(t, d).Link; l == nil || l.URL != c.want {
			t.Errorf("%s: got %+v, want %s", what, l, c.want)
		}
	}
}

// ECMA-376 part 1, 17.16.8: the box is what it was set to, else its default.
func TestACheckBoxIsWhatItWasSetToElseItsDefault(t *testing.T) {
	t.Parallel()
	for xml, want := range map[string]string{
		``:                                       "☐",
		`<w:checked/>`:                           "☒",
		`<w:checked w:val="1"/>`:                 "☒",
		`<w:checked w:val="0"/>`:                 "☐",
		`<w:default w:val="1"/>`:                 "☒",
		`<w:default w:val="0"/>`:                 "☐",
		`<w:default/><w:checked w:val="0"/>`:     "☐",
		`<w:default w:val="0"/><w:checked/>`:     "☒",
		`<w:sizeAuto/><w:default w:val="true"/>`: "☒",
	} {
		field := `<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox>` + xml + `</w:checkBox></w:ffData></w:fldChar></w:r>` + instruction("FORMCHECKBOX") + char("end")
		equal(t, xml, itemsOf(t, docx{body: `<w:p>` + field + `</w:p>`}.read(t)), []Item{{Text: want}})
	}
	for xml, want := range map[string]string{
		`<w:listEntry w:val="A"/><w:listEntry w:val="B"/>`:                                            "A",
		`<w:result w:val="1"/><w:listEntry w:val="A"/><w:listEntry w:val="B"/>`:                       "B",
		`<w:default w:val="1"/><w:listEntry w:val="A"/><w:listEntry w:val="B"/>`:                      "B",
		`<w:result w:val="0"/><w:default w:val="1"/><w:listEntry w:val="A"/><w:listEntry w:val="B"/>`: "A",
		`<w:result w:val="7"/><w:listEntry w:val="A"/>`:                                               "A",
	} {
		begin := `<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList>` + xml + `</w:ddList></w:ffData></w:fldChar></w:r>` + instruction("FORMDROPDOWN")
		for _, end := range []string{char("end"), char("separate") + char("end"), char("separate") + text(want) + char("end")} {
			equal(t, xml, itemsOf(t, docx{body: `<w:p>` + begin + end + `</w:p>`}.read(t)), []Item{{Text: want}})
		}
	}
	other := `<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:textInput/></w:ffData></w:fldChar></w:r>` + char("separate") + text("typed") + char("end")
	equal(t, "a text input", itemsOf(t, docx{body: `<w:p>` + other + `</w:p>`}.read(t)), []Item{{Text: "typed"}})
}

func TestAFieldOfTheTextDoesNotReachIntoHeadersAndBoxes(t *testing.T) {
	t.Parallel()
	d := docx{
		stories: map[string]string{"header1": `<w:p>` + text("head") + `</w:p>`},
		body: `<w:p>` + char("begin") + instruction("PAGE") + `</w:p>` +
			para(`<w:sectPr><w:headerReference r:id="header1"/></w:sectPr>`, instruction(" ")) +
			`<w:p>` + char("separate") + text("3") + char("end") + `</w:p>`,
	}.read(t)
	equal(t, "header", shownTexts(d.Sections[0].Headers["default"].Blocks), []string{"head"})
	equal(t, "items behind the header", paragraphsOf(d.Sections[1].Blocks)[0].Runs[0].Items, []Item{{Kind: PageFieldItem, Text: "3"}})
}

func TestAReferenceWhoseTargetIsGoneIsKnown(t *testing.T) {
	t.Parallel()
	const broken = "Error! Reference source not found."
	field := func(instruction, result string) string {
		return `<w:r><w:rPr><w:i/></w:rPr><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>` + instruction + `</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>` +
			`<w:r><w:rPr><w:b/></w:rPr><w:t>` + result + `</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`
	}
	for _, c := range []struct {
		instruction, result string
		isBroken            bool
	}{{`REF book1 \r \h`, broken, true}, {`PAGEREF book1`, broken, true}, {`REF book1 \r \h`, "Chapter 3", false}, {`SEQ Figure`, broken, false}} {
		item := firstRun(t, docx{body: `<w:p>` + field(c.instruction, c.result) + `</w:p>`}.read(t)).Items[0]
		if item.Text != c.result || (item.Broken != nil) != c.isBroken || item.Broken != nil && (item.Broken.Bold || !item.Broken.Italic) {
			t.Errorf("%s: got %q, broken with the format %+v; want %q, broken %v", c.instruction, item.Text, item.Broken, c.result, c.isBroken)
		}
	}
}
