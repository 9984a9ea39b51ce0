package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestBadBodiesOfANewWorkflow(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	for name, c := range badWorkflows() {
		p := x.do(t, "POST", "/v0/workflows/", c.body).problem(400, c.code)
		if got := p.pointers(); !slices.Equal(got, c.pointers) {
			t.Errorf("%s: pointers: got %v, want %v", name, got, c.pointers)
		}
		said := p.Detail
		for _, e := range p.Errors {
			said += " " + e.Detail
		}
		if !strings.Contains(said, c.says) {
			t.Errorf("%s: got %q, want it to say %q", name, said, c.says)
		}
	}
	if len(x.store.ByID) != 0 {
		t.Error("a bad body made a workflow")
	}
}

// A badBody is a body and what is wrong with it.
type badBody struct {
	body, code string
	pointers   []string
	says       string
}

// badWorkflows are bodies that make no workflow, by what is wrong with them.
func badWorkflows() map[string]badBody {
	long := func(n int) string { return strings.Repeat("ä", n) }
	return map[string]badBody{
		"empty":                  {"", "malformed_json", nil, "empty"},
		"only spaces":            {" \n\t", "malformed_json", nil, "empty"},
		"not JSON":               {"name=A", "malformed_json", nil, "byte 1"},
		"cut off":                {`{"name":"A"`, "malformed_json", nil, "too early"},
		"trailing data":          {`{"name":"A"} {}`, "malformed_json", nil, "byte 13"},
		"trailing comma":         {`{"name":"A",}`, "malformed_json", nil, "byte"},
		"byte order mark":        {"\ufeff" + `{"name":"A"}`, "malformed_json", nil, "byte 0"},
		"invalid UTF-8":          {"{\"name\":\"\xff\"}", "malformed_json", nil, "UTF-8"},
		"lone surrogate":         {`{"name":"\ud800"}`, "malformed_json", nil, "byte"},
		"65 deep":                {`{"x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + "}", "malformed_json", nil, "64"},
		"a list":                 {`[]`, "invalid_body", []string{""}, "an object, not a list"},
		"null":                   {`null`, "invalid_body", []string{""}, "not null"},
		"a string":               {`"name"`, "invalid_body", []string{""}, "not a string"},
		"no name":                {`{}`, "invalid_body", []string{"/name"}, "required"},
		"null name":              {`{"name":null}`, "invalid_body", []string{"/name"}, "a string, not null"},
		"number as name":         {`{"name":1}`, "invalid_body", []string{"/name"}, "not a number"},
		"boolean as name":        {`{"name":true}`, "invalid_body", []string{"/name"}, "not a boolean"},
		"empty name":             {`{"name":""}`, "invalid_body", []string{"/name"}, "empty"},
		"blank name":             {`{"name":"  "}`, "invalid_body", []string{"/name"}, "empty"},
		"long name":              {`{"name":"` + long(201) + `"}`, "invalid_body", []string{"/name"}, "at most 200"},
		"line break in name":     {`{"name":"a\nb"}`, "invalid_body", []string{"/name"}, "control"},
		"NUL in name":            {`{"name":"a\u0000b"}`, "invalid_body", []string{"/name"}, "control"},
		"name twice":             {`{"name":"A","name":"B"}`, "invalid_body", []string{"/name"}, "more than once"},
		"name twice, escaped":    {`{"name":"A","n\u0061me":"B"}`, "invalid_body", []string{"/name"}, "more than once"},
		"twice where ignored":    {`{"name":"A","owner":{"x":1,"x":2}}`, "invalid_body", []string{"/owner/x"}, "more than once"},
		"unknown field":          {`{"name":"A","colour":"#fff"}`, "invalid_body", []string{"/colour"}, "not a field here"},
		"unknown field, escaped": {`{"name":"A","a/b~c":1}`, "invalid_body", []string{"/a~1b~0c"}, "not a field here"},
		"wrong case":             {`{"name":"A","Icon":"x"}`, "invalid_body", []string{"/Icon"}, "did you mean icon"},
		"documents":              {`{"name":"A","documents":[]}`, "invalid_body", []string{"/documents"}, `"document"`},
		"color without #":        {`{"name":"A","color":"cccccc"}`, "invalid_body", []string{"/color"}, "'#'"},
		"color of 5 digits":      {`{"name":"A","color":"#ccccc"}`, "invalid_body", []string{"/color"}, "hex"},
		"color of words":         {`{"name":"A","color":"#grey00"}`, "invalid_body", []string{"/color"}, "hex"},
		"icon with markup":       {`{"name":"A","icon":"<b>"}`, "invalid_body", []string{"/icon"}, "letters"},
		"icon too long":          {`{"name":"A","icon":"` + strings.Repeat("a", 65) + `"}`, "invalid_body", []string{"/icon"}, "64"},
		"locale of words":        {`{"name":"A","locale":"German"}`, "invalid_body", []string{"/locale"}, "such as de-AT"},
		"locale with _":          {`{"name":"A","locale":"de_AT"}`, "invalid_body", []string{"/locale"}, "BCP 47"},
		"locale of nowhere":      {`{"name":"A","locale":"qq-AT"}`, "invalid_body", []string{"/locale"}, "that exists"},
		"locale of no language":  {`{"name":"A","locale":"und"}`, "invalid_body", []string{"/locale"}, "that exists"},
		"source a list":          {`{"name":"A","source":[]}`, "invalid_body", []string{"/source"}, "an object"},
		"source null":            {`{"name":"A","source":null}`, "invalid_body", []string{"/source"}, "not null"},
		"fields a string":        {`{"name":"A","source":{"sourceFields":"N"}}`, "invalid_body", []string{"/source/sourceFields"}, "a list"},
		"fields of numbers":      {`{"name":"A","source":{"sourceFields":["N",1]}}`, "invalid_body", []string{"/source/sourceFields/1"}, "not a number"},
		"the same field twice":   {`{"name":"A","source":{"sourceFields":["N","M","N"]}}`, "invalid_body", []string{"/source/sourceFields/2"}, "already"},
		"an unseen field":        {`{"name":"A","source":{"sourceFields":["\u200b \u2060"]}}`, "invalid_body", []string{"/source/sourceFields/0"}, "must not be empty"},
		"a long field":           {`{"name":"A","source":{"sourceFields":["` + long(201) + `"]}}`, "invalid_body", []string{"/source/sourceFields/0"}, "200"},
		"too many fields":        {`{"name":"A","source":{"sourceFields":[` + manyFields(501) + `]}}`, "invalid_body", []string{"/source/sourceFields"}, "500"},
		"document null":          {`{"name":"A","document":null}`, "invalid_body", []string{"/document"}, "not null"},
		"empty file id":          {`{"name":"A","document":{"fileId":""}}`, "invalid_body", []string{"/document/fileId"}, "leave it out"},
		"an address as file id":  {`{"name":"A","document":{"fileId":"https://drive/x"}}`, "invalid_body", []string{"/document/fileId"}, "or its address"},
		"a published address":    {`{"name":"A","document":{"fileId":"https://docs.google.com/document/d/e/2PACX-1vQ/pub"}}`, "invalid_body", []string{"/document/fileId"}, "or its address"},
		"a file at the top":      {`{"name":"A","fileId":"docs-file"}`, "invalid_body", []string{"/fileId"}, `belongs into "document"`},
		"a setting at the top":   {`{"name":"A","createPdfCopy":true}`, "invalid_body", []string{"/createPdfCopy"}, `belongs into "document"`},
		"an address at the top":  {`{"name":"A","webhookUrl":"https://example.com/"}`, "invalid_body", []string{"/webhookUrl"}, `belongs into "outgoingWebhook"`},
		"fields at the top":      {`{"name":"A","sourceFields":["N"]}`, "invalid_body", []string{"/sourceFields"}, `belongs into "source"`},
		"a name too deep":        {`{"name":"A","document":{"name":"B"}}`, "invalid_body", []string{"/document/name"}, "outputName"},
		"an address too deep":    {`{"name":"A","document":{"webhookUrl":"https://example.com/"}}`, "invalid_body", []string{"/document/webhookUrl"}, "outgoingWebhook"},
		"two file ids":           {`{"name":"A","document":{"fileId":"a","file_id":"b"}}`, "invalid_body", []string{"/document/file_id"}, "spelling"},
		"webhook without URL":    {`{"name":"A","outgoingWebhook":{}}`, "invalid_body", []string{"/outgoingWebhook/webhookUrl"}, "required"},
		"webhook URL relative":   {`{"name":"A","outgoingWebhook":{"webhookUrl":"/x"}}`, "invalid_body", []string{"/outgoingWebhook/webhookUrl"}, "absolute"},
		"all at once": {`{"color":"red","icon":"","source":{"sourceFields":[1],"y":2},"z":1}`, "invalid_body",
			[]string{"/color", "/icon", "/source/sourceFields/0", "/source/y", "/z", "/name"}, ""},
	}
}

// badDocuments are bodies that change no document, and where their faults are.
func badDocuments() map[string][]string {
	return map[string][]string{
		`{"outputName":""}`:             {"/outputName"},
		`{"outputName":null}`:           {"/outputName"},
		`{"pdfPassword":null}`:          {"/pdfPassword"},
		`{"pdfPassword":1234}`:          {"/pdfPassword"},
		`{"enablePdfPassword":"true"}`:  {"/enablePdfPassword"},
		`{"enablePdfPassword":1}`:       {"/enablePdfPassword"},
		`{"createPdfCopy":null}`:        {"/createPdfCopy"},
		`{"onMissing":"ignore"}`:        {"/onMissing"},
		`{"pdfPasswordPreventCopy":[]}`: {"/pdfPasswordPreventCopy"},
		`{"file_id":"docs-file"}`:       {"/file_id"},
		`{"webhookUrl":"https://a.b/"}`: {"/webhookUrl"},
		`{"pdfPasswordPreventCopy":true,"enablePdfPreventCopy":false}`: {"/enablePdfPreventCopy"},
		`{"outputName":"` + strings.Repeat("a", 501) + `"}`:            {"/outputName"},
		`{"pdfPassword":"` + strings.Repeat("a", 501) + `"}`:           {"/pdfPassword"},
	}
}

func manyFields(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf(`"f%d"`, i)
	}
	return strings.Join(names, ",")
}

func TestBodiesAtTheLimitsAreTaken(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"longest name":      `{"name":"` + strings.Repeat("ä", 200) + `"}`,
		"500 fields":        `{"name":"A","source":{"sourceFields":[` + manyFields(500) + `]}}`,
		"64 deep":           `{"name":"A","owner":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `}`,
		"8 hex digits":      `{"name":"A","color":"#AABBCC80"}`,
		"null webhook":      `{"name":"A","outgoingWebhook":null}`,
		"same file id":      `{"name":"A","document":{"fileId":"docs-file","file_id":"docs-file"}}`,
		"read-only fields":  `{"id":1,"name":"A","status":null,"team":{},"createdAt":[],"source":{"id":2,"webhookUrl":3,"sourceType":4}}`,
		"1 MiB":             `{"name":"A"}` + strings.Repeat(" ", bodyLimit-12),
		"spaces around":     "\r\n\t {\"name\" : \"A\"} \n",
		"emoji":             `{"name":"\ud83d\ude00"}`,
		"replacement in it": `{"name":"�"}`,
	} {
		x := newHarness(t)
		if a := x.do(t, "POST", "/v0/workflows/", body); a.status != 201 {
			t.Errorf("%s: got %d: %s", name, a.status, a.body)
		}
	}
}

func TestABodyOver1MiBIs413(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	p := x.do(t, "POST", "/v0/workflows/", `{"name":"A"}`+strings.Repeat(" ", bodyLimit-11)).problem(413, "body_too_large")
	if p.Title != "Content Too Large" {
		t.Errorf("title: got %q", p.Title)
	}
}

func TestTheNumberAndLengthOfFaultsIsBounded(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	var b strings.Builder
	b.WriteString(`{"name":"A"`)
	for i := range 1000 {
		fmt.Fprintf(&b, `,"%s%d":1`, strings.Repeat("é", 300), i)
	}
	b.WriteString("}")
	a := x.do(t, "POST", "/v0/workflows/", b.String())
	p := a.problem(400, "invalid_body")
	if len(p.Errors) != maxFaults || len(a.body) > 50_000 || !strings.Contains(p.Detail, "1000") {
		t.Errorf("got %d errors in %d bytes, detail %q", len(p.Errors), len(a.body), p.Detail)
	}
}

// Not parallel: what other tests allocate would count.
func TestUnknownFieldsCostLittleHoweverManyThereAre(t *testing.T) {
	const fields = 5000
	var b strings.Builder
	b.WriteString(`{"name":"A"`)
	for i := range fields {
		fmt.Fprintf(&b, `,"field %d":1`, i)
	}
	b.WriteString("}")
	known := members{}
	for _, name := range []string{"name", "color", "icon", "source", "document", "outgoingWebhook", "documents"} {
		known[name] = func(d *decoder, pointer string) { skipValue(d, pointer) }
	}
	took := testing.AllocsPerRun(2, func() {
		if err := decode([]byte(b.String()), known); err == nil {
			t.Error("unknown fields are taken")
		}
	})
	if each := took / fields; each > 20 {
		t.Errorf("%.0f allocations for each unknown field, want 20 at most", each)
	}
}

func TestBadBodiesOfADocumentChange(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	doc := x.newDocument(t, x.newWorkflow(t, `{"name":"A"}`), "")
	for body, want := range badDocuments() {
		p := x.do(t, "PATCH", doc+"/", body).problem(400, "invalid_body")
		if got := p.pointers(); !slices.Equal(got, want) {
			t.Errorf("%.60s: pointers: got %v, want %v", body, got, want)
		}
	}
	x.do(t, "PATCH", doc+"/", "").problem(400, "malformed_json")
	x.do(t, "PATCH", doc+"/", `{"pdfPassword":""}`).is(200)
}
