package console

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/admission"
	"github.com/platenhq/platen/internal/cache"
	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/platen"
)

// FormsPath is the path below which NewPublicForms answers.
const FormsPath = "/forms/"

// FormAddress is where a public form is, at the origin of its host.
func FormAddress(origin string, f platen.PublicForm) string { return origin + FormsPath + f.Key }

// PublicForms finds public forms, and counts what they send.
type PublicForms interface {
	// PublicFormByKey returns a form and its workflow; KindNotFound for a key that leads
	// nowhere.
	PublicFormByKey(ctx context.Context, key string) (platen.PublicForm, platen.Workflow, error)
	// CountPublicForm counts an event of an address, by a hash that is of this day.
	// KindRateLimited with code "public_form_day" or "public_form_address": the day's are used.
	CountPublicForm(ctx context.Context, f platen.PublicForm, address []byte, now time.Time) error
}

// FormTemplates makes forms of all templates of a workflow.
type FormTemplates interface {
	EventForm(ctx context.Context, wf platen.Workflow) (platen.EventForm, error)
	DataOf(f platen.Form, in platen.FormInput, of []byte) ([]byte, error)
}

// Accepting takes events into the store, as the host of sources does.
type Accepting interface {
	Accept(ctx context.Context, event platen.SourceEvent) error
}

// PublicFormOptions are what NewPublicForms needs. All but the last ones are required.
type PublicFormOptions struct {
	Forms     PublicForms
	Templates FormTemplates
	Seen      Seen
	// API answers for the owner of a workflow what a form has made.
	API http.Handler
	// Accepting takes what a form sends. Find says which automation an accepted event has:
	// KindNotFound, if none.
	Accepting Accepting
	Find      func(ctx context.Context, event platen.SourceEvent) (platen.Accepted, error)
	// Wait waits until an automation has ended, at most so long.
	Wait func(ctx context.Context, key, automationID string, most time.Duration) (ended, kept bool)
	// Sealer makes the addresses of pages that show what was made.
	Sealer Sealer
	// AddressKey is the key of the hashes of client addresses.
	AddressKey []byte
	// Client says from where a request comes.
	Client func(r *http.Request) netip.Addr
	// PublicURL is the origin of the host as browsers see it.
	PublicURL string
	// EventLimit is the longest event, in bytes.
	EventLimit int
	// Limit counts the pages of one form, SendLimit what it sends and FileLimit the PDFs
	// that it shows; the error is one too many. Default: no limit.
	Limit, SendLimit, FileLimit func(h http.Header, key [32]byte) error
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// Log receives the errors of pages that fail. Default: slog.Default().
	Log *slog.Logger
}

const (
	// templatesFor is how long the templates of a form are not read again.
	templatesFor = 20 * time.Second
	// templatesBytes is what forms take in memory.
	templatesBytes = 64 << 20
	// waitForResult is how long an answer waits for the document.
	waitForResult = 8 * time.Second
	// maxKey is how long a key in an address is at most.
	maxKey = 64
)

// waitingAnswers are those that wait for documents: who waits for events of other senders
// keeps their places.
var waitingAnswers = admission.Places{Total: 200, PerKey: 50}

type publicForms struct {
	PublicFormOptions
	pages      map[string]publicPages // by language
	assets     assets
	style      template.CSS
	policy     string
	protection *http.CrossOriginProtection
	templates  *cache.Cache[keptForm]
	waiting    *admission.Keyed
}

// publicPages are the pages in one language.
type publicPages struct {
	catalog.Printer
	form, result, failure *template.Template
	words                 string // of scripts, as JSON
}

// A keptForm is the form of a workflow, until when it is used, and how the workflow was.
type keptForm struct {
	platen.EventForm
	until   time.Time
	changed time.Time
}

// NewPublicForms returns the handler of /forms/{key} and of what is below it.
func NewPublicForms(o PublicFormOptions) http.Handler {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	none := func(http.Header, [32]byte) error { return nil }
	for _, limit := range []*func(http.Header, [32]byte) error{&o.Limit, &o.SendLimit, &o.FileLimit} {
		if *limit == nil {
			*limit = none
		}
	}
	style, err := files.ReadFile("style.css")
	if err != nil {
		panic(err) // it is embedded
	}
	c := &publicForms{
		PublicFormOptions: o, pages: map[string]publicPages{}, assets: readAssets(), style: template.CSS(style),
		protection: http.NewCrossOriginProtection(),
		templates:  cache.New(templatesBytes, func(k keptForm) int { return k.Size() }),
		waiting:    admission.NewKeyed(waitingAnswers),
	}
	_ = c.protection.AddTrustedOrigin(o.PublicURL) // one that is none trusts nobody
	c.policy = strings.Join([]string{
		"default-src 'none'", stylePolicy(style), "script-src 'self'", "connect-src 'self'",
		"img-src data:", // pictures that were chosen
		"base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'",
	}, "; ")
	for _, language := range catalog.Languages() {
		p := catalog.In(language)
		parse := func(names ...string) *template.Template {
			return template.Must(template.New(names[0]).Funcs(studioWords).Funcs(textsIn(p)).ParseFS(files, names...))
		}
		c.pages[language] = publicPages{Printer: p, form: parse("public-form.html", "studio.html"), result: parse("public-result.html"), failure: parse("error.html"), words: scriptWords(p)}
	}
	return c
}

