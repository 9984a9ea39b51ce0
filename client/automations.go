package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// An Automation is the run of one source event.
type Automation struct {
	ID                string     `json:"id"`
	WorkflowID        string     `json:"workflowId"`
	State             string     `json:"state"`      // ACCEPTED, RUNNING, REVIEW, COMPLETED, FAILED, SKIPPED, CANCELLED
	Reason            *string    `json:"reason"`     // why it is SKIPPED
	KeyTakenBy        *string    `json:"keyTakenBy"` // the automation whose event had the key of one that is SKIPPED for KEY_REUSED
	ReplacedBy        *string    `json:"replacedBy"` // the automation of the corrected row of its batch, which took its place
	Attempt           int        `json:"attempt"`
	AcceptedAt        time.Time  `json:"acceptedAt"`
	StartedAt         *time.Time `json:"startedAt"`
	FinishedAt        *time.Time `json:"finishedAt"`
	CancelRequestedAt *time.Time `json:"cancelRequestedAt"`
	MissingFields     []string   `json:"missingFields"`
	Error             *Failure   `json:"error"`
	Held              *Failure   `json:"held"` // why its events are HELD
	WaitingFor        []Wait     `json:"waitingFor"`
	Outputs           []Output   `json:"outputs"`
	Skipped           []Skipped  `json:"skipped"` // what conditions left out
	RequestID         string     `json:"requestId"`
	Reference         *string    `json:"reference"` // as WithReference; nil: none
	Test              bool       `json:"test"`      // it tells nobody but the test receiver
	TemporalURL       *string    `json:"temporalUrl"`
	DataErasedAt      *time.Time `json:"dataErasedAt"`
	Erasure           *Erasure   `json:"erasure"`
}

// A Skipped is what was not made, because its condition is not true of the event.
type Skipped struct {
	DocumentID string `json:"documentId"` // empty: it is a receiver
	Part       string `json:"part"`       // document, email, appendices, sharing, approval, receiver
	When       string `json:"when"`       // the condition
	ReceiverID string `json:"receiverId"` // empty: it is of a document
	Receiver   string `json:"receiver"`   // its name
}

// Ended tells whether nothing more becomes of an automation. One in REVIEW waits for people.
func (a Automation) Ended() bool {
	return a.State != "ACCEPTED" && a.State != "RUNNING" && a.State != "REVIEW"
}

// A Failure says what went wrong. Its code never changes its meaning.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// A Wait is a step that has failed for a reason that may pass, or takes long.
type Wait struct {
	Code     string  `json:"code"`
	Message  string  `json:"message"`
	Step     string  `json:"step"`
	OutputID *string `json:"outputId"`
	EventID  *string `json:"eventId"`
	// AutomationID is the one of the same key that is before; nil: it waits for something else.
	AutomationID *string   `json:"automationId"`
	Since        time.Time `json:"since"`
	Tries        int       `json:"tries"`
	// Until is when the step is given up if it goes on failing alike; nil: it is not, or
	// that is not known yet.
	Until *time.Time `json:"until"`
}

// An Erasure says who had an automation erased, and when it was.
type Erasure struct {
	RequestedAt time.Time  `json:"requestedAt"`
	RequestedBy string     `json:"requestedBy"`
	ErasedAt    *time.Time `json:"erasedAt"`
}

// An Output is what an automation makes from one document.
type Output struct {
	ID            string       `json:"id"`
	WorkflowID    string       `json:"workflowId"`
	AutomationID  string       `json:"automationId"`
	DocumentID    string       `json:"documentId"`
	Name          *string      `json:"name"`      // also of one that FAILED; nil: not known yet
	Reference     *string      `json:"reference"` // of its automation
	State         string       `json:"state"`     // PENDING, REVIEW, DONE, FAILED
	Test          bool         `json:"test"`      // its pages are marked
	Progress      Progress     `json:"progress"`
	Files         []OutputFile `json:"files"` // the PDF first, where there is one
	MissingFields []string     `json:"missingFields"`
	Findings      []PDFFinding `json:"findings"`
	Error         *Failure     `json:"error"`
	Mail          *Mail        `json:"mail"`   // the latest about it; nil: none was begun
	Review        *Review      `json:"review"` // the latest; nil: nobody was asked
	Targets       []Placement  `json:"targets"`
	CreatedAt     time.Time    `json:"createdAt"`
	UpdatedAt     time.Time    `json:"updatedAt"`
}

