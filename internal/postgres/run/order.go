package run

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// Order is the store of the places of automations among those of their key.
//
// An event of a workflow with OrderedBy is stored BEHIND, with a number and without a key:
// what accepts events may read no other automation. Arrange works the keys out. From then on
// the trigger automations_of_key has the first of a key be ACCEPTED when no other is, or runs,
// in the transaction that ends that one or adds this one.
type Order struct {
	db *postgres.DB
	// Key works out what the formula gives for an event. Where it cannot be worked out the
	// error is KindInvalid with code platen.CodeOrderFaulty. It is set before first use.
	Key func(formula string, e platen.OrderedEvent) (string, error)
}

// arrangeLock is the advisory lock under which one process at a time works keys out
// ("order" in ASCII).
const arrangeLock = 0x6f72646572

// Bounds of what Arrange reads of one workflow at once, in events and in bytes.
const (
	arrangedAtOnce = 100
	arrangedBytes  = 8 << 20
)

// Arrange works out the keys of automations that have none yet, in the order in which they
// were accepted, of each workflow up to a hundred. One whose key cannot be worked out fails,
// and holds up no other. A workflow whose order was taken back lets them start. more: there
// may be others left.
//
// A workflow whose events cannot be read holds up no other workflow: err has what was wrong
// with each. Nothing waits for the disk: what a crash takes back is worked out once more.
func (s *Order) Arrange(ctx context.Context) (more bool, err error) {
	if s.Key == nil {
		return false, errors.New("keys cannot be worked out here")
	}
	arranged := 0
	err = s.db.InTx(ctx, func(tx pgx.Tx) error {
		workflows, err := unarranged(ctx, tx)
		if err != nil || len(workflows) == 0 {
			return err
		}
		var turn bool
		if err := tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock(@lock)`, pgx.NamedArgs{"lock": int64(arrangeLock)}).Scan(&turn); err != nil || !turn {
			return postgres.Classify(err)
		}
		// None is always the last: one call may end before it gets to all.
		rand.Shuffle(len(workflows), func(i, j int) { workflows[i], workflows[j] = workflows[j], workflows[i] })
		var failed []error
		for _, id := range workflows {
			if ctx.Err() != nil {
				more = true
				break
			}
			n, left, err := s.arrange(ctx, id)
			if err != nil {
				failed = append(failed, fmt.Errorf("of workflow %s: %w", id, err))
			}
			arranged, more = arranged+n, more || left && err == nil
		}
		return errors.Join(failed...)
	})
	if arranged > 0 {
		err = errors.Join(err, postgres.Notify(ctx, s.db.Pool(), ""))
	}
	if err != nil {
		return more, fmt.Errorf("find the places of automations in their order: %w", err)
	}
	return more, nil
}

// unarranged are the workflows of automations without a key.
func unarranged(ctx context.Context, q postgres.Querier) ([]string, error) {
	type row struct {
		WorkflowID string `db:"workflow_id"`
	}
	rows, err := postgres.Collect[row](ctx, q, `
		WITH RECURSIVE waiting AS (
			(
				SELECT workflow_id
				FROM automations
				WHERE order_number IS NOT NULL AND finished_at IS NULL AND order_key = '' AND state = 'BEHIND'
				ORDER BY workflow_id
				LIMIT 1
			)
			UNION ALL
			SELECT n.workflow_id
			FROM waiting w
			CROSS JOIN LATERAL (
				SELECT a.workflow_id
				FROM automations a
				WHERE a.order_number IS NOT NULL AND a.finished_at IS NULL AND a.order_key = '' AND a.state = 'BEHIND' AND a.workflow_id > w.workflow_id
				ORDER BY a.workflow_id
				LIMIT 1
			) n
		)
		SELECT workflow_id
		FROM waiting`, nil)
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.WorkflowID
	}
	return ids, err
}

// An unarrangedRow is an automation without a key, with the event and what its key is worked
// out by.
type unarrangedRow struct {
	ID           string    `db:"id"`
	AcceptedAt   time.Time `db:"accepted_at"`
	Test         bool      `db:"test"`
	Body         []byte    `db:"body"`
	DataKey      []byte    `db:"data_key"`
	OrderedBy    string    `db:"ordered_by"`
	WorkflowName string    `db:"workflow_name"`
	Locale       string    `db:"locale"`
}

// arrange is Arrange for one workflow, and says how many automations it moved.
func (s *Order) arrange(ctx context.Context, workflowID string) (n int, more bool, err error) {
	rows, err := postgres.Collect[unarrangedRow](ctx, s.db.Pool(), `
		SELECT a.id, a.accepted_at, a.test, a.body, a.data_key, w.ordered_by, w.name AS workflow_name, w.locale
		FROM (
			SELECT *, sum(octet_length(body)) OVER (ORDER BY order_number) - octet_length(body) AS bytes_before
			FROM (
				SELECT id, accepted_at, test, body, data_key, workflow_id, order_number
				FROM automations
				WHERE order_number IS NOT NULL AND finished_at IS NULL AND order_key = '' AND state = 'BEHIND' AND workflow_id = @workflow
				ORDER BY order_number
				LIMIT @limit
			) first
		) a
		JOIN workflows w ON w.id = a.workflow_id
		WHERE a.bytes_before < @bytes
		ORDER BY a.order_number`, pgx.NamedArgs{"workflow": workflowID, "limit": arrangedAtOnce, "bytes": arrangedBytes})
	if err != nil || len(rows) == 0 {
		return 0, false, err
	}
	if rows[0].OrderedBy == "" {
		n, err := s.dissolve(ctx, rows)
		return n, err == nil, err
	}
	keys := map[string][]string{} // automations by key
	for _, r := range rows {
		key, err := s.keyOf(workflowID, r)
		var e *platen.Error
		switch {
		case errors.As(err, &e) && e.Code == platen.CodeOrderFaulty:
			if _, err := s.db.Automations.FailAutomation(ctx, r.ID, 0, e.Code, e.Message); err != nil {
				return n, false, err
			}
			continue
		case err != nil:
			return n, false, err
		}
		keys[string(key)] = append(keys[string(key)], r.ID)
	}
	// One statement for each key: a transaction that has the turn of one waits for no other.
	for key, ids := range keys {
		moved, err := postgres.Execute(ctx, s.db.Pool(), `
			UPDATE automations
			SET order_key = @key
			FROM set_config('synchronous_commit', 'off', true) AS commit
			WHERE id = ANY (@ids) AND order_key = '' AND CASE state WHEN 'BEHIND' THEN true ELSE false END AND commit = 'off'`,
			pgx.NamedArgs{"key": []byte(key), "ids": ids})
		if err != nil {
			return n, false, err
		}
		n += int(moved)
	}
	return n, true, nil
}

// keyOf is a hash of what the formula gives for an event. Tests have keys of their own, so
// that no event waits for one.
func (s *Order) keyOf(workflowID string, r unarrangedRow) ([]byte, error) {
	dataKey, err := s.db.Vault().OpenDataKey(r.DataKey, r.ID)
	if err != nil {
		return nil, err
	}
	body, err := dataKey.Open(r.Body, postgres.AutomationBody)
	if err != nil {
		return nil, err
	}
	key, err := s.Key(r.OrderedBy, platen.OrderedEvent{
		PastEvent:    platen.PastEvent{AutomationID: r.ID, AcceptedAt: r.AcceptedAt.UTC(), Body: body},
		WorkflowName: r.WorkflowName, Locale: r.Locale,
	})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(workflowID + "\x00" + strconv.FormatBool(r.Test) + "\x00" + key))
	const kept = 16
	return sum[:kept], nil
}

// dissolve lets automations start that have no key, because their workflow has no order any
// more.
func (s *Order) dissolve(ctx context.Context, rows []unarrangedRow) (int, error) {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	n, err := postgres.Execute(ctx, s.db.Pool(), `
		UPDATE automations
		SET state = 'ACCEPTED', order_number = NULL, order_key = NULL
		FROM set_config('synchronous_commit', 'off', true) AS commit
		WHERE id = ANY (@ids) AND order_key = '' AND CASE state WHEN 'BEHIND' THEN true ELSE false END AND commit = 'off'`, pgx.NamedArgs{"ids": ids})
	return int(n), err
}
