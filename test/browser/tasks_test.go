package browser

import (
	"crypto/rand"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit/browser"
	"github.com/platenhq/platen/internal/testkit/mailbox"
)

// A counter is a visitor who counts: each press, each form that Enter sends, each file that
// is dropped.
type counter struct {
	visitor
	clicks int
}

func (c *counter) presses(label string) {
	c.t.Helper()
	c.clicks++
	c.visitor.presses(label)
}

func (c *counter) enters(field, text string) {
	c.t.Helper()
	c.clicks++
	c.Enter(field, text)
}

// People do what they come for with few presses, from Today on, on a desk and on a telephone.
func TestPeopleDoWhatTheyComeForWithFewPressesInChromium(t *testing.T) {
	t.Parallel()
	h := openHarbour(t)
	for screen, o := range map[string]browser.Options{"desk": {}, "telephone": {Width: 390}} {
		v := visitor{h.signIn(t, o), t, screen}
		for _, task := range []struct {
			name string
			most int // presses
			does func(*counter)
		}{
			{"a first document, of a file of one's own", 5, h.firstDocument},
			{"whose invoice failed, and why", 2, h.whatFailed},
			{"an invoice to another address", 4, h.otherAddress},
			{"the invoice of one customer", 2, h.findInvoice},
			{"which mails did not go out", 0, h.unsentMails},
		} {
			v.Visit(h.origin + "/")
			c, began := &counter{visitor: v}, time.Now()
			task.does(c)
			t.Logf("%s, %s: %d presses, %.1f s", task.name, screen, c.clicks, time.Since(began).Seconds())
			if c.clicks > task.most {
				t.Errorf("%s, %s: got %d presses, want %d at most", task.name, screen, c.clicks, task.most)
			}
		}
	}
}

func (h *harbour) firstDocument(c *counter) {
	c.presses("New workflow")
	c.clicks++
	c.Drop(".drop", letter(c.t, "berth letter.docx", "Dear {{Name}},", "your berth is number {{Berth}}."))
	c.presses("Create")
	c.presses("Make a document")
	c.writes(c.called("input, textarea", "Name"), "Ada Lovelace")
	c.writes(c.called("input, textarea", "Berth"), "17")
	c.presses("Make this document")
	waitFor(c.t, c.Page, "the document", `document.querySelector("main .state.good") !== null`)
	untilState(c.Page, ".pages", "drawn")
}

func (h *harbour) whatFailed(c *counter) {
	c.reads("section.causes", "Items", "Price", wrongPrice, "Invoices")
	c.presses("BW-2026-0419 " + wrongPrice)
	c.reads("h1", wrongPrice)
	c.reads("section.failed", "Items, item 2, Price", "not a number", "Write one such as 14.00")
}

// The same PDF goes out: nothing is made.
func (h *harbour) otherAddress(c *counter) {
	address := strings.ToLower(rand.Text()) + "@example.com"
	c.presses("BW-2026-0418 Ada Lovelace")
	c.presses("Send it again by mail")
	c.writes(c.called("input", "To these addresses"), address)
	c.presses("Send")
	waitFor(c.t, c.Page, "the second mail", `/Mail [23]/.test(document.querySelector("main").innerText) && document.querySelector("[id^=mail-] .good") !== null`)
	var again, before []mailbox.Received
	for _, m := range h.box.Mails() {
		switch {
		case slices.Contains(m.To, address):
			again = append(again, m)
		case strings.Contains(m.Text, "Subject: Invoice BW-2026-0418"):
			before = append(before, m)
		}
	}
	if len(again) != 1 || len(before) == 0 {
		c.t.Fatalf("got %d mails to %s after %d to others, want one after at least one", len(again), address, len(before))
	}
	for _, m := range before {
		if fileIn(m) != fileIn(again[0]) {
			c.t.Error("another file than before went out")
		}
	}
}

// fileIn is the file in a mail, in base64.
func fileIn(m mailbox.Received) string {
	return strings.Join(base64Line.FindAllString(m.Text, -1), "")
}

var base64Line = regexp.MustCompile(`(?m)^[0-9A-Za-z+/]{60,76}={0,2}\r?$`)

func (h *harbour) findInvoice(c *counter) {
	c.enters("#find", "Hopper")
	c.presses("BW-2026-0420 Grace Hopper")
	c.reads("h1", "BW-2026-0420 Grace Hopper")
}

func (h *harbour) unsentMails(c *counter) {
	c.reads(".figures", "Mails not sent", "1 mail did not go out")
	c.reads("section[aria-labelledby=unsent]", noAddress)
}
