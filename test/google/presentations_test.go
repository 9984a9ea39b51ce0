package google_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/test/google/referee"
)

type presentation struct{ *referee.Presentation }

func (p presentation) Judge(body []byte) ([]byte, judged, error) {
	answer, after, err := p.Apply(body)
	return answer, presentation{after}, err
}

func (w *wire) judgePresentation(t testing.TB, client *google.Client, tagged, want *referee.Presentation) error {
	t.Helper()
	body, out, err := w.fillFile(t, client, presentation{tagged.Clone()}, platen.MIMESlides)
	if err != nil {
		return fmt.Errorf("%w; findings %v", err, out.Findings)
	}
	after := tagged
	if body != nil {
		if _, after, err = tagged.Apply(body); err != nil {
			return err
		}
	}
	if at := referee.DifferenceOf(after, want); at != "" {
		return errors.New(at)
	}
	return nil
}

// presentations are the answers to tag.
func presentations(t testing.TB) map[string][]byte {
	t.Helper()
	all := answers(t, "slides")
	if len(all) == 0 {
		all["small"] = []byte(smallPresentation)
	}
	return all
}

// tagPresentation puts tags into the texts of slides and their notes, tables and
// groups, pictures into shapes, and conditions over slides.
func tagPresentation(base *referee.Presentation, r *rand.Rand, often float64) (tagged, want *referee.Presentation, kinds map[string]int) {
	tagged, want = base.Clone(), base.Clone()
	g := &tagger{Rand: r, often: often, kinds: map[string]int{}, note: true}
	addNotes(tagged, want)
	var filled [][]referee.Unit
	tagged.EachText(func(kind string, units []referee.Unit) []referee.Unit {
		if len(units) < 2 {
			filled = append(filled, units)
			return units
		}
		before := g.total()
		g.table, g.fields = kind == "cell", kind == "layout"
		t, w := g.slideText(units)
		if g.total() > before {
			g.kinds["in a "+kind]++
		}
		filled = append(filled, w)
		return t
	})
	i := 0
	want.EachText(func(string, []referee.Unit) []referee.Unit {
		i++
		return filled[i-1]
	})
	g.addShapes(tagged, want)
	return tagged, want, g.kinds
}

// addNotes puts a text into the speaker notes of every slide.
func addNotes(all ...*referee.Presentation) {
	for _, p := range all {
		for i, slide := range p.Slides() {
			properties, _ := slide["slideProperties"].(map[string]any)
			notes, _ := properties["notesPage"].(map[string]any)
			if notes == nil {
				continue
			}
			elements, _ := notes["pageElements"].([]any)
			notes["pageElements"] = append(slices.Clone(elements), shape(fmt.Sprintf("made_notes_%d", i), "Say hello\nand then this\nand goodbye"))
		}
	}
}

// slideText tags a text; its paragraphs are those of a document, with one style
// less.
func (g *tagger) slideText(units []referee.Unit) (tagged, want []referee.Unit) {
	all := split(units)
	free := true // nothing before went
	for i := 0; i < len(all); i++ {
		t, w := all[i].units, all[i].units
		if len(t) > 1 && g.hit() {
			t, w = g.paragraph(t, false)
		} else if !g.fields && i > 0 && free && g.hit() && len(t) > 1 {
			g.kinds["condition that drops paragraphs"]++
			style := t[0].Style
			frame := func(text string) []referee.Unit {
				return slices.Concat(referee.Text(text, style, nil), all[i].units[len(all[i].units)-1:])
			}
			t, w, free = slices.Concat(frame("{{#if No}}"), t, frame("{{/if}}")), nil, false
		}
		tagged, want = append(tagged, t...), append(want, w...)
	}
	return tagged, want
}

func shape(id, text string) map[string]any {
	var elements []any
	start := 0
	for line := range strings.SplitSeq(text, "\n") {
		end := start + len(line) + 1
		elements = append(elements,
			map[string]any{"startIndex": float64(start), "endIndex": float64(end), "paragraphMarker": map[string]any{"style": map[string]any{}}},
			map[string]any{"startIndex": float64(start), "endIndex": float64(end), "textRun": map[string]any{"content": line + "\n", "style": map[string]any{}}})
		start = end
	}
	content := map[string]any{"textElements": elements}
	return map[string]any{"objectId": id, "size": map[string]any{}, "transform": map[string]any{}, "shape": map[string]any{"shapeType": "TEXT_BOX", "text": content}}
}

