package manifest

import (
	"cmp"
	"context"

	"gopkg.in/yaml.v3"

	"github.com/platenhq/platen/client"
)

// A Sender is what a file says of a mail sender.
type Sender struct {
	Name     string
	Settings SenderSettings

	origin
}

// SenderSettings are what a sender has below its name.
type SenderSettings struct {
	From     string `json:"from"`
	Host     string `json:"host"`
	Port     int    `json:"port,omitempty"`
	Security string `json:"security,omitempty"`
	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"`
	Bounces  string `json:"bounces,omitempty"`
}

// senderPorts are what the contract says of a sender that leaves its port out.
var senderPorts = map[string]int{startTLS: 587, "TLS": 465, "NONE": 25}

const startTLS = "STARTTLS"

// withDefaults are the settings as the service would answer them.
func (s SenderSettings) withDefaults() SenderSettings {
	s.Security = cmp.Or(s.Security, startTLS)
	s.Port = cmp.Or(s.Port, senderPorts[s.Security])
	return s
}

// fields are those of a sender but for its password, which no answer has.
func (s SenderSettings) fields() map[string]string {
	s.Password = ""
	return flat(s)
}

func settingsOfSender(s client.MailSender) SenderSettings {
	return SenderSettings{From: s.From, Host: s.Host, Port: s.Port, Security: s.Security, User: s.User, Password: hiddenIf(s.HasPassword), Bounces: s.Bounces}
}

// senders reads what is below senders, in the order of the file.
func (d *decoding) senders(n *yaml.Node) (all []Sender) {
	for _, pair := range d.pairs(n, "senders") {
		s := Sender{Name: pair.name, origin: d.origin("senders." + pair.name)}
		d.value(pair.value, reflectOf(&s.Settings), "")
		s.Settings = s.Settings.withDefaults()
		all = append(all, s)
	}
	d.under = ""
	return all
}

// A SenderStep makes one mail sender of the caller's as its file says.
type SenderStep struct {
	Sender Sender
	ID     string // empty: it is to be made
	// Changes are what differs; empty: nothing does.
	Changes []Change

	etag string
}

// makeSenders compares senders with those that the caller has. One that no file names stays.
func makeSenders(ctx context.Context, api *client.Client, said []Sender) ([]SenderStep, error) {
	if len(said) == 0 {
		return nil, nil
	}
	listed, err := api.MailSenders(ctx)
	if err != nil {
		return nil, err
	}
	var steps []SenderStep
	for _, s := range said {
		step := SenderStep{Sender: s}
		var now SenderSettings
		for _, one := range listed {
			if one.Name != s.Name {
				continue
			}
			if one, err = api.MailSender(client.WithETag(ctx, &step.etag), one.ID); err != nil {
				return nil, err
			}
			step.ID, now = one.ID, settingsOfSender(one)
		}
		step.Changes = s.between("", now.fields(), s.Settings.fields())
		if (now.Password != "") != (s.Settings.Password != "") {
			step.Changes = append(step.Changes, Change{"password", now.Password, hiddenIf(s.Settings.Password != "")})
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// sender makes or changes a mail sender.
func (r Runner) sender(ctx context.Context, s SenderStep) error {
	if len(s.Changes) == 0 {
		return nil
	}
	of := s.Sender.Settings
	change := client.MailSenderChange{From: &of.From, Host: &of.Host, Port: &of.Port, Security: &of.Security, User: &of.User, Bounces: &of.Bounces}
	if of.Password != "" {
		change.Password = &of.Password
	}
	var err error
	done := "is as its file says"
	if s.ID == "" {
		change.Name, done = &s.Sender.Name, "is made"
		_, err = r.API.CreateMailSender(ctx, change)
	} else {
		_, err = r.API.UpdateMailSender(client.WithIfMatch(ctx, s.etag), s.ID, change)
	}
	switch client.CodeOf(err) {
	case "precondition_failed", "mail_sender_name_taken":
		return conflict("/senders/" + escaped(s.Sender.Name))
	}
	if err != nil {
		return s.Sender.placed(err, "")
	}
	r.Say("mail sender " + s.Sender.Name + " " + done)
	return nil
}

// SendersToChange is how many mail senders are to be made or changed.
func (p Plan) SendersToChange() (n int) {
	for _, s := range p.Senders {
		if len(s.Changes) > 0 {
			n++
		}
	}
	return n
}

// exportSenders are the caller's mail senders that documents name, and the variables of their
// passwords. used has names by owner.
func exportSenders(ctx context.Context, api *client.Client, used map[string]map[string]bool) (all []Sender, variables []string, err error) {
	if len(used) == 0 {
		return nil, nil, nil
	}
	me, err := api.Me(ctx)
	if err != nil {
		return nil, nil, err
	}
	listed, err := api.MailSenders(ctx)
	if err != nil {
		return nil, nil, err
	}
	taken := map[string]bool{}
	for _, one := range listed {
		if !used[me.User.ID][one.Name] {
			continue
		}
		s := Sender{Name: one.Name, Settings: settingsOfSender(one)}
		if one.HasPassword {
			of := variable("SENDER_PASSWORD", unused(taken, cmp.Or(slug(one.Name), "sender")), 1)
			variables, s.Settings.Password = append(variables, of), "${"+of+"}"
		}
		all = append(all, s)
	}
	return all, variables, nil
}
