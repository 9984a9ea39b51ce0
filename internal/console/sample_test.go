package console

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/platenhq/platen"
)

const sampleAddress = "/preview/" + docID + "/sample.pdf?sig=" + signature

func TestTheFormAsksForEverySourceField(t *testing.T) {
	t.Parallel()
	body := newFake().get("GET", address, nil).Body.String()
	for _, want := range []string{
		`<form method="post" action="?sig=` + signature + `"`, `<textarea name="f.Items.Price" rows="1"`, `name="f.&lt;script&gt;"`,
		`<button formaction="` + docID + `/sample.pdf?sig=` + signature + `"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("want %s in:\n%s", want, body)
		}
	}
	f := newFake()
	f.workflow.Source.Fields = make([]string, maxFields+3)
	if body := f.get("GET", address, nil).Body.String(); strings.Count(body, "<textarea") != maxFields || !strings.Contains(body, "And 3 more") {
		t.Errorf("of many fields: got %d", strings.Count(body, "<textarea"))
	}
}

func TestTheSampleStandsOnThePageWithWhatWasFoundAndTyped(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.sample = platen.Sample{
		Name: "Invoice <7>", PDF: []byte("%PDF"), MissingFields: []string{"No<"}, PDFFindings: []platen.Finding{{Message: "日 <i>"}},
		Findings: []platen.TemplateFinding{
			{Where: "paragraph 1", Around: `a "quoted" <b>`, Message: "The source has no field <Nam>.", Nearest: []string{"Name<"}},
			{Where: "paragraph 2", Tag: "{{image <Logo>}}", Message: "It is no picture."},
		},
	}
	w := f.post(address, "f.Name=%3Cb%3EAda&f.Items.Price=1%0D%0A2&other=x")
	body := w.Body.String()
	for _, want := range []string{
		"Invoice &lt;7&gt;", `<object data="data:application/pdf;base64,JVBERg==" type="application/pdf"`,
		"It is no picture. <span class=\"soft\">At “{{image &lt;Logo&gt;}}”.</span>",
		"<strong>paragraph 1:</strong> The source has no field &lt;Nam&gt;. Did you mean <code>Name&lt;</code>?", `a &#34;quoted&#34; &lt;b&gt;`,
		"Without a value: <code>No&lt;</code>.", "日 &lt;i&gt;",
		`rows="2" maxlength="20000">1` + "\r\n2</textarea>", `>&lt;b&gt;Ada</textarea>`, `<a href="?sig=` + signature + `">Back to the template</a>`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("want %s in:\n%s", want, body)
		}
	}
	if f.typed["Name"] != "<b>Ada" || f.typed["Items.Price"] != "1\r\n2" || len(f.typed) != 2 {
		t.Errorf("typed: got %q", f.typed)
	}
	if got := w.Header().Get("Content-Security-Policy"); !strings.Contains(got, "object-src 'self' data:") || !strings.Contains(got, "form-action 'self'") ||
		!strings.Contains(got, "script-src 'self';") || !strings.Contains(got, "connect-src 'self';") {
		t.Errorf("policy: got %q", got)
	}
	if strings.Contains(body, "<b>Ada") || strings.Contains(body, "template.pdf?sig="+signature+`" type`) {
		t.Errorf("got:\n%s", body)
	}
}

func TestASampleThatCannotBeMadeIsExplained(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.sample.Findings = []platen.TemplateFinding{{Message: "There is no function SUMM."}}
	for _, path := range []string{address, sampleAddress} {
		w := f.post(path, "")
		if body := w.Body.String(); w.Code != 200 || !strings.Contains(body, "cannot be filled") || !strings.Contains(body, "There is no function SUMM.") || strings.Contains(body, "<object") {
			t.Errorf("%s: got %d:\n%s", path, w.Code, body)
		}
	}
	body := f.post(sampleAddress, "").Body.String()
	for _, want := range []string{`action="../` + docID + `?sig=`, `formaction="sample.pdf?sig=`} {
		if !strings.Contains(body, want) {
			t.Errorf("below the page: want %s in:\n%s", want, body)
		}
	}
}

func TestTheSampleAloneIsADownload(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.sample = platen.Sample{Name: "Invoice 7", PDF: []byte("%PDF")}
	w := f.post(sampleAddress, "f.Name=Ada")
	if w.Code != 200 || w.Body.String() != "%PDF" || w.Header().Get("Cache-Control") != "private, no-store" ||
		w.Header().Get("Content-Disposition") != `attachment; filename="Invoice 7.pdf"` {
		t.Errorf("got %d %v %q", w.Code, w.Header(), w.Body)
	}
	f.sample.PDF = make([]byte, maxShown+1)
	if body := f.post(address, "").Body.String(); strings.Contains(body, "data:") || !strings.Contains(body, "too large to be shown") {
		t.Error("a large PDF stands in the page")
	}
}

