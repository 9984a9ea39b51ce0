package postgres_test

import (
	"testing"

	"github.com/platenhq/platen"
)

func TestADriveConnectionIsReplaced(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.user(nil)
	_, err := f.Connections.DriveConnection(t.Context(), u.ID)
	wantKind(t, "none", err, platen.KindForbidden, "drive_not_connected")
	for _, c := range []platen.DriveConnection{
		{Kind: platen.ConnectionToken, Secret: "drv_1"},
		{Kind: platen.ConnectionServiceAccount, Subject: "ada@example.org"},
	} {
		f.must(f.Connections.SaveDriveConnection(t.Context(), u.ID, c))
		if got, err := f.Connections.DriveConnection(t.Context(), u.ID); err != nil || got != c {
			t.Errorf("got %+v, %v; want %+v", got, err, c)
		}
	}
	wantKind(t, "nobody's", f.Connections.SaveDriveConnection(t.Context(), "usr_none", platen.DriveConnection{Kind: platen.ConnectionToken}), platen.KindNotFound, "user_not_found")
}
