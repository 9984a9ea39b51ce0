package simulation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/accept"
	"github.com/platenhq/platen/internal/postgres/operate"
	runs "github.com/platenhq/platen/internal/postgres/run"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/testkit"
)

// A pair is the store of the simulation beside a real one, as two processes of
// each see it. Both have the clock of the test, which stands still but between
// operations.
type pair struct {
	t          *testing.T
	random     *generator
	harness    *harness
	simulated  []database
	postgres   []*runs.DB
	batcher    *accept.Batcher
	pool       *pgxpool.Pool
	users      []platen.User
	workflows  []platen.Workflow
	accepted   []platen.Automation // with id, workflow and owner
	operations []string            // operations
}

// migrateWithClock has Postgres take the time from a table: names are looked up
// in the schema clock first.
func migrateWithClock(ctx context.Context, pool *pgxpool.Pool) error {
	if err := postgres.Migrate(ctx, pool); err != nil {
		return err
	}
	_, err := pool.Exec(ctx, `
		CREATE SCHEMA clock;
		CREATE TABLE clock.at (t timestamptz NOT NULL);
		INSERT INTO clock.at VALUES (pg_catalog.now());
		CREATE FUNCTION clock.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT t FROM clock.at';
		CREATE FUNCTION clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT t FROM clock.at';
		ALTER TABLE outputs ALTER COLUMN created_at SET DEFAULT clock.now();
		ALTER TABLE outputs ALTER COLUMN updated_at SET DEFAULT clock.now();
		ALTER TABLE reviews ALTER COLUMN requested_at SET DEFAULT clock.now(), ALTER COLUMN next_at SET DEFAULT clock.now();
		ALTER TABLE review_answers ALTER COLUMN answered_at SET DEFAULT clock.now();
		ALTER TABLE review_corrections ALTER COLUMN corrected_at SET DEFAULT clock.now()`)
	return err
}

func newPair(t *testing.T, seed uint64) *pair {
	t.Helper()
	p := &pair{t: t, random: &generator{seed: seed}, harness: &harness{store: newStore(), drives: newDrives()}}
	p.harness.scheduler = newScheduler(seed, newFaults(profile{}, nil, nil, false), nil)
	p.harness.atOnce = true
	p.pool = testkit.Database(t, "clock", migrateWithClock)
	box, err := secret.ParseKeys(secret.NewKey())
	p.must(err)
	url := p.pool.Config().ConnString()
	separator := "?"
	if strings.Contains(url, "?") {
		separator = "&"
	}
	for i := range 2 {
		opened, err := postgres.Open(t.Context(), url+separator+"search_path=clock,pg_catalog,public", box, postgres.Options{})
		p.must(err)
		t.Cleanup(opened.Close)
		db := runs.New(opened)
		db.Order.Key = func(formula string, e platen.OrderedEvent) (string, error) { return fill.Key(formula, e, time.UTC) }
		p.postgres = append(p.postgres, db)
		p.simulated = append(p.simulated, database{p.harness, &process{w: p.harness, name: fmt.Sprint("w", i+1)}, newMemory()})
	}
	p.batcher = accept.NewBatcher(p.postgres[0].DB, accept.BatcherOptions{})
	t.Cleanup(func() { p.must(p.batcher.Close(context.Background())) })
	p.setClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	for i := range 2 {
		user := platen.User{ID: fmt.Sprint("usr_0000000000000", i), Name: "Ada", Email: fmt.Sprintf("ada%d@example.org", i)}
		p.must(operate.New(p.postgres[0].DB).Users.CreateUser(p.t.Context(), user))
		p.users = append(p.users, user)
	}
	for i, owner := range []int{0, 1, 0} {
		p.addWorkflow(i, p.users[owner])
	}
	return p
}

func (p *pair) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *pair) setClock(at time.Time) {
	p.harness.store.fixed = at
	_, err := p.pool.Exec(p.t.Context(), `UPDATE clock.at SET t = $1`, at)
	p.must(err)
}

func (p *pair) now() time.Time { return p.harness.store.fixed }

