package rebuild_test

import (
	stdcmp "cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/rebuild"
)

// A store was restored from a backup; the drive was not.
type store struct {
	state        platen.AutomationState
	attempt      int
	plan         platen.Plan
	unplan       error // no plan can be pinned
	outputs      map[string]platen.Output
	events       []platen.Event
	parked       []platen.Wait
	files        map[string][]platen.File  // by key
	contents     map[string]string         // by id
	templateGone bool                      // the template is gone
	away         error                     // the drive does not answer
	unreadable   map[string]error          // by id: files that the drive lists and does not show
	reads        map[string]int            // by id
	event        string                    // the source data
	documents    map[string]*docs.Document // by id, beside contents
}

func newStore(documents ...platen.Document) *store {
	s := &store{state: platen.AutomationRunning, attempt: 1, outputs: map[string]platen.Output{}, reads: map[string]int{}, files: map[string][]platen.File{}, contents: map[string]string{"unfilled": "Dear {{Name}},"}}
	s.plan = platen.Plan{AutomationID: "aut_1", WorkflowID: "wkf_1", OwnerID: "usr_1"}
	for _, d := range documents {
		id := "out_" + d.ID
		s.plan.Documents = append(s.plan.Documents, platen.PlannedDocument{OutputID: id, Document: d})
		s.outputs[id] = platen.Output{ID: id, AutomationID: "aut_1", DocumentID: d.ID, State: platen.OutputPending, Attempt: 1}
	}
	return s
}

func (s *store) rebuilder() rebuild.Rebuilder {
	return rebuild.Rebuilder{Automations: s, Plans: s, Outputs: s, Parking: s,
		Drives: func(context.Context, string) (rebuild.Drive, error) { return s, nil }}
}

func (s *store) OutputData(context.Context, string, string, int) ([]byte, error) {
	return []byte(stdcmp.Or(s.event, `{"Name":"Ada"}`)), nil
}

func (s *store) TakeOver(_ context.Context, _ string, run platen.LatestRun) (bool, error) {
	if s.state == platen.AutomationCompleted {
		return false, nil
	}
	s.attempt = run.Attempt
	return true, nil
}

func (s *store) MakeAgain(_ context.Context, _ string, attempt int) error {
	s.state, s.attempt = platen.AutomationAccepted, attempt+1
	return nil
}

func (s *store) EndAbandonedAutomation(_ context.Context, _ string, _ int, event func(platen.Automation, platen.Output) (platen.Event, error)) (platen.AutomationState, error) {
	s.state = platen.AutomationCompleted
	for id, o := range s.outputs {
		if o.State == platen.OutputPending {
			o.State, s.state = platen.OutputFailed, platen.AutomationCancelled
			e, err := event(platen.Automation{WorkflowID: "wkf_1"}, o)
			if err != nil {
				return "", err
			}
			s.outputs[id], s.events = o, append(s.events, e)
		}
	}
	return s.state, nil
}

func (s *store) Plan(context.Context, string) (platen.Plan, error) { return s.plan, s.unplan }

func (s *store) Output(_ context.Context, id string) (platen.Output, error) {
	return s.outputs[id], nil
}

func (s *store) RecordOutput(_ context.Context, id string, change func(*platen.Output) error, event func(platen.Output) (platen.Event, error)) (platen.Output, string, error) {
	o := s.outputs[id]
	if err := change(&o); err != nil {
		return o, "", err
	}
	e, err := event(o)
	s.outputs[id], s.events = o, append(s.events, e)
	return o, e.ID, err
}

func (s *store) Park(_ context.Context, _ string, _ int, w platen.Wait) (platen.Wait, error) {
	s.parked = append(s.parked, w)
	return w, nil
}

func (s *store) FindByKey(_ context.Context, key string) ([]platen.File, error) {
	return s.files[key], s.away
}

