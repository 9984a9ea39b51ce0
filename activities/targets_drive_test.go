package activities_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/target"
)

func (w *harness) FolderToFill(ctx context.Context, folderID string) (platen.File, error) {
	return w.File(ctx, folderID)
}

func (w *harness) FindFiles(_ context.Context, parentID, name string) (found []platen.File, err error) {
	err = w.call(func() error {
		for _, id := range slices.Sorted(maps.Keys(w.files)) {
			if f := w.files[id].File; !w.lags && f.Parent == parentID && f.Name == name && !f.Trashed {
				found = append(found, f)
			}
		}
		return nil
	})
	return found, err
}

func (w *harness) CopyWithID(_ context.Context, fileID string, copied platen.File) (platen.File, error) {
	err := w.call(func() error {
		source, ok := w.files[fileID]
		if !ok {
			return platen.Errorf(platen.KindNotFound, "drive_file_not_found", "no file %s", fileID)
		}
		if _, taken := w.files[copied.ID]; taken {
			return platen.Errorf(platen.KindConflict, "drive_file_exists", "taken")
		}
		copied.SHA256, copied.Size, copied.MIMEType = source.SHA256, source.Size, source.MIMEType
		w.files[copied.ID] = stored{File: copied, content: source.content}
		return nil
	})
	return copied, err
}

// toFolder has an output stored in the folder "archive" of its drive.
func toFolder(t platen.Target) (*depot, *activities.Targets) {
	t.Kind, t.URL, t.OwnerID = platen.TargetDrive, "archive", "usr_1"
	p, steps := toBeStored(t, ada)
	p.drive().put("archive", platen.File{Name: "Archive", MIMEType: platen.MIMEFolder}, "")
	sum := sha256.Sum256([]byte("%PDF"))
	p.drive().put("pdf", platen.File{Name: "Letter Ada.pdf", Parent: "folder", Size: 4, SHA256: hex.EncodeToString(sum[:]), Properties: map[string]string{platen.PropertyKey: "out_1"}}, "%PDF")
	steps.Places = target.NewStores(nil, func(context.Context, string) (target.Drive, error) { return p.harness, nil })
	return p, steps
}

// inDrive are the files of the drive by id, also where the depot has others.
type inDrive map[string]stored

func (d *depot) drive() inDrive { return d.harness.files }

func (d inDrive) put(id string, f platen.File, content string) {
	f.ID = id
	d[id] = stored{File: f, content: content}
}

// in returns the files of a folder, but those that are trashed.
func (d inDrive) in(folderID string) (found []stored) {
	for _, id := range slices.Sorted(maps.Keys(d)) {
		if f := d[id]; f.Parent == folderID && !f.Trashed {
			found = append(found, f)
		}
	}
	return found
}

// Wherever a worker dies, and also where lists lag, the folder has each file once.
func TestAWorkerThatDiesWhileItStoresInTheDriveStoresEachFileOnce(t *testing.T) {
	t.Parallel()
	for dieAt := 0; ; dieAt++ {
		for _, after := range []bool{false, true} {
			p, steps := toFolder(platen.Target{Path: "in/{{Name}}", Sidecar: true})
			p.dieAt, p.dieAfter, p.lags = dieAt, after, true
			var err error
			for range 3 {
				if _, err = steps.StoreFiles(t.Context(), toTarget); err == nil {
					break
				}
				if !errors.Is(err, errCrash) {
					t.Fatalf("call %d: %v", dieAt, err)
				}
				p.leased = false // it expires
				steps = &activities.Targets{Documents: p.documents(), Store: p, Places: steps.Places}
			}
			name := fmt.Sprintf("call %d, after it: %v", dieAt, after)
			if err != nil || p.placement.State != platen.PlacementStored || len(p.placement.Receipts) != 2 {
				t.Fatalf("%s: got %+v, %v", name, p.placement, err)
			}
			in := p.drive().in("archive")
			if len(in) != 1 || in[0].Name != "in" {
				t.Fatalf("%s: the folder has %+v", name, in)
			}
			if in = p.drive().in(in[0].ID); len(in) != 1 || in[0].Name != "Ada" {
				t.Fatalf("%s: the folder below has %+v", name, in)
			}
			in = p.drive().in(in[0].ID)
			receipt := p.placement.Receipts[0]
			if len(in) != 2 || in[0].Name != "Letter Ada.pdf" || in[0].content != "%PDF" || receipt.Version != in[0].ID || receipt.Key != "in/Ada/Letter Ada.pdf" || receipt.SHA256 != in[0].SHA256 || receipt.Bytes != 4 {
				t.Errorf("%s: the folder has %+v, with the receipt %+v", name, in, receipt)
			}
			if got := in[0].Properties[platen.PropertyKey]; got != "out_1.tgt_1" {
				t.Errorf("%s: the copy has the key %q, by which sweeps may take it for the output's own", name, got)
			}
			if len(in) == 2 && (in[1].Name != "Letter Ada.pdf.json" || !strings.Contains(in[1].content, receipt.SHA256)) {
				t.Errorf("%s: beside it is %+v", name, in[1])
			}
			if p.calls < dieAt {
				return
			}
		}
	}
}