func (p *pair) addWorkflow(i int, user platen.User) {
	w := platen.Workflow{
		ID: fmt.Sprint("wfl_0000000000000", i), Name: "Invoices", Color: platen.DefaultColor, Icon: platen.DefaultIcon,
		Status: platen.StatusComplete, AutoCreate: true, Owner: user,
		Source:          platen.Source{ID: platen.NewID(platen.PrefixSource), Type: platen.SourceWebhook, Fields: []string{}, Key: platen.NewKey()},
		OutgoingWebhook: &platen.OutgoingWebhook{ID: platen.NewID(platen.PrefixOutgoingWebhook), URL: "https://example.org/in", Secret: "whsec_c2VjcmV0", CreatedAt: p.now(), UpdatedAt: p.now()},
		CreatedAt:       p.now(), UpdatedAt: p.now(),
	}
	row := workflowRow{ownerID: user.ID, url: w.OutgoingWebhook.URL}
	for j := range 1 + i {
		d := platen.Document{
			ID: fmt.Sprint("doc_000000000000", i, j), WorkflowID: w.ID, Type: platen.TypeDocs, File: platen.File{ID: "file-1", Name: "Template", URL: "https://drive.example/file-1", MIMEType: platen.MIMEDocs},
			OutputName: "Output", OnMissing: platen.MissingBlank, Numbers: []string{"invoices"}, CreatedAt: p.now().Add(time.Duration(j) * time.Second), UpdatedAt: p.now(),
		}
		w.Documents, row.documents = append(w.Documents, d), append(row.documents, d)
	}
	if i == 2 {
		w.OrderedBy, row.ordered = orderedBy, true
	}
	p.must(p.postgres[0].Workflows.CreateWorkflow(p.t.Context(), w))
	p.workflows = append(p.workflows, w)
	p.harness.store.workflows[w.ID] = row
}

