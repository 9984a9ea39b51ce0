package simulation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/serviceerror"

	"github.com/platenhq/platen/internal/platen"
)

// A faultKind says what goes wrong with a call.
type faultKind int

const (
	none        faultKind = iota
	refused               // it has no effect, and fails
	lost                  // it has its effect, and the answer is lost
	lands                 // it takes long, whether the caller waits or not
	overloaded            // the drive refuses the call by its rate limit: nothing was done
	crashBefore           // the process ends before the effect
	crashAfter            // and after it
)

func (k faultKind) String() string {
	return [...]string{"goes on", "is refused", "has its effect, and its answer is lost", "lands late", "is refused as one too many", "never happens: the process crashes", "happens, and the process crashes"}[k]
}

type fault struct {
	kind  faultKind
	delay time.Duration // before anything happens
}

// A profile says how often calls go wrong.
type profile struct {
	parts   map[part]float64 // the probability that a call to it goes wrong
	crashes float64          // that a call ends its process
	latency map[part]time.Duration
}

// faults decides what goes wrong, and keeps it. Given what is to go wrong, it
// has nothing else go wrong: a failure is made shorter by leaving faults out.
type faults struct {
	profile profile
	outages []outage
	only    map[string]bool // nil: the profile decides
	inOrder bool            // calls go on in the order in which they came

	struck []string // names of what went wrong, in its order
	counts map[part]int
}

// An outage is a time in which a part answers nobody, or one process.
type outage struct {
	name     string
	of       part
	for_     string // name of a process; empty: all
	from, to time.Duration
}

// concerns tells whether the outage is one for a process of this name.
func (o outage) concerns(name string) bool { return o.for_ == "" || o.for_ == name }

func newFaults(p profile, outages []outage, only map[string]bool, inOrder bool) *faults {
	return &faults{profile: p, outages: outages, only: only, inOrder: inOrder, counts: map[part]int{}}
}

// keeps tells whether something is not left out.
func (f *faults) keeps(name string) bool { return f.only == nil || f.only[name] }

// note keeps that something went wrong, unless that is left out.
func (f *faults) note(name string) bool {
	if !f.keeps(name) {
		return false
	}
	f.struck = append(f.struck, name)
	return true
}

// of decides what becomes of a call.
func (f *faults) of(s *scheduler, c *call) fault {
	now := s.since()
	for _, o := range f.outages {
		if o.of == c.part && o.concerns(c.caller.name) && o.from <= now && now < o.to && f.allows(o.name) {
			f.counts[c.part]++
			return fault{kind: refused}
		}
	}
	drawn := draw(s.seed, "fault ", c.key)
	p := probability(drawn)
	latency := f.latency(s, c)
	switch rate := f.profile.parts[c.part]; {
	case p < f.profile.crashes:
		if f.note(c.key) {
			f.counts["crash"]++
			return fault{kind: [...]faultKind{crashBefore, crashAfter}[drawn%2], delay: latency}
		}
	case p < f.profile.crashes+rate:
		if f.note(c.key) {
			f.counts[c.part]++
			return f.kind(s, c, latency)
		}
	}
	return fault{delay: latency}
}

// allows tells whether an outage is not left out; it is noted once.
func (f *faults) allows(name string) bool {
	return slices.Contains(f.struck, name) || f.note(name)
}

func (f *faults) kind(s *scheduler, c *call, latency time.Duration) fault {
	kinds := []faultKind{refused, refused, lost, lost, lands}
	if c.part == partDrive {
		kinds = append(kinds, overloaded)
	}
	kind := kinds[s.below("kind ", c.key, len(kinds))]
	if kind == lands {
		latency = s.duration("lands after ", c.key, 500*time.Millisecond, 45*time.Second)
	}
	return fault{kind: kind, delay: latency}
}

// latency is how long a call takes that does not go wrong: half of them no time.
func (f *faults) latency(s *scheduler, c *call) time.Duration {
	most := f.profile.latency[c.part]
	if most == 0 || s.chance("quick ", c.key, 0.5) {
		return 0
	}
	return s.duration("latency ", c.key, 0, most).Truncate(time.Millisecond)
}

// unanswered is the error of a call to a part that does not answer.
func unanswered(to part, cause error) error {
	switch {
	case errors.Is(cause, context.Canceled):
		return cause
	case to == partTemporal:
		return serviceerror.NewUnavailable("temporal is away")
	case cause != nil:
		return &platen.Error{Kind: platen.KindUnavailable, Code: string(to) + "_unavailable", Message: "The " + string(to) + " does not answer in time.", Err: cause}
	}
	return platen.Errorf(platen.KindUnavailable, string(to)+"_unavailable", "The %s does not answer.", to)
}

// A trace is what happened, in words. A nil one keeps nothing.
type trace struct{ lines []string }

func (t *trace) add(s *scheduler, c *call, err error) {
	if t == nil {
		return
	}
	if err == nil && c.fault.kind == none && (strings.Contains(c.key, " claims ") || strings.Contains(c.key, " lists ") || strings.Contains(c.key, " registers ") || c.caller == nil) {
		return // what it finds says more
	}
	line := c.key
	if c.fault.kind != none {
		line += " – " + c.fault.kind.String()
	}
	if err != nil {
		line += fmt.Sprintf(" (%v)", err)
	}
	t.say(s, line)
}

func (t *trace) say(s *scheduler, line string) {
	if t != nil {
		t.lines = append(t.lines, fmt.Sprintf("%10.3fs  %s", s.since().Seconds(), line))
	}
}

// sorted are the keys of a map in order: what is decided by them is the same in
// every run of a seed.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
