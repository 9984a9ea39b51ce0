package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Sources is the store of workflows' sources, as operators change them.
type Sources struct{ db *DB }

const sourceKey = "sources.key"

// insertSource seals the key and keeps its SHA-256 beside it: events find
// their source by the hash, and the API shows the address.
func insertSource(ctx context.Context, tx pgx.Tx, v Vault, workflowID string, source platen.Source) error {
	sealed, err := v.SealText(source.Key, sourceKey, source.ID)
	if err != nil {
		return err
	}
	fields, err := FieldsJSON(source.Fields)
	if err != nil {
		return fmt.Errorf("source %s: %w", source.ID, err)
	}
	_, err = Execute(ctx, tx, `
		INSERT INTO sources (id, workflow_id, type, key, key_hash, fields, fields_given)
		VALUES (@id, @workflow_id, @type, @key, @key_hash, @fields, @fields_given)`,
		pgx.NamedArgs{
			"id": source.ID, "workflow_id": workflowID, "type": source.Type,
			"key": sealed, "key_hash": HashKey(source.Key),
			"fields": fields, "fields_given": source.FieldsGiven,
		})
	if err != nil {
		return fmt.Errorf("insert source %s: %w", source.ID, err)
	}
	return nil
}

// RotateSource gives a source another address, for an operator, because the one
// before is known to somebody who should not know it. That one takes events along
// for overlap and is unknown from then on, as one before it is at once; what was
// accepted stays. KindNotFound with code "source_not_found" for a source that is
// not there.
func (s *Sources) RotateSource(ctx context.Context, sourceID string, overlap time.Duration) error {
	err := s.db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		workflowID, _, err := s.rotate(ctx, tx, sourceID, overlap)
		return Subject{WorkflowID: workflowID, ObjectID: sourceID}, err
	})
	if err != nil {
		return fmt.Errorf("rotate source %s: %w", sourceID, err)
	}
	return nil
}

// RotateWorkflowSource is RotateSource for the source of one of the caller's
// workflows, and returns the workflow with its new address.
func (s *Sources) RotateWorkflowSource(ctx context.Context, caller platen.User, workflowID string, overlap time.Duration) (w platen.Workflow, err error) {
	err = s.db.configure(ctx, caller, workflowID, func(tx pgx.Tx) error {
		if w, err = callersWorkflow(ctx, tx, s.db.vault, caller, workflowID); err != nil {
			return err
		}
		_, w.Source.Key, err = s.rotate(ctx, tx, w.Source.ID, overlap)
		return err
	})
	if err != nil {
		return platen.Workflow{}, fmt.Errorf("rotate the source of workflow %s: %w", workflowID, err)
	}
	return w, nil
}

func (s *Sources) rotate(ctx context.Context, tx pgx.Tx, sourceID string, overlap time.Duration) (workflowID, key string, err error) {
	key = platen.NewKey()
	sealed, err := s.db.vault.SealText(key, sourceKey, sourceID)
	if err != nil {
		return "", "", err
	}
	type row struct {
		WorkflowID string `db:"workflow_id"`
	}
	r, ok, err := CollectOne[row](ctx, tx, `
		UPDATE sources
		SET key = @key, key_hash = @key_hash,
			previous_key_hash = CASE WHEN @overlap::interval > interval '0' THEN key_hash END, previous_until = now() + @overlap::interval
		WHERE id = @id
		RETURNING workflow_id`, pgx.NamedArgs{"id": sourceID, "key": sealed, "key_hash": HashKey(key), "overlap": overlap})
	if err == nil && !ok {
		err = platen.Errorf(platen.KindNotFound, "source_not_found", "there is no source %s", sourceID)
	}
	if err == nil {
		_, err = touchWorkflow(ctx, tx, r.WorkflowID)
	}
	return r.WorkflowID, key, err
}

const sourceVerification = "sources.verification"

// verificationJSON is how a Verification is stored.
type verificationJSON struct {
	Scheme    platen.VerificationScheme `json:"scheme,omitempty"`
	Secrets   []string                  `json:"secrets,omitempty"`
	Header    string                    `json:"header,omitempty"`
	Encoding  string                    `json:"encoding,omitempty"`
	Prefix    string                    `json:"prefix,omitempty"`
	Tolerance time.Duration             `json:"tolerance,omitempty"`
	Networks  []netip.Prefix            `json:"networks,omitempty"`
}

