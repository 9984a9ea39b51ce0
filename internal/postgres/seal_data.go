package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// SealData encrypts the data of up to limit ended automations that an earlier release
// stored as it was – source data, payloads, answers, recipients of mails –, and returns how many there
// were; 0: none is left, or a worker of that release is still there. Any number of
// processes may do it side by side.
func (s *Automations) SealData(ctx context.Context, limit int) (sealed int, err error) {
	if !s.db.sealsData() {
		return 0, nil
	}
	err = s.db.inTx(ctx, func(tx pgx.Tx) error {
		type row struct {
			ID       string `db:"id"`
			Body     []byte `db:"body"`
			EventKey []byte `db:"event_key"`
		}
		rows, err := collect[row](ctx, tx, `
			SELECT id, body, event_key
			FROM automations
			WHERE data_key IS NULL AND data_erased_at IS NULL AND finished_at IS NOT NULL
			ORDER BY id
			LIMIT @limit
			FOR NO KEY UPDATE SKIP LOCKED`, pgx.NamedArgs{"limit": limit})
		if err != nil {
			return err
		}
		sealed = len(rows)
		keys := make(map[string]dataKey, len(rows))
		ids, keyColumn, bodies, names := make([]string, len(rows)), make([][]byte, len(rows)), make([][]byte, len(rows)), make([][]byte, len(rows))
		for i, r := range rows {
			key, err := s.db.vault.newDataKey(r.ID)
			if err != nil {
				return err
			}
			keys[r.ID] = key
			ids[i], keyColumn[i], bodies[i] = r.ID, key.sealed, key.seal(r.Body, automationBody)
			if r.EventKey != nil {
				names[i] = key.seal(r.EventKey, automationName)
			}
		}
		_, err = execute(ctx, tx, `
			UPDATE automations a
			SET body = d.body, data_key = d.key, event_key = d.event_key
			FROM unnest(@ids::text[], @bodies::bytea[], @keys::bytea[], @names::bytea[]) AS d (id, body, key, event_key)
			WHERE a.id = d.id`, pgx.NamedArgs{"ids": ids, "bodies": bodies, "keys": keyColumn, "names": names})
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := sealPayloads(ctx, tx, ids, keys); err != nil {
			return err
		}
		if err := sealAnswers(ctx, tx, ids, keys); err != nil {
			return err
		}
		return sealRecipients(ctx, tx, ids, keys)
	})
	if err != nil {
		return 0, fmt.Errorf("encrypt the data of automations: %w", err)
	}
	return sealed, nil
}

func sealPayloads(ctx context.Context, tx pgx.Tx, automationIDs []string, keys map[string]dataKey) error {
	type row struct {
		ID           string `db:"id"`
		AutomationID string `db:"automation_id"`
		Payload      []byte `db:"payload"`
	}
	rows, err := collect[row](ctx, tx, `
		SELECT e.id, e.automation_id, e.payload
		FROM outputs o
		JOIN events e ON e.output_id = o.id
		WHERE o.automation_id = ANY (@ids)
		ORDER BY e.id
		FOR NO KEY UPDATE OF e`, pgx.NamedArgs{"ids": automationIDs})
	if err != nil {
		return err
	}
	ids, payloads := make([]string, len(rows)), make([][]byte, len(rows))
	for i, r := range rows {
		ids[i], payloads[i] = r.ID, keys[r.AutomationID].seal(r.Payload, eventPayload)
	}
	_, err = execute(ctx, tx, `
		UPDATE events e
		SET payload = d.payload
		FROM unnest(@ids::text[], @payloads::bytea[]) AS d (id, payload)
		WHERE e.id = d.id`, pgx.NamedArgs{"ids": ids, "payloads": payloads})
	return err
}

func sealAnswers(ctx context.Context, tx pgx.Tx, automationIDs []string, keys map[string]dataKey) error {
	type row struct {
		EventID      string `db:"event_id"`
		Attempt      int    `db:"attempt"`
		AutomationID string `db:"automation_id"`
		Answer       string `db:"answer"`
	}
	rows, err := collect[row](ctx, tx, `
		SELECT d.event_id, d.attempt, e.automation_id, d.answer
		FROM outputs o
		JOIN events e ON e.output_id = o.id
		JOIN deliveries d ON d.event_id = e.id
		WHERE o.automation_id = ANY (@ids) AND d.answer <> ''
		ORDER BY d.event_id, d.attempt
		FOR NO KEY UPDATE OF d`, pgx.NamedArgs{"ids": automationIDs})
	if err != nil {
		return err
	}
	events, attempts, answers := make([]string, len(rows)), make([]int, len(rows)), make([][]byte, len(rows))
	for i, r := range rows {
		events[i], attempts[i], answers[i] = r.EventID, r.Attempt, keys[r.AutomationID].seal([]byte(r.Answer), deliveryAnswer)
	}
	_, err = execute(ctx, tx, `
		UPDATE deliveries d
		SET answer = '', answer_sealed = s.answer
		FROM unnest(@events::text[], @attempts::integer[], @answers::bytea[]) AS s (event_id, attempt, answer)
		WHERE d.event_id = s.event_id AND d.attempt = s.attempt`,
		pgx.NamedArgs{"events": events, "attempts": attempts, "answers": answers})
	return err
}

func sealRecipients(ctx context.Context, tx pgx.Tx, automationIDs []string, keys map[string]dataKey) error {
	type row struct {
		ID           string `db:"id"`
		AutomationID string `db:"automation_id"`
		To           []byte `db:"sent_to"`
	}
	rows, err := collect[row](ctx, tx, `
		SELECT id, automation_id, sent_to
		FROM mails
		WHERE automation_id = ANY (@ids) AND sent_to IS NOT NULL
		ORDER BY id
		FOR NO KEY UPDATE`, pgx.NamedArgs{"ids": automationIDs})
	if err != nil {
		return err
	}
	ids, recipients := make([]string, len(rows)), make([][]byte, len(rows))
	for i, r := range rows {
		ids[i], recipients[i] = r.ID, keys[r.AutomationID].seal(r.To, mailRecipients)
	}
	_, err = execute(ctx, tx, `
		UPDATE mails m
		SET sent_to = d.sent_to
		FROM unnest(@ids::text[], @recipients::bytea[]) AS d (id, sent_to)
		WHERE m.id = d.id`, pgx.NamedArgs{"ids": ids, "recipients": recipients})
	return err
}
