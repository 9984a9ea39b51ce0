package console

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/inside"
	"github.com/platenhq/platen/internal/intake"
	"github.com/platenhq/platen/internal/platen"
)

// A tableForm sends a file whose rows are events. The browser keeps the file between the
// look at it and the press that makes the documents: nothing of it is stored before.
type tableForm struct {
	// Once tells a form that was sent twice from two that are alike.
	Once  string
	Typed url.Values
	// Problem is why the file was not taken, and Faults what is wrong with its rows.
	Problem saying
	Faults  []client.Fault
	in      catalog.Printer
	// Checked is what was found in the file of this name; nil: nobody looked.
	Checked *client.BatchCheck
	Name    string
}

func newTableForm() tableForm { return tableForm{Once: rand.Text(), Typed: url.Values{}} }

// Value is what was typed into a field.
func (f tableForm) Value(field string) string { return f.Typed.Get(field) }

// Ticked tells whether a box was.
func (f tableForm) Ticked(field string) bool { return f.Typed.Has(field) }

// HasOptions tells whether somebody said how the table is to be read.
func (f tableForm) HasOptions() bool {
	return slices.ContainsFunc(tableFields, func(name string) bool { return f.Typed.Get(name) != "" }) || f.Typed.Has("test")
}

// Fine is how many of the rows that were tried have no mistake.
func (f tableForm) Fine() int { return f.Checked.Checked - f.Checked.Faulty }

// A tableColumn is a column of a table, and whether a template asks for it.
type tableColumn struct {
	Name, Meant string // what may have been meant instead; empty: nothing
	Unused      bool
}

// shownColumns is how many columns a page lists.
const shownColumns = 200

// Columns are those of the table, or the fields of JSON rows that no template asks for.
func (f tableForm) Columns() (all []tableColumn) {
	var names []string
	if f.Checked.Table != nil {
		names = f.Checked.Table.Columns
	} else {
		for _, unused := range f.Checked.Unused {
			names = append(names, unused.Field)
		}
	}
	for _, name := range names[:min(len(names), shownColumns)] {
		if name == "" {
			continue
		}
		c := tableColumn{Name: name}
		if i := slices.IndexFunc(f.Checked.Unused, func(u client.UnusedField) bool { return u.Field == name }); i >= 0 {
			c.Unused = true
			if nearest := f.Checked.Unused[i].Nearest; len(nearest) > 0 {
				c.Meant = nearest[0]
			}
		}
		all = append(all, c)
	}
	return all
}

// ReadAs says what a table was read as; empty: the file is JSON.
func (f tableForm) ReadAs() string {
	t := f.Checked.Table
	if t == nil {
		return ""
	}
	text := f.in.Text("Read as the sheet “%s” of a workbook.", t.Sheet)
	if t.Kind == "csv" {
		text = f.in.Text("Read as CSV in %s, with cells parted by %s.", t.Encoding, signInWords(f.in, t.Delimiter))
	}
	if t.HiddenRows > 0 {
		text += " " + f.in.Text("%d rows are among them that the sheet hides.", t.HiddenRows)
	}
	return text
}

// signInWords says a sign that parts cells.
func signInWords(in catalog.Printer, sign string) string {
	switch sign {
	case "\t":
		return in.Text("tabs")
	case ";":
		return in.Text("semicolons")
	case ",":
		return in.Text("commas")
	}
	return "“" + sign + "”"
}

// tableFields are what can be said of a table, as /v0 calls it.
var tableFields = []string{"reference", "key", "items", "sheet", "encoding", "delimiter", "decimal", "row"}

// A takenTable is the answer of /v0 to a file.
type takenTable struct {
	inside.Answer
	to   http.ResponseWriter
	name string // of the file; empty: none was chosen
}

// Unwrap lets http.ResponseController reach the server's own writer.
func (t *takenTable) Unwrap() http.ResponseWriter { return t.to }

// refusal is what /v0 said against the file; nil: it took it.
func (t *takenTable) refusal(in catalog.Printer) *client.Error {
	if t.Status < http.StatusBadRequest {
		return nil
	}
	return refusalOf(in, t.Status, t.Head, t.Body.Bytes(), say("The file could not be read."))
}

// maxTable is how many bytes are read of a form with a table: beyond what /v0 takes of it to
// find what stands behind, so that the form is shown once more.
const maxTable = platen.MaxBatchBytes + maxFile

var errTable = &pageError{Status: http.StatusBadRequest, Title: say("The form is too large"), Detail: say("The file has more than 256 MiB, or what was typed in more than 1 MiB. Go back and send the file in parts.")}

// Where /v0 takes a table, below the batches of a workflow.
const (
	newTable   = ""
	checkTable = "check/"
)

// at is an address that every request has.
func at(path string) func(request) string { return func(request) string { return path } }

// takeTable hands the file of a form to /v0 while it comes, so that none of it is held, and
// shows the answer. Fields that stand behind the file in the form are not seen.
func (s *site) takeTable(to func(request) string, name string, show func(context.Context, request, *takenTable, tableForm) (view, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		found, ok := s.session(r)
		if !ok {
			s.askToSignIn(w, r)
			return
		}
		in, ok := s.known(w, r, found, nil)
		if !ok {
			return
		}
		in.Body = http.MaxBytesReader(w, in.Body, maxTable)
		form := tableForm{Once: rand.Text(), Typed: url.Values{}} // a key belongs to the file that it was first sent with
		taken := &takenTable{to: w, Answer: inside.Answer{Head: http.Header{}}}
		if err := s.readTable(in, to(in), form.Typed, taken); err != nil {
			s.failFor(w, r, &in, formError(err, errTable))
			return
		}
		v, err := show(r.Context(), in, taken, form)
		s.show(w, in, name, v, err)
	}
}

