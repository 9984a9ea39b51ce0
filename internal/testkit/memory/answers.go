package memory

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// A claim is of an Idempotency-Key. It does not end by itself.
type claim struct {
	id          string
	fingerprint []byte
	answer      []byte
}

func (m *Store) ClaimRequest(_ context.Context, userID, key string, fingerprint []byte, _ time.Duration) (platen.Claim, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.claims[userID+key]; k != nil {
		return platen.Claim{Same: bytes.Equal(k.fingerprint, fingerprint), Answer: k.answer}, nil
	}
	m.claimed++
	k := &claim{id: strings.Repeat("x", m.claimed), fingerprint: fingerprint}
	m.claims[userID+key] = k
	return platen.Claim{ID: k.id}, nil
}

func (m *Store) KeepAnswer(_ context.Context, userID, key, id string, answer []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.claims[userID+key]; k != nil && k.id == id {
		k.answer = answer
	}
	return nil
}

func (m *Store) ReleaseRequest(_ context.Context, userID, key, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.claims[userID+key]; k != nil && k.id == id {
		delete(m.claims, userID+key)
	}
	return nil
}
