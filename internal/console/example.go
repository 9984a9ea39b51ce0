package console

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/form"
)

// exampleEvent is an event with these source fields, all of them texts that fit their names.
func exampleEvent(fields []string) string {
	event := map[string]any{}
	for _, name := range fields[:min(len(fields), platen.MaxFormFields)] {
		into := event
		path := strings.Split(name, ".")
		for _, parent := range path[:len(path)-1] {
			below, ok := into[parent].(map[string]any)
			if !ok {
				below = map[string]any{}
				into[parent] = below
			}
			into = below
		}
		if last := path[len(path)-1]; into[last] == nil {
			into[last] = textLike(last, "", "")
		}
	}
	if len(event) == 0 {
		event["Name"] = "Ada"
	}
	text, err := json.Marshal(event)
	if err != nil {
		return "{}" // never: it holds strings alone
	}
	return string(text)
}

// A dataSchema is what /v0 says of the data that a template asks for, as far as an example
// needs it.
type dataSchema struct {
	Type       any // one or several
	Properties map[string]dataSchema
	Items      *dataSchema
	Examples   []string

	Description string
}

// exampleOf is an event that fills every tag of templates; empty where they have none.
func exampleOf(schemas ...json.RawMessage) string {
	event := map[string]any{}
	for _, schema := range schemas {
		var s dataSchema
		if json.Unmarshal(schema, &s) != nil || len(s.Properties) == 0 {
			continue
		}
		if one, ok := s.example("", "").(map[string]any); ok {
			fillGaps(event, one)
		}
	}
	text, err := json.Marshal(event)
	if err != nil || len(event) == 0 || len(text) > maxExample {
		return ""
	}
	return string(text)
}

// fillGaps adds to an example what it does not have of another one.
func fillGaps(into, from any) {
	switch from := from.(type) {
	case map[string]any:
		have, ok := into.(map[string]any)
		if !ok {
			return
		}
		for name, value := range from {
			if _, known := have[name]; known {
				fillGaps(have[name], value)
			} else {
				have[name] = value
			}
		}
	case []any:
		if have, ok := into.([]any); ok && len(have) > 0 {
			fillGaps(have[0], from[0])
		}
	}
}

// madeUpAddress and madeUpText stand for values whose names say nothing of them.
const (
	madeUpAddress = "https://example.com/"
	madeUpText    = "example"
)

// isMadeUp tells whether an example has values that a template may not take.
func isMadeUp(event string) bool {
	return strings.Contains(event, `"`+madeUpAddress+`"`) || strings.Contains(event, `"`+madeUpText+`"`)
}

// fit puts a value that templates take in place of each made-up one: there is no picture at
// a made-up address, and few texts are a currency.
func fit(event string, schemas []json.RawMessage) string {
	var object any
	d := json.NewDecoder(strings.NewReader(event))
	d.UseNumber()
	if d.Decode(&object) != nil {
		return event
	}
	for _, schema := range schemas {
		var s dataSchema
		if json.Unmarshal(schema, &s) == nil {
			object = s.fit(object)
		}
	}
	text, err := json.Marshal(object)
	if err != nil || len(text) > maxExample {
		return event
	}
	return string(text)
}

func (s dataSchema) fit(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, of := range s.Properties {
			for spelt := range v { // a template may write it in another case
				if strings.EqualFold(spelt, name) {
					v[spelt] = of.fit(v[spelt])
				}
			}
		}
	case []any:
		of := s // an object, or a list of them
		if s.Items != nil && len(s.Properties) == 0 {
			of = *s.Items
		}
		for i := range v {
			v[i] = of.fit(v[i])
		}
	case string:
		switch {
		case v != madeUpAddress && v != madeUpText:
		case s.isPicture():
			return onePixel
		case len(s.Examples) > 0:
			return s.Examples[0]
		}
	}
	return value
}

func (s dataSchema) isPicture() bool { return strings.HasPrefix(s.Description, "A picture") }

func (s dataSchema) example(name, list string) any {
	kind, _ := s.Type.(string)
	if several, _ := s.Type.([]any); len(several) > 0 {
		kind, _ = several[0].(string)
	}
	hint, hinted := form.ExampleText(name, list)
	switch {
	case len(s.Properties) > 0 && kind == "object" && s.mayBe("array") && form.IsPlural(name):
		return []any{dataSchema{Properties: s.Properties}.example(name, name)} // a row is repeated for either
	case kind == "array" && s.Items != nil:
		return []any{s.Items.example(name, name)}
	case kind == "array":
		return []any{madeUpText}
	case len(s.Properties) > 0:
		object := map[string]any{}
		for part, of := range s.Properties {
			object[part] = of.example(part, list)
		}
		return object
	case len(s.Examples) > 0:
		return s.Examples[0]
	case kind == "number" && hinted && isNumber(hint):
		return json.Number(hint)
	case kind == "number":
		return 1
	case kind == "":
		return true // conditions alone ask for it
	case s.isPicture(), isPictureName(name):
		return onePixel
	case hinted:
		return hint
	}
	return madeUpText
}

// mayBe tells whether a schema allows a type among others.
func (s dataSchema) mayBe(kind string) bool {
	several, _ := s.Type.([]any)
	return slices.Contains(several, any(kind))
}

// isPictureName tells whether a field is called as pictures are.
func isPictureName(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"logo", "image", "img", "picture", "photo", "foto", "bild", "avatar", "thumbnail", "stamp", "stempel", "signature", "unterschrift", "grafik"}, func(word string) bool { return strings.Contains(name, word) })
}

// onePixel is the smallest picture that fills a picture's tag.
const onePixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// shapeOf is an event with the names, lists and kinds of values of another one, and one
// item in each list; empty where that is no object, or has too many values to be shown.
func shapeOf(event []byte) string {
	d := json.NewDecoder(bytes.NewReader(event))
	d.UseNumber()
	var object map[string]any
	const shortest = len(`"":1,`) // of a value with its name
	if d.Decode(&object) != nil || len(object) == 0 || values(object) > maxExample/shortest {
		return ""
	}
	text, err := json.Marshal(placeholder("", "", object))
	if err != nil {
		return ""
	}
	return string(text)
}

// values is how many values a placeholder has.
func values(of any) (n int) {
	switch v := of.(type) {
	case map[string]any:
		for _, one := range v {
			n += values(one)
		}
		return n
	case []any:
		if len(v) > 0 {
			return values(v[0])
		}
	}
	return 1
}

// placeholder is a value of the same kind that says nothing of anybody. It has the name of
// its field, and list is that of the list around it.
func placeholder(name, list string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		like := make(map[string]any, len(v))
		for part, one := range v {
			like[part] = placeholder(part, list, one)
		}
		return like
	case []any:
		if len(v) == 0 {
			return v
		}
		return []any{placeholder(name, name, v[0])}
	case json.Number:
		return numberLike(name, list, v)
	case string:
		return textLike(name, list, v)
	default: // true, false, null
		return v
	}
}
