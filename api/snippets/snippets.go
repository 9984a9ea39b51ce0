// Package snippets has a function for each operation of the contract, named after it.
// The page of the contract shows the bodies as how to ask for the operation in Go, and
// the tests of package api call the functions. Nothing but such functions belongs here.
package snippets

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/platenhq/platen/client"
)

// What the functions name: the ids of the contract's examples.
const (
	workflowID   = "wkf_4fGk2LmQx8Rt0ZbC"
	documentID   = "doc_7Hq1WsN3vYp5KdUe"
	versionID    = "ver_3Kd8WqLm5TzR1xYb"
	automationID = "aut_0pLo9KiJu8HyGt7F"
	eventID      = "evt_2bXn8QpLr6TfV0sM"
	outputID     = "out_8uYt6rE4wQ2zXc1V"
)

// ByOperation are the functions by operationId.
var ByOperation = map[string]func(context.Context, *client.Client) error{
	"listWorkflows": listWorkflows, "createWorkflow": createWorkflow, "getWorkflow": getWorkflow, "updateWorkflow": updateWorkflow, "archiveWorkflow": archiveWorkflow,
	"listDocuments": listDocuments, "createDocument": createDocument, "uploadDocument": uploadDocument, "getDocument": getDocument, "updateDocument": updateDocument,
	"removeDocument": removeDocument, "checkDocument": checkDocument, "replaceTemplate": replaceTemplate, "rotatePreviewUrl": rotatePreviewUrl, "previewWorkflow": previewWorkflow,
	"listTemplateVersions": listTemplateVersions, "keepTemplateVersion": keepTemplateVersion, "getTemplateVersion": getTemplateVersion,
	"getTemplateVersionFile": getTemplateVersionFile, "restoreTemplateVersion": restoreTemplateVersion,
	"copyWorkflow": copyWorkflow, "exportWorkflow": exportWorkflow, "importWorkflow": importWorkflow,
	"getOutgoingWebhook": getOutgoingWebhook, "createOutgoingWebhook": createOutgoingWebhook, "updateOutgoingWebhook": updateOutgoingWebhook, "deleteOutgoingWebhook": deleteOutgoingWebhook,
	"getSigningSecret": getSigningSecret, "rotateSigningSecret": rotateSigningSecret, "getEndpointState": getEndpointState, "testOutgoingWebhook": testOutgoingWebhook,
	"getTestReceiver": getTestReceiver, "setTestReceiver": setTestReceiver, "deleteTestReceiver": deleteTestReceiver, "getTestSecret": getTestSecret,
	"listAutomations": listAutomations, "listAllAutomations": listAllAutomations, "getAutomation": getAutomation, "eraseAutomation": eraseAutomation,
	"retryAutomation": retryAutomation, "cancelAutomation": cancelAutomation, "listOutputs": listOutputs, "getOutputPdf": getOutputPdf, "zipOutputs": zipOutputs, "mailOutput": mailOutput,
	"listEvents": listEvents, "countEvents": countEvents, "recoverEvents": recoverEvents, "getEvent": getEvent, "redeliverEvent": redeliverEvent,
	"listAudit": listAudit, "getMe": getMe,
	"listSeries": listSeries, "getSeries": getSeries, "updateSeries": updateSeries, "listNumbers": listNumbers,
	"getSource": getSource, "rotateSource": rotateSource, "getSourceVerification": getSourceVerification, "setSourceVerification": setSourceVerification,
	"removeSourceVerification": removeSourceVerification, "postSourceData": postSourceData, "postTestSourceData": postTestSourceData,
}

func listWorkflows(ctx context.Context, c *client.Client) error {
	for workflow, err := range c.Workflows(ctx, client.WorkflowQuery{}) {
		if err != nil {
			return err
		}
		fmt.Println(workflow.ID, workflow.Name, workflow.Status)
	}
	return nil
}

func createWorkflow(ctx context.Context, c *client.Client) error {
	workflow, err := c.CreateWorkflow(ctx, client.NewWorkflow{Name: "Invoices"})
	if err != nil {
		return err
	}
	fmt.Println(workflow.ID, workflow.Source.URL)
	return nil
}

