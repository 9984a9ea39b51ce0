package drive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/googleapi"

	"github.com/platenhq/platen/internal/drive/store"
)

func TestUploadedBytesComeBackInEitherManner(t *testing.T) {
	a := newHarness(t).account("Ada")
	body := bytes.Repeat([]byte("0123456789abcdef"), 50_000) // 800,000 bytes: several chunks
	for name, chunkSize := range map[string]int{"multipart": 0, "resumable": googleapi.MinUploadChunkSize} {
		f, err := a.files.Create(&driveapi.File{Name: name + ".bin", AppProperties: map[string]string{"way": name}}).
			Media(bytes.NewReader(body), googleapi.ContentType("application/x-thing"), googleapi.ChunkSize(chunkSize)).
			Fields("id,name,mimeType,size,sha256Checksum,md5Checksum,appProperties,parents").Do()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sum := sha256.Sum256(body)
		if f.Size != int64(len(body)) || f.Sha256Checksum != hex.EncodeToString(sum[:]) || f.MimeType != "application/x-thing" || f.AppProperties["way"] != name || len(f.Parents) != 1 {
			t.Errorf("%s: got %+v", name, f)
		}
		response, err := a.files.Get(f.Id).Download()
		wantBody(t, response, err, string(body))
	}
}

func TestResumableUploadAnswersBothMannersOf308AndForgivesRepeats(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	unit := strings.Repeat("x", chunkUnit)
	begun, _ := a.do("POST", "/upload/drive/v3/files?uploadType=resumable&fields=id,size", "application/json", `{"name":"big"}`, "X-Upload-Content-Type", "text/plain")
	session, err := begun.Location()
	if err != nil {
		t.Fatalf("no session address: %v", err)
	}
	// Another process takes over.
	a.url = h.serve()
	path := session.RequestURI()
	send := func(body, contentRange, no308 string) (*http.Response, map[string]any) {
		return a.do("PUT", path, "", body, "Content-Range", contentRange, "X-GUploader-No-308", no308)
	}
	first := fmt.Sprintf("bytes 0-%d/*", chunkUnit-1)
	got, _ := send(unit, first, "yes")
	if got.StatusCode != 200 || got.Header.Get("X-Http-Status-Code-Override") != "308" || got.Header.Get("Range") != fmt.Sprintf("bytes=0-%d", chunkUnit-1) {
		t.Errorf("chunk with No-308: got %d %v", got.StatusCode, got.Header)
	}
	if got, _ = send(unit, first, ""); got.StatusCode != 308 {
		t.Errorf("repeated chunk: got %d, want 308", got.StatusCode)
	}
	if got, _ = send("", "bytes */*", ""); got.StatusCode != 308 || got.Header.Get("Range") != fmt.Sprintf("bytes=0-%d", chunkUnit-1) {
		t.Errorf("question for the range: got %d %q", got.StatusCode, got.Header.Get("Range"))
	}
	if got, _ = send("end", fmt.Sprintf("bytes %d-%d/%d", 2*chunkUnit, 2*chunkUnit+2, 2*chunkUnit+3), ""); got.StatusCode != 400 {
		t.Errorf("chunk after a gap: got %d, want 400", got.StatusCode)
	}
	last := fmt.Sprintf("bytes %d-%d/%d", chunkUnit, chunkUnit+2, chunkUnit+3)
	got, done := send("end", last, "")
	if got.StatusCode != 200 || done["size"] != fmt.Sprint(chunkUnit+3) {
		t.Fatalf("last chunk: got %d %v", got.StatusCode, done)
	}
	if got, again := send("end", last, ""); got.StatusCode != 200 || again["id"] != done["id"] {
		t.Errorf("repeated last chunk: got %d %v, want the same file %v", got.StatusCode, again, done["id"])
	}
	response, err := a.files.Get(done["id"].(string)).Download()
	wantBody(t, response, err, unit+"end")
}

func TestUploadOverTheLimitIsRefusedBeforeTheBytesAreSent(t *testing.T) {
	a := newHarness(t).account("Ada")
	got, answer := a.do("POST", "/upload/drive/v3/files?uploadType=resumable", "application/json", `{}`, "X-Upload-Content-Length", fmt.Sprint(store.MaxContent+1))
	if got.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d %v, want 413", got.StatusCode, answer)
	}
}

