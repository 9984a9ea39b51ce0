package fill_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"golang.org/x/oauth2"
	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/testkit"
)

// A served drive is our own behind HTTP, with Google's libraries before it: the
// client that runs use, and the bare ones that say what came out.
type served struct {
	client *google.Client
	files  *driveapi.Service
	docs   *docsapi.Service
	slides *slidesapi.Service
}

func serveDrive(t *testing.T) served {
	t.Helper()
	store := drive.NewStore(testkit.Database(t, "plan_drive", drive.Migrate))
	user, err := store.CreateUser(t.Context(), "Ada", "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	token, err := store.CreateToken(t.Context(), user.ID)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	if server.Config.Handler, err = drive.New(drive.Options{Store: store, PublicURL: "http://" + server.Listener.Addr().String()}); err != nil {
		t.Fatal(err)
	}
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
	s := served{}
	if s.client, err = connector.Drive(t.Context(), "usr_1"); err != nil {
		t.Fatal(err)
	}
	authorized := option.WithHTTPClient(oauth2.NewClient(t.Context(), oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token})))
	if s.files, err = driveapi.NewService(t.Context(), authorized, option.WithEndpoint(server.URL+"/drive/v3/")); err != nil {
		t.Fatal(err)
	}
	if s.docs, err = docsapi.NewService(t.Context(), authorized, option.WithEndpoint(server.URL+"/")); err != nil {
		t.Fatal(err)
	}
	if s.slides, err = slidesapi.NewService(t.Context(), authorized, option.WithEndpoint(server.URL+"/")); err != nil {
		t.Fatal(err)
	}
	return s
}

// fill uploads a template and fills it as a run does.
func (s served) fill(t *testing.T, file []byte, mimeType, data string) (fileID string) {
	t.Helper()
	return s.fillThrough(t, s.client, file, mimeType, data)
}

// A wholly is a drive of which templates are always read as a whole.
type wholly struct{ *google.Client }

func (w wholly) EditDocument(ctx context.Context, fileID string, _ platen.Reading, compose func(*docsapi.Document) ([]*docsapi.Request, error)) (int, error) {
	return w.Client.EditDocument(ctx, fileID, platen.ReadWhole, compose)
}

func (w wholly) EditPresentation(ctx context.Context, fileID string, _ platen.Reading, compose func(*slidesapi.Presentation) ([]*slidesapi.Request, error)) (int, error) {
	return w.Client.EditPresentation(ctx, fileID, platen.ReadWhole, compose)
}

func (s served) fillThrough(t *testing.T, through fill.Drive, file []byte, mimeType, data string) (fileID string) {
	t.Helper()
	source := "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	if mimeType == platen.MIMESlides {
		source = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	}
	created, err := s.files.Files.Create(&driveapi.File{Name: "Example", MimeType: mimeType}).
		Media(bytes.NewReader(file), googleapi.ContentType(source)).Context(t.Context()).Do()
	if err != nil {
		t.Fatalf("upload: %v", err)
	}
	f, err := fill.New(platen.Document{}, []byte(data), lang.Builtins{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Fill(t.Context(), through, platen.File{ID: created.Id, MIMEType: mimeType}, nil)
	if err != nil {
		t.Fatalf("fill: %v", err)
	}
	return created.Id
}

func TestExamplesOfTheSpecificationComeOutThroughTheAPIsToo(t *testing.T) {
	t.Parallel()
	if os.Getenv(testkit.StackVariable) == "" {
		t.Skipf("%s names no running stack: make test has one", testkit.StackVariable)
	}
	s := serveDrive(t)
	for _, e := range examples(t) {
		id := s.fill(t, docx(t, drawn(e.template), "", ""), platen.MIMEDocs, e.data)
		document, err := s.docs.Documents.Get(id).Context(t.Context()).Do()
		if err != nil {
			t.Fatal(err)
		}
		if got := plainSpaces(strings.TrimRight(shown(document.Body.Content), "\n")); got != e.result {
			t.Errorf("%s, through the Docs API: got\n%s\nwant\n%s", e.section, got, e.result)
		}
		id = s.fill(t, pptx(t, asShapes(e.template)), platen.MIMESlides, e.data)
		presentation, err := s.slides.Presentations.Get(id).Context(t.Context()).Do()
		if err != nil {
			t.Fatal(err)
		}
		if got := plainSpaces(strings.Join(shownSlides(presentation)[0], "\n")); got != e.result {
			t.Errorf("%s, through the Slides API: got\n%s\nwant\n%s", e.section, got, e.result)
		}
	}
}

// Texts are read first, without what they look like: what comes out must not
// depend on it.
func TestTemplatesOfWhichTheTextsAreReadComeOutAsWhole(t *testing.T) {
	t.Parallel()
	if os.Getenv(testkit.StackVariable) == "" {
		t.Skipf("%s names no running stack: make test has one", testkit.StackVariable)
	}
	s := serveDrive(t)
	for _, template := range []string{
		"Dear {{Name}}, {{Evil}} {{Brace}}Name}} {{= Total * 2}} {{Nowhere}}\n{{Lines}}!",
		"* {{Items.Name}}: {{Items.Qty}}\n* {{Name}}\n{{Items.Qty}} and {{Tags}}\nend",
		"* {{One.A}}\n* {{None.A}}\nend",
		"| {{Items.Name}} | {{Name}}\n| {{One.A}} | {{Tags}}\nend",
		"| {{Name}} | {{Total}}\nend",
		"{{#if Paid}}{{Name}}{{/if}} {{qr Name}}\n{{link \"https://example.com/\" & Name, Name}}",
		"nothing to fill",
	} {
		note := `<w:p><w:r><w:t>see</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`
		file := docx(t, drawn(template)+note, "{{Name}} {{Items.Qty}}", "{{Tags}} {{One.A}}")
		var documents [2]string
		for i, through := range []fill.Drive{s.client, wholly{s.client}} {
			document, err := s.docs.Documents.Get(s.fillThrough(t, through, file, platen.MIMEDocs, sample)).Context(t.Context()).Do()
			if err != nil {
				t.Fatal(err)
			}
			documents[i] = fmt.Sprintf("%s\n%s\n%s", shown(document.Body.Content), shown(document.Headers["kix.header1"].Content), shown(document.Footnotes["kix.footnote2"].Content))
		}
		if documents[0] != documents[1] || strings.Contains(documents[0], "{{Name}} {{Items") {
			t.Errorf("%s: of the texts came\n%s\nof the whole\n%s", template, documents[0], documents[1])
		}
		if strings.Contains(template, "qr") {
			continue // no picture stands in the text of a slide
		}
		var slides [2]string
		for i, through := range []fill.Drive{s.client, wholly{s.client}} {
			presentation, err := s.slides.Presentations.Get(s.fillThrough(t, through, pptx(t, asShapes(template)), platen.MIMESlides, sample)).Context(t.Context()).Do()
			if err != nil {
				t.Fatal(err)
			}
			slides[i] = fmt.Sprintf("%q", shownSlides(presentation))
		}
		if slides[0] != slides[1] {
			t.Errorf("%s: of the texts came %s, of the whole %s", template, slides[0], slides[1])
		}
	}
}
