package docs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/wml"
)

// labels writes the labels of a body's paragraphs, "-" for none.
func labels(d *wml.Document) []string {
	var all []string
	for _, b := range d.Sections[0].Blocks {
		text := "-"
		if p, ok := b.(*wml.Paragraph); ok && p.Label != nil {
			text = p.Label.Text
		}
		all = append(all, text)
	}
	return all
}

// documents.batchUpdate, BulletGlyphPreset: the glyphs of the first three
// levels; they repeat behind them.
func TestPresetsHaveGooglesGlyphs(t *testing.T) {
	t.Parallel()
	for preset, want := range map[string][]string{
		"BULLET_DISC_CIRCLE_SQUARE":              {"●", "○", "■", "●"},
		"BULLET_DIAMONDX_ARROW3D_SQUARE":         {"❖", "➢", "■", "❖"},
		"BULLET_CHECKBOX":                        {"❏", "❏", "❏", "❏"},
		"BULLET_ARROW_DIAMOND_DISC":              {"➔", "◆", "●", "➔"},
		"BULLET_STAR_CIRCLE_SQUARE":              {"★", "○", "■", "★"},
		"BULLET_ARROW3D_CIRCLE_SQUARE":           {"➢", "○", "■", "➢"},
		"BULLET_LEFTTRIANGLE_DIAMOND_DISC":       {"◄", "◆", "●", "◄"},
		"BULLET_DIAMONDX_HOLLOWDIAMOND_SQUARE":   {"❖", "◇", "■", "❖"},
		"BULLET_DIAMOND_CIRCLE_SQUARE":           {"◆", "○", "■", "◆"},
		"NUMBERED_DECIMAL_ALPHA_ROMAN":           {"1.", "a.", "i.", "1."},
		"NUMBERED_DECIMAL_ALPHA_ROMAN_PARENS":    {"1)", "a)", "i)", "1)"},
		"NUMBERED_DECIMAL_NESTED":                {"1.", "1.1.", "1.1.1.", "1.1.1.1."},
		"NUMBERED_UPPERALPHA_ALPHA_ROMAN":        {"A.", "a.", "i.", "A."},
		"NUMBERED_UPPERROMAN_UPPERALPHA_DECIMAL": {"I.", "A.", "1.", "I."},
		"NUMBERED_ZERODECIMAL_ALPHA_ROMAN":       {"01.", "a.", "i.", "01."},
	} {
		d := apply(t, docx(t, para("a")+para("\tb")+para("\t\tc")+para("\t\t\td")), createBullets(1, 14, preset))
		if got := labels(d); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", preset, got, want)
		}
		if got := outline(get(t, d).Body.Content); got != "§a¶b¶c¶d¶" {
			t.Errorf("%s: got %q: the tabs go", preset, got)
		}
	}
}

func TestLevelsOfANewListAreIndentedByHalfAnInchEach(t *testing.T) {
	t.Parallel()
	content := get(t, apply(t, docx(t, para("a")+para("\tb")), createBullets(1, 5, "BULLET_DISC_CIRCLE_SQUARE"))).Body.Content
	for i, e := range content[1:] {
		s, want := e.Paragraph.ParagraphStyle, 36*float64(i+1)
		if s.IndentStart.Magnitude != want || s.IndentFirstLine.Magnitude != want-18 {
			t.Errorf("the level %d: got %v with its first line at %v, want %v and %v", i, s.IndentStart.Magnitude, s.IndentFirstLine.Magnitude, want, want-18)
		}
	}
}

func TestTabsBeyondTheLastLevelNestNoDeeper(t *testing.T) {
	t.Parallel()
	// A list has nine levels (ECMA-376 part 1, 17.9.6).
	for tabs, want := range map[int]int64{0: 0, 1: 1, 8: 8, 9: 8, 20: 8} {
		doc := get(t, apply(t, docx(t, para(strings.Repeat("\t", tabs)+"a")), createBullets(1, 2, "NUMBERED_DECIMAL_NESTED")))
		b := doc.Body.Content[1].Paragraph.Bullet
		if b == nil || b.NestingLevel != want {
			t.Errorf("%d tabs: got %+v, want the level %d", tabs, b, want)
		}
	}
}

