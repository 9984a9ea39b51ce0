package google

import (
	"reflect"
	"strings"
	"testing"

	docsapi "google.golang.org/api/docs/v1"
)

// A kind of element that Google adds is missing here until it is asked for.
func TestTheSelectionOfFieldsAsksForEachSuggestion(t *testing.T) {
	t.Parallel()
	for _, holder := range []any{docsapi.ParagraphElement{}, docsapi.StructuralElement{}} {
		kinds := reflect.TypeOf(holder)
		for i := range kinds.NumField() {
			field := kinds.Field(i)
			if field.Type.Kind() != reflect.Pointer {
				continue
			}
			if _, suggestible := field.Type.Elem().FieldByName("SuggestedInsertionIds"); !suggestible {
				continue
			}
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			_, selected, _ := strings.Cut(documentFields, ","+name+"(")
			if depth := selection(selected); !strings.Contains(depth, suggestionFields) {
				t.Errorf("the selection asks for %q of %s, want %s in it", depth, name, suggestionFields)
			}
		}
	}
	for _, name := range []string{"table", "tableRows", "tableCells"} {
		if _, selected, _ := strings.Cut(documentFields, name+"("); !strings.HasPrefix(selected, suggestionFields) {
			t.Errorf("the selection does not ask for suggestions of %s", name)
		}
	}
}

// selection is what stands before the parenthesis that closes the one before it.
func selection(rest string) string {
	depth := 1
	for i, r := range rest {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return rest[:i]
			}
		}
	}
	return ""
}
