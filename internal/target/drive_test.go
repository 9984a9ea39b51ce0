package target_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/target"
	"github.com/platenhq/platen/internal/testkit/drivetest"
)

// losing is a drive whose answers are lost to what stores a file.
type losing struct {
	target.Drive
	all bool
}

var errLost = platen.Errorf(platen.KindUnavailable, "drive_unavailable", "lost")

func (l losing) CopyWithID(ctx context.Context, fileID string, copied platen.File) (platen.File, error) {
	f, err := l.Drive.CopyWithID(ctx, fileID, copied)
	if err == nil && l.all {
		err = errLost
	}
	return f, err
}

func (l losing) Upload(ctx context.Context, file platen.File, data []byte) (platen.File, error) {
	f, err := l.Drive.Upload(ctx, file, data)
	if err == nil && l.all {
		err = errLost
	}
	return f, err
}

func inDrive(d target.Drive) *target.Stores {
	return target.NewStores(nil, func(_ context.Context, userID string) (target.Drive, error) {
		if userID != "usr_1" {
			return nil, errors.New("the drive of another user")
		}
		return d, nil
	})
}

// newFolder makes a folder, which at a drive like Google's lists show late.
func newFolder(t *testing.T, d *drivetest.Drive) string {
	t.Helper()
	f, err := d.Files.Create(&driveapi.File{Name: "Archive", MimeType: platen.MIMEFolder}).Context(t.Context()).Do()
	if err != nil {
		t.Fatal(err)
	}
	return f.Id
}

func TestADriveStoresAFileOnceAlsoWhereAnAnswerIsLostAndListsLag(t *testing.T) {
	t.Parallel()
	for name, like := range map[string]*drive.GoogleLike{"our drive": nil, "a drive like Google's": {Speed: 50}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := drivetest.ServeWith(t, like, func(*http.Request) {})
			folder := newFolder(t, d)
			in := platen.Target{Name: "Archive", Kind: platen.TargetDrive, URL: folder, OwnerID: "usr_1"}
			content := []byte("%PDF-1.7 one")
			source, err := d.Client.Upload(t.Context(), platen.File{ID: newID(t, d), Name: "Invoice 7.pdf", MIMEType: platen.MIMEPDF}, content)
			if err != nil {
				t.Fatal(err)
			}
			for kind, f := range map[string]platen.StoredFile{
				"copy":   {Kind: "pdf", Key: "a/Invoice 7.pdf", Type: platen.MIMEPDF, SHA256: sha256.Sum256(content), Drive: platen.InDrive{CopyOf: source.ID, Size: source.Size}},
				"upload": {Kind: "metadata", Key: "a/Invoice 7.pdf.json", Type: "application/json", SHA256: sha256.Sum256([]byte("{}")), Content: []byte("{}")},
			} {
				f.Drive.FolderID, f.Drive.FileID = folder, newID(t, d)
				if _, err := inDrive(losing{d.Client, true}).Put(t.Context(), in, f, nil); codeOf(err) != "drive_unavailable" {
					t.Fatalf("%s: got %v, want the answer lost", kind, err)
				}
				for range 2 {
					got, err := inDrive(d.Client).Put(t.Context(), in, f, nil)
					if err != nil || got.Version != f.Drive.FileID || got.Bytes != f.Bytes() || got.Key != f.Key {
						t.Errorf("%s: got %+v, %v", kind, got, err)
					}
				}
				stored, err := d.Files.Get(f.Drive.FileID).Fields("name,parents,mimeType,sha256Checksum").Context(t.Context()).Do()
				if err != nil || stored.Name != f.Key[2:] || !slices.Equal(stored.Parents, []string{folder}) || stored.MimeType != f.Type || stored.Sha256Checksum != hexOf(string(f.Content)) && kind == "upload" {
					t.Errorf("%s: the drive has %+v, %v", kind, stored, err)
				}
				other := f
				other.Content, other.SHA256, other.Drive.CopyOf = []byte("[]"), sha256.Sum256([]byte("[]")), ""
				if _, err := inDrive(d.Client).Put(t.Context(), in, other, nil); codeOf(err) != platen.CodeTargetTaken {
					t.Errorf("%s: another content under its id: got %v, want %s", kind, err, platen.CodeTargetTaken)
				}
			}
		})
	}
}

func newID(t *testing.T, d *drivetest.Drive) string {
	t.Helper()
	id, err := d.Client.NewFileID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// What a drive copies may have been changed since it was looked at.
func TestAReceiptIsOfWhatTheDriveHasStored(t *testing.T) {
	t.Parallel()
	d := drivetest.Serve(t)
	folder := newFolder(t, d)
	source, err := d.Client.Upload(t.Context(), platen.File{ID: newID(t, d), Name: "a.pdf", MIMEType: platen.MIMEPDF}, []byte("now"))
	if err != nil {
		t.Fatal(err)
	}
	f := platen.StoredFile{Kind: "pdf", Key: "a.pdf", SHA256: sha256.Sum256([]byte("before")), Drive: platen.InDrive{CopyOf: source.ID, FolderID: folder, FileID: newID(t, d)}}
	_, err = inDrive(d.Client).Put(t.Context(), platen.Target{Kind: platen.TargetDrive, OwnerID: "usr_1"}, f, nil)
	if codeOf(err) != platen.CodeTargetRefused || platen.KindOf(err) != platen.KindUnavailable {
		t.Errorf("got %v, want no receipt, and another attempt", err)
	}
}

func TestATestOfAFolderSaysWhyItCannotBeUsed(t *testing.T) {
	t.Parallel()
	d := drivetest.Serve(t)
	good, trashed := newFolder(t, d), newFolder(t, d)
	if err := d.Client.Trash(t.Context(), trashed); err != nil {
		t.Fatal(err)
	}
	file, err := d.Client.Upload(t.Context(), platen.File{ID: newID(t, d), Name: "a.pdf", MIMEType: platen.MIMEPDF}, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ folder, code, says string }{
		"a folder":            {good, "", ""},
		"one in the trash":    {trashed, platen.CodeTargetNotFound, "restore it"},
		"a file":              {file.ID, platen.CodeTargetNotFound, "a file in place of a folder"},
		"one that is missing": {"1nothere", platen.CodeTargetNotFound, "share it with the owner"},
	} {
		got := inDrive(d.Client).Test(t.Context(), platen.Target{Kind: platen.TargetDrive, URL: c.folder, OwnerID: "usr_1"})
		if c.code == "" {
			if got.Err != nil || !got.Stored || !got.Removed {
				t.Errorf("%s: got %+v", name, got)
			}
			continue
		}
		if got.Stored || got.Err == nil || got.Err.Code != c.code || !strings.Contains(got.Err.Message, c.says) {
			t.Errorf("%s: got %+v, want %s", name, got.Err, c.code)
		}
	}
	list, err := d.Files.List().Q("'" + good + "' in parents").Context(t.Context()).Do()
	if err != nil || len(list.Files) != 0 {
		t.Errorf("after the test the folder has %d files, %v", len(list.Files), err)
	}
}
