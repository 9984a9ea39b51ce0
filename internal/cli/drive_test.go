package cli

import (
	"strings"
	"testing"
)

func TestATokenOfTheDriveGoesNowhereInClearText(t *testing.T) {
	t.Parallel()
	for endpoint, want := range map[string]string{"http://drive.example": "without TLS", "drive.example": "give the address of the drive", "ftp://drive.example": "give the address of the drive"} {
		_, err := DriveAccess{Endpoint: endpoint, Token: "drv_x"}.ask(t.Context(), "GET", "/", nil, "", nil)
		if ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", endpoint, err, want)
		}
	}
	if _, err := (DriveAccess{Endpoint: "https://drive.example"}).ask(t.Context(), "GET", "/", nil, "", nil); ExitCode(err) != ExitNoAccess {
		t.Errorf("without a token: got %v", err)
	}
}
