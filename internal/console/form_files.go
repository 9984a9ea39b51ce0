package console

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"

	"github.com/platenhq/platen/internal/intake"
)

const (
	// maxTyped is how many bytes a form may have beside its file.
	maxTyped = 1 << 20
	// maxTemplate is how many bytes an office file may have: as much as /v0 takes.
	maxTemplate = 10 << 20
	// maxFile is how many bytes are read of a form with a file: beyond maxTemplate to find
	// what stands behind a file that is too large, so that the form is shown once more.
	maxFile = 64 << 20
	// maxFormParts is how many fields a form with a file may have.
	maxFormParts = 100
	// uploads is how many forms with a file are read at once: each is in memory.
	uploads = 4
)

var (
	errForm  = &pageError{Status: http.StatusBadRequest, Title: say("The form could not be read"), Detail: say("It was not sent by a page of the console. Open the page again, and use its form.")}
	errTyped = &pageError{Status: http.StatusBadRequest, Title: say("The form is too large"), Detail: say("What was typed in has more than 1 MiB. Go back and shorten it.")}
	errFile  = &pageError{Status: http.StatusBadRequest, Title: say("The form is too large"), Detail: say("The file has more than 10 MiB. Go back and choose a smaller one.")}
)

// A formFile is the file of a form.
type formFile struct {
	name     string
	content  []byte
	tooLarge bool // it was not kept
}

// readForm reads what was typed in and, where the page's form has one, its file.
func (s *site) readForm(w http.ResponseWriter, r *http.Request) (*formFile, error) {
	kind, parameters, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		r.Body = http.MaxBytesReader(w, r.Body, maxTyped)
		return nil, formError(r.ParseForm(), errTyped)
	}
	select {
	case s.uploads <- struct{}{}:
		defer func() { <-s.uploads }()
	case <-r.Context().Done():
		return nil, errForm
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxFile)
	file, err := readParts(r, parameters["boundary"])
	return file, formError(err, errFile)
}

// formError says why a form could not be read: it is too large, or none.
func formError(err error, tooLarge *pageError) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge
	}
	if p, ok := errors.AsType[*pageError](err); ok {
		return p
	}
	return errForm
}

// readParts reads a form with a file, nothing of it onto the disk. The fields are there
// also where the file is too large.
func readParts(r *http.Request, boundary string) (file *formFile, err error) {
	typed, rest := url.Values{}, int64(maxTyped)
	err = intake.EachPart(r.Body, boundary, maxFormParts, func(part *multipart.Part) (err error) {
		if part.FileName() != "" {
			file, err = readFile(part, part.FileName())
			return err
		}
		text, err := io.ReadAll(io.LimitReader(part, rest+1))
		if rest -= int64(len(text)); err == nil && rest < 0 {
			return errTyped
		}
		typed.Add(part.FormName(), string(text))
		return err
	})
	r.PostForm, r.Form = typed, typed
	return file, err
}

func readFile(from io.Reader, name string) (*formFile, error) {
	content, err := io.ReadAll(io.LimitReader(from, maxTemplate+1))
	if err != nil {
		return nil, fmt.Errorf("read a file of a form: %w", err)
	}
	if len(content) > maxTemplate {
		return &formFile{name: name, tooLarge: true}, nil
	}
	return &formFile{name: name, content: content}, nil
}

// chosen is the content of the file that was chosen in a form, nil without one.
func (r request) chosen() ([]byte, error) {
	switch {
	case r.file == nil:
		return nil, nil
	case r.file.tooLarge:
		return nil, refusedField("upload", r.Text("The file has more than 10 MiB. Choose a smaller one."))
	case len(r.file.content) == 0:
		return nil, refusedField("upload", r.Text("The file is empty. Choose another."))
	}
	return r.file.content, nil
}
