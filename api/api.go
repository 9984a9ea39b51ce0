// Package api is the /v0 REST edge (specification, sections 2 to 7). It has
// routes, credentials, bodies, validation, wire types, and the calls that a
// request makes to the store and to the caller's drive.
//
// It knows the domain and the interfaces in stores.go. SQL, drive protocols and
// Temporal do not belong here, nor does what happens to a source event after it
// was accepted. The source webhook's host is package hooks.
package api

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/admission"
	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/intake"
	"github.com/platenhq/platen/internal/peer"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/probe"
)

// Options are what New needs. Stores, Ready, Drives, PublicURL, HooksURL, PreviewAddress
// and BindPDFs are required.
type Options struct {
	Stores Stores
	// Ready answers nil when the database does and fits this program. KindInvalid
	// says in its message what does not fit.
	Ready  func(ctx context.Context) error
	Drives Drives
	// PublicURL is the base of the API as clients see it; it ends in /v0.
	PublicURL string
	// HooksURL is the base of source addresses: a source's is HooksURL/<key>.
	HooksURL string
	// Own tells whether an address leads to this installation: no outgoing
	// webhook may. Default: none does.
	Own func(address string) bool
	// PreviewAddress is where Preview shows a document, at the origin of the API.
	PreviewAddress func(origin string, d platen.Document) string
	// FormAddress is where a public form is, at the origin of the API. Default: below /forms/.
	FormAddress func(origin string, f platen.PublicForm) string
	// Preview serves /preview/, outside /v0 and without credentials.
	// Default: nothing is there.
	Preview http.Handler
	// Sender sends the test events of outgoing webhooks; Tags and Templates
	// check and preview templates. Without them those answer 503.
	Sender delivery.Sender
	// TestTarget stores a small file at a target and removes it. Default: targets answer 503.
	TestTarget func(ctx context.Context, t platen.Target) platen.TargetTest
	// TestSender has the server of a mail sender take a mail for somebody; a *platen.Error says
	// why it did not. Default: senders answer 503.
	TestSender func(ctx context.Context, s platen.MailSender, to string) error
	// SSHSecret says what is wrong with the secret of a target of SFTP, behind its name.
	// Default: nothing is.
	SSHSecret func(secret string) string
	Tags      TagCheck
	Templates Templates
	// FileQuotas counts what reading files of outputs uses of a drive. Default: nothing does.
	FileQuotas FileQuotas
	// Mails: this installation has a mail server. Default: only documents that name a mail sender
	// may have their outputs sent by mail.
	Mails bool
	// Seals says whether this installation has a certificate to seal PDFs with. Else no document may
	// ask for a seal.
	Seals bool
	// Ends lets requests wait for the end of an automation. Default: none waits.
	Ends Ends
	// Condition says why a condition cannot be read; empty: it can. Default: none is checked.
	Condition func(when string) string
	// InvoiceMap says what is wrong with the map of an e-invoice for its profile; pointers are
	// from the map. Default: none is checked.
	InvoiceMap func(profile platen.InvoiceProfile, object []byte) []platen.Fault
	// InvoiceIn reads the XML of the e-invoice in a PDF. Default: no PDF has one.
	InvoiceIn func(pdf []byte) ([]byte, error)
	// MailHTML says what a template of HTML has that mails may not have; empty: nothing.
	// Default: none is checked.
	MailHTML func(template string) string
	// MailLinkKeys sign the links of mails, and those before: platen.MailLink. Default: none
	// opens.
	MailLinkKeys [][]byte
	// Bounces take messages about mails that came back. Default: none are taken.
	Bounces Bounces
	// OrderKey says why the formula of an order cannot be read; empty: it can. Default: none
	// is checked.
	OrderKey func(formula string) string
	// RunURL is the address under which Temporal's UI shows the run of an
	// automation, which follows it. Empty: automations have no link.
	RunURL string
	// DriveTimeout bounds all drive calls of one request together. Default: 20 s.
	DriveTimeout time.Duration
	// Answers keeps the answers to requests with an Idempotency-Key. Default:
	// nothing does, and the header has no effect.
	Answers Answers
	// KeyWait is how long a repeat waits for the first request to end. Default: 2 s.
	KeyWait time.Duration
	// RateLimit bounds the requests of each token. Default: no limit.
	RateLimit edge.Rate
	// Unauthenticated bounds the 401 answers to each address for unknown, expired or
	// revoked tokens; above it the answer is 429. Default: no limit.
	Unauthenticated edge.Rate
	// PreviewRate bounds the previews of each user. Default: one in a second,
	// ten at once after a pause.
	PreviewRate edge.Rate
	// FindingsTimeout bounds the check of a new or changed template, which the answer
	// waits for. Default: 3 s.
	FindingsTimeout time.Duration
	// FindingsRate bounds those checks of each user: one costs a read of the drive.
	// Default: one in a second, ten at once after a pause.
	FindingsRate edge.Rate
	// PrivateReceiver tells of an address that nothing is delivered to, because it names
	// a private network. Default: of none.
	PrivateReceiver func(address string) bool
	// BindPDFs begins one PDF out of many.
	BindPDFs func(to io.Writer, title string) BoundPDF
	// EventLimit is the longest row of a batch, in bytes, as of a source event. Default: 1 MiB.
	EventLimit int64
	// Bodies bounds the bytes of requests that are held at once. Default: nothing does.
	Bodies *intake.Budget
	// Proxies are those that are trusted to say whom a request comes from.
	// Default: none is.
	Proxies peer.Proxies
	// Log gets one line for each request. Default: slog.Default().
	Log *slog.Logger
	// Now is the clock of createdAt and updatedAt, and of the limits. Default: time.Now.
	Now func() time.Time
}

