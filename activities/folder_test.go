package activities_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

func TestThePDFGoesIntoTheFolderOfItsCopy(t *testing.T) {
	t.Parallel()
	for name, forgotten := range map[string]bool{"the copy says where it is": false, "its row is of a release that did not note it": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
			all := steps(w.documents())
			for i, s := range all {
				if err := s(t.Context()); err != nil {
					t.Fatalf("step %d: %v", i, err)
				}
				if o := w.known(); forgotten && i == 1 {
					copied := *o.Copy
					copied.Parent = ""
					o.Copy = &copied
					w.set(o)
				}
			}
			checkOneOutput(t, w)
			if got := w.files[w.known().PDF.ID].Parent; got != "folder" {
				t.Errorf("the PDF is in %q, want it in the folder of its copy", got)
			}
		})
	}
}

// inFolder is a document whose outputs go into folders.
func inFolder() platen.Document {
	d := document()
	d.OutputFolder, d.EnablePDFPassword = "Customers/{{Name}}", false
	return d
}

func (w *harness) Folder(_ context.Context, f platen.OutputFolder) (platen.OutputFolder, error) {
	err := w.call(func() error {
		known := w.folders[placeOf(f)]
		f.ID, f.Made = known.ID, known.Made
		return nil
	})
	return f, err
}

func (w *harness) KeepFolder(_ context.Context, f platen.OutputFolder, instead string) (platen.OutputFolder, error) {
	err := w.call(func() error {
		if w.folders[placeOf(f)].ID == instead {
			w.folders[placeOf(f)] = f
		}
		f = w.folders[placeOf(f)]
		return nil
	})
	return f, err
}

func (w *harness) FolderMade(_ context.Context, f platen.OutputFolder) error {
	return w.call(func() error {
		f.Made = true
		if w.folders[placeOf(f)].ID == f.ID {
			w.folders[placeOf(f)] = f
		}
		return nil
	})
}

func placeOf(f platen.OutputFolder) platen.OutputFolder {
	return platen.OutputFolder{OwnerID: f.OwnerID, ParentID: f.ParentID, Name: f.Name}
}

func (w *harness) FindFolders(_ context.Context, parentID, name string) (found []platen.File, err error) {
	err = w.call(func() error {
		for _, id := range slices.Sorted(maps.Keys(w.files)) {
			if f := w.files[id].File; !w.lags && f.MIMEType == platen.MIMEFolder && f.Parent == parentID && f.Name == name && !f.Trashed {
				found = append(found, f)
			}
		}
		return nil
	})
	if w.looking != nil {
		w.looking.Done()
		w.looking.Wait()
	}
	return found, err
}

func (w *harness) CreateFolder(_ context.Context, f platen.File) (platen.File, error) {
	err := w.call(func() error {
		if w.noFolders != nil {
			return w.noFolders
		}
		if f.ID == w.foreign {
			return platen.Errorf(platen.KindInvalid, "drive_request_refused", "%s is no id for this account", f.ID)
		}
		if _, taken := w.files[f.ID]; taken {
			return platen.Errorf(platen.KindConflict, "drive_file_exists", "%s is there", f.ID)
		}
		w.files[f.ID] = stored{File: f}
		return nil
	})
	return f, err
}

// checkFolders checks that there is one folder of each name, with the output in the
// inner one, and returns that.
func checkFolders(t *testing.T, w *harness, names ...string) (inner string) {
	t.Helper()
	inner = "folder"
	for _, name := range names {
		w.dieAt, w.lags = 0, false // the test is no worker
		found, err := w.FindFolders(t.Context(), inner, name)
		if err != nil || len(found) != 1 {
			t.Fatalf("folders %q in %s: got %+v, %v; want one", name, inner, found, err)
		}
		inner = found[0].ID
	}
	for _, f := range w.known().Files() {
		if f.Parent != inner {
			t.Errorf("%s is in %q, want it in %q, the folder %q", f.Name, f.Parent, inner, names)
		}
	}
	return inner
}

