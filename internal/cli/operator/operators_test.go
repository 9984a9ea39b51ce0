package operator

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/cli"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/accept"
	stores "github.com/platenhq/platen/internal/postgres/operate"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/testkit"
)

// canary is in everything that somebody sent or named, and in no answer to an operator.
const canary = "canary-4711"

// An installation is a database with a workflow of one user.
type installation struct {
	t        *testing.T
	pool     *pgxpool.Pool
	db       *postgres.DB
	keys     string
	workflow platen.Workflow
}

func install(t *testing.T) installation {
	t.Helper()
	pool := testkit.Database(t, "cmd", func(ctx context.Context, pool *pgxpool.Pool) error {
		return app.Migrate(ctx, pool.Config().ConnString())
	})
	i := installation{t: t, pool: pool, keys: app.NewSecretKey()}
	box, err := secret.ParseKeys(i.keys)
	i.must(err)
	i.db = postgres.New(pool, box)
	user := platen.User{ID: platen.NewID(platen.PrefixUser), Name: canary, Email: canary + "@example.com"}
	i.must(stores.New(i.db).Users.CreateUser(t.Context(), user))
	at := time.Now().UTC().Truncate(time.Microsecond)
	id := platen.NewID(platen.PrefixWorkflow)
	i.workflow = platen.Workflow{
		ID: id, Name: canary, Owner: user, Status: platen.StatusComplete, AutoCreate: true, CreatedAt: at, UpdatedAt: at,
		Source:          platen.Source{ID: platen.NewID(platen.PrefixSource), Type: platen.SourceWebhook, Fields: []string{}, Key: platen.NewKey()},
		OutgoingWebhook: &platen.OutgoingWebhook{ID: platen.NewID(platen.PrefixOutgoingWebhook), URL: "https://example.org/" + canary, Secret: "whsec_c2VjcmV0", CreatedAt: at, UpdatedAt: at},
		Documents: []platen.Document{{
			ID: platen.NewID(platen.PrefixDocument), WorkflowID: id, OutputName: canary, Type: platen.TypeDocs, CreatedAt: at, UpdatedAt: at,
			File: platen.File{ID: canary, Name: canary, MIMEType: platen.MIMEDocs},
		}},
	}
	i.must(i.db.Workflows.CreateWorkflow(t.Context(), i.workflow))
	return i
}

func (i installation) must(err error) {
	i.t.Helper()
	if err != nil {
		i.t.Fatal(err)
	}
}

// accept stores an event and returns its plan.
func (i installation) accept() platen.Plan {
	i.t.Helper()
	b := accept.NewBatcher(i.db, accept.BatcherOptions{})
	defer func() { i.must(b.Close(context.WithoutCancel(i.t.Context()))) }()
	e := platen.SourceEvent{
		AutomationID: platen.NewID(platen.PrefixAutomation), SourceKey: i.workflow.Source.Key, Body: []byte(`{"` + canary + `":"` + canary + `"}`),
		Fields: []string{canary}, ReceivedAt: time.Now(), RequestID: platen.NewID(platen.PrefixRequest),
	}
	i.must(b.Accept(i.t.Context(), e))
	p, err := i.db.Plans.Plan(i.t.Context(), e.AutomationID)
	i.must(err)
	return p
}

// failed is an automation whose output failed, and the event that tells of it, FAILED too.
func (i installation) failed() (automationID, eventID string) {
	i.t.Helper()
	p := i.accept()
	_, eventID, err := i.db.Outputs.RecordOutput(i.t.Context(), p.Documents[0].OutputID, func(o *platen.Output) error {
		o.State, o.FailureCode, o.Failure = platen.OutputFailed, "drive_file_not_found", canary
		return nil
	}, func(o platen.Output) (platen.Event, error) {
		return platen.Event{ID: platen.NewID(platen.PrefixEvent), Type: "output.failed", Payload: []byte(`{"a":"` + canary + `"}`), CreatedAt: time.Now()}, nil
	})
	i.must(err)
	_, err = i.db.Automations.EndAutomation(i.t.Context(), p.AutomationID, 1)
	i.must(err)
	i.must(i.db.Deliveries.RecordDelivery(i.t.Context(), platen.Delivery{EventID: eventID, Attempt: 1, At: time.Now(), Status: 500, Failure: canary, Answer: canary}, platen.EventFailed, 0))
	return p.AutomationID, eventID
}

func (i installation) database() config.Database {
	return config.Database{DatabaseURL: i.pool.Config().ConnString()}
}

