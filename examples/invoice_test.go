package examples_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/flow"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/picture"
)

// outputOf makes an example's PDF for an event.
func outputOf(t *testing.T, name string, event []byte) []byte {
	t.Helper()
	e, err := examples.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := wml.ReadDocument(e.Template)
	if err != nil {
		t.Fatal(err)
	}
	resource, err := docs.Get(d, "id", e.Title, "1")
	if err != nil {
		t.Fatal(err)
	}
	data, err := lang.ParseData(event)
	if err != nil {
		t.Fatal(err)
	}
	evaluator := lang.NewEvaluator(data, lang.Builtins{})
	evaluator.ObtainWith(func(p lang.Picture) (lang.Obtained, error) {
		return picture.Source{Direct: true}.Obtain(t.Context(), p, nil)
	})
	requests, err := fill.ComposeDocument(resource, evaluator, "N0nceN0nceN0nce")
	if err != nil {
		t.Fatal(err)
	}
	if missing := evaluator.Missing(); len(missing) > 0 {
		t.Errorf("missing: %q", missing)
	}
	if _, err := docs.Apply(d, "id", requests); err != nil {
		t.Fatal(err)
	}
	filled, err := d.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if d, err = wml.ReadDocument(filled); err != nil {
		t.Fatal(err)
	}
	pdf, findings, err := flow.Document(pdf.EmbeddedFonts(), d, e.Title)
	if err != nil {
		t.Fatal(err)
	}
	if len(findings) > 0 {
		t.Errorf("the PDF does not show all: %+v", findings)
	}
	return pdf
}

// eventOf is the example's event with that many items, and without a deposit
// for none.
func eventOf(t *testing.T, items int) []byte {
	t.Helper()
	e, err := examples.Get(examples.Invoice)
	if err != nil {
		t.Fatal(err)
	}
	var event map[string]any
	if err := json.Unmarshal(e.Event, &event); err != nil {
		t.Fatal(err)
	}
	given := event["Items"].([]any)
	all := []any{}
	for i := range items {
		all = append(all, given[i%len(given)])
	}
	event["Items"] = all
	if items == 0 {
		event["Deposit"], event["Note"] = nil, ""
	}
	changed, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// pagesOf are the texts of a PDF's pages, by poppler.
func pagesOf(t *testing.T, pdf []byte) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "invoice.pdf")
	if err := os.WriteFile(file, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("PLATEN_EXAMPLES_OUT"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "-")+".pdf"), pdf, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := exec.CommandContext(t.Context(), "pdftotext", "-layout", file, "-").Output()
	if err != nil {
		t.Fatalf("pdftotext: %v", err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\f"), "\f")
}

func TestTheInvoiceOfAnyLengthIsOneThatACompanyWouldSend(t *testing.T) {
	t.Parallel()
	const (
		five  = "£4,259.76"
		forty = "£34,078.08"
	)
	for _, c := range []struct {
		items, pages int
		says, not    []string
	}{
		{0, 1, []string{"There were no services in this period.", "Subtotal £0.00", "VAT 20 % of £0.00 £0.00", "Total due £0.00"}, []string{"Deposit", "Winter storage, heated hall"}},
		{1, 1, []string{"1 Winter storage, heated hall 5.5 months £412.00 20 % £2,266.00", "VAT 20 % of £2,266.00 £453.20", "VAT 5 % of £0.00 £0.00", "Deposit received, with thanks -£500.00", "Total due £2,219.20"}, []string{"no services", "Engine"}},
		{5, 1, []string{"5 Shore power 214 kWh £0.34 5% £72.76", "Subtotal " + five, "VAT 20 % of £4,137.10 £827.42", "VAT 5 % of £72.76 £3.64", "VAT 0 % of £49.90 £0.00", "Total due £4,590.82", "Please pay £4,590.82 by 30 May 2026"}, []string{"no services"}},
		{40, 3, []string{"40 Shore power", "Subtotal " + forty, "VAT 5 % of £582.08 £29.10"}, []string{"no services"}},
	} {
		t.Run(fmt.Sprint(c.items), func(t *testing.T) {
			t.Parallel()
			pages := pagesOf(t, outputOf(t, examples.Invoice, eventOf(t, c.items)))
			if len(pages) != c.pages {
				t.Errorf("got %d pages, want %d", len(pages), c.pages)
			}
			all := strings.Join(strings.Fields(strings.Join(pages, " ")), " ")
			for _, want := range append(c.says, "Invoice BW-2026-0417", "Total due", "Or scan the code, or pay online.") {
				if !strings.Contains(all, want) {
					t.Errorf("it does not say %q:\n%s", want, all)
				}
			}
			for _, not := range append(c.not, "{{", "}}", "platen") {
				if strings.Contains(all, not) {
					t.Errorf("it says %q:\n%s", not, all)
				}
			}
			for i, page := range pages {
				lines := strings.Contains(page, "Winter storage, heated hall") || strings.Contains(page, "Antifouling")
				if lines && !strings.Contains(page, "Unit price") {
					t.Errorf("page %d has lines and no header row:\n%s", i+1, page)
				}
			}
		})
	}
}
