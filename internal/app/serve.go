package app

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/platenhq/platen/api"
	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/api/hooks"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/failpoint"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/merge"
	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/postgres"
)

// Serve answers the API and accepts source events until ctx ends. The
// listeners are its own from then on. It calls ready when both answer.
func Serve(ctx context.Context, c config.Serve, log *slog.Logger, apiListener, hooksListener net.Listener, ready func()) error {
	defer apiListener.Close()
	defer hooksListener.Close()
	limits, err := c.Check()
	if err != nil {
		return err
	}
	store, box, err := openStore(ctx, c.Database, c.Secrets, limits.StartWait, log)
	if err != nil {
		return err
	}
	defer store.Close()
	connector, err := connector(c.Cloud, store.DriveConnection, 0)
	if err != nil {
		return err
	}
	batcher := postgres.NewBatcher(store, postgres.BatcherOptions{Log: log})
	// What was taken is flushed after the hosts have stopped taking more.
	defer func() {
		flushing, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
		defer cancel()
		if err := batcher.Close(flushing); err != nil {
			log.Error("events were not flushed; their senders got no 200", "error", err)
		}
	}()
	previewKey := box.Derive("preview")
	drives := func(ctx context.Context, userID string) (api.Drive, error) { return connector.Drive(ctx, userID) }
	handler := api.New(api.Options{
		Store:      store,
		Drives:     drives,
		PublicURL:  publicURL(c.APIURL, apiListener, "/v0"),
		HooksURL:   publicURL(c.HooksURL, hooksListener, ""),
		PreviewKey: previewKey,
		Preview:    preview(store, connector, previewKey, log),
		Sender:     outgoing.NewSender(outgoing.Options{AllowPrivate: limits.AllowPrivate}),
		Tags:       checkTags,
		RunURL:     runURL(c),
		Answers:    store,
		RateLimit:  edge.Rate{PerSecond: limits.RateLimit, Burst: limits.RateBurst},
		Strangers:  edge.Rate{PerSecond: limits.StrangerLimit, Burst: 10 * limits.StrangerLimit},
		Log:        log,
	})
	source := hooks.New(hooks.Options{
		Acceptor: failpoint.Accepting(batcher), Log: log, BodyLimit: int64(limits.HooksBodyLimit),
		RateLimit: edge.Rate{PerSecond: limits.SourceRateLimit},
	})
	var background sync.WaitGroup
	sweeping, stopSweeping := context.WithCancel(ctx)
	background.Go(func() { keepStraysSwept(sweeping, store, connector, log) })
	background.Go(func() { keepKeysSwept(sweeping, store, log) })
	defer background.Wait()
	defer stopSweeping()
	err = serveSites(ctx, log, ready,
		site{listener: apiListener, handler: besidePictures(console.NewPictures(store, box.Derive(picturePurpose), log), handler), write: time.Minute},
		site{listener: hooksListener, handler: source, write: 30 * time.Second},
	)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

func preview(store *postgres.Store, connector *google.Connector, key []byte, log *slog.Logger) http.Handler {
	return console.NewPreview(console.Options{
		Documents: store,
		Drives:    func(ctx context.Context, userID string) (console.Drive, error) { return connector.Drive(ctx, userID) },
		Key:       key,
		Log:       log,
	})
}

func checkTags(texts, fields []string) []api.TagFinding {
	found := merge.Check(texts, fields)
	findings := make([]api.TagFinding, len(found))
	for i, f := range found {
		findings[i] = api.TagFinding(f)
	}
	return findings
}

// runURL is where Temporal's UI shows a run, but for its id.
func runURL(c config.Serve) string {
	if c.TemporalUIURL == "" {
		return ""
	}
	return strings.TrimRight(c.TemporalUIURL, "/") + "/namespaces/" + url.PathEscape(c.TemporalNamespace) + "/workflows/"
}
