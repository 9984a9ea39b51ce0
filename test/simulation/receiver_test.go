package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// A receiver is where the events of an owner go. It takes them, or answers as it
// was told to.
type receiver struct {
	received map[string][]receipt // by event
	status   map[string]int       // by address; 0: it takes what comes
	refused  map[string]int       // attempts that it did not take, by event
}

// A receipt is one event that a receiver took.
type receipt struct {
	at    time.Duration
	event platen.Event
}

// files are the ids of those that the event names.
func (r receipt) files() []string {
	var body struct {
		Data struct{ Documents []struct{ ID string } }
	}
	if err := json.Unmarshal(r.event.Payload, &body); err != nil {
		panic(fmt.Sprintf("%s was received as %q: %v", r.event.ID, r.event.Payload, err))
	}
	ids := make([]string, len(body.Data.Documents))
	for i, d := range body.Data.Documents {
		ids[i] = d.ID
	}
	return ids
}

func newReceiver() *receiver {
	return &receiver{received: map[string][]receipt{}, status: map[string]int{}, refused: map[string]int{}}
}

// A sender makes the attempts of a process.
type sender struct {
	w *harness
	p *process
}

// attemptTimeout is what one attempt has.
const attemptTimeout = 15 * time.Second

// Send takes no time but what the simulation gives it.
func (s sender) Send(ctx context.Context, e platen.Event, to platen.Endpoint, attempt int) (platen.Delivery, error) {
	made := platen.Delivery{EventID: e.ID, Attempt: attempt, At: time.Now()}
	within, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	status := 0
	err := s.w.do(within, s.p, partReceiver, "sends", e.ID, func() error {
		s.w.checkTold(e)
		s.w.checkSent(e, to)
		status = s.w.receiver.take(s.w.since(), e, to)
		if s.w.planted.sendsTwice {
			status = s.w.receiver.take(s.w.since(), e, to)
		}
		return nil
	})
	if err == nil && status == hangs {
		err = hang(within, partReceiver)
	}
	made.Duration = time.Since(made.At)
	switch {
	case errors.Is(err, errCrashed):
		return made, err
	case err != nil:
		made.Failure = "The receiver did not answer."
	case status != http.StatusOK:
		made.Status, made.Failure = status, fmt.Sprintf("The receiver answered %d.", status)
	default:
		made.Status = status
	}
	return made, nil
}

func (r *receiver) take(at time.Duration, e platen.Event, to platen.Endpoint) int {
	if status := r.status[to.URL]; status != 0 {
		r.refused[e.ID]++
		return status
	}
	r.received[e.ID] = append(r.received[e.ID], receipt{at, e})
	return http.StatusOK
}

// protector stands for the encryption of PDFs: two of one PDF differ.
type protector struct{}

func (protector) Protect(pdf []byte, password string, _ bool) ([]byte, error) {
	return fmt.Appendf(nil, "encrypted with %s at %d: %s", password, time.Now().UnixNano(), pdf), nil
}

func (protector) Append(pdf []byte, parts []platen.AppendedPDF) ([]byte, []platen.Finding, error) {
	for _, part := range parts {
		pdf = fmt.Appendf(pdf, " with %s", part.Content)
	}
	return pdf, nil, nil
}

func (protector) Mark(pdf []byte, word string) ([]byte, error) {
	return fmt.Appendf(nil, "marked %s: %s", word, pdf), nil
}

func (protector) Archive(pdf []byte, a platen.Archive) ([]byte, error) {
	return fmt.Appendf(nil, "%s: %s", a.Profile, pdf), nil
}

func (protector) Seal(_ context.Context, pdf []byte, at time.Time) ([]byte, error) {
	return fmt.Appendf(nil, "%s, sealed at %d", pdf, at.UnixNano()), nil
}

func (p protector) ProtectAndSeal(ctx context.Context, pdf []byte, password string, preventCopy bool, at time.Time) ([]byte, error) {
	locked, err := p.Protect(pdf, password, preventCopy)
	if err != nil {
		return nil, err
	}
	return p.Seal(ctx, locked, at)
}

func (protector) Pages([]byte) int { return 1 }

func (protector) Opens(pdf []byte, password string) error {
	if !strings.HasPrefix(string(pdf), "encrypted with "+password+" at ") {
		return platen.Errorf(platen.KindInvalid, "pdf_password_wrong", "The PDF does not open with its password.")
	}
	return nil
}
