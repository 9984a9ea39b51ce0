package console

import (
	"encoding/base64"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/platenhq/platen/internal/platen"
)

const (
	// maxForm is how many bytes a form may have, its pictures included.
	maxForm = 4 << 20
	// maxText is how long what is typed into one field may be, in characters.
	maxText = 20_000
	// maxParts bounds the fields of a form before anything is made of them.
	maxParts = 2*platen.MaxFormCells + 1000 // net/http takes 10,000
	// maxShown is how large a PDF may be that the page itself holds, in bytes; a
	// larger one can be downloaded.
	maxShown = 8 << 20
)

// What the names of a form's fields begin with. A path stands behind each.
const (
	textPrefix = "f." // what was typed in
	rowPrefix  = "r." // the numbers of a list's rows
	listPrefix = "k." // "list" or "one": what may be either is that
	filePrefix = "u." // a picture that is uploaded
)

// An asked form is what was typed in, and which button was pressed.
type askedForm struct {
	platen.FormInput
	button string // such as add:Items; empty: fill the template
	once   string // of the form, so that what is sent twice is made once
	// wrong is why a picture was not taken, by its path.
	wrong map[string]string
}

func noInput() platen.FormInput {
	return platen.FormInput{Texts: map[string]string{}, Rows: map[string][]int{}, Lists: map[string]bool{}}
}

// readForm reads what was typed in.
func readForm(w http.ResponseWriter, r *http.Request) (askedForm, *errorPage) {
	in := askedForm{FormInput: noInput(), wrong: map[string]string{}}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	// What fits into maxForm stays in memory: nothing of it is ever in a file.
	err := r.ParseForm()
	if err == nil {
		err = r.ParseMultipartForm(maxForm + 1<<20)
	}
	if errors.Is(err, http.ErrNotMultipart) {
		err = nil // it was read before
	}
	if err != nil {
		// The library takes 1,000 parts of a form that brings files.
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok || errors.Is(err, multipart.ErrMessageTooLarge) {
			return in, &tooMuch
		}
		return in, &notAForm
	}
	n := 0
	for name, values := range r.PostForm {
		if n += len(values); n > maxParts {
			return in, &tooMuch
		}
		in.take(name, values)
	}
	if r.MultipartForm == nil {
		return in, nil
	}
	for name, values := range r.MultipartForm.File {
		path, ok := strings.CutPrefix(name, filePrefix)
		if !ok || len(values) == 0 || values[0].Filename == "" {
			continue
		}
		if uri, wrong := readPicture(values[0]); wrong == "" {
			in.Texts[path] = uri
		} else {
			in.wrong[path] = wrong
		}
	}
	return in, nil
}

func (in *askedForm) take(name string, values []string) {
	kind, path, _ := strings.Cut(name, ".")
	switch kind + "." {
	case textPrefix:
		in.Texts[path] = shorten(strings.ToValidUTF8(values[0], "\ufffd"))
	case rowPrefix:
		for _, v := range values {
			if n, err := strconv.Atoi(v); err == nil && n >= 0 && n < 1_000_000 {
				in.Rows[path] = append(in.Rows[path], n)
			}
		}
		if in.Rows[path] == nil {
			in.Rows[path] = []int{} // a list without rows
		}
	case listPrefix:
		in.Lists[path] = values[0] == "list"
	}
	switch name {
	case "do":
		in.button = values[0]
	case "once":
		in.once = shorten(values[0])
	}
}

// shorten cuts what was typed in, but for pictures, off where the page would.
func shorten(text string) string {
	if len(text) <= maxText || strings.HasPrefix(text, "data:") {
		return text
	}
	n := 0
	for i := range text {
		if n++; n > maxText {
			return text[:i]
		}
	}
	return text
}

// readPicture is a picture as a data URI, or why it is none.
func readPicture(file *multipart.FileHeader) (uri, wrong string) {
	if file.Size == 0 {
		return "", "The file is empty. Choose another."
	}
	if file.Size > platen.MaxFormPicture {
		return "", "The picture has more than 2 MiB. Choose a smaller one."
	}
	f, err := file.Open()
	if err != nil {
		return "", "The picture could not be read. Choose it once more."
	}
	defer func() { _ = f.Close() }() // it was only read
	content, err := io.ReadAll(f)
	if err != nil {
		return "", "The picture could not be read. Choose it once more."
	}
	switch kind := http.DetectContentType(content); kind {
	case "image/png", "image/jpeg", "image/gif":
		return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(content), ""
	}
	return "", "The file is no picture that can be used. Choose a PNG, JPEG or GIF file."
}

// press does what a button asks of the form itself, and tells whether it was one of those.
func (in *askedForm) press(button string) bool {
	what, path, _ := strings.Cut(button, ":")
	switch what {
	case "add":
		in.AddRow(path)
	case "drop":
		in.DropRow(path)
	case "list":
		in.Lists[path] = true
		in.becomeList(path)
	case "one":
		in.Lists[path] = false
		in.becomeOne(path)
	case "unpick":
		delete(in.Texts, path)
	default:
		return false
	}
	return true
}

// becomeList puts what was typed for one into the first row of several.
func (in *askedForm) becomeList(path string) {
	in.Rows[path] = []int{0}
	in.move(path+".", platen.FormRow(path, 0)+".")
}

// becomeOne keeps the first row.
func (in *askedForm) becomeOne(path string) {
	if rows := in.Rows[path]; len(rows) > 0 {
		in.move(platen.FormRow(path, rows[0])+".", path+".")
	}
	delete(in.Rows, path)
}

func (in *askedForm) move(from, to string) {
	moved := map[string]string{}
	for path, text := range in.Texts {
		if rest, ok := strings.CutPrefix(path, from); ok {
			moved[to+rest] = text
			delete(in.Texts, path)
		}
	}
	for path, text := range moved {
		in.Texts[path] = text
	}
}

// isPicture tells whether a value is a picture that was chosen, which the page can show.
func isPicture(value string) bool {
	kind, _, ok := strings.Cut(value, ";base64,")
	return ok && utf8.ValidString(value) && (kind == "data:image/png" || kind == "data:image/jpeg" || kind == "data:image/gif")
}
