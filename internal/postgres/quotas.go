package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Quotas is the store of what was used of Google's quotas, and of who waits for
// them.
type Quotas struct {
	db *DB
	// Now is the clock. nil: the database's, which is the same for all processes.
	Now func() time.Time
}

const (
	// quotaLock is the class of the advisory locks under which quotas of a project are
	// asked for ("quot" in ASCII).
	quotaLock = 0x71756f74
	// quotaLate is how long somebody who waits may be late before his place in line is
	// gone: his run has ended, or his worker.
	quotaLate = 30 * time.Second
	// quotaKept is how long what a step keeps counts for the step after it.
	quotaKept = 30 * time.Second
)

// usageRow is a platen.Usage in columns.
type usageRow struct {
	DocsWrites   int `db:"docs_writes"`
	DocsReads    int `db:"docs_reads"`
	SlidesWrites int `db:"slides_writes"`
	SlidesReads  int `db:"slides_reads"`
	DriveUnits   int `db:"drive_units"`
}

const usageColumns = "docs_writes, docs_reads, slides_writes, slides_reads, drive_units"

// usageColumn is the column of each kind.
var usageColumn = map[platen.QuotaKind]string{
	platen.DocsWrites: "docs_writes", platen.DocsReads: "docs_reads",
	platen.SlidesWrites: "slides_writes", platen.SlidesReads: "slides_reads", platen.DriveUnits: "drive_units",
}

func (r usageRow) usage() platen.Usage {
	return platen.Usage{
		platen.DocsWrites: r.DocsWrites, platen.DocsReads: r.DocsReads,
		platen.SlidesWrites: r.SlidesWrites, platen.SlidesReads: r.SlidesReads, platen.DriveUnits: r.DriveUnits,
	}
}

// usageArgs puts usage under the names of its columns.
func usageArgs(args pgx.NamedArgs, u platen.Usage) pgx.NamedArgs {
	for kind, column := range usageColumn {
		args[column] = u[kind]
	}
	return args
}

type quotaTicketRow struct {
	ID         string `db:"id"`
	Account    string `db:"account"`
	OwnerID    string `db:"owner_id"`
	WorkflowID string `db:"workflow_id"`
	usageRow
	AskedAt   time.Time  `db:"asked_at"`
	DueAt     *time.Time `db:"due_at"`
	HeldUntil *time.Time `db:"held_until"`
}

func (r quotaTicketRow) ticket(project string) platen.QuotaTicket {
	t := platen.QuotaTicket{ID: r.ID, QuotaAccount: platen.QuotaAccount{Project: project, Account: r.Account}, OwnerID: r.OwnerID, WorkflowID: r.WorkflowID, Asks: r.usage(), AskedAt: r.AskedAt}
	if r.DueAt != nil {
		t.DueAt = *r.DueAt
	}
	if r.HeldUntil != nil {
		t.HeldUntil = *r.HeldUntil
	}
	return t
}

