package google_test

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/googleapi"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/standin"
)

// withGoogle is set by `make smoke-google`, after it has seen credentials.
const withGoogle = "PLATEN_SMOKE_GOOGLE"

// An account is where the automations run.
type account struct {
	google.Services
	connection platen.DriveConnection
	settings   []string // of the programs
	folder     string   // made for the test, and removed with all that is in it
}

// openAccount opens Google's account or else one of our own drive, so many times as
// fast as Google's.
func openAccount(t *testing.T, speed int) *account {
	t.Helper()
	if os.Getenv(withGoogle) != "" {
		a := googleAccount()
		a.open(t, nil)
		return a
	}
	a, transport := ownAccount(t, speed)
	a.open(t, transport)
	return a
}

// googleAccount is that of the environment.
func googleAccount() *account {
	a := &account{settings: []string{
		"PLATEN_SERVICE_ACCOUNT_FILE=" + os.Getenv("PLATEN_SERVICE_ACCOUNT_FILE"),
		"PLATEN_OAUTH_CLIENT_ID=" + os.Getenv("PLATEN_OAUTH_CLIENT_ID"), "PLATEN_OAUTH_CLIENT_SECRET=" + os.Getenv("PLATEN_OAUTH_CLIENT_SECRET"),
	}}
	a.connection = platen.DriveConnection{Kind: platen.ConnectionServiceAccount, Subject: os.Getenv("PLATEN_SMOKE_SUBJECT")}
	if token := os.Getenv("PLATEN_DRIVE_CREDENTIAL"); token != "" {
		a.connection = platen.DriveConnection{Kind: platen.ConnectionRefreshToken, Secret: platen.Secret(token)}
	}
	return a
}

// ownAccount is one of our own drive, which is reached at Google's addresses by the
// transport.
func ownAccount(t *testing.T, speed int) (*account, http.RoundTripper) {
	t.Helper()
	g := standin.NewLike(t, drive.GoogleLike{Speed: speed})
	return &account{
		connection: platen.DriveConnection{Kind: platen.ConnectionServiceAccount},
		settings:   append(g.Environment(), "PLATEN_SERVICE_ACCOUNT_FILE="+g.ServiceAccount),
	}, g.Client().Transport
}

// setting is what the settings say of a variable.
func (a *account) setting(variable string) string {
	for _, s := range a.settings {
		if value, ok := strings.CutPrefix(s, variable+"="); ok {
			return value
		}
	}
	return ""
}

