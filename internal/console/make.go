package console

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/platen"
)

// Maker makes what a preview's form asks for, for people who signed in at the console. A
// Site is one.
type Maker interface {
	// IsSignedIn tells whether a request came with a session that has not ended.
	IsSignedIn(r *http.Request) bool
	// Sent is the event of a run, as the user who signed in may see it. Its errors are those
	// of package client.
	Sent(r *http.Request, workflowID, automationID string) (SentEvent, error)
	// Make sends an event to the source of a workflow as the user who signed in, and returns
	// where its run is below the host. Events with the same once and the same data are one.
	// Its errors are those of package client, and errForeign.
	Make(r *http.Request, workflowID string, e SentEvent, once string) (at string, err error)
}

// A SentEvent is an event as its sender sent it.
type SentEvent struct {
	Data      []byte // one JSON object
	Reference string // what the sender calls it; empty: nothing
	Test      bool
	Of        string // aut_…, whose data it has or had; empty: of none
}

// errForeign is that another page sent a form.
var errForeign = &pageError{Status: http.StatusForbidden, Title: "This came from another page", Detail: "The form was not sent from its own page. Open the page, and use its button."}

// IsSignedIn implements Maker.
func (s *Site) IsSignedIn(r *http.Request) bool {
	_, ok := s.of.session(r)
	return ok
}

// Sent implements Maker.
func (s *Site) Sent(r *http.Request, workflowID, automationID string) (SentEvent, error) {
	of, err := s.requestOf(r, workflowID).api.Automation(r.Context(), workflowID, automationID)
	if err != nil {
		return SentEvent{}, err
	}
	return sentEvent(s.of.in(r), of)
}

// sentEvent is that of a run; one whose data is erased has none.
func sentEvent(in catalog.Printer, of client.AutomationDetail) (e SentEvent, err error) {
	if of.SourceData == nil || string(of.SourceData) == "null" {
		return e, refused(in.Text("The data of this run is erased."))
	}
	e = SentEvent{Data: of.SourceData, Test: of.Test, Of: of.ID}
	if of.Reference != nil {
		e.Reference = *of.Reference
	}
	return e, nil
}

// requestOf is what who signed in asks of a workflow.
func (s *Site) requestOf(r *http.Request, workflowID string) request {
	found, _ := s.of.session(r)
	r = r.Clone(r.Context())
	r.SetPathValue("workflow", workflowID)
	return s.of.request(r, found)
}

// Make implements Maker.
func (s *Site) Make(r *http.Request, workflowID string, e SentEvent, once string) (string, error) {
	if s.of.protection.Check(r) != nil {
		return "", errForeign
	}
	in := s.requestOf(r, workflowID)
	var err error
	if in.me, err = in.api.Me(r.Context()); err != nil {
		return "", err
	}
	if !in.me.Token.Write {
		return "", refused(in.Text("Your access token may read, and not send events. Sign in with one that may."))
	}
	made, err := s.of.post(r.Context(), in, "POST /preview/{document}/make", e, once)
	if err != nil {
		return "", err
	}
	return s.of.base + "/console" + in.workflowPath() + "/runs/" + made, nil
}

// The values of the buttons that make what the form asks for.
const (
	makeDocument = "make"
	makeTest     = "test"
	// anyway stands behind both where somebody knows that the run would fail.
	anyway = "-anyway"
)

var (
	signInFirst = errorPage{Status: http.StatusUnauthorized, Title: "Sign in first",
		Text: "Nothing was made. Sign in to the console in another tab, and press the button again: what you typed stays here."}
	perhapsMade = errorPage{Status: http.StatusServiceUnavailable, Title: "It is not known whether the document was made",
		Text: "Something is not there right now. Press the button again: the same form makes one document, however often it is sent."}
	tooLongForForm = errorPage{Status: http.StatusBadRequest, Title: "The data is too long for a form",
		Text: "A list has more than 200 items, or a text more than 20,000 characters. Open the run, and send its source data again as JSON."}
	wouldFail = errorPage{Status: http.StatusUnprocessableEntity, Title: "The document cannot be made of this data",
		Text: "Nothing was made. Correct what stands here, and press the button again. A run of this data would fail."}
	pictureNotTaken = errorPage{Status: http.StatusBadRequest, Title: "The picture was not taken", Text: "Why stands at its field."}
)

