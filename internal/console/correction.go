package console

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/platen"
)

// Bounds of a form for the data of an event. The API takes more.
const (
	maxDataFields = 200
	maxDataText   = 20_000       // characters
	maxDataForm   = maxTyped / 2 // bytes of all values as browsers send them: there is room to type more
)

// A dataField is a value of an event in a form.
type dataField struct {
	Name  string // in the form
	Label string // such as Items[1].Price
	Value string
	Kind  string // text, long, number, flag or none
	from  int    // where it stands in the data
	to    int
}

// A dataForm has a field for each value of an event, in its order.
type dataForm struct {
	data   []byte
	Fields []dataField
	// TooLong: the data does not fit a form.
	TooLong bool
}

// dataFormOf reads an event, one JSON object. Null has no fields: it was erased.
func dataFormOf(data []byte) (dataForm, error) {
	f, in, size := dataForm{data: data}, jsontext.NewDecoder(bytes.NewReader(data)), 0
	if in.PeekKind() == 'n' {
		return f, nil
	}
	for {
		switch kind := in.PeekKind(); kind {
		case '{', '[', '}', ']':
			if _, err := in.ReadToken(); err != nil {
				return f, err
			}
			if in.StackDepth() == 0 {
				f.TooLong = f.TooLong || len(f.Fields) == 0
				return f, nil
			}
			continue
		}
		kind, isName := in.PeekKind(), false
		if of, n := in.StackIndex(in.StackDepth()); of == '{' && n%2 == 0 {
			isName = true
		}
		value, err := in.ReadValue()
		if err != nil {
			return f, err
		}
		if isName {
			continue
		}
		if len(f.Fields) == maxDataFields {
			f.TooLong = true
			return f, nil
		}
		end := int(in.InputOffset())
		one := dataField{Name: "v" + strconv.Itoa(len(f.Fields)), Label: fieldLabel(in), from: end - len(value), to: end}
		if err := one.read(kind, value); err != nil {
			return f, err
		}
		size += len(one.Name) + len(url.QueryEscape(one.Value))
		f.TooLong = f.TooLong || utf8.RuneCountInString(one.Value) > maxDataText || size > maxDataForm
		f.Fields = append(f.Fields, one)
	}
}

func (f *dataField) read(kind jsontext.Kind, value []byte) error {
	switch kind {
	case '"':
		f.Kind = "text"
		if err := json.Unmarshal(value, &f.Value); err != nil {
			return err
		}
		if strings.ContainsAny(f.Value, "\r\n") || utf8.RuneCountInString(f.Value) > 80 {
			f.Kind = "long"
		}
	case '0':
		f.Kind, f.Value = "number", string(value)
	case 't', 'f':
		f.Kind, f.Value = "flag", string(value)
	default:
		f.Kind = "none"
	}
	return nil
}

// fieldLabel is where the value stands that was read last, as tags name it, items of lists
// with their numbers.
func fieldLabel(in *jsontext.Decoder) string {
	var b strings.Builder
	level := 0
	for name := range in.StackPointer().Tokens() {
		level++
		if of, _ := in.StackIndex(level); of == '[' {
			place, _ := strconv.Atoi(name)
			b.WriteString("[" + strconv.Itoa(place+1) + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(name)
	}
	return b.String()
}

// typed is the data with what was typed in; problem says what is wrong with it. What was
// left as it was keeps its bytes.
func (f dataForm) typed(in catalog.Printer, form url.Values) (data []byte, problem string) {
	at := 0
	for _, field := range f.Fields {
		if !form.Has(field.Name) {
			continue
		}
		text := lines(form.Get(field.Name))
		if text == lines(field.Value) {
			continue
		}
		value, ok := field.write(text)
		switch {
		case utf8.RuneCountInString(text) > maxDataText:
			return nil, in.Text("%s has more than %d characters.", field.Label, maxDataText)
		case !ok && field.Kind == "number":
			return nil, in.Text("%s must be a number such as 1234.50.", field.Label)
		case !ok:
			return nil, in.Text("%s must be true or false.", field.Label)
		}
		data = append(append(data, f.data[at:field.from]...), value...)
		at = field.to
	}
	return append(data, f.data[at:]...), ""
}

func (f dataField) write(text string) (value []byte, ok bool) {
	switch trimmed := strings.TrimSpace(text); f.Kind {
	case "number":
		kind := jsontext.Value(trimmed).Kind()
		return []byte(trimmed), kind == '0' && json.Valid([]byte(trimmed))
	case "flag":
		return []byte(trimmed), trimmed == "true" || trimmed == "false"
	}
	value, err := jsontext.AppendQuote(nil, text)
	return value, err == nil
}

// failedCorrected tells whether an output could not be made of what it was corrected to.
func failedCorrected(o client.Output) bool {
	return o.State == "FAILED" && o.Review != nil && o.Review.Verdicts() == string(platen.VerdictCorrected) && (o.Error == nil || o.Error.Code != platen.CodeCancelled)
}

// correctOutput has an output that waits for who is signed in made again of other data.
func (s *site) correctOutput(ctx context.Context, r request) (string, error) {
	output := r.PathValue("output")
	d, err := r.api.OutputData(ctx, r.workflowID(), output)
	if err != nil {
		return r.runPage(), err
	}
	form, err := dataFormOf(d.Data)
	if err != nil || len(form.Fields) == 0 {
		return r.runPage(), err
	}
	data, problem := form.typed(r.Printer, r.PostForm)
	if problem != "" {
		return r.runPage(), refused(problem)
	}
	if _, err := r.api.CorrectOutput(ctx, r.workflowID(), output, data, r.round()); err != nil {
		return r.runPage(), err
	}
	return r.runPage() + "#review-" + output, nil
}

// readCorrections gives outputs that wait for a user, or could not be made of what they were
// corrected to, the form to correct their data.
func (r request) readCorrections(ctx context.Context, p *runPage) error {
	for i, o := range p.Made {
		failed := failedCorrected(o.Output) && slices.ContainsFunc(o.Review.By, func(one string) bool { return strings.EqualFold(one, r.me.User.Email) })
		if !failed && !o.AwaitsUser(r.me.User.Email) || p.Erased != "" {
			continue
		}
		d, err := r.api.OutputData(ctx, r.workflowID(), o.ID)
		if isNotFound(err) || err == nil && string(d.Data) == "null" {
			continue
		}
		if err != nil {
			return err
		}
		form, err := dataFormOf(d.Data)
		if err != nil {
			return err
		}
		p.Made[i].Correctable = &form
	}
	return nil
}
