package app

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

func newAdmin(t *testing.T) *Admin {
	t.Helper()
	pool := migrated(t)
	return &Admin{DB: postgres.New(pool, noKeys{}), Drive: drive.NewStore(pool), pool: pool}
}

func TestATokenIsReplacedWhenItIsNotGoodAnyMore(t *testing.T) {
	t.Parallel()
	a, email := newAdmin(t), "ada@example.com"
	if _, err := a.CreateUser(t.Context(), "Ada", email, ""); err != nil {
		t.Fatal(err)
	}
	good := func(text string, wantMade bool) string {
		t.Helper()
		got, made, err := a.GoodToken(t.Context(), email, "here", text)
		if err != nil || made != wantMade || got == text != !wantMade {
			t.Fatalf("got another token %v, made %v, %v; want made %v", got != text, made, err, wantMade)
		}
		return got
	}
	first := good("", true)
	good(first, false)
	tokens, err := a.DB.Tokens.Tokens(t.Context())
	if err != nil || len(tokens) != 1 {
		t.Fatalf("got %+v, %v", tokens, err)
	}
	if err := a.DB.Tokens.RevokeToken(t.Context(), tokens[0].ID); err != nil {
		t.Fatal(err)
	}
	second := good(first, true)
	good(second, false)
	for range 3 { // the file is lost, again and again: a user has two tokens at most
		good("", true)
	}
}

func TestADriveTokenIsReplacedWhenItIsNotGoodAnyMore(t *testing.T) {
	t.Parallel()
	a, email := newAdmin(t), "ada@example.com"
	first, made, err := a.GoodDriveToken(t.Context(), "Ada", email, "")
	if err != nil || !made {
		t.Fatalf("made %v, %v; want a first token", made, err)
	}
	if same, made, err := a.GoodDriveToken(t.Context(), "Ada", email, first); err != nil || made || same != first {
		t.Errorf("made %v, %v; want the token that works", made, err)
	}
	if err := a.Drive.RevokeToken(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if second, made, err := a.GoodDriveToken(t.Context(), "Ada", email, first); err != nil || !made || second == first {
		t.Errorf("made %v, %v; want another token", made, err)
	}
	if other, made, err := a.GoodDriveToken(t.Context(), "Eve", "eve@example.com", first); err != nil || !made || other == first {
		t.Errorf("made %v, %v; want a token of Eve's own", made, err)
	}
}

func TestATeamIsFoundByItsIdOrByANameThatNoOtherHas(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	first, err := a.CreateTeam(t.Context(), "Sales")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.CreateTeam(t.Context(), " "); err == nil {
		t.Error("a team without a name was made")
	}
	if _, err := a.CreateTeam(t.Context(), "sales"); platen.KindOf(err) != platen.KindConflict {
		t.Errorf("another team of the name: got %v, want a conflict", err)
	}
	if _, err := a.CreateUser(t.Context(), "Ada", "ada@example.com", "SALES"); err != nil {
		t.Errorf("by name: %v", err)
	}
	// Two of a name are left from before names had to differ.
	second := platen.NewID(platen.PrefixTeam)
	if _, err := a.pool.Exec(t.Context(), `INSERT INTO teams (id, name) VALUES ($1, 'Sales')`, second); err != nil {
		t.Fatal(err)
	}
	_, err = a.CreateUser(t.Context(), "Bob", "bob@example.com", "Sales")
	for _, want := range []string{"2 teams", first, second} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error that says %s", err, want)
		}
	}
	if _, err := a.CreateUser(t.Context(), "Bob", "bob@example.com", second); err != nil {
		t.Errorf("by id: %v", err)
	}
}
