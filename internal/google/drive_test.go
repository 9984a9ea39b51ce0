package google_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/testkit/drivetest"
)

// ourDrive opens our own drive with the office files of two examples in it,
// converted as people convert them; it returns their ids.
func ourDrive(t *testing.T, example string) (client *google.Client, document, presentation string) {
	t.Helper()
	served := drivetest.Serve(t)
	return served.Client, convert(t, served, example), convert(t, served, examples.Offer)
}

func convert(t *testing.T, served *drivetest.Drive, name string) string {
	t.Helper()
	example, err := examples.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return served.Upload(t, name, example.MIMEType, example.Template)
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
		n, err := replaceTextsIn(t.Context(), client, copied.ID, mimeType, pair{tag, "Zoë\vand {{X}} 𒀀"})
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
		if len(findings) != 1 || findings[0].Code != "missing_glyph" || !strings.Contains(findings[0].Message, "𒀀 (U+12000)") {
			t.Errorf("findings of the PDF are %+v, want one that names 𒀀", findings)
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
