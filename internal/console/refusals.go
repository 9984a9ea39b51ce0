package console

import (
	"errors"
	"net/http"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
)

// A pageError is why there is no page, where /v0 said nothing of it.
type pageError struct {
	Status        int
	Title, Detail string
}

func (p *pageError) Error() string { return p.Detail }

// refusalIn is what /v0 answered, or a form says in its place; nil: err is something else.
func refusalIn(err error) *client.Error {
	p, _ := errors.AsType[*client.Error](err)
	return p
}

// statusOf is the status of a refusal or of a page that is not there; 0: err is neither.
func statusOf(err error) int {
	if p, ok := errors.AsType[*pageError](err); ok {
		return p.Status
	}
	if p := refusalIn(err); p != nil {
		return p.Status
	}
	return 0
}

// saidIn is what /v0 found, all of it.
func saidIn(in catalog.Printer, p *client.Error) saying {
	if p.Code == "" { // a page says it
		return own(p.Detail)
	}
	return theirs(in, p.Code, detailOf(p))
}

// detailOf is what /v0 found, in its words.
func detailOf(p *client.Error) string {
	if len(p.Faults) < 2 {
		return p.Detail
	}
	var all []string
	for _, one := range p.Faults {
		all = append(all, strings.TrimSpace(strings.TrimPrefix(one.Pointer, "/")+" "+one.Detail))
	}
	return strings.Join(all, "; ") + "."
}

// endsSession tells whether the token is no good any more.
func endsSession(p *client.Error) bool {
	switch p.Code {
	case "credentials_missing", "credentials_malformed", "token_unknown", "token_expired", "token_revoked", "user_disabled":
		return true
	}
	return false
}

// refusalOf reads an answer that was not asked for by a client, with the words for one that
// is none of /v0.
func refusalOf(in catalog.Printer, status int, header http.Header, body []byte, otherwise string) *client.Error {
	p := client.ErrorOf(&http.Response{StatusCode: status, Header: header}, body)
	if p.Code == "" || p.Detail == "" {
		p.Code, p.Detail = "", in.Text(otherwise)
	}
	return p
}
