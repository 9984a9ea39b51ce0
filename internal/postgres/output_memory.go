package postgres

import (
	"context"
	"fmt"
	"maps"
	"reflect"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// maxRecentOutputs bounds the rows that Outputs keeps in memory, in bytes.
const maxRecentOutputs = 4 << 20

// A rememberedOutput is a row as this process saw or wrote it last, and what it has
// noted since then. Either may be out of date or forgotten at any time. A write
// succeeds only if the row is as stored here and the server was not restarted since;
// otherwise it starts from the current row, without the noted changes.
type rememberedOutput struct {
	stored outputRow
	noted  *outputRow // nil: nothing
}

// now is the row with what was noted.
func (m rememberedOutput) now() outputRow {
	if m.noted != nil {
		return *m.noted
	}
	return m.stored
}

func (m rememberedOutput) size() int {
	n := m.stored.size()
	if m.noted != nil {
		n += m.noted.size()
	}
	return n
}

// become returns what is remembered once an output is noted: only the row if both are
// equal.
func (m rememberedOutput) become(o platen.Output) (rememberedOutput, error) {
	stored, err := m.stored.output()
	if err != nil {
		return m, err
	}
	m.noted = nil
	if reflect.DeepEqual(stored, o) {
		return m, nil
	}
	noted, err := m.stored.become(o)
	m.noted = &noted
	return m, err
}

// currentOutput reads an output's row and remembers it. What was noted stays, if
// the row is as it was then.
func (s *Outputs) currentOutput(ctx context.Context, outputID string) (rememberedOutput, error) {
	r, err := readOutput(ctx, s.db.pool, selectOutput+`
		WHERE o.id = @id`, outputID)
	if err != nil {
		return rememberedOutput{}, err
	}
	m := rememberedOutput{stored: r}
	if before, ok := s.recent.Get(outputID); ok && before.stored.WrittenBy == r.WrittenBy && before.stored.ReadFrom.Equal(r.ReadFrom) {
		m.noted = before.noted
	}
	s.remember(m)
	return m, nil
}

// remember keeps what is known of an output, unless it has ended: a retry may begin
// it again elsewhere.
func (s *Outputs) remember(m rememberedOutput) {
	if m.stored.hasEnded() {
		s.recent.Drop(m.stored.ID)
		return
	}
	s.recent.Put(m.stored.ID, m)
}

// RememberedOutput returns an output as this process saw, wrote or noted it last,
// which may be out of date, and reads the row where it does not remember any. It is
// for what is safe with an old one, because a change is written before anything
// comes of it. Errors are those of Output.
func (s *Outputs) RememberedOutput(ctx context.Context, outputID string) (platen.Output, error) {
	if m, ok := s.recent.Get(outputID); ok {
		return m.now().output()
	}
	return s.Output(ctx, outputID)
}

// NoteOutput applies change to the output as this process remembers it, and has it
// written with the next change of the row. Until then it is lost when the process
// ends, and when another execution changes the row: a note is for what a later
// execution finds out again. Errors are those of UpdateOutput.
func (s *Outputs) NoteOutput(ctx context.Context, outputID string, change func(*platen.Output) error) (platen.Output, error) {
	o, err := s.noteOutput(ctx, outputID, change)
	if err != nil {
		return platen.Output{}, fmt.Errorf("note of output %s: %w", outputID, err)
	}
	return o, nil
}

// WriteNotes has committed what this process noted of an output when it returns.
// Where nothing was noted, the database is not asked. Errors are those of
// UpdateOutput.
func (s *Outputs) WriteNotes(ctx context.Context, outputID string) error {
	if m, ok := s.recent.Get(outputID); !ok || m.noted == nil {
		return nil
	}
	_, err := s.UpdateOutput(ctx, outputID, func(*platen.Output) error { return nil })
	return err
}

func (s *Outputs) noteOutput(ctx context.Context, outputID string, change func(*platen.Output) error) (platen.Output, error) {
	m, ok := s.recent.Take(outputID) // nobody else notes meanwhile
	if !ok {
		var err error
		if m, err = s.currentOutput(ctx, outputID); err != nil {
			return platen.Output{}, err
		}
	}
	o, _, err := applyChange(m.now(), change)
	if err == nil {
		m, err = m.become(o)
	}
	s.remember(m)
	return o, err
}

// updateRemembered is UpdateOutput for a row that is still as remembered. If done is
// false, nothing has changed.
func (s *Outputs) updateRemembered(ctx context.Context, m rememberedOutput, change func(*platen.Output) error) (_ platen.Output, done bool, err error) {
	o, changes, err := applyChange(m.now(), change)
	if err != nil || !changes && m.noted == nil {
		s.remember(m)
		return o, false, nil // the remembered row may be out of date: read the current one
	}
	next, err := m.become(o)
	if err != nil {
		return o, false, err
	}
	if next.noted == nil { // the change reverts the note: the row is up to date
		s.remember(next)
		return o, true, nil
	}
	done, err = s.writeOver(ctx, m.stored, o)
	if err != nil {
		s.remember(m) // the row may still be as it was
	}
	return o, done, err
}

// rememberPlanned remembers the outputs that were inserted with a plan. Their rows say
// that a copy may exist, for recovery after a crash; the note says that none was begun
// yet.
func (s *Outputs) rememberPlanned(rows []outputRow) {
	for _, r := range rows {
		fresh := r
		fresh.CopyBegun = false
		s.remember(rememberedOutput{stored: r, noted: &fresh})
	}
}

// recordAtOnce is RecordOutput in one statement, for a row that no other execution
// changes meanwhile. If done is false, nothing has changed.
func (s *Outputs) recordAtOnce(ctx context.Context, outputID string, change func(*platen.Output) error, event func(platen.Output) (platen.Event, error)) (o platen.Output, eventID string, done bool, err error) {
	m, ok := s.recent.Take(outputID)
	if !ok {
		if m, err = s.currentOutput(ctx, outputID); err != nil {
			return o, "", false, err
		}
	}
	o, changes, err := applyChange(m.now(), change)
	if err != nil || !changes || o.State == platen.OutputPending {
		return o, "", false, nil // the caller reports errors from the current row
	}
	receivers, err := s.db.Plans.receiversOf(ctx, s.db.pool, o.AutomationID)
	if err != nil {
		return o, "", false, err
	}
	of, err := s.db.originOf(ctx, s.db.pool, o.AutomationID)
	if err != nil {
		return o, "", false, err
	}
	e, err := event(of.name(o))
	if err != nil {
		return o, "", false, err
	}
	written, err := m.stored.become(o)
	if err != nil {
		return o, "", false, err
	}
	args := written.args()
	args["event_id"], args["type"], args["payload"], args["created_at"], args["test"] = e.ID, e.Type, of.key.Seal(e.Payload, eventPayload), e.CreatedAt, o.Test
	further := ""
	if len(receivers) > 0 {
		maps.Copy(args, eventsFor(receivers, e, of.key))
		args["automation_id"], args["output_id"], args["attempt"] = o.AutomationID, o.ID, written.Attempt
		further = `, further AS (` + insertReceiverEvents + `
			WHERE EXISTS (SELECT FROM written)
		)`
	}
	type row struct {
		Done    bool   `db:"done"`
		EventID string `db:"event_id"`
	}
	recorded, _, err := CollectOne[row](ctx, s.db.pool, `
		WITH written AS (`+updateOutputSQL+`
			RETURNING o.id, o.automation_id, o.attempt
		), stored AS (
			INSERT INTO events (id, workflow_id, automation_id, output_id, attempt, type, payload, state, created_at, test)
			SELECT @event_id, w.workflow_id, written.automation_id, written.id, written.attempt, @type, @payload, 'PENDING', @created_at, @test
			FROM written
			JOIN automations a ON a.id = written.automation_id
			JOIN `+receiversOf(o.Test).table+` w ON w.workflow_id = a.workflow_id
			WHERE @type <> '' AND a.erase_requested_at IS NULL
			RETURNING id
		)`+further+`
		SELECT EXISTS (SELECT FROM written) AS done, coalesce((SELECT id FROM stored), '') AS event_id`, args)
	return o, recorded.EventID, recorded.Done, err
}

// recordLocked is RecordOutput for a row that others change.
func (s *Outputs) recordLocked(ctx context.Context, outputID string, change func(*platen.Output) error, event func(platen.Output) (platen.Event, error)) (o platen.Output, eventID string, err error) {
	err = s.db.InTx(ctx, func(tx pgx.Tx) error {
		r, err := lockOutput(ctx, tx, outputID)
		if err != nil {
			return err
		}
		if r.hasEnded() {
			if o, err = r.output(); err != nil {
				return err
			}
			eventID, err = findEvent(ctx, tx, r)
			return err
		}
		if o, err = changeOutput(ctx, tx, r, change); err != nil {
			return err
		}
		if o.State == platen.OutputPending {
			return platen.Errorf(platen.KindInternal, "output_not_ended", "the change that should end output %s left it PENDING", o.ID)
		}
		eventID, _, err = s.db.storeEvent(ctx, tx, r, o, event)
		return err
	})
	return o, eventID, err
}
