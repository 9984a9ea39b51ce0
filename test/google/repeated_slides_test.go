package google_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/test/google/referee"
)

// fillIn is a page with texts in the place of tags, and with ids that nobody knows where
// it is a copy.
func fillIn(t *testing.T, page map[string]any, isCopy bool, values ...string) map[string]any {
	t.Helper()
	text, err := json.Marshal(page)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		if i%2 == 1 {
			quoted, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			values[i] = strings.Trim(string(quoted), `"`)
		}
	}
	var filled map[string]any
	if err := json.Unmarshal([]byte(strings.NewReplacer(values...).Replace(string(text))), &filled); err != nil {
		t.Fatal(err)
	}
	if isCopy {
		forgetIDs(filled)
	}
	return filled
}

func forgetIDs(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if _, ok := inner.(string); ok && (key == "objectId" || key == "speakerNotesObjectId") {
				v[key] = referee.AnyID
				continue
			}
			forgetIDs(inner)
		}
	case []any:
		for _, inner := range v {
			forgetIDs(inner)
		}
	}
}

func TestSlidesOfGoogleAreRepeatedAsExpected(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	client := w.client(t)
	for name, answer := range presentations(t) {
		base, err := referee.ReadPresentation(answer)
		if err != nil {
			t.Fatal(err)
		}
		for n := range *taggings {
			r := rand.New(rand.NewPCG(*seed+uint64(n), 3))
			tagged, want := base.Clone(), base.Clone()
			slides := tagged.Slides()
			from := r.IntN(len(slides))
			to := from + r.IntN(min(3, len(slides)-from))
			put := func(slide map[string]any, e map[string]any) {
				all, _ := slide["pageElements"].([]any)
				slide["pageElements"] = append(slices.Clone(all), any(e))
			}
			for i := from; i <= to; i++ {
				put(slides[i], shape(fmt.Sprintf("made_text_%d", i), "{{@index}} of 3: {{Name}}"))
				put(slides[i], deckTable(fmt.Sprintf("made_table_%d", i), [][]string{{"Items"}, {"{{Name}}", "{{Qty}} x"}}))
				properties, _ := slides[i]["slideProperties"].(map[string]any)
				if notes, _ := properties["notesPage"].(map[string]any); notes != nil {
					put(notes, shape(fmt.Sprintf("made_notes_%d", i), "Say {{Name}}\nand bye, {{Qty}} times"))
				}
			}
			var shown []map[string]any
			shown = append(shown, want.Slides()[:from]...)
			for k, item := range items {
				for _, slide := range slides[from : to+1] {
					shown = append(shown, fillIn(t, slide, k > 0, "{{Name}}", item, "{{Qty}}", []string{"3", "1", "9"}[k], "{{@index}}", fmt.Sprint(k+1)))
				}
			}
			want.SetSlides(append(shown, want.Slides()[to+1:]...))
			put(slides[from], shape("made_open", "{{#each Items}}"))
			put(slides[to], shape("made_end", "{{/each}}"))
			if err := w.judgePresentation(t, client, tagged, want); err != nil {
				t.Errorf("%s, slides %d to %d of %d: %.2000v", name, from+1, to+1, len(slides), err)
			}
		}
	}
}
