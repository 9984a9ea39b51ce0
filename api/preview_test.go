package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// withTemplates is a harness, a workflow whose source has the field Name, and a
// document of it.
func withTemplates(t *testing.T, looked *memory.Templates, options ...func(*Options)) (x *harness, wf, d string) {
	t.Helper()
	x = newHarness(t, append(options, func(o *Options) {
		o.Tags = func([]string, []string) []TagFinding { return nil }
		o.Templates = looked
	})...)
	wf = x.newWorkflow(t, `{"name":"W","source":{"sourceFields":["Name"]}}`)
	return x, wf, x.newDocument(t, wf, `{"file_id":"docs-file"}`)
}

func TestACheckWithDataLooksAtTheDatasFields(t *testing.T) {
	t.Parallel()
	looked := &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{"type":"object"}`)}}
	x, _, d := withTemplates(t, looked)
	a := x.do(t, "POST", d+"/check/", `{"data":{"A":{"B":1}}}`).is(200).object()
	if got := fmt.Sprint(a["sourceFields"], a["schema"], looked.Data); got != `[A.B] map[type:object]{"A":{"B":1}}` {
		t.Errorf("got %s", got)
	}
	for _, body := range []string{`{"data":[]}`, `{"data":null}`, `{"date":{}}`, `{"data":{"a":1,"a":2}}`} {
		x.do(t, "POST", d+"/check/", body).problem(400, "invalid_body")
	}
}

func TestBeforeTheFirstEventNoNameIsWrong(t *testing.T) {
	t.Parallel()
	looked := &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{}`)}}
	x, _, d := withTemplates(t, looked)
	x.do(t, "POST", d+"/check/", "").is(200)
	if !slices.Equal(looked.Fields, []string{"Name"}) {
		t.Errorf("fields: got %q", looked.Fields)
	}
	d = x.newDocument(t, x.newWorkflow(t, `{"name":"W"}`), `{"file_id":"docs-file"}`)
	x.do(t, "POST", d+"/check/", "").is(200)
	if looked.Fields != nil {
		t.Errorf("without any: got %q, want nil", looked.Fields)
	}
}

// An event with other keys takes nothing away that the events before it had.
func TestACheckKnowsTheFieldsOfEarlierEvents(t *testing.T) {
	t.Parallel()
	looked := &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{}`)}}
	x, _, d := withTemplates(t, looked)
	x.store.Seen = []platen.SeenField{{Name: "City", SeenAt: time.Now()}, {Name: "Long ago", SeenAt: time.Unix(0, 0)}}
	a := x.do(t, "POST", d+"/check/", "").is(200).object()
	if got := fmt.Sprint(a["sourceFields"], looked.Fields); got != "[Name City] [Name City]" {
		t.Errorf("got %s, want the fields and those of earlier events", got)
	}
}

func TestACheckCountsConditionsOverTheLastEvents(t *testing.T) {
	t.Parallel()
	x, _, d := withTemplates(t, &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{}`)}})
	for when, want := range map[string][2]string{"": {"[]", "[]"}, "Total > 1000": {"2", "1"}} {
		x.do(t, "PATCH", d+"/", `{"when":"`+when+`"}`).is(200)
		for i, body := range []string{"", `{"data":{"Total":1}}`} { // with data that alone counts
			got := x.do(t, "POST", d+"/check/", body).is(200).object()["conditions"].([]any)
			if when == "" && len(got) != 0 || when != "" && (len(got) != 1 || fmt.Sprint(got[0].(map[string]any)["made"]) != want[i]) {
				t.Errorf("%q with %s: got %v, want %s", when, body, got, want[i])
			}
		}
	}
}

