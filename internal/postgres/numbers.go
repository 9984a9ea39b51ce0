package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Numbers is the store of series that count without gaps. Automations draw from them in
// the transaction that pins their plan.
type Numbers struct{ db *DB }

// holderOf is whose series a caller sees.
func holderOf(u platen.User) string {
	if u.Team != nil {
		return u.Team.ID
	}
	return u.ID
}

type seriesRow struct {
	Name      string    `db:"name"`
	Next      int64     `db:"next"`
	UpdatedAt time.Time `db:"updated_at"`
}

func (r seriesRow) series() platen.Series {
	return platen.Series{Name: r.Name, Next: r.Next, UpdatedAt: UTC(&r.UpdatedAt)}
}

// AllSeries returns the series of the caller's team, or of a caller without one, by
// name: the first platen.MaxList that have begun.
func (s *Numbers) AllSeries(ctx context.Context, caller platen.User) ([]platen.Series, error) {
	rows, err := Collect[seriesRow](ctx, s.db.pool, `
		SELECT name, next, updated_at
		FROM number_series
		WHERE holder_id = @holder
		ORDER BY name
		LIMIT @limit`, pgx.NamedArgs{"holder": holderOf(caller), "limit": platen.MaxList})
	if err != nil {
		return nil, fmt.Errorf("list series of %s: %w", holderOf(caller), err)
	}
	all := make([]platen.Series, len(rows))
	for i, r := range rows {
		all[i] = r.series()
	}
	return all, nil
}

// Series returns one of them. One that has not begun begins at 1.
func (s *Numbers) Series(ctx context.Context, caller platen.User, name string) (platen.Series, error) {
	r, ok, err := CollectOne[seriesRow](ctx, s.db.pool, `
		SELECT name, next, updated_at
		FROM number_series
		WHERE holder_id = @holder AND name = @name`, pgx.NamedArgs{"holder": holderOf(caller), "name": name})
	if err != nil {
		return platen.Series{}, fmt.Errorf("read series %s of %s: %w", name, holderOf(caller), err)
	}
	if !ok {
		return platen.Series{Name: name, Next: 1}, nil
	}
	return r.series(), nil
}

// SetNext has a series go on at a higher number; those between are void. A series that
// has not begun begins there. It answers KindInvalid with code "number_given" for a
// number that the series has given or left out.
func (s *Numbers) SetNext(ctx context.Context, caller platen.User, name string, next int64) (platen.Series, error) {
	holder := holderOf(caller)
	var set platen.Series
	err := s.db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		type row struct {
			Next  int64 `db:"next"`
			Begun bool  `db:"begun"`
		}
		args := pgx.NamedArgs{"holder": holder, "name": name, "next": next}
		// Without a row there is nothing to lock yet: the first one makes it.
		if _, err := Execute(ctx, tx, `
			INSERT INTO number_series (holder_id, name, next)
			VALUES (@holder, @name, 1)
			ON CONFLICT (holder_id, name) DO NOTHING`, args); err != nil {
			return Subject{}, err
		}
		at, _, err := CollectOne[row](ctx, tx, `
			SELECT s.next, EXISTS (SELECT FROM numbers n WHERE n.holder_id = s.holder_id AND n.series = s.name) AS begun
			FROM number_series s
			WHERE s.holder_id = @holder AND s.name = @name
			FOR NO KEY UPDATE`, args)
		switch {
		case err != nil:
			return Subject{}, err
		case at.Begun && next < at.Next:
			return Subject{}, platen.Errorf(platen.KindInvalid, "number_given", "The series %s goes on at %d: it cannot go back to %d, because numbers would be given twice.", name, at.Next, next)
		case at.Begun && next > at.Next:
			args["from"] = at.Next
			if _, err := Execute(ctx, tx, `
				INSERT INTO numbers (holder_id, series, number, up_to, used, code)
				VALUES (@holder, @name, @from, @next - 1, false, '`+platen.CodeNumberSkipped+`')`, args); err != nil {
				return Subject{}, err
			}
		}
		r, _, err := CollectOne[seriesRow](ctx, tx, `
			UPDATE number_series
			SET next = @next, updated_at = now()
			WHERE holder_id = @holder AND name = @name
			RETURNING name, next, updated_at`, args)
		set = r.series()
		return Subject{}, err
	})
	if err != nil {
		return platen.Series{}, fmt.Errorf("set the next number of series %s of %s: %w", name, holder, err)
	}
	return set, nil
}

