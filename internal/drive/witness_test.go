package drive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// parameter is of a request, in Google's discovery documents.
type parameter struct {
	Type     string   `json:"type"`
	Format   string   `json:"format"`
	Enum     []string `json:"enum"`
	Location string   `json:"location"`
	Required bool     `json:"required"`
	Repeated bool     `json:"repeated"`
	Minimum  string   `json:"minimum"`
	Maximum  string   `json:"maximum"`
	Pattern  string   `json:"pattern"`
}

// method is one of Google's discovery documents.
type method struct {
	ID          string               `json:"id"`
	HTTPMethod  string               `json:"httpMethod"`
	Path        string               `json:"path"`
	FlatPath    string               `json:"flatPath"`
	Parameters  map[string]parameter `json:"parameters"`
	Request     *schema              `json:"request"`
	Response    *schema              `json:"response"`
	MediaUpload *struct {
		Protocols map[string]struct {
			Path string `json:"path"`
		} `json:"protocols"`
	} `json:"mediaUpload"`
}

// served is a method of Google's with the paths that it has.
type served struct {
	document discovery
	method
	path *regexp.Regexp
}

var placeholder = regexp.MustCompile(`\{[^}]*\}`)

// servedMethods are all methods of Google's three services.
var servedMethods = sync.OnceValues(func() ([]served, error) {
	var all []served
	dir, err := clientModule()
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"drive/v3/drive-api.json", "docs/v1/docs-api.json", "slides/v1/slides-api.json"} {
		d, err := parseDiscovery(dir, name)
		if err != nil {
			return nil, err
		}
		var walk func(discovery)
		walk = func(resource discovery) {
			for _, m := range resource.Methods {
				path := m.FlatPath
				if path == "" {
					path = m.Path
				}
				paths := []string{"/" + d.ServicePath + path}
				if m.MediaUpload != nil {
					for _, p := range m.MediaUpload.Protocols {
						paths = append(paths, p.Path)
					}
				}
				for i, p := range paths {
					parts := placeholder.Split(p, -1)
					for j := range parts {
						parts[j] = regexp.QuoteMeta(parts[j])
					}
					paths[i] = strings.Join(parts, `[^/:]+`)
				}
				all = append(all, served{d, m, regexp.MustCompile("^(" + strings.Join(paths, "|") + ")$")})
			}
			for _, below := range resource.Resources {
				walk(below)
			}
		}
		walk(d)
	}
	// files/generateIds is one of files/{fileId} too.
	slices.SortFunc(all, func(a, b served) int {
		return strings.Count(a.path.String(), "+") - strings.Count(b.path.String(), "+")
	})
	return all, nil
})

// witnessed compares every answer of a test's server with Google's discovery
// documents, and every request that the server takes.
func witnessed(t *testing.T, h http.HandlerFunc) http.Handler {
	methods, err := servedMethods()
	if err != nil {
		t.Fatalf("read Google's discovery documents: %v", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m, known := methodOf(methods, r)
		if !known {
			h(w, r)
			return
		}
		var sent []byte
		if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") && r.ContentLength < 1<<20 {
			sent, _ = io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(sent))
		}
		tee := &teeWriter{ResponseWriter: w, code: http.StatusOK}
		h(tee, r)
		at := r.Method + " " + r.URL.RequestURI()
		for _, fault := range m.answerFaults(tee) {
			t.Errorf("%s: answer: %s", at, fault)
		}
		if tee.code/100 == 2 {
			for _, fault := range append(m.parameterFaults(r.URL.Query()), m.bodyFaults(sent)...) {
				t.Errorf("%s: %s was taken, but: %s", at, m.ID, fault)
			}
		}
	})
}

func methodOf(methods []served, r *http.Request) (served, bool) {
	for _, m := range methods {
		if m.HTTPMethod == r.Method && m.path.MatchString(r.URL.Path) {
			return m, true
		}
	}
	return served{}, false
}

type teeWriter struct {
	http.ResponseWriter
	code int
	body bytes.Buffer
}

func (w *teeWriter) WriteHeader(code int) {
	w.code = code
	w.ResponseWriter.WriteHeader(code)
}

func (w *teeWriter) Write(b []byte) (int, error) {
	w.body.Write(b)
	return w.ResponseWriter.Write(b)
}