func getWorkflow(ctx context.Context, c *client.Client) error {
	workflow, err := c.Workflow(ctx, workflowID)
	if err != nil {
		return err
	}
	fmt.Println(workflow.Name, workflow.Status)
	return nil
}

func updateWorkflow(ctx context.Context, c *client.Client) error {
	workflow, err := c.UpdateWorkflow(ctx, workflowID, client.WorkflowChange{Name: "Invoices of 2026"})
	if err != nil {
		return err
	}
	fmt.Println(workflow.Name)
	return nil
}

func archiveWorkflow(ctx context.Context, c *client.Client) error {
	return c.ArchiveWorkflow(ctx, workflowID)
}

func listDocuments(ctx context.Context, c *client.Client) error {
	for document, err := range c.Documents(ctx, workflowID) {
		if err != nil {
			return err
		}
		fmt.Println(document.ID, document.File.Name)
	}
	return nil
}

func createDocument(ctx context.Context, c *client.Client) error {
	document, err := c.CreateDocument(ctx, workflowID, client.AddedDocument{FileID: "1XkqZ3fJ0dW9sGm2LrYbPaT7"})
	if err != nil {
		return err
	}
	fmt.Println(document.ID, document.File.URL)
	return nil
}

func uploadDocument(ctx context.Context, c *client.Client) error {
	content, err := os.ReadFile("template.docx")
	if err != nil {
		return err
	}
	document, err := c.UploadDocument(ctx, workflowID, content)
	if err != nil {
		return err
	}
	fmt.Println(document.ID, document.File.URL)
	return nil
}

func getDocument(ctx context.Context, c *client.Client) error {
	document, err := c.Document(ctx, workflowID, documentID)
	if err != nil {
		return err
	}
	fmt.Println(document.OutputName, document.CreatePDFCopy)
	return nil
}

func updateDocument(ctx context.Context, c *client.Client) error {
	document, err := c.UpdateDocument(ctx, workflowID, documentID, client.DocumentSettings{
		CreatePDFCopy:     new(true),
		RemoveOutput:      new(true),
		EnablePDFPassword: new(true),
		PDFPassword:       new("open-{{Customer Number}}"),
		PDFPreventCopy:    new(true),
	})
	if err != nil {
		return err
	}
	fmt.Println(document.EnablePDFPassword)
	return nil
}

func removeDocument(ctx context.Context, c *client.Client) error {
	return c.RemoveDocument(ctx, workflowID, documentID)
}

func checkDocument(ctx context.Context, c *client.Client) error {
	check, err := c.CheckDocument(ctx, workflowID, documentID, nil)
	if err != nil {
		return err
	}
	for _, finding := range check.Findings {
		fmt.Println(finding.Where, finding.Message)
	}
	return nil
}

func replaceTemplate(ctx context.Context, c *client.Client) error {
	content, err := os.ReadFile("template.docx")
	if err != nil {
		return err
	}
	document, err := c.ReplaceTemplate(ctx, workflowID, documentID, content)
	if err != nil {
		return err
	}
	fmt.Println(document.File.ID)
	return nil
}

func rotatePreviewUrl(ctx context.Context, c *client.Client) error {
	document, err := c.RotatePreviewURL(ctx, workflowID, documentID)
	if err != nil {
		return err
	}
	fmt.Println(document.PreviewURL)
	return nil
}

func previewWorkflow(ctx context.Context, c *client.Client) error {
	preview, err := c.Preview(ctx, workflowID, client.PreviewRequest{
		DocumentID: documentID,
		Data:       json.RawMessage(`{"Customer": {"Name": "Ada Lovelace"}}`),
	})
	if err != nil {
		return err
	}
	for _, document := range preview.Documents {
		fmt.Println(document.OutputName, len(document.PDF), document.MissingFields)
	}
	return nil
}

func getOutgoingWebhook(ctx context.Context, c *client.Client) error {
	webhook, err := c.OutgoingWebhook(ctx, workflowID)
	if err != nil {
		return err
	}
	fmt.Println(webhook.URL)
	return nil
}

func createOutgoingWebhook(ctx context.Context, c *client.Client) error {
	webhook, err := c.CreateOutgoingWebhook(ctx, workflowID, "https://receiver.example/events")
	if err != nil {
		return err
	}
	fmt.Println(webhook.ID)
	return nil
}