// A formVisit is one request for a public form.
type formVisit struct {
	*publicForms
	publicPages
	w     http.ResponseWriter
	r     *http.Request // with the owner of the workflow as its caller
	asked *http.Request // as it came: what a form sends has no caller
	key   string        // of the address
	form  platen.PublicForm
	wf    platen.Workflow
}

func (c *publicForms) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	keepPrivate(h, "no-referrer") // the address is a credential
	h.Set("Vary", variesByLanguage)
	h.Set("Content-Security-Policy", c.policy)
	key, part, slash := strings.Cut(strings.TrimPrefix(r.URL.Path, FormsPath), "/")
	v := formVisit{publicForms: c, publicPages: c.pages[languageOf(r, "").Language()], w: w, r: r, asked: r, key: key}
	result, isResult := strings.CutPrefix(part, resultPart)
	allowed := []string{http.MethodGet, http.MethodHead, http.MethodPost}
	if isResult {
		allowed = allowed[:2]
	}
	switch {
	case part != "" && !isResult, key == "" || len(key) > maxKey:
		v.fail(noSuchForm)
	case !slices.Contains(allowed, r.Method):
		h.Set("Allow", strings.Join(allowed, ", "))
		v.fail(noSuchForm.as(http.StatusMethodNotAllowed))
	case slash && part == "": // relative addresses begin beside the key
		h.Set("Location", "../"+key)
		w.WriteHeader(http.StatusPermanentRedirect)
	case c.Limit(h, sha256.Sum256([]byte(key))) != nil:
		v.fail(tooOften)
	case v.find():
		switch {
		case isResult:
			v.result(result)
		case r.Method == http.MethodPost:
			v.post()
		default:
			v.show()
		}
	}
}

// find reads the form of the address; false: the request was answered.
func (v *formVisit) find() bool {
	var err error
	v.form, v.wf, err = v.Forms.PublicFormByKey(v.r.Context(), v.key)
	switch {
	case platen.KindOf(err) == platen.KindNotFound:
		v.fail(noSuchForm)
		return false
	case err != nil:
		v.failed("find form", err, formBroken)
		return false
	}
	v.publicPages = v.pages[languageOf(v.r, v.wf.Locale).Language()]
	v.r = v.r.WithContext(platen.WithCaller(v.r.Context(), v.wf.Owner))
	return true
}

// takes tells whether what is sent would start an automation now.
func (v *formVisit) takes() bool {
	return v.form.Enabled && v.wf.Status == platen.StatusComplete && v.wf.AutoCreate
}

// openForm is what the templates ask for, and the fields of the source.
func (v *formVisit) openForm() (platen.EventForm, []string, error) {
	seen, err := v.Seen.SeenFields(v.r.Context(), v.wf.ID)
	if err != nil {
		return nil, nil, err
	}
	known := platen.KnownFields(v.wf.Source.Fields, seen, v.Now())
	if kept, ok := v.templates.Get(v.wf.ID); ok && v.Now().Before(kept.until) && kept.changed.Equal(v.wf.UpdatedAt) {
		return kept.EventForm, known, nil
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), readTimeout)
	defer cancel()
	read, err := v.Templates.EventForm(ctx, v.wf)
	if err != nil {
		return nil, nil, err
	}
	v.templates.Put(v.wf.ID, keptForm{read, v.Now().Add(templatesFor), v.wf.UpdatedAt})
	return read, known, nil
}

// show is the form before anything was typed in.
func (v *formVisit) show() {
	if !v.takes() {
		v.fail(formClosed)
		return
	}
	asked, known, err := v.openForm()
	if err != nil {
		v.broken("read templates", err)
		return
	}
	in := askedForm{FormInput: noInput()}
	v.page(http.StatusOK, asked.Form(known, in.FormInput), in, nil)
}

// post takes what was typed in: a button of the form itself changes it, every other one
// sends it.
func (v *formVisit) post() {
	if v.protection.Check(v.r) != nil {
		v.fail(fromElsewhere)
		return
	}
	in, fault := readForm(v.w, v.r)
	if fault != nil {
		if fault.Status == notAForm.Status {
			fault = &formUnread
		}
		v.fail(*fault)
		return
	}
	if !v.takes() {
		v.fail(formClosed)
		return
	}
	changes := in.press(in.button)
	asked, known, err := v.openForm()
	if err != nil {
		v.broken("read templates", err)
		return
	}
	f := asked.Form(known, in.FormInput)
	for path, why := range in.wrong {
		in.wrong[path] = v.Text(why)
	}
	if changes {
		v.page(http.StatusOK, f, in, nil)
		return
	}
	if v.SendLimit(v.w.Header(), sha256.Sum256([]byte(v.key))) != nil { // also what the templates refuse
		v.page(tooOften.Status, f, in, &tooOften)
		return
	}
	data, problem := v.check(asked, f, &in)
	if problem == nil && len(in.wrong) > 0 {
		problem = &incomplete
	}
	var at string
	if problem == nil {
		at, problem = v.send(data, in.once)
	}
	if problem != nil {
		v.page(problem.Status, f, in, problem)
		return
	}
	// Relative, so that a prefix in front of ours does no harm.
	v.w.Header().Set("Location", v.key+"/"+resultPart+at)
	v.w.WriteHeader(http.StatusSeeOther)
}