func (s served) answerFaults(w *teeWriter) []string {
	if !strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
		return nil
	}
	var answer any
	if err := json.Unmarshal(w.body.Bytes(), &answer); err != nil {
		return []string{err.Error()}
	}
	if w.code >= 400 {
		return errorFaults(w.code, answer, s.document.ServicePath != "")
	}
	if s.Response == nil {
		return []string{"there is one, though the method has none"}
	}
	found := s.document.faults("", *s.Response, answer)
	if s.Response.Ref == "Document" || s.Response.Ref == "Presentation" || s.Response.Ref == "Page" {
		found = append(found, unionFaults("", answer)...)
	}
	return found
}

// errorFaults are those of an error in Google's form, which no schema says. Of
// Drive it has one reason, of Docs and Slides none.
func errorFaults(code int, answer any, hasReason bool) []string {
	raw, _ := json.Marshal(answer)
	var body struct {
		Error struct {
			Code    int
			Message string
			Status  string
			Errors  []struct{ Domain, Reason, Message string }
		}
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return []string{err.Error()}
	}
	e := body.Error
	isWhole := e.Code == code && e.Message != "" && e.Status != ""
	if hasReason {
		isWhole = isWhole && len(e.Errors) == 1 && e.Errors[0].Reason != "" && e.Errors[0].Domain != ""
	} else {
		isWhole = isWhole && e.Errors == nil
	}
	if !isWhole {
		return []string{fmt.Sprintf("%s is no error of Google's with the code %d", raw, code)}
	}
	if code == http.StatusNotImplemented {
		return []string{"501 is none of Google's answers"}
	}
	return nil
}

func (s served) parameterFaults(query url.Values) []string {
	var found []string
	for name, values := range query {
		p, known := s.Parameters[name]
		if !known {
			p, known = s.document.Parameters[name]
		}
		switch {
		case name == "upload_id" && s.MediaUpload != nil:
		case !known || known && p.Location != "query":
			found = append(found, "there is no parameter "+name)
		case len(values) > 1 && !p.Repeated:
			found = append(found, name+" is given twice")
		default:
			for _, v := range values {
				if !p.fits(v) {
					found = append(found, fmt.Sprintf("%s cannot be %.40q", name, v))
				}
			}
		}
	}
	for name, p := range s.Parameters {
		if p.Required && p.Location == "query" && !query.Has(name) {
			found = append(found, name+" is missing")
		}
	}
	return found
}

func (p parameter) fits(v string) bool {
	switch p.Type {
	case "boolean":
		return v == "true" || v == "false"
	case "integer":
		n, err := strconv.ParseInt(v, 10, 64)
		least, err1 := strconv.ParseInt(p.Minimum, 10, 64)
		most, err2 := strconv.ParseInt(p.Maximum, 10, 64)
		return err == nil && (err1 != nil || n >= least) && (err2 != nil || n <= most)
	}
	return len(p.Enum) == 0 || slices.Contains(p.Enum, v)
}

func (s served) bodyFaults(sent []byte) []string {
	if s.Request == nil || len(bytes.TrimSpace(sent)) == 0 {
		return nil
	}
	var body any
	if err := json.Unmarshal(sent, &body); err != nil {
		return []string{err.Error()}
	}
	return s.document.faults("", *s.Request, withoutNulls(body))
}

// withoutNulls leaves out what a request sets to null, which unsets it.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, value := range v {
			if value != nil {
				kept[name] = withoutNulls(value)
			}
		}
		return kept
	case []any:
		for i := range v {
			v[i] = withoutNulls(v[i])
		}
	}
	return v
}

// unions are the kinds of elements that must have exactly one set, by the
// name of the list that holds the elements.
var unions = map[string][]string{
	"content":      {"paragraph", "table", "sectionBreak", "tableOfContents"},
	"elements":     {"textRun", "autoText", "pageBreak", "columnBreak", "footnoteReference", "horizontalRule", "equation", "inlineObjectElement", "person", "richLink", "dateElement"},
	"pageElements": {"elementGroup", "shape", "image", "video", "line", "table", "wordArt", "sheetsChart", "speakerSpotlight"},
	"children":     {"elementGroup", "shape", "image", "video", "line", "table", "wordArt", "sheetsChart", "speakerSpotlight"},
	"textElements": {"paragraphMarker", "textRun", "autoText"},
}

