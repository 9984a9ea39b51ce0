package doctor

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
)

func TestAConnectionWithoutTheScopesItNeedsIsSaid(t *testing.T) {
	t.Parallel()
	refresh, service := platen.DriveConnection{Kind: platen.ConnectionRefreshToken}, platen.DriveConnection{Kind: platen.ConnectionServiceAccount}
	for name, c := range map[string]struct {
		connection platen.DriveConnection
		granted    []string
		asked      config.GoogleScope
		want       Status
		words      string
	}{
		"all that was asked for":   {refresh, []string{"drive.file"}, config.ScopeDriveFile, OK, "drive.file"},
		"more than was asked for":  {refresh, []string{"drive"}, config.ScopeDriveFile, OK, "drive"},
		"less than was asked for":  {refresh, []string{"drive.file"}, config.ScopeDrive, Warning, "connect-link"},
		"nothing of files":         {refresh, []string{"openid"}, config.ScopeDriveFile, Failure, "tick the box"},
		"a service that says none": {refresh, nil, config.ScopeDrive, OK, "accepts"},
		"a service account":        {service, nil, config.ScopeDrive, OK, "accepts"},
	} {
		e := &examination{}
		e.Settings.GoogleScope = c.asked
		got := e.scopes("ada@example.com", c.connection, google.Account{Scopes: c.granted})
		if got.Status != c.want || !strings.Contains(got.Message+got.Cure, c.words) || (got.Cure == "") != (c.want == OK) {
			t.Errorf("%s: got %+v, want %s and %q", name, got, c.want, c.words)
		}
	}
}
