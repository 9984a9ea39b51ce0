package console_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/platenhq/platen/api"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestAMailSenderIsSetUpTestedChangedAndRemovedInTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *api.Options) {
		o.TestSender = func(_ context.Context, s platen.MailSender, _ string) error {
			if s.Password != "the right one" {
				return platen.Errorf(platen.KindUnavailable, platen.CodeSenderSignInRefused, "It takes no such password.")
			}
			return nil
		}
	})
	const all = "/console/senders/"
	b := x.console(t).signIn(memory.AdaToken)
	b.get(all).is(200).shows("You have none", "Set up a mail sender", `aria-current="page"`)
	form := url.Values{"name": {"Accounting"}, "from": {"accounting"}, "host": {"mail.example.com"}, "security": {"STARTTLS"}, "port": {"many"}, "user": {"ada"}, "password": {"wrong"}}
	b.open("POST", all, form).is(http.StatusBadRequest).shows("The port must be a whole number.", `value="mail.example.com"`).lacks("wrong")
	form.Set("port", "")
	b.open("POST", all, form).is(http.StatusBadRequest).shows("The address must be an address", `aria-errormessage="fault-from"`)
	form.Set("from", `"Example Ltd" <accounting@example.com>`)
	one := b.open("POST", all, form).is(http.StatusSeeOther).header.Get("Location")
	added := b.get(one).is(200).shows("The sender is saved.", "mail.example.com:587", "as <bdi>ada</bdi>").lacks("wrong")
	one = strings.TrimSuffix(one, "?saved")
	b.get(all).is(200).shows(`href="`+one+`"`, "in use").lacks("You have none")
	b.open("POST", one+"test", nil).is(200).shows("No mail was sent:", "It takes no such password.")
	tag := added.etagOf(one)
	change := url.Values{"etag": {tag}, "from": {"accounting@example.com"}, "host": {"mail.example.com"}, "security": {"TLS"}, "port": {"465"}, "user": {"ada"}, "password": {"the right one"}}
	b.open("POST", one, change).is(http.StatusSeeOther)
	b.open("POST", one, change).is(http.StatusBadRequest).shows("Somebody changed this while the page was open")
	b.open("POST", one+"test", nil).is(200).shows("A mail was sent to", "ada@example.com")
	x.console(t).signIn(memory.BobToken).get(one).is(http.StatusNotFound)
	b.open("POST", one+"remove", url.Values{}).is(http.StatusBadRequest).shows("Tick the box first")
	b.open("POST", one+"remove", url.Values{"certain": {"on"}}).is(http.StatusSeeOther)
	b.get(one).is(http.StatusNotFound)
	x.store.Scope(memory.AdaToken, "read")
	b.get(all).is(200).lacks("Set up a mail sender")
}

// The owner of a mail sender sees on Today at once that its server fails.
func TestTheFirstPageTellsOfMailSendersWhoseServerFails(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(memory.AdaToken)
	const title = "Mail senders whose server fails"
	made := b.open("POST", "/console/senders/", url.Values{"name": {"<Sales>"}, "from": {"sales@example.com"}, "host": {"mail.example.com"}, "security": {"STARTTLS"}, "port": {""}}).is(http.StatusSeeOther)
	b.get("/").is(200).lacks(title)
	x.store.FailSender(platen.CodeSenderSignInRefused, "It refuses the password.")
	b.get("/").is(200).shows(title, "&lt;Sales&gt;", "It refuses the password.", `href="`+strings.TrimSuffix(made.header.Get("Location"), "?saved")+`"`)
	x.console(t).signIn(memory.BobToken).get("/").lacks(title)
	x.store.FailSender("", "")
	b.get("/").is(200).lacks(title)
}

// The usual port of a sender is not said in its form, so that it follows what the server speaks.
func TestTheUsualPortOfAMailSenderFollowsItsSecurityInTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(memory.AdaToken)
	form := url.Values{"name": {"Sales"}, "from": {"sales@example.com"}, "host": {"mail.example.com"}, "security": {"STARTTLS"}, "port": {""}}
	one := strings.TrimSuffix(b.open("POST", "/console/senders/", form).is(http.StatusSeeOther).header.Get("Location"), "?saved")
	form.Set("etag", b.get(one).is(200).lacks(`value="587"`).etagOf(one))
	form.Set("security", "TLS")
	form.Del("name")
	b.open("POST", one, form).is(http.StatusSeeOther)
	b.get(one).is(200).shows("mail.example.com:465").lacks(`value="465"`)
}
