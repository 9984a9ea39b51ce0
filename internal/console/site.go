package console

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"html/template"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/admission"
	"github.com/platenhq/platen/internal/cache"
	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/inside"
	"github.com/platenhq/platen/internal/platen"
)

//go:embed site/*.html
var siteFiles embed.FS

// consolePath is above every page but the first, which is at "/".
const consolePath = "/console/"

// SiteOptions are what NewSite needs. API, Sealer, PublicURL and Done are required.
type SiteOptions struct {
	// API serves /v0: pages show only what it answers to the signed-in user's token.
	API http.Handler
	// Hooks takes events of sources; events that a page sends again go there. Nil: none
	// can be.
	Hooks http.Handler
	// Sealer encrypts the content of cookies.
	Sealer Sealer
	// PublicURL is the origin of the host as browsers see it, and what stands in
	// front of its paths.
	PublicURL string
	// Provider is an additional way to sign in, beside access tokens; nil: there is
	// none. Users finds the accounts of its users.
	Provider     Provider
	ProviderName string // as the button calls it
	Users        Users
	// ProviderLimit limits callbacks from the provider, by address; it returns an error
	// above the limit. Default: no limit.
	ProviderLimit func(h http.Header, r *http.Request) error
	// Operators serves the pages of operators; nil: there are no such pages.
	Operators Operators
	// OperatorLimit limits an operator's requests; it returns an error above the limit.
	// Default: no limit beside that of /v0.
	OperatorLimit func(h http.Header, key [32]byte) error
	// PagesLimit limits how often somebody has the pages of a document's versions made; it
	// returns an error above the limit. Default: no limit.
	PagesLimit func(h http.Header, key [32]byte) error
	// Audit keeps who signed in there and who sent events from pages, and Client says from
	// where. Default: nobody does.
	Audit  Audit
	Client func(r *http.Request) netip.Addr
	// OwnDrive says that files are in Platen's own drive, at whose addresses a browser sees
	// a PDF of a document. At Google's it opens the editor.
	OwnDrive bool
	// HasDrive tells whether a drive is connected for a user. Nil: it is.
	HasDrive func(ctx context.Context, userID string) (bool, error)
	// Pages makes a PDF of an office file of a template, in the drive of its owner; read is
	// called once there is room for it. Nil: versions are not compared.
	Pages func(ctx context.Context, ownerID string, read func(context.Context) (platen.DocumentType, []byte, error)) ([]byte, error)
	// Mails says that outputs can be sent by mail.
	Mails bool
	// Seals says that PDFs can be sealed.
	Seals bool
	// Done ends the streams of open pages.
	Done <-chan struct{}
	// Poll is how often a stream looks for changes. Default: 3 s.
	Poll time.Duration
	// Streams is how many pages may be live at once, and StreamsEach how many of one
	// token. Others look for changes each fifteen seconds. Default: 200, 6.
	Streams, StreamsEach int
	// Log hears of pages that could not be shown. Default: slog.Default().
	Log *slog.Logger
	// Now is the clock of sessions. Default: time.Now.
	Now func() time.Time
}

// A Site answers with its pages: at /, and at and below /console.
type Site struct {
	pages http.Handler
	of    *site
}

func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.pages.ServeHTTP(w, r) }

type site struct {
	SiteOptions
	base      string // in front of every path
	secure    bool
	templates map[string]func() inLanguage // by language, made when they are first asked for
	assets    assets
	streams   *admission.Keyed // open ones, by session
	uploads   chan struct{}
	routes    *http.ServeMux
	// protection refuses forms of other pages.
	protection *http.CrossOriginProtection
	checks     *cache.Cache[keptCheck] // by workflow
}

// maxSchemaBytes is what the data that templates ask for may take in memory.
const maxSchemaBytes = 1 << 20

// NewSite returns the console: what was made, and why something failed.
func NewSite(o SiteOptions) *Site {
	if o.Poll == 0 {
		o.Poll = 3 * time.Second
	}
	if o.Streams == 0 {
		o.Streams = 200
	}
	if o.StreamsEach == 0 {
		o.StreamsEach = 6
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	public, err := url.Parse(o.PublicURL)
	if err != nil {
		public = &url.URL{}
	}
	s := &site{SiteOptions: o, base: strings.TrimRight(public.EscapedPath(), "/"), secure: public.Scheme == "https", streams: admission.NewKeyed(admission.Places{Total: o.Streams, PerKey: o.StreamsEach}), uploads: make(chan struct{}, uploads), checks: cache.New(maxSchemaBytes, keptCheck.size)}
	s.assets = readAssets()
	s.templates = map[string]func() inLanguage{}
	for _, language := range catalog.Languages() {
		s.templates[language] = sync.OnceValue(func() inLanguage { return s.parse(catalog.In(language)) })
	}
	s.routes = s.route()
	protection := http.NewCrossOriginProtection()
	// A proxy may show another host than browsers see.
	if public.Host != "" {
		_ = protection.AddTrustedOrigin(public.Scheme + "://" + public.Host) // it is one
	}
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in := s.in(r)
		s.writeFailure(w, r, nil, http.StatusForbidden, in.Text("This came from another page"),
			errorPageOfSite{Text: own(in.Text("The form was not sent from the console.")), Cure: in.Text("Open the page in the console and use its own button.")})
	}))
	s.protection = protection
	return &Site{pages: s.headers(protection.Handler(s.routes)), of: s}
}

