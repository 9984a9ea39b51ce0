package google_test

import (
	"testing"

	"github.com/platenhq/platen"
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

func TestARowBesideAMergedCellRepeatsInItsPlace(t *testing.T) {
	t.Parallel()
	tagged := mergeSmall(edited(t, "1 €", "{{Items.Qty}} €"), 0, 0, 3)
	want := setRows(mergeSmall(edited(t, "1 €", "3 €"), 0, 0, 3), func(m *tableModel) {
		for i, quantity := range []string{"1", "9"} {
			row := rowModel{start: m.rows[1].start}
			row.start.Made = true
			for _, c := range m.rows[1].cells {
				c.start.Made = true
				c.content = made(c.content)
				row.cells = append(row.cells, c)
			}
			row.cells[1].content[0].Code = uint16(quantity[0])
			m.rows = append(m.rows[:2+i], append([]rowModel{row}, m.rows[2+i:]...)...)
		}
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