// readTable reads a form part by part, and sends its file on with what was typed in before.
func (s *site) readTable(in request, to string, typed url.Values, taken *takenTable) error {
	kind, parameters, _ := mime.ParseMediaType(in.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		return errForm
	}
	rest := int64(maxTyped)
	return intake.EachPart(in.Body, parameters["boundary"], maxFormParts, func(part *multipart.Part) error {
		if part.FileName() != "" {
			if taken.name != "" {
				return errForm
			}
			taken.name = part.FileName()
			return s.sendOn(in, to, typed, part, taken)
		}
		text, err := io.ReadAll(io.LimitReader(part, rest+1))
		if rest -= int64(len(text)); err == nil && rest < 0 {
			return errTyped
		}
		typed.Add(part.FormName(), strings.TrimSpace(string(text)))
		return err
	})
}

// sendOn sends a file to /v0. The reader of the form goes on to the end of one that was
// refused, so that the browser gets to the answer.
func (s *site) sendOn(in request, to string, typed url.Values, file io.Reader, taken *takenTable) error {
	asked := url.Values{}
	for _, name := range tableFields {
		if value := typed.Get(name); value != "" {
			asked.Set(name, value)
		}
	}
	if to == newTable {
		asked.Set("name", nameOfTable(taken.name))
		if typed.Has("test") {
			asked.Set("test", "true")
		}
	}
	r, err := http.NewRequestWithContext(in.Context(), http.MethodPost, inside.Origin+"/v0"+in.workflowPath()+"/batches/"+to+"?"+asked.Encode(), file)
	if err != nil {
		return fmt.Errorf("send the rows of a file: %w", err)
	}
	r.Header.Set("Content-Type", "application/octet-stream")
	if once := typed.Get("once"); to == newTable && once != "" {
		r.Header.Set("Idempotency-Key", once)
	}
	s.API.ServeHTTP(taken, in.caller.Request(r))
	taken.WriteHeader(http.StatusOK)
	return nil
}

// nameOfTable is what a batch is called after its file.
func nameOfTable(file string) string {
	const longest = 200
	for len(file) > longest {
		file = file[:len(file)-1]
	}
	return strings.ToValidUTF8(file, "")
}

// checkedTable shows what was found in a file.
func (s *site) checkedTable(ctx context.Context, r request, taken *takenTable, form tableForm) (view, error) {
	if taken.name == "" || taken.refusal(r.Printer) != nil {
		return r.refusedTable(ctx, taken, form)
	}
	form.Name, form.Checked = taken.name, &client.BatchCheck{}
	if err := json.Unmarshal(taken.Body.Bytes(), form.Checked); err != nil {
		return view{}, fmt.Errorf("read what was found in a file: %w", err)
	}
	return r.batchesPage(ctx, form, "")
}

// sentTable leads to the batch that a file became.
func (s *site) sentTable(ctx context.Context, r request, taken *takenTable, form tableForm) (view, error) {
	if taken.name == "" || taken.refusal(r.Printer) != nil {
		return r.refusedTable(ctx, taken, form)
	}
	var made client.Batch
	if err := json.Unmarshal(taken.Body.Bytes(), &made); err != nil {
		return view{}, fmt.Errorf("read the batch of a file: %w", err)
	}
	return view{to: "/console" + r.workflowPath() + "/batches/" + made.ID + "/"}, nil
}

// refusedTable is the form with why its file was not taken.
func (r request) refusedTable(ctx context.Context, taken *takenTable, form tableForm) (view, error) {
	if err := form.explain(r, taken); err != nil {
		return view{}, err
	}
	v, err := r.batchesPage(ctx, form, "")
	v.status = http.StatusBadRequest
	return v, err
}

// explain says in a form why its file was not taken.
func (f *tableForm) explain(r request, taken *takenTable) error {
	f.Name = taken.name
	if taken.name == "" {
		f.Problem = own(r.Text("Choose a file first. Browsers forget the file of a form that was sent: choose it again."))
		return nil
	}
	why := taken.refusal(r.Printer)
	said, err := r.explained(why)
	if f.Problem = said; err == nil && len(why.Faults) > 0 {
		f.Problem, f.Faults = theirs(r.Printer, why.Code, why.Detail), why.Faults
	}
	return err
}

// correctedTable leads to the batch whose failed rows are made of a corrected file.
func (s *site) correctedTable(ctx context.Context, r request, taken *takenTable, form tableForm) (view, error) {
	if taken.name != "" && taken.refusal(r.Printer) == nil {
		return view{to: r.batchPath()}, nil
	}
	if err := form.explain(r, taken); err != nil {
		return view{}, err
	}
	v, err := s.batch(ctx, r)
	if p, ok := v.Page.(batchPage); ok {
		p.tableForm = form
		v.Page, v.Live, v.status = p, "", http.StatusBadRequest
	}
	return v, err
}
