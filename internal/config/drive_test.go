package config_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
)

func TestTheDriveIsChosenByNameOrByTheAddressOfOurOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind     platen.DriveKind
		endpoint string
		want     platen.DriveKind
		fault    string // empty: none
	}{
		{"", "", "", "--drive-kind (PLATEN_DRIVE_KIND): no cloud drive is chosen; set it to google, or to platen with --drive-endpoint (PLATEN_DRIVE_ENDPOINT)"},
		{"", "http://127.0.0.1:8082", platen.DrivePlaten, ""},
		{"platen", "http://127.0.0.1:8082", platen.DrivePlaten, ""},
		{"google", "", platen.DriveGoogle, ""},
		{"dropbox", "", "", `--drive-kind (PLATEN_DRIVE_KIND): "dropbox" is not one of google, platen`},
		{"platen", "", "", "--drive-endpoint (PLATEN_DRIVE_ENDPOINT): it is needed beside --drive-kind platen"},
		{"google", "http://127.0.0.1:8082", "", "--drive-endpoint (PLATEN_DRIVE_ENDPOINT): it names a drive other than Google"},
		{"", "https://www.googleapis.com", "", "--drive-endpoint (PLATEN_DRIVE_ENDPOINT): this is Google"},
		{"platen", "https://Drive.Google.com./x", "", "--drive-endpoint (PLATEN_DRIVE_ENDPOINT): this is Google"},
		{"", "https://googleapis.com.example.org", platen.DrivePlaten, ""},
	} {
		s, w := serve(t), config.Connect{Database: serve(t).Database, Secrets: serve(t).Secrets}
		s.DriveKind, s.DriveEndpoint, w.DriveKind, w.DriveEndpoint = c.kind, c.endpoint, c.kind, c.endpoint
		for _, err := range []error{s.Check(), w.Check()} {
			if c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault) || !strings.Contains(err.Error(), " 1 fault")) {
				t.Errorf("%q at %q: got %v, want %s alone", c.kind, c.endpoint, err, c.fault)
			}
			if c.fault == "" && (err != nil || s.Kind() != c.want) {
				t.Errorf("%q at %q: got %q, %v; want %q", c.kind, c.endpoint, s.Kind(), err, c.want)
			}
		}
	}
}

func TestAMissingChoiceOfTheDriveIsReportedWithTheOtherFaults(t *testing.T) {
	t.Parallel()
	if err := serve(t, "--drive-kind=", "--log-level=loud").Check(); err == nil || !strings.Contains(err.Error(), "2 fault(s)") || !strings.Contains(err.Error(), "--drive-kind") {
		t.Errorf("got %v, want both faults", err)
	}
}

func TestConnectingInABrowserNeedsGoogleAClientAndTheWholeAddress(t *testing.T) {
	t.Parallel()
	const address = "https://api.example.com/connect/google/callback"
	for _, c := range []struct {
		kind            platen.DriveKind
		client, address string
		scope           config.GoogleScope
		fault           string // empty: none
	}{
		{platen.DriveGoogle, "client", address, config.ScopeDriveFile, ""},
		{platen.DriveGoogle, "client", address, config.ScopeDrive, ""},
		{platen.DriveGoogle, "client", address, "drive.readonly", `--google-scope (PLATEN_GOOGLE_SCOPE): "drive.readonly" is not one of drive.file, drive`},
		{platen.DriveGoogle, "", address, "", "--oauth-redirect-url (PLATEN_OAUTH_REDIRECT_URL): it is for Google and an OAuth client"},
		{platen.DriveGoogle, "client", address + "/", "", "ends in a slash"},
		{platen.DriveGoogle, "client", "https://api.example.com/v0", "", "does not end in /connect/google/callback"},
	} {
		s := serve(t)
		s.DriveKind, s.DriveEndpoint, s.OAuthClientID, s.OAuthClientSecret = c.kind, "", c.client, platen.Secret(c.client)
		s.OAuthRedirectURL, s.GoogleScope = c.address, c.scope
		err := s.Check()
		if c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault) || !strings.Contains(err.Error(), " 1 fault")) {
			t.Errorf("%s with client %q and scope %q: got %v, want %s alone", c.address, c.client, c.scope, err, c.fault)
		}
		if c.fault == "" && err != nil {
			t.Errorf("%s: got %v, want no fault", c.address, err)
		}
	}
	if got, want := (config.Redirect{OAuthRedirectURL: address}).ConnectURL(), "https://api.example.com/connect/google"; got != want {
		t.Errorf("ConnectURL: got %s, want %s", got, want)
	}
}
