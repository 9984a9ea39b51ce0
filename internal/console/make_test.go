package console

import (
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"strings"
	"testing"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/platen"
)

const makePath = "/preview/" + docID + "/make?sig=" + signature

// A maker stands for the console.
type maker struct {
	signedIn bool
	err      error
	made     []string
	data     string // of every run
	test     bool   // so is every run
}

func (m *maker) IsSignedIn(*http.Request) bool { return m.signedIn }

func (m *maker) Make(_ *http.Request, workflowID string, e SentEvent, once string) (string, error) {
	what := workflowID + " " + string(e.Data) + " " + once + e.Reference
	if e.Test {
		what += " test"
	}
	m.made = append(m.made, what)
	return "/console/workflows/wkf_1/runs/aut_1/", m.err
}

func (m *maker) Sent(*http.Request, string, string) (SentEvent, error) {
	return SentEvent{Data: []byte(m.data), Reference: " Order 17", Test: m.test}, m.err
}

func TestOnlyWhoSignedInIsOfferedToMakeADocument(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.workflow.Documents = []platen.Document{f.doc, {ID: "doc_2", File: platen.File{Name: "Terms"}}}
	for _, m := range []*maker{nil, {}, {signedIn: true}} {
		f.maker = nil
		if m != nil {
			f.maker = m
		}
		body := f.get("GET", address, nil).Body.String()
		if got, want := strings.Contains(body, `formaction="`+docID+`/make?sig=`+signature+`" formtarget="_top" name="do" value="make"`), m != nil && m.signedIn; got != want {
			t.Errorf("%+v: is offered %t, want %t", m, got, want)
		} else if want && (!strings.Contains(body, "The same event makes the other document of the workflow, whose own fields") || !strings.Contains(body, `name="once" value="`)) {
			t.Errorf("the page does not say what else is made: %s", body)
		}
	}
	f.maker = nil
	if w := f.post(makePath, "f.Name=Ada&do=make"); w.Code != http.StatusNotFound {
		t.Errorf("where nobody makes documents: got %d, want 404", w.Code)
	}
}

func TestAFormIsMadeOrSaysWhyNotAndKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		maker  maker
		do     string
		status int
		says   string
		made   string
	}{
		"a document":       {maker: maker{signedIn: true}, do: "make", status: http.StatusSeeOther, made: `wkf_1 {"Name":"Ada"} 1`},
		"a test":           {maker: maker{signedIn: true}, do: "test", status: http.StatusSeeOther, made: `wkf_1 {"Name":"Ada"} 1 test`},
		"nobody signed in": {do: "make", status: http.StatusUnauthorized, says: "Sign in first"},
		"the source says no": {maker: maker{signedIn: true, err: &client.Error{Status: http.StatusRequestEntityTooLarge, Detail: "The event is larger than 1 MiB."}}, do: "make",
			status: http.StatusRequestEntityTooLarge, says: "The event is larger than 1 MiB.", made: `wkf_1 {"Name":"Ada"} 1`},
		"another page":           {maker: maker{signedIn: true, err: errForeign}, do: "make", status: http.StatusForbidden, says: "This came from another page", made: `wkf_1 {"Name":"Ada"} 1`},
		"something that is ours": {maker: maker{signedIn: true, err: errors.New("secret")}, do: "make", status: http.StatusServiceUnavailable, says: perhapsMade.Title, made: `wkf_1 {"Name":"Ada"} 1`},
	} {
		f := newFake()
		f.maker = &c.maker
		w := f.post(makePath, "f.Name=Ada&once=1&do="+c.do)
		body := w.Body.String()
		if w.Code != c.status || strings.Join(c.maker.made, ";") != c.made || strings.Contains(body, "secret") && !strings.Contains(body, "secret-key") {
			t.Errorf("%s: got %d and %q made, want %d and %q", what, w.Code, c.maker.made, c.status, c.made)
		}
		if c.status == http.StatusSeeOther {
			if at := w.Header().Get("Location"); at != "/console/workflows/wkf_1/runs/aut_1/" {
				t.Errorf("%s: leads to %s", what, at)
			}
		} else if !strings.Contains(body, c.says) || !strings.Contains(body, `value="Ada"`) {
			t.Errorf("%s: want %q and what was typed in:\n%s", what, c.says, body)
		}
	}
}

