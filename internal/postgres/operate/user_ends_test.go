package operate_test

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/accept"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestADisabledUsersTokensAndSourcesAreRefusedUntilTheUserIsEnabled(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	w := f.Workflow(u)
	_, text, err := f.Tokens.CreateToken(t.Context(), u.ID, "x", time.Time{})
	f.Must(err)
	accepted := f.Accept(w, 1)[0]
	for _, off := range []bool{true, true, false, false} {
		set := f.Users.EnableUser
		if off {
			set = f.Users.DisableUser
		}
		f.Must(set(t.Context(), u.ID))
		_, err := f.Tokens.TokenByHash(t.Context(), sha256.Sum256([]byte(text)))
		if off {
			storetest.WantKind(t, "token", err, platen.KindForbidden, "user_disabled")
		} else {
			f.Must(err)
		}
		if states, err := f.Users.UserStates(t.Context()); err != nil || (states[u.ID] == "disabled") != off {
			t.Errorf("got %v and %v, want disabled %v", states, err, off)
		}
		gate, err := accept.NewSourceKeys(f.DB.DB).SourceGate(t.Context(), w.Source.Key)
		if err != nil || gate.Disabled != off {
			t.Errorf("source: got %+v and %v, want disabled %v", gate, err, off)
		}
	}
	if got := f.State(accepted); got != platen.AutomationAccepted {
		t.Errorf("what was accepted before: got %s, want it to stay", got)
	}
	storetest.WantKind(t, "nobody", f.Users.DisableUser(t.Context(), "usr_none"), platen.KindNotFound, "user_not_found")
}

func TestAUserMovesToAnotherTeamWithOrWithoutWorkflows(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	sales, print := f.Team("Sales"), f.Team("Print")
	u, colleague, printer := f.User(sales), f.User(sales), f.User(print)
	w := f.Workflow(u)
	sees := func(who platen.User) bool {
		t.Helper()
		_, err := f.Workflows.Workflow(t.Context(), who, w.ID)
		if err != nil && platen.KindOf(err) != platen.KindNotFound {
			t.Fatal(err)
		}
		return err == nil
	}
	f.Must(f.Users.MoveUser(t.Context(), u.ID, print, false))
	if !sees(u) || !sees(colleague) || sees(printer) {
		t.Errorf("without workflows: owner %v, old team %v, new team %v; want true, true, false", sees(u), sees(colleague), sees(printer))
	}
	f.Must(f.Users.MoveUser(t.Context(), u.ID, print, true))
	if !sees(u) || sees(colleague) || !sees(printer) {
		t.Errorf("with workflows: owner %v, old team %v, new team %v; want true, false, true", sees(u), sees(colleague), sees(printer))
	}
	f.Must(f.Users.MoveUser(t.Context(), u.ID, nil, true))
	if !sees(u) || sees(colleague) || sees(printer) {
		t.Errorf("into no team: owner %v, old team %v, new team %v; want the owner alone", sees(u), sees(colleague), sees(printer))
	}
	storetest.WantKind(t, "no team", f.Users.MoveUser(t.Context(), u.ID, &platen.Team{ID: "team_none"}, true), platen.KindNotFound, "team_not_found")
}

func TestADeletedUserIsNobodyAnyMore(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(f.Team("Sales"))
	w := f.Workflow(u)
	_, text, err := f.Tokens.CreateToken(t.Context(), u.ID, "x", time.Time{})
	f.Must(err)
	automation := f.Accept(w, 1)[0]
	f.Must(f.Connections.SaveDriveConnection(t.Context(), u.ID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "s"}))

	err = f.Users.DeleteUser(t.Context(), u.ID)
	storetest.WantKind(t, "with a run under way", err, platen.KindInvalid, "user_busy")
	if got, err := f.Workflows.Workflow(t.Context(), u, w.ID); err != nil || got.Status != platen.StatusComplete {
		t.Errorf("after the refusal: got %s and %v, want the workflow as it was", got.Status, err)
	}
	_, err = f.Automations.CancelAutomation(t.Context(), u, w.ID, automation)
	f.Must(err)
	storetest.WantKind(t, "with a drive", f.Users.DeleteUser(t.Context(), u.ID), platen.KindInvalid, "user_connected")
	stored, err := f.Connections.StoredConnection(t.Context(), u.ID)
	f.Must(err)
	_, err = f.Connections.RemoveDriveConnection(t.Context(), u.ID, stored)
	f.Must(err)

	for range 2 {
		f.Must(f.Users.DeleteUser(t.Context(), u.ID))
	}
	if states, err := f.Users.UserStates(t.Context()); err != nil || states[u.ID] != "deleted" {
		t.Errorf("got %v and %v, want it deleted", states, err)
	}
	_, err = f.Tokens.TokenByHash(t.Context(), sha256.Sum256([]byte(text)))
	storetest.WantKind(t, "token", err, platen.KindForbidden, "token_revoked")
	err = f.Batcher(accept.BatcherOptions{}).Accept(t.Context(), storetest.Event(w))
	storetest.WantKind(t, "event", err, platen.KindGone, "workflow_archived")
	if n := f.Count(`SELECT count(*) FROM users u WHERE u::text ILIKE '%' || $1 || '%'`, u.Email); n != 0 {
		t.Error("the e-mail address is still there")
	}
	f.Must(f.Users.CreateUser(t.Context(), platen.User{ID: platen.NewID(platen.PrefixUser), Name: "Ada", Email: strings.ToUpper(u.Email)}))
}

func TestADeletedUserStaysDeleted(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	f.Must(f.Users.DeleteUser(t.Context(), u.ID))
	_, _, err := f.Tokens.CreateToken(t.Context(), u.ID, "x", time.Time{})
	for what, err := range map[string]error{
		"enable":       f.Users.EnableUser(t.Context(), u.ID),
		"move":         f.Users.MoveUser(t.Context(), u.ID, nil, false),
		"create token": err,
		"connect":      f.Connections.SaveDriveConnection(t.Context(), u.ID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "drt_x"}),
	} {
		storetest.WantKind(t, what, err, platen.KindInvalid, "user_deleted")
	}
	f.Must(f.Users.DeleteUser(t.Context(), u.ID))
}
