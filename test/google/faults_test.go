package google_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/test/google/referee"
)

// expect fills a document over the wire, and compares it in every interpretation.
func expect(t *testing.T, tagged, want *referee.Document) {
	t.Helper()
	w := newWire(t)
	if err := w.judge(t, w.client(t), tagged, want); err != nil {
		t.Error(err)
	}
}

// setRows changes the rows of the small document's table.
func setRows(d *referee.Document, change func(t *tableModel)) *referee.Document {
	for _, s := range d.Segments {
		s.Units = eachTable(s.Units, change)
	}
	return d
}

// repeat puts copies below a row, each with a letter in place of the first of the
// second cell.
func (t *tableModel) repeat(row int, letters ...string) {
	for i, letter := range letters {
		r := rowModel{start: t.rows[row].start}
		r.start.Made = true
		for _, c := range t.rows[row].cells {
			c.start.Made = true
			c.content = made(c.content)
			r.cells = append(r.cells, c)
		}
		r.cells[1].content[0].Code = uint16(letter[0])
		t.rows = slices.Insert(t.rows, row+1+i, r)
	}
}

func TestARowBesideAMergedCellRepeatsInItsPlace(t *testing.T) {
	t.Parallel()
	tagged := mergeSmall(edited(t, "1 €", "{{Items.Qty}} €"), 0, 0, 3)
	want := setRows(mergeSmall(edited(t, "1 €", "3 €"), 0, 0, 3), func(m *tableModel) {
		m.repeat(1, "1", "9")
		m.rows[0].cells[0].span(5, 1)
	})
	expect(t, tagged, want)
}

func TestARowBesideAMergedCellGoesAlone(t *testing.T) {
	t.Parallel()
	tagged := mergeSmall(edited(t, "1 €", "{{None.Price}}"), 0, 0, 3)
	want := setRows(mergeSmall(edited(t), 0, 0, 3), func(m *tableModel) { m.dropRows(1, 2) })
	expect(t, tagged, want)
}

func TestRowsWithMergedCellsThatCannotRepeatOrGoAreFindings(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]*referee.Document{
		"a row with the begin of a merged cell repeats": mergeSmall(edited(t, "1 €", "{{Items.Qty}} €"), 1, 0, 2),
		"a row with the begin of a merged cell goes":    mergeSmall(edited(t, "1 €", "{{None.Price}} €"), 1, 0, 2),
		"a row of merged cells alone goes": setRows(edited(t, "2\n", "{{None.Qty}}\n"), func(m *tableModel) {
			m.merge(1, 0, 2, 1)
			content := m.rows[2].cells[1].content
			m.merge(1, 1, 2, 1)
			m.rows[2].cells[1].content = content
		}),
		"rows repeat together that are merged differently": setRows(edited(t, "Nut", "{{#each Items}}{{Name}}", "2\n", "{{Qty}}{{/each}}\n"), func(m *tableModel) {
			m.merge(1, 0, 1, 2)
		}),
	} {
		w := newWire(t)
		_, out, err := w.fillFile(t, w.client(t), document{d}, platen.MIMEDocs)
		if len(out.Findings) == 0 || out.Findings[0].Code != "merged_rows" {
			t.Errorf("%s: got %v, findings %v, want the finding merged_rows", name, err, codes(out.Findings))
		}
	}
}

func codes(findings []lang.Finding) []string {
	var out []string
	for _, f := range findings {
		out = append(out, f.Code)
	}
	return out
}

func TestATableOfWhichNoRowStaysGoes(t *testing.T) {
	t.Parallel()
	tagged := edited(t, "Item", "{{#if No}}Item", "2\n", "2{{/if}}\n")
	want := setRows(edited(t), func(m *tableModel) { m.rows = nil })
	expect(t, tagged, want)
}

func TestParagraphsThatAreRepeatedStayInTheirLists(t *testing.T) {
	t.Parallel()
	tagged := edited(t, " now\n", " now\n{{#each Items}}\n", "Second\n\n", "Second\n{{Name}}\n{{/each}}\n")
	want := edited(t, "First\nSecond\n\n", "First\nSecond\nBolt\nFirst\nSecond\nNut 🔩\nFirst\nSecond\nWasher {{Name}}\n")
	expect(t, tagged, want)
}

