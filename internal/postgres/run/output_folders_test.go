package run_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestOfSeveralNewFoldersOfANameTheFirstCounts(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	place := platen.OutputFolder{OwnerID: f.User(nil).ID, ParentID: "parent", Name: "Ada"}
	if got, err := f.Folders.Folder(t.Context(), place); err != nil || got != place {
		t.Errorf("before: got %+v, %v, want nothing known", got, err)
	}
	ids := make([]string, 8)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			next := place
			next.ID = fmt.Sprint("folder", i)
			kept, err := f.Folders.KeepFolder(t.Context(), next, "")
			if err != nil {
				t.Error(err)
			}
			ids[i] = kept.ID
		})
	}
	wg.Wait()
	for i, id := range ids {
		if id == "" || id != ids[0] {
			t.Errorf("execution %d got %q, the first one %q: want one folder for all", i, id, ids[0])
		}
	}
}

func TestAFolderTakesThePlaceOfTheOneThatIsGoneAndOfNoOther(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	first := platen.OutputFolder{OwnerID: f.User(nil).ID, ParentID: "parent", Name: "Ada", ID: "first"}
	keep := func(id, instead, want string, made bool) {
		t.Helper()
		next := first
		next.ID = id
		if got, err := f.Folders.KeepFolder(t.Context(), next, instead); err != nil || got.ID != want || got.Made != made {
			t.Errorf("%s instead of %q: got %+v, %v, want %s, made: %v", id, instead, got, err, want, made)
		}
	}
	keep("first", "", "first", false)
	f.Must(f.Folders.FolderMade(t.Context(), first))
	keep("late", "", "first", true)
	keep("second", "first", "second", false)
	f.Must(f.Folders.FolderMade(t.Context(), first)) // late: another one has its place
	keep("third", "first", "second", false)
	other := first
	other.Name = "Bob"
	if got, err := f.Folders.Folder(t.Context(), other); err != nil || got.Made {
		t.Errorf("another name: got %+v, %v, want nothing known", got, err)
	}
}

func TestAFolderThatNoOutputWentIntoForLongIsForgotten(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	place := platen.OutputFolder{OwnerID: f.User(nil).ID, ParentID: "parent"}
	for name, days := range map[string]int{"new": 0, "used": 89, "unused": 91} {
		folder := place
		folder.Name, folder.ID = name, name
		if _, err := f.Folders.KeepFolder(t.Context(), folder, ""); err != nil {
			t.Fatal(err)
		}
		f.Must(f.Folders.FolderMade(t.Context(), folder))
		f.Exec(`UPDATE output_folders SET updated_at = now() - $1 * interval '1 day' WHERE folder_id = $2`, days, name)
	}
	known := func(name string) string {
		t.Helper()
		folder := place
		folder.Name = name
		got, err := f.Folders.Folder(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		return got.ID
	}
	if got := known("used"); got != "used" { // which notes the use
		t.Errorf("before the sweep: got %q, want used", got)
	}
	f.Exec(`UPDATE output_folders SET updated_at = updated_at - interval '89 days' WHERE folder_id = 'used'`)
	f.Must(f.Folders.SweepUnused(t.Context()))
	for name, want := range map[string]string{"new": "new", "used": "used", "unused": ""} {
		if got := known(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
