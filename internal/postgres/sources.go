package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen"
)

// Sources is the store of workflows' sources, as operators change them.
type Sources struct{ db *DB }

const sourceKey = "sources.key"

// insertSource seals the key and keeps its SHA-256 beside it: events find
// their source by the hash, and the API shows the address.
func insertSource(ctx context.Context, tx pgx.Tx, v vault, workflowID string, source platen.Source) error {
	sealed, err := v.seal(source.Key, sourceKey, source.ID)
	if err != nil {
		return err
	}
	fields, err := fieldsJSON(source.Fields)
	if err != nil {
		return fmt.Errorf("source %s: %w", source.ID, err)
	}
	_, err = execute(ctx, tx, `
		INSERT INTO sources (id, workflow_id, type, key, key_hash, fields, fields_given)
		VALUES (@id, @workflow_id, @type, @key, @key_hash, @fields, @fields_given)`,
		pgx.NamedArgs{
			"id": source.ID, "workflow_id": workflowID, "type": source.Type,
			"key": sealed, "key_hash": hashKey(source.Key),
			"fields": fields, "fields_given": source.FieldsGiven,
		})
	if err != nil {
		return fmt.Errorf("insert source %s: %w", source.ID, err)
	}
	return nil
}

// RotateSource gives a source another address, for an operator, because the one
// before is known to somebody who should not know it. That one is unknown from
// then on; what was accepted from it stays. KindNotFound with code
// "source_not_found" for a source that is not there.
func (s *Sources) RotateSource(ctx context.Context, sourceID string) error {
	key := platen.NewKey()
	sealed, err := s.db.vault.seal(key, sourceKey, sourceID)
	if err != nil {
		return err
	}
	err = s.db.inTx(ctx, func(tx pgx.Tx) error {
		type row struct {
			WorkflowID string `db:"workflow_id"`
		}
		r, ok, err := collectOne[row](ctx, tx, `
			UPDATE sources
			SET key = @key, key_hash = @key_hash
			WHERE id = @id
			RETURNING workflow_id`, pgx.NamedArgs{"id": sourceID, "key": sealed, "key_hash": hashKey(key)})
		if err == nil && !ok {
			err = platen.Errorf(platen.KindNotFound, "source_not_found", "there is no source %s", sourceID)
		}
		if err == nil {
			_, err = touchWorkflow(ctx, tx, r.WorkflowID)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("rotate source %s: %w", sourceID, err)
	}
	return nil
}

func hashKey(key string) []byte {
	hash := sha256.Sum256([]byte(key))
	return hash[:]
}

// fieldsJSON writes field names as a JSON array that jsonb takes: U+0000, which
// JSON may hold and Postgres refuses, becomes U+FFFD, as invalid UTF-8 does. An
// event is not lost for the name of a field.
func fieldsJSON(fields []string) (string, error) {
	clean := make([]string, len(fields))
	for i, f := range fields {
		clean[i] = strings.ReplaceAll(f, "\x00", "\uFFFD")
	}
	raw, err := json.Marshal(clean)
	if err != nil {
		return "", fmt.Errorf("write field names: %w", err)
	}
	return string(raw), nil
}