const twoLists = `<w:numbering` + namespaces + `>` +
	`<w:abstractNum w:abstractNumId="4"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1)"/></w:lvl>` +
	`<w:lvl w:ilvl="3"><w:numFmt w:val="bullet"/><w:lvlText w:val="*"/></w:lvl></w:abstractNum>` +
	`<w:num w:numId="2"><w:abstractNumId w:val="4"/></w:num><w:num w:numId="7"><w:abstractNumId w:val="4"/></w:num>` +
	`<w:numIdMacAtCleanup w:val="1"/></w:numbering>`

func entry(list, level, text string) string {
	return `<w:p><w:pPr><w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + list + `"/></w:numPr></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
}

// The numbering part is a sequence (ECMA-376 part 1, 17.9.16): definitions, the
// lists that are made of them, numIdMacAtCleanup.
func TestANewListTakesFreeNumbersAtItsPlaceInThePart(t *testing.T) {
	t.Parallel()
	d := docxWith(t, para("a"), map[string]string{"numbering": twoLists})
	apply(t, d, createBullets(1, 2, "BULLET_CHECKBOX"))
	tree := element(t, partXML(t, d, "word/numbering.xml"))
	var order []string
	for _, e := range tree.ChildElements() {
		order = append(order, e.Tag+e.SelectAttrValue("w:abstractNumId", "")+e.SelectAttrValue("w:numId", ""))
	}
	if want := []string{"abstractNum4", "abstractNum5", "num2", "num7", "num8", "numIdMacAtCleanup"}; !slices.Equal(order, want) {
		t.Errorf("got %q, want %q", order, want)
	}
	if got := tree.FindElement("./w:num[@w:numId='8']/w:abstractNumId").SelectAttrValue("w:val", ""); got != "5" {
		t.Errorf("the new list is made of the definition %s, want 5", got)
	}
	if levels := tree.FindElements("./w:abstractNum[@w:abstractNumId='5']/w:lvl"); len(levels) != maxLevels {
		t.Errorf("got %d levels, want %d", len(levels), maxLevels)
	}
	if want := `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="8"/></w:numPr>`; !strings.Contains(bodyXML(t, d), want) {
		t.Errorf("got %s, want %s in it", bodyXML(t, d), want)
	}
}

func TestTheFirstListBringsItsPart(t *testing.T) {
	t.Parallel()
	d := docx(t, para("a"))
	apply(t, d, createBullets(1, 2, "BULLET_CHECKBOX"), deleteBullets(1, 2), createBullets(1, 2, "BULLET_CHECKBOX"))
	const part = "word/numbering.xml"
	n := 0
	for _, r := range d.Package.Relationships("word/document.xml") {
		if r.Type == "numbering" && r.Target == part {
			n++
		}
	}
	if want := "application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml"; n != 1 || d.Package.ContentType(part) != want {
		t.Errorf("got %d relationships to a part of type %s, want 1 and %s", n, d.Package.ContentType(part), want)
	}
	if got := strings.Count(partXML(t, d, part), "<w:num "); got != 2 {
		t.Errorf("got %d lists, want 2", got)
	}
}

