package drive

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/peer"
)

// begin opens an upload session and returns its address without the host.
func (a *account) begin() string {
	a.h.t.Helper()
	begun, _ := a.do("POST", "/upload/drive/v3/files?uploadType=resumable", "application/json", `{}`)
	_, path, ok := strings.Cut(begun.Header.Get("Location"), a.url)
	if !ok {
		a.h.t.Fatalf("got %d without an address of a session", begun.StatusCode)
	}
	return path
}

func (h *harness) resume(path string) int {
	r := httptest.NewRequest("PUT", path, strings.NewReader("abc"))
	code, _ := h.answerTo(Options{}, r)
	return code
}

func TestAnUploadEndsWithTheTokenThatBeganIt(t *testing.T) {
	h := newHarness(t)
	ada := h.account("Ada")
	other := h.signIn(ada.user, must[string](t)(h.store.CreateToken(t.Context(), ada.user.ID)), h.url)
	ended, kept := ada.begin(), other.begin()
	if err := h.store.RevokeToken(t.Context(), ada.token); err != nil {
		t.Fatal(err)
	}
	if code := h.resume(ended); code != 404 {
		t.Errorf("begun with the token that was revoked: got %d, want 404", code)
	}
	if code := h.resume(kept); code != 200 {
		t.Errorf("begun with another token of the same account: got %d, want 200", code)
	}
}

func TestADisabledAccountsCredentialsOpenNothing(t *testing.T) {
	h := newHarness(t)
	ada := h.account("Ada")
	refresh := must[string](t)(h.store.CreateRefreshToken(t.Context(), ada.user.ID))
	_ = must[string](t)(func() (string, error) {
		id, _, err := h.store.CreateServiceKey(t.Context(), ada.user.ID)
		return id, err
	}())
	session := ada.begin()
	usable := func() (bearer, refreshes bool, keys int) {
		t.Helper()
		_, err1 := h.store.UserByToken(t.Context(), ada.token)
		_, err2 := h.store.UserByRefreshToken(t.Context(), refresh)
		found := must[[]store.ServiceKey](t)(h.store.ServiceKeys(t.Context(), ada.user.Email))
		return err1 == nil, err2 == nil, len(found)
	}
	for range 2 {
		if err := h.store.DisableUser(t.Context(), ada.user.ID, true); err != nil {
			t.Fatal(err)
		}
	}
	if bearer, refreshes, keys := usable(); bearer || refreshes || keys != 0 || h.resume(session) != 404 {
		t.Errorf("disabled: bearer %v, refresh %v, %d keys, want none, nor the upload under way", bearer, refreshes, keys)
	}
	if err := h.store.DisableUser(t.Context(), ada.user.ID, false); err != nil {
		t.Fatal(err)
	}
	if bearer, refreshes, keys := usable(); !bearer || !refreshes || keys != 1 || h.resume(session) != 200 {
		t.Errorf("enabled: bearer %v, refresh %v, %d keys, want all as before", bearer, refreshes, keys)
	}
	if err := h.store.DisableUser(t.Context(), "usr_none", true); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("nobody: got %v, want ErrNotFound", err)
	}
}

func TestTheAccessLogNamesFileTokenAndClientAndNoCredential(t *testing.T) {
	h := newHarness(t)
	ada := h.account("Ada")
	file := ada.document("Canary", "text")
	var key string
	if err := h.pool.QueryRow(context.Background(), `SELECT link_key FROM drive.files WHERE id = $1`, file.Id).Scan(&key); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	server, err := newServer(Options{
		Store: h.store, PublicURL: "http://drive.example.com", Proxies: peer.Proxies{netip.MustParsePrefix("192.0.2.0/24")},
		Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}, h.formats)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/drive/v3/files/" + file.Id, "/d/" + key + "?resourcekey=canary-query", "/d/canary-key"} {
		r := httptest.NewRequest("GET", path, nil)
		if strings.HasPrefix(path, "/drive/") {
			r.Header.Set("Authorization", "Bearer "+ada.token)
		}
		r.Header.Set("X-Forwarded-For", "203.0.113.7")
		server.ServeHTTP(httptest.NewRecorder(), r)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("got %d lines, want one for each request: %s", len(lines), log.String())
	}
	for i, want := range [][]string{
		{`"DEBUG"`, `"file":"` + file.Id + `"`, `"user":"` + ada.user.ID + `"`, `"token":"` + tokenID(ada.token) + `"`, `"client":"203.0.113.7"`, `"status":200`},
		{`"INFO"`, `"route":"GET /d/{key}"`, `"file":"` + file.Id + `"`, `"client":"203.0.113.7"`, `"status":200`},
		{`"INFO"`, `"file":""`, `"status":404`},
	} {
		for _, part := range want {
			if !strings.Contains(lines[i], part) {
				t.Errorf("line %d: got %s, want %s in it", i+1, lines[i], part)
			}
		}
	}
	for _, secret := range []string{ada.token, key, "Canary", "canary-query", "canary-key"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%q is in the log: %s", secret, log.String())
		}
	}
}