func picture(id, description string) map[string]any {
	return map[string]any{"objectId": id, "description": description, "image": map[string]any{"contentUrl": "https://pictures.example.com/old"}}
}

// deckTable is a table of a slide with three rows, the first of one merged cell.
func deckTable(id string, cells [][]string) map[string]any {
	var all []any
	for i, row := range cells {
		var out []any
		for j, text := range row {
			c := map[string]any{"location": map[string]any{"rowIndex": float64(i), "columnIndex": float64(j)}, "rowSpan": 1.0, "columnSpan": 1.0,
				"tableCellProperties": map[string]any{"contentAlignment": "TOP", "tableCellBackgroundFill": map[string]any{"propertyState": "NOT_RENDERED"}}}
			if len(row) == 1 {
				c["columnSpan"] = 2.0
			}
			if text != "" {
				c["text"] = shape("", text)["shape"].(map[string]any)["text"]
			}
			out = append(out, c)
		}
		all = append(all, map[string]any{"rowHeight": map[string]any{}, "tableCells": out})
	}
	return map[string]any{"objectId": id, "table": map[string]any{"rows": float64(len(cells)), "columns": 2.0, "tableRows": all}}
}

// mergedTable is deckTable with its first column merged. Slides list no cells that a
// merged one covers.
func mergedTable(id string, cells [][]string) map[string]any {
	t := deckTable(id, cells)
	for i, r := range t["table"].(map[string]any)["tableRows"].([]any) {
		all := r.(map[string]any)["tableCells"].([]any)
		if i > 0 {
			r.(map[string]any)["tableCells"] = all[1:]
			continue
		}
		all[0].(map[string]any)["rowSpan"] = float64(len(cells))
	}
	return t
}

// withBullet makes entries of a list of the texts of a table's cell or a shape.
func withBullet(texts map[string]any, level float64) map[string]any {
	for _, e := range texts["textElements"].([]any) {
		if marker, ok := e.(map[string]any)["paragraphMarker"].(map[string]any); ok {
			marker["bullet"] = map[string]any{"listId": "made_list", "nestingLevel": level, "glyph": "●"}
		}
	}
	return texts
}

// bulletTable is deckTable with entries of a list in the first cells of some rows.
func bulletTable(id string, cells [][]string, from, to int) map[string]any {
	t := deckTable(id, cells)
	for _, r := range t["table"].(map[string]any)["tableRows"].([]any)[from:to] {
		withBullet(r.(map[string]any)["tableCells"].([]any)[0].(map[string]any)["text"].(map[string]any), 1)
	}
	return t
}

