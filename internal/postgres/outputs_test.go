package postgres_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestAnOutputKeepsEverythingThatIsWrittenIntoIt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.Planned(f.Workflow(f.User(nil))).Documents[0].OutputID
	stored, err := f.Outputs.Output(t.Context(), id)
	f.Must(err)
	want := stored
	want.Generation, want.CopyBegun, want.FillBegun, want.FillEnded, want.Removed, want.Repeated = 3, true, true, true, true, true
	want.Copy = &platen.File{ID: "c", Name: "Copy", URL: "u", MIMEType: platen.MIMEDocs, Properties: map[string]string{"k": "v"}, Size: 7, Trashed: true}
	want.PDF = &platen.File{ID: "p", Name: "Pdf", MIMEType: platen.MIMEPDF, SHA256: "ab"}
	want.MissingFields, want.PDFID, want.PDFHashes = []string{"A", "B"}, "p", []string{"ab", "cd"}
	want.ThrownAway = []string{"c1", "c2"}
	want.Findings = []platen.Finding{{Code: "missing_glyph", Message: "日"}, {Code: "drawing_not_drawn", Message: "a chart"}}
	answered, err := f.Outputs.UpdateOutput(t.Context(), id, func(o *platen.Output) error { *o = want; o.ID = "out_other"; return nil })
	f.Must(err)
	got, err := f.Outputs.Output(t.Context(), id)
	f.Must(err)
	if diff := cmp.Diff(want, got, storetest.Untimed()) + cmp.Diff(want, answered, storetest.Untimed()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	refused := errors.New("refused")
	_, err = f.Outputs.UpdateOutput(t.Context(), id, func(o *platen.Output) error { o.Generation = 9; return refused })
	if o, _ := f.Outputs.Output(t.Context(), id); !errors.Is(err, refused) || o.Generation != 3 {
		t.Errorf("a refused change: %v, generation %d", err, o.Generation)
	}
	got, err = f.Outputs.UpdateOutput(t.Context(), id, func(o *platen.Output) error { o.Copy.Name = "nul\x00"; return nil })
	if err != nil || got.Copy == nil {
		t.Errorf("a name from source data with U+0000: %v", err)
	}
	_, err = f.Outputs.UpdateOutput(t.Context(), "out_none", storetest.Done)
	storetest.WantKind(t, "no output", err, platen.KindNotFound, "output_not_found")
}

func TestConcurrentUpdatesOfAnOutputTakeTurns(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.Planned(f.Workflow(f.User(nil))).Documents[0].OutputID
	var updating sync.WaitGroup
	for range 8 {
		updating.Go(func() {
			for range 5 {
				if _, err := f.Outputs.UpdateOutput(t.Context(), id, func(o *platen.Output) error { o.Generation++; return nil }); err != nil {
					t.Errorf("update: %v", err)
				}
			}
		})
	}
	updating.Wait()
	if o, err := f.Outputs.Output(t.Context(), id); err != nil || o.Generation != 40 {
		t.Errorf("generation %d, %v; want 40", o.Generation, err)
	}
}

func TestAnOutputEndsOnceWithOneEvent(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.Planned(f.Workflow(f.User(nil))).Documents[0].OutputID
	events := make([]string, 8)
	var recording sync.WaitGroup
	for i := range events {
		recording.Go(func() {
			change := storetest.Done
			if i%2 == 1 {
				change = storetest.Failed
			}
			var err error
			if _, events[i], err = f.Outputs.RecordOutput(t.Context(), id, change, storetest.EventFor); err != nil {
				t.Errorf("record: %v", err)
			}
		})
	}
	recording.Wait()
	for _, e := range events {
		if e == "" || e != events[0] {
			t.Errorf("events %q, want one", events)
			break
		}
	}
	if n := f.Count(`SELECT count(*) FROM events`); n != 1 {
		t.Errorf("%d events, want 1", n)
	}
	unchanged, err := f.Outputs.UpdateOutput(t.Context(), id, func(*platen.Output) error { return nil })
	if err != nil || unchanged.State == platen.OutputPending {
		t.Errorf("a change that makes none: %+v, %v", unchanged, err)
	}
	_, err = f.Outputs.UpdateOutput(t.Context(), id, func(o *platen.Output) error { o.Generation++; return nil })
	storetest.WantKind(t, "change after the end", err, platen.KindConflict, "output_ended")
}

func TestWithoutAnOutgoingWebhookThereIsNoEvent(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil), func(w *platen.Workflow) { w.OutgoingWebhook = nil })
	id := f.Planned(w).Documents[0].OutputID
	_, got, err := f.Outputs.RecordOutput(t.Context(), id, storetest.Done, storetest.EventFor)
	if err != nil || got != "" {
		t.Errorf("got %q, %v; want none", got, err)
	}
	f.Must(f.Webhooks.CreateOutgoingWebhook(t.Context(), w.Owner, w.ID, *storetest.NewWorkflow(w.Owner).OutgoingWebhook))
	if _, got, err := f.Outputs.RecordOutput(t.Context(), id, storetest.Done, storetest.EventFor); err != nil || got != "" {
		t.Errorf("recording again with a webhook made meanwhile: %q, %v; want none", got, err)
	}
	other := f.Planned(w).Documents[0].OutputID
	_, _, err = f.Outputs.RecordOutput(t.Context(), other, func(*platen.Output) error { return nil }, storetest.EventFor)
	storetest.WantKind(t, "a change that does not end it", err, platen.KindInternal, "output_not_ended")
	broken := errors.New("broken")
	_, _, err = f.Outputs.RecordOutput(t.Context(), other, storetest.Done, func(platen.Output) (platen.Event, error) { return platen.Event{}, broken })
	if o, _ := f.Outputs.Output(t.Context(), other); !errors.Is(err, broken) || o.State != platen.OutputPending {
		t.Errorf("an event that cannot be made: %v, output %s; want its error and PENDING", err, o.State)
	}
}
