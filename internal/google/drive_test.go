package google_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"golang.org/x/oauth2"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/testkit"
)

// ourDrive opens our own drive with the office files of two examples in it,
// converted as people convert them; it returns their ids.
func ourDrive(t *testing.T, example string) (client *google.Client, document, presentation string) {
	t.Helper()
	client, _, document, presentation = ourFiles(t, example)
	return client, document, presentation
}

// ourFiles is ourDrive with the client that everybody has, too.
func ourFiles(t *testing.T, example string) (client *google.Client, files *driveapi.FilesService, document, presentation string) {
	t.Helper()
	store := drive.NewStore(testkit.Database(t, "google_drive", drive.Migrate))
	user, err := store.CreateUser(t.Context(), "Ada", "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	token, err := store.CreateToken(t.Context(), user.ID)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	handler, err := drive.New(drive.Options{Store: store, PublicURL: "http://" + server.Listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = handler
	server.Start()
	t.Cleanup(server.Close)

	connector, err := google.NewConnector(google.Options{
		Kind:          platen.DrivePlaten,
		DriveEndpoint: server.URL + "/drive/v3/", DocsEndpoint: server.URL + "/", SlidesEndpoint: server.URL + "/",
		Transport: server.Client().Transport,
		Connections: func(context.Context, string) (platen.DriveConnection, error) {
			return platen.DriveConnection{Kind: platen.ConnectionToken, Secret: token}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if client, err = connector.Drive(t.Context(), "usr_1"); err != nil {
		t.Fatal(err)
	}
	authorized := oauth2.NewClient(t.Context(), oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token}))
	service, err := driveapi.NewService(t.Context(), option.WithHTTPClient(authorized), option.WithEndpoint(server.URL+"/drive/v3/"))
	if err != nil {
		t.Fatal(err)
	}
	return client, service.Files, convert(t, service.Files, example, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
		convert(t, service.Files, examples.Offer, "application/vnd.openxmlformats-officedocument.presentationml.presentation")
}

func convert(t *testing.T, files *driveapi.FilesService, name, source string) string {
	t.Helper()
	example, err := examples.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := files.Create(&driveapi.File{Name: name, MimeType: example.MIMEType}).
		Media(bytes.NewReader(example.Template), googleapi.ContentType(source)).Context(t.Context()).Do()
	if err != nil {
		t.Fatalf("upload %s: %v", name, err)
	}
	return file.Id
}

// firstTag returns a tag that stands in a passage as a whole.
func firstTag(passages []string) string {
	for _, passage := range passages {
		if start := strings.Index(passage, "{{"); start >= 0 {
			if end := strings.Index(passage[start:], "}}"); end >= 0 {
				return passage[start : start+end+2]
			}
		}
	}
	return ""
}

func TestOurDriveCopiesFillsAndExports(t *testing.T) {
	t.Parallel()
	client, document, presentation := ourDrive(t, examples.Letter)
	for mimeType, template := range map[string]string{platen.MIMEDocs: document, platen.MIMESlides: presentation} {
		copied, err := client.Copy(t.Context(), template, "A copy", "out_1."+mimeType)
		if err != nil || copied.MIMEType != mimeType || copied.Name != "A copy" || copied.URL == "" {
			t.Fatalf("Copy = %+v, %v", copied, err)
		}
		found, err := client.FindByKey(t.Context(), "out_1."+mimeType)
		if err != nil || len(found) != 1 || found[0].ID != copied.ID {
			t.Errorf("FindByKey = %+v, %v; want the copy", found, err)
		}
		passages, err := client.Shown(t.Context(), copied.ID, mimeType)
		if err != nil {
			t.Fatal(err)
		}
		tag := firstTag(passages)
		if tag == "" {
			t.Fatalf("text of %s has no tag: %q", mimeType, passages)
		}
		n, err := replaceTextsIn(t.Context(), client, copied.ID, mimeType, pair{tag, "Zoë\vand {{X}} 日"})
		if err != nil || n != 1 {
			t.Errorf("replacing %s = %d, %v", tag, n, err)
		}
		filled, err := client.Shown(t.Context(), copied.ID, mimeType)
		if err != nil || !slices.ContainsFunc(filled, func(p string) bool { return strings.Contains(p, "Zoë\vand {{X}}") }) {
			t.Errorf("filled text %q, %v", filled, err)
		}
		pdf, findings, err := client.ExportPDFWithFindings(t.Context(), copied.ID)
		if err != nil || !bytes.HasPrefix(pdf, []byte("%PDF-")) {
			t.Errorf("ExportPDFWithFindings = %d bytes, %v", len(pdf), err)
		}
		if len(findings) != 1 || findings[0].Code != "missing_glyph" || !strings.Contains(findings[0].Message, "日 (U+65E5)") {
			t.Errorf("findings of the PDF are %+v, want one that names 日", findings)
		}
		if err := client.Trash(t.Context(), copied.ID); err != nil {
			t.Errorf("Trash: %v", err)
		}
		if found, err := client.FindByKey(t.Context(), "out_1."+mimeType); err != nil || len(found) != 0 {
			t.Errorf("FindByKey after Trash = %+v, %v; want nothing", found, err)
		}
		for range 2 {
			if err := client.Delete(t.Context(), copied.ID); err != nil {
				t.Errorf("Delete: %v", err)
			}
		}
		if _, err := client.File(t.Context(), copied.ID); platen.KindOf(err) != platen.KindNotFound {
			t.Errorf("File after Delete: %v, want KindNotFound", err)
		}
	}
}

func TestOurDriveFillsEveryTagOfTheExamples(t *testing.T) {
	t.Parallel()
	client, document, presentation := ourDrive(t, examples.Letter)
	for name, fileID := range map[string]string{examples.Letter: document, examples.Offer: presentation} {
		example, err := examples.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		filling, err := fill.New(platen.Document{}, example.Event, lang.Builtins{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := client.Shown(t.Context(), fileID, example.MIMEType)
		if err != nil || firstTag(text) == "" {
			t.Errorf("%s: no tag, %v", name, err)
		}
		out, err := filling.Fill(t.Context(), client, platen.File{ID: fileID, MIMEType: example.MIMEType}, nil)
		if err != nil || out.Requests == 0 || len(out.Missing) > 0 {
			t.Errorf("%s: %d requests, missing %q, %v", name, out.Requests, out.Missing, err)
		}
		filled, err := client.Shown(t.Context(), fileID, example.MIMEType)
		if tag := firstTag(filled); err != nil || tag != "" {
			t.Errorf("%s: %s is left, %v", name, tag, err)
		}
	}
}

func TestOurDriveStoresAnUploadOnce(t *testing.T) {
	t.Parallel()
	client, _, _ := ourDrive(t, examples.Letter)
	for _, size := range []int{2000, 6 << 20} {
		id, err := client.NewFileID(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		content := append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("x"), size)...)
		sum := sha256.Sum256(content)
		hash := hex.EncodeToString(sum[:])
		wanted := platen.File{ID: id, Name: "Invoice.pdf", MIMEType: platen.MIMEPDF, Properties: map[string]string{platen.PropertySHA256: hash}}
		stored, err := client.Upload(t.Context(), wanted, content)
		if err != nil || stored.ID != id || stored.SHA256 != hash || stored.Properties[platen.PropertySHA256] != hash || stored.Size != int64(len(content)) {
			t.Errorf("Upload = %+v, %v", stored, err)
		}
		if _, err := client.Upload(t.Context(), wanted, content); platen.KindOf(err) != platen.KindConflict {
			t.Errorf("second Upload: %v, want KindConflict", err)
		}
		if got, err := client.Download(t.Context(), id); err != nil || !bytes.Equal(got, content) {
			t.Errorf("Download = %d bytes, %v; want the %d that were stored", len(got), err, len(content))
		}
	}
}

func TestOurDriveMakesBlankFiles(t *testing.T) {
	t.Parallel()
	client, _, _ := ourDrive(t, examples.Letter)
	for _, mimeType := range []string{platen.MIMEDocs, platen.MIMESlides} {
		file, err := client.CreateBlank(t.Context(), "Blank", mimeType, "doc_1")
		if err != nil || file.MIMEType != mimeType || file.Properties[platen.PropertyKey] != "doc_1" {
			t.Errorf("CreateBlank = %+v, %v", file, err)
		}
		if _, err := client.Shown(t.Context(), file.ID, mimeType); err != nil {
			t.Errorf("Shown: %v", err)
		}
		_, err = client.Download(t.Context(), file.ID)
		if refused, ok := errors.AsType[*platen.Error](err); !ok || refused.Code != "drive_file_without_content" {
			t.Errorf("Download of a %s: got %v, want drive_file_without_content", mimeType, err)
		}
	}
}