func updateOutgoingWebhook(ctx context.Context, c *client.Client) error {
	webhook, err := c.UpdateOutgoingWebhook(ctx, workflowID, "https://receiver.example/events")
	if err != nil {
		return err
	}
	fmt.Println(webhook.URL)
	return nil
}

func deleteOutgoingWebhook(ctx context.Context, c *client.Client) error {
	return c.DeleteOutgoingWebhook(ctx, workflowID)
}

func getSigningSecret(ctx context.Context, c *client.Client) error {
	signing, err := c.SigningSecret(ctx, workflowID)
	if err != nil {
		return err
	}
	verifier, err := client.NewVerifier(signing.Secret)
	if err != nil {
		return err
	}
	_ = verifier // verifier.Verify(request.Header, body) checks an event that you received
	return nil
}

func rotateSigningSecret(ctx context.Context, c *client.Client) error {
	signing, err := c.RotateSigningSecret(ctx, workflowID)
	if err != nil {
		return err
	}
	fmt.Println("the secret before signs along until", signing.PreviousUntil)
	return nil
}

func getEndpointState(ctx context.Context, c *client.Client) error {
	endpoint, err := c.EndpointState(ctx, workflowID)
	if err != nil {
		return err
	}
	fmt.Println(endpoint.State, endpoint.HeldEvents)
	return nil
}

func testOutgoingWebhook(ctx context.Context, c *client.Client) error {
	delivery, err := c.TestOutgoingWebhook(ctx, workflowID)
	if err != nil {
		return err
	}
	fmt.Println(delivery.Delivered, delivery.DurationMS, "ms")
	return nil
}

func listAutomations(ctx context.Context, c *client.Client) error {
	for automation, err := range c.Automations(ctx, workflowID, client.AutomationQuery{}) {
		if err != nil {
			return err
		}
		fmt.Println(automation.ID, automation.State)
	}
	return nil
}

func listAllAutomations(ctx context.Context, c *client.Client) error {
	for automation, err := range c.AllAutomations(ctx, client.AutomationQuery{}) {
		if err != nil {
			return err
		}
		fmt.Println(automation.WorkflowID, automation.ID, automation.State)
	}
	return nil
}

func getAutomation(ctx context.Context, c *client.Client) error {
	automation, err := c.Automation(ctx, workflowID, automationID)
	if err != nil {
		return err
	}
	for _, output := range automation.Outputs {
		fmt.Println(output.State, output.Files)
	}
	return nil
}

func eraseAutomation(ctx context.Context, c *client.Client) error {
	automation, err := c.EraseAutomation(ctx, workflowID, automationID)
	if err != nil {
		return err
	}
	fmt.Println(automation.Erasure)
	return nil
}

func retryAutomation(ctx context.Context, c *client.Client) error {
	automation, err := c.RetryAutomation(ctx, workflowID, automationID)
	if err != nil {
		return err
	}
	fmt.Println(automation.State, automation.Attempt)
	return nil
}

func cancelAutomation(ctx context.Context, c *client.Client) error {
	automation, err := c.CancelAutomation(ctx, workflowID, automationID)
	if err != nil {
		return err
	}
	fmt.Println(automation.State)
	return nil
}

func listOutputs(ctx context.Context, c *client.Client) error {
	for output, err := range c.Outputs(ctx, workflowID, client.OutputQuery{}) {
		if err != nil {
			return err
		}
		fmt.Println(output.ID, output.State, output.Files)
	}
	return nil
}

func getOutputPdf(ctx context.Context, c *client.Client) error {
	pdf, err := c.OutputPDF(ctx, workflowID, outputID)
	if err != nil {
		return err
	}
	return os.WriteFile("output.pdf", pdf.Content, 0o600)
}

func zipOutputs(ctx context.Context, c *client.Client) error {
	zip, err := c.ZipOutputs(ctx, workflowID, []string{outputID})
	if err != nil {
		return err
	}
	return os.WriteFile("files.zip", zip.Content, 0o600)
}

func listEvents(ctx context.Context, c *client.Client) error {
	for event, err := range c.Events(ctx, workflowID, client.EventQuery{}) {
		if err != nil {
			return err
		}
		fmt.Println(event.ID, event.Type, event.State)
	}
	return nil
}

