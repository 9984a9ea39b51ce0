package api

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

//go:embed contract.html
var contractHTML string

// contractPage writes the resolved contract as one page that needs nothing
// from anywhere else.
func contractPage(root *yaml.Node) ([]byte, error) {
	t, err := template.New("contract").Funcs(template.FuncMap{"prose": prose, "inline": inline}).Parse(contractHTML)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, readContract(root))
	return b.Bytes(), err
}

// What the page shows.
type (
	contractView struct {
		Title, Version, Summary, Description, Server string
		Groups                                       []groupView
		Events                                       []operationView
		Schemas                                      []schemaView
	}
	groupView struct {
		Name, Description string
		Operations        []operationView
	}
	operationView struct {
		ID, Method, Path, Summary, Description string
		Extension                              bool
		Alternative                            bool // another spelling of a path that has its own entry
		Parameters                             []fieldView
		Body                                   typeView
		Example                                string
		Snippets                               []snippet // how it is asked for in each language
		address, file, saved                   string    // where the snippets send it, the file that they send, and that of the answer
		secured                                bool      // it needs an access token
		Responses                              []responseView
	}
	responseView struct {
		Status, Description string
		Type                typeView
		Example             string
	}
	schemaView struct {
		Name, Description, Rule string
		Extension               bool
		Fields                  []fieldView
	}
	fieldView struct {
		Name, In, Description string
		Type                  typeView
		Required              bool
	}
	// A typeView is a type in words; Link names the schema that it is or holds.
	typeView struct{ Before, Link, After string }
)

func readContract(root *yaml.Node) contractView {
	r := contractReader{root}
	v := contractView{
		Title:       scalar(root, "info", "title"),
		Version:     scalar(root, "info", "version"),
		Summary:     scalar(root, "info", "summary"),
		Description: scalar(root, "info", "description"),
	}
	for _, server := range items(at(root, "servers")) {
		v.Server = scalar(server, "url")
	}
	for _, tag := range items(at(root, "tags")) {
		g := groupView{Name: scalar(tag, "name"), Description: scalar(tag, "description")}
		g.Operations = r.operations(at(root, "paths"), g.Name)
		v.Groups = append(v.Groups, g)
	}
	v.Events = r.operations(at(root, "webhooks"), "")
	each(at(root, "components", "schemas"), func(name string, s *yaml.Node) {
		v.Schemas = append(v.Schemas, r.schema(name, s))
	})
	return v
}

type contractReader struct{ root *yaml.Node }