// readSent is the event that the form changes, or why it cannot be shown; neither without
// one, or where nobody signed in.
func (s studio) readSent() (*SentEvent, *errorPage) {
	if s.of == "" || !s.Maker.IsSignedIn(s.asked) {
		return nil, nil
	}
	sent, err := s.Maker.Sent(s.asked, s.wf.ID, s.of)
	if err == nil {
		return &sent, nil
	}
	why := s.whyNot(err, say("The form is not filled with the run's data"), errorPage{Status: http.StatusServiceUnavailable, Title: "The data of the run cannot be read right now", Text: "Load the page again in a moment."})
	return nil, &why
}

// sentData is the data of the event that the form changes; nil: of none.
func (s studio) sentData() []byte {
	if s.sent == nil {
		return nil
	}
	return s.sent.Data
}

// fill is a form with the data of the event that it changes.
func (s studio) fill(w http.ResponseWriter, r *http.Request) (platen.TemplateForm, askedForm, *errorPage) {
	in := askedForm{FormInput: noInput()}
	in.Lists = s.Samples.ListsOf(s.sent.Data)
	found, problem := s.form(w, r, in)
	filled, fits := s.Samples.InputOf(found.Form, s.sent.Data)
	for _, text := range filled.Texts {
		fits = fits && shorten(text) == text
	}
	if !fits {
		return found, in, &tooLongForForm
	}
	in.FormInput = filled
	return found, in, problem
}

// make sends what was typed in to the source of the workflow, and leads to its run.
func (s studio) make(w http.ResponseWriter, r *http.Request, in askedForm) {
	found, problem := s.form(w, r, in)
	switch {
	case problem != nil:
	case len(in.wrong) > 0:
		problem = &pictureNotTaken
	case !s.Maker.IsSignedIn(s.asked):
		problem = &signInFirst
	default:
		problem = s.unsent
	}
	var at string
	if problem == nil {
		if p := s.foretold(r, in); p != nil {
			s.unmade(w, r, p, wouldFail)
			return
		}
		at, problem = s.sendForm(r, found.Form, in)
	}
	if problem != nil {
		p := s.pageOf(r, found, in)
		s.unmade(w, r, &p, *problem)
		return
	}
	http.Redirect(w, r, at, http.StatusSeeOther)
}

// foretold is the page that says why a run of the form would fail; nil: it would not, or nobody
// knows. A drive where each sample costs quota is not asked.
func (s studio) foretold(r *http.Request, in askedForm) *previewPage {
	if !s.Live || strings.HasSuffix(in.button, anyway) || s.Limit != nil && s.Limit(http.Header{}, sha256.Sum256([]byte(s.d.ID))) != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), 2*s.DriveTimeout)
	defer cancel()
	known, err := s.known(ctx)
	if err != nil {
		return nil
	}
	made, found, err := s.Samples.SampleOfForm(ctx, s.wf, s.d, known, in.FormInput, s.sentData())
	if err != nil || made.PDF != nil {
		return nil
	}
	p := s.pageOf(r, found, in)
	if p.Findings = s.markEach(made.Findings); len(p.Findings) == 0 {
		return nil
	}
	p.Sample, p.Anyway = &samplePart{Name: made.Name, Missing: made.MissingFields, Drawn: made.PDFFindings}, in.button+anyway
	return &p
}

// sendForm makes an event of the form, over the one that it changes, and returns where its
// run is, or why it was not taken. A test stays a test.
func (s studio) sendForm(r *http.Request, form platen.Form, in askedForm) (at string, problem *errorPage) {
	e := SentEvent{Test: strings.TrimSuffix(in.button, anyway) == makeTest}
	if s.sent != nil {
		e.Reference, e.Of, e.Test = s.sent.Reference, s.sent.Of, e.Test || s.sent.Test
	}
	var err error
	if e.Data, err = s.Samples.DataOf(form, in.FormInput, s.sentData()); err == nil {
		// Not r: the owner of the preview is the caller in its context.
		at, err = s.Maker.Make(s.asked, s.wf.ID, e, in.once)
	}
	if err == nil {
		return at, nil
	}
	why := s.whyNot(err, say("Nothing was made"), perhapsMade)
	if why.Status >= http.StatusInternalServerError {
		s.log(r, "make a document", s.d.ID, err)
	}
	return "", &why
}

// whyNot says under a title what the console answered, or away.
func (s studio) whyNot(err error, title string, away errorPage) errorPage {
	if p := refusalIn(err); p != nil {
		return errorPage{Status: p.Status, Title: title, Text: detailOf(p), Said: p.Code != ""}
	}
	if p, ok := errors.AsType[*pageError](err); ok {
		return errorPage{Status: p.Status, Title: p.Title, Text: p.Detail, Said: true}
	}
	return explain(err, away)
}