func countEvents(ctx context.Context, c *client.Client) error {
	counts, err := c.CountEvents(ctx, workflowID, time.Date(2026, time.January, 4, 0, 0, 0, 0, time.UTC))
	if err != nil {
		return err
	}
	fmt.Println(counts.Pending, "events wait,", counts.Failed, "failed,", counts.Held, "are held")
	return nil
}

func recoverEvents(ctx context.Context, c *client.Client) error {
	since := time.Date(2026, time.January, 4, 0, 0, 0, 0, time.UTC)
	for {
		recovery, err := c.RecoverEvents(ctx, workflowID, client.RecoveryRequest{Since: since})
		if err != nil {
			return err
		}
		fmt.Println(recovery.Recovered, "events are sent again")
		if !recovery.More {
			break
		}
	}
	return nil
}

func getEvent(ctx context.Context, c *client.Client) error {
	event, err := c.Event(ctx, workflowID, eventID)
	if err != nil {
		return err
	}
	for _, delivery := range event.Deliveries {
		fmt.Println(delivery.At, delivery.Delivered, delivery.Answer)
	}
	return nil
}

func mailOutput(ctx context.Context, c *client.Client) error {
	output, err := c.MailOutput(ctx, workflowID, outputID, client.MailRequest{To: "ada@example.com"})
	if err != nil {
		return err
	}
	fmt.Println(output.Mail.Number, output.Mail.State)
	return nil
}

func redeliverEvent(ctx context.Context, c *client.Client) error {
	event, err := c.RedeliverEvent(ctx, workflowID, eventID)
	if err != nil {
		return err
	}
	fmt.Println(event.State)
	return nil
}

func listAudit(ctx context.Context, c *client.Client) error {
	for entry, err := range c.Audit(ctx, client.AuditQuery{}) {
		if err != nil {
			return err
		}
		fmt.Println(entry.At, entry.Action, entry.Outcome)
	}
	return nil
}

func listSeries(ctx context.Context, c *client.Client) error {
	all, err := c.AllSeries(ctx)
	if err != nil {
		return err
	}
	for _, series := range all {
		fmt.Println(series.Name, series.Next)
	}
	return nil
}

func getSeries(ctx context.Context, c *client.Client) error {
	series, err := c.Series(ctx, "invoices")
	if err != nil {
		return err
	}
	fmt.Println(series.Next)
	return nil
}

func updateSeries(ctx context.Context, c *client.Client) error {
	series, err := c.SetNextNumber(ctx, "invoices", client.SeriesChange{Next: 1001})
	if err != nil {
		return err
	}
	fmt.Println(series.Next)
	return nil
}

func listNumbers(ctx context.Context, c *client.Client) error {
	for number, err := range c.Numbers(ctx, "invoices", client.NumberQuery{States: []string{"VOID"}}) {
		if err != nil {
			return err
		}
		fmt.Println(number.Number, number.State, number.DrawnAt)
	}
	return nil
}

func getMe(ctx context.Context, c *client.Client) error {
	me, err := c.Me(ctx)
	if err != nil {
		return err
	}
	fmt.Println(me.User.Name, me.Token.ExpiresAt)
	return nil
}

func getSource(ctx context.Context, c *client.Client) error {
	source, err := c.Source(ctx, workflowID)
	if err != nil {
		return err
	}
	fmt.Println(source.URL, source.Fields)
	return nil
}

func rotateSource(ctx context.Context, c *client.Client) error {
	source, err := c.RotateSource(ctx, workflowID, client.SourceRotation{OverlapHours: new(0)})
	if err != nil {
		return err
	}
	fmt.Println(source.URL)
	return nil
}

func getSourceVerification(ctx context.Context, c *client.Client) error {
	verification, err := c.SourceVerification(ctx, workflowID)
	if err != nil {
		return err
	}
	fmt.Println(verification.Scheme, verification.Networks)
	return nil
}

func setSourceVerification(ctx context.Context, c *client.Client) error {
	verification, err := c.SetSourceVerification(ctx, workflowID, client.NewSourceVerification{
		Scheme:  "STRIPE",
		Secrets: []string{"whsec_5mBkq2V7"},
	})
	if err != nil {
		return err
	}
	fmt.Println(verification.SecretCount)
	return nil
}

