package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// receiptJSON is what is stored of a receipt. Its names are for ever.
type receiptJSON struct {
	Kind     string    `json:"kind"`
	Key      string    `json:"key"`
	Version  string    `json:"version,omitempty"`
	SHA256   string    `json:"sha256"`
	Bytes    int64     `json:"bytes"`
	StoredAt time.Time `json:"storedAt"`
}

type placementRow struct {
	OutputID     string                `db:"output_id"`
	TargetID     string                `db:"target_id"`
	TargetName   string                `db:"target_name"`
	AutomationID string                `db:"automation_id"`
	State        platen.PlacementState `db:"state"`
	Folder       *string               `db:"folder"`
	Receipts     json.RawMessage       `db:"receipts"`
	Hashes       []string              `db:"hashes"`
	Attempts     int                   `db:"attempts"`
	Code         string                `db:"code"`
	Message      string                `db:"message"`
	CreatedAt    time.Time             `db:"created_at"`
	TriedAt      *time.Time            `db:"tried_at"`
	NextAt       *time.Time            `db:"next_at"`
	StoredAt     *time.Time            `db:"stored_at"`
}

const placementColumns = `p.output_id, p.target_id, p.target_name, p.automation_id, p.state, p.folder, p.receipts, p.hashes, p.attempts, p.code, p.message, p.created_at, p.tried_at, p.next_at, p.stored_at`

func (r placementRow) placement() (platen.Placement, error) {
	p := platen.Placement{
		PlacementKey: platen.PlacementKey{AutomationID: r.AutomationID, OutputID: r.OutputID, TargetID: r.TargetID}, TargetName: r.TargetName,
		State: r.State, Folder: orEmpty(r.Folder), Known: r.Folder != nil, Hashes: r.Hashes, Attempts: r.Attempts, Code: r.Code, Message: r.Message,
		CreatedAt: r.CreatedAt.UTC(), TriedAt: UTC(r.TriedAt), NextAt: UTC(r.NextAt), StoredAt: UTC(r.StoredAt),
	}
	var receipts []receiptJSON
	if err := json.Unmarshal(r.Receipts, &receipts); err != nil {
		return p, fmt.Errorf("read the receipts of %s: %w", p.ID(), err)
	}
	for _, j := range receipts {
		p.Receipts = append(p.Receipts, platen.Receipt(j))
	}
	return p, nil
}

// BeginPlacement notes that an attempt to store an output at a target begins, which nobody
// else makes until lease has passed, and returns the placement and the target with its
// credentials. One that has ended is returned as it is, and no attempt begins. KindConflict
// with code "target_under_way": another attempt is under way. KindNotFound with code
// "target_not_found": the target was deleted; with "output_not_found": there is no such
// placement.
func (s *Targets) BeginPlacement(ctx context.Context, key platen.PlacementKey, lease time.Duration) (platen.Placement, platen.Target, error) {
	p, t, err := s.beginPlacement(ctx, key, lease)
	if err != nil {
		return p, t, fmt.Errorf("begin to store %s: %w", key.ID(), err)
	}
	return p, t, nil
}

func (s *Targets) beginPlacement(ctx context.Context, key platen.PlacementKey, lease time.Duration) (p platen.Placement, t platen.Target, err error) {
	r, begun, err := CollectOne[placementRow](ctx, s.db.pool, `
		UPDATE placements p
		SET attempts = p.attempts + 1, tried_at = now(), next_at = NULL, leased_until = now() + @lease::interval
		WHERE p.id = @id AND p.state = 'PENDING' AND (p.leased_until IS NULL OR p.leased_until < now())
		RETURNING `+placementColumns, pgx.NamedArgs{"id": key.ID(), "lease": lease})
	if err != nil {
		return p, t, err
	}
	if !begun {
		var known bool
		r, known, err = CollectOne[placementRow](ctx, s.db.pool, `
			SELECT `+placementColumns+`
			FROM placements p
			WHERE p.id = @id`, pgx.NamedArgs{"id": key.ID()})
		switch {
		case err != nil:
			return p, t, err
		case !known:
			return p, t, platen.Errorf(platen.KindNotFound, "output_not_found", "there is no placement %s", key.ID())
		case r.State == platen.PlacementPending:
			return p, t, platen.Errorf(platen.KindConflict, platen.CodeTargetUnderWay, "Another attempt to store this output is under way; it is tried again after that.")
		}
	}
	if p, err = r.placement(); err != nil || p.State != platen.PlacementPending {
		return p, t, err
	}
	found, err := collectTargets(ctx, s.db.pool, s.db.vault, `
	WHERE t.id = @id`, pgx.NamedArgs{"id": key.TargetID})
	if err == nil && len(found) == 0 {
		err = platen.ErrTargetNotFound()
	}
	if err != nil {
		return p, t, err
	}
	return p, found[0], nil
}