func TestALinkAtTheEndOfAnEntryIsInItsCopies(t *testing.T) {
	t.Parallel()
	link := func(d *referee.Document) *referee.Document {
		s := d.Segments[0]
		for i, u := range s.Units {
			if u.Is('@') {
				s.Units[i].Style = `{"textStyle":{"link":{"url":"https://shop.example.com/"},"underline":true}}`
			}
		}
		return d
	}
	expect(t, link(edited(t, "First", "{{Items.Name}} @")), link(edited(t, "First\n", "Bolt @\nNut 🔩 @\nWasher {{Name}} @\n")))
}

func TestTextThatIsNotBoldInABoldHeadingStaysSo(t *testing.T) {
	t.Parallel()
	bold := func(d *referee.Document) *referee.Document {
		s := d.Segments[0]
		for i, u := range s.Units {
			if u.Is('!') {
				s.Units[i].Style = `{"textStyle":{}}`
			}
		}
		return d
	}
	tagged := bold(edited(t, "Offer of June\n", "{{#each Items}}\nOffer! of {{Name}}\n{{/each}}\n"))
	want := bold(edited(t, "Offer of June\n", "Offer! of Bolt\nOffer! of Nut 🔩\nOffer! of Washer {{Name}}\n"))
	expect(t, tagged, want)
}

// A deletion over a suggestion fails at Google, and text that is suggested to be
// deleted reads as text.
func TestSuggestionsAreAFinding(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]string{
		"an insertion": `{"suggestedInsertionIds":["suggest.1"],"textStyle":{}}`,
		"a deletion":   `{"suggestedDeletionIds":["suggest.1"],"textStyle":{}}`,
	} {
		d := edited(t, "Bye.", "Bye {{Name}}@")
		for i, u := range d.Segments[0].Units {
			if u.Is('@') {
				d.Segments[0].Units[i].Style = run
			}
		}
		w := newWire(t)
		body, out, err := w.fillFile(t, w.client(t), document{d}, platen.MIMEDocs)
		if len(out.Findings) != 1 || out.Findings[0].Code != "template_has_suggestions" || body != nil {
			t.Errorf("%s: got %v, findings %q and %d bytes of requests, want the finding template_has_suggestions alone", name, err, codes(out.Findings), len(body))
		}
	}
}

// breakPage has the paragraphs with this text begin a page.
func breakPage(d *referee.Document, text string) *referee.Document {
	units := d.Segments[0].Units
	from := 0
	for i, u := range units {
		if u.Is('\n') {
			if referee.Plain(units[from:i]) == text {
				style := maps.Clone(u.Raw["paragraphStyle"].(map[string]any))
				style["pageBreakBefore"] = true
				units[i].Raw = maps.Clone(u.Raw)
				units[i].Raw["paragraphStyle"] = style
			}
			from = i + 1
		}
		if !u.Is('\n') && u.Kind != referee.Char {
			from = i + 1
		}
	}
	return d
}

func TestAParagraphThatBeginsAPageDoesWhenTheOneBehindItGoes(t *testing.T) {
	t.Parallel()
	expect(t, breakPage(edited(t, "Second\n\n", "Second\n{{#if No}}x{{/if}}\n"), "Second"), breakPage(edited(t, "Second\n\n", "Second\n"), "Second"))
	expect(t, breakPage(edited(t, "Second\n\n", "Second\n{{#if No}}x{{/if}}\n"), "{{#if No}}x{{/if}}"), edited(t, "Second\n\n", "Second\n"))
}

func TestOnlyTheFirstParagraphOfARepeatedPartBeginsAPage(t *testing.T) {
	t.Parallel()
	tagged := breakPage(edited(t, "Offer of June\n", "{{#each Items}}\nOffer\n{{Name}}\n{{/each}}\n"), "Offer")
	want := breakPage(edited(t, "Offer of June\n", "Offer\nBolt\nOffer\nNut 🔩\nOffer\nWasher {{Name}}\n"), "Offer")
	expect(t, tagged, want)
}

