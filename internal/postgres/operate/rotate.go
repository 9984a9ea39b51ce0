package operate

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/postgres"
)

// Rotation counts the values that each master key seals, and reseals them with the
// first one.
type Rotation struct{ db *DB }

// keyPrefix is how many bytes of a sealed value name its key.
const keyPrefix = 5

// A SealedCount is how many values of one kind a key seals.
type SealedCount struct {
	What  string
	Key   string // the first bytes of its values, in hex
	Count int
}

// Counts returns how many values each key seals, by kind. It reads all of them, which
// takes a second for a million automations.
func (s *Rotation) Counts(ctx context.Context) ([]SealedCount, error) {
	type row struct {
		Key string `db:"key"`
		N   int    `db:"n"`
	}
	var counts []SealedCount
	for _, of := range sealedValues() {
		rows, err := postgres.Collect[row](ctx, s.db.Pool(), of.count(), nil)
		if err != nil {
			return nil, fmt.Errorf("count %s: %w", of.what, err)
		}
		for _, r := range rows {
			counts = append(counts, SealedCount{What: of.what, Key: r.Key, Count: r.N})
		}
	}
	return counts, nil
}

// sealedKind is one kind of sealed values, and the statement that reads them all.
type sealedKind struct{ what, values string }

func sealedValues() []sealedKind {
	var kinds []sealedKind
	for _, c := range postgres.SealedColumns {
		kinds = append(kinds, sealedKind{c.Name, "SELECT " + c.Value + " AS sealed FROM " + c.Table + " WHERE " + c.Value + " IS NOT NULL"})
	}
	return append(kinds, sealedKind{postgres.PlannedPasswords, `
				SELECT decode(d ->> 'pdfPassword', 'base64') AS sealed
				FROM plans p
				CROSS JOIN LATERAL jsonb_path_query(p.plan, '$.documents[*]') AS d
				WHERE d ? 'pdfPassword'`})
}

// count counts them by key.
func (k sealedKind) count() string {
	return `
			SELECT encode(substring(sealed FOR ` + strconv.Itoa(keyPrefix) + `), 'hex') AS key, count(*) AS n
			FROM (` + k.values + `) AS all_of_them
			GROUP BY 1
			ORDER BY 1`
}

// Rotated counts the values of one kind.
type Rotated struct {
	What   string
	Sealed int // with the first key now
	Closed int // which no key opens; they stay as they are
}

// rotatedAtOnce is how many values a statement changes.
const rotatedAtOnce = 500

// Rotate reseals with the first key all values that another one seals, in batches, and
// calls progress after each. A value that changes meanwhile is left to that change. It
// may be interrupted anywhere, repeated, or run in parallel: it skips values that are
// done.
func (s *Rotation) Rotate(ctx context.Context, progress func(Rotated)) error {
	current, err := s.db.Vault().Seal(nil, nil)
	if err != nil {
		return err
	}
	current = current[:keyPrefix]
	for _, c := range postgres.SealedColumns {
		of := Rotated{What: c.Name}
		batch := func(after string) (string, error) {
			return s.rotateBatch(ctx, current, &of, after, c.Column, `
				SELECT `+c.ID+` AS id, `+c.Value+` AS sealed
				FROM `+c.Table+`
				WHERE `+c.Value+` IS NOT NULL AND substring(`+c.Value+` FOR @prefix) <> @current AND `+c.ID+` > @after
				ORDER BY `+c.ID+`
				LIMIT @limit`, `
				UPDATE `+c.Table+`
				SET `+c.Value+` = d.fresh
				FROM unnest(@ids::text[], @stored::bytea[], @fresh::bytea[]) AS d (of_row, stored, fresh)
				WHERE `+c.ID+` = d.of_row AND `+c.Value+` = d.stored`)
		}
		if err := inTurns(ctx, batch, func() { progress(of) }); err != nil {
			return fmt.Errorf("reseal %s: %w", c.Name, err)
		}
	}
	of := Rotated{What: postgres.PlannedPasswords}
	batch := func(after string) (string, error) { return s.rotatePlans(ctx, current, &of, after) }
	if err := inTurns(ctx, batch, func() { progress(of) }); err != nil {
		return fmt.Errorf("reseal %s: %w", postgres.PlannedPasswords, err)
	}
	return nil
}

// inTurns calls batch with the last id of the one before until it returns none, and
// rests after each as long as it took.
func inTurns(ctx context.Context, batch func(after string) (last string, err error), progress func()) error {
	last := ""
	for {
		began := time.Now()
		var err error
		if last, err = batch(last); err != nil {
			return err
		}
		progress()
		if last == "" {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Since(began)):
		}
	}
}

