package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/migration"
	"github.com/platenhq/platen/internal/platen"
)

// probed is how many rows of each table Ready opens: it is called every few
// seconds.
const probed = 20

// Ready returns nil if the service can work: the database answers, has every migration
// of this program, and a sample of its secrets opens with the keys. Errors are
// KindUnavailable, or as CheckSchema and CheckSecrets say.
func (db *DB) Ready(ctx context.Context) error {
	if err := db.pool.Ping(ctx); err != nil {
		return fmt.Errorf("ping database: %w", Classify(err))
	}
	if err := db.CheckSchema(ctx); err != nil {
		return err
	}
	return db.checkSecrets(ctx, probed)
}

// CheckSchema answers nil when the database has every migration that this
// program was built with. More are fine: migrations of the next release work
// beside this one. Fewer, and tables that no release made, are KindInvalid with code
// "schema_outdated".
func (db *DB) CheckSchema(ctx context.Context) error {
	tables, err := tables()
	if err != nil {
		return err
	}
	applied, missing, err := tables.Count(ctx, db.pool)
	switch {
	case errors.Is(err, migration.ErrUnknown):
		return platen.Errorf(platen.KindInvalid, "schema_outdated", "%v", err)
	case err != nil:
		return Classify(err)
	case applied == 0:
		return platen.Errorf(platen.KindInvalid, "schema_outdated", "the database has no tables of Platen: run 'platen migrate'")
	case missing > 0:
		return platen.Errorf(platen.KindInvalid, "schema_outdated", "the database lacks %d migration(s) of this release: run 'platen migrate'", missing)
	}
	return nil
}

// SealedColumns are the columns with sealed values: their name for operators, the
// context of their seals, the table with the id that the context names, and which rows
// programs need. Passwords of plans are apart, for they stand inside JSON.
var SealedColumns = []struct{ Name, Column, Table, ID, Value, needed string }{
	{"source addresses", sourceKey, "sources", "id", "key", "true"},
	{"what sources ask of senders", sourceVerification, "sources", "id", "verification", "true"},
	{"signing secrets of webhooks", webhookSecret, "outgoing_webhooks", "id", "secret", "true"},
	{"earlier signing secrets of webhooks", webhookPreviousSecret, "outgoing_webhooks", "id", "previous_secret", "true"},
	{"signing secrets of test receivers", testReceivers.secret, "test_receivers", "id", "secret", "true"},
	{"earlier signing secrets of test receivers", testReceivers.previousSecret, "test_receivers", "id", "previous_secret", "true"},
	{"signing secrets of receivers", furtherReceivers.secret, "receivers", "id", "secret", "true"},
	{"earlier signing secrets of receivers", furtherReceivers.previousSecret, "receivers", "id", "previous_secret", "true"},
	{"credentials of targets", targetSecret, "targets", "id", "secret", "true"},
	{"passwords of mail senders", senderPassword, "mail_senders", "id", "password", "true"},
	{"data of schedules", scheduleData, "schedules", "id", "data", "true"},
	{"credentials of schedules", scheduleSecret, "schedules", "id", "secret", "true"},
	{"links of public forms", publicFormKey, "public_forms", "id", "key", "true"},
	{"passwords of documents", documentPassword, "documents", "id", "pdf_password", "true"},
	{"keys of template versions", versionDataKey, "template_versions", "id", "data_key", "true"},
	// Before those of automations: a row that becomes one meanwhile is not missed.
	{"keys of rows of batches", automationDataKey, "batch_rows", "automation_id", "data_key", "state IN ('PENDING', 'RETRY')"},
	{"keys of source data", automationDataKey, "automations", "id", "data_key", "(state = 'RUNNING' OR leased_until IS NOT NULL)"},
	{"drive connections", connectionSecret, "drive_connections", "user_id", "secret", "true"},
	{"kept answers to Idempotency-Keys", idempotencyAnswer, "idempotency_keys", "user_id || ':' || key", "answer", "true"},
}

