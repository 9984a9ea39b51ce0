package conformance

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A contract is the OpenAPI document as the service serves it. Answers may have
// only the fields that it names: a new one is added there.
type contract struct {
	served   []byte // as it came
	document any    // with its objects closed
	compiler *jsonschema.Compiler

	mu       sync.Mutex
	compiled map[string]*jsonschema.Schema
	answered map[string]bool // ids of operations that succeeded
}

const contractName = "openapi.json"

func fetchContract(t *testing.T, origin string) *contract {
	t.Helper()
	response, err := http.Get(origin + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	served, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(served))
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("read %s: %s, %v", contractName, response.Status, err)
	}
	closeObjects(document)
	c := &contract{served: served, document: document, compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}, answered: map[string]bool{}}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	c.compiler.AssertFormat()
	if err := c.compiler.AddResource(contractName, document); err != nil {
		t.Fatal(err)
	}
	return c
}

// closeObjects refuses further fields wherever a schema names some. A schema
// that others are made of by allOf stays open; the whole is closed instead.
func closeObjects(document any) {
	const isPart = "x-part"
	parts := map[string]bool{}
	visit(document, func(v map[string]any) {
		all, _ := v["allOf"].([]any)
		for _, part := range all {
			part, _ := part.(map[string]any)
			part[isPart] = true
			if ref, ok := part["$ref"].(string); ok {
				parts[ref[strings.LastIndexByte(ref, '/')+1:]] = true
			}
		}
	})
	visit(document, func(v map[string]any) {
		schemas, _ := v["schemas"].(map[string]any)
		for name := range schemas {
			if s, ok := schemas[name].(map[string]any); ok && parts[name] {
				s[isPart] = true
			}
		}
	})
	visit(document, func(v map[string]any) {
		_, whole := v["allOf"].([]any)
		_, hasFields := v["properties"].(map[string]any)
		_, said := v["additionalProperties"]
		switch {
		case v[isPart] != nil || said:
		case whole:
			v["unevaluatedProperties"] = false
		case hasFields:
			v["additionalProperties"] = false
		}
	})
}

func visit(v any, do func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		do(v)
		for _, inner := range v {
			visit(inner, do)
		}
	case []any:
		for _, inner := range v {
			visit(inner, do)
		}
	}
}

// at follows a JSON pointer's tokens, and references on the way; it returns
// the place that it ends at as well.
func (c *contract) at(tokens ...string) (value any, place []string) {
	value = c.document
	for _, token := range tokens {
		object, ok := value.(map[string]any)
		if !ok {
			return nil, nil
		}
		value, place = object[token], append(slices.Clone(place), token)
		for {
			object, ok := value.(map[string]any)
			ref, isRef := object["$ref"].(string)
			if !ok || !isRef {
				break
			}
			value, place = c.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
		}
	}
	return value, place
}

// operation finds the path that matches, and tells whether it has the method.
func (c *contract) operation(method, path string) (template string, ok bool) {
	path, _, _ = strings.Cut(path, "?")
	paths, _ := c.at("paths")
	all, _ := paths.(map[string]any)
	best := ""
	for template := range all {
		if matches(template, path) && (best == "" || strings.Count(template, "{") < strings.Count(best, "{")) {
			best = template
		}
	}
	if best == "" {
		return "", false
	}
	op, _ := c.at("paths", best, strings.ToLower(method))
	return best, op != nil
}

// knows tells whether the contract has exactly this path, slash included.
func (c *contract) knows(method, path string) bool {
	template, ok := c.operation(method, path)
	path, _, _ = strings.Cut(path, "?")
	return ok && strings.HasSuffix(template, "/") == strings.HasSuffix(path, "/") && !strings.ContainsAny(path, "%")
}

func matches(template, path string) bool {
	want, got := strings.Split(strings.Trim(template, "/"), "/"), strings.Split(strings.Trim(path, "/"), "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] != got[i] && (!strings.HasPrefix(want[i], "{") || got[i] == "") {
			return false
		}
	}
	return true
}

