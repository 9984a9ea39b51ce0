package maintenance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/operate"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/template/preview"
	"github.com/platenhq/platen/internal/testkit"
)

// leftDrive has a file for every key.
type leftDrive struct {
	preview.Drive
	deleted *[]string
}

// EditDocument shows files that all say the same.
func (leftDrive) EditDocument(_ context.Context, _ string, _ platen.Reading, compose func(*docs.Document) ([]*docs.Request, error)) (int, error) {
	_, err := compose(&docs.Document{})
	return 0, err
}

func (leftDrive) FindByKey(_ context.Context, key string) ([]platen.File, error) {
	return []platen.File{{ID: "copy of " + key}}, nil
}

func (d leftDrive) Delete(_ context.Context, id string) error {
	*d.deleted = append(*d.deleted, id)
	return nil
}

func (d leftDrive) Trash(ctx context.Context, id string) error { return d.Delete(ctx, id) }

// leftDatabase is a database with a user, in whose drive copies of previews are
// left; since is for how long, by key.
func leftDatabase(t *testing.T, since map[string]string) *postgres.DB {
	t.Helper()
	pool := testkit.Database(t, "platen", postgres.Migrate)
	box, err := secret.ParseKeys(secret.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	db, err := postgres.Open(t.Context(), pool.Config().ConnString(), box, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	owner := platen.User{ID: platen.NewID(platen.PrefixUser), Name: "Ada", Email: "ada@example.org"}
	if err := operate.New(db).Users.CreateUser(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	for key, age := range since {
		if err := db.Previews.NotePreviewCopy(t.Context(), key, owner.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := pool.Exec(t.Context(), `UPDATE preview_copies SET created_at = created_at - $2::interval WHERE key = $1`, key, age); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// A process that died between copying a template for a preview and removing the
// copy leaves its note behind, and nothing else.
func TestTheSweepRemovesCopiesOfPreviewsThatProcessesDiedWith(t *testing.T) {
	t.Parallel()
	db := leftDatabase(t, map[string]string{"prv_old": "2 hours", "prv_young": "0 hours"})
	var deleted []string
	previews := preview.New(preview.Options{
		Copies: db.Previews,
		Drives: func(context.Context, string) (preview.Drive, error) { return leftDrive{deleted: &deleted}, nil },
	})
	job := SweepPreviews(db.Previews, previews.RemoveOrphan)
	for range 2 {
		if err := job.Do(t.Context(), slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(deleted, []string{"copy of prv_old"}) {
		t.Errorf("removed %q, want the old copy, once", deleted)
	}
}

func TestTheSweepGoesOnPastCopiesThatStayAndGivesThemUpInTheEnd(t *testing.T) {
	t.Parallel()
	since := map[string]string{"prv_last": "2 hours", "prv_ancient": "31 days"}
	for i := range 120 { // more than one page of them
		since[fmt.Sprintf("prv_stays_%d", i)] = "3 hours"
	}
	db := leftDatabase(t, since)
	var deleted []string
	away := errors.New("away")
	previews := preview.New(preview.Options{
		Copies: db.Previews,
		Drives: func(context.Context, string) (preview.Drive, error) {
			return stayingDrive{leftDrive{deleted: &deleted}, away}, nil
		},
	})
	var log bytes.Buffer
	if err := SweepPreviews(db.Previews, previews.RemoveOrphan).Do(t.Context(), slog.New(slog.NewTextHandler(&log, nil))); !errors.Is(err, away) {
		t.Errorf("got %v, want it to tell of a drive that is away", err)
	}
	if !slices.Equal(deleted, []string{"copy of prv_last"}) {
		t.Errorf("removed %q, want the one behind those that stay", deleted)
	}
	if got := log.String(); strings.Count(got, "given up") != 1 || !strings.Contains(got, "copy=prv_ancient") {
		t.Errorf("log: got %s, want prv_ancient given up", got)
	}
}

// stayingDrive does not answer for any copy but the last.
type stayingDrive struct {
	leftDrive
	away error
}

func (d stayingDrive) FindByKey(ctx context.Context, key string) ([]platen.File, error) {
	if key != "prv_last" {
		return nil, d.away
	}
	return d.leftDrive.FindByKey(ctx, key)
}

// One pass waits once for a drive that hangs, over all pages of all lists of its owner,
// and goes on to the others.
func TestTheSweepWaitsOnceForADriveThatHangs(t *testing.T) {
	t.Parallel()
	for name, hang := range map[string]func(ctx context.Context) error{
		"until nobody waits any more": func(ctx context.Context) error { <-ctx.Done(); return errors.New("no answer") },
		"until its client gives up":   func(context.Context) error { return fmt.Errorf("read: %w", os.ErrDeadlineExceeded) },
	} {
		synctest.Test(t, func(t *testing.T) {
			asked := map[string]int{}
			ownerOf := func(t platen.OrphanedTemplate) string { return t.OwnerID }
			trash := func(ctx context.Context, t platen.OrphanedTemplate) error {
				asked[t.OwnerID]++
				switch t.OwnerID {
				case "usr_hangs":
					return hang(ctx)
				case "usr_away":
					return errors.New("away")
				}
				return ctx.Err()
			}
			p := newPass(driveTimeout)
			for range 2 { // lists
				pages := 3
				next := func(context.Context, platen.OrphanedTemplate) ([]platen.OrphanedTemplate, error) {
					if pages--; pages < 0 {
						return nil, nil
					}
					return []platen.OrphanedTemplate{{OwnerID: "usr_hangs"}, {OwnerID: "usr_1"}, {OwnerID: "usr_away"}, {OwnerID: "usr_hangs"}}, nil
				}
				if err := each(t.Context(), p, next, ownerOf, trash); err != nil {
					t.Fatal(err)
				}
			}
			if want := map[string]int{"usr_hangs": 1, "usr_1": 6, "usr_away": 6}; !maps.Equal(asked, want) || p.failure() == nil {
				t.Errorf("%s: asked %v, %v; want %v and its failure", name, asked, p.failure(), want)
			}
		})
	}
}

func TestTheSweepOfPreviewsWaitsOnceForADriveThatHangs(t *testing.T) {
	t.Parallel()
	since := map[string]string{}
	for i := range 120 { // more than one page of them
		since[fmt.Sprintf("prv_%d", i)] = "3 hours"
	}
	asked := 0
	db := leftDatabase(t, since)
	previews := preview.New(preview.Options{
		Copies: db.Previews,
		Drives: func(ctx context.Context, _ string) (preview.Drive, error) {
			asked++
			<-ctx.Done()
			return nil, ctx.Err()
		},
	})
	p := newPass(10 * time.Millisecond)
	sweep := previewSweep{db.Previews, previews.RemoveOrphan}
	if err := sweep.sweep(t.Context(), p, slog.New(slog.DiscardHandler)); err != nil || !errors.Is(p.failure(), context.DeadlineExceeded) || asked != 1 {
		t.Errorf("got %v, %v, asked %d times; want the deadline, and to ask once", err, p.failure(), asked)
	}
}

// A file that the drive does not let go would be tried every quarter of an hour
// for ever.
func TestATemplateThatHasToStayIsToldOfOnceAndLeftAlone(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"files":[{"id":"kept"}]}`)
			return
		}
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"error":{"code":403,"message":"m","errors":[{"reason":"insufficientFilePermissions"}]}}`)
	}))
	t.Cleanup(server.Close)
	drives, err := google.NewConnector(google.Options{
		Kind: platen.DrivePlaten, DriveEndpoint: server.URL, DocsEndpoint: server.URL, SlidesEndpoint: server.URL, Transport: server.Client().Transport,
		Connections: func(context.Context, string) (platen.DriveConnection, error) {
			return platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "t"}, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	sweep := templateSweep{drives: func(ctx context.Context, ownerID string) (TemplateDrive, error) { return drives.Drive(ctx, ownerID) }}
	if err := sweep.trash(t.Context(), platen.OrphanedTemplate{DocumentID: "doc_1", OwnerID: "usr_1"}, slog.New(slog.NewTextHandler(&log, nil))); err != nil {
		t.Errorf("got %v, want it done", err)
	}
	if got := log.String(); strings.Count(got, "stays in its owner's drive") != 1 || !strings.Contains(got, "file=kept") {
		t.Errorf("log: got %s, want the file that stays", got)
	}
}

// endedOutputs is a list of failed outputs that were not swept yet.
type endedOutputs []platen.EndedOutput

func (l endedOutputs) UnsweptOutputs(_ context.Context, _ time.Duration, after platen.EndedOutput) ([]platen.EndedOutput, error) {
	if after.OutputID != "" {
		return nil, nil
	}
	return l, nil
}

// settled runs are known to the store.
type settled struct{}

func (settled) MaySweep(context.Context, platen.Automation) (bool, error) { return true, nil }

func (endedOutputs) MarkOutputSwept(context.Context, platen.EndedOutput) error { return nil }

func (endedOutputs) Output(_ context.Context, id string) (platen.Output, error) {
	return platen.Output{ID: id, State: platen.OutputFailed}, nil
}

// A drive that hangs would be waited for as many times as its owner has outputs
// there.
func TestTheSweepOfOutputsWaitsOnceForADriveThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var outputs endedOutputs
		for i := range 6 {
			outputs = append(outputs, platen.EndedOutput{OutputID: fmt.Sprintf("out_%d", i), Automation: platen.Automation{OwnerID: []string{"usr_hangs", "usr_1"}[i%2]}})
		}
		asked := map[string]int{}
		var deleted []string
		drives := func(ctx context.Context, ownerID string) (OutputDrive, error) {
			asked[ownerID]++
			if ownerID == "usr_hangs" {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return leftDrive{deleted: &deleted}, nil
		}
		var log bytes.Buffer
		err := SweepOutputs(outputs, planned{}, drives, settled{}, 0).Do(t.Context(), slog.New(slog.NewTextHandler(&log, nil)))
		if want := map[string]int{"usr_hangs": 1, "usr_1": 3}; !maps.Equal(asked, want) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("opened %v, %v; want %v and the deadline", asked, err, want)
		}
		if len(deleted) != 3 || !strings.Contains(log.String(), "files=3") {
			t.Errorf("trashed %q, log %s; want the orphan of each of three outputs", deleted, log.String())
		}
	})
}
