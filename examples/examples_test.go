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
)

func TestEveryTagHasAValueAndEveryValueATag(t *testing.T) {
	t.Parallel()
	all, err := examples.All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 {
		t.Fatalf("got %d examples, want 3", len(all))
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
			tags := tagsOf(t, e.Template)
			for tag := range tags {
				if !values[tag] {
					t.Errorf("{{%s}} has no value in the event", tag)
				}
			}
			unused := maps.Clone(values)
			maps.DeleteFunc(unused, func(k string, _ bool) bool { return tags[k] })
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
		if inner, ok := v.(map[string]any); ok {
			leaves(into, prefix+k+".", inner)
			continue
		}
		into[prefix+k] = true
	}
}

// tagsOf reads the tags of a template with no help from our own code: the text
// of each paragraph of each part, joined over its runs.
func tagsOf(t *testing.T, file []byte) map[string]bool {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	tags := map[string]bool{}
	for _, f := range archive.File {
		if !strings.HasSuffix(f.Name, ".xml") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\{\{(.+?)\}\}`).FindAllStringSubmatch(paragraphs(t, f.Name, r), -1) {
			tags[m[1]] = true
		}
		_ = r.Close()
	}
	return tags
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
