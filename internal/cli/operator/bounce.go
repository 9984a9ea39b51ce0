package operator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/cli"
	"github.com/platenhq/platen/internal/platen"
)

type bounceCommand struct {
	To            []string      `arg:"" optional:"" help:"Addresses that the message came to, as the mail server has them. Default: those in its headers."`
	APIURL        string        `name:"api-url" env:"PLATEN_API_URL" placeholder:"https://api.example.com/v0" help:"Address of the API, ending in /v0."`
	SMTPBounceKey platen.Secret `name:"smtp-bounce-key" env:"PLATEN_SMTP_BOUNCE_KEY" secret:"" help:"The key that 'serve' has."`
}

// bounceName is what the command line calls the command.
const bounceName = "bounce"

// bounceRead is how much of a message is handed on. What says why a mail came back stands
// before the mail itself.
const bounceRead = 1 << 20

// Run hands the message at standard input on.
func (c bounceCommand) Run(ctx context.Context) error { return c.run(ctx, os.Stdin) }

// run leaves a message to the mail server, which tries again, until somebody has read it: also
// where a setting is wrong.
func (c bounceCommand) run(ctx context.Context, from io.Reader) error {
	origin, isAddress := strings.CutSuffix(strings.TrimRight(c.APIURL, "/"), "/v0")
	if !isAddress || c.SMTPBounceKey == "" {
		return cli.Temporary(errors.New("the address of the API and the key are needed: set --api-url (PLATEN_API_URL) and --smtp-bounce-key (PLATEN_SMTP_BOUNCE_KEY)"))
	}
	message, err := io.ReadAll(io.LimitReader(from, bounceRead))
	if err != nil {
		return cli.Temporary(fmt.Errorf("read the message: %w", err))
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, origin+"/bounces?"+url.Values{"to": c.To}.Encode(), bytes.NewReader(message))
	if err != nil {
		return cli.Temporary(err)
	}
	r.Header.Set("Authorization", "Bearer "+string(c.SMTPBounceKey))
	r.Header.Set("Content-Type", "message/rfc822")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return cli.Temporary(fmt.Errorf("hand the message over: %w", err))
	}
	defer answer.Body.Close()
	said := fmt.Errorf("the service answered %s", answer.Status)
	switch {
	case answer.StatusCode == http.StatusOK:
		return nil
	case answer.StatusCode == http.StatusBadRequest && problemCode(answer.Body) == "message_malformed":
		// Another attempt would get the same answer. After a failure, the mail server would send
		// a message about it to the address in what is no message.
		fmt.Fprintln(os.Stderr, "The message was left out, because it is none that a mail server writes.")
		return nil
	}
	return cli.Temporary(said) // also of a proxy that was asked the wrong way
}

// problemCode is the code of a problem (RFC 9457); empty: it is none of ours.
func problemCode(body io.Reader) string {
	var problem struct {
		Code string `json:"code"`
	}
	_ = json.NewDecoder(io.LimitReader(body, 64<<10)).Decode(&problem) // a proxy answers what it likes
	return problem.Code
}