// Drawn returns numbers of a series of the caller's, in their order, each with what
// became of it.
func (s *Numbers) Drawn(ctx context.Context, caller platen.User, q platen.NumberQuery) ([]platen.DrawnNumber, error) {
	type row struct {
		Series       string             `db:"series"`
		Number       int64              `db:"number"`
		UpTo         int64              `db:"up_to"`
		AutomationID string             `db:"automation_id"`
		WorkflowID   string             `db:"workflow_id"`
		State        platen.NumberState `db:"state"`
		Code         string             `db:"code"`
		DrawnAt      time.Time          `db:"drawn_at"`
		VoidAt       *time.Time         `db:"void_at"`
	}
	rows, err := Collect[row](ctx, s.db.pool, `
		SELECT series, number, up_to, automation_id, workflow_id, state, CASE WHEN state = 'VOID' THEN code ELSE '' END AS code, drawn_at,
			CASE WHEN state = 'VOID' THEN coalesce(finished_at, drawn_at) END AS void_at
		FROM (
			SELECT n.series, n.number, n.up_to, coalesce(n.automation_id, '') AS automation_id, coalesce(a.workflow_id, '') AS workflow_id, n.drawn_at, a.finished_at,
				CASE
					WHEN n.used OR n.used IS NULL AND EXISTS (SELECT FROM outputs o WHERE o.id = ANY (n.output_ids) AND o.state = 'DONE') THEN 'USED'
					WHEN a.id IS NOT NULL AND a.finished_at IS NULL THEN 'OPEN'
					ELSE 'VOID'
				END AS state,
				`+voidCode+` AS code
			FROM numbers n
			LEFT JOIN automations a ON a.id = n.automation_id
			WHERE n.holder_id = @holder AND n.series = @series AND n.number > @after
		) found
		WHERE @states::text[] IS NULL OR state = ANY (@states)
		ORDER BY number
		LIMIT @limit`, pgx.NamedArgs{
		"holder": holderOf(caller), "series": q.Series, "after": q.After, "states": q.States, "limit": cmp.Or(q.Limit, platen.MaxList),
	})
	if err != nil {
		return nil, fmt.Errorf("list numbers of series %s of %s: %w", q.Series, holderOf(caller), err)
	}
	all := make([]platen.DrawnNumber, len(rows))
	for i, r := range rows {
		all[i] = platen.DrawnNumber(r)
		all[i].DrawnAt, all[i].VoidAt = r.DrawnAt.UTC(), UTC(r.VoidAt)
	}
	return all, nil
}

// voidCode is why the automation a made no document with its number n.
const voidCode = `coalesce(nullif(n.code, ''), CASE WHEN a.state = 'CANCELLED' THEN '` + platen.CodeCancelled + `' END, nullif(a.failure_code, ''),
					(SELECT o.failure_code FROM outputs o WHERE o.id = ANY (n.output_ids) AND o.state = 'FAILED' ORDER BY o.updated_at, o.id LIMIT 1), '')`

// settleNumbers keeps what became of the numbers of an automation whose outputs go.
const settleNumbers = `
	UPDATE numbers n
	SET used = EXISTS (SELECT FROM outputs o WHERE o.id = ANY (n.output_ids) AND o.state = 'DONE'), code = ` + voidCode + `
	FROM automations a
	WHERE a.id = @id AND n.automation_id = a.id AND n.used IS NULL`

