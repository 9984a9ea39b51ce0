package check

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/platenhq/platen/internal/template/lang"
)

// schema is a JSON Schema, draft 2020-12, as far as it is written here.
type schema struct {
	Schema      string             `json:"$schema,omitempty"`
	Ref         string             `json:"$ref,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        any                `json:"type,omitempty"` // one or several
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	Examples    []string           `json:"examples,omitempty"`
}

// Schema is the JSON Schema of the data that the template requires. Names count
// in it as they are written first; filling finds them in any case.
func (t *Template) Schema() (json.RawMessage, error) {
	whole := describeObject(t.Requirements(), "#")
	whole.Schema = "https://json-schema.org/draft/2020-12/schema"
	out, err := json.Marshal(whole)
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return out, nil
}

// Requirements are what the template asks of its data.
func (t *Template) Requirements() *lang.Requirement {
	var stories [][]string
	for _, one := range append([]*Template{t}, t.behind...) {
		for _, s := range one.stories {
			stories = append(stories, s.texts(), s.asideTexts())
		}
	}
	return lang.ReadRequirements(stories...)
}

// describePart describes what stands at a JSON pointer into the schema.
func describePart(a *lang.Requirement, pointer string) *schema {
	if len(a.Parts) == 0 {
		leaf := describeLeaf(a)
		if a.Example != "" && !a.List {
			leaf.Examples = []string{a.Example}
		}
		return leaf
	}
	if a.List {
		return &schema{Type: "array", Items: describeObject(a, pointer+"/items")}
	}
	// A row is repeated for the items of a list, and filled once for an object:
	// only the data says which.
	either := describeObject(a, pointer)
	either.Type = []string{"object", "array"}
	either.Items = &schema{Ref: pointer}
	return either
}

func describeObject(a *lang.Requirement, pointer string) *schema {
	o := &schema{Type: "object", Properties: make(map[string]*schema, len(a.Parts))}
	escape := strings.NewReplacer("~", "~0", "/", "~1", "%", "%25", " ", "%20", "\"", "%22", "#", "%23")
	for _, p := range a.Parts {
		o.Properties[p.Name] = describePart(p, pointer+"/properties/"+escape.Replace(p.Name))
		if p.Required {
			o.Required = append(o.Required, p.Name)
		}
	}
	return o
}

func describeLeaf(a *lang.Requirement) *schema {
	switch {
	case a.List:
		return &schema{Type: "array"}
	case a.Picture:
		return &schema{Type: []string{"string", "array", "null"}, Description: "A picture: a data URI, an address, or the id of a file of the drive."}
	case a.Markdown:
		return &schema{Type: []string{"string", "array", "null"}, Description: "Markdown: CommonMark, with strikethrough and tables."}
	case a.HTML:
		return &schema{Type: []string{"string", "array", "null"}, Description: "HTML as editors write it: paragraphs, lists, tables, links, pictures."}
	case a.EAN13:
		return &schema{Type: []string{"string", "array", "null"}, Description: "An EAN-13: 13 digits, or 12 without the check digit."}
	case a.Date:
		return &schema{Type: []string{"string", "array", "null"}, Description: "A date, such as 2026-01-31 or 31.1.2026."}
	case a.Number:
		return &schema{Type: []string{"number", "string", "array", "null"}, Description: "A number, or text that is one; several are joined or summed up."}
	case a.Shown:
		return &schema{Type: []string{"string", "number", "boolean", "array", "null"}}
	}
	return &schema{Description: "Asked for by conditions only."}
}
