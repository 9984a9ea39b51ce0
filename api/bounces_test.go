package api

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

const bounceKey = "a key of twenty characters"

var bounceAddressKey = []byte("key of addresses")

// returning takes messages, and reads each as one about a mail that came back from Ada.
func returning(outcomes *[]BounceOutcome) func(*Options) {
	return func(o *Options) {
		o.Bounces = Bounces{Key: bounceKey, AddressKeys: [][]byte{bounceAddressKey}, Count: func(outcome BounceOutcome) { *outcomes = append(*outcomes, outcome) }, Read: func(r io.Reader) (platen.Returned, error) {
			said := make([]byte, 7)
			if _, err := io.ReadFull(r, said); err != nil || string(said) == "garbage" {
				return platen.Returned{}, errors.Join(platen.Errorf(platen.KindInvalid, "message_malformed", "It is no message."), err)
			}
			m := platen.Returned{To: []string{"other@example.com"}}
			if string(said) == "failure" {
				m.Failed = []platen.FailedRecipient{{Final: "ada@example.com", Status: "5.1.1"}}
			}
			return m, nil
		}}
	}
}

func TestAMailThatComesBackIsNotedOnce(t *testing.T) {
	t.Parallel()
	var outcomes []BounceOutcome
	x := newHarness(t, returning(&outcomes))
	wf, output := x.withMail(t, platen.MailSent)
	address, err := platen.ParseBounceAddress("bounces@example.com")
	if err != nil {
		t.Fatal(err)
	}
	at := "/bounces?to=" + strings.ReplaceAll(address.Of(bounceAddressKey, output, 1), "+", "%2B")
	bearer := []string{"Authorization", "Bearer " + bounceKey}
	for _, step := range []struct {
		path, message string
		want          BounceOutcome
	}{
		{at, "a delay of this mail", BounceIgnored},
		{"/bounces?to=bounces%2Bmadeup@example.com", "failure", BounceIgnored},
		{"/bounces", "failure", BounceIgnored},
		{"/bounces?to=" + strings.ReplaceAll(address.Of(bounceAddressKey, output, 7), "+", "%2B"), "failure", BounceIgnored},
		{"/bounces?to=" + strings.ReplaceAll(address.Of(bounceAddressKey, "out_0000000000000009", 1), "+", "%2B"), "failure", BounceIgnored},
		{at, "failure" + strings.Repeat(" and the whole mail", 100_000), BounceNoted},
		{at + "&to=x", "failure", BounceKnown},
	} {
		if got := x.do(t, "POST", step.path, step.message, bearer...).is(200).object()["outcome"]; got != string(step.want) {
			t.Errorf("%s, %.20q: got %v, want %s", step.path, step.message, got, step.want)
		}
	}
	if want := 7; len(outcomes) != want || outcomes[5] != BounceNoted {
		t.Errorf("counted %v, want %d", outcomes, want)
	}
	for _, list := range []string{"/outputs/?mail=BOUNCED", "/automations/?mail=BOUNCED"} {
		body := x.do(t, "GET", wf+list, "").is(200).body
		if !strings.Contains(body, `"state":"BOUNCED"`) || !strings.Contains(body, `"code":"email_bounced"`) {
			t.Errorf("%s: got %s, want the mail that came back", list, body)
		}
	}
	if strings.Contains(x.log.String(), "ada@example.com") {
		t.Error("the log names the recipient")
	}
}

func TestWhoHandsOverMailsThatComeBackHasTheKey(t *testing.T) {
	t.Parallel()
	x := newHarness(t, returning(new([]BounceOutcome)))
	for _, wrong := range []string{"", "Bearer ", "Bearer wrong", bounceKey, "Bearer " + memory.AdaToken, "Basic cGxhdGVuOndyb25n"} {
		x.do(t, "POST", "/bounces", "failure", "Authorization", wrong).problem(403, "bounce_key_wrong")
	}
	// user "platen", and the key as its password
	x.do(t, "POST", "/bounces", "failure", "Authorization", "Basic cGxhdGVuOmEga2V5IG9mIHR3ZW50eSBjaGFyYWN0ZXJz").is(200)
	x.do(t, "POST", "/bounces", "garbage", "Authorization", "Bearer "+bounceKey).problem(400, "message_malformed")
	x.do(t, "GET", "/bounces", "").problem(405, "method_not_allowed")
	newHarness(t).do(t, "POST", "/bounces", "failure", "Authorization", "Bearer ").problem(404, "path_not_found")
}

func TestAMailThatIsBeingSentComesBackLater(t *testing.T) {
	t.Parallel()
	x := newHarness(t, returning(new([]BounceOutcome)))
	_, output := x.withMail(t, platen.MailPending)
	address, err := platen.ParseBounceAddress("bounces.example.com")
	if err != nil {
		t.Fatal(err)
	}
	x.do(t, "POST", "/bounces?to="+address.Of(bounceAddressKey, output, 1), "failure", "Authorization", "Bearer "+bounceKey).problem(503, "mail_under_way")
}
