package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/operate"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/testkit"
)

// An office is a serve behind walls, each of whose logins may do what it needs.
type office struct {
	t            *testing.T
	origin       string
	hooks        string // of source addresses
	stop         func() // ends the serve
	*admin.Admin        // over everything, as the commands are
	pool         *pgxpool.Pool
}

func openOffice(t *testing.T, pages bool) *office {
	t.Helper()
	return openOfficeBy(t, pages, testkit.Listen(t))
}

// openOfficeBy is openOffice whose drive is at a listener. Nothing answers there, until
// somebody serves it.
func openOfficeBy(t *testing.T, pages bool, drive net.Listener) *office {
	t.Helper()
	t.Cleanup(func() { _ = drive.Close() })
	pool := testkit.Database(t, "app_office", func(ctx context.Context, pool *pgxpool.Pool) error {
		return Migrate(ctx, pool.Config().ConnString())
	})
	of := func(program string) string {
		u, err := url.Parse(pool.Config().ConnString())
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.UserPassword(pool.Config().ConnConfig.Database+"_"+program, "of this test")
		return u.String()
	}
	logins := config.RoleLogins{ServeDatabaseURL: of("serve"), OperatorDatabaseURL: of("office")}
	if err := MakeRoles(t.Context(), pool.Config().ConnString(), "", logins, 0, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	keys := secret.NewKey()
	api, hooks := testkit.Listen(t), testkit.Listen(t)
	parts := testkit.NewParts(t)
	running, stop := context.WithCancel(parts.Running)
	t.Cleanup(stop)
	parts.Start(running, t, "serve", func(ready func()) error {
		c := config.Defaults[config.Serve]()
		c.Database = config.Database{DatabaseURL: logins.ServeDatabaseURL, RequireRoles: config.Switch{Setting: config.Of(true)}}
		c.Secrets, c.Cloud = config.Secrets{SecretKeys: platen.Secret(keys)}, config.Cloud{DriveEndpoint: "http://" + drive.Addr().String()}
		c.RateLimit, c.UnauthenticatedLimit = config.Of(0), config.Of(0)
		if pages {
			c.OperatorDatabaseURL = logins.OperatorDatabaseURL
		}
		return Serve(running, c, slog.New(slog.NewTextHandler(parts.Log, nil)), api, hooks, ready)
	})
	box, err := secret.ParseKeys(keys)
	if err != nil {
		t.Fatal(err)
	}
	return &office{t: t, origin: "http://" + api.Addr().String(), hooks: "http://" + hooks.Addr().String(), stop: stop, pool: pool, Admin: &admin.Admin{DB: operate.New(postgres.New(pool, box))}}
}

func (o *office) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

// user makes a user, and a token with these scopes.
func (o *office) user(email string, scopes ...platen.Scope) (id, token string) {
	o.t.Helper()
	id, err := o.CreateUser(o.t.Context(), "Name of "+email, email, "")
	o.must(err)
	token, err = o.CreateToken(o.t.Context(), email, "first", time.Hour, scopes...)
	o.must(err)
	return id, token
}

// operator makes a user who is one.
func (o *office) operator(email string, scopes ...platen.Scope) (id, token string) {
	o.t.Helper()
	id, token = o.user(email, scopes...)
	o.must(o.SetOperator(o.t.Context(), email, true))
	return id, token
}

func (o *office) count(sql string, args ...any) (n int) {
	o.t.Helper()
	o.must(o.pool.QueryRow(o.t.Context(), sql, args...).Scan(&n))
	return n
}

// A person opens pages in a browser of their own.
type person struct {
	*office
	client *http.Client
}

// signsIn returns a person; an empty token: nobody has signed in.
func (o *office) signsIn(token string) person {
	o.t.Helper()
	jar, err := cookiejar.New(nil)
	o.must(err)
	p := person{o, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	if token != "" {
		if status, body, _ := p.send("POST", "/console/sign-in", url.Values{"token": {token}}); status != http.StatusSeeOther {
			o.t.Fatalf("sign in: got %d: %s", status, body)
		}
	}
	return p
}

func (p person) send(method, path string, form url.Values, header ...string) (status int, body, to string) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.origin+path, strings.NewReader(form.Encode()))
	p.must(err)
	if method == "POST" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := p.client.Do(r)
	p.must(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	p.must(err)
	return answer.StatusCode, string(text), answer.Header.Get("Location")
}

func (p person) get(path string, want ...string) string {
	p.t.Helper()
	status, body, to := p.send("GET", path, nil)
	if status != http.StatusOK {
		p.t.Errorf("%s: got %d to %q: %s", path, status, to, body)
	}
	for _, text := range want {
		if !strings.Contains(body, text) {
			p.t.Errorf("%s lacks %s:\n%s", path, text, body)
		}
	}
	return body
}

// post sends a form that is carried out, and returns where it leads.
func (p person) post(path string, form ...string) string {
	p.t.Helper()
	status, body, to := p.send("POST", path, typed(form...))
	if status != http.StatusSeeOther {
		p.t.Fatalf("POST %s: got %d: %s", path, status, body)
	}
	return to
}

// refused sends a form that is not, and holds what the page says.
func (p person) refused(want int, says, path string, form ...string) {
	p.t.Helper()
	if status, body, _ := p.send("POST", path, typed(form...)); status != want || !strings.Contains(body, says) {
		p.t.Errorf("POST %s: got %d, want %d and %q: %s", path, status, want, says, body)
	}
}

func typed(form ...string) url.Values {
	values := url.Values{}
	for i := 0; i+1 < len(form); i += 2 {
		values.Set(form[i], form[i+1])
	}
	return values
}

const operatorPages = "/console/operator/"

// routes are those of the pages, as the console registers them: method and path with ids.
func routes(t *testing.T, user, team, token string) [][2]string {
	t.Helper()
	source, err := os.ReadFile("../console/operators.go")
	if err != nil {
		t.Fatal(err)
	}
	var all [][2]string
	for _, found := range regexp.MustCompile(`\n\t(get|post|asked)\("([^"]*)"`).FindAllStringSubmatch(string(source), -1) {
		path := operatorPages + strings.NewReplacer("{$}", "", "{user}", user, "{team}", team, "{token}", token).Replace(found[2])
		if found[1] != "post" {
			all = append(all, [2]string{"GET", path})
		}
		if found[1] != "get" {
			all = append(all, [2]string{"POST", path})
		}
	}
	if len(all) < 25 {
		t.Fatalf("found %d routes in the source, want all", len(all))
	}
	return all
}

// backTo is where a page leads back to when its language is chosen: to itself.
var backTo = regexp.MustCompile(`name="next" value="[^"]*"`)

func TestPagesOfOperatorsAreThereForOperatorsAlone(t *testing.T) {
	t.Parallel()
	for _, pages := range []bool{true, false} {
		t.Run(fmt.Sprintf("with the setting: %v", pages), func(t *testing.T) {
			t.Parallel()
			o := openOffice(t, pages)
			_, full := o.operator("op@example.com")
			_, other := o.operator("two@example.com")
			adaID, ada := o.user("ada@example.com")
			team, err := o.CreateTeam(t.Context(), "Red")
			o.must(err)
			w := o.workflow(adaID)
			people := map[string]person{"a user": o.signsIn(ada)}
			for i, scopes := range []platen.Scopes{{platen.ScopeRead}, {platen.ScopeWrite}} {
				_, token := o.operator(fmt.Sprintf("scoped%d@example.com", i), scopes...)
				people["an operator whose token may "+scopes.String()] = o.signsIn(token)
			}
			scopedID, _ := o.operator("scoped3@example.com")
			_, err = o.pool.Exec(t.Context(), `UPDATE workflows SET owner_id = $1 WHERE id = $2`, scopedID, w)
			o.must(err)
			token, err := o.CreateToken(t.Context(), "scoped3@example.com", "one", time.Hour, platen.ScopeWrite, platen.Scope("workflow:"+w))
			o.must(err)
			people["an operator whose token is for one workflow"] = o.signsIn(token)
			_, former := o.operator("former@example.com")
			people["who was an operator"] = o.signsIn(former)
			o.must(o.SetOperator(t.Context(), "former@example.com", false))
			operator := o.signsIn(full)
			if !pages {
				people["an operator"] = operator
			}
			disabled := o.signsIn(other)
			o.must(o.WithUser(t.Context(), "two@example.com", o.DB.Users.DisableUser))
			tokens, err := o.DB.Tokens.TokensOf(t.Context(), adaID)
			o.must(err)
			all := routes(t, adaID, team, tokens[0].ID)
			for name, p := range people {
				_, missing, _ := p.send("GET", "/console/no-such-page", nil)
				for _, route := range append(all, [2]string{"PUT", operatorPages}, [2]string{"GET", operatorPages + "no-such-page"}) {
					if status, body, _ := p.send(route[0], route[1], typed("certain", "on")); status != http.StatusNotFound || backTo.ReplaceAllString(body, "") != backTo.ReplaceAllString(missing, "") {
						t.Errorf("%s: %s %s: got %d, want the page that is not there: %s", name, route[0], route[1], status, body)
					}
				}
				if body := p.get0("/"); strings.Contains(body, operatorPages) {
					t.Errorf("%s: the first page leads to those of operators", name)
				}
			}
			for name, p := range map[string]person{"nobody": o.signsIn(""), "a disabled operator": disabled} {
				for _, route := range all {
					if status, _, to := p.send(route[0], route[1], nil); status != http.StatusSeeOther || !strings.HasPrefix(to, "/console/sign-in") {
						t.Errorf("%s: %s %s: got %d to %q, want the sign-in", name, route[0], route[1], status, to)
					}
				}
			}
			if n := o.count(`SELECT count(*) FROM audit WHERE action LIKE '%` + operatorPages + `%'`); n != 0 {
				t.Errorf("%d entries in the audit, want none: nothing was begun", n)
			}
			if !pages {
				return
			}
			operator.get("/", operatorPages)
			for _, route := range all {
				if route[0] == "GET" && route[1] != operatorPages+"resume" && !strings.HasSuffix(route[1], "disconnect") { // those have nothing here
					operator.get(route[1])
				}
			}
			if status, _, _ := operator.send("POST", operatorPages+"teams/", typed("name", "Evil"), "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"); status != http.StatusForbidden {
				t.Errorf("a form of another site: got %d, want 403", status)
			}
		})
	}
}

// get0 is get for a person who may be refused the page.
func (p person) get0(path string) string {
	p.t.Helper()
	_, body, _ := p.send("GET", path, nil)
	return body
}

// workflow makes a workflow of a user whose every text is a canary.
func (o *office) workflow(owner string) string {
	o.t.Helper()
	now := time.Now().UTC().Truncate(time.Microsecond)
	w := platen.Workflow{
		ID: platen.NewID(platen.PrefixWorkflow), Name: "CanaryName", Color: platen.DefaultColor, Icon: platen.DefaultIcon, Status: platen.StatusComplete, AutoCreate: true, Owner: platen.User{ID: owner},
		Source:          platen.Source{ID: platen.NewID(platen.PrefixSource), Type: platen.SourceWebhook, Fields: []string{"CanaryField"}, Key: platen.NewKey()},
		OutgoingWebhook: &platen.OutgoingWebhook{ID: platen.NewID(platen.PrefixOutgoingWebhook), URL: "https://canaryreceiver.example/in", Secret: "whsec_Q2FuYXJ5", CreatedAt: now, UpdatedAt: now},
		CreatedAt:       now, UpdatedAt: now,
	}
	w.Documents = []platen.Document{{
		ID: platen.NewID(platen.PrefixDocument), WorkflowID: w.ID, Type: platen.TypeDocs, File: platen.File{ID: "CanaryFile", Name: "CanaryTemplate", URL: "https://canarydrive.example/f", MIMEType: platen.MIMEDocs},
		OutputName: "CanaryOutput", EnablePDFPassword: true, CreatePDFCopy: true, PDFPassword: "CanaryPassword", OnMissing: platen.MissingBlank, OutputSharing: platen.SharingFolder, CreatedAt: now, UpdatedAt: now,
	}}
	o.must(o.DB.Workflows.CreateWorkflow(o.t.Context(), w))
	return w.ID
}

func TestOperatorsSeeNothingThatTenantsMade(t *testing.T) {
	t.Parallel()
	o := openOffice(t, true)
	opID, full := o.operator("op@example.com")
	adaID, text := o.user("ada@example.com")
	team, err := o.CreateTeam(t.Context(), "Red")
	o.must(err)
	w := o.workflow(adaID)
	o.must(o.DB.Connections.SaveDriveConnection(t.Context(), adaID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "CanarySecret"}))
	_, err = o.pool.Exec(t.Context(), `
		INSERT INTO automations (id, workflow_id, source_id, owner_id, body, state, accepted_at, finished_at, failure_code, failure, request_id)
		SELECT 'aut_0000000000000001', w.id, s.id, owner_id, 'CanaryBody', 'FAILED', now(), now(), 'drive_file_not_found', 'CanaryFailure', 'CanaryRequest' FROM workflows w JOIN sources s ON s.workflow_id = w.id`)
	o.must(err)
	o.must(o.DB.Pauses.Pause(t.Context(), platen.Pause{Scope: platen.PauseWorkflow, ID: w, By: "root"}))
	tokens, err := o.DB.Tokens.TokensOf(t.Context(), adaID)
	o.must(err)
	op := o.signsIn(full)
	for _, route := range routes(t, adaID, team, tokens[0].ID) {
		if route[0] != "GET" {
			continue
		}
		body := op.get0(route[1])
		for _, secret := range []string{"canary", text, full, strings.ToLower(text)} {
			if strings.Contains(strings.ToLower(body), strings.ToLower(secret)) {
				t.Errorf("%s shows %s", route[1], secret)
			}
		}
	}
	op.get(operatorPages, "drive_file_not_found", "1 run failed", adaID, "ada@example.com", w)
	op.get(operatorPages+"resume?scope=workflow&id="+w, "Resume a workflow")
	op.get(operatorPages+"keys/", "1 of 1", "drive connections", "passwords of documents")
	op.get(operatorPages+"users/"+adaID+"/", "ada@example.com", "1, without archived ones")
	op.get(operatorPages+"connections/", "ada@example.com", "connected")
	op.get(operatorPages+"retention/", "365 days", "PLATEN_AUDIT_RETENTION")
	op.post(operatorPages+"resume", "scope", "workflow", "id", w)
	op.post(operatorPages+"resume", "scope", "workflow", "id", w) // twice is no error
	if n := o.count(`SELECT count(*) FROM pauses`); n != 0 {
		t.Errorf("%d pauses, want none", n)
	}
	if n := o.count(`SELECT count(*) FROM audit WHERE action = 'POST /console/operator/resume' AND actor = 'user' AND actor_id = $1 AND owner_id = $2 AND workflow_id = $3`, opID, adaID, w); n != 2 {
		t.Errorf("%d entries for the workflow's owner, want 2", n)
	}
}

