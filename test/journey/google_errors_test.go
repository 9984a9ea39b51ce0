package journey

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
)

const (
	googleErrorsPage = "../../docs/google-errors.md"
	// writeDocs names the environment variable under which tests write the pages
	// that they would else compare.
	writeDocs = "PLATEN_WRITE_DOCS"
)

// A driveCall is one that a run makes to Google's interfaces.
type driveCall struct {
	name string // of the method, as Google has it
	is   func(*http.Request) bool
	of   planned
	// forbidden are calls that the account may not make, so that this one is made.
	forbidden func(*http.Request) bool
}

// A planned document is what it is a copy of, and its settings.
type planned struct {
	write    func(*testing.T, *harness) (fileID string)
	settings object
	files    []string // that are in the drive when the document is made
}

// letter is a Docs template with a PDF, whose original is removed; offer is a
// presentation that goes into a folder of its own and is shared.
func letter() planned {
	return planned{
		write:    func(t *testing.T, h *harness) string { return h.write(t, "Template", "Dear {{Name}},") },
		settings: object{"outputName": "Letter", "createPdfCopy": true, "removeOutput": true},
		files:    []string{"Letters - [Template]", "Template", "Letter.pdf"},
	}
}

func offer() planned {
	return planned{
		write:    func(t *testing.T, h *harness) string { return h.upload(t, example(t, examples.Offer)) },
		settings: object{"outputName": "Offer", "outputFolder": "Offers", "outputSharing": "anyone"},
		files:    []string{"Letters - [Template]", "Example offer", "Offers", "Offer"},
	}
}

// driveCalls are all that the two documents take.
func driveCalls() []driveCall {
	const files = "/drive/v3/files"
	ofOneFile := func(r *http.Request, method string) bool {
		id, ok := strings.CutPrefix(r.URL.Path, files+"/")
		return ok && r.Method == method && id != "generateIds" && !strings.Contains(id, "/")
	}
	reads := func(path string) func(*http.Request) bool {
		return func(r *http.Request) bool { return r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, path) }
	}
	ofPermissions := func(method string) func(*http.Request) bool {
		return func(r *http.Request) bool { return r.Method == method && strings.HasSuffix(r.URL.Path, "/permissions") }
	}
	deletes := func(r *http.Request) bool { return ofOneFile(r, http.MethodDelete) }
	return []driveCall{
		{name: "files.copy", of: letter(), is: isCopy},
		{name: "documents.get", of: letter(), is: reads("/v1/documents/")},
		{name: "documents.batchUpdate", of: letter(), is: isFill},
		{name: "files.export", of: letter(), is: func(r *http.Request) bool { // not the link of the file, which may be larger
			return strings.HasSuffix(r.URL.Path, "/export") && r.URL.Query().Get("alt") == "media"
		}},
		{name: "files.generateIds", of: letter(), is: func(r *http.Request) bool { return r.URL.Path == files+"/generateIds" }},
		{name: "files.create", of: letter(), is: func(r *http.Request) bool { return r.URL.Path == "/upload"+files }},
		{name: "files.delete", of: letter(), is: deletes},
		{name: "files.update (trash)", of: letter(), is: func(r *http.Request) bool { return ofOneFile(r, http.MethodPatch) }, forbidden: deletes},
		{name: "files.get (folder)", of: offer(), is: func(r *http.Request) bool { return ofOneFile(r, http.MethodGet) }},
		{name: "files.list (folder)", of: offer(), is: func(r *http.Request) bool { return r.Method == http.MethodGet && r.URL.Path == files }},
		{name: "files.create (folder)", of: offer(), is: func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Path == files }},
		{name: "presentations.get", of: offer(), is: reads("/v1/presentations/")},
		{name: "presentations.batchUpdate", of: offer(), is: isFill},
		{name: "permissions.list", of: offer(), is: ofPermissions(http.MethodGet)},
		{name: "permissions.create", of: offer(), is: ofPermissions(http.MethodPost)},
	}
}

// A driveError is what Google answers instead. The bodies have the form of
// https://developers.google.com/workspace/drive/api/guides/handle-errors, or of
// google.rpc.Status where Docs answers so.
type driveError struct {
	name   string
	status int // 0: the connection ends without an answer
	body   string
}

// refusal is an answer of Drive with a reason.
func refusal(status int, reason, message string) driveError {
	return driveError{
		name: fmt.Sprintf("%d `%s`", status, reason), status: status,
		body: fmt.Sprintf(`{"error":{"code":%d,"message":%q,"errors":[{"message":%q,"domain":"global","reason":%q}]}}`, status, message, message, reason),
	}
}

// rpcRefusal is an answer in the newer form; reason may be empty.
func rpcRefusal(status int, state, reason, message string) driveError {
	details := ""
	if reason != "" {
		details = fmt.Sprintf(`,"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":%q,"domain":"googleapis.com"}]`, reason)
	}
	return driveError{
		name: fmt.Sprintf("%d `%s`", status, cmp.Or(reason, state)), status: status,
		body: fmt.Sprintf(`{"error":{"code":%d,"message":%q,"status":%q%s}}`, status, message, state, details),
	}
}

