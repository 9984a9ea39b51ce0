package operate_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/operate"
	"github.com/platenhq/platen/internal/postgres/storetest"
	"github.com/platenhq/platen/internal/secret"
)

// keyed is the store of a process with these keys.
func (f *harness) keyed(keys ...string) (*operate.DB, *secret.Box) {
	f.T.Helper()
	text := ""
	for _, k := range keys {
		text += "," + k
	}
	box, err := secret.ParseKeys(text[1:])
	f.Must(err)
	pool, err := pgxpool.New(f.T.Context(), f.Owner.Config().ConnString())
	f.Must(err)
	f.T.Cleanup(pool.Close)
	return operate.New(postgres.New(pool, box)), box
}

// sealedBy counts the values that a key seals.
func sealedBy(t *testing.T, db *operate.DB, box *secret.Box) (n int) {
	t.Helper()
	counts, err := db.Rotation.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range counts {
		if c.Key == hex.EncodeToString(box.Prefixes()[0]) {
			n += c.Count
		}
	}
	return n
}

func nothing(operate.Rotated) {}

// Two processes go on under load while a third reseals; then the old key is
// taken away.
func TestAfterARotationTheOldKeyCanBeTakenAway(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	older, newer := secret.NewKey(), secret.NewKey()
	before, oldBox := f.keyed(older)
	f.DB = before
	u := f.User(nil)
	f.Must(before.Connections.SaveDriveConnection(t.Context(), u.ID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "drt_x"}))
	w := f.Workflow(u)
	asked := platen.Verification{Scheme: platen.SchemeGitHub, Secrets: []platen.Secret{"of a sender"}}
	f.Must(before.Sources.SetSourceVerification(t.Context(), u, w.ID, asked))
	automation, event := f.Delivered(w)
	if n := sealedBy(t, before, oldBox); n != 7 {
		t.Fatalf("before: got %d values under the old key, want those of source, its verification, webhook, document, drive, automation and its plan", n)
	}
	// The key is behind the old one first, then in front of it, process by process.
	one, _ := f.keyed(older, newer)
	two, newBox := f.keyed(newer, older)
	ctx, stop := context.WithCancel(t.Context())
	var load sync.WaitGroup
	for _, db := range []*operate.DB{one, two} {
		load.Go(func() {
			for ctx.Err() == nil {
				if err := storetest.Send(t.Context(), db.DB, event2(w)); err != nil {
					t.Errorf("accept: %v", err)
				}
				if body, err := db.Automations.SourceData(t.Context(), automation); err != nil || !bytes.Contains(body, []byte(storetest.Canary)) {
					t.Errorf("source data: got %q and %v", body, err)
				}
				if got, err := db.Workflows.Workflow(t.Context(), u, w.ID); err != nil || got.OutgoingWebhook.Secret != w.OutgoingWebhook.Secret {
					t.Errorf("workflow: got %+v and %v", got.OutgoingWebhook, err)
				}
			}
		})
	}
	f.Must(two.Rotation.Rotate(t.Context(), nothing))
	stop()
	load.Wait()
	// What the first process accepted after its batch had passed.
	f.Must(two.Rotation.Rotate(t.Context(), nothing))
	if n := sealedBy(t, two, oldBox); n != 0 {
		t.Errorf("after: got %d values under the old key, want none", n)
	}
	after, _ := f.keyed(newer)
	f.Must(after.CheckSecrets(t.Context()))
	f.DB, f.Box = after, newBox
	f.Reads(u, w, automation, event)
	if p, err := after.Plans.PinnedPlan(t.Context(), automation); err != nil || p.Documents[0].Document.PDFPassword != w.Documents[0].PDFPassword {
		t.Errorf("plan: got %+v and %v, want its password", p.Documents, err)
	}
	if _, err := after.Connections.DriveConnection(t.Context(), u.ID); err != nil {
		t.Errorf("drive connection: %v", err)
	}
	if v, err := after.Sources.SourceVerification(t.Context(), u, w.ID); err != nil || len(v.Secrets) != 1 || v.Secrets[0] != asked.Secrets[0] {
		t.Errorf("verification: got %+v and %v, want %+v", v, err, asked)
	}
}

func event2(w platen.Workflow) platen.SourceEvent { return storetest.Event(w, "a") }

func TestARotationGoesOnWhereItWasCutOffAndLeavesWhatItCannotOpen(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	older, newer := secret.NewKey(), secret.NewKey()
	f.DB, _ = f.keyed(older)
	w := f.Workflow(f.User(nil))
	f.Accept(w, 3)
	lost, lostBox := f.keyed(secret.NewKey()) // a key that nobody has any more
	if err := storetest.Send(t.Context(), lost.DB, event2(w)); err != nil {
		t.Fatal(err)
	}
	db, newBox := f.keyed(newer, older)
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Rotation.Rotate(ctx, func(r operate.Rotated) {
		if r.Sealed > 0 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || sealedBy(t, db, newBox) == 0 {
		t.Fatalf("cut off: got %v and %d values, want some resealed", err, sealedBy(t, db, newBox))
	}
	closed := map[string]int{}
	f.Must(db.Rotation.Rotate(t.Context(), func(r operate.Rotated) { closed[r.What] = r.Closed }))
	if n := sealedBy(t, db, lostBox); n != 1 || closed["keys of source data"] != 1 {
		t.Errorf("got %d values under the lost key and %v that did not open, want one left as it is", n, closed)
	}
	if n := sealedBy(t, db, newBox); n != 6 {
		t.Errorf("got %d values under the new key, want all six others", n)
	}
}
