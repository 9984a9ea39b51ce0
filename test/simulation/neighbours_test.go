package simulation

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// In one installation of sixteen nothing goes wrong but the drive or the receiver of
// one owner, who has much to do. The installation is played once more without that
// owner: beside it, the others may wait no longer than a bound says.

// hasNeighbours tells whether the simulation of a seed is about such an owner.
func hasNeighbours(seed uint64) bool { return seed%16 == 8 }

// troubled is the owner whose drive or receiver does not answer.
const troubled = "usr_0"

// hangs is the status of a receiver that gives no answer.
const hangs = -1

// slow is after how long a run whose step has not ended gives its place back.
const slow = time.Second

// calls is what parking one run, and claiming and starting the next, may take.
const calls = 500 * time.Millisecond

// haveNeighbours draws what goes wrong for one owner, and what all accept. It lasts
// until the others have long ended.
func (c *config) haveNeighbours(d *generator) {
	c.neighbours, c.outages, c.lasts = true, nil, 2*time.Minute
	c.profile.parts, c.profile.crashes = nil, 0
	if len(c.profile.latency) > 0 { // nobody else is slow
		c.profile.latency = map[part]time.Duration{
			partStore: 20 * time.Millisecond, partTemporal: 50 * time.Millisecond, partDrive: 200 * time.Millisecond, partReceiver: 100 * time.Millisecond,
		}
	}
	if c.owners == 1 {
		c.owners, c.documents = 2, append(c.documents, []int{d.below(4)})
	}
	url := "https://receiver.example/" + troubled
	switch status := []int{hangs, http.StatusInternalServerError}[d.below(2)]; d.below(3) {
	case 0:
		c.act(d, 0, 5*time.Second, "the receiver of "+troubled+describe(status), func(w *harness) { w.receiver.status[url] = status })
	default:
		c.act(d, 0, 5*time.Second, "the drive of "+troubled+describe(status), func(w *harness) { w.drives.status[troubled] = status })
	}
	c.acts[0].by = troubled
	for i := range 2 + d.below(7) {
		c.isAccepted(d, 20*time.Second, fmt.Sprint("aut_", i+1), 0)
	}
	for i := range 1 + d.below(3) {
		c.isAccepted(d, 20*time.Second, fmt.Sprint("aut_n", i+1), 1+d.below(c.owners-1))
	}
}

func describe(status int) string {
	if status == hangs {
		return " hangs"
	}
	return fmt.Sprint(" answers ", status)
}

// neighboursTook is how long each automation of the others took, in the order in which
// they were accepted.
func (w *harness) neighboursTook() (took []duration) {
	for _, a := range w.store.byAge() {
		if a.OwnerID != troubled && a.FinishedAt != nil {
			took = append(took, duration{a.ID, a.OwnerID, a.FinishedAt.Sub(a.AcceptedAt)})
		}
	}
	return took
}

// A duration is how long an automation took, from its acceptance to its end.
type duration struct {
	automationID, ownerID string
	took                  time.Duration
}

// heldUp says which automations took too long beside an owner in trouble. When every
// place is taken, one comes free when a run of that owner has been slow for a second.
// A dispatcher that has found none looks again after a quarter of a poll, and the calls
// to park, claim and start take up to half a second. Owners take turns, so the next place
// is a neighbour's: each automation waits so at most once for itself, once for each
// that was accepted for a neighbour before it, and once for each other neighbour, whose
// turn may come first with one that was accepted later.
func heldUp(c config, beside, alone []duration) (broken []string) {
	for i, one := range beside {
		j := slices.IndexFunc(alone, func(a duration) bool { return a.automationID == one.automationID })
		if j < 0 {
			continue
		}
		turns := map[string]bool{}
		for _, later := range beside[i+1:] {
			if later.ownerID != one.ownerID {
				turns[later.ownerID] = true
			}
		}
		most := alone[j].took + time.Duration(i+1+len(turns))*(slow+c.poll/4+calls)
		if one.took > most {
			broken = append(broken, fmt.Sprintf("%s was held up: it took %v beside %s, %v without, at most %v", one.automationID, one.took, troubled, alone[j].took, most))
		}
	}
	return broken
}

// hang waits as long as a caller does.
func hang(ctx context.Context, to part) error {
	<-ctx.Done()
	return unanswered(to, ctx.Err())
}

// placeHolders keep their places while they wait for their drive.
type placeHolders struct{ database }

func (placeHolders) Park(context.Context, string, int, platen.Wait) (platen.Wait, error) {
	return platen.Wait{}, nil
}
