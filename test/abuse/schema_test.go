package abuse

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A schema is a type of the contract, or of Google's discovery documents.
type schema struct {
	Ref        string            `json:"$ref"`
	Type       any               `json:"type"` // a name or, in the contract, a list of them
	Format     string            `json:"format"`
	Enum       []any             `json:"enum"`
	Items      *schema           `json:"items"`
	Properties map[string]schema `json:"properties"`
	AllOf      []schema          `json:"allOf"`
	OneOf      []schema          `json:"oneOf"`
}

// kinds are the types that the schema allows.
func (s schema) kinds() []string {
	switch t := s.Type.(type) {
	case string:
		return []string{t}
	case []any:
		var all []string
		for _, name := range t {
			if name, ok := name.(string); ok {
				all = append(all, name)
			}
		}
		return all
	}
	return []string{"object"}
}

// A parameter stands in a path, a query or a header.
type parameter struct {
	Ref      string `json:"$ref"`
	Name     string `json:"name"`
	In       string `json:"in"`
	Location string `json:"location"` // as discovery documents say it
	Schema   schema `json:"schema"`
}

// An operation is a method of an interface, such as PATCH /workflows/{workflowId}/.
type operation struct {
	method, path string
	parameters   []parameter
	body         schema
	types        map[string]schema // by name
}

// operations are those of the contract that the API serves.
func (s *service) operations(t *testing.T) []operation {
	t.Helper()
	type method struct {
		Parameters  []parameter
		RequestBody struct {
			Content map[string]struct{ Schema schema }
		}
	}
	var contract struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct {
			Schemas    map[string]schema
			Parameters map[string]parameter
		}
	}
	s.must(t, "GET", "http://"+s.api+"/openapi.json", "", "", "", &contract)
	var all []operation
	for _, at := range slices.Sorted(maps.Keys(contract.Paths)) {
		for _, name := range slices.Sorted(maps.Keys(contract.Paths[at])) {
			if !slices.Contains([]string{"get", "post", "put", "patch", "delete"}, name) || at == "/{sourceKey}" {
				continue
			}
			var m method
			if err := json.Unmarshal(contract.Paths[at][name], &m); err != nil {
				t.Fatalf("%s %s: %v", name, at, err)
			}
			for i, p := range m.Parameters {
				if p.Ref != "" {
					m.Parameters[i] = contract.Components.Parameters[path.Base(p.Ref)]
				}
			}
			all = append(all, operation{strings.ToUpper(name), at, m.Parameters, m.RequestBody.Content["application/json"].Schema, contract.Components.Schemas})
		}
	}
	if len(all) < 40 {
		t.Fatalf("the contract has %d operations, want 40 at least", len(all))
	}
	return all
}

// A discovery is what Google publishes of an interface, or of a part of it.
type discovery struct {
	ServicePath string
	Schemas     map[string]schema
	Resources   map[string]discovery
	Methods     map[string]struct {
		HTTPMethod string
		Path       string
		Parameters map[string]json.RawMessage
		Request    schema
	}
}

// driveOperations are the methods of Drive, Docs and Slides, as Google has them.
func driveOperations(t *testing.T) []operation {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "google.golang.org/api").Output()
	if err != nil {
		t.Fatalf("find the module of Google's client: %v", err)
	}
	var all []operation
	for _, name := range []string{"drive/v3/drive-api.json", "docs/v1/docs-api.json", "slides/v1/slides-api.json"} {
		raw, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), name))
		if err != nil {
			t.Fatal(err)
		}
		var d discovery
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, d.operations(t, "/"+d.ServicePath, d.Schemas)...)
	}
	if len(all) < 35 {
		t.Fatalf("Google has %d methods that ours may serve, want 35 at least", len(all))
	}
	return all
}

// unserved are parts of Drive that ours has nothing of but a refusal.
var unserved = []string{"accessproposals", "approvals", "apps", "channels", "comments", "replies", "revisions", "teamdrives"}

func (d discovery) operations(t *testing.T, base string, types map[string]schema) []operation {
	var all []operation
	for _, name := range slices.Sorted(maps.Keys(d.Methods)) {
		m := d.Methods[name]
		o := operation{method: m.HTTPMethod, path: base + m.Path, body: m.Request, types: types}
		for _, name := range slices.Sorted(maps.Keys(m.Parameters)) {
			p := parameter{Name: name}
			if err := json.Unmarshal(m.Parameters[name], &p.Schema); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(m.Parameters[name], &p); err != nil {
				t.Fatal(err)
			}
			p.In = p.Location
			o.parameters = append(o.parameters, p)
		}
		all = append(all, o)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Resources)) {
		if !slices.Contains(unserved, name) {
			all = append(all, d.Resources[name].operations(t, base, types)...)
		}
	}
	return all
}

// A dice makes what requests are of.
type dice struct {
	*rand.Rand
	ids []string // that values may name
}

func pick[T any](r *dice, all ...T) T { return all[r.IntN(len(all))] }

// in tells whether what happens once in n happens now.
func (r *dice) in(n int) bool { return r.IntN(n) == 0 }

const deepest = 7

