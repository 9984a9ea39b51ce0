package console

import (
	"slices"
	"strconv"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// formFieldOf finds the field that a finding is about, such as "Items, item 2, Price", and its
// path in the form; ok is false where the form has none.
func formFieldOf(f platen.Form, in platen.FormInput, at string) (field platen.FormField, path string, ok bool) {
	fields := f.Fields
	for step := range strings.SplitSeq(at, ", ") {
		if n, isItem := strings.CutPrefix(step, "item "); isItem && field.Kind == platen.FormList {
			if path, ok = itemOf(in, path, n); !ok {
				return field, path, false
			}
			continue
		}
		for name := range strings.SplitSeq(step, ".") {
			if field.Kind == platen.FormList && !strings.HasSuffix(path, "]") {
				path = firstRow(in, path)
			}
			i := slices.IndexFunc(fields, func(one platen.FormField) bool { return strings.EqualFold(one.Name, name) })
			if i < 0 {
				return field, path, false
			}
			field, fields = fields[i], fields[i].Fields
			path = platen.FormPath(path, field.Name)
		}
	}
	return field, path, field.Name != "" && field.Kind != platen.FormGroup
}

// itemOf is the row of the item with this number among those of a list in which something was
// typed: an event has no others.
func itemOf(in platen.FormInput, list, number string) (path string, ok bool) {
	left, err := strconv.Atoi(number)
	for _, n := range in.Rows[list] {
		row := platen.FormRow(list, n)
		if !isTyped(in, row) {
			continue
		}
		if left--; left == 0 {
			return row, err == nil
		}
	}
	return "", false
}

func isTyped(in platen.FormInput, row string) bool {
	for path, text := range in.Texts {
		if rest, below := strings.CutPrefix(path, row); below && (rest == "" || rest[0] == '.' || rest[0] == '[') && strings.TrimSpace(text) != "" {
			return true
		}
	}
	return false
}

func firstRow(in platen.FormInput, list string) string {
	n := 0 // which a form has that nobody changed
	if rows := in.Rows[list]; len(rows) > 0 {
		n = rows[0]
	}
	return platen.FormRow(list, n)
}

// whyWrong says, in English, to somebody who knows nothing of templates what is wrong with a
// value.
func whyWrong(field platen.FormField, text string, found platen.RowFinding) string {
	kind := field.Kind
	if kind == platen.FormList {
		kind = field.Item
	}
	switch {
	case strings.TrimSpace(text) == "" && kind != platen.FormTruth:
		return say("Fill this in.")
	case kind == platen.FormNumber:
		return say("Type in a number, such as 12.50.")
	case kind == platen.FormDate:
		return say("Type in a date, such as 2026-12-24.")
	case kind == platen.FormPicture:
		return say("This picture cannot be used. Choose another.")
	case strings.HasPrefix(found.Code, "email_"), strings.HasPrefix(found.Code, "mail_"):
		return say("Type in an e-mail address, such as ada@example.com.")
	}
	return say("This does not fit here. Check it for a typing error.")
}
