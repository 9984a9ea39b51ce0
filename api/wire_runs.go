package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// The wire types of what the specification does not have: automations, their
// outputs and mails, and the answers of tools.

type automationJSON struct {
	ID                string                 `json:"id"`
	WorkflowID        string                 `json:"workflowId"`
	State             platen.AutomationState `json:"state"`
	Reason            *string                `json:"reason"` // of SKIPPED ones
	Attempt           int                    `json:"attempt"`
	AcceptedAt        string                 `json:"acceptedAt"`
	StartedAt         *string                `json:"startedAt"`
	FinishedAt        *string                `json:"finishedAt"`
	CancelRequestedAt *string                `json:"cancelRequestedAt"`
	MissingFields     []string               `json:"missingFields"`
	Error             *failureJSON           `json:"error"`
	Held              *failureJSON           `json:"held"`       // why its events are not delivered
	WaitingFor        []waitJSON             `json:"waitingFor"` // something outside
	Outputs           []outputJSON           `json:"outputs"`
	Skipped           []skippedJSON          `json:"skipped"` // by conditions
	RequestID         string                 `json:"requestId"`
	Reference         *string                `json:"reference"` // null: the sender gave none
	Test              bool                   `json:"test"`
	TemporalURL       *string                `json:"temporalUrl"`
	DataErasedAt      *string                `json:"dataErasedAt"` // source data, payloads and answers
	Erasure           *erasureJSON           `json:"erasure"`      // of the whole automation
	KeyTakenBy        *string                `json:"keyTakenBy"`   // of those whose reason is KEY_REUSED
	ReplacedBy        *string                `json:"replacedBy"`   // of a row of a batch that was corrected
}

type skippedJSON struct {
	DocumentID string      `json:"documentId"` // empty: it is a receiver
	Part       platen.Part `json:"part"`
	When       string      `json:"when"`
	ReceiverID string      `json:"receiverId,omitempty"`
	Receiver   string      `json:"receiver,omitempty"` // its name
}

type erasureJSON struct {
	RequestedAt string  `json:"requestedAt"`
	RequestedBy string  `json:"requestedBy"` // usr_…, or "retention"
	ErasedAt    *string `json:"erasedAt"`    // null: it is under way
}

type automationDetailJSON struct {
	automationJSON
	SourceData    json.RawMessage    `json:"sourceData"`
	Findings      []findingJSON      `json:"findings"` // about the source data, then about outputs
	UnknownFields []unknownFieldJSON `json:"unknownFields"`
}

// unknownFieldJSON is a missing field that no object of the source data has.
type unknownFieldJSON struct {
	Name    string   `json:"name"`
	Nearest []string `json:"nearest"` // the names of the data most like it, best first
}

// waitJSON says what a step of a running automation waits for.
type waitJSON struct {
	failureJSON
	Step         string  `json:"step"`
	OutputID     *string `json:"outputId"`
	EventID      *string `json:"eventId"`      // in its first attempt
	AutomationID *string `json:"automationId"` // of the same key, which is before
	Since        string  `json:"since"`
	Tries        int     `json:"tries"`
	Until        *string `json:"until"` // when the step is given up; null: it is not, or nobody knows yet
}

type failureJSON struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type outputJSON struct {
	ID            string             `json:"id"`
	WorkflowID    string             `json:"workflowId"`
	AutomationID  string             `json:"automationId"`
	DocumentID    string             `json:"documentId"`
	Name          *string            `json:"name"` // null: not known yet
	Reference     *string            `json:"reference"`
	State         platen.OutputState `json:"state"`
	Test          bool               `json:"test"`
	Progress      progressJSON       `json:"progress"`
	Files         []outputFileJSON   `json:"files"`
	MissingFields []string           `json:"missingFields"`
	Findings      []failureJSON      `json:"findings"` // what the PDF does not show as it should
	Error         *failureJSON       `json:"error"`
	Mail          *mailJSON          `json:"mail,omitempty"`   // the latest; absent: none was begun
	Review        *reviewJSON        `json:"review,omitempty"` // the latest; absent: nobody was asked
	Targets       []placementJSON    `json:"targets,omitempty"`
	CreatedAt     string             `json:"createdAt"`
	UpdatedAt     string             `json:"updatedAt"`
}

// mailJSON says what became of the latest mail about an output. Whom it went to is for
// those alone who see the source data.
type mailJSON struct {
	Number     int              `json:"number"`
	State      platen.MailState `json:"state"`
	Recipients int              `json:"recipients"`
	Accepted   int              `json:"accepted"`
	Attempts   int              `json:"attempts"`
	TriedAt    *string          `json:"triedAt"`
	SentAt     *string          `json:"sentAt"`
	LinkUntil  *string          `json:"linkUntil"`         // null: it has no link that ends
	Outputs    []string         `json:"outputs,omitempty"` // that it brings; absent: its own alone, or none was tried
	Error      *failureJSON     `json:"error"`             // of the last attempt
}

