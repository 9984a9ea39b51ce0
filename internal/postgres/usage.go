package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Usage is the store of what owners used in each month. Triggers write it, in the transaction
// that makes an output or records a mail.
type Usage struct{ db *DB }

// A UsageRow is a row of SumsOfUsage.
type UsageRow struct {
	OwnerID   string    `db:"owner_id"`
	Month     time.Time `db:"month"`
	Documents int64     `db:"documents"`
	Pages     int64     `db:"pages"`
	Bytes     int64     `db:"bytes"`
	Mails     int64     `db:"mails"`
}

// SumsOfUsage begins a statement that sums what is added to its months and what is not.
const SumsOfUsage = `
	SELECT owner_id, month, sum(documents)::bigint AS documents, sum(pages)::bigint AS pages, sum(bytes)::bigint AS bytes, sum(mails)::bigint AS mails
	FROM (
		SELECT owner_id, month, documents, pages, bytes, mails FROM usage_months
		UNION ALL
		SELECT owner_id, month, documents, pages, bytes, mails FROM usage_entries
	) used`

// CallersUsage returns what the caller used in each month in which they used anything, by
// month. The zero page is the last platen.MaxList of them.
func (s *Usage) CallersUsage(ctx context.Context, caller platen.User, page platen.Page) ([]platen.MonthUsage, error) {
	rows, err := Collect[UsageRow](ctx, s.db.pool, SumsOfUsage+`
	WHERE owner_id = @caller AND (month, owner_id) `+beyond(page)+` ((@after_time::timestamptz AT TIME ZONE 'UTC')::date, @after_id::text)
	GROUP BY owner_id, month
	ORDER BY month`+direction(page)+`
	LIMIT @limit`, boundedPageArgs(page, pgx.NamedArgs{"caller": caller.ID}))
	if err != nil {
		return nil, fmt.Errorf("list usage of user %s: %w", caller.ID, err)
	}
	return putInOrder(page, UsageOf(rows)), nil
}

// DocumentsLimit returns how many documents the operator lets the caller have in a month; nil:
// as many as they like.
func (s *Usage) DocumentsLimit(ctx context.Context, caller platen.User) (*int64, error) {
	type row struct {
		Documents int64 `db:"documents"`
	}
	r, ok, err := CollectOne[row](ctx, s.db.pool, `
		SELECT documents
		FROM usage_limits
		WHERE owner_id = @caller`, pgx.NamedArgs{"caller": caller.ID})
	if err != nil || !ok {
		return nil, err
	}
	return &r.Documents, nil
}

// WorkflowRoom returns what the limit of the owner of one of the caller's workflows leaves
// room for, and how many documents the workflow makes of an event; nil: there is no limit.
func (s *Usage) WorkflowRoom(ctx context.Context, caller platen.User, workflowID string) (room *platen.UsageRoom, documents int64, err error) {
	if err = authorize(ctx, s.db.pool, caller, workflowID); err == nil {
		room, documents, err = usageRoom(ctx, s.db.pool, workflowID, false)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read what the limit of workflow %s leaves: %w", workflowID, err)
	}
	return room, documents, nil
}

// usageRoom is WorkflowRoom without a caller. With hold, those who ask for the same owner
// take turns until their transactions end.
func usageRoom(ctx context.Context, q Querier, workflowID string, hold bool) (*platen.UsageRoom, int64, error) {
	type row struct {
		Most      *int64 `db:"most"`
		Used      *int64 `db:"used"`
		Documents int64  `db:"documents"`
	}
	r, _, err := CollectOne[row](ctx, q, `
		SELECT s.most, s.used, (SELECT count(*) FROM documents d WHERE d.workflow_id = w.id AND d.state = 'READY') AS documents
		FROM workflows w
		CROSS JOIN LATERAL usage_standing(w.owner_id, @hold) s
		WHERE w.id = @id`, pgx.NamedArgs{"id": workflowID, "hold": hold})
	if err != nil || r.Most == nil {
		return nil, 0, err
	}
	return &platen.UsageRoom{Most: *r.Most, Used: *r.Used}, r.Documents, nil
}

// CheckUsage refuses events that are stored in this transaction, as platen.ErrUsageLimit does,
// if they go over the limit of the workflow's owner.
func CheckUsage(ctx context.Context, tx pgx.Tx, workflowID string, events int) error {
	room, documents, err := usageRoom(ctx, tx, workflowID, true)
	if err != nil || room == nil || room.Used <= room.Most {
		return err
	}
	makes := int64(events) * documents
	room.Used -= makes
	return platen.ErrUsageLimit(time.Now(), *room, makes)
}

// CheckRoom refuses as CheckUsage does where there is no room for one more event.
func CheckRoom(ctx context.Context, q Querier, workflowID string) error {
	room, documents, err := usageRoom(ctx, q, workflowID, false)
	if err != nil || room == nil || room.Used+documents <= room.Most {
		return err
	}
	return platen.ErrUsageLimit(time.Now(), *room, documents)
}

// UsageOf is what rows say.
func UsageOf(rows []UsageRow) []platen.MonthUsage {
	found := make([]platen.MonthUsage, len(rows))
	for i, r := range rows {
		r.Month = r.Month.UTC()
		found[i] = platen.MonthUsage(r)
	}
	return found
}
