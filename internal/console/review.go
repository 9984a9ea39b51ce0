package console

import (
	"context"
	"crypto/sha256"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/inside"
	"github.com/platenhq/platen/internal/platen"
)

// Reviews takes what people decide about outputs that wait for them.
type Reviews interface {
	// Answer adds an answer to the review of an output, in the round that it is of. Its errors
	// are those of the API.
	Answer(ctx context.Context, caller platen.User, workflowID, outputID string, round int, answer func(r platen.Review, now time.Time) (platen.Answer, error)) (platen.Review, error)
	// Correct has the output made again of other data, in the round that was seen. Its errors
	// are those of the API.
	Correct(ctx context.Context, caller platen.User, workflowID, outputID string, round int, data []byte, correct func(r platen.Review, now time.Time) (platen.ReviewCorrection, error)) ([]string, error)
}

// ReviewOptions are what NewReviews needs. All but the last ones are required.
type ReviewOptions struct {
	Reviews Reviews
	// Workflow finds a workflow by its id; KindNotFound.
	Workflow func(ctx context.Context, id string) (platen.Workflow, error)
	// API answers for the owner of the workflow what the output is.
	API    http.Handler
	Sealer Sealer // of the links
	// Record keeps in the audit whose answer did not come through. One that did has its entry
	// by Reviews (platen.BeginAct).
	Record func(ctx context.Context, e platen.AuditEntry) error
	// Client says from where a request comes.
	Client func(r *http.Request) netip.Addr
	// PublicURL is the origin of the host as browsers see it.
	PublicURL string
	// Limit counts the requests of one link; the error is one too many. Default: no limit.
	Limit func(h http.Header, key [32]byte) error
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// Log receives the errors of pages that fail. Default: slog.Default().
	Log *slog.Logger
}

type reviewPages struct {
	ReviewOptions
	in         map[string]reviewLanguage
	assets     assets
	style      template.CSS
	policy     string
	protection *http.CrossOriginProtection
}

type reviewLanguage struct {
	catalog.Printer
	page, failure *template.Template
	words         string
}

// NewReviews returns the handler of the pages on which people approve or reject outputs, by
// the links that they got. Reading one decides nothing: mail scanners open links.
func NewReviews(o ReviewOptions) http.Handler {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Limit == nil {
		o.Limit = func(http.Header, [32]byte) error { return nil }
	}
	style, err := files.ReadFile("style.css")
	if err != nil {
		panic(err) // it is embedded
	}
	c := &reviewPages{ReviewOptions: o, in: map[string]reviewLanguage{}, assets: readAssets(), style: template.CSS(style), protection: http.NewCrossOriginProtection()}
	_ = c.protection.AddTrustedOrigin(o.PublicURL) // one that is none trusts nobody
	c.policy = strings.Join([]string{
		"default-src 'none'", stylePolicy(style), "script-src 'self'", "connect-src 'self'", "img-src data:",
		"base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'",
	}, "; ")
	for _, language := range catalog.Languages() {
		p := catalog.In(language)
		parse := func(name string) *template.Template {
			return template.Must(template.New(name).Funcs(studioWords).Funcs(textsIn(p)).ParseFS(files, name))
		}
		c.in[language] = reviewLanguage{Printer: p, page: parse("review.html"), failure: parse("error.html"), words: scriptWords(p)}
	}
	return c
}

// The pages that say why there is nothing else.
var (
	noSuchReview = errorPage{Status: http.StatusNotFound, Title: "There is no such page",
		Text: "The link is not complete, or it has ended. The newest mail about the document has the present one."}
	reviewGone = errorPage{Status: http.StatusGone, Title: "There is nothing to approve any more",
		Text: "The document was made again, cancelled or erased since the link was sent. If it was made again, a newer mail has the link to it."}
	reviewBroken = errorPage{Status: http.StatusServiceUnavailable, Title: "The page cannot be shown right now",
		Text: "Something that it needs does not answer. Reload it in a moment."}
)

// A reviewVisit is one request for such a page.
type reviewVisit struct {
	*reviewPages
	reviewLanguage
	w      http.ResponseWriter
	r      *http.Request
	at     string // the last segment of the page's path
	link   platen.ReviewLink
	wf     platen.Workflow
	output client.Output
}

