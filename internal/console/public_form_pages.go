package console

import (
	"cmp"
	"crypto/rand"
	"html/template"
	"log/slog"
	"net/http"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// The pages that say why there is nothing else. Titles and texts are in English: fail
// translates them.
var (
	noSuchForm = errorPage{Status: http.StatusNotFound, Title: "There is no such page",
		Text: "The link is not complete, or somebody made a new one. Ask the person who gave it to you."}
	formClosed = errorPage{Status: http.StatusServiceUnavailable, Title: "The form takes nothing right now",
		Text: "Ask the person who gave you the link."}
	formBroken = errorPage{Status: http.StatusServiceUnavailable, Title: "The form does not work right now",
		Text: "Something that it needs does not answer, or is set up wrong. Try again in a moment, or ask the person who gave you the link."}
	fromElsewhere = errorPage{Status: http.StatusForbidden, Title: "This came from another page",
		Text: "Open the link of the form, and use its button."}
	formUnread = errorPage{Status: http.StatusBadRequest, Title: "The form could not be read",
		Text: "Open the link of the form, and use its button."}
	incomplete = errorPage{Status: http.StatusBadRequest, Title: "Something is missing or wrong",
		Text: "Nothing was sent yet. What you typed is still here."}
	tooManyRows = errorPage{Status: http.StatusBadRequest, Title: "That is too much",
		Text: "A list takes at most 200 rows. Take some away."}
	enoughToday = errorPage{Status: http.StatusTooManyRequests, Title: "Enough for today",
		Text: "This form was sent as often today as it may be. Try again tomorrow."}
	enoughOfAddress = errorPage{Status: http.StatusTooManyRequests, Title: "Enough for today",
		Text: "This form was sent from your address as often today as it may be. Try again tomorrow."}
	perhapsSent = errorPage{Status: http.StatusServiceUnavailable, Title: "It is not known whether it was sent",
		Text: "Press the button again: the same form is sent once, however often you press."}
	resultEnded = errorPage{Status: http.StatusGone, Title: "This page has ended",
		Text: "What a form has made is shown for an hour."}
)

// as is the page with another status.
func (p errorPage) as(status int) errorPage {
	p.Status = status
	return p
}

// publicFormPage is what its template shows.
type publicFormPage struct {
	Style         template.CSS
	Words, Script string
	Key           string // where the form is sent to, from its own address
	Title         string
	Text          []string // paragraphs
	Rows          []formRow
	More          int
	Wrong         []untakenValue
	Problem       *errorPage
	Once          string
}

// page shows a form with what was typed in.
func (v *formVisit) page(status int, f platen.Form, in askedForm, problem *errorPage) {
	p := publicFormPage{
		Style: v.style, Words: v.words, Script: ".." + v.assets.address("public.js"), Key: v.key,
		Title: cmp.Or(v.form.Title, v.wf.Name), Text: strings.FieldsFunc(v.form.Text, func(r rune) bool { return r == '\n' || r == '\r' }),
		More: f.More, Once: cmp.Or(in.once, rand.Text()),
	}
	p.Rows, p.Wrong = layForm(f, in)
	if problem != nil {
		p.Problem = v.translate(*problem)
	}
	v.write(status, v.publicPages.form, p)
}

func (v *formVisit) translate(p errorPage) *errorPage {
	p = p.in(v.Printer)
	p.Style = v.style
	return &p
}

func (v *formVisit) fail(p errorPage) { v.write(p.Status, v.failure, v.translate(p)) }

// failed logs what went wrong and shows why in words.
func (v *formVisit) failed(doing string, err error, p errorPage) {
	v.log(doing, err)
	v.fail(p)
}

// broken is failed for templates that cannot be read: too many at once is no failure.
func (v *formVisit) broken(doing string, err error) {
	if platen.KindOf(err) == platen.KindRateLimited {
		v.fail(tooOften)
		return
	}
	v.failed(doing, err, formBroken)
}

func (v *formVisit) log(doing string, err error) {
	if v.r.Context().Err() != nil {
		return
	}
	v.Log.LogAttrs(v.r.Context(), slog.LevelError, "a public form failed", slog.String("doing", doing), slog.String("form", v.form.ID), slog.String("error", err.Error()))
}

func (v *formVisit) write(status int, t *template.Template, data any) {
	if err := writeAlone(v.w, status, v.Language(), t, data); err != nil {
		v.log("write page", err)
	}
}
