package api

import (
	"context"
	"iter"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Stores are what the API reads and writes. Every method that takes a caller
// sees that caller's workflows only: those the caller owns and those of the
// caller's team; anything else is KindNotFound. A workflow that is archived
// answers reads; changes of it and of its parts are KindInvalid with code
// "workflow_archived".
type Stores struct {
	Tokens      Tokens
	Workflows   Workflows
	Documents   Documents
	Versions    Versions
	Orphans     Orphans
	Webhooks    Webhooks
	Endpoints   Endpoints
	Automations Automations
	Batches     Batches
	Outputs     Outputs
	Mails       Mails
	Receivers   Receivers
	Targets     Targets
	Senders     MailSenders
	Schedules   Schedules
	Reviews     Reviews
	Events      Events
	Audit       Audit
	Sources     Sources
	Forms       Forms
	Numbers     Numbers
	Usage       Usage
}

// Tokens knows users by their credentials.
type Tokens interface {
	// TokenByHash finds a token by the SHA-256 of its text, and answers
	// KindForbidden for one that is unknown, expired or revoked, or whose user is
	// disabled.
	TokenByHash(ctx context.Context, hash [32]byte) (platen.AccessToken, error)
	// SignedInUser is what a user may do who signed in without a token: everything.
	// The token has no id. KindForbidden: the user is not there any more, or disabled.
	SignedInUser(ctx context.Context, userID string) (platen.AccessToken, error)
}

// Usage knows what owners used.
type Usage interface {
	// CallersUsage returns what the caller used in each month, by month.
	CallersUsage(ctx context.Context, caller platen.User, page platen.Page) ([]platen.MonthUsage, error)
	// DocumentsLimit is how many documents the operator lets the caller have in a month; nil:
	// as many as they like.
	DocumentsLimit(ctx context.Context, caller platen.User) (*int64, error)
	// WorkflowRoom is what the limit of a workflow's owner leaves room for, and how many
	// documents the workflow makes of an event; nil: there is no limit.
	WorkflowRoom(ctx context.Context, caller platen.User, workflowID string) (room *platen.UsageRoom, documents int64, err error)
}

// Workflows keeps workflows.
type Workflows interface {
	// Workflows returns those of the caller's workflows that q asks for,
	// archived ones included, by creation time, then id.
	Workflows(ctx context.Context, caller platen.User, q platen.WorkflowQuery) ([]platen.Workflow, error)
	Workflow(ctx context.Context, caller platen.User, workflowID string) (platen.Workflow, error)
	// WorkflowByID returns a workflow without a caller, for addresses that carry their own
	// permission.
	WorkflowByID(ctx context.Context, id string) (platen.Workflow, error)
	// CreateWorkflow stores w with its source, its documents and its outgoing
	// webhook in one transaction. Times and status are w's.
	CreateWorkflow(ctx context.Context, w platen.Workflow) error
	// UpdateWorkflow applies change to name, colour, icon and locale under a row lock.
	UpdateWorkflow(ctx context.Context, caller platen.User, workflowID string, change func(*platen.Workflow) error) (platen.Workflow, error)
	// ArchiveWorkflow works from any state; archiving twice is no error. The
	// error of allowed, which sees the workflow under its row lock, prevents it.
	ArchiveWorkflow(ctx context.Context, caller platen.User, workflowID string, allowed func(platen.Workflow) error) error
}

// Sources keeps workflows' sources.
type Sources interface {
	// SeenFields returns the names of fields that events of the workflow had, those of
	// the last one first.
	SeenFields(ctx context.Context, workflowID string) ([]platen.SeenField, error)
	// RotateWorkflowSource gives the source another address, which the workflow that
	// it returns has; the one before takes events along for overlap.
	RotateWorkflowSource(ctx context.Context, caller platen.User, workflowID string, overlap time.Duration) (platen.Workflow, error)
	SourceVerification(ctx context.Context, caller platen.User, workflowID string) (platen.Verification, error)
	// SetSourceVerification: the zero Verification asks senders for nothing.
	SetSourceVerification(ctx context.Context, caller platen.User, workflowID string, v platen.Verification) error
}

// Forms keeps workflows' public forms. A workflow that has none answers KindNotFound with
// code "public_form_not_found".
type Forms interface {
	PublicForm(ctx context.Context, caller platen.User, workflowID string) (platen.PublicForm, error)
	// SetPublicForm stores what change makes of the form, or of fresh where there is none;
	// its id and key stay. The error of change prevents it.
	SetPublicForm(ctx context.Context, caller platen.User, workflowID string, fresh platen.PublicForm, change func(f *platen.PublicForm, created bool) error) (_ platen.PublicForm, created bool, err error)
	RotatePublicForm(ctx context.Context, caller platen.User, workflowID, key string) (platen.PublicForm, error)
	// DeletePublicForm: the error of allowed, which sees the form while its workflow's row
	// is held, prevents it.
	DeletePublicForm(ctx context.Context, caller platen.User, workflowID string, allowed func(platen.PublicForm) error) error
}

// Documents keeps workflows' documents.
type Documents interface {
	// Documents returns a page of them by creation time, then id.
	Documents(ctx context.Context, caller platen.User, workflowID string, page platen.Page) ([]platen.Document, error)
	// ReserveDocument stores a pending row before the template is copied, so
	// that a copy without a row is known to be an orphan.
	ReserveDocument(ctx context.Context, caller platen.User, d platen.Document) error
	// CompleteDocument turns the pending row into a document and the workflow
	// COMPLETE. Completing twice is no error.
	CompleteDocument(ctx context.Context, caller platen.User, d platen.Document) (platen.Document, error)
	// UpdateDocument applies change to the editable fields under a row lock.
	UpdateDocument(ctx context.Context, caller platen.User, workflowID, documentID string, change func(*platen.Document) error) (platen.Document, error)
	// RemoveDocument takes a document out of its workflow, which is INCOMPLETE
	// without its last one. needed: its template must stay in the drive until
	// outputs under way have ended; a sweep then removes it. The error of
	// allowed, which sees the document under its row lock, prevents it.
	RemoveDocument(ctx context.Context, caller platen.User, workflowID, documentID string, allowed func(platen.Document) error) (needed bool, err error)
}

// Versions keeps what templates said before. A document that the workflow does not have is
// KindNotFound with code "document_not_found", a version that the document does not have
// with "version_not_found".
type Versions interface {
	// TemplateVersions returns a page of them by creation time, then id.
	TemplateVersions(ctx context.Context, caller platen.User, workflowID, documentID string, page platen.Page) ([]platen.TemplateVersion, error)
	TemplateVersion(ctx context.Context, caller platen.User, workflowID, documentID, versionID string) (platen.TemplateVersion, error)
	// VersionContent returns the office file of a version that the caller was found to see.
	VersionContent(ctx context.Context, versionID string) ([]byte, error)
	// BeginTemplateChange takes the turn to change the contents of a template, for lease
	// at most: KindUnavailable with code "template_busy" while another request has it.
	BeginTemplateChange(ctx context.Context, caller platen.User, workflowID, documentID string, lease time.Duration) (turn string, err error)
	// KeepTemplateVersion stores a version with the next number, in a turn. A content that
	// the newest version has is not stored again: that version is the answer, and made is
	// false. Beyond platen.MaxVersions the oldest goes, but never spare.
	KeepTemplateVersion(ctx context.Context, turn string, v platen.TemplateVersion, content []byte, spare string) (kept platen.TemplateVersion, made bool, err error)
	// SetTemplateFile puts another file under a document, in a turn, in place of gone, the
	// id of one that is not in the drive any more. KindUnavailable with code
	// "template_busy": the turn is over, or the document has another file meanwhile.
	SetTemplateFile(ctx context.Context, caller platen.User, turn, workflowID, documentID, gone string, file platen.File) (platen.Document, error)
	EndTemplateChange(ctx context.Context, documentID, turn string) error
	// NoteUpload notes the office file that a template was made from. UploadOf returns it;
	// the zero value: there was none, or nobody knows.
	NoteUpload(ctx context.Context, documentID string, u platen.TemplateUpload) error
	UploadOf(ctx context.Context, documentID string) (platen.TemplateUpload, error)
}

// Orphans knows of templates that may be in the drive and belong to nothing.
type Orphans interface {
	// NoteTemplate notes the template of a document whose workflow is not stored yet,
	// before it is copied: unless Workflows.CreateWorkflow takes the note away, a sweep
	// removes the copy.
	NoteTemplate(ctx context.Context, documentID, ownerID string) error
	// MarkTemplateTrashed notes that the template of a removed document is trashed.
	MarkTemplateTrashed(ctx context.Context, documentID string) error
}

// Webhooks keeps outgoing webhooks. A workflow that has none answers
// KindNotFound with code "outgoing_webhook_not_found".
type Webhooks interface {
	OutgoingWebhook(ctx context.Context, caller platen.User, workflowID string) (platen.OutgoingWebhook, error)
	// CreateOutgoingWebhook answers KindInvalid with code
	// "outgoing_webhook_exists" when there is one.
	CreateOutgoingWebhook(ctx context.Context, caller platen.User, workflowID string, o platen.OutgoingWebhook) error
	UpdateOutgoingWebhook(ctx context.Context, caller platen.User, workflowID string, change func(*platen.OutgoingWebhook) error) (platen.OutgoingWebhook, error)
	// DeleteOutgoingWebhook: the error of allowed, which sees it while its
	// workflow's row is held, prevents it.
	DeleteOutgoingWebhook(ctx context.Context, caller platen.User, workflowID string, allowed func(platen.OutgoingWebhook) error) error
	// TestReceiver returns where events of tests go: KindNotFound with code
	// "test_receiver_not_found" without one.
	TestReceiver(ctx context.Context, caller platen.User, workflowID string) (platen.OutgoingWebhook, error)
	// SetTestReceiver stores it, or gives the one that is there o's address; the error of
	// allowed, which sees the one that is there, prevents that. KindInvalid with code
	// "test_receiver_live": it is the outgoing webhook's address.
	SetTestReceiver(ctx context.Context, caller platen.User, workflowID string, o platen.OutgoingWebhook, allowed func(platen.OutgoingWebhook) error) (_ platen.OutgoingWebhook, created bool, err error)
	DeleteTestReceiver(ctx context.Context, caller platen.User, workflowID string, allowed func(platen.OutgoingWebhook) error) error
}

// Endpoints knows how the addresses of outgoing webhooks do. Without one they
// answer as Webhooks does.
type Endpoints interface {
	// EndpointState returns what is known of the address of the outgoing
	// webhook, and how many events of the workflow are HELD.
	EndpointState(ctx context.Context, caller platen.User, workflowID string) (state platen.EndpointState, held int, err error)
	// EnableEndpoint forgets what speaks against the address, if it is still url.
	EnableEndpoint(ctx context.Context, caller platen.User, workflowID, url string) error
}

// Automations is what the API shows of automations and asks of them. Lists here
// and below are by creation time, then id; the zero page of each is its last
// platen.MaxList entries. An automation that the workflow does not have is
// KindNotFound with code "automation_not_found".
type Automations interface {
	// WorkflowAutomations, CallersAutomations and WorkflowAutomation return automations with their outputs.
	WorkflowAutomations(ctx context.Context, caller platen.User, workflowID string, query platen.AutomationQuery) ([]platen.Automation, error)
	CallersAutomations(ctx context.Context, caller platen.User, query platen.AutomationQuery) ([]platen.Automation, error)
	WorkflowAutomation(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error)
	// Failures are the causes of the failed automations of all of the caller's workflows since
	// a time, of the newest platen.MaxFailuresRead of each workflow.
	Failures(ctx context.Context, caller platen.User, since time.Time) ([]platen.FailureCause, error)
	// MarkDone leaves the failures of the cause of a FAILED automation out of Failures, until the
	// next one; KindInvalid with code "automation_not_failed" in any other state. MarkOpen
	// takes that back.
	MarkDone(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error)
	MarkOpen(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error)
	// CountAutomations counts those of one of the caller's workflows, or with an empty id of all, that were accepted
	// since a time, in spans of one length.
	CountAutomations(ctx context.Context, caller platen.User, workflowID string, spans platen.Spans) ([]platen.AutomationCount, error)
	// SourceData returns the body that was POSTed, for an automation that the
	// caller was found to see.
	SourceData(ctx context.Context, automationID string) ([]byte, error)
	// OutputData is SourceData for an output whose data approvers may have corrected; attempt
	// 0 is the latest.
	OutputData(ctx context.Context, automationID, outputID string, attempt int) ([]byte, error)
	// LatestEvents returns at most limit events of a workflow that the caller was found to
	// see, newest first, which together have at most size bytes. Of the last 10 × limit
	// automations it leaves out tests, those of a reused key and erased ones.
	LatestEvents(ctx context.Context, workflowID string, limit, size int) ([]platen.PastEvent, error)
	// RetryAutomation begins the next attempt of a FAILED automation:
	// KindInvalid with code "automation_not_failed" otherwise, with "automation_replaced"
	// where a corrected row of a batch took its place, and with "workflow_archived" where
	// nothing new begins; KindInvalid with code platen.CodeDataErased where its source data is.
	RetryAutomation(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error)
	// CancelAutomation ends an automation that waits, and asks one that runs to
	// end. Twice is no error; one that has ended otherwise is KindInvalid with
	// code "automation_ended".
	CancelAutomation(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error)
	// EraseAutomation asks that nothing be left of an automation but its id; one that
	// is open is cancelled first. Twice is no error.
	EraseAutomation(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error)
}

// Batches keeps files whose rows are source events. A batch that the workflow does not have
// is KindNotFound with code "batch_not_found".
type Batches interface {
	// StoreBatch stores a batch with all its rows, or nothing of it: the first error of rows
	// ends it, and comes back. again: it was stored before, under the same key; with other
	// rows: KindConflict with code "idempotency_key_reused".
	StoreBatch(ctx context.Context, caller platen.User, workflowID string, b platen.NewBatch, rows iter.Seq2[platen.BatchRow, error]) (stored platen.Batch, again bool, err error)
	WorkflowBatches(ctx context.Context, caller platen.User, workflowID string, query platen.BatchQuery) ([]platen.Batch, error)
	Batch(ctx context.Context, caller platen.User, workflowID, batchID string) (platen.Batch, error)
	// BatchRows returns rows by their numbers, with their outputs.
	BatchRows(ctx context.Context, caller platen.User, workflowID, batchID string, query platen.RowQuery) ([]platen.StoredRow, error)
	// PauseBatch, ResumeBatch and CancelBatch are about rows that have not begun:
	// KindInvalid with code "batch_ended" where none will any more.
	PauseBatch(ctx context.Context, caller platen.User, workflowID, batchID string) (platen.Batch, error)
	ResumeBatch(ctx context.Context, caller platen.User, workflowID, batchID string) (platen.Batch, error)
	CancelBatch(ctx context.Context, caller platen.User, workflowID, batchID string) (platen.Batch, error)
	// RetryBatch has its FAILED rows made again: KindInvalid with code "batch_not_failed"
	// without one.
	RetryBatch(ctx context.Context, caller platen.User, workflowID, batchID string) (platen.Batch, error)
	// CorrectBatch has FAILED rows made of other data. Beside the codes of RetryBatch it is
	// KindInvalid with code "row_not_failed" for a row that is not, and "rows_differ" for a
	// file whose rows may be others.
	CorrectBatch(ctx context.Context, caller platen.User, workflowID, batchID string, c platen.Correction, rows iter.Seq2[platen.BatchRow, error]) (platen.Batch, error)
}

// Outputs lists what automations made.
type Outputs interface {
	WorkflowOutputs(ctx context.Context, caller platen.User, workflowID string, query platen.OutputQuery) ([]platen.Output, error)
	// CallersOutputs is WorkflowOutputs over all of the caller's workflows.
	CallersOutputs(ctx context.Context, caller platen.User, query platen.OutputQuery) ([]platen.Output, error)
}

// Mails lists mails about outputs, and has outputs sent again.
type Mails interface {
	// MailOutput has a mail about an output sent, also of an archived workflow: to these
	// addresses, with commas in between; empty: to those that the document names.
	// KindNotFound with code "output_not_found"; KindInvalid with code
	// "output_without_file", platen.CodeDataErased or platen.CodeTestMode, and without
	// addresses "mail_recipients_missing" or "mail_pending".
	MailOutput(ctx context.Context, caller platen.User, workflowID, outputID, to string) error
	// OutputMails returns the mails about an output, the latest first, with their recipients
	// while the source data is not erased.
	OutputMails(ctx context.Context, caller platen.User, workflowID, outputID string) ([]platen.Mail, error)
	// LinkedOutput returns the output that the mail of a workflow has a link to. KindNotFound:
	// the link has ended.
	LinkedOutput(ctx context.Context, workflowID, mailID string) (outputID string, err error)
	// WorkflowOfOutput is the workflow whose output this is, of any user. KindNotFound: there
	// is none.
	WorkflowOfOutput(ctx context.Context, outputID string) (workflowID string, err error)
	// BounceMail notes that the mail with a number about an output came back from recipients,
	// and tells whether that is news. KindNotFound: there is no such mail, or it is too old.
	// KindUnavailable: an attempt to send it is under way.
	BounceMail(ctx context.Context, outputID string, number int, failed []platen.FailedRecipient) (isNews bool, err error)
	// RevokeMailLinks ends the links of all mails about an output.
	RevokeMailLinks(ctx context.Context, caller platen.User, workflowID, outputID string) error
}

// Receivers keeps who gets events beside the outgoing webhook. One that the workflow does not
// have is KindNotFound with code "receiver_not_found".
type Receivers interface {
	Receivers(ctx context.Context, caller platen.User, workflowID string) ([]platen.Receiver, error)
	Receiver(ctx context.Context, caller platen.User, workflowID, receiverID string) (platen.Receiver, error)
	// CreateReceiver: KindInvalid with code "too_many_receivers", or "receiver_name_taken".
	CreateReceiver(ctx context.Context, caller platen.User, r platen.Receiver) (platen.Receiver, error)
	// UpdateReceiver applies change under a lock: KindInvalid with code "receiver_name_taken".
	UpdateReceiver(ctx context.Context, caller platen.User, workflowID, receiverID string, change func(*platen.Receiver) error) (platen.Receiver, error)
	// DeleteReceiver: the error of allowed, which sees the receiver under a lock, prevents it.
	// Events that it did not get by then fail at their next attempt.
	DeleteReceiver(ctx context.Context, caller platen.User, workflowID, receiverID string, allowed func(platen.Receiver) error) error
	// ReceiverState and EnableReceiver are EndpointState and EnableEndpoint of Endpoints, for the
	// address of a receiver.
	ReceiverState(ctx context.Context, caller platen.User, workflowID, receiverID string) (platen.EndpointState, int, error)
	EnableReceiver(ctx context.Context, caller platen.User, workflowID, receiverID, url string) error
}

// MailSenders keeps the mail servers of owners. One that the caller does not have is
// KindNotFound with code "mail_sender_not_found".
type MailSenders interface {
	MailSenders(ctx context.Context, caller platen.User) ([]platen.MailSender, error)
	MailSender(ctx context.Context, caller platen.User, id string) (platen.MailSender, error)
	// CreateMailSender: KindInvalid with code "too_many_mail_senders", or "mail_sender_name_taken".
	CreateMailSender(ctx context.Context, caller platen.User, s platen.MailSender) (platen.MailSender, error)
	// UpdateMailSender applies change under a lock.
	UpdateMailSender(ctx context.Context, caller platen.User, id string, change func(*platen.MailSender) error) (platen.MailSender, error)
	// DeleteMailSender: KindConflict with code "mail_sender_in_use". The error of allowed, which sees
	// the sender under a lock, prevents it.
	DeleteMailSender(ctx context.Context, caller platen.User, id string, allowed func(platen.MailSender) error) error
	// NoteSenderTested notes that a test succeeded: workers that leave the sender alone go on.
	NoteSenderTested(ctx context.Context, caller platen.User, id string) error
	// SenderNames are those of the owner of workflows that the caller sees.
	SenderNames(ctx context.Context, caller platen.User, ownerID string) ([]string, error)
}

// Targets keeps where outputs are stored as well. One that the workflow does not have is
// KindNotFound with code "target_not_found".
type Targets interface {
	Targets(ctx context.Context, caller platen.User, workflowID string) ([]platen.Target, error)
	Target(ctx context.Context, caller platen.User, workflowID, targetID string) (platen.Target, error)
	// CreateTarget: KindInvalid with code "too_many_targets", or "target_name_taken".
	CreateTarget(ctx context.Context, caller platen.User, t platen.Target) (platen.Target, error)
	// UpdateTarget applies change under a lock: KindInvalid with code "target_name_taken".
	UpdateTarget(ctx context.Context, caller platen.User, workflowID, targetID string, change func(*platen.Target) error) (platen.Target, error)
	// DeleteTarget: the error of allowed, which sees the target under a lock, prevents it.
	DeleteTarget(ctx context.Context, caller platen.User, workflowID, targetID string, allowed func(platen.Target) error) error
	// NoteTested notes that a test of a target succeeded: workers that leave it alone go on.
	NoteTested(ctx context.Context, caller platen.User, workflowID, targetID string) error
	// StoreOutput has an output stored at a target now. KindNotFound with code
	// "output_not_found"; KindInvalid with code "output_without_file",
	// platen.CodeDataErased or platen.CodeTestMode.
	StoreOutput(ctx context.Context, caller platen.User, workflowID, outputID, targetID string) error
}

// Schedules keeps what starts runs by the clock. One that the workflow does not have is
// KindNotFound with code "schedule_not_found".
type Schedules interface {
	Schedules(ctx context.Context, caller platen.User, workflowID string) ([]platen.Schedule, error)
	// CallersSchedules lists those of all of the caller's workflows, without their Data.
	CallersSchedules(ctx context.Context, caller platen.User, q platen.ScheduleQuery) ([]platen.Schedule, error)
	Schedule(ctx context.Context, caller platen.User, workflowID, scheduleID string) (platen.Schedule, error)
	// ScheduleFiles lists the files of its folder by when they were noted.
	ScheduleFiles(ctx context.Context, caller platen.User, workflowID, scheduleID string, q platen.ScheduleFileQuery) ([]platen.ScheduleFile, error)
	// CreateSchedule: KindInvalid with code "too_many_schedules", or "schedule_name_taken".
	CreateSchedule(ctx context.Context, caller platen.User, made platen.Schedule) (platen.Schedule, error)
	// UpdateSchedule applies change under a lock: KindInvalid with code "schedule_name_taken".
	UpdateSchedule(ctx context.Context, caller platen.User, workflowID, scheduleID string, change func(*platen.Schedule) error) (platen.Schedule, error)
	// RunSchedule has a worker start the events of a schedule now.
	RunSchedule(ctx context.Context, caller platen.User, workflowID, scheduleID string) (platen.Schedule, error)
	// DeleteSchedule: the error of allowed, which sees the schedule under a lock, prevents it.
	DeleteSchedule(ctx context.Context, caller platen.User, workflowID, scheduleID string, allowed func(platen.Schedule) error) error
}

// Reviews takes what people decide about outputs that wait for them.
type Reviews interface {
	// Answer adds an answer to the review of an output, in the round that it is of; 0: the
	// latest. answer makes it of the review as it is. KindNotFound with code
	// "output_not_found"; KindInvalid with code "output_not_in_review", "review_superseded",
	// "review_answered" or "review_ended"; KindForbidden with code "not_an_approver".
	Answer(ctx context.Context, caller platen.User, workflowID, outputID string, round int, answer func(r platen.Review, now time.Time) (platen.Answer, error)) (platen.Review, error)
	// Correct has an output that waits made again of other data, and asks all once more. It
	// returns the fields that differ. Its errors are those of Answer, and KindInvalid with code
	// "nothing_corrected" or "too_many_corrections".
	Correct(ctx context.Context, caller platen.User, workflowID, outputID string, round int, data []byte, correct func(r platen.Review, now time.Time) (platen.ReviewCorrection, error)) ([]string, error)
}

// Events is what the API shows of events and asks of them. An event that the
// workflow does not have is KindNotFound with code "event_not_found".
type Events interface {
	// WorkflowEvents returns events without their payloads.
	WorkflowEvents(ctx context.Context, caller platen.User, workflowID string, query platen.EventQuery) ([]platen.Event, error)
	WorkflowEvent(ctx context.Context, caller platen.User, workflowID, eventID string) (platen.Event, []platen.Delivery, error)
	// CountEvents counts those that are not delivered, since a time.
	CountEvents(ctx context.Context, caller platen.User, workflowID string, since time.Time) (platen.EventCounts, error)
	// RedeliverEvent begins to redeliver an event to its receiver, and RecoverEvents,
	// RecoverReceiverEvents and RecoverTestEvents at most limit FAILED and HELD ones that were
	// created at or after since, oldest first. Without an outgoing webhook: KindNotFound with
	// code "outgoing_webhook_not_found", for tests without a test receiver
	// "test_receiver_not_found", for a receiver that is gone "receiver_not_found"; while nothing
	// is sent to its address: KindInvalid with code "endpoint_disabled".
	RedeliverEvent(ctx context.Context, caller platen.User, workflowID, eventID string) error
	RecoverEvents(ctx context.Context, caller platen.User, workflowID string, since time.Time, limit int) (platen.Recovery, error)
	RecoverReceiverEvents(ctx context.Context, caller platen.User, workflowID, receiverID string, since time.Time, limit int) (platen.Recovery, error)
	RecoverTestEvents(ctx context.Context, caller platen.User, workflowID string, since time.Time, limit int) (platen.Recovery, error)
}

// Audit keeps who did what. The other stores add what a request does by
// themselves, in the transaction that does it (platen.BeginAct).
type Audit interface {
	// Record adds an entry; one whose id is there is left as it is.
	Record(ctx context.Context, e platen.AuditEntry) error
	// CallersAudit returns what concerns the caller or the caller's team.
	CallersAudit(ctx context.Context, caller platen.User, q platen.AuditQuery) ([]platen.AuditEntry, error)
}
