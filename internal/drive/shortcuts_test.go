package drive

import (
	"strings"
	"testing"

	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/drive/store"
)

func TestAShortcutLeadsToAFile(t *testing.T) {
	h := newHarness(t)
	a, other := h.account("Ada"), h.account("Bob")
	target := a.text(&driveapi.File{Name: "a.txt"}, "x")
	shortcut := must[*driveapi.File](t)(a.files.Create(&driveapi.File{
		Name: "link", MimeType: store.ShortcutType, ShortcutDetails: &driveapi.FileShortcutDetails{TargetId: target.Id},
	}).Fields("*").Do())
	if d := shortcut.ShortcutDetails; shortcut.MimeType != store.ShortcutType || d == nil || d.TargetId != target.Id || d.TargetMimeType != store.TextType || shortcut.Md5Checksum != "" {
		t.Errorf("got %+v with %+v, want a shortcut to %s without content", shortcut, d, target.Id)
	}
	found := must[*driveapi.FileList](t)(a.files.List().Q("shortcutDetails.targetId = '" + target.Id + "'").Do())
	if got := idsOf(found.Files); !sameIDs(got, []string{shortcut.Id}) {
		t.Errorf("by its target: got %q, want %q", got, shortcut.Id)
	}
	_, err := a.files.Get(shortcut.Id).Download()
	wantFault(t, err, 403, "fileNotDownloadable")
	_, err = a.files.Copy(shortcut.Id, &driveapi.File{}).Do()
	wantFault(t, err, 403, "cannotCopyFile")
	_, err = a.files.Update(shortcut.Id, &driveapi.File{}).Media(strings.NewReader("x")).Do()
	wantFault(t, err, 400, "invalid")
	_, err = a.shares.Create(shortcut.Id, &driveapi.Permission{Type: "anyone", Role: "reader"}).Do()
	wantFault(t, err, 403, "invalidSharingRequest")

	// It outlives its target, and goes alone.
	if err := a.files.Delete(target.Id).Do(); err != nil {
		t.Fatal(err)
	}
	must[*driveapi.File](t)(a.files.Get(shortcut.Id).Do())
	if err := a.files.Delete(shortcut.Id).Do(); err != nil {
		t.Fatal(err)
	}

	for name, c := range map[string]struct {
		by     *account
		file   driveapi.File
		code   int
		reason string
	}{
		"no target":       {a, driveapi.File{}, 400, "required"},
		"a target gone":   {a, driveapi.File{ShortcutDetails: &driveapi.FileShortcutDetails{TargetId: target.Id}}, 404, "notFound"},
		"somebody else's": {other, driveapi.File{ShortcutDetails: &driveapi.FileShortcutDetails{TargetId: a.text(&driveapi.File{Name: "b"}, "x").Id}}, 404, "notFound"},
	} {
		c.file.MimeType = store.ShortcutType
		if _, err := c.by.files.Create(&c.file).Do(); err == nil {
			t.Errorf("%s: got a shortcut, want %d", name, c.code)
		} else {
			wantFault(t, err, c.code, c.reason)
		}
	}
}