func (s *store) EditDocument(_ context.Context, id string, _ platen.Reading, compose func(*docs.Document) ([]*docs.Request, error)) (int, error) {
	if s.away != nil {
		return 0, s.away
	}
	s.reads[id]++
	if err := s.unreadable[id]; err != nil {
		return 0, err
	}
	if id == "template" && s.templateGone {
		return 0, platen.Errorf(platen.KindNotFound, "drive_file_not_found", "There is no such file.")
	}
	if d, ok := s.documents[id]; ok {
		_, err := compose(d)
		return 0, err
	}
	text, ok := s.contents[id]
	if !ok {
		text = map[bool]string{true: "Dear {{Name}},", false: "Dear Ada,"}[id == "template"]
	}
	_, err := compose(says(text))
	return 0, err
}

func (s *store) EditPresentation(context.Context, string, platen.Reading, func(*slides.Presentation) ([]*slides.Request, error)) (int, error) {
	return 0, errors.New("no presentation is made here")
}

func (s *store) Download(_ context.Context, id string) ([]byte, error) {
	return []byte(s.contents[id]), s.unreadable[id]
}

var (
	template = platen.File{ID: "template", MIMEType: platen.MIMEDocs}
	letter   = platen.Document{ID: "letter", File: template}
	invoice  = platen.Document{ID: "invoice", File: template, CreatePDFCopy: true, RemoveOutput: true}
	both     = platen.Document{ID: "both", File: template, CreatePDFCopy: true}

	completed = platen.LatestRun{Attempt: 1, Completed: true}
)

func file(id string) platen.File { return platen.File{ID: id, SHA256: "ab"} }

func TestWhatTheDriveHoldsIsRecordedAsMade(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		document platen.Document
		run      platen.LatestRun
		files    map[string][]platen.File
		want     []string // files of the output; none: it is made again
	}{
		"an original":                                    {letter, completed, map[string][]platen.File{"out_letter.0": {file("copy")}}, []string{"copy"}},
		"of the latest generation":                       {letter, completed, map[string][]platen.File{"out_letter.0": {file("before")}, "out_letter.2": {file("copy")}}, []string{"copy"}},
		"the older of two that are filled":               {letter, completed, map[string][]platen.File{"out_letter.0": {file("copy"), file("second")}}, []string{"copy"}},
		"the filled one of two":                          {letter, completed, map[string][]platen.File{"out_letter.0": {file("unfilled"), file("copy")}}, []string{"copy"}},
		"a PDF alone":                                    {invoice, completed, map[string][]platen.File{"out_invoice": {file("pdf")}}, []string{"pdf"}},
		"a PDF, and an unfilled copy after its original": {both, completed, map[string][]platen.File{"out_both": {file("pdf")}, "out_both.0": {file("copy")}, "out_both.1": {file("unfilled")}}, []string{"pdf", "copy"}},
		"a PDF beside its original":                      {both, completed, map[string][]platen.File{"out_both": {file("pdf")}, "out_both.1": {file("copy")}}, []string{"pdf", "copy"}},
		"an original without its PDF":                    {both, completed, map[string][]platen.File{"out_both.0": {file("copy")}}, nil},
		"nothing":                                        {letter, completed, nil, nil},
		"a PDF of a run that failed":                     {both, platen.LatestRun{Attempt: 1}, map[string][]platen.File{"out_both": {file("pdf")}, "out_both.0": {file("copy")}}, []string{"pdf", "copy"}},
		"an original that was to be removed":             {invoice, platen.LatestRun{Attempt: 1}, map[string][]platen.File{"out_invoice": {file("pdf")}, "out_invoice.0": {file("copy")}}, []string{"pdf"}},
		// Nobody knows whether it was filled.
		"an original of a run that failed": {letter, platen.LatestRun{Attempt: 1}, map[string][]platen.File{"out_letter.0": {file("copy")}}, nil},
		"after retries":                    {letter, platen.LatestRun{Attempt: 3, Completed: true}, map[string][]platen.File{"out_letter.6": {file("copy")}}, []string{"copy"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(c.document)
			s.files = c.files
			state, err := s.rebuilder().Rebuild(t.Context(), "aut_1", c.run)
			if err != nil {
				t.Fatal(err)
			}
			o := s.outputs["out_"+c.document.ID]
			if c.want == nil {
				if state != platen.AutomationAccepted || s.attempt != c.run.Attempt+1 || o.State != platen.OutputPending || len(s.events) != 0 {
					t.Errorf("got %s in attempt %d, output %s, %d events; want it made again, and nothing told", state, s.attempt, o.State, len(s.events))
				}
				return
			}
			var got []string
			for _, f := range o.Files() {
				got = append(got, f.ID)
			}
			if state != platen.AutomationCompleted || o.State != platen.OutputDone || !slices.Equal(got, c.want) {
				t.Errorf("got %s, output %s of %q; want it done, of %q", state, o.State, got, c.want)
			}
			if want := platen.DerivedID(platen.PrefixEvent, o.ID, strconv.Itoa(c.run.Attempt)); len(s.events) != 1 || s.events[0].ID != want || s.events[0].Type != platen.EventDocumentsCreated {
				t.Errorf("told %d events, the first as %s, %s; want one as %s that it is made", len(s.events), s.events[0].ID, s.events[0].Type, want)
			}
		})
	}
}

