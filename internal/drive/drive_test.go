package drive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/oauth2"
	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/testkit"
)

// fakeFormats has office files that are "doc:" or "ppt:" and then their text.
func fakeFormats() formats {
	kind := func(prefix string) format {
		text := func(content []byte) (string, error) {
			text, ok := strings.CutPrefix(string(content), prefix)
			if !ok {
				return "", fault.BadRequest("conversionUnsupportedConversionPath", "not a %s file", prefix)
			}
			return text, nil
		}
		return format{
			blank: func() ([]byte, error) { return []byte(prefix), nil },
			check: func(content []byte) error { _, err := text(content); return err },
			plain: func(content []byte) ([]byte, error) { return content, nil },
			text:  text,
			pdf: func(content []byte, title string) ([]byte, []render.Finding, error) {
				t, err := text(content)
				return []byte("%PDF " + title + "|" + t), nil, err
			},
		}
	}
	f := formats{document: kind("doc:"), presentation: kind("ppt:")}
	f.getDocument = func(content []byte, id, title, revision, view string) (*docsapi.Document, error) {
		t, err := f.document.text(content)
		run := &docsapi.ParagraphElement{StartIndex: 1, TextRun: &docsapi.TextRun{Content: t + "\n"}}
		return &docsapi.Document{DocumentId: id, Title: title, RevisionId: revision, SuggestionsViewMode: view, Body: &docsapi.Body{
			Content: []*docsapi.StructuralElement{{Paragraph: &docsapi.Paragraph{Elements: []*docsapi.ParagraphElement{run}}}},
		}}, err
	}
	f.applyDocument = func(content []byte, id string, requests []*docsapi.Request) ([]byte, []*docsapi.Response, error) {
		var answers []*docsapi.Response
		for _, r := range requests {
			switch {
			case r.ReplaceAllText != nil:
				n := bytes.Count(content, []byte(r.ReplaceAllText.ContainsText.Text))
				content = bytes.ReplaceAll(content, []byte(r.ReplaceAllText.ContainsText.Text), []byte(r.ReplaceAllText.ReplaceText))
				answers = append(answers, &docsapi.Response{ReplaceAllText: &docsapi.ReplaceAllTextResponse{OccurrencesChanged: int64(n)}})
			case r.InsertText != nil:
				content = append(bytes.Clone(content), r.InsertText.Text...)
				answers = append(answers, nil)
			default:
				return nil, nil, fault.BadRequest("badRequest", "Invalid requests[0]: No request set.")
			}
		}
		return content, answers, nil
	}
	f.getPresentation = func(content []byte, id, title, revision string) (*slidesapi.Presentation, error) {
		t, err := f.presentation.text(content)
		return &slidesapi.Presentation{PresentationId: id, Title: title, RevisionId: revision, Slides: []*slidesapi.Page{{ObjectId: "p" + t}}}, err
	}
	f.getPage = func(content []byte, page, _ string) (*slidesapi.Page, error) {
		if t, err := f.presentation.text(content); err != nil || page != "p"+t {
			return nil, pageNotFound(page)
		}
		return &slidesapi.Page{ObjectId: page}, nil
	}
	f.applyPresentation = func(content []byte, id string, requests []*slidesapi.Request) ([]byte, []*slidesapi.Response, error) {
		for _, r := range requests {
			content = bytes.ReplaceAll(content, []byte(r.ReplaceAllText.ContainsText.Text), []byte(r.ReplaceAllText.ReplaceText))
		}
		return content, nil, nil
	}
	return f
}

// harness is a drive on a database of its own, served over HTTP.
type harness struct {
	t     *testing.T
	pool  *pgxpool.Pool
	store *store.Store
	url   string
	// formats, timeout, exporter, log, google and limits are those of the servers that are
	// started next.
	formats  formats
	timeout  time.Duration
	exporter Exporter
	log      io.Writer
	google   *GoogleLike
	limits   Limits
	server   *Server // that was started last
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	t.Parallel()
	pool := testkit.Database(t, "drive", store.Migrate)
	h := &harness{t: t, pool: pool, store: store.New(pool), formats: fakeFormats(), log: testWriter{t}}
	h.url = h.serve()
	return h
}