// open opens the account with the production client, and makes the folder.
func (a *account) open(t *testing.T, transport http.RoundTripper) {
	t.Helper()
	connector, err := google.NewConnector(google.Options{
		Kind: platen.DriveGoogle, ServiceAccountFile: a.setting("PLATEN_SERVICE_ACCOUNT_FILE"),
		OAuthClientID: a.setting("PLATEN_OAUTH_CLIENT_ID"), OAuthClientSecret: a.setting("PLATEN_OAUTH_CLIENT_SECRET"),
		Transport:   transport,
		Connections: func(context.Context, string) (platen.DriveConnection, error) { return a.connection, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if a.Services, err = connector.Services(t.Context(), "usr_1", func(base http.RoundTripper) http.RoundTripper { return base }); err != nil {
		t.Fatal(err)
	}
	wanted := &driveapi.File{Name: "Platen smoke " + time.Now().UTC().Format("2006-01-02 15.04.05"), MimeType: "application/vnd.google-apps.folder"}
	if parent := os.Getenv("PLATEN_SMOKE_FOLDER"); parent != "" && os.Getenv(withGoogle) != "" {
		wanted.Parents = []string{parent}
	}
	folder, err := a.Drive.Files.Create(wanted).SupportsAllDrives(true).Fields("id").Context(t.Context()).Do()
	if err != nil {
		t.Fatalf("make a folder: %v", err)
	}
	a.folder = folder.Id
	t.Cleanup(func() { a.remove(t, wanted.Name) })
}

// remove deletes the folder and what is in it, or trashes it where the account may not
// delete.
func (a *account) remove(t *testing.T, name string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := a.Drive.Files.Delete(a.folder).SupportsAllDrives(true).Context(ctx).Do()
	if refused, ok := err.(*googleapi.Error); ok && refused.Code == http.StatusForbidden {
		_, err = a.Drive.Files.Update(a.folder, &driveapi.File{Trashed: true}).SupportsAllDrives(true).Context(ctx).Do()
	}
	if err != nil {
		t.Errorf("remove the folder %s (%s) by hand: %v", name, a.folder, err)
	}
}

// A template is a file of the account, and an event that fills it.
type template struct {
	id    string
	event []byte
	value string // of the event, which the output shows
}

const greeting = "Dear {{Name}},"

var greetingEvent = []byte(`{"Name": "Ada Lovelace"}`)

// document makes a template with Google's editor of documents.
func (a *account) document(t *testing.T) template {
	t.Helper()
	id := a.create(t, "Document", platen.MIMEDocs)
	_, err := a.Docs.Documents.BatchUpdate(id, &docsapi.BatchUpdateDocumentRequest{Requests: []*docsapi.Request{
		{InsertText: &docsapi.InsertTextRequest{Location: &docsapi.Location{Index: 1}, Text: greeting}},
	}}).Context(t.Context()).Do()
	if err != nil {
		t.Fatalf("write the document: %v", err)
	}
	return template{id, greetingEvent, "Ada Lovelace"}
}

// presentation makes a template with Google's editor of presentations.
func (a *account) presentation(t *testing.T) template {
	t.Helper()
	id := a.create(t, "Presentation", platen.MIMESlides)
	p, err := a.Slides.Presentations.Get(id).Context(t.Context()).Do()
	if err != nil || len(p.Slides) == 0 {
		t.Fatalf("read the presentation: %v, %v", p, err)
	}
	emu := func(n float64) *slidesapi.Dimension { return &slidesapi.Dimension{Magnitude: n, Unit: "EMU"} }
	_, err = a.Slides.Presentations.BatchUpdate(id, &slidesapi.BatchUpdatePresentationRequest{Requests: []*slidesapi.Request{
		{CreateShape: &slidesapi.CreateShapeRequest{ObjectId: "greeting", ShapeType: "TEXT_BOX", ElementProperties: &slidesapi.PageElementProperties{
			PageObjectId: p.Slides[0].ObjectId, Size: &slidesapi.Size{Width: emu(4e6), Height: emu(1e6)},
			Transform: &slidesapi.AffineTransform{ScaleX: 1, ScaleY: 1, TranslateX: 5e5, TranslateY: 5e5, Unit: "EMU"},
		}}},
		{InsertText: &slidesapi.InsertTextRequest{ObjectId: "greeting", Text: greeting}},
	}}).Context(t.Context()).Do()
	if err != nil {
		t.Fatalf("write the presentation: %v", err)
	}
	return template{id, greetingEvent, "Ada Lovelace"}
}

func (a *account) create(t *testing.T, name, mimeType string) string {
	t.Helper()
	f, err := a.Drive.Files.Create(&driveapi.File{Name: name, MimeType: mimeType, Parents: []string{a.folder}}).SupportsAllDrives(true).Fields("id").Context(t.Context()).Do()
	if err != nil {
		t.Fatalf("make a file: %v", err)
	}
	return f.Id
}

// upload makes a template of an Office file.
func (a *account) upload(t *testing.T, name string) template {
	t.Helper()
	e, err := examples.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	source := "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	if e.MIMEType == platen.MIMESlides {
		source = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	}
	f, err := a.Drive.Files.Create(&driveapi.File{Name: e.Title, MimeType: e.MIMEType, Parents: []string{a.folder}}).
		Media(bytes.NewReader(e.Template), googleapi.ContentType(source), googleapi.ChunkSize(0)).SupportsAllDrives(true).Fields("id").Context(t.Context()).Do()
	if err != nil {
		t.Fatalf("upload %s: %v", name, err)
	}
	value, err := e.Field("Customer Name")
	if err != nil {
		t.Fatal(err)
	}
	return template{f.Id, e.Event, cmp.Or(value, "Customer Name")}
}
