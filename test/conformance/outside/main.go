// Command outside prepares a running instance, and its contract, for tools that
// test a service from nothing but its OpenAPI document. It makes what the paths
// name. It writes the contract with those ids in the place of values that no
// tool can guess. It is for `make conformance` alone.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "outside: %v\n", err)
		os.Exit(1)
	}
}

// patience bounds the whole preparation.
const patience = 2 * time.Minute

func run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	raw, err := os.ReadFile(os.Getenv("PLATEN_TEST_STACK"))
	if err != nil {
		return fmt.Errorf("read the file that PLATEN_TEST_STACK names: %w; run this by `make conformance`", err)
	}
	var p preparer
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	var contract object
	if err := p.call(ctx, http.MethodGet, strings.TrimSuffix(p.API, "/v0")+"/openapi.json", nil, &contract); err != nil {
		return err
	}
	if err := p.fill(ctx, contract); err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	return out.Encode(contract)
}

type object = map[string]any

// A preparer makes what operations need, as an integrator does.
type preparer struct {
	API   string `json:"apiUrl"`
	Token string `json:"accessToken"`

	file string // a template in the drive
}

func (p *preparer) call(ctx context.Context, method, address string, body, result any) error {
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(raw)
	}
	if strings.HasPrefix(address, "/") {
		address = p.API + address
	}
	request, err := http.NewRequestWithContext(ctx, method, address, content)
	if err != nil {
		return err
	}
	if strings.HasPrefix(address, p.API) {
		request.Header.Set("Authorization", p.Token)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, address, answer.Status, raw)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(raw, result)
}

// Nobody listens here, and the answer comes at once.
const deafReceiver = "http://127.0.0.1:1/events"

// ids are what the variables of a path stand for.
type ids map[string]string

// workflow makes one with a document and, where asked, an outgoing webhook.
func (p *preparer) workflow(ctx context.Context, webhook bool, options object) (ids, string, error) {
	body := object{"name": "Prepared", "document": object{"fileId": p.file}}
	if webhook {
		body["outgoingWebhook"] = object{"webhookUrl": deafReceiver}
	}
	var w struct {
		ID        string                      `json:"id"`
		Source    struct{ WebhookURL string } `json:"source"`
		Documents []struct{ ID string }       `json:"documents"`
	}
	if err := p.call(ctx, http.MethodPost, "/workflows/", body, &w); err != nil {
		return nil, "", err
	}
	made := ids{"workflowId": w.ID, "documentId": w.Documents[0].ID, "sourceKey": w.Source.WebhookURL[strings.LastIndexByte(w.Source.WebhookURL, '/')+1:]}
	if options != nil {
		if err := p.call(ctx, http.MethodPatch, "/workflows/"+w.ID+"/documents/"+made["documentId"]+"/", options, nil); err != nil {
			return nil, "", err
		}
	}
	return made, w.Source.WebhookURL, nil
}

// automated adds an automation and, once it has ended, its event.
func (p *preparer) automated(ctx context.Context, options object) (ids, error) {
	made, source, err := p.workflow(ctx, true, options)
	if err != nil {
		return nil, err
	}
	if err := p.call(ctx, http.MethodPost, source, object{"Customer Number": "C-1"}, nil); err != nil {
		return nil, err
	}
	under := "/workflows/" + made["workflowId"]
	for {
		var automations, events []struct{ ID, State string }
		err := errors.Join(p.call(ctx, http.MethodGet, under+"/automations/", nil, &automations), p.call(ctx, http.MethodGet, under+"/events/", nil, &events))
		if err != nil {
			return nil, err
		}
		if len(automations) == 1 && slices.Contains([]string{"COMPLETED", "FAILED"}, automations[0].State) && len(events) == 1 {
			made["automationId"], made["eventId"] = automations[0].ID, events[0].ID
			return made, nil
		}
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
}

// cancelled adds an automation that was cancelled: cancelling it again does no
// harm. Some are too quick to be cancelled.
func (p *preparer) cancelled(ctx context.Context) (ids, error) {
	for {
		made, source, err := p.workflow(ctx, false, object{"createPdfCopy": true})
		if err != nil {
			return nil, err
		}
		if err := p.call(ctx, http.MethodPost, source, object{"A": 1}, nil); err != nil {
			return nil, err
		}
		var automations []struct{ ID string }
		under := "/workflows/" + made["workflowId"] + "/automations/"
		if err := p.call(ctx, http.MethodGet, under, nil, &automations); err != nil {
			return nil, err
		}
		made["automationId"] = automations[0].ID
		at := under + made["automationId"] + "/"
		if p.call(ctx, http.MethodPost, at+"cancel/", nil, nil) == nil {
			state := ""
			for state != "CANCELLED" && state != "COMPLETED" {
				var a struct{ State string }
				if err := errors.Join(pause(ctx), p.call(ctx, http.MethodGet, at, nil, &a)); err != nil {
					return nil, err
				}
				state = a.State
			}
			if state == "CANCELLED" {
				return made, nil
			}
		}
	}
}

func pause(ctx context.Context) error {
	select {
	case <-time.After(50 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// prepare makes what an operation needs: its own workflow wherever one that
// another operation changed would not do.
func (p *preparer) prepare(ctx context.Context, operationID string) (ids, error) {
	switch strings.TrimSuffix(operationID, "Singular") {
	case "createOutgoingWebhook":
		made, _, err := p.workflow(ctx, false, nil)
		return made, err
	case "retryAutomation": // a password that has no value fails
		return p.automated(ctx, object{"createPdfCopy": true, "enablePdfPassword": true, "pdfPassword": "{{Nothing}}"})
	case "cancelAutomation":
		return p.cancelled(ctx)
	case "getAutomation", "listAutomations", "listOutputs", "getOutputPdf", "zipOutputs", "listEvents", "getEvent", "redeliverEvent", "recoverEvents", "countEvents":
		return p.automated(ctx, nil)
	}
	made, _, err := p.workflow(ctx, true, nil)
	return made, err
}
