package fill_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/office/wml"
)

// No part of a value, alone or with the text around it, may become a tag that is
// filled.
func TestNoValueBecomesATagWithWhatStandsBesideIt(t *testing.T) {
	t.Parallel()
	values := []string{"", "{", "}", "{{", "}}", "K", "{K", "K}}", "{{K}}", "a{K}b", "a{{K}}b", "{{{{{{K}}}}}}"}
	around := [][2]string{{"", ""}, {"{", "}"}, {"{{", "}}"}, {"{{a ", " b}}"}, {"}", "{"}, {"x ", " y"}}
	for _, outer := range around {
		type pair struct{ V, W string }
		var items []pair
		var want strings.Builder
		for _, v := range values {
			for _, w := range values {
				items = append(items, pair{v, w})
				want.WriteString(outer[0] + v + w + outer[1] + ";")
			}
		}
		data, err := json.Marshal(map[string]any{"Items": items, "K": "filled", "a K b": "filled", "aK": "filled"})
		if err != nil {
			t.Fatal(err)
		}
		template := "{{K}} {{a K b}} {{aK}}\n{{#each Items}}" + outer[0] + "{{V}}{{W}}" + outer[1] + ";{{/each}}"
		file, _, err := filledFile(t, docx(t, drawn(template), "", ""), string(data))
		if err != nil {
			t.Errorf("between %q: %v", outer, err)
			continue
		}
		filled, err := wml.ReadDocument(file)
		if err != nil {
			t.Fatal(err)
		}
		resource, err := docs.Get(filled, "id", "title", "2")
		if err != nil {
			t.Fatal(err)
		}
		got := strings.TrimRight(shown(resource.Body.Content), "\n")
		if want := "filled filled filled\n" + want.String(); got != want {
			t.Errorf("between %q: got\n%s\nwant\n%s", outer, got, want)
		}
	}
}
