package maintenance

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
)

// due is a store with erasures that are due, and what was done about each.
type due struct {
	erasures []platen.Erasure
	outputs  map[string][]platen.Output
	known    []string // automations that nobody asked to erase
	did      []string
}

func (d *due) ClaimErasures(context.Context, int, time.Duration) ([]platen.Erasure, error) {
	all := d.erasures
	d.erasures = nil
	return all, nil
}

func (d *due) EraseData(_ context.Context, id string) error {
	d.did = append(d.did, "data of "+id)
	return nil
}

func (d *due) ErasedOutputs(_ context.Context, id string) ([]platen.Output, error) {
	return d.outputs[id], nil
}

func (d *due) PutOffErasure(_ context.Context, id string, wait time.Duration) error {
	d.did = append(d.did, "put off "+id+" for "+wait.Round(time.Minute).String())
	return nil
}

func (d *due) FinishErasure(_ context.Context, e platen.Erasure) error {
	d.did = append(d.did, "finished "+e.AutomationID)
	return nil
}

func (d *due) EraseAgain(_ context.Context, stones []platen.Tombstone) (n int, _ error) {
	for _, s := range stones {
		if slices.Contains(d.known, s.AutomationID) {
			d.did = append(d.did, "again "+s.AutomationID)
			n++
		}
	}
	return n, nil
}

// cabinet is a drive with files by key, which may be away, and keeps one file.
type cabinet struct {
	*due
	byKey map[string][]string
	away  error
	kept  string
}

func (c cabinet) FindByKey(_ context.Context, key string) ([]platen.File, error) {
	var found []platen.File
	for _, id := range c.byKey[key] {
		found = append(found, platen.File{ID: id})
	}
	return found, c.away
}

func (c cabinet) Delete(_ context.Context, id string) error {
	if id == c.kept {
		return platen.Errorf(platen.KindForbidden, platen.CodeFileKept, "kept")
	}
	c.did = append(c.did, "deleted "+id)
	return nil
}

const first, second = "aut_0000000000000001", "aut_0000000000000002"

func (d *due) pass(t *testing.T, c cabinet, stones Tombstones) error {
	t.Helper()
	job := Erase(d, func(context.Context, string) (ErasingDrive, error) { return c, nil }, stones, time.Hour)
	return job.Do(t.Context(), slog.New(slog.DiscardHandler))
}

