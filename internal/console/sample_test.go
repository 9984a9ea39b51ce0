package console

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

const sampleAddress = "/preview/" + docID + "/sample.pdf?sig=" + signature

func (f *fake) page(t *testing.T, path, form string, status int, want ...string) string {
	t.Helper()
	w := f.get("GET", path, nil)
	if form != "" {
		w = f.post(path, form)
	}
	body := w.Body.String()
	if w.Code != status {
		t.Errorf("%s: got %d, want %d", form, w.Code, status)
	}
	for _, text := range want {
		if !strings.Contains(body, text) {
			t.Errorf("%s: want %s in:\n%s", form, text, body)
		}
	}
	return body
}

func TestTheFormAsksForEachValueByItsKind(t *testing.T) {
	t.Parallel()
	f := newFake()
	body := f.page(t, address, "", 200,
		`<form id="studio" method="post" action="?sig=`+signature+`" enctype="multipart/form-data"`,
		`<button formaction="`+docID+`/sample.pdf?sig=`+signature+`"`, `data-live="`+docID+`/live?sig=`+signature+`" data-typing="on"`,
		`<input name="f.Name"`, `name="f.&lt;script&gt;"`, `<input type="date" name="f.Due"`, `<input inputmode="decimal" name="f.Total"`, `<input type="checkbox" name="f.Paid"`,
		`<textarea name="f.Note"`, `<input type="file" name="u.Logo" accept="image/png,image/jpeg,image/gif">`,
		`<legend>Customer › Address</legend>`, `name="f.Customer.Address.Street"`, `value="list:Customer"`,
		`<input type="hidden" name="r.Items" value="0">`, `name="f.Items[0].Part"`, `value="add:Items"`, `value="drop:Items[0]"`, `name="f.Items[0].Lots[0]"`, `value="add:Items[0].Lots"`,
		`data-token="[&#43;1]"`, `name="f.Items[&#43;1].Lots[&#43;2]"`, `<th scope="col">Part</th>`)
	if strings.Contains(body, "{{Name}}") || !slices.Equal(f.known, []string{"Name", "Items.Price", "<script>", "Of an earlier event"}) {
		t.Errorf("known: got %q; labels have no braces", f.known)
	}
}

func TestAFaultyTemplateShowsItsMistakesAtOnceWithTheirMarks(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.form.Findings = []platen.TemplateFinding{
		{Where: "slide 2", Tag: `{{Nmae"}}`, Message: "The source has no field Nmae.", Nearest: []string{"Name"}}, {Where: "outputName", Tag: "{{Other}}", Message: "No."}, {Where: "paragraph 1", Around: "Dear {{", Message: "Not closed."},
	}
	f.page(t, address, "", 200, "Mistakes in the template", `<li id="finding-1">`, "Did you mean <code>Name</code>?", `<li id="finding-3">`,
		`data-marks="[{&#34;text&#34;:&#34;{{Nmae\&#34;}}&#34;,&#34;one&#34;:true,&#34;page&#34;:2,&#34;label&#34;:&#34;1&#34;,&#34;title&#34;:&#34;The source has no field Nmae.&#34;},{&#34;text&#34;:&#34;Dear {{&#34;,&#34;one&#34;:true,&#34;label&#34;:&#34;3&#34;`)
}

func TestATemplateThatIsGoneSaysSoAndWhomToAsk(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.formErr = platen.Errorf(platen.KindNotFound, "drive_file_not_found", "The file is not there.")
	body := f.page(t, address, "", 404, "The template is gone", "Ask Grace, who owns this workflow")
	for _, dead := range []string{"template.pdf", "<form", "<script", "Back to the template"} {
		if strings.Contains(body, dead) {
			t.Errorf("a page without a template has %s:\n%s", dead, body)
		}
	}
	f.formErr = errors.New("dial tcp: secret detail")
	body = f.page(t, address, "", 503, "The drive does not answer", `name="f.Items.Price"`)
	if strings.Contains(body, "secret detail") {
		t.Errorf("got:\n%s", body)
	}
}