// check holds an answer against the contract.
func (c *contract) check(t testing.TB, method, path string, a answer) {
	t.Helper()
	if a.header.Get("X-Request-Id") == "" {
		t.Errorf("%s: the answer has no X-Request-Id", a.call)
	}
	template, ok := c.operation(method, path)
	if !ok {
		if a.status < 400 && method != http.MethodOptions && method != http.MethodHead {
			t.Errorf("%s: answered %d and is not in the contract", a.call, a.status)
		}
		return
	}
	status := strconv.Itoa(a.status)
	response, place := c.at("paths", template, strings.ToLower(method), "responses", status)
	if response == nil {
		t.Errorf("%s: the contract has no answer of status %s: %.300s", a.call, status, a.body)
		return
	}
	if id, _ := c.at("paths", template, strings.ToLower(method), "operationId"); a.status < 300 {
		c.mu.Lock()
		c.answered[id.(string)] = true
		c.mu.Unlock()
	}
	content, _ := response.(map[string]any)["content"].(map[string]any)
	if content == nil {
		if len(a.body) > 0 {
			t.Errorf("%s: the answer %s has a body, and none in the contract: %.300s", a.call, status, a.body)
		}
		return
	}
	for name := range headersOf(response) {
		if a.header.Get(name) == "" && !optionalHeader(name) {
			t.Errorf("%s: the answer %s has no %s", a.call, status, name)
		}
	}
	media := a.header.Get("Content-Type")
	if content[media] == nil {
		t.Errorf("%s: the answer %s has Content-Type %q, which is not in the contract", a.call, status, media)
		return
	}
	if media != "application/json" && !strings.HasSuffix(media, "+json") {
		return // a file
	}
	c.validate(t, a.call+": answer "+status, append(place, "content", media, "schema"), a.body)
}

func headersOf(response any) map[string]any {
	headers, _ := response.(map[string]any)["headers"].(map[string]any)
	return headers
}

// optionalHeader tells of headers that an answer has only where they say
// something.
func optionalHeader(name string) bool {
	return name == "Link" || name == "Preference-Applied" || name == "Location"
}

// validate holds a body against the schema at a place of the contract.
func (c *contract) validate(t testing.TB, what string, place []string, body []byte) {
	t.Helper()
	for i, token := range place {
		place[i] = strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
	}
	schema, err := c.schema(contractName + "#/" + strings.Join(place, "/"))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err == nil {
		err = schema.Validate(instance)
	}
	if err != nil {
		t.Errorf("%s does not fit the contract: %v\n%.600s", what, err, body)
	}
}

func (c *contract) schema(location string) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.compiled[location]; s != nil {
		return s, nil
	}
	s, err := c.compiler.Compile(location)
	if err == nil {
		c.compiled[location] = s
	}
	return s, err
}

// checkEvent holds a request to an outgoing webhook against the contract's
// webhooks.
func (c *contract) checkEvent(t testing.TB, header http.Header, body []byte) {
	t.Helper()
	var kind struct {
		Type string `json:"event_type"`
	}
	if err := json.Unmarshal(body, &kind); err != nil {
		t.Errorf("event: %v: %s", err, body)
		return
	}
	op, _ := c.at("webhooks", kind.Type, "post")
	if op == nil {
		t.Errorf("event: the contract has no webhook %q", kind.Type)
		return
	}
	c.validate(t, "event "+kind.Type, []string{"webhooks", kind.Type, "post", "requestBody", "content", "application/json", "schema"}, body)
	parameters, _ := op.(map[string]any)["parameters"].([]any)
	for _, p := range parameters {
		ref, _ := p.(map[string]any)["$ref"].(string)
		name := ref[strings.LastIndexByte(ref, '/')+1:]
		if required, _ := c.at("components", "parameters", name, "required"); required != true && header.Get(name) == "" {
			continue
		}
		raw, err := json.Marshal(header.Get(name))
		if err != nil {
			t.Fatal(err)
		}
		c.validate(t, "header "+name, []string{"components", "parameters", name, "schema"}, raw)
	}
}
