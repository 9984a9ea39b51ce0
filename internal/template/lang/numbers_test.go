package lang_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

// invoices is of a document that declares the series invoices.
func invoices(series string) (int64, bool) { return 17, series == "invoices" }

func TestANumberIsOfASeriesThatTheDocumentDeclares(t *testing.T) {
	t.Parallel()
	data, err := lang.ParseData([]byte(`{"Number invoices": 99, "number INVOICES": 98, "Number plates": 4, "Items": [{"Name": "a", "Number invoices": 5}, {"Name": "b"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ template, want, finding, missing string }{
		{"{{Number invoices}}", "17", "", ""},
		{"{{ number   Invoices }}", "17", "", ""},
		{`{{= "RE-" & PAD(Number invoices, 5)}}`, "RE-00017", "", ""},
		{"{{= Number invoices + 1}}", "18", "", ""},
		{"{{#each Items}}{{Name}}{{Number invoices}} {{/each}}", "a17 b17 ", "", ""},
		{"{{Number plates}}", "4", "", ""},
		{"{{Number receipts}}", "", "series_undeclared", ""},
		{"{{= Number receipts}}", "", "series_undeclared", ""},
		{"{{#each Items}}{{Number receipts}}{{/each}}", "", "series_undeclared", ""},
		{"{{#if Number receipts}}x{{else}}none{{/if}}", "none", "", ""},
		{"{{Number of things}}", "", "", "Number of things"},
		{"{{Number Über}}", "", "", "Number Über"},
	} {
		e := lang.NewEvaluator(data, lang.Builtins{Number: invoices})
		var got strings.Builder
		for _, span := range e.Fill(e.ReadLine(c.template), nil, false) {
			if span.Value {
				got.WriteString(span.Text)
			} else {
				got.WriteString(c.template[span.Start:span.End])
			}
		}
		finding := ""
		if all := e.Findings(); len(all) > 0 {
			finding = all[0].Code
			if !strings.HasPrefix(all[0].Tag, "{{Number ") || !strings.Contains(all[0].Message, `add "receipts" to its numbers`) {
				t.Errorf("%s: got %+v; want the tag, and what to add", c.template, all[0])
			}
		}
		if got.String() != c.want || finding != c.finding || strings.Join(e.Missing(), ",") != c.missing {
			t.Errorf("%s: got %q, finding %q, missing %v; want %q, %q, %q", c.template, got.String(), finding, e.Missing(), c.want, c.finding, c.missing)
		}
	}
}

func TestANumberStandsInNamesAndPasswords(t *testing.T) {
	t.Parallel()
	with, without := lang.Builtins{Number: invoices}, lang.Builtins{}
	const template = "RE {{Number invoices}}"
	if name, missing := lang.ExpandName(template, nil, with); name != "RE 17" || len(missing) > 0 {
		t.Errorf("got %q, missing %v; want RE 17", name, missing)
	}
	if _, missing := lang.ExpandPassword(template, nil, without, func(text string) bool { return text == "" }); len(missing) != 1 || missing[0] != "Number invoices" {
		t.Errorf("a password: got missing %v; want Number invoices", missing)
	}
	if found := lang.CheckName(template, nil, without); len(found) != 1 || found[0].Code != "series_undeclared" {
		t.Errorf("a name: got %+v; want series_undeclared", found)
	}
}

func TestTheCheckFindsNumbersOfSeriesThatAreNotDeclared(t *testing.T) {
	t.Parallel()
	texts := []string{"{{Number invoices}} {{= PAD(Number receipts, 5)}} {{Number plates}}"}
	found := lang.InspectFor(texts, []string{"Number plates"}, nil, invoices)
	if len(found) != 1 || found[0].Code != "series_undeclared" || found[0].Tag != "{{= PAD(Number receipts, 5)}}" || found[0].Place.Offset != 20 {
		t.Errorf("got %+v; want series_undeclared at the second tag alone", found)
	}
	if found := lang.Inspect(texts, []string{"Number plates"}); len(found) > 0 {
		t.Errorf("without a document: got %+v; want nothing", found)
	}
	if r := lang.ReadRequirements(texts); len(r.Parts) > 0 {
		t.Errorf("got %+v; want nothing that the data must have", r.Parts)
	}
}