func TestUploadWithAnIDMadeBeforeHappensOnce(t *testing.T) {
	a := newHarness(t).account("Ada")
	ids := must[*driveapi.GeneratedIds](t)(a.files.GenerateIds().Count(3).Do())
	if len(ids.Ids) != 3 {
		t.Fatalf("got %d ids, want 3", len(ids.Ids))
	}
	put := func(id, body string) error {
		_, err := a.files.Create(&driveapi.File{Id: id, Name: "once"}).Media(strings.NewReader(body)).Do()
		return err
	}
	if err := put(ids.Ids[0], "first"); err != nil {
		t.Fatal(err)
	}
	wantFault(t, put(ids.Ids[0], "second"), 409, "fileIdInUse")
	response, err := a.files.Get(ids.Ids[0]).Download()
	wantBody(t, response, err, "first")

	var mu sync.Mutex
	var stored int
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			if put(ids.Ids[1], fmt.Sprint("racer ", i)) == nil {
				mu.Lock()
				stored++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if stored != 1 {
		t.Errorf("%d of 8 uploads with one id succeeded, want 1", stored)
	}
	_, err = a.files.Create(&driveapi.File{Id: ids.Ids[2], MimeType: store.DocumentType}).Do()
	wantFault(t, err, 400, "invalid")
}

func TestCopyCarriesPropertiesAndCostsNoBytes(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	source := a.text(&driveapi.File{Name: "template", AppProperties: map[string]string{"keep": "1", "drop": "2"}}, "hello")
	folder := must[*driveapi.File](t)(a.files.Create(&driveapi.File{Name: "out", MimeType: store.FolderType}).Do())
	copied, err := a.files.Copy(source.Id, &driveapi.File{
		Name: "copy", Parents: []string{folder.Id}, AppProperties: map[string]string{"key": "k1", "drop": ""},
		NullFields: []string{"AppProperties.drop"},
	}).Fields("*").Do()
	if err != nil {
		t.Fatal(err)
	}
	if copied.Id == source.Id || copied.Name != "copy" || copied.Parents[0] != folder.Id || copied.WebViewLink == source.WebViewLink {
		t.Errorf("got %+v", copied)
	}
	if got := copied.AppProperties; len(got) != 2 || got["keep"] != "1" || got["key"] != "k1" {
		t.Errorf("got app properties %v, want keep and key", got)
	}
	var contents int
	if err := h.pool.QueryRow(context.Background(), `SELECT count(*) FROM drive.contents`).Scan(&contents); err != nil || contents != 1 {
		t.Errorf("got %d contents (%v), want 1", contents, err)
	}
	unnamed := must[*driveapi.File](t)(a.files.Copy(source.Id, &driveapi.File{}).Do())
	if unnamed.Name != "Copy of template" {
		t.Errorf("got name %q", unnamed.Name)
	}
	_, err = a.files.Copy(folder.Id, &driveapi.File{}).Do()
	wantFault(t, err, 403, "cannotCopyFile")
}

func TestSomebodyElsesFileIsNotFound(t *testing.T) {
	h := newHarness(t)
	ada, eve := h.account("Ada"), h.account("Eve")
	f := ada.text(&driveapi.File{Name: "secret"}, "x")
	d := ada.document("letter", "x")
	_, err := eve.files.Get(f.Id).Do()
	wantFault(t, err, 404, "notFound")
	_, err = eve.files.Get("never-was-there").Do()
	wantFault(t, err, 404, "notFound")
	_, err = eve.files.Get(f.Id).Download()
	wantFault(t, err, 404, "notFound")
	_, err = eve.files.Update(f.Id, &driveapi.File{Name: "mine"}).Do()
	wantFault(t, err, 404, "notFound")
	_, err = eve.files.Copy(f.Id, &driveapi.File{}).Do()
	wantFault(t, err, 404, "notFound")
	wantFault(t, eve.files.Delete(f.Id).Do(), 404, "notFound")
	_, err = eve.docs.Get(d.Id).Do()
	wantEditorFault(t, err, 404, "NOT_FOUND")
	_, err = eve.files.Export(d.Id, store.PDFType).Download()
	wantFault(t, err, 404, "notFound")
	_, err = eve.files.Create(&driveapi.File{Name: "x", Parents: ada.text(&driveapi.File{Name: "y"}, "").Parents}).Do()
	wantFault(t, err, 404, "notFound")
	if list := must[*driveapi.FileList](t)(eve.files.List().Do()); len(list.Files) != 0 {
		t.Errorf("Eve sees %d files of Ada's", len(list.Files))
	}
}

func TestARestartedServerHasEverything(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	f := a.text(&driveapi.File{Name: "kept", AppProperties: map[string]string{"k": "v"}}, "body")
	b := h.signIn(a.user, a.token, h.serve())
	again := must[*driveapi.File](t)(b.files.Get(f.Id).Fields("name,appProperties").Do())
	if again.Name != "kept" || again.AppProperties["k"] != "v" {
		t.Errorf("got %+v", again)
	}
	response, err := b.files.Get(f.Id).Download()
	wantBody(t, response, err, "body")
}

func TestUpdateChangesMetadataContentAndPlace(t *testing.T) {
	a := newHarness(t).account("Ada")
	f := a.text(&driveapi.File{Name: "a", AppProperties: map[string]string{"x": "1", "y": "2"}}, "one")
	folder := must[*driveapi.File](t)(a.files.Create(&driveapi.File{Name: "dir", MimeType: store.FolderType}).Do())

	f = must[*driveapi.File](t)(a.files.Update(f.Id, &driveapi.File{Name: "b", AppProperties: map[string]string{"x": ""}, NullFields: []string{"AppProperties.x"}}).Fields("*").Do())
	if f.Name != "b" || len(f.AppProperties) != 1 || f.AppProperties["y"] != "2" {
		t.Errorf("got %q %v", f.Name, f.AppProperties)
	}
	changed := must[*driveapi.File](t)(a.files.Update(f.Id, nil).Media(strings.NewReader("two")).Fields("*").Do())
	if changed.Version <= f.Version || changed.HeadRevisionId == f.HeadRevisionId || changed.Size != 3 {
		t.Errorf("content: got version %d after %d, revision %s after %s", changed.Version, f.Version, changed.HeadRevisionId, f.HeadRevisionId)
	}
	_, err := a.files.Update(f.Id, &driveapi.File{}).AddParents(folder.Id + ",root").Do()
	wantFault(t, err, 403, "cannotAddParent")
	_, err = a.files.Update(f.Id, &driveapi.File{}).RemoveParents("root").Do()
	wantFault(t, err, 403, "cannotRemoveParent")
	moved := must[*driveapi.File](t)(a.files.Update(f.Id, &driveapi.File{}).AddParents(folder.Id).RemoveParents("root").Fields("parents").Do())
	if moved.Parents[0] != folder.Id {
		t.Errorf("got parents %v, want %s", moved.Parents, folder.Id)
	}
	_, err = a.files.Update(folder.Id, &driveapi.File{}).AddParents(folder.Id).RemoveParents("root").Do()
	wantFault(t, err, 403, "circularReference")
	_, err = a.files.Update(f.Id, &driveapi.File{Parents: []string{"root"}}).Do()
	wantFault(t, err, 403, "fieldNotWritable")
}

func TestTrashHidesWhatIsBelowAFolderUntilItIsRestored(t *testing.T) {
	a := newHarness(t).account("Ada")
	folder := must[*driveapi.File](t)(a.files.Create(&driveapi.File{Name: "dir", MimeType: store.FolderType}).Do())
	f := a.text(&driveapi.File{Name: "in", Parents: []string{folder.Id}}, "x")
	trash := func(on bool) *driveapi.File {
		_, err := a.files.Update(folder.Id, &driveapi.File{Trashed: on, ForceSendFields: []string{"Trashed"}}).Do()
		if err != nil {
			t.Fatal(err)
		}
		return must[*driveapi.File](t)(a.files.Get(f.Id).Fields("trashed,explicitlyTrashed,trashedTime").Do())
	}
	if got := trash(true); !got.Trashed || got.ExplicitlyTrashed || got.TrashedTime == "" {
		t.Errorf("below a trashed folder: got %+v", got)
	}
	if got := trash(false); got.Trashed {
		t.Errorf("below a restored folder: still trashed")
	}
	trash(true)
	if err := a.files.EmptyTrash().Do(); err != nil {
		t.Fatal(err)
	}
	_, err := a.files.Get(f.Id).Do()
	wantFault(t, err, 404, "notFound")
	_, err = a.files.Update("root", &driveapi.File{Trashed: true}).Do()
	wantFault(t, err, 403, "insufficientFilePermissions")
	wantFault(t, a.files.Delete("root").Do(), 403, "insufficientFilePermissions")
}

func TestFieldsSelectsAndRefusesUnknownNames(t *testing.T) {
	a := newHarness(t).account("Ada")
	f := a.text(&driveapi.File{Name: "x"}, "x")
	_, got := a.do("GET", "/drive/v3/files/"+f.Id, "", "")
	if len(got) != 4 || got["kind"] != "drive#file" {
		t.Errorf("by default: got %v, want kind, id, name, mimeType", got)
	}
	_, got = a.do("GET", "/drive/v3/files?fields=files(id,owners/emailAddress,capabilities(canEdit))", "", "")
	file := got["files"].([]any)[0].(map[string]any)
	owner := file["owners"].([]any)[0].(map[string]any)
	if len(got) != 1 || len(file) != 3 || len(owner) != 1 || owner["emailAddress"] != "ada@example.com" {
		t.Errorf("got %v", got)
	}
	_, err := a.files.Get(f.Id).Fields("id,nmae").Do()
	wantFault(t, err, 400, "invalidParameter")
	_, err = a.about.Get().Do()
	wantFault(t, err, 400, "required")
	about := must[*driveapi.About](t)(a.about.Get().Fields("*").Do())
	if about.User.EmailAddress != "ada@example.com" || about.StorageQuota.Usage != 1 || len(about.ExportFormats) != 2 {
		t.Errorf("got %+v", about)
	}
}

func TestTokensOpenTheDriveUntilTheyAreRevoked(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	if _, err := a.files.List().Do(); err != nil {
		t.Fatal(err)
	}
	// One that the server has just seen is refused within two seconds: see
	// TestARevokedTokenIsRefusedWithinTwoSeconds.
	if err := h.store.RevokeToken(context.Background(), a.token); err != nil {
		t.Fatal(err)
	}
	_, err := h.signIn(a.user, a.token, h.serve()).files.List().Do()
	wantFault(t, err, 401, "authError")
	response := must[*http.Response](t)(http.Get(h.url + "/drive/v3/files"))
	response.Body.Close()
	if response.StatusCode != 401 {
		t.Errorf("without a token: got %d, want 401", response.StatusCode)
	}
}

// A client that asks for a method of Google's that is not here must not take the
// answer for a missing file, nor ask again as of a 5xx.
func TestAMethodThatIsNotServedSaysSo(t *testing.T) {
	a := newHarness(t).account("Ada")
	f := a.text(&driveapi.File{Name: "a.txt"}, "x")
	for _, call := range []string{
		"POST /drive/v3/changes/watch", "PUT /drive/v3/files", "POST /v1/documents/x:frobnicate", "PUT /upload/drive/v3/files/x", "POST /batch/drive/v3",
		"GET /drive/v3/files/" + f.Id + "/revisions", "GET /drive/v3/files/" + f.Id + "/comments", "GET /v1/presentations/x/pages/y/thumbnail", "GET /drive/v3/files/generateCseToken",
	} {
		method, path, _ := strings.Cut(call, " ")
		response, answer := a.do(method, path, "application/json", "{}")
		problem, _ := answer["error"].(map[string]any)
		message, _ := problem["message"].(string)
		if response.StatusCode != 400 || problem["status"] != "UNIMPLEMENTED" || !strings.Contains(message, "does not serve "+call) {
			t.Errorf("%s: got %d %v, want 400 UNIMPLEMENTED and the method", call, response.StatusCode, answer)
		}
	}
	if response, answer := a.do("GET", "/anything", "", ""); response.StatusCode != 404 {
		t.Errorf("an address of nobody's: got %d %v, want 404", response.StatusCode, answer)
	}
}
