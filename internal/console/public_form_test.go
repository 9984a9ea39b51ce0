package console

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/secret"
)

const publicKey = "5Yq0cK8sVtB2nJ7hDxW3uLmR9pZ"

// A hall is a public form with all that it needs.
type hall struct {
	t        *testing.T
	form     platen.PublicForm
	wf       platen.Workflow
	findings []platen.RowFinding
	count    error
	accept   error
	events   []platen.SourceEvent
	counted  [][]byte
	tried    int // how often templates were
	now      time.Time
	// automation is what /v0 answers, and pdf the file; asked are the paths.
	automation map[string]any
	asked      []string
	log        bytes.Buffer
	handler    http.Handler
}

func newHall(t *testing.T) *hall {
	t.Helper()
	h := &hall{
		t:    t,
		form: platen.PublicForm{ID: "frm_0123456789abcdef", Key: publicKey, Enabled: true, Title: "Order <b>", Text: "First.\nSecond.", ShowsPages: true, PerDay: 5, PerAddress: 2},
		wf: platen.Workflow{ID: "wkf_0123456789abcdef", Name: "Internal name", Status: platen.StatusComplete, AutoCreate: true, Owner: platen.User{ID: "usr_0123456789abcdef", Name: "Grace"},
			Source: platen.Source{Key: "the-secret-key", Fields: []string{"Name"}}},
		now:        time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		automation: map[string]any{"id": "", "state": "RUNNING", "acceptedAt": "2026-01-02T03:04:05Z"},
	}
	box, err := secret.ParseKeys(secret.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	h.handler = NewPublicForms(PublicFormOptions{
		Forms: h, Templates: h, Seen: h, API: http.HandlerFunc(h.answer), Accepting: h, Find: h.find,
		Wait:   func(context.Context, string, string, time.Duration) (bool, bool) { return true, true },
		Sealer: box, AddressKey: []byte("key"), Client: func(*http.Request) netip.Addr { return netip.MustParseAddr("203.0.113.7") },
		PublicURL: "https://forms.test", EventLimit: 1 << 20, Now: func() time.Time { return h.now }, Log: slog.New(slog.NewTextHandler(&h.log, nil)),
	})
	return h
}

func (h *hall) PublicFormByKey(_ context.Context, key string) (platen.PublicForm, platen.Workflow, error) {
	if key != h.form.Key {
		return platen.PublicForm{}, platen.Workflow{}, platen.ErrPublicFormNotFound()
	}
	return h.form, h.wf, nil
}

func (h *hall) CountPublicForm(_ context.Context, _ platen.PublicForm, address []byte, _ time.Time) error {
	h.counted = append(h.counted, address)
	return h.count
}

func (h *hall) EventForm(context.Context, platen.Workflow) (platen.EventForm, error) { return h, nil }

func (h *hall) SeenFields(context.Context, string) ([]platen.SeenField, error) { return nil, nil }

func (h *hall) Form([]string, platen.FormInput) platen.Form {
	return platen.Form{Fields: []platen.FormField{
		{Name: "Name", Label: "Name", Kind: platen.FormText}, {Name: "Total", Label: "Total", Kind: platen.FormNumber}, {Name: "Paid", Label: "Paid", Kind: platen.FormTruth},
		{Name: "Items", Label: "Items", Kind: platen.FormList, Fields: []platen.FormField{{Name: "Part", Label: "Part", Kind: platen.FormText}, {Name: "Price", Label: "Price", Kind: platen.FormNumber}}},
	}}
}

func (h *hall) Try([]byte) ([]platen.RowFinding, error) {
	h.tried++
	return h.findings, nil
}

func (h *hall) Size() int { return 1000 }

func (h *hall) DataOf(_ platen.Form, in platen.FormInput, _ []byte) ([]byte, error) {
	return json.Marshal(in.Texts)
}

func (h *hall) Accept(_ context.Context, e platen.SourceEvent) error {
	if h.accept == nil {
		h.events = append(h.events, e)
	}
	return h.accept
}

func (h *hall) find(_ context.Context, e platen.SourceEvent) (platen.Accepted, error) {
	for _, was := range h.events {
		if was.EventKey == e.EventKey && bytes.Equal(was.Body, e.Body) {
			return platen.Accepted{AutomationID: was.AutomationID, WorkflowID: h.wf.ID, OwnerID: h.wf.Owner.ID}, nil
		}
	}
	return platen.Accepted{}, platen.ErrAutomationNotFound()
}

// answer is that of /v0: for the owner, and of the automation that was accepted.
func (h *hall) answer(w http.ResponseWriter, r *http.Request) {
	h.asked = append(h.asked, r.URL.Path)
	if user, _ := platen.SignedIn(r.Context()); user != h.wf.Owner.ID {
		h.t.Errorf("%s was asked for %q, want the owner", r.URL.Path, user)
	}
	if strings.HasSuffix(r.URL.Path, "/pdf/") {
		w.Header().Set("Content-Type", platen.MIMEPDF)
		w.Header().Set("Content-Disposition", `inline; filename="Order 7.pdf"`)
		_, _ = w.Write([]byte("%PDF-1.7"))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(h.automation)
}

func (h *hall) ask(method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, r)
	if len(w.Result().Cookies()) > 0 {
		h.t.Errorf("%s %s sets a cookie", method, path)
	}
	return w
}

// send sends the form, and returns the address of its result.
func (h *hall) send(values string) string {
	h.t.Helper()
	w := h.ask("POST", FormsPath+publicKey, values)
	if w.Code != http.StatusSeeOther {
		h.t.Fatalf("got %d:\n%s", w.Code, w.Body)
	}
	return FormsPath + w.Header().Get("Location")
}

func shows(t *testing.T, w *httptest.ResponseRecorder, status int, want ...string) {
	t.Helper()
	if w.Code != status {
		t.Errorf("got %d, want %d", w.Code, status)
	}
	for _, text := range want {
		if !strings.Contains(w.Body.String(), text) {
			t.Errorf("want %q in:\n%s", text, w.Body)
		}
	}
}

func TestAPublicFormHasTheFieldsOfTheTemplatesAndNothingElse(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	w := h.ask("GET", FormsPath+publicKey, "")
	shows(t, w, http.StatusOK, "<h1>Order &lt;b&gt;</h1>", "<p>First.</p>\n<p>Second.</p>", `name="f.Name"`, `name="f.Items[0].Price"`, `action="`+publicKey+`"`, `name="once"`)
	for _, secret := range []string{"the-secret-key", "Internal name", "Grace", h.wf.ID} {
		if strings.Contains(w.Body.String(), secret) {
			t.Errorf("the page says %s", secret)
		}
	}
	policy := w.Header().Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "form-action 'self'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("got the policy %q, want %s", policy, want)
		}
	}
	h.form.Title = ""
	shows(t, h.ask("GET", FormsPath+publicKey, ""), http.StatusOK, "<h1>Internal name</h1>")
}