const (
	// PlannedPasswords is what passwords inside plans are called for operators.
	PlannedPasswords = "passwords of runs"
	// neededPasswords are those of runs under way.
	neededPasswords = `
		SELECT d ->> 'outputId' AS id, decode(d ->> 'pdfPassword', 'base64') AS sealed
		FROM automations a
		JOIN plans p ON p.automation_id = a.id
		CROSS JOIN LATERAL jsonb_path_query(p.plan, '$.documents[*]') AS d
		WHERE a.state = 'RUNNING' AND d ? 'pdfPassword'`
)

// CheckSecrets answers nil when the keys open what is sealed in the database,
// whichever key sealed it. Otherwise it is KindInvalid with code
// "secret_keys_wrong", and says what does not open. It reads the whole of most
// tables of configuration, which takes a second for a million workflows.
func (db *DB) CheckSecrets(ctx context.Context) error { return db.checkSecrets(ctx, 0) }

// checkSecrets reads at most most rows of each table; 0: all.
func (db *DB) checkSecrets(ctx context.Context, most int) error {
	var closed []string
	opened := false
	look := func(name, column, query string) error {
		groups, err := db.sampleSealed(ctx, query, most)
		if err != nil {
			return fmt.Errorf("read sealed %s: %w", name, err)
		}
		for _, group := range groups {
			if db.opensOne(group, column) {
				opened = true
			} else if !slices.Contains(closed, name) {
				closed = append(closed, name)
			}
		}
		return nil
	}
	for _, c := range SealedColumns {
		query := "SELECT " + c.ID + " AS id, " + c.Value + " AS sealed FROM " + c.Table + " WHERE " + c.Value + " IS NOT NULL AND " + c.needed
		if err := look(c.Name, c.Column, query); err != nil {
			return err
		}
	}
	if err := look(PlannedPasswords+" under way", PlannedPassword, neededPasswords); err != nil {
		return err
	}
	if len(closed) == 0 {
		return nil
	}
	what := strings.Join(closed, ", ")
	if opened {
		return platen.Errorf(platen.KindInvalid, "secret_keys_wrong",
			"--secret-keys (PLATEN_SECRET_KEYS) open only some of the secrets in this database, and not all of these: %s; add the keys that sealed them behind the others", what)
	}
	return platen.Errorf(platen.KindInvalid, "secret_keys_wrong",
		"--secret-keys (PLATEN_SECRET_KEYS) open none of the secrets in this database (%s); set the keys that this database was used with, or another database", what)
}

// A SealedValue is one value of a column of SealedColumns, and the id that its seal names.
type SealedValue struct {
	ID     string `db:"id"`
	Sealed []byte `db:"sealed"`
}

// sampleSealed returns up to three values for each key that sealed any: a
// ciphertext begins with five bytes that name its key. Three, because a single
// row that somebody damaged must not keep all programs from starting.
func (db *DB) sampleSealed(ctx context.Context, query string, most int) ([][]SealedValue, error) {
	type row struct {
		SealedValue
		Key string `db:"key"`
	}
	var limit *int
	if most > 0 {
		limit = &most
	}
	rows, err := Collect[row](ctx, db.pool, `
		SELECT id, sealed, key
		FROM (
			SELECT id, sealed, encode(substring(sealed FOR 5), 'hex') AS key,
				row_number() OVER (PARTITION BY substring(sealed FOR 5)) AS n
			FROM (`+query+` LIMIT @most) AS looked_at
		) AS numbered
		WHERE n <= 3
		ORDER BY key`,
		pgx.NamedArgs{"most": limit})
	if err != nil {
		return nil, err
	}
	var groups [][]SealedValue
	for i, r := range rows {
		if i == 0 || r.Key != rows[i-1].Key {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], r.SealedValue)
	}
	return groups, nil
}

func (db *DB) opensOne(values []SealedValue, column string) bool {
	return slices.ContainsFunc(values, func(v SealedValue) bool {
		_, err := db.vault.OpenText(v.Sealed, column, v.ID)
		return err == nil
	})
}