func runOnce(t *testing.T, d *activities.Documents) error {
	t.Helper()
	for _, s := range steps(d) {
		if err := s(t.Context()); err != nil {
			return err
		}
	}
	return nil
}

func TestAnOutputGoesIntoItsFolderWhicheverCallAWorkerDiesAt(t *testing.T) {
	t.Parallel()
	for dieAt := 0; ; dieAt++ {
		for _, after := range []bool{false, true} {
			w := newHarness(inFolder(), `{"Name":"Ada"}`)
			w.dieAt, w.dieAfter, w.lags = dieAt, after, true
			if err := runOnce(t, w.documents()); err != nil {
				if !errors.Is(err, errCrash) {
					t.Fatalf("died at call %d, after it %v: %v", dieAt, after, err)
				}
				if err := runOnce(t, w.documents()); err != nil {
					t.Fatalf("once more after a death at call %d, after it %v: %v", dieAt, after, err)
				}
			}
			if dieAt > w.calls {
				return
			}
			checkFolders(t, w, "Customers", "Ada")
		}
	}
}

func TestTwoRunsAtTheSameTimeMakeOneFolder(t *testing.T) {
	t.Parallel()
	const runs = 4
	d := inFolder()
	d.OutputFolder = "{{Name}}"
	w := newHarness(d, `{"Name":"Ada"}`)
	w.lags, w.looking = true, &sync.WaitGroup{}
	w.looking.Add(runs)
	var wg sync.WaitGroup
	for range runs {
		wg.Go(func() {
			if _, err := w.documents().CopyTemplate(t.Context(), step); err != nil && !activities.MayPass(err) {
				t.Errorf("copy: %v", err)
			}
		})
	}
	wg.Wait()
	w.looking = nil
	checkFolders(t, w, "Ada")
}

func TestAFolderThatIsThereIsUsed(t *testing.T) {
	t.Parallel()
	w := newHarness(inFolder(), `{"Name":"Ada"}`)
	w.files["theirs"] = stored{File: platen.File{ID: "theirs", Name: "Customers", Parent: "folder", MIMEType: platen.MIMEFolder}}
	if err := runOnce(t, w.documents()); err != nil {
		t.Fatal(err)
	}
	inner := checkFolders(t, w, "Customers", "Ada")
	if got := w.files[inner].Parent; got != "theirs" {
		t.Errorf("the folder Ada is in %q, want it in the one that was there", got)
	}
}

func TestATrashedOrDeletedFolderIsMadeAgain(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(w *harness, id string){
		"trashed": func(w *harness, id string) { f := w.files[id]; f.Trashed = true; w.files[id] = f },
		"deleted": func(w *harness, id string) { delete(w.files, id) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(inFolder(), `{"Name":"Ada"}`)
			if err := runOnce(t, w.documents()); err != nil {
				t.Fatal(err)
			}
			before := checkFolders(t, w, "Customers", "Ada")
			remove(w, before)
			w.set(platen.Output{ID: "out_1", AutomationID: "aut_1", DocumentID: "doc_1", State: platen.OutputPending})
			w.plan.Attempt = 0
			if err := runOnce(t, w.documents()); err != nil {
				t.Fatal(err)
			}
			if after := checkFolders(t, w, "Customers", "Ada"); after == before {
				t.Errorf("the output is in %s, which is %s", after, name)
			}
		})
	}
}

