package fill_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/drive/slides"
	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

const decks = `{"Name": "Ada", "Open": false, "Paid": true,
  "Items": [{"Name": "Bolt", "Qty": 3, "Kind": "a"}, {"Name": "Nut {{Name}}", "Qty": 1, "Kind": "b"}, {"Name": "Washer", "Qty": 9, "Kind": "a"}],
  "Orders": [{"No": 1, "Lines": [{"Part": "A"}, {"Part": "B"}]}, {"No": 2, "Lines": [{"Part": "C"}]}, {"No": 3, "Lines": []}],
  "None": []}`

func TestSlidesAreRepeated(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		deck, want [][]string
	}{
		{"one slide", [][]string{{"first {{Name}}"}, {"{{#each Items}}", "{{Name}}: {{Qty}} of {{@index}}/{{@count}}", "{{/each}}"}, {"last"}},
			[][]string{{"first Ada"}, {"Bolt: 3 of 1/3"}, {"Nut {{Name}}: 1 of 2/3"}, {"Washer: 9 of 3/3"}, {"last"}}},
		{"two slides", [][]string{{"{{#each Items}}", "{{Name}}"}, {"{{Qty}}", "{{/each}}"}, {"last"}},
			[][]string{{"Bolt"}, {"3"}, {"Nut {{Name}}"}, {"1"}, {"Washer"}, {"9"}, {"last"}}},
		{"one item", [][]string{{"{{#each Items limit 1}}", "{{Name}}"}, {"{{Qty}}", "{{/each}}"}}, [][]string{{"Bolt"}, {"3"}}},
		{"no item", [][]string{{"first"}, {"{{#each None}}", "{{Name}}"}, {"{{Qty}}", "{{/each}}"}}, [][]string{{"first"}}},
		{"filters", [][]string{{"{{#each Items where Qty > 1 sort Name desc}}", "{{Name}}", "{{/each}}"}}, [][]string{{"Washer"}, {"Bolt"}}},
		{"groups", [][]string{{"{{#each Items group Kind}}", "{{@key}}: {{= SUM(Items.Qty)}}"}, {"{{#each Items}}", "{{Name}}", "{{/each}}"}, {"{{/each}}"}},
			[][]string{{"a: 12"}, {"Bolt"}, {"Washer"}, {}, {"b: 1"}, {"Nut {{Name}}"}, {}}},
		{"nested", [][]string{{"{{#each Orders}}", "order {{No}}"}, {"{{#each Lines}}", "part {{Part}} of {{No}}", "{{/each}}"}, {"end of {{No}}", "{{/each}}"}, {"last"}},
			[][]string{{"order 1"}, {"part A of 1"}, {"part B of 1"}, {"end of 1"}, {"order 2"}, {"part C of 2"}, {"end of 2"}, {"order 3"}, {"end of 3"}, {"last"}}},
		{"nested on one slide", [][]string{{"{{#each Orders}}", "{{#each Lines}}", "{{Part}} of {{No}}", "{{/each}}", "{{/each}}"}},
			[][]string{{"A of 1"}, {"B of 1"}, {"C of 2"}}},
		{"conditions", [][]string{{"{{#each Items}}", "{{Name}}"}, {"{{#if Qty > 1}}", "{{Qty}} is many"}, {"{{else}}", "{{Qty}} is one"}, {"{{/if}}", "{{/each}}", "end"}},
			[][]string{{"Bolt"}, {"3 is many"}, {"Nut {{Name}}"}, {"1 is one"}, {"end"}, {"Washer"}, {"9 is many"}}},
		{"a condition around", [][]string{{"{{#if Paid}}", "{{#each Items limit 2}}", "{{Name}} for {{Name}}"}, {"{{/each}}"}, {"{{/if}}", "x"}},
			[][]string{{"Bolt for Bolt"}, {}, {"Nut {{Name}} for Nut {{Name}}"}, {}, {"x"}}},
		{"tables and blocks", [][]string{{"{{#each Orders where Lines}}", "| Part | of\n| {{Lines.Part}} | {{No}}", "{{#each Lines}}{{Part}}{{#if not @last}}, {{/if}}{{/each}}.", "* {{Lines.Part}}\nend", "{{/each}}"}},
			[][]string{{"| Part | of\n| A | 1\n| B | 1", "A, B.", "* A\n* B\nend"}, {"| Part | of\n| C | 2", "C.", "* C\nend"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			filled, err := fillPresentation(t, pptx(t, c.deck...), decks)
			if err != nil {
				t.Fatal(err)
			}
			if got := shownSlides(filled); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestADeckWithoutSlidesIsAFindingOfTheData(t *testing.T) {
	t.Parallel()
	_, err := fillPresentation(t, pptx(t, []string{"{{#each None}}", "{{Name}}", "{{/each}}"}), decks)
	wantFailure(t, err, "no_slides", "no presentation is made without one")
}

func TestSlidesHaveALimitThatNamesTheList(t *testing.T) {
	t.Parallel()
	deck := pptx(t, []string{"{{#each Items}}", "{{N}}"}, []string{"{{/each}}"})
	if _, err := fillPresentation(t, deck, `{"Items":`+items(101, `{"N":#}`)+`}`); err != nil {
		t.Errorf("200 new slides: %v", err)
	}
	_, err := fillPresentation(t, deck, `{"Items":`+items(5_000, `{"N":#}`)+`}`)
	wantFailure(t, err, "too_many_slides", "The list Items has 5000 items, and with number 102 there would be more than 200 new slides")
}

// Notes of a slide that repeats have no ids that somebody could know.
func TestNotesOfRepeatedSlidesAreFilled(t *testing.T) {
	t.Parallel()
	deck := pptxWithNotes(t, [][]string{{"{{#each Items}}", "{{Name}}"}, {"{{Qty}}", "{{/each}}"}, {"last"}},
		[]string{"Say {{Name}} of {{@count}}, {{Paid}}\nplain\n{{#if Qty > 1}}many {{Qty}}{{else}}one{{/if}}!", "{{#each Items}}\n{{Name}}\n{{/each}}\nend", "{{Name}}"})
	filled, err := fillPresentation(t, deck, decks)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range filled.Slides {
		got = append(got, shownNotes(s))
	}
	inner := "Bolt\nNut {{Name}}\nWasher\nend"
	want := []string{"Say Bolt of 3, true\nplain\nmany 3!", inner, "Say Nut {{Name}} of 3, true\nplain\none!", inner, "Say Washer of 3, true\nplain\nmany 9!", inner, "Ada"}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func wantFailure(t *testing.T, err error, code, message string) {
	t.Helper()
	if refused, ok := errors.AsType[*platen.Error](err); !ok || refused.Code != code || !strings.Contains(refused.Message, message) {
		t.Errorf("got %v, want %s: %s", err, code, message)
	}
}

func shownNotes(s *gslides.Page) string {
	var all []string
	if s.SlideProperties == nil || s.SlideProperties.NotesPage == nil {
		return ""
	}
	for _, e := range s.SlideProperties.NotesPage.PageElements {
		if e.Shape != nil {
			all = append(all, shownText(e.Shape.Text))
		}
	}
	return strings.Join(all, "\n--\n")
}

// An answer may be lost, and somebody send the batch once more.
func TestABatchThatRepeatsSlidesIsRefusedTheSecondTime(t *testing.T) {
	t.Parallel()
	p, err := pml.ReadPresentation(pptx(t, []string{"{{#each Items}}", "{{Name}}"}, []string{"{{Qty}}", "{{/each}}"}))
	if err != nil {
		t.Fatal(err)
	}
	requests := composeSlides(t, p)
	again := composeSlides(t, p)
	if got, want := fmt.Sprint(onTheWire(t, again)), fmt.Sprint(onTheWire(t, requests)); got != want {
		t.Errorf("composed again, the batch is\n%s\nand not\n%s", got, want)
	}
	if left := unsaid("requests", "", onTheWire(t, requests)); len(left) > 0 {
		t.Errorf("these are not sent: %q", left)
	}
	if _, err := slides.Apply(p, "id", requests); err != nil {
		t.Fatal(err)
	}
	written, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if p, err = pml.ReadPresentation(written); err != nil {
		t.Fatal(err)
	}
	copies := slices.DeleteFunc(slices.Clone(requests), func(r *gslides.Request) bool { return r.DuplicateObject == nil })
	if _, err := slides.Apply(p, "id", copies); err == nil || !strings.Contains(err.Error(), "should be unique") {
		t.Errorf("copied once more: %v", err)
	}
}

func composeSlides(t *testing.T, p *pml.Presentation) []*gslides.Request {
	t.Helper()
	resource, err := slides.Get(p, "id", "title", "1")
	if err != nil {
		t.Fatal(err)
	}
	requests, err := fill.ComposePresentation(resource, lang.NewEvaluator(parse(t, decks), lang.Builtins{}), nonce)
	if err != nil {
		t.Fatal(err)
	}
	return requests
}

// A slide of many texts repeats for many items within the changes that a drive takes.
func TestATagOfARepeatedSlideIsReplacedWhereverItStands(t *testing.T) {
	t.Parallel()
	shapes := []string{"{{#each Items}}"}
	for range 25 {
		shapes = append(shapes, "{{Name}} and {{Qty}}\nmore {{Name}}")
	}
	filled, err := fillPresentation(t, pptx(t, append(shapes, "{{/each}}")), `{"Items":`+items(201, `{"Name":"n#","Qty":#}`)+`}`)
	if err != nil {
		t.Fatal(err)
	}
	all := shownSlides(filled)
	if got := all[200][24]; len(all) != 201 || got != "n200 and 200\nmore n200" {
		t.Errorf("got %d slides, the last with %q", len(all), got)
	}
}
