package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/test/google/referee"
)

// What the account is known by must be nowhere.
const (
	canaryName  = "Canary Lovelace"
	canaryMail  = "canary@probe.example"
	canaryRobot = "canary@probe.iam.gserviceaccount.com"
)

// A harness is an account of a drive like Google's, a hundred times as fast.
type harness struct {
	pool   *pgxpool.Pool
	url    string
	token  string
	parent string
	before func(*http.Request) int // a status that the drive answers instead; 0: none
}

func newHarness(t *testing.T, address string) *harness {
	t.Helper()
	h := &harness{pool: testkit.Database(t, "probe", store.Migrate), before: func(*http.Request) int { return 0 }}
	store := store.New(h.pool)
	user, err := store.CreateUser(t.Context(), canaryName, address)
	if err != nil {
		t.Fatal(err)
	}
	if h.token, err = store.CreateToken(t.Context(), user.ID); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	handler, err := drive.New(drive.Options{Store: store, PublicURL: "http://" + server.Listener.Addr().String(), Google: &drive.GoogleLike{Speed: 100}})
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status := h.before(r); status != 0 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"error":{"message":"broken","errors":[{"reason":"planted"}]}}`)
			return
		}
		handler.ServeHTTP(w, r)
	})
	server.Start()
	t.Cleanup(server.Close)
	h.url = server.URL
	return h
}

// options are those of a probe with the production client.
func (h *harness) options(t *testing.T) Options {
	t.Helper()
	connector, err := google.NewConnector(google.Options{
		Kind: platen.DrivePlaten, DriveEndpoint: h.url + "/drive/v3/", DocsEndpoint: h.url + "/", SlidesEndpoint: h.url + "/",
		Connections: func(context.Context, string) (platen.DriveConnection, error) {
			return platen.DriveConnection{Kind: platen.ConnectionToken, Secret: platen.Secret(h.token)}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Open: func(wrap func(http.RoundTripper) http.RoundTripper) (google.Services, error) {
			return connector.Services(t.Context(), "usr_1", wrap)
		},
		Parent: h.parent, Wait: 30 * time.Second,
	}
}

// files counts those of all accounts that are not in the trash, but for their own
// folders.
func (h *harness) files(t *testing.T) (n int) {
	t.Helper()
	if err := h.pool.QueryRow(t.Context(), `SELECT count(*) FROM drive.files WHERE parent_id IS NOT NULL AND NOT trashed`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func answerTo(t *testing.T, r Report, q Question) Settled {
	t.Helper()
	at := slices.IndexFunc(r.Questions, func(s Settled) bool { return s.Question == q })
	if at < 0 {
		t.Fatalf("nothing is said of %q", q)
	}
	return r.Questions[at]
}

func TestAProbeSettlesQuestionsAndLeavesNothing(t *testing.T) {
	t.Parallel()
	h := newHarness(t, canaryMail)
	report, answers, err := Run(t.Context(), h.options(t))
	if err != nil || len(report.Failed) > 0 || report.Interrupted || len(report.Kept) > 0 {
		t.Fatalf("got %v, failed %v, kept %v", err, report.Failed, report.Kept)
	}
	if n := h.files(t); n != 0 {
		t.Errorf("%d files stay, want none", n)
	}
	if len(report.Questions) != len(Questions()) {
		t.Errorf("%d questions are told, want each of %d once", len(report.Questions), len(Questions()))
	}
	// As our drive answers; Google may differ, which is why the probe exists.
	for q, want := range map[Question]string{
		LastRow: "no", Suggestions: "yes", CreateHash: "yes", AbsentStart: "yes", ExportShowsEdit: "yes", ListLag: "yes", Reasons: "see details", Times: "see details",
	} {
		if got := answerTo(t, report, q); got.Answer != want {
			t.Errorf("%s got %s (%s), want %s", q, got.Answer, got.Details, want)
		}
	}
	if got := answerTo(t, report, Reasons); !strings.Contains(got.Details, "403") {
		t.Errorf("reasons: got %q, want those of the refused export", got.Details)
	}
	if n := len(answers); n < 20 || n > 45 {
		t.Errorf("%d calls, want some thirty and those that remove", n)
	}
	for _, timing := range report.Timings {
		if timing.Call == "" || timing.Most < timing.Median {
			t.Errorf("a timing is %+v", timing)
		}
	}
}

func TestWhatIsKeptHoldsNothingOfTheAccount(t *testing.T) {
	t.Parallel()
	h := newHarness(t, canaryMail)
	var ids []string
	options := h.options(t)
	report, answers, err := Run(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := h.pool.Query(t.Context(), `SELECT id::text FROM drive.files UNION SELECT id::text FROM drive.users`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	folder := t.TempDir()
	if err := Keep(folder, answers); err != nil {
		t.Fatal(err)
	}
	var text, asJSON bytes.Buffer
	if err := report.Print(&text); err != nil {
		t.Fatal(err)
	}
	if err := report.PrintJSON(&asJSON); err != nil {
		t.Fatal(err)
	}
	kept := map[string]string{"the report": text.String(), "the report as JSON": asJSON.String()}
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(paths) < 5 {
		t.Fatalf("%d files are kept, %v; want those of documents, presentations and the rest", len(paths), err)
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		kept[filepath.Base(path)] = string(content)
	}
	for name, content := range kept {
		for _, canary := range append(ids, canaryName, "Canary", canaryMail, h.token, strings.TrimPrefix(h.url, "http://")) {
			if strings.Contains(content, canary) {
				t.Errorf("%s holds %q", name, canary)
			}
		}
	}
	if !strings.Contains(kept["doc-probe-1.json"], "probemarker") || !strings.Contains(kept["doc-probe-1.json"], `"columnSpan": 2`) {
		t.Errorf("the answer of documents.get lost what it is kept for: %.300s", kept["doc-probe-1.json"])
	}
}

// eachCall runs a probe for one call in so many that an undisturbed one makes, on a
// drive of its own, and has disturb act when that call comes.
func eachCall(t *testing.T, every int, disturb func(r *http.Request, interrupt func()) int) {
	t.Parallel()
	undisturbed, calls := newHarness(t, canaryMail), 0
	undisturbed.before = func(*http.Request) int { calls++; return 0 }
	if _, _, err := Run(t.Context(), undisturbed.options(t)); err != nil || calls < 20 {
		t.Fatalf("%d calls, %v; want some thirty", calls, err)
	}
	for at := 1; at <= calls; at += every {
		t.Run(fmt.Sprint("call ", at), func(t *testing.T) {
			t.Parallel()
			h := newHarness(t, canaryMail)
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			var n atomic.Int32
			h.before = func(r *http.Request) int {
				if n.Add(1) == int32(at) {
					return disturb(r, interrupt)
				}
				return 0
			}
			report, _, err := Run(ctx, h.options(t))
			if left := h.files(t); left != 0 || len(report.Kept) > 0 {
				t.Errorf("%d files stay, kept %v, %v; want none", left, report.Kept, err)
			}
			if err == nil && report.Interrupted != (ctx.Err() != nil) && at < calls/2 {
				t.Errorf("interrupted: got %t", report.Interrupted)
			}
		})
	}
}

func TestNothingStaysWhicheverCallFails(t *testing.T) {
	eachCall(t, 1, func(*http.Request, func()) int { return http.StatusInternalServerError })
}

func TestNothingStaysAfterAnInterruption(t *testing.T) {
	eachCall(t, 3, func(_ *http.Request, interrupt func()) int {
		interrupt() // while the call is under way
		return 0
	})
}

func TestWhatFailsIsSaidWithItsCall(t *testing.T) {
	t.Parallel()
	h := newHarness(t, canaryMail)
	h.before = func(r *http.Request) int {
		if strings.HasSuffix(r.URL.Path, "/copy") {
			return http.StatusBadGateway
		}
		return 0
	}
	report, _, err := Run(t.Context(), h.options(t))
	want := []string{"documents: files.copy: status 502 (planted)", "suggestions: files.copy: status 502 (planted)"}
	if err != nil || !slices.Equal(report.Failed, want) {
		t.Errorf("got %q, %v; want %q", report.Failed, err, want)
	}
}

func TestWhatCannotBeRemovedIsSaid(t *testing.T) {
	t.Parallel()
	h := newHarness(t, canaryMail)
	h.before = func(r *http.Request) int {
		if r.Method == http.MethodDelete || r.Method == http.MethodPatch {
			return http.StatusBadRequest
		}
		return 0
	}
	report, _, err := Run(t.Context(), h.options(t))
	if err != nil || len(report.Kept) != h.files(t) || len(report.Kept) == 0 {
		t.Fatalf("%d files are said to stay, %v; want %d", len(report.Kept), err, h.files(t))
	}
	var text bytes.Buffer
	if err := report.Print(&text); err != nil || !strings.Contains(text.String(), "Could not be removed, remove it by hand: "+report.Kept[0].ID) {
		t.Errorf("got %v and %s, want the ids of what stays", err, text.String())
	}
}

func TestAServiceAccountProbesAFolderAndTrashesIt(t *testing.T) {
	t.Parallel()
	h := newHarness(t, canaryRobot)
	h.parent = h.makeFolder(t)
	report, _, err := Run(t.Context(), h.options(t))
	if err != nil || len(report.Kept) > 0 || len(report.Failed) > 0 {
		t.Fatalf("got %v, kept %v, failed %v", err, report.Kept, report.Failed)
	}
	if n := h.files(t); n != 1 {
		t.Errorf("%d files are not in the trash, want the given folder alone", n)
	}
}

func (h *harness) makeFolder(t *testing.T) string {
	t.Helper()
	services, err := h.options(t).Open(func(base http.RoundTripper) http.RoundTripper { return base })
	if err != nil {
		t.Fatal(err)
	}
	f, err := services.Drive.Files.Create(&driveapi.File{Name: "Shared", MimeType: "application/vnd.google-apps.folder"}).Do()
	if err != nil {
		t.Fatal(err)
	}
	return f.Id
}

func TestAnswersCanBeReadByTheReferee(t *testing.T) {
	t.Parallel()
	h := newHarness(t, canaryMail)
	_, answers, err := Run(t.Context(), h.options(t))
	if err != nil {
		t.Fatal(err)
	}
	documents, presentations := 0, 0
	for _, a := range answers {
		var err error
		switch a.Call {
		case "documents.get":
			documents++
			_, err = referee.ReadDocument(a.Body)
		case "presentations.get":
			presentations++
			_, err = referee.ReadPresentation(a.Body)
		}
		if err != nil {
			t.Errorf("%s: %v", a.Call, err)
		}
	}
	if documents < 3 || presentations < 1 {
		t.Errorf("%d documents and %d presentations, want several and one", documents, presentations)
	}
}
