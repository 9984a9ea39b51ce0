package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Idempotency is the store of what repeats are known by: requests with an
// Idempotency-Key, and their answers.
type Idempotency struct{ db *DB }

const (
	// answersKept is how long the answer to a request with an Idempotency-Key
	// is given again.
	answersKept = 24 * time.Hour
	// eventKeysKept is longer than senders repeat an event: the schedule of
	// Standard Webhooks ends after three days and some hours.
	eventKeysKept = 4 * 24 * time.Hour
)

const idempotencyAnswer = "idempotency_keys.answer"

// claimTries bounds the tries of a claim when a rival claim disappears during the read.
const claimTries = 3

// ClaimRequest makes the request with this fingerprint the first one with key among its
// user's, or returns the state of the first one. A caller with a claim calls KeepAnswer
// or ReleaseRequest; if its process dies before that, the claim ends after lease.
func (s *Idempotency) ClaimRequest(ctx context.Context, userID, key string, fingerprint []byte, lease time.Duration) (platen.Claim, error) {
	for range claimTries {
		claim, ok, err := s.claimRequest(ctx, userID, key, fingerprint, lease)
		if err != nil {
			return platen.Claim{}, fmt.Errorf("claim idempotency key of user %s: %w", userID, err)
		}
		if ok {
			return claim, nil
		}
	}
	return platen.Claim{}, nil // it comes and goes: say that it is under way
}

func (s *Idempotency) claimRequest(ctx context.Context, userID, key string, fingerprint []byte, lease time.Duration) (claim platen.Claim, ok bool, err error) {
	args := pgx.NamedArgs{
		"user_id": userID, "key": key, "fingerprint": fingerprint, "claim": platen.NewKey(),
		"lease": lease, "kept": answersKept,
	}
	type claimed struct {
		Claim string `db:"claim"`
	}
	first, ok, err := CollectOne[claimed](ctx, s.db.pool, `
		INSERT INTO idempotency_keys AS k (user_id, key, fingerprint, claim, claimed_until, created_at)
		VALUES (@user_id, @key, @fingerprint, @claim, now() + @lease::interval, now())
		ON CONFLICT (user_id, key) DO UPDATE
		SET fingerprint = excluded.fingerprint, claim = excluded.claim, claimed_until = excluded.claimed_until,
			created_at = excluded.created_at, answer = NULL
		WHERE k.created_at <= now() - @kept::interval OR (k.answer IS NULL AND k.claimed_until <= now())
		RETURNING k.claim`, args)
	if err != nil || ok {
		return platen.Claim{ID: first.Claim}, ok, err
	}
	type kept struct {
		Same   bool   `db:"same"`
		Answer []byte `db:"answer"`
	}
	found, ok, err := CollectOne[kept](ctx, s.db.pool, `
		SELECT fingerprint = @fingerprint AS same, answer
		FROM idempotency_keys
		WHERE user_id = @user_id AND key = @key`, args)
	if err != nil || !ok {
		return platen.Claim{}, false, err
	}
	answer, err := s.db.vault.OpenText(found.Answer, idempotencyAnswer, userID+":"+key)
	if err != nil {
		return platen.Claim{}, false, err
	}
	claim.Same = found.Same
	if answer != "" {
		claim.Answer = []byte(answer)
	}
	return claim, true, nil
}

// KeepAnswer keeps the answer of the request that holds the claim, for 24
// hours and sealed: an answer may hold a source address or a secret. A claim
// that was lost meanwhile changes nothing.
func (s *Idempotency) KeepAnswer(ctx context.Context, userID, key, claim string, answer []byte) error {
	sealed, err := s.db.vault.SealText(string(answer), idempotencyAnswer, userID+":"+key)
	if err != nil {
		return err
	}
	_, err = Execute(ctx, s.db.pool, `
		UPDATE idempotency_keys
		SET answer = @answer
		WHERE user_id = @user_id AND key = @key AND claim = @claim`,
		pgx.NamedArgs{"user_id": userID, "key": key, "claim": claim, "answer": sealed})
	if err != nil {
		return fmt.Errorf("keep answer for user %s: %w", userID, err)
	}
	return nil
}

// ReleaseRequest lets the next request with the key be the first.
func (s *Idempotency) ReleaseRequest(ctx context.Context, userID, key, claim string) error {
	_, err := Execute(ctx, s.db.pool, `
		DELETE FROM idempotency_keys
		WHERE user_id = @user_id AND key = @key AND claim = @claim AND answer IS NULL`,
		pgx.NamedArgs{"user_id": userID, "key": key, "claim": claim})
	if err != nil {
		return fmt.Errorf("release idempotency key of user %s: %w", userID, err)
	}
	return nil
}

// SweepAtOnce bounds one statement of a sweep, so that it holds no locks for long.
const SweepAtOnce = 5000

// SweepExpired forgets answers, names of events and counts of public forms that are old
// enough, and pictures whose time is over. Any number of processes may sweep side by side.
// A sweep with another interval is a job of its own, in package maintenance.
func (s *Idempotency) SweepExpired(ctx context.Context) error {
	for _, sweep := range []struct {
		what, sql string
		age       time.Duration
	}{
		{"idempotency keys", `
			DELETE FROM idempotency_keys
			WHERE (user_id, key) IN (
				SELECT user_id, key
				FROM idempotency_keys
				WHERE created_at <= now() - @age::interval
				ORDER BY created_at
				LIMIT @limit
				FOR UPDATE SKIP LOCKED
			)`, answersKept},
		{"event keys", `
			DELETE FROM source_event_keys
			WHERE (source_id, key_hash) IN (
				SELECT source_id, key_hash
				FROM source_event_keys
				WHERE accepted_at <= now() - @age::interval
				ORDER BY accepted_at
				LIMIT @limit
				FOR UPDATE SKIP LOCKED
			)`, eventKeysKept},
		{"pictures", `
			DELETE FROM pictures
			WHERE id IN (
				SELECT id
				FROM pictures
				WHERE expires_at <= now() - @age::interval
				ORDER BY expires_at
				LIMIT @limit
				FOR UPDATE SKIP LOCKED
			)`, 0},
		{"counts of public forms", `
			DELETE FROM public_form_uses
			WHERE (form_id, day, address) IN (
				SELECT form_id, day, address
				FROM public_form_uses
				WHERE day < (now() AT TIME ZONE 'UTC' - @age::interval)::date
				LIMIT @limit
				FOR UPDATE SKIP LOCKED
			)`, 24 * time.Hour},
	} {
		for {
			n, err := Execute(ctx, s.db.pool, sweep.sql, pgx.NamedArgs{"age": sweep.age, "limit": SweepAtOnce})
			if err != nil {
				return fmt.Errorf("sweep %s: %w", sweep.what, err)
			}
			if n < SweepAtOnce {
				break
			}
		}
	}
	return nil
}
