package console

import (
	"cmp"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
)

// say marks an English text of the catalogue that a page says later, by t in its template or
// by Text of a printer.
func say(english string) string { return english }

// texts are such texts, by what they are about.
type texts map[string]string

// A saying is what a page says, escaped. Words of the service in it are marked as English
// where the page is in another language.
type saying = template.HTML

// own is a text of ours, which is in the language of the page.
func own(text string) saying { return saying(template.HTMLEscapeString(text)) }

// theirs is what the service says: in English its message. In another language its sentences
// are in that as far as the catalogue knows them. Where it lacks one, what the code means is
// before them; it stands for all where it says as much.
func theirs(in catalog.Printer, code, message string) saying {
	words, rest := in.Said(code, message)
	all := []saying{own(words)}
	for _, part := range rest {
		all = append(all, partly(in, part))
	}
	return sentences(all...)
}

// partly is a part of a message, marked where it is not in the language of the page.
func partly(in catalog.Printer, part catalog.Part) saying {
	if part.English && !in.English() {
		return `<span lang="en">` + own(part.Text) + `</span>`
	}
	return own(part.Text)
}

// ofSetting is what the service says of a setting, with the labels of the form in place of
// names of the API.
func ofSetting(in catalog.Printer, message string) saying {
	var all []saying
	for _, part := range in.Message(message) {
		if part.English {
			part.Text = labelled.Replace(part.Text)
		}
		all = append(all, partly(in, part))
	}
	return sentences(all...)
}

// sentences puts sayings behind one another, where there are some.
func sentences(all ...saying) saying {
	var out []string
	for _, one := range all {
		if one != "" {
			out = append(out, string(one))
		}
	}
	return saying(strings.Join(out, " "))
}

const languagePath = consolePath + "language"

// languageTime is for how many seconds a browser keeps the language that somebody chose.
const languageTime = 400 * 24 * 60 * 60 // as long as browsers keep a cookie

// languageCookie keeps the language that somebody chose; behind securePrefix over https.
const languageCookie = "platen_language"

func (s *site) in(r *http.Request) catalog.Printer { return languageOf(r, "") }

// languageOf is the language of a page: the one that was chosen in this browser, or else the
// one that the browser asks for, or that of a locale, such as de-AT.
func languageOf(r *http.Request, locale string) catalog.Printer {
	chosen := ""
	for _, name := range []string{languageCookie, securePrefix + languageCookie} {
		if cookie, err := r.Cookie(name); err == nil && slices.Contains(catalog.Languages(), cookie.Value) {
			chosen = cookie.Value
		}
	}
	return catalog.Choose(chosen, r.Header.Get("Accept-Language"), locale)
}

// variesByLanguage are the headers by which languageOf chooses.
const variesByLanguage = "Accept-Language, Cookie"

// chooseLanguage keeps the language that somebody chose in the browser, and leads back.
func (s *site) chooseLanguage(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxSignIn)
	if err := r.ParseForm(); err != nil || !slices.Contains(catalog.Languages(), r.PostForm.Get("language")) {
		s.fail(w, r, errForm)
		return
	}
	c := s.cookie(r.PostForm.Get("language"), languageTime)
	c.Name = strings.Replace(c.Name, sessionCookie, languageCookie, 1)
	http.SetCookie(w, c)
	http.Redirect(w, r, s.base+localPath(r.PostForm.Get("next")), http.StatusSeeOther)
}

// languages are those that a page offers, each with its own name.
func languages() (all [][2]string) {
	for i, language := range catalog.Languages() {
		all = append(all, [2]string{language, catalog.Names()[i]})
	}
	return all
}

// siteWords are what the scripts of the console say, as JSON by the names that they have
// there; empty in English, which the scripts have themselves.
func siteWords(in catalog.Printer) string {
	if in.English() {
		return ""
	}
	out, err := json.Marshal(map[string]any{"pages": textsOf(in, pagesTexts), "site": textsOf(in, siteTexts)})
	if err != nil {
		panic(err) // it holds strings alone
	}
	return string(out)
}

// siteTexts are those of site.js.
var siteTexts = texts{
	"empty": "The file is empty. Choose another.", "kind": "Choose a .docx or .pptx file: this is neither.", "large": "The file has more than {n} MiB. Choose a smaller one.",
	"most": "10 MiB at most", "offline": "The file was not sent, because the service does not answer. Press the button again.",
	"now": "just now", "minutes": "{n} min ago", "hours": "{n} h ago", "today": "today, {time}", "yesterday": "yesterday, {time}",
}

// An inLanguage are the pages of the console in one language.
type inLanguage map[string]*template.Template

// sayings are what templates say things with, in a language.
func (s *site) sayings(in catalog.Printer) template.FuncMap {
	return template.FuncMap{
		"t": in.Text, "language": in.Language, "languages": languages, "place": func(where string) string { return placeOf(in, where) },
		"label":     func(of string) string { return labelOf(in, of) },
		"theirs":    func(code, message string) saying { return theirs(in, code, message) },
		"mistake":   in.Mistake,
		"said":      func(of string) saying { return theirs(in, "", of) },
		"ofSetting": func(message string) saying { return ofSetting(in, message) },
		"inEnglish": func() template.HTMLAttr { return inEnglish(in) },
		"faulty":    func(w client.Workflow) string { return s.mistakesAt(w) },
		"state":     func(state string) string { return stateInWords(in, state) },
		"rowMail":   func(row client.BatchRow) saying { return mailTrouble(in, client.Automation{Outputs: row.Outputs}) },
		"rowState":  func(state string) string { return rowInWords(in, state) },
		"receiver":  func(e client.EndpointState, waiting int) saying { return receiverInWords(in, e, waiting) },
		"waiting":   func(w eventWait) saying { return waitingInWords(in, w) },
		"step":      func(name string) string { return stepInWords(in, name) },
		"sharing":   func(sharing string) string { return s.sharingInWords(in, sharing) },
		"kind":      func(kind string) string { return s.kindInWords(in, kind) },
		"protection": func(p *string) string {
			switch {
			case p == nil || *p == "none":
				return ""
			case *p == "password":
				return in.Text(", has a password")
			}
			if *p == "credentials" {
				return in.Text(", asks for credentials")
			}
			return in.Text(", asks for %s", *p)
		},
		"took":        func(from, to time.Time) string { return took(in, from, to) },
		"seconds":     func(ms int) string { return seconds(in, time.Duration(ms)*time.Millisecond) },
		"oddIn":       func(o outputRow) string { return oddInWords(in, len(o.MissingFields), o.Findings) },
		"batchTitle":  func(b client.Batch) string { return batchTitle(in, b) },
		"qr":          func(address string) template.HTML { return qrOf(address, in.Text("QR code of the link")) },
		"scriptWords": func() string { return siteWords(in) },
	}
}

// inEnglish marks an element that has words of the service.
func inEnglish(in catalog.Printer) template.HTMLAttr {
	if in.English() {
		return ""
	}
	return ` lang="en"`
}

// hereOf is the address of a page below the base, for forms that lead back to it.
func hereOf(r *http.Request) string {
	if r.Method != http.MethodGet {
		return "/"
	}
	at := url.URL{Path: r.URL.Path, RawQuery: r.URL.RawQuery}
	return cmp.Or(at.RequestURI(), "/")
}
