package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/platenhq/platen/api"
	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/api/hooks"
	"github.com/platenhq/platen/internal/bounce"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/ends"
	"github.com/platenhq/platen/internal/failpoint"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/intake"
	"github.com/platenhq/platen/internal/maintenance"
	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/accept"
	"github.com/platenhq/platen/internal/protect"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/target"
	"github.com/platenhq/platen/internal/telemetry"
	"github.com/platenhq/platen/internal/template/billing"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/mailbody"
	"github.com/platenhq/platen/internal/template/preview"
)

// Serve answers the API and accepts source events until ctx ends. The
// listeners are its own from then on. It calls ready when both answer.
func Serve(ctx context.Context, c config.Serve, log *slog.Logger, apiListener, hooksListener net.Listener, ready func()) error {
	defer apiListener.Close()
	defer hooksListener.Close()
	if err := c.Check(); err != nil {
		return err
	}
	t := c.Telemetry
	started := t.Starting("serve")
	traces, err := telemetry.OpenTraces(ctx, "serve", Version(), log)
	if err != nil {
		return err
	}
	defer traces.Close()
	db, box, err := openDatabase(ctx, postgres.PartFront, c.Database, c.Secrets, c.StartWait.Value(), log, t.Counts(), traces)
	if err != nil {
		return err
	}
	defer db.Close()
	accepting, err := openAccept(ctx, c, box, log, traces)
	if err != nil {
		return err
	}
	defer accepting.Close()
	t.Counts().WatchPool("accept", accepting.Pool())
	watchDatabase(t, "serve", db)
	connector, err := connector(c.Cloud, c.GoogleQuotas, db, 0, log, t.Counts())
	if err != nil {
		return err
	}
	batcher := accept.NewBatcher(accepting, accept.BatcherOptions{Log: log, Stored: t.Counts().Stored, Trace: traces.Batches()})
	// What was taken is flushed after the hosts have stopped taking more.
	defer func() {
		flushing, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
		defer cancel()
		if err := batcher.Close(flushing); err != nil {
			log.Error("events were not flushed; their senders got no 200", "error", err)
		}
	}()
	parts := served{Serve: c, db: db, box: box, connector: connector, counts: t.Counts(), bodies: bodies(serveBodies), log: log}
	parts.publicURL, parts.hooksURL = publicURL(c.APIURL, apiListener, "/v0"), publicURL(c.HooksURL, hooksListener, "")
	parts.own = outgoing.NewHosts(parts.publicURL, parts.hooksURL, c.DriveURL, c.DriveEndpoint, LocalURL(apiListener.Addr()), LocalURL(hooksListener.Addr()))
	parts.previews = parts.previewer()
	if err := parts.openOperators(ctx, traces); err != nil {
		return err
	}
	defer parts.operators.close()
	parts.ends = ends.New(db.Automations.Ended, ends.Options{Done: ctx.Done()})
	keys := accept.NewSourceKeys(accepting)
	limited := &accept.Limited{Accepting: failpoint.Accepting(batcher), Keys: keys, DB: accepting}
	events := acceptance{acceptor: tracedAcceptor{limited, traces}, db: accepting}
	source := hooks.New(hooks.Options{
		Waited:   parts.senders(events).Answer,
		Acceptor: events.acceptor, Ready: db.Ready, Keys: keys, Bodies: parts.bodies, Proxies: c.TrustedProxies.Value(),
		Log: log, BodyLimit: int64(c.HooksBodyLimit.Value()),
		RateLimit: edge.Rate{PerSecond: c.SourceRateLimit.Value()},
	})
	stop := maintenance.Start(ctx, log, parts.jobs()...)
	defer stop()
	answering := sites{delay: c.ShutdownDelay.Value(), log: log, all: []site{
		{listener: apiListener, handler: t.Counts().Host("api", parts.apiHost(ctx.Done(), source, events)), write: time.Minute},
		{listener: hooksListener, handler: t.Counts().Host("hooks", traces.Caller(source)), write: 30 * time.Second},
	}}
	if err := answering.serve(ctx, t, func() { started(); ready() }); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// served is what the API's host is made of.
type served struct {
	config.Serve
	db                  *postgres.DB
	box                 *secret.Box
	connector           *google.Connector
	bodies              *intake.Budget
	previews            *preview.Previewer
	publicURL, hooksURL string
	own                 outgoing.Hosts
	ends                *ends.Ends
	counts              *telemetry.Metrics
	operators           *operators // nil: their pages are not there
	log                 *slog.Logger
}

// acceptance takes events into the store.
type acceptance struct {
	acceptor tracedAcceptor
	db       *postgres.DB
}

// find says which automation an accepted event has.
func (a acceptance) find(ctx context.Context, event platen.SourceEvent) (platen.Accepted, error) {
	return accept.Find(ctx, a.db, event)
}

// senders answers those who wait for what becomes of their events.
func (s served) senders(accepting acceptance) api.Senders {
	return api.Senders{
		Find:        accepting.find,
		Automations: s.db.Automations, Ends: s.ends, PublicURL: s.publicURL,
	}
}

// api answers below /v0, and what else is for programs. maker makes what forms of previews
// ask for.
func (s served) api(maker console.Maker) http.Handler {
	previewKeys := s.box.DeriveAll("preview")
	return api.New(api.Options{
		Stores: api.Stores{
			Tokens: s.db.Tokens, Workflows: s.db.Workflows, Documents: s.db.Documents, Orphans: s.db.OrphanedTemplates, Versions: s.db.TemplateVersions,
			Webhooks: s.db.Webhooks, Receivers: s.db.Receivers, Endpoints: s.db.Endpoints,
			Automations: s.db.Automations, Batches: s.db.Batches, Outputs: s.db.Outputs, Mails: s.db.Mails, Targets: s.db.Targets, Senders: s.db.MailSenders, Schedules: s.db.Schedules, Reviews: s.db.Reviews, Events: s.db.Events, Audit: s.db.Audit, Sources: s.db.Sources, Forms: s.db.Forms, Numbers: s.db.Numbers, Usage: s.db.Usage,
		},
		Ready:     s.db.Ready,
		Drives:    func(ctx context.Context, userID string) (api.Drive, error) { return s.connector.Drive(ctx, userID) },
		PublicURL: s.publicURL,
		HooksURL:  s.hooksURL,
		Own:       s.own.Has,
		PreviewAddress: func(origin string, d platen.Document) string {
			return console.PreviewAddress(origin, previewKeys[0], d)
		},
		FormAddress:  console.FormAddress,
		Preview:      s.preview(previewKeys, maker),
		Sender:       s.tester(),
		TestTarget:   s.stores().Test,
		TestSender:   s.testSender,
		SSHSecret:    target.SecretProblem,
		Tags:         checkTags,
		Condition:    checkCondition,
		InvoiceMap:   checkInvoiceMap,
		InvoiceIn:    invoiceIn,
		MailHTML:     mailbody.Check,
		MailLinkKeys: s.box.DeriveAll(mailLinkPurpose),
		Bounces: api.Bounces{
			Key: s.SMTPBounceKey, AddressKeys: s.box.DeriveAll(bouncePurpose), Read: bounce.Read,
			Count: func(outcome api.BounceOutcome) { s.counts.Returned(string(outcome)) },
		},
		OrderKey:        checkKey,
		Templates:       s.previews,
		FileQuotas:      s.connector,
		BindPDFs:        func(to io.Writer, title string) api.BoundPDF { return protect.NewBinder(to, title) },
		PrivateReceiver: func(address string) bool { return outgoing.IsPrivate(address, s.AllowPrivate.Value()) },
		Mails:           s.SMTPFrom != "",
		Seals:           s.SealCertificateFile != "",
		RunURL:          runURL(s.Serve),
		Ends:            s.ends,
		Answers:         s.db.Idempotency,
		RateLimit:       edge.Rate{PerSecond: s.RateLimit.Value(), Burst: s.RateBurst.Value()},
		Unauthenticated: edge.Rate{PerSecond: s.UnauthenticatedLimit.Value(), Burst: 10 * s.UnauthenticatedLimit.Value()},
		EventLimit:      int64(s.HooksBodyLimit.Value()),
		Bodies:          s.bodies,
		Proxies:         s.proxies(),
		Log:             s.log,
	})
}

// tester sends test events. What receivers may be sent is for workers to know: here it
// is the default.
func (s served) tester() delivery.Sender {
	client := outgoing.NewClient(outgoing.Options{AllowPrivate: s.AllowPrivate.Value(), Own: append(ownPorts(s.Database, s.Observe), s.API, s.Hooks)})
	return delivery.Tester{Endpoints: s.db.Endpoints, Sender: delivery.NewHTTPSender(client, s.own), Breaker: delivery.DefaultBreaker()}
}

// previewer looks at templates; Google reads their pictures at this host.
func (s served) previewer() *preview.Previewer {
	picturesURL := ""
	if base, ok := strings.CutSuffix(strings.TrimRight(s.APIURL, "/"), "/v0"); ok {
		picturesURL = base + "/pictures"
	}
	direct, key := s.Kind() == platen.DrivePlaten, s.box.Derive(picturePurpose)
	return preview.New(preview.Options{
		Drives:       func(ctx context.Context, userID string) (preview.Drive, error) { return s.connector.Drive(ctx, userID) },
		Copies:       s.db.Previews,
		Quotas:       s.connector,
		Marker:       protect.Protector{},
		Appendices:   protect.Protector{},
		Pictures:     pictures(direct, picturesURL, s.PicturesPrivate.Value(), s.db.Pictures, key),
		FormPictures: formPictures(direct, picturesURL, s.db.Pictures, key),
		Include:      includes(s.Kind(), s.connector),
		Whole:        wholes(s.Kind(), s.connector),
		Location:     s.Location(),
	})
}

// pagesRate is how often the pages of one document are made for who looks at them.
var pagesRate = edge.Rate{PerSecond: 2, Burst: 20}

func (s served) preview(keys [][]byte, maker console.Maker) http.Handler {
	// Our own drive fills a template while somebody types; Google takes seconds.
	live := s.Kind() == platen.DrivePlaten
	rate := edge.Rate{PerSecond: 1, Burst: 5}
	if live {
		rate = edge.Rate{PerSecond: 3, Burst: 12}
	}
	return console.NewPreview(console.Options{
		Documents: s.db.Documents,
		Workflows: s.db.Workflows,
		Seen:      s.db.Sources,
		Drives:    func(ctx context.Context, userID string) (console.Drive, error) { return s.connector.Drive(ctx, userID) },
		Samples:   s.previews,
		// Of each document, as many as somebody causes who types and looks.
		Limit:      edge.NewLimiter(rate, nil).Take,
		PagesLimit: edge.NewLimiter(pagesRate, nil).Take,
		Keys:       keys,
		Maker:      maker,
		Live:       live,
		LinkDrive:  s.Kind() == platen.DriveGoogle, // our own drive's addresses are secret ones
		Log:        s.log,
	})
}

// checkCondition says why a condition cannot be read; empty: it can.
func checkCondition(when string) string {
	if wrong := lang.CheckCondition(when); wrong != nil {
		return wrong.Message
	}
	return ""
}

// checkInvoiceMap says what is wrong with the map of an e-invoice for its profile.
func checkInvoiceMap(profile platen.InvoiceProfile, object []byte) []platen.Fault {
	faults := billing.Check(profile, object)
	all := make([]platen.Fault, len(faults))
	for i, f := range faults {
		all[i] = platen.Fault{Pointer: f.Pointer, Message: f.Message}
	}
	return all
}

// invoiceIn reads the XML of the e-invoice in a PDF.
func invoiceIn(pdf []byte) ([]byte, error) {
	return protect.Embedded(pdf, platen.InvoiceFileNames()...)
}

// checkKey says why the formula of an order cannot be read; empty: it can.
func checkKey(formula string) string {
	if wrong := lang.CheckKey(formula); wrong != nil {
		return wrong.Message
	}
	return ""
}

func checkTags(texts, fields []string) []api.TagFinding {
	found := lang.MatchNames(texts, fields)
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
