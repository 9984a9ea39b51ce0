package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/platen"
)

const (
	fewWorkflows  = 100
	manyWorkflows = 10_000
)

// A caller of /v0 with workflows.
type apiCaller struct {
	token              string
	workflow, document string // one of them
	workflows          int
}

// measureLists: what the list costs per item, and whether calls about one
// resource feel how many there are.
func measureLists(ctx context.Context, b *bench) (err error) {
	i, err := b.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, i.close(context.WithoutCancel(ctx))) }()
	b.say("storing %d workflows", manyWorkflows)
	few, err := i.newCaller(ctx, "few", fewWorkflows)
	if err != nil {
		return err
	}
	many, err := i.newCaller(ctx, "many", manyWorkflows)
	if err != nil {
		return err
	}
	b.say("lists and single resources of /v0")
	if err := measureList(ctx, i, few, many); err != nil {
		return err
	}
	return measureSingle(ctx, i, few, many)
}

// newCaller makes a user who owns so many workflows, each with a document and
// an outgoing webhook.
func (i *instance) newCaller(ctx context.Context, name string, workflows int) (apiCaller, error) {
	c := apiCaller{workflows: workflows}
	admin, err := i.admin(ctx)
	if err != nil {
		return c, err
	}
	defer admin.Close()
	email := name + "@bench.example"
	ownerID, err := admin.CreateUser(ctx, name, email, "")
	if err != nil {
		return c, err
	}
	if c.token, err = admin.CreateToken(ctx, email, "bench", 0); err != nil {
		return c, err
	}
	first := storedWorkflow(ownerID, 0)
	c.workflow, c.document = first.ID, first.Documents[0].ID
	if err := admin.DB.Workflows.CreateWorkflow(ctx, first); err != nil {
		return c, err
	}
	return c, storeWorkflows(ctx, admin, ownerID, workflows)
}

func storeWorkflows(ctx context.Context, admin *admin.Admin, ownerID string, workflows int) error {
	storing, ctx := errgroup.WithContext(ctx)
	storing.SetLimit(16)
	for n := 1; n < workflows; n++ {
		storing.Go(func() error { return admin.DB.Workflows.CreateWorkflow(ctx, storedWorkflow(ownerID, n)) })
	}
	return storing.Wait()
}

func storedWorkflow(ownerID string, n int) platen.Workflow {
	now := time.Now().UTC()
	w := platen.Workflow{
		ID: platen.NewID(platen.PrefixWorkflow), Name: fmt.Sprintf("Workflow %d", n), Color: platen.DefaultColor, Icon: platen.DefaultIcon,
		Status: platen.StatusComplete, AutoCreate: true, Owner: platen.User{ID: ownerID}, CreatedByAPI: true, CreatedAt: now, UpdatedAt: now,
		Source: platen.Source{
			ID: platen.NewID(platen.PrefixSource), Type: platen.SourceWebhook, Key: platen.NewKey(),
			Fields: []string{"Name", "Customer.Address.Street", "Customer.Address.City", "Total"},
		},
		OutgoingWebhook: &platen.OutgoingWebhook{
			ID: platen.NewID(platen.PrefixOutgoingWebhook), URL: "https://receiver.example/events", Secret: "whsec_YmVuY2htYXJrcyBuZWVkIGEgc2VjcmV0IG9mIDMy", CreatedAt: now, UpdatedAt: now,
		},
	}
	id := platen.NewID(platen.PrefixDocument)
	w.Documents = []platen.Document{{
		ID: id, WorkflowID: w.ID, Type: platen.TypeDocs,
		File:       platen.File{ID: "file-" + id, Name: "Template", URL: "https://drive.example/" + id, MIMEType: platen.MIMEDocs},
		OutputName: "Output of {{Name}}", CreatePDFCopy: true, EnablePDFPassword: true, PDFPassword: "open-{{Name}}", CreatedAt: now, UpdatedAt: now,
	}}
	return w
}

