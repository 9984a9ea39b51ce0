package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/oauth2"
	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/option"

	"github.com/platenhq/platen/examples"
)

// crowdConnections is how many events of one owner are under way to the service.
const crowdConnections = 8

// catchUpLimit is longer than the longest wait between two tries of a step and
// the making of all their documents together.
const catchUpLimit = 15 * time.Minute

// A crowd is several owners, or workflows of one, each with a fault of their own in the
// drive or in the host of their pictures.
type crowd struct {
	harness  *harness
	host     *brokenHost
	receiver *receiver
	client   *http.Client
	owners   []*troubledOwner
	sent     atomic.Int64 // events of each owner
}

type troubledOwner struct {
	*badCaller
	workflowID, source string
	event              []byte
	fails              bool // their documents end at once, without being made
}

// crowdOfDrives makes owners whose drive is broken. The worker of the harness, which
// must not have been started, reaches every drive through the one that breaks.
func (g *harness) crowdOfDrives(ctx context.Context) (*crowd, error) {
	drive, err := url.Parse(g.drive.Main)
	if err != nil {
		return nil, err
	}
	through := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(drive) },
		Transport: newClient().Transport,
		ErrorLog:  log.New(io.Discard, "", 0), // a caller that has gone is its own business
	}
	host, err := newBrokenHost(through, func(r *http.Request) string { return r.Header.Get("Authorization") })
	if err != nil {
		return nil, err
	}
	g.workerDrive = host.url
	return g.crowd(ctx, host, "Dear {{Name}}", faults(), g.newTenant, func(tenant *instance, f fault) (*troubledOwner, error) {
		return &troubledOwner{badCaller: host.breakFor("Bearer "+tenant.driveToken, f), event: []byte(`{"Name":"Ada"}`)}, nil
	})
}

// crowdOfPictures makes owners whose pictures' host is broken.
func (g *harness) crowdOfPictures(ctx context.Context) (*crowd, error) {
	return g.ofPictures(ctx, faults(), g.newTenant)
}

// workflowsOfPictures makes workflows of the harness's own tenant whose pictures' host
// is broken.
func (g *harness) workflowsOfPictures(ctx context.Context) (*crowd, error) {
	return g.ofPictures(ctx, faults(), g.ownTenant)
}

// workflowOfPictures makes one, whose pictures' host answers 500.
func (g *harness) workflowOfPictures(ctx context.Context) (*crowd, error) {
	all := faults()
	return g.ofPictures(ctx, all[slices.IndexFunc(all, func(f fault) bool { return f.name == "answers 500" }):][:1], g.ownTenant)
}

// newTenant is a tenant of its own for each fault.
func (g *harness) newTenant(ctx context.Context, n int) (*instance, error) {
	tenant := *g.instance
	return &tenant, tenant.moveIn(ctx, fmt.Sprintf("trouble-%d@bench.example", n))
}

func (g *harness) ownTenant(context.Context, int) (*instance, error) { return g.instance, nil }

func (g *harness) ofPictures(ctx context.Context, broken []fault, tenant func(context.Context, int) (*instance, error)) (*crowd, error) {
	var logo bytes.Buffer
	if err := png.Encode(&logo, image.NewGray(image.Rect(0, 0, 40, 20))); err != nil {
		return nil, err
	}
	well := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(logo.Bytes()) })
	host, err := newBrokenHost(well, func(r *http.Request) string { return r.URL.Path })
	if err != nil {
		return nil, err
	}
	return g.crowd(ctx, host, "{{image Logo}} Dear {{Name}}", broken, tenant, func(tenant *instance, f fault) (*troubledOwner, error) {
		path := "/" + strings.ReplaceAll(f.name, " ", "-")
		event, err := json.Marshal(map[string]string{"Name": "Ada", "Logo": host.url + path})
		return &troubledOwner{badCaller: host.breakFor(path, f), event: event, fails: f.name == "answers 403"}, err
	})
}

func (g *harness) crowd(ctx context.Context, host *brokenHost, template string, broken []fault, tenant func(context.Context, int) (*instance, error), trouble func(*instance, fault) (*troubledOwner, error)) (_ *crowd, err error) {
	c := &crowd{harness: g, host: host, client: newClient()}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	if c.receiver, err = newReceiver(); err != nil {
		return nil, err
	}
	for n, f := range broken {
		of, err := tenant(ctx, n)
		if err != nil {
			return nil, err
		}
		owner, err := trouble(of, f)
		if err != nil {
			return nil, err
		}
		if owner.workflowID, owner.source, err = of.newLine(ctx, template, c.receiver.url); err != nil {
			return nil, err
		}
		c.owners = append(c.owners, owner)
	}
	return c, nil
}