// prints is what a command prints: no canary.
func (i installation) prints(run func(context.Context, *bytes.Buffer) error) string {
	i.t.Helper()
	var out bytes.Buffer
	i.must(run(i.t.Context(), &out))
	if strings.Contains(out.String(), canary) {
		i.t.Errorf("it prints what somebody sent or named: %s", out.String())
	}
	return out.String()
}

// acts are the entries of the audit, as "action object outcome".
func (i installation) acts() []string {
	i.t.Helper()
	entries, err := i.db.Audit.Entries(i.t.Context(), platen.AuditQuery{Page: platen.Page{Limit: 100}, WorkflowID: i.workflow.ID})
	i.must(err)
	var all []string
	for _, e := range entries {
		if e.Actor.Kind != platen.ActorOperator {
			i.t.Errorf("audit: got %+v, want it done by an operator", e)
		}
		all = append(all, strings.TrimSpace(e.Action+" "+e.ObjectID)+" "+e.Outcome)
	}
	return all
}

func TestAnOperatorShowsRetriesAndCancelsAnAutomationOfAnyUser(t *testing.T) {
	t.Parallel()
	i := install(t)
	id, eventID := i.failed()
	table := i.prints(func(ctx context.Context, out *bytes.Buffer) error {
		return (&automationShowCommand{Database: i.database(), ID: id}).run(ctx, out)
	})
	for _, want := range []string{id, i.workflow.ID, "FAILED", "drive_file_not_found", eventID} {
		if !strings.Contains(table, want) {
			t.Errorf("show: got\n%s\nwant %s in it", table, want)
		}
	}
	var shown automationShownJSON
	i.must(json.Unmarshal([]byte(i.prints(func(ctx context.Context, out *bytes.Buffer) error {
		return (&automationShowCommand{Database: i.database(), ID: id, JSON: true}).run(ctx, out)
	})), &shown))
	if shown.State != "FAILED" || len(shown.Outputs) != 1 || shown.Outputs[0].Code != "drive_file_not_found" || len(shown.Events) != 1 || shown.Events[0].Attempts != 1 {
		t.Errorf("show --json: got %+v", shown)
	}
	if got := i.prints(func(ctx context.Context, out *bytes.Buffer) error {
		return (&automationRetryCommand{Database: i.database(), ID: id}).run(ctx, out)
	}); got != "ACCEPTED\n" {
		t.Errorf("retry: got %q, want ACCEPTED", got)
	}
	err := (&automationRetryCommand{Database: i.database(), ID: id}).run(t.Context(), new(bytes.Buffer))
	if codeOf(err) != "automation_not_failed" {
		t.Errorf("retry of one that waits: got %v", err)
	}
	if got := i.prints(func(ctx context.Context, out *bytes.Buffer) error {
		return (&automationCancelCommand{Database: i.database(), ID: id, JSON: true}).run(ctx, out)
	}); !strings.Contains(got, `"cancelRequestedAt":"`) {
		t.Errorf("cancel --json: got %s, want when it was asked for", got)
	}
	if _, _, err := stores.New(i.db).Automations.ForOperator(t.Context(), "aut_none"); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("one that is not there: got %v", err)
	}
	want := []string{"platen automation retry " + id + " done", "platen automation cancel " + id + " done"}
	if got := i.acts(); !slices.Equal(got, want) {
		t.Errorf("audit of the workflow: got %q, want %q", got, want)
	}
}

func TestAnOperatorListsRedeliversAndRecoversEventsOfAllUsers(t *testing.T) {
	t.Parallel()
	i := install(t)
	_, first := i.failed()
	_, second := i.failed()
	list := func(c eventListCommand) string {
		c.Database, c.Since, c.Limit = i.database(), ago(time.Hour), 10
		return i.prints(func(ctx context.Context, out *bytes.Buffer) error { return c.run(ctx, out) })
	}
	if got := list(eventListCommand{State: []string{"FAILED"}}); !strings.Contains(got, first) || !strings.Contains(got, second) || !strings.Contains(got, "500") {
		t.Errorf("list: got\n%s\nwant both events, with what they were answered", got)
	}
	if got := i.prints(func(ctx context.Context, out *bytes.Buffer) error {
		return (&eventRedeliverCommand{Database: i.database(), ID: first}).run(ctx, out)
	}); got != "PENDING\n" {
		t.Errorf("redeliver: got %q", got)
	}
	var left eventShownJSON
	i.must(json.Unmarshal([]byte(list(eventListCommand{State: []string{"FAILED", "HELD"}, Workflow: i.workflow.ID, JSON: true})), &left))
	if left.ID != second || left.LastStatus == nil || *left.LastStatus != 500 {
		t.Errorf("list --json: got %+v, want the one that is not under way", left)
	}
	if got := i.prints(func(ctx context.Context, out *bytes.Buffer) error {
		return (&eventRecoverCommand{Database: i.database(), Since: ago(time.Hour), All: true, JSON: true}).run(ctx, out)
	}); got != `{"workflowId":"`+i.workflow.ID+`","recovered":1,"held":0,"code":""}`+"\n" {
		t.Errorf("recover --json: got %s", got)
	}
	if got := list(eventListCommand{State: []string{"FAILED", "HELD"}}); strings.Contains(got, "evt_") {
		t.Errorf("after recover: got\n%s\nwant none", got)
	}
	want := []string{"platen event redeliver " + first + " done", "platen event recover done"}
	if got := i.acts(); !slices.Equal(got, want) {
		t.Errorf("audit of the workflow: got %q, want %q", got, want)
	}
}

