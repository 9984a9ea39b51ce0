package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Senders are the mail servers of owners.
type Senders struct {
	Store SenderStore
	// Of is the server of a sender.
	Of func(platen.MailSender) (MailServer, error)
	// Now tells the time to breakers. Default: time.Now.
	Now func() time.Time

	lanes lanes
}

// SenderStore keeps mail senders.
type SenderStore interface {
	// SenderOf reads the sender of an owner that a mail names. KindUnavailable with
	// platen.CodeSenderUnknown: the owner has none of the name.
	SenderOf(ctx context.Context, ownerID, name string) (platen.MailSender, error)
	// NoteSender notes with a sender why an attempt failed at its server; an empty code: it
	// did not.
	NoteSender(ctx context.Context, sender platen.MailSender, code, message string) error
}

// bySender is what a worker hands over at once to servers of owners. A server that hangs leaves
// a place to another sender of its owner at once, and two once it has failed. Those of many owners
// leave half of the 16 places of a worker to other mails.
var bySender = bounds{ofOwner: mailsAtOnce, atOne: mailsAtOnce - 1, failing: 2, allFailing: 8}

// A carrier takes a mail: the server of the installation, or of a sender.
type carrier struct {
	server MailServer
	sender platen.MailSender // zero: it is the server of the installation
	// returnPath is Mails.ReturnPath for this carrier.
	returnPath func(outputID string, number int) string
	// none is why nothing can be handed over; nil: it can.
	none error
	// note notes what became of an attempt at a sender; nil: an attempt did not fail at its
	// server.
	note     func(ctx context.Context, failure *platen.Error) error
	giveBack func()
}

// carrier finds what takes the mail of a document, and takes a place there. KindRateLimited: the
// mail waits, for a place or for the breaker of its sender.
func (m *Mails) carrier(ctx context.Context, ownerID, senderName string) (carrier, error) {
	if senderName == "" {
		giveBack, ok := m.turns.take(ownerID, mailsAtOnce)
		if !ok {
			return carrier{}, errMailWaits
		}
		c := carrier{server: m.Server, giveBack: giveBack, returnPath: m.returnPath("")}
		if m.Server == nil {
			c.none = platen.ErrEmailUnset()
		}
		return c, nil
	}
	return m.carrierOf(ctx, ownerID, senderName)
}

func (m *Mails) carrierOf(ctx context.Context, ownerID, senderName string) (carrier, error) {
	s := m.Senders
	sender, err := s.Store.SenderOf(ctx, ownerID, senderName)
	if e, ok := errors.AsType[*platen.Error](err); ok && e.Code == platen.CodeSenderUnknown {
		return carrier{none: e, giveBack: func() {}}, nil
	}
	if err != nil {
		return carrier{}, fmt.Errorf("read the sender of a mail: %w", err)
	}
	lanes := &s.lanes
	if open, isOpen := lanes.breakers.open(sender.ID, s.now()); isOpen {
		if open.checked.Equal(sender.CheckedAt) {
			refusal := *open.last
			refusal.Kind, refusal.RetryAfter = platen.KindRateLimited, open.look(s.now())
			return carrier{}, lanes.queues.refuse(&refusal, sender.ID, s.now())
		}
		lanes.breakers.close(sender.ID) // it was changed or tested
	}
	giveBack, ok := lanes.take(ownerID, sender.ID, bySender, s.now())
	if !ok {
		return carrier{}, lanes.queues.refuse(errMailWaits, sender.ID, s.now())
	}
	c := carrier{sender: sender, giveBack: giveBack}
	if sender.Bounces != "" {
		c.returnPath = m.returnPath(sender.Bounces)
	}
	c.server, c.none = s.Of(sender)
	c.note = func(ctx context.Context, failure *platen.Error) error {
		lanes.breakers.note(sender.ID, sender.CheckedAt, failure, s.now())
		if failure == nil {
			failure = &platen.Error{}
		}
		if failure.Code == sender.Code && failure.Message == sender.Message { // nothing is new
			return nil
		}
		return s.Store.NoteSender(ctx, sender, failure.Code, failure.Message)
	}
	return c, nil
}

// returnPath is where mails come back to; nil: to their sender's address.
func (m *Mails) returnPath(bounces string) func(outputID string, number int) string {
	if m.ReturnPath == nil {
		return nil
	}
	return m.ReturnPath(bounces)
}

func (s *Senders) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// codeAway is the code of a mail that the server takes later.
func (c carrier) codeAway() string {
	if c.sender.ID != "" {
		return platen.CodeSenderUnavailable
	}
	return platen.CodeSMTPUnavailable
}

// handOver has the carrier deliver a letter, and notes with a sender whether its server failed.
// A server that said something about single recipients did not.
func (c carrier) handOver(ctx context.Context, l platen.Letter) ([]platen.Recipient, error) {
	answers, err := c.server.Deliver(ctx, l)
	if c.note == nil || errors.Is(ctx.Err(), context.Canceled) { // it is the worker that ended, or the run
		return answers, err
	}
	var failure *platen.Error
	if e, ok := errors.AsType[*platen.Error](err); ok && answers == nil && platen.FailsAtSender(e.Code) {
		// The breaker keeps the server from too many attempts: the mail looks soon whether the
		// sender was changed or tested.
		retry := *e
		retry.RetryAfter = breakerLook
		failure, err = &retry, &retry
	}
	// What is noted with a sender says nothing about the mail, which may have been taken.
	_ = c.note(context.WithoutCancel(ctx), failure)
	return answers, err
}
