package console

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"html/template"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/einvoice"
	"github.com/platenhq/platen/internal/platen"
)

// words are what templates say things with.
var words = template.FuncMap{
	"class":      classOf,
	"when":       func(at time.Time) string { return when(&at) },
	"timestamp":  platen.Timestamp,
	"partsOf":    partsOf,
	"stateOf":    stateOfReceiver,
	"skipped":    isSkipped,
	"seriesPage": seriesPage,
	"decimal":    einvoice.FormatNumber,
	"ended":      endedRows,
	"rowTitle":   rowTitle,
	"rows":       func(base string, rows []runRow) rowsOfTable { return rowsOfTable{base, rows} },
	"drop":       func(id, label string, fault besideField) dropArea { return dropArea{id, label, fault} },
	"list":       func(all ...string) []string { return all },
	"pair":       func(one, other any) [2]any { return [2]any{one, other} },
	"longest":    func(kind string) int { return longest[kind] },
	"icon":       drawn,
	"chip":       chip,
	"head":       headOf,
	"examples":   func() []offeredExample { return offered },
	"once":       rand.Text,
}

// oddInWords says how many things are odd about what was made; empty: none is.
func oddInWords(in catalog.Printer, missing int, findings []client.PDFFinding) string {
	var all []string
	if missing > 0 {
		all = append(all, in.Text("%d fields empty", missing))
	}
	for _, f := range findings {
		if f.Code == platen.CodeNoField {
			return in.Text("the event gave no field of the template")
		}
	}
	if len(findings) > 0 {
		all = append(all, in.Text("%d findings", len(findings)))
	}
	return strings.Join(all, ", ")
}

// A dropArea is a field for a template's file, on which one can be dropped.
type dropArea struct {
	ID, Label string
	Fault     besideField
}

// longest is how many characters or bytes fields take: as many as /v0.
var longest = map[string]int{"name": platen.MaxWorkflowName, "template": platen.MaxTextTemplate, "receiver": platen.MaxReceiverAddress, "file": maxTemplate, "note": platen.MaxVersionNote, "mail": platen.MaxEmailText, "html": platen.MaxEmailHTML, "form": platen.MaxFormText,
	"numbers": platen.MaxDocumentSeries * (platen.MaxSeriesName + len("@year, ")), "appendices": platen.MaxAppendices * maxFileAddress}

// maxFileAddress is how long the address of a file is at most.
const maxFileAddress = 2000

// rowsOfTable are the runs of a table, with what stands in front of their addresses.
type rowsOfTable struct {
	Base string
	Rows []runRow
}

var states = texts{
	"ACCEPTED": "waiting for its turn", "RUNNING": "running", "COMPLETED": "completed", "FAILED": "failed", "SKIPPED": "skipped", "CANCELLED": "cancelled",
	"PENDING": "under way", "REVIEW": "waiting for approval", "DONE": "made", "DELIVERED": "delivered", "HELD": "held", "SENT": "sent", "PARTLY_SENT": "sent in part", "BOUNCED": "came back", "NOT_SENT": "not sent", "STORED": "stored", "NOT_STORED": "not stored",
	"PAUSED": "paused",
	"READY":  "in use", failing: "failing", "RESTING": "breaker open", "DISABLED": "disabled",
	"TAKEN": "taken",
	"OPEN":  "open", "USED": "used", "VOID": "void",
	"COMPLETE": "ready", "INCOMPLETE": "incomplete", "ARCHIVED": "archived",
}

// failing is a receiver that is in use and did not take the last attempt.
const failing = "FAILING"

// stateOfReceiver is its state as pages say it.
func stateOfReceiver(e client.EndpointState) string {
	if e.State == "READY" && e.Failures > 0 {
		return failing
	}
	return e.State
}

// stateInWords says a state of /v0; one that it does not know it shows as it is.
func stateInWords(in catalog.Printer, state string) string {
	if text, ok := states[state]; ok {
		return in.Text(text)
	}
	return state
}

// classOf is the colour of a state: never the only sign, its word stands beside it.
func classOf(state string) string {
	switch state {
	case "FAILED", "PARTLY_SENT", "BOUNCED", "DISABLED", failing:
		return "bad"
	case "COMPLETED", "DONE", "DELIVERED", "SENT", "STORED", "COMPLETE", "READY", "USED", "TAKEN":
		return "good"
	case "HELD", "SKIPPED", "RESTING", "INCOMPLETE", "VOID", "PAUSED":
		return "odd"
	}
	return "plain"
}