// value is one of the schema, or now and then another.
func (r *dice) value(s schema, name string, types map[string]schema, depth int) any {
	if s.Ref != "" {
		s = types[path.Base(s.Ref)]
	}
	switch {
	case r.in(25):
		return r.odd()
	case depth > deepest:
		return nil
	case len(s.Enum) > 0:
		return pick(r, s.Enum...)
	case len(s.OneOf) > 0:
		return r.value(pick(r, s.OneOf...), name, types, depth+1)
	case len(s.AllOf) > 0:
		whole := map[string]any{}
		for _, part := range s.AllOf {
			if fields, ok := r.value(part, name, types, depth+1).(map[string]any); ok {
				maps.Copy(whole, fields)
			}
		}
		return whole
	}
	switch pick(r, s.kinds()...) {
	case "object":
		return r.object(s, types, depth)
	case "array":
		list := make([]any, r.IntN(4))
		for i := range list {
			if s.Items != nil {
				list[i] = r.value(*s.Items, name, types, depth+1)
			}
		}
		return list
	case "boolean":
		return r.in(2)
	case "integer":
		return r.integer()
	case "number":
		return pick[any](r, 0.5, -1.0, 72.0, 1e-320, 1e300, float64(r.integer()))
	case "null":
		return nil
	}
	return r.text(name)
}

// object has some of the properties: one, as a rule, where there are so many that it
// must be a choice of one.
func (r *dice) object(s schema, types map[string]schema, depth int) map[string]any {
	const choices = 20
	fields := map[string]any{}
	names := slices.Sorted(maps.Keys(s.Properties))
	for _, name := range names {
		if len(names) < choices && r.in(2) {
			fields[name] = r.value(s.Properties[name], name, types, depth+1)
		}
	}
	for len(names) >= choices && (len(fields) == 0 || r.in(8)) {
		name := pick(r, names...)
		fields[name] = r.value(s.Properties[name], name, types, depth+1)
	}
	return fields
}

func (r *dice) integer() int64 {
	return pick[int64](r, 0, 1, 1, 2, 3, 5, 10, 20, 100, -1, 1000, 1<<20, 1<<31-1, -1<<31, 1<<53, 1<<62)
}

// odd is a value that no schema asks for.
func (r *dice) odd() any {
	return pick[any](r, nil, "", 0, -1, 1e300, true, []any{}, map[string]any{}, []any{nil}, map[string]any{"": nil}, "\u0000", "\u202e\u200b\ufeff", strings.Repeat("a", 10_000),
		map[string]any{"__proto__": map[string]any{"a": 1}}, []any{[]any{[]any{}}}, "1e999", "-0")
}

// texts are tags, formulas, addresses, queries, times and names.
var texts = []string{
	"Ada", "", "{{Name}}", "{{#each Items}}{{Name}}{{/each}}", "{{#each}}", "{{Name | upper | upper}}", "{{" + strings.Repeat("(", 300) + "}}", "{{=1/0}}", "{{\u0000}}", "=cmd|' /C calc'!A0",
	"' OR 1=1 --", "../../etc/passwd", "%2e%2e%2f", "<script>alert(1)</script>", "${jndi:ldap://a}", "𝒜𝒹𝒶 \U0001F9D1\u200d\U0001F680", "e\u0301", "\u202eadA", "\ufeff\u200b", "\ufffd\uffff",
	strings.Repeat("ß", 300), strings.Repeat("n", 70_000), "2026-02-30T25:61:61Z", "0001-01-01T00:00:00Z", "9999999999999999999", "NaN", "id", "root", "me", "files(*,owners(*))", "name,id,", "*", "a/b/c(d",
	"name contains 'a' and trashed = false", "not (mimeType = 'x' or 'me' in owners)", strings.Repeat("(", 2000), "modifiedTime desc,name_natural", "application/pdf", "application/vnd.google-apps.document",
	"application/vnd.google-apps.presentation", "application/vnd.google-apps.folder", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "text/plain", "media", "user", "anyone", "reader", "eve@attack.example",
}

func (r *dice) text(name string) string {
	lower := strings.ToLower(name)
	switch {
	case len(r.ids) > 0 && strings.HasSuffix(lower, "id") && !r.in(4):
		return pick(r, r.ids...)
	case strings.HasSuffix(lower, "url") && !r.in(4):
		return pick(r, "http://169.254.169.254/latest/meta-data", "http://127.0.0.1:1/", "https://receiver.example/a", "http://[::ffff:127.0.0.1]/", "file:///etc/passwd", "http://a b/", "https://"+strings.Repeat("a", 3000)+".example/", "http://user:pw@127.0.0.1/", "http://\u24d4xample.com/")
	}
	return pick(r, texts...)
}

// damaged is text with a fault of a kind that encoders do not make.
func (r *dice) damaged(text string) string {
	at := r.IntN(len(text) + 1)
	switch r.IntN(8) {
	case 0:
		return text[:at]
	case 1:
		return text[:at] + pick(r, "\x00", "\xff\xfe", "{", "]", ",", `"`, "\\", `\ud800`, "1e999999", "\ufeff", "//", "NaN") + text[at:]
	case 2:
		return text + text
	case 3:
		return strings.Replace(text, ":", `:{"a":1},"a":`, 1)
	case 4:
		return strings.Repeat(`{"a":`, 5_000) + text + strings.Repeat("}", 5_000)
	case 5:
		return strings.Repeat("[", pick(r, 100, 20_000, 900_000))
	case 6:
		return `{"a":"` + strings.Repeat(pick(r, "a", "€", `\u0000`, `\ud83d\ude00`), pick(r, 1_000, 100_000, 400_000)) + `"}`
	}
	return "\ufeff" + text
}
