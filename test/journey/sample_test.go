package journey

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/check"
)

const sampleTemplate = "Dear {{Name}} of {{Town}},\n{{#each Items}}\n{{@index}}. {{Name}}\n{{/each}}"

// sampled is a workflow of one template.
func (h *harness) sampled(t *testing.T, settings object) (workflow, document) {
	t.Helper()
	w := h.createWorkflow(t, object{"name": "Samples", "source": object{"sourceFields": []string{"Name", "Items.Name"}}})
	return w, h.addDocument(t, w, h.write(t, "Samples", sampleTemplate), settings)
}

type sample struct {
	Documents []struct {
		OutputName    string `json:"outputName"`
		PDF           []byte `json:"pdf"`
		MissingFields []string
		Findings      []struct{ Where, Code string }
	}
}

func TestAPreviewShowsTheFilledPagesAndLeavesNothing(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	w, _ := h.sampled(t, object{"outputName": "For {{Name}}"})
	before := h.fileNames(t)
	var got sample
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/preview/", object{"data": object{"Name": "Ada {{Town}}", "Items": []object{{"Name": "Bolt"}, {"Name": "Nut"}}}}, &got, http.StatusOK)
	if len(got.Documents) != 1 {
		t.Fatalf("got %d samples, want 1", len(got.Documents))
	}
	d := got.Documents[0]
	text := newPaper(t, d.PDF).text(t, "")
	for _, want := range []string{"Dear Ada {{Town}} of ,", "2. Nut"} {
		if !says(text, want) {
			t.Errorf("the sample does not say %q:\n%s", want, text)
		}
	}
	if letters := dense(text); !strings.Contains(letters, "SA") || d.OutputName != "For Ada {{Town}}" || !slices.Equal(d.MissingFields, []string{"Town"}) ||
		len(d.Findings) != 1 || d.Findings[0].Where != "paragraph 1" {
		t.Errorf("got %+v", d)
	}
	wantFiles(t, h, before...)
	if runs := h.automations(t, w.ID); len(runs) != 0 {
		t.Errorf("automations: got %v, want none", runs)
	}
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/preview/", object{"data": object{"Name": "Ada", "Items": 7}}, &got, http.StatusOK)
	if d := got.Documents[0]; d.PDF != nil || !slices.ContainsFunc(d.Findings, func(f struct{ Where, Code string }) bool { return f.Code == "not_a_list" }) {
		t.Errorf("of a number as a list: got %+v", d.Findings)
	}
	wantFiles(t, h, before...)
}

func TestPeopleWithoutAnAccountFillATemplateUntilItsAddressEnds(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	w, d := h.sampled(t, object{"outputName": "Sample", "createPdfCopy": true, "enablePdfPassword": true, "pdfPassword": "canary-password-{{CanaryFieldOfThePassword}}"})
	before := h.fileNames(t)
	fill := func(address string, want int) string {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(url.Values{"f.Name": {"Ada"}, "r.Items": {"0"}, "f.Items[0].Name": {"Bolt"}}.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		page, _ := do(t, request, want)
		return string(page)
	}
	page := fill(d.PreviewURL, http.StatusOK)
	for _, want := range []string{"data:application/pdf;base64,", "The source has no field Town", `value="Bolt"`} {
		if !strings.Contains(page, want) {
			t.Errorf("want %q in the page:\n%.3000s", want, page)
		}
	}
	// The PDF in the page is base64, which has every short word now and then.
	if strings.Contains(page, "canary-password") || strings.Contains(page, "CanaryFieldOfThePassword") {
		t.Errorf("the page tells of the password:\n%.3000s", page)
	}
	alone := fill(strings.Replace(d.PreviewURL, d.ID, d.ID+"/sample.pdf", 1), http.StatusOK)
	if text := newPaper(t, []byte(alone)).text(t, ""); !says(text, "Dear Ada of") || !says(text, "1. Bolt") {
		t.Errorf("the sample says:\n%s", text)
	}
	wantFiles(t, h, before...)

	var rotated document
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/documents/"+d.ID+"/preview-url/rotate/", nil, &rotated, http.StatusOK)
	fill(d.PreviewURL, http.StatusGone)
	fill(rotated.PreviewURL, http.StatusOK)
	if page, _ := get(t, rotated.PreviewURL); !strings.Contains(string(page), "Samples") {
		t.Errorf("the new address shows:\n%.300s", page)
	}
}

func TestADocumentThatMustNotMissFieldsFailsAndLeavesNoFile(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	w, d := h.sampled(t, object{"onMissing": "fail", "createPdfCopy": true})
	r := newReceiver(t)
	h.register(t, w, r)
	before := h.fileNames(t)
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada", "Items": []object{}})
	e := r.next(t)
	if body := string(e.body); e.event.Type != "DOCUMENT_FAILED" || !strings.Contains(body, "fields_missing") || !strings.Contains(body, `\"Town\"`) || !slices.Equal(e.event.Data.MissingFields, []string{"Town"}) {
		t.Errorf("event: got %s, want a failure that names the field", body)
	}
	h.finished(t, w.ID, platen.AutomationFailed)
	wantFiles(t, h, before...)

	h.call(t, http.MethodPatch, "/workflows/"+w.ID+"/documents/"+d.ID+"/", object{"onMissing": "blank"}, nil, http.StatusOK)
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada", "Items": []object{}})
	if e := r.next(t).event; e.Type != "DOCUMENTS_CREATED" || !slices.Equal(e.Data.MissingFields, []string{"Town"}) {
		t.Errorf("with blank: got %+v", e)
	}
}

// What passes at a desk and in CI passes before a run.
func TestACheckOfADocumentIsTheCheckOfItsFile(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	for _, name := range []string{examples.Letter, examples.Offer, examples.Invoice} {
		e := example(t, name)
		w := h.createWorkflow(t, object{"name": "Checked", "document": object{"fileId": h.upload(t, e), "onMissing": "fail"}})
		for _, data := range []string{`{"Customer Nam": "Ada", "Items": 7, "Total": "much"}`, string(e.Event)} {
			template, err := check.ReadFile(e.Template)
			if err != nil {
				t.Fatal(err)
			}
			want, err := template.FindingsAtDesk([]byte(data))
			if err != nil {
				t.Fatal(err)
			}
			var got struct{ Findings []check.Finding }
			h.call(t, http.MethodPost, "/workflows/"+w.ID+"/documents/"+w.Documents[0].ID+"/check/", object{"data": json.RawMessage(data)}, &got, http.StatusOK)
			got.Findings = slices.DeleteFunc(got.Findings, func(f check.Finding) bool { return f.Code == "fields_missing" }) // of the document's onMissing
			if len(got.Findings) != len(want) {
				t.Errorf("%s: got %d findings, want %d", name, len(got.Findings), len(want))
				continue
			}
			for i, f := range want {
				if got.Findings[i].String() != f.String() {
					t.Errorf("%s: got %s, want %s", name, got.Findings[i], f)
				}
			}
			if (data == string(e.Event)) != (len(want) == 0) {
				t.Errorf("%s with %.30s: %d findings", name, data, len(want))
			}
		}
	}
}
