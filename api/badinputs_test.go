package api

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/api/hooks"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

const (
	badInputsPage = "../docs/bad-inputs.md"
	// apiPage has the same by answer, between these two lines.
	apiPage     = "../docs/api.md"
	tableBegins = "<!-- Bad inputs, as the tests of package api found them answered. -->\n"
	tableEnds   = "\n<!-- End of bad inputs. -->"
	// writeDocs names the environment variable under which tests write the
	// pages that they would else compare.
	writeDocs = "PLATEN_WRITE_DOCS"
)

// A badInput is one request that is refused.
type badInput struct {
	what, method, path, body string
	header                   []string
}

// A badSection is a part of the page; its requests have a path where theirs is
// empty.
type badSection struct {
	title, method, path string
	inputs              []badInput
}

func badSections() []badSection {
	const wf, doc = "/v0/workflows/{workflow}/", "/v0/workflows/{workflow}/documents/{document}/"
	workflows := badSection{title: "A new workflow", method: "POST", path: "/v0/workflows/"}
	bodies := badWorkflows()
	for _, what := range slices.Sorted(maps.Keys(bodies)) {
		workflows.inputs = append(workflows.inputs, badInput{what: what, body: bodies[what].body})
	}
	workflows.inputs = append(workflows.inputs,
		badInput{what: "over 1 MiB", body: `{"name":"A"}` + strings.Repeat(" ", bodyLimit)},
		badInput{what: "gzip that is none", body: `{"name":"A"}`, header: []string{"Content-Encoding", "gzip"}},
		badInput{what: "another encoding", body: `{"name":"A"}`, header: []string{"Content-Encoding", "br"}},
		badInput{what: "a file that is not there", body: `{"name":"A","document":{"fileId":"nowhere"}}`},
		badInput{what: "a PDF as template", body: `{"name":"A","document":{"fileId":"pdf-file"}}`},
		badInput{what: "a file in the trash", body: `{"name":"A","document":{"fileId":"trashed-file"}}`},
	)
	documents := badSection{title: "A document's change", method: "PATCH", path: doc}
	for _, body := range slices.Sorted(maps.Keys(badDocuments())) {
		documents.inputs = append(documents.inputs, badInput{what: badDocuments()[body][0][1:], body: body})
	}
	return []badSection{workflows, documents,
		{"A workflow's change", "PATCH", wf, []badInput{
			{what: "empty", body: ""},
			{what: "empty name", body: `{"name":""}`},
			{what: "unknown field", body: `{"nmae":"B"}`},
			{what: "an If-Match that does not hold", body: `{"name":"B"}`, header: []string{"If-Match", `"abc"`}},
			{what: "the archived one", body: `{"name":"B"}`, path: "/v0/workflows/{archived}/"},
			{what: "one that is not there", body: `{"name":"B"}`, path: "/v0/workflows/wkf_0000000000000001/"},
			{what: "another team's", body: `{"name":"B"}`, path: "/v0/workflows/{theirs}/"},
			{what: "no id at all", body: `{"name":"B"}`, path: "/v0/workflows/1/"},
		}},
		{"An outgoing webhook", "PATCH", wf + "outgoing-webhooks/", []badInput{
			{what: "nothing", body: `{}`},
			{what: "another field beside it", body: `{"webhookUrl":"https://example.com","id":"owc_1"}`},
			{what: "relative", body: `{"webhookUrl":"/events"}`},
			{what: "no web address", body: `{"webhookUrl":"ftp://example.com"}`},
			{what: "with a password", body: `{"webhookUrl":"https://a:b@example.com"}`},
			{what: "with a space", body: `{"webhookUrl":"https://example.com/a b"}`},
			{what: "with an impossible port", body: `{"webhookUrl":"https://example.com:99999"}`},
			{what: "an address of Platen itself", body: `{"webhookUrl":"https://hooks.test/x"}`},
			{what: "an address of Platen itself, spelled otherwise", body: `{"webhookUrl":"http://HOOKS.test.:443/x"}`},
			{what: "a second one", method: "POST", body: `{"webhookUrl":"https://example.com"}`},
			{what: "of another team", path: "/v0/workflows/{theirs}/outgoing-webhooks/", body: `{"webhookUrl":"https://example.com"}`},
		}},
		{"Checks and previews", "POST", wf + "preview/", []badInput{
			{what: "no data", body: `{}`},
			{what: "a list as data", body: `{"data":[]}`},
			{what: "a document of another workflow", body: `{"data":{},"documentId":"doc_0000000000000001"}`},
			{what: "no id of a document", body: `{"data":{},"documentId":"wkf_0000000000000001"}`},
			{what: "a workflow without documents", body: `{"data":{}}`, path: "/v0/workflows/{archived}/preview/"},
			{what: "of another team", body: `{"data":{}}`, path: "/v0/workflows/{theirs}/preview/"},
			{what: "a check with text as data", body: `{"data":"Ada"}`, path: doc + "check/"},
			{what: "a rotation with a body", body: `{"version":2}`, path: doc + "preview-url/rotate/"},
		}},
		{"Lists", "GET", "/v0/workflows/", []badInput{
			{what: "limit of 0", path: "/v0/workflows/?limit=0"},
			{what: "limit over 1000", path: "/v0/workflows/?limit=1001"},
			{what: "limit twice", path: "/v0/workflows/?limit=1&limit=2"},
			{what: "a cursor of one's own", path: "/v0/workflows/?cursor=2"},
			{what: "unknown status", path: "/v0/workflows/?status=DONE"},
			{what: "unknown parameter", path: "/v0/workflows/?stat=COMPLETE"},
			{what: "a parameter where something is made", method: "POST", path: "/v0/workflows/?dryRun=true", body: `{"name":"A"}`},
			{what: "several at once", path: "/v0/workflows/?status=DONE&limit=x"},
		}},
		{"Headers", "GET", "/v0/workflows/", []badInput{
			{what: "no credentials", header: []string{"Authorization", ""}},
			{what: "another scheme", header: []string{"Authorization", "Basic YTpi"}},
			{what: "a token cut off", header: []string{"Authorization", memory.AdaToken[:20]}},
			{what: "a token of nobody", header: []string{"Authorization", memory.NobodyToken}},
			{what: "empty key", method: "POST", body: `{"name":"A"}`, header: []string{keyHeader, ""}},
			{what: "key over 255 characters", method: "POST", body: `{"name":"A"}`, header: []string{keyHeader, strings.Repeat("k", 256)}},
			{what: "key of another request", method: "POST", body: `{"name":"B"}`, header: []string{keyHeader, "used"}},
		}},
		{"Paths and methods", "GET", "/v0/workflows/", []badInput{
			{what: "unknown path", path: "/v0/workflow/"},
			{what: "unknown version", path: "/v1/workflows/"},
			{what: "two slashes", path: "/v0//workflows/"},
			{what: "unknown method", method: "PUT", body: `{}`},
			{what: "a document that is not there", path: wf + "documents/doc_0000000000000001/"},
			{what: "a document of another team's workflow", path: "/v0/workflows/{theirs}/documents/"},
		}},
	}
}

