package app

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

// A server that refuses the envelope sender of mails refuses the test as well.
func TestATestOfAMailSenderHasTheEnvelopeSenderOfItsMails(t *testing.T) {
	t.Parallel()
	for bounces, want := range map[string]string{"": "", "bounces@example.com": "bounces+", "bounces.example.com": "@bounces.example.com"} {
		got := testLetter(platen.MailSender{Name: "Sales", Bounces: bounces}, "example.com", "ada@example.com", []byte("key")).ReturnPath
		if !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("bounces %q: got %q, want it with %q", bounces, got, want)
		}
	}
}
