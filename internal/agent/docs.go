package agent

import (
	"bytes"
	"context"
	"io/fs"
	"regexp"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/platenhq/platen/docs"
)

// docsRoot is in front of the path of a page of the docs in the URI of its resource.
const docsRoot = "platen://docs/"

// addDocs has each page of the docs as a resource.
func addDocs(m *mcp.Server) {
	for _, p := range pages() {
		m.AddResource(&mcp.Resource{URI: docsRoot + p.path, Name: p.path, Title: p.title, MIMEType: "text/markdown", Size: int64(len(p.text))},
			func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: docsRoot + p.path, MIMEType: "text/markdown", Text: p.text}}}, nil
			})
	}
}

type page struct{ path, title, text string }

// pages reads the docs, which are in the program.
var pages = sync.OnceValue(func() []page {
	var found []page
	err := fs.WalkDir(docs.Pages, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".md") {
			return err
		}
		text, err := fs.ReadFile(docs.Pages, path)
		title, _, _ := bytes.Cut(text, []byte("\n"))
		found = append(found, page{path, strings.TrimPrefix(string(title), "# "), string(text)})
		return err
	})
	if err != nil {
		panic(err) // an embedded file is there
	}
	return found
})

// A section is what the docs say of an error's code.
type section struct {
	Meaning string `json:"meaning,omitempty"`
	Cure    string `json:"cure,omitempty" jsonschema:"what to do about it"`
}

func sectionOf(code string) (section, bool) {
	s, ok := sections()[code]
	return s, ok
}

var (
	heading = regexp.MustCompile("(?m)^### `([a-z0-9_]+)`$")
	part    = regexp.MustCompile(`(?m)^\*\*(Meaning|Cure)\.\*\* (.+)$`)
)

// sections are those of errors.md, by code.
var sections = sync.OnceValue(func() map[string]section {
	text, err := fs.ReadFile(docs.Pages, "errors.md")
	if err != nil {
		panic(err) // it is embedded
	}
	all := map[string]section{}
	at := heading.FindAllSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		var s section
		for _, p := range part.FindAllSubmatch(text[m[1]:end], -1) {
			if string(p[1]) == "Meaning" {
				s.Meaning = string(p[2])
			} else {
				s.Cure = string(p[2])
			}
		}
		all[string(text[m[2]:m[3]])] = s
	}
	return all
})
