package doctor

import (
	"context"
	"strings"
)

const mailServer = "mail server"

// mailServer signs in at the mail server and names the sender, if there is one.
func (e *examination) mailServer(ctx context.Context) {
	if e.MailServer == nil {
		return
	}
	_, err := limited(ctx, e.Limit, func(ctx context.Context) (struct{}, error) { return struct{}{}, e.MailServer(ctx) })
	if err != nil {
		e.add(Finding{network, mailServer, Failure, "It cannot be used: " + strings.TrimRight(err.Error(), ".") + ".",
			"Correct address, user and password in PLATEN_SMTP_URL and the sender in PLATEN_SMTP_FROM, or let this machine call it (firewall). No mail is sent until then."})
		return
	}
	e.ok(network, mailServer, "It takes the connection, the password and the sender.")
}