// A Review says who is to approve an output, and what they answered.
type Review struct {
	Round       int            `json:"round"`  // the attempt that made it
	By          []string       `json:"by"`     // addresses
	Needed      int            `json:"needed"` // how many of them
	SHA256      string         `json:"sha256"` // of the PDF
	RequestedAt time.Time      `json:"requestedAt"`
	ExpiresAt   time.Time      `json:"expiresAt"`
	RemindedAt  *time.Time     `json:"remindedAt"`
	Verdict     *string        `json:"verdict"` // APPROVED, REJECTED, EXPIRED, CORRECTED; nil: it waits
	DecidedAt   *time.Time     `json:"decidedAt"`
	Unsent      *string        `json:"unsent"` // why the last mail about it did not go out
	Answers     []ReviewAnswer `json:"answers"`
	// Correction is the last one of the data that the output is made of; nil: none.
	Correction *DataCorrection `json:"correction"`
	// CorrectByLink: those who come by a link may correct the data, too.
	CorrectByLink bool `json:"correctByLink"`
}

// A DataCorrection says who has corrected what an output is made of.
type DataCorrection struct {
	By     *string   `json:"by"`     // nil: the source data was erased
	Fields []string  `json:"fields"` // that differ from before, such as "Items[1].Price"
	At     time.Time `json:"at"`
}

// Verdicts is Verdict, empty while it waits.
func (r Review) Verdicts() string {
	if r.Verdict == nil {
		return ""
	}
	return *r.Verdict
}

// A ReviewAnswer is the decision of one approver.
type ReviewAnswer struct {
	For      *string   `json:"for"` // nil: the source data was erased
	By       *string   `json:"by"`  // For, or a deputy
	Approves bool      `json:"approves"`
	Reason   *string   `json:"reason"` // of a rejection
	At       time.Time `json:"at"`
}

// ApproveOutput approves an output that waits for the user of the token. Its Review says
// whether it goes out now. round is Review.Round of what the user has seen: an output that
// was made again since is not approved by it. 0: the latest.
func (c *Client) ApproveOutput(ctx context.Context, workflowID, id string, round int) (Output, error) {
	return c.decide(ctx, workflowID, id, "approve", map[string]any{}, round)
}

// RejectOutput rejects an output that waits for the user of the token. It fails, and the
// reason stands in its Review. round is as of ApproveOutput.
func (c *Client) RejectOutput(ctx context.Context, workflowID, id, reason string, round int) (Output, error) {
	return c.decide(ctx, workflowID, id, "reject", map[string]any{"reason": reason}, round)
}

// CorrectOutput has an output that waits for the user of the token made again of other data,
// one JSON object. Its numbers stay, and all are asked once more. round is as of
// ApproveOutput.
func (c *Client) CorrectOutput(ctx context.Context, workflowID, id string, data json.RawMessage, round int) (Output, error) {
	return c.decide(ctx, workflowID, id, "correct", map[string]any{"data": data}, round)
}

// OutputData is what an output is made of.
type OutputData struct {
	Data json.RawMessage `json:"data"` // null: it was erased
}

// OutputData returns what an output is made of: the source data of its automation, or what
// approvers have made of it.
func (c *Client) OutputData(ctx context.Context, workflowID, id string) (OutputData, error) {
	return get[OutputData](ctx, c, workflowPath(workflowID)+"outputs/"+url.PathEscape(id)+"/data/")
}

func (c *Client) decide(ctx context.Context, workflowID, id, verb string, body map[string]any, round int) (Output, error) {
	if round > 0 {
		body["round"] = round
	}
	return post[Output](ctx, c, workflowPath(workflowID)+"outputs/"+url.PathEscape(id)+"/"+verb+"/", body)
}

