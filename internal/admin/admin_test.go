package admin

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/operate"
	"github.com/platenhq/platen/internal/testkit"
)

func newAdmin(t *testing.T) *Admin {
	t.Helper()
	pool := testkit.Database(t, "admin", func(ctx context.Context, pool *pgxpool.Pool) error {
		return errors.Join(postgres.Migrate(ctx, pool), store.Migrate(ctx, pool))
	})
	return &Admin{DB: operate.New(postgres.New(pool, nil)), Drive: store.New(pool)}
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
	tokens, err := a.DB.Tokens.All(t.Context())
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
	if _, err := a.DB.Pool().Exec(t.Context(), `INSERT INTO teams (id, name) VALUES ($1, 'Sales')`, second); err != nil {
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

func TestAnErrorNamesTheFieldThatCannotBeTaken(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	const name, email = "Ada", "ada@example.com"
	for want, do := range map[string]func(context.Context) error{
		"/name is empty; give the user's name": func(ctx context.Context) error {
			_, err := a.CreateUser(ctx, " ", email, "")
			return err
		},
		"/name is empty; give the team's name": func(ctx context.Context) error {
			_, err := a.CreateTeam(ctx, "")
			return err
		},
		"/name is empty; give the token's name": func(ctx context.Context) error {
			if _, err := a.CreateTokenOnce(ctx, platen.NewID(platen.PrefixToken), platen.NewID(platen.PrefixUser), "", 0, nil); err == nil {
				return nil
			}
			_, err := a.CreateToken(ctx, email, " ", 0)
			return err
		},
		`/email "Ada <ada@example.com>" is not an e-mail address such as ada@example.com`: func(ctx context.Context) error {
			_, err := a.CreateUser(ctx, name, "Ada <ada@example.com>", "")
			return err
		},
		"/valid 0s is over already; give a time such as 24h": func(ctx context.Context) error {
			_, err := a.ConnectLink(ctx, func(string, time.Time) string { return "" }, email, 0)
			return err
		},
	} {
		err := do(t.Context())
		e, ok := errors.AsType[*platen.Error](err)
		if !ok || e.Kind != platen.KindInvalid || len(e.Faults) != 1 || e.Faults[0].Pointer+" "+e.Faults[0].Message != want {
			t.Errorf("got %+v, want KindInvalid and the one fault %s", err, want)
		}
	}
}

func TestNamesHaveALimit(t *testing.T) {
	t.Parallel()
	a, longest := newAdmin(t), strings.Repeat("ü", 200)
	if _, err := a.CreateTeam(t.Context(), longest); err != nil {
		t.Errorf("200 characters: %v", err)
	}
	for of, do := range map[string]func(name string) error{
		"team":  func(name string) error { _, err := a.CreateTeam(t.Context(), name); return err },
		"user":  func(name string) error { _, err := a.CreateUser(t.Context(), name, "ada@example.com", ""); return err },
		"token": func(name string) error { _, err := a.CreateToken(t.Context(), "ada@example.com", name, 0); return err },
	} {
		if err := do(longest + "x"); platen.KindOf(err) != platen.KindInvalid || !strings.Contains(err.Error(), "more than 200 characters") {
			t.Errorf("%s: got %v, want the limit", of, err)
		}
	}
}

func TestTheAuditIsAskedByEMailAddress(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	var id string
	err := a.Act(t.Context(), ByCommand("platen user create"), func(ctx context.Context) (err error) {
		id, err = a.CreateUser(ctx, "Ada", "ada@example.com", "")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	query := platen.AuditQuery{Page: platen.Page{Limit: 10}, UserID: "ada@example.com"}
	var found []string
	if err := a.EachAuditEntry(t.Context(), query, func(e platen.AuditEntry) error {
		found = append(found, e.Action+" "+e.ObjectID)
		return nil
	}); err != nil || !slices.Equal(found, []string{"platen user create " + id}) {
		t.Errorf("got %q, %v", found, err)
	}
}
