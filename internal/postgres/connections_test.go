package postgres_test

import (
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestADriveConnectionIsReplaced(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	_, err := f.Connections.DriveConnection(t.Context(), u.ID)
	storetest.WantKind(t, "none", err, platen.KindForbidden, "drive_not_connected")
	for _, c := range []platen.DriveConnection{
		{Kind: platen.ConnectionToken, Secret: "drv_1"},
		{Kind: platen.ConnectionServiceAccount, Subject: "ada@example.org"},
	} {
		f.Must(f.Connections.SaveDriveConnection(t.Context(), u.ID, c))
		if got, err := f.Connections.DriveConnection(t.Context(), u.ID); err != nil || got != c {
			t.Errorf("got %+v, %v; want %+v", got, err, c)
		}
	}
	storetest.WantKind(t, "nobody's", f.Connections.SaveDriveConnection(t.Context(), "usr_none", platen.DriveConnection{Kind: platen.ConnectionToken}), platen.KindNotFound, "user_not_found")
}

func TestABrokenConnectionIsSaidSoUntilTheUserConnectsAgain(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	old, next := platen.DriveConnection{Kind: platen.ConnectionRefreshToken, Secret: "old"}, platen.DriveConnection{Kind: platen.ConnectionRefreshToken, Secret: "next"}
	f.Must(f.Connections.SaveDriveConnection(t.Context(), u.ID, old))
	for _, want := range []bool{true, false} {
		if first, err := f.Connections.MarkBroken(t.Context(), u.ID, old, "invalid_grant"); err != nil || first != want {
			t.Errorf("marked: got %t, %v; want %t the first time alone", first, err, want)
		}
	}
	_, err := f.Connections.DriveConnection(t.Context(), u.ID)
	storetest.WantKind(t, "broken", err, platen.KindForbidden, platen.CodeConnectionBroken)
	if n := f.Count(`SELECT count(*) FROM drive_connections WHERE broken_at IS NOT NULL AND broken_reason = 'invalid_grant'`); n != 1 {
		t.Errorf("%d connections say since when and why, want 1", n)
	}
	f.Must(f.Connections.SaveDriveConnection(t.Context(), u.ID, next))
	if got, err := f.Connections.DriveConnection(t.Context(), u.ID); err != nil || got != next {
		t.Errorf("connected again: got %+v, %v; want %+v", got, err, next)
	}
}

func TestWhatEndedBeforeTheUserConnectedAgainBreaksAndRemovesNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	old, next := platen.DriveConnection{Kind: platen.ConnectionRefreshToken, Secret: "old"}, platen.DriveConnection{Kind: platen.ConnectionRefreshToken, Secret: "next"}
	f.Must(f.Connections.SaveDriveConnection(t.Context(), u.ID, next))
	if first, err := f.Connections.MarkBroken(t.Context(), u.ID, old, "invalid_grant"); err != nil || first {
		t.Errorf("marked: got %t, %v; want the later connection left alone", first, err)
	}
	if removed, err := f.Connections.RemoveDriveConnection(t.Context(), u.ID, old); err != nil || removed {
		t.Errorf("removed: got %t, %v; want the later connection left alone", removed, err)
	}
	if got, err := f.Connections.DriveConnection(t.Context(), u.ID); err != nil || got != next {
		t.Errorf("got %+v, %v; want %+v", got, err, next)
	}
	if removed, err := f.Connections.RemoveDriveConnection(t.Context(), u.ID, next); err != nil || !removed {
		t.Errorf("removed: got %t, %v; want true", removed, err)
	}
	_, err := f.Connections.StoredConnection(t.Context(), u.ID)
	storetest.WantKind(t, "removed", err, platen.KindForbidden, "drive_not_connected")
}

func TestRunsThatWaitForAConnectionAreWokenWhenItIsStored(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w, other := f.Workflow(f.User(nil)), f.Workflow(f.User(nil))
	ids, others := f.UnderWay(w, 3), f.UnderWay(other, 1)
	broken := platen.Wait{Subject: "out_1", Step: "CopyTemplate", Code: platen.CodeConnectionBroken}
	for id, wait := range map[string]platen.Wait{ids[0]: broken, ids[1]: storetest.IsUnavailable("out_2"), others[0]: broken} {
		_, err := f.Parking.Park(t.Context(), id, 1, wait)
		f.Must(err)
	}
	for range 2 { // connected twice, before anybody was told
		f.Must(f.Connections.SaveDriveConnection(t.Context(), w.Owner.ID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "new"}))
	}
	if got, err := f.Outbox.ClaimCommands(t.Context(), 10, time.Minute); err != nil || len(got) != 0 {
		t.Errorf("at once: got %v, %v; want none while workers may remember the earlier connection", got, err)
	}
	f.Exec(`UPDATE errands SET requested_at = requested_at - interval '2.5 seconds'`)
	got, err := f.Outbox.ClaimCommands(t.Context(), 10, time.Minute)
	if err != nil || len(got) != 1 || got[0].Kind != platen.CommandWake || got[0].ID != ids[0] || got[0].OwnerID != w.Owner.ID {
		t.Errorf("got %+v, %v; want %s of the owner woken alone", got, err, ids[0])
	}
}

// A user connects a drive in a browser, where no token says who that is.
func TestAUserConnectsADriveBehindWalls(t *testing.T) {
	t.Parallel()
	f, serve := walled(t)
	user := f.User(nil)
	f.Must(serve.Connections.SaveDriveConnection(t.Context(), user.ID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "secret"}))
	if got, err := serve.Connections.DriveConnection(t.Context(), user.ID); err != nil || got.Secret != "secret" {
		t.Errorf("got %+v, %v; want the connection", got, err)
	}
}
