package platen_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestNobodyMakesUpAnAddressThatAMailComesBackTo(t *testing.T) {
	t.Parallel()
	now, before, other := []byte("key of now"), []byte("key of before"), []byte("key of others")
	output := platen.NewID(platen.PrefixOutput)
	for setting, prefix := range map[string]string{"bounces@example.com": "bounces+", "bounces.example.com": ""} {
		a, err := platen.ParseBounceAddress(setting)
		if err != nil {
			t.Fatal(err)
		}
		for key, good := range map[string]bool{string(now): true, string(before): true, string(other): false} {
			address := a.Of([]byte(key), output, 300)
			if !platen.IsEmailAddress(address) || !strings.HasPrefix(address, prefix) || strings.IndexByte(address, '@') > 64 {
				t.Errorf("%s is no address that servers take", address)
			}
			for _, spelling := range []string{address, strings.ToUpper(address)} {
				gotOutput, number, ok := platen.ReadBounceAddress([][]byte{now, before}, spelling)
				if ok != good || ok && (gotOutput != output || number != 300) {
					t.Errorf("%s, %s: got %s, %d, %t, want it good: %t", key, spelling, gotOutput, number, ok, good)
				}
			}
		}
		address := a.Of(now, output, 0)
		if _, number, ok := platen.ReadBounceAddress([][]byte{now}, address); !ok || number != 1 {
			t.Errorf("got %d, %t, want the first mail", number, ok)
		}
		at := strings.IndexByte(address, '@')
		for i := len(prefix); i < at-1; i++ { // the last character has bits that say nothing
			changed := []byte(address)
			if changed[i]++; changed[i] > 'z' || changed[i] == ':' || changed[i] == '8' {
				changed[i] = 'a'
			}
			if _, _, ok := platen.ReadBounceAddress([][]byte{now}, string(changed)); ok {
				t.Errorf("%s is taken for %s", changed, address)
			}
		}
	}
	for _, wrong := range []string{"", "@", "bounces@example.com", "bounces+@example.com", "bounces+aa@example.com", strings.Repeat("a", 1000)} {
		if _, _, ok := platen.ReadBounceAddress([][]byte{now}, wrong); ok {
			t.Errorf("%q names a mail", wrong)
		}
	}
}

func TestASettingForMailsThatComeBackIsAnAddressOrADomain(t *testing.T) {
	t.Parallel()
	for _, wrong := range []string{"", "bounces", "@example.com", "Bounces <bounces@example.com>", "bounces@", "a b@example.com", strings.Repeat("b", 18) + "@example.com"} {
		if a, err := platen.ParseBounceAddress(wrong); err == nil {
			t.Errorf("%q is taken: %+v", wrong, a)
		}
	}
	if _, err := platen.ParseBounceAddress(strings.Repeat("b", 17) + "@example.com"); err != nil {
		t.Error(err)
	}
}