// A decision that the store still knows counts: a rejected document does not become one that
// was made, or is asked about again. Nobody approved a PDF with other bytes, or the copy of a
// correction that was forgotten.
func TestADecisionThatTheStoreKnowsCounts(t *testing.T) {
	t.Parallel()
	reviewed := both
	reviewed.Approval = &platen.Approval{By: []string{"lead@example.com"}, ExpireDays: 30}
	for name, c := range map[string]struct {
		verdict platen.Verdict
		sha256  string
		copied  string
		state   platen.OutputState
		code    string
		made    bool // again
	}{
		"approved":     {platen.VerdictApproved, "ab", "copy", platen.OutputDone, "", false},
		"other bytes":  {platen.VerdictApproved, "cd", "copy", platen.OutputPending, "", true},
		"another copy": {platen.VerdictApproved, "ab", "before", platen.OutputPending, "", true},
		"rejected":     {platen.VerdictRejected, "ab", "copy", platen.OutputFailed, platen.CodeApprovalRejected, false},
		"too late":     {platen.VerdictExpired, "ab", "copy", platen.OutputFailed, platen.CodeApprovalExpired, false},
		"unknown":      {"", "ab", "copy", platen.OutputPending, "", true},
	} {
		s := newStore(reviewed)
		s.files = map[string][]platen.File{"out_both": {file("pdf")}, "out_both.0": {file("copy")}}
		o := s.outputs["out_both"]
		pdf := platen.File{ID: "pdf", SHA256: c.sha256}
		o.Copy, o.PDF, o.PDFID, o.Verdict = &platen.File{ID: c.copied}, &pdf, "pdf", c.verdict
		s.outputs["out_both"] = o
		_, err := s.rebuilder().Rebuild(t.Context(), "aut_1", platen.LatestRun{Attempt: 2, Completed: true})
		if err != nil {
			t.Fatal(err)
		}
		if o := s.outputs["out_both"]; o.State != c.state || o.FailureCode != c.code || (s.state == platen.AutomationAccepted) != c.made {
			t.Errorf("%s: got %s %q, made again: %t; want %s %q, %t", name, o.State, o.FailureCode, s.state == platen.AutomationAccepted, c.state, c.code, c.made)
		}
		// The run had let it out: its receiver may know its files.
		if o, refused := s.outputs["out_both"], c.code != ""; refused != o.KeepsFiles || refused && (o.PDF != nil || o.PDFID != "" || o.Copy != nil) {
			t.Errorf("%s: got files that the sweep removes: %+v", name, o)
		}
	}
}

