package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/operate"
	"github.com/platenhq/platen/internal/postgres/storetest"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/testkit"
)

func TestADatabaseIsReadyWithAllMigrationsOfThisProgram(t *testing.T) {
	t.Parallel()
	empty := testkit.Database(t, "empty", func(context.Context, *pgxpool.Pool) error { return nil })
	storetest.WantKind(t, "without tables", postgres.New(empty, nil).Ready(t.Context()), platen.KindInvalid, "schema_outdated")
	f := newHarness(t)
	f.Must(f.Ready(t.Context()))
	for what, change := range map[string]string{
		"with a later release's migration": `INSERT INTO migrations (version_id, is_applied) VALUES (99999, true)`,
		"without one of ours":              `DELETE FROM migrations WHERE version_id = 100`,
	} {
		g := newHarness(t)
		if _, err := g.Owner.Exec(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		err := g.Ready(t.Context())
		if strings.HasPrefix(what, "without") {
			storetest.WantKind(t, what, err, platen.KindInvalid, "schema_outdated")
		} else if err != nil {
			t.Errorf("%s: got %v, want it ready", what, err)
		}
	}
}

func TestADatabaseIsNotReadyForKeysThatDoNotOpenItsSecrets(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	other := postgres.New(f.Owner, newBox(t))
	f.Must(other.Ready(t.Context())) // nothing is sealed yet
	w := f.Workflow(f.User(nil))
	f.Must(f.Connections.SaveDriveConnection(t.Context(), w.Owner.ID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "drv_1"}))
	f.Must(f.Ready(t.Context()))
	err := other.Ready(t.Context())
	storetest.WantKind(t, "other keys", err, platen.KindInvalid, "secret_keys_wrong")
	for _, sort := range []string{"none", "source addresses", "signing secrets of webhooks", "passwords of documents", "drive connections", "PLATEN_SECRET_KEYS"} {
		if err == nil || !strings.Contains(err.Error(), sort) {
			t.Errorf("got %v, want an error that says %s", err, sort)
		}
	}
}

// lacking has every key but those that sealed one column.
type lacking struct {
	postgres.Sealer
	column string
}

func (l lacking) Open(sealed, context []byte) ([]byte, error) {
	if strings.HasPrefix(string(context), l.column+":") {
		return nil, errors.New("no key opens it")
	}
	return l.Sealer.Open(sealed, context)
}

// Each column that holds sealed values is looked at.
func TestKeysThatOpenSomeOfTheSecretsAreToldWhichTheyLack(t *testing.T) {
	t.Parallel()
	f, box := newHarness(t), newBox(t)
	f.DB = operate.New(postgres.New(f.Owner, box))
	w := f.Workflow(f.User(nil))
	f.Must(f.Connections.SaveDriveConnection(t.Context(), w.Owner.ID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "drv_1"}))
	_, err := f.Webhooks.UpdateOutgoingWebhook(t.Context(), w.Owner, w.ID, func(o *platen.OutgoingWebhook) error { o.PreviousSecret = "whsec_b2xk"; return nil })
	f.Must(err)
	f.Must(f.Sources.SetSourceVerification(t.Context(), w.Owner, w.ID, platen.Verification{Scheme: platen.SchemeGitHub, Secrets: []platen.Secret{"a"}}))
	f.Running(w)
	claim, err := f.Idempotency.ClaimRequest(t.Context(), w.Owner.ID, "key", []byte("a"), time.Minute)
	f.Must(err)
	f.Must(f.Idempotency.KeepAnswer(t.Context(), w.Owner.ID, "key", claim.ID, []byte("answer")))
	f.Must(f.CheckSecrets(t.Context()))
	sorts := map[string]string{
		"sources.key":                       "source addresses",
		"sources.verification":              "what sources ask of senders",
		"outgoing_webhooks.secret":          "signing secrets of webhooks",
		"outgoing_webhooks.previous_secret": "earlier signing secrets of webhooks",
		"documents.pdf_password":            "passwords of documents",
		"plans.pdf_password":                "passwords of runs under way",
		"drive_connections.secret":          "drive connections",
		"idempotency_keys.answer":           "kept answers to Idempotency-Keys",
	}
	for column, sort := range sorts {
		store := postgres.New(f.Owner, lacking{box, column})
		for name, check := range map[string]func(context.Context) error{"at start": store.CheckSecrets, "ready": store.Ready} {
			err := check(t.Context())
			storetest.WantKind(t, column+" "+name, err, platen.KindInvalid, "secret_keys_wrong")
			if err == nil || !strings.Contains(err.Error(), "only some of the secrets in this database, and not all of these: "+sort+"; add the keys") {
				t.Errorf("%s %s: got %v, want %s alone", column, name, err, sort)
			}
		}
	}
}

// After a rotation a key is needed as long as one row is left that it sealed.
func TestOneSecretUnderAnotherKeyIsFoundAmongMany(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	for range 30 {
		f.Workflow(owner)
	}
	f.Must(f.CheckSecrets(t.Context()))
	other := postgres.New(f.Owner, newBox(t))
	f.Must(other.Connections.SaveDriveConnection(t.Context(), owner.ID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "drv_1"}))
	storetest.WantKind(t, "without the key of one row", f.CheckSecrets(t.Context()), platen.KindInvalid, "secret_keys_wrong")
}

func TestASingleDamagedSecretKeepsNoProgramFromStarting(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	for range 4 {
		f.Workflow(owner)
	}
	f.Exec(`UPDATE sources SET key = substring(key FOR 5) || '\x00' WHERE id = (SELECT min(id) FROM sources)`)
	f.Must(f.CheckSecrets(t.Context()))
}

func newBox(t *testing.T) *secret.Box {
	t.Helper()
	box, err := secret.ParseKeys(secret.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	return box
}