// rows is what a query returns, one line for each row, in order.
func (p *pair) rows(sql string) []string {
	p.t.Helper()
	rows, err := p.pool.Query(p.t.Context(), sql)
	p.must(err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	p.must(err)
	slices.Sort(lines)
	return lines
}

// micros shows a time as Postgres is asked to.
func micros(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return fmt.Sprint(t.UnixMicro())
}

func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// compareRows sees that both stores hold the same.
func (p *pair) compareRows(after string) {
	p.t.Helper()
	us := func(column string) string {
		return `coalesce((extract(epoch FROM ` + column + `) * 1000000)::bigint::text, '-')`
	}
	for table, c := range map[string]struct {
		sql  string
		want []string
	}{
		"automations": {`SELECT concat_ws(' ', id, state, order_number IS NOT NULL, order_key <> '', attempt, ` + us("started_at") + `, ` + us("finished_at") + `, ` + us("leased_until") + `, ` + us("not_before") + `, ` + us("parked_at") + `, ` + us("cancel_requested_at") + `, failure_code,
			(SELECT string_agg(key || '=' || (value ->> 'code') || '*' || (value ->> 'tries'), ',' ORDER BY key COLLATE "C") FROM jsonb_each(waits))) FROM automations`, p.automationLines()},
		"outputs":    {`SELECT concat_ws(' ', id, state, attempt, generation, copy_begun, copy ->> 'id', fill_begun, fill_ended, pdf_id, array_length(pdf_hashes, 1), pdf ->> 'id', removed, repeated, array_length(thrown_away, 1), jsonb_array_length(appendices), appendix_begun, failure_code, ` + us("updated_at") + `, ` + us("swept_at") + `) FROM outputs`, p.outputLines()},
		"events":     {`SELECT concat_ws(' ', id, type, state, reason, attempt, attempts_before, ` + us("next_at") + `, ` + us("created_at") + `) FROM events`, p.eventLines()},
		"deliveries": {`SELECT concat_ws(' ', event_id, attempt, status, failure) FROM deliveries`, p.deliveryLines()},
		"errands":    {`SELECT concat_ws(' ', kind, id, version, ` + us("requested_at") + `, ` + us("leased_until") + `) FROM errands`, p.commandLines()},
		"turns": {`SELECT concat_ws(' ', owner_id, ` + us("served_at") + `, served, held, workflow_id, ` + us("other_at") + `) FROM turns
			UNION ALL
			SELECT concat_ws(' ', workflow_id, ` + us("served_at") + `, served, held, ` + us("paused_until") + `, ` + us("alone_until") + `) FROM workflow_turns`, p.turnLines()},
		"numbers":   {`SELECT concat_ws(' ', automation_id, holder_id, series, number, up_to) FROM numbers`, p.numberLines()},
		"pauses":    {`SELECT scope || ' ' || id FROM pauses`, p.pauseLines()},
		"endpoints": {endpointRows(us), p.endpointLines()},
		"reviews": {`SELECT concat_ws(' ', output_id, round, sha256, verdict, ` + us("requested_at") + `, ` + us("expires_at") + `, ` + us("reminded_at") + `, ` + us("next_at") + `, ` + us("decided_at") + `, array_length(mailed, 1), unsent,
			(SELECT string_agg(place || CASE WHEN approves THEN '+' ELSE '-' END, ',' ORDER BY place) FROM review_answers v WHERE v.output_id = r.output_id AND v.round = r.round)) FROM reviews r`, p.reviewLines()},
		"corrections": {`SELECT output_id || ' ' || count(*) FROM review_corrections GROUP BY output_id`, p.correctionLines()},
	} {
		slices.Sort(c.want)
		if diff := cmp.Diff(p.rows(c.sql), c.want, cmpopts.EquateEmpty()); diff != "" {
			p.t.Fatalf("%s after %s (-Postgres +simulated):\n%s", table, after, diff)
		}
	}
}

// line joins non-empty values, as concat_ws joins non-null ones.
func line(parts ...any) string {
	var words []string
	for _, one := range parts {
		switch v := one.(type) {
		case nil:
		case bool:
			words = append(words, map[bool]string{true: "t", false: "f"}[v])
		case time.Time:
			words = append(words, micros(v))
		default:
			words = append(words, fmt.Sprint(v))
		}
	}
	return strings.Join(words, " ")
}

// orNull is null for what an aggregate of nothing is.
func orNull[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

func (p *pair) automationLines() (lines []string) {
	for _, a := range p.harness.store.automations {
		var waits []string
		for _, subject := range sorted(a.waits) {
			waits = append(waits, fmt.Sprintf("%s=%s*%d", subject, a.waits[subject].Code, a.waits[subject].Tries))
		}
		lines = append(lines, line(a.ID, a.State, a.place.number > 0, orderKnown(a), a.Attempt, orZero(a.StartedAt), orZero(a.FinishedAt), a.leasedUntil, a.notBefore, orZero(a.ParkedAt), orZero(a.CancelRequestedAt), a.FailureCode,
			orNull(strings.Join(waits, ","))))
	}
	return lines
}

// orderKnown tells whether the key of an automation is known; nil: it has none.
func orderKnown(a automationRow) any {
	if a.place.number == 0 {
		return nil
	}
	return a.place.key != ""
}

func (p *pair) outputLines() (lines []string) {
	for _, o := range p.harness.store.outputs {
		var copied, pdf any
		if o.Copy != nil {
			copied = o.Copy.ID
		}
		if o.PDF != nil {
			pdf = o.PDF.ID
		}
		lines = append(lines, line(o.ID, o.State, o.Attempt, o.Generation, o.CopyBegun, copied, o.FillBegun, o.FillEnded, o.PDFID, orNull(len(o.PDFHashes)), pdf, o.Removed, o.Repeated, orNull(len(o.ThrownAway)), len(o.Appendices), o.AppendixBegun, o.FailureCode, o.UpdatedAt, o.sweptAt))
	}
	return lines
}

func (p *pair) eventLines() (lines []string) {
	for _, e := range p.harness.store.events {
		lines = append(lines, line(e.ID, e.Type, e.State, e.Reason, e.attempt, e.attemptsBefore, e.nextAt, e.CreatedAt))
	}
	return lines
}

func (p *pair) deliveryLines() (lines []string) {
	for _, d := range p.harness.store.deliveries {
		lines = append(lines, line(d.EventID, d.Attempt, d.Status, d.Failure))
	}
	return lines
}

func (p *pair) commandLines() (lines []string) {
	for key, c := range p.harness.store.commands {
		lines = append(lines, line(key.kind, key.id, c.version, c.requestedAt, c.leasedUntil))
	}
	return lines
}

func (p *pair) numberLines() (lines []string) {
	for id, n := range p.harness.store.numbers {
		lines = append(lines, line(id, p.harness.store.automations[id].OwnerID, "invoices", n, n))
	}
	return lines
}

func (p *pair) turnLines() (lines []string) {
	for id, t := range maps.All(p.harness.store.turns) {
		if p.harness.store.isOwner(id) {
			lines = append(lines, line(id, t.servedAt, t.served, t.held, orNull(t.workflowID), t.otherAt))
		} else {
			lines = append(lines, line(id, t.servedAt, t.served, t.held, t.pausedUntil, t.aloneUntil))
		}
	}
	return lines
}
