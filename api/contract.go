package api

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/platenhq/platen/api/edge"
)

// openapiYAML is the contract, kept by hand. A test holds it and the routes
// equal; the conformance suite holds it and the answers equal.
//
//go:embed openapi.yaml
var openapiYAML []byte

// Addresses that stand in the contract for those of an installation.
const (
	exampleAPI    = "https://platen.example/v0"
	exampleOrigin = "https://platen.example"
	exampleHooks  = "https://hooks.platen.example"
)

// contract serves the OpenAPI document and a page that people can read, both
// with the installation's own addresses and without credentials: what they say
// is no secret, and tools fetch them before they have any.
//
// They are written when they are first asked for: most programs never are.
type contract func() (written, error)

type written struct {
	json, page []byte
}

func newContract(apiURL, origin, hooksURL string) contract {
	return sync.OnceValues(func() (written, error) { return writeContract(apiURL, origin, hooksURL) })
}

func writeContract(apiURL, origin, hooksURL string) (w written, err error) {
	root, err := contractDocument(apiURL, origin, hooksURL)
	if err != nil {
		return w, err
	}
	if w.json, err = json.Marshal(ordered{root}); err != nil {
		return w, fmt.Errorf("write openapi.json: %w", err)
	}
	if w.page, err = contractPage(root); err != nil {
		return w, fmt.Errorf("write the page of openapi.yaml: %w", err)
	}
	return w, nil
}

func (c contract) serveJSON(w http.ResponseWriter, _ *http.Request) error {
	contract, err := c()
	if err != nil {
		return err
	}
	// Pages of other origins may read it: editors and generators run in browsers.
	w.Header().Set("Access-Control-Allow-Origin", "*")
	return write(w, "application/json", contract.json)
}

func (c contract) servePage(w http.ResponseWriter, _ *http.Request) error {
	contract, err := c()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	return write(w, "text/html; charset=utf-8", contract.page)
}

func write(w http.ResponseWriter, contentType string, body []byte) error {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(body) // fails only when nobody listens any more
	return nil
}

// contractResource is a path of the contract itself.
func contractResource(serve edge.HandlerFunc) resource { return resource{http.MethodGet: serve} }

// contractDocument reads the contract with all aliases and merges carried out,
// and the example addresses replaced.
func contractDocument(apiURL, origin, hooksURL string) (*yaml.Node, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(openapiYAML, &document); err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	if len(document.Content) != 1 {
		return nil, errors.New("read openapi.yaml: it is empty")
	}
	addresses := strings.NewReplacer(exampleAPI, apiURL, exampleHooks, hooksURL, exampleOrigin, origin)
	root := resolve(document.Content[0], addresses)
	for i := 0; i < len(root.Content); i += 2 {
		if root.Content[i].Value == "x-shared" { // what others were merged from
			root.Content = append(root.Content[:i], root.Content[i+2:]...)
			break
		}
	}
	return root, nil
}

// resolve returns a copy of n without aliases and merge keys. Keys that are
// written out win over merged ones, earlier merges over later.
func resolve(n *yaml.Node, addresses *strings.Replacer) *yaml.Node {
	switch n.Kind {
	case yaml.AliasNode:
		return resolve(n.Alias, addresses)
	case yaml.ScalarNode:
		return &yaml.Node{Kind: n.Kind, Tag: n.ShortTag(), Value: addresses.Replace(n.Value)}
	case yaml.MappingNode:
		return resolveMapping(n, addresses)
	}
	out := &yaml.Node{Kind: n.Kind, Tag: n.ShortTag()}
	for _, item := range n.Content {
		out.Content = append(out.Content, resolve(item, addresses))
	}
	return out
}

func resolveMapping(n *yaml.Node, addresses *strings.Replacer) *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	var merged []*yaml.Node
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], resolve(n.Content[i+1], addresses)
		switch {
		case key.ShortTag() != "!!merge":
			out.Content = append(out.Content, resolve(key, addresses), value)
		case value.Kind == yaml.SequenceNode:
			merged = append(merged, value.Content...)
		default:
			merged = append(merged, value)
		}
	}
	for _, from := range merged {
		for i := 0; i < len(from.Content); i += 2 {
			if at(out, from.Content[i].Value) == nil {
				out.Content = append(out.Content, from.Content[i], from.Content[i+1])
			}
		}
	}
	return out
}

// at follows keys into mappings; nil when something is not there.
func at(n *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		var found *yaml.Node
		if n != nil && n.Kind == yaml.MappingNode {
			for i := 0; i < len(n.Content); i += 2 {
				if n.Content[i].Value == key {
					found = n.Content[i+1]
				}
			}
		}
		if n = found; n == nil {
			return nil
		}
	}
	return n
}

// ordered writes a resolved node as JSON in its own order.
type ordered struct{ *yaml.Node }

func (o ordered) MarshalJSON() ([]byte, error) {
	switch o.Kind {
	case yaml.MappingNode:
		return writeList('{', '}', len(o.Content)/2, func(b *bytes.Buffer, i int) error {
			if err := o.element(b, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: o.Content[2*i].Value}); err != nil {
				return err
			}
			b.WriteByte(':')
			return o.element(b, o.Content[2*i+1])
		})
	case yaml.SequenceNode:
		return writeList('[', ']', len(o.Content), func(b *bytes.Buffer, i int) error { return o.element(b, o.Content[i]) })
	}
	var v any
	if err := o.Decode(&v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

func (ordered) element(b *bytes.Buffer, n *yaml.Node) error {
	raw, err := ordered{n}.MarshalJSON()
	b.Write(raw)
	return err
}

func writeList(open, end byte, n int, element func(*bytes.Buffer, int) error) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte(open)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := element(&b, i); err != nil {
			return nil, err
		}
	}
	b.WriteByte(end)
	return b.Bytes(), nil
}
