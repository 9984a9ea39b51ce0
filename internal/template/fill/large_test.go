package fill_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// items are objects of a list, each made from its number.
func items(n int, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i))
	}
	return "[" + strings.Join(all, ",") + "]"
}

func TestListsThatAreTooLongAreNamedAsTheDatas(t *testing.T) {
	t.Parallel()
	const head, item = "| Item | Price\n", `{"Name":"n#","Qty":1,"Price":"1"}`
	many := `{"Items":` + items(20_000, item) + `}`
	nested := `{"Orders":` + items(3_000, `{"No":#,"Lines":[{"Part":"a"},{"Part":"b"}]}`) + `}`
	for name, c := range map[string]struct{ template, data, want string }{
		"rows": {head + "| {{Items.Name}} | {{= NUMBER(Items.Qty * Items.Price, 2)}}\n| Sum | {{= SUM(Items.Qty)}}\nend", many,
			"The list Items has 20000 items, and about 3334 of them fit into this document: send fewer."},
		"rows in a block":     {head + "| {{#each Items}}{{Name}} | x{{/each}}\nend", many, "The list Items has 20000 items, and about 3334 of them fit into this document: send fewer."},
		"rows of inner lists": {head + "| {{Orders.No}} | {{Orders.Lines.Part}}\nend", nested, "The list Orders.Lines has 6000 items, and about 3334 of them fit into this document: send fewer."},
		"blocks of rows":      {head + "| {{#each Orders}}{{No}} | x\n| {{Lines.Part}} | {{/each}}\nend", nested, "The list Orders has 3000 items, and about 1"},
		"rows of many cells":  {strings.Repeat("| ", 20) + "| {{Items.Qty}}\nend", many, "The list Items has 20000 items, and about 2381 of them fit into this document: send fewer."},
		"values of braces":    {"{{#each Items}}{{Text}}{{/each}}", `{"Items":` + items(20_000, `{"Text":"{#{{{{{{{{}"}`) + `}`, "The values for this document have more than 4 MiB together: send less data."},
		"values in braces":    {"{ {{#each Items}}{{N}}{{/each}} }", `{"Items":` + items(190_000, `{"N":1}`) + `}`, "The values for this document have more than 4 MiB together: send less data."},
		"text":                {"{{#each Items}}{{Text}}{{/each}}", `{"Items":` + items(2_000, `{"Text":"`+strings.Repeat("x", 4_000)+`"}`) + `}`, "The values for this document have more than 4 MiB together: send less data. The longest list, Items, has 2000 items."},
	} {
		_, _, err := filledFile(t, docx(t, drawn(c.template), "", ""), c.data)
		refused, ok := errors.AsType[*platen.Error](err)
		if !ok || refused.Code != "list_too_long" && !strings.Contains(c.want, "MiB") || !strings.HasPrefix(refused.Message, "The template cannot be filled with this data. "+c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

func TestMistakesOfDataAreNotTheTemplates(t *testing.T) {
	t.Parallel()
	data, template := lang.Finding{Code: "picture_unusable", Tag: "{{image A}}", Message: "It is damaged.", Data: true}, lang.Finding{Code: "unknown_function", Message: "There is no SUMM."}
	for want, findings := range map[string][]lang.Finding{
		"picture_unusable": {data, data}, "template_faulty": {data, template},
	} {
		refused, ok := errors.AsType[*platen.Error](fill.FindingsError(findings, nil))
		if !ok || refused.Code != want || !strings.Contains(refused.Message, "{{image A}}: It is damaged.") {
			t.Errorf("got %+v, want %s and all mistakes", refused, want)
		}
	}
}

// Lists in a line must cost what they are long, and neither changes nor memory
// for each item what is there already.
func TestALongListInALineIsOneChange(t *testing.T) {
	const n = 6_000
	data := parse(t, `{"Items":`+items(n, `{"Name":"n#","Inner":[{"B":[{"C":"{a}"}]}]}`)+`}`)
	for _, template := range []string{
		"{{#each Items}}{{Name}}{{#if not @last}}, {{/if}}{{/each}}\nend",
		"{{#each Items}}{{#each Inner}}{{#each B}}{{Name}}a{{C}}b{{/each}}{{/each}}{{/each}}",
		"{ {{#each Items}}{{Name}}{{/each}} }",
	} {
		d, err := wml.ReadDocument(docx(t, drawn(template), "", ""))
		if err != nil {
			t.Fatal(err)
		}
		resource, err := docs.Get(d, "id", "title", "1")
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		requests, err := fill.ComposeDocument(resource, lang.NewEvaluator(data, lang.Builtins{}), nonce)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		if len(requests) > 10 {
			t.Errorf("%s: %d requests, want a few", template, len(requests))
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 8_000*n {
			t.Errorf("%s: %d bytes were allocated, want no more than 8000 for each of %d items", template, got, n)
		}
	}
}
