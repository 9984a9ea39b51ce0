package operate_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestUsersAreFoundByAddressWithoutRegardToCase(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(f.Team("Sales"))
	got, err := f.Users.UserByEmail(t.Context(), strings.ToUpper(u.Email))
	if err != nil || got.ID != u.ID {
		t.Errorf("got %+v, %v", got, err)
	}
	again := platen.User{ID: platen.NewID(platen.PrefixUser), Name: "x", Email: strings.ToUpper(u.Email)}
	storetest.WantKind(t, "same address", f.Users.CreateUser(t.Context(), again), platen.KindConflict, "email_taken")
	again.Email, again.Team = "new@example.org", &platen.Team{ID: "team_none"}
	storetest.WantKind(t, "no such team", f.Users.CreateUser(t.Context(), again), platen.KindNotFound, "team_not_found")
	f.Exec(`UPDATE users SET team_id = NULL WHERE id = $1`, u.ID)
	all, err := f.Users.All(t.Context())
	if err != nil || len(all) != 1 || all[0].Team != nil {
		t.Errorf("got %+v, %v; want one in no team", all, err)
	}
	_, err = f.Users.UserByEmail(t.Context(), "nobody@example.org")
	storetest.WantKind(t, "nobody", err, platen.KindNotFound, "user_not_found")
}
