package platen

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// phases are all phases, by the names that the table and docs/design/runs.md give them.
var phases = []string{"planned", "copying", "copied", "filling", "filled", "appending", "uploading", "stored", "removed", "review", "decided", "done", "failed"}

// at is an output of each phase, as the steps up to it leave it.
func at(t *testing.T, phase string) Output {
	t.Helper()
	o := Output{ID: "out_1", AutomationID: "aut_1", State: OutputPending, Attempt: 1, Generation: 1}
	for _, step := range []struct {
		phase string
		do    func()
	}{
		{"planned", func() {}},
		{"copying", func() { o.CopyBegun = true }},
		{"copied", func() { o.Copy = &File{ID: "copy"} }},
		{"filling", func() { o.FillBegun = true }},
		{"filled", func() { o.FillEnded, o.MissingFields = true, []string{"City"} }},
		{"appending", func() { o.Appendices, o.AppendixBegun = []Appendix{{FileID: "terms", CopyID: "terms-copy"}}, true }},
		{"uploading", func() { o.AppendixBegun, o.PDFID, o.PDFHashes = false, "pdf", []string{"hash"} }},
		{"stored", func() { o.PDF = &File{ID: "pdf"} }},
		{"removed", func() { o.Appendices, o.Removed = nil, true }},
		{"review", func() { o.State = OutputReview }},
		{"decided", func() { o.State, o.Verdict = OutputPending, VerdictApproved }},
		{"done", func() { o.State = OutputDone }},
		{"failed", func() { o.State, o.PDF, o.Removed = OutputFailed, nil, false }},
	} {
		if step.do(); step.phase == phase {
			return o
		}
	}
	t.Fatalf("no step leads to phase %q", phase)
	return o
}

// elsewhere are outputs that another execution has led away from what a step saw.
var elsewhere = map[string]func(t *testing.T) Output{
	"with another copy": func(t *testing.T) Output {
		o := at(t, "copied")
		o.Copy = &File{ID: "another"}
		return o
	},
	"filling another": func(t *testing.T) Output {
		o := at(t, "filling")
		o.Copy = &File{ID: "another"}
		return o
	},
	"in the next generation": func(t *testing.T) Output {
		o := at(t, "copied")
		o.Generation++
		return o
	},
	"retried": func(t *testing.T) Output {
		o := at(t, "planned")
		o.Attempt, o.Generation, o.Repeated = 2, 2, true
		return o
	},
}

// A row of the table: a transition, applied by a step of attempt 1.
type transitionRow struct {
	apply func(o *Output, seen Output) error
	seen  string // the phase in which the step saw the output
	// from has what becomes of an output, by where it stands, with words apart by ", ":
	// each place is named once. An outcome is the phase that the output is in afterwards
	// and the fields that have changed, or the code of the error.
	from map[string]string
}

const (
	same              = "unchanged"
	stepSuperseded    = CodeStepSuperseded
	ended             = "output_ended" // by Change, for all transitions
	attemptSuperseded = CodeSuperseded
)

