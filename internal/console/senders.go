package console

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

const sendersPath = "/console/senders/"

// sendersPage has the mail senders of the caller, or one of them.
type sendersPage struct {
	All []client.MailSender
	// One is the sender of the page, or what the form of a new one shows, and Tag what it was when
	// its form was made.
	One client.MailSender
	Tag string
	// Tested is what became of a test, and Fault why none could be made.
	Tested *client.MailSenderTest
	Fault  saying
	// Form is what was refused, "save" or "remove", with what was typed in, and why.
	Form    string
	Typed   url.Values
	Problem saying
	Faults  faults
	Saved   bool
}

func (p sendersPage) above() []crumb {
	if p.One.ID == "" {
		return nil
	}
	return []crumb{{Path: sendersPath, Text: say("Mail senders")}}
}

// At is where the form is sent.
func (p sendersPage) At() string {
	if p.One.ID == "" {
		return sendersPath
	}
	return sendersPath + p.One.ID + "/"
}

// Beside is what is wrong with a field.
func (p sendersPage) Beside(field string) besideField {
	return besideField{ID: "fault-" + field, Text: p.Faults[field]}
}

// Value is what a field shows: what was typed in, else what is there.
func (p sendersPage) Value(field, stored string) string {
	if p.Form == "save" {
		return p.Typed.Get(field)
	}
	return stored
}

// Port is that of the sender; empty: the usual one, which follows security.
func (p sendersPage) Port() string {
	if p.One.Port == 0 || p.One.Port == platen.MailSecurity(p.One.Security).DefaultPort() {
		return ""
	}
	return strconv.Itoa(p.One.Port)
}

// routeSenders are the pages of the caller's mail senders.
func (s *site) routeSenders(mux *http.ServeMux) {
	const one = sendersPath + "{sender}/"
	mux.HandleFunc("GET "+sendersPath+"{$}", s.page("senders", s.allSenders))
	mux.HandleFunc("POST "+sendersPath+"{$}", s.page("senders", s.createSender))
	mux.HandleFunc("GET "+one+"{$}", s.page("sender", s.oneSender))
	mux.HandleFunc("POST "+one+"{$}", s.page("sender", s.updateSender))
	mux.HandleFunc("POST "+one+"test", s.page("sender", s.testSender))
	mux.HandleFunc("POST "+one+"remove", s.page("sender", s.removeSender))
}

func (s *site) allSenders(ctx context.Context, r request) (view, error) {
	return r.sendersView(ctx, sendersPage{})
}

func (r request) sendersView(ctx context.Context, p sendersPage) (v view, err error) {
	p.All, err = r.api.MailSenders(ctx)
	return p.view(r, r.Text("Mail senders")), err
}

// view is the page, as a refusal where its form was refused.
func (p sendersPage) view(r request, title string) view {
	v := view{Title: title, Page: p}
	if p.Form != "" {
		v.Title, v.status = r.Text("Not saved")+": "+title, http.StatusBadRequest
	}
	return v
}

func (s *site) oneSender(ctx context.Context, r request) (view, error) {
	return r.senderView(ctx, sendersPage{Saved: r.URL.Query().Has("saved")})
}

func (r request) senderView(ctx context.Context, p sendersPage) (v view, err error) {
	p.One, err = r.api.MailSender(client.WithETag(ctx, &p.Tag), r.PathValue("sender"))
	return p.view(r, p.One.Name), err
}

// senderTyped is what a form says of a sender. A password that was not typed in stays.
func (r request) senderTyped() (change client.MailSenderChange, err error) {
	for field, into := range map[string]**string{"from": &change.From, "host": &change.Host, "security": &change.Security, "user": &change.User, "bounces": &change.Bounces} {
		if typed := r.typed(field); r.PostForm.Has(field) {
			*into = &typed
		}
	}
	if password := r.PostForm.Get("password"); password != "" {
		change.Password = &password
	}
	if typed := r.typed("port"); typed != "" {
		port, err := strconv.Atoi(typed)
		if err != nil {
			return change, refusedField("port", r.Text("The port must be a whole number."))
		}
		change.Port = &port
	}
	return change, nil
}

func (s *site) createSender(ctx context.Context, r request) (view, error) {
	change, failed := r.senderTyped()
	var made client.MailSender
	if failed == nil {
		name := r.typed("name")
		change.Name = &name
		made, failed = r.api.CreateMailSender(ctx, change)
	}
	if failed == nil {
		return view{to: sendersPath + made.ID + "/?saved"}, nil
	}
	p, err := r.refusedSender("save", failed)
	if err != nil {
		return view{}, err
	}
	return r.sendersView(ctx, p)
}

// refusedSender is a page that says why its form was not carried out.
func (r request) refusedSender(form string, failed error) (sendersPage, error) {
	p := sendersPage{Form: form, Typed: r.PostForm}
	var err error
	p.Faults, p.Problem, err = r.explainForm(failed)
	return p, err
}

func (s *site) updateSender(ctx context.Context, r request) (view, error) {
	change, failed := r.senderTyped()
	if failed == nil {
		_, failed = r.api.UpdateMailSender(client.WithIfMatch(ctx, r.typed("etag")), r.PathValue("sender"), change)
	}
	if failed == nil {
		return view{to: sendersPath + r.PathValue("sender") + "/?saved"}, nil
	}
	p, err := r.refusedSender("save", failed)
	if err != nil {
		return view{}, err
	}
	return r.senderView(ctx, p)
}

func (s *site) removeSender(ctx context.Context, r request) (view, error) {
	failed := r.certain()
	if failed == nil {
		failed = r.api.DeleteMailSender(ctx, r.PathValue("sender"))
	}
	if failed == nil {
		return view{to: sendersPath}, nil
	}
	p, err := r.refusedSender("remove", failed)
	if err != nil {
		return view{}, err
	}
	return r.senderView(ctx, p)
}

// testSender is the page of a sender with what became of a mail to the caller.
func (s *site) testSender(ctx context.Context, r request) (view, error) {
	tested, failed := r.api.TestMailSender(ctx, r.PathValue("sender"))
	fault, err := r.explained(failed)
	if err != nil {
		return view{}, err
	}
	p := sendersPage{Fault: fault}
	if failed == nil {
		p.Tested = &tested
	}
	return r.senderView(ctx, p)
}