// OpenVerification reads what a source asks of its senders; null is nothing.
func (v Vault) OpenVerification(sealed []byte, sourceID string) (platen.Verification, error) {
	text, err := v.OpenText(sealed, sourceVerification, sourceID)
	if err != nil || text == "" {
		return platen.Verification{}, err
	}
	var stored verificationJSON
	if err := json.Unmarshal([]byte(text), &stored); err != nil {
		return platen.Verification{}, fmt.Errorf("read the verification of source %s: %w", sourceID, err)
	}
	found := platen.Verification{
		Scheme: stored.Scheme, Header: stored.Header, Encoding: stored.Encoding, Prefix: stored.Prefix,
		Tolerance: stored.Tolerance, Networks: stored.Networks,
	}
	for _, secret := range stored.Secrets {
		found.Secrets = append(found.Secrets, platen.Secret(secret))
	}
	return found, nil
}

func (v Vault) sealVerification(of platen.Verification, sourceID string) ([]byte, error) {
	if !of.Asks() {
		return nil, nil
	}
	stored := verificationJSON{
		Scheme: of.Scheme, Header: of.Header, Encoding: of.Encoding, Prefix: of.Prefix, Tolerance: of.Tolerance, Networks: of.Networks,
	}
	for _, secret := range of.Secrets {
		stored.Secrets = append(stored.Secrets, string(secret))
	}
	text, err := json.Marshal(stored)
	if err != nil {
		return nil, fmt.Errorf("write the verification of source %s: %w", sourceID, err)
	}
	return v.SealText(string(text), sourceVerification, sourceID)
}

// SourceVerification returns what the source of one of the caller's workflows asks
// of senders.
func (s *Sources) SourceVerification(ctx context.Context, caller platen.User, workflowID string) (platen.Verification, error) {
	type row struct {
		ID           string `db:"id"`
		Verification []byte `db:"verification"`
	}
	r, ok, err := CollectOne[row](ctx, s.db.pool, `
		SELECT s.id, s.verification
		FROM sources s
		JOIN workflows w ON w.id = s.workflow_id
		WHERE w.id = @workflow_id AND (w.owner_id = @caller OR w.team_id = @caller_team)`, callerArgs(caller, workflowID))
	if err == nil && !ok {
		err = platen.ErrWorkflowNotFound()
	}
	var found platen.Verification
	if err == nil {
		found, err = s.db.vault.OpenVerification(r.Verification, r.ID)
	}
	if err != nil {
		return platen.Verification{}, fmt.Errorf("read the verification of workflow %s: %w", workflowID, err)
	}
	return found, nil
}

// SetSourceVerification has the source of one of the caller's workflows ask this of
// senders; the zero Verification: nothing. Secrets are sealed. Programs that
// remember the source ask for it a minute later, at most.
func (s *Sources) SetSourceVerification(ctx context.Context, caller platen.User, workflowID string, v platen.Verification) error {
	err := s.db.configure(ctx, caller, workflowID, func(tx pgx.Tx) error {
		w, err := callersWorkflow(ctx, tx, s.db.vault, caller, workflowID)
		if err != nil {
			return err
		}
		sealed, err := s.db.vault.sealVerification(v, w.Source.ID)
		if err != nil {
			return err
		}
		_, err = Execute(ctx, tx, `
			UPDATE sources
			SET verification = @verification
			WHERE id = @id`, pgx.NamedArgs{"id": w.Source.ID, "verification": sealed})
		if err == nil {
			_, err = touchWorkflow(ctx, tx, workflowID)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("set the verification of workflow %s: %w", workflowID, err)
	}
	return nil
}

// HashKey is what a source is found by.
func HashKey(key string) []byte {
	hash := sha256.Sum256([]byte(key))
	return hash[:]
}

// FieldsJSON writes field names as a JSON array that jsonb takes: U+0000, which
// JSON may hold and Postgres refuses, becomes U+FFFD, as invalid UTF-8 does. An
// event is not lost for the name of a field.
func FieldsJSON(fields []string) (string, error) {
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

// NoteFields writes the fields of the last event of a workflow's source, as FieldsJSON has them.
func NoteFields(ctx context.Context, tx pgx.Tx, workflowID, fields string) error {
	_, err := Execute(ctx, tx, `
		UPDATE sources
		SET fields = CASE WHEN fields_given THEN fields ELSE @names::text::jsonb END,
			last_names = CASE WHEN fields_given THEN @names::text::jsonb END
		WHERE workflow_id = @workflow
			AND CASE WHEN fields_given THEN last_names ELSE fields END IS DISTINCT FROM @names::text::jsonb`,
		pgx.NamedArgs{"workflow": workflowID, "names": fields})
	return err
}

// SkipReason is why an event of a workflow w starts nothing; empty: it does.
const SkipReason = `
			CASE
				WHEN w.status <> 'COMPLETE' THEN '` + platen.ReasonIncomplete + `'
				WHEN NOT w.auto_create THEN '` + platen.ReasonAutoCreateOff + `'
				ELSE ''
			END`
