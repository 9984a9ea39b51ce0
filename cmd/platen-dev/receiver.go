package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// A receiver stands for the integrator's server: it takes events, and checks
// each signature with the Standard Webhooks library.
type receiver struct {
	url    string
	server *http.Server

	mu       sync.Mutex
	trusted  map[string]*standardwebhooks.Webhook // by workflow id
	received map[string]chan receivedEvent        // by workflow id
}

type receivedEvent struct {
	Type string `json:"event_type"`
	Data struct {
		WorkflowID string `json:"workflowId"`
		Documents  []struct {
			URL string `json:"url"`
		} `json:"documents"`
		Error *struct {
			Message string `json:"message"`
		} `json:"error"`
	} `json:"data"`
	body  []byte
	at    time.Time
	fault error
}

func startReceiver(ctx context.Context) (*receiver, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the receiver: %w", err)
	}
	r := &receiver{
		url:      "http://" + l.Addr().String() + "/events",
		trusted:  map[string]*standardwebhooks.Webhook{},
		received: map[string]chan receivedEvent{},
	}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = r.server.Serve(l) }()
	return r, nil
}

func (r *receiver) close() { _ = r.server.Close() }

// trust names the secret of a workflow's events.
func (r *receiver) trust(workflowID, secret string) error {
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return fmt.Errorf("read the signing secret: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trusted[workflowID] = verifier
	r.received[workflowID] = make(chan receivedEvent, 16)
	return nil
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	event := receivedEvent{at: time.Now()}
	var err error
	if event.body, err = io.ReadAll(io.LimitReader(request.Body, 1<<20)); err != nil {
		return
	}
	if err := json.Unmarshal(event.body, &event); err != nil {
		http.Error(w, "no JSON", http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	verifier, events := r.trusted[event.Data.WorkflowID], r.received[event.Data.WorkflowID]
	r.mu.Unlock()
	if verifier == nil {
		http.Error(w, "unknown workflow", http.StatusBadRequest)
		return
	}
	if err := verifier.Verify(event.body, request.Header); err != nil {
		event.fault = fmt.Errorf("the event's signature is wrong: %w", err)
	}
	events <- event
}

// next waits for the next event of a workflow; one that tells of a failure, or
// whose signature is wrong, is an error.
func (r *receiver) next(ctx context.Context, workflowID string) (receivedEvent, error) {
	r.mu.Lock()
	events := r.received[workflowID]
	r.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, eventLimit, errors.New("no event came in time"))
	defer cancel()
	select {
	case event := <-events:
		if event.fault == nil && event.Data.Error != nil {
			event.fault = fmt.Errorf("the document could not be made: %s", event.Data.Error.Message)
		}
		return event, event.fault
	case <-ctx.Done():
		return receivedEvent{}, context.Cause(ctx)
	}
}