func TestAPublicFormSpeaksTheLanguageOfTheBrowser(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	for language, want := range map[string]string{"en": ">Send<", "de-AT,en;q=0.5": ">Absenden<", "fr": ">Envoyer<", "es-MX": ">Enviar<", "ja": ">Send<", "": ">Send<", "\x00;;": ">Send<"} {
		w := h.ask("GET", FormsPath+publicKey, "", "Accept-Language", language)
		shows(t, w, http.StatusOK, want, `<html lang="`+w.Header().Get("Content-Language")+`">`)
	}
}

func TestAnAddressOfNoPublicFormSaysNothingElse(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	for _, path := range []string{FormsPath, FormsPath + "x", FormsPath + publicKey + "/", FormsPath + publicKey + "/other", FormsPath + publicKey + "/made/", FormsPath + publicKey + "/made/AAAA", FormsPath + strings.Repeat("x", 5000)} {
		want := http.StatusNotFound
		if path == FormsPath+publicKey+"/" {
			want = http.StatusPermanentRedirect
		}
		if w := h.ask("GET", path, ""); w.Code != want {
			t.Errorf("%.60s: got %d, want %d", path, w.Code, want)
		}
	}
	for method, path := range map[string]string{"PUT": FormsPath + publicKey, "DELETE": FormsPath + publicKey, "POST": FormsPath + publicKey + "/made/AAAA"} {
		w := h.ask(method, path, "")
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") == "" {
			t.Errorf("%s %s: got %d", method, path, w.Code)
		}
	}
}

