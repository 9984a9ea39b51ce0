package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Endpoints is the store of what all workers know of endpoints together: the
// addresses that events of an owner go to, and their breakers.
type Endpoints struct {
	db *DB
	// turns are taken by those who change one endpoint in this process.
	turns *endpointTurns
}

func newEndpoints(db *DB) *Endpoints { return &Endpoints{db: db, turns: newEndpointTurns()} }

const endpointColumns = `in_flight, places, failures, failing_since, rests, rests_until, slowed, turn, took, disabled, disabled_at`

type endpointRow struct {
	InFlight     json.RawMessage `db:"in_flight"`
	Places       int             `db:"places"`
	Failures     int             `db:"failures"`
	FailingSince *time.Time      `db:"failing_since"`
	Rests        int             `db:"rests"`
	RestsUntil   *time.Time      `db:"rests_until"`
	Slowed       bool            `db:"slowed"`
	Turn         *time.Time      `db:"turn"`
	Took         time.Duration   `db:"took"`
	Disabled     string          `db:"disabled"`
	DisabledAt   *time.Time      `db:"disabled_at"`
}

// A lease in the column in_flight.
type leaseJSON struct {
	EventID string    `json:"event"`
	Until   time.Time `json:"until"`
}

func (r endpointRow) state() (platen.EndpointState, error) {
	s := platen.EndpointState{
		Places: r.Places, Failures: r.Failures, FailingSince: orZero(r.FailingSince), CoolDowns: r.Rests, OpenUntil: orZero(r.RestsUntil),
		Slowed: r.Slowed, Turn: orZero(r.Turn), Took: r.Took, Disabled: r.Disabled, DisabledAt: orZero(r.DisabledAt),
	}
	var leases []leaseJSON
	if err := json.Unmarshal(r.InFlight, &leases); err != nil {
		return s, fmt.Errorf("read the attempts in flight: %w", err)
	}
	for _, l := range leases {
		s.InFlight = append(s.InFlight, platen.Lease(l))
	}
	return s, nil
}

func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// endpointArgs name the row. Addresses are longer than an index takes.
func endpointArgs(key platen.EndpointKey) pgx.NamedArgs {
	name := key.URL
	if key.Test {
		name = "test " + name // no address begins so
	}
	hash := sha256.Sum256([]byte(name))
	return pgx.NamedArgs{"owner_id": key.OwnerID, "url_hash": hash[:], "test": key.Test}
}

// UpdateEndpoint applies change to the state of an endpoint as it stands; now
// is the time of the database, the same clock for every worker. The row is
// written in one statement that takes effect only when it is still the one that
// change saw; else change is applied again, under a lock, to what another
// worker made of it: its last call counts. Changes that this process makes to
// one endpoint take turns here, not in Postgres.
//
// It does not wait for the disk. A crash of the database may take back places
// that attempts held, and failures that were counted: that is found out again.
func (s *Endpoints) UpdateEndpoint(ctx context.Context, key platen.EndpointKey, change func(state *platen.EndpointState, now time.Time)) error {
	turn, err := s.turns.take(ctx, key)
	if err == nil {
		defer turn.release()
		err = s.updateEndpoint(ctx, key, turn, change)
	}
	if err != nil {
		return fmt.Errorf("update an endpoint of %s: %w", key.OwnerID, err)
	}
	return nil
}

func (s *Endpoints) updateEndpoint(ctx context.Context, key platen.EndpointKey, turn endpointTurn, change func(state *platen.EndpointState, now time.Time)) error {
	if last, ok := turn.seen(); ok {
		state, now := last.state, last.clock()
		state.InFlight = slices.Clone(state.InFlight)
		change(&state, now)
		if ok, err := turn.store(ctx, s.db.pool, key, state, last.writtenBy); err != nil || ok {
			return err
		}
	}
	return s.db.InTx(ctx, func(tx pgx.Tx) error {
		state, now, err := lockEndpoint(ctx, tx, key)
		if err != nil {
			return err
		}
		change(&state, now)
		_, err = turn.store(ctx, tx, key, state, anyWriter)
		return err
	})
}

