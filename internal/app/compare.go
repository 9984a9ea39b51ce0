package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/platenhq/platen/internal/compare"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/inside"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/protect"
)

// Compare makes outputs of past runs once more, and hands on what came of each, the number-th
// of all. Its connections only read: nothing here can change the database.
func Compare(ctx context.Context, c config.Compare, q platen.LatestOutputQuery, each func(r compare.Result, number, all int) error) error {
	if err := c.Check(); err != nil {
		return err
	}
	fonts, err := driveFonts(c.Fonts)
	if err != nil {
		return err
	}
	a, err := openAdmin(ctx, c.Database, c.Secrets, map[string]string{"default_transaction_read_only": "on"})
	if err != nil {
		return err
	}
	defer a.Close()
	outputs, err := a.DB.Automations.LatestOutputs(ctx, q)
	if err != nil {
		return err
	}
	files := a.Drive.Drafts()
	images := pictures(true, "", nil, nil, nil)
	images.Fetch = func(context.Context, string, int64) ([]byte, error) { return nil, compare.ErrAddress }
	comparer := compare.Comparer{
		Plans: a.DB.Plans, Automations: a.DB.Automations, Outputs: a.DB.Outputs, Drafts: files, Protector: protect.Protector{}, Pictures: images, Location: c.Location(),
		Drive: func(ctx context.Context, accountID string, now time.Time) (*google.Client, error) {
			return draftDrive(ctx, files, fonts, accountID, now)
		},
	}
	for i, of := range outputs {
		r, err := comparer.Compare(ctx, of)
		if err == nil {
			err = each(r, i+1, len(outputs))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// draftDrive opens our drive over drafts, in this process, at a moment that is over.
func draftDrive(ctx context.Context, files *store.Store, fonts []drive.Font, accountID string, now time.Time) (*google.Client, error) {
	server, err := drive.New(drive.Options{
		Store: files, PublicURL: inside.Origin, Fonts: fonts, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now },
	})
	if err != nil {
		return nil, fmt.Errorf("prepare a drive for drafts: %w", err)
	}
	connector, err := google.NewConnector(google.Options{
		Kind: platen.DrivePlaten, DriveEndpoint: inside.Origin + "/drive/v3/", DocsEndpoint: inside.Origin + "/", SlidesEndpoint: inside.Origin + "/",
		Transport: inside.Caller{API: server, From: &http.Request{RemoteAddr: "127.0.0.1:1", Header: http.Header{}}, Token: "Bearer " + accountID},
		Connections: func(context.Context, string) (platen.DriveConnection, error) {
			return platen.DriveConnection{Kind: platen.ConnectionToken, Secret: platen.Secret(accountID)}, nil
		},
	})
	if err != nil {
		return nil, fmt.Errorf("prepare a drive for drafts: %w", err)
	}
	return connector.Drive(ctx, "")
}