func transitions() map[string]transitionRow {
	document := Document{CreatePDFCopy: true, RemoveOutput: true}
	return map[string]transitionRow{
		"BeginCopy": {func(o *Output, _ Output) error { _, err := o.BeginCopy(1, o.Name); return err }, "planned", map[string]string{
			"planned": "copying: CopyBegun=true",
			"copying": "copying: Repeated=true",
			"copied, filling, filled, appending, uploading, stored, removed, review, decided, done, failed, with another copy, filling another, in the next generation": same,
			"retried": attemptSuperseded,
		}},
		"TakeCopy": {func(o *Output, seen Output) error { o.TakeCopy(seen.Generation, File{ID: "copy"}); return nil }, "copying", map[string]string{
			"planned, copying": "copied: Copy=copy",
			"copied, filling, filled, appending, uploading, stored, removed, review, decided, done, failed": same,
			"filling another": "filling: Repeated=true ThrownAway=[copy]",
			"with another copy, in the next generation": "copied: Repeated=true ThrownAway=[copy]",
			"retried": "planned: ThrownAway=[copy]",
		}},
		"LeaveCopy": {func(o *Output, seen Output) error { return o.LeaveCopy(1, seen) }, "copied", map[string]string{
			"planned": "planned: Generation=2 KeepsFiles=true",
			"copying": "planned: Generation=2 CopyBegun=false KeepsFiles=true",
			"copied":  "planned: Generation=2 CopyBegun=false Copy=none KeepsFiles=true",
			"filling, filled, appending, uploading, stored, removed, review, decided, done, failed, with another copy, filling another, in the next generation": same,
			"retried": attemptSuperseded,
		}},
		"AbandonCopy": {func(o *Output, seen Output) error { return o.AbandonCopy(1, seen) }, "filling", map[string]string{
			"filling": "planned: Generation=2 Repeated=true CopyBegun=false Copy=none ThrownAway=[copy] FillBegun=false",
			"planned, copying, copied, filled, appending, uploading, stored, removed, review, decided, done, failed, with another copy, filling another, in the next generation": stepSuperseded,
			"retried": attemptSuperseded,
		}},
		"AbandonCopy of an untouched one": {func(o *Output, seen Output) error { return o.AbandonCopy(1, seen) }, "copied", map[string]string{
			"copied": "planned: Generation=2 Repeated=true CopyBegun=false Copy=none ThrownAway=[copy]",
			"planned, copying, filling, filled, appending, uploading, stored, removed, review, decided, done, failed, with another copy, filling another, in the next generation": stepSuperseded,
			"retried": attemptSuperseded,
		}},
		"AbandonCopy of a filled one": {func(o *Output, seen Output) error { return o.AbandonCopy(1, seen) }, "filled", map[string]string{
			"filled":    "planned: Generation=2 Repeated=true CopyBegun=false Copy=none ThrownAway=[copy] FillBegun=false FillEnded=false",
			"appending": "planned: Generation=2 Repeated=true CopyBegun=false Copy=none ThrownAway=[copy] FillBegun=false FillEnded=false",
			"planned, copying, copied, filling, uploading, stored, removed, review, decided, done, failed, with another copy, filling another, in the next generation": stepSuperseded,
			"retried": attemptSuperseded,
		}},
		"AbandonCopy of one with a PDF on its way": {func(o *Output, seen Output) error { return o.AbandonCopy(1, seen) }, "uploading", map[string]string{
			"uploading": "planned: Generation=2 Repeated=true CopyBegun=false Copy=none ThrownAway=[copy] FillBegun=false FillEnded=false",
			"planned, copying, copied, filling, filled, appending, stored, removed, review, decided, done, failed, with another copy, filling another, in the next generation": stepSuperseded,
			"retried": attemptSuperseded,
		}},
		"BeginFill": {func(o *Output, seen Output) error { return o.BeginFill(seen) }, "copied", map[string]string{
			"planned, copying": "filling: Copy=copy FillBegun=true",
			"copied":           "filling: FillBegun=true",
			"filling, filled, appending, uploading, stored, removed, review, decided, done, failed": stepSuperseded,
			"filling another": "filling: Repeated=true ThrownAway=[copy]",
			"with another copy, in the next generation": "copied: Repeated=true ThrownAway=[copy]",
			"retried": "planned: ThrownAway=[copy]",
		}},
		"RevertFill": {func(o *Output, seen Output) error { return o.RevertFill(seen) }, "filling", map[string]string{
			"copied":  same,
			"filling": "copied: FillBegun=false",
			"planned, copying, filled, appending, uploading, stored, removed, review, decided, done, failed, with another copy, filling another, in the next generation, retried": stepSuperseded,
		}},
		"EndFill": {func(o *Output, seen Output) error {
			return o.EndFill(seen, []string{"Zip"}, []Finding{{Code: "note"}})
		}, "filling", map[string]string{
			"copied":  "filled: FillBegun=true FillEnded=true MissingFields=[Zip] Findings=[note]",
			"filling": "filled: FillEnded=true MissingFields=[Zip] Findings=[note]",
			"planned, copying, filled, appending, uploading, stored, removed, review, decided, done, failed, with another copy, filling another, in the next generation, retried": stepSuperseded,
		}},
		"AddMissing": {func(o *Output, seen Output) error { return o.AddMissing(seen, []string{"City", "Zip"}) }, "copied", map[string]string{
			"copied":       "copied: MissingFields=[City Zip]",
			"filling":      "filling: MissingFields=[City Zip]",
			"filled":       "filled: MissingFields=[City Zip]",
			"appending":    "appending: MissingFields=[City Zip]",
			"uploading":    "uploading: MissingFields=[City Zip]",
			"stored":       "stored: MissingFields=[City Zip]",
			"removed":      "removed: MissingFields=[City Zip]",
			"done, failed": ended,
			"planned, copying, with another copy, filling another, in the next generation, retried, review": stepSuperseded,
			"decided": "decided: MissingFields=[City Zip]",
		}},
		"BeginAppendix": {func(o *Output, seen Output) error { _, err := o.BeginAppendix(1, seen); return err }, "filled", map[string]string{
			"planned": "planned: AppendixBegun=true",
			"copying": "copying: AppendixBegun=true",
			"copied, with another copy, in the next generation": "copied: AppendixBegun=true",
			"filling, filling another":                          "filling: AppendixBegun=true",
			"filled":                                            "appending: AppendixBegun=true",
			"appending, uploading, stored, removed, review, decided, done, failed": stepSuperseded,
			"retried": attemptSuperseded,
		}},
		"BeginAppendix, the second": {func(o *Output, seen Output) error { _, err := o.BeginAppendix(1, seen); return err }, "appending", map[string]string{
			"appending": "appending: Repeated=true",
			"uploading": "uploading: AppendixBegun=true",
			"planned, copying, copied, filling, filled, stored, removed, review, decided, done, failed, with another copy, filling another, in the next generation": stepSuperseded,
			"retried": attemptSuperseded,
		}},
		"TakeAppendix": {func(o *Output, seen Output) error {
			return o.TakeAppendix(1, seen, Appendix{FileID: "prices", CopyID: "prices-copy"})
		}, "appending", map[string]string{
			"appending": "filled: Appendices=[terms-copy prices-copy] AppendixBegun=false",
			"uploading": "uploading: Appendices=[terms-copy prices-copy]",
			"planned, copying, copied, filling, filled, stored, removed, review, decided, done, failed, with another copy, filling another, in the next generation": stepSuperseded,
			"retried": attemptSuperseded,
		}},
		"ForgetAppendices": {func(o *Output, seen Output) error { return o.ForgetAppendices(1, seen, 0) }, "uploading", map[string]string{
			"appending": "appending: Repeated=true ThrownAway=[terms-copy] Appendices=[]",
			"uploading": "uploading: Repeated=true ThrownAway=[terms-copy] Appendices=[]",
			"planned, copying, copied, filling, filled, stored, removed, review, decided, done, failed, with another copy, filling another, in the next generation": stepSuperseded,
			"retried": attemptSuperseded,
		}},
		"BeginUpload": {func(o *Output, seen Output) error {
			return o.BeginUpload(seen, "pdf-2", "hash-2", []Finding{{Code: "glyph"}})
		}, "filled", map[string]string{
			"filling":   "uploading: FillEnded=true MissingFields=[City] PDFID=pdf-2 PDFHashes=[hash-2] Findings=[glyph]",
			"filled":    "uploading: PDFID=pdf-2 PDFHashes=[hash-2] Findings=[glyph]",
			"appending": "uploading: PDFID=pdf-2 PDFHashes=[hash-2] Findings=[glyph]",
			"uploading": "uploading: PDFHashes=[hash hash-2] Findings=[glyph]",
			"stored":    "stored: PDFHashes=[hash hash-2] Findings=[glyph]",
			"removed":   "removed: PDFHashes=[hash hash-2] Findings=[glyph]",
			"planned, copying, copied, review, decided, done, failed, with another copy, filling another, in the next generation, retried": stepSuperseded,
		}},
		"LeavePDF": {func(o *Output, _ Output) error { o.LeavePDF("pdf"); return nil }, "uploading", map[string]string{
			"uploading": "filled: PDFID= PDFHashes=[]",
			"planned, copying, copied, filling, filled, appending, stored, removed, review, decided, done, failed, with another copy, filling another, in the next generation, retried": same,
		}},
		"LeavePDF of another id": {func(o *Output, _ Output) error { o.LeavePDF("another"); return nil }, "uploading", map[string]string{
			"planned, copying, copied, filling, filled, appending, uploading, stored, removed, review, decided, done, failed, with another copy, filling another, in the next generation, retried": same,
		}},
		"TakePDF": {func(o *Output, _ Output) error { o.TakePDF(File{ID: "pdf", SHA256: "hash-2"}); return nil }, "uploading", map[string]string{
			"uploading": "stored: PDFHashes=[hash hash-2] PDF=pdf",
			"planned, copying, copied, filling, filled, appending, stored, removed, review, decided, done, failed, with another copy, filling another, in the next generation, retried": same,
		}},
		"DropAppendices": {func(o *Output, _ Output) error { o.DropAppendices([]string{"terms-copy"}); return nil }, "stored", map[string]string{
			"planned": "planned: ThrownAway=[terms-copy] Findings=[drive_file_kept]",
			"copying": "copying: ThrownAway=[terms-copy] Findings=[drive_file_kept]",
			"copied, with another copy, in the next generation": "copied: ThrownAway=[terms-copy] Findings=[drive_file_kept]",
			"filling, filling another":                          "filling: ThrownAway=[terms-copy] Findings=[drive_file_kept]",
			"filled":                                            "filled: ThrownAway=[terms-copy] Findings=[drive_file_kept]",
			"appending":                                         "appending: ThrownAway=[terms-copy] Appendices=[] Findings=[drive_file_kept]",
			"uploading":                                         "uploading: ThrownAway=[terms-copy] Appendices=[] Findings=[drive_file_kept]",
			"stored":                                            "stored: ThrownAway=[terms-copy] Appendices=[] Findings=[drive_file_kept]",
			"removed":                                           "removed: ThrownAway=[terms-copy] Findings=[drive_file_kept]",
			"done, failed":                                      ended,
			"retried":                                           "planned: ThrownAway=[terms-copy] Findings=[drive_file_kept]",
			"review":                                            stepSuperseded,
			"decided":                                           "decided: ThrownAway=[terms-copy] Findings=[drive_file_kept]",
		}},
		"EndRemoval": {func(o *Output, seen Output) error { return o.EndRemoval(seen, false) }, "stored", map[string]string{
			"copied":                         "copied: Removed=true",
			"filling":                        "filling: Removed=true",
			"filled":                         "filled: Removed=true",
			"appending":                      "appending: Removed=true",
			"uploading":                      "uploading: Removed=true",
			"stored":                         "removed: Removed=true",
			"removed, review, decided, done": same,
			"failed":                         ended,
			"planned, copying, with another copy, filling another, in the next generation, retried": stepSuperseded,
		}},
		"EndRemoval of one that stays": {func(o *Output, seen Output) error { return o.EndRemoval(seen, true) }, "stored", map[string]string{
			"copied":       "copied: Findings=[drive_file_kept]",
			"filling":      "filling: Findings=[drive_file_kept]",
			"filled":       "filled: Findings=[drive_file_kept]",
			"appending":    "appending: Findings=[drive_file_kept]",
			"uploading":    "uploading: Findings=[drive_file_kept]",
			"stored":       "stored: Findings=[drive_file_kept]",
			"removed":      "removed: Findings=[drive_file_kept]",
			"done, failed": ended,
			"planned, copying, with another copy, filling another, in the next generation, retried, review": stepSuperseded,
			"decided": "decided: Findings=[drive_file_kept]",
		}},
		"AddFinding": {func(o *Output, seen Output) error { return o.AddFinding(seen, Finding{Code: "note"}) }, "filled", map[string]string{
			"copied":       "copied: Findings=[note]",
			"filling":      "filling: Findings=[note]",
			"filled":       "filled: Findings=[note]",
			"appending":    "appending: Findings=[note]",
			"uploading":    "uploading: Findings=[note]",
			"stored":       "stored: Findings=[note]",
			"removed":      "removed: Findings=[note]",
			"done, failed": ended,
			"planned, copying, with another copy, filling another, in the next generation, retried, review": stepSuperseded,
			"decided": "decided: Findings=[note]",
		}},
		"Finish": {func(o *Output, _ Output) error { return o.Finish(1, document) }, "removed", map[string]string{
			"removed, decided": "done: State=DONE",
			"done":             same,
			"planned, copying, copied, filling, filled, appending, uploading, stored, failed, with another copy, filling another, in the next generation, review": "output_not_made",
			"retried": attemptSuperseded,
		}},
		"BeginReview": {func(o *Output, _ Output) error { return o.BeginReview(1, document) }, "removed", map[string]string{
			"removed":                       "review: State=REVIEW",
			"review, decided, done, failed": same,
			"planned, copying, copied, filling, filled, appending, uploading, stored, with another copy, filling another, in the next generation": "output_not_made",
			"retried": attemptSuperseded,
		}},
		"BeginReview with both files": {func(o *Output, _ Output) error {
			o.Appendices = nil
			return o.BeginReview(1, Document{CreatePDFCopy: true})
		}, "stored", map[string]string{
			"stored":                        "review: State=REVIEW Appendices=[]",
			"removed":                       "review: State=REVIEW",
			"review, decided, done, failed": same,
			"planned, copying, copied, filling, filled, appending, uploading, with another copy, filling another, in the next generation": "output_not_made",
			"retried": attemptSuperseded,
		}},
		"Decide": {func(o *Output, _ Output) error { return o.Decide(VerdictRejected) }, "review", map[string]string{
			"review": "decided: State=PENDING Verdict=REJECTED",
			"planned, copying, copied, filling, filled, appending, uploading, stored, removed, decided, done, failed, with another copy, filling another, in the next generation, retried": stepSuperseded,
		}},
		"Finish of what people approve": {func(o *Output, _ Output) error {
			return o.Finish(1, Document{CreatePDFCopy: true, RemoveOutput: true, Approval: &Approval{}})
		}, "decided", map[string]string{
			"decided": "done: State=DONE",
			"done":    same,
			"planned, copying, copied, filling, filled, appending, uploading, stored, removed, review, failed, with another copy, filling another, in the next generation": "output_not_made",
			"retried": attemptSuperseded,
		}},
		"Finish without a PDF": {func(o *Output, _ Output) error { return o.Finish(1, Document{}) }, "filled", map[string]string{
			"filled, appending, uploading, stored, removed, decided": "done: State=DONE",
			"done":   same,
			"failed": ended,
			"planned, copying, copied, filling, with another copy, filling another, in the next generation, review": "output_not_made",
			"retried": attemptSuperseded,
		}},
		"Finish with both files": {func(o *Output, _ Output) error {
			o.Appendices = nil
			return o.Finish(1, Document{CreatePDFCopy: true})
		}, "stored", map[string]string{
			"stored":           "done: State=DONE Appendices=[]",
			"removed, decided": "done: State=DONE",
			"done":             same,
			"planned, copying, copied, filling, filled, appending, uploading, failed, with another copy, filling another, in the next generation, review": "output_not_made",
			"retried": attemptSuperseded,
		}},
		"Finish with an original that stays": {func(o *Output, _ Output) error {
			o.Appendices, o.Findings = nil, []Finding{originalKept}
			return o.Finish(1, document)
		}, "stored", map[string]string{
			"stored":           "done: State=DONE Appendices=[] Findings=[drive_file_kept]",
			"removed, decided": "done: State=DONE Findings=[drive_file_kept]",
			"done":             ended,
			"planned, copying, copied, filling, filled, appending, uploading, failed, with another copy, filling another, in the next generation, review": "output_not_made",
			"retried": attemptSuperseded,
		}},
		"Fail by what people decided before a restore": {func(o *Output, _ Output) error { return o.Fail(1, CodeApprovalExpired, "why") }, "review", map[string]string{
			"planned, copying, copied, filling, filled, appending, uploading, stored, removed, with another copy, filling another, in the next generation, review, decided": "failed: State=FAILED FailureCode=approval_expired Failure=why Verdict=EXPIRED",
			"done, failed": ended,
			"retried":      attemptSuperseded,
		}},
		"Fail": {func(o *Output, _ Output) error { return o.Fail(1, "code", "why") }, "filling", map[string]string{
			"planned, copying, copied, filling, filled, appending, uploading, stored, removed, with another copy, filling another, in the next generation, review, decided": "failed: State=FAILED FailureCode=code Failure=why",
			"done, failed": ended,
			"retried":      attemptSuperseded,
		}},
		"Recover": {func(o *Output, _ Output) error {
			o.Recover(FoundFiles{Generation: 4, PDF: &File{ID: "found", SHA256: "sum"}, ThrownAway: []string{"copy-4"}})
			return nil
		}, "planned", map[string]string{
			"planned": "done: State=DONE Generation=4 Repeated=true CopyBegun=true ThrownAway=[copy-4] FillBegun=true FillEnded=true PDFID=found PDFHashes=[sum] PDF=found Removed=true",
			"copying": "done: State=DONE Generation=4 Repeated=true ThrownAway=[copy-4] FillBegun=true FillEnded=true PDFID=found PDFHashes=[sum] PDF=found Removed=true",
			"copied, with another copy, in the next generation": "done: State=DONE Generation=4 Repeated=true Copy=none ThrownAway=[copy-4] FillBegun=true FillEnded=true PDFID=found PDFHashes=[sum] PDF=found Removed=true",
			"filling, filling another":                          "done: State=DONE Generation=4 Repeated=true Copy=none ThrownAway=[copy-4] FillEnded=true PDFID=found PDFHashes=[sum] PDF=found Removed=true",
			"filled":                                            "done: State=DONE Generation=4 Repeated=true Copy=none ThrownAway=[copy-4] PDFID=found PDFHashes=[sum] PDF=found Removed=true",
			"appending":                                         "done: State=DONE Generation=4 Repeated=true Copy=none ThrownAway=[terms-copy copy-4] PDFID=found PDFHashes=[sum] PDF=found Removed=true Appendices=[] AppendixBegun=false",
			"uploading, stored":                                 "done: State=DONE Generation=4 Repeated=true Copy=none ThrownAway=[terms-copy copy-4] PDFID=found PDFHashes=[sum] PDF=found Removed=true Appendices=[]",
			"removed, decided":                                  "done: State=DONE Generation=4 Repeated=true Copy=none ThrownAway=[copy-4] PDFID=found PDFHashes=[sum] PDF=found",
			"done, failed":                                      ended,
			"retried":                                           "done: State=DONE Generation=4 CopyBegun=true ThrownAway=[copy-4] FillBegun=true FillEnded=true PDFID=found PDFHashes=[sum] PDF=found Removed=true",
			"review":                                            same,
		}},
	}
}

