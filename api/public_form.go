package api

import (
	"net/http"

	"github.com/platenhq/platen/internal/platen"
)

// publicFormJSON is the form by which everybody who has its link makes documents.
type publicFormJSON struct {
	ID           string `json:"id"`
	URL          string `json:"url"`
	Enabled      bool   `json:"enabled"`
	Title        string `json:"title"`
	Text         string `json:"text"`
	ShowDocument bool   `json:"showDocument"`
	PerDay       int    `json:"perDay"`
	PerAddress   int    `json:"perAddress"`
}

func (s *server) publicForm(f platen.PublicForm) publicFormJSON {
	return publicFormJSON{ID: f.ID, URL: s.formAt(s.origin, f), Enabled: f.Enabled, Title: f.Title, Text: f.Text, ShowDocument: f.ShowsPages, PerDay: f.PerDay, PerAddress: f.PerAddress}
}

// publicFormPatch is what a request says of a form; what it leaves out stays.
type publicFormPatch struct {
	title, text           *string
	enabled, showDocument *bool
	perDay, perAddress    *int
}

func readPublicForm(body []byte) (in publicFormPatch, err error) {
	if len(body) == 0 {
		return in, nil
	}
	return in, decode(body, members{
		"id": skipValue, "url": skipValue,
		"enabled":      flag(&in.enabled),
		"title":        text(&in.title, short(platen.MaxWorkflowName)),
		"text":         text(&in.text, paragraphs(platen.MaxFormText)),
		"showDocument": flag(&in.showDocument),
		"perDay":       wholeNumber(&in.perDay, 1, platen.MaxFormPerDay),
		"perAddress":   wholeNumber(&in.perAddress, 1, platen.MaxFormPerAddress),
	})
}

func (in publicFormPatch) apply(f *platen.PublicForm) {
	set(&f.Enabled, in.enabled)
	set(&f.Title, in.title)
	set(&f.Text, in.text)
	set(&f.ShowsPages, in.showDocument)
	set(&f.PerDay, in.perDay)
	set(&f.PerAddress, in.perAddress)
}

func (s *server) getPublicForm(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	f, err := s.Forms.PublicForm(r.Context(), caller(r.Context()), id)
	if err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusOK, s.publicForm(f))
}

// setPublicForm makes the public form, or changes what the body says of the one that is there.
func (s *server) setPublicForm(w http.ResponseWriter, r *http.Request) error {
	wf, body, err := s.readChange(r)
	if err != nil {
		return err
	}
	in, err := readPublicForm(body)
	if err != nil {
		return err
	}
	fresh := platen.PublicForm{
		ID: platen.NewID(platen.PrefixForm), Key: platen.NewKey(), Enabled: true, ShowsPages: true,
		PerDay: platen.DefaultFormPerDay, PerAddress: platen.DefaultFormPerAddress,
	}
	check := requireUnchanged(r)
	f, created, err := s.Forms.SetPublicForm(r.Context(), caller(r.Context()), wf.ID, fresh, func(f *platen.PublicForm, created bool) error {
		if !created {
			if err := check(s.publicForm(*f)); err != nil {
				return err
			}
		}
		in.apply(f)
		return nil
	})
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	return writeTagged(w, r, status, s.publicForm(f))
}

// rotatePublicForm gives the form another link; the one before leads nowhere.
func (s *server) rotatePublicForm(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	f, err := s.Forms.RotatePublicForm(r.Context(), caller(r.Context()), id, platen.NewKey())
	if err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusOK, s.publicForm(f))
}

func (s *server) deletePublicForm(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	check := requireUnchanged(r)
	err = s.Forms.DeletePublicForm(r.Context(), caller(r.Context()), id, func(f platen.PublicForm) error {
		return check(s.publicForm(f))
	})
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
