package journey

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestInvoicesAreNumberedWithoutAGap(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	numbered := object{"numbers": []string{"invoices"}, "outputName": `RE-{{= PAD(Number invoices, 4)}}`}
	for n, want := range []string{"Invoice 1 to Ada", "Invoice 2 to Ada"} {
		_, e := h.deliverOne(t, "Invoice {{Number invoices}} to {{Name}}", numbered, object{"Name": "Ada", "Number invoices": 99})
		if got := h.paragraphs(t, e.Data.Documents[0].ID); !slices.Equal(got, []string{want}) {
			t.Errorf("got %q, want %q", got, want)
		}
		if name := []string{"RE-0001", "RE-0002"}[n]; e.Data.Documents[0].Name != name {
			t.Errorf("got the name %q, want %q", e.Data.Documents[0].Name, name)
		}
	}
	w := h.createWorkflow(t, object{"name": "Mistakes"})
	h.addDocument(t, w, h.write(t, "Mistakes", "Invoice {{Number invoices}}{{Number receipts}}"), object{"numbers": []string{"invoices"}})
	r := newReceiver(t)
	h.register(t, w, r)
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})
	if body := string(r.next(t).body); !strings.Contains(body, "DOCUMENT_FAILED") || !strings.Contains(body, `add \"receipts\" to its numbers`) {
		t.Errorf("event: got %s, want that receipts is no series of the document", body)
	}
	h.finished(t, w.ID, platen.AutomationFailed)
	var all []struct {
		Number       int    `json:"number"`
		State        string `json:"state"`
		Code         string `json:"code"`
		AutomationID string `json:"automationId"`
	}
	h.call(t, http.MethodGet, "/series/invoices/numbers/", nil, &all, http.StatusOK)
	if len(all) != 3 || all[0].State != "USED" || all[1].State != "USED" || all[2].State != "VOID" || all[2].Code != "template_faulty" || all[2].Number != 3 {
		t.Errorf("got %+v, want two that are used, and the third void", all)
	}
}