func (c *crowd) close() {
	c.host.cure() // what hangs would hold the worker while it drains
	_ = c.host.server.Close()
	if c.receiver != nil {
		c.receiver.close()
	}
}

// newLine makes a workflow of one line of text, without a PDF: cheap to make,
// so that a thousand of them are made soon once they can be.
func (i *instance) newLine(ctx context.Context, text, receiverURL string) (workflowID, source string, err error) {
	authorized := option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: i.driveToken}))
	base := strings.TrimRight(i.drive.Main, "/") + "/"
	files, err := driveapi.NewService(ctx, authorized, option.WithEndpoint(base+"drive/v3/"))
	if err != nil {
		return "", "", err
	}
	docs, err := docsapi.NewService(ctx, authorized, option.WithEndpoint(base))
	if err != nil {
		return "", "", err
	}
	e, err := examples.Get(examples.Letter)
	if err != nil {
		return "", "", err
	}
	file, err := files.Files.Create(&driveapi.File{Name: "Line", MimeType: e.MIMEType}).Context(ctx).Fields("id").Do()
	if err != nil {
		return "", "", fmt.Errorf("make a template: %w", err)
	}
	write := &docsapi.InsertTextRequest{Text: text, Location: &docsapi.Location{Index: 1}}
	_, err = docs.Documents.BatchUpdate(file.Id, &docsapi.BatchUpdateDocumentRequest{Requests: []*docsapi.Request{{InsertText: write}}}).Context(ctx).Do()
	if err != nil {
		return "", "", fmt.Errorf("write a template: %w", err)
	}
	var made struct {
		ID     string `json:"id"`
		Source struct {
			WebhookURL string `json:"webhookUrl"`
		} `json:"source"`
	}
	body := map[string]any{
		"name": "Lines", "document": map[string]any{"fileId": file.Id}, "outgoingWebhook": map[string]any{"webhookUrl": receiverURL},
	}
	err = i.call(ctx, http.MethodPost, "/workflows/", i.token, body, &made)
	return made.ID, made.Source.WebhookURL, err
}

// send sends so many events of each owner, all owners side by side, and
// returns when all are accepted.
func (c *crowd) send(ctx context.Context, events int) error {
	errs := make([]error, len(c.owners)*crowdConnections)
	var sending sync.WaitGroup
	for n := range errs {
		owner, share := c.owners[n/crowdConnections], events/crowdConnections
		if n%crowdConnections < events%crowdConnections {
			share++
		}
		sending.Go(func() {
			for range share {
				if errs[n] = post(ctx, c.client, owner.source, owner.event); errs[n] != nil {
					return
				}
			}
		})
	}
	sending.Wait()
	c.sent.Add(int64(events))
	return errors.Join(errs...)
}

// An ending is what became of the crowd's automations.
type ending struct {
	left, completed int
	undelivered     int // events
	lost            int // neither made nor of those that fail for good
}

func (c *crowd) ending(ctx context.Context) (ending, error) {
	var e ending
	var ids, failing []string
	for _, owner := range c.owners {
		ids = append(ids, owner.workflowID)
		if owner.fails {
			failing = append(failing, owner.workflowID)
		}
	}
	good := 0
	err := c.harness.pool.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE finished_at IS NULL), count(*) FILTER (WHERE state = 'COMPLETED'),
			count(*) FILTER (WHERE state = 'COMPLETED' OR state = 'FAILED' AND workflow_id = ANY (@failing)),
			(SELECT count(*) FROM events WHERE workflow_id = ANY (@ids) AND state <> 'DELIVERED')
		FROM automations
		WHERE workflow_id = ANY (@ids)`, pgx.NamedArgs{"ids": ids, "failing": failing}).Scan(&e.left, &e.completed, &good, &e.undelivered)
	if err != nil {
		return e, fmt.Errorf("count what became of the others' automations: %w", err)
	}
	e.lost = len(ids)*int(c.sent.Load()) - good
	return e, nil
}

// catchUp ends the trouble and waits until all is made and delivered, or for
// catchUpLimit.
func (c *crowd) catchUp(ctx context.Context) (time.Duration, ending, error) {
	begun := time.Now()
	c.host.cure()
	for {
		e, err := c.ending(ctx)
		took := time.Since(begun)
		if err != nil || e.left == 0 && e.undelivered == 0 || took > catchUpLimit {
			return took, e, err
		}
		if err := pause(ctx, 250*time.Millisecond); err != nil {
			return took, e, err
		}
	}
}
