package drive

import (
	"context"
	"sync"
	"time"

	"github.com/platenhq/platen/internal/drive/store"
)

// goodFor is for how long a token that was found good is not looked up again:
// an automation makes seven calls with one in a tenth of a second. It is what
// revoking a token takes to act, at most.
const goodFor = 2 * time.Second

// maxCallers bounds how many tokens are remembered.
const maxCallers = 10_000

// callers remembers whose tokens are. Tokens that nobody has are not
// remembered. It is safe for concurrent use.
type callers struct {
	now func() time.Time

	mu    sync.Mutex
	known map[string]caller // by the token's hash
}

type caller struct {
	user  store.User
	until time.Time
}

func newCallers() *callers { return &callers{now: time.Now, known: map[string]caller{}} }

// user returns whose token it is, as found says unless that is known.
func (c *callers) user(ctx context.Context, token string, found func(context.Context, string) (store.User, error)) (store.User, error) {
	key, now := string(store.Hash(token)), c.now()
	c.mu.Lock()
	known, ok := c.known[key]
	c.mu.Unlock()
	if ok && now.Before(known.until) {
		return known.user, nil
	}
	user, err := found(ctx, token)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		delete(c.known, key)
		return store.User{}, err
	}
	if len(c.known) >= maxCallers {
		clear(c.known)
	}
	c.known[key] = caller{user, now.Add(goodFor)}
	return user, nil
}

// forget has the token looked up at its next use.
func (c *callers) forget(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.known, string(store.Hash(token)))
}