// serve starts one more server on the same database.
func (h *harness) serve() string {
	h.t.Helper()
	var handler *Server
	server := httptest.NewServer(witnessed(h.t, func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	h.t.Cleanup(server.Close)
	var err error
	handler, err = newServer(Options{
		Store: store.New(h.pool), PublicURL: server.URL, ExportTimeout: h.timeout, Exporter: h.exporter,
		Log: slog.New(slog.NewTextHandler(h.log, nil)), Google: h.google, Limits: h.limits,
	}, h.formats)
	if err != nil {
		h.t.Fatalf("new server: %v", err)
	}
	h.server = handler
	return server.URL
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("server: %s", p)
	return len(p), nil
}

// account is a user with Google's own clients on our server.
type account struct {
	h      *harness
	user   store.User
	token  string
	url    string
	http   *http.Client
	files  *driveapi.FilesService
	about  *driveapi.AboutService
	shares *driveapi.PermissionsService
	docs   *docsapi.DocumentsService
	slides *slidesapi.PresentationsService
}

func (h *harness) account(name string) *account {
	h.t.Helper()
	ctx := context.Background()
	user, err := h.store.CreateUser(ctx, name, strings.ToLower(name)+"@example.com")
	if err != nil {
		h.t.Fatalf("create user: %v", err)
	}
	token, err := h.store.CreateToken(ctx, user.ID)
	if err != nil {
		h.t.Fatalf("create token: %v", err)
	}
	return h.signIn(user, token, h.url)
}

func (h *harness) signIn(user store.User, token, url string) *account {
	h.t.Helper()
	ctx := context.Background()
	client := oauth2.NewClient(ctx, oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token}))
	a := &account{h: h, user: user, token: token, url: url, http: client}
	drives, err1 := driveapi.NewService(ctx, a.options("/drive/v3/")...)
	docs, err2 := docsapi.NewService(ctx, a.options("/")...)
	slides, err3 := slidesapi.NewService(ctx, a.options("/")...)
	if err := errors.Join(err1, err2, err3); err != nil {
		h.t.Fatalf("new clients: %v", err)
	}
	a.files, a.about, a.shares, a.docs, a.slides = drives.Files, drives.About, drives.Permissions, docs.Documents, slides.Presentations
	return a
}

// options have one of Google's clients ask our server, below path.
func (a *account) options(path string) []option.ClientOption {
	return []option.ClientOption{option.WithHTTPClient(a.http), option.WithEndpoint(a.url + path)}
}

// document uploads text as a Docs file.
func (a *account) document(name, text string) *driveapi.File {
	a.h.t.Helper()
	f, err := a.files.Create(&driveapi.File{Name: name, MimeType: store.DocumentType}).
		Media(strings.NewReader("doc:"+text), googleapi.ContentType(store.DocxType)).Fields("*").Do()
	if err != nil {
		a.h.t.Fatalf("upload %s: %v", name, err)
	}
	return f
}

// text uploads a plain text file.
func (a *account) text(f *driveapi.File, body string) *driveapi.File {
	a.h.t.Helper()
	created, err := a.files.Create(f).Media(strings.NewReader(body), googleapi.ContentType("text/plain; charset=utf-8")).Fields("*").Do()
	if err != nil {
		a.h.t.Fatalf("upload %s: %v", f.Name, err)
	}
	return created
}

// do sends a request that the clients cannot make and decodes a JSON answer.
func (a *account) do(method, path, contentType, body string, header ...string) (*http.Response, map[string]any) {
	a.h.t.Helper()
	r, err := http.NewRequest(method, a.url+path, strings.NewReader(body))
	if err != nil {
		a.h.t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := a.http.Do(r)
	if err != nil {
		a.h.t.Fatal(err)
	}
	defer response.Body.Close()
	var answer map[string]any
	if strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			a.h.t.Fatalf("%s %s: %v", method, path, err)
		}
	}
	return response, answer
}

func wantFault(t *testing.T, err error, code int, reason string) {
	t.Helper()
	var g *googleapi.Error
	if !errors.As(err, &g) {
		t.Fatalf("got %v, want a Google error %d %s", err, code, reason)
	}
	if g.Code != code || len(g.Errors) != 1 || g.Errors[0].Reason != reason {
		t.Fatalf("got %d %+v (%s), want %d %s", g.Code, g.Errors, g.Message, code, reason)
	}
}

// wantEditorFault is wantFault for Docs and Slides, which say a status and no
// reason.
func wantEditorFault(t *testing.T, err error, code int, status string) {
	t.Helper()
	g, ok := errors.AsType[*googleapi.Error](err)
	if !ok {
		t.Fatalf("got %v, want a Google error %d %s", err, code, status)
	}
	if g.Code != code || len(g.Errors) != 0 || !strings.Contains(g.Body, `"status":"`+status+`"`) {
		t.Fatalf("got %d %s, want %d %s", g.Code, g.Body, code, status)
	}
}

func wantBody(t *testing.T, response *http.Response, err error, want string) {
	t.Helper()
	if err != nil {
		t.Fatalf("download: %v", err)
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	if err != nil || string(got) != want {
		t.Fatalf("got body %q (%v), want %q", got, err, want)
	}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