func (s *Rotation) rotateBatch(ctx context.Context, current []byte, of *Rotated, after, column, selecting, updating string) (last string, err error) {
	rows, err := postgres.Collect[postgres.SealedValue](ctx, s.db.Pool(), selecting,
		pgx.NamedArgs{"prefix": keyPrefix, "current": current, "after": after, "limit": rotatedAtOnce})
	if err != nil || len(rows) == 0 {
		return "", err
	}
	var ids []string
	var stored, fresh [][]byte
	for _, r := range rows {
		sealed, ok, err := s.reseal(r.Sealed, column, r.ID)
		if err != nil {
			return "", err
		}
		if !ok {
			of.Closed++
			continue
		}
		ids, stored, fresh = append(ids, r.ID), append(stored, r.Sealed), append(fresh, sealed)
	}
	n, err := postgres.Execute(ctx, s.db.Pool(), updating, pgx.NamedArgs{"ids": ids, "stored": stored, "fresh": fresh})
	of.Sealed += int(n)
	return rows[len(rows)-1].ID, err
}

// reseal is not ok where no key opens the value.
func (s *Rotation) reseal(sealed []byte, column, id string) (fresh []byte, ok bool, err error) {
	text, err := s.db.Vault().OpenText(sealed, column, id)
	if err != nil {
		return nil, false, nil
	}
	fresh, err = s.db.Vault().SealText(text, column, id)
	return fresh, err == nil, err
}

// rotatePlans leaves alone what it does not know of a plan: a later release may have
// written it.
func (s *Rotation) rotatePlans(ctx context.Context, current []byte, of *Rotated, after string) (last string, err error) {
	type row struct {
		ID   string          `db:"automation_id"`
		Plan json.RawMessage `db:"plan"`
	}
	rows, err := postgres.Collect[row](ctx, s.db.Pool(), `
		SELECT p.automation_id, p.plan
		FROM plans p
		WHERE p.automation_id > @after AND EXISTS (
			SELECT
			FROM jsonb_path_query(p.plan, '$.documents[*]') AS d
			WHERE d ? 'pdfPassword' AND substring(decode(d ->> 'pdfPassword', 'base64') FOR @prefix) <> @current
		)
		ORDER BY p.automation_id
		LIMIT @limit`, pgx.NamedArgs{"prefix": keyPrefix, "current": current, "after": after, "limit": rotatedAtOnce})
	if err != nil || len(rows) == 0 {
		return "", err
	}
	for _, r := range rows {
		fresh, n, err := s.rotatePlan(r.Plan, of)
		if err != nil {
			return "", fmt.Errorf("plan of %s: %w", r.ID, err)
		}
		if n == 0 {
			continue
		}
		changed, err := postgres.Execute(ctx, s.db.Pool(), `
			UPDATE plans
			SET plan = @fresh::text::jsonb
			WHERE automation_id = @id AND plan = @stored::text::jsonb`, pgx.NamedArgs{"id": r.ID, "stored": string(r.Plan), "fresh": string(fresh)})
		if err != nil {
			return "", err
		}
		of.Sealed += n * int(changed)
	}
	return rows[len(rows)-1].ID, nil
}

// rotatePlan returns a plan with its passwords resealed, and how many these are.
func (s *Rotation) rotatePlan(plan json.RawMessage, of *Rotated) (fresh []byte, n int, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(plan, &members); err != nil {
		return nil, 0, err
	}
	var documents []map[string]json.RawMessage
	if err := json.Unmarshal(members["documents"], &documents); err != nil {
		return nil, 0, err
	}
	for _, d := range documents {
		var outputID string
		var sealed []byte
		if d["pdfPassword"] == nil {
			continue
		}
		if err := json.Unmarshal(d["outputId"], &outputID); err != nil {
			return nil, 0, err
		}
		if err := json.Unmarshal(d["pdfPassword"], &sealed); err != nil {
			return nil, 0, err
		}
		resealed, ok, err := s.reseal(sealed, postgres.PlannedPassword, outputID)
		if err != nil {
			return nil, 0, err
		}
		if !ok {
			of.Closed++
			continue
		}
		if d["pdfPassword"], err = json.Marshal(resealed); err != nil {
			return nil, 0, err
		}
		n++
	}
	if members["documents"], err = json.Marshal(documents); err != nil {
		return nil, 0, err
	}
	fresh, err = json.Marshal(members)
	return fresh, n, err
}
