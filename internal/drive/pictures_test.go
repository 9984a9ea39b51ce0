package drive

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"

	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/googleapi"
	slidesapi "google.golang.org/api/slides/v1"
)

// pixel is a PNG of one.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func insertPicture(uri string) *docsapi.Request {
	return &docsapi.Request{InsertInlineImage: &docsapi.InsertInlineImageRequest{Uri: uri, Location: &docsapi.Location{Index: 1}}}
}

// picture uploads the pixel.
func (a *account) picture() *driveapi.File {
	a.h.t.Helper()
	body := must[[]byte](a.h.t)(base64.StdEncoding.DecodeString(pixel))
	return must[*driveapi.File](a.h.t)(a.files.Create(&driveapi.File{Name: "pixel.png", MimeType: "image/png"}).
		Media(bytes.NewReader(body), googleapi.ContentType("image/png")).Fields("id,webContentLink,webViewLink").Do())
}

func TestAPictureOfThisDriveIsPutIntoADocument(t *testing.T) {
	h := newOfficeHarness(t)
	a, other := h.account("Ada"), h.account("Bob")
	d := must[*docsapi.Document](t)(a.docs.Create(&docsapi.Document{Title: "letter"}).Do())
	f := a.picture()
	own := a.url + "/drive/v3/files/" + f.Id + "?alt=media"
	for _, uri := range []string{f.WebContentLink, f.WebViewLink, own, f.WebContentLink} {
		must[*docsapi.BatchUpdateDocumentResponse](t)(a.docs.BatchUpdate(d.DocumentId, batchOf("", insertPicture(uri), insertPicture(uri))).Do())
	}
	theirs := must[*docsapi.Document](t)(other.docs.Create(&docsapi.Document{Title: "theirs"}).Do())
	for _, uri := range []string{own, a.url + "/open?id=" + f.Id, a.url + "/d/nothing", a.url + "/pictures/00/word/x.png", "https://example.com/x.png"} {
		_, err := other.docs.BatchUpdate(theirs.DocumentId, batchOf("", insertPicture(uri))).Do()
		wantEditorFault(t, err, 400, "INVALID_ARGUMENT")
	}

	// What documents.get says of a picture leads to it, without credentials, and back
	// into a document.
	got := must[*docsapi.Document](t)(a.docs.Get(d.DocumentId).Do())
	if len(got.InlineObjects) != 8 {
		t.Errorf("got %d pictures, want 8", len(got.InlineObjects))
	}
	for id, o := range got.InlineObjects {
		uri := o.InlineObjectProperties.EmbeddedObject.ImageProperties.ContentUri
		wantPicture(t, id, uri)
		must[*docsapi.BatchUpdateDocumentResponse](t)(other.docs.BatchUpdate(theirs.DocumentId, batchOf("", insertPicture(uri))).Do())
		break
	}
	if response := must[*http.Response](t)(http.Get(a.url + "/pictures/" + strings.Repeat("0", 64) + "/word/document.xml")); response.StatusCode != 404 {
		t.Errorf("a picture that is not there: got %d, want 404", response.StatusCode)
	}
}

func wantPicture(t *testing.T, what, uri string) {
	t.Helper()
	response, err := http.Get(uri)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer response.Body.Close()
	body := must[[]byte](t)(io.ReadAll(response.Body))
	if kind := response.Header.Get("Content-Type"); response.StatusCode != 200 || kind != "image/png" || base64.StdEncoding.EncodeToString(body) != pixel {
		t.Errorf("%s: %s: got %d %s of %d bytes, want the picture", what, uri, response.StatusCode, kind, len(body))
	}
}

func TestAPictureOfThisDriveIsPutOnASlide(t *testing.T) {
	a := newOfficeHarness(t).account("Ada")
	p := must[*slidesapi.Presentation](t)(a.slides.Create(&slidesapi.Presentation{Title: "offer"}).Do())
	request := &slidesapi.Request{CreateImage: &slidesapi.CreateImageRequest{
		Url: a.picture().WebContentLink, ElementProperties: &slidesapi.PageElementProperties{PageObjectId: p.Slides[0].ObjectId},
	}}
	call := &slidesapi.BatchUpdatePresentationRequest{Requests: []*slidesapi.Request{request}}
	must[*slidesapi.BatchUpdatePresentationResponse](t)(a.slides.BatchUpdate(p.PresentationId, call).Do())
	slide := must[*slidesapi.Page](t)(a.slides.Pages.Get(p.PresentationId, p.Slides[0].ObjectId).Do())
	whole := must[*slidesapi.Presentation](t)(a.slides.Get(p.PresentationId).Do())
	for what, elements := range map[string][]*slidesapi.PageElement{"the page": slide.PageElements, "the presentation": whole.Slides[0].PageElements} {
		last := elements[len(elements)-1]
		if last.Image == nil {
			t.Fatalf("%s: got %+v, want a picture", what, last)
		}
		wantPicture(t, what, last.Image.ContentUrl)
	}
}