// A Mail brings an output to its recipients.
type Mail struct {
	Number     int        `json:"number"` // 1: the automation's own; more: it was sent again
	State      string     `json:"state"`  // PENDING, SENT, PARTLY_SENT, FAILED, BOUNCED, NOT_SENT
	Recipients int        `json:"recipients"`
	Accepted   int        `json:"accepted"` // those whom the mail server took it for
	Attempts   int        `json:"attempts"`
	TriedAt    *time.Time `json:"triedAt"`
	SentAt     *time.Time `json:"sentAt"`
	LinkUntil  *time.Time `json:"linkUntil"` // when its link ends; nil: it has none that ends
	Outputs    []string   `json:"outputs"`   // those that it brings; nil: its own alone, or none was tried
	Error      *Failure   `json:"error"`     // of the last attempt that failed, or why it is not sent
}

// Undelivered are the states of mails that somebody did not get who should.
func Undelivered() []string { return []string{"PARTLY_SENT", "FAILED", "BOUNCED"} }

// IsUndelivered tells whether somebody did not get the mail who should.
func (m *Mail) IsUndelivered() bool { return m != nil && slices.Contains(Undelivered(), m.State) }

// A SentMail is a mail about an output with whom it went to.
type SentMail struct {
	Mail
	Addresses []Recipient `json:"addresses"` // empty: they are not known, or were erased
}

// A Recipient is one of those whom a mail goes to.
type Recipient struct {
	Address string `json:"address"`
	State   string `json:"state"`  // PENDING, ACCEPTED, REFUSED, BOUNCED
	Status  string `json:"status"` // the mail server's last answer, such as 550 5.1.1, or with which the mail came back, such as 5.1.1; empty: it took the mail, or was not asked
}

// Progress says which steps of an output were made.
type Progress struct {
	Copied          bool `json:"copied"`
	Filled          bool `json:"filled"`
	PDFMade         bool `json:"pdfMade"`
	OriginalRemoved bool `json:"originalRemoved"`
}

// An OutputFile is a file that was made.
type OutputFile struct {
	File
	Kind       string  `json:"kind"`       // pdf, original
	Protection *string `json:"protection"` // none, password, credentials; nil: the drive did not say it
}

// A Finding is what is odd about source data or an output.
type Finding struct {
	Code     string `json:"code"`
	Pointer  string `json:"pointer"`
	Message  string `json:"message"`
	OutputID string `json:"outputId"`
}

// An AutomationDetail is an automation with the data that it was started with.
type AutomationDetail struct {
	Automation
	SourceData json.RawMessage `json:"sourceData"` // null: it was erased
	Findings   []Finding       `json:"findings"`
	// UnknownFields are those of MissingFields that the source data has nowhere.
	UnknownFields []UnknownField `json:"unknownFields"`
}

// An UnknownField is the name that a tag has, and the names of the source data most like
// it, the best first.
type UnknownField struct {
	Name    string   `json:"name"`
	Nearest []string `json:"nearest"`
}

// An AutomationQuery says which automations a list is to hold.
type AutomationQuery struct {
	States []string  // any of these; empty: any state
	Since  time.Time // accepted then or later
	Until  time.Time // accepted before then; zero: at any time
	Newest bool      // the newest first
	Page   int       // how many are read at a time; 0: 200
	Test   bool      // tests alone; false: everything else
	Mails  []string  // the latest mail about an output is in one of these states; empty: any
	Placed []string  // an output is in one of these states at a target; empty: any
	// RequestID is the X-Request-Id of its source event, and IdempotencyKey the
	// Idempotency-Key or webhook-id that came in the last four days; empty: any.
	RequestID, IdempotencyKey string
	Reference                 string // of its source event, whole; empty: any
	Batch                     string // the id of the batch that its row is in; empty: any
}

func (q AutomationQuery) values() []any {
	return []any{"state", q.States, "since", q.Since, "until", q.Until, "order", q.Newest, "limit", q.Page, "test", q.Test, "mail", q.Mails, "target", q.Placed, "requestId", q.RequestID, "idempotencyKey", q.IdempotencyKey, "reference", q.Reference, "batch", q.Batch}
}

