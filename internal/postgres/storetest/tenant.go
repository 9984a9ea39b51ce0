package storetest

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/accept"
)

// A Tenant is a user with a token and a workflow that has one of everything.
type Tenant struct {
	User  platen.User
	Token string
	IDs   map[string]string // by the name of the variable in a route, such as workflow
	name  string            // of the workflow
}

// Tenant makes one, whose workflow is called "Of " and the name of the team, by an API on
// this database in whose drive the file docs-file is. Without a name the user is in no team.
func (f *Harness) Tenant(api http.Handler, team string) Tenant {
	f.T.Helper()
	u := platen.User{ID: platen.NewID(platen.PrefixUser), Name: "User of " + team, Email: strings.ToLower(platen.NewKey()) + "@example.org"}
	if team != "" {
		u.Team = f.Team(team)
	}
	f.Must(f.Users.CreateUser(f.T.Context(), u))
	_, token, err := f.Tokens.CreateToken(f.T.Context(), u.ID, "test", time.Time{})
	f.Must(err)
	made := func(path, body string) (v struct {
		ID        string
		Documents []struct{ ID string }
		Source    struct{ WebhookURL string }
	}) {
		f.T.Helper()
		r, w := httptest.NewRequest("POST", "/v0/"+path, strings.NewReader(body)), httptest.NewRecorder()
		r.Header.Set("Authorization", token)
		if api.ServeHTTP(w, r); w.Code != http.StatusCreated {
			f.T.Fatalf("POST %s: got %d: %s", path, w.Code, w.Body)
		}
		f.Must(json.Unmarshal(w.Body.Bytes(), &v))
		return v
	}
	secret := `"secret of ` + u.ID + `"`
	wf := made("workflows/", `{"name":"Of `+team+`","document":{"fileId":"docs-file","numbers":["invoices"]},"outgoingWebhook":{"webhookUrl":"https://`+strings.ToLower(u.ID[4:])+`.example"}}`)
	me := Tenant{User: u, Token: token, name: "Of " + team, IDs: map[string]string{"workflow": wf.ID, "document": wf.Documents[0].ID}}
	me.IDs["version"] = made("workflows/"+wf.ID+"/documents/"+wf.Documents[0].ID+"/versions/", `{"note":`+secret+`}`).ID
	me.IDs["target"] = made("workflows/"+wf.ID+"/targets/", `{"name":`+secret+`,"kind":"webdav","url":"https://cloud.example/in"}`).ID
	me.IDs["receiver"] = made("workflows/"+wf.ID+"/receivers/", `{"name":`+secret+`,"webhookUrl":"https://accounts.example"}`).ID
	me.IDs["mail_sender"] = made("mail-senders/", `{"name":`+secret+`,"from":"a@example.com","host":"mail.example.com"}`).ID
	me.IDs["schedule"] = made("workflows/"+wf.ID+"/schedules/", `{"name":`+secret+`,"cron":"0 0 * * *","timeZone":"UTC","data":{"Name":`+secret+`}}`).ID
	me.IDs["batch"] = made("workflows/"+wf.ID+"/batches/", `[{"Name":`+secret+`}]`).ID
	address := wf.Source.WebhookURL
	f.run(me, address[strings.LastIndex(address, "/")+1:], `{"Name":`+secret+`}`)
	return me
}

// run gives the tenant an automation with an output and an event.
func (f *Harness) run(me Tenant, key, body string) {
	f.T.Helper()
	b := accept.NewBatcher(f.DB.DB, accept.BatcherOptions{})
	defer func() { f.Must(b.Close(f.T.Context())) }()
	e := platen.SourceEvent{AutomationID: platen.NewID(platen.PrefixAutomation), SourceKey: key, Body: []byte(body), ReceivedAt: time.Now()}
	f.Must(b.Accept(f.T.Context(), e))
	plan, err := f.Plans.Plan(f.T.Context(), e.AutomationID)
	f.Must(err)
	me.IDs["automation"], me.IDs["output"], me.IDs["event"] = e.AutomationID, plan.Documents[0].OutputID, platen.NewID(platen.PrefixEvent)
	f.Exec(`
		INSERT INTO events (id, workflow_id, automation_id, output_id, attempt, type, test, payload, state, created_at)
		VALUES ($1, $2, $3, $4, 1, 'DOCUMENTS_CREATED', false, '', 'FAILED', now())`,
		me.IDs["event"], me.IDs["workflow"], e.AutomationID, me.IDs["output"])
}

// Shown is what a text shows of the tenant and only the tenant may see; empty: nothing.
func (me Tenant) Shown(text string) string {
	for _, private := range []string{me.User.ID, me.User.Email, me.name, "secret of " + me.User.ID} {
		if strings.Contains(text, private) {
			return private
		}
	}
	return ""
}

// Mixtures are the ids of requests that reach for another's things of these kinds: through
// the other's workflow, and one by one through the tenant's own.
func (me Tenant) Mixtures(theirs Tenant, kinds ...string) map[string]map[string]string {
	mixed := map[string]map[string]string{"workflow": theirs.IDs}
	for _, kind := range kinds {
		if kind == "workflow" {
			continue
		}
		mixed[kind] = maps.Clone(me.IDs)
		mixed[kind][kind] = theirs.IDs[kind]
	}
	return mixed
}