// why says why an automation failed, waits or was skipped, with the cure; empty when
// there is nothing to say.
func why(in catalog.Printer, a client.Automation) saying {
	switch {
	case a.Error != nil:
		return theirs(in, a.Error.Code, a.Error.Message)
	case a.Held != nil:
		return theirs(in, a.Held.Code, a.Held.Message)
	case a.Reason != nil && *a.Reason == "WORKFLOW_INCOMPLETE":
		return own(in.Text("The workflow had no template document when the event came. Add one, then send the event again."))
	case a.Reason != nil && *a.Reason == "AUTO_CREATE_OFF":
		return own(in.Text("The workflow does not start automations by itself."))
	case a.Reason != nil && *a.Reason == "KEY_REUSED":
		return own(in.Text("Its sender gave another event the same key before. If both are wanted, send this one again."))
	case a.Reason != nil:
		return own(*a.Reason)
	case len(a.WaitingFor) > 0:
		return waitInWords(in, a.WaitingFor[0])
	}
	return cmp.Or(mailTrouble(in, a), targetTrouble(in, a))
}

// targetTrouble says why a target did not get an output; empty: each did, or is still tried.
func targetTrouble(in catalog.Printer, a client.Automation) saying {
	for _, o := range a.Outputs {
		for _, t := range o.Targets {
			if t.State == "FAILED" && t.Error != nil {
				return sentences(own(in.Text("%s did not get it:", t.Name)), theirs(in, t.Error.Code, t.Error.Message))
			}
		}
	}
	return ""
}

// mailTrouble says why a mail about an output did not go out, or waits; empty: each did.
func mailTrouble(in catalog.Printer, a client.Automation) saying {
	var waits saying
	for _, o := range a.Outputs {
		switch m := o.Mail; {
		case m == nil || m.Error == nil:
		case m.State == "FAILED" && isUnsent(a): // the state of the run says so
			return theirs(in, m.Error.Code, m.Error.Message)
		case m.State == "FAILED":
			return sentences(own(in.Text("A mail did not go out:")), theirs(in, m.Error.Code, m.Error.Message))
		case m.State == "BOUNCED":
			return sentences(own(in.Text("A mail came back:")), theirs(in, m.Error.Code, m.Error.Message))
		case m.State == "PARTLY_SENT":
			return sentences(own(in.Text("A mail did not reach everybody:")), theirs(in, m.Error.Code, m.Error.Message))
		case m.State == "PENDING":
			waits = sentences(own(in.Text("A mail is tried again by itself:")), theirs(in, m.Error.Code, m.Error.Message))
		}
	}
	return waits
}

// erasedInWords says what became of an automation's data; empty while it is there.
func erasedInWords(in catalog.Printer, a client.Automation) saying {
	stays := own(in.Text("What stays is what happened and when."))
	switch {
	case a.Erasure != nil && a.Erasure.ErasedAt == nil:
		return sentences(own(in.Text("This run is being erased: its source data, its events, the answers to them and its files.")), stays)
	case a.Erasure != nil:
		return sentences(own(in.Text("Its source data, its events, the answers to them and its files were erased at %s.", when(a.Erasure.ErasedAt))), stays)
	case a.DataErasedAt != nil:
		return sentences(own(in.Text("Its source data, its events and the answers to them were erased at %s. It cannot be retried, and its events cannot be redelivered.", when(a.DataErasedAt))), stays)
	}
	return ""
}

// waitInWords says what a run waits for. It goes on by itself.
func waitInWords(in catalog.Printer, w client.Wait) saying {
	since := in.Text("Waits since %s:", when(&w.Since))
	if w.Until != nil {
		since = in.Text("Waits since %s, until %s at most:", when(&w.Since), when(w.Until))
	}
	return sentences(own(since), theirs(in, w.Code, w.Message))
}