func TestSamplesAreBounded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*fake)
		form   string
		status int
	}{
		"a large form":        {func(*fake) {}, "f.a=" + strings.Repeat("x", maxForm), http.StatusRequestEntityTooLarge},
		"no form":             {func(*fake) {}, "%zz", http.StatusBadRequest},
		"too many of one":     {func(f *fake) { f.limit = errors.New("wait") }, "", http.StatusTooManyRequests},
		"too many at once":    {func(f *fake) { f.sampleErr = platen.Errorf(platen.KindRateLimited, "", "busy") }, "", http.StatusTooManyRequests},
		"no drive":            {func(f *fake) { f.sampleErr = errors.New("secret detail") }, "", http.StatusServiceUnavailable},
		"a template is gone":  {func(f *fake) { f.sampleErr = platen.Errorf(platen.KindInvalid, "", "It is gone.") }, "", http.StatusNotFound},
		"a document is gone":  {func(f *fake) { f.err = platen.Errorf(platen.KindNotFound, "", "gone") }, "", http.StatusNotFound},
		"an address is wrong": {func(f *fake) { f.doc.PreviewVersion = 1 }, "", http.StatusNotFound},
	} {
		f := newFake()
		c.change(f)
		if w := f.post(address, c.form); w.Code != c.status || strings.Contains(w.Body.String(), "secret detail") {
			t.Errorf("%s: got %d, want %d:\n%s", name, w.Code, c.status, w.Body)
		}
	}
	for path, method := range map[string]string{address: "PUT", sampleAddress: "GET", pdf: "POST"} {
		if w := newFake().get(method, path, nil); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") == "" {
			t.Errorf("%s %s: got %d, Allow %q", method, path, w.Code, w.Header().Get("Allow"))
		}
	}
}

func TestWhatWasTypedInIsStillThereWhenThereIsNoSample(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*fake)
		status int
		says   string
	}{
		"too many of one":    {func(f *fake) { f.limit = errors.New("wait") }, http.StatusTooManyRequests, "Too much at once"},
		"too many at once":   {func(f *fake) { f.sampleErr = platen.Errorf(platen.KindRateLimited, "", "busy") }, http.StatusTooManyRequests, "Too much at once"},
		"no drive":           {func(f *fake) { f.sampleErr = errors.New("secret detail") }, http.StatusServiceUnavailable, "The drive does not answer"},
		"a template is gone": {func(f *fake) { f.sampleErr = platen.Errorf(platen.KindInvalid, "", "It is <gone>.") }, http.StatusNotFound, "It is &lt;gone&gt;."},
	} {
		for path, action := range map[string]string{address: "?sig=" + signature, sampleAddress: "../" + docID + "?sig=" + signature} {
			f := newFake()
			c.change(f)
			w := f.post(path, "f.Name=%3CAda%3E")
			body := w.Body.String()
			if w.Code != c.status || (w.Header().Get("Retry-After") == "") != (c.status == http.StatusNotFound) {
				t.Errorf("%s: got %d %v, want %d", name, w.Code, w.Header(), c.status)
			}
			for _, want := range []string{c.says, ">&lt;Ada&gt;</textarea>", `<form method="post" action="` + action + `"`, `<a href="` + action + `">Back to the template</a>`} {
				if !strings.Contains(body, want) {
					t.Errorf("%s: want %s in:\n%s", name, want, body)
				}
			}
			if strings.Contains(body, "secret detail") || strings.Contains(body, "<object") {
				t.Errorf("%s: got:\n%s", name, body)
			}
		}
	}
}

// Every export costs the drive a good second, and needs nothing but the address.
func TestThePagesOfATemplateAreLimited(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.pagesLimit = errors.New("wait")
	if w := f.get("GET", pdf, nil); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Errorf("the PDF: got %d %v, want 429", w.Code, w.Header())
	}
	if w := f.get("GET", address, nil); w.Code != http.StatusOK {
		t.Errorf("the page: got %d, want 200", w.Code)
	}
}

func TestAnAddressEndsWhenANewOneIsMade(t *testing.T) {
	t.Parallel()
	mac := hmac.New(sha256.New, []byte("preview-key"))
	mac.Write([]byte(docID + ".2"))
	second := "/preview/" + docID + "?sig=" + url.QueryEscape(base64.RawURLEncoding.EncodeToString(mac.Sum(nil))) // and its version
	f := newFake()
	f.doc.PreviewVersion = 2
	for path, want := range map[string]int{second + "&v=2": 200, address: 404, address + "&v=2": 404, second: 404, second + "&v=02": 404, second + "&v=1": 404, second + "&v=x": 404} {
		if w := f.get("GET", path, nil); w.Code != want {
			t.Errorf("%s: got %d, want %d", path, w.Code, want)
		}
	}
	if body := f.get("GET", second+"&v=2", nil).Body.String(); !strings.Contains(body, "template.pdf?sig=") || !strings.Contains(body, "&amp;v=2") {
		t.Errorf("links have no version:\n%s", body)
	}
}