// outcome applies a transition as the store does.
func (row transitionRow) outcome(t *testing.T, before Output) string {
	t.Helper()
	seen := at(t, row.seen)
	after, changes, err := before.Change(func(o *Output) error { return row.apply(o, seen) })
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	if err != nil || !changes {
		return same
	}
	var held []string
	b, a := reflect.ValueOf(before), reflect.ValueOf(after)
	for i := range b.NumField() {
		if !reflect.DeepEqual(b.Field(i).Interface(), a.Field(i).Interface()) {
			held = append(held, b.Type().Field(i).Name+"="+shown(a.Field(i).Interface()))
		}
	}
	return phases[after.Phase()] + ": " + strings.Join(held, " ")
}

// shown is the value of a field: files by their ids, findings by their codes, appendices by
// the ids of their copies.
func shown(value any) string {
	switch v := value.(type) {
	case *File:
		if v == nil {
			return "none"
		}
		return v.ID
	case []Finding:
		var codes []string
		for _, f := range v {
			codes = append(codes, f.Code)
		}
		return fmt.Sprint(codes)
	case []Appendix:
		return fmt.Sprint(Output{Appendices: v}.AppendixCopies())
	}
	return fmt.Sprint(value)
}

func TestEveryTransitionFromEveryPhase(t *testing.T) {
	t.Parallel()
	for name, row := range transitions() {
		left := map[string]func(*testing.T) Output{}
		maps.Copy(left, elsewhere)
		for _, phase := range phases {
			left[phase] = func(t *testing.T) Output { return at(t, phase) }
		}
		for places, want := range row.from {
			for place := range strings.SplitSeq(places, ", ") {
				make, ok := left[place]
				if !ok {
					t.Errorf("%s names %q twice, or there is no such place", name, place)
					continue
				}
				delete(left, place)
				if got := row.outcome(t, make(t)); got != want {
					t.Errorf("%s of an output that is %s:\ngot  %s\nwant %s", name, place, got, want)
				}
			}
		}
		for place, make := range left {
			t.Errorf("the table does not say what %s does to an output that is %s: %q", name, place, row.outcome(t, make(t)))
		}
	}
}

