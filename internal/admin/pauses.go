package admin

import (
	"context"

	"github.com/platenhq/platen/internal/platen"
)

// Pause keeps automations from starting: those of one workflow (its id), of a user (an
// e-mail address), of a team (id or name), or all (of is empty). It returns the id of what it
// holds. Users read the reason.
func (a *Admin) Pause(ctx context.Context, scope platen.PauseScope, of, reason string) (id string, err error) {
	id, err = a.paused(ctx, scope, of)
	if err != nil {
		return "", err
	}
	aboutPause(ctx, scope, id)
	return id, a.DB.Pauses.Pause(ctx, platen.Pause{Scope: scope, ID: id, Reason: reason, By: account()})
}

// Resume takes Pause back. It returns the id of what was held, and tells whether it was.
func (a *Admin) Resume(ctx context.Context, scope platen.PauseScope, of string) (id string, was bool, err error) {
	id, err = a.paused(ctx, scope, of)
	if err != nil {
		return "", false, err
	}
	aboutPause(ctx, scope, id)
	was, err = a.DB.Pauses.Resume(ctx, scope, id)
	return id, was, err
}

// ResumeByID takes back the pause of what has this id; one that is not there any more is no
// error. A workflow's owner finds it in the audit.
func (a *Admin) ResumeByID(ctx context.Context, scope platen.PauseScope, id string) error {
	aboutPause(ctx, scope, id)
	if scope == platen.PauseWorkflow {
		owner, err := a.DB.Workflows.OwnerOf(ctx, id)
		if err != nil {
			return err
		}
		if act := platen.ActOf(ctx); act != nil {
			act.Entry.OwnerID = owner
		}
	}
	_, err := a.DB.Pauses.Resume(ctx, scope, id)
	return err
}

// aboutPause puts the paused user or workflow into the audit entry, so that it is
// visible to them.
func aboutPause(ctx context.Context, scope platen.PauseScope, id string) {
	platen.About(ctx, id)
	act := platen.ActOf(ctx)
	switch {
	case act == nil:
	case scope == platen.PauseWorkflow:
		act.Entry.WorkflowID = id
	case scope == platen.PauseUser:
		act.Entry.OwnerID = id
	}
}

// paused is the id of what a command names.
func (a *Admin) paused(ctx context.Context, scope platen.PauseScope, of string) (string, error) {
	switch scope {
	case platen.PauseUser:
		u, err := a.DB.Users.UserByEmail(ctx, of)
		return u.ID, err
	case platen.PauseTeam:
		t, err := a.team(ctx, of)
		return t.ID, err
	}
	return of, nil
}
