package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/mailbox"
)

// A harbour is an installation as somebody has it who sends invoices: most of them are made
// and mailed, one failed by its data, and one has nobody to go to.
type harbour struct {
	installation
	box      *mailbox.Box
	invoices workflow
}

// customers are whom the invoices are for, by their numbers from 417 on. The price of one is
// no number, and one has no address.
var customers = []string{"Fairwind Sailing Club", "Ada Lovelace", "Jensen & Sons", "Grace Hopper", "Harbour Office Kiel", "Marsh Chandlery", "Katherine Johnson"}

const (
	wrongPrice = "Jensen & Sons"
	noAddress  = "Marsh Chandlery"
)

func openHarbour(t *testing.T) *harbour {
	t.Helper()
	h := &harbour{box: &mailbox.Box{}}
	smtp := h.box.Start(t)
	h.installation = install(t, func(s *config.Serve, w *config.Work) {
		s.SMTPFrom, w.SMTPFrom = "invoices@example.com", "invoices@example.com"
		w.SMTPURL, w.SMTPClearText.Setting = platen.Secret("smtp://"+smtp), config.Of(true)
	})
	v0 := h.origin + "/v0/workflows/"
	h.ask(t, "POST", v0, `{"name":"Invoices","icon":"receipt","color":"#b4530b"}`, &h.invoices)
	d := h.upload(t, "POST", v0+h.invoices.ID+"/documents/upload/", example(t, "invoice.docx"))
	h.ask(t, "PATCH", v0+h.invoices.ID+"/documents/"+d.ID+"/", `{"createPdfCopy":true,"removeOutput":true,"outputName":"{{Invoice Number}} {{Customer Name}}",
		"email":{"to":"{{Email}}","subject":"Invoice {{Invoice Number}}","text":"Dear {{Customer Name}},\n\nhere is your invoice.\n"}}`, &struct{}{})
	for n, customer := range customers {
		h.ask(t, "POST", h.invoices.Source.WebhookURL, invoiceOf(t, n, customer), &struct{}{})
	}
	h.wait(t, "every invoice is made or failed", func() bool {
		var runs []struct {
			State   string
			Outputs []struct{ Mail *struct{ State string } }
		}
		h.ask(t, "GET", v0+h.invoices.ID+"/automations/", "", &runs)
		for _, run := range runs {
			if run.State != "COMPLETED" && run.State != "FAILED" {
				return false
			}
			for _, o := range run.Outputs {
				if o.Mail != nil && o.Mail.State == "PENDING" {
					return false
				}
			}
		}
		return len(runs) == len(customers)
	})
	return h
}

func example(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile("../../examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// invoiceOf is the event of an invoice.
func invoiceOf(t *testing.T, n int, customer string) string {
	t.Helper()
	var event map[string]any
	if err := json.Unmarshal(example(t, "invoice.json"), &event); err != nil {
		t.Fatal(err)
	}
	event["Invoice Number"], event["Customer Name"] = fmt.Sprintf("BW-2026-0%d", 417+n), customer
	event["Email"] = "office@example.com"
	switch customer {
	case noAddress:
		event["Email"] = ""
	case wrongPrice:
		event["Items"].([]any)[1].(map[string]any)["Price"] = "fourteen"
	}
	text, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// wait asks again until something is so.
func (h *harbour) wait(t *testing.T, what string, isSo func() bool) {
	t.Helper()
	tick, late := time.NewTicker(50*time.Millisecond), time.After(patience)
	defer tick.Stop()
	for !isSo() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}
