package drive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/platenhq/platen/internal/admission"
	"github.com/platenhq/platen/internal/cache"
	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/intake"
	"github.com/platenhq/platen/internal/outage"
	"github.com/platenhq/platen/internal/peer"
	"github.com/platenhq/platen/internal/probe"
	"github.com/platenhq/platen/internal/render/pdf"
)

// Limits on request bodies, in bytes. A file may have MaxContent. JSON may
// write a character of a batch's texts in six bytes.
const (
	maxMetadata = 1 << 20
	maxBatch    = 32 << 20
)

// maxParameters bounds the parameters of a query, which are read before anybody
// knows whose request it is.
const maxParameters = 200

// maxExports bounds the exports that one Server keeps in memory, in bytes.
const maxExports = 16 << 20

// maxAnswers bounds the documents and presentations in JSON that one Server
// keeps in memory, in bytes.
const maxAnswers = 8 << 20

// Options are what a Server needs.
type Options struct {
	Store *store.Store
	// PublicURL is where the server is reached from outside, such as
	// https://drive.example.com: the links in file resources begin with it.
	PublicURL string
	// Bodies bounds the bytes of requests that are held at once; nothing does if
	// nil.
	Bodies *intake.Budget
	// Log gets what goes wrong on our side; slog.Default() if nil. It never
	// gets links, tokens or contents.
	Log *slog.Logger
	// Proxies are those that are trusted to say whom a request comes from; none is
	// if nil.
	Proxies peer.Proxies
	// ExportTimeout is how long a request waits for an export or for its turn
	// to work on an office file; 30 seconds if zero.
	ExportTimeout time.Duration
	// Fonts are used where a document asks for their family, and, in their order, for
	// characters that the embedded fonts lack.
	Fonts []Font
	// Exporter makes the PDFs; the drive's own layout if nil.
	Exporter Exporter
	// LinkLifetime is how long after a file was made its secret address opens it;
	// without end if zero.
	LinkLifetime time.Duration
	// Limits bound what each account asks of it; nothing does if zero.
	Limits Limits
	// Google has the drive behave like Google's where ours is kinder; it does not
	// if nil.
	Google *GoogleLike
	// Now is what the fields DATE and TIME of documents show; time.Now if nil.
	Now func() time.Time
}

// A Font is a font (.ttf, .otf) or a collection of some (.ttc).
type Font struct {
	Name string // of the file: for errors
	Data []byte
}

// Server answers the Drive, Docs and Slides protocols and the public
// addresses of files. Serve it at the root of its host: clients always send
// /upload/drive/v3/… there and ignore their endpoint's path.
type Server struct {
	store     *store.Store
	publicURL string
	bodies    *intake.Budget
	log       *slog.Logger
	proxies   peer.Proxies
	formats   formats
	exporter  Exporter // nil: our own layout
	timeout   time.Duration
	// exports keeps PDFs by content, title and type: they never go stale.
	exports *cache.Cache[export]
	// callers keeps whose good tokens are, for goodFor.
	callers *callers
	// answers keeps what documents and presentations say, in JSON.
	answers *cache.Cache[[]byte]
	// turns are those to work on an office file, and with them the database
	// connections that are held meanwhile.
	turns   *admission.Keyed // by account; "" are all who have no credentials
	limiter *limiter
	// decoded bounds what batches take when they are decoded.
	decoded *admission.Weighted
	google  *googleLike // nil: the drive is itself
	// linkLifetime is that of Options.
	linkLifetime time.Duration
	readiness    *probe.Probe
	mux          *http.ServeMux
}

