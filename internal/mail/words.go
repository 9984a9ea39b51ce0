package mail

import (
	"fmt"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// words say what is wrong at a server, and who corrects it. No mail is at fault: mails wait
// until then.
type words struct {
	away, signIn, sender wait
	// explain says why there is no answer; nil: nobody does.
	explain func(error) string
}

// A wait has a message with a place for the server's status.
type wait struct{ code, message string }

// place is where the status stands, if the message of a wait names it.
const place = "(?)"

// ofInstallation are the words of a server that the operator has to correct.
var ofInstallation = words{
	away:   wait{platen.CodeSMTPUnavailable, "The mail server does not take mails now."},
	signIn: wait{platen.CodeSMTPSignInRefused, "The mail server does not let this installation sign in (?): whoever runs it corrects user and password in PLATEN_SMTP_URL."},
	sender: wait{platen.CodeSMTPSenderRefused, "The mail server refuses the sender of this installation (?): whoever runs it corrects PLATEN_SMTP_FROM, PLATEN_SMTP_BOUNCES, or the user in PLATEN_SMTP_URL."},
}

// ofSender are the words of the server of a mail sender, which its owner has to correct.
func ofSender(name string, explain func(error) string) words {
	server := fmt.Sprintf("The mail server of the sender %q", name)
	return words{
		away:    wait{platen.CodeSenderUnavailable, server + " does not take mails now (?)."},
		signIn:  wait{platen.CodeSenderSignInRefused, server + " does not let it sign in (?): its owner corrects user and password of the sender."},
		sender:  wait{platen.CodeSenderAddressRefused, server + " refuses its address (?): its owner corrects from, bounces or user of the sender."},
		explain: explain,
	}
}

// as is the error of a server that answered with a status, or did not for the reason in its place.
func (w wait) as(err error, status string) error {
	return &platen.Error{Kind: platen.KindUnavailable, Code: w.code, Message: strings.Replace(w.message, place, "("+status+")", 1), Err: err}
}

// unavailable is the error of a server that gave no answer.
func (w words) unavailable(err error) error {
	reason := ""
	if w.explain != nil {
		reason = w.explain(err)
	}
	return w.away.as(err, reason)
}