func TestADriveCopiesThePDFItself(t *testing.T) {
	t.Parallel()
	p, steps := toFolder(platen.Target{})
	if _, err := steps.StoreFiles(t.Context(), toTarget); err != nil {
		t.Fatal(err)
	}
	if p.downloads != 0 {
		t.Errorf("the worker read %d files, want the drive to copy its own", p.downloads)
	}
}

func TestNoFileOfAnotherOutputIsTakenOrDoubledInTheDrive(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		there platen.File
		lags  bool
		code  string
	}{
		"another file":                              {platen.File{Name: "Letter Ada.pdf", Parent: "archive", SHA256: strings.Repeat("0", 64), Size: 3}, false, platen.CodeTargetTaken},
		"a folder of that name":                     {platen.File{Name: "Letter Ada.pdf", Parent: "archive", MIMEType: platen.MIMEFolder}, false, platen.CodeTargetTaken},
		"another file in the trash":                 {platen.File{Name: "Letter Ada.pdf", Parent: "archive", SHA256: strings.Repeat("0", 64), Size: 3, Trashed: true}, false, ""},
		"one of another output, whom no list shows": {platen.File{ID: "known", Name: "Letter Ada.pdf", Parent: "archive", SHA256: strings.Repeat("0", 64), Size: 3}, true, platen.CodeTargetTaken},
		"one that was moved since":                  {platen.File{ID: "known", Name: "Letter Ada.pdf", Parent: "elsewhere", SHA256: strings.Repeat("0", 64), Size: 3}, true, ""},
		"one that was trashed since":                {platen.File{ID: "known", Name: "Letter Ada.pdf", Parent: "archive", SHA256: strings.Repeat("0", 64), Size: 3, Trashed: true}, true, ""},
	} {
		p, steps := toFolder(platen.Target{})
		p.lags = c.lags
		id := "theirs"
		if c.there.ID != "" {
			id = c.there.ID
			p.folders[platen.OutputFolder{OwnerID: "usr_1", ParentID: "archive", Name: "/Letter Ada.pdf"}] = platen.OutputFolder{ID: id}
		}
		p.drive().put(id, c.there, "xyz")
		if _, err := steps.StoreFiles(t.Context(), toTarget); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if p.placement.Code != c.code || (p.placement.State == platen.PlacementStored) != (c.code == "") {
			t.Errorf("%s: got %s %s, want %q", name, p.placement.State, p.placement.Code, c.code)
		}
		if got := p.drive()[id]; got.content != "xyz" {
			t.Errorf("%s: it has %q now", name, got.content)
		}
	}
}

func TestAFolderThatCannotBeUsedSaysWhy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*depot)
		code   string
	}{
		"missing":  {func(d *depot) { delete(d.drive(), "archive") }, platen.CodeTargetNotFound},
		"a file":   {func(d *depot) { d.drive().put("archive", platen.File{MIMEType: platen.MIMEPDF}, "") }, platen.CodeTargetNotFound},
		"trashed":  {func(d *depot) { d.drive().put("archive", platen.File{MIMEType: platen.MIMEFolder, Trashed: true}, "") }, platen.CodeTargetNotFound},
		"no right": {func(d *depot) { d.noFolders = platen.Errorf(platen.KindForbidden, "drive_file_forbidden", "no") }, platen.CodeTargetSignInRefused},
		"full":     {func(d *depot) { d.noFolders = platen.Errorf(platen.KindInvalid, "drive_quota", "full") }, platen.CodeTargetFull},
		"no drive": {func(d *depot) {
			d.noFolders = platen.Errorf(platen.KindForbidden, platen.CodeConnectionBroken, "connect")
		}, platen.CodeConnectionBroken},
		"no storage": {func(d *depot) {
			d.noFolders = platen.Errorf(platen.KindInvalid, "drive_account_without_storage", "none")
		}, platen.CodeTargetFull},
	} {
		p, steps := toFolder(platen.Target{Path: "in"})
		c.change(p)
		_, err := steps.StoreFiles(t.Context(), toTarget)
		if code(err) != c.code || !activities.MayPass(err) || p.placement.State != platen.PlacementPending || p.placement.Code != c.code {
			t.Errorf("%s: got %v and %+v, want %s, to be tried again", name, err, p.placement, c.code)
		}
	}
}

func TestAnEncryptedPDFIsCopiedAsItIs(t *testing.T) {
	t.Parallel()
	p, steps := toFolder(platen.Target{Office: true})
	d := &p.plan.Documents[0].Document
	d.CreatePDFCopy, d.EnablePDFPassword, d.PDFPassword = true, true, "{{Name}}"
	o := p.outputs["out_1"]
	o.Copy = &platen.File{ID: "copy", Name: "Letter Ada"}
	p.outputs["out_1"] = o
	p.drive().put("copy", *o.Copy, "docx")
	if _, err := steps.StoreFiles(t.Context(), toTarget); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range p.drive().in("archive") {
		got[f.Name] = f.Properties[platen.PropertyProtection]
	}
	if want := map[string]string{"Letter Ada.pdf": "password", "Letter Ada.docx": "credentials"}; !maps.Equal(got, want) {
		t.Errorf("the folder has %v, want %v", got, want)
	}
}
