package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// A receiver is the integrator's server: it answers 200, counts, and wakes the
// waiters of an event when it arrives.
type receiver struct {
	url      string
	server   *http.Server
	received atomic.Int64

	mu      sync.Mutex
	waiting map[int64]func(at time.Time)
}

func newReceiver() (*receiver, error) {
	l, err := listen()
	if err != nil {
		return nil, err
	}
	r := &receiver{url: address(l) + "/events", waiting: map[int64]func(time.Time){}}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: answerLimit}
	go func() { _ = r.server.Serve(l) }() // ends by close
	return r, nil
}

func (r *receiver) close() { _ = r.server.Close() }

// expect calls back once, when the event of source event n comes.
func (r *receiver) expect(n int64, came func(at time.Time)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[n] = came
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	at := time.Now()
	body, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(w, "unreadable", http.StatusBadRequest)
		return
	}
	r.received.Add(1)
	n, err := numberOf(body)
	if err != nil {
		return // of a document that failed; failures tells
	}
	r.mu.Lock()
	came := r.waiting[n]
	delete(r.waiting, n)
	r.mu.Unlock()
	if came != nil {
		came(at)
	}
}

// numberOf reads the number from the name of the event's document. An event of
// a document that failed has none.
func numberOf(body []byte) (int64, error) {
	_, rest, found := bytes.Cut(body, []byte(`"name":"Bench `))
	digits, _, ended := bytes.Cut(rest, []byte(" end"))
	if !found || !ended {
		return 0, errors.New("no document in the event")
	}
	return strconv.ParseInt(string(digits), 10, 64)
}

// A sender sends source events to one job and knows which came back.
type sender struct {
	client   *http.Client
	receiver *receiver
	source   string
	last     atomic.Int64
}

// send sends one event. came is called when its event was received.
func (s *sender) send(ctx context.Context, came func(at time.Time)) error {
	n := s.last.Add(1)
	body, err := letterEvent(n, bodySize)
	if err != nil {
		return err
	}
	s.receiver.expect(n, came)
	return post(ctx, s.client, s.source, body)
}
