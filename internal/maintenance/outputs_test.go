package maintenance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/preview"
)

// listed is a drive's list of files by key; those that are kept stay. All say what
// their template does, but for filled ones.
type listed struct {
	preview.Drive
	byKey   map[string][]string
	kept    string
	trashed map[string]bool
	filled  string
}

func (d listed) EditDocument(_ context.Context, fileID string, _ platen.Reading, compose func(*docs.Document) ([]*docs.Request, error)) (int, error) {
	text := "Dear {{Name}}"
	if fileID == d.filled {
		text = "Dear Ada"
	}
	_, err := compose(&docs.Document{Body: &docs.Body{Content: []*docs.StructuralElement{{Paragraph: &docs.Paragraph{
		Elements: []*docs.ParagraphElement{{TextRun: &docs.TextRun{Content: text}}},
	}}}}})
	return 0, err
}

func (d listed) FindByKey(_ context.Context, key string) ([]platen.File, error) {
	var found []platen.File
	for _, id := range d.byKey[key] {
		found = append(found, platen.File{ID: id})
	}
	return found, nil
}

func (d listed) Trash(_ context.Context, id string) error {
	if id == d.kept {
		return platen.Errorf(platen.KindForbidden, platen.CodeFileKept, "kept")
	}
	d.trashed[id] = true
	return nil
}

// outputs answers with one output, then with the next.
type outputs []platen.Output

func (o *outputs) Output(context.Context, string) (platen.Output, error) {
	next := (*o)[0]
	if len(*o) > 1 {
		*o = (*o)[1:]
	}
	return next, nil
}

func TestOrphansAreTheFilesThatAnEndedOutputDoesNotRecord(t *testing.T) {
	t.Parallel()
	file := func(id string) *platen.File { return &platen.File{ID: id} }
	done := platen.Output{ID: "out_1", State: platen.OutputDone, Generation: 1, Copy: file("copy"), PDF: file("pdf"), PDFID: "pdf", CopyBegun: true, ThrownAway: []string{"thrown"}}
	removed, failed, pending, again := done, done, done, done
	again.KeepsFiles = true
	removed.Removed = true
	failed.State, failed.PDF = platen.OutputFailed, nil
	pending.State = platen.OutputPending
	for name, c := range map[string]struct {
		read outputs
		want []string
		kept int
	}{
		"done":                         {outputs{done}, []string{"copy of before", "second copy", "thrown"}, 1},
		"without its original":         {outputs{removed}, []string{"copy", "copy of before", "second copy", "thrown"}, 1},
		"failed":                       {outputs{failed}, []string{"copy", "copy of before", "pdf", "second copy", "thrown"}, 1},
		"made again after a restore":   {outputs{again}, []string{"thrown"}, 0},
		"under way":                    {outputs{pending}, nil, 0},
		"retried while it was looked":  {outputs{failed, pending}, nil, 0},
		"retried and ended meanwhile":  {outputs{failed, platen.Output{ID: "out_1", State: platen.OutputFailed, Generation: 2}}, nil, 0},
		"failed before, done by now":   {outputs{failed, done}, nil, 0},
		"failed and looked at as such": {outputs{failed, failed}, []string{"copy", "copy of before", "pdf", "second copy", "thrown"}, 1},
	} {
		drive := listed{byKey: map[string][]string{
			"out_1":   {"pdf", "second pdf"},
			"out_1.0": {"copy of before", "told"},
			"out_1.1": {"copy", "second copy", "stays"},
			"out_2":   {"another's"},
		}, kept: "stays", filled: "told", trashed: map[string]bool{}}
		got, err := RemoveOrphans(t.Context(), &c.read, drive, platen.PlannedDocument{OutputID: "out_1"})
		if trashed := slices.Sorted(maps.Keys(drive.trashed)); err != nil || !slices.Equal(trashed, c.want) || got != (Removal{Files: len(c.want), Kept: c.kept}) {
			t.Errorf("%s: trashed %q, %+v, %v; want %q", name, trashed, got, err, c.want)
		}
	}
}

// Temporal contradicts an output if the database has forgotten the files that its
// receiver knows.
func TestAnOutputThatTemporalSpeaksAgainstIsNotSwept(t *testing.T) {
	t.Parallel()
	var trashed []string
	for _, c := range []struct {
		runs spoken
		want int
	}{{spoken{may: false}, 0}, {spoken{err: errors.New("away")}, 0}, {spoken{may: true}, 1}} {
		err := SweepOutputs(endedOutputs{{OutputID: "out_1", Automation: platen.Automation{ID: "aut_1", OwnerID: "usr_1"}}}, planned{},
			func(context.Context, string) (OutputDrive, error) { return leftDrive{deleted: &trashed}, nil }, c.runs, 0).Do(t.Context(), slog.New(slog.DiscardHandler))
		if len(trashed) != c.want || !errors.Is(err, c.runs.err) {
			t.Errorf("%+v: trashed %q, %v; want %d files", c.runs, trashed, err, c.want)
		}
	}
}

// spoken is what Temporal says of every run.
type spoken struct {
	may bool
	err error
}

func (s spoken) MaySweep(_ context.Context, a platen.Automation) (bool, error) {
	return s.may && a.ID == "aut_1", s.err
}

// planned is a plan that names every output of these tests.
type planned struct{}

func (planned) PinnedPlan(context.Context, string) (platen.Plan, error) {
	var plan platen.Plan
	for i := range 6 {
		plan.Documents = append(plan.Documents, platen.PlannedDocument{OutputID: fmt.Sprint("out_", i)})
	}
	return plan, nil
}