func (c *reviewPages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	keepPrivate(h, "no-referrer") // the address is a credential
	h.Set("Vary", variesByLanguage)
	h.Set("Content-Security-Policy", c.policy)
	at, file, isFile := strings.Cut(strings.TrimPrefix(r.URL.Path, platen.ReviewsPath), "/")
	v := reviewVisit{reviewPages: c, reviewLanguage: c.in[languageOf(r, "").Language()], w: w, r: r, at: at}
	allowed := []string{http.MethodGet, http.MethodHead, http.MethodPost}
	if isFile {
		allowed = allowed[:2]
	}
	var ok bool
	switch v.link, ok = platen.ReadReviewLink(c.Sealer, at); {
	case !ok, isFile && file != "document.pdf":
		v.fail(noSuchReview)
	case !slices.Contains(allowed, r.Method):
		h.Set("Allow", strings.Join(allowed, ", "))
		v.fail(noSuchReview.as(http.StatusMethodNotAllowed))
	case c.Limit(h, sha256.Sum256([]byte(at))) != nil:
		v.fail(tooOften)
	case !v.find():
	case isFile:
		v.file()
	case r.Method == http.MethodPost:
		v.post()
	default:
		v.show(http.StatusOK, "", "")
	}
}

// owner asks the API as the owner of the workflow.
func (v *reviewVisit) owner() *client.Client {
	return inside.Caller{API: v.API, From: v.r, User: v.wf.Owner.ID}.Client()
}

// find reads the workflow and the output of the link; false: the request was answered.
func (v *reviewVisit) find() bool {
	var err error
	if v.wf, err = v.Workflow(v.r.Context(), v.link.WorkflowID); err == nil {
		v.reviewLanguage = v.in[languageOf(v.r, v.wf.Locale).Language()]
		for v.output, err = range v.owner().Outputs(v.r.Context(), v.wf.ID, client.OutputQuery{IDs: []string{v.link.OutputID}}) {
			break
		}
	}
	switch {
	case platen.KindOf(err) == platen.KindNotFound && err != nil, isNotFound(err), err == nil && (v.output.ID != v.link.OutputID || v.output.Review == nil):
		v.fail(reviewGone)
		return false
	case err != nil:
		v.failed("find output", err)
		return false
	case v.output.Review.Round != v.link.Round:
		v.fail(reviewGone)
		return false
	}
	return true
}

// file answers with the pages that are to be approved.
func (v *reviewVisit) file() {
	if !v.hasPages() {
		v.fail(reviewGone)
		return
	}
	pdf, err := v.owner().OutputPDF(v.r.Context(), v.wf.ID, v.output.ID)
	switch p := refusalIn(err); {
	case p != nil && p.Status == http.StatusTooManyRequests:
		v.fail(tooOften)
	case p != nil && p.Status < http.StatusInternalServerError: // it was removed from the drive
		v.fail(reviewGone)
	case err != nil:
		v.failed("read PDF", err)
	default:
		writePDF(v.w, pdf.Content, pdf.Name, false)
	}
}

// hasPages tells whether the link shows the pages: as long as somebody is asked.
func (v *reviewVisit) hasPages() bool {
	return v.output.State == string(platen.OutputReview) && v.Now().Before(v.link.Until)
}

// post adds what was decided.
func (v *reviewVisit) post() {
	if v.protection.Check(v.r) != nil {
		v.fail(fromElsewhere)
		return
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxTyped)
	if err := v.r.ParseForm(); err != nil {
		v.fail(noSuchReview.as(http.StatusBadRequest))
		return
	}
	if v.r.PostForm.Get("decision") == "correct" && v.output.Review.CorrectByLink {
		v.correct()
		return
	}
	approves, reason := v.r.PostForm.Get("decision") == "approve", strings.TrimSpace(v.r.PostForm.Get("reason"))
	switch {
	case !approves && v.r.PostForm.Get("decision") != "reject":
		v.show(http.StatusBadRequest, v.Text("Press one of the two buttons."), reason)
		return
	case !approves && (reason == "" || utf8.RuneCountInString(reason) > platen.MaxReviewReason):
		v.show(http.StatusBadRequest, v.Text("Say why, in %d characters at most.", platen.MaxReviewReason), reason)
		return
	case approves:
		reason = ""
	}
	action := "reject by link"
	if approves {
		action = "approve by link"
	}
	ctx, act := platen.BeginAct(platen.WithCaller(v.r.Context(), v.wf.Owner), v.entry(action))
	_, err := v.Reviews.Answer(ctx, v.wf.Owner, v.wf.ID, v.output.ID, v.link.Round, func(_ platen.Review, now time.Time) (platen.Answer, error) {
		return platen.Answer{For: v.link.For, By: v.link.By, Approves: approves, Reason: reason, At: now}, nil
	})
	v.answered(act, err)
}

