package activities_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// A metered harness has a drive with quotas: the first refusals of them are left,
// and every call that changes something is made with what was reserved.
type metered struct {
	*harness
	t        *testing.T
	refusals int
	asked    []reservation
	open     int // reservations that are not done
}

type reservation struct {
	Owner, Output string
	Asks, Later   platen.Usage
}

type reservedKey struct{}

func (m *metered) Reserve(ctx context.Context, ownerID, _, outputID string, asks, later platen.Usage) (context.Context, func(bool), error) {
	if m.refusals > 0 {
		m.refusals--
		return ctx, nil, platen.Errorf(platen.KindRateLimited, platen.CodeQuotaUsedUp, "It goes on at 15:05:00 UTC.")
	}
	m.open++
	m.asked = append(m.asked, reservation{ownerID, outputID, asks, later})
	return context.WithValue(ctx, reservedKey{}, true), func(bool) { m.open-- }, nil
}

func (m *metered) documents() *activities.Documents {
	d := m.harness.documents()
	d.Quotas = m
	d.Drives = func(context.Context, string) (activities.Drive, error) { return m, nil }
	return d
}

func (m *metered) check(ctx context.Context, call string) {
	m.t.Helper()
	if ctx.Value(reservedKey{}) == nil {
		m.t.Errorf("%s: made without a reservation", call)
	}
}

func (m *metered) Copy(ctx context.Context, fileID, name, key string) (platen.File, error) {
	m.check(ctx, "copy")
	return m.harness.Copy(ctx, fileID, name, key)
}

func (m *metered) EditDocument(ctx context.Context, fileID string, read platen.Reading, compose func(*docs.Document) ([]*docs.Request, error)) (int, error) {
	m.check(ctx, "edit")
	return m.harness.EditDocument(ctx, fileID, read, compose)
}

func (m *metered) ExportPDFWithFindings(ctx context.Context, fileID string) ([]byte, []platen.Finding, error) {
	m.check(ctx, "export")
	return m.harness.ExportPDFWithFindings(ctx, fileID)
}

func (m *metered) Upload(ctx context.Context, file platen.File, data []byte) (platen.File, error) {
	m.check(ctx, "upload")
	return m.harness.Upload(ctx, file, data)
}

func (m *metered) Delete(ctx context.Context, fileID string) error {
	m.check(ctx, "delete")
	return m.harness.Delete(ctx, fileID)
}

func TestEachStepReservesWhatItUsesOnce(t *testing.T) {
	t.Parallel()
	m := &metered{harness: newHarness(document(), `{"Name":"Ada {{Name}}"}`), t: t}
	for i, s := range steps(m.documents()) {
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	fill := platen.Usage{platen.DocsWrites: 1, platen.DocsReads: 2}
	want := []reservation{
		{"usr_1", "out_1", platen.Usage{platen.DriveUnits: 50}, fill},
		{"usr_1", "out_1", fill, platen.Usage{}},
		{"usr_1", "out_1", platen.Usage{platen.DriveUnits: 255}, platen.Usage{}},
		{"usr_1", "out_1", platen.Usage{platen.DriveUnits: 50}, platen.Usage{}},
	}
	if diff := cmp.Diff(want, m.asked); diff != "" || m.open != 0 {
		t.Errorf("%d reservations not done; asked for (-want +got):\n%s", m.open, diff)
	}
	checkOneOutput(t, m.harness)
}

// A copy that had begun would be looked for in the drive's list, which is dear.
func TestAStepThatGetsNoQuotaHasDoneNothing(t *testing.T) {
	t.Parallel()
	m := &metered{harness: newHarness(document(), `{"Name":"Ada {{Name}}"}`), t: t}
	d := m.documents()
	for i, s := range steps(d)[:4] {
		before, files := m.known(), len(m.files)
		m.refusals = 1
		err := s(t.Context())
		if e, ok := errors.AsType[*platen.Error](err); !ok || e.Code != platen.CodeQuotaUsedUp || !activities.Retryable(e.Kind) {
			t.Fatalf("step %d: got %v, want a refusal that is tried again", i, err)
		}
		if diff := cmp.Diff(before, m.known()); diff != "" || len(m.files) != files {
			t.Errorf("step %d: %d files more; its output (-before +after):\n%s", i, len(m.files)-files, diff)
		}
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	if o := m.known(); o.Repeated || o.Generation != 0 {
		t.Errorf("got repeated %t in generation %d, want the first copy, made once", o.Repeated, o.Generation)
	}
	run(t, m.harness, false)
	checkOneOutput(t, m.harness)
}