func mailOf(m *platen.Mail) *mailJSON {
	if m == nil {
		return nil
	}
	return &mailJSON{
		Number: max(1, m.Number), State: m.State, Recipients: m.Recipients, Accepted: m.Accepted, Attempts: m.Attempts,
		TriedAt: moment(m.TriedAt), SentAt: moment(m.SentAt), LinkUntil: moment(m.LinkUntil), Outputs: m.Outputs, Error: failure(m.Code, m.Message),
	}
}

// sentMailJSON is a mail with whom it went to; empty: that is not known, or was erased.
type sentMailJSON struct {
	mailJSON
	Addresses []recipientJSON `json:"addresses"`
}

type recipientJSON struct {
	Address string                `json:"address"`
	State   platen.RecipientState `json:"state"`
	Status  string                `json:"status"` // empty: the mail server took it, or was not asked
}

func sentMail(m platen.Mail) sentMailJSON {
	j := sentMailJSON{mailJSON: *mailOf(&m), Addresses: make([]recipientJSON, len(m.Whom))}
	for i, r := range m.Whom {
		j.Addresses[i] = recipientJSON{Address: r.Address, State: r.State, Status: r.Status}
	}
	return j
}

// outputFileJSON is a file of an output, and which of them it is.
type outputFileJSON struct {
	fileJSON
	Kind       platen.FileKind `json:"kind"`
	Protection *string         `json:"protection"` // null: the drive did not say it
}

// progressJSON says which steps were made; those that a document does not ask
// for stay false.
type progressJSON struct {
	Copied          bool `json:"copied"`
	Filled          bool `json:"filled"`
	PDFMade         bool `json:"pdfMade"`
	OriginalRemoved bool `json:"originalRemoved"`
}

type checkJSON struct {
	DocumentID   string               `json:"documentId"`
	Tags         []tagJSON            `json:"tags"`
	Unfilled     []string             `json:"unfilled"`
	Settings     []settingFindingJSON `json:"faults"`
	SourceFields []string             `json:"sourceFields"`
	Findings     []checkedJSON        `json:"findings"`
	Schema       json.RawMessage      `json:"schema"`
	Conditions   []conditionJSON      `json:"conditions"`
	MailBrings   []broughtJSON        `json:"mailBrings,omitempty"` // of a document with a mail
	Invoices     *invoiceCountJSON    `json:"einvoices,omitempty"`  // of a document with an e-invoice
}

// broughtJSON is a document whose outputs a mail brings.
type broughtJSON struct {
	DocumentID string `json:"documentId"`
	Name       string `json:"name"` // of its template
	When       string `json:"when"` // its condition; empty: always
}

// conditionJSON is of how many events a condition is true.
type conditionJSON struct {
	Setting string `json:"setting"`
	When    string `json:"when"`
	Made    int    `json:"made"`
	Skipped int    `json:"skipped"`
	Faulty  int    `json:"faulty"`
}

// settingFindingJSON is what is wrong with the document's own settings.
type settingFindingJSON struct {
	In       string `json:"in"` // the setting
	Code     string `json:"code"`
	Message  string `json:"message"`
	Severity string `json:"severity"`
}

type tagJSON struct {
	Name    string   `json:"name"`
	In      []string `json:"in"` // template, outputName, pdfPassword
	Filled  bool     `json:"filled"`
	Nearest []string `json:"nearest"`
}

// automationCountJSON is how many automations came in a span.
type automationCountJSON struct {
	From     string `json:"from"`
	Accepted int    `json:"accepted"`
	Failed   int    `json:"failed"`
}

// failureCauseJSON is why automations failed.
type failureCauseJSON struct {
	WorkflowID string           `json:"workflowId"`
	Open       int              `json:"open"`
	Cured      int              `json:"cured"`
	Newest     []automationJSON `json:"newest"`
}

