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
	"sync/atomic"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
)

// serve opens a drive whose server is h.
func serve(t *testing.T, h http.HandlerFunc) *google.Client {
	t.Helper()
	return open(t, h, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "drive-token"}, google.Options{})
}

func open(t *testing.T, h http.HandlerFunc, connection platen.DriveConnection, o google.Options) *google.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	o.DriveEndpoint, o.DocsEndpoint, o.SlidesEndpoint = server.URL+"/drive/v3", server.URL, server.URL
	o.Kind = connection.Kind.Issuer()
	o.TokenURL = server.URL + "/token"
	o.Transport = server.Client().Transport
	o.Connections = func(context.Context, string) (platen.DriveConnection, error) { return connection, nil }
	connector, err := google.NewConnector(o)
	if err != nil {
		t.Fatal(err)
	}
	client, err := connector.Drive(t.Context(), "usr_1")
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func fault(status int, reason, message string) string {
	return fmt.Sprintf(`{"error":{"code":%d,"message":%q,"errors":[{"domain":"global","reason":%q,"message":%q}],"status":"X"}}`, status, message, reason, message)
}

// A copy that was filled would be filled once more.
func TestADriveThatTakesNoMoreCallsBehindTheChangeDoesNotDenyIt(t *testing.T) {
	t.Parallel()
	changed := false
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodGet && changed:
			answer(w, http.StatusTooManyRequests, fault(429, "rateLimitExceeded", "m"))
		case r.Method == http.MethodGet:
			answer(w, http.StatusOK, deck)
		default:
			changed = true
			// The first tag stands in speaker notes, out of reach.
			answer(w, http.StatusOK, `{"replies":[{"replaceAllText":{}},{"replaceAllText":{"occurrencesChanged":1}}]}`)
		}
	})
	_, err := client.EditPresentation(t.Context(), "file", platen.ReadWhole, replaceSlideTexts(pair{"{{Notes}}", "x"}, pair{"{{Title}}", "y"}))
	if platen.KindOf(err) != platen.KindUnavailable {
		t.Errorf("got %v of kind %v, want KindUnavailable", err, platen.KindOf(err))
	}
}

func TestEveryAnswerOfTheDriveIsClassified(t *testing.T) {
	t.Parallel()
	details := `{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED"}]}}`
	for name, c := range map[string]struct {
		status int
		body   string
		kind   platen.Kind
		code   string
	}{
		"not found":         {404, fault(404, "notFound", "File not found: x."), platen.KindNotFound, "drive_file_not_found"},
		"no content":        {403, fault(403, "fileNotDownloadable", "m"), platen.KindInvalid, "drive_file_without_content"},
		"forbidden":         {403, fault(403, "insufficientFilePermissions", "m"), platen.KindForbidden, "drive_file_forbidden"},
		"not granted":       {403, fault(403, "appNotAuthorizedToFile", "m"), platen.KindForbidden, "drive_file_forbidden"},
		"domain policy":     {403, fault(403, "domainPolicy", "m"), platen.KindForbidden, "drive_file_forbidden"},
		"cannot copy":       {403, fault(403, "cannotCopyFile", "m"), platen.KindForbidden, "drive_file_forbidden"},
		"rate limit":        {403, fault(403, "rateLimitExceeded", "m"), platen.KindRateLimited, "drive_rate_limited"},
		"user rate limit":   {403, fault(403, "userRateLimitExceeded", "m"), platen.KindRateLimited, "drive_rate_limited"},
		"sharing limit":     {403, fault(403, "sharingRateLimitExceeded", "m"), platen.KindRateLimited, "drive_rate_limited"},
		"429":               {429, fault(429, "other", "m"), platen.KindRateLimited, "drive_rate_limited"},
		"429 details":       {429, details, platen.KindRateLimited, "drive_rate_limited"},
		"storage quota":     {403, fault(403, "storageQuotaExceeded", "m"), platen.KindInvalid, "drive_quota"},
		"download quota":    {403, fault(403, "downloadQuotaExceeded", "m"), platen.KindInvalid, "drive_quota"},
		"bad request":       {400, fault(400, "invalid", "m"), platen.KindInvalid, "drive_request_refused"},
		"401":               {401, fault(401, "authError", "m"), platen.KindForbidden, "drive_connection_broken"},
		"scope":             {403, fault(403, "ACCESS_TOKEN_SCOPE_INSUFFICIENT", "m"), platen.KindForbidden, "drive_connection_broken"},
		"API off":           {403, fault(403, "accessNotConfigured", "m"), platen.KindForbidden, "drive_api_disabled"},
		"conflict":          {409, fault(409, "fileIdInUse", "m"), platen.KindConflict, "drive_file_exists"},
		"timeout":           {408, "", platen.KindUnavailable, "drive_unavailable"},
		"500":               {500, fault(500, "internalError", "m"), platen.KindUnavailable, "drive_fault"},
		"503 of a proxy":    {503, "<html>busy</html>", platen.KindUnavailable, "drive_unavailable"},
		"not our protocol":  {200, "<html>sign in</html>", platen.KindUnavailable, "drive_unavailable"},
		"too large request": {413, fault(413, "uploadTooLarge", "m"), platen.KindTooLarge, "drive_file_too_large"},
		"stale revision": {400, fault(400, "badRequest", "The required revision ID 'a' does not match the latest revision."),
			platen.KindConflict, "drive_revision_stale"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				calls.Add(1)
				answer(w, c.status, c.body)
			})
			_, err := client.File(t.Context(), "x")
			e, ok := errors.AsType[*platen.Error](err)
			if !ok || e.Kind != c.kind || e.Code != c.code || e.Message == "" {
				t.Errorf("error %v (%+v), want kind %v and code %s", err, e, c.kind, c.code)
			}
			if calls.Load() != 1 {
				t.Errorf("%d calls, want 1: repeating is the caller's business", calls.Load())
			}
		})
	}
}

