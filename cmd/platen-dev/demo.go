package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/protect"
)

type demoCommand struct {
	Out         string `default:"./demo-out" env:"PLATEN_DEV_DEMO_OUT" help:"Directory for the PDFs and events."`
	Runs        int    `default:"50" env:"PLATEN_DEV_DEMO_RUNS" help:"How many further events to send for the figures of the time from source event to received event."`
	PostgresBin string `env:"PLATEN_DEV_POSTGRES_BIN" help:"Directory of Postgres' programs (initdb, postgres). Default: looked for on the PATH and in the usual places."`
}

// demoPassword is the password template of every demo document.
const demoPassword = "open-{{Customer Number}}"

// eventLimit is how long the demo waits for one event.
const eventLimit = 30 * time.Second

func (c *demoCommand) Run(ctx context.Context) error {
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return fmt.Errorf("--out %s: %w", c.Out, err)
	}
	return runTemporary(ctx, c.PostgresBin, c.show)
}

func (c *demoCommand) show(ctx context.Context, i *instance) error {
	watch := newStopwatch()
	receiver, err := startReceiver(ctx)
	if err != nil {
		return err
	}
	defer receiver.close()
	cl := newClient(i.ready)
	all, err := examples.All()
	if err != nil {
		return err
	}
	var invoice demoWorkflow
	for _, e := range all {
		w, err := c.prepare(ctx, cl, receiver, e, watch)
		if err != nil {
			return fmt.Errorf("example %s: %w", e.Name, err)
		}
		if err := c.once(ctx, cl, receiver, w, watch); err != nil {
			return fmt.Errorf("example %s: %w", e.Name, err)
		}
		if e.Name == examples.Invoice {
			invoice = w
		}
	}
	if err := c.measure(ctx, cl, receiver, invoice); err != nil {
		return err
	}
	fmt.Printf("\nEverything checked. The PDFs and events are in %s; the PDFs open with the password %s.\n", c.Out, invoice.password)
	return nil
}

// A demoWorkflow is ready to take events.
type demoWorkflow struct {
	workflow
	example  examples.Example
	password string // the value of demoPassword
}

// prepare does what an integrator does before the first event.
func (c *demoCommand) prepare(ctx context.Context, cl *client, r *receiver, e examples.Example, watch *stopwatch) (demoWorkflow, error) {
	w := demoWorkflow{example: e}
	password, err := expectedPassword(e)
	if err != nil {
		return w, err
	}
	w.password = password
	template, err := cl.ensureTemplate(ctx, e)
	if err != nil {
		return w, err
	}
	watch.lap("%s: template is in the drive", e.Name)
	if w.workflow, err = cl.createWorkflow(ctx, "Demo "+e.Name, ""); err != nil {
		return w, err
	}
	watch.lap("%s: workflow created", e.Name)
	var d document
	path := "/workflows/" + w.ID
	if err := cl.call(ctx, http.MethodPost, path+"/documents/", map[string]any{"file_id": template}, &d, http.StatusCreated); err != nil {
		return w, err
	}
	watch.lap("%s: template added", e.Name)
	options := map[string]any{
		"createPdfCopy": true, "removeOutput": true, "enablePdfPassword": true,
		"pdfPassword": demoPassword, "enablePdfPreventCopy": true,
	}
	if err := cl.call(ctx, http.MethodPatch, path+"/documents/"+d.ID+"/", options, nil, http.StatusOK); err != nil {
		return w, err
	}
	watch.lap("%s: PDF with password and without copying, original removed", e.Name)
	address := map[string]any{"webhookUrl": r.url}
	if err := cl.call(ctx, http.MethodPost, path+"/outgoing-webhooks/", address, nil, http.StatusCreated); err != nil {
		return w, err
	}
	var secret struct {
		Secret string `json:"secret"`
	}
	if err := cl.call(ctx, http.MethodGet, path+"/outgoing-webhooks/secret/", nil, &secret, http.StatusOK); err != nil {
		return w, err
	}
	if err := r.trust(w.ID, secret.Secret); err != nil {
		return w, err
	}
	watch.lap("%s: receiver registered", e.Name)
	return w, nil
}

