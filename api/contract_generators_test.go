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
// types that nothing fits, and redocly found faults.

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

// What we send to a receiver is a request there: readOnly would say that it never has the
// field (OpenAPI 3.1, and redocly's rule no-required-read-only).
func TestEventsHaveNoFieldThatOnlyAnswersHave(t *testing.T) {
	t.Parallel()
	document := rawContract(t)
	seen := map[string]bool{}
	var check func(at string, node any)
	check = func(at string, node any) {
		eachObject(at, node, func(at string, o yamlObject) {
			if o["readOnly"] == true {
				t.Errorf("%s is readOnly, and a field of an event", at)
			}
			ref, _ := o["$ref"].(string)
			name, ok := strings.CutPrefix(ref, "#/components/schemas/")
			if ok && !seen[name] {
				seen[name] = true
				check(name, document["components"].(yamlObject)["schemas"].(yamlObject)[name])
			}
		})
	}
	for name, hook := range document["webhooks"].(yamlObject) {
		check(name, hook.(yamlObject)["post"].(yamlObject)["requestBody"])
	}
	if len(seen) < 3 {
		t.Errorf("looked at %v only", seen)
	}
}
