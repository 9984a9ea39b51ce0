package google_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/test/google/referee"
)

const logo = "https://pictures.example.com/logo.png"

// A judged is a file that the referee keeps: a document or a presentation.
type judged interface {
	JSON() []byte
	Judge(body []byte) (answer []byte, after judged, err error)
}

type document struct{ *referee.Document }

func (d document) Judge(body []byte) ([]byte, judged, error) {
	answer, after, err := d.Apply(body, referee.Interpretation{})
	return answer, document{after}, err
}

// A wire is a server that answers as Google does, for one file.
type wire struct {
	*httptest.Server

	mu    sync.Mutex
	file  judged
	body  []byte // of the last batchUpdate
	fault error  // what the wire itself finds wrong
}

func newWire(t testing.TB) *wire {
	w := &wire{}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

func (w *wire) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rw.Header().Set("Content-Type", "application/json; charset=UTF-8")
	switch {
	case r.URL.Path == "/token":
		_, _ = io.WriteString(rw, `{"access_token": "a", "token_type": "Bearer", "expires_in": 3600}`)
	case r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/v1/documents/") && r.URL.Query().Get("includeTabsContent") != "true":
		w.fault = errors.New("documents.get is asked without includeTabsContent: it answers the first tab alone")
		w.refuse(rw, &referee.Refusal{Status: http.StatusBadRequest, Message: w.fault.Error()})
	case r.Method == http.MethodGet:
		answer, err := selectFields(w.file.JSON(), r.URL.Query().Get("fields"))
		if err != nil {
			w.fault = err
		}
		_, _ = rw.Write(answer)
	case strings.HasSuffix(r.URL.Path, ":batchUpdate"):
		w.body, _ = io.ReadAll(r.Body)
		answer, after, err := w.file.Judge(w.body)
		if refused, ok := errors.AsType[*referee.Refusal](err); ok {
			w.fault = refused
			w.refuse(rw, refused)
			return
		}
		w.file = after
		_, _ = rw.Write(answer)
	default:
		w.fault = fmt.Errorf("an unexpected call: %s %s", r.Method, r.URL)
		w.refuse(rw, &referee.Refusal{Status: http.StatusNotFound, Message: w.fault.Error()})
	}
}

func (w *wire) refuse(rw http.ResponseWriter, r *referee.Refusal) {
	status := map[int]string{400: "INVALID_ARGUMENT", 404: "NOT_FOUND", 500: "INTERNAL"}[r.Status]
	rw.WriteHeader(r.Status)
	_ = json.NewEncoder(rw).Encode(map[string]any{"error": map[string]any{"code": r.Status, "message": r.Message, "status": status}})
}

// client opens the drive as production does, with the wire in Google's place.
func (w *wire) client(t testing.TB) *google.Client {
	t.Helper()
	connector, err := google.NewConnector(google.Options{
		Kind: platen.DriveGoogle, DriveEndpoint: w.URL + "/drive/v3", DocsEndpoint: w.URL, SlidesEndpoint: w.URL, TokenURL: w.URL + "/token",
		OAuthClientID: "id", OAuthClientSecret: "secret", Transport: w.Client().Transport,
		Connections: func(context.Context, string) (platen.DriveConnection, error) {
			return platen.DriveConnection{Kind: platen.ConnectionRefreshToken, Secret: "refresh"}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	client, err := connector.Drive(t.Context(), "usr_1")
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// fillFile has the product fill a file over the wire, with event.
func (w *wire) fillFile(t testing.TB, client *google.Client, file judged, mimeType string) (body []byte, out fill.Outcome, err error) {
	t.Helper()
	filling, err := fill.New(platen.Document{ID: "doc_1"}, []byte(event), lang.Builtins{})
	if err != nil {
		t.Fatal(err)
	}
	filling.Obtain = func(lang.Picture) (lang.Obtained, error) {
		return lang.Obtained{URI: logo, Width: 40, Height: 20, Bytes: 100}, nil
	}
	w.mu.Lock()
	w.file, w.body, w.fault = file, nil, nil
	w.mu.Unlock()
	out, err = filling.Fill(t.Context(), client, platen.File{ID: "file", MIMEType: mimeType}, nil)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fault != nil {
		err = w.fault
	}
	return w.body, out, err
}

// selectFields keeps of an answer what a field mask names, such as a,b(c,d).
func selectFields(answer []byte, mask string) ([]byte, error) {
	if mask == "" {
		return answer, nil
	}
	var whole any
	if err := json.Unmarshal(answer, &whole); err != nil {
		return nil, err
	}
	rest, selected := readMask(mask)
	if rest != "" {
		return nil, fmt.Errorf("the field mask ends in %q", rest)
	}
	return json.Marshal(selected.of(whole))
}

// A selection is what a field mask names; nil is everything.
type selection map[string]selection

func readMask(mask string) (rest string, s selection) {
	s = selection{}
	for {
		end := strings.IndexAny(mask, ",()")
		if end < 0 {
			end = len(mask)
		}
		name := mask[:end]
		mask = mask[end:]
		s[name] = nil
		if strings.HasPrefix(mask, "(") {
			var inner selection
			mask, inner = readMask(mask[1:])
			mask = strings.TrimPrefix(mask, ")")
			s[name] = inner
		}
		if !strings.HasPrefix(mask, ",") {
			return mask, s
		}
		mask = mask[1:]
	}
}

func (s selection) of(v any) any {
	if s == nil {
		return v
	}
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = s.of(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key, inner := range s {
			if value, ok := v[key]; ok {
				out[key] = inner.of(value)
			}
		}
		return out
	}
	return v
}
