package fill_test

import (
	"bytes"
	"context"
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
	_, err = f.Fill(t.Context(), s.client, platen.File{ID: created.Id, MIMEType: mimeType}, nil)
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
