package api

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

const (
	maxLimit     = 1000
	defaultLimit = 100 // of a page that is asked for by cursor alone
	maxCursor    = 200 // bytes
	listStep     = 500 // entries of a whole list that are read at a time
)

// parameters reads the query of a list and collects what is wrong with it. A
// parameter that nothing reads is wrong, too: a filter with a typing error would
// answer with everything, and look right.
type parameters struct {
	values url.Values
	read   []string // names, in the order in which they were asked for
	faults []string
}

func parametersOf(r *http.Request) *parameters {
	return &parameters{values: r.URL.Query()}
}

func (p *parameters) fault(format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

// err is what is wrong, once everything was read.
func (p *parameters) err() error {
	if unread := unreadParameters(p.values, p.read); unread != "" {
		p.fault("There is no parameter %s here: this list takes %s.", unread, strings.Join(p.read, ", "))
	}
	if len(p.faults) == 0 {
		return nil
	}
	return platen.Errorf(platen.KindInvalid, "invalid_parameter", "%s", strings.Join(p.faults, " "))
}

// unreadParameters are the names in a query that read does not have; empty: there are none.
func unreadParameters(query url.Values, read []string) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(read, name) {
			names = append(names, name)
		}
	}
	return cut(strings.Join(names, ", "))
}

// refuseParameters is the error of a request that changes something and has a query.
func refuseParameters(r *http.Request) error {
	unread := unreadParameters(r.URL.Query(), nil)
	if unread == "" {
		return nil
	}
	return platen.Errorf(platen.KindInvalid, "invalid_parameter", "There is no parameter %s here: this request takes none.", unread)
}

// all returns every value of a parameter.
func (p *parameters) all(name string) []string {
	if !slices.Contains(p.read, name) {
		p.read = append(p.read, name)
	}
	return p.values[name]
}

// one returns a parameter that may be given once.
func (p *parameters) one(name string) (value string, given bool) {
	values := p.all(name)
	if len(values) > 1 {
		p.fault("The parameter %s is there %d times: give it once.", name, len(values))
		return "", false
	}
	if len(values) == 0 {
		return "", false
	}
	return values[0], true
}

// page reads limit and cursor. Without both it is the zero page: the whole
// list, as the specification has it.
func (p *parameters) page() platen.Page {
	var page platen.Page
	if text, ok := p.one("limit"); ok {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxLimit {
			p.fault("The parameter limit must be a whole number from 1 to %d.", maxLimit)
		}
		page.Limit = n
	}
	if text, ok := p.one("cursor"); ok {
		after, ok := readCursor(text)
		if !ok {
			p.fault("The parameter cursor is not one that a list gave: follow the address in the Link header, or leave it out to start from the beginning.")
		}
		page.After = after
		if page.Limit == 0 {
			page.Limit = defaultLimit
		}
	}
	return page
}

// newestFirst is page of a list that can be asked for with its newest entry first.
func (p *parameters) newestFirst() platen.Page {
	page := p.page()
	order, given := p.one("order")
	switch {
	case !given || order == "oldest":
	case order == "newest":
		page.Newest = true
		if page.Limit == 0 {
			page.Limit = defaultLimit
		}
	default:
		p.fault("The parameter order must be one of oldest, newest.")
	}
	return page
}

// since reads the time from which on a list is asked for.
func (p *parameters) since() time.Time { return p.time("since") }

// until reads the time before which a list is asked for.
func (p *parameters) until() time.Time { return p.time("until") }

// test tells whether a list of tests is asked for; else tests are left out.
func (p *parameters) test() bool {
	switch text, given := p.one("test"); {
	case !given || text == "false":
		return false
	case text == "true":
		return true
	}
	p.fault("The parameter test must be true or false.")
	return false
}

// named reads by what a sender named its request and its event.
func (p *parameters) named() (requestID, eventKey string) {
	requestID, given := p.one("requestId")
	if given && !edge.IsRequestID(requestID) {
		p.fault("The parameter requestId must be 1 to 128 printable ASCII characters.")
	}
	eventKey, given = p.one("idempotencyKey")
	if given && strings.TrimSpace(eventKey) == "" {
		p.fault("The parameter idempotencyKey must be the value of the header Idempotency-Key or webhook-id.")
	}
	return requestID, eventKey
}

// mails reads the states that the latest mail may have.
func (p *parameters) mails() []platen.MailState {
	return anyOf(p, "mail", platen.MailPending, platen.MailSent, platen.MailPartlySent, platen.MailFailed, platen.MailBounced, platen.MailNotSent)
}

// placements reads the states that an output may have at a target.
func (p *parameters) placements() []platen.PlacementState {
	return anyOf(p, "target", platen.PlacementStates()...)
}

// maxSearch is how many bytes a search for a name may have.
const maxSearch = 200