func badEvents() badSection {
	return badSection{"Source events", "POST", "/{key}", []badInput{
		{what: "empty", body: ""},
		{what: "form data", body: "a=b", header: []string{"Content-Type", "application/x-www-form-urlencoded"}},
		{what: "XML", body: "<a/>"},
		{what: "a list", body: `[{"Name":"Ada"}]`},
		{what: "a string", body: `"Ada"`},
		{what: "cut off", body: `{"Name":"Ad`},
		{what: "two objects", body: `{"Name":"Ada"} {}`},
		{what: "65 deep", body: strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65)},
		{what: "over 1 MiB", body: `{"a":"` + strings.Repeat("a", 1<<20) + `"}`},
		{what: "another encoding", body: "{}", header: []string{"Content-Encoding", "br"}},
		{what: "another method", method: "GET"},
		{what: "unknown address", path: "/unknown"},
		{what: "of an archived workflow", body: "{}", path: "/archived00000000000000000000"},
	}}
}

// refusals sends what a section has and writes its part of the page.
func refusals(t *testing.T, page *strings.Builder, handler http.Handler, s badSection, names *strings.Replacer) {
	t.Helper()
	fmt.Fprintf(page, "\n## %s\n\nUnless a row says otherwise: `%s %s`\n\n| what is wrong | sent | status | code | answer |\n|---|---|---|---|---|\n", s.title, s.method, s.path)
	for _, in := range s.inputs {
		method, path := cmp.Or(in.method, s.method), cmp.Or(in.path, s.path)
		r := httptest.NewRequest(method, names.Replace(path), strings.NewReader(in.body))
		r.Header.Set("Authorization", memory.AdaToken)
		for i := 0; i+1 < len(in.header); i += 2 {
			r.Header.Set(in.header[i], in.header[i+1])
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		a := answer{t, w.Code, w.Header(), w.Body.String()}
		if a.status < 400 || a.status >= 500 {
			t.Errorf("%s, %s: got %d: %s", s.title, in.what, a.status, a.body)
			continue
		}
		p := a.problem(a.status, fmt.Sprint(a.object()["code"]))
		says := p.Detail
		if len(p.Errors) > 1 {
			for _, e := range p.Errors {
				says += fmt.Sprintf(" %s %s.", e.Pointer, e.Detail)
			}
		}
		fmt.Fprintf(page, "| %s | %s | %d | [`%s`](errors.md#%s) | %s |\n", in.what, sent(s, in), a.status, p.Code, p.Code, cell(says))
	}
}

// sent shows what makes a request differ from its section's.
func sent(s badSection, in badInput) string {
	var parts []string
	if in.method != "" || in.path != "" {
		parts = append(parts, cmp.Or(in.method, s.method)+" "+cmp.Or(in.path, s.path))
	}
	for i := 0; i+1 < len(in.header); i += 2 {
		parts = append(parts, in.header[i]+": "+strings.ReplaceAll(in.header[i+1], memory.AdaToken[:20], "plt_…"))
	}
	if in.body != "" {
		parts = append(parts, in.body)
	}
	for i, part := range parts {
		size := len(part)
		if !utf8.ValidString(part) || strings.ContainsFunc(part, func(r rune) bool { return !unicode.IsPrint(r) }) {
			quoted := strconv.Quote(part)
			part = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(quoted[1 : len(quoted)-1])
		}
		if runes := []rune(part); len(runes) > 90 {
			part = string(runes[:60]) + " … (" + strconv.Itoa(size) + " bytes)"
		}
		parts[i] = "`" + cell(part) + "`"
	}
	return strings.Join(parts, "<br>")
}

func cell(s string) string {
	s = strings.NewReplacer("|", `\|`, "`", "'", "\n", " ").Replace(s)
	if runes := []rune(s); len(runes) > 400 {
		s = string(runes[:400]) + " …"
	}
	return s
}

// archivedSource refuses events to archived workflows and accepts all others.
type archivedSource struct{}

func (archivedSource) Accept(_ context.Context, e platen.SourceEvent) error {
	if strings.HasPrefix(e.SourceKey, "archived") {
		return platen.Errorf(platen.KindGone, "workflow_archived", "the workflow at this address is archived")
	}
	return nil
}

func TestThePageOfBadInputsSaysWhatIsAnswered(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"A","outgoingWebhook":{"webhookUrl":"https://example.com"}}`)
	doc := x.newDocument(t, wf, "")
	archived := x.newWorkflow(t, `{"name":"A"}`)
	x.do(t, "DELETE", archived, "").is(204)
	theirs := x.as(t, memory.BobToken, "POST", "/v0/workflows/", `{"name":"T"}`).is(201).object()["id"].(string)
	x.do(t, "POST", "/v0/workflows/", `{"name":"A"}`, keyHeader, "used").is(201)
	last := func(path string) string { return path[strings.LastIndex(path, "/")+1:] }
	names := strings.NewReplacer("{workflow}", last(wf), "{document}", last(doc), "{archived}", last(archived),
		"{theirs}", theirs, "{key}", "0123456789ABCDEFGHIJKLMNOPQ")

	var page strings.Builder
	page.WriteString("# Bad inputs and their answers\n\nWritten by the tests of package api (`" + writeDocs + "=1 go test ./api -run BadInputs`); they fail when this page is out of date.\n" +
		"Faults of a body come with a JSON pointer each in `errors`. What a code means and how to cure it: [errors](errors.md).\n")
	for _, s := range badSections() {
		refusals(t, &page, x.handler, s, names)
	}
	refusals(t, &page, hooks.New(hooks.Options{Acceptor: archivedSource{}, Log: slog.New(slog.DiscardHandler)}), badEvents(), names)
	limited := newHarness(t, func(o *Options) {
		o.RateLimit = edge.Rate{PerSecond: 1, Burst: 1}
		o.Unauthenticated = edge.Rate{PerSecond: 1, Burst: 1}
	})
	limited.do(t, "GET", "/v0/workflows/", "").is(200)
	limited.as(t, memory.NobodyToken, "GET", "/v0/workflows/", "").problem(403, "token_unknown")
	refusals(t, &page, limited.handler, badSection{"Too many requests", "GET", "/v0/workflows/", []badInput{
		{what: "more than the limit of a token"},
		{what: "tokens of nobody, more than the limit of an address", header: []string{"Authorization", memory.NobodyToken}},
	}}, names)

	holdsText(t, badInputsPage, page.String())
	stored, err := os.ReadFile(apiPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(stored), tableBegins)
	_, after, ended := strings.Cut(rest, tableEnds)
	if !begun || !ended {
		t.Fatalf("%s has no place for the table of bad inputs: %s … %s", apiPage, tableBegins, tableEnds)
	}
	holdsText(t, apiPage, before+tableBegins+byAnswer(page.String())+tableEnds+after)
}

// byAnswer is the page's rows as a table of answers and what gets them.
func byAnswer(page string) string {
	kinds := map[string][]string{}
	for line := range strings.Lines(page) {
		columns := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), " | ")
		if len(columns) < 4 || !strings.Contains(columns[3], "(errors.md#") {
			continue
		}
		answer := columns[2] + " | " + columns[3]
		what := strings.ReplaceAll(strings.TrimPrefix(columns[0], "| "), "\x00", `\|`)
		if !slices.Contains(kinds[answer], what) {
			kinds[answer] = append(kinds[answer], what)
		}
	}
	var table strings.Builder
	table.WriteString("\n| status | code | sent |\n|---|---|---|\n")
	for _, answer := range slices.Sorted(maps.Keys(kinds)) {
		table.WriteString("| " + answer + " | " + strings.Join(kinds[answer], "; ") + " |\n")
	}
	return table.String()
}

// holdsText fails when a file says something else, or writes it where asked to.
func holdsText(t *testing.T, path, want string) {
	t.Helper()
	if os.Getenv(writeDocs) != "" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(stored) != want {
		t.Errorf("%s is out of date: run %s=1 go test ./api -run BadInputs, and look at the difference", path, writeDocs)
	}
}