// receiverInWords says what a breaker does, and what to do about it. So many events that came
// before still wait for the receiver.
func receiverInWords(in catalog.Printer, e client.EndpointState, waiting int) saying {
	switch e.State {
	case "DISABLED":
		if e.Reason != nil {
			return theirs(in, e.Reason.Code, e.Reason.Message)
		}
		return own(in.Text("Nothing is sent to this address any more. Let a test pass, then recover the events that are held."))
	case "RESTING":
		return own(in.Text("It failed %d times in a row, so its breaker is open: the next attempt is made after %s, by itself.", e.Failures, when(e.RestsUntil)))
	}
	switch {
	case e.Failures == 1:
		return own(in.Text("The last attempt failed; the next one is made in its turn."))
	case e.Failures > 1:
		return own(in.Text("The last %d attempts failed; the next ones are made in their turn.", e.Failures))
	}
	if waiting > 0 {
		return own(in.Text("New events are sent to it as they come.") + " " + in.Text("%d events still wait for their attempt.", waiting))
	}
	return own(in.Text("Events are sent to it as they come."))
}

var steps = texts{
	"LoadPlan": "reading the configuration", "CopyTemplate": "copying the template", "FillTags": "filling the copy", "FillAppendices": "filling what is appended", "MakePDF": "making the PDF",
	"start": "starting", "RemoveOriginal": "removing the original", "RecordOutput": "storing what was made", "SendEvent": "delivering the event", "SendMail": "sending the mail",
	"GatherOutputs": "gathering what the mail brings",
}

func stepInWords(in catalog.Printer, name string) string {
	if text, ok := steps[name]; ok {
		return in.Text(text)
	}
	return name
}

// told are what pages say of a change that was made all the same, by the code of /v0.
var told = texts{
	"receiver_private": "The address is saved. It names a private network or this machine: nothing is delivered there unless the operator allows the network.",
}

// kindInWords says what a file is, and how a browser shows an original at its address.
func (s *site) kindInWords(in catalog.Printer, kind string) string {
	switch {
	case strings.EqualFold(kind, "pdf"):
		return "PDF"
	case strings.EqualFold(kind, "original") && s.OwnDrive:
		return in.Text("original, shown as a PDF")
	case strings.EqualFold(kind, "original"):
		return in.Text("original, opens in Google")
	}
	return kind
}

// originalFile is where a browser downloads an original of an output; empty where it asks
// for credentials that a browser does not have.
func (s *site) originalFile(f client.OutputFile) string {
	if f.Kind != string(platen.FileOriginal) || f.Protection != nil && *f.Protection == string(platen.ProtectionCredentials) {
		return ""
	}
	return s.officeFile(f.URL)
}

// officeFile is where a browser downloads the office file of a document in our own drive;
// empty in Google's, which has that in its editor.
func (s *site) officeFile(address string) string {
	at, err := url.Parse(address)
	if err != nil || !s.OwnDrive {
		return ""
	}
	q := at.Query()
	q.Set("download", "office")
	at.RawQuery = q.Encode()
	return at.String()
}

// whenLayout is how a time is written where no script puts it into the browser's zone.
const whenLayout = "2006-01-02 15:04:05 UTC"

// when writes a time for people; empty: there is none.
func when(at *time.Time) string {
	if at == nil || at.IsZero() {
		return ""
	}
	return at.UTC().Format(whenLayout)
}

// A sentencePart is a part of a sentence: a time, or else a text.
type sentencePart struct {
	At   time.Time
	Text saying
}

var whenInText = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC`)

// partsOf finds the times in a sentence that when wrote, so that pages show them as all
// others.
func partsOf(sentence saying) (parts []sentencePart) {
	for sentence != "" {
		found := whenInText.FindStringIndex(string(sentence))
		if found == nil {
			return append(parts, sentencePart{Text: sentence})
		}
		at, _ := time.Parse(whenLayout, string(sentence[found[0]:found[1]])) // a day that is none stays text
		parts = append(parts, sentencePart{Text: sentence[:found[0]]}, sentencePart{at, sentence[found[0]:found[1]]})
		sentence = sentence[found[1]:]
	}
	return parts
}

// took is the time between two, empty when there is none.
func took(in catalog.Printer, from, to time.Time) string {
	d := to.Sub(from)
	if d <= 0 {
		return ""
	}
	return seconds(in, d)
}

// seconds writes a duration for people. Its units are the same in every language.
func seconds(in catalog.Printer, d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return in.Tenths(d.Seconds()) + " s"
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