func TestParagraphsJoinTheListDirectlyBeforeThem(t *testing.T) {
	t.Parallel()
	list := func(d *wml.Document) string {
		var all []string
		for _, e := range get(t, d).Body.Content[1:] {
			if e.Paragraph == nil {
				continue
			}
			all = append(all, "-")
			if b := e.Paragraph.Bullet; b != nil {
				all[len(all)-1] = fmt.Sprintf("%s/%d", strings.TrimPrefix(b.ListId, "kix.list"), b.NestingLevel)
			}
		}
		return strings.Join(all, " ")
	}
	for name, c := range map[string]struct {
		body     string
		from, to int64
		want     string
	}{
		"before it":                               {entry("2", "0", "a") + para("b") + para("c"), 3, 4, "2/0 2/0 -"},
		"not one behind it":                       {para("a") + entry("7", "0", "b"), 1, 2, "8/0 7/0"},
		"before it rather than behind it":         {entry("2", "0", "a") + para("b") + entry("7", "0", "c"), 3, 4, "2/0 2/0 7/0"},
		"the last before it":                      {entry("2", "0", "a") + entry("7", "0", "b") + para("c"), 5, 6, "2/0 7/0 7/0"},
		"on the level of its tabs":                {entry("2", "0", "a") + para("\t\t\tb"), 3, 7, "2/0 2/3"},
		"on the first level without tabs":         {entry("2", "3", "a") + para("b"), 3, 4, "2/3 2/0"},
		"entries of the preset are what they are": {entry("2", "0", "a") + entry("7", "0", "b") + para("c"), 1, 6, "2/0 7/0 7/0"},
		"not one with a paragraph between":        {entry("2", "0", "a") + para("b") + para("c"), 5, 6, "2/0 - 8/0"},
		"not one in a table":                      {tableXML([]string{entry("7", "0", "a")}) + para("b"), 7, 8, "8/0"},
	} {
		d := docxWith(t, c.body, map[string]string{"numbering": twoLists})
		if got := list(apply(t, d, createBullets(c.from, c.to, "NUMBERED_DECIMAL_ALPHA_ROMAN_PARENS"))); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestBulletsAreTakenFromTheParagraphsOfTheRangeAlone(t *testing.T) {
	t.Parallel()
	body := entry("2", "0", "a") + `<w:p><w:pPr><w:keepNext/><w:numPr><w:numId w:val="2"/></w:numPr><w:jc w:val="center"/></w:pPr></w:p>` + entry("2", "0", "c")
	d := docxWith(t, body, map[string]string{"numbering": twoLists})
	if got, want := labels(apply(t, d, deleteBullets(3, 4))), []string{"1)", "-", "2)"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := bodyXML(t, d), `<w:pPr><w:keepNext/><w:jc w:val="center"/></w:pPr>`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
}

// Google takes a second deletion for what changes nothing.
func TestAParagraphTakenOutOfItsListTwiceBeginsAListLikeIt(t *testing.T) {
	t.Parallel()
	const parens = "NUMBERED_DECIMAL_ALPHA_ROMAN_PARENS"
	body := entry("2", "0", "a") + entry("2", "0", "b") + entry("2", "0", "c")
	for name, c := range map[string]struct {
		requests []*gdocs.Request
		want     []string
	}{
		"once":               {[]*gdocs.Request{deleteBullets(3, 6), createBullets(3, 6, parens)}, []string{"1)", "2)", "3)"}},
		"twice":              {[]*gdocs.Request{deleteBullets(3, 6), deleteBullets(3, 6), createBullets(3, 6, parens)}, []string{"1)", "1)", "2)"}},
		"and another preset": {[]*gdocs.Request{deleteBullets(3, 6), deleteBullets(3, 6), createBullets(3, 6, "NUMBERED_UPPERROMAN_UPPERALPHA_DECIMAL")}, []string{"1)", "I.", "II."}},
	} {
		d := apply(t, docxWith(t, body, map[string]string{"numbering": twoLists}), c.requests...)
		if got := labels(d); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	styled := `<w:p><w:pPr><w:pStyle w:val="Steps"/></w:pPr></w:p>`
	d := docxWith(t, styled+styled, map[string]string{"numbering": twoLists, "styles": `<w:styles` + namespaces + `><w:style w:type="paragraph" w:styleId="Steps"><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style></w:styles>`})
	if got, want := labels(apply(t, d, deleteBullets(2, 3))), []string{"1)", "-"}; !slices.Equal(got, want) {
		t.Errorf("a list of the style: got %q, want %q", got, want)
	}
}

func TestOneBatchBeginsABoundedNumberOfListsAgain(t *testing.T) {
	t.Parallel()
	var requests []*gdocs.Request
	for range maxRestarts + 1 {
		requests = append(requests, deleteBullets(1, 2), deleteBullets(1, 2), createBullets(1, 2, "NUMBERED_DECIMAL_ALPHA_ROMAN_PARENS"))
	}
	got := refuse(t, docxWith(t, entry("2", "0", "a"), map[string]string{"numbering": twoLists}), requests...)
	if want := fmt.Sprintf("The requests of one batch may begin a list again at most %d times.", maxRestarts); !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBulletsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	none := &gdocs.Request{CreateParagraphBullets: &gdocs.CreateParagraphBulletsRequest{BulletPreset: "BULLET_CHECKBOX"}}
	for name, c := range map[string]struct {
		request *gdocs.Request
		want    string
	}{
		"no preset":        {createBullets(1, 2, ""), "createParagraphBullets: The bullet preset must be specified."},
		"an unknown one":   {createBullets(1, 2, "BULLET_HEART"), "createParagraphBullets: The bullet preset BULLET_HEART is unknown."},
		"unspecified":      {createBullets(1, 2, "BULLET_GLYPH_PRESET_UNSPECIFIED"), "createParagraphBullets: The bullet preset BULLET_GLYPH_PRESET_UNSPECIFIED is unknown."},
		"no range":         {none, "createParagraphBullets: The range should not be empty."},
		"past the end":     {createBullets(1, 9, "BULLET_CHECKBOX"), "createParagraphBullets: Index 9 must be less than the end index of the referenced segment, 3."},
		"none of nothing":  {deleteBullets(2, 2), "deleteParagraphBullets: The range should not be empty."},
		"none behind it":   {deleteBullets(1, 4), "deleteParagraphBullets: Index 4 must be less than the end index of the referenced segment, 3."},
		"a negative range": {deleteBullets(-1, 2), "deleteParagraphBullets: The range should not be empty."},
	} {
		if got := refuse(t, docx(t, para("a")), c.request); got != "Invalid requests[0]."+c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	got := refuse(t, docx(t, para("a")), createBullets(1, 2, "BULLET_CHECKBOX"), createBullets(1, 2, "BULLET_HEART"))
	if want := "Invalid requests[1].createParagraphBullets: The bullet preset BULLET_HEART is unknown."; got != want {
		t.Errorf("an unknown one beside a list: got %q, want %q", got, want)
	}
}

// A list of Google's is joined by paragraphs directly behind it that ask for its
// preset (documents.batchUpdate, CreateParagraphBulletsRequest).
func TestBulletsOfAnotherPresetAreAListOfTheirOwn(t *testing.T) {
	t.Parallel()
	const disc, number = "BULLET_DISC_CIRCLE_SQUARE", "NUMBERED_DECIMAL_ALPHA_ROMAN"
	lists := func(requests ...*gdocs.Request) string {
		d := apply(t, docx(t, para("a")+para("b")+para("c")+para("d")), requests...)
		var all []string
		for i, e := range get(t, d).Body.Content[1:] {
			list := "-"
			if b := e.Paragraph.Bullet; b != nil {
				list = strings.TrimPrefix(b.ListId, "kix.list") + labels(d)[i]
			}
			all = append(all, list)
		}
		return strings.Join(all, " ")
	}
	for name, c := range map[string]struct {
		requests []*gdocs.Request
		want     string
	}{
		"directly behind, the same":     {[]*gdocs.Request{createBullets(1, 2, disc), createBullets(3, 4, disc)}, "1● 1● - -"},
		"directly behind, another":      {[]*gdocs.Request{createBullets(1, 2, disc), createBullets(3, 4, number)}, "1● 21. - -"},
		"not directly behind":           {[]*gdocs.Request{createBullets(1, 2, number), createBullets(5, 6, number)}, "11. - 21. -"},
		"before":                        {[]*gdocs.Request{createBullets(3, 4, number), createBullets(1, 2, number)}, "21. 11. - -"},
		"bullets become numbers":        {[]*gdocs.Request{createBullets(1, 6, disc), createBullets(1, 6, number)}, "21. 22. 23. -"},
		"some bullets become numbers":   {[]*gdocs.Request{createBullets(1, 8, disc), createBullets(3, 6, number)}, "1● 21. 22. 1●"},
		"entries that have it keep it":  {[]*gdocs.Request{createBullets(1, 4, number), createBullets(1, 6, number)}, "11. 12. 13. -"},
		"behind letters in parentheses": {[]*gdocs.Request{createBullets(1, 2, "NUMBERED_DECIMAL_ALPHA_ROMAN_PARENS"), createBullets(3, 4, number)}, "11) 21. - -"},
	} {
		if got := lists(c.requests...); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// documents, NestingLevel: %0 is the number of the first level; a level has a type
// if it is ordered and a sign if it is not.
func TestAListWithoutADefinitionIsNotJoined(t *testing.T) {
	t.Parallel()
	numbering := `<w:numbering` + namespaces + `><w:num w:numId="1"/></w:numbering>`
	d := docxWith(t, entry("1", "0", "a")+para("b"), map[string]string{"numbering": numbering})
	apply(t, d, createBullets(3, 4, "BULLET_DISC_CIRCLE_SQUARE"))
	if got, want := bodyXML(t, d), `<w:numId w:val="2"/></w:numPr></w:pPr><w:r><w:t xml:space="preserve">b</w:t>`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
}

func TestLevelsOfListsAreToldAsGoogleDoes(t *testing.T) {
	t.Parallel()
	levels := func(d *wml.Document) string {
		var all []string
		for _, list := range get(t, d).Lists {
			for _, l := range list.ListProperties.NestingLevels[:min(4, len(list.ListProperties.NestingLevels))] {
				all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s%s %d", l.GlyphFormat, l.GlyphType, l.GlyphSymbol, l.StartNumber)))
			}
		}
		return strings.Join(all, ", ")
	}
	for preset, want := range map[string]string{
		"NUMBERED_DECIMAL_ALPHA_ROMAN":           "%0. DECIMAL 1, %1. ALPHA 1, %2. ROMAN 1, %3. DECIMAL 1",
		"NUMBERED_DECIMAL_ALPHA_ROMAN_PARENS":    "%0) DECIMAL 1, %1) ALPHA 1, %2) ROMAN 1, %3) DECIMAL 1",
		"NUMBERED_DECIMAL_NESTED":                "%0. DECIMAL 1, %0.%1. DECIMAL 1, %0.%1.%2. DECIMAL 1, %0.%1.%2.%3. DECIMAL 1",
		"NUMBERED_UPPERALPHA_ALPHA_ROMAN":        "%0. UPPER_ALPHA 1, %1. ALPHA 1, %2. ROMAN 1, %3. UPPER_ALPHA 1",
		"NUMBERED_UPPERROMAN_UPPERALPHA_DECIMAL": "%0. UPPER_ROMAN 1, %1. UPPER_ALPHA 1, %2. DECIMAL 1, %3. UPPER_ROMAN 1",
		"NUMBERED_ZERODECIMAL_ALPHA_ROMAN":       "%0. ZERO_DECIMAL 1, %1. ALPHA 1, %2. ROMAN 1, %3. ZERO_DECIMAL 1",
		"BULLET_DISC_CIRCLE_SQUARE":              "%0 ● 0, %1 ○ 0, %2 ■ 0, %3 ● 0",
	} {
		d := apply(t, docx(t, para("\ta")), createBullets(1, 3, preset))
		if got := levels(d); got != want {
			t.Errorf("%s: got %s, want %s", preset, got, want)
		}
		list := get(t, d).Lists["kix.list1"].ListProperties.NestingLevels
		if len(list) != 9 || list[1].IndentStart.Magnitude != 72 || list[1].IndentFirstLine.Magnitude != 54 {
			t.Errorf("%s: got %d levels and an indent of %v, want 9 and 72 with the first line at 54", preset, len(list), list[min(1, len(list)-1)].IndentStart)
		}
	}
	symbols := `<w:numbering` + namespaces + `><w:abstractNum w:abstractNumId="1">` +
		`<w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="` + "\uf0b7" + `"/><w:rPr><w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/></w:rPr></w:lvl>` +
		`<w:lvl w:ilvl="1"><w:start w:val="3"/><w:numFmt w:val="upperLetter"/><w:lvlText w:val="§ %1.%2"/></w:lvl></w:abstractNum>` +
		`<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num></w:numbering>`
	if got, want := levels(docxWith(t, entry("2", "0", "a"), map[string]string{"numbering": symbols})), "%0 • 0, § %0.%1 UPPER_ALPHA 3"; got != want {
		t.Errorf("Word's list: got %s, want %s", got, want)
	}
}