// lockEndpoint reads an endpoint's row, which it makes where there is none,
// and holds it.
func lockEndpoint(ctx context.Context, tx pgx.Tx, key platen.EndpointKey) (platen.EndpointState, time.Time, error) {
	type row struct {
		endpointRow
		Now time.Time `db:"now"`
	}
	const locked = `
		WITH held AS (
			SELECT ` + endpointColumns + `
			FROM endpoints
			WHERE owner_id = @owner_id AND url_hash = @url_hash
			FOR NO KEY UPDATE
		)
		SELECT held.*, clock_timestamp() AS now
		FROM held, set_config('synchronous_commit', 'off', true)`
	r, ok, err := CollectOne[row](ctx, tx, locked, endpointArgs(key))
	if err == nil && !ok {
		_, err = Execute(ctx, tx, `
			INSERT INTO endpoints (owner_id, url_hash, test)
			VALUES (@owner_id, @url_hash, @test)
			ON CONFLICT DO NOTHING`, endpointArgs(key))
		if err == nil {
			r, _, err = CollectOne[row](ctx, tx, locked, endpointArgs(key))
		}
	}
	if err != nil {
		return platen.EndpointState{}, time.Time{}, err
	}
	state, err := r.state()
	return state, r.Now.UTC(), err
}

// anyWriter is no transaction: the row is overwritten unconditionally.
const anyWriter = 0

// storeEndpoint writes an endpoint's row, if writtenBy is the transaction that
// wrote it last, and returns which one did now and the database's time.
func storeEndpoint(ctx context.Context, q Querier, key platen.EndpointKey, state platen.EndpointState, writtenBy uint32) (r writtenEndpoint, ok bool, err error) {
	leases := make([]leaseJSON, len(state.InFlight))
	for i, l := range state.InFlight {
		leases[i] = leaseJSON(l)
	}
	inFlight, err := json.Marshal(leases)
	if err != nil {
		return r, false, fmt.Errorf("write the attempts in flight: %w", err)
	}
	args := endpointArgs(key)
	for name, value := range map[string]any{
		"in_flight": json.RawMessage(inFlight), "places": state.Places, "failures": state.Failures, "failing_since": orNull(state.FailingSince),
		"rests": state.CoolDowns, "rests_until": orNull(state.OpenUntil), "slowed": state.Slowed, "turn": orNull(state.Turn),
		"took": state.Took, "disabled": state.Disabled, "disabled_at": orNull(state.DisabledAt), "written_by": writtenBy,
	} {
		args[name] = value
	}
	return CollectOne[writtenEndpoint](ctx, q, `
		UPDATE endpoints e
		SET in_flight = @in_flight, places = @places, failures = @failures, failing_since = @failing_since, rests = @rests, rests_until = @rests_until,
			slowed = @slowed, turn = @turn, took = @took, disabled = @disabled, disabled_at = @disabled_at
		FROM set_config('synchronous_commit', 'off', true) AS commit
		WHERE e.owner_id = @owner_id AND e.url_hash = @url_hash AND (@written_by::xid = '0' OR e.xmin = @written_by) AND commit = 'off'
		RETURNING e.xmin AS written_by, clock_timestamp() AS now`, args)
}

// enableEndpoint clears failures, cool-down and disabling of an endpoint; attempts
// under way keep their places.
func enableEndpoint(ctx context.Context, q Querier, key platen.EndpointKey) error {
	_, err := Execute(ctx, q, `
		UPDATE endpoints
		SET failures = 0, failing_since = NULL, rests = 0, rests_until = NULL, slowed = false, turn = NULL, disabled = '', disabled_at = NULL
		WHERE owner_id = @owner_id AND url_hash = @url_hash`, endpointArgs(key))
	return err
}

// EnableEndpoint lets events go to the address of a workflow's outgoing webhook again,
// if that is still url. Callers have set the address or seen a test pass. KindNotFound
// with code "outgoing_webhook_not_found" without one.
func (s *Endpoints) EnableEndpoint(ctx context.Context, caller platen.User, workflowID, url string) error {
	if err := s.enable(ctx, caller, workflowID, destination{}, url); err != nil {
		return fmt.Errorf("enable the endpoint of workflow %s: %w", workflowID, err)
	}
	return nil
}

