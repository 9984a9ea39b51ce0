package api

import (
	"os"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// Generators of clients make types of the components' names, and of what schemas leave
// open. These are the causes by which oapi-codegen refused the contract, TypeScript got
// types that nothing fits, and redocly found faults. test/interop has the generators
// themselves.

type yamlObject = map[string]any

func rawContract(t *testing.T) yamlObject {
	t.Helper()
	raw, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var document yamlObject
	if err := yaml.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

func TestNamesOfParametersAreNoNamesOfGeneratedTypes(t *testing.T) {
	t.Parallel()
	components := rawContract(t)["components"].(yamlObject)
	types := map[string]string{}
	var add func(path string, schema any)
	add = func(path string, schema any) {
		of, ok := schema.(yamlObject)
		if !ok {
			return
		}
		types[strings.ToLower(path)] = path
		properties, _ := of["properties"].(yamlObject)
		for name, property := range properties {
			if p, ok := property.(yamlObject); ok && (p["enum"] != nil || p["properties"] != nil) {
				add(path+name, property)
			}
		}
	}
	for name, schema := range components["schemas"].(yamlObject) {
		add(name, schema)
	}
	for name := range components["parameters"].(yamlObject) {
		if taken := types[strings.ToLower(name)]; taken != "" {
			t.Errorf("the parameter %s is also the type %s of a schema: call it otherwise, such as %sFilter", name, taken, name)
		}
	}
}

// eachObject calls look with every object of a document, and where it is.
func eachObject(at string, node any, look func(at string, o yamlObject)) {
	switch node := node.(type) {
	case yamlObject:
		look(at, node)
		for name, below := range node {
			if name != "example" && name != "examples" && name != "default" {
				eachObject(at+"/"+name, below, look)
			}
		}
	case []any:
		for _, below := range node {
			eachObject(at, below, look)
		}
	}
}

func TestObjectsSayWhetherTheyTakeOtherFields(t *testing.T) {
	t.Parallel()
	eachObject("", rawContract(t), func(at string, o yamlObject) {
		isObject := o["type"] == "object"
		if kinds, ok := o["type"].([]any); ok {
			isObject = slices.Contains(kinds, any("object"))
		}
		if isObject && o["properties"] == nil && o["additionalProperties"] == nil && o["maxProperties"] == nil && o["patternProperties"] == nil && o["allOf"] == nil {
			t.Errorf("%s is an object without fields: say additionalProperties: true, or generators make a type that nothing fits", at)
		}
	})
}

// oapi-codegen refuses a schema of two types: choices of one type each are what every
// generator takes.
func TestSchemasHaveOneTypeAndNull(t *testing.T) {
	t.Parallel()
	eachSchema(t, func(at string, schema yamlObject) {
		kinds, _ := schema["type"].([]any)
		if kinds = slices.DeleteFunc(slices.Clone(kinds), func(kind any) bool { return kind == "null" }); len(kinds) > 1 {
			t.Errorf("%s has the types %v: say oneOf with a choice for each", at, kinds)
		}
	})
}

// Schemas of answers are none of requests. readOnly would say nothing there that holds:
// oapi-codegen makes a pointer of each such field, for requests that do not have it, and
// to redocly an event, which is a request, lacks it (rule no-required-read-only).
func TestNothingIsReadOnly(t *testing.T) {
	t.Parallel()
	eachSchema(t, func(at string, schema yamlObject) {
		if schema["readOnly"] != nil || schema["writeOnly"] != nil {
			t.Errorf("%s is readOnly or writeOnly: have one schema for requests and one for answers", at)
		}
	})
}

// Data of a template and its schema are objects with any fields: Record<string, never>
// would allow none.
func TestWhatHoldsAnyDataTakesAnyField(t *testing.T) {
	t.Parallel()
	document := rawContract(t)
	for _, at := range [][]string{
		{"components", "schemas", "SourceData"},
		{"components", "schemas", "SampleData"},
		{"components", "schemas", "DocumentCheck", "properties", "schema"},
	} {
		got := below(document, at...)
		if choices, ok := got["oneOf"].([]any); ok { // or null
			got = choices[0].(yamlObject)
		}
		if got["additionalProperties"] != true {
			t.Errorf("%s: got additionalProperties %v, want true", strings.Join(at, "/"), got["additionalProperties"])
		}
	}
}

// below follows keys into a document, and into the parts of an allOf to a property.
func below(o yamlObject, keys ...string) yamlObject {
	for i, key := range keys {
		if parts, ok := o[key].([]any); ok {
			for _, part := range parts {
				properties, _ := part.(yamlObject)["properties"].(yamlObject)
				if found, ok := properties[keys[i+1]].(yamlObject); ok {
					return found
				}
			}
			return nil
		}
		o, _ = o[key].(yamlObject)
	}
	return o
}

// eachSchema calls look with every schema of the components and of the requests and
// answers, and with those within them.
func eachSchema(t *testing.T, look func(at string, schema yamlObject)) {
	t.Helper()
	var walk func(at string, schema any)
	walk = func(at string, schema any) {
		s, ok := schema.(yamlObject)
		if !ok {
			return
		}
		look(at, s)
		for _, word := range []string{"properties", "patternProperties"} {
			fields, _ := s[word].(yamlObject)
			for name, field := range fields {
				walk(at+"/"+word+"/"+name, field)
			}
		}
		for _, word := range []string{"items", "additionalProperties"} {
			walk(at+"/"+word, s[word])
		}
		for _, word := range []string{"oneOf", "anyOf", "allOf"} {
			choices, _ := s[word].([]any)
			for _, choice := range choices {
				walk(at+"/"+word, choice)
			}
		}
	}
	document := rawContract(t)
	for name, schema := range document["components"].(yamlObject)["schemas"].(yamlObject) {
		walk(name, schema)
	}
	for _, part := range []string{"paths", "webhooks", "components"} {
		eachObject(part, document[part], func(at string, o yamlObject) {
			if schema, ok := o["schema"].(yamlObject); ok && !strings.Contains(at, "/schemas/") && !strings.HasSuffix(at, "/properties") {
				walk(at, schema)
			}
		})
	}
}

// A comma in a description that is not quoted ends it, and what is behind it becomes a
// word of its own.
func TestSchemasHaveTheWordsOfJSONSchemaAlone(t *testing.T) {
	t.Parallel()
	words := strings.Fields(`$ref type description enum const format pattern default examples required properties
		patternProperties additionalProperties items oneOf anyOf allOf minimum maximum minLength maxLength minItems
		maxItems uniqueItems minProperties maxProperties readOnly writeOnly contentEncoding contentMediaType x-extension`)
	eachSchema(t, func(at string, schema yamlObject) {
		for word := range schema {
			if !slices.Contains(words, word) {
				t.Errorf("%s has the word %q, which JSON Schema does not: are quotes missing?", at, word)
			}
		}
	})
}

// A generator in Go makes a pointer of a field that may be null. Of a schema that may be
// null by itself it makes a plain type, and null becomes an empty text or a time of the
// year 1.
func TestNullIsSaidWhereAFieldIs(t *testing.T) {
	t.Parallel()
	for name, schema := range rawContract(t)["components"].(yamlObject)["schemas"].(yamlObject) {
		kinds, _ := schema.(yamlObject)["type"].([]any)
		null := slices.Contains(kinds, any("null"))
		for _, word := range []string{"oneOf", "anyOf"} {
			choices, _ := schema.(yamlObject)[word].([]any)
			for _, choice := range choices {
				null = null || choice.(yamlObject)["type"] == "null"
			}
		}
		if null {
			t.Errorf("%s may be null: say so at each field that is of it", name)
		}
	}
}

// To openapi-typescript a field with a default is always there, in requests as well: a
// client would have to send it.
func TestFieldsThatOneMayLeaveOutHaveNoDefaultOfTheirOwn(t *testing.T) {
	t.Parallel()
	eachSchema(t, func(at string, schema yamlObject) {
		if _, ok := schema["default"]; ok && strings.Contains(at, "/properties/") {
			t.Errorf("%s has a default of its own: name it in the description, or in a schema that the field refers to", at)
		}
	})
}

// Generators make fields of properties, and of patterns nothing that one can use. Patterns
// are for other spellings, and for what is ignored.
func TestWhatRequestsMaySetIsNamed(t *testing.T) {
	t.Parallel()
	schemas := rawContract(t)["components"].(yamlObject)["schemas"].(yamlObject)
	settings := []string{"outputName", "createPdfCopy", "removeOutput", "enablePdfPassword", "pdfPassword", "enablePdfPreventCopy",
		"onMissing", "outputFolder", "outputFolderId", "outputSharing", "email", "numbers", "appendices", "pdf", "accessibility", "seal"}
	for _, name := range []string{"NewWorkflowDocument", "NewDocument", "DocumentChange"} {
		properties := schemas[name].(yamlObject)["properties"].(yamlObject)
		for _, setting := range settings {
			if properties[setting] == nil {
				t.Errorf("%s does not name %s", name, setting)
			}
		}
	}
}

// Generators leave out components that no path leads to: what webhooks alone name would
// be missing from the code that is made of them.
func TestWhatWebhooksNameIsNamedByPathsToo(t *testing.T) {
	t.Parallel()
	document := rawContract(t)
	named := func(part string) map[string]bool {
		all := map[string]bool{}
		var walk func(node any)
		walk = func(node any) {
			switch node := node.(type) {
			case yamlObject:
				if ref, ok := node["$ref"].(string); ok && !all[ref] {
					all[ref] = true
					walk(below(document, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...))
				}
				for _, one := range node {
					walk(one)
				}
			case []any:
				for _, one := range node {
					walk(one)
				}
			}
		}
		walk(document[part])
		return all
	}
	byPaths := named("paths")
	for ref := range named("webhooks") {
		if !byPaths[ref] && !strings.HasPrefix(ref, "#/components/examples/") {
			t.Errorf("%s is named by webhooks alone", ref)
		}
	}
}
