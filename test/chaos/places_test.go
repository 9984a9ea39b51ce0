package chaos

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit/program"
)

// placePatience is how long a place may wait for somebody to come by.
const placePatience = 8 * time.Second

// places are where package failpoint can end a program.
func places() []string {
	all := []string{
		"before accept", "after accept", "after start of RunAutomation",
		"after drive copy", "after drive copy of an appendix", "after drive edit", "after drive upload", "after drive delete", "after send",
	}
	for _, step := range []string{
		"LoadPlan", "CopyTemplate", "FillTags", "FillAppendices", "MakePDF", "RemoveOriginal", "RecordOutput", "SendEvent", "FinishAutomation",
	} {
		all = append(all, "before "+step, "after "+step)
	}
	return all
}

// die makes the next program that reaches a place die there.
func (f *faultRun) die(where string) error {
	wanted := filepath.Join(f.service.failpoints(), where)
	if err := os.WriteFile(wanted, nil, 0o600); err != nil {
		return err
	}
	hit := wanted + ".hit"
	err := program.Within(placePatience, func() error {
		_, err := os.Stat(hit)
		return err
	})
	if err != nil && errors.Is(os.Remove(wanted), fs.ErrNotExist) {
		err = nil // somebody came just now
	}
	if err != nil {
		return errMissed
	}
	f.from = time.Now()
	return os.Remove(hit)
}

// fillDisk leaves Postgres no room for a while, and returns when it has
// recovered. Without room it refuses what needs some, or even stops.
func (f *faultRun) fillDisk(ctx context.Context) error {
	if f.service.disk == nil {
		return errMissed
	}
	before := f.load.refusals()
	if err := f.service.disk.fill(); err != nil {
		return err
	}
	time.Sleep(f.between(6*time.Second, 12*time.Second)) // acceptance tries for five
	if err := f.service.disk.empty(); err != nil {
		return err
	}
	err := program.Within(time.Minute, func() error {
		if err := f.service.await(time.Second); err != nil {
			return err
		}
		conn, err := f.service.connect(ctx)
		if err != nil {
			return err
		}
		return conn.Close(ctx)
	})
	if err == nil && f.load.refusals() == before {
		return errMissed
	}
	return err
}

// TestProductionHasNoFailpoints: the program that chaos runs is the production
// program but for them.
func TestProductionHasNoFailpoints(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"platen": false, "platen-failpoints": true} {
		content, err := os.ReadFile(program.Built(t, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := bytes.Contains(content, []byte("PLATEN_FAILPOINTS")); got != want {
			t.Errorf("bin/%s has failpoints: got %v, want %v", name, got, want)
		}
	}
}
