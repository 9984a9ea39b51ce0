// Package untouched tests that an Office file keeps all that its author put
// into it when the drive fills a tag: it reads the files before and after with
// a zip and an XML reader of its own, and knows nothing of how the drive edits.
//
// `make untouched CORPUS=folder` looks at every .docx and .pptx below a folder;
// without one it is the examples.
package untouched

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/testkit/standin"
)

var corpus = flag.String("corpus", "../../examples", "the folder with the Office files to look at")

const tag, value = "{{One Tag 7f3a}}", "A value & <more>"

// kind is how a kind of Office file is kept on Google's drive.
type kind struct{ google, office string }

var kinds = map[string]kind{
	".docx": {"application/vnd.google-apps.document", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
	".pptx": {"application/vnd.google-apps.presentation", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
}

// drive is Google's clients on a drive.
type drive struct {
	files  *driveapi.FilesService
	docs   *docsapi.DocumentsService
	slides *slidesapi.PresentationsService
}

func newDrive(t *testing.T) drive {
	t.Helper()
	g := standin.New(t)
	key, err := os.ReadFile(g.ServiceAccount)
	if err != nil {
		t.Fatal(err)
	}
	config, err := google.JWTConfigFromJSON(key, driveapi.DriveScope)
	if err != nil {
		t.Fatal(err)
	}
	client := option.WithHTTPClient(config.Client(context.WithValue(t.Context(), oauth2.HTTPClient, g.Client())))
	files, err1 := driveapi.NewService(t.Context(), client)
	docs, err2 := docsapi.NewService(t.Context(), client)
	slides, err3 := slidesapi.NewService(t.Context(), client)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	return drive{files.Files, docs.Documents, slides.Presentations}
}

// filled uploads a file as a template, fills the tag of a copy and returns the
// copy as an Office file, and how often the tag was there.
func (d drive) filled(content []byte, k kind) ([]byte, int64, error) {
	template, err := d.files.Create(&driveapi.File{Name: "template", MimeType: k.google}).Media(bytes.NewReader(content), googleapi.ContentType(k.office)).Do()
	if err != nil {
		return nil, 0, err
	}
	copied, err := d.files.Copy(template.Id, &driveapi.File{Name: "copy"}).Do()
	if err != nil {
		return nil, 0, err
	}
	var occurrences int64
	if k == kinds[".docx"] {
		answer, err := d.docs.BatchUpdate(copied.Id, &docsapi.BatchUpdateDocumentRequest{Requests: []*docsapi.Request{{
			ReplaceAllText: &docsapi.ReplaceAllTextRequest{ContainsText: &docsapi.SubstringMatchCriteria{Text: tag, MatchCase: true}, ReplaceText: value},
		}}}).Do()
		if err != nil {
			return nil, 0, err
		}
		occurrences = answer.Replies[0].ReplaceAllText.OccurrencesChanged
	} else {
		answer, err := d.slides.BatchUpdate(copied.Id, &slidesapi.BatchUpdatePresentationRequest{Requests: []*slidesapi.Request{{
			ReplaceAllText: &slidesapi.ReplaceAllTextRequest{ContainsText: &slidesapi.SubstringMatchCriteria{Text: tag, MatchCase: true}, ReplaceText: value},
		}}}).Do()
		if err != nil {
			return nil, 0, err
		}
		occurrences = answer.Replies[0].ReplaceAllText.OccurrencesChanged
	}
	response, err := d.files.Export(copied.Id, k.office).Download()
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close()
	result, err := io.ReadAll(response.Body)
	return result, occurrences, err
}

func TestFillingATagLeavesAllElseAsItWas(t *testing.T) {
	d := newDrive(t)
	var files, textless, refused, elements, differences int
	err := filepath.WalkDir(*corpus, func(path string, entry fs.DirEntry, err error) error {
		k, known := kinds[strings.ToLower(filepath.Ext(path))]
		if err != nil || entry.IsDir() || !known {
			return err
		}
		name, err := filepath.Rel(*corpus, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		before, where, err := withTag(content)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return nil
		}
		after, occurrences, err := d.filled(before, k)
		var fault *googleapi.Error
		if errors.As(err, &fault) && fault.Code == http.StatusBadRequest {
			refused++
			t.Logf("%s: refused: %s", name, fault.Message)
			return nil
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return nil
		}
		files++
		if where == "" {
			textless++
		}
		if want := int64(1); where != "" && occurrences != want || where == "" && occurrences != 0 {
			t.Errorf("%s: %d occurrences of the tag, which is in %q", name, occurrences, where)
		}
		found, seen := differ(before, after, where)
		elements += seen
		differences += len(found)
		for i, f := range found {
			if i == 5 {
				t.Errorf("%s: and %d more", name, len(found)-i)
				break
			}
			t.Errorf("%s: %s", name, f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files == 0 {
		t.Fatalf("no Office file below %s", *corpus)
	}
	t.Logf("%d files (%d without a text to put a tag into), %d refused, %d elements looked at, %d differences", files, textless, refused, elements, differences)
}
