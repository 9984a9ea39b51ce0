package postgres_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func (f *harness) audit(q platen.AuditQuery) []platen.AuditEntry {
	f.T.Helper()
	found, err := f.Audit.Entries(f.T.Context(), q)
	f.Must(err)
	return found
}

func TestTheAuditKeepsWhatWasDoneInTheTransactionThatDidIt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	team := f.Team("Sales")
	owner, colleague := f.User(team), f.User(team)
	w := f.Workflow(owner)
	ctx, act := storetest.Acting(t.Context(), colleague, "PATCH /v0/workflows/{workflow}")
	_, err := f.Workflows.UpdateWorkflow(ctx, colleague, w.ID, func(w *platen.Workflow) error { w.Name = "Canary"; return nil })
	f.Must(err)
	if !act.Recorded() {
		t.Error("the act is not marked, want it recorded with the change")
	}
	got := f.audit(platen.AuditQuery{})
	if len(got) != 1 {
		t.Fatalf("got %d entries, want 1: %+v", len(got), got)
	}
	want := platen.AuditEntry{
		ID: act.Entry.ID, At: got[0].At, Actor: act.Entry.Actor, Action: "PATCH /v0/workflows/{workflow}",
		OwnerID: owner.ID, TeamID: team.ID, WorkflowID: w.ID, Outcome: platen.AuditDone, RequestID: "req_1",
	}
	if !reflect.DeepEqual(got[0], want) || time.Since(got[0].At) > time.Hour {
		t.Errorf("got %+v, want %+v", got[0], want)
	}
	if n := f.Count(`SELECT count(*) FROM audit WHERE audit::text LIKE '%Canary%'`); n != 0 {
		t.Errorf("%d entries hold a name, want none", n)
	}

	ctx, act = storetest.Acting(t.Context(), colleague, "PATCH /v0/workflows/{workflow}")
	refused := platen.Errorf(platen.KindConflict, "precondition_failed", "no")
	if _, err = f.Workflows.UpdateWorkflow(ctx, colleague, w.ID, func(*platen.Workflow) error { return refused }); err == nil {
		t.Fatal("got no error, want the refusal")
	}
	if n := len(f.audit(platen.AuditQuery{})); n != 1 || act.Recorded() {
		t.Errorf("after a change that was rolled back: %d entries, recorded %v; want 1 and false", n, act.Recorded())
	}
}

// changes are those of a workflow and of users that the stores carry out.
func TestEachChangeHasOneEntryInTheAudit(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(f.Team("Sales"))
	w := f.Workflow(u)
	token, _, err := f.Tokens.CreateToken(t.Context(), u.ID, "x", time.Time{})
	f.Must(err)
	automation := f.Accept(w, 1)[0]
	archived := f.Workflow(u, func(w *platen.Workflow) { w.Status = platen.StatusArchived })
	fresh := storetest.NewWorkflow(u)
	anybody, anyTeam := platen.User{ID: platen.NewID(platen.PrefixUser), Name: "B", Email: "b@example.org"}, platen.Team{ID: platen.NewID(platen.PrefixTeam), Name: "T"}
	reserved := storetest.NewDocument(w.ID, storetest.Now())
	for _, c := range []struct {
		name     string
		workflow string // that the entry names
		do       func(ctx context.Context) error
	}{
		{"create workflow", fresh.ID, func(ctx context.Context) error { return f.Workflows.CreateWorkflow(ctx, fresh) }},
		{"create document", w.ID, func(ctx context.Context) error {
			if err := f.Documents.ReserveDocument(ctx, u, reserved); err != nil {
				return err
			}
			_, err := f.Documents.CompleteDocument(ctx, u, reserved)
			return err
		}},
		{"remove document", w.ID, func(ctx context.Context) error {
			_, err := f.Documents.RemoveDocument(ctx, u, w.ID, reserved.ID, func(platen.Document) error { return nil })
			return err
		}},
		{"change outgoing webhook", w.ID, func(ctx context.Context) error {
			_, err := f.Webhooks.UpdateOutgoingWebhook(ctx, u, w.ID, func(*platen.OutgoingWebhook) error { return nil })
			return err
		}},
		{"cancel", w.ID, func(ctx context.Context) error {
			_, err := f.Automations.CancelAutomation(ctx, u, w.ID, automation)
			return err
		}},
		{"recover", w.ID, func(ctx context.Context) error {
			_, err := f.Events.RecoverEvents(ctx, u, w.ID, time.Time{}, 10)
			return err
		}},
		{"rotate source", w.ID, func(ctx context.Context) error { return f.Sources.RotateSource(ctx, w.Source.ID, 0) }},
		{"archive", w.ID, func(ctx context.Context) error { return f.Workflows.ArchiveWorkflow(ctx, u, w.ID, nil) }},
		{"restore", archived.ID, func(ctx context.Context) error {
			_, err := f.Workflows.RestoreWorkflow(ctx, archived.ID)
			return err
		}},
		{"create token", "", func(ctx context.Context) error {
			_, _, err := f.Tokens.CreateToken(ctx, u.ID, "y", time.Time{})
			return err
		}},
		{"revoke token", "", func(ctx context.Context) error { return f.Tokens.RevokeToken(ctx, token) }},
		{"connect", "", func(ctx context.Context) error {
			return f.Connections.SaveDriveConnection(ctx, u.ID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "s"})
		}},
		{"create user", "", func(ctx context.Context) error { return f.Users.CreateUser(ctx, anybody) }},
		{"create team", "", func(ctx context.Context) error { return f.Users.CreateTeam(ctx, anyTeam) }},
	} {
		ctx, act := platen.BeginAct(t.Context(), platen.AuditEntry{Actor: platen.Actor{Kind: platen.ActorOperator, ID: "ops"}, Action: c.name})
		if err := c.do(ctx); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		n := f.Count(`SELECT count(*) FROM audit WHERE action = $1 AND workflow_id = $2 AND outcome = 'done'`, c.name, c.workflow)
		if n != 1 || !act.Recorded() {
			t.Errorf("%s: got %d entries, recorded %v; want one with the workflow %q", c.name, n, act.Recorded(), c.workflow)
		}
	}
}