// addShapes puts shapes, pictures and tables with tags onto a slide, and the
// results onto the same of another; some slides get a condition.
func (g *tagger) addShapes(tagged, want *referee.Presentation) {
	t, w := tagged.Slides(), want.Slides()
	put := func(slide map[string]any, e ...map[string]any) {
		all, _ := slide["pageElements"].([]any)
		all = slices.Clone(all)
		for _, e := range e {
			all = append(all, e)
		}
		slide["pageElements"] = all
	}
	result := func(id string) map[string]any {
		s := shape(id, "")
		delete(s, "shape")
		s["image"] = map[string]any{"sourceUrl": logo}
		return s
	}
	kept := slices.Clone(w[:0])
	for i := range t {
		id := func(name string) string { return fmt.Sprintf("made_%s_%d", name, i) }
		drops := len(t) > 1 && i > 0 && g.IntN(8) == 0
		if drops {
			g.kinds["condition over slides"]++
			put(t[i], shape(id("open"), "{{#if No}}"), shape(id("end"), "{{/if}}"))
		} else {
			kept = append(kept, w[i])
		}
		switch g.IntN(9) {
		case 0:
			g.kinds["picture in a shape"]++
			put(t[i], shape(id("logo"), "{{image Logo}}"))
			put(w[i], result(id("logo")))
		case 1:
			g.kinds["picture over a picture"]++
			put(t[i], picture(id("old"), "{{image Logo}}"), picture(id("told"), `{{image Logo alt "Logo of " & Name}}`))
			put(w[i], map[string]any{"objectId": id("old"), "image": map[string]any{"sourceUrl": logo}},
				map[string]any{"objectId": id("told"), "description": "Logo of Ada 🦊 Łovelace", "image": map[string]any{"sourceUrl": logo}})
		case 2:
			g.kinds["row"]++
			put(t[i], deckTable(id("table"), [][]string{{"Items"}, {"{{Items.Name}}", "{{Items.Qty}} x"}, {"Sum", ""}}))
			put(w[i], deckTable(id("table"), [][]string{{"Items"}, {"Bolt", "3 x"}, {"Nut 🔩", "1 x"}, {"Washer {{Name}}", "9 x"}, {"Sum", ""}}))
		case 3:
			g.kinds["condition that drops rows"]++
			put(t[i], deckTable(id("table"), [][]string{{"Items"}, {"{{#if No}}a", "b{{/if}}"}, {"Sum", "{{Name}}"}}))
			put(w[i], deckTable(id("table"), [][]string{{"Items"}, {"Sum", "Ada 🦊 Łovelace"}}))
		case 4:
			g.kinds["table that goes"]++
			put(t[i], deckTable(id("table"), [][]string{{"{{#if No}}a", "b"}, {"c", "d{{/if}}"}}))
		case 5:
			g.kinds["row with an entry of a list"]++
			put(t[i], bulletTable(id("table"), [][]string{{"Items"}, {"{{Items.Name}}", "x"}, {"Sum", ""}}, 1, 2))
			put(w[i], bulletTable(id("table"), [][]string{{"Items"}, {"Bolt", "x"}, {"Nut 🔩", "x"}, {"Washer {{Name}}", "x"}, {"Sum", ""}}, 1, 4))
		case 6:
			g.kinds["row beside a merged cell"]++
			put(t[i], mergedTable(id("table"), [][]string{{"Items", "Name"}, {"", "{{Items.Name}}"}, {"", "Sum"}}))
			put(w[i], mergedTable(id("table"), [][]string{{"Items", "Name"}, {"", "Bolt"}, {"", "Nut 🔩"}, {"", "Washer {{Name}}"}, {"", "Sum"}}))
		case 7:
			g.kinds["row beside a merged cell that goes"]++
			put(t[i], mergedTable(id("table"), [][]string{{"Items", "Name"}, {"", "{{None.Name}}"}, {"", "Sum"}}))
			put(w[i], mergedTable(id("table"), [][]string{{"Items", "Name"}, {"", "Sum"}}))
		}
	}
	want.SetSlides(kept)
}

func TestPresentationsOfGoogleAreFilledAsExpected(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	client := w.client(t)
	kinds, accepted := map[string]int{}, 0
	for name, answer := range presentations(t) {
		base, err := referee.ReadPresentation(answer)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 4 * *taggings {
			r := rand.New(rand.NewPCG(*seed+uint64(n), 2))
			tagged, want, found := tagPresentation(base, r, r.Float64()/4)
			if err := w.judgePresentation(t, client, tagged, want); err != nil {
				t.Errorf("%s, tagging %d: %.3000v", name, n, err)
				continue
			}
			accepted++
			for kind, count := range found {
				kinds[kind] += count
			}
		}
	}
	t.Logf("%d taggings of presentations are accepted, with these tags and places:", accepted)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		t.Logf("%6d %s", kinds[kind], kind)
	}
}

// The last line feed of a text is out of the reach of requests.
func TestTheLastParagraphOfATextGoesAlsoBehindAnEmptyOne(t *testing.T) {
	t.Parallel()
	base, err := referee.ReadPresentation([]byte(smallPresentation))
	if err != nil {
		t.Fatal(err)
	}
	put := func(text string) *referee.Presentation {
		p := base.Clone()
		slide := p.Slides()[1]
		e := shape("made", text)
		elements := e["shape"].(map[string]any)["text"].(map[string]any)["textElements"].([]any)
		if n := len(elements); strings.Contains(text, "{{") {
			elements[n-2].(map[string]any)["paragraphMarker"] = map[string]any{"style": map[string]any{"alignment": "END"}}
			elements[n-1].(map[string]any)["textRun"].(map[string]any)["style"] = map[string]any{"bold": true}
		}
		slide["pageElements"] = append(slices.Clone(slide["pageElements"].([]any)), e)
		return p
	}
	w := newWire(t)
	if err := w.judgePresentation(t, w.client(t), put("Offer\n\n{{#if No}}x{{/if}}"), put("Offer\n")); err != nil {
		t.Error(err)
	}
}