func driveErrors() []driveError {
	return []driveError{
		rpcRefusal(400, "INVALID_ARGUMENT", "", "Invalid requests[0].replaceAllText: The text to replace must not be empty."),
		refusal(401, "authError", "Invalid Credentials"),
		refusal(403, "userRateLimitExceeded", "User Rate Limit Exceeded. Rate of requests for user exceed configured project quota."),
		refusal(403, "dailyLimitExceeded", "Daily Limit Exceeded"),
		refusal(403, "storageQuotaExceeded", "The user's Drive storage quota has been exceeded."),
		refusal(403, "insufficientFilePermissions", "The user does not have sufficient permissions for this file."),
		refusal(403, "appNotAuthorizedToFile", "The user has not granted the app access to the file."),
		refusal(403, "domainPolicy", "The domain administrators have disabled Drive apps."),
		refusal(403, "exportSizeLimitExceeded", "This file is too large to be exported."),
		rpcRefusal(403, "PERMISSION_DENIED", "SERVICE_DISABLED", "Google Docs API has not been used in project 1 before or it is disabled."),
		rpcRefusal(403, "PERMISSION_DENIED", "ACCESS_TOKEN_SCOPE_INSUFFICIENT", "Request had insufficient authentication scopes."),
		refusal(404, "notFound", "File not found: x."),
		rpcRefusal(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", "Quota exceeded for quota metric 'Write requests' and limit 'Write requests per minute per user'."),
		refusal(500, "internalError", "Internal Error"),
		{name: "502, a page", status: 502, body: "<html><title>Error 502 (Server Error)!!1</title></html>"},
		refusal(503, "backendError", "Backend Error"),
		{name: "no answer"},
	}
}

// A refused is one automation, one of whose calls Google refuses.
type refused struct {
	*harness
	call    driveCall
	fault   driveError
	email   string
	flow    workflow
	outcome string
}

// A refuser stands before the drive. It knows by the access token whose call it has.
type refuser struct {
	cases   sync.Map // of *refused, by access token
	cured   atomic.Bool
	through *httputil.ReverseProxy
}

func (f *refuser) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found, ok := f.cases.Load(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	if !ok || f.cured.Load() {
		f.through.ServeHTTP(w, r)
		return
	}
	c := found.(*refused)
	fault := c.fault
	switch {
	case c.call.is(r):
	case c.call.forbidden != nil && c.call.forbidden(r):
		fault = refusal(403, "insufficientFilePermissions", "The user does not have sufficient permissions for this file.")
	default:
		f.through.ServeHTTP(w, r)
		return
	}
	if fault.status == 0 {
		panic(http.ErrAbortHandler)
	}
	if strings.HasPrefix(fault.body, "{") {
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	} else {
		w.Header().Set("Content-Type", "text/html; charset=UTF-8")
	}
	w.WriteHeader(fault.status)
	_, _ = io.WriteString(w, fault.body)
}

// Each error is answered to each call of a document until its outcome is seen. Then
// Google is well again, and everything that waited is made.
func TestEachErrorOfGoogleAtEachCallHasTheOutcomeThatThePageSays(t *testing.T) {
	t.Parallel()
	between := &refuser{}
	h := open(t, options{between: func(drive string) string {
		target, err := url.Parse(drive)
		if err != nil {
			t.Fatal(err)
		}
		between.through = httputil.NewSingleHostReverseProxy(target)
		server := httptest.NewServer(between)
		t.Cleanup(server.Close)
		return server.URL
	}})
	admin, err := app.OpenAdmin(t.Context(), config.Database{DatabaseURL: h.database.Config().ConnString()}, config.Secrets{SecretKeys: platen.Secret(h.secretKeys)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(admin.Close)
	var all []*refused
	for _, fault := range driveErrors() {
		for _, call := range driveCalls() {
			c := &refused{harness: h.another(t, admin, len(all)), call: call, fault: fault, email: addressOf(len(all))}
			c.flow = c.createWorkflow(t, object{"name": "Letters"})
			c.addDocument(t, c.flow, call.of.write(t, c.harness), call.of.settings)
			between.cases.Store(c.driveToken, c)
			all = append(all, c)
			post(t, c.flow.Source.WebhookURL, []byte(`{"Name":"Ada","Offer Number":"17"}`), http.StatusOK)
		}
	}
	for _, c := range all {
		eventually(t, c.fault.name+" at "+c.call.name, c.settles(t))
	}
	comparePage(t, googleErrorsPage, pageOf(all))

	between.cured.Store(true)
	for _, c := range all {
		if strings.Contains(c.outcome, platen.CodeConnectionBroken) {
			err := admin.ConnectUser(t.Context(), c.email, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: platen.Secret(c.driveToken)})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range all {
		if strings.HasPrefix(c.outcome, "waits") {
			c.finished(t, c.flow.ID, platen.AutomationCompleted)
			wantFiles(t, c.harness, c.call.of.files...)
		}
	}
}

func addressOf(n int) string { return fmt.Sprintf("user-%d@journey.example", n) }

// another is the harness as another user has it, who has a drive of their own.
func (h *harness) another(t *testing.T, admin *admin.Admin, n int) *harness {
	t.Helper()
	ctx, other := t.Context(), *h
	var err error
	if other.ownerID, err = admin.CreateUser(ctx, "Ada Lovelace", addressOf(n), ""); err != nil {
		t.Fatal(err)
	}
	if other.token, err = admin.CreateToken(ctx, addressOf(n), "journey", 0); err != nil {
		t.Fatal(err)
	}
	if other.driveToken, err = admin.CreateDriveToken(ctx, "Ada Lovelace", addressOf(n)); err != nil {
		t.Fatal(err)
	}
	if err = admin.ConnectUser(ctx, addressOf(n), platen.DriveConnection{Kind: platen.ConnectionToken, Secret: platen.Secret(other.driveToken)}); err != nil {
		t.Fatal(err)
	}
	other.authorize(t)
	return &other
}

// settles tells whether it can be seen what becomes of the automation. What waits has
// failed alike twice: a busy machine may be slow once.
func (c *refused) settles(t *testing.T) func() error {
	return func() error {
		type said struct{ Code string }
		var run struct {
			State      platen.AutomationState
			Error      *said
			WaitingFor []struct {
				Code  string
				Tries int
			}
			Outputs []struct{ Findings []said }
		}
		rows := c.automations(t, c.flow.ID)
		if len(rows) != 1 {
			return fmt.Errorf("got %d automations, want one", len(rows))
		}
		c.harness.call(t, http.MethodGet, "/workflows/"+c.flow.ID+"/automations/"+rows[0].id+"/", nil, &run, http.StatusOK)
		switch {
		case run.State == platen.AutomationFailed:
			c.outcome = "fails: " + link(run.Error.Code)
		case run.State == platen.AutomationCompleted && len(run.Outputs[0].Findings) > 0:
			c.outcome = "made, finding " + link(run.Outputs[0].Findings[0].Code)
		case run.State == platen.AutomationCompleted:
			c.outcome = "made"
		case len(run.WaitingFor) == 1 && run.WaitingFor[0].Tries > 1:
			c.outcome = "waits: " + link(run.WaitingFor[0].Code)
		default:
			return fmt.Errorf("got %+v", run)
		}
		return nil
	}
}

func link(code string) string { return fmt.Sprintf("[`%s`](errors.md#%s)", code, code) }

// pageOf has a line for each error: its outcome at most calls, then at others.
func pageOf(all []*refused) string {
	var page strings.Builder
	page.WriteString("# Errors of Google and what becomes of the document\n\n" +
		"Written by a test (`" + writeDocs + "=1 bin/platen-dev exec -- go test ./test/journey -run EachErrorOfGoogle`), which fails when this page is out of date. " +
		"It answers each call of two documents with each error, by the production client. One is a copy of a Docs template with a PDF, whose original is removed. " +
		"The other is a presentation that goes into a folder of its own (`outputFolder`) and is shared (`outputSharing`). " +
		"When Google is well again, everything that waited is made (the same test).\n\n" +
		"- *Waits*: nothing has failed. `waitingFor` of the automation shows the code, and the step is tried again, for a day at most ([`gave_up`](errors.md#gave_up)).\n" +
		"- *Fails*: the output is FAILED with the code, and the receiver gets `DOCUMENT_FAILED`. Retry the automation when the cause is cured.\n" +
		"- *Made*: the receiver gets the document all the same. A file that may not be deleted is trashed, and a PDF that is too large for `files.export` comes by the link of the file.\n\n" +
		"| Google answers | the document | but at |\n|---|---|---|\n")
	for of := range slices.Chunk(all, len(driveCalls())) {
		calls := map[string][]string{}
		mostly := ""
		for _, c := range of {
			calls[c.outcome] = append(calls[c.outcome], "`"+c.call.name+"`")
			if len(calls[c.outcome]) > len(calls[mostly]) {
				mostly = c.outcome
			}
		}
		var others []string
		for _, c := range of {
			if names := calls[c.outcome]; c.outcome != mostly && len(names) > 0 {
				others = append(others, strings.Join(names, ", ")+": "+c.outcome)
				delete(calls, c.outcome)
			}
		}
		fmt.Fprintf(&page, "| %s | %s | %s |\n", of[0].fault.name, mostly, strings.Join(others, "; "))
	}
	return page.String()
}

// comparePage compares a page of the docs, or writes it.
func comparePage(t *testing.T, path, want string) {
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
		t.Errorf("%s is out of date; it should say:\n%s", path, want)
	}
}
