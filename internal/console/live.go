package console

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/platenhq/platen/client"
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
	if err != nil {
		w.WriteHeader(cmp.Or(statusOf(err), http.StatusServiceUnavailable))
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
		switch status := statusOf(err); {
		case status != 0 && status < 500 && status != http.StatusTooManyRequests:
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

// watchedRuns is watched of the runs of the workflow, and the newest of them.
func (r request) watchedRuns(ctx context.Context) (live string, newest []client.Automation) {
	of, seen := "runs:"+r.workflowID(), r.caller
	seen.Seen = sha256.New()
	newest, err := newestWatched(ctx, seen.Client(), r.workflowID(), false)
	if err != nil {
		return of, nil // the page says why
	}
	return of + "&seen=" + hex.EncodeToString(seen.Seen.Sum(nil)), newest
}

// newestWatched are the runs of a workflow, or its tests, whose changes a page shows.
func newestWatched(ctx context.Context, api *client.Client, workflow string, tests bool) ([]client.Automation, error) {
	return client.Collect(api.Automations(client.WithPage(ctx, &client.Page{Limit: 20}), workflow, client.AutomationQuery{Newest: true, Test: tests}))
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

// state is a digest of what a page shows that changes by itself: of a run, a batch, a list
// of runs, or everything.
func (r request) state(ctx context.Context, of string) (sum [32]byte, err error) {
	seen := r.caller
	seen.Seen = sha256.New()
	if err := readWatched(ctx, seen.Client(), of); err != nil {
		return sum, err
	}
	return [32]byte(seen.Seen.Sum(nil)), nil
}

// readWatched reads what a page watches.
func readWatched(ctx context.Context, api *client.Client, of string) error {
	kind, path, _ := strings.Cut(of, ":")
	workflow, run, _ := strings.Cut(path, "/")
	newest := func(most int) context.Context { return client.WithPage(ctx, &client.Page{Limit: most}) }
	switch {
	case kind == "all":
		_, err := client.Collect(api.AllAutomations(newest(20), client.AutomationQuery{Newest: true}))
		return err
	case (kind == "runs" || kind == "tests") && isWorkflow(workflow):
		_, err := newestWatched(ctx, api, workflow, kind == "tests")
		return err
	case kind == "events" && isWorkflow(workflow):
		_, err := client.Collect(api.Events(newest(onEventsPage), workflow, client.EventQuery{Newest: true}))
		if err == nil {
			_, err = api.CountEvents(ctx, workflow, time.Time{})
		}
		return err
	case kind == "batch" && isWorkflow(workflow) && platenID("batch", run):
		_, err := api.Batch(ctx, workflow, run)
		return err
	case kind == "run" && isWorkflow(workflow) && isAutomation(run):
		a, err := api.Automation(ctx, workflow, run)
		if err == nil && len(a.Outputs) > 0 {
			_, err = client.Collect(api.Events(ctx, workflow, client.EventQuery{OutputIDs: idsOf(a.Outputs)}))
		}
		return err
	}
	return errNoPage
}
