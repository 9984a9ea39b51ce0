package drive

import (
	"strings"
	"testing"

	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/googleapi"

	"github.com/platenhq/platen/internal/drive/store"
)

// A client that synchronises sends the modification time of its file, which may
// be the one that is stored already.
func TestContentThatComesWithAModificationTimeKeepsIt(t *testing.T) {
	a := newHarness(t).account("Ada")
	const stored = "2001-02-03T04:05:06.000Z"
	f := a.text(&driveapi.File{Name: "a.txt", ModifiedTime: stored}, "before")
	for sent, want := range map[string]string{stored: stored, "2002-03-04T05:06:07.000Z": "2002-03-04T05:06:07.000Z"} {
		must[*driveapi.File](t)(a.files.Update(f.Id, &driveapi.File{ModifiedTime: stored}).Do())
		changed := must[*driveapi.File](t)(a.files.Update(f.Id, &driveapi.File{ModifiedTime: sent}).
			Media(strings.NewReader("content of "+sent), googleapi.ContentType(store.TextType)).Fields("modifiedTime").Do())
		if changed.ModifiedTime != want {
			t.Errorf("new content with %s: got %s, want %s", sent, changed.ModifiedTime, want)
		}
	}
	must[*driveapi.File](t)(a.files.Update(f.Id, &driveapi.File{ModifiedTime: stored}).Do())
	changed := must[*driveapi.File](t)(a.files.Update(f.Id, &driveapi.File{}).Media(strings.NewReader("last")).Fields("modifiedTime").Do())
	if changed.ModifiedTime == stored {
		t.Errorf("new content without a time: got %s, want now", changed.ModifiedTime)
	}
}

// Who locks a file and is answered 200 says that it is locked.
func TestARestrictionThatIsNotObeyedIsRefused(t *testing.T) {
	a := newHarness(t).account("Ada")
	f := a.text(&driveapi.File{Name: "a.txt"}, "x")
	for body, field := range map[string]string{
		`{"contentRestrictions":[{"readOnly":true,"reason":"final"}]}`:                       "file.contentRestrictions",
		`{"copyRequiresWriterPermission":true}`:                                              "file.copyRequiresWriterPermission",
		`{"viewersCanCopyContent":false}`:                                                    "file.viewersCanCopyContent",
		`{"downloadRestrictions":{"itemDownloadRestriction":{"restrictedForReaders":true}}}`: "file.downloadRestrictions",
		`{"downloadRestrictions":{"itemDownloadRestriction":{"restrictedForWriters":true}}}`: "file.downloadRestrictions",
		`{"inheritedPermissionsDisabled":true}`:                                              "file.inheritedPermissionsDisabled",
	} {
		for _, call := range []struct{ method, path string }{
			{"PATCH", "/drive/v3/files/" + f.Id}, {"POST", "/drive/v3/files"}, {"POST", "/drive/v3/files/" + f.Id + "/copy"},
		} {
			response, answer := a.do(call.method, call.path, "application/json", body)
			if response.StatusCode != 400 || locationOf(answer) != field {
				t.Errorf("%s %s: got %d %v, want 400 at %s", call.method, body, response.StatusCode, answer, field)
			}
		}
	}
	// What a client has read it can send back.
	for _, body := range []string{
		`{"contentRestrictions":[]}`, `{"contentRestrictions":[{"readOnly":false}]}`, `{"copyRequiresWriterPermission":false}`, `{"viewersCanCopyContent":true}`,
		`{"downloadRestrictions":{"itemDownloadRestriction":{"restrictedForReaders":false,"restrictedForWriters":false}}}`, `{"inheritedPermissionsDisabled":false}`,
	} {
		if response, answer := a.do("PATCH", "/drive/v3/files/"+f.Id, "application/json", body); response.StatusCode != 200 {
			t.Errorf("%s: got %d %v, want 200", body, response.StatusCode, answer)
		}
	}
	for body, field := range map[string]string{
		`{"type":"anyone","role":"reader","expirationTime":"2030-01-01T00:00:00Z"}`: "permission.expirationTime",
		`{"type":"anyone","role":"reader","view":"published"}`:                      "permission.view",
		`{"type":"anyone","role":"reader","inheritedPermissionsDisabled":true}`:     "permission.inheritedPermissionsDisabled",
	} {
		response, answer := a.do("POST", "/drive/v3/files/"+f.Id+"/permissions", "application/json", body)
		if response.StatusCode != 400 || locationOf(answer) != field {
			t.Errorf("%s: got %d %v, want 400 at %s", body, response.StatusCode, answer, field)
		}
	}
}

// locationOf is which parameter an error of Drive is about.
func locationOf(answer map[string]any) string {
	body, _ := answer["error"].(map[string]any)
	errors, _ := body["errors"].([]any)
	if len(errors) == 0 {
		return ""
	}
	location, _ := errors[0].(map[string]any)["location"].(string)
	return location
}

func TestAFileHasThreeChecksums(t *testing.T) {
	a := newHarness(t).account("Ada")
	f := a.text(&driveapi.File{Name: "a.txt"}, "hello")
	// Of "hello", as sha1sum, md5sum and sha256sum print them.
	const sha1, md5 = "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d", "5d41402abc4b2a76b9719d911017c592"
	const sha256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
	if f.Sha1Checksum != sha1 || f.Md5Checksum != md5 || f.Sha256Checksum != sha256 {
		t.Errorf("got %s, %s, %s, want %s, %s, %s", f.Sha1Checksum, f.Md5Checksum, f.Sha256Checksum, sha1, md5, sha256)
	}
	d := a.document("letter", "hi")
	if d.Sha1Checksum != "" {
		t.Errorf("got the checksum %s of a Docs file, want none", d.Sha1Checksum)
	}
}
