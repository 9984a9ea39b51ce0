package api

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"regexp"

	"github.com/gorilla/mux"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// senderJSON is a mail server of the caller's. Its password is never shown.
type senderJSON struct {
	ID          string              `json:"id"`
	Name        string              `json:"name"`
	From        string              `json:"from"`
	Host        string              `json:"host"`
	Port        int                 `json:"port"`
	Security    platen.MailSecurity `json:"security"`
	User        string              `json:"user"`
	HasPassword bool                `json:"hasPassword"`
	Bounces     string              `json:"bounces"`
	// FailingSince and Error are of the last attempt, where that failed at the server.
	FailingSince *string      `json:"failingSince"`
	Error        *failureJSON `json:"error"`
	CreatedAt    string       `json:"createdAt"`
	UpdatedAt    string       `json:"updatedAt"`
}

func sender(s platen.MailSender) senderJSON {
	return senderJSON{
		ID: s.ID, Name: s.Name, From: s.From, Host: s.Host, Port: s.Port, Security: s.Security, User: s.User, HasPassword: s.Password != "", Bounces: s.Bounces,
		FailingSince: moment(s.FailingSince), Error: failure(s.Code, s.Message), CreatedAt: platen.Timestamp(s.CreatedAt), UpdatedAt: platen.Timestamp(s.UpdatedAt),
	}
}

// readSender reads a body into changes of a sender, which is new or as it is stored.
func (s *server) readSender(body []byte, of platen.MailSender) (platen.MailSender, error) {
	var name, from, host, security, user, password, bounces *string
	var port *int
	before, isNew := of, of.CreatedAt.IsZero()
	m := members{
		"id": skipValue, "hasPassword": skipValue, "failingSince": skipValue, "error": skipValue, "createdAt": skipValue, "updatedAt": skipValue,
		"name":     text(&name, line(platen.MaxWorkflowName)),
		"from":     text(&from, senderAddress),
		"host":     text(&host, mailHost),
		"port":     wholeNumber(&port, 1, 65535),
		"security": text(&security, oneOf(wordsOf(platen.MailSecurities())...)),
		"user":     text(&user, short(platen.MaxEmailSubject)),
		"password": text(&password, mailPassword),
		"bounces":  text(&bounces, orEmptyOr(s.bounceAddress)),
	}
	var required []string
	if isNew {
		required = []string{"name", "from", "host"}
	}
	err := decodeWith(body, m, func(d *decoder) {
		if len(d.faults) > 0 {
			return
		}
		if set(&of.Name, name); !isNew && of.Name != before.Name {
			d.fault("/name", "cannot be changed: documents name the sender by it. Create another one, and have them name that")
			return
		}
		set(&of.From, from)
		set(&of.Host, host)
		set(&of.User, user)
		set(&of.Bounces, bounces)
		if security != nil {
			of.Security = platen.MailSecurity(*security)
		}
		if isNew && security == nil {
			of.Security = platen.MailStartTLS
		}
		set(&of.Port, port)
		// A port that follows security is one of mail servers, on a host that has the password already.
		moved := of.Port != before.Port
		if port == nil && (isNew || of.Security != before.Security && of.Port == before.Security.DefaultPort()) {
			of.Port = of.Security.DefaultPort()
		}
		switch {
		case password != nil:
			of.Password = platen.Secret(*password)
		case of.User == "": // it goes with the user
			of.Password = ""
		}
		// Else a token that may change a sender could have its password sent elsewhere.
		if password == nil && of.Password != "" && (of.User != before.User || of.Host != before.Host || moved) {
			d.fault("/password", "is required where user, host or port changes")
			return
		}
		if of.Security == platen.MailClearText && !isNear(of.Host) {
			d.fault("/security", "must be STARTTLS or TLS: mails would be readable on the way. NONE is for hosts of a private network alone")
			return
		}
		if member, problem := of.Problem(); problem != "" {
			d.fault("/"+member, "%s", problem)
		}
	}, required...)
	return of, err
}

// wordsOf are values as texts.
func wordsOf[T ~string](values []T) []string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	return words
}

// senderAddress is the rule for the address that mails come from.
func senderAddress(text string) string {
	if wrong := line(platen.MaxWorkflowName)(text); wrong != "" {
		return wrong
	}
	if _, err := platen.ParseSender(text); err != nil {
		return `must be an address, such as invoices@example.com or "Example Ltd" <invoices@example.com>`
	}
	return ""
}

var hostForm = regexp.MustCompile(`^[0-9A-Za-z]([0-9A-Za-z-]*[0-9A-Za-z])?(\.[0-9A-Za-z]([0-9A-Za-z-]*[0-9A-Za-z])?)*$`)

// mailHost is the rule of a host, without a port.
func mailHost(text string) string {
	if at, err := netip.ParseAddr(text); err == nil && at.Zone() == "" { // a zone may be any text
		return ""
	}
	if len(text) > platen.MaxMailHost || !hostForm.MatchString(text) {
		return "must be the name or the IP address of a mail server, such as mail.example.com, without a port"
	}
	return ""
}

// mailPassword is the rule of a password of a mail server.
func mailPassword(text string) string {
	if len(text) > platen.MaxMailPassword {
		return "must have 4,096 bytes at most"
	}
	return short(platen.MaxMailPassword)(text)
}

