package fill

import "reflect"

// The finding about a document with something that is only suggested, or suggested to
// go. A run fails with it: Google shows both states side by side, and answers a
// deletion over a suggestion with an error for ever.
const (
	CodeSuggestions    = "template_has_suggestions"
	SuggestionsMessage = "The document has suggested changes, which would stand in the output beside what they replace: accept or reject them in the template."
)

// IsSuggested tells whether an element of a document, or what it holds of text, an
// object or a table, is only suggested or suggested to go. A row or a cell of a table,
// and what floats beside a paragraph, is asked for itself, and so is everything in it.
func IsSuggested(element any) bool {
	v := reflect.ValueOf(element).Elem()
	if hasSuggestion(v) {
		return true
	}
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Pointer && !f.IsNil() && hasSuggestion(f.Elem()) {
			return true
		}
	}
	return false
}

func hasSuggestion(v reflect.Value) bool {
	for _, name := range []string{"SuggestedInsertionIds", "SuggestedDeletionIds", "SuggestedPositionedObjectIds"} {
		if ids := v.FieldByName(name); ids.IsValid() && ids.Len() > 0 {
			return true
		}
	}
	return false
}
