package google

import (
	"net/http"
	"testing"
)

func TestAGoogleTokenGoesToTheHostsThatAskForOneAlone(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://www.googleapis.com/drive/v3/files":          true,
		"https://docs.googleapis.com/v1/documents/1":         true,
		"https://docs.google.com/feeds/download/documents/1": true,
		"http://www.googleapis.com/drive/v3/files":           false,
		"https://doc-0s-docs.googleusercontent.com/docs/1":   false,
		"https://evil.googleusercontent.com/":                false,
		"https://storage.googleapis.com/bucket":              false,
		"https://script.google.com/macros/s/1/exec":          false,
		"https://www.googleapis.com.evil.example/":           false,
		"https://www.googleapis.com:8443/":                   false,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := mayCall(tokenHosts(), r); got != want {
			t.Errorf("%s: got %v, want %v", address, got, want)
		}
	}
}

type seen struct{ authorization string }

func (s *seen) RoundTrip(r *http.Request) (*http.Response, error) {
	s.authorization = r.Header.Get("Authorization")
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
}

// Google redirects exports to addresses that carry their permission.
func TestARedirectToGooglesContentHasNoToken(t *testing.T) {
	t.Parallel()
	base := &seen{}
	tr := &transport{base: base, hosts: tokenHosts(), open: []string{".googleusercontent.com"}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://doc-0s-docs.googleusercontent.com/docs/1", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := tr.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if base.authorization != "" {
		t.Errorf("got the token at %s", r.URL.Host)
	}
}
