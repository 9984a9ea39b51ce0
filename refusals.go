package platen

import "time"

// What a caller is refused at two places: by the API before it reads a body, and
// by the store under its lock, which knows better by then. Both say it in these
// words.

// ErrWorkflowNotFound is KindNotFound for a workflow that is not there or not the
// caller's: which of the two, is not told.
func ErrWorkflowNotFound() error {
	return Errorf(KindNotFound, "workflow_not_found", "There is no such workflow among those that you may use.")
}

// ErrWorkflowArchived is KindInvalid for changes of an archived workflow.
func ErrWorkflowArchived() error {
	return Errorf(KindInvalid, "workflow_archived", "The workflow is archived and cannot be changed. Ask the operator to restore it.")
}

// ErrDocumentNotFound is KindNotFound for a document that its workflow does not
// have.
func ErrDocumentNotFound() error {
	return Errorf(KindNotFound, "document_not_found", "The workflow has no such document.")
}

// ErrOutgoingWebhookNotFound is KindNotFound for a workflow without one.
func ErrOutgoingWebhookNotFound() error {
	return Errorf(KindNotFound, "outgoing_webhook_not_found", "The workflow has no outgoing webhook. Create it with POST.")
}

// ErrTestReceiverNotFound is KindNotFound for a workflow without one.
func ErrTestReceiverNotFound() error {
	return Errorf(KindNotFound, "test_receiver_not_found", "The workflow has no test receiver. Set one with PUT.")
}

// ErrTestReceiverLive is KindInvalid for a test receiver that is the outgoing webhook's.
func ErrTestReceiverLive() error {
	const message = "is the address of the outgoing webhook: tests go to a receiver of their own"
	e := Errorf(KindInvalid, "test_receiver_live", "webhookUrl %s.", message)
	e.Faults = []Fault{{Pointer: "/webhookUrl", Message: message}}
	return e
}

// ErrOutgoingWebhookExists is KindInvalid for a second one of a workflow.
func ErrOutgoingWebhookExists() error {
	return Errorf(KindInvalid, "outgoing_webhook_exists", "The workflow has an outgoing webhook already. Change it with PATCH.")
}

// ErrAutomationNotFound is KindNotFound for an automation that its workflow does
// not have.
func ErrAutomationNotFound() error {
	return Errorf(KindNotFound, "automation_not_found", "The workflow has no such automation.")
}

// ErrOutputNotFound is KindNotFound for an output that its workflow does not have.
func ErrOutputNotFound() error {
	return Errorf(KindNotFound, "output_not_found", "The workflow has no such output.")
}

// ErrEventNotFound is KindNotFound for an event that its workflow does not have.
func ErrEventNotFound() error {
	return Errorf(KindNotFound, "event_not_found", "The workflow has no such event.")
}

// ErrVersionNotFound is KindNotFound for a version that its document does not have.
func ErrVersionNotFound() error {
	return Errorf(KindNotFound, "version_not_found", "The document has no such version. The newest %d are kept.", MaxVersions)
}

// ErrTemplateBusy is KindUnavailable while another request changes the contents of a
// template: what is there is kept before it is replaced, one change after the other.
func ErrTemplateBusy() error {
	return &Error{
		Kind: KindUnavailable, Code: "template_busy", RetryAfter: 2 * time.Second,
		Message: "Another request changes the template at this moment. Nothing was changed; try again.",
	}
}
