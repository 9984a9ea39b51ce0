package activities_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// A depot is a target, and what is stored of the one output there; it dies as the harness
// does.
type depot struct {
	*harness
	placement platen.Placement
	target    platen.Target
	gone      bool // the target was deleted
	leased    bool
	alone     string // why the target was left alone last
	refuses   error
	files     map[string][]string // versions of files by key
}

func (d *depot) BeginPlacement(_ context.Context, key platen.PlacementKey, _ time.Duration) (p platen.Placement, t platen.Target, err error) {
	err = d.call(func() error {
		if d.placement.State == platen.PlacementPending {
			if d.leased {
				return platen.Errorf(platen.KindConflict, "target_under_way", "under way")
			}
			if d.gone {
				return platen.ErrTargetNotFound()
			}
			d.placement.Attempts++
			d.leased = true
		}
		p, t = d.placement, d.target
		return nil
	})
	return p, t, err
}

func (d *depot) LeaveAlone(_ context.Context, _ platen.PlacementKey, checked, until time.Time, code, message string) (alone bool, err error) {
	err = d.call(func() error {
		if alone = checked.Equal(d.target.CheckedAt); alone {
			d.placement.NextAt, d.alone = &until, code
		}
		return nil
	})
	return alone, err
}

func (d *depot) PinFolder(_ context.Context, _ platen.PlacementKey, folder string) error {
	return d.call(func() error { d.placement.Folder, d.placement.Known = folder, true; return nil })
}

func (d *depot) BeginFile(_ context.Context, _ platen.PlacementKey, _, sha256 string) error {
	return d.call(func() error { d.placement.Hashes = append(d.placement.Hashes, sha256); return nil })
}

func (d *depot) RecordPlacement(_ context.Context, p platen.Placement) error {
	return d.call(func() error {
		p.Hashes = d.placement.Hashes
		d.placement, d.leased = p, false
		return nil
	})
}

func (d *depot) GiveUpPlacement(_ context.Context, _ platen.PlacementKey, code, message string) error {
	return d.call(func() error {
		d.placement.State, d.placement.Code, d.placement.Message = platen.PlacementFailed, code, message
		return nil
	})
}

func (d *depot) Put(_ context.Context, t platen.Target, f platen.StoredFile, known []string) (r platen.Receipt, err error) {
	err = d.call(func() error {
		if d.refuses != nil {
			return d.refuses
		}
		r = platen.Receipt{Kind: f.Kind, Key: f.Key, SHA256: hex.EncodeToString(f.SHA256[:]), Bytes: int64(len(f.Content))}
		if len(d.files[f.Key]) == 0 {
			d.files[f.Key] = []string{string(f.Content)}
			return nil
		}
		if d.files[f.Key][0] == string(f.Content) {
			return nil
		}
		for _, k := range known {
			r.SHA256 = k
		}
		if len(known) == 0 {
			return platen.Errorf(platen.KindInvalid, platen.CodeTargetTaken, "taken")
		}
		return nil
	})
	return r, err
}

func toBeStored(t platen.Target, data string) (*depot, *activities.Targets) {
	d := document()
	d.CreatePDFCopy = true
	w := newHarness(d, data)
	w.files["pdf"] = stored{File: platen.File{ID: "pdf", Name: "Letter Ada.pdf", URL: "https://drive/pdf", Size: 4}, content: "%PDF"}
	o := w.outputs["out_1"]
	pdf := w.files["pdf"].File
	o.State, o.PDF, o.PDFID = platen.OutputDone, &pdf, "pdf"
	w.outputs["out_1"] = o
	t.ID, t.Name = "tgt_1", "Archive"
	p := &depot{harness: w, target: t, files: map[string][]string{}}
	p.placement = platen.Placement{PlacementKey: platen.PlacementKey{AutomationID: "aut_1", OutputID: "out_1", TargetID: "tgt_1"}, State: platen.PlacementPending}
	return p, &activities.Targets{Documents: w.documents(), Store: p, Places: p}
}

var toTarget = activities.FilesInput{Step: activities.Step{AutomationID: "aut_1", OutputID: "out_1"}, TargetID: "tgt_1", OwnerID: "usr_1"}

// Wherever a worker dies, the target has each file once, and the receipts say so.
func TestAWorkerThatDiesWhileItStoresStoresEachFileOnce(t *testing.T) {
	t.Parallel()
	for dieAt := 0; ; dieAt++ {
		for _, after := range []bool{false, true} {
			p, steps := toBeStored(platen.Target{Path: "in/{{Name}}", Sidecar: true}, ada)
			p.dieAt, p.dieAfter = dieAt, after
			var err error
			for range 3 {
				if _, err = steps.StoreFiles(t.Context(), toTarget); err == nil {
					break
				}
				if !errors.Is(err, errCrash) {
					t.Fatalf("call %d: %v", dieAt, err)
				}
				p.leased = false // it expires
				steps = &activities.Targets{Documents: p.documents(), Store: p, Places: p}
			}
			name := fmt.Sprintf("call %d, after it: %v", dieAt, after)
			if err != nil || p.placement.State != platen.PlacementStored || len(p.placement.Receipts) != 2 {
				t.Fatalf("%s: got %+v, %v", name, p.placement, err)
			}
			pdf, sidecar := p.files["in/Ada/Letter Ada.pdf"], p.files["in/Ada/Letter Ada.pdf.json"]
			if len(p.files) != 2 || len(pdf) != 1 || pdf[0] != "%PDF" || len(sidecar) != 1 || !strings.Contains(sidecar[0], p.placement.Receipts[0].SHA256) {
				t.Errorf("%s: the target has %q", name, p.files)
			}
			if p.calls < dieAt {
				return
			}
		}
	}
}