// A link to the pages that was open before leads to the same words, not to an id to check.
func TestThePagesOfATemplateThatIsGoneSayTheSame(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.driveErr = platen.Errorf(platen.KindNotFound, "drive_file_not_found", "Check the file's id.")
	for _, download := range []string{"", "&download=1"} {
		body := f.page(t, pdf+download, "", 404, "The template is gone", "Ask Grace, who owns this workflow")
		if strings.Contains(body, "Check the file") {
			t.Errorf("got:\n%s", body)
		}
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
	body := f.page(t, address, "f.Name=%3Cb%3EAda&f.Note=1%0D%0A2&f.Paid=yes&r.Items=&r.Items=3&r.Items=x&f.Items%5B3%5D.Part=Bolt&k.Customer=list&other=x", 200,
		"Invoice &lt;7&gt;", `<object data="data:application/pdf;base64,JVBERg==" type="application/pdf"`,
		"It is no picture. <span class=\"soft\">“{{image &lt;Logo&gt;}}”</span>",
		"<strong>paragraph 1:</strong> The source has no field &lt;Nam&gt;. Did you mean <code>Name&lt;</code>?", `a &#34;quoted&#34; &lt;b&gt;`,
		"Still empty: <code>No&lt;</code>.", "日 &lt;i&gt;", `maxlength="20000">1`+"\r\n2</textarea>", `value="&lt;b&gt;Ada"`, `name="f.Items[3].Part" value="Bolt"`, `value="yes" checked`, `<a href="?sig=`+signature+`">Back to the template</a>`)
	if f.typed.Texts["Name"] != "<b>Ada" || f.typed.Texts["Items[3].Part"] != "Bolt" || len(f.typed.Texts) != 4 || fmt.Sprint(f.typed.Rows, f.typed.Lists) != "map[Items:[3]] map[Customer:true]" {
		t.Errorf("typed: got %+v", f.typed)
	}
	if strings.Contains(body, "<b>Ada") {
		t.Errorf("got:\n%s", body)
	}
}

func TestButtonsChangeTheFormAndKeepWhatWasTyped(t *testing.T) {
	t.Parallel()
	const typed = "f.Name=Ada&r.Items=&r.Items=0&f.Items%5B0%5D.Part=Bolt&f.Customer.Address.Street=Way&do="
	for button, want := range map[string][]string{
		"add:Items":         {`name="f.Items[0].Part" value="Bolt"`, `name="f.Items[1].Part" value=""`},
		"add:Items[0].Lots": {`name="f.Items[0].Lots[0]"`},
		"drop:Items[0]":     {`name="r.Items" value=""`},
		"list:Customer":     {`value="Ada"`},
	} {
		f := newFake()
		f.page(t, address, typed+url.QueryEscape(button), 200, append(want, `value="Ada"`)...)
		if f.typed.Texts != nil {
			t.Errorf("%s: the template was filled", button)
		}
	}
	in := askedForm{FormInput: noInput()}
	in.Texts["A.B"] = "x"
	in.press("list:A")
	if in.Texts["A[0].B"] != "x" || len(in.Rows["A"]) != 1 {
		t.Errorf("one becomes a list: got %+v", in)
	}
	if in.press("one:A"); in.Texts["A.B"] != "x" || in.Rows["A"] != nil {
		t.Errorf("a list becomes one: got %+v", in)
	}
}

func TestAnExampleFillsTheFormAndTheTemplate(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.sample = platen.Sample{Name: "Invoice", PDF: []byte("%PDF")}
	f.page(t, address, "do=example", 200, `name="f.Name" value="An example"`, `name="f.Items[2].Part"`, "data:application/pdf")
	if f.typed.Texts["Name"] != "An example" {
		t.Errorf("filled with %+v", f.typed)
	}
}

func TestTheScriptGetsWhatChangedOfThePage(t *testing.T) {
	t.Parallel()
	const live = "/preview/" + docID + "/live?sig=" + signature
	f := newFake()
	f.sample = platen.Sample{Name: "Invoice", PDF: []byte("%PDF"), Findings: []platen.TemplateFinding{{Tag: "{{Nmae}}", Message: "<No> such."}}}
	ask := func(form string, status int) (got livePart) {
		t.Helper()
		w := f.post(live, form)
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != status || w.Header().Get("Content-Type") != "application/json" || w.Header().Get("Cache-Control") != "private, no-store" {
			t.Fatalf("%s: got %d %v %v:\n%s", form, w.Code, err, w.Header(), w.Body)
		}
		return got
	}
	got := ask("f.Name=Ada", 200)
	if !got.Filled || string(got.PDF) != "%PDF" || got.Form != "" || len(got.Marks) != 1 || got.Marks[0].Text != "{{Nmae}}" || !strings.Contains(got.Result, "&lt;No&gt; such.") {
		t.Errorf("got %+v", got)
	}
	if got := ask("do=example", 200); !strings.Contains(got.Form, `value="An example"`) || strings.Contains(got.Form, "<form") {
		t.Errorf("an example: got the form %s", got.Form)
	}
	if got := ask("do=add%3AItems", 200); !strings.Contains(got.Form, "Items[1]") && got.PDF != nil {
		t.Errorf("a row: got %+v", got)
	}
	f.limit = errors.New("wait")
	if got := ask("f.Name=Ada", 429); got.Title == "" {
		t.Errorf("too often: got %+v", got)
	}
	f.limit, f.sampleErr = nil, platen.Errorf(platen.KindInvalid, "form_too_large", "A list takes at most 200 rows here.")
	if got := ask("f.Name=Ada", 400); got.Text != "A list takes at most 200 rows here." {
		t.Errorf("too many rows: got %+v", got)
	}
}

// upload sends a form with a file.
func (f *fake) upload(t *testing.T, content []byte) *httptest.ResponseRecorder {
	t.Helper()
	var body bytes.Buffer
	m := multipart.NewWriter(&body)
	_ = m.WriteField("f.Name", "Ada")
	part, err := m.CreateFormFile("u.Logo", "logo.png")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(content)
	_ = m.Close()
	r := httptest.NewRequest("POST", address, &body)
	r.Header.Set("Content-Type", m.FormDataContentType())
	return f.send(r, nil)
}

func TestAPictureIsUploadedAndStaysInTheForm(t *testing.T) {
	t.Parallel()
	gif := []byte("GIF89a" + strings.Repeat("x", 100))
	f := newFake()
	f.sample.PDF = []byte("%PDF")
	uri := "data:image/gif;base64," + base64.StdEncoding.EncodeToString(gif)
	if w := f.upload(t, gif); w.Code != 200 || f.typed.Texts["Logo"] != uri || !strings.Contains(w.Body.String(), `<img src="data:image/gif;base64,R0lGODlh`) || !strings.Contains(w.Body.String(), `<input type="hidden" name="f.Logo" value="data:image/gif`) {
		t.Errorf("got %d, %.40q:\n%s", w.Code, f.typed.Texts["Logo"], w.Body)
	}
	for says, content := range map[string][]byte{
		"Choose a PNG, JPEG or GIF file": []byte("<svg onload=alert(1)>"), "The file is empty. Choose another.": nil, "more than 2 MiB": append(gif, make([]byte, platen.MaxFormPicture)...),
	} {
		f := newFake()
		if w := f.upload(t, content); w.Code != 400 || !strings.Contains(w.Body.String(), says) || !strings.Contains(w.Body.String(), `value="Ada"`) || f.typed.Texts != nil {
			t.Errorf("%s: got %d:\n%s", says, w.Code, w.Body)
		} else if _, field, ok := strings.Cut(w.Body.String(), `name="u.Logo" accept="image/png,image/jpeg,image/gif" aria-invalid="true"`); !ok || !strings.Contains(strings.Split(field, `name="f.Logo"`)[0], `role="alert">`) {
			t.Errorf("%s: it does not stand at the field:\n%s", says, w.Body)
		}
	}
	body := f.page(t, address, "do=unpick%3ALogo&f.Logo="+url.QueryEscape(uri), 200, `<input type="file" name="u.Logo"`)
	if strings.Contains(body, "R0lGODlh") {
		t.Error("the picture is still there")
	}
	if body := f.page(t, address, "f.Logo="+url.QueryEscape(`data:text/html;base64,AAAA`), 200); strings.Contains(body, "<img") {
		t.Errorf("what is no picture is shown as one:\n%s", body)
	}
}

func TestASampleThatCannotBeMadeIsExplained(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.sample.Findings = []platen.TemplateFinding{{Message: "There is no function SUMM."}}
	for _, path := range []string{address, sampleAddress} {
		f.page(t, path, "f.Name=x", 200, "cannot be filled", "There is no function SUMM.", `id="template" class="pages"`)
	}
	f.page(t, sampleAddress, "f.Name=x", 200, `action="../`+docID+`?sig=`, `formaction="sample.pdf?sig=`, `data-live="live?sig=`)
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
		"a large form":              {func(*fake) {}, "f.a=" + strings.Repeat("x", maxForm), http.StatusRequestEntityTooLarge},
		"a form of many fields":     {func(*fake) {}, strings.Repeat("r.a=1&", maxParts+1), http.StatusRequestEntityTooLarge},
		"no form":                   {func(*fake) {}, "%zz", http.StatusBadRequest},
		"too many of one":           {func(f *fake) { f.limit = errors.New("wait") }, "", http.StatusTooManyRequests},
		"too many at once":          {func(f *fake) { f.sampleErr = platen.Errorf(platen.KindRateLimited, "", "busy") }, "", http.StatusTooManyRequests},
		"no drive":                  {func(f *fake) { f.sampleErr = errors.New("secret detail") }, "", http.StatusServiceUnavailable},
		"a template is gone":        {func(f *fake) { f.sampleErr = platen.Errorf(platen.KindInvalid, "", "It is gone.") }, "", http.StatusNotFound},
		"a document is gone":        {func(f *fake) { f.err = platen.Errorf(platen.KindNotFound, "", "gone") }, "", http.StatusGone},
		"an address was taken back": {func(f *fake) { f.doc.PreviewVersion = 1 }, "", http.StatusGone},
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
			for _, want := range []string{c.says, `value="&lt;Ada&gt;"`, `<form id="studio" method="post" action="` + action + `"`, `<a href="` + action + `">Back to the template</a>`} {
				if !strings.Contains(body, want) {
					t.Errorf("%s: want %s in:\n%s", name, want, body)
				}
			}
			if strings.Contains(body, "secret detail") || strings.Contains(body, "data:application") {
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
	for path, want := range map[string]int{second + "&v=2": 200, address: 410, address + "&v=2": 404, second: 404, second + "&v=02": 404, second + "&v=1": 404, second + "&v=x": 404} {
		if w := f.get("GET", path, nil); w.Code != want {
			t.Errorf("%s: got %d, want %d", path, w.Code, want)
		}
	}
	if body := f.get("GET", second+"&v=2", nil).Body.String(); !strings.Contains(body, "template.pdf?sig=") || !strings.Contains(body, "&amp;v=2") {
		t.Errorf("links have no version:\n%s", body)
	}
}