// Automations lists those of a workflow, the oldest first.
func (c *Client) Automations(ctx context.Context, workflowID string, q AutomationQuery) iter.Seq2[Automation, error] {
	return list[Automation](ctx, c, workflowPath(workflowID)+"automations/", values(q.values()...))
}

// AllAutomations lists those of all workflows that the caller sees.
func (c *Client) AllAutomations(ctx context.Context, q AutomationQuery) iter.Seq2[Automation, error] {
	return list[Automation](ctx, c, "/automations/", values(q.values()...))
}

// A FailureCause is why automations of a workflow failed.
type FailureCause struct {
	WorkflowID string `json:"workflowId"`
	// Open is how many were not made since, and Cured how many were.
	Open  int `json:"open"`
	Cured int `json:"cured"`
	// Newest are the newest open ones, three at most.
	Newest []Automation `json:"newest"`
}

// Failures tells why automations of all workflows failed that were accepted since a time, of
// the last 7 days at most.
func (c *Client) Failures(ctx context.Context, since time.Time) (causes []FailureCause, err error) {
	_, err = c.ask(ctx, request{method: http.MethodGet, path: "/automations/failures/", query: values("since", since)}, &causes)
	return causes, err
}

// MarkFailuresDone leaves the cause of a FAILED automation out of Failures, until the
// next failure.
func (c *Client) MarkFailuresDone(ctx context.Context, workflowID, id string) (Automation, error) {
	return post[Automation](ctx, c, automationPath(workflowID, id)+"done/", nil)
}

// ReopenFailures takes MarkFailuresDone back.
func (c *Client) ReopenFailures(ctx context.Context, workflowID, id string) (a Automation, err error) {
	_, err = c.ask(ctx, request{method: http.MethodDelete, path: automationPath(workflowID, id) + "done/", repeatable: true}, &a)
	return a, err
}

// An AutomationCount is how many automations were accepted in the hour or day that begins
// at From, and how many of these failed. Tests are not counted.
type AutomationCount struct {
	From     time.Time `json:"from"`
	Accepted int       `json:"accepted"`
	Failed   int       `json:"failed"`
}

// CountAutomations counts those of all workflows that the caller sees: in each of the last
// 30 days in UTC where daily is true, else in each of the last 48 hours.
func (c *Client) CountAutomations(ctx context.Context, daily bool) ([]AutomationCount, error) {
	return c.countAutomations(ctx, "/", daily)
}

func (c *Client) countAutomations(ctx context.Context, below string, daily bool) (counted []AutomationCount, err error) {
	each := "hour"
	if daily {
		each = "day"
	}
	_, err = c.ask(ctx, request{method: http.MethodGet, path: below + "automations/counts/", query: values("each", each)}, &counted)
	return counted, err
}

// CountWorkflowAutomations is CountAutomations of one workflow.
func (c *Client) CountWorkflowAutomations(ctx context.Context, workflowID string, daily bool) ([]AutomationCount, error) {
	return c.countAutomations(ctx, workflowPath(workflowID), daily)
}

// Automation reads one, with its source data.
func (c *Client) Automation(ctx context.Context, workflowID, id string) (AutomationDetail, error) {
	return get[AutomationDetail](ctx, c, automationPath(workflowID, id))
}

// RetryAutomation makes the failed documents of a FAILED automation as its next attempt.
func (c *Client) RetryAutomation(ctx context.Context, workflowID, id string) (Automation, error) {
	return post[Automation](ctx, c, automationPath(workflowID, id)+"retry/", nil)
}

// CancelAutomation ends an automation that is not done.
func (c *Client) CancelAutomation(ctx context.Context, workflowID, id string) (Automation, error) {
	return post[Automation](ctx, c, automationPath(workflowID, id)+"cancel/", nil)
}