// unionFaults says what the discovery documents cannot: that exactly one kind
// of an element is set, and that indexes run without a gap.
func unionFaults(at string, v any) []string {
	var found []string
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			items, isList := value.([]any)
			if kinds, ok := unions[name]; ok && isList {
				found = append(found, elementFaults(at+"/"+name, items, kinds)...)
			}
			found = append(found, unionFaults(at+"/"+name, value)...)
		}
	case []any:
		for i, item := range v {
			found = append(found, unionFaults(at+"/"+strconv.Itoa(i), item)...)
		}
	}
	return found
}

func elementFaults(at string, items []any, kinds []string) []string {
	var found []string
	end := -1.0
	for i, item := range items {
		element, ok := item.(map[string]any)
		if !ok {
			continue
		}
		set := 0
		for _, kind := range kinds {
			if _, ok := element[kind]; ok {
				set++
			}
		}
		if set != 1 {
			found = append(found, fmt.Sprintf("%s/%d: %d kinds are set", at, i, set))
		}
		last, hasEnd := element["endIndex"].(float64)
		if !hasEnd {
			continue
		}
		// A zero is left out.
		first, _ := element["startIndex"].(float64)
		if _, marker := element["paragraphMarker"]; marker {
			end = first
			continue
		}
		if end >= 0 && first != end || last <= first {
			found = append(found, fmt.Sprintf("%s/%d: it goes from %v to %v, and the one before ends at %v", at, i, first, last, end))
		}
		end = last
	}
	return found
}

func TestTheWitnessFindsFaults(t *testing.T) {
	t.Parallel()
	methods, err := servedMethods()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method, address, sent, answer string
		code                          int
		id                            string
		faults                        int
	}{
		{"GET", "/drive/v3/files?q=x&pageSize=5&alt=json", "", `{"files":[{"id":"1"}]}`, 200, "drive.files.list", 0},
		{"GET", "/drive/v3/files?pagesize=5", "", `{}`, 200, "drive.files.list", 1},
		{"GET", "/drive/v3/files?pageSize=2000&supportsAllDrives=1", "", `{"files":{}}`, 200, "drive.files.list", 3},
		{"GET", "/drive/v3/files/generateIds", "", `{"ids":[1]}`, 200, "drive.files.generateIds", 1},
		{"GET", "/drive/v3/files/1/export", "", ``, 200, "drive.files.export", 1},
		{"POST", "/upload/drive/v3/files?uploadType=resumable&upload_id=x", `{"nmae":"x"}`, `{"id":"1"}`, 200, "drive.files.create", 1},
		{"DELETE", "/drive/v3/files/1", "", `{}`, 204, "drive.files.delete", 1},
		{"GET", "/drive/v3/files/1", "", `{"error":{"code":404,"message":"x","status":"NOT_FOUND","errors":[{"domain":"global","reason":"notFound","message":"x"}]}}`, 404, "drive.files.get", 0},
		{"GET", "/drive/v3/files/1", "", `{"error":"invalid"}`, 404, "drive.files.get", 1},
		{"GET", "/v1/documents/1", "", `{"error":{"code":404,"message":"x","status":"NOT_FOUND"}}`, 404, "docs.documents.get", 0},
		{"GET", "/v1/documents/1", "", `{"error":{"code":404,"message":"x","status":"NOT_FOUND","errors":[{"domain":"global","reason":"notFound","message":"x"}]}}`, 404, "docs.documents.get", 1},
		{"POST", "/v1/documents/1:batchUpdate", `{"requests":[{"insertText":{"text":null}}]}`, `{"replies":[{}]}`, 200, "docs.documents.batchUpdate", 0},
		{"GET", "/v1/documents/1", "", `{"body":{"content":[{"endIndex":1,"sectionBreak":{}},{"startIndex":2,"endIndex":3,"paragraph":{},"table":{}}]}}`, 200, "docs.documents.get", 2},
	} {
		r, err := http.NewRequest(c.method, c.address, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, known := methodOf(methods, r)
		if !known || m.ID != c.id {
			t.Errorf("%s %s: got method %q, want %s", c.method, c.address, m.ID, c.id)
			continue
		}
		w := &teeWriter{ResponseWriter: httptest.NewRecorder(), code: c.code}
		if c.answer != "" {
			w.Header().Set("Content-Type", "application/json")
			w.body.WriteString(c.answer)
		}
		found := append(m.answerFaults(w), m.bodyFaults([]byte(c.sent))...)
		if c.code == 200 {
			found = append(found, m.parameterFaults(r.URL.Query())...)
		}
		if len(found) != c.faults {
			t.Errorf("%s %s: got faults %q, want %d", c.method, c.address, found, c.faults)
		}
	}
}