func TestStatusSaysWhatFailedTodayAndWhose(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.failed()
	i.failed()
	table := i.prints(func(ctx context.Context, out *bytes.Buffer) error {
		return (&statusCommand{Database: i.database()}).run(ctx, out)
	})
	for _, want := range []string{"2 drive_file_not_found", "2 of " + i.workflow.Owner.ID, "0, 0 of them paused; the oldest of the others for 0s", "versions of schema, Postgres", "connections of the server"} {
		if !strings.Contains(table, want) {
			t.Errorf("got\n%s\nwant %q in it", table, want)
		}
	}
	if got := i.prints(func(ctx context.Context, out *bytes.Buffer) error {
		return (&statusCommand{Database: i.database(), JSON: true}).run(ctx, out)
	}); !strings.Contains(got, `"failedToday":{"drive_file_not_found":2}`) || !strings.Contains(got, `"temporalReached":false`) {
		t.Errorf("--json: got %s", got)
	}
}

func TestStatusSaysWhichTemporalItIs(t *testing.T) {
	t.Parallel()
	i, running := install(t), testkit.Running(t)
	status := func(address string) string {
		return i.prints(func(ctx context.Context, out *bytes.Buffer) error {
			return (&statusCommand{Database: i.database(), Temporal: config.Temporal{TemporalAddress: address, TemporalNamespace: running.TemporalNamespace}}).run(ctx, out)
		})
	}
	if got := status(running.TemporalAddress); !regexp.MustCompile(`version of Temporal +1\.\d+\.\d+`).MatchString(got) {
		t.Errorf("got\n%s\nwant Temporal's version", got)
	}
	if got := status("127.0.0.1:1"); !strings.Contains(got, "no answer: reach Temporal at 127.0.0.1:1") || !strings.Contains(got, "backlog") {
		t.Errorf("got\n%s\nwant that Temporal does not answer, and the rest", got)
	}
}

func TestAnOperatorPausesAndResumes(t *testing.T) {
	t.Parallel()
	i := install(t)
	ctx := t.Context()
	reason, going := pausing{Database: i.database(), Reason: "the printer is repaired"}, resuming{Database: i.database()}
	for _, run := range []interface{ Run(context.Context) error }{
		&pauseWorkflowCommand{reason, i.workflow.ID}, &pauseUserCommand{reason, i.workflow.Owner.Email},
	} {
		i.must(run.Run(ctx))
	}
	i.must((&pauseAllCommand{pausing: reason, asking: asking{Yes: true}}).Run(ctx, &cli.Environment{Out: io.Discard}))
	list := func(json bool) string {
		return i.prints(func(ctx context.Context, out *bytes.Buffer) error {
			return (&pauseListCommand{Database: i.database(), JSON: json}).run(ctx, out)
		})
	}
	if got := list(false); strings.Count(got, "the printer is repaired") != 3 || !strings.Contains(got, i.workflow.Owner.ID) {
		t.Errorf("got\n%s\nwant three pauses and why", got)
	}
	if got := list(true); !strings.Contains(got, `"id":"`+i.workflow.ID+`"`) {
		t.Errorf("--json: got %s", got)
	}
	status := i.prints(func(ctx context.Context, out *bytes.Buffer) error {
		return (&statusCommand{Database: i.database()}).run(ctx, out)
	})
	if want := "workflow " + i.workflow.ID; !strings.Contains(status, want) {
		t.Errorf("status: got\n%s\nwant %q in it", status, want)
	}
	for _, run := range []interface{ Run(context.Context) error }{
		&resumeWorkflowCommand{going, i.workflow.ID}, &resumeUserCommand{going, i.workflow.Owner.Email}, &resumeAllCommand{going}, &resumeAllCommand{going},
	} {
		i.must(run.Run(ctx))
	}
	if got := list(false); strings.Contains(got, "printer") {
		t.Errorf("after all was resumed: got\n%s", got)
	}
	if err := (&pauseWorkflowCommand{reason, "wkf_unknown"}).Run(ctx); err == nil || !strings.Contains(err.Error(), "wkf_unknown") {
		t.Errorf("an unknown workflow: got %v, want its id named", err)
	}
	acts := i.acts()
	for _, want := range []string{"platen pause workflow " + i.workflow.ID + " done", "platen resume workflow " + i.workflow.ID + " done"} {
		if !slices.Contains(acts, want) {
			t.Errorf("audit: got %q, want %q", acts, want)
		}
	}
}