type server struct {
	Stores
	drives       Drives
	origin       string // PublicURL without /v0
	hooksURL     string
	own          func(address string) bool
	previewAt    func(origin string, d platen.Document) string
	formAt       func(origin string, f platen.PublicForm) string
	sender       delivery.Sender
	testAt       func(ctx context.Context, t platen.Target) platen.TargetTest
	testBy       func(ctx context.Context, s platen.MailSender, to string) error
	tags         TagCheck
	templates    Templates
	mails        bool
	seals        bool
	runURL       string
	ends         Ends
	condition    func(when string) string
	sshSecret    func(secret string) string
	invoiceMap   func(profile platen.InvoiceProfile, object []byte) []platen.Fault
	invoiceIn    func(pdf []byte) ([]byte, error)
	mailHTML     func(template string) string
	linkKeys     [][]byte
	bounces      Bounces
	mailed       *edge.Limiter // by mail
	orderKey     func(formula string) string
	driveTimeout time.Duration
	answers      Answers
	keyWait      time.Duration
	limiter      *edge.Limiter
	previews     *edge.Limiter
	outputReads  *edge.Limiter
	zips         *edge.Limiter
	bind         func(to io.Writer, title string) BoundPDF
	boundPDFs    *admission.Keyed // by caller
	bindTurns    *admission.Keyed // by caller
	outputFiles  outputFiles
	checks       *edge.Limiter // of what was made or changed
	checkTimeout time.Duration
	private      func(address string) bool
	refusals     *edge.Limiter // of unauthenticated callers, by address
	proxies      peer.Proxies
	contract     contract
	readiness    *probe.Probe
	eventLimit   int64
	log          *slog.Logger
	clock        func() time.Time
}