// A lost run is repeated as the next attempt. Its events keep the id of the attempt
// before, because none of them was sent yet.
func TestWhatWasToldIsToldAgainUnderTheSameID(t *testing.T) {
	t.Parallel()
	pdf := func(attempt string) []platen.File {
		return []platen.File{{ID: "pdf", SHA256: "ab", Properties: map[string]string{platen.PropertyAttempt: attempt}}}
	}
	for name, c := range map[string]struct {
		document platen.Document
		files    map[string][]platen.File
		want     string // the attempt
	}{
		"an original of the generation that is known": {letter, map[string][]platen.File{"out_letter.0": {file("copy")}}, "1"},
		"an original of a retry":                      {letter, map[string][]platen.File{"out_letter.1": {file("copy")}}, "2"},
		"a PDF of the attempt that is known":          {invoice, map[string][]platen.File{"out_invoice": pdf("1")}, "1"},
		"a PDF of a retry":                            {invoice, map[string][]platen.File{"out_invoice": pdf("2")}, "2"},
		"a PDF of a retry after one that had failed":  {invoice, map[string][]platen.File{"out_invoice": append(pdf("1"), pdf("2")...)}, "2"},
		"a PDF of a retry before an older one":        {invoice, map[string][]platen.File{"out_invoice": append(pdf("2"), pdf("1")...)}, "2"},
		"a PDF that says a number, of two":            {invoice, map[string][]platen.File{"out_invoice": append([]platen.File{file("before")}, pdf("1")...)}, "1"},
		"a PDF without a number":                      {invoice, map[string][]platen.File{"out_invoice": {file("pdf")}}, "2"},
		"a PDF that says no number":                   {invoice, map[string][]platen.File{"out_invoice": pdf("x")}, "2"},
		"a PDF that says too large a number":          {invoice, map[string][]platen.File{"out_invoice": pdf("3")}, "2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(c.document)
			s.files = c.files
			if _, err := s.rebuilder().Rebuild(t.Context(), "aut_1", platen.LatestRun{Attempt: 2, Completed: true}); err != nil {
				t.Fatal(err)
			}
			if want := platen.DerivedID(platen.PrefixEvent, "out_"+c.document.ID, c.want); len(s.events) != 1 || s.events[0].ID != want {
				t.Errorf("told %d events, the first as %s; want one as %s, of attempt %s", len(s.events), s.events[0].ID, want, c.want)
			}
		})
	}
}

// Our own drive goes back with the database: at that moment a copy may have waited to
// be filled, though its run completed since.
func TestACopyThatTheDriveHoldsUnfilledIsMadeAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		template, copied *docs.Document // no template: it is not there
		event            string
		want             platen.AutomationState
	}{
		"as its template is":                     {says("Dear {{Name}},"), says("Dear {{Name}},"), "", platen.AutomationAccepted},
		"with the braces of a tag in two runs":   {says("Dear {", "{Name}", "},"), says("Dear {", "{Name}", "},"), "", platen.AutomationAccepted},
		"with the placeholder of a picture":      {shows("{{image Logo}}"), shows("{{image Logo}}"), "", platen.AutomationAccepted},
		"of a template that was edited since":    {says("Dear {{FirstName}},"), says("Dear {{Name}},"), "", platen.AutomationAccepted},
		"filled":                                 {says("Dear {{Name}},"), says("Dear Ada,"), "", platen.AutomationCompleted},
		"filled with a value with a tag":         {says("Dear {{Name}},"), says("Dear {{Ada}},"), `{"Name":"{{Ada}}"}`, platen.AutomationCompleted},
		"of a template without tags":             {says("Dear all,"), says("Dear all,"), "", platen.AutomationCompleted},
		"of a template with a picture of no tag": {shows("Our logo"), shows("Our logo"), "", platen.AutomationCompleted},
		"of a template that is not there":        {nil, says("Dear {{Name}},"), "", platen.AutomationCompleted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(letter)
			s.documents = map[string]*docs.Document{"copy": c.copied}
			if c.template != nil {
				s.documents["template"] = c.template
			}
			s.templateGone, s.event = c.template == nil, c.event
			s.files["out_letter.0"] = []platen.File{file("copy")}
			if state, err := s.rebuilder().Rebuild(t.Context(), "aut_1", completed); err != nil || state != c.want {
				t.Errorf("got %s, %v; want %s", state, err, c.want)
			}
		})
	}
}