func TestPausesAreToldWithTheirReason(t *testing.T) {
	t.Parallel()
	i := install(t)
	waits := i.accept().AutomationID
	reason := pausing{Database: i.database(), Reason: "the printer is repaired"}
	i.must((&pauseWorkflowCommand{reason, i.workflow.ID}).Run(t.Context()))
	i.must((&pauseUserCommand{reason, i.workflow.Owner.Email}).Run(t.Context()))
	shown := i.prints(func(ctx context.Context, out *bytes.Buffer) error {
		return (&automationShowCommand{Database: i.database(), ID: waits}).run(ctx, out)
	})
	if want := "(the printer is repaired)"; !strings.Contains(shown, want) {
		t.Errorf("automation show: got\n%s\nwant %q in it", shown, want)
	}
	status := i.prints(func(ctx context.Context, out *bytes.Buffer) error {
		return (&statusCommand{Database: i.database()}).run(ctx, out)
	})
	if want := "(the printer is repaired)"; strings.Count(status, want) != 2 {
		t.Errorf("status: got\n%s\nwant %q of both pauses", status, want)
	}
	var owner string
	i.must(i.pool.QueryRow(t.Context(), `SELECT owner_id FROM audit WHERE action = 'platen pause user' LIMIT 1`).Scan(&owner))
	if owner != i.workflow.Owner.ID {
		t.Errorf("audit: the pause of a user concerns %q, want the user %s", owner, i.workflow.Owner.ID)
	}
}

func TestPausingAndResumingPrintJSON(t *testing.T) {
	t.Parallel()
	i := install(t)
	id := `{"id":"` + i.workflow.ID + `","paused":`
	for n, want := range []string{id + `true,"scope":"workflow"}`, id + `false,"scope":"workflow","wasPaused":true}`, id + `false,"scope":"workflow","wasPaused":false}`} {
		got := i.prints(func(ctx context.Context, out *bytes.Buffer) error {
			if n == 0 {
				return pausing{Database: i.database(), JSON: true}.pause(ctx, out, platen.PauseWorkflow, i.workflow.ID)
			}
			return resuming{i.database(), true}.resume(ctx, out, platen.PauseWorkflow, i.workflow.ID)
		})
		if strings.TrimSpace(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// One workflow to which nothing can be sent keeps no other from being recovered.
func TestRecoveringSaysWhichWorkflowsItCannot(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.failed()
	_, err := i.pool.Exec(t.Context(), `DELETE FROM outgoing_webhooks`)
	i.must(err)
	got := i.prints(func(ctx context.Context, out *bytes.Buffer) error {
		return (&eventRecoverCommand{Database: i.database(), Since: ago(time.Hour), Workflow: i.workflow.ID}).run(ctx, out)
	})
	if !strings.Contains(got, "outgoing_webhook_not_found") {
		t.Errorf("got\n%s\nwant why nothing was sent", got)
	}
	if got := i.acts(); !slices.Equal(got, []string{"platen event recover outgoing_webhook_not_found"}) {
		t.Errorf("audit: got %q", got)
	}
}

func TestEventRecoverIsToldHowFarToGo(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"event recover --all":                         "--since",
		"event recover --since 1h":                    "--workflow",
		"event recover --since 0s --all":              `--since: "0s"`,
		"event recover --since 1h --all --workflow w": "--workflow",
		"event list --limit 0":                        "--limit 0",
	} {
		if err := Run(t.Context(), strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("platen %s: got %v, want %q", args, err, want)
		}
	}
}

func TestACommandNamesTheFlagWhoseValueCannotBeTaken(t *testing.T) {
	t.Parallel()
	i := install(t)
	for want, run := range map[string]func(context.Context) error{
		"--name is empty; give the user's name":                          (&userCreateCommand{Connect: config.Connect{Database: i.database()}, Name: " ", Email: "ada@example.com"}).Run,
		"--name is empty; give the team's name":                          (&teamCreateCommand{Database: i.database()}).Run,
		`--email "ada" is not an e-mail address such as ada@example.com`: (&userCreateCommand{Connect: config.Connect{Database: i.database()}, Name: "Ada", Email: "ada"}).Run,
	} {
		if err := run(t.Context()); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
