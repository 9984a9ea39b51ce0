package examples_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/template/lang"
)

func TestEveryTagHasAValueAndEveryValueATag(t *testing.T) {
	t.Parallel()
	all, err := examples.All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 4 {
		t.Fatalf("got %d examples, want 4", len(all))
	}
	for _, e := range all {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			var event map[string]any
			if err := json.Unmarshal(e.Event, &event); err != nil {
				t.Fatalf("event: %v", err)
			}
			values := map[string]bool{}
			leaves(values, "", event)
			texts := textsOf(t, e.Template)
			for _, issue := range lang.Inspect(texts, slices.Sorted(maps.Keys(values))) {
				t.Errorf("%s: %s", issue.Tag, issue.Message)
			}
			tags := strings.Join(regexp.MustCompile(`\{\{.+?\}\}`).FindAllString(strings.Join(texts, "\n"), -1), "\n")
			unused := maps.Clone(values)
			// Inside a block of a list, a tag names the last part of a path alone.
			maps.DeleteFunc(unused, func(k string, _ bool) bool { return strings.Contains(tags, k[strings.LastIndexByte(k, '.')+1:]) })
			delete(unused, "Customer.Address.Country") // every event has the whole address
			if len(unused) > 0 {
				t.Errorf("values without a tag: %v", slices.Sorted(maps.Keys(unused)))
			}
			if _, err := e.Field("Customer Number"); err != nil {
				t.Error(err)
			}
		})
	}
}

func leaves(into map[string]bool, prefix string, object map[string]any) {
	for k, v := range object {
		switch v := v.(type) {
		case map[string]any:
			leaves(into, prefix+k+".", v)
		case []any:
			for _, item := range v {
				leaves(into, prefix+k+".", item.(map[string]any))
			}
		default:
			into[prefix+k] = true
		}
	}
}

// textsOf reads a template with no help from our own code: the text of each
// paragraph of each part, joined over its runs.
func textsOf(t *testing.T, file []byte) []string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, f := range archive.File {
		if !strings.HasSuffix(f.Name, ".xml") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.Split(paragraphs(t, f.Name, r), "\n")...)
		_ = r.Close()
	}
	return texts
}

func paragraphs(t *testing.T, name string, r io.Reader) string {
	t.Helper()
	var text strings.Builder
	decoder, inText := xml.NewDecoder(r), false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		switch v := token.(type) {
		case xml.StartElement:
			inText = v.Name.Local == "t"
		case xml.EndElement:
			inText = false
			if v.Name.Local == "p" {
				text.WriteByte('\n')
			}
		case xml.CharData:
			if inText {
				text.Write(v)
			}
		}
	}
}
