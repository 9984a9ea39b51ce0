package google_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
)

func TestAnAccountTellsItsStorageAndWhatWasGranted(t *testing.T) {
	t.Parallel()
	client := open(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/token") {
			answer(w, 200, `{"access_token":"a","token_type":"Bearer","expires_in":3600,"scope":"openid https://www.googleapis.com/auth/drive.file"}`)
			return
		}
		answer(w, 200, `{"storageQuota":{"limit":"100","usage":"42"}}`)
	}, platen.DriveConnection{Kind: platen.ConnectionRefreshToken, Secret: "refresh"}, google.Options{OAuthClientID: "id"})
	got, err := client.Account(t.Context())
	if err != nil || got.Limit != 100 || got.Used != 42 || !slices.Equal(got.Scopes, []string{"drive.file", "openid"}) {
		t.Errorf("got %+v, %v; want 42 of 100, and drive.file and openid", got, err)
	}
}