func TestABeginningTellsOfOneBefore(t *testing.T) {
	t.Parallel()
	for phase, want := range map[string]bool{"planned": false, "copying": true, "copied": true} {
		if o := at(t, phase); func() bool { again, _ := o.BeginCopy(0, ""); return again }() != want {
			t.Errorf("a copy of an output that is %s: begun before %t, want %t", phase, !want, want)
		}
	}
	for phase, want := range map[string]bool{"filled": false, "appending": true} {
		if o := at(t, phase); func() bool { again, _ := o.BeginAppendix(0, o); return again }() != want {
			t.Errorf("an appendix of an output that is %s: begun before %t, want %t", phase, !want, want)
		}
	}
}

// A change that is not kept leaves no trace in the output that it was made of.
func TestAChangeHasListsAndFilesOfItsOwn(t *testing.T) {
	t.Parallel()
	before := at(t, "stored")
	before.ThrownAway, before.Findings = []string{"old"}, []Finding{{Code: "note"}}
	_, _, err := before.Change(func(o *Output) error {
		for _, list := range [][]string{o.MissingFields, o.PDFHashes, o.ThrownAway} {
			list[0] = "changed"
		}
		o.Findings[0].Code, o.Appendices[0].Name, o.Copy.ID, o.PDF.ID = "changed", "changed", "changed", "changed"
		return errors.New("changed my mind")
	})
	if got := fmt.Sprintf("%+v %v %v", before, *before.Copy, *before.PDF); err == nil || strings.Contains(got, "changed") {
		t.Errorf("got %s after %v, want it as it was, and an error", got, err)
	}
}