func TestAFormThatMustFailAsksBeforeItIsMade(t *testing.T) {
	t.Parallel()
	f := newFake()
	m := &maker{signedIn: true}
	f.maker = m
	f.sample = platen.Sample{Findings: []platen.TemplateFinding{{Where: "paragraph 4", Code: "not_a_number", Message: `Preis: "14,00 €" – write 14.00.`}}}
	w := f.post(makePath, "f.Name=Ada&once=1&do=make")
	body := html.UnescapeString(w.Body.String())
	if w.Code != http.StatusUnprocessableEntity || len(m.made) > 0 {
		t.Fatalf("got %d and %q made, want a question", w.Code, m.made)
	}
	note, _, _ := strings.Cut(body, "</section>")
	for _, want := range []string{wouldFail.Title, `Preis: "14,00 €" – write 14.00.`, `name="do" value="make-anyway"`} {
		if !strings.Contains(note, want) {
			t.Errorf("the question lacks %q:\n%s", want, note)
		}
	}
	if w := f.post(makePath, "f.Name=Ada&once=1&do=test-anyway"); w.Code != http.StatusSeeOther || len(m.made) != 1 || !strings.HasSuffix(m.made[0], " test") {
		t.Errorf("who knows it: got %d and %q made", w.Code, m.made)
	}
	f.sample.PDF = []byte("%PDF-1.7")
	if w := f.post(makePath, "f.Name=Ada&once=1&do=make"); w.Code != http.StatusSeeOther || len(m.made) != 2 {
		t.Errorf("what can be made: got %d and %q made", w.Code, m.made)
	}
}

func TestTheDataOfARunIsChangedInItsForm(t *testing.T) {
	t.Parallel()
	const ofRun = "&of=aut_0123456789ABCDEF"
	for what, c := range map[string]struct {
		maker  maker
		status int
		want   string
	}{
		"a run":            {maker: maker{signedIn: true, data: "Ada of the run"}, status: 200, want: `value="Ada of the run"`},
		"nobody signed in": {maker: maker{data: "Ada of the run"}, status: 200, want: `name="f.Name"`},
		"not theirs":       {maker: maker{signedIn: true, err: &client.Error{Status: 404, Detail: "No such run."}}, status: 404, want: "No such run."},
		"erased":           {maker: maker{signedIn: true, err: refused("The data of this run is erased.")}, status: 400, want: "The data of this run is erased."},
		"too long":         {maker: maker{signedIn: true, data: "long"}, status: 400, want: tooLongForForm.Title},
	} {
		f := newFake()
		f.maker = &c.maker
		w := f.get("GET", address+ofRun, nil)
		body := w.Body.String()
		if w.Code != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: got %d, want %d and %s:\n%s", what, w.Code, c.status, c.want, body)
		}
		if !c.maker.signedIn && strings.Contains(body, "of the run") {
			t.Errorf("%s: the page shows the data", what)
		}
	}
	f := newFake()
	m := &maker{signedIn: true, data: "+over"}
	f.maker = m
	if body := f.get("GET", address+ofRun, nil).Body.String(); !strings.Contains(body, `value="make"`) {
		t.Errorf("no document can be made: %s", body)
	}
	if w := f.post(makePath+ofRun, "f.Name=Grace&once=1&do=make"); w.Code != http.StatusSeeOther || strings.Join(m.made, ";") != `wkf_1 {"Name":"Grace"}+over 1 Order 17` {
		t.Errorf("got %d and %q made", w.Code, m.made)
	}
	m.test = true
	if body := f.get("GET", address+ofRun, nil).Body.String(); strings.Contains(body, `value="make"`) || !strings.Contains(body, `value="test"`) {
		t.Errorf("the data of a test makes a document: %s", body)
	}
	if w := f.post(makePath+ofRun, "f.Name=Grace&once=1&do=make"); w.Code != http.StatusSeeOther || m.made[1] != `wkf_1 {"Name":"Grace"}+over 1 Order 17 test` {
		t.Errorf("got %d and %q made", w.Code, m.made)
	}
	m.signedIn, m.made = false, nil
	if w := f.post(makePath+ofRun, "f.Name=Grace&once=1&do=make"); w.Code != http.StatusUnauthorized || m.made != nil || !strings.Contains(w.Body.String(), "make?of=aut_0123456789ABCDEF&amp;sig=") || !strings.Contains(w.Body.String(), `name="once" value="1"`) {
		t.Errorf("somebody who signs in does not find the button and the run again: %d, %q made: %s", w.Code, m.made, w.Body)
	}
	if policy := f.get("GET", address, nil).Header().Get("Content-Security-Policy"); strings.Contains(policy, "frame-ancestors") {
		t.Errorf("a preview cannot be embedded: %s", policy)
	}
	m.signedIn = true
	if policy := f.get("GET", address, nil).Header().Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'self'") {
		t.Errorf("another site can frame the buttons of who signed in: %s", policy)
	}
}

func TestARunWhoseDataIsErasedHasNoEvent(t *testing.T) {
	t.Parallel()
	if e, err := sentEvent(catalog.Printer{}, client.AutomationDetail{SourceData: json.RawMessage("null")}); err == nil {
		t.Errorf("got %+v", e)
	}
	reference := "Order 17"
	of := client.AutomationDetail{SourceData: json.RawMessage(`{}`)}
	of.Reference, of.Test = &reference, true
	if e, err := sentEvent(catalog.Printer{}, of); err != nil || string(e.Data) != "{}" || e.Reference != reference || !e.Test {
		t.Errorf("got %+v, %v", e, err)
	}
}
