package console

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
)

// livePath streams to a page that something that it shows has changed.
const livePath = "/console/live"

// changed is what a stream says of a change.
const changed = "event: change\ndata: \n\n"

// streamTime is how long a stream lasts; the browser opens the next one by itself.
const streamTime = 5 * time.Minute

// live tells a page of changes: as a stream or, where none is to be had, as a look each
// time that it is asked.
func (s *site) live(w http.ResponseWriter, r *http.Request) {
	in, ok := s.begin(w, r)
	if !ok {
		return
	}
	if r.URL.Query().Has("look") {
		s.look(w, in)
		return
	}
	s.stream(w, in)
}

// look answers with a digest of what is watched. It holds nothing between two looks, so
// any number of pages may be open.
func (s *site) look(w http.ResponseWriter, in request) {
	seen, err := in.state(in.Context(), in.URL.Query().Get("of"))
	if p, ok := errors.AsType[*problem](err); ok {
		w.WriteHeader(p.Status)
		return
	}
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(hex.EncodeToString(seen[:]))) // fails only when nobody listens any more
}

// stream says "change" whenever what is watched is not what it was. A stream costs a
// request to /v0 each SiteOptions.Poll, two for an automation with outputs: they
// count as the caller's.
func (s *site) stream(w http.ResponseWriter, in request) {
	leave, ok := s.streams.TryTake(in.session.key())
	if !ok {
		// EventSource does not try again after 204: the page looks now and then.
		w.WriteHeader(http.StatusNoContent)
		return
	}
	defer leave()
	watched := in.URL.Query().Get("of")
	seen, err := in.state(in.Context(), watched)
	if err != nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // for proxies
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // it outlasts what the server allows a request
	send := func(text string) bool {
		_ = out.SetWriteDeadline(time.Now().Add(10 * time.Second)) // not every writer has one
		_, err := w.Write([]byte(text))
		return err == nil && out.Flush() == nil
	}
	// The page may be older than its stream.
	shown, first := in.URL.Query().Get("seen"), "retry: 5000\n\n"
	if shown != "" && shown != hex.EncodeToString(seen[:]) {
		first += changed
	}
	if send(first) {
		s.watch(in, watched, seen, send)
	}
}

// watch polls for changes until the page is closed, the stream reaches its time limit,
// or the caller loses access.
func (s *site) watch(in request, watched string, seen [32]byte, send func(text string) bool) {
	poll, end := time.NewTicker(s.Poll), time.NewTimer(streamTime)
	defer poll.Stop()
	defer end.Stop()
	for {
		select {
		case <-in.Context().Done():
			return
		case <-s.Done:
			return
		case <-end.C:
			return
		case <-poll.C:
		}
		now, err := in.state(in.Context(), watched)
		p, refused := errors.AsType[*problem](err)
		switch {
		case refused && p.Status < 500 && p.Status != http.StatusTooManyRequests:
			send(changed) // the page says why when it is loaded
			return
		case err != nil:
			continue
		case now != seen:
			seen = now
			if !send(changed) {
				return
			}
		default:
			if !send(":\n\n") {
				return
			}
		}
	}
}

// watched is what a page watches, with what that is now, for an address. The page reads
// what it shows after that, so that its stream tells it of every later change.
func (r request) watched(ctx context.Context, of string) string {
	now, err := r.state(ctx, of)
	if err != nil {
		return of // the page says why
	}
	return of + "&seen=" + hex.EncodeToString(now[:])
}

// state is a digest of what a page shows that changes by itself: of a run, a list of
// runs, or everything.
func (r request) state(ctx context.Context, of string) (sum [32]byte, err error) {
	var found json.RawMessage
	kind, path, _ := strings.Cut(of, ":")
	workflow, run, _ := strings.Cut(path, "/")
	switch {
	case kind == "all":
		_, err = r.get(ctx, "/automations/?order=newest&limit=20", &found)
	case kind == "runs" && isWorkflow(workflow):
		_, err = r.get(ctx, "/workflows/"+workflow+"/automations/?order=newest&limit=20", &found)
	case kind == "tests" && isWorkflow(workflow):
		_, err = r.get(ctx, "/workflows/"+workflow+"/automations/?test=true&order=newest&limit=20", &found)
	case kind == "events" && isWorkflow(workflow):
		_, err = r.get(ctx, "/workflows/"+workflow+"/events/?order=newest&limit=25", &found)
		var counts json.RawMessage
		if err == nil {
			_, err = r.get(ctx, "/workflows/"+workflow+"/events/counts/", &counts)
		}
		found = bytes.Join([][]byte{found, counts}, nil)
	case kind == "run" && isWorkflow(workflow) && isAutomation(run):
		at := "/workflows/" + workflow
		if _, err = r.get(ctx, at+"/automations/"+run+"/", &found); err != nil {
			return sum, err
		}
		var a automation
		if err = json.Unmarshal(found, &a); err != nil || len(a.Outputs) == 0 {
			break
		}
		var events json.RawMessage
		_, err = r.get(ctx, at+"/events/?"+ofOutputs(a.Outputs), &events)
		found = bytes.Join([][]byte{found, events}, nil)
	default:
		return sum, errNoPage
	}
	return sha256.Sum256(found), err
}