// check makes an event of the form, and notes at its fields what is wrong with it.
func (v *formVisit) check(asked platen.EventForm, f platen.Form, in *askedForm) ([]byte, *errorPage) {
	data, err := v.Templates.DataOf(f, in.FormInput, nil)
	if platen.KindOf(err) == platen.KindInvalid {
		return nil, &tooManyRows
	}
	if err == nil && v.EventLimit > 0 && len(data) > v.EventLimit {
		return nil, &tooMuch
	}
	var found []platen.RowFinding
	if err == nil {
		found, err = asked.Try(data)
	}
	if err != nil {
		v.log("check", err)
		return nil, &formBroken
	}
	for _, one := range found {
		if one.Note {
			continue
		}
		field, path, ok := formFieldOf(f, in.FormInput, one.Field)
		if one.Field == "" && !one.OfTemplate { // of the data as a whole, such as that it is too much
			return nil, &incomplete
		}
		if one.OfTemplate || !ok {
			// The template is at fault, or something that nobody can type in here.
			v.Log.LogAttrs(v.r.Context(), slog.LevelWarn, "a public form cannot be made", slog.String("form", v.form.ID), slog.String("workflow", v.wf.ID), slog.String("code", one.Code))
			return nil, &formBroken
		}
		if in.wrong[path] == "" {
			in.wrong[path] = v.Text(whyWrong(field, in.Texts[path], one))
		}
	}
	return data, nil
}

// send has an event accepted, once for each form and data, and returns the end of the
// address of the page that shows what becomes of it.
func (v *formVisit) send(data []byte, once string) (at string, problem *errorPage) {
	fields, err := platen.SourceFields(data)
	if err != nil {
		v.log("read fields", err)
		return "", &formBroken
	}
	// What was changed after a form was sent is another event.
	once = fmt.Sprintf("%s-%s-%x", v.form.ID, cmp.Or(once, rand.Text()), sha256.Sum256(data))
	event := platen.SourceEvent{
		AutomationID: platen.NewID(platen.PrefixAutomation), SourceKey: v.wf.Source.Key, Body: data, Fields: fields, ReceivedAt: v.Now().UTC(),
		RequestID: fmt.Sprintf("form-%.12x", sha256.Sum256([]byte(once))), EventKey: platen.EventKey(platen.EventKeyHeaders()[0], once, false),
	}
	ctx := v.asked.Context()
	accepted, err := v.Find(ctx, event)
	if platen.KindOf(err) == platen.KindNotFound { // else it was sent before
		if problem := v.count(); problem != nil {
			return "", problem
		}
		if err = v.Accepting.Accept(ctx, event); err == nil {
			accepted, err = v.Find(ctx, event)
		}
	}
	if err != nil {
		v.log("send", err)
		if platen.KindOf(err) == platen.KindRateLimited { // nothing was stored
			return "", &formClosed
		}
		return "", &perhapsSent
	}
	v.await(accepted.AutomationID)
	at, err = v.seal(madeResult{Automation: accepted.AutomationID, Until: v.Now().Add(platen.FormResultTime).Truncate(time.Second)})
	if err != nil {
		v.log("seal", err)
		return "", &perhapsSent
	}
	return at, nil
}

// count counts an event against the limits of the day.
func (v *formVisit) count() *errorPage {
	now := v.Now()
	err := v.Forms.CountPublicForm(v.asked.Context(), v.form, hashOf(v.AddressKey, v.form.ID, now, v.Client(v.r)), now)
	switch {
	case err == nil:
		return nil
	case codeOf(err) == "public_form_address":
		return &enoughOfAddress
	case codeOf(err) == "public_form_day":
		return &enoughToday
	}
	v.log("count", err)
	return &formBroken
}

// hashOf is a client address as it is counted: of another day or form it has another hash.
// Of an IPv6 address the network counts: one client has many addresses of it.
func hashOf(key []byte, form string, at time.Time, client netip.Addr) []byte {
	if client.Is6() && !client.Is4In6() {
		if network, err := client.Prefix(64); err == nil {
			client = network.Addr()
		}
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s %s %s", at.UTC().Format(time.DateOnly), form, client.Unmap())
	return mac.Sum(nil)[:16]
}

func codeOf(err error) string {
	e := platenError(err)
	if e == nil {
		return ""
	}
	return e.Code
}

// await waits for a while until an automation has ended.
func (v *formVisit) await(automationID string) {
	leave, ok := v.waiting.TryTake(v.form.ID)
	if !ok {
		return
	}
	defer leave()
	v.Wait(v.r.Context(), v.wf.ID, automationID, waitForResult)
}