func TestNobodyChangesTheAudit(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.Must(f.Audit.Record(t.Context(), platen.AuditEntry{ID: "aud_1", Actor: platen.Actor{Kind: platen.ActorOperator, ID: "ops"}, Action: "platen key", Outcome: platen.AuditDone}))
	f.Must(f.Audit.Record(t.Context(), platen.AuditEntry{ID: "aud_1", Actor: platen.Actor{Kind: platen.ActorUser, ID: "usr_other"}, Action: "another", Outcome: platen.AuditDone}))
	for _, sql := range []string{
		`UPDATE audit SET outcome = 'other'`, `DELETE FROM audit`, `TRUNCATE audit`,
		`SET LOCAL platen.audit_sweep = 'on'; DELETE FROM audit`, // it is younger than 30 days
	} {
		err := pgx.BeginFunc(t.Context(), f.Owner, func(tx pgx.Tx) error {
			_, err := tx.Conn().PgConn().Exec(t.Context(), sql).ReadAll()
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: got %v, want a refusal", sql, err)
		}
	}
	if got := f.audit(platen.AuditQuery{}); len(got) != 1 || got[0].Action != "platen key" {
		t.Errorf("got %+v, want the entry as it was recorded first", got)
	}
}

func TestTheAuditForgetsWhatIsOldEnoughAndNothingOfTheLast30Days(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.Exec(`INSERT INTO audit (id, at, actor, actor_id, token_id, action, owner_id, workflow_id, object_id, outcome, request_id)
		SELECT 'aud_' || days, now() - days * interval '1 day', 'operator', 'ops', '', 'platen key', '', '', '', 'done', ''
		FROM unnest(ARRAY[1, 29, 31, 60, 400]) days`)
	for _, c := range []struct {
		kept time.Duration
		left []string
	}{
		{365 * 24 * time.Hour, []string{"aud_60", "aud_31", "aud_29", "aud_1"}},
		{time.Hour, []string{"aud_29", "aud_1"}},
	} {
		_, err := f.Audit.Sweep(t.Context(), c.kept)
		f.Must(err)
		var left []string
		for _, e := range f.audit(platen.AuditQuery{}) {
			left = append(left, e.ID)
		}
		if !slices.Equal(left, c.left) {
			t.Errorf("kept for %s: got %v, want %v", c.kept, left, c.left)
		}
	}
}

func TestTheAuditShowsATeamWhatConcernsItAndNobodyElse(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	team := f.Team("Sales")
	ada, bob, eve := f.User(team), f.User(team), f.User(nil)
	adas, eves := f.Workflow(ada), f.Workflow(eve)
	record := func(by platen.User, workflowID string) string {
		_, act := storetest.Acting(t.Context(), by, "POST")
		act.Entry.WorkflowID = workflowID
		act.Entry.Outcome = "workflow_not_found"
		f.Must(f.Audit.Record(t.Context(), act.Entry))
		return act.Entry.ID
	}
	byBob, byEve, guess := record(bob, adas.ID), record(eve, eves.ID), record(eve, adas.ID)
	for _, c := range []struct {
		who  platen.User
		want []string
	}{{ada, []string{byBob}}, {bob, []string{byBob}}, {eve, []string{byEve, guess}}} {
		for _, page := range []platen.Page{{}, {Limit: 10}} {
			found, err := f.Audit.CallersAudit(t.Context(), c.who, platen.AuditQuery{Page: page})
			f.Must(err)
			var got []string
			for _, e := range found {
				got = append(got, e.ID)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s, page %+v: got %v, want %v", c.who.Email, page, got, c.want)
			}
		}
	}
	first, err := f.Audit.CallersAudit(t.Context(), eve, platen.AuditQuery{Page: platen.Page{Limit: 1}})
	f.Must(err)
	next, err := f.Audit.CallersAudit(t.Context(), eve, platen.AuditQuery{Page: platen.Page{Limit: 5, After: platen.Position{CreatedAt: first[0].At, ID: first[0].ID}}})
	f.Must(err)
	if len(next) != 1 || next[0].ID != guess {
		t.Errorf("the page after the first: got %+v, want %s alone", next, guess)
	}
}

// Plans say whether a page reads as much as it shows; clocks would not.
func TestAPageOfTheAuditReadsLittle(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	office, err := postgres.Open(t.Context(), f.Owner.Config().ConnString(), f.Box, postgres.Options{Part: postgres.PartOperator})
	f.Must(err)
	t.Cleanup(office.Close)
	op := f.User(nil)
	f.Exec(`
		INSERT INTO users (id, name, email)
		SELECT 'usr_' || lpad(n::text, 14, '0'), 'User ' || n, 'user' || lpad(n::text, 6, '0') || '@example.org'
		FROM generate_series(1, 10) n`)
	f.Exec(`
		INSERT INTO audit (id, at, actor, actor_id, token_id, action, owner_id, workflow_id, object_id, outcome, request_id)
		SELECT 'aud_' || n, now() - n * interval '1 minute', 'user', CASE WHEN n % 10000 = 7 THEN 'usr_00000000000001' ELSE 'usr_00000000000002' END, '', 'x',
			CASE WHEN n % 10000 = 8 THEN 'usr_00000000000001' ELSE 'usr_00000000000002' END, CASE WHEN n % 10000 = 9 THEN 'wkf_1' WHEN n % 2 = 0 THEN 'wkf_2' ELSE '' END, '', 'done', ''
		FROM generate_series(1, 100000) n`)
	f.Exec(`ANALYZE audit`)
	look := func(what string, most float64, plan []byte, err error) {
		t.Helper()
		f.Must(err)
		var read []struct{ Plan storetest.PlanNode }
		f.Must(json.Unmarshal(plan, &read))
		if n := read[0].Plan.Read(); n > most {
			t.Errorf("%s: %.0f rows are read, want %.0f at most: %s", what, n, most, plan)
		}
	}
	newest := platen.Page{Limit: 51, Newest: true}
	late := platen.Page{Limit: 51, Newest: true, After: platen.Position{CreatedAt: time.Now().Add(-99_000 * time.Minute), ID: "aud_z"}}
	day := time.Now().Add(-50_000 * time.Minute)
	for what, q := range map[string]platen.AuditQuery{
		"first page": {Page: newest}, "late page": {Page: late}, "a day": {Page: newest, Since: day, Until: day.Add(24 * time.Hour)},
		"of who does all": {Page: newest, UserID: "usr_00000000000002"}, "of who does little": {Page: newest, UserID: "usr_00000000000001"},
		"of who does nothing": {Page: newest, UserID: op.ID}, "of a workflow": {Page: newest, WorkflowID: "wkf_1"}, "of a busy workflow": {Page: late, WorkflowID: "wkf_2"},
	} {
		plan, err := postgres.ExplainEntries(t.Context(), office, q)
		look("audit, "+what, 400, plan, err)
	}
	got, err := office.Audit.Entries(t.Context(), platen.AuditQuery{Page: newest, UserID: "usr_00000000000001"})
	if err != nil || len(got) != 20 {
		t.Errorf("got %d entries, %v; want the 20 that the user did, and that concern the user", len(got), err)
	}
}