// AskQuota opens the book of the ticket's project, and stores the ticket that
// decide returns; nil: nothing is stored. One process at a time does so for a
// project.
func (s *Quotas) AskQuota(ctx context.Context, t platen.QuotaTicket, decide func(platen.QuotaBook) *platen.QuotaTicket) error {
	err := s.db.InTx(ctx, func(tx pgx.Tx) error {
		clock, _, err := CollectOne[struct{ Now time.Time }](ctx, tx, `
			SELECT coalesce(@now::timestamptz, clock_timestamp()) AS now
			FROM (SELECT pg_advisory_xact_lock(@lock::int, hashtext(@project)) OFFSET 0) locked`,
			pgx.NamedArgs{"now": s.now(), "lock": quotaLock, "project": t.Project})
		if err != nil {
			return err
		}
		book, err := readQuotas(ctx, tx, t, clock.Now)
		if err != nil {
			return err
		}
		if decided := decide(book); decided != nil {
			return storeQuotaTicket(ctx, tx, *decided, book.Now)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("ask for quota %s: %w", t.ID, err)
	}
	return nil
}

// readQuotas reads what counts and who waits at a moment.
func readQuotas(ctx context.Context, tx pgx.Tx, t platen.QuotaTicket, now time.Time) (platen.QuotaBook, error) {
	type useRow struct {
		Project string    `db:"project"`
		Account string    `db:"account"`
		OwnerID string    `db:"owner_id"`
		Until   time.Time `db:"until"`
		usageRow
	}
	args := pgx.NamedArgs{"project": t.Project, "account": t.Account, "now": now, "late": quotaLate}
	uses, err := Collect[useRow](ctx, tx, `
		SELECT project, account, owner_id, until, `+usageColumns+`
		FROM quota_uses
		WHERE (project = @project OR project = '' AND account = @account) AND until > @now`, args)
	if err != nil {
		return platen.QuotaBook{}, err
	}
	tickets, err := Collect[quotaTicketRow](ctx, tx, `
		SELECT id, account, owner_id, workflow_id, `+usageColumns+`, asked_at, due_at, held_until
		FROM quota_tickets
		WHERE project = @project AND (held_until > @now OR due_at > @now::timestamptz - @late::interval)
		ORDER BY asked_at, id`, args)
	if err != nil {
		return platen.QuotaBook{}, err
	}
	book := platen.QuotaBook{Now: now}
	add := func(project string, use platen.QuotaUse) {
		if use.Account == t.Account {
			book.Account = append(book.Account, use)
		}
		if project == t.Project {
			book.Project = append(book.Project, use)
		}
	}
	for _, u := range uses {
		add(u.Project, platen.QuotaUse{Account: u.Account, OwnerID: u.OwnerID, Until: u.Until, Usage: u.usage()})
	}
	for _, r := range tickets {
		switch ticket := r.ticket(t.Project); {
		case ticket.ID == t.ID:
			book.Own = &ticket
		case ticket.HeldUntil.IsZero():
			book.Waiting = append(book.Waiting, ticket)
		default:
			add(t.Project, platen.QuotaUse{Account: ticket.Account, OwnerID: ticket.OwnerID, Until: book.Now.Add(platen.QuotaWindow), Usage: ticket.Asks})
		}
	}
	return book, nil
}

// now is the clock as an argument; nil: the database's.
func (s *Quotas) now() *time.Time {
	if s.Now == nil {
		return nil
	}
	now := s.Now()
	return &now
}

// storeQuotaTicket also deletes expired uses and tickets.
func storeQuotaTicket(ctx context.Context, tx pgx.Tx, t platen.QuotaTicket, now time.Time) error {
	_, err := Execute(ctx, tx, `
		WITH over AS (
			DELETE FROM quota_uses
			WHERE project IN (@project, '') AND until <= @now
		), gone AS (
			DELETE FROM quota_tickets
			WHERE project = @project AND id <> @id
				AND (held_until <= @now OR due_at <= @now::timestamptz - @late::interval)
		)
		INSERT INTO quota_tickets (id, project, account, owner_id, workflow_id, `+usageColumns+`, asked_at, due_at, held_until)
		VALUES (@id, @project, @account, @owner_id, @workflow_id, @docs_writes, @docs_reads, @slides_writes, @slides_reads, @drive_units, @asked_at, @due_at, @held_until)
		ON CONFLICT (id) DO UPDATE
		SET project = excluded.project, account = excluded.account, owner_id = excluded.owner_id, workflow_id = excluded.workflow_id,
			docs_writes = excluded.docs_writes, docs_reads = excluded.docs_reads,
			slides_writes = excluded.slides_writes, slides_reads = excluded.slides_reads, drive_units = excluded.drive_units,
			asked_at = excluded.asked_at, due_at = excluded.due_at, held_until = excluded.held_until`,
		usageArgs(pgx.NamedArgs{
			"id": t.ID, "project": t.Project, "account": t.Account, "owner_id": t.OwnerID, "workflow_id": t.WorkflowID, "now": now, "late": quotaLate,
			"asked_at": t.AskedAt, "due_at": unlessZero(t.DueAt), "held_until": unlessZero(t.HeldUntil),
		}, t.Asks))
	return err
}

func unlessZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// SettleQuota counts for a minute what was used of a ticket, to the next quarter of
// a second, and has what is kept of it count for half a minute.
func (s *Quotas) SettleQuota(ctx context.Context, t platen.QuotaTicket, used, kept platen.Usage) error {
	_, err := Execute(ctx, s.db.pool, `
		WITH clock AS MATERIALIZED (
			SELECT coalesce(@now::timestamptz, clock_timestamp()) AS now
		), settled AS (
			DELETE FROM quota_tickets
			WHERE id = @id AND NOT @keeps
		), kept AS (
			UPDATE quota_tickets
			SET docs_writes = @kept_docs_writes, docs_reads = @kept_docs_reads, slides_writes = @kept_slides_writes,
				slides_reads = @kept_slides_reads, drive_units = @kept_drive_units,
				due_at = NULL, held_until = clock.now + @kept::interval
			FROM clock
			WHERE id = @id AND @keeps
		)
		INSERT INTO quota_uses AS u (project, account, owner_id, until, `+usageColumns+`)
		SELECT @project, @account, @owner_id, date_bin('250 ms', now + @window::interval + interval '250 ms', 'epoch'),
			@docs_writes, @docs_reads, @slides_writes, @slides_reads, @drive_units
		FROM clock
		WHERE @uses
		ON CONFLICT (project, until, account, owner_id) DO UPDATE
		SET docs_writes = u.docs_writes + excluded.docs_writes, docs_reads = u.docs_reads + excluded.docs_reads,
			slides_writes = u.slides_writes + excluded.slides_writes, slides_reads = u.slides_reads + excluded.slides_reads,
			drive_units = u.drive_units + excluded.drive_units`,
		usageArgs(pgx.NamedArgs{
			"now": s.now(), "id": t.ID, "project": t.Project, "account": t.Account, "owner_id": t.OwnerID,
			"window": platen.QuotaWindow, "uses": used != platen.Usage{}, "keeps": kept != platen.Usage{}, "kept": quotaKept,
			"kept_docs_writes": kept[platen.DocsWrites], "kept_docs_reads": kept[platen.DocsReads],
			"kept_slides_writes": kept[platen.SlidesWrites], "kept_slides_reads": kept[platen.SlidesReads], "kept_drive_units": kept[platen.DriveUnits],
		}, used))
	if err != nil {
		return fmt.Errorf("settle quota %s: %w", t.ID, err)
	}
	return nil
}

// UseUpQuota has what is left of a limit count as used for a minute: of the
// account, or of the project.
func (s *Quotas) UseUpQuota(ctx context.Context, a platen.QuotaAccount, kind platen.QuotaKind, project bool, limit int) error {
	column := usageColumn[kind]
	if project {
		a.Account = ""
	} else {
		a.Project = ""
	}
	_, err := Execute(ctx, s.db.pool, `
		WITH clock AS MATERIALIZED (
			SELECT coalesce(@now::timestamptz, clock_timestamp()) AS now
		), used AS (
			SELECT u.`+column+` AS n
			FROM quota_uses u, clock
			WHERE (u.project = @project OR @project = '') AND (u.account = @account OR @account = '') AND u.until > now
			UNION ALL
			SELECT t.`+column+`
			FROM quota_tickets t, clock
			WHERE (t.project = @project OR @project = '') AND (t.account = @account OR @account = '') AND t.held_until > now
		), unused AS (
			SELECT @limit - coalesce(sum(n), 0) AS n
			FROM used
		)
		INSERT INTO quota_uses AS u (project, account, owner_id, until, `+column+`)
		SELECT @project, @account, '', date_bin('250 ms', now + @window::interval + interval '250 ms', 'epoch'), unused.n
		FROM clock, unused
		WHERE unused.n > 0
		ON CONFLICT (project, until, account, owner_id) DO UPDATE
		SET `+column+` = u.`+column+` + excluded.`+column,
		pgx.NamedArgs{"now": s.now(), "project": a.Project, "account": a.Account, "limit": limit, "window": platen.QuotaWindow})
	if err != nil {
		return fmt.Errorf("note that a quota is used up: %w", err)
	}
	return nil
}
