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
	StoredAt     *time.Time            `db:"stored_at"`
}

const placementColumns = `p.output_id, p.target_id, p.target_name, p.automation_id, p.state, p.folder, p.receipts, p.hashes, p.attempts, p.code, p.message, p.created_at, p.tried_at, p.stored_at`

func (r placementRow) placement() (platen.Placement, error) {
	p := platen.Placement{
		PlacementKey: platen.PlacementKey{AutomationID: r.AutomationID, OutputID: r.OutputID, TargetID: r.TargetID}, TargetName: r.TargetName,
		State: r.State, Folder: orEmpty(r.Folder), Known: r.Folder != nil, Hashes: r.Hashes, Attempts: r.Attempts, Code: r.Code, Message: r.Message,
		CreatedAt: r.CreatedAt.UTC(), TriedAt: UTC(r.TriedAt), StoredAt: UTC(r.StoredAt),
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
		SET attempts = p.attempts + 1, tried_at = now(), leased_until = now() + @lease::interval
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
			return p, t, platen.Errorf(platen.KindConflict, "target_under_way", "Another attempt to store this output is under way; it is tried again after that.")
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

// PinFolder stores where the files of a placement go, before the first is stored. What was
// stored before stays.
func (s *Targets) PinFolder(ctx context.Context, key platen.PlacementKey, folder string) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE placements
		SET folder = coalesce(folder, @folder)
		WHERE id = @id`, pgx.NamedArgs{"id": key.ID(), "folder": folder})
	if err != nil {
		return fmt.Errorf("note where %s is stored: %w", key.ID(), err)
	}
	return nil
}

// NoteHash notes the hex SHA-256 of a content before it is stored.
func (s *Targets) NoteHash(ctx context.Context, key platen.PlacementKey, sha256 string) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE placements
		SET hashes = array_append(hashes, @sha256)
		WHERE id = @id AND NOT @sha256 = ANY (hashes)`, pgx.NamedArgs{"id": key.ID(), "sha256": sha256})
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
			UPDATE placements
			SET state = CASE WHEN state = 'PENDING' OR @state = 'STORED' THEN @state ELSE state END, receipts = @receipts,
				code = CASE WHEN state = 'PENDING' OR @state = 'STORED' THEN @code ELSE code END, message = CASE WHEN state = 'PENDING' OR @state = 'STORED' THEN @message ELSE message END,
				leased_until = NULL, stored_at = CASE WHEN @state = 'STORED' THEN now() ELSE stored_at END, ended_at = CASE WHEN @state = 'PENDING' THEN ended_at ELSE now() END
			WHERE id = @id AND state IN ('PENDING', 'FAILED') AND code <> @erased`,
			pgx.NamedArgs{"id": p.ID(), "state": p.State, "receipts": string(text), "code": p.Code, "message": CleanText(p.Message), "erased": platen.CodeDataErased})
	}
	if err != nil {
		return fmt.Errorf("record %s: %w", p.ID(), err)
	}
	return nil
}

// GiveUpPlacement ends one that was not stored.
func (s *Targets) GiveUpPlacement(ctx context.Context, key platen.PlacementKey, code, message string) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE placements
		SET state = 'FAILED', code = @code, message = @message, leased_until = NULL, ended_at = now()
		WHERE id = @id AND state = 'PENDING'`, pgx.NamedArgs{"id": key.ID(), "code": code, "message": CleanText(message)})
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
	err := s.db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		of := Subject{WorkflowID: workflowID, ObjectID: outputID}
		if err := authorize(ctx, tx, caller, workflowID); err != nil {
			return of, err
		}
		return of, s.storeOutput(ctx, tx, workflowID, outputID, targetID)
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
	type row struct {
		AutomationID string             `db:"automation_id"`
		State        platen.OutputState `db:"state"`
		Test         bool               `db:"test"`
		ErasedAt     *time.Time         `db:"erased_at"`
	}
	// The automation is kept from being erased meanwhile.
	o, ok, err := CollectOne[row](ctx, tx, `
		SELECT o.automation_id, o.state, o.test, coalesce(a.erase_requested_at, a.data_erased_at) AS erased_at
		FROM outputs o
		JOIN automations a ON a.id = o.automation_id
		WHERE o.id = @id AND a.workflow_id = @workflow_id
		FOR SHARE OF a`, pgx.NamedArgs{"id": outputID, "workflow_id": workflowID})
	switch {
	case err != nil:
		return err
	case !ok:
		return platen.ErrOutputNotFound()
	case o.ErasedAt != nil:
		return platen.ErrDataErased("the source data of output "+outputID, *o.ErasedAt)
	case o.Test:
		return platen.Errorf(platen.KindInvalid, platen.CodeTestMode, "The output was made by a test, and those are stored at no target. Send the event without the test mark.")
	case o.State != platen.OutputDone:
		return platen.ErrOutputNotMade(o.State)
	}
	key := platen.PlacementKey{AutomationID: o.AutomationID, OutputID: outputID, TargetID: targetID}
	// Where nothing is stored yet, the path may have been corrected.
	_, err = Execute(ctx, tx, `
		INSERT INTO placements AS p (id, output_id, target_id, target_name, automation_id, workflow_id, state)
		VALUES (@id, @output_id, @target_id, @name, @automation_id, @workflow_id, 'PENDING')
		ON CONFLICT (id) DO UPDATE
		SET state = 'PENDING', target_name = excluded.target_name, code = '', message = '', ended_at = NULL, created_at = now(),
			folder = CASE WHEN p.receipts = '[]' THEN NULL ELSE p.folder END`,
		pgx.NamedArgs{"id": key.ID(), "output_id": outputID, "target_id": targetID, "name": t.Name, "automation_id": o.AutomationID, "workflow_id": workflowID})
	if err != nil {
		return err
	}
	return enqueueCommands(ctx, tx, platen.CommandStore, []string{key.ID()})
}

// ResumePlacements has up to limit placements tried again that are PENDING, and that nobody
// has tried for age: their runs are gone, because Temporal was restored from a backup.
func (s *Targets) ResumePlacements(ctx context.Context, age time.Duration, limit int) (ids []string, err error) {
	err = s.db.InTx(ctx, func(tx pgx.Tx) error {
		type row struct {
			ID string `db:"id"`
		}
		rows, err := Collect[row](ctx, tx, `
			UPDATE placements
			SET tried_at = now()
			WHERE id IN (
				SELECT id
				FROM placements
				WHERE state = 'PENDING' AND greatest(tried_at, created_at) < now() - @age::interval AND coalesce(leased_until, '-infinity') < now()
				ORDER BY created_at
				LIMIT @limit
				FOR NO KEY UPDATE SKIP LOCKED
			)
			RETURNING id`, pgx.NamedArgs{"age": age, "limit": limit})
		for _, r := range rows {
			ids = append(ids, r.ID)
		}
		if err != nil || len(ids) == 0 {
			return err
		}
		return enqueueCommands(ctx, tx, platen.CommandStore, ids)
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