// says is a document with a text, which is cut into runs.
func says(runs ...string) *docs.Document {
	p := &docs.Paragraph{}
	for _, content := range runs {
		p.Elements = append(p.Elements, &docs.ParagraphElement{TextRun: &docs.TextRun{Content: content}})
	}
	return &docs.Document{Body: &docs.Body{Content: []*docs.StructuralElement{{Paragraph: p}}}}
}

// shows is a document with a picture and its description.
func shows(description string) *docs.Document {
	d := says("Dear all,")
	p := d.Body.Content[0].Paragraph
	p.Elements = append(p.Elements, &docs.ParagraphElement{StartIndex: 10, EndIndex: 11, InlineObjectElement: &docs.InlineObjectElement{InlineObjectId: "kix.1"}})
	d.InlineObjects = map[string]docs.InlineObject{"kix.1": {InlineObjectProperties: &docs.InlineObjectProperties{EmbeddedObject: &docs.EmbeddedObject{
		Description: description, Size: &docs.Size{Width: &docs.Dimension{Magnitude: 72, Unit: "PT"}, Height: &docs.Dimension{Magnitude: 72, Unit: "PT"}},
	}}}}
	return d
}

func TestThePDFsHashIsTheDrivesOrThatOfItsContent(t *testing.T) {
	t.Parallel()
	s := newStore(invoice)
	s.files["out_invoice"] = []platen.File{{ID: "another"}, {ID: "pdf"}}
	s.contents["pdf"] = "%PDF"
	o := s.outputs["out_invoice"]
	o.PDFID = "pdf" // its upload had begun
	s.outputs["out_invoice"] = o
	if _, err := s.rebuilder().Rebuild(t.Context(), "aut_1", completed); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("%PDF"))
	o = s.outputs["out_invoice"]
	if want := []string{hex.EncodeToString(sum[:])}; o.PDF == nil || o.PDF.ID != "pdf" || !slices.Equal(o.PDFHashes, want) || !o.Removed {
		t.Errorf("got %+v, want the PDF whose upload had begun, with the hash %q", o, want)
	}
}

func TestADocumentThatIsMissingHasTheOthersRecordedAndIsMadeAgain(t *testing.T) {
	t.Parallel()
	s := newStore(letter, invoice)
	s.files["out_invoice"] = []platen.File{file("pdf")}
	state, err := s.rebuilder().Rebuild(t.Context(), "aut_1", completed)
	if err != nil || state != platen.AutomationAccepted {
		t.Errorf("got %s, %v; want it made again", state, err)
	}
	if got := s.outputs["out_invoice"].State; got != platen.OutputDone || len(s.events) != 1 {
		t.Errorf("the one that is there is %s, with %d events; want it done and told", got, len(s.events))
	}
}

func TestADriveThatDoesNotAnswerHasTheAutomationWait(t *testing.T) {
	t.Parallel()
	s := newStore(letter)
	s.away = platen.Errorf(platen.KindUnavailable, "drive_unavailable", "The drive does not answer.")
	if state, err := s.rebuilder().Rebuild(t.Context(), "aut_1", completed); platen.KindOf(err) != platen.KindUnavailable {
		t.Errorf("got %s, %v; want the drive's error", state, err)
	}
	want := []platen.Wait{{Subject: "aut_1", Step: rebuild.Step, Code: "drive_unavailable", Message: "The drive does not answer."}}
	if diff := cmp.Diff(want, s.parked); diff != "" || s.state != platen.AutomationRunning || len(s.events) != 0 {
		t.Errorf("it is %s, told %d events, and waits for (-want +got):\n%s", s.state, len(s.events), diff)
	}
	s.away = nil
	s.files["out_letter.0"] = []platen.File{file("copy")}
	if state, err := s.rebuilder().Rebuild(t.Context(), "aut_1", completed); err != nil || state != platen.AutomationCompleted {
		t.Errorf("when it answers: got %s, %v; want COMPLETED", state, err)
	}
}