// New returns the handler of the API's host: /v0, /preview/, /mailed/, /bounces, its contract
// at /openapi.json and /docs/contract, /healthz and /readyz.
func New(o Options) http.Handler {
	s := &server{
		Stores:       o.Stores,
		drives:       o.Drives,
		origin:       strings.TrimSuffix(strings.TrimRight(o.PublicURL, "/"), "/v0"),
		hooksURL:     strings.TrimRight(o.HooksURL, "/"),
		own:          o.Own,
		previewAt:    o.PreviewAddress,
		formAt:       o.FormAddress,
		sender:       o.Sender,
		testAt:       o.TestTarget,
		testBy:       o.TestSender,
		sshSecret:    o.SSHSecret,
		tags:         o.Tags,
		templates:    o.Templates,
		previews:     edge.NewLimiter(cmp.Or(o.PreviewRate, defaultPreviewRate), o.Now),
		outputReads:  edge.NewLimiter(outputFileRate, o.Now),
		zips:         edge.NewLimiter(zipRate, o.Now),
		bind:         o.BindPDFs,
		boundPDFs:    admission.NewKeyed(boundPDFs),
		bindTurns:    admission.NewKeyed(bindTurns),
		outputFiles:  outputFiles{drives: o.Drives, quotas: o.FileQuotas, turns: admission.NewKeyed(fileTurns)},
		checks:       edge.NewLimiter(cmp.Or(o.FindingsRate, defaultFindingsRate), o.Now),
		checkTimeout: cmp.Or(o.FindingsTimeout, defaultFindingsTimeout),
		private:      o.PrivateReceiver,
		mails:        o.Mails,
		seals:        o.Seals,
		runURL:       o.RunURL,
		ends:         o.Ends,
		condition:    o.Condition,
		invoiceMap:   o.InvoiceMap,
		invoiceIn:    o.InvoiceIn,
		mailHTML:     o.MailHTML,
		linkKeys:     o.MailLinkKeys,
		bounces:      o.Bounces,
		mailed:       edge.NewLimiter(mailedRate, o.Now),
		orderKey:     o.OrderKey,
		driveTimeout: o.DriveTimeout,
		answers:      o.Answers,
		keyWait:      cmp.Or(o.KeyWait, defaultKeyWait),
		limiter:      edge.NewLimiter(o.RateLimit, o.Now),
		refusals:     edge.NewLimiter(o.Unauthenticated, o.Now),
		proxies:      o.Proxies,
		readiness:    probe.New(o.Ready),
		eventLimit:   cmp.Or(o.EventLimit, 1<<20),
		log:          o.Log,
		clock:        o.Now,
	}
	s.contract = newContract(strings.TrimRight(o.PublicURL, "/"), s.origin, s.hooksURL)
	if s.driveTimeout == 0 {
		s.driveTimeout = 20 * time.Second
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	if s.formAt == nil {
		s.formAt = func(origin string, f platen.PublicForm) string { return origin + "/forms/" + f.Key }
	}
	if s.own == nil {
		s.own = func(string) bool { return false }
	}
	if s.private == nil {
		s.private = func(string) bool { return false }
	}
	if s.clock == nil {
		s.clock = time.Now
	}
	return edge.Handler(s.log, o.Bodies, s.helpful(dispatch(s.routes(o.Preview))))
}

// Memory in bytes to read and fill the form of a preview page: a few times its length,
// at most that of a form of 4 MiB, which stands for unknown lengths.
const (
	previewForm    = 2 << 20
	previewLongest = 16 << 20
)

func previewRoom(r *http.Request) int64 {
	if r.ContentLength < 0 {
		return previewLongest
	}
	return min(previewForm+4*r.ContentLength, previewLongest)
}

// now is cut to what a timestamp on the wire holds, so that the answer to a
// creation and a later read agree.
func (s *server) now() time.Time { return s.clock().UTC().Truncate(time.Microsecond) }

func (s *server) routes(preview http.Handler) *mux.Router {
	// Cleaning a path redirects, and a redirected POST loses its body.
	root := mux.NewRouter().SkipClean(true)
	handle := func(pattern string, res resource) {
		root.Handle(pattern+"{slash:/?}", carryError(func(w http.ResponseWriter, r *http.Request) error {
			edge.Note(r.Context(), slog.String("route", pattern))
			return res.serve(w, r)
		}))
	}
	handle("/healthz", resource{http.MethodGet: serveLiveness})
	handle("/readyz", resource{http.MethodGet: s.serveReadiness})
	handle("/openapi.json", contractResource(s.contract.serveJSON))
	handle("/docs/contract", contractResource(s.contract.servePage))
	if s.bounces.Key != "" {
		handle(bouncesPath, resource{http.MethodPost: s.takeBounce})
	}
	root.PathPrefix(platen.MailLinkPath).Handler(carryError(func(w http.ResponseWriter, r *http.Request) error {
		edge.Note(r.Context(), slog.String("route", platen.MailLinkPath))
		s.serveMailed(w, r)
		return nil
	}))
	if preview != nil {
		root.PathPrefix("/preview/").Handler(carryError(func(w http.ResponseWriter, r *http.Request) error {
			edge.Note(r.Context(), slog.String("route", "/preview/"))
			if r.Method == http.MethodPost {
				if err := edge.Reserve(r.Context(), previewRoom(r)); err != nil {
					return err
				}
			}
			preview.ServeHTTP(w, r)
			return nil
		}))
	}

	s.v0Routes(func(pattern string, routes ...route) {
		handle("/v0"+pattern, s.authenticate(pattern, routes))
	})
	// Under /v0 a request without credentials is refused first, also for unknown paths.
	root.Handle("/v0{rest:(?s:/.*)?}", carryError(s.withUser(answerNotFound)))
	root.NotFoundHandler = carryError(answerNotFound)
	return root
}

func answerNotFound(http.ResponseWriter, *http.Request) error {
	return platen.Errorf(platen.KindNotFound, "path_not_found", "There is nothing at this path.")
}

// A resource is what is at one path: a handler for each method.
type resource map[string]edge.HandlerFunc

var methodOrder = [...]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

func (res resource) allow() string {
	var methods []string
	for _, m := range methodOrder {
		if res[m] == nil {
			continue
		}
		methods = append(methods, m)
		if m == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	return strings.Join(append(methods, http.MethodOptions), ", ")
}

func (res resource) serve(w http.ResponseWriter, r *http.Request) error {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet // the server leaves the body out
	}
	if h := res[method]; h != nil {
		return h(w, r)
	}
	if method == http.MethodOptions {
		w.Header().Set("Allow", res.allow())
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return res.refuse(w, r)
}

// anyOtherMethod is the key of the handler that answers what no other does.
const anyOtherMethod = "*"

func (res resource) refuse(w http.ResponseWriter, r *http.Request) error {
	if h := res[anyOtherMethod]; h != nil {
		return h(w, r)
	}
	return edge.MethodNotAllowed(res.allow(), "This path does not know this method. It knows "+res.allow()+".")
}

// mux hands requests to an http.Handler, which returns nothing: the error
// travels back to the one place that writes errors in the request's context.

type errorKey struct{}

func dispatch(router *mux.Router) edge.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		var err error
		router.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), errorKey{}, &err)))
		return err
	}
}

// helpful has each error lead to what the docs say of its code (RFC 8288, and the relation
// help of HTML).
func (s *server) helpful(next edge.HandlerFunc) edge.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := next(w, r)
		if err != nil {
			w.Header().Add("Link", "<"+s.origin+"/docs/errors#"+edge.Code(r, err)+`>; rel="help"`)
		}
		return err
	}
}

func carryError(h edge.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if to, ok := r.Context().Value(errorKey{}).(*error); ok {
			*to = err
		}
	})
}