func TestAnIDThatCannotBeUsedAnyMoreIsReplaced(t *testing.T) {
	t.Parallel()
	place := platen.OutputFolder{OwnerID: "usr_1", ParentID: "folder", Name: "Customers"}
	for name, prepare := range map[string]func(w *harness, f platen.OutputFolder){
		"made, not noted, and trashed since": func(w *harness, f platen.OutputFolder) {
			w.files[f.ID] = stored{File: platen.File{ID: f.ID, Name: f.Name, Parent: f.ParentID, MIMEType: platen.MIMEFolder, Trashed: true}}
		},
		"of another account": func(w *harness, f platen.OutputFolder) { w.foreign = f.ID },
	} {
		w := newHarness(inFolder(), `{"Name":"Ada"}`)
		f := place
		f.ID = "stored"
		w.folders[place] = f
		prepare(w, f)
		if err := runOnce(t, w.documents()); err != nil {
			t.Errorf("%s: got %v, want no error", name, err)
			continue
		}
		checkFolders(t, w, "Customers", "Ada")
	}
}

func TestAFolderThatTheDriveRefusesToMakeFailsWithItsReason(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"drive_quota", "drive_request_refused"} {
		w := newHarness(inFolder(), `{"Name":"Ada"}`)
		w.noFolders = platen.Errorf(platen.KindInvalid, code, "no")
		_, err := w.documents().CopyTemplate(t.Context(), step)
		if got, _ := errors.AsType[*platen.Error](err); got == nil || got.Code != code || activities.MayPass(err) {
			t.Errorf("got %v, want %s, for good", err, code)
		}
	}
}

func TestDataNamesNoOtherFolder(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"../Secret": "..-Secret", "a/b": "a-b", `a\\b`: "a-b", "  Ada \\n Byron ": "Ada Byron",
		strings.Repeat("x", 300): strings.Repeat("x", 200),
	} {
		w := newHarness(inFolder(), `{"Name":"`+value+`"}`)
		if err := runOnce(t, w.documents()); err != nil {
			t.Fatalf("%q: %v", value, err)
		}
		checkFolders(t, w, "Customers", strings.TrimLeft(want, "."))
	}
}

func TestAFolderWithoutANameFailsTheDocumentBeforeAnythingIsMade(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{}`: "output_folder_field_missing", `{"Name":""}`: "output_folder_field_missing", `{"Name":null}`: "output_folder_field_missing",
		`{"Name":" "}`: "output_folder_empty", `{"Name":".."}`: "output_folder_empty",
	} {
		w := newHarness(inFolder(), data)
		_, err := w.documents().CopyTemplate(t.Context(), step)
		if got, _ := errors.AsType[*platen.Error](err); got == nil || got.Code != want || activities.MayPass(err) {
			t.Errorf("%s: got %v, want %s, for good", data, err, want)
		}
		if len(w.files) != 1 {
			t.Errorf("%s: the drive has %d files, want the template alone", data, len(w.files))
		}
	}
}

func TestAFolderThatWasNamedIsWhereTheOthersAre(t *testing.T) {
	t.Parallel()
	for name, path := range map[string][]string{"alone": nil, "with a path": {"Customers", "Ada"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := document()
			d.OutputFolder, d.OutputFolderID = strings.Join(path, "/"), "named"
			w := newHarness(d, `{"Name":"Ada"}`)
			_, err := w.documents().CopyTemplate(t.Context(), step)
			if got, _ := errors.AsType[*platen.Error](err); got == nil || got.Code != "output_folder_not_found" {
				t.Errorf("without the folder: got %v, want output_folder_not_found", err)
			}
			w.files["named"] = stored{File: platen.File{ID: "named", Name: "Outputs", MIMEType: platen.MIMEFolder}}
			if err := runOnce(t, w.documents()); err != nil {
				t.Fatal(err)
			}
			inner := "named"
			for _, name := range path {
				found, _ := w.FindFolders(t.Context(), inner, name)
				if len(found) != 1 {
					t.Fatalf("folders %q in %s: got %+v, want one", name, inner, found)
				}
				inner = found[0].ID
			}
			for _, f := range w.known().Files() {
				if f.Parent != inner {
					t.Errorf("%s is in %q, want it in %q", f.Name, f.Parent, inner)
				}
			}
		})
	}
}