func TestAnAutomationThatTheStoreKnowsAsWellIsLeftAlone(t *testing.T) {
	t.Parallel()
	s := newStore(letter)
	s.state = platen.AutomationCompleted
	if state, err := s.rebuilder().Rebuild(t.Context(), "aut_1", completed); err != nil || state != "" || len(s.events) != 0 {
		t.Errorf("got %q, %v, %d events; want nothing done", state, err, len(s.events))
	}
}

func TestARunThatGoesOnIsOnlyTakenOver(t *testing.T) {
	t.Parallel()
	s := newStore(letter)
	state, err := s.rebuilder().Rebuild(t.Context(), "aut_1", platen.LatestRun{Attempt: 2, Open: true})
	if err != nil || state != platen.AutomationRunning || s.attempt != 2 || len(s.events) != 0 {
		t.Errorf("got %s in attempt %d, %v; want RUNNING in attempt 2", state, s.attempt, err)
	}
}

func TestWhatACancelledRunDidNotMakeEndsCancelled(t *testing.T) {
	t.Parallel()
	s := newStore(letter, invoice)
	s.files["out_invoice"] = []platen.File{file("pdf")}
	state, err := s.rebuilder().Rebuild(t.Context(), "aut_1", platen.LatestRun{Attempt: 1, Cancelled: true})
	if err != nil || state != platen.AutomationCancelled || s.outputs["out_invoice"].State != platen.OutputDone || s.outputs["out_letter"].State != platen.OutputFailed {
		t.Errorf("got %s, %v, %+v; want it cancelled, and what was made kept", state, err, s.outputs)
	}
}

func TestAnAutomationWithoutAPlanIsLeftToItsNextAttempt(t *testing.T) {
	t.Parallel()
	s := newStore()
	s.unplan = platen.Errorf(platen.KindInvalid, "workflow_incomplete", "no template")
	if state, err := s.rebuilder().Rebuild(t.Context(), "aut_1", completed); err != nil || state != platen.AutomationAccepted {
		t.Errorf("got %s, %v; want it made again, which says why it cannot be", state, err)
	}
}

// Our own drive goes back with the database: what the run had removed is there again.
func TestWhatLiesBesideTheFilesOfAnOutputIsSweptUnlessItMayBeWhatWasTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		document platen.Document
		files    map[string][]platen.File
		want     bool
	}{
		"an original that was removed": {invoice, map[string][]platen.File{"out_invoice": {file("pdf")}, "out_invoice.0": {file("copy")}}, true},
		"a copy that was thrown away":  {letter, map[string][]platen.File{"out_letter.0": {file("thrown away")}, "out_letter.1": {file("copy")}}, true},
		"one of two copies":            {letter, map[string][]platen.File{"out_letter.0": {file("copy"), file("second")}}, false},
		"one of two PDFs":              {invoice, map[string][]platen.File{"out_invoice": {file("pdf"), file("another")}, "out_invoice.0": {file("copy")}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(c.document)
			s.files = c.files
			if _, err := s.rebuilder().Rebuild(t.Context(), "aut_1", completed); err != nil {
				t.Fatal(err)
			}
			if o := s.outputs["out_"+c.document.ID]; o.State != platen.OutputDone || o.Repeated != c.want {
				t.Errorf("got %s, swept %t; want it done, swept %t", o.State, o.Repeated, c.want)
			}
		})
	}
}

func TestACopyThatWasToBeRemovedIsThrownAwayBesideItsPDF(t *testing.T) {
	t.Parallel()
	for _, run := range []platen.LatestRun{completed, {Attempt: 1}} {
		s := newStore(invoice)
		s.files = map[string][]platen.File{"out_invoice": {file("pdf")}, "out_invoice.0": {file("copy")}, "out_invoice.1": {file("second")}}
		if _, err := s.rebuilder().Rebuild(t.Context(), "aut_1", run); err != nil {
			t.Fatal(err)
		}
		o := s.outputs["out_invoice"]
		slices.Sort(o.ThrownAway)
		if !o.Removed || !slices.Equal(o.ThrownAway, []string{"copy", "second"}) {
			t.Errorf("%+v: removed %t, thrown away %q; want both copies", run, o.Removed, o.ThrownAway)
		}
	}
}