func (s *site) headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		keepPrivate(h, "same-origin") // addresses name what is the user's business
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

func (s *site) route() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page("home", s.home))
	// The shortened address of a page leads to the first page.
	mux.HandleFunc("GET /console", s.toFirst)
	mux.HandleFunc("GET /console/{$}", s.toFirst)
	mux.HandleFunc("GET "+signInPath, s.signIn)
	mux.HandleFunc("POST "+signInPath, s.signIn)
	if s.Provider != nil {
		mux.HandleFunc("GET "+providerPath, s.askProvider)
		mux.HandleFunc("GET "+ProviderCallback, s.fromProvider)
	}
	mux.HandleFunc("POST "+signOutPath, s.signOut)
	mux.HandleFunc("POST "+languagePath, s.chooseLanguage)
	mux.HandleFunc("GET "+livePath, s.live)
	mux.HandleFunc("GET /console/assets/{name}", s.asset)
	mux.HandleFunc("GET /console/workflows/{$}", s.page("workflows", s.workflows))
	mux.HandleFunc("GET "+findPath, s.page("find", s.find))
	const one = "/console/workflows/{workflow}/"
	s.routeTabs(mux, one)
	s.routeForms(mux, one)
	s.routeExamples(mux)
	s.routeSeries(mux)
	s.routeSenders(mux)
	s.routeVersions(mux, one)
	s.routeInvoices(mux, one)
	s.routeBatches(mux, one)
	mux.HandleFunc("GET "+one+"outputs/{$}", s.page("outputs", s.outputs))
	mux.HandleFunc("GET "+one+"outputs/zip", s.zip())
	mux.HandleFunc("GET "+one+"outputs/{output}/pdf", s.file(func(r request) string { return r.workflowPath() + "/outputs/" + r.PathValue("output") + "/pdf/" }))
	mux.HandleFunc("GET "+one+"outputs/{output}/einvoice", s.file(func(r request) string { return r.workflowPath() + "/outputs/" + r.PathValue("output") + "/einvoice/" }))
	mux.HandleFunc("GET "+one+"events/{$}", s.page("events", s.events))
	mux.HandleFunc("POST "+one+"events/recover", s.page("events", s.recoverFailed))
	mux.HandleFunc("POST "+one+"events/{event}/redeliver", s.change(s.redeliverOne))
	mux.HandleFunc("GET "+one+"runs/{$}", s.page("runs", s.runs))
	mux.HandleFunc("GET "+one+"runs/{automation}/{$}", s.page("run", s.run))
	mux.HandleFunc("POST "+one+"runs/{automation}/{verb}", s.change(s.changeRun))
	if s.Hooks != nil {
		mux.HandleFunc("POST "+one+"runs/{automation}/again", s.page("run", s.sendAgain))
	}
	mux.HandleFunc("POST "+one+"runs/{automation}/events/{event}/redeliver", s.change(s.redeliver))
	mux.HandleFunc("POST "+one+"runs/{automation}/outputs/{output}/approve", s.change(s.approveOutput))
	mux.HandleFunc("POST "+one+"runs/{automation}/outputs/{output}/reject", s.change(s.rejectOutput))
	mux.HandleFunc("POST "+one+"runs/{automation}/outputs/{output}/correct", s.change(s.correctOutput))
	mux.HandleFunc("POST "+one+"runs/{automation}/outputs/{output}/mail", s.change(s.mailAgain))
	mux.HandleFunc("POST "+one+"runs/{automation}/outputs/{output}/mail/revoke", s.change(s.revokeLinks))
	mux.HandleFunc("POST "+one+"runs/{automation}/outputs/{output}/targets/{target}", s.change(s.storeAgain))
	s.routeOperators(mux)
	mux.HandleFunc("/", s.noPage)
	return mux
}

// noPage leads from the address of a form to the page that is above it: a page that says
// why a form was refused stands there, and may be loaded again. Other addresses have none.
func (s *site) noPage(w http.ResponseWriter, r *http.Request) {
	if at := s.pageAbove(r); at != "" {
		http.Redirect(w, r, s.base+at, http.StatusSeeOther)
		return
	}
	s.fail(w, r, errNoPage)
}