func TestAnErasureDeletesEveryFileThatAnOutputMayHave(t *testing.T) {
	t.Parallel()
	o := platen.Output{
		ID: "out_1", State: platen.OutputDone, Generation: 1, ThrownAway: []string{"thrown"}, PDFID: "pdf",
		Copy: &platen.File{ID: "copy"}, PDF: &platen.File{ID: "pdf"},
	}
	d := &due{erasures: []platen.Erasure{{AutomationID: first, By: "usr_1", Ended: true}}, outputs: map[string][]platen.Output{first: {o}}}
	if err := d.pass(t, cabinet{due: d, byKey: map[string][]string{"out_1.0": {"earlier", "kept"}, "out_1.1": {"copy"}}, kept: "kept"}, nil); err != nil {
		t.Fatal(err)
	}
	want := []string{"data of " + first, "deleted copy", "deleted earlier", "deleted pdf", "deleted thrown", "finished " + first}
	if diff := cmp.Diff(want, d.did); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnErasureWaitsForTheEndOfARunForTheDriveAndForItsList(t *testing.T) {
	t.Parallel()
	late := platen.Output{ID: "out_1", State: platen.OutputDone, Repeated: true, UpdatedAt: time.Now().Add(-20 * time.Minute)}
	for name, c := range map[string]struct {
		erasure platen.Erasure
		output  platen.Output
		away    error
		want    []string
	}{
		"run":   {platen.Erasure{AutomationID: first}, platen.Output{ID: "out_1"}, nil, []string{"put off " + first + " for 1m0s"}},
		"drive": {platen.Erasure{AutomationID: first, Ended: true}, platen.Output{ID: "out_1"}, errors.New("away"), []string{"data of " + first, "put off " + first + " for 1m0s"}},
		"list":  {platen.Erasure{AutomationID: first, Ended: true}, late, nil, []string{"data of " + first, "put off " + first + " for 40m0s"}},
	} {
		d := &due{erasures: []platen.Erasure{c.erasure}, outputs: map[string][]platen.Output{first: {c.output}}}
		if err := d.pass(t, cabinet{due: d, away: c.away}, nil); !errors.Is(err, c.away) {
			t.Errorf("%s: got %v, want %v", name, err, c.away)
		}
		if diff := cmp.Diff(c.want, d.did); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestErasuresAreKeptOutsideTheDatabaseAndCarriedOutAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kept", "erasures.jsonl")
	d := &due{erasures: []platen.Erasure{{AutomationID: first, WorkflowID: "wkf_1", By: "usr_1", Ended: true}, {AutomationID: second, By: platen.ErasedByRetention, Ended: true}}}
	if err := d.pass(t, cabinet{due: d}, NewTombstoneFile(path)); err != nil {
		t.Fatal(err)
	}
	// What a crash cut off is left out, and spoils nothing behind it.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"automation":"aut_00000000000`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	third := "aut_0000000000000003"
	if err := NewTombstoneFile(path).Keep(platen.Tombstone{AutomationID: third, By: "usr_1"}); err != nil {
		t.Fatal(err)
	}
	back := &due{known: []string{first, second, third}} // a backup from before
	if err := back.pass(t, cabinet{due: back}, NewTombstoneFile(path)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"again " + first, "again " + third}, back.did); diff != "" {
		t.Errorf("what retention erases is not kept, for it comes again by its age (-want +got):\n%s", diff)
	}
}

// expiring has so many automations whose time is over.
type expiring struct{ data, outputs int }

func (e *expiring) EraseExpiredData(_ context.Context, _ time.Duration, limit int) (platen.ErasedData, error) {
	n := min(limit, e.data)
	e.data -= n
	return platen.ErasedData{Automations: n}, nil
}

func (e *expiring) EraseExpiredOutputs(_ context.Context, _ time.Duration, limit int) (int, error) {
	n := min(limit, e.outputs)
	e.outputs -= n
	return n, nil
}

func TestRetentionGoesOnUntilNothingIsTooOld(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ages Ages
		left expiring
	}{
		{Ages{}, expiring{1300, 700}},
		{Ages{Data: time.Hour}, expiring{0, 700}},
		{Ages{Data: time.Hour, Outputs: time.Hour}, expiring{0, 0}},
	} {
		store := &expiring{1300, 700}
		if err := Retain(store, c.ages).Do(t.Context(), slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
		if *store != c.left {
			t.Errorf("%+v: got %+v left, want %+v", c.ages, *store, c.left)
		}
	}
}

// stopping is a store whose worker is stopped during the call of this name.
type stopping struct {
	*due
	stop context.CancelFunc
	in   string
}

func (s stopping) call(ctx context.Context, name string) error {
	if s.in == name {
		s.stop()
	}
	return ctx.Err()
}

func (s stopping) EraseData(ctx context.Context, id string) error {
	return errors.Join(s.call(ctx, "EraseData"), s.due.EraseData(ctx, id))
}

func (s stopping) FinishErasure(ctx context.Context, e platen.Erasure) error {
	if err := s.call(ctx, "FinishErasure"); err != nil {
		return err
	}
	return s.due.FinishErasure(ctx, e)
}

func (s stopping) PutOffErasure(ctx context.Context, id string, wait time.Duration) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.due.PutOffErasure(ctx, id, wait)
}

