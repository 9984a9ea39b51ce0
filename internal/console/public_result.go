package console

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/inside"
	"github.com/platenhq/platen/internal/platen"
)

// resultPart begins what stands behind the key of a form in the address of what it made.
const resultPart = "made/"

// A madeResult is what such an address names, sealed: nobody can read it there or make one.
type madeResult struct {
	Automation string    `json:"automation"`
	Until      time.Time `json:"until"`
}

// seal writes the end of the address. It leads nowhere under another form.
func (v *formVisit) seal(m madeResult) (string, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	sealed, err := v.Sealer.Seal(text, v.sealContext())
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

func (v *formVisit) unseal(text string) (m madeResult, ok bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return m, false
	}
	opened, err := v.Sealer.Open(sealed, v.sealContext())
	return m, err == nil && json.Unmarshal(opened, &m) == nil
}

func (v *formVisit) sealContext() []byte { return []byte("public form " + v.form.ID) }

// result shows what became of what was sent, or a file of it.
func (v *formVisit) result(path string) {
	sealed, file, isFile := strings.Cut(path, "/")
	m, ok := v.unseal(sealed)
	switch {
	case !ok:
		v.fail(noSuchForm)
		return
	case !v.Now().Before(m.Until):
		v.fail(resultEnded)
		return
	}
	// What the owner of the workflow may see, of this one automation.
	owner := inside.Caller{API: v.API, From: v.r, User: v.wf.Owner.ID}.Client()
	if !isFile && v.r.URL.Query().Has("wait") {
		v.await(m.Automation)
	}
	a, err := owner.Automation(v.r.Context(), v.wf.ID, m.Automation)
	if isNotFound(err) || err == nil && a.Erasure != nil { // also one that is only asked for
		v.fail(resultEnded)
		return
	}
	if err != nil {
		v.failed("read automation", err, formBroken)
		return
	}
	if isFile {
		v.file(owner, a, file)
		return
	}
	v.write(http.StatusOK, v.publicPages.result, v.resultPage(a, sealed, m.Until))
}

// file answers with a PDF of the automation, where the form shows it.
func (v *formVisit) file(owner *client.Client, a client.AutomationDetail, file string) {
	id, ok := strings.CutSuffix(file, ".pdf")
	if !ok || !v.form.ShowsPages || !slices.ContainsFunc(a.Outputs, func(o client.Output) bool { return o.ID == id && o.State == "DONE" }) {
		v.fail(noSuchForm)
		return
	}
	if v.FileLimit(v.w.Header(), sha256.Sum256([]byte(v.key))) != nil {
		v.fail(tooOften)
		return
	}
	pdf, err := owner.OutputPDF(v.r.Context(), v.wf.ID, id)
	switch p := refusalIn(err); {
	case p != nil && p.Status == http.StatusTooManyRequests:
		v.fail(tooOften)
	case p != nil && p.Status < http.StatusInternalServerError: // its files were erased, or removed from the drive
		v.fail(resultEnded)
	case err != nil:
		v.failed("read PDF", err, formBroken)
	default:
		writePDF(v.w, pdf.Content, pdf.Name, v.r.URL.Query().Has("download"))
	}
}

// publicResultPage is what its template shows.
type publicResultPage struct {
	Style                 template.CSS
	Words, Script, Viewer string
	Title                 string
	// State is waiting, late, shown, sent, skipped or failed.
	State string
	At    string // the page itself, from its own address
	Form  string // of which it is, from there
	Files []resultFile
	Until string
}

// A resultFile is a document that was made.
type resultFile struct{ Name, PDF string }

func (v *formVisit) resultPage(a client.AutomationDetail, sealed string, until time.Time) publicResultPage {
	const up = "../../.."
	p := publicResultPage{
		Style: v.style, Words: v.words, Script: up + v.assets.address("public.js"), Viewer: up + v.assets.address("pages.js"),
		Title: v.form.Title, At: sealed, Form: "../../" + v.key, Until: until.UTC().Format("15:04 UTC"),
	}
	if p.Title == "" {
		p.Title = v.wf.Name
	}
	for _, o := range a.Outputs {
		if v.form.ShowsPages && o.State == "DONE" && len(o.Files) > 0 {
			p.Files = append(p.Files, resultFile{Name: o.Files[0].Name, PDF: sealed + "/" + o.ID + ".pdf"})
		}
	}
	switch {
	case a.FinishedAt == nil && v.Now().Sub(a.AcceptedAt) > lateAfter:
		p.State = "late"
	case a.FinishedAt == nil:
		p.State = "waiting"
	case a.State == string(platen.AutomationFailed):
		p.State = "failed"
	case a.State != string(platen.AutomationCompleted), len(a.Outputs) == 0:
		p.State = "skipped"
	case len(p.Files) > 0:
		p.State = "shown"
	default:
		p.State = "sent"
	}
	return p
}

// lateAfter is after which time a document takes longer than usual.
const lateAfter = time.Minute

// platenError is the domain's error in an error; nil: there is none.
func platenError(err error) *platen.Error {
	e, _ := errors.AsType[*platen.Error](err)
	return e
}