func TestACompletedRunIsNeverAnnouncedAsFailedHoweverOftenTheDriveRefuses(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]error{
		"for good":     platen.Errorf(platen.KindForbidden, "drive_access_revoked", "The access was revoked."),
		"in an outage": platen.Errorf(platen.KindUnavailable, "drive_unavailable", "The drive does not answer."),
		"by a fault":   errors.New("a fault of ours"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(letter)
			s.away = refusal
			for range 100 {
				if state, err := s.rebuilder().Rebuild(t.Context(), "aut_1", completed); state != "" || err == nil {
					t.Fatalf("got %q, %v; want it to wait", state, err)
				}
			}
			if s.state != platen.AutomationRunning || len(s.events) != 0 || len(s.parked) != 100 {
				t.Errorf("it is %s, parked %d times, told %d events; want it RUNNING, parked each time, and nothing told", s.state, len(s.parked), len(s.events))
			}
		})
	}
}

func TestAnAutomationThatIsToBeCancelledEndsWithoutItsDriveOnlyWhereThatRefusesForGood(t *testing.T) {
	t.Parallel()
	cancelled := platen.LatestRun{Attempt: 1, Completed: true, Cancelled: true}
	for kind, want := range map[platen.Kind]platen.AutomationState{
		platen.KindForbidden: platen.AutomationCancelled, platen.KindInvalid: platen.AutomationCancelled, platen.KindNotFound: platen.AutomationCancelled, platen.KindGone: platen.AutomationCancelled,
		platen.KindUnavailable: "", platen.KindRateLimited: "", platen.KindConflict: "", platen.KindInternal: "",
	} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			s := newStore(letter)
			s.files["out_letter.0"] = []platen.File{file("copy")}
			s.away = platen.Errorf(kind, "drive_refuses", "The drive refuses.")
			state, err := s.rebuilder().Rebuild(t.Context(), "aut_1", cancelled)
			if state != want || (want == "") != (err != nil) {
				t.Errorf("got %q, %v; want %q", state, err, want)
			}
			if want != "" {
				return
			}
			s.away = nil
			if state, err := s.rebuilder().Rebuild(t.Context(), "aut_1", cancelled); state != platen.AutomationCompleted || err != nil {
				t.Errorf("when the drive answers: got %q, %v; want what it holds recorded, and the automation COMPLETED", state, err)
			}
		})
	}
}

func TestADriveWhoseTimeIsOverCountsAsAnOutage(t *testing.T) {
	t.Parallel()
	s := newStore(letter)
	s.away = context.DeadlineExceeded
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	state, err := s.rebuilder().Rebuild(ctx, "aut_1", platen.LatestRun{Attempt: 1, Completed: true, Cancelled: true})
	wait, ok := errors.AsType[*platen.DriveWaitError](err)
	if state != "" || !ok || !wait.IsOutage() || wait.Code != "step_timed_out" || len(s.parked) != 1 {
		t.Errorf("got %q, %v, parked %+v; want it to wait for an outage", state, err, s.parked)
	}
}

func TestAnAutomationWhoseOwnersDriveIsAwayWaitsWithoutAskingIt(t *testing.T) {
	t.Parallel()
	s := newStore(letter)
	s.files["out_letter.0"] = []platen.File{file("copy")}
	why := &platen.DriveWaitError{Kind: platen.KindUnavailable, Code: "drive_unavailable", Message: "The drive does not answer.", Err: errors.New("away")}
	if state, err := s.rebuilder().Postpone(t.Context(), "aut_1", completed, why); state != "" || !errors.Is(err, why) {
		t.Errorf("got %q, %v; want it to wait by %v", state, err, why)
	}
	want := []platen.Wait{{Subject: "aut_1", Step: rebuild.Step, Code: "drive_unavailable", Message: "The drive does not answer."}}
	if diff := cmp.Diff(want, s.parked); diff != "" || s.outputs["out_letter"].State != platen.OutputPending {
		t.Errorf("the output is %s, and it waits for (-want +got):\n%s", s.outputs["out_letter"].State, diff)
	}
}