// once sends the example's event and checks all that comes of it.
func (c *demoCommand) once(ctx context.Context, cl *client, r *receiver, w demoWorkflow, watch *stopwatch) error {
	if err := cl.post(ctx, w.Source.WebhookURL, w.example.Event); err != nil {
		return err
	}
	watch.lap("%s: source event accepted", w.example.Name)
	event, err := r.next(ctx, w.ID)
	if err != nil {
		return err
	}
	watch.lap("%s: event received, its signature is right", w.example.Name)
	if len(event.Data.Documents) != 1 {
		return fmt.Errorf("the event names %d documents, want the PDF alone: %s", len(event.Data.Documents), event.body)
	}
	pdf, err := download(ctx, cl, event.Data.Documents[0].URL)
	if err != nil {
		return err
	}
	if err := (protect.Protector{}).Opens(pdf, w.password); err != nil {
		return fmt.Errorf("the PDF does not open with its password: %w", err)
	}
	if (protect.Protector{}).Opens(pdf, "wrong") == nil {
		return errors.New("the PDF opens with any password")
	}
	if err := os.WriteFile(filepath.Join(c.Out, w.example.Name+".pdf"), pdf, 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(c.Out, w.example.Name+"-event.json"), event.body, 0o644); err != nil {
		return err
	}
	watch.lap("%s: PDF fetched by the event's link, opens with its password only", w.example.Name)
	return nil
}

// measure sends one event after the other and prints how long each took.
func (c *demoCommand) measure(ctx context.Context, cl *client, r *receiver, w demoWorkflow) error {
	if c.Runs == 0 {
		return nil
	}
	fmt.Printf("\nSending %d more events, one after the other …\n", c.Runs)
	times := make([]time.Duration, c.Runs)
	for i := range times {
		began := time.Now()
		if err := cl.post(ctx, w.Source.WebhookURL, w.example.Event); err != nil {
			return err
		}
		event, err := r.next(ctx, w.ID)
		if err != nil {
			return fmt.Errorf("event %d of %d: %w", i+1, c.Runs, err)
		}
		times[i] = event.at.Sub(began)
	}
	slices.Sort(times)
	fmt.Printf("Source event to received event over %d runs: p50 %d ms, p90 %d ms, slowest %d ms\n", c.Runs,
		times[len(times)/2].Milliseconds(), times[len(times)*9/10].Milliseconds(), times[len(times)-1].Milliseconds())
	return nil
}

func download(ctx context.Context, cl *client, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	answer, err := cl.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("fetch the PDF: %w", err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(io.LimitReader(answer.Body, 32<<20))
	if err != nil {
		return nil, fmt.Errorf("fetch the PDF: %w", err)
	}
	if answer.StatusCode != http.StatusOK || !bytes.HasPrefix(content, []byte("%PDF-")) {
		return nil, fmt.Errorf("fetch the PDF: got %s and %d bytes that are no PDF", answer.Status, len(content))
	}
	return content, nil
}

// A stopwatch prints what was done and how long it took since the last lap.
type stopwatch struct{ last time.Time }

func newStopwatch() *stopwatch { return &stopwatch{last: time.Now()} }

func (s *stopwatch) lap(format string, args ...any) {
	now := time.Now()
	fmt.Printf("%7.0f ms  %s\n", float64(now.Sub(s.last).Microseconds())/1000, fmt.Sprintf(format, args...))
	s.last = now
}

// expectedPassword is the value of demoPassword, computed without the service's
// code.
func expectedPassword(e examples.Example) (string, error) {
	number, err := e.Field("Customer Number")
	if err != nil {
		return "", err
	}
	return strings.ReplaceAll(demoPassword, "{{Customer Number}}", number), nil
}