// name reads words of a name.
func (p *parameters) name() string {
	text, given := p.one("name")
	if given && (strings.TrimSpace(text) == "" || len(text) > maxSearch || !utf8.ValidString(text) || strings.ContainsRune(text, 0)) {
		p.fault("The parameter name must be words of a file's name, at most %d bytes.", maxSearch)
	}
	return text
}

func (p *parameters) time(name string) time.Time {
	text, ok := p.one(name)
	if !ok {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		p.fault("The parameter %s must be a time such as 2026-01-02T03:04:05Z.", name)
	}
	return at
}

// ids reads a parameter that may be given several times and must each time be an id.
func (p *parameters) ids(name, prefix string) []string {
	found := p.all(name)
	if len(found) > maxLimit {
		p.fault("The parameter %s may be there %d times at most.", name, maxLimit)
	}
	for _, id := range found {
		if !platen.IsID(prefix, id) {
			p.fault("The parameter %s must be an id that begins with %s.", name, prefix)
			return nil
		}
	}
	return found
}

// anyOf reads a parameter that may be given several times and must each time
// be one of allowed.
func anyOf[T ~string](p *parameters, name string, allowed ...T) []T {
	var found []T
	for _, value := range p.all(name) {
		v := T(value)
		switch {
		case !slices.Contains(allowed, v):
			names := make([]string, len(allowed))
			for i, a := range allowed {
				names[i] = string(a)
			}
			p.fault("The parameter %s must be one of %s.", name, strings.Join(names, ", "))
			return nil
		case !slices.Contains(found, v):
			found = append(found, v)
		}
	}
	return found
}

// A cursor is the position of the last entry of a page. It is opaque to clients and no
// secret: with any cursor, a list holds only the caller's entries.
func cursor(p platen.Position) string {
	return base64.RawURLEncoding.EncodeToString([]byte("1 " + strconv.FormatInt(p.CreatedAt.UnixMicro(), 10) + " " + p.ID))
}

func readCursor(text string) (platen.Position, bool) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(raw) > maxCursor {
		return platen.Position{}, false
	}
	version, rest, _ := strings.Cut(string(raw), " ")
	micros, id, _ := strings.Cut(rest, " ")
	at, err := strconv.ParseInt(micros, 10, 64)
	prefix, name, _ := strings.Cut(id, "_")
	moment := time.UnixMicro(at).UTC()
	if version != "1" || err != nil || !platen.IsID(prefix+"_", prefix+"_"+name) || moment.Year() < 2000 || moment.Year() > 9999 {
		return platen.Position{}, false
	}
	return platen.Position{CreatedAt: moment, ID: id}, true
}

// oneMore is the page to ask the store for, so that it shows whether there is
// a next one.
func oneMore(p platen.Page) platen.Page {
	if p.Limit > 0 {
		p.Limit++
	}
	return p
}

// writePage answers with a list that was read for oneMore(page): entries beyond
// the page are left out, and a Link header then names the next page (RFC 8288),
// with the parameters of the request: the list knows them all.
func writePage[T, J any](s *server, w http.ResponseWriter, r *http.Request, page platen.Page, found []T,
	position func(T) platen.Position, wire func(T) J) error {
	if page.Limit > 0 && len(found) > page.Limit {
		found = found[:page.Limit]
		query := r.URL.Query()
		query.Set("limit", strconv.Itoa(page.Limit))
		query.Set("cursor", cursor(position(found[page.Limit-1])))
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next"`, s.origin, r.URL.EscapedPath(), query.Encode()))
	}
	out := make([]J, 0, len(found))
	for _, entry := range found {
		out = append(out, wire(entry))
	}
	return edge.WriteJSON(w, http.StatusOK, out)
}

// writeWhole answers with all of a list, which it reads in steps, each encoded
// before the next is read: an entry then costs the same however many there
// are, and nothing grows with them but the answer's bytes. Entries keep their
// places, so each is there once, as it was when its step was read.
func writeWhole[T, J any](w http.ResponseWriter, read func(platen.Page) ([]T, error), position func(T) platen.Position, wire func(T) J) error {
	var text [][]byte
	for page := (platen.Page{Limit: listStep}); ; {
		found, err := read(page)
		if err != nil {
			return err
		}
		entries := make([]J, len(found))
		for i, entry := range found {
			entries[i] = wire(entry)
		}
		list, err := edge.Encode(entries)
		if err != nil {
			return err
		}
		if len(text) == 0 {
			text = append(text, list[:len(list)-1])
		} else if len(found) > 0 {
			list[0] = ',' // goes on with the list before
			text = append(text, list[:len(list)-1])
		}
		if len(found) < page.Limit {
			break
		}
		page.After = position(found[len(found)-1])
	}
	edge.Write(w, http.StatusOK, "application/json", append(text, []byte("]\n"))...)
	return nil
}

func workflowPosition(w platen.Workflow) platen.Position {
	return platen.Position{CreatedAt: w.CreatedAt, ID: w.ID}
}

func documentPosition(d platen.Document) platen.Position {
	return platen.Position{CreatedAt: d.CreatedAt, ID: d.ID}
}
