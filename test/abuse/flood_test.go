package abuse

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit/installation"
)

const (
	flooders = 200
	probers  = 10
	// callTime bounds every request of the honest client, on a machine whose
	// processors the others take as well.
	callTime = 30 * time.Second
)

// A flooded service is serve and drive with one user.
type flooded struct {
	*service
	token, driveToken string
}

func newFlooded(t *testing.T) *flooded {
	t.Helper()
	i := installation.New(t, installation.Options{Name: "flood", Settings: []string{
		"PLATEN_LOG_LEVEL=warn",
		// As large as an operator may let events be.
		"PLATEN_HOOKS_BODY_LIMIT=" + strconv.Itoa(32<<20),
	}})
	i.Migrate(t)
	token, driveToken := i.Enroll(t, "Ada Lovelace", "ada@flood.example")
	i.Start(t, "drive", "serve")
	return &flooded{reach(i), token, driveToken}
}

// howLong is a few seconds, or what PLATEN_FLOOD says.
func howLong(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("PLATEN_FLOOD")
	if text == "" {
		return 5 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("PLATEN_FLOOD: %v; give a duration such as 1m", err)
	}
	return d
}

// A caller is an honest client: it does what users do.
type caller struct {
	*flooded
	source, document string // the address of a source, the id of a document
	took             map[string][]time.Duration
}

func newCaller(t *testing.T, s *flooded) *caller {
	t.Helper()
	h := &caller{flooded: s, took: map[string][]time.Duration{}}
	var workflow struct{ Source struct{ WebhookURL string } }
	var document struct{ DocumentID string }
	err := errors.Join(
		h.ask("a workflow", "POST", s.API[0]+"/v0/workflows/", s.token, `{"name":"Flood"}`, &workflow),
		h.ask("a document", "POST", s.Drive[0]+"/v1/documents", "Bearer "+s.driveToken, `{"title":"Flood"}`, &document))
	if err != nil {
		t.Fatal(err)
	}
	h.source, h.document = workflow.Source.WebhookURL, document.DocumentID
	clear(h.took)
	return h
}

// works makes one of each request.
func (h *caller) works() error {
	upload := h.Drive[0] + "/upload/drive/v3/files?uploadType=media"
	batch := h.Drive[0] + "/v1/documents/" + h.document + ":batchUpdate"
	return errors.Join(
		h.ask("event", "POST", h.source, "", `{"Name":"Ada","Text":"`+strings.Repeat("a", 100<<10)+`"}`, nil),
		h.ask("list", "GET", h.API[0]+"/v0/workflows/", h.token, "", nil),
		h.ask("batch", "POST", batch, "Bearer "+h.driveToken, `{"requests":[{"insertText":{"location":{"index":1},"text":"a"}}]}`, nil),
		h.ask("upload", "POST", upload, "Bearer "+h.driveToken, strings.Repeat("a", 1<<20), nil),
	)
}

func (h *caller) ask(what, method, address, token, body string, answer any) error {
	ctx, cancel := context.WithTimeout(context.Background(), callTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return err
	}
	if token != "" {
		r.Header.Set("Authorization", token)
	}
	begun := time.Now()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	h.took[what] = append(h.took[what], time.Since(begun))
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusCreated {
		return fmt.Errorf("%s: got %d %.200s", what, response.StatusCode, said)
	}
	if answer != nil {
		return json.NewDecoder(bytes.NewReader(said)).Decode(answer)
	}
	return nil
}

// during has the caller work until the flood is over.
func (h *caller) during(ctx context.Context, t *testing.T) {
	t.Helper()
	for ctx.Err() == nil {
		if err := h.works(); err != nil {
			t.Errorf("the honest client: %v", err)
			return
		}
	}
	for what, took := range h.took {
		slices.Sort(took)
		t.Logf("%s: %d answered, median %v, longest %v", what, len(took), took[len(took)/2].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond))
	}
}

func TestProcessesStaySmallAndHonestCallersAreAnsweredWhileClientsWithoutCredentialsSendWhatTheyCan(t *testing.T) {
	s := newFlooded(t)
	h := newCaller(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), howLong(t))
	defer cancel()
	answered, probed := flood(ctx, s.service, flooders, attacks()), flood(ctx, s.service, probers, probes())
	h.during(ctx, t)
	t.Logf("%v", probed().count)
	counts := answered()
	for _, a := range attacks() {
		t.Logf("%s: %v", a.name, counts.count[a.name])
		for status := range counts.count[a.name] {
			if 200 <= status && status < 300 || status == http.StatusInternalServerError {
				t.Errorf("%s was answered %d", a.name, status)
			}
		}
	}
	s.StaySmall(t, most)
}

func TestTheDriveStaysSmallWhileAUserSendsEmptyRequests(t *testing.T) {
	s := newFlooded(t)
	h := newCaller(t, s)
	to := func(call string) string {
		return "POST /v1/" + call + "?%s HTTP/1.1\r\nAuthorization: Bearer " + s.driveToken + "\r\n" + announced
	}
	attacks := []attack{
		{"requests", (*service).onDrive, to("documents/" + h.document + ":batchUpdate"), repeated(`{"requests":[`, "{},", large)},
		{"requests of slides", (*service).onDrive, to("presentations/" + h.document + ":batchUpdate"), repeated(`{"requests":[`, "{},", large)},
		{"objects in a request", (*service).onDrive, to("documents/" + h.document + ":batchUpdate"), repeated(`{"requests":[{"insertTable":{"x":[`, "{},", large)},
		{"elements of a new document", (*service).onDrive, to("documents"), repeated(`{"body":{"content":[`, "{},", large)},
		{"as many requests as there may be", (*service).onDrive,
			"POST /v1/documents/" + h.document + ":batchUpdate?%s HTTP/1.1\r\nAuthorization: Bearer " + s.driveToken + "\r\nContent-Length: 150014\r\n",
			repeated(`{"requests":[{}`+strings.Repeat(",{}", 49_999)+"]}", " ", 1)},
		{"elements of a new document of 1 MiB", (*service).onDrive,
			"POST /v1/documents?%s HTTP/1.1\r\nAuthorization: Bearer " + s.driveToken + "\r\nContent-Length: 1048576\r\n",
			repeated(`{"body":{"content":[`, "{},", 1<<20)},
	}
	for _, a := range attacks {
		status := 0
		for try := 0; try < 50 && status == 0; try++ { // the answer may be lost: the drive closes what it refuses
			status = a.makes(t.Context(), s.service)
		}
		if status != http.StatusBadRequest && status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: got %d, want 400 or 413", a.name, status)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), howLong(t))
	defer cancel()
	for name, counts := range flood(ctx, s.service, 20, attacks)().count {
		t.Logf("%s: %v", name, counts)
	}
	s.StaySmall(t, most)
}