func TestADoubledFormMakesOneDocument(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	first, second := h.send("once=a&do=send&f.Name=Ada"), h.send("once=a&do=send&f.Name=Ada")
	if len(h.events) != 1 || len(h.counted) != 1 {
		t.Fatalf("got %d events, %d counted, want one", len(h.events), len(h.counted))
	}
	e := h.events[0]
	if string(e.Body) != `{"Name":"Ada"}` || e.SourceKey != h.wf.Source.Key || !strings.HasPrefix(e.RequestID, "form-") || e.Test {
		t.Errorf("got %+v", e)
	}
	for _, at := range []string{first, second} {
		shows(t, h.ask("GET", at, ""), http.StatusOK, `data-state="waiting"`)
	}
	h.send("once=a&do=send&f.Name=Grace") // it was corrected
	h.send("once=b&do=send&f.Name=Ada")   // another form
	if len(h.events) != 3 {
		t.Errorf("got %d events, want another one for other data, and for another form", len(h.events))
	}
}

func TestWhatIsWrongStandsAtItsFieldAndNothingIsSent(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.findings = []platen.RowFinding{
		{Field: "Total", Code: "not_a_number", Message: "secret words"}, {Field: "Items, item 2, Price", Code: "not_a_number"}, {Field: "name", Code: "fields_missing"},
		{Field: "Paid", Note: true},
	}
	w := h.ask("POST", FormsPath+publicKey, "once=a&do=send&f.Total=twelve&r.Items=&r.Items=4&r.Items=5&r.Items=6&f.Items[4].Part=x&f.Items[6].Part=y&f.Items[6].Price=z", "Accept-Language", "de")
	shows(t, w, http.StatusBadRequest, "Etwas fehlt oder stimmt nicht", `value="twelve" maxlength="100" aria-invalid="true" aria-describedby="wrong-2"`,
		`<p class="why" id="wrong-2" role="alert">Geben Sie eine Zahl ein, etwa 12,50.</p>`, `id="wrong-1" role="alert">Füllen Sie dieses Feld aus.`, `name="f.Items[6].Price" value="z" maxlength="100" aria-invalid="true"`, "Price, Zeile 3")
	if len(h.events)+len(h.counted) > 0 || strings.Contains(w.Body.String(), "secret words") {
		t.Errorf("got %d events, %d counted:\n%s", len(h.events), len(h.counted), w.Body)
	}
	for name, f := range map[string]platen.RowFinding{"of the template": {Field: "Total", OfTemplate: true}, "of nothing in the form": {Field: "Other"}} {
		h.findings = []platen.RowFinding{f}
		shows(t, h.ask("POST", FormsPath+publicKey, "once=a&do=send&f.Name=x"), http.StatusServiceUnavailable, "The form does not work right now", `value="x"`)
		if len(h.events) > 0 {
			t.Errorf("%s: an event was sent", name)
		}
	}
}

func TestRowsComeAndGoWithoutScripts(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	w := h.ask("POST", FormsPath+publicKey, "once=a&do=add:Items&f.Name=Ada&r.Items=0&f.Items[0].Part=x")
	shows(t, w, http.StatusOK, `name="f.Items[1].Part"`, `value="Ada"`, `value="x"`, `name="once" value="a"`)
	if len(h.events) > 0 {
		t.Error("an event was sent")
	}
}

func TestLimitsOfADayAreSaidAndNothingIsSent(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	for code, want := range map[string]string{"public_form_day": "This form was sent as often today", "public_form_address": "from your address"} {
		h.count = platen.Errorf(platen.KindRateLimited, code, "no more")
		shows(t, h.ask("POST", FormsPath+publicKey, "once=a&do=send&f.Name=Ada"), http.StatusTooManyRequests, want, `value="Ada"`)
	}
	if len(h.events) > 0 {
		t.Error("an event was sent")
	}
}

func TestAnAddressIsCountedWithoutBeingKept(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 23, 0, 0, 0, time.UTC)
	one := hashOf([]byte("key"), "frm_a", at, netip.MustParseAddr("2001:db8::1"))
	for name, other := range map[string][]byte{
		"another day":     hashOf([]byte("key"), "frm_a", at.Add(2*time.Hour), netip.MustParseAddr("2001:db8::1")),
		"another form":    hashOf([]byte("key"), "frm_b", at, netip.MustParseAddr("2001:db8::1")),
		"another network": hashOf([]byte("key"), "frm_a", at, netip.MustParseAddr("2001:db8:0:1::1")),
	} {
		if bytes.Equal(one, other) {
			t.Errorf("%s has the same hash", name)
		}
	}
	if !bytes.Equal(one, hashOf([]byte("key"), "frm_a", at, netip.MustParseAddr("2001:db8::ffff"))) {
		t.Error("two addresses of one network have two hashes")
	}
	if !bytes.Equal(hashOf(nil, "f", at, netip.MustParseAddr("::ffff:192.0.2.1")), hashOf(nil, "f", at, netip.MustParseAddr("192.0.2.1"))) {
		t.Error("an IPv4 address has another hash as an IPv6 one")
	}
}

