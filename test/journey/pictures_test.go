package journey

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/platen"
)

func pngOf(t *testing.T, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestPicturesComeFromTheEventTheDriveAndPublicAddresses(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	stored, err := h.files.Files.Create(&driveapi.File{Name: "Logo", MimeType: "image/png"}).Context(t.Context()).
		Media(bytes.NewReader(pngOf(t, 40, 20))).Fields("id").Do()
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(pngOf(t, 80, 20)) }))
	t.Cleanup(site.Close)
	_, e := h.deliverOne(t, "{{image Sent}}|{{image Stored}}|{{image Public}}|{{qr Link 72pt}}|{{link Link \"here\"}}|{{image None}}", object{}, object{
		"Sent": "data:image/png;base64," + base64.StdEncoding.EncodeToString(pngOf(t, 20, 20)), "Stored": stored.Id, "Public": site.URL + "/logo", "Link": "https://example.com/",
	})
	if len(e.Data.Documents) != 1 {
		t.Fatalf("documents: got %+v, want one", e.Data.Documents)
	}
	if len(e.Data.MissingFields) != 1 || e.Data.MissingFields[0] != "None" {
		t.Errorf("missing fields: got %q, want None", e.Data.MissingFields)
	}
	d, err := h.docs.Documents.Get(e.Data.Documents[0].ID).Context(t.Context()).Do()
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, element := range d.Body.Content {
		if element.Paragraph == nil {
			continue
		}
		for _, part := range element.Paragraph.Elements {
			switch {
			case part.TextRun != nil && part.TextRun.TextStyle.Link != nil:
				got += part.TextRun.Content + " to " + part.TextRun.TextStyle.Link.Url
			case part.TextRun != nil:
				got += part.TextRun.Content
			case part.InlineObjectElement != nil:
				size := d.InlineObjects[part.InlineObjectElement.InlineObjectId].InlineObjectProperties.EmbeddedObject.Size
				got += fmt.Sprintf("%g×%g", size.Width.Magnitude, size.Height.Magnitude)
			}
		}
	}
	if want := "15×15|30×15|60×15|72×72|here to https://example.com/|\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDataThatCannotFillADocumentFailsItAtOnceInPlainWords(t *testing.T) {
	t.Parallel()
	many := make([]object, 20_000)
	for i := range many {
		many[i] = object{"A": i}
	}
	thin := pngOf(t, 1, 2)
	copy(thin[20:], "\x01\x31\x2d\x00") // 20,000,000 pixels high
	binary.BigEndian.PutUint32(thin[29:], crc32.ChecksumIEEE(thin[12:29]))
	inline := func(data []byte) string { return "data:image/png;base64," + base64.StdEncoding.EncodeToString(data) }
	whole := pngOf(t, 20, 20)
	for name, c := range map[string]struct {
		data          object
		code, message string
		secret        string
	}{
		"a picture on a network of ours": {object{"Logo": "http://169.254.169.254/latest/meta-data"}, "address_unusable", "Logo: What stands at the address cannot be read: the host is in a network that is not public", "169.254.169.254"},
		"a picture of no host":           {object{"Logo": "https://nobody.invalid/secret?key=secret"}, "address_unusable", "Logo: What stands at the address cannot be read: there is no such host", "nobody.invalid"},
		"a picture that is cut off":      {object{"Logo": inline(whole[:len(whole)-20])}, "picture_unusable", "Logo: The picture is damaged or cut off", "base64"},
		"a picture as thin as a hair":    {object{"Logo": inline(thin)}, "picture_too_large", "Logo: The picture has 1 × 20000000 pixels", "base64"},
		"a list that is too long":        {object{"Items": many}, "list_too_long", "The list Items has 20000 items, and about 5001 of them fit", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, options{})
			w := h.createWorkflow(t, object{"name": "Pictures"})
			id := h.write(t, "Pictures", "{{image Logo}}")
			_, err := h.docs.Documents.BatchUpdate(id, &docsapi.BatchUpdateDocumentRequest{Requests: []*docsapi.Request{
				{InsertTable: &docsapi.InsertTableRequest{Rows: 1, Columns: 1, Location: &docsapi.Location{Index: 1}}},
				{InsertText: &docsapi.InsertTextRequest{Text: "{{Items.A}}", Location: &docsapi.Location{Index: 5}}},
			}}).Context(t.Context()).Do()
			if err != nil {
				t.Fatal(err)
			}
			h.addDocument(t, w, id, object{})
			r := newReceiver(t)
			h.register(t, w, r)
			postObject(t, w.Source.WebhookURL, c.data)
			e := r.next(t)
			failed := e.event.Data.Error
			if e.event.Type != "DOCUMENT_FAILED" || failed == nil || failed.Code != c.code || !strings.Contains(failed.Message, c.message) || c.secret != "" && strings.Contains(string(e.body), c.secret) {
				t.Errorf("event: got %.2000s, want DOCUMENT_FAILED with %s, %s", e.body, c.code, c.message)
			}
			h.finished(t, w.ID, platen.AutomationFailed)
		})
	}
}

