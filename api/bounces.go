package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// Bounces take messages about mails that came back, from a mail server.
type Bounces struct {
	// Key is what those present who hand messages over; empty: none are taken.
	Key platen.Secret
	// AddressKeys sign the addresses that mails come back to, and those before:
	// platen.BounceAddress.
	AddressKeys [][]byte
	// Read reads a message, as far as it needs. KindInvalid: it is none.
	Read func(message io.Reader) (platen.Returned, error)
	// Count counts what became of a message. Default: nothing does.
	Count func(BounceOutcome)
}

// BounceOutcome is what became of a message about a mail.
type BounceOutcome string

// Outcomes of messages.
const (
	BounceNoted   BounceOutcome = "BOUNCED" // the mail came back, and says so now
	BounceKnown   BounceOutcome = "KNOWN"   // that was known
	BounceIgnored BounceOutcome = "IGNORED" // it is about no mail of ours, or no failure
)

// bouncesPath is where messages about mails that came back are handed over, and bounceLimit
// how large they are. They may have the whole mail in them.
const (
	bouncesPath = "/bounces"
	bounceLimit = 32 << 20
)

// maxBounceTo is how many addresses of a request are looked at.
const maxBounceTo = 20

type bounceJSON struct {
	Outcome BounceOutcome `json:"outcome"`
}

// takeBounce reads a message about a mail that came back, and notes it. A message that is
// about no mail is no mistake of who hands it over: nobody is to send it once more.
func (s *server) takeBounce(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "no-store")
	if err := s.permitBounce(w, r); err != nil {
		return err
	}
	body, err := edge.Stream(w, r, bounceLimit)
	if err != nil {
		return err
	}
	message, err := s.bounces.Read(body)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, body); err != nil { // else the sender sees a broken connection
		return err
	}
	given := r.URL.Query()["to"]
	message.To = append(given[:min(len(given), maxBounceTo)], message.To...)
	outcome, err := s.noteBounce(r.Context(), message)
	if err != nil {
		return err
	}
	edge.Note(r.Context(), slog.String("outcome", string(outcome)))
	if s.bounces.Count != nil {
		s.bounces.Count(outcome)
	}
	return edge.WriteJSON(w, http.StatusOK, bounceJSON{outcome})
}

// permitBounce asks for the key: behind Bearer, or as the password of an address with any
// user, which is how providers of mail sign in.
func (s *server) permitBounce(w http.ResponseWriter, r *http.Request) error {
	given, isBearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !isBearer {
		_, given, _ = r.BasicAuth()
	}
	got, want := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(s.bounces.Key))
	if subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
		return nil
	}
	return cmp.Or(s.refusals.Take(w.Header(), addressKey(s.proxies.Client(r))),
		error(platen.Errorf(platen.KindForbidden, "bounce_key_wrong", "The request does not have the key of PLATEN_SMTP_BOUNCE_KEY. Send it behind Bearer in the Authorization header, or as the password of the address.")))
}

// noteBounce notes what a message says, in the name of the owner of the mail's workflow.
func (s *server) noteBounce(ctx context.Context, message platen.Returned) (BounceOutcome, error) {
	outputID, number, found := s.mailIn(message.To)
	if !found || len(message.Failed) == 0 {
		return BounceIgnored, nil
	}
	edge.Note(ctx, slog.String("mail", platen.MailKey{OutputID: outputID, Number: number}.ID()))
	isNews, err := s.bounce(ctx, outputID, number, message.Failed)
	switch {
	case platen.KindOf(err) == platen.KindNotFound: // deleted, erased, or too old
		return BounceIgnored, nil
	case err != nil:
		return "", err
	case isNews:
		return BounceNoted, nil
	}
	return BounceKnown, nil
}

func (s *server) bounce(ctx context.Context, outputID string, number int, failed []platen.FailedRecipient) (isNews bool, err error) {
	workflowID, err := s.Mails.WorkflowOfOutput(ctx, outputID)
	if err != nil {
		return false, err
	}
	wf, err := s.Workflows.WorkflowByID(ctx, workflowID)
	if err != nil {
		return false, err
	}
	return s.Mails.BounceMail(platen.WithCaller(ctx, wf.Owner), outputID, number, failed)
}

// mailIn finds the mail that one of these addresses names.
func (s *server) mailIn(addresses []string) (outputID string, number int, found bool) {
	for _, address := range addresses {
		if outputID, number, found = platen.ReadBounceAddress(s.bounces.AddressKeys, address); found {
			return outputID, number, true
		}
	}
	return "", 0, false
}