// measureList compares per item: as many entries in one call as in a hundred.
// Both take about as long, so that what else the machine does troubles both
// alike, and each counts by its quickest time.
func measureList(ctx context.Context, i *instance, few, many apiCaller) error {
	var took, cost [2][]float64
	for range i.bench.rounds {
		for k, one := range []struct {
			caller apiCaller
			calls  int
		}{{few, many.workflows / few.workflows}, {many, 1}} {
			t, c, err := i.list(ctx, one.caller, one.calls)
			if err != nil {
				return err
			}
			took[k], cost[k] = append(took[k], t), append(cost[k], c)
		}
	}
	r := i.bench.report
	r.add("GET /v0/workflows/, per item of 100", "µs", took[0])
	r.add("GET /v0/workflows/, per item of 10,000", "µs", took[1])
	r.add("GET /v0/workflows/, per item, 10,000 ÷ 100", "×", ratios(took[1], took[0]), atMost(1.5))
	r.add("GET /v0/workflows/, CPU per item of 100", "µs", cost[0], note("serve and Postgres"))
	r.add("GET /v0/workflows/, CPU per item, 10,000 ÷ 100", "×", ratios(cost[1], cost[0]))
	memory(r, i.serve, "after lists of 10,000")
	return nil
}

// list reads a caller's list that many times, thrice over. It returns the
// quickest time and the mean processor time, in microseconds per item.
func (i *instance) list(ctx context.Context, c apiCaller, calls int) (took, cost float64, err error) {
	const times = 3
	used := func() (time.Duration, error) {
		l := ledger{}
		err := accountPostgres(ctx, i.pool, i.databaseName, l)
		return processorTime(i.serve.cmd.Process.Pid).own + l[kindPlatenPostgres], err
	}
	before, err := used()
	if err != nil {
		return 0, 0, err
	}
	items := float64(calls * c.workflows)
	for n := range times {
		begun := time.Now()
		for range calls {
			if err := i.read(ctx, "/workflows/", c.token); err != nil {
				return 0, 0, err
			}
		}
		if one := milliseconds(time.Since(begun)) * 1000 / items; n == 0 || one < took {
			took = one
		}
	}
	after, err := used()
	if after == 0 { // this machine does not tell
		return took, math.NaN(), err
	}
	return took, milliseconds(after-before) * 1000 / items / times, err
}

// read is a GET whose answer is read and thrown away: what a client would do
// with it is no cost of ours.
func (i *instance) read(ctx context.Context, path, token string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, i.serve.Main+path, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", token)
	answer, err := i.http.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return fmt.Errorf("GET %s: %w", path, err)
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: got %s", path, answer.Status)
	}
	return nil
}

func measureSingle(ctx context.Context, i *instance, few, many apiCaller) error {
	name := 0
	for _, call := range []struct {
		title, method, path string
	}{
		{"GET workflow", http.MethodGet, "/workflows/{workflow}/"},
		{"PATCH workflow", http.MethodPatch, "/workflows/{workflow}/"},
		{"GET document", http.MethodGet, "/workflows/{workflow}/documents/{document}/"},
		{"GET outgoing webhook", http.MethodGet, "/workflows/{workflow}/outgoing-webhooks/"},
	} {
		var byFew, byMany []float64
		for range i.bench.rounds {
			for caller, into := range map[*apiCaller]*[]float64{&few: &byFew, &many: &byMany} {
				var body any
				if call.method == http.MethodPatch {
					name++
					body = map[string]any{"name": fmt.Sprintf("Renamed %d", name)}
				}
				path := strings.NewReplacer("{workflow}", caller.workflow, "{document}", caller.document).Replace(call.path)
				took, err := i.quickest(ctx, 60, call.method, path, caller.token, body)
				if err != nil {
					return err
				}
				*into = append(*into, took)
			}
		}
		i.bench.report.add(call.title+", caller with 100", "ms", byFew)
		i.bench.report.add(call.title+", 10,000 ÷ 100", "×", ratios(byMany, byFew), atMost(1.5))
	}
	return nil
}

// quickest calls several times and returns the least time, in milliseconds.
func (i *instance) quickest(ctx context.Context, times int, method, path, token string, body any) (float64, error) {
	least := time.Duration(0)
	for n := range times {
		begun := time.Now()
		if err := i.call(ctx, method, path, token, body, nil); err != nil {
			return 0, err
		}
		if took := time.Since(begun); n == 0 || took < least {
			least = took
		}
	}
	return milliseconds(least), nil
}