// LeaveAlone notes with a placement that its target is left alone until then, and why, unless an
// attempt said more. It is false where the target was deleted, or is not as it was at checked:
// it was changed since, or a test of it succeeded. Then nothing is noted.
func (s *Targets) LeaveAlone(ctx context.Context, key platen.PlacementKey, checked, until time.Time, code, message string) (bool, error) {
	type row struct {
		Unchanged bool `db:"unchanged"`
	}
	r, _, err := CollectOne[row](ctx, s.db.pool, `
		WITH target AS (
			SELECT
			FROM targets
			WHERE id = @target_id AND greatest(updated_at, tested_at) = @checked
		), noted AS (
			UPDATE placements p
			SET next_at = @until, code = CASE p.code WHEN '' THEN @code ELSE p.code END, message = CASE p.code WHEN '' THEN @message ELSE p.message END
			WHERE p.id = @id AND p.state = 'PENDING' AND p.next_at IS DISTINCT FROM @until AND EXISTS (SELECT FROM target)
		)
		SELECT EXISTS (SELECT FROM target) AS unchanged`,
		pgx.NamedArgs{"id": key.ID(), "target_id": key.TargetID, "checked": checked, "until": until, "code": code, "message": message})
	if err != nil {
		return false, fmt.Errorf("note that %s waits: %w", key.ID(), err)
	}
	return r.Unchanged, nil
}

// unerased is a condition for placements p whose automation nobody has asked to erase.
const unerased = `NOT EXISTS (SELECT FROM automations a WHERE a.id = p.automation_id AND a.erase_requested_at IS NOT NULL)`

