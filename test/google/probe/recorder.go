package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/api/googleapi"
)

type callName struct{}

// An exchange is one call and its answer, as it was sent.
type exchange struct {
	name   string
	method string
	status int // 0: no answer
	took   time.Duration
	body   []byte // JSON; nil for files
}

// A recorder keeps what the drive answers.
type recorder struct {
	base http.RoundTripper

	mu     sync.Mutex
	all    []exchange
	hidden []string // of the account: its name and address
}

func (r *recorder) wrap(base http.RoundTripper) http.RoundTripper {
	r.base = base
	return r
}

// hide has values left out of all that is kept.
func (r *recorder) hide(values ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hidden = append(r.hidden, values...)
}

// RoundTrip times a call to the last byte of its answer.
func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	name, _ := request.Context().Value(callName{}).(string)
	begun := time.Now()
	e := exchange{name: name, method: request.Method}
	response, err := r.base.RoundTrip(request)
	if err == nil {
		var content []byte
		content, err = io.ReadAll(response.Body)
		_ = response.Body.Close()
		response.Body = io.NopCloser(bytes.NewReader(content))
		e.status = response.StatusCode
		if json.Valid(content) {
			e.body = content
		}
	}
	e.took = time.Since(begun)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, e)
	return response, err
}

// timings are by call, in the order of their first.
func (r *recorder) timings() (all []Timing) {
	r.mu.Lock()
	defer r.mu.Unlock()
	took := map[string][]int64{}
	var names []string
	for _, e := range r.all {
		if took[e.name] == nil {
			names = append(names, e.name)
		}
		took[e.name] = append(took[e.name], e.took.Milliseconds())
	}
	for _, name := range names {
		of := took[name]
		slices.Sort(of)
		all = append(all, Timing{Call: name, Calls: len(of), Median: of[len(of)/2], Most: of[len(of)-1]})
	}
	return all
}

// refusals are the calls that were answered 403 or 429, with their reasons.
func (r *recorder) refusals() (all []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.all {
		if e.status == http.StatusForbidden || e.status == http.StatusTooManyRequests {
			said := fmt.Sprintf("%s: %d%s", e.name, e.status, reasonsOf(e.body))
			if !slices.Contains(all, said) {
				all = append(all, said)
			}
		}
	}
	return all
}

// reasonsOf are the machine-readable reasons of an error's body, in parentheses.
func reasonsOf(body []byte) string {
	var wire struct {
		Error struct {
			Status  string                `json:"status"`
			Errors  []googleapi.ErrorItem `json:"errors"`
			Details []struct {
				Reason string `json:"reason"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &wire) != nil {
		return ""
	}
	all := []string{}
	for _, one := range append([]string{wire.Error.Status}, reasonsIn(wire.Error.Errors)...) {
		if one != "" && !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	for _, d := range wire.Error.Details {
		if d.Reason != "" && !slices.Contains(all, d.Reason) {
			all = append(all, d.Reason)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

func reasonsIn(items []googleapi.ErrorItem) (all []string) {
	for _, item := range items {
		all = append(all, item.Reason)
	}
	return all
}

// An Answer is what the drive answered to one call, without what is the account's.
type Answer struct {
	Call   string          `json:"call"`
	Method string          `json:"method"`
	Status int             `json:"status"`
	Took   int64           `json:"tookMs"`
	Body   json.RawMessage `json:"body,omitempty"`
}

// redactor knows all that must be hidden by now.
func (r *recorder) redactor() *redactor {
	r.mu.Lock()
	defer r.mu.Unlock()
	redact := newRedactor(r.hidden)
	for _, e := range r.all {
		redact.learn(e.body)
	}
	return redact
}

func (r *recorder) redacted() []Answer {
	redact := r.redactor()
	r.mu.Lock()
	defer r.mu.Unlock()
	answers := make([]Answer, len(r.all))
	for i, e := range r.all {
		answers[i] = Answer{Call: e.name, Method: e.method, Status: e.status, Took: e.took.Milliseconds(), Body: redact.body(e.body)}
	}
	return answers
}
