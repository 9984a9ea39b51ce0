package app

import (
	"context"
	"errors"
	"os"
	"os/user"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// Act does what an operator's command changes, and has an entry for it in the
// audit: with the change where the store records it, else after it. The operator is
// the account that runs the command; of one that became root by sudo, the account
// before.
func (a *Admin) Act(ctx context.Context, command string, do func(context.Context) error) error {
	return actOn(ctx, a.DB.Audit, command, do)
}

func actOn(ctx context.Context, audit *postgres.Audit, command string, do func(context.Context) error) error {
	return actAs(ctx, audit, platen.AuditEntry{Actor: platen.Actor{Kind: platen.ActorOperator, ID: operator()}, Action: command}, do)
}

// actAs does what entry says who does, and has it in the audit.
func actAs(ctx context.Context, audit *postgres.Audit, entry platen.AuditEntry, do func(context.Context) error) error {
	ctx, act := platen.BeginAct(ctx, entry)
	err := do(ctx)
	if act.Recorded() && err == nil {
		return nil
	}
	e := act.Entry
	e.Outcome = platen.AuditDone
	if err != nil {
		e.Outcome = "error"
		if known := new(platen.Error); errors.As(err, &known) && known.Code != "" {
			e.Outcome = known.Code
		}
	}
	if act.Recorded() {
		e.ID = platen.NewID(platen.PrefixAudit) // the change and its entry stay
	}
	return errors.Join(err, audit.Record(context.WithoutCancel(ctx), e))
}

func operator() string {
	if name := os.Getenv("SUDO_USER"); name != "" {
		return name
	}
	if account, err := user.Current(); err == nil {
		return account.Username
	}
	return "unknown"
}

// EachAuditEntry calls do for the entries that q asks for, a page after the other.
func (a *Admin) EachAuditEntry(ctx context.Context, q platen.AuditQuery, do func(platen.AuditEntry) error) error {
	for {
		page, err := a.DB.Audit.Entries(ctx, q)
		if err != nil {
			return err
		}
		for _, e := range page {
			if err := do(e); err != nil {
				return err
			}
			q.After = platen.Position{CreatedAt: e.At, ID: e.ID}
		}
		if len(page) < q.Limit {
			return nil
		}
	}
}
