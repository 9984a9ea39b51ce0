package drive

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/testkit"
)

// changesOf reads all changes from a token, two a page, as "name", "name trashed"
// or "id removed", and returns where the next ones begin.
func (a *account) changesOf(service *driveapi.ChangesService, token string) (changes []string, next string) {
	a.h.t.Helper()
	for next == "" {
		page, err := service.List(token).PageSize(2).Fields("*").Do()
		if err != nil {
			a.h.t.Fatal(err)
		}
		for _, c := range page.Changes {
			switch {
			case c.Removed:
				changes = append(changes, c.FileId+" removed")
			case c.File.Trashed:
				changes = append(changes, c.File.Name+" trashed")
			default:
				changes = append(changes, c.File.Name)
			}
		}
		token, next = page.NextPageToken, page.NewStartPageToken
	}
	return changes, next
}

func (a *account) changes() (*driveapi.ChangesService, string) {
	a.h.t.Helper()
	service := must[*driveapi.Service](a.h.t)(driveapi.NewService(context.Background(), a.options("/drive/v3/")...))
	return service.Changes, must[*driveapi.StartPageToken](a.h.t)(service.Changes.GetStartPageToken().Do()).StartPageToken
}

// awaitChanges reads changes from a token until those of want have come, in any
// order: they come when every transaction that was open in this database has ended.
// It returns where the next ones begin.
func (a *account) awaitChanges(service *driveapi.ChangesService, token string, want ...string) string {
	a.h.t.Helper()
	slices.Sort(want)
	var all []string
	for until := time.Now().Add(time.Minute); len(all) < len(want) && time.Now().Before(until); {
		var got []string
		got, token = a.changesOf(service, token)
		all = append(all, got...)
	}
	slices.Sort(all)
	if !slices.Equal(all, want) {
		a.h.t.Errorf("got the changes %q, want %q", all, want)
	}
	return token
}

func TestChangesTellWhatWasMadeChangedTrashedAndRemovedSince(t *testing.T) {
	h := newHarness(t)
	a, other := h.account("Ada"), h.account("Bob")
	service, token := a.changes()
	old := a.text(&driveapi.File{Name: "old"}, "x")
	gone := a.text(&driveapi.File{Name: "gone"}, "x")
	token = a.awaitChanges(service, token, "gone", "old")
	folder := must[*driveapi.File](t)(a.files.Create(&driveapi.File{Name: "folder", MimeType: store.FolderType}).Do())
	a.text(&driveapi.File{Name: "below", Parents: []string{folder.Id}}, "x")
	document := a.document("letter", "hi")
	other.text(&driveapi.File{Name: "theirs"}, "x")
	if err := a.files.Delete(gone.Id).Do(); err != nil {
		t.Fatal(err)
	}
	token = a.awaitChanges(service, token, "below", "folder", "letter", gone.Id+" removed")
	must[*docsapi.BatchUpdateDocumentResponse](t)(a.docs.BatchUpdate(document.Id, batchOf("", replaceAll("hi", "ho"))).Do())
	must[*driveapi.File](t)(a.files.Update(old.Id, &driveapi.File{Starred: true}).Do())
	token = a.awaitChanges(service, token, "letter", "old")
	must[*driveapi.File](t)(a.files.Update(folder.Id, &driveapi.File{Trashed: true}).Do())
	token = a.awaitChanges(service, token, "below trashed", "folder trashed")
	if got, _ := a.changesOf(service, token); len(got) != 0 {
		t.Errorf("after the last: got %q, want none", got)
	}
}

// A change that commits late must not be passed over by who asks meanwhile.
func TestAChangeThatCommitsLateIsToldLater(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	service, token := a.changes()
	late := a.text(&driveapi.File{Name: "late"}, "x")
	token = a.awaitChanges(service, token, "late")
	open, err := h.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open.Exec(t.Context(), `UPDATE drive.files SET name = 'later' WHERE id = $1`, late.Id); err != nil {
		t.Fatal(err)
	}
	a.text(&driveapi.File{Name: "early"}, "x")
	before, next := a.changesOf(service, token)
	if len(before) != 0 {
		t.Errorf("before it commits: got %q, want none behind it", before)
	}
	if err := open.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.awaitChanges(service, next, "early", "later")
}

// A transaction of another database of the server holds nothing back.
func TestChangesAreToldWhileAnotherDatabaseHasATransactionOpen(t *testing.T) {
	h := newHarness(t)
	neighbour := testkit.Database(t, "neighbour", func(context.Context, *pgxpool.Pool) error { return nil })
	open, err := neighbour.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = open.Rollback(context.Background()) }()
	a := h.account("Ada")
	service, token := a.changes()
	// The first locks nothing but what all databases share.
	for _, work := range []string{`COMMENT ON ROLE pg_monitor IS 'reads statistics'`, `CREATE TABLE long_work ()`} {
		if _, err := open.Exec(t.Context(), work); err != nil {
			t.Fatal(err)
		}
		a.text(&driveapi.File{Name: "meanwhile"}, "x")
		token = a.awaitChanges(service, token, "meanwhile")
	}
}

// A token never goes back, so that what was told is not told again.
func TestATokenOfChangesNeverGoesBack(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	open, err := h.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = open.Rollback(context.Background()) }()
	if _, err := open.Exec(t.Context(), `UPDATE drive.users SET name = name`); err != nil {
		t.Fatal(err)
	}
	a.text(&driveapi.File{Name: "x"}, "x")
	_, next, err := h.store.Horizon(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	given := store.ChangesToken{Transaction: next, After: "z", Issued: time.Now().Unix()}
	service, _ := a.changes()
	_, answered := a.changesOf(service, given.String())
	if got, err := store.ParseChangesToken(answered, time.Now()); err != nil || got.Transaction != next || got.After != "z" {
		t.Errorf("got the token %+v, %v; want transaction %s behind z", got, err, next)
	}
}

func TestATokenOfChangesThatIsNoneIsRefused(t *testing.T) {
	a := newHarness(t).account("Ada")
	stale := store.ChangesToken{Transaction: "1", Issued: time.Now().Add(-store.RemovalLifetime - time.Hour).Unix()}.String()
	elsewhere := store.ChangesToken{Transaction: "123456789012345678", Issued: time.Now().Unix()}.String()
	for _, path := range []string{
		"/drive/v3/changes?pageToken=nonsense", "/drive/v3/changes?pageToken=eyJ4IjoieCJ9", "/drive/v3/changes",
		"/drive/v3/changes?pageToken=" + stale, "/drive/v3/changes?pageToken=" + elsewhere,
	} {
		if response, answer := a.do("GET", path, "", ""); response.StatusCode != 400 || locationOf(answer) != "pageToken" {
			t.Errorf("%s: got %d %v, want 400 at pageToken", path, response.StatusCode, answer)
		}
	}
}