func (s *Endpoints) enable(ctx context.Context, caller platen.User, workflowID string, to destination, url string) error {
	key, err := findEndpoint(ctx, s.db.pool, caller, workflowID, to)
	if err != nil || key.URL != url {
		return err
	}
	return enableEndpoint(ctx, s.db.pool, key)
}

// A destination is where an event of a workflow goes: to the test receiver, to a further
// receiver, or to the outgoing webhook.
type destination struct {
	test       bool
	receiverID string
}

func (d destination) receivers() receiverTable {
	if d.receiverID != "" {
		return furtherReceivers
	}
	return receiversOf(d.test)
}

// noun is what messages call it.
func (d destination) noun() string {
	if d.receiverID != "" {
		return "receiver"
	}
	return "outgoing webhook"
}

// findEndpoint names the endpoint of one of the caller's workflows.
func findEndpoint(ctx context.Context, q Querier, caller platen.User, workflowID string, to destination) (platen.EndpointKey, error) {
	if err := authorize(ctx, q, caller, workflowID); err != nil {
		return platen.EndpointKey{}, err
	}
	type row struct {
		OwnerID string `db:"owner_id"`
		URL     string `db:"url"`
	}
	r, ok, err := CollectOne[row](ctx, q, `
		SELECT w.owner_id, o.url
		FROM `+to.receivers().table+` o
		JOIN workflows w ON w.id = o.workflow_id
		WHERE o.workflow_id = @workflow_id AND @receiver_id IN ('', o.id)`, pgx.NamedArgs{"workflow_id": workflowID, "receiver_id": to.receiverID})
	if err == nil && !ok {
		err = to.receivers().notFound()
	}
	return platen.EndpointKey{OwnerID: r.OwnerID, URL: r.URL, Test: to.test}, err
}

// EndpointState returns what is known of the endpoint of a workflow's outgoing
// webhook, and how many of the workflow's events are HELD.
// KindNotFound with code "outgoing_webhook_not_found" without one.
func (s *Endpoints) EndpointState(ctx context.Context, caller platen.User, workflowID string) (platen.EndpointState, int, error) {
	state, held, err := s.state(ctx, caller, workflowID, destination{})
	if err != nil {
		return platen.EndpointState{}, 0, fmt.Errorf("read the endpoint of workflow %s: %w", workflowID, err)
	}
	return state, held, nil
}

func (s *Endpoints) state(ctx context.Context, caller platen.User, workflowID string, to destination) (state platen.EndpointState, held int, err error) {
	key, err := findEndpoint(ctx, s.db.pool, caller, workflowID, to)
	if err == nil {
		state, err = readEndpoint(ctx, s.db.pool, key)
	}
	if err == nil {
		err = Classify(s.db.pool.QueryRow(ctx, `
			SELECT count(*)
			FROM events
			WHERE workflow_id = @workflow_id AND state = 'HELD' AND NOT test AND receiver_id = @receiver_id`,
			pgx.NamedArgs{"workflow_id": workflowID, "receiver_id": to.receiverID}).Scan(&held))
	}
	return state, held, err
}

func readEndpoint(ctx context.Context, q Querier, key platen.EndpointKey) (platen.EndpointState, error) {
	r, ok, err := CollectOne[endpointRow](ctx, q, `
		SELECT `+endpointColumns+`
		FROM endpoints
		WHERE owner_id = @owner_id AND url_hash = @url_hash`, endpointArgs(key))
	if err != nil || !ok {
		return platen.EndpointState{}, err
	}
	return r.state()
}

// EndpointNow is what is known of an endpoint, and the time by the database,
// whose clock its times are of. It may be out of date by the time it is read.
func (s *Endpoints) EndpointNow(ctx context.Context, key platen.EndpointKey) (platen.EndpointState, time.Time, error) {
	type row struct {
		endpointRow
		Now time.Time `db:"now"`
	}
	r, ok, err := CollectOne[row](ctx, s.db.pool, `
		SELECT `+endpointColumns+`, clock_timestamp() AS now
		FROM endpoints
		WHERE owner_id = @owner_id AND url_hash = @url_hash`, endpointArgs(key))
	if err != nil || !ok {
		return platen.EndpointState{}, time.Time{}, err
	}
	state, err := r.state()
	return state, r.Now.UTC(), err
}