// EraseAutomation erases data, payloads, answers and files for good.
func (c *Client) EraseAutomation(ctx context.Context, workflowID, id string) (Automation, error) {
	var a Automation
	_, err := c.ask(ctx, request{method: http.MethodDelete, path: automationPath(workflowID, id), repeatable: true}, &a)
	return a, err
}

// An OutputQuery says which outputs a list is to hold.
type OutputQuery struct {
	States []string  // any of these; empty: any state
	IDs    []string  // these alone; empty: any
	Since  time.Time // made then or later
	Until  time.Time // made before
	Name   string    // words that its name has, all of them; it has ended; empty: any name
	Newest bool      // the newest first
	Test   bool      // tests alone; false: everything else
	Mails  []string  // the latest mail is in one of these states; empty: any
	Placed []string  // it is in one of these states at a target; empty: any
	Batch  string    // the id of the batch whose rows they were made of; empty: any
}

func (q OutputQuery) values() []any {
	return []any{"state", q.States, "id", q.IDs, "since", q.Since, "until", q.Until, "name", q.Name, "order", q.Newest, "test", q.Test, "mail", q.Mails, "target", q.Placed, "batch", q.Batch}
}

// Outputs lists those of a workflow, the oldest first.
func (c *Client) Outputs(ctx context.Context, workflowID string, q OutputQuery) iter.Seq2[Output, error] {
	return list[Output](ctx, c, workflowPath(workflowID)+"outputs/", values(q.values()...))
}

// AllOutputs lists those of all workflows that the caller sees.
func (c *Client) AllOutputs(ctx context.Context, q OutputQuery) iter.Seq2[Output, error] {
	return list[Output](ctx, c, "/outputs/", values(q.values()...))
}

// A MailRequest says to whom an output is sent again.
type MailRequest struct {
	To string `json:"to,omitempty"` // addresses with commas in between; empty: as its document says
}

// MailOutput has an output that is DONE sent by mail again: the same files. The Mail of
// the answer says what becomes of it.
func (c *Client) MailOutput(ctx context.Context, workflowID, id string, r MailRequest) (Output, error) {
	return post[Output](ctx, c, workflowPath(workflowID)+"outputs/"+url.PathEscape(id)+"/mail/", r)
}

// Mails lists the mails about an output, the latest first, 100 at most.
func (c *Client) Mails(ctx context.Context, workflowID, outputID string) ([]SentMail, error) {
	return get[[]SentMail](ctx, c, workflowPath(workflowID)+"outputs/"+url.PathEscape(outputID)+"/mail/")
}

// RevokeMailLinks ends the links of all mails about an output.
func (c *Client) RevokeMailLinks(ctx context.Context, workflowID, outputID string) (Output, error) {
	return post[Output](ctx, c, workflowPath(workflowID)+"outputs/"+url.PathEscape(outputID)+"/mail/revoke/", nil)
}

// Content is a file that the API answered with.
type Content struct {
	Name    string // as it may be saved: no other folder, no control characters
	Content []byte
}

// OutputPDF reads the PDF of an output that is DONE: the one that was made, encrypted
// where its document has a password, or an export of the original.
func (c *Client) OutputPDF(ctx context.Context, workflowID, id string) (Content, error) {
	return get[Content](ctx, c, workflowPath(workflowID)+"outputs/"+url.PathEscape(id)+"/pdf/")
}

// OutputEInvoice reads the XML of the e-invoice that is in the PDF of an output.
func (c *Client) OutputEInvoice(ctx context.Context, workflowID, id string) (Content, error) {
	return get[Content](ctx, c, workflowPath(workflowID)+"outputs/"+url.PathEscape(id)+"/einvoice/")
}

// ZipOutputs reads the PDFs of up to 100 outputs of a workflow as a zip. Its errors.txt
// lists the outputs that could not be read.
func (c *Client) ZipOutputs(ctx context.Context, workflowID string, ids []string) (Content, error) {
	var zip Content
	_, err := c.ask(ctx, request{method: http.MethodGet, path: workflowPath(workflowID) + "outputs/zip/", query: url.Values{"id": ids}}, &zip)
	return zip, err
}