func (s *server) automation(a platen.Automation) automationJSON {
	out := automationJSON{
		ID:                a.ID,
		WorkflowID:        a.WorkflowID,
		State:             a.State,
		Reason:            orNull(a.Reason),
		KeyTakenBy:        orNull(a.KeyTakenBy),
		ReplacedBy:        orNull(a.ReplacedBy),
		Attempt:           a.Attempt,
		AcceptedAt:        platen.Timestamp(a.AcceptedAt),
		StartedAt:         moment(a.StartedAt),
		FinishedAt:        moment(a.FinishedAt),
		CancelRequestedAt: moment(a.CancelRequestedAt),
		MissingFields:     []string{},
		Error:             failure(a.FailureCode, a.Failure),
		Held:              failure(a.Held, platen.MessageOfHeld(a.Held)),
		WaitingFor:        waits(a.Waits),
		Outputs:           make([]outputJSON, 0, len(a.Outputs)),
		Skipped:           make([]skippedJSON, len(a.Skipped)),
		RequestID:         a.RequestID,
		Reference:         orNull(a.Reference),
		Test:              a.Test,
		DataErasedAt:      moment(a.DataErasedAt),
	}
	if a.EraseRequestedAt != nil {
		out.Erasure = &erasureJSON{platen.Timestamp(*a.EraseRequestedAt), a.EraseRequestedBy, moment(a.ErasedAt)}
	}
	for i, one := range a.Skipped {
		out.Skipped[i] = skippedJSON(one)
	}
	for _, o := range a.Outputs {
		o.WorkflowID = a.WorkflowID
		out.Outputs = append(out.Outputs, output(o))
		for _, name := range o.MissingFields {
			if !slices.Contains(out.MissingFields, name) {
				out.MissingFields = append(out.MissingFields, name)
			}
		}
	}
	if out.Error == nil && a.State == platen.AutomationFailed {
		out.Error = failureOfOutputs(out.Outputs)
	}
	if s.runURL != "" && a.State != platen.AutomationSkipped {
		out.TemporalURL = orNull(s.runURL + a.ID)
	}
	return out
}

func waits(all []platen.Wait) []waitJSON {
	out := make([]waitJSON, len(all))
	for i, w := range all {
		out[i] = waitJSON{failureJSON: failureJSON{w.Code, w.Message}, Step: w.Step, Since: platen.Timestamp(w.Since), Tries: w.Tries}
		if !w.Until.IsZero() {
			until := platen.Timestamp(w.Until)
			out[i].Until = &until
		}
		switch { // else the automation as a whole waits
		case strings.HasPrefix(w.Subject, platen.PrefixEvent):
			out[i].EventID = &all[i].Subject
		case strings.HasPrefix(w.Subject, platen.PrefixOutput):
			out[i].OutputID = &all[i].Subject
		case strings.HasPrefix(w.Subject, platen.PrefixAutomation):
			out[i].AutomationID = &all[i].Subject
		}
	}
	return out
}

// failureOfOutputs is what the first output that failed says, and how many more
// there are.
func failureOfOutputs(outputs []outputJSON) *failureJSON {
	var first *failureJSON
	more := 0
	for _, o := range outputs {
		switch {
		case o.Error == nil:
		case first == nil:
			first = &failureJSON{o.Error.Code, o.Error.Message}
		default:
			more++
		}
	}
	if more > 0 {
		first.Message += fmt.Sprintf(" (%d more failed: see outputs)", more)
	}
	return first
}

// output names files once they are there to stay: what an output that is under
// way or has failed has in the drive may be removed at any time.
func output(o platen.Output) outputJSON {
	out := outputJSON{
		ID:           o.ID,
		WorkflowID:   o.WorkflowID,
		AutomationID: o.AutomationID,
		DocumentID:   o.DocumentID,
		Name:         orNull(o.Name),
		Reference:    orNull(o.Reference),
		State:        o.State,
		Test:         o.Test,
		Progress: progressJSON{
			Copied:          o.Copy != nil,
			Filled:          o.FillEnded,
			PDFMade:         o.PDF != nil,
			OriginalRemoved: o.Removed,
		},
		Files:         []outputFileJSON{},
		MissingFields: append([]string{}, o.MissingFields...),
		Findings:      make([]failureJSON, 0, len(o.Findings)),
		Error:         failure(o.FailureCode, o.Failure),
		Mail:          mailOf(o.Mail),
		Review:        reviewOf(o.Review),
		Targets:       placementsOf(o.Placements),
		CreatedAt:     platen.Timestamp(o.CreatedAt),
		UpdatedAt:     platen.Timestamp(o.UpdatedAt),
	}
	for _, f := range o.Findings {
		out.Findings = append(out.Findings, failureJSON{f.Code, f.Message})
	}
	if o.State == platen.OutputDone {
		for _, f := range o.Files() {
			out.Files = append(out.Files, outputFileJSON{
				fileJSON{f.ID, f.Name, f.URL, f.MIMEType}, f.Kind, orNull(string(f.Protection())),
			})
		}
	}
	return out
}

func momentOf(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return moment(&t)
}

func failure(code, message string) *failureJSON {
	if code == "" {
		return nil
	}
	return &failureJSON{code, message}
}

func moment(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return orNull(platen.Timestamp(*t))
}

// orNull is null for what is empty.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// codeOf is the code of the first platen.Error of a chain, "" without one.
func codeOf(err error) string {
	var e *platen.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