// bounceAddress is the rule of where mails come back to.
func (s *server) bounceAddress(text string) string {
	if s.bounces.Key == "" {
		return "must be empty: this installation takes no mails that came back, until its operator sets PLATEN_SMTP_BOUNCE_KEY"
	}
	if _, err := platen.ParseBounceAddress(text); err != nil {
		return "must be an address, such as bounces@example.com, or a domain, such as bounces.example.com"
	}
	return ""
}

func (s *server) listSenders(w http.ResponseWriter, r *http.Request) error {
	found, err := s.Senders.MailSenders(r.Context(), caller(r.Context()))
	if err != nil {
		return err
	}
	all := make([]senderJSON, len(found))
	for i, one := range found {
		all[i] = sender(one)
	}
	return edge.WriteJSON(w, http.StatusOK, all)
}

func (s *server) findSender(r *http.Request) (platen.MailSender, error) {
	id := mux.Vars(r)["mail_sender"]
	if !platen.IsID(platen.PrefixSender, id) {
		return platen.MailSender{}, platen.ErrSenderNotFound()
	}
	return s.Senders.MailSender(r.Context(), caller(r.Context()), id)
}

func (s *server) getSender(w http.ResponseWriter, r *http.Request) error {
	found, err := s.findSender(r)
	if err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusOK, sender(found))
}

func (s *server) createSender(w http.ResponseWriter, r *http.Request) error {
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return err
	}
	made, err := s.readSender(body, platen.MailSender{ID: platen.NewID(platen.PrefixSender)})
	if err != nil {
		return err
	}
	if made, err = s.Senders.CreateMailSender(r.Context(), caller(r.Context()), made); err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusCreated, sender(made))
}

func (s *server) updateSender(w http.ResponseWriter, r *http.Request) error {
	found, err := s.findSender(r)
	if err != nil {
		return err
	}
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return err
	}
	check := requireUnchanged(r)
	changed, err := s.Senders.UpdateMailSender(r.Context(), caller(r.Context()), found.ID, func(of *platen.MailSender) (err error) {
		if err = check(sender(*of)); err == nil {
			*of, err = s.readSender(body, *of)
		}
		return err
	})
	if err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusOK, sender(changed))
}

func (s *server) deleteSender(w http.ResponseWriter, r *http.Request) error {
	found, err := s.findSender(r)
	if err != nil {
		return err
	}
	check := requireUnchanged(r)
	if err := s.Senders.DeleteMailSender(r.Context(), caller(r.Context()), found.ID, func(of platen.MailSender) error { return check(sender(of)) }); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// senderTestJSON says what became of a mail to the caller.
type senderTestJSON struct {
	To    string       `json:"to"`
	Sent  bool         `json:"sent"`
	Error *failureJSON `json:"error"`
}

// testSender sends a mail by a sender to the address of the caller's account.
func (s *server) testSender(w http.ResponseWriter, r *http.Request) error {
	found, err := s.findSender(r)
	if err != nil {
		return err
	}
	if err := readNothing(r); err != nil {
		return err
	}
	if s.testBy == nil {
		return platen.Errorf(platen.KindUnavailable, "test_unavailable", "Mail senders cannot be tested here.")
	}
	answer := senderTestJSON{To: caller(r.Context()).Email}
	err = s.testBy(r.Context(), found, answer.To)
	if e, ok := errors.AsType[*platen.Error](err); ok {
		answer.Error = failure(e.Code, e.Message)
		return edge.WriteJSON(w, http.StatusOK, answer)
	}
	if err == nil {
		err = s.Senders.NoteSenderTested(r.Context(), caller(r.Context()), found.ID)
	}
	if err != nil {
		return err
	}
	answer.Sent = true
	return edge.WriteJSON(w, http.StatusOK, answer)
}

// checkSender refuses a mail of an installation that has no mail server, unless it names a sender,
// and one that names a sender that the owner of the workflow does not have. Pointer is where in
// the body the settings are.
func (s *server) checkSender(ctx context.Context, ownerID string, in emailPatch, pointer string) error {
	name := orEmpty(in.sender)
	switch {
	case !in.there, name == "" && s.mails:
		return nil
	case name == "":
		return platen.ErrEmailUnset()
	}
	names, err := s.Senders.SenderNames(ctx, caller(ctx), ownerID)
	if err != nil {
		return err
	}
	if wrong := platen.SenderFault(name, names); wrong != "" {
		faults := []platen.Fault{{Pointer: pointer + "/email/sender", Message: wrong}}
		return &platen.Error{Kind: platen.KindInvalid, Code: platen.CodeSenderUnknown, Faults: faults, Message: faultsMessage(faults)}
	}
	return nil
}

// checkMailing refuses to send where nothing can: this installation has no mail server, and the
// owner of the workflow no sender.
func (s *server) checkMailing(ctx context.Context, ownerID string) error {
	if s.mails {
		return nil
	}
	names, err := s.Senders.SenderNames(ctx, caller(ctx), ownerID)
	if err == nil && len(names) == 0 {
		err = platen.ErrEmailUnset()
	}
	return err
}
