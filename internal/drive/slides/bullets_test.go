package slides

import (
	"strings"
	"testing"

	gslides "google.golang.org/api/slides/v1"
)

func createBullets(id string, r *gslides.Range) *gslides.Request {
	return &gslides.Request{CreateParagraphBullets: &gslides.CreateParagraphBulletsRequest{ObjectId: id, TextRange: r}}
}

func deleteBullets(id string, r *gslides.Range) *gslides.Request {
	return &gslides.Request{DeleteParagraphBullets: &gslides.DeleteParagraphBulletsRequest{ObjectId: id, TextRange: r}}
}

// glyphs writes the bullets of the first shape's paragraphs, as the file says
// them: its sign, its numbers or "-".
func glyphs(t *testing.T, p interface{ Bytes() ([]byte, error) }) string {
	t.Helper()
	data, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range parse(t, partXML(t, read(t, data), "ppt/slides/slide1.xml")).FindElements("//p:txBody/a:p") {
		bullet := "-"
		if b := bulletOf(child(e, "pPr")); b != nil {
			bullet = b.SelectAttrValue("char", b.SelectAttrValue("type", b.Tag))
		}
		all = append(all, bullet)
	}
	return strings.Join(all, " ")
}

func TestParagraphsGetTheBulletThatIsNearestBeforeThem(t *testing.T) {
	t.Parallel()
	with := func(bullet, text string) string {
		return `<a:p><a:pPr>` + bullet + `</a:pPr><a:r><a:t>` + text + `</a:t></a:r></a:p>`
	}
	plus, number, picture := `<a:buChar char="+"/>`, `<a:buAutoNum type="arabicPeriod"/>`, `<a:buBlip/>`
	for name, c := range map[string]struct {
		paragraphs string
		request    *gslides.Request
		want       string
	}{
		"a dot":                  {para("a") + para("b"), createBullets(box, textRange(0, 1)), "• -"},
		"on all":                 {para("a") + para("b"), createBullets(box, wholeText()), "• •"},
		"as the one before":      {with(plus, "a") + para("b"), createBullets(box, textRange(2, 3)), "+ +"},
		"as the nearest":         {with(plus, "a") + with(number, "b") + para("c") + with(plus, "d"), createBullets(box, textRange(4, 5)), "+ arabicPeriod arabicPeriod +"},
		"as a picture":           {with(picture, "a") + para("b"), createBullets(box, textRange(2, 3)), "buBlip buBlip"},
		"not as the one behind":  {para("a") + with(plus, "b"), createBullets(box, textRange(0, 1)), "• +"},
		"those that have one":    {with(plus, "a") + with(number, "b"), createBullets(box, wholeText()), "+ arabicPeriod"},
		"in place of none":       {with(`<a:buNone/>`, "a"), createBullets(box, wholeText()), "•"},
		"taken away":             {with(plus, "a") + with(number, "b") + with(picture, "c"), deleteBullets(box, textRange(1, 3)), "- - buBlip"},
		"taken away from all":    {with(plus, "a") + with(number, "b") + with(picture, "c"), deleteBullets(box, wholeText()), "- - -"},
		"into an empty text":     {`<a:p/>`, createBullets(box, wholeText()), "•"},
		"into one without lines": {``, createBullets(box, wholeText()), ""},
	} {
		p := pptx(t, sp("2", c.paragraphs), "")
		apply(t, p, c.request)
		if got := glyphs(t, p); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func preset(r *gslides.Request, name string) *gslides.Request {
	r.CreateParagraphBullets.BulletPreset = name
	return r
}

// Of the list directly before them, if that is nearest to the preset, or of a new one
// (CreateParagraphBulletsRequest).
func TestParagraphsGetTheBulletsOfAPreset(t *testing.T) {
	t.Parallel()
	with := func(bullet, text string) string {
		return `<a:p><a:pPr>` + bullet + `</a:pPr><a:r><a:t>` + text + `</a:t></a:r></a:p>`
	}
	plus, number := `<a:buChar char="+"/>`, `<a:buAutoNum type="arabicPeriod"/>`
	const disc, digits, parens = "BULLET_DISC_CIRCLE_SQUARE", "NUMBERED_DIGIT_ALPHA_ROMAN", "NUMBERED_DIGIT_ALPHA_ROMAN_PARENS"
	deep := `<a:p><a:r><a:t>&#9;&#9;c</a:t></a:r></a:p>`
	for name, c := range map[string]struct {
		paragraphs string
		request    *gslides.Request
		want       string
	}{
		"signs":                 {para("a") + para("b"), preset(createBullets(box, wholeText()), disc), "● ●"},
		"numbers":               {para("a") + para("b"), preset(createBullets(box, wholeText()), digits), "arabicPeriod arabicPeriod"},
		"numbers with parens":   {para("a"), preset(createBullets(box, wholeText()), parens), "arabicParenR"},
		"nested":                {para("a") + deep, preset(createBullets(box, wholeText()), digits), "arabicPeriod romanLcPeriod"},
		"as the one before":     {with(plus, "a") + para("b"), preset(createBullets(box, textRange(2, 3)), disc), "+ +"},
		"not as one of no such": {with(number, "a") + para("b"), preset(createBullets(box, textRange(2, 3)), disc), "arabicPeriod ●"},
		"not as one further up": {with(plus, "a") + with(number, "b") + para("c"), preset(createBullets(box, textRange(4, 5)), disc), "+ arabicPeriod ●"},
		"those that have one":   {with(plus, "a") + with(number, "b"), preset(createBullets(box, wholeText()), disc), "+ +"},
		"another one's":         {with(`<a:buChar char="★"/>`, "a"), preset(createBullets(box, wholeText()), disc), "●"},
	} {
		p := pptx(t, sp("2", c.paragraphs), "")
		apply(t, p, c.request)
		if got := glyphs(t, p); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
	want := "Invalid requests[0].createParagraphBullets: The bullet preset NUMBERED_DECIMAL_NESTED is unknown."
	if got := refuse(t, pptx(t, sp("2", para("a")), ""), preset(createBullets(box, wholeText()), "NUMBERED_DECIMAL_NESTED")); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Tabs in front say how deep a paragraph is nested, and go
// (CreateParagraphBulletsRequest).
func TestTabsBeforeParagraphsSayHowDeepTheyAreNested(t *testing.T) {
	t.Parallel()
	tab := `<a:p><a:r><a:t>&#9;&#9;a</a:t></a:r></a:p>`
	for name, c := range map[string]struct{ paragraphs, want string }{
		"a new entry":       {tab, `<a:p><a:pPr lvl="2"><a:buChar char="•"/></a:pPr><a:r><a:t>a</a:t></a:r></a:p>`},
		"one that is one":   {`<a:p><a:pPr lvl="1"><a:buChar char="+"/></a:pPr><a:r><a:t>&#9;&#9;a</a:t></a:r></a:p>`, `<a:p><a:pPr lvl="2"><a:buChar char="+"/></a:pPr><a:r><a:t>a</a:t></a:r></a:p>`},
		"one without a tab": {`<a:p><a:pPr lvl="1"><a:buChar char="+"/></a:pPr><a:r><a:t>a</a:t></a:r></a:p>`, `<a:p><a:pPr lvl="1"><a:buChar char="+"/></a:pPr><a:r><a:t>a</a:t></a:r></a:p>`},
	} {
		p := pptx(t, sp("2", c.paragraphs), "")
		apply(t, p, createBullets(box, wholeText()))
		data, err := p.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if got := partXML(t, read(t, data), "ppt/slides/slide1.xml"); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// Behind spacing, the bullet's colour, size and font, before tabs and the rest
// (ECMA-376 part 1, 21.1.2.2.7).
func TestABulletStandsWhereTheSchemaWantsIt(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]string{
		``:                       `<a:buNone/>`,
		`<a:tabLst/><a:defRPr/>`: `<a:buNone/><a:tabLst/><a:defRPr/>`,
		`<a:lnSpc/><a:spcBef/><a:spcAft/><a:buClr/><a:buSzPct/><a:buFont/><a:buChar char="x"/><a:tabLst/>`: `<a:lnSpc/><a:spcBef/><a:spcAft/><a:buClr/><a:buSzPct/><a:buFont/><a:buNone/><a:tabLst/>`,
		`<a:lnSpc/><a:extLst/>`:     `<a:lnSpc/><a:buNone/><a:extLst/>`,
		`<a:buAutoNum/><a:defRPr/>`: `<a:buNone/><a:defRPr/>`,
		`<a:buBlip/>`:               `<a:buNone/>`,
		`<a:buFont/><a:buNone/>`:    `<a:buFont/><a:buNone/>`,
	} {
		e := parse(t, `<a:pPr>`+before+`</a:pPr>`)
		setBullet(e, parse(t, `<a:buNone/>`))
		if got := xmlOf(t, e); got != `<a:pPr>`+want+`</a:pPr>` {
			t.Errorf("%s: got %s, want %s", before, got, want)
		}
	}
}

func TestBulletsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	for want, request := range map[string]*gslides.Request{
		"createParagraphBullets: The object (none) could not be found.":                                  createBullets("none", wholeText()),
		"createParagraphBullets: The text range must be specified.":                                      createBullets(box, nil),
		"createParagraphBullets: The endIndex 3 should not be greater than the existing text length, 2.": createBullets(box, textRange(0, 3)),
		"deleteParagraphBullets: The object (none) could not be found.":                                  deleteBullets("none", wholeText()),
		"deleteParagraphBullets: The startIndex 1 must be less than the endIndex 1.":                     deleteBullets(box, textRange(1, 1)),
	} {
		if got := refuse(t, pptx(t, sp("2", para("a")), ""), request); got != "Invalid requests[0]."+want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
