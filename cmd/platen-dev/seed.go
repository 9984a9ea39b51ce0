package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/platen"
)

const (
	demoName  = "Demo User"
	demoEmail = "demo@platen.example"
	// readyWorkflow is the workflow that an empty instance starts with.
	readyWorkflow = "Example invoice"
)

// seeded is what the first start made, for the commands to try.
type seeded struct {
	workflowID string // "" when the user has deleted the ready workflow
	webhookURL string
	eventFile  string // a source event that fills its template
	previewURL string // of its template; "" when the user has removed that
}

// seed makes what a first start needs and finds it again at every later one.
// Each part is looked for before it is made, so a start that was cut short is
// completed by the next.
func (p product) seed(ctx context.Context, r *ready) (seeded, error) {
	admin, err := app.OpenAdmin(ctx, p.database, p.secrets)
	if err != nil {
		return seeded{}, err
	}
	defer admin.Close()
	if err := ensureDemoUser(ctx, admin); err != nil {
		return seeded{}, err
	}
	file := func(name string) string { return filepath.Join(p.settings.DataDir, name) }
	r.AccessToken, err = readWhile(file("demo-token"), "access token", func(text string) (string, bool, error) {
		return admin.GoodToken(ctx, demoEmail, "platen-dev", text)
	})
	if err != nil {
		return seeded{}, err
	}
	r.DriveToken, err = readWhile(file("demo-drive-token"), "drive's token", func(text string) (string, bool, error) {
		return admin.GoodDriveToken(ctx, demoName, demoEmail, text)
	})
	if err != nil {
		return seeded{}, err
	}
	connection := platen.DriveConnection{Kind: platen.ConnectionToken, Secret: platen.Secret(r.DriveToken)}
	if err := admin.ConnectUser(ctx, demoEmail, connection); err != nil {
		return seeded{}, err
	}
	return seedExamples(ctx, *r, file("seeded"), file("invoice.json"))
}

func ensureDemoUser(ctx context.Context, admin *admin.Admin) error {
	_, err := admin.DB.Users.UserByEmail(ctx, demoEmail)
	if platen.KindOf(err) == platen.KindNotFound && err != nil {
		_, err = admin.CreateUser(ctx, demoName, demoEmail, "")
	}
	if err != nil {
		return err
	}
	return admin.SetOperator(ctx, demoEmail, true)
}

// seedExamples uploads the templates and makes one ready workflow, over HTTP
// as an integrator would, and writes an event for it. What the user deletes
// later stays deleted: the file marker says that it was done once. What the
// user changes in the event stays, too.
func seedExamples(ctx context.Context, r ready, marker, eventFile string) (seeded, error) {
	c := newClient(r)
	_, err := os.Stat(marker)
	first := errors.Is(err, fs.ErrNotExist)
	if err != nil && !first {
		return seeded{}, err
	}
	found, ok, err := c.findWorkflow(ctx, readyWorkflow)
	if err != nil {
		return seeded{}, err
	}
	if first {
		templates := map[string]string{}
		all, err := examples.All()
		if err != nil {
			return seeded{}, err
		}
		for _, e := range all {
			if templates[e.Name], err = c.ensureTemplate(ctx, e); err != nil {
				return seeded{}, err
			}
		}
		if !ok {
			if found, err = c.createWorkflow(ctx, readyWorkflow, templates[examples.Invoice]); err != nil {
				return seeded{}, err
			}
		}
		if err := writePrivate(marker, []byte("The examples were uploaded once; remove this file to upload them again.\n")); err != nil {
			return seeded{}, err
		}
	}
	_, err = readOrMake(eventFile, func() (string, error) {
		e, err := examples.Get(examples.Invoice)
		return strings.TrimSpace(string(e.Event)), err
	})
	out := seeded{workflowID: found.ID, webhookURL: found.Source.WebhookURL, eventFile: eventFile}
	if len(found.Documents) > 0 {
		out.previewURL = found.Documents[0].PreviewURL
	}
	return out, err
}

// readOrMake returns the content of a private file, which make fills the first time.
func readOrMake(name string, make func() (string, error)) (string, error) {
	raw, err := os.ReadFile(name)
	if err == nil && len(raw) > 0 {
		return strings.TrimSpace(string(raw)), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	value, err := make()
	if err != nil {
		return "", err
	}
	return value, writePrivate(name, []byte(value+"\n"))
}

// readWhile returns the content of a private file for as long as it is good. It
// writes another there when it is not, and says so.
func readWhile(name, what string, good func(text string) (another string, made bool, err error)) (string, error) {
	raw, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	value, made, err := good(strings.TrimSpace(string(raw)))
	if err != nil || !made {
		return value, err
	}
	if len(raw) > 0 {
		progress("Platen")(fmt.Sprintf("the %s in %s is not good any more (revoked, expired or unknown): made another and wrote it there", what, name))
	}
	return value, writePrivate(name, []byte(value+"\n"))
}