// pageAbove is the page above the address of a form that somebody opens; empty: it is no
// such address.
func (s *site) pageAbove(r *http.Request) string {
	at := r.URL.EscapedPath()
	isForm := r.Method == http.MethodGet && s.answers(http.MethodPost, at)
	for isForm && at != "/" {
		at = at[:strings.LastIndexByte(strings.TrimSuffix(at, "/"), '/')+1]
		if s.answers(http.MethodGet, at) {
			return at
		}
	}
	return ""
}

// answers tells whether there is something at a path for requests with this method.
func (s *site) answers(method, path string) bool {
	_, pattern := s.routes.Handler(&http.Request{Method: method, URL: &url.URL{Path: path}})
	return pattern != "/" && pattern != operatorPath
}

func (s *site) toFirst(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, s.base+"/", http.StatusSeeOther)
}

var errNoPage = &pageError{Status: http.StatusNotFound, Title: say("There is no such page"), Detail: say("The address is not complete, or what it showed is not yours or not there any more.")}

// A request is one that came with a session.
type request struct {
	*http.Request
	catalog.Printer // of the language of the page
	caller          inside.Caller
	api             *client.Client // of caller
	session         session
	file            *formFile // of its form; nil: none was chosen
	me              client.Me
	checks          *cache.Cache[keptCheck]
	// operator tells whether the pages of operators are there.
	operator bool
}

func (r request) workflowID() string { return r.PathValue("workflow") }

func (r request) runID() string { return r.PathValue("automation") }

// workflowPath is below /v0 and below /console.
func (r request) workflowPath() string { return "/workflows/" + r.PathValue("workflow") }

// A view is what a template shows.
type view struct {
	Base  string // in front of every path
	Here  string // the path of the page below it
	At    string // the name of its template
	Live  string // what the page watches, empty when nothing
	Title string
	Me    *client.Me // nil: nobody signed in, or nobody knows who
	// SignedIn says that the browser has a session, also where Me cannot be known.
	SignedIn bool
	// Operator tells whether the pages of operators are there.
	Operator bool
	// Foreign: the page is in English, and what stands around it in another language.
	Foreign bool
	Page    any
	// Crumbs are the pages above this one, and Frame what stands around it; nil: nobody signed in.
	Crumbs []crumb
	Frame  *frame
	// workflows are all that somebody sees, where the page has read them; nil: it has not.
	workflows []client.Workflow
	// status is that of the answer; zero: 200.
	status int
	// to is where the page is elsewhere; empty: here.
	to string
	// name is that of another template than the address has; empty: that one.
	name string
}

// ids are the path values that must have the form of an id: what has none is a page
// that is not there, and reaches no path of /v0.
var ids = map[string]string{
	"workflow": platen.PrefixWorkflow, "document": platen.PrefixDocument, "automation": platen.PrefixAutomation, "event": platen.PrefixEvent, "output": platen.PrefixOutput, "version": platen.PrefixVersion, "batch": platen.PrefixBatch, "target": platen.PrefixTarget, "receiver": platen.PrefixReceiver, "schedule": platen.PrefixSchedule, "sender": platen.PrefixSender,
	"user": platen.PrefixUser, "team": platen.PrefixTeam, "token": platen.PrefixToken,
}

// begin finds out who asks; ok is false when the request was answered.
func (s *site) begin(w http.ResponseWriter, r *http.Request) (in request, ok bool) {
	found, ok := s.session(r)
	if !ok {
		s.askToSignIn(w, r)
		return in, false
	}
	file, err := s.readForm(w, r)
	if err != nil {
		s.fail(w, r, err)
		return in, false
	}
	return s.known(w, r, found, file)
}

// known finds out who the user of a session is; ok is false when the request was answered.
func (s *site) known(w http.ResponseWriter, r *http.Request, of session, file *formFile) (in request, ok bool) {
	in = s.request(r, of)
	in.file = file
	var err error
	if in.me, err = in.api.Me(r.Context()); err != nil {
		s.fail(w, r, err)
		return in, false
	}
	if in.operator, err = s.isOperator(r.Context(), in); err != nil {
		s.fail(w, r, err)
		return in, false
	}
	for name, prefix := range ids {
		if id := r.PathValue(name); id != "" && !platen.IsID(prefix, id) {
			s.fail(w, r, errNoPage)
			return in, false
		}
	}
	return in, true
}

// request is one of a session whose user nobody has asked for yet.
func (s *site) request(r *http.Request, of session) request {
	in := request{Request: r, Printer: s.in(r), caller: inside.Caller{API: s.API, From: r, Token: of.Token, User: of.User}, session: of, checks: s.checks}
	in.api = in.caller.Client()
	return in
}