func TestNoAnswerIsUnavailable(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) })
	_, err := client.File(t.Context(), "x")
	if platen.KindOf(err) != platen.KindUnavailable {
		t.Errorf("cut connection: %v, want KindUnavailable", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	client = serve(t, func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	_, err = client.File(ctx, "x")
	if platen.KindOf(err) != platen.KindUnavailable || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled call: %v, want KindUnavailable and context.Canceled in the chain", err)
	}
}

func TestRetryAfterIsKeptWithinBounds(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][2]time.Duration{
		"7":      {7 * time.Second, 7 * time.Second},
		"999999": {time.Hour, time.Hour},
		"-5":     {0, 0},
		"soon":   {0, 0},
		time.Now().Add(10 * time.Minute).UTC().Format(http.TimeFormat): {8 * time.Minute, 10 * time.Minute},
	} {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", header)
			answer(w, 429, "")
		})
		_, err := client.File(t.Context(), "x")
		e, _ := errors.AsType[*platen.Error](err)
		if e == nil || e.RetryAfter < want[0] || e.RetryAfter > want[1] {
			t.Errorf("Retry-After %q: %+v, want %v", header, e, want)
		}
	}
}

func TestAFileIsReadWithItsKeyAndHash(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer drive-token" {
			t.Errorf("Authorization %q", got)
		}
		if r.URL.Path != "/drive/v3/files/abc" || !strings.Contains(r.URL.Query().Get("fields"), "sha256Checksum") {
			t.Errorf("request %s", r.URL)
		}
		answer(w, 200, `{"id":"abc","name":"N","mimeType":"application/pdf","webViewLink":"https://d/abc","appProperties":{"platenKey":"out_1.1"},"sha256Checksum":"ff","size":"5","trashed":true}`)
	})
	got, err := client.File(t.Context(), "abc")
	if err != nil {
		t.Fatal(err)
	}
	if got.ID != "abc" || got.Name != "N" || got.URL != "https://d/abc" || got.MIMEType != platen.MIMEPDF ||
		got.Properties[platen.PropertyKey] != "out_1.1" || got.SHA256 != "ff" || got.Size != 5 || !got.Trashed {
		t.Errorf("file %+v", got)
	}
}

