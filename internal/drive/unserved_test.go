package drive

import (
	"net/http"
	"strings"
	"testing"

	driveapi "google.golang.org/api/drive/v3"
)

// The witness between client and server looks at every answer: that it is one
// of Google's errors, and no 501.
func TestEveryMethodOfGooglesIsAnswered(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	f := a.text(&driveapi.File{Name: "a.txt"}, "x")
	methods, err := servedMethods()
	if err != nil {
		t.Fatal(err)
	}
	if len(methods) < 60 {
		t.Fatalf("got %d methods", len(methods))
	}
	for _, m := range methods {
		path := m.FlatPath
		if path == "" {
			path = m.Path
		}
		path = placeholder.ReplaceAllStringFunc("/"+m.document.ServicePath+path, func(name string) string {
			if name == "{fileId}" {
				return f.Id
			}
			return "nothing-of-that-name"
		})
		body := ""
		if m.Request != nil {
			body = "{}"
		}
		for _, token := range []bool{true, false} {
			r, err := http.NewRequest(m.HTTPMethod, h.url+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			client := http.DefaultClient
			if token {
				client = a.http
			}
			response, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			kind := response.Header.Get("Content-Type")
			switch {
			case response.StatusCode >= 500 || response.StatusCode == 405:
				t.Errorf("%s: got %d", m.ID, response.StatusCode)
			case response.StatusCode >= 400 && !strings.HasPrefix(kind, "application/json"):
				t.Errorf("%s: got %d as %s", m.ID, response.StatusCode, kind)
			case !token && response.StatusCode < 400:
				t.Errorf("%s: got %d without a token", m.ID, response.StatusCode)
			}
		}
	}
}
