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

// ErrMailNobody is KindInvalid for a mail about an output that none was sent about, where
// nobody says to whom.
func ErrMailNobody() error {
	const message = "is needed: no mail was sent about this output, so nobody is known to whom"
	e := Errorf(KindInvalid, "mail_recipients_missing", "to %s.", message)
	e.Faults = []Fault{{Pointer: "/to", Message: message}}
	return e
}

// ErrMailPending is KindInvalid for a mail to the same recipients as one that is not sent yet.
func ErrMailPending() error {
	return Errorf(KindInvalid, "mail_pending", "A mail about this output is still tried. Wait for it, or name other recipients in to.")
}

// ErrMailOfTest is KindInvalid for a mail about what a test made.
func ErrMailOfTest() error {
	return Errorf(KindInvalid, CodeTestMode, "The output was made by a test, and no mail is sent about those. Send the event without the test mark.")
}

// ErrOutputNotMade is KindInvalid for an output that has no file.
func ErrOutputNotMade(state OutputState) error {
	if state == OutputPending {
		return Errorf(KindInvalid, "output_without_file", "The output is not made yet. Ask again once its state is DONE.")
	}
	return Errorf(KindInvalid, "output_without_file", "The output could not be made, so that it has no file: its error says why. Retry its automation.")
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
