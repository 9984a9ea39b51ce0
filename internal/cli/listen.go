package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/platenhq/platen/client"
)

type listenCommand struct {
	Access
	ForwardTo   string         `name:"forward-to" placeholder:"URL" help:"Address of your receiver, such as http://127.0.0.1:9000/events. Without, events are only printed."`
	Workflow    []WorkflowName `sep:"none" help:"Only events of this workflow, by its id or name. Several times for several. Default: all that you see."`
	Test        bool           `xor:"which" help:"Only events of tests."`
	Live        bool           `xor:"which" help:"Only events that are of no test. Default: both, those of tests marked."`
	Since       Ago            `placeholder:"1h" help:"Begin with the events that were created so long ago at most, such as 1h or 7d, or since a time such as 2026-01-02T03:04:05Z. Default: those that are created from now on."`
	PrintSecret bool           `name:"print-secret" help:"Print the secret that forwarded events are signed with, and end."`
	JSON        bool           `name:"json" help:"Print one JSON object for each event."`
}

// Run goes on until it is interrupted, which is its good end.
func (c *listenCommand) Run(ctx context.Context, e *Environment) error {
	secret, err := e.listenSecret()
	if err != nil {
		return err
	}
	if c.PrintSecret {
		_, err := fmt.Fprintln(e.Out, secret)
		return err
	}
	if c.ForwardTo != "" && !isWebAddress(c.ForwardTo) {
		return Usage(fmt.Errorf("--forward-to %s: give the address of a receiver, such as http://127.0.0.1:9000/events", Shown(c.ForwardTo)))
	}
	verifier, err := client.NewVerifier(secret)
	if err != nil {
		return fmt.Errorf("%w; remove the file, and another one is made", err)
	}
	api, err := c.client(e)
	if err != nil {
		return err
	}
	lists, err := c.lists(ctx, e, api)
	if err != nil {
		return err
	}
	l := &listener{command: c, e: e, api: api, signer: verifier, http: direct(receiverTimeout)}
	f := newFeed(api, lists, c.Since.time())
	found, err := f.next(ctx) // what comes after the greeting is new
	if err != nil {
		return err
	}
	c.greet(e, secret, countWorkflows(lists))
	return l.run(ctx, f, found)
}

func isWebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// lists are those listened to: a workflow that tells nobody makes no events.
func (c *listenCommand) lists(ctx context.Context, e *Environment, api *client.Client) ([]eventList, error) {
	var lists []eventList
	add := func(w client.Workflow) error {
		if w.OutgoingWebhook != nil && !c.Test {
			lists = append(lists, eventList{workflowID: w.ID})
		}
		tested, err := c.isTested(ctx, api, w.ID)
		switch {
		case err != nil:
			return err
		case tested:
			lists = append(lists, eventList{workflowID: w.ID, test: true})
		case c.Test:
			fmt.Fprintf(e.Err, "Tests of %s (%s) make no events: it has no test receiver. 'platen webhooks test-receiver %s URL' sets one; its events come here even if nothing answers at URL.\n", Shown(w.ID), cut(Shown(w.Name), widest), Shown(w.ID))
		case w.OutgoingWebhook == nil:
			fmt.Fprintf(e.Err, "%s (%s) makes no events: it has no outgoing webhook. 'platen webhooks create %s URL' sets one; its events come here even if nothing answers at URL.\n", Shown(w.ID), cut(Shown(w.Name), widest), Shown(w.ID))
		}
		return nil
	}
	for _, name := range c.Workflow {
		w, err := name.workflow(ctx, api)
		if err == nil {
			err = add(w)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(c.Workflow) == 0 {
		for w, err := range api.Workflows(ctx, client.WorkflowQuery{Statuses: []string{"COMPLETE", "INCOMPLETE"}}) {
			if err == nil {
				err = add(w)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if len(lists) == 0 {
		return nil, errors.New("there is no workflow with an outgoing webhook or a test receiver to listen to")
	}
	return lists, nil
}

// isTested tells whether tests of a workflow make events that are listened to.
func (c *listenCommand) isTested(ctx context.Context, api *client.Client, workflowID string) (bool, error) {
	if c.Live {
		return false, nil
	}
	_, err := api.TestReceiver(ctx, workflowID)
	refusal, ok := errors.AsType[*client.Error](err)
	if ok && (refusal.Code == "test_receiver_not_found" || refusal.Code == "path_not_found") { // or a release without tests
		return false, nil
	}
	return err == nil, err
}

func countWorkflows(lists []eventList) int {
	all := map[string]bool{}
	for _, l := range lists {
		all[l.workflowID] = true
	}
	return len(all)
}

func (c *listenCommand) greet(e *Environment, secret string, workflows int) {
	to := "without forwarding them"
	if c.ForwardTo != "" {
		to = "and forwarding them to " + Shown(c.ForwardTo)
	}
	fmt.Fprintf(e.Err, "Listening to the events of %s %s. Ctrl-C ends.\n", count(workflows, "workflow"), to)
	if c.ForwardTo != "" {
		fmt.Fprintf(e.Err, "They are signed with %s, which is this machine's own: your receiver checks that one.\n", secret)
	}
}

const listenSecretFile = "listen-secret"

// listenSecret is the one of this machine, which is made when it is first asked for.
func (e *Environment) listenSecret() (string, error) {
	name, err := e.file(listenSecretFile)
	if err != nil {
		return "", err
	}
	raw, err := os.ReadFile(name)
	if err == nil {
		return strings.TrimSpace(string(raw)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	secret := "whsec_" + base64.StdEncoding.EncodeToString(key)
	return secret, writePrivate(name, []byte(secret+"\n"))
}

// A listener hands events on, one after the other.
type listener struct {
	command   *listenCommand
	e         *Environment
	api       *client.Client
	signer    *client.Verifier
	http      *http.Client
	forwarded int
	refused   int // of these
}

// Workflows are asked one after the other, ten a second at most: a token may ask 50 times
// a second.
const (
	askPause  = time.Second
	pauseEach = 100 * time.Millisecond
	// downPause is how long to wait for an API that does not answer.
	downPause = 5 * time.Second
)

// run handles what was found, and then what comes, until it is interrupted.
func (l *listener) run(ctx context.Context, f feed, found []news) error {
	each := max(askPause, time.Duration(len(f))*pauseEach)
	for pause := each; ; {
		for _, n := range found {
			if err := l.handle(ctx, n); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return l.bye()
			}
		}
		if wait(ctx, pause) != nil {
			return l.bye()
		}
		var err error
		found, err = f.next(ctx) // some, even if another workflow's cannot be read
		switch pause = each; {
		case ctx.Err() != nil:
			return l.bye()
		case refused(err):
			return err
		case err != nil:
			pause = downPause
			fmt.Fprintf(l.e.Err, "%s\nAsking again in %s.\n", Message(err), pause)
		}
	}
}

func (l *listener) bye() error {
	if l.command.ForwardTo == "" {
		return nil
	}
	_, err := fmt.Fprintf(l.e.Err, "Forwarded %s, %d of them not taken.\n", count(l.forwarded, "event"), l.refused)
	return err
}

// A heard is what is printed of an event.
type heard struct {
	At           string  `json:"at"`
	EventID      string  `json:"eventId"`
	Type         string  `json:"type"`
	WorkflowID   string  `json:"workflowId"`
	AutomationID string  `json:"automationId"`
	Test         bool    `json:"test"`
	Forwarded    bool    `json:"forwarded"`
	Status       *int    `json:"status"` // of HTTP; null: no answer, or not forwarded
	DurationMS   *int64  `json:"durationMs"`
	Failure      *string `json:"failure"`
}

// handle forwards one event and prints how that went. What is under way when the user
// interrupts is finished.
func (l *listener) handle(ctx context.Context, n news) error {
	out := heard{At: n.CreatedAt.UTC().Format(time.RFC3339Nano), EventID: n.ID, Type: string(n.Type), WorkflowID: n.WorkflowID, AutomationID: n.AutomationID, Test: n.Test}
	d, err := l.api.Event(ctx, n.WorkflowID, n.ID)
	if ctx.Err() != nil {
		return nil
	}
	fail := func(text string) { out.Failure = &text }
	switch {
	case err != nil:
		fail("its payload cannot be read: " + err.Error())
	case erased(d.Payload):
		fail("its data was erased: there is nothing to forward")
	case l.command.ForwardTo != "":
		began := time.Now()
		status, err := l.forward(ctx, n.Event, d.Payload)
		took := time.Since(began).Milliseconds()
		out.Forwarded, out.DurationMS = true, &took
		l.forwarded++
		if status != 0 {
			out.Status = &status
		}
		if err != nil {
			fail(err.Error())
		}
		if status < 200 || status > 299 {
			l.refused++
		}
	}
	return l.print(out)
}

func erased(payload []byte) bool {
	return len(payload) == 0 || bytes.Equal(bytes.TrimSpace(payload), []byte("null"))
}

func (l *listener) print(h heard) error {
	if l.command.JSON {
		return printJSON(l.e.Out, h)
	}
	text := clock() + "  " + h.EventID + "  " + h.Type + "  " + h.AutomationID
	if h.Test {
		text += "  TEST"
	}
	switch {
	case h.Status != nil:
		text += fmt.Sprintf("  %d %s  %d ms", *h.Status, http.StatusText(*h.Status), *h.DurationMS)
	case h.DurationMS != nil:
		text += fmt.Sprintf("  no answer  %d ms", *h.DurationMS)
	}
	if h.Failure != nil {
		text += "  " + *h.Failure
	}
	_, err := fmt.Fprintln(l.e.Out, Shown(text))
	return err
}

// receiverTimeout is what the service gives a receiver.
const receiverTimeout = 15 * time.Second

// direct is a client that follows no redirects.
func direct(timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// forward posts a payload byte for byte, signed with this machine's secret.
func (l *listener) forward(ctx context.Context, event client.Event, payload []byte) (status int, err error) {
	request, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodPost, l.command.ForwardTo, bytes.NewReader(payload))
	if err != nil {
		return 0, err
	}
	if err := l.signer.Sign(request.Header, event.ID, time.Now(), payload); err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Platen-Webhooks/1 (platen listen)")
	request.Header.Set("Platen-Hops", "1")
	if event.Test {
		request.Header.Set("Platen-Test", "true")
	}
	answer, err := l.http.Do(request)
	if err != nil {
		if of, ok := errors.AsType[*url.Error](err); ok {
			err = of.Err
		}
		return 0, err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<20)) // so that the connection serves again
	return answer.StatusCode, nil
}
