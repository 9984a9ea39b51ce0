package check_test

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/platenhq/platen/internal/render/rendertest"
	"github.com/platenhq/platen/internal/template/check"
)

func describePart(t *testing.T, file []byte) *jsonschema.Schema {
	t.Helper()
	template, err := check.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	written, err := template.Schema()
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(string(written)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("https://platen.test/schema.json", parsed); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("https://platen.test/schema.json")
	if err != nil {
		t.Fatalf("%v in\n%s", err, written)
	}
	return compiled
}

func TestTheSchemaTakesTheDataThatATemplateCanBeFilledWith(t *testing.T) {
	t.Parallel()
	template := describePart(t, docx(t, "{{Name}} {{Unit Price/100%}} {{#if Paid}}{{Thanks}}{{/if}}", "{{#each Orders}}", "{{No}} {{Name}}", "{{/each}}", "| {{Items.Name}} | {{= SUM(Items.Price)}}"))
	for data, fits := range map[string]bool{
		`{"Name": "Ada", "Unit Price/100%": 1, "Orders": [{"No": 1}], "Items": [{"Name": "x", "Price": "1.5"}]}`:                   true,
		`{"Name": "Ada", "Unit Price/100%": 1, "Orders": [], "Items": {"Name": "x", "Price": 1}, "More": {}}`:                      true,
		`{"Unit Price/100%": 1, "Orders": [], "Items": []}`:                                                                        false,
		`{"Name": {"First": "Ada"}, "Unit Price/100%": 1, "Orders": [], "Items": []}`:                                              false,
		`{"Name": "Ada", "Unit Price/100%": 1, "Orders": {"No": 1}, "Items": []}`:                                                  false,
		`{"Name": "Ada", "Unit Price/100%": 1, "Orders": [{}], "Items": []}`:                                                       false,
		`{"Name": "Ada", "Unit Price/100%": 1, "Orders": [], "Items": [{"Name": "x", "Price": true}]}`:                             false,
		`{"Name": "Ada", "Unit Price/100%": 1, "Orders": [], "Items": [{"Price": 1}], "Timestamp": "built-ins are not asked for"}`: false,
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if err := template.Validate(value); (err == nil) != fits {
			t.Errorf("%s: got %v, want fits %v", data, err, fits)
		}
	}
}

func TestTheExamplesDataFitsTheirSchemas(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"invoice.docx", "letter.docx", "offer.pptx"} {
		file, err := os.ReadFile(filepath.Join("../../../examples", name))
		if err != nil {
			t.Fatal(err)
		}
		event, err := os.ReadFile(filepath.Join("../../../examples", strings.TrimSuffix(name, filepath.Ext(name))+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(event, &value); err != nil {
			t.Fatal(err)
		}
		if err := describePart(t, file).Validate(value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheDataOfAnEAN13IsAText(t *testing.T) {
	t.Parallel()
	of := describePart(t, rendertest.Docx{Body: rendertest.Paragraph("", "{{ean13 Article}} {{ean13 Group &amp; Number}}")}.Bytes(t))
	for data, fits := range map[string]bool{`{"Article":"4006381333931","Group":"40","Number":17}`: true, `{"Article":4006381333931,"Group":"40","Number":"17"}`: false} {
		var value any
		if err := json.Unmarshal([]byte(data), &value); err != nil {
			t.Fatal(err)
		}
		if err := of.Validate(value); (err == nil) != fits {
			t.Errorf("%s: got %v, want it to fit: %t", data, err, fits)
		}
	}
	if got := of.Properties["Article"].Examples; len(got) != 1 || got[0] != "4006381333931" {
		t.Errorf("got the examples %v", got)
	}
}

// An example of the data fills the template: few texts are a link or a currency.
func TestWhatTakesFewValuesHasAnExample(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`{{link Shop "to it"}}`: {"https://example.com/"}, `{{ean13 Shop}}`: {"4006381333931"},
		`{{= CURRENCY(2, Shop)}}`: {"EUR"}, `{{= CURRENCY(2, DEFAULT(UPPER(Shop), "EUR"))}}`: {"EUR"}, `{{= DATE(Shop)}}`: {"2026-01-31"},
		`{{qr GIROCODE("Shop", Shop, 2)}}`: {"AT611904300234573201"}, `{{= CONCAT(Shop, "!")}}`: {}, `{{Shop}}`: {},
	} {
		of := describePart(t, rendertest.Docx{Body: rendertest.Paragraph("", html.EscapeString(text))}.Bytes(t))
		if got := fmt.Sprint(of.Properties["Shop"].Examples); got != fmt.Sprint(want) {
			t.Errorf("%s: got the examples %s, want %s", text, got, want)
		}
	}
}