// PinFolder stores where the files of a placement go, before the first is stored. What was
// stored before stays.
func (s *Targets) PinFolder(ctx context.Context, key platen.PlacementKey, folder string) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE placements p
		SET folder = coalesce(p.folder, @folder)
		WHERE p.id = @id AND p.state = 'PENDING' AND `+unerased, pgx.NamedArgs{"id": key.ID(), "folder": folder})
	if err != nil {
		return fmt.Errorf("note where %s is stored: %w", key.ID(), err)
	}
	return nil
}

// BeginFile notes the path at the target and the hex SHA-256 of a file before it is stored.
// KindConflict with code "target_under_way": the placement has ended meanwhile. KindRateLimited
// with code "target_path_busy": another output is being stored under this path.
func (s *Targets) BeginFile(ctx context.Context, key platen.PlacementKey, path, sha256 string) error {
	n, err := Execute(ctx, s.db.pool, `
		UPDATE placements p
		SET hashes = CASE WHEN @sha256 = ANY (p.hashes) THEN p.hashes ELSE array_append(p.hashes, @sha256) END, storing = sha256(convert_to(@path, 'UTF8'))
		WHERE p.id = @id AND p.state = 'PENDING' AND `+unerased, pgx.NamedArgs{"id": key.ID(), "path": path, "sha256": sha256})
	switch {
	case IsUniqueViolation(err, "placements_storing"):
		err = &platen.Error{Kind: platen.KindRateLimited, Code: platen.CodeTargetPathBusy, RetryAfter: 15 * time.Second, Message: "Another output is being stored under the same path; this one is tried after it."}
	case err == nil && n == 0:
		err = platen.Errorf(platen.KindConflict, platen.CodeTargetUnderWay, "The storing of this output has ended meanwhile.")
	}
	if err != nil {
		return fmt.Errorf("note what %s stores: %w", key.ID(), err)
	}
	return nil
}

// RecordPlacement stores the outcome of an attempt: state, receipts, code and message.
// PENDING: there is to be another. One that was given up meanwhile takes receipts all the
// same, and is STORED if all files are.
func (s *Targets) RecordPlacement(ctx context.Context, p platen.Placement) error {
	receipts := make([]receiptJSON, len(p.Receipts))
	for i, r := range p.Receipts {
		receipts[i] = receiptJSON(r)
	}
	text, err := json.Marshal(receipts)
	if err == nil {
		_, err = Execute(ctx, s.db.pool, `
			UPDATE placements p
			SET state = CASE WHEN state = 'PENDING' OR @state = 'STORED' THEN @state ELSE state END, receipts = @receipts,
				code = CASE WHEN state = 'PENDING' OR @state = 'STORED' THEN @code ELSE code END, message = CASE WHEN state = 'PENDING' OR @state = 'STORED' THEN @message ELSE message END,
				leased_until = NULL, storing = NULL, next_at = NULL, stored_at = CASE WHEN @state = 'STORED' THEN now() ELSE stored_at END, ended_at = CASE WHEN @state = 'PENDING' THEN ended_at ELSE now() END
			WHERE id = @id AND state IN ('PENDING', 'FAILED') AND `+unerased,
			pgx.NamedArgs{"id": p.ID(), "state": p.State, "receipts": string(text), "code": p.Code, "message": CleanText(p.Message)})
	}
	if err != nil {
		return fmt.Errorf("record %s: %w", p.ID(), err)
	}
	return nil
}

// GiveUpPlacement ends one that was not stored. Where the last try only waited, what the last
// attempt failed with says more, and is kept.
func (s *Targets) GiveUpPlacement(ctx context.Context, key platen.PlacementKey, code, message string) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE placements
		SET state = 'FAILED', code = CASE WHEN @waited AND code <> '' THEN code ELSE @code END, message = CASE WHEN @waited AND code <> '' THEN message ELSE @message END, leased_until = NULL, storing = NULL, next_at = NULL, ended_at = now()
		WHERE id = @id AND state = 'PENDING'`,
		pgx.NamedArgs{"id": key.ID(), "code": code, "message": CleanText(message), "waited": slices.Contains(platen.TargetWaits(), code)})
	if err != nil {
		return fmt.Errorf("give up %s: %w", key.ID(), err)
	}
	return nil
}

// StoreOutput has an output of one of the caller's workflows stored at one of its targets
// now: once more, where it was before, which changes nothing at a target that has all of it.
// KindInvalid: code "output_without_file" where it was not made, platen.CodeDataErased where
// its data was erased, platen.CodeTestMode for one of a test.
func (s *Targets) StoreOutput(ctx context.Context, caller platen.User, workflowID, outputID, targetID string) error {
	err := s.db.inActOf(ctx, caller, workflowID, outputID, func(tx pgx.Tx) error {
		return s.storeOutput(ctx, tx, workflowID, outputID, targetID)
	})
	if err != nil {
		return fmt.Errorf("store output %s at %s: %w", outputID, targetID, err)
	}
	return nil
}

func (s *Targets) storeOutput(ctx context.Context, tx pgx.Tx, workflowID, outputID, targetID string) error {
	t, err := findTarget(ctx, tx, s.db.vault, workflowID, targetID)
	if err != nil {
		return err
	}
	o, err := lockMade(ctx, tx, workflowID, outputID, platen.Errorf(platen.KindInvalid, platen.CodeTestMode, "The output was made by a test, and those are stored at no target. Send the event without the test mark."))
	if err != nil {
		return err
	}
	key := platen.PlacementKey{AutomationID: o.AutomationID, OutputID: outputID, TargetID: targetID}
	// Where nothing is stored yet, the path may have been corrected.
	_, err = Execute(ctx, tx, `
		INSERT INTO placements AS p (id, output_id, target_id, target_name, automation_id, workflow_id, state)
		VALUES (@id, @output_id, @target_id, @name, @automation_id, @workflow_id, 'PENDING')
		ON CONFLICT (id) DO UPDATE
		SET state = 'PENDING', attempts = 0, target_name = excluded.target_name, code = '', message = '', next_at = NULL, ended_at = NULL, created_at = now(),
			folder = CASE WHEN p.receipts = '[]' THEN NULL ELSE p.folder END`,
		pgx.NamedArgs{"id": key.ID(), "output_id": outputID, "target_id": targetID, "name": t.Name, "automation_id": o.AutomationID, "workflow_id": workflowID})
	if err != nil {
		return err
	}
	return enqueueCommands(ctx, tx, platen.CommandStore, []string{key.ID()})
}

