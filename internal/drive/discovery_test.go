package drive

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/drive/store"
)

// schema is a type of Google's discovery documents.
type schema struct {
	Ref                  string            `json:"$ref"`
	Type                 string            `json:"type"`
	Format               string            `json:"format"`
	Enum                 []string          `json:"enum"`
	Items                *schema           `json:"items"`
	Properties           map[string]schema `json:"properties"`
	AdditionalProperties *schema           `json:"additionalProperties"`
}

type discovery struct {
	Schemas     map[string]schema    `json:"schemas"`
	Parameters  map[string]parameter `json:"parameters"`
	ServicePath string               `json:"servicePath"`
	Methods     map[string]method    `json:"methods"`
	Resources   map[string]discovery `json:"resources"`
}

// clientModule is where the client's own module lies, which has them.
var clientModule = sync.OnceValues(func() (string, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "google.golang.org/api").Output()
	return strings.TrimSpace(string(dir)), err
})

func readDiscovery(t *testing.T, name string) discovery {
	t.Helper()
	dir, err := clientModule()
	if err != nil {
		t.Fatalf("find the client's module: %v", err)
	}
	d, err := parseDiscovery(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func parseDiscovery(dir, name string) (discovery, error) {
	var d discovery
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return d, err
	}
	return d, json.Unmarshal(raw, &d)
}

// faults lists where a value is not what the schema says.
func (d discovery) faults(at string, s schema, v any) []string {
	if s.Ref != "" {
		s = d.Schemas[s.Ref]
	}
	wrong := []string{fmt.Sprintf("%s: %T %.40v is no %s %s", at, v, v, s.Type, s.Format)}
	var found []string
	switch v := v.(type) {
	case map[string]any:
		if s.Type != "object" {
			return wrong
		}
		for name, value := range v {
			below, known := s.Properties[name]
			if !known && s.AdditionalProperties != nil {
				below, known = *s.AdditionalProperties, true
			}
			if !known {
				found = append(found, at+"/"+name+": unknown property")
				continue
			}
			found = append(found, d.faults(at+"/"+name, below, value)...)
		}
		return found
	case []any:
		if s.Type != "array" {
			return wrong
		}
		for i, item := range v {
			found = append(found, d.faults(at+"/"+strconv.Itoa(i), *s.Items, item)...)
		}
		return found
	case string:
		if s.Type == "string" && (len(s.Enum) == 0 || slices.Contains(s.Enum, v)) && fits(s.Format, v) {
			return nil
		}
	case bool:
		if s.Type == "boolean" {
			return nil
		}
	case float64:
		if s.Type == "number" || s.Type == "integer" && v == float64(int64(v)) {
			return nil
		}
	}
	if s.Type == "any" {
		return nil
	}
	return wrong
}

func fits(format, v string) bool {
	var err error
	switch format {
	case "int64":
		_, err = strconv.ParseInt(v, 10, 64)
	case "date-time", "google-datetime":
		_, err = time.Parse(time.RFC3339, v)
	case "byte":
		_, err = base64.StdEncoding.DecodeString(v)
	}
	return err == nil
}

func TestAnswersFitGooglesDiscoveryDocuments(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	d := a.document("letter", "hi")
	p := must[*driveapi.File](t)(a.files.Create(&driveapi.File{Name: "offer", MimeType: store.PresentationType}).Do())
	folder := must[*driveapi.File](t)(a.files.Create(&driveapi.File{Name: "dir", MimeType: store.FolderType}).Do())
	f := a.text(&driveapi.File{Name: "a.txt", Parents: []string{folder.Id}, AppProperties: map[string]string{"a": "b"}, Properties: map[string]string{"c": "d"}, Description: "e"}, "x")
	must[*driveapi.File](t)(a.files.Update(f.Id, &driveapi.File{Trashed: true}).Do())
	must[*docsapi.BatchUpdateDocumentResponse](t)(a.docs.BatchUpdate(d.Id, batchOf("", replaceAll("hi", "ho"))).Do())
	for _, c := range []struct{ document, schema, method, path, body string }{
		{"drive/v3/drive-api.json", "About", "GET", "/drive/v3/about?fields=*", ""},
		{"drive/v3/drive-api.json", "FileList", "GET", "/drive/v3/files?fields=*", ""},
		{"drive/v3/drive-api.json", "FileList", "GET", "/drive/v3/files?pageSize=1", ""},
		{"drive/v3/drive-api.json", "File", "GET", "/drive/v3/files/root?fields=*", ""},
		{"drive/v3/drive-api.json", "File", "POST", "/drive/v3/files/" + f.Id + "/copy?fields=*", "{}"},
		{"drive/v3/drive-api.json", "GeneratedIds", "GET", "/drive/v3/files/generateIds", ""},
		{"docs/v1/docs-api.json", "Document", "GET", "/v1/documents/" + d.Id, ""},
		{"docs/v1/docs-api.json", "Document", "GET", "/v1/documents/" + d.Id + "?includeTabsContent=true", ""},
		{"docs/v1/docs-api.json", "BatchUpdateDocumentResponse", "POST", "/v1/documents/" + d.Id + ":batchUpdate",
			`{"requests":[{"insertText":{"text":"x","endOfSegmentLocation":{}}},{"replaceAllText":{"containsText":{"text":"nothing"}}}]}`},
		{"slides/v1/slides-api.json", "Presentation", "GET", "/v1/presentations/" + p.Id, ""},
		{"slides/v1/slides-api.json", "Presentation", "POST", "/v1/presentations", `{"title":"x"}`},
		{"slides/v1/slides-api.json", "BatchUpdatePresentationResponse", "POST", "/v1/presentations/" + p.Id + ":batchUpdate",
			`{"requests":[{"replaceAllText":{"containsText":{"text":"nothing"}}}]}`},
	} {
		response, answer := a.do(c.method, c.path, "application/json", c.body)
		if response.StatusCode != 200 {
			t.Errorf("%s %s: got %d %v", c.method, c.path, response.StatusCode, answer)
		}
		for _, fault := range readDiscovery(t, c.document).faults("", schema{Ref: c.schema}, answer) {
			t.Errorf("%s %s: %s", c.method, c.path, fault)
		}
	}
}

func TestTheDiscoveryCheckFindsFaults(t *testing.T) {
	t.Parallel()
	d := readDiscovery(t, "drive/v3/drive-api.json")
	for body, want := range map[string]int{
		`{"size":"5","trashed":true,"owners":[{"me":true}],"appProperties":{"a":"b"},"createdTime":"2026-01-01T00:00:00Z"}`: 0,
		`{"size":5}`: 1, `{"nmae":"x"}`: 1, `{"trashed":"yes"}`: 1, `{"name":null}`: 1, `{"createdTime":"now"}`: 1, `{"owners":{}}`: 1, `{"appProperties":{"a":1}}`: 1,
	} {
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			t.Fatal(err)
		}
		if got := d.faults("", schema{Ref: "File"}, v); len(got) != want {
			t.Errorf("%s: got faults %v, want %d", body, got, want)
		}
	}
}
