package doctor_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/doctor"
	"github.com/platenhq/platen/internal/platen"
)

// answering is a drive that answers every call in one way.
func answering(t *testing.T, status int, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestADriveThatRefusesSaysWhatToDo(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.connect(t, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "canary-token"})
	for name, c := range map[string]struct {
		status int
		body   string
		word   string
	}{
		"unauthenticated": {401, `{"error":{"code":401,"status":"UNAUTHENTICATED","message":"no"}}`, "connect again"},
		"APIs off":        {403, `{"error":{"code":403,"status":"PERMISSION_DENIED","message":"off","errors":[{"reason":"accessNotConfigured"}]}}`, "Enable the Drive, Docs and Slides APIs"},
		"not allowed":     {403, `{"error":{"code":403,"errors":[{"reason":"domainPolicy"}],"message":"no"}}`, "Admin console"},
		"broken":          {500, `oh`, "try again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := h.options
			o.Settings.DriveEndpoint = answering(t, c.status, c.body)
			r := app.Doctor(t.Context(), o)
			want(t, r, "credentials", email, doctor.Failure, c.word)
			wantNoSecret(t, r, "canary-token")
		})
	}
}

func TestAUserWithoutADriveAndOneOfAnotherDriveAreSaid(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	if _, err := h.admin.CreateUser(t.Context(), "Bob", "bob@doctor.example", ""); err != nil {
		t.Fatal(err)
	}
	h.connect(t, platen.DriveConnection{Kind: platen.ConnectionRefreshToken, Secret: "canary-refresh"})
	r := app.Doctor(t.Context(), h.options)
	want(t, r, "credentials", "bob@doctor.example", doctor.Warning, "platen user connect")
	want(t, r, "credentials", email, doctor.Failure, "PLATEN_DRIVE_KIND")
	wantNoSecret(t, r, "canary-refresh")
}

func TestTheDrivesOfFiftyUsersAreLookedAt(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for i := range 60 {
		if _, err := h.admin.CreateUser(t.Context(), "Bob", fmt.Sprintf("bob-%d@doctor.example", i), ""); err != nil {
			t.Fatal(err)
		}
	}
	want(t, app.Doctor(t.Context(), h.options), "credentials", "users", doctor.OK, "50 users were looked at, and those of 11 others were not")
}

func TestAFullStorageIsAFailure(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for used, status := range map[int]doctor.Status{50: doctor.OK, 96: doctor.Warning, 100: doctor.Failure} {
		o := h.options
		o.Settings.DriveEndpoint = answering(t, 200, fmt.Sprintf(`{"storageQuota":{"limit":"104857600","usage":"%d"}}`, used<<20))
		want(t, app.Doctor(t.Context(), o), "storage", email, status, fmt.Sprintf("%d MiB of 100 MiB are left", 100-used))
	}
}

func TestAFolderSaysWhatMayBeDoneThere(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	const kind = `"mimeType":"application/vnd.google-apps.folder"`
	for name, c := range map[string]struct {
		body   string
		status doctor.Status
		word   string
	}{
		"a reader":          {`{` + kind + `,"capabilities":{}}`, doctor.Failure, "content manager"},
		"a contributor":     {`{` + kind + `,"driveId":"d","capabilities":{"canAddChildren":true}}`, doctor.Warning, "a shared drive"},
		"a content manager": {`{` + kind + `,"driveId":"d","capabilities":{"canAddChildren":true,"canTrashChildren":true}}`, doctor.OK, "a shared drive"},
		"a file":            {`{"mimeType":"text/plain"}`, doctor.Failure, "no folder"},
		"a folder in trash": {`{` + kind + `,"trashed":true}`, doctor.Failure, "trash"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := h.options
			o.User, o.Folder = email, "folder"
			o.Settings.DriveEndpoint = answering(t, 200, c.body)
			want(t, app.Doctor(t.Context(), o), "folder", email, c.status, c.word)
		})
	}
	o := h.options
	o.User, o.Folder = email, "unknown"
	want(t, app.Doctor(t.Context(), o), "folder", email, doctor.Failure, "does not see the folder")
}