func TestAFormThatIsOffOrCannotMakeAnythingTakesNothing(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(h *hall){
		"off":         func(h *hall) { h.form.Enabled = false },
		"incomplete":  func(h *hall) { h.wf.Status = platen.StatusIncomplete },
		"not started": func(h *hall) { h.wf.AutoCreate = false },
	} {
		h := newHall(t)
		change(h)
		shows(t, h.ask("GET", FormsPath+publicKey, ""), http.StatusServiceUnavailable, "The form takes nothing right now")
		shows(t, h.ask("POST", FormsPath+publicKey, "once=a&do=send&f.Name=Ada"), http.StatusServiceUnavailable, "The form takes nothing right now")
		if len(h.events) > 0 {
			t.Errorf("%s: an event was sent", name)
		}
	}
}

func TestAFormOfAnotherPageIsRefused(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	w := h.ask("POST", FormsPath+publicKey, "once=a&do=send&f.Name=Ada", "Sec-Fetch-Site", "cross-site")
	if shows(t, w, http.StatusForbidden, "This came from another page"); len(h.events) > 0 {
		t.Error("an event was sent")
	}
}

func TestWhenItIsNotKnownWhetherAnEventWasTakenTheFormStays(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.accept = errors.New("the database is away")
	shows(t, h.ask("POST", FormsPath+publicKey, "once=a&do=send&f.Name=Ada"), http.StatusServiceUnavailable, "Press the button again", `value="Ada"`, `name="once" value="a"`)
	if strings.Contains(h.log.String(), "Ada") || !strings.Contains(h.log.String(), "the database is away") {
		t.Errorf("the log has %s", h.log.String())
	}
}

func TestAFormThatIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	shows(t, h.ask("POST", FormsPath+publicKey, "once=a&do=send&f.Name="+strings.Repeat("x", maxForm)), http.StatusRequestEntityTooLarge, "That is too much")
	var many strings.Builder
	for i := range maxParts + 1 {
		fmt.Fprintf(&many, "f.%d=x&", i)
	}
	shows(t, h.ask("POST", FormsPath+publicKey, many.String()), http.StatusRequestEntityTooLarge, "That is too much")
	if len(h.events) > 0 {
		t.Error("an event was sent")
	}
}

// outputs are those of an automation that has ended.
func (h *hall) ends(state string, outputs ...string) {
	h.automation["state"], h.automation["finishedAt"] = state, "2026-01-02T03:04:07Z"
	all := []map[string]any{}
	for _, id := range outputs {
		all = append(all, map[string]any{"id": id, "state": "DONE", "files": []map[string]any{{"name": "Order 7.pdf"}}})
	}
	h.automation["outputs"] = all
}

