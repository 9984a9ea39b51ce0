package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/client"
)

type sendersCommand struct {
	List   sendersList   `cmd:"" help:"List your mail senders."`
	Show   sendersShow   `cmd:"" help:"Show a mail sender, without its password."`
	Create sendersCreate `cmd:"" help:"Set up a mail server of your own. Documents name it by 'documents update --mail-sender'."`
	Update sendersUpdate `cmd:"" help:"Change a mail sender. What no flag names stays."`
	Test   sendersTest   `cmd:"" help:"Send a mail by a sender to the address of your account."`
	Delete sendersDelete `cmd:"" help:"Remove a mail sender that no document names, with its password."`
}

type sendersList struct {
	Access
	Showing
}

func (c *sendersList) Run(ctx context.Context, e *Environment) error {
	api, err := c.client(e)
	if err != nil {
		return err
	}
	all, err := api.MailSenders(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(e.Out, all)
	}
	t := newTable("ID", "NAME", "FROM", "SERVER", "WHY IT FAILS")
	for _, s := range all {
		t.row(s.ID, s.Name, s.From, serverOf(s), failure(s.Error))
	}
	return t.print(e)
}

func serverOf(s client.MailSender) string {
	return s.Host + ":" + strconv.Itoa(s.Port) + " (" + s.Security + ")"
}

// OfSender names a mail sender of the caller's.
type OfSender struct {
	Access
	Showing
	Sender string `arg:"" help:"Id (snd_…) or name of the mail sender."`
}

// find returns the sender, and the client that knows it.
func (c *OfSender) find(ctx context.Context, e *Environment) (*client.Client, client.MailSender, error) {
	api, err := c.client(e)
	if err != nil {
		return nil, client.MailSender{}, err
	}
	if strings.HasPrefix(c.Sender, "snd_") {
		s, err := api.MailSender(ctx, c.Sender)
		return api, s, err
	}
	all, err := api.MailSenders(ctx)
	if err != nil {
		return nil, client.MailSender{}, err
	}
	for _, s := range all {
		if s.Name == c.Sender {
			return api, s, nil
		}
	}
	return nil, client.MailSender{}, fmt.Errorf("you have no mail sender %q: see 'platen senders list'", c.Sender)
}

type sendersShow struct{ OfSender }

func (c *sendersShow) Run(ctx context.Context, e *Environment) error {
	_, s, err := c.find(ctx, e)
	if err != nil {
		return err
	}
	return printSender(e, c.Showing, s)
}

// senderFlags are the settings of a mail sender.
type senderFlags struct {
	From          *string `placeholder:"\"Example Ltd\" <invoices@example.com>" help:"Whom mails come from: an address, or a name with one."`
	Host          *string `help:"Name or IP address of the mail server."`
	Port          *int    `help:"Its port. Default: 587, with TLS 465, with NONE 25."`
	Security      *string `enum:"STARTTLS,TLS,NONE" help:"How it is spoken to: STARTTLS, TLS from the beginning, or NONE in a private network (STARTTLS, TLS, NONE). Default: STARTTLS."`
	User          *string `help:"Who signs in. Empty: nobody."`
	PasswordStdin bool    `help:"Read the password from standard input."`
	Bounces       *string `placeholder:"ADDRESS" help:"Address or domain that mails come back to. Empty: the address of --from."`
}

func (f senderFlags) change(e *Environment) (client.MailSenderChange, error) {
	c := client.MailSenderChange{From: f.From, Host: f.Host, Port: f.Port, Security: f.Security, User: f.User, Bounces: f.Bounces}
	if !f.PasswordStdin {
		return c, nil
	}
	password, err := secretOf(e)
	c.Password = &password
	return c, err
}

type sendersCreate struct {
	Access
	Showing
	Name string `arg:"" help:"Its name, by which documents name it. It cannot be changed."`
	senderFlags
}

func (c *sendersCreate) Run(ctx context.Context, e *Environment) error {
	change, err := c.change(e)
	if err != nil {
		return err
	}
	api, err := c.client(e)
	if err != nil {
		return err
	}
	change.Name = &c.Name
	s, err := api.CreateMailSender(ctx, change)
	if err != nil {
		return err
	}
	return printSender(e, c.Showing, s)
}

type sendersUpdate struct {
	OfSender
	senderFlags
}

func (c *sendersUpdate) Run(ctx context.Context, e *Environment) error {
	change, err := c.change(e)
	if err != nil {
		return err
	}
	api, s, err := c.find(ctx, e)
	if err != nil {
		return err
	}
	if s, err = api.UpdateMailSender(ctx, s.ID, change); err != nil {
		return err
	}
	return printSender(e, c.Showing, s)
}

type sendersTest struct{ OfSender }

func (c *sendersTest) Run(ctx context.Context, e *Environment) error {
	api, s, err := c.find(ctx, e)
	if err != nil {
		return err
	}
	result, err := api.TestMailSender(ctx, s.ID)
	if err != nil {
		return err
	}
	if result.Error != nil && !c.JSON {
		return fmt.Errorf("no mail was sent: %s", failure(result.Error))
	}
	return printState(e, c.Showing, result, "A mail was sent to "+Shown(result.To)+".", nil)
}

type sendersDelete struct {
	Access
	Sender string `arg:"" help:"Id (snd_…) or name of the mail sender."`
	Yes    bool   `help:"Do not ask. Required without a terminal."`
}

func (c *sendersDelete) Run(ctx context.Context, e *Environment) error {
	of := OfSender{Access: c.Access, Sender: c.Sender}
	api, s, err := of.find(ctx, e)
	if err != nil {
		return err
	}
	if err := e.Confirm(ctx, c.Yes, "Remove the mail sender? Its password is erased, and mails on their way wait for a sender of its name.", "removed"); err != nil {
		return err
	}
	if err := api.DeleteMailSender(ctx, s.ID); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Out, "%s is removed.\n", Shown(s.Name))
	return err
}

func printSender(e *Environment, how Showing, s client.MailSender) error {
	return printOne(e, how, s, func(row func(...string)) {
		row("mail sender", s.ID)
		row("name", s.Name)
		row("from", s.From)
		row("server", serverOf(s))
		row("user", s.User)
		row("password", yesNo(s.HasPassword))
		row("mails come back to", s.Bounces)
		if s.Error != nil && s.FailingSince != nil {
			row("fails since", s.FailingSince.Format(time.RFC3339))
			row("why", failure(s.Error))
		}
	})
}