// New returns a Server. Timeouts of connections and requests are the business
// of the http.Server around it.
func New(o Options) (*Server, error) {
	fonts := pdf.EmbeddedFonts()
	if len(o.Fonts) > 0 {
		more := make([]pdf.FontFile, len(o.Fonts))
		for i, f := range o.Fonts {
			more[i] = pdf.FontFile(f)
		}
		var err error
		if fonts, err = pdf.NewFontSet(more); err != nil {
			return nil, fmt.Errorf("drive: %w", err)
		}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return newServer(o, officeFormats(fonts, o.Google != nil, o.Now))
}

func newServer(o Options, f formats) (*Server, error) {
	public, err := url.Parse(o.PublicURL)
	if err != nil || public.Host == "" || public.Scheme != "http" && public.Scheme != "https" {
		return nil, fmt.Errorf("drive: the public address %q must be a URL such as https://drive.example.com", o.PublicURL)
	}
	s := &Server{
		store:     o.Store,
		publicURL: strings.TrimRight(o.PublicURL, "/"),
		bodies:    o.Bodies,
		decoded:   admission.NewWeighted(admission.Limits{Total: maxDecoding, Waiting: decodingWaits, Patience: decodingPatience}),
		log:       o.Log,
		proxies:   o.Proxies,
		formats:   f,
		exporter:  o.Exporter,

		linkLifetime: o.LinkLifetime,
		timeout:      o.ExportTimeout,
		exports:      cache.New(maxExports, export.size),
		answers:      cache.New(maxAnswers, func(b []byte) int { return len(b) }),
		callers:      newCallers(),
		limiter:      newLimiter(o.Limits),
		readiness:    probe.New(o.Store.CheckSchema),
		mux:          http.NewServeMux(),
	}
	if o.Google != nil {
		s.google = newGoogleLike(*o.Google)
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	if s.timeout == 0 {
		s.timeout = 30 * time.Second
	}
	s.turns = admission.NewKeyed(admission.Places{Total: 2 * runtime.GOMAXPROCS(0), Patience: s.timeout})
	s.routes()
	return s, nil
}

// handler answers one method for a known user. An error is written by serve.
type handler func(w http.ResponseWriter, r *http.Request, user store.User) error

func (s *Server) routes() {
	for pattern, h := range map[string]handler{
		"GET /drive/v3/about":                     s.about,
		"GET /drive/v3/files":                     s.listFiles,
		"POST /drive/v3/files":                    s.createFile,
		"GET /drive/v3/files/generateIds":         s.generateIDs,
		"DELETE /drive/v3/files/trash":            s.emptyTrash,
		"GET /drive/v3/files/{id}":                s.getFile,
		"PATCH /drive/v3/files/{id}":              s.updateFile,
		"DELETE /drive/v3/files/{id}":             s.deleteFile,
		"POST /drive/v3/files/{id}/copy":          s.copyFile,
		"GET /drive/v3/files/{id}/export":         s.exportFile,
		"GET /download/drive/v3/files/{id}":       s.getFile,
		"POST /drive/v3/files/{id}/download":      s.downloadFile,
		"GET /drive/v3/operations/{name}":         s.getOperation,
		"GET /drive/v3/files/{id}/permissions":    s.listPermissions,
		"POST /drive/v3/files/{id}/permissions":   s.createPermission,
		"GET /drive/v3/drives":                    s.listDrives,
		"GET /drive/v3/changes":                   s.listChanges,
		"GET /drive/v3/changes/startPageToken":    s.getStartPageToken,
		"POST /v1/documents":                      s.createDocument,
		"GET /v1/documents/{id}":                  s.getDocument,
		"POST /v1/documents/{call}":               s.callDocument,
		"POST /v1/presentations":                  s.createPresentation,
		"GET /v1/presentations/{id}":              s.getPresentation,
		"POST /v1/presentations/{call}":           s.callPresentation,
		"GET /v1/presentations/{id}/pages/{page}": s.getPage,
	} {
		s.mux.HandleFunc(pattern, s.serve(s.authenticate(h)))
	}
	const permission = " /drive/v3/files/{id}/permissions/{permission}"
	s.mux.HandleFunc("GET"+permission, s.serve(s.authenticate(s.getPermission)))
	s.mux.HandleFunc("PATCH"+permission, s.serve(s.authenticate(s.updatePermission)))
	s.mux.HandleFunc("DELETE"+permission, s.serve(s.authenticate(s.deletePermission)))
	// Newer clients know resumable uploads under a path of their own.
	for _, prefix := range []string{"", "/resumable"} {
		path := prefix + "/upload/drive/v3/files"
		s.mux.HandleFunc("POST "+path, s.serve(s.upload))
		s.mux.HandleFunc("PUT "+path, s.serve(s.upload))
		s.mux.HandleFunc("DELETE "+path, s.serve(s.upload))
		s.mux.HandleFunc("POST "+path+"/{id}", s.serve(s.upload))
		s.mux.HandleFunc("PUT "+path+"/{id}", s.serve(s.upload))
		s.mux.HandleFunc("PATCH "+path+"/{id}", s.serve(s.upload))
	}
	// The other two are where Google's older clients ask.
	for _, path := range []string{"/token", "/oauth2/v4/token", "/o/oauth2/token"} {
		s.mux.HandleFunc("POST "+path, s.serve(s.token))
	}
	s.mux.HandleFunc("POST /revoke", s.serve(s.revoke))
	s.mux.HandleFunc("GET /d/{key}", s.serve(s.open))
	s.mux.HandleFunc("GET /open", s.serve(s.open))
	s.mux.HandleFunc("GET /pictures/{content}/{part...}", s.serve(s.getPicture))
	s.mux.HandleFunc("GET /healthz", healthz)
	s.mux.HandleFunc("GET /readyz", s.readyz)
	s.mux.HandleFunc("GET /{$}", home)
	// Its path would else be that of a file.
	s.mux.HandleFunc("GET /drive/v3/files/generateCseToken", s.serve(func(_ http.ResponseWriter, r *http.Request) error { return notServed(r) }))
	s.mux.HandleFunc("/", s.serve(func(_ http.ResponseWriter, r *http.Request) error { return notServed(r) }))
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// serve is the one place that writes errors.
func (s *Server) serve(h func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(to http.ResponseWriter, r *http.Request) {
		w := &statusWriter{ResponseWriter: to}
		ctx, a := withAccess(r.Context())
		s.answer(ctx, h, w, r)
		s.logAccess(r, a, w.answered())
	}
}

func (s *Server) answer(ctx context.Context, h func(http.ResponseWriter, *http.Request) error, w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "private, no-store")
	holding := s.bodies.Hold()
	defer holding.Release()
	err := s.guard(h, w, r.WithContext(intake.With(ctx, holding)))
	if err == nil {
		return
	}
	var f *fault.Error
	if !errors.As(err, &f) {
		// Of the path the pattern alone is logged: a key may stand in it.
		switch {
		case r.Context().Err() != nil:
			// The client is gone, or we are going: it must not take an
			// empty answer for success.
			f = unavailable("The request was interrupted; try again.")
		case outage.OfPostgres(err):
			s.log.WarnContext(r.Context(), "the drive's database does not answer", "route", r.Pattern, "error", err)
			f = unavailable("The drive's database does not answer; try again.")
		case errors.As(err, new(*pgconn.ConnectError)):
			// Somebody has to mend this here. No document is the cause.
			s.log.ErrorContext(r.Context(), "the drive's database refuses its login", "route", r.Pattern, "error", err)
			f = unavailable("The drive's database does not answer; try again.")
		default:
			s.log.ErrorContext(r.Context(), "drive request failed", "route", r.Pattern, "error", err)
			f = internalError()
		}
	}
	switch f.Code {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="drive"`)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
	}
	writeJSON(w, f.Code, faultBody(f, r.URL.Path))
}

// guard turns a panic over one office file into a failed request. The value of
// the panic stays out of the log: it may quote the file.
func (s *Server) guard(h func(http.ResponseWriter, *http.Request) error, w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			err = panicError(p)
		}
	}()
	if strings.Count(r.URL.RawQuery, "&") >= maxParameters {
		return fault.BadRequest("badRequest", "The query may have at most %d parameters.", maxParameters)
	}
	return h(w, r)
}

// panicError is the error for the log that a recovered panic becomes: with its
// place, and without its text unless the runtime wrote it, because the text of a
// document may stand there.
func panicError(p any) error {
	if fault, ok := p.(runtime.Error); ok {
		return fmt.Errorf("panic: %w\n%s", fault, debug.Stack())
	}
	return fmt.Errorf("panic: a %T\n%s", p, debug.Stack())
}

func (s *Server) authenticate(h handler) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		user, err := s.caller(r)
		if err != nil {
			return err
		}
		leave, err := s.enter(r, user.ID)
		if err != nil {
			return err
		}
		defer leave()
		if s.google != nil {
			return s.google.call(w, r, user, h)
		}
		return h(w, r, user)
	}
}

// enter counts the request for the account whose it is.
func (s *Server) enter(r *http.Request, account string) (leave func(), err error) {
	intake.Of(r.Context()).Authenticate(account)
	accessOf(r.Context()).account = account
	return s.limiter.enter(account, r)
}

// caller says whose bearer token the request carries.
func (s *Server) caller(r *http.Request) (store.User, error) {
	f := &fault.Error{Code: http.StatusUnauthorized, Status: "UNAUTHENTICATED", Reason: "required",
		Message: "Login Required. Send a token of this drive in the header Authorization: Bearer …"}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return store.User{}, f.At("header", "Authorization")
	}
	token = strings.TrimSpace(token)
	user, err := s.callers.user(r.Context(), token, s.store.UserByToken)
	if err == nil {
		a := accessOf(r.Context())
		a.user, a.token = user.ID, tokenID(token)
	}
	if errors.Is(err, store.ErrNotFound) {
		f.Reason, f.Message = "authError", "Invalid Credentials: the token is unknown or was revoked."
		return store.User{}, f.At("header", "Authorization")
	}
	return user, err
}

// slot waits for a turn to work on an office file.
func (s *Server) slot(ctx context.Context) (release func(), err error) {
	release, err = s.turns.Take(ctx, accessOf(ctx).account)
	if errors.Is(err, admission.ErrFull) {
		return nil, unavailable("The drive is busy; try again.")
	}
	return release, err
}

func writeJSON(w http.ResponseWriter, code int, body any) error {
	answer, err := encode(body)
	if err != nil {
		return err
	}
	writeAnswer(w, code, answer)
	return nil
}

func encode(body any) ([]byte, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return append(raw, '\n'), nil
}

func writeAnswer(w http.ResponseWriter, code int, answer []byte) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(code)
	// A client that is gone is not our error.
	_, _ = w.Write(answer)
}