func TestAResultIsShownForAnHourToWhoHasItsAddress(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	at := h.send("once=a&do=send&f.Name=Ada")
	id := h.events[0].AutomationID
	if plain, err := base64.RawURLEncoding.DecodeString(at[strings.LastIndex(at, "/")+1:]); err != nil || strings.Contains(at, id) || bytes.Contains(plain, []byte(id)) {
		t.Errorf("the address %s names the automation %s, or is none: %v", at, id, err)
	}
	shows(t, h.ask("GET", at, ""), http.StatusOK, `data-state="waiting"`, `http-equiv="refresh"`)
	h.ends("COMPLETED", "out_0123456789abcdef")
	w := h.ask("GET", at, "")
	file := regexp.MustCompile(`href="([^"]*\.pdf)\?download=1"`).FindStringSubmatch(w.Body.String())
	if shows(t, w, http.StatusOK, `data-state="shown"`, "Your document is ready", "Download Order 7.pdf", "04:04 UTC"); file == nil {
		t.Fatal("no file is linked")
	}
	base, _ := url.Parse("https://forms.test" + at)
	pdf := base.ResolveReference(&url.URL{Path: file[1]}).Path
	got := h.ask("GET", pdf, "")
	if got.Code != http.StatusOK || got.Body.String() != "%PDF-1.7" || !strings.Contains(got.Header().Get("Content-Disposition"), `filename="Order 7.pdf"`) {
		t.Errorf("%s: got %d %q %s", pdf, got.Code, got.Body, got.Header())
	}
	// Those of other automations are there for nobody.
	if w := h.ask("GET", strings.Replace(pdf, "out_0123456789abcdef", "out_0000000000000000", 1), ""); w.Code != http.StatusNotFound {
		t.Errorf("another output: got %d", w.Code)
	}
	if w := h.ask("GET", at[:len(at)-2]+"AA", ""); w.Code != http.StatusNotFound {
		t.Errorf("an address that was changed: got %d", w.Code)
	}
	h.form.ShowsPages = false
	shows(t, h.ask("GET", at, ""), http.StatusOK, `data-state="sent"`, "Your form was sent.")
	if w := h.ask("GET", pdf, ""); w.Code != http.StatusNotFound {
		t.Errorf("where the document is not shown: got %d", w.Code)
	}
	h.form.ShowsPages = true
	h.now = h.now.Add(platen.FormResultTime)
	for _, path := range []string{at, pdf} {
		shows(t, h.ask("GET", path, ""), http.StatusGone, "This page has ended")
	}
}

func TestAResultOfOneFormIsNoneOfAnother(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	at := h.send("once=a&do=send&f.Name=Ada")
	h.form.ID, h.asked = "frm_another000000000", nil
	if w := h.ask("GET", at, ""); w.Code != http.StatusNotFound || len(h.asked) > 0 {
		t.Errorf("got %d, and %q was asked", w.Code, h.asked)
	}
}

func TestAResultSaysHowItEnded(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]string{"FAILED": "The document could not be made", "SKIPPED": "No document is made", "CANCELLED": "No document is made", "COMPLETED": "No document is made"} {
		h := newHall(t)
		at := h.send("once=a&do=send&f.Name=Ada")
		h.ends(state)
		h.automation["error"] = map[string]any{"code": "x", "message": "secret words"}
		w := h.ask("GET", at, "")
		if shows(t, w, http.StatusOK, want); strings.Contains(w.Body.String(), "secret words") {
			t.Errorf("%s: the page says the owner's words", state)
		}
	}
	h := newHall(t)
	at := h.send("once=a&do=send&f.Name=Ada")
	h.now = h.now.Add(2 * lateAfter)
	shows(t, h.ask("GET", at, ""), http.StatusOK, `data-state="late"`)
	for _, erased := range []any{"2026-01-02T03:05:00Z", nil} {
		h.automation["erasure"] = map[string]any{"requestedAt": "2026-01-02T03:04:00Z", "erasedAt": erased}
		shows(t, h.ask("GET", at, ""), http.StatusGone, "This page has ended")
	}
}

func TestTooManyRequestsOfOneFormAreRefused(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	forms := h.handler.(*publicForms)
	refuse := func(_ http.Header, key [32]byte) error {
		if key != sha256.Sum256([]byte(publicKey)) {
			t.Error("another form is counted")
		}
		return errors.New("too many")
	}
	forms.SendLimit = refuse
	shows(t, h.ask("POST", FormsPath+publicKey, "once=a&do=send&f.Name=Ada"), http.StatusTooManyRequests, "Too much at once", `value="Ada"`)
	forms.Limit = refuse
	shows(t, h.ask("GET", FormsPath+publicKey, ""), http.StatusTooManyRequests, "Too much at once")
	if len(h.events) > 0 || h.tried > 0 {
		t.Errorf("%d events were sent, and templates were tried %d times", len(h.events), h.tried)
	}
}

// Each text that a page of a public form takes from elsewhere is in the catalogue.
func TestWhatAPublicFormSaysIsInEachLanguage(t *testing.T) {
	t.Parallel()
	for _, language := range catalog.Languages()[1:] {
		p := catalog.In(language)
		for _, page := range []errorPage{noSuchForm, formClosed, formBroken, fromElsewhere, incomplete, tooManyRows, enoughToday, enoughOfAddress, perhapsSent, resultEnded, tooOften, tooMuch, formUnread} {
			for _, text := range []string{page.Title, page.Text} {
				if p.Text(text) == text {
					t.Errorf("%s: %q is in English", language, text)
				}
			}
		}
	}
}