func TestACheckSaysOfSettingsWhatIsWrongAndNothingThatContradictsIt(t *testing.T) {
	t.Parallel()
	x, _, d := withTemplates(t, &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{}`)}})
	const off = `"createPdfCopy":false,"removeOutput":false,"enablePdfPassword":false,"pdfPassword":"","outputName":"A"`
	for set, want := range map[string][]string{
		`"createPdfCopy":true,"removeOutput":true,"enablePdfPassword":true,"pdfPassword":"{{Name}}"`: nil,
		`"pdfPassword":"{{Name","removeOutput":false`:                                                nil,
		`"removeOutput":true`:                                                   {"removeOutput does nothing"},
		`"enablePdfPassword":true,"pdfPassword":"x"`:                            {"enablePdfPassword encrypts nothing, for no PDF is made; the original alone is, and its address asks for credentials: set createPdfCopy, "},
		`"enablePdfPassword":true`:                                              {"enablePdfPassword encrypts nothing, for no PDF is made; the original alone is, and its address asks for credentials: set createPdfCopy and a pdfPassword"},
		`"enablePdfPassword":true,"pdfPassword":"{{Name"`:                       {"pdfPassword has a tag that is not closed", "enablePdfPassword encrypts nothing"},
		`"createPdfCopy":true,"enablePdfPassword":true,"removeOutput":true`:     {"pdfPassword is empty and enablePdfPassword is true: every output fails"},
		`"createPdfCopy":true,"enablePdfPassword":true,"pdfPassword":"{{Pin}}"`: {"note: removeOutput is false and enablePdfPassword is true: the original stays"},
		`"createPdfCopy":true,"pdfPassword":"{{Pin}}"`:                          nil,
		`"createPdfCopy":true,"removeOutput":true,"enablePdfPassword":true,"pdfPassword":"{{Pin}}","approval":{"by":["ada@example.com"]}`: {"note: approval asks people to approve a PDF that has a password"},
	} {
		x.do(t, "PATCH", d, `{"approval":null,`+off+"}").is(200)
		x.do(t, "PATCH", d, "{"+set+"}").is(200)
		var checked struct {
			Faults []struct{ In, Message, Severity string }
		}
		if err := json.Unmarshal([]byte(x.do(t, "POST", d+"/check/", "").is(200).body), &checked); err != nil {
			t.Fatal(err)
		}
		ok := len(checked.Faults) == len(want)
		for i := 0; ok && i < len(want); i++ {
			said := checked.Faults[i].In + " " + checked.Faults[i].Message
			if checked.Faults[i].Severity == "note" {
				said = "note: " + said
			}
			ok = strings.HasPrefix(said, want[i])
		}
		if !ok {
			t.Errorf("%s: got %q, want %q", set, checked.Faults, want)
		}
	}
}

func TestAPreviewAnswersWithSamplesOfTheNamedDocumentOrOfAll(t *testing.T) {
	t.Parallel()
	looked := &memory.Templates{Sample: platen.Sample{Name: "Bill 7", PDF: []byte("%PDF-1.7"), MissingFields: []string{"No"}, PDFFindings: []platen.Finding{{Code: "missing_glyph", Message: "日"}},
		Findings: []platen.TemplateFinding{{Where: "slide 1", Code: "unknown_field", Message: "No."}}}}
	x, wf, first := withTemplates(t, looked)
	second := x.newDocument(t, wf, `{"file_id":"slides-file"}`)
	id := func(path string) string { return path[strings.LastIndex(path, "/")+1:] }
	a := x.do(t, "POST", wf+"/preview/", `{"data":{"Name":"Ada"},"documentId":"`+id(second)+`"}`).is(200)
	want := `"sample":true,"documents":[{"documentId":"` + id(second) + `","documentType":"CLOUD_SLIDES","outputName":"Bill 7","pdf":"JVBERi0xLjc=","findings":[{"where":"slide 1","around":"","offset":0,"tag":"","code":"unknown_field","message":"No.","nearest":[],"severity":"mistake"}],"missingFields":["No"],"pdfFindings":[{"code":"missing_glyph","message":"日"}]}]}`
	if !strings.HasSuffix(strings.TrimSpace(a.body), want) || looked.Data != `{"Name":"Ada"}` {
		t.Errorf("got %s of %s, want %s", a.body, looked.Data, want)
	}
	looked.Sample = platen.Sample{}
	if body := x.do(t, "POST", wf+"/preview", `{"data":{}}`).is(200).body; strings.Count(body, `"pdf":null`) != 2 || !strings.Contains(body, `"findings":[],"missingFields":[],"pdfFindings":[]`) {
		t.Errorf("of all: got %s", body)
	}
	if !slices.Equal(looked.Filled, []string{id(second), id(first), id(second)}) {
		t.Errorf("filled %q", looked.Filled)
	}
}

func TestAPreviewRefusesWhatItCannotFill(t *testing.T) {
	t.Parallel()
	looked := &memory.Templates{}
	x, wf, _ := withTemplates(t, looked)
	for _, body := range []string{`{}`, `{"data":[]}`, `{"data":{},"documentId":"doc_x"}`, `{"data":{},"documentId":"doc_0123456789abcdef"}`, `{"data":{},"more":1}`} {
		x.do(t, "POST", wf+"/preview/", body).problem(400, "invalid_body")
	}
	x.do(t, "POST", x.newWorkflow(t, `{"name":"W"}`)+"/preview/", `{"data":{}}`).problem(400, "workflow_incomplete")
	looked.Err = &platen.Error{Kind: platen.KindRateLimited, Code: "preview_busy", Message: "Busy."}
	x.do(t, "POST", wf+"/preview/", `{"data":{}}`).problem(429, "preview_busy")
	looked.Err = platen.Errorf(platen.KindNotFound, "drive_file_not_found", "gone")
	x.do(t, "POST", wf+"/preview/", `{"data":{}}`).problem(400, "drive_file_not_found")
	looked.Err, looked.Sample.PDF = nil, make([]byte, maxPreviewBytes+1)
	x.do(t, "POST", wf+"/preview/", `{"data":{}}`).problem(400, "preview_too_large")
	for range maxPreviewed {
		x.newDocument(t, wf, "")
	}
	x.do(t, "POST", wf+"/preview/", `{"data":{}}`).problem(400, "preview_too_large")
	x.as(t, memory.BobToken, "POST", wf+"/preview/", `{"data":{}}`).problem(http.StatusForbidden, "workflow_not_found")
}

// An answer to a request with a key is stored, and of a preview nothing is.
func TestAPreviewIsNotKeptUnderAKeyAndIsLimited(t *testing.T) {
	t.Parallel()
	looked := &memory.Templates{}
	x, wf, _ := withTemplates(t, looked, func(o *Options) { o.PreviewRate = edge.Rate{PerSecond: 1, Burst: 2} })
	for range 2 {
		x.do(t, "POST", wf+"/preview/", `{"data":{}}`, "Idempotency-Key", "k").is(200)
	}
	if len(looked.Filled) != 2 {
		t.Errorf("filled %d times, want 2", len(looked.Filled))
	}
	a := x.do(t, "POST", wf+"/preview/", `{"data":{}}`)
	if a.problem(429, "rate_limited"); a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

func TestAPreviewAddressIsRevokedByRotation(t *testing.T) {
	t.Parallel()
	x, wf, d := withTemplates(t, &memory.Templates{})
	first := x.do(t, "GET", d, "").is(200).object()["previewUrl"]
	second := x.do(t, "POST", d+"/preview-url/rotate/", "").is(200).object()["previewUrl"].(string)
	if first == second || !strings.HasSuffix(second, "&v=1") || x.do(t, "GET", d, "").is(200).object()["previewUrl"] != second {
		t.Errorf("got %s after %s", second, first)
	}
	x.do(t, "POST", d+"/preview-url/rotate/", `{"a":1}`).is(400)
	x.as(t, memory.BobToken, "POST", d+"/preview-url/rotate/", "").is(http.StatusForbidden)
	x.do(t, "DELETE", wf, "").is(204)
	x.do(t, "POST", d+"/preview-url/rotate/", "").is(400)
}

func TestOnMissingIsBlankUntilItIsSet(t *testing.T) {
	t.Parallel()
	x, wf, d := withTemplates(t, &memory.Templates{})
	for _, step := range []struct{ body, want string }{{`{}`, "blank"}, {`{"onMissing":"fail"}`, "fail"}, {`{"outputName":"x"}`, "fail"}, {`{"onMissing":"blank"}`, "blank"}} {
		if got := x.do(t, "PATCH", d, step.body).is(200).object()["onMissing"]; got != step.want {
			t.Errorf("%s: got %v, want %s", step.body, got, step.want)
		}
	}
	for _, body := range []string{`{"onMissing":"Fail"}`, `{"onMissing":""}`, `{"onMissing":null}`, `{"onMissing":true}`} {
		p := x.do(t, "PATCH", d, body).problem(400, "invalid_body")
		if got := p.pointers(); !slices.Equal(got, []string{"/onMissing"}) {
			t.Errorf("%s: got %q", body, got)
		}
	}
	made := x.do(t, "POST", wf+"/documents/", `{"file_id":"docs-file","onMissing":"fail"}`).is(201).object()
	if made["onMissing"] != "fail" {
		t.Errorf("a new one: got %v", made["onMissing"])
	}
}
