// Package drivetest serves our own drive to tests of what talks to a drive.
// These are the client that runs use, and Google's own libraries, which say
// what came of it.
//
// Nothing but tests may import it. Programs that know nothing but Google's
// addresses meet the drive through package standin.
package drivetest

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"golang.org/x/oauth2"
	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
)

// A Drive is our own behind HTTP, with one account.
type Drive struct {
	Client *google.Client // of runs
	Files  *driveapi.FilesService
	Docs   *docsapi.DocumentsService
	Slides *slidesapi.PresentationsService
}

// Serve starts a drive that ends with the test.
func Serve(t testing.TB) *Drive {
	t.Helper()
	return ServeWith(t, nil, func(*http.Request) {})
}

// ServeWith is Serve for a drive that behaves like Google's, unless like is nil, and
// shows each request to watch before it is answered.
func ServeWith(t testing.TB, like *drive.GoogleLike, watch func(*http.Request)) *Drive {
	t.Helper()
	store := store.New(testkit.Database(t, "drive", store.Migrate))
	user, err := store.CreateUser(t.Context(), "Ada", "ada@example.com")
	if err != nil {
		t.Fatalf("make an account: %v", err)
	}
	token, err := store.CreateToken(t.Context(), user.ID)
	if err != nil {
		t.Fatalf("make a token: %v", err)
	}
	server := httptest.NewUnstartedServer(nil)
	handler, err := drive.New(drive.Options{Store: store, PublicURL: "http://" + server.Listener.Addr().String(), Google: like})
	if err != nil {
		t.Fatalf("prepare the drive: %v", err)
	}
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		watch(r)
		handler.ServeHTTP(w, r)
	})
	server.Start()
	t.Cleanup(server.Close)

	authorized := option.WithHTTPClient(oauth2.NewClient(t.Context(), oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token})))
	files, err := driveapi.NewService(t.Context(), authorized, option.WithEndpoint(server.URL+"/drive/v3/"))
	if err != nil {
		t.Fatal(err)
	}
	docs, err := docsapi.NewService(t.Context(), authorized, option.WithEndpoint(server.URL+"/"))
	if err != nil {
		t.Fatal(err)
	}
	slides, err := slidesapi.NewService(t.Context(), authorized, option.WithEndpoint(server.URL+"/"))
	if err != nil {
		t.Fatal(err)
	}
	return &Drive{Client: Open(t, server.URL, token), Files: files.Files, Docs: docs.Documents, Slides: slides.Presentations}
}

// Open returns the client of runs for a drive of our own kind at an address.
func Open(t testing.TB, url, token string) *google.Client {
	t.Helper()
	connector, err := google.NewConnector(google.Options{
		Kind: platen.DrivePlaten, DriveEndpoint: url + "/drive/v3/", DocsEndpoint: url + "/", SlidesEndpoint: url + "/",
		Transport: &http.Transport{},
		Connections: func(context.Context, string) (platen.DriveConnection, error) {
			return platen.DriveConnection{Kind: platen.ConnectionToken, Secret: platen.Secret(token)}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	client, err := connector.Drive(t.Context(), "usr_1")
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// Upload converts a .docx or .pptx into a file of a MIME type, as people do, and
// returns its id.
func (d *Drive) Upload(t testing.TB, name, mimeType string, office []byte) string {
	t.Helper()
	source := "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	if mimeType == platen.MIMESlides {
		source = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	}
	file, err := d.Files.Create(&driveapi.File{Name: name, MimeType: mimeType}).
		Media(bytes.NewReader(office), googleapi.ContentType(source)).Context(t.Context()).Do()
	if err != nil {
		t.Fatalf("upload %s: %v", name, err)
	}
	return file.Id
}