func TestErasuresThatAStopInterruptsAreDueAtOnce(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"EraseData", "FinishErasure"} {
		ctx, stop := context.WithCancel(t.Context())
		d := &due{erasures: []platen.Erasure{{AutomationID: first, Ended: true}, {AutomationID: second, Ended: true}}}
		job := Erase(stopping{d, stop, in}, func(context.Context, string) (ErasingDrive, error) { return cabinet{due: d}, nil }, nil, time.Hour)
		if err := job.Do(ctx, slog.New(slog.DiscardHandler)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want it canceled", in, err)
		}
		handed := slices.DeleteFunc(d.did, func(did string) bool { return !strings.HasPrefix(did, "put off ") })
		if diff := cmp.Diff([]string{"put off " + first + " for 0s", "put off " + second + " for 0s"}, handed); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", in, diff)
		}
	}
}

// broken is a store that forgets nothing more.
type broken struct{ *due }

func (broken) FinishErasure(context.Context, platen.Erasure) error {
	return errors.New("the table is locked")
}

func TestErasuresBehindOneThatFailsAreDueAtOnce(t *testing.T) {
	t.Parallel()
	d := &due{erasures: []platen.Erasure{{AutomationID: first, Ended: true}, {AutomationID: second, Ended: true}}}
	job := Erase(broken{d}, func(context.Context, string) (ErasingDrive, error) { return cabinet{due: d}, nil }, nil, time.Hour)
	if err := job.Do(t.Context(), slog.New(slog.DiscardHandler)); err == nil {
		t.Error("got no error")
	}
	if diff := cmp.Diff([]string{"data of " + first, "put off " + first + " for 1m0s", "put off " + second + " for 0s"}, d.did); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDataAreErasedWhateverTheDriveOfTheirOwnerDoes(t *testing.T) {
	t.Parallel()
	outputs := []platen.Output{{ID: "out_1", State: platen.OutputDone}}
	d := &due{outputs: map[string][]platen.Output{first: outputs, second: outputs}}
	d.erasures = []platen.Erasure{{AutomationID: first, OwnerID: "usr_1", By: "usr_1", Ended: true}, {AutomationID: second, OwnerID: "usr_1", By: "usr_1", Ended: true}}
	if err := d.pass(t, cabinet{due: d, away: context.DeadlineExceeded}, nil); err == nil {
		t.Error("a drive that hangs: got no error")
	}
	want := []string{"data of " + first, "put off " + first + " for 1m0s", "data of " + second, "put off " + second + " for 1m0s"}
	if diff := cmp.Diff(want, d.did); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnErasureWithoutADriveWaitsForItsOwnerAndNotForADeletedOne(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		deleted bool
		want    string
	}{
		"owner":         {false, "put off " + first + " for 1h0m0s"},
		"deleted owner": {true, "finished " + first},
	} {
		d := &due{
			erasures: []platen.Erasure{{AutomationID: first, OwnerID: "usr_gone", By: "usr_1", Ended: true, OwnerDeleted: test.deleted}},
			outputs:  map[string][]platen.Output{first: {{ID: "out_1", State: platen.OutputDone, PDFID: "pdf"}}},
		}
		job := Erase(d, func(context.Context, string) (ErasingDrive, error) {
			return nil, platen.Errorf(platen.KindForbidden, "drive_not_connected", "no cloud drive is connected for this user")
		}, nil, time.Hour)
		if err := job.Do(t.Context(), slog.New(slog.DiscardHandler)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff([]string{"data of " + first, test.want}, d.did); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestALineThatIsNoStoneHoldsUpNoErasure(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "erasures.jsonl")
	stones := NewTombstoneFile(path)
	if err := stones.Keep(platen.Tombstone{AutomationID: second, WorkflowID: "wkf_1", By: "usr_1"}); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(append(make([]byte, 70_000), '\n'), written...), 0o600); err != nil {
		t.Fatal(err)
	}
	begun := NewTombstoneFile(path)
	for id, want := range map[string]bool{first: false, second: true} {
		if got, err := begun.Had(id); err != nil || got != want {
			t.Errorf("the file had %s: got %t and %v, want %t", id, got, err, want)
		}
	}
	d := &due{erasures: []platen.Erasure{{AutomationID: first, By: "usr_1", Ended: true}}, known: []string{second}}
	if err := d.pass(t, cabinet{due: d}, NewTombstoneFile(path)); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"again " + second, "data of " + first, "finished " + first}, d.did); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