// correct has the document made again of what was typed in.
func (v *reviewVisit) correct() {
	form, err := v.data()
	switch {
	case err != nil:
		v.failed("read data", err)
		return
	case form.TooLong || len(form.Fields) == 0: // it has no form
		v.fail(reviewGone)
		return
	}
	data, problem := form.typed(v.Printer, v.r.PostForm)
	if problem != "" {
		v.show(http.StatusBadRequest, problem, "")
		return
	}
	ctx, act := platen.BeginAct(platen.WithCaller(v.r.Context(), v.wf.Owner), v.entry("correct by link"))
	_, err = v.Reviews.Correct(ctx, v.wf.Owner, v.wf.ID, v.output.ID, v.link.Round, data, func(r platen.Review, now time.Time) (platen.ReviewCorrection, error) {
		if !r.CorrectByLink {
			return platen.ReviewCorrection{}, platen.Errorf(platen.KindForbidden, "not_an_approver", "The document lets nobody correct its data by a link.")
		}
		return platen.ReviewCorrection{By: v.link.By, At: now}, nil
	})
	fault := map[string]string{
		"nothing_corrected":    v.Text("Change something first."),
		"too_many_corrections": v.Text("The data was corrected too often. Reject the document, and say what is wrong."),
	}[codeOf(err)]
	if fault != "" {
		v.record(act.Entry, err)
		v.show(http.StatusBadRequest, fault, "")
		return
	}
	v.answered(act, err)
}

// data is the form of what the output is made of.
func (v *reviewVisit) data() (dataForm, error) {
	d, err := v.owner().OutputData(v.r.Context(), v.wf.ID, v.output.ID)
	if err != nil {
		return dataForm{}, err
	}
	return dataFormOf(d.Data)
}

// answered shows what became of an answer, and has it in the audit.
func (v *reviewVisit) answered(act *platen.Act, err error) {
	if !act.Recorded() {
		v.record(act.Entry, err)
	}
	switch kind := platen.KindOf(err); {
	case err == nil, kind == platen.KindInvalid, kind == platen.KindForbidden:
		// The page says how it stands.
		v.w.Header().Set("Location", v.at)
		v.w.WriteHeader(http.StatusSeeOther)
	case kind == platen.KindNotFound:
		v.fail(reviewGone)
	default:
		v.failed("answer", err)
	}
}

// entry is that of an answer in the audit. It says who decided by the place in the list: the
// review has the address.
func (v *reviewVisit) entry(action string) platen.AuditEntry {
	place := 1 + slices.IndexFunc(v.output.Review.By, func(address string) bool { return strings.EqualFold(address, v.link.For) })
	who := fmt.Sprintf("approver %d", place)
	if !strings.EqualFold(v.link.By, v.link.For) {
		who = fmt.Sprintf("deputy of approver %d", place)
	}
	return platen.AuditEntry{
		Actor:  platen.Actor{Kind: platen.ActorApprover, ID: who, Address: v.Client(v.r)},
		Action: action, OwnerID: v.wf.Owner.ID, WorkflowID: v.wf.ID, ObjectID: v.output.ID,
	}
}

// record adds an answer that did not come through, and why.
func (v *reviewVisit) record(entry platen.AuditEntry, err error) {
	entry.Outcome = codeOf(err)
	if entry.Outcome == "" {
		entry.Outcome = platen.CodeInternal
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.r.Context()), readTimeout)
	defer cancel()
	if err := v.Record(ctx, entry); err != nil {
		v.log("record", err)
	}
}