func TestFindByKeyReadsEveryPageAndQuotesTheKey(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if want := `appProperties has { key='platenKey' and value='it\'s\\' } and trashed=false`; r.URL.Query().Get("q") != want {
			t.Errorf("q %q, want %q", r.URL.Query().Get("q"), want)
		}
		if r.URL.Query().Get("pageToken") == "" {
			answer(w, 200, `{"nextPageToken":"2","files":[{"id":"a"}]}`)
			return
		}
		answer(w, 200, `{"files":[{"id":"b"}]}`)
	})
	got, err := client.FindByKey(t.Context(), `it's\`)
	if err != nil || len(got) != 2 || got[0].ID != "a" || got[1].ID != "b" {
		t.Errorf("FindByKey = %+v, %v; want a and b", got, err)
	}
}

func TestDeletingWhatIsNotThereIsNoError(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 404, fault(404, "notFound", "m")) })
	if err := client.Delete(t.Context(), "x"); err != nil {
		t.Errorf("Delete: %v", err)
	}
	if err := client.Trash(t.Context(), "x"); err != nil {
		t.Errorf("Trash: %v", err)
	}
}

func TestFileIDsAreFetchedInBatches(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		n := calls.Add(1)
		answer(w, 200, fmt.Sprintf(`{"ids":["%d-a","%d-b"]}`, n, n))
	})
	for _, want := range []string{"1-a", "1-b", "2-a"} {
		if got, err := client.NewFileID(t.Context()); err != nil || got != want {
			t.Errorf("NewFileID = %q, %v; want %q", got, err, want)
		}
	}
}

func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	size := google.MaxResponse
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, size)) })
	if got, err := client.Download(t.Context(), "x"); err != nil || len(got) != size {
		t.Errorf("%d bytes, %v; want all %d", len(got), err, size)
	}
	size++
	if _, err := client.Download(t.Context(), "x"); platen.KindOf(err) != platen.KindTooLarge {
		t.Errorf("one byte more: %v, want KindTooLarge", err)
	}
	if _, err := client.Upload(t.Context(), platen.File{ID: "x"}, make([]byte, size)); platen.KindOf(err) != platen.KindTooLarge {
		t.Errorf("upload of one byte more: %v, want KindTooLarge", err)
	}
}

func TestAnExportOverTheLimitIsFetchedByItsLink(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]func(w http.ResponseWriter){
		"named": func(w http.ResponseWriter) { answer(w, 403, fault(403, "exportSizeLimitExceeded", "m")) },
		"bare":  func(w http.ResponseWriter) { answer(w, 500, "") },
	} {
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/drive/v3/files/x/export":
				refusal(w)
			case "/drive/v3/files/x":
				answer(w, 200, fmt.Sprintf(`{"exportLinks":{"application/pdf":"http://%s/link"}}`, r.Host))
			case "/link":
				if r.Header.Get("Authorization") == "" {
					t.Error("the link was asked without the token")
				}
				_, _ = io.WriteString(w, wholePDF)
			}
		})
		if got, err := client.ExportPDF(t.Context(), "x"); err != nil || string(got) != wholePDF {
			t.Errorf("%s: ExportPDF = %q, %v", name, got, err)
		}
	}
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/export") {
			answer(w, 403, fault(403, "exportSizeLimitExceeded", "m"))
			return
		}
		answer(w, 200, `{}`)
	})
	if _, err := client.ExportPDF(t.Context(), "x"); platen.KindOf(err) != platen.KindTooLarge {
		t.Errorf("without a link: %v, want KindTooLarge", err)
	}
}

func TestTheTokenGoesToTheDriveOnly(t *testing.T) {
	t.Parallel()
	stranger := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a stranger was asked for %s with Authorization %q", r.URL, r.Header.Get("Authorization"))
	}))
	t.Cleanup(stranger.Close)
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/export"):
			answer(w, 403, fault(403, "exportSizeLimitExceeded", "m"))
		case r.URL.Query().Get("alt") == "media":
			http.Redirect(w, r, stranger.URL, http.StatusFound)
		default:
			answer(w, 200, fmt.Sprintf(`{"exportLinks":{"application/pdf":%q}}`, stranger.URL))
		}
	})
	if _, err := client.ExportPDF(t.Context(), "x"); err == nil {
		t.Error("ExportPDF followed a link to a stranger")
	}
	if _, err := client.Download(t.Context(), "x"); err == nil {
		t.Error("Download followed a redirect to a stranger")
	}
}

func TestASmallUploadIsOneRequestAndALargeOneResumable(t *testing.T) {
	t.Parallel()
	for size, wantType := range map[int]string{1000: "multipart", 6 << 20: "resumable"} {
		var got atomic.Int64
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			n, _ := io.Copy(io.Discard, r.Body)
			if r.URL.Path == "/session" {
				got.Add(n)
				if strings.HasSuffix(r.Header.Get("Content-Range"), "/*") {
					w.Header().Set("X-Http-Status-Code-Override", "308")
					w.WriteHeader(200)
					return
				}
				answer(w, 200, `{"id":"f"}`)
				return
			}
			if r.URL.Path != "/upload/drive/v3/files" || r.URL.Query().Get("uploadType") != wantType {
				t.Errorf("%d bytes: %s, want %s", size, r.URL, wantType)
			}
			w.Header().Set("Location", "http://"+r.Host+"/session")
			answer(w, 200, `{"id":"f"}`)
		})
		file, err := client.Upload(t.Context(), platen.File{ID: "f", Name: "n", MIMEType: platen.MIMEPDF}, make([]byte, size))
		if err != nil || file.ID != "f" {
			t.Errorf("%d bytes: %+v, %v", size, file, err)
		}
		if wantType == "resumable" && got.Load() != int64(size) {
			t.Errorf("%d bytes arrived, want %d", got.Load(), size)
		}
	}
}

func decode(t *testing.T, r *http.Request, into any) {
	t.Helper()
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		t.Error(err)
	}
}