// draw gives the automation of a plan its number of each series that its documents
// declare. What it drew before it keeps. It is called last before the plan is pinned:
// from here until the transaction ends no other automation of the holder draws from
// these series.
func (s *Plans) draw(ctx context.Context, tx pgx.Tx, p platen.Plan) (map[string]int64, error) {
	declared := p.Declared()
	if len(declared) == 0 {
		return nil, nil
	}
	type row struct {
		Declared string `db:"declared"`
		Number   int64  `db:"number"`
	}
	names, outputs := make([]string, len(declared)), make([]string, len(declared))
	for i, d := range declared {
		names[i] = platen.SeriesAt(d, p.AcceptedAt.In(s.zone()))
		outputs[i] = strings.Join(askedBy(p, d), ",")
	}
	args := pgx.NamedArgs{"automation": p.AutomationID, "holder": cmp.Or(p.TeamID, p.OwnerID), "declared": declared, "names": names, "outputs": outputs}
	drawn, err := Collect[row](ctx, tx, `
		WITH wanted AS (
			SELECT declared, name, outputs
			FROM unnest(@declared::text[], @names::text[], @outputs::text[]) AS w (declared, name, outputs)
			WHERE NOT EXISTS (SELECT FROM numbers n WHERE n.automation_id = @automation AND n.series = w.name)
		), drawn AS (
			INSERT INTO number_series AS s (holder_id, name, next)
			SELECT @holder, name, 2
			FROM wanted
			ORDER BY name -- two automations that want the same series lock them in the same order
			ON CONFLICT (holder_id, name) DO UPDATE SET next = s.next + 1, updated_at = now()
			RETURNING name, next - 1 AS number
		), kept AS (
			INSERT INTO numbers (holder_id, series, number, up_to, automation_id, output_ids)
			SELECT @holder, d.name, d.number, d.number, @automation, string_to_array(w.outputs, ',')
			FROM drawn d
			JOIN wanted w ON w.name = d.name
			RETURNING series, number
		)
		SELECT w.declared, k.number
		FROM kept k
		JOIN wanted w ON w.name = k.series`, args)
	if err != nil {
		return nil, fmt.Errorf("draw numbers: %w", err)
	}
	if len(drawn) < len(declared) { // some were drawn before
		drawn, err = Collect[row](ctx, tx, `
			SELECT w.declared, n.number
			FROM numbers n
			JOIN unnest(@declared::text[], @names::text[]) AS w (declared, name) ON w.name = n.series
			WHERE n.automation_id = @automation`, args)
		if err != nil {
			return nil, fmt.Errorf("read the numbers: %w", err)
		}
	}
	numbers := make(map[string]int64, len(drawn))
	for _, r := range drawn {
		numbers[r.Declared] = r.Number
	}
	return numbers, nil
}

// numbersOf are the numbers that automations drew, by the names of their series.
func numbersOf(ctx context.Context, q Querier, automationIDs []string) (map[string][]platen.SeriesNumber, error) {
	type row struct {
		AutomationID string `db:"automation_id"`
		Series       string `db:"series"`
		Number       int64  `db:"number"`
	}
	rows, err := Collect[row](ctx, q, `
		SELECT automation_id, series, number
		FROM numbers
		WHERE automation_id = ANY (@ids)
		ORDER BY automation_id, series`, pgx.NamedArgs{"ids": automationIDs})
	if err != nil {
		return nil, fmt.Errorf("read numbers: %w", err)
	}
	of := map[string][]platen.SeriesNumber{}
	for _, r := range rows {
		of[r.AutomationID] = append(of[r.AutomationID], platen.SeriesNumber{Series: r.Series, Number: r.Number})
	}
	return of, nil
}

// askedBy are the outputs of a plan that ask for a number of what they declare.
func askedBy(p platen.Plan, declared string) []string {
	var outputs []string
	for _, d := range p.Documents {
		if slices.Contains(d.Document.Numbers, declared) {
			outputs = append(outputs, d.OutputID)
		}
	}
	return outputs
}

func (s *Plans) zone() *time.Location { return cmp.Or(s.Zone, time.UTC) }
