package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/app"
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
	if err := admin.Store.CreateWorkflow(ctx, first); err != nil {
		return c, err
	}
	return c, storeWorkflows(ctx, admin, ownerID, workflows)
}

func storeWorkflows(ctx context.Context, admin *app.Admin, ownerID string, workflows int) error {
	storing, ctx := errgroup.WithContext(ctx)
	storing.SetLimit(16)
	for n := 1; n < workflows; n++ {
		storing.Go(func() error { return admin.Store.CreateWorkflow(ctx, storedWorkflow(ownerID, n)) })
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

// measureList compares per item. A call's time is a minimum of its round: what
// the machine did beside it is no property of the list.
func measureList(ctx context.Context, i *instance, few, many apiCaller) error {
	var perFew, perMany []float64
	for range i.bench.rounds {
		for _, one := range []struct {
			caller apiCaller
			times  int
			into   *[]float64
		}{{few, 60, &perFew}, {many, 4, &perMany}} {
			took, err := i.quickest(ctx, one.times, http.MethodGet, "/workflows/", one.caller.token, nil)
			if err != nil {
				return err
			}
			*one.into = append(*one.into, took*1000/float64(one.caller.workflows))
		}
	}
	r := i.bench.report
	r.add("GET /v0/workflows/, per item of 100", "µs", perFew)
	r.add("GET /v0/workflows/, per item of 10,000", "µs", perMany)
	r.add("GET /v0/workflows/, per item, 10,000 ÷ 100", "×", ratios(perMany, perFew), atMost(1.5))
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