// deref follows a reference into the same document.
func (r contractReader) deref(n *yaml.Node) *yaml.Node {
	if ref := scalar(n, "$ref"); ref != "" {
		return at(r.root, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return n
}

// operations returns those with the tag, all of them if it is "".
func (r contractReader) operations(paths *yaml.Node, tag string) (out []operationView) {
	each(paths, func(path string, item *yaml.Node) {
		each(item, func(method string, op *yaml.Node) {
			if at(op, "operationId") == nil || tag != "" && (len(items(at(op, "tags"))) == 0 || items(at(op, "tags"))[0].Value != tag) {
				return
			}
			out = append(out, r.operation(path, method, item, op))
		})
	})
	return out
}

func (r contractReader) operation(path, method string, item, op *yaml.Node) operationView {
	v := operationView{
		ID: scalar(op, "operationId"), Method: strings.ToUpper(method), Path: path,
		Summary: scalar(op, "summary"), Description: scalar(op, "description"), Extension: scalar(op, "x-extension") == "true",
		Alternative: strings.HasSuffix(scalar(op, "operationId"), "Singular"),
	}
	address := path
	for _, p := range append(items(at(item, "parameters")), items(at(op, "parameters"))...) {
		p = r.deref(p)
		f := fieldView{Name: scalar(p, "name"), In: scalar(p, "in"), Description: scalar(p, "description"),
			Type: r.typeOf(at(p, "schema")), Required: scalar(p, "required") == "true"}
		v.Parameters = append(v.Parameters, f)
		address = strings.ReplaceAll(address, "{"+f.Name+"}", scalar(p, "example"))
	}
	server := ""
	for _, s := range append(items(at(r.root, "servers")), items(at(item, "servers"))...) {
		server = scalar(s, "url")
	}
	v.Body, v.Example = r.content(at(op, "requestBody"))
	v.address, v.file, v.saved, v.secured = server+address, r.sent(op), r.saved(op), at(op, "security") == nil
	if strings.HasPrefix(path, "/") {
		v.Snippets = snippetRequest{
			method: v.Method, address: v.address, credentials: v.secured,
			body: v.Example, file: v.file, saved: v.saved, answers: r.answers(op),
		}.snippets()
	}
	each(at(op, "responses"), func(status string, res *yaml.Node) {
		res = r.deref(res)
		shown := responseView{Status: status, Description: scalar(res, "description")}
		shown.Type, shown.Example = r.content(res)
		v.Responses = append(v.Responses, shown)
	})
	slices.SortStableFunc(v.Responses, func(a, b responseView) int { return strings.Compare(a.Status, b.Status) })
	return v
}

// content returns the type of a body and its first example.
func (r contractReader) content(body *yaml.Node) (t typeView, example string) {
	each(at(r.deref(body), "content"), func(_ string, media *yaml.Node) {
		t = r.typeOf(at(media, "schema"))
		each(at(media, "examples"), func(_ string, e *yaml.Node) {
			if value := at(r.deref(e), "value"); value != nil && example == "" {
				example = indent(value)
			}
		})
	})
	return t, example
}

func (r contractReader) schema(name string, s *yaml.Node) schemaView {
	v := schemaView{Name: name, Description: scalar(s, "description"), Extension: scalar(s, "x-extension") == "true"}
	r.fields(&v.Fields, "", s)
	if len(v.Fields) == 0 {
		v.Rule = rules(s)
	}
	return v
}

// fields lists the fields of an object, those of objects in it by their path.
func (r contractReader) fields(out *[]fieldView, prefix string, s *yaml.Node) {
	var required []string
	for _, n := range items(at(s, "required")) {
		required = append(required, n.Value)
	}
	each(at(s, "properties"), func(name string, p *yaml.Node) {
		description := scalar(p, "description")
		if description == "" {
			description = scalar(r.deref(p), "description")
		}
		*out = append(*out, fieldView{Name: prefix + name, Type: r.typeOf(p), Required: slices.Contains(required, name), Description: description})
		r.fields(out, prefix+name+".", p)
	})
	each(at(s, "patternProperties"), func(pattern string, p *yaml.Node) {
		name := strings.ReplaceAll(strings.Trim(pattern, "^$()"), "|", ", ")
		description := scalar(p, "description")
		if ref := scalar(p, "$ref"); ref != "" {
			description = "Another way to give it."
		}
		*out = append(*out, fieldView{Name: prefix + name, Type: r.typeOf(p), Description: description})
	})
}

func (r contractReader) typeOf(s *yaml.Node) typeView {
	if ref := scalar(s, "$ref"); ref != "" {
		return typeView{Link: ref[strings.LastIndexByte(ref, '/')+1:]}
	}
	if alternatives := items(at(s, "oneOf")); len(alternatives) == 2 {
		t := r.typeOf(alternatives[0])
		t.After += " or " + r.typeOf(alternatives[1]).Before
		return t
	}
	if item := at(s, "items"); item != nil {
		t := r.typeOf(item)
		t.Before = "list of " + t.Before
		return t
	}
	return typeView{Before: rules(s)}
}

// rules says a plain type and its limits in words.
func rules(s *yaml.Node) string {
	if c := scalar(s, "const"); c != "" {
		return c
	}
	var values []string
	for _, n := range items(at(s, "enum")) {
		values = append(values, n.Value)
	}
	if values != nil {
		return strings.Join(values, ", ")
	}
	words := []string{scalar(s, "type")}
	for _, rule := range []struct{ key, before string }{
		{"format", ""}, {"minLength", "at least "}, {"maxLength", "at most "}, {"minimum", "from "}, {"maximum", "to "}, {"pattern", ""}, {"default", "default "},
	} {
		if value := scalar(s, rule.key); value != "" {
			words = append(words, rule.before+value)
		}
	}
	return strings.Trim(strings.Join(words, ", "), ", ")
}

func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func indent(n *yaml.Node) string {
	raw, err := ordered{n}.MarshalJSON()
	if err != nil {
		return ""
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return ""
	}
	return b.String()
}

func items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return slices.Clone(n.Content)
}

func each(n *yaml.Node, visit func(key string, value *yaml.Node)) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i < len(n.Content); i += 2 {
		visit(n.Content[i].Value, n.Content[i+1])
	}
}

// scalar is the scalar at the end of keys, "" when there is none.
func scalar(n *yaml.Node, keys ...string) string {
	if n = at(n, keys...); n == nil {
		return ""
	}
	return n.Value
}

var (
	codeForm     = regexp.MustCompile("`([^`]+)`")
	emphasisForm = regexp.MustCompile(`\*([^*\s][^*]*)\*`)
)

// inline writes the two marks that our descriptions use.
func inline(s string) template.HTML {
	s = codeForm.ReplaceAllString(html.EscapeString(strings.TrimSpace(s)), "<code>$1</code>")
	return template.HTML(emphasisForm.ReplaceAllString(s, "<em>$1</em>"))
}

// prose writes paragraphs.
func prose(s string) template.HTML {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(s), "\n\n") {
		if paragraph != "" {
			fmt.Fprintf(&b, "<p>%s</p>\n", inline(paragraph))
		}
	}
	return template.HTML(b.String())
}