// Google shows elements that its interface has no words for as U+E907, here the
// ends of a code block. It inserts none, and is not said to delete one.
func TestElementsThatGoogleHasNoWordsForStayOrAreAFinding(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, tagged, want string }{
		"they stay beside a field":              {"First", "\ue907{{Name}}", "\ue907Ada 🦊 Łovelace"},
		"they part a tag":                       {"First", "{{Na\ue907me}}", "{{Na\ue907me}}"},
		"they stay beside a condition":          {"First", "{{#if No}}x{{/if}}\ue907", "\ue907"},
		"an entry of a list repeats":            {"First", "{{Items.Name}}\ue907", ""},
		"a block repeats":                       {"Offer of June\n", "{{#each Items}}\n\ue907{{Name}}\n{{/each}}\n", ""},
		"a row repeats":                         {"Nut", "\ue907{{Items.Name}}", ""},
		"a condition leaves out paragraphs":     {"Offer of June\n", "{{#if No}}\nx\ue907\n{{/if}}\n", ""},
		"a condition leaves out a part of one":  {"First", "a{{#if No}}\ue907{{/if}}", ""},
		"a condition leaves out the last lines": {"Bye.", "{{#if No}}\ue907{{/if}}", ""},
	} {
		tagged := edited(t, c.old, c.tagged)
		if c.want != "" {
			expect(t, tagged, edited(t, c.old, c.want))
			continue
		}
		w := newWire(t)
		_, out, err := w.fillFile(t, w.client(t), document{tagged}, platen.MIMEDocs)
		if len(out.Findings) == 0 || out.Findings[0].Code != "object_in_block" {
			t.Errorf("%s: got %v, findings %v, want the finding object_in_block", name, err, codes(out.Findings))
		}
	}
}

func TestEntriesOfListsInRepeatedRowsStayEntries(t *testing.T) {
	t.Parallel()
	for name, bullet := range map[string]map[string]any{
		"a number": {"listId": "kix.l1", "textStyle": map[string]any{}}, "an entry in an entry": {"listId": "kix.l1", "nestingLevel": 1.0, "textStyle": map[string]any{}},
	} {
		listed := func(d *referee.Document) *referee.Document {
			return setRows(d, func(m *tableModel) {
				for _, r := range m.rows[1 : len(m.rows)-1] {
					c := r.cells[0].content
					c[len(c)-1].Raw = maps.Clone(c[len(c)-1].Raw)
					c[len(c)-1].Raw["bullet"] = bullet
				}
			})
		}
		tagged := listed(edited(t, "1 €", "{{Items.Qty}} €"))
		want := listed(setRows(edited(t, "1 €", "3 €"), func(m *tableModel) { m.repeat(1, "1", "9") }))
		w := newWire(t)
		if err := w.judge(t, w.client(t), tagged, want); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAPictureThatIsAnchoredInAnEmptyParagraphStaysWhenTheOneBehindItGoes(t *testing.T) {
	t.Parallel()
	floating := func(d *referee.Document) *referee.Document {
		for i, u := range d.Segments[0].Units {
			if u.Is('\n') && d.Segments[0].Units[i-1].Is('\n') {
				d.Segments[0].Units[i].Raw = maps.Clone(u.Raw)
				d.Segments[0].Units[i].Raw["positionedObjectIds"] = []any{"kix.floats"}
				break
			}
		}
		return d
	}
	expect(t, floating(edited(t, "Second\n\n", "Second\n\n{{#if No}}x{{/if}}\n")), floating(edited(t, "Second\n\n", "Second\n\n\n")))
}

func TestAnEmptyParagraphKeepsItsHeightWhenTheOneBehindItGoes(t *testing.T) {
	t.Parallel()
	expect(t, edited(t, "Second\n\n", "Second\n\n{{#if No}}x{{/if}}\n"), edited(t))
}
