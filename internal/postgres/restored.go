package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// After a restore of this database from a backup, Temporal knows of runs that ended
// later. TakeOver and MakeAgain recover such automations, for package rebuild.

// TakeOver makes an automation RUNNING in the attempt that Temporal knows, so that no
// other process begins or ends it. It takes one that waits or runs in this attempt or
// an earlier one, and a FAILED one that was retried after the backup, or whose run made
// every document. Outputs that the retry repeated are PENDING again. ok is false, and
// nothing changes, if the store is up to date.
//
// An output that people refused stays FAILED, unless its automation had failed and was
// retried: only a retry asks them again. One that failed again tells nothing new.
//
// For a cancelled run it stores the request to cancel. A second call changes nothing.
func (s *Automations) TakeOver(ctx context.Context, automationID string, run platen.LatestRun) (ok bool, err error) {
	err = s.db.InTx(ctx, func(tx pgx.Tx) error {
		a, err := lockAutomation(ctx, tx, automationID)
		if err != nil {
			return err
		}
		switch a.State {
		case platen.AutomationAccepted, stateBehind, platen.AutomationRunning:
			ok = a.Attempt <= run.Attempt
		case platen.AutomationFailed:
			shown := a.automation()
			if shown.Refused, err = isRefused(ctx, tx, a.ID); err != nil {
				return err
			}
			ok = run.IsAheadOf(shown)
		}
		if !ok {
			return nil
		}
		return takeOver(ctx, tx, a, run)
	})
	if err != nil {
		return false, fmt.Errorf("take over automation %s: %w", automationID, err)
	}
	s.forget(automationID)
	return ok, nil
}

// refused is whether the automation a has FAILED, and people refused each output that has.
const refused = `a.state = 'FAILED' AND (SELECT coalesce(bool_and(f.verdict IN ('REJECTED', 'EXPIRED')), false) FROM outputs f WHERE f.automation_id = a.id AND f.state = 'FAILED') AS refused`

func isRefused(ctx context.Context, tx pgx.Tx, automationID string) (bool, error) {
	type row struct {
		Refused bool `db:"refused"`
	}
	r, _, err := CollectOne[row](ctx, tx, `SELECT `+refused+` FROM automations a WHERE a.id = @id`, pgx.NamedArgs{"id": automationID})
	return r.Refused, err
}

func takeOver(ctx context.Context, tx pgx.Tx, a automationRow, run platen.LatestRun) error {
	_, err := Execute(ctx, tx, `
		UPDATE automations
		SET state = 'RUNNING', attempt = @attempt, started_at = coalesce(started_at, now()), finished_at = NULL,
			leased_until = NULL, not_before = NULL, failure_code = '', failure = '',
			cancel_requested_at = CASE WHEN @cancelled THEN coalesce(cancel_requested_at, now()) ELSE cancel_requested_at END
		WHERE id = @id`, pgx.NamedArgs{"id": a.ID, "attempt": run.Attempt, "cancelled": run.Cancelled})
	if err != nil {
		return err
	}
	if a.State == platen.AutomationFailed {
		if err := reopenRow(ctx, tx, a.ID); err != nil {
			return err
		}
	}
	if run.Attempt > a.Attempt || a.State == platen.AutomationFailed {
		// The event of a failure may have been sent: later outputs belong to a later
		// attempt.
		asksAgain := run.Attempt > a.Attempt && a.State == platen.AutomationFailed
		if err := repeatOutputs(ctx, tx, a.ID, platen.OutputFailed, max(run.Attempt, a.Attempt+1), asksAgain); err != nil {
			return err
		}
	}
	if err := keepReviewed(ctx, tx, a.ID); err != nil {
		return err
	}
	if !run.Open {
		return nil // its events belong to the attempt that it found
	}
	_, err = Execute(ctx, tx, `
		UPDATE outputs
		SET attempt = @attempt
		WHERE automation_id = @id AND state = 'PENDING' AND attempt < @attempt`, pgx.NamedArgs{"id": a.ID, "attempt": run.Attempt})
	return err
}

// keepReviewed notes that a receiver may know the files of outputs that people look at: they
// may have let them out after the backup.
func keepReviewed(ctx context.Context, tx pgx.Tx, automationID string) error {
	_, err := Execute(ctx, tx, `
		UPDATE outputs
		SET keeps_files = true
		WHERE automation_id = @id AND state = 'REVIEW' AND NOT keeps_files`, pgx.NamedArgs{"id": automationID})
	return err
}

// leaveReviewed forgets such files, so that nothing throws them away.
func leaveReviewed(ctx context.Context, tx pgx.Tx, automationID, outputID string) error {
	_, err := Execute(ctx, tx, `
		UPDATE outputs
		SET copy = NULL, pdf = NULL, pdf_id = '', pdf_hashes = '{}'
		WHERE automation_id = @automation AND (@id = '' OR id = @id) AND state = 'REVIEW' AND keeps_files`,
		pgx.NamedArgs{"automation": automationID, "id": outputID})
	return err
}

// repeatOutputs puts outputs in a state back to PENDING for an attempt, under their
// next generation, and leaves alone what lies in the drive under their keys, thrown away
// or not: it may be what a receiver knows. Those that people refused are put back only if
// asksAgain.
func repeatOutputs(ctx context.Context, tx pgx.Tx, automationID string, in platen.OutputState, attempt int, asksAgain bool) error {
	_, err := Execute(ctx, tx, resetOutputs+`, keeps_files = true, thrown_away = '{}'
		WHERE automation_id = @id AND state = @in AND (@asks OR verdict NOT IN ('REJECTED', 'EXPIRED'))`,
		pgx.NamedArgs{"id": automationID, "in": in, "attempt": attempt, "asks": asksAgain})
	return err
}

// MakeAgain puts an automation that is RUNNING in this attempt back into the queue
// with the next one. What was not made by then is made from the beginning; files
// that an earlier run made of it stay where they are.
func (s *Automations) MakeAgain(ctx context.Context, automationID string, attempt int) error {
	err := s.db.InTx(ctx, func(tx pgx.Tx) error {
		a, err := lockAutomation(ctx, tx, automationID)
		if err != nil || a.State != platen.AutomationRunning || a.Attempt != attempt {
			return err
		}
		if err := repeatOutputs(ctx, tx, a.ID, platen.OutputPending, attempt+1, false); err != nil {
			return err
		}
		if err := Requeue(ctx, tx, a.ID, attempt); err != nil {
			return err
		}
		return Notify(ctx, tx, "")
	})
	if err != nil {
		return fmt.Errorf("make automation %s again: %w", automationID, err)
	}
	return nil
}