// reviewPage is what its template shows.
type reviewPage struct {
	Style             template.CSS
	Words, Viewer     string
	Times             string // the script that writes times in the zone of the browser
	Document          string
	Workflow          string
	State             string // waiting, approved, rejected, corrected, failed, over or decided
	Verdict           string // empty: none yet
	Failure           string // why it could not be made
	Needed, Approvals int
	Until             saying // how long it can be answered
	For               string // whom the reader stands in for
	PDF               string // empty: its pages are not shown any more
	At                string
	Fault, Reason     string
	Correction        *dataForm // nil: nobody corrects it by a link
}

// until says how long the document can be approved, in UTC until a script writes the time in
// the zone of the browser.
func until(in catalog.Printer, at time.Time) saying {
	const place = "\x00"
	moment := `<time datetime="` + own(platen.Timestamp(at)) + `">` + own(in.Moment(at)) + `</time>`
	return saying(strings.Replace(string(own(in.Text("You can answer until %s.", place))), template.HTMLEscapeString(place), string(moment), 1))
}

func (v *reviewVisit) show(status int, fault, reason string) {
	r := v.output.Review
	p := reviewPage{
		Style: v.style, Words: v.words, Viewer: ".." + v.assets.address("pages.js"), Workflow: v.wf.Name, At: v.at, Fault: fault, Reason: reason,
		Needed: r.Needed, Until: until(v.Printer, v.link.Until), Times: ".." + v.assets.address("times.js"), Verdict: r.Verdicts(), State: "waiting",
	}
	if v.output.Name != nil {
		p.Document = *v.output.Name
	}
	if !strings.EqualFold(v.link.By, v.link.For) {
		p.For = v.link.For
	}
	if v.hasPages() {
		p.PDF = v.at + "/document.pdf"
	}
	switch {
	case r.Verdict != nil && *r.Verdict == string(platen.VerdictExpired), r.Verdict == nil && !v.Now().Before(v.link.Until):
		p.State = "over"
	case failedCorrected(v.output) && r.CorrectByLink:
		p.State = "failed"
		if v.output.Error != nil {
			p.Failure = v.Plain("", v.output.Error.Message)
		}
	case r.Verdict != nil && *r.Verdict == string(platen.VerdictCorrected) && v.output.State == string(platen.OutputFailed):
		v.fail(reviewGone)
		return
	case r.Verdict != nil && *r.Verdict == string(platen.VerdictCorrected):
		p.State = "corrected"
	case r.Verdict != nil || v.output.State != string(platen.OutputReview):
		p.State = "decided"
	}
	for _, a := range r.Answers {
		if a.Approves {
			p.Approvals++
		}
		switch {
		case p.State == "failed":
		case a.For == nil || !strings.EqualFold(*a.For, v.link.For):
		case a.By == nil || !strings.EqualFold(*a.By, v.link.By):
			p.State = "decided"
		case a.Approves:
			p.State = "approved"
		default:
			p.State = "rejected"
		}
	}
	if r.CorrectByLink && (p.State == "waiting" || p.State == "failed" && v.Now().Before(v.link.Until)) {
		form, err := v.data()
		if err != nil {
			v.failed("read data", err)
			return
		}
		if len(form.Fields) == 0 && !form.TooLong { // it is being erased
			v.fail(reviewGone)
			return
		}
		for i, field := range form.Fields { // as it was typed
			if status != http.StatusOK && v.r.PostForm.Has(field.Name) {
				form.Fields[i].Value = v.r.PostForm.Get(field.Name)
			}
		}
		p.Correction = &form
	}
	v.write(status, v.page, p)
}

func (v *reviewVisit) fail(p errorPage) {
	p.Style, p.Title, p.Text = v.style, v.Text(p.Title), v.Text(p.Text)
	v.write(p.Status, v.failure, p)
}

func (v *reviewVisit) failed(doing string, err error) {
	v.log(doing, err)
	v.fail(reviewBroken)
}

func (v *reviewVisit) log(doing string, err error) {
	if v.r.Context().Err() == nil {
		v.Log.LogAttrs(v.r.Context(), slog.LevelError, "a page of a review failed", slog.String("doing", doing), slog.String("output", v.link.OutputID), slog.String("error", err.Error()))
	}
}

func (v *reviewVisit) write(status int, t *template.Template, data any) {
	if err := writeAlone(v.w, status, v.Language(), t, data); err != nil {
		v.log("write page", err)
	}
}
