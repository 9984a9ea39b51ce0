package journey

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestBlocksAndFormulasAreFilled(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	template := strings.Join([]string{
		"Dear {{Name}},",
		"{{#each Items}}",
		"{{@index}}. {{Name}} {{Evil}}: {{= Qty * Price}}",
		"{{/each}}",
		"{{#if Paid}}",
		"Thank you.",
		"{{else}}",
		"Please pay {{= CURRENCY(SUM(Items.Qty * Items.Price), \"EUR\")}}.",
		"{{/if}}",
		"{{Evil}} {{Nowhere}}!",
	}, "\n")
	_, e := h.deliverOne(t, template, object{"outputName": "{{= UPPER(Name)}}{{#if Paid}} paid{{/if}}"}, object{
		"Name": "Ada", "Evil": "{{Name}} {{/each}}", "Paid": false,
		"Items": []object{{"Name": "Bolt", "Qty": 3, "Price": "0.10"}, {"Name": "Nut", "Qty": 1, "Price": "0.20"}},
	})
	if len(e.Data.Documents) != 1 || e.Data.Documents[0].Name != "ADA" {
		t.Fatalf("documents: got %+v, want one of the name ADA", e.Data.Documents)
	}
	want := []string{
		"Dear Ada,",
		"1. Bolt {{Name}} {{/each}}: 0.3",
		"2. Nut {{Name}} {{/each}}: 0.2",
		"Please pay €0.50.",
		"{{Name}} {{/each}} !",
	}
	if got := h.paragraphs(t, e.Data.Documents[0].ID); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if !slices.Equal(e.Data.MissingFields, []string{"Nowhere"}) {
		t.Errorf("missing fields: got %q, want Nowhere", e.Data.MissingFields)
	}
}

func TestTemplatesWithMistakesFailTheirDocumentInPlainWords(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	w := h.createWorkflow(t, object{"name": "Mistakes"})
	h.addDocument(t, w, h.write(t, "Mistakes", "{{#if Name}} {{= SUMM(1)}} {{Name}}"), object{})
	r := newReceiver(t)
	h.register(t, w, r)
	postObject(t, w.Source.WebhookURL, object{"Name": "a value"})
	e := r.next(t)
	if e.event.Type != "DOCUMENT_FAILED" {
		t.Fatalf("event: got %+v, want DOCUMENT_FAILED", e.event)
	}
	body := string(e.body)
	if !strings.Contains(body, "template_faulty") || !strings.Contains(body, "SUMM") || !strings.Contains(body, "Did you mean SUM?") || strings.Contains(body, "a value") {
		t.Errorf("event: got %s, want both mistakes and no value", body)
	}
	h.finished(t, w.ID, platen.AutomationFailed)
}
