package app

import (
	"context"
	"net"
	"strconv"
	"time"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/mail"
	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// senders are the mail servers of owners. What is allowed to receivers is allowed to them.
func senders(c config.Work, db *postgres.DB) *activities.Senders {
	own := append(ownPorts(c.Database, c.Observe), c.TemporalAddress)
	dialer := mail.Dialer{Client: outgoing.NewClient(outgoing.Options{
		AllowPrivate: c.AllowPrivate.Value(), Own: append(own, openRelay(c.MailServer)...), Timeout: mail.DefaultSenderTimeout,
	})}
	return &activities.Senders{Store: db.MailSenders, Of: func(s platen.MailSender) (activities.MailServer, error) { return dialer.Of(s) }}
}

// openRelay is the mail server of the installation where it asks nobody to sign in: it takes
// mails in anybody's name from this machine, so that it is no server of a sender.
func openRelay(c config.MailServer) []string {
	at, err := platen.ParseMailServer(c.SMTPURL, c.SMTPClearText.Value())
	if err != nil || at.User != "" {
		return nil
	}
	return []string{net.JoinHostPort(at.Host, strconv.Itoa(at.Port))}
}

// testSender has the server of a sender take a mail for somebody, as a worker has it take one.
func (s served) testSender(ctx context.Context, sender platen.MailSender, to string) error {
	client := outgoing.NewClient(outgoing.Options{AllowPrivate: s.AllowPrivate.Value(), Own: append(ownPorts(s.Database, s.Observe), s.API, s.Hooks)})
	server, err := mail.Dialer{Client: client, Timeout: outgoing.DefaultTimeout}.Of(sender)
	if err != nil {
		return err
	}
	_, err = server.Deliver(ctx, testLetter(sender, server.Host(), to, s.box.Derive(bouncePurpose)))
	return err
}

// testLetter has an envelope sender as mails about outputs have, which the server may refuse.
func testLetter(sender platen.MailSender, host, to string, bounceKey []byte) platen.Letter {
	l := platen.Letter{
		MessageID: platen.NewKey() + "@" + host, Date: time.Now(), To: []string{to},
		Subject: "Test of the mail sender " + sender.Name,
		Text:    "Mails about documents that name the sender \"" + sender.Name + "\" leave by this server.\n",
	}
	if address, err := platen.ParseBounceAddress(sender.Bounces); err == nil {
		l.ReturnPath = address.Of(bounceKey, platen.NewID(platen.PrefixOutput), 1)
	}
	return l
}