func TestAnOutputWithoutACopyIsNotAboutAnother(t *testing.T) {
	t.Parallel()
	if at(t, "copied").HasCopyOf(at(t, "copying")) || at(t, "copying").HasCopyOf(at(t, "copied")) {
		t.Error("got that an output without a copy is about that of another")
	}
}

// Every method with a pointer is a transition, and has a row.
func TestEveryTransitionIsInTheTable(t *testing.T) {
	t.Parallel()
	reads := reflect.TypeFor[Output]()
	all := reflect.TypeFor[*Output]()
	rows := map[string]bool{}
	for name := range transitions() {
		rows[methodOf(name)] = true
	}
	for m := range all.NumMethod() {
		name := all.Method(m).Name
		if _, reading := reads.MethodByName(name); !reading && !rows[name] {
			t.Errorf("the table has no row for %s", name)
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("the table has a row for %q, which is no method", name)
	}
}

// methodOf is the transition of a row, whose name may say more.
func methodOf(row string) string {
	return strings.TrimRight(strings.Fields(row)[0], ",")
}

// For every row the output is in a phase that the table knows, and every phase is
// that of some row.
func TestEveryOutputIsInAPhase(t *testing.T) {
	t.Parallel()
	reached := map[Phase]bool{}
	file := &File{ID: "file"}
	for bits := range 1 << 9 {
		is := func(bit int) bool { return bits>>bit&1 == 1 }
		o := Output{CopyBegun: is(0), FillBegun: is(2), FillEnded: is(3), AppendixBegun: is(5), Removed: is(7)}
		if is(1) {
			o.Copy = file
		}
		if is(4) {
			o.PDFHashes = []string{"hash"}
		}
		if is(6) {
			o.PDF = file
		}
		if is(8) {
			o.Verdict = VerdictExpired
		}
		for _, o.State = range []OutputState{OutputPending, OutputReview, OutputDone, OutputFailed} {
			reached[o.Phase()] = true
			if ended := o.State == OutputDone || o.State == OutputFailed; o.HasEnded() != ended {
				t.Errorf("%+v: ended %t, want %t", o, !ended, ended)
			}
		}
	}
	if len(reached) != len(phases) {
		t.Errorf("outputs are in %d phases, want %d", len(reached), len(phases))
	}
	for i, phase := range phases {
		if got := at(t, phase).Phase(); got != Phase(i) {
			t.Errorf("an output that is %s is in phase %d, want %d", phase, got, i)
		}
	}
}

// The page has a line for each transition that leads to another phase.
func TestThePageDrawsTheTransitions(t *testing.T) {
	t.Parallel()
	const page = "../../docs/design/runs.md"
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^([a-z]+)(?: … ([a-z]+))? +─+([A-Za-z]+)─+▶ ([a-z]+)$`).FindAllStringSubmatch(string(raw), -1) {
		first, last := slices.Index(phases, line[1]), slices.Index(phases, cmp.Or(line[2], line[1]))
		if first < 0 || last < first {
			t.Fatalf("%s draws %q from no phases", page, line[0])
		}
		for _, from := range phases[first : last+1] {
			drawn[line[3]+": "+from+" → "+line[4]] = true
		}
	}
	moves := map[string]bool{}
	for name, row := range transitions() {
		for places, outcome := range row.from {
			for place := range strings.SplitSeq(places, ", ") {
				if to, _, ok := strings.Cut(outcome, ":"); ok && slices.Contains(phases, place) && to != place {
					moves[methodOf(name)+": "+place+" → "+to] = true
				}
			}
		}
	}
	for _, move := range slices.Sorted(maps.Keys(moves)) {
		if !drawn[move] {
			t.Errorf("%s does not draw %s", page, move)
		}
	}
	for _, move := range slices.Sorted(maps.Keys(drawn)) {
		if !moves[move] {
			t.Errorf("%s draws %s, which no transition does", page, move)
		}
	}
}
