// Command job does the main job by the generated client alone, and says as JSON what
// came of it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"example.com/letters/platen"
)

func main() {
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

// done is what the test reads.
type done struct {
	WorkflowID   string `json:"workflowId"`
	AutomationID string `json:"automationId"`
	EventID      string `json:"eventId"`
	Secret       string `json:"secret"`
}

type job struct {
	api      *platen.ClientWithResponses
	workflow *platen.Workflow
	done
}

func run(ctx context.Context) error {
	api, err := platen.NewClientWithResponses(os.Getenv("API"), platen.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", os.Getenv("TOKEN"))
		return nil
	}))
	if err != nil {
		return err
	}
	j := job{api: api}
	for _, step := range []func(context.Context) error{j.prepare, j.listen, j.post, j.wait, j.read, j.delivered} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(j.done)
}

// got is a parsed answer, or an error with what came in its place.
func got[T any](parsed *T, status string, body []byte) (*T, error) {
	if parsed == nil {
		return nil, fmt.Errorf("%s: %s", status, body)
	}
	return parsed, nil
}

// prepare makes the workflow with a document of an uploaded template.
func (j *job) prepare(ctx context.Context) error {
	answer, err := j.api.CreateWorkflowWithResponse(ctx, nil, platen.NewWorkflow{Name: "By oapi-codegen"})
	if err != nil {
		return err
	}
	if j.workflow, err = got(answer.JSON201, answer.Status(), answer.Body); err != nil {
		return err
	}
	j.WorkflowID = j.workflow.Id
	if j.workflow.OutgoingWebhook != nil || j.workflow.Status != platen.WorkflowStatusINCOMPLETE {
		return fmt.Errorf("a new workflow: got %+v", j.workflow)
	}
	template, err := os.ReadFile(os.Getenv("TEMPLATE"))
	if err != nil {
		return err
	}
	uploaded, err := j.api.UploadDocumentWithBodyWithResponse(ctx, j.WorkflowID, "application/octet-stream", bytes.NewReader(template))
	if err != nil {
		return err
	}
	document, err := got(uploaded.JSON201, uploaded.Status(), uploaded.Body)
	if err != nil {
		return err
	}
	yes, blank := true, platen.Blank
	changed, err := j.api.UpdateDocumentWithResponse(ctx, j.WorkflowID, document.Id, nil, platen.DocumentChange{CreatePdfCopy: &yes, OnMissing: &blank})
	if err != nil {
		return err
	}
	_, err = got(changed.JSON200, changed.Status(), changed.Body)
	return err
}

// listen has events sent to the receiver, and gets what they are signed with.
func (j *job) listen(ctx context.Context) error {
	created, err := j.api.CreateOutgoingWebhookWithResponse(ctx, j.WorkflowID, nil, platen.OutgoingWebhookAddress{WebhookUrl: os.Getenv("RECEIVER")})
	if err != nil {
		return err
	}
	if _, err := got(created.JSON201, created.Status(), created.Body); err != nil {
		return err
	}
	answer, err := j.api.GetSigningSecretWithResponse(ctx, j.WorkflowID)
	if err != nil {
		return err
	}
	secret, err := got(answer.JSON200, answer.Status(), answer.Body)
	if err != nil {
		return err
	}
	j.Secret = secret.Secret
	return nil
}

// post gives the source an event. Its address has another base than the API.
func (j *job) post(ctx context.Context) error {
	address := j.workflow.Source.WebhookUrl
	at := strings.LastIndexByte(address, '/')
	source, err := platen.NewClientWithResponses(address[:at])
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(os.Getenv("EVENT"))
	if err != nil {
		return err
	}
	var event platen.SourceData
	if err := json.Unmarshal(raw, &event); err != nil {
		return err
	}
	answer, err := source.PostSourceDataWithResponse(ctx, address[at+1:], nil, event)
	if err != nil {
		return err
	}
	_, err = got(answer.JSON200, answer.Status(), answer.Body)
	return err
}

// errNotYet has something asked for again.
var errNotYet = errors.New("not yet")

// until asks as long as the answer is errNotYet.
func until(ctx context.Context, ask func() error) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		if err := ask(); !errors.Is(err, errNotYet) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// wait returns when the automation has made every document.
func (j *job) wait(ctx context.Context) error {
	return until(ctx, func() error {
		answer, err := j.api.ListAutomationsWithResponse(ctx, j.WorkflowID, nil)
		if err != nil {
			return err
		}
		all, err := got(answer.JSON200, answer.Status(), answer.Body)
		if err != nil {
			return err
		}
		if len(*all) == 0 {
			return errNotYet
		}
		a := (*all)[0]
		j.AutomationID = a.Id
		switch a.State {
		case platen.AutomationStateCOMPLETED:
			if a.FinishedAt == nil || a.Error != nil {
				return fmt.Errorf("a completed automation: got %+v", a)
			}
			return nil
		case platen.AutomationStateACCEPTED, platen.AutomationStateRUNNING:
			return errNotYet
		default:
			return fmt.Errorf("the automation is %s: %+v", a.State, a.Error)
		}
	})
}

// read writes the PDF of the one output to where the test looks for it.
func (j *job) read(ctx context.Context) error {
	answer, err := j.api.ListOutputsWithResponse(ctx, j.WorkflowID, nil)
	if err != nil {
		return err
	}
	outputs, err := got(answer.JSON200, answer.Status(), answer.Body)
	if err != nil {
		return err
	}
	if len(*outputs) != 1 || (*outputs)[0].State != platen.OutputStateDONE {
		return fmt.Errorf("got the outputs %+v, want one that is done", *outputs)
	}
	pdf, err := j.api.GetOutputPdfWithResponse(ctx, j.WorkflowID, (*outputs)[0].Id, nil)
	if err != nil {
		return err
	}
	if pdf.StatusCode() != http.StatusOK {
		return fmt.Errorf("read the PDF: %s: %s", pdf.Status(), pdf.Body)
	}
	return os.WriteFile(os.Getenv("PDF"), pdf.Body, 0o600)
}

// delivered returns when the receiver has taken the event.
func (j *job) delivered(ctx context.Context) error {
	return until(ctx, func() error {
		answer, err := j.api.ListEventsWithResponse(ctx, j.WorkflowID, nil)
		if err != nil {
			return err
		}
		events, err := got(answer.JSON200, answer.Status(), answer.Body)
		if err != nil {
			return err
		}
		if len(*events) == 0 || (*events)[0].State != platen.EventStateDELIVERED {
			return errNotYet
		}
		j.EventID = (*events)[0].Id
		return nil
	})
}
