package console

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/platenhq/platen"
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

// exampleOf is an event that fills every tag of a template; empty where it has none.
func exampleOf(schema json.RawMessage) string {
	var s dataSchema
	if json.Unmarshal(schema, &s) != nil || len(s.Properties) == 0 {
		return ""
	}
	text, err := json.Marshal(s.example("", ""))
	if err != nil || len(text) > maxExample {
		return ""
	}
	return string(text)
}

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
		return []any{"example"}
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
	case strings.HasPrefix(s.Description, "A picture"), isPictureName(name):
		return onePixel
	case hinted:
		return hint
	}
	return "example"
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