// placementPatience is how long one that was tried is resumed: longer than the day of its run.
const placementPatience = 26 * time.Hour

// ResumePlacements has up to limit placements tried again that are PENDING, and that nobody
// has tried for age: their runs are gone, because Temporal was restored from a backup, or wait
// behind many others. One that was tried is FAILED when the day of a run is long over.
func (s *Targets) ResumePlacements(ctx context.Context, age time.Duration, limit int) (ids []string, err error) {
	err = s.db.InTx(ctx, func(tx pgx.Tx) error {
		type row struct {
			ID   string `db:"id"`
			Over bool   `db:"over"`
		}
		rows, err := Collect[row](ctx, tx, `
			WITH overdue AS (
				SELECT id, attempts > 0 AND created_at < now() - @patience::interval AS over
				FROM placements
				WHERE state = 'PENDING' AND greatest(tried_at, created_at) < now() - @age::interval AND coalesce(leased_until, '-infinity') < now()
				ORDER BY created_at
				LIMIT @limit
				FOR NO KEY UPDATE SKIP LOCKED
			)
			UPDATE placements p
			SET state = CASE WHEN o.over THEN 'FAILED' ELSE state END, code = CASE WHEN o.over AND code = '' THEN @code ELSE code END,
				tried_at = CASE WHEN o.over THEN tried_at ELSE now() END, ended_at = CASE WHEN o.over THEN now() ELSE ended_at END,
				storing = CASE WHEN o.over THEN NULL ELSE storing END, next_at = NULL
			FROM overdue o
			WHERE p.id = o.id
			RETURNING p.id, o.over`, pgx.NamedArgs{"age": age, "limit": limit, "patience": placementPatience, "code": platen.CodeGaveUp})
		var again []string
		for _, r := range rows {
			if ids = append(ids, r.ID); !r.Over {
				again = append(again, r.ID)
			}
		}
		if err != nil || len(again) == 0 {
			return err
		}
		return enqueueCommands(ctx, tx, platen.CommandStore, again)
	})
	if err != nil {
		return nil, fmt.Errorf("resume overdue placements: %w", err)
	}
	return ids, nil
}

// failedPlacement is a condition for placements p that nobody has given up or begun again.
const failedPlacement = `p.state = '` + string(platen.PlacementFailed) + `' AND p.code NOT IN ('` + platen.CodeDataErased + `', '` + platen.CodeCancelled + `', '` + platen.CodeTargetGone + `')`

// placementsIn is a condition for outputs, or automations, with a placement in one of these
// states: id is theirs, and column that of placements. Those that are not stored are read
// from their index, without all that are.
func placementsIn(states []platen.PlacementState, id, column, workflow string) string {
	if len(states) == 0 {
		return ""
	}
	rare := ""
	if !slices.Contains(states, platen.PlacementStored) && !slices.Contains(states, platen.PlacementNotStored) {
		rare = ` AND p.state IN ('PENDING', 'FAILED')`
	}
	return `
					AND ` + id + ` IN (
						SELECT p.` + column + `
						FROM placements p
						WHERE p.workflow_id = ` + workflow + ` AND p.state = ANY (@placements::text[])` + rare + `
					)`
}

// loadPlacements gives outputs what targets have of them.
func loadPlacements(ctx context.Context, q Querier, outputs []platen.Output) error {
	if len(outputs) == 0 {
		return nil
	}
	at := make(map[string]int, len(outputs))
	ids := make([]string, len(outputs))
	for i, o := range outputs {
		at[o.ID], ids[i] = i, o.ID
	}
	rows, err := Collect[placementRow](ctx, q, `
		SELECT `+placementColumns+`
		FROM placements p
		WHERE p.output_id = ANY (@ids)
		ORDER BY p.created_at, p.id`, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return fmt.Errorf("list placements: %w", err)
	}
	for _, r := range rows {
		p, err := r.placement()
		if err != nil {
			return err
		}
		o := &outputs[at[r.OutputID]]
		o.Placements = append(o.Placements, p)
	}
	return nil
}