func TestAddressesOfLinksAreFilled(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	id := h.write(t, "Links", "See it.")
	_, err := h.docs.Documents.BatchUpdate(id, &docsapi.BatchUpdateDocumentRequest{Requests: []*docsapi.Request{{UpdateTextStyle: &docsapi.UpdateTextStyleRequest{
		Range: &docsapi.Range{StartIndex: 1, EndIndex: 4}, TextStyle: &docsapi.TextStyle{Link: &docsapi.Link{Url: "https://example.com/orders/{{No}}"}}, Fields: "link",
	}}}}).Context(t.Context()).Do()
	if err != nil {
		t.Fatal(err)
	}
	w := h.createWorkflow(t, object{"name": "Links"})
	h.addDocument(t, w, id, object{})
	r := newReceiver(t)
	h.register(t, w, r)
	postObject(t, w.Source.WebhookURL, object{"No": "7/b"})
	e := r.next(t).event
	if len(e.Data.Documents) != 1 {
		t.Fatalf("event: got %+v, want one document", e)
	}
	d, err := h.docs.Documents.Get(e.Data.Documents[0].ID).Context(t.Context()).Do()
	if err != nil {
		t.Fatal(err)
	}
	found := ""
	for _, element := range d.Body.Content {
		if element.Paragraph == nil {
			continue
		}
		for _, part := range element.Paragraph.Elements {
			if part.TextRun != nil && part.TextRun.TextStyle.Link != nil {
				found += part.TextRun.Content + " " + part.TextRun.TextStyle.Link.Url
			}
		}
	}
	if want := "See https://example.com/orders/7%2Fb"; found != want {
		t.Errorf("got %q, want %q", found, want)
	}
}

// The page is drawn as it is printed, and zbarimg, which others keep, reads it. It knows
// no Data Matrix.
func TestCodesAreReadFromThePrintedPage(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	body := strings.Join([]string{
		"{{ean13 Article}}", "{{code128 Parcel}}", "{{datamatrix Part}}", `{{qr GIROCODE(Name, IBAN, Total, "Rechnung 17")}}`,
		`{{qr SWISSQR("CH5800791123000889012", "Robert Schneider AG;2501;Biel;CH", Total, "CHF")}}`,
	}, "\n\n")
	_, e := h.deliverOne(t, body, object{"createPdfCopy": true, "removeOutput": true},
		object{"Article": "400638133393", "Parcel": "JD01 4600 0099 88", "Part": "SN-4711", "Name": "Musterfrau GmbH", "IBAN": "DE02120300000000202051", "Total": 17.5})
	if len(e.Data.MissingFields) != 0 || len(e.Data.Documents) != 1 || e.Data.Documents[0].MIMEType != platen.MIMEPDF {
		t.Fatalf("event: got %+v, want a PDF and nothing missing", e)
	}
	pdf, err := h.files.Files.Get(e.Data.Documents[0].ID).Context(t.Context()).Download()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pdf.Body.Close() }()
	page := filepath.Join(t.TempDir(), "page")
	draw := exec.CommandContext(t.Context(), "pdftoppm", "-png", "-r", "300", "-singlefile", "-", page)
	draw.Stdin = pdf.Body
	if out, err := draw.CombinedOutput(); err != nil {
		t.Fatalf("pdftoppm: %v: %s", err, out)
	}
	read, err := exec.CommandContext(t.Context(), "zbarimg", "--quiet", page+".png").Output()
	if err != nil {
		t.Fatalf("zbarimg reads nothing: %v", err)
	}
	const nobody = "\n\n\n\n\n\n\n"
	for _, want := range []string{
		"EAN-13:4006381333931\n",
		"CODE-128:JD01 4600 0099 88\n",
		"QR-Code:BCD\n002\n1\nSCT\n\nMusterfrau GmbH\nDE02120300000000202051\nEUR17.50\n\n\nRechnung 17\n",
		"QR-Code:SPC\n0200\n1\nCH5800791123000889012\nS\nRobert Schneider AG\n\n\n2501\nBiel\nCH\n" + nobody + "17.50\nCHF\n" + nobody + "NON\n\n\nEPD\n",
	} {
		if !strings.Contains(string(read), want) {
			t.Errorf("the page has no code %q; what is read is\n%s", want, read)
		}
	}
}
