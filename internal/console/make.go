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

// Make implements Maker.
func (s *Site) Make(r *http.Request, workflowID, event, once string, test bool) (string, error) {
	if s.of.protection.Check(r) != nil {
		return "", errForeign
	}
	found, _ := s.of.session(r)
	r = r.Clone(r.Context())
	r.SetPathValue("workflow", workflowID)
	in := s.of.request(r, found)
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
	pictureNotTaken = errorPage{Status: http.StatusBadRequest, Title: "The picture was not taken", Text: "Why stands at its field."}
)

// make sends what was typed in to the source of the workflow, and leads to its run.
func (s studio) make(w http.ResponseWriter, r *http.Request, in askedForm) {
	found, problem := s.form(w, r, in)
	switch {
	case problem != nil:
	case len(in.wrong) > 0:
		problem = &pictureNotTaken
	case !s.Maker.IsSignedIn(r):
		problem = &signInFirst
	}
	var at string
	if problem == nil {
		at, problem = s.sendForm(r, found.Form, in)
	}
	if problem != nil {
		p := s.pageOf(r, found, in)
		s.unmade(w, r, &p, *problem)
		return
	}
	http.Redirect(w, r, at, http.StatusSeeOther)
}

// sendForm makes an event of the form, and returns where its run is, or why it was not taken.
func (s studio) sendForm(r *http.Request, form platen.Form, in askedForm) (at string, problem *errorPage) {
	event, err := s.Samples.DataOf(form, in.FormInput)
	if err == nil {
		// Not r: the owner of the preview is the caller in its context.
		at, err = s.Maker.Make(s.asked, s.wf.ID, string(event), in.once, in.button == makeTest)
	}
	if err == nil {
		return at, nil
	}
	why := explain(err, perhapsMade)
	if p := refusalIn(err); p != nil {
		why = errorPage{Status: p.Status, Title: "Nothing was made", Text: saidIn(p)}
	} else if p, ok := errors.AsType[*pageError](err); ok {
		why = errorPage{Status: p.Status, Title: p.Title, Text: p.Detail}
	}
	if why.Status >= http.StatusInternalServerError {
		s.log(r, "make a document", s.d.ID, err)
	}
	return "", &why
}
