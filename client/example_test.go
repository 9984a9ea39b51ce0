package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/platenhq/platen/client"
)

// What the examples have: a client, and ids as the API answers them.
var (
	c            *client.Client
	ctx          = context.Background()
	workflowID   = "wkf_4fGk2LmQx8Rt0ZbC"
	documentID   = "doc_7Hq1WsN3vYp5KdUe"
	automationID = "aut_0pLo9KiJu8HyGt7F"
	outputID     = "out_8uYt6rE4wQ2zXc1V"
)

func Example() {
	c, err := client.New(client.Options{Address: "https://api.example.com/v0", Token: os.Getenv("TOKEN")})
	if err != nil {
		log.Fatal(err)
	}
	for a, err := range c.Automations(context.Background(), "wkf_4fGk2LmQx8Rt0ZbC", client.AutomationQuery{Newest: true}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(a.ID, a.State)
	}
}

func ExampleClient_CreateWorkflow() {
	workflow, err := c.CreateWorkflow(ctx, client.NewWorkflow{Name: "Invoices"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(workflow.ID, workflow.Source.URL)
}

func ExampleClient_UploadDocument() {
	content, err := os.ReadFile("template.docx")
	if err != nil {
		log.Fatal(err)
	}
	document, err := c.UploadDocument(ctx, workflowID, content)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(document.ID, document.File.URL)
}

func ExampleClient_UpdateDocument() {
	document, err := c.UpdateDocument(ctx, workflowID, documentID, client.DocumentSettings{
		CreatePDFCopy:     new(true),
		EnablePDFPassword: new(true),
		PDFPassword:       new("open-{{Customer Number}}"),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(document.EnablePDFPassword)
}

func ExampleClient_CheckDocument() {
	check, err := c.CheckDocument(ctx, workflowID, documentID, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, finding := range check.Findings {
		fmt.Println(finding.Where, finding.Message)
	}
}

func ExampleClient_Preview() {
	preview, err := c.Preview(ctx, workflowID, client.PreviewRequest{
		DocumentID: documentID,
		Data:       json.RawMessage(`{"Customer": {"Name": "Ada Lovelace"}}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, document := range preview.Documents {
		fmt.Println(document.OutputName, len(document.PDF), document.MissingFields)
	}
}

func ExampleClient_CreateOutgoingWebhook() {
	webhook, err := c.CreateOutgoingWebhook(ctx, workflowID, "https://receiver.example/events")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(webhook.ID)
}

// The source address of a workflow needs no access token. The key makes a repeated
// event one.
func ExampleClient_Send() {
	source, err := c.Source(ctx, workflowID)
	if err != nil {
		log.Fatal(err)
	}
	once := client.WithIdempotencyKey(ctx, "order-4711")
	if err := c.Send(once, source.URL, map[string]string{"Customer Name": "Ada Lovelace"}); err != nil {
		log.Fatal(err)
	}
}

func ExampleClient_RetryAutomation() {
	automation, err := c.RetryAutomation(ctx, workflowID, automationID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(automation.State, automation.Attempt)
}

func ExampleClient_OutputPDF() {
	pdf, err := c.OutputPDF(ctx, workflowID, outputID)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("output.pdf", pdf.Content, 0o600); err != nil {
		log.Fatal(err)
	}
}

func ExampleClient_RecoverEvents() {
	for more := true; more; {
		recovery, err := c.RecoverEvents(ctx, workflowID, client.RecoveryRequest{Since: time.Now().AddDate(0, 0, -1)})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(recovery.Recovered, "events are sent again")
		more = recovery.More
	}
}

// A receiver takes an event when its signature is of the workflow's secret.
func ExampleVerifier() {
	signing, err := c.SigningSecret(ctx, workflowID)
	if err != nil {
		log.Fatal(err)
	}
	verifier, err := client.NewVerifier(signing.Secret)
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /events", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		event, err := verifier.Verify(r.Header, body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		fmt.Println(event.ID, event.Type)
	})
}
