package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/netip"
	"os"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/protect"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// A loop does what an automation does to the world, one thing after the other,
// with the same clients: no Temporal, no database of its own, no memory of
// what was done, nothing that would survive a crash.
type loop struct {
	drive    *google.Client
	sender   *delivery.HTTPSender
	template string
	endpoint platen.Endpoint
}

func callInLoop() (http.Handler, error) {
	base := os.Getenv("PLATEN_DRIVE_ENDPOINT")
	connector, err := google.NewConnector(google.Options{
		Kind:          platen.DrivePlaten,
		DriveEndpoint: base + "/drive/v3/", DocsEndpoint: base + "/", SlidesEndpoint: base + "/",
		Connections: func(context.Context, string) (platen.DriveConnection, error) {
			return platen.DriveConnection{Kind: platen.ConnectionToken, Secret: platen.Secret(os.Getenv(driveTokenVariable))}, nil
		},
	})
	if err != nil {
		return nil, err
	}
	drive, err := connector.Drive(context.Background(), "")
	if err != nil {
		return nil, fmt.Errorf("open the drive: %w", err)
	}
	l := &loop{
		drive:    drive,
		sender:   delivery.NewHTTPSender(outgoing.NewClient(outgoing.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}), outgoing.Hosts{}),
		template: os.Getenv(templateVariable),
		endpoint: platen.Endpoint{URL: os.Getenv(receiverVariable), Secrets: []platen.Secret{"whsec_YmVuY2htYXJrcyBuZWVkIGEgc2VjcmV0IG9mIDMy"}},
	}
	return serveRepeats(l.once), nil
}

func (l *loop) once(ctx context.Context) error {
	key := rand.Text()
	copied, err := l.drive.Copy(ctx, l.template, "Bench "+key, key)
	if err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	if err := l.fill(ctx, copied); err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	pdf, err := l.drive.ExportPDF(ctx, copied.ID)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if pdf, err = (protect.Protector{}).Protect(pdf, "open-C-1042", true); err != nil {
		return fmt.Errorf("encrypt: %w", err)
	}
	id, err := l.drive.NewFileID(ctx)
	if err != nil {
		return fmt.Errorf("get an id: %w", err)
	}
	hash := sha256.Sum256(pdf)
	stored, err := l.drive.Upload(ctx, platen.File{
		ID: id, Name: copied.Name + ".pdf", MIMEType: platen.MIMEPDF,
		Properties: map[string]string{platen.PropertyKey: key, platen.PropertySHA256: hex.EncodeToString(hash[:])},
	}, pdf)
	if err != nil {
		return fmt.Errorf("upload: %w", err)
	}
	if _, err := l.drive.File(ctx, stored.ID); err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	if err := l.drive.Delete(ctx, copied.ID); err != nil {
		return fmt.Errorf("remove: %w", err)
	}
	return l.tell(ctx, stored)
}

func (l *loop) fill(ctx context.Context, copied platen.File) error {
	e, err := examples.Get(examples.Letter)
	if err != nil {
		return err
	}
	filling, err := fill.New(platen.Document{}, e.Event, lang.Builtins{})
	if err != nil {
		return err
	}
	_, err = filling.Fill(ctx, l.drive, copied, nil)
	return err
}

func (l *loop) tell(ctx context.Context, stored platen.File) error {
	id := platen.NewID(platen.PrefixEvent)
	payload := fmt.Appendf(nil, `{"event_id":%q,"event_type":"DOCUMENTS_CREATED","data":{"documents":[{"id":%q,"url":%q,"name":%q}]}}`, id, stored.ID, stored.URL, stored.Name)
	delivery, err := l.sender.Send(ctx, platen.Event{ID: id, Payload: payload}, l.endpoint, 1)
	if err == nil && delivery.Failure != "" {
		err = fmt.Errorf("the receiver did not take the event: %s", delivery.Failure)
	}
	return err
}
