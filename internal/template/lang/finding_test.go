package lang_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

func TestAFindingIsReportedOnce(t *testing.T) {
	t.Parallel()
	e := lang.NewEvaluator(nil, lang.Builtins{})
	for _, f := range []lang.Finding{{Code: "a", Tag: "{{x}}", Message: "first"}, {Code: "a", Tag: "{{x}}", Message: "again"}, {Code: "b", Tag: "{{x}}"}, {Code: "a", Tag: "{{y}}"}} {
		e.Report(f)
	}
	var got []string
	for _, f := range e.Findings() {
		got = append(got, f.Code+" "+f.Tag+" "+f.Message)
	}
	if want := []string{"a {{x}} first", "b {{x}} ", "a {{y}} "}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheSameMistakeInManyPlacesIsOneFinding(t *testing.T) {
	t.Parallel()
	got := work(t, `{"Items": [{"A": "x"}, {"A": "y"}]}`, "{{= 1 / 0}}{{= 1 / 0}}{{=1 / 0}}{{#each Items}}{{= A * 2}}{{= A * 2}}{{/each}}")
	want := []string{"division_by_zero {{= 1 / 0}}", "division_by_zero {{=1 / 0}}", "not_a_number {{= A * 2}}", "not_a_number {{= A * 2}}"} // of each item
	if !slices.Equal(got.findings, want) {
		t.Errorf("got %q, want %q", got.findings, want)
	}
}

// The data may have a mistake in each item: each is a finding, up to 200.
func TestMistakesOfTheDataAreOfEachItem(t *testing.T) {
	t.Parallel()
	var items []string
	for i := range 300 {
		items = append(items, fmt.Sprintf(`{"Url": "ftp://%d"}`, i))
	}
	e := evaluator(t, `{"Items": [`+strings.Join(items, ",")+`]}`)
	workWith(e, "{{#each Items}}{{link Url}}{{/each}}")
	f := e.Findings()
	if len(f) != 200 {
		t.Fatalf("got %d findings, want 200", len(f))
	}
	for i, f := range f {
		if want := fmt.Sprintf("For item %d of Items: The address of the link", i+1); !strings.HasPrefix(f.Message, want) || !f.Data {
			t.Fatalf("%d: got %+v, want %s", i, f, want)
		}
	}
}