func TestWhatOperatorsDoOnPagesIsDoneAndInTheAudit(t *testing.T) {
	t.Parallel()
	o := openOffice(t, true)
	opID, full := o.operator("op@example.com")
	otherID, otherToken := o.operator("two@example.com")
	other := o.signsIn(otherToken)
	op := o.signsIn(full)
	const users, teams = operatorPages + "users/", operatorPages + "teams/"

	team := op.post(teams, "name", "Print")
	op.refused(409, "Another team has the name print: use", teams, "name", "print")
	op.refused(400, "The name is empty", teams, "name", " ")
	op.refused(400, "The name has more than 200 characters", teams, "name", strings.Repeat("ü", 201))
	op.refused(400, "No team has the id or the name", users, "name", "Ada", "email", "ada@example.com", "team", "Nowhere")
	op.refused(400, "such as ada@example.com", users, "name", "Ada", "email", "ada")
	user := op.post(users, "name", "Ada", "email", "ada@example.com", "team", "print")
	op.refused(409, "Another user has the e-mail address ADA@example.com.", users, "name", "Ada", "email", "ADA@example.com")
	op.get(team, "ada@example.com")
	op.get(users+"?q=ADA", "ada@example.com")
	adaID := strings.TrimSuffix(strings.TrimPrefix(user, users), "/")

	once := regexp.MustCompile(`name="once" value="(tok_\w+)"`).FindStringSubmatch(op.get(user))[1]
	status, shown, _ := op.send("POST", user+"tokens", typed("once", once, "name", "laptop", "days", "30", "scopes", ""))
	token := regexp.MustCompile(`plt_\w+`).FindString(shown)
	if status != http.StatusOK || token == "" {
		t.Fatalf("make a token: got %d: %s", status, shown)
	}
	op.refused(409, "shown then", user+"tokens", "once", once, "name", "laptop", "days", "30")
	op.refused(400, "no scope", user+"tokens", "once", once, "name", "x", "days", "30", "scopes", "everything")
	op.refused(400, "number of days", user+"tokens", "once", once, "name", "x", "days", "-1")
	if body := op.get(user, "laptop", once); strings.Contains(body, token) {
		t.Error("the text of a token is shown twice")
	}
	ada := o.signsIn(token)
	ada.get("/", "Ada")
	op.post(user+"move", "team", "")
	op.get(user+"disable", "ada@example.com", "answer 503")
	for range 2 {
		op.post(user + "disable")
	}
	if status, _, to := ada.send("GET", "/", nil); status != http.StatusSeeOther || !strings.HasPrefix(to, "/console/sign-in") {
		t.Errorf("who is disabled: got %d to %q, want the sign-in", status, to)
	}
	op.get(user, "disabled", "Enable")
	op.post(user + "enable")
	o.signsIn(token).get("/", "Ada")
	revoke := operatorPages + "tokens/" + once + "/revoke"
	op.get(revoke, "laptop", "Revoke")
	for range 2 {
		op.post(revoke)
	}
	op.get(user, "revoked")

	o.must(o.DB.Connections.SaveDriveConnection(t.Context(), adaID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "s"}))
	op.refused(400, "disconnect it first", user+"delete", "certain", "on")
	op.get(user+"disconnect", "ada@example.com")
	op.post(user + "disconnect")
	op.refused(400, "Tick the box", user+"delete")
	op.get(user+"delete", "ada@example.com", "Nothing takes it back")
	for range 2 {
		op.post(user+"delete", "certain", "on")
	}
	op.get(user, "@deleted.invalid", "deleted")

	// Pages take power from an operator, and give none.
	self, two := users+opID+"/", users+otherID+"/"
	op.refused(403, "do not disable themselves", self+"disable")
	op.refused(403, "do not delete themselves", self+"delete", "certain", "on")
	op.refused(403, "platen token create", two+"tokens", "once", platen.NewID(platen.PrefixToken), "name", "x", "days", "1")
	op.refused(403, "platen user move", two+"move", "team", "print")
	op.post(two + "disable")
	op.refused(403, "platen user enable", two+"enable")
	if status, _, to := other.send("GET", operatorPages, nil); status != http.StatusSeeOther || !strings.HasPrefix(to, "/console/sign-in") {
		t.Errorf("the other operator: got %d to %q, want the sign-in", status, to)
	}

	audit := op.get(operatorPages+"audit/?user=op@example.com", "POST /console/operator/users/{user}/delete", "user_connected", "operator_self", "127.0.0.1")
	if strings.Count(audit, "<tr>") < 20 {
		t.Errorf("the audit has too little: %s", audit)
	}
	op.get(operatorPages+"audit/?user="+adaID, "/disable", "op@example.com")
	op.get(operatorPages+"audit/?user=nobody@example.com", "Nobody has this e-mail address")
	op.get(operatorPages+"audit/?workflow=x", "begins with wkf_")
	op.get(operatorPages+"audit/?from=2020-01-01&to=2020-01-02", "Nothing.")
	op.get(operatorPages+"audit/?from=x", "A day is written like")
	for action, want := range map[string][2]int{ // done, refused
		"teams/": {1, 3}, "users/": {1, 3}, "users/{user}/tokens": {1, 4}, "users/{user}/move": {1, 1}, "users/{user}/disable": {3, 1}, "users/{user}/enable": {1, 1},
		"tokens/{token}/revoke": {2, 0}, "users/{user}/disconnect": {1, 0}, "users/{user}/delete": {2, 3},
	} {
		got := [2]int{}
		for i, outcome := range []string{"= 'done'", "<> 'done'"} {
			got[i] = o.count(`SELECT count(*) FROM audit WHERE actor = 'user' AND actor_id = $1 AND token_id <> '' AND address IS NOT NULL AND action = $2 AND outcome `+outcome, opID, "POST "+operatorPages+action)
		}
		if got != want {
			t.Errorf("%s: got %v entries that were done and refused, want %v", action, got, want)
		}
	}
}

