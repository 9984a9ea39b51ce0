package admin

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/operate"
	"github.com/platenhq/platen/internal/secret"
)

// KeyUses counts what each master key encrypts, those that were given first.
func (a *Admin) KeyUses(ctx context.Context, keys *secret.Box) ([]platen.KeyUse, error) {
	counts, err := a.DB.Rotation.CountsOnly(ctx)
	if err != nil {
		return nil, err
	}
	return keyUses(keys, counts), nil
}

// keyUses says of counts by which of the keys they are, without telling any.
func keyUses(keys *secret.Box, counts []operate.SealedCount) []platen.KeyUse {
	var uses []platen.KeyUse
	given := keys.Prefixes()
	for i, prefix := range given {
		name, n := fmt.Sprintf("%d of %d", i+1, len(given)), 0
		for _, c := range counts {
			if c.Key == hex.EncodeToString(prefix) {
				uses = append(uses, platen.KeyUse{Key: name, What: c.What, Count: c.Count})
				n += c.Count
			}
		}
		if n == 0 {
			uses = append(uses, platen.KeyUse{Key: name, What: "nothing"})
		}
	}
	for _, c := range counts {
		prefix, _ := hex.DecodeString(c.Key)
		if !slices.ContainsFunc(given, func(p []byte) bool { return bytes.Equal(p, prefix) }) {
			uses = append(uses, platen.KeyUse{Key: "not given (" + c.Key + ")", What: c.What, Count: c.Count})
		}
	}
	return uses
}

// RotateKeys re-encrypts with the first key all values that another key encrypts, and
// returns the counts for each kind of value. progress is called after each batch. The
// act of ctx names the first key by the prefix of its ciphertexts.
func (a *Admin) RotateKeys(ctx context.Context, keys *secret.Box, progress func(what string, sealed int)) ([]operate.Rotated, error) {
	platen.About(ctx, hex.EncodeToString(keys.Prefixes()[0]))
	var done []operate.Rotated
	err := a.DB.Rotation.Rotate(ctx, func(r operate.Rotated) {
		if n := len(done); n > 0 && done[n-1].What == r.What {
			done[n-1] = r
			progress(r.What, r.Sealed)
			return
		}
		done = append(done, r)
	})
	return done, err
}