func removeSourceVerification(ctx context.Context, c *client.Client) error {
	return c.RemoveSourceVerification(ctx, workflowID)
}

func postSourceData(ctx context.Context, c *client.Client) error {
	workflow, err := c.Workflow(ctx, workflowID)
	if err != nil {
		return err
	}
	return c.Send(ctx, workflow.Source.URL, map[string]any{
		"Customer Number": "K-1042",
		"Customer":        map[string]any{"Name": "Ada Byron", "City": "London"},
		"Items":           []string{"Ink", "Paper"},
	})
}

func getTestReceiver(ctx context.Context, c *client.Client) error {
	receiver, err := c.TestReceiver(ctx, workflowID)
	if err != nil {
		return err
	}
	fmt.Println(receiver.ID, receiver.URL)
	return nil
}

func setTestReceiver(ctx context.Context, c *client.Client) error {
	receiver, err := c.SetTestReceiver(ctx, workflowID, "https://receiver.example/events")
	if err != nil {
		return err
	}
	fmt.Println(receiver.ID, receiver.URL)
	return nil
}

func deleteTestReceiver(ctx context.Context, c *client.Client) error {
	return c.DeleteTestReceiver(ctx, workflowID)
}

func getTestSecret(ctx context.Context, c *client.Client) error {
	signing, err := c.TestSecret(ctx, workflowID)
	if err != nil {
		return err
	}
	verifier, err := client.NewVerifier(signing.Secret)
	if err != nil {
		return err
	}
	_ = verifier // verifier.Verify(request.Header, body) checks an event of a test that you received
	return nil
}

func postTestSourceData(ctx context.Context, c *client.Client) error {
	source, err := c.Source(ctx, workflowID)
	if err != nil {
		return err
	}
	return c.Send(ctx, source.TestURL, map[string]any{
		"Customer Number": "K-1042",
		"Customer":        map[string]any{"Name": "Ada Byron", "City": "London"},
		"Items":           []string{"Ink", "Paper"},
	})
}

func listTemplateVersions(ctx context.Context, c *client.Client) error {
	for version, err := range c.TemplateVersions(ctx, workflowID, documentID) {
		if err != nil {
			return err
		}
		fmt.Println(version.Number, version.CreatedAt, version.Note)
	}
	return nil
}

func keepTemplateVersion(ctx context.Context, c *client.Client) error {
	version, err := c.KeepTemplateVersion(ctx, workflowID, documentID, client.NewTemplateVersion{Note: "As the lawyers signed it"})
	if err != nil {
		return err
	}
	fmt.Println(version.ID, version.Number)
	return nil
}

func getTemplateVersion(ctx context.Context, c *client.Client) error {
	version, err := c.TemplateVersion(ctx, workflowID, documentID, versionID)
	if err != nil {
		return err
	}
	fmt.Println(version.Number, version.Size)
	return nil
}

func getTemplateVersionFile(ctx context.Context, c *client.Client) error {
	content, err := c.TemplateVersionFile(ctx, workflowID, documentID, versionID)
	if err != nil {
		return err
	}
	return os.WriteFile("template.docx", content, 0o600)
}

func restoreTemplateVersion(ctx context.Context, c *client.Client) error {
	document, err := c.RestoreTemplateVersion(ctx, workflowID, documentID, versionID)
	if err != nil {
		return err
	}
	fmt.Println(document.File.URL)
	return nil
}

func copyWorkflow(ctx context.Context, c *client.Client) error {
	workflow, err := c.CopyWorkflow(ctx, workflowID, client.WorkflowCopy{Name: "Invoices of 2027"})
	if err != nil {
		return err
	}
	fmt.Println(workflow.ID, workflow.Source.URL)
	return nil
}

func exportWorkflow(ctx context.Context, c *client.Client) error {
	content, err := c.ExportWorkflow(ctx, workflowID)
	if err != nil {
		return err
	}
	return os.WriteFile("files.zip", content, 0o600)
}

func importWorkflow(ctx context.Context, c *client.Client) error {
	content, err := os.ReadFile("files.zip")
	if err != nil {
		return err
	}
	workflow, err := c.ImportWorkflow(ctx, content)
	if err != nil {
		return err
	}
	fmt.Println(workflow.ID, workflow.Source.URL)
	return nil
}