func TestAMailComesBackFromThoseWhoAreNamed(t *testing.T) {
	t.Parallel()
	const ada, bob = "ada@example.com", "bob@example.com"
	to := func(address string, state platen.RecipientState) platen.Recipient {
		return platen.Recipient{Address: address, State: state}
	}
	final := func(addresses ...string) (all []platen.FailedRecipient) {
		for _, address := range addresses {
			all = append(all, platen.FailedRecipient{Final: address, Status: "5.1.1"})
		}
		return all
	}
	sent := func(whom ...platen.Recipient) platen.Mail {
		return platen.Mail{State: platen.MailSent, Recipients: len(whom), Accepted: len(whom), Whom: whom}
	}
	partly := sent(to(ada, platen.RecipientAccepted), to(bob, platen.RecipientRefused))
	partly.State, partly.Accepted, partly.Code = platen.MailPartlySent, 1, platen.CodeEmailAddressRefused
	erased := sent()
	erased.Recipients, erased.Accepted = 2, 2
	pending := sent(to(ada, platen.RecipientAccepted), platen.Recipient{Address: bob, State: platen.RecipientPending, Status: "450 4.2.1"})
	pending.State, pending.Accepted = platen.MailPending, 1
	unsure := sent(to(ada, platen.RecipientPending))
	unsure.State, unsure.Accepted, unsure.Code = platen.MailFailed, 0, platen.CodeEmailUnconfirmed
	later := sent(platen.Recipient{Address: ada, State: platen.RecipientAccepted, Earlier: 1}, to(bob, platen.RecipientAccepted))
	later.Number = 2
	for name, c := range map[string]struct {
		mail     platen.Mail
		failed   []platen.FailedRecipient
		state    platen.MailState
		accepted int
		message  string
	}{
		"the one":                          {sent(to(ada, platen.RecipientAccepted)), final("Ada@Example.com"), platen.MailBounced, 0, "The mail server took the mail, and it came back (5.1.1). Nobody got it."},
		"the one, who passes mails on":     {sent(to(ada, platen.RecipientAccepted)), final("ada.l@example.org"), platen.MailBounced, 0, "The mail server took the mail, and it came back (5.1.1). Nobody got it."},
		"one of two":                       {sent(to(ada, platen.RecipientAccepted), to(bob, platen.RecipientAccepted)), final(bob), platen.MailPartlySent, 1, "The mail server took the mail, and it came back (5.1.1) from 1 of 2 recipients."},
		"one of two, by whom it was to":    {sent(to(ada, platen.RecipientAccepted), to(bob, platen.RecipientAccepted)), []platen.FailedRecipient{{Final: "x@example.org", Original: bob}}, platen.MailPartlySent, 1, "The mail server took the mail, and it came back from 1 of 2 recipients."},
		"both":                             {sent(to(ada, platen.RecipientAccepted), to(bob, platen.RecipientAccepted)), final(bob, ada), platen.MailBounced, 0, "The mail server took the mail, and it came back (5.1.1). Nobody got it."},
		"nobody known, of two":             {sent(to(ada, platen.RecipientAccepted), to(bob, platen.RecipientAccepted)), final("x@example.org"), platen.MailPartlySent, 1, "The mail server took the mail, and it came back (5.1.1) from 1 of 2 recipients."},
		"the one whom it was accepted for": {partly, final("x@example.org"), platen.MailBounced, 0, "The mail server took the mail, and it came back (5.1.1). Nobody got it."},
		"of two who were erased":           {erased, final(ada), platen.MailPartlySent, 1, "The mail server took the mail, and it came back (5.1.1) from 1 of 2 recipients."},
		"while the other is tried":         {pending, final(ada), platen.MailPending, 0, "The mail server took the mail, and it came back (5.1.1). Nobody got it."},
		"of a server that said nothing":    {unsure, final(ada), platen.MailBounced, 0, "The mail server took the mail, and it came back (5.1.1). Nobody got it."},
		"of an earlier mail":               {later, final(ada), platen.MailPartlySent, 1, "The mail server took the mail, and it came back (5.1.1) from 1 of 2 recipients."},
	} {
		m := c.mail
		if !m.Bounce(1, c.failed) {
			t.Errorf("%s: it is no news", name)
		}
		if m.State != c.state || m.Accepted != c.accepted || m.Code != platen.CodeEmailBounced || m.Message != c.message {
			t.Errorf("%s: got %s, %d, %s %q, want %s, %d, %q", name, m.State, m.Accepted, m.Code, m.Message, c.state, c.accepted, c.message)
		}
		before := m
		if m.Bounce(1, c.failed) || m.State != before.State || m.Accepted != before.Accepted {
			t.Errorf("%s: the same message once more: got %+v", name, m)
		}
	}
	// Mails to others, and what that mail itself brought, do not come back with it.
	for name, m := range map[string]platen.Mail{"an address of the later mail": later, "a mail to others": {MailKey: platen.MailKey{Number: 2}, State: platen.MailSent, Recipients: 1, Accepted: 1, Whom: []platen.Recipient{to(bob, platen.RecipientAccepted)}}} {
		if m.Bounce(1, final(bob)) {
			t.Errorf("%s came back: %+v", name, m)
		}
	}
}
