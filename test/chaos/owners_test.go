package chaos

import (
	"fmt"
	"sync"
	"testing"

	"golang.org/x/oauth2"
	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/option"
)

// An owner is a user of the service, with a drive of their own.
type owner struct {
	name, email       string
	token, driveToken string
	files             *driveapi.Service
	docs              *docsapi.Service
	templates         []string // ids of files that the owner wrote
	// troubled: the owner's drive is dead for a part of the run.
	troubled bool
}

// newOwners: the first one has every kind of workflow, the others one each.
func newOwners() []*owner {
	var all []*owner
	for n, name := range []string{"Ada", "Ben", "Cleo", "Dora", "Eli"} {
		all = append(all, &owner{name: name, email: fmt.Sprintf("owner-%d@chaos.example", n), troubled: n > 2})
	}
	return all
}

// register makes the owners known to the service.
func (s *service) register(t *testing.T, owners []*owner) {
	t.Helper()
	var all sync.WaitGroup
	for _, o := range owners {
		all.Go(func() {
			s.operate(t, "user", "create", "--name", o.name, "--email", o.email)
			o.token = s.operate(t, "token", "create", "--user", o.email)
			o.driveToken = s.operate(t, "drive", "token", "--email", o.email)
			s.operateWith(t, []string{
				"PLATEN_DRIVE_CREDENTIAL=" + o.driveToken, "PLATEN_DRIVE_KIND=platen", "PLATEN_DRIVE_ENDPOINT=" + s.temporalInstance.stack.DriveURL,
			}, "user", "connect", "--email", o.email, "--kind", "token")
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	s.owners = owners
}

// open opens the owner's drive past the suite's proxy.
func (o *owner) open(t *testing.T, drive string) {
	t.Helper()
	authorized := option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: o.driveToken}))
	var err error
	if o.files, err = driveapi.NewService(t.Context(), authorized, option.WithEndpoint(drive+"/drive/v3/")); err != nil {
		t.Fatal(err)
	}
	if o.docs, err = docsapi.NewService(t.Context(), authorized, option.WithEndpoint(drive+"/")); err != nil {
		t.Fatal(err)
	}
}

// write makes a template in the owner's drive and returns its id.
func (o *owner) write(t *testing.T, name, text string) string {
	t.Helper()
	made, err := o.files.Files.Create(&driveapi.File{Name: name, MimeType: mimeDocs}).Context(t.Context()).Fields("id").Do()
	if err != nil {
		t.Fatalf("create %s: %v", name, err)
	}
	_, err = o.docs.Documents.BatchUpdate(made.Id, &docsapi.BatchUpdateDocumentRequest{Requests: []*docsapi.Request{
		{InsertText: &docsapi.InsertTextRequest{Text: text, Location: &docsapi.Location{Index: 1}}},
	}}).Context(t.Context()).Do()
	if err != nil {
		t.Fatalf("write into %s: %v", name, err)
	}
	o.templates = append(o.templates, made.Id)
	return made.Id
}
