package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/mail"
	"github.com/platenhq/platen/internal/maintenance"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/telemetry"
)

// mailLinkPurpose is what the key of links in mails is derived for.
const mailLinkPurpose = "mail link"

// bouncePurpose is what the key of addresses is derived for that mails come back to.
const bouncePurpose = "mail bounce"

// mails are the steps that send outputs by mail; without a server, each says so that names no
// sender.
func mails(c config.Work, db *postgres.DB, box *secret.Box, documents *activities.Documents, counts *telemetry.Metrics) (*activities.Mails, error) {
	m := &activities.Mails{Documents: documents, Store: countedMails{db.Mails, counts}}
	if origin, ok := strings.CutSuffix(strings.TrimRight(c.APIURL, "/"), "/v0"); ok {
		key := box.Derive(mailLinkPurpose)
		m.Link = func(workflowID, mailID string) string { return origin + platen.MailLink(key, workflowID, mailID) }
	}
	m.Senders = senders(c, db)
	key := box.Derive(bouncePurpose)
	m.ReturnPath = func(bounces string) func(string, int) string {
		address, err := platen.ParseBounceAddress(cmp.Or(bounces, c.SMTPBounces))
		if err != nil {
			return nil
		}
		return func(outputID string, number int) string { return address.Of(key, outputID, number) }
	}
	if c.SMTPURL == "" {
		return m, nil
	}
	if c.SMTPBounces != "" {
		if _, err := platen.ParseBounceAddress(c.SMTPBounces); err != nil {
			return nil, fmt.Errorf("read --smtp-bounces: %w", err)
		}
	}
	server, err := mail.NewServer(mailOptions(c.MailServer))
	if err != nil {
		return nil, fmt.Errorf("read --smtp-url: %w", err)
	}
	m.Server = timedServer{server, counts}
	return m, nil
}

func mailOptions(c config.MailServer) mail.Options {
	o := mail.Options{URL: c.SMTPURL, From: c.SMTPFrom, ClearText: c.SMTPClearText.Value()}
	if address, err := platen.ParseBounceAddress(c.SMTPBounces); err == nil {
		o.ReturnPath = address.Of(nil, platen.NewID(platen.PrefixOutput), 1)
	}
	return o
}

// reviews are the steps that look after outputs that wait for people; without a server they
// ask nobody.
func reviews(c config.Work, db *postgres.DB, box *secret.Box, documents *activities.Documents, server activities.MailServer) *activities.Reviews {
	r := &activities.Reviews{Documents: documents, Store: db.Reviews, Server: server}
	if origin, ok := strings.CutSuffix(strings.TrimRight(c.APIURL, "/"), "/v0"); ok {
		r.Link = func(l platen.ReviewLink) (string, error) {
			path, err := l.Path(box)
			return origin + path, err
		}
	}
	return r
}

// countedMails counts what became of mails about outputs.
type countedMails struct {
	*postgres.Mails
	counts *telemetry.Metrics
}

func (s countedMails) RecordMail(ctx context.Context, m platen.Mail) error {
	err := s.Mails.RecordMail(ctx, m)
	if err == nil {
		s.counts.Mailed(telemetry.MailOfOutput, m.State, m.Code)
	}
	return err
}

func (s countedMails) GiveUpMail(ctx context.Context, key platen.MailKey, code, message string) error {
	err := s.Mails.GiveUpMail(ctx, key, code, message)
	if err == nil {
		s.counts.Mailed(telemetry.MailOfOutput, platen.MailFailed, code)
	}
	return err
}

// A timedServer counts how long the mail server takes.
type timedServer struct {
	activities.MailServer
	counts *telemetry.Metrics
}

func (s timedServer) Deliver(ctx context.Context, l platen.Letter) ([]platen.Recipient, error) {
	began := time.Now()
	defer func() { s.counts.Posted(time.Since(began)) }()
	return s.MailServer.Deliver(ctx, l)
}

// countedNotices counts what became of mails to owners.
type countedNotices struct {
	maintenance.Letters
	counts *telemetry.Metrics
}

func (s countedNotices) Deliver(ctx context.Context, l platen.Letter) ([]platen.Recipient, error) {
	whom, err := s.Letters.Deliver(ctx, l)
	state, code := platen.MailSent, ""
	if err != nil {
		state, code = platen.MailFailed, "internal"
		if activities.MayPass(err) {
			state = platen.MailPending
		}
		if known, ok := errors.AsType[*platen.Error](err); ok {
			code = known.Code
		}
	}
	s.counts.Mailed(telemetry.MailOfNotice, state, code)
	return whom, err
}