// page answers with the template of this name, of what show found.
func (s *site) page(name string, show func(context.Context, request) (view, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		in, ok := s.begin(w, r)
		if !ok {
			return
		}
		if r.Method == http.MethodPost {
			s.checks.Drop(in.workflowID())
		}
		v, err := show(r.Context(), in)
		s.show(w, in, name, v, err)
	}
}

// show answers with what was found: a page of the template of this name, the way to another,
// or why there is none.
func (s *site) show(w http.ResponseWriter, in request, name string, v view, err error) {
	r := in.Request
	switch {
	case err != nil:
		s.failFor(w, r, &in, err)
	case v.to != "":
		http.Redirect(w, r, s.base+v.to, http.StatusSeeOther)
	default:
		v.Me, v.Operator, v.Frame = &in.me, in.operator, in.around(r.Context(), v.workflows)
		s.write(w, r, cmp.Or(v.status, http.StatusOK), cmp.Or(v.name, name), v)
	}
}

// change carries out what was asked for, and leads to the page that shows it.
func (s *site) change(do func(context.Context, request) (to string, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		in, ok := s.begin(w, r)
		if !ok {
			return
		}
		to, err := do(r.Context(), in)
		if err != nil {
			s.failFor(w, r, &in, err)
			return
		}
		http.Redirect(w, r, s.base+to, http.StatusSeeOther)
	}
}

func (s *site) write(w http.ResponseWriter, r *http.Request, status int, name string, v view) {
	in := s.in(r)
	v.Base, v.Here, v.At = s.base, hereOf(r), name
	v.Foreign = !in.English() && slices.Contains(operatorTemplates, name)
	if below, ok := v.Page.(interface{ above() []crumb }); ok {
		v.Crumbs = below.above()
	}
	var page bytes.Buffer
	if err := s.templates[in.Language()]()[name].ExecuteTemplate(&page, "frame.html", v); err != nil {
		s.Log.LogAttrs(r.Context(), slog.LevelError, "a page of the console failed", slog.String("page", name), slog.String("error", err.Error()))
		http.Error(w, in.Text("The page cannot be shown"), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(page.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes()) // fails only when nobody listens any more
}

// partials are the parts of pages that have several subjects.
var partials = map[string][]string{
	"run":      {"site/review.html"},
	"sender":   {"site/sender-form.html"},
	"senders":  {"site/sender-form.html"},
	"workflow": {"site/workflow-source.html", "site/workflow-schedules.html", "site/workflow-public.html", "site/workflow-documents.html", "site/document-settings.html", "site/document-mail.html", "site/document-approval.html", "site/workflow-overview.html", "site/workflow-settings.html", "site/workflow-receiver.html", "site/workflow-receivers.html", "site/workflow-targets.html", "site/workflow-tests.html", "site/workflow-itself.html", "site/workflow-elsewhere.html", "site/versions.html"},
}

// parse reads a template for each page, all in the same frame and language. Pages of
// operators are in English.
func (s *site) parse(in catalog.Printer) inLanguage {
	out, read := inLanguage{}, map[string]string{}
	source := func(file string) string {
		if text, ok := read[file]; ok {
			return text
		}
		content, err := siteFiles.ReadFile(file)
		if err != nil {
			panic(err) // it is embedded
		}
		read[file] = string(content)
		if !strings.HasPrefix(file, "site/operator-") {
			read[file] = in.Markup(read[file])
		}
		return read[file]
	}
	addresses := template.FuncMap{
		"mails":     func() bool { return s.Mails },
		"seals":     func() bool { return s.Seals },
		"compares":  func() bool { return s.Pages != nil },
		"errorDocs": func(code string) string { return s.base + "/docs/errors#" + code },
		"ownDrive":  func() bool { return s.OwnDrive },
		"office":    s.officeFile,
		"original":  s.originalFile,
		"asset":     func(name string) string { return s.base + s.assets.address(name) },
	}
	parse := func(name string, with ...string) {
		files := append([]string{"site/frame.html", "site/parts.html", "site/" + name + ".html"}, with...)
		page := template.New(name).Funcs(words).Funcs(operatorWords).Funcs(addresses).Funcs(s.sayings(in))
		for _, file := range files {
			template.Must(page.New(strings.TrimPrefix(file, "site/")).Parse(source(file)))
		}
		out[name] = page
	}
	for _, name := range []string{"sign-in", "error", "home", "find", "workflows", "new-workflow", "import-workflow", "workflow", "outputs", "events", "runs", "run", "batches", "batch", "series", "numbers", "senders", "sender", "usage", "invoice", "read-invoice", "compare"} {
		parse(name, partials[name]...)
	}
	for _, name := range operatorTemplates {
		parse(name, "site/operator-parts.html")
	}
	return out
}

// query writes the query of an address from names and values.
func query(pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Add(pairs[i], pairs[i+1])
		}
	}
	return q.Encode()
}
