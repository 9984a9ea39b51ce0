package journey

import (
	"net/http"
	"testing"
)

// A locale that a formula names wins.
func TestDocumentsFollowTheLocaleOfTheirWorkflow(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	r := newReceiver(t)
	w := h.letter(t, r, object{"outputName": `{{= NUMBER(Total, 2)}} {{= DATE(Due, "MMMM")}} {{= WORDS(2)}} {{= NUMBER(Total, 1, "en")}}`})
	made := func() string {
		postObject(t, w.Source.WebhookURL, object{"Total": 1234.5, "Due": "2026-01-31"})
		documents := r.next(t).event.Data.Documents
		if len(documents) != 1 {
			t.Fatalf("event: got %d documents, want one", len(documents))
		}
		return documents[0].Name
	}
	for _, step := range []struct {
		locale any
		want   string
	}{
		{"", "1,234.50 January two 1,234.5"},
		{"de", "1.234,50 Januar zwei 1,234.5"},
		{"it-CH", "1234.50 gennaio due 1,234.5"},
		{nil, "1,234.50 January two 1,234.5"},
	} {
		h.call(t, http.MethodPatch, "/workflows/"+w.ID+"/", object{"locale": step.locale}, nil, http.StatusOK)
		if got := made(); got != step.want {
			t.Errorf("in %v: got %q, want %q", step.locale, got, step.want)
		}
	}
}