// What strangers call themselves is text.
// Where a form was refused the page stands at the form's address: it may be loaded again.
func TestTheAddressOfAnOperatorsFormLeadsToItsPage(t *testing.T) {
	t.Parallel()
	o := openOffice(t, true)
	id, full := o.operator("op@example.com")
	op := o.signsIn(full)
	user := operatorPages + "users/" + id + "/"
	for _, form := range []string{"move", "enable", "tokens", "connect-link"} {
		if status, _, to := op.send("GET", user+form, nil); status != http.StatusSeeOther || to != user {
			t.Errorf("%s: got %d to %q, want the user", form, status, to)
		}
	}
	for _, at := range []string{user + "nothing", operatorPages + "nothing"} {
		if status, _, to := op.send("GET", at, nil); status != http.StatusNotFound {
			t.Errorf("%s: got %d to %q, want that there is no page", at, status, to)
		}
	}
}

func TestNamesOnOperatorsPagesAreText(t *testing.T) {
	t.Parallel()
	o := openOffice(t, true)
	_, full := o.operator("op@example.com")
	const evil = `</bdi><script>alert(1)</script>"'&` + "\u202e"
	team, err := o.CreateTeam(t.Context(), evil)
	o.must(err)
	id, err := o.CreateUser(t.Context(), evil+strings.Repeat("x", 150), "eve@example.com", team)
	o.must(err)
	_, err = o.CreateToken(t.Context(), "eve@example.com", evil, time.Hour)
	o.must(err)
	o.must(o.DB.Connections.SaveDriveConnection(t.Context(), id, platen.DriveConnection{Kind: platen.ConnectionServiceAccount, Subject: evil}))
	stored, err := o.DB.Connections.StoredConnection(t.Context(), id)
	o.must(err)
	_, err = o.DB.Connections.MarkBroken(t.Context(), id, stored, evil)
	o.must(err)
	o.must(o.DB.Pauses.Pause(t.Context(), platen.Pause{Scope: platen.PauseUser, ID: id, Reason: evil, By: evil}))
	tokens, err := o.DB.Tokens.TokensOf(t.Context(), id)
	o.must(err)
	op := o.signsIn(full)
	for _, route := range routes(t, id, team, tokens[0].ID) {
		if route[0] == "GET" {
			if body := op.get0(route[1]); strings.Contains(body, "<script>alert") || strings.Contains(body, `"'&`+"\u202e") {
				t.Errorf("%s shows a name as it is: %s", route[1], body)
			}
		}
	}
	for _, query := range []string{"users/?q=" + url.QueryEscape(evil), "users/?after=x", "audit/?user=" + url.QueryEscape(evil), "audit/?before=" + url.QueryEscape(evil), "resume?scope=x&id=" + url.QueryEscape(evil)} {
		if body := op.get0(operatorPages + query); strings.Contains(body, "<script>alert") {
			t.Errorf("%s shows what was asked for as it is", query)
		}
	}
	if slices.Contains([]int{500, 503}, func() int { s, _, _ := op.send("GET", operatorPages+"users/?q=%00%ff", nil); return s }()) {
		t.Error("a search for what is no text is a fault of ours")
	}
}
