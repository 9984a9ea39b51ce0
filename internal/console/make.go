package console

import (
	"errors"
	"net/http"

	"github.com/platenhq/platen/internal/platen"
)

// Maker makes what a preview's form asks for, for people who signed in at the console. A
// Site is one.
type Maker interface {
	// IsSignedIn tells whether a request came with a session that has not ended.
	IsSignedIn(r *http.Request) bool
	// SourceData is the event of a run, as the user who signed in may see it. Its errors are
	// those of package client.
	SourceData(r *http.Request, workflowID, automationID string) ([]byte, error)
	// Make sends an event to the source of a workflow as the user who signed in, as a test
	// or not, and returns where its run is below the host. Events with the same once and the
	// same text are one. Its errors are those of package client, and errForeign.
	Make(r *http.Request, workflowID, event, once string, test bool) (at string, err error)
}

// errForeign is that another page sent a form.
var errForeign = &pageError{Status: http.StatusForbidden, Title: "This came from another page", Detail: "The form was not sent from its own page. Open the page, and use its button."}

// IsSignedIn implements Maker.
func (s *Site) IsSignedIn(r *http.Request) bool {
	_, ok := s.of.session(r)
	return ok
}

// SourceData implements Maker.
func (s *Site) SourceData(r *http.Request, workflowID, automationID string) ([]byte, error) {
	of, err := s.requestOf(r, workflowID).api.Automation(r.Context(), workflowID, automationID)
	if err == nil && of.SourceData == nil {
		err = refused("The data of this run is erased.")
	}
	return of.SourceData, err
}

// requestOf is what who signed in asks of a workflow.
func (s *Site) requestOf(r *http.Request, workflowID string) request {
	found, _ := s.of.session(r)
	r = r.Clone(r.Context())
	r.SetPathValue("workflow", workflowID)
	return s.of.request(r, found)
}

// Make implements Maker.
func (s *Site) Make(r *http.Request, workflowID, event, once string, test bool) (string, error) {
	if s.of.protection.Check(r) != nil {
		return "", errForeign
	}
	in := s.requestOf(r, workflowID)
	var err error
	if in.me, err = in.api.Me(r.Context()); err != nil {
		return "", err
	}
	if !in.me.Token.Write {
		return "", refused("Your access token may read, and not send events. Sign in with one that may.")
	}
	made, err := s.of.post(r.Context(), in, event, once, test)
	if err != nil {
		return "", err
	}
	return s.of.base + "/console" + in.workflowPath() + "/runs/" + made, nil
}

// The values of the buttons that make what the form asks for.
const (
	makeDocument = "make"
	makeTest     = "test"
)

var (
	signInFirst = errorPage{Status: http.StatusUnauthorized, Title: "Sign in first",
		Text: "Nothing was made. Sign in to the console in another tab, and press the button again: what you typed stays here."}
	perhapsMade = errorPage{Status: http.StatusServiceUnavailable, Title: "It is not known whether the document was made",
		Text: "Something is not there right now. Press the button again: the same form makes one document, however often it is sent."}
	tooLongForForm = errorPage{Status: http.StatusBadRequest, Title: "The data is too long for a form",
		Text: "A list has more than 200 items, or a text more than 20,000 characters. Open the run, and send its source data again as JSON."}
	pictureNotTaken = errorPage{Status: http.StatusBadRequest, Title: "The picture was not taken", Text: "Why stands at its field."}
)

// event is that of the run whose data the form changes; nil: of none.
func (s studio) event() ([]byte, *errorPage) {
	if s.of == "" {
		return nil, nil
	}
	data, err := s.Maker.SourceData(s.asked, s.wf.ID, s.of)
	if err == nil {
		return data, nil
	}
	why := s.whyNot(err, "The form is not filled with the run's data", errorPage{Status: http.StatusServiceUnavailable, Title: "The data of the run cannot be read right now", Text: "Load the page again in a moment."})
	return nil, &why
}

// fill is a form with the data of the run that it changes.
func (s studio) fill(w http.ResponseWriter, r *http.Request, event []byte) (platen.TemplateForm, askedForm, *errorPage) {
	in := askedForm{FormInput: noInput()}
	in.Lists = s.Samples.ListsOf(event)
	found, problem := s.form(w, r, in)
	filled, fits := s.Samples.InputOf(found.Form, event)
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
	var event []byte
	switch {
	case problem != nil:
	case len(in.wrong) > 0:
		problem = &pictureNotTaken
	case !s.Maker.IsSignedIn(s.asked):
		problem = &signInFirst
	default:
		event, problem = s.event()
	}
	var at string
	if problem == nil {
		at, problem = s.sendForm(r, found.Form, in, event)
	}
	if problem != nil {
		p := s.pageOf(r, found, in)
		s.unmade(w, r, &p, *problem)
		return
	}
	http.Redirect(w, r, at, http.StatusSeeOther)
}

// sendForm makes an event of the form, over the one of another run or nil, and returns where
// its run is, or why it was not taken.
func (s studio) sendForm(r *http.Request, form platen.Form, in askedForm, of []byte) (at string, problem *errorPage) {
	event, err := s.Samples.DataOf(form, in.FormInput, of)
	if err == nil {
		// Not r: the owner of the preview is the caller in its context.
		at, err = s.Maker.Make(s.asked, s.wf.ID, string(event), in.once, in.button == makeTest)
	}
	if err == nil {
		return at, nil
	}
	why := s.whyNot(err, "Nothing was made", perhapsMade)
	if why.Status >= http.StatusInternalServerError {
		s.log(r, "make a document", s.d.ID, err)
	}
	return "", &why
}

// whyNot says under a title what the console answered, or away.
func (s studio) whyNot(err error, title string, away errorPage) errorPage {
	if p := refusalIn(err); p != nil {
		return errorPage{Status: p.Status, Title: title, Text: saidIn(p)}
	}
	if p, ok := errors.AsType[*pageError](err); ok {
		return errorPage{Status: p.Status, Title: p.Title, Text: p.Detail}
	}
	return explain(err, away)
}
