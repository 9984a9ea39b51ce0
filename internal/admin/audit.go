package admin

import (
	"context"
	"errors"
	"os"
	"os/user"
	"strings"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// ByCommand is the entry of what a command does. Its operator is the account that runs the
// command; of one that became root by sudo, the account before.
func ByCommand(command string) platen.AuditEntry {
	return platen.AuditEntry{Actor: platen.Actor{Kind: platen.ActorOperator, ID: account()}, Action: command}
}

// Act does what entry says who does, and has the entry in the audit: with the change where
// the store records it, else after it.
func (a *Admin) Act(ctx context.Context, entry platen.AuditEntry, do func(context.Context) error) error {
	return Act(ctx, a.DB.Audit, entry, do)
}

// Act is Admin's for who has the audit alone.
func Act(ctx context.Context, audit *postgres.Audit, entry platen.AuditEntry, do func(context.Context) error) error {
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

func account() string {
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
		page, err := a.AuditEntries(ctx, q)
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

// AuditEntries are a page of those that q asks for, which also finds a user by the e-mail
// address, where q.UserID is one.
func (a *Admin) AuditEntries(ctx context.Context, q platen.AuditQuery) ([]platen.AuditEntry, error) {
	if strings.Contains(q.UserID, "@") {
		u, err := a.DB.Users.UserByEmail(ctx, q.UserID)
		if platen.KindOf(err) == platen.KindNotFound {
			return nil, platen.Errorf(platen.KindInvalid, "user_not_found", "Nobody has this e-mail address. Of somebody who was deleted, give the id.")
		}
		if err != nil {
			return nil, err
		}
		q.UserID = u.ID
	}
	return a.DB.Audit.Entries(ctx, q)
}