func TestATargetGetsWhatItsConditionAndItsPathSay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		target platen.Target
		state  platen.PlacementState
		code   string
	}{
		"true":               {platen.Target{When: `Name = "Ada"`}, platen.PlacementStored, ""},
		"false":              {platen.Target{When: `Name = "Bob"`}, platen.PlacementNotStored, platen.CodeTargetSkipped},
		"faulty":             {platen.Target{When: `Name >`}, platen.PlacementFailed, "condition_faulty"},
		"no value":           {platen.Target{Path: "in/{{City}}"}, platen.PlacementFailed, platen.CodeTargetPath},
		"dots are no folder": {platen.Target{Path: `in/{{= ".."}}`}, platen.PlacementFailed, platen.CodeTargetPath},
	} {
		p, steps := toBeStored(c.target, ada)
		got, err := steps.StoreFiles(t.Context(), toTarget)
		if err != nil || got.State != c.state || p.placement.Code != c.code || (len(p.files) == 1) != (c.state == platen.PlacementStored) {
			t.Errorf("%s: got %+v, %v; files %q", name, p.placement, err, p.files)
		}
	}
}

func TestATargetThatFailsIsTriedAgainAndOneThatRefusesForGoodIsNot(t *testing.T) {
	t.Parallel()
	p, steps := toBeStored(platen.Target{}, ada)
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	steps.Now = func() time.Time { return clock }
	p.refuses = platen.Errorf(platen.KindUnavailable, platen.CodeTargetFull, "full")
	for range 5 {
		if _, err := steps.StoreFiles(t.Context(), toTarget); code(err) != platen.CodeTargetFull {
			t.Fatalf("got %v, want %s", err, platen.CodeTargetFull)
		}
	}
	if p.placement.State != platen.PlacementPending || p.placement.Code != platen.CodeTargetFull {
		t.Errorf("got %+v, want it to wait", p.placement)
	}
	if _, err := steps.StoreFiles(t.Context(), toTarget); code(err) != "target_breaker_open" || p.placement.Attempts != 5 {
		t.Errorf("after five failures: got %v in %d attempts, want the breaker open", err, p.placement.Attempts)
	}
	if at := clock.Add(time.Minute); p.alone != "target_breaker_open" || p.placement.NextAt == nil || !p.placement.NextAt.Equal(at) {
		t.Errorf("got %q and %v noted with what waits, want the breaker until %v", p.alone, p.placement.NextAt, at)
	}
	clock = clock.Add(time.Minute)
	p.refuses = nil
	if got, err := steps.StoreFiles(t.Context(), toTarget); err != nil || got.State != platen.PlacementStored {
		t.Errorf("after a minute: got %v, %v", got, err)
	}
	p, steps = toBeStored(platen.Target{}, ada)
	p.files["Letter Ada.pdf"] = []string{"another"}
	if got, err := steps.StoreFiles(t.Context(), toTarget); err != nil || got.State != platen.PlacementFailed || p.placement.Code != platen.CodeTargetTaken || p.files["Letter Ada.pdf"][0] != "another" {
		t.Errorf("another file there: got %v, %v", got, err)
	}
	p, steps = toBeStored(platen.Target{}, ada)
	p.gone = true
	if _, err := steps.StoreFiles(t.Context(), toTarget); err != nil || p.placement.Code != platen.CodeTargetGone {
		t.Errorf("a target that was deleted: got %+v, %v", p.placement, err)
	}
}

func TestATestThatSucceedsEndsThePauseOfATarget(t *testing.T) {
	t.Parallel()
	p, steps := toBeStored(platen.Target{}, ada)
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	steps.Now = func() time.Time { return clock }
	p.refuses = platen.Errorf(platen.KindUnavailable, platen.CodeTargetSignInRefused, "refused")
	for range 5 {
		_, _ = steps.StoreFiles(t.Context(), toTarget)
	}
	var e *platen.Error
	if _, err := steps.StoreFiles(t.Context(), toTarget); !errors.As(err, &e) || e.Code != platen.CodeTargetBreaker || e.RetryAfter > 10*time.Second {
		t.Fatalf("got %v, want the breaker open and looked at within 10 seconds", err)
	}
	p.target.CheckedAt = clock // it was tested
	p.refuses = nil
	if got, err := steps.StoreFiles(t.Context(), toTarget); err != nil || got.State != platen.PlacementStored {
		t.Errorf("after the test: got %v, %v", got, err)
	}
}

func code(err error) string {
	if e, ok := errors.AsType[*platen.Error](err); ok {
		return e.Code
	}
	return ""
}
