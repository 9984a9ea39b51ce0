package journey

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

// statusOf fetches an address with a token of the drive; empty: with none.
func statusOf(t *testing.T, address, token string) (int, http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode, response.Header
}

func TestTheOriginalOfAnEncryptedDocumentOpensWithCredentialsAlone(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	r := newReceiver(t)
	w := h.letter(t, r,
		object{"outputName": "Kept", "createPdfCopy": true, "enablePdfPassword": true, "pdfPassword": "open-{{Name}}"},
		object{"outputName": "Open", "createPdfCopy": true},
		object{"outputName": "Unmade", "enablePdfPassword": true, "pdfPassword": "open-{{Name}}"},
	)
	send(t, w)
	// By name: what it is, what protects it, and what its address answers to
	// everybody.
	want := map[string]struct {
		kind, protection string
		status           int
	}{
		"Kept.pdf": {"pdf", "password", 200},
		"Kept":     {"original", "credentials", 401},
		"Open.pdf": {"pdf", "none", 200},
		"Open":     {"original", "none", 200},
		"Unmade":   {"original", "credentials", 401},
	}
	seen := 0
	for range 3 {
		for _, f := range r.next(t).event.Data.Documents {
			seen++
			wanted := want[f.Name]
			if f.Kind != wanted.kind || f.Protection != wanted.protection {
				t.Errorf("%s in the event: got %q %q, want %q %q", f.Name, f.Kind, f.Protection, wanted.kind, wanted.protection)
			}
			for _, address := range []string{f.URL, f.URL + "?download=1"} {
				if got, _ := statusOf(t, address, ""); got != wanted.status {
					t.Errorf("%s without credentials: got %d, want %d", f.Name, got, wanted.status)
				}
				if got, header := statusOf(t, address, h.driveToken); got != 200 || header.Get("Content-Type") != platen.MIMEPDF {
					t.Errorf("%s with credentials: got %d %s, want a PDF", f.Name, got, header.Get("Content-Type"))
				}
			}
		}
	}
	if seen != len(want) {
		t.Errorf("files in events: got %d, want %d", seen, len(want))
	}

	h.finished(t, w.ID, platen.AutomationCompleted)
	var outputs []struct {
		Files []struct{ Name, Kind, Protection string }
	}
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/outputs/", nil, &outputs, http.StatusOK)
	var listed []string
	for _, o := range outputs {
		for _, f := range o.Files {
			listed = append(listed, strings.Join([]string{f.Name, f.Kind, f.Protection}, " "))
		}
	}
	slices.Sort(listed)
	if want := []string{"Kept original credentials", "Kept.pdf pdf password", "Open original none", "Open.pdf pdf none", "Unmade original credentials"}; !slices.Equal(listed, want) {
		t.Errorf("files of outputs: got %q, want %q", listed, want)
	}
}
