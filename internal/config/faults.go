package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Fault is what is wrong with one setting, and its cure.
type Fault struct{ Flag, Variable, Message string }

func (f Fault) Error() string { return fmt.Sprintf("--%s (%s): %s", f.Flag, f.Variable, f.Message) }

// Faults are those that a Check found.
func Faults(err error) []Fault {
	switch e := err.(type) {
	case Fault:
		return []Fault{e}
	case interface{ Unwrap() error }:
		return Faults(e.Unwrap())
	case interface{ Unwrap() []error }:
		var all []Fault
		for _, one := range e.Unwrap() {
			all = append(all, Faults(one)...)
		}
		return all
	}
	return nil
}

// A checker collects faults.
type checker struct {
	faults []error
	prefix string // of environment variables, if another than PLATEN_
}

func (c *checker) fault(flag, format string, args ...any) {
	c.faults = append(c.faults, Fault{Flag: flag, Variable: c.twin(flag), Message: fmt.Sprintf(format, args...)})
}

func (c *checker) err() error {
	if len(c.faults) == 0 {
		return nil
	}
	all := errors.Join(c.faults...)
	return fmt.Errorf("the configuration has %d fault(s):\n%w", strings.Count(all.Error(), "\n")+1, all)
}

// twin is the environment variable of a flag.
func (c *checker) twin(flag string) string {
	return cmp.Or(c.prefix, "PLATEN_") + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func (c *checker) oneOf(flag, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		c.fault(flag, "%q is not one of %s", value, strings.Join(allowed, ", "))
	}
}

func (c *checker) hostPort(flag, value, example string) {
	_, port, err := net.SplitHostPort(value)
	if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 0 || n > 65535 {
		c.fault(flag, "%q is not host:port, such as %s", value, example)
	}
}

// publicURL accepts an empty value: the listening address then stands for it
// (see reachable).
func (c *checker) publicURL(flag, value, suffix string) {
	if value == "" {
		return
	}
	u, err := url.Parse(value)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		c.fault(flag, "%q is not a plain http or https address", value)
		return
	}
	if !strings.HasSuffix(strings.TrimRight(u.Path, "/"), suffix) {
		c.fault(flag, "%q does not end in %s", value, suffix)
	}
}

// reachable asks for a public address where the program listens on every
// address of the machine: no client can be told that one.
func (c *checker) reachable(flag, public, listenFlag, listening, example string) {
	host, _, err := net.SplitHostPort(listening)
	if err != nil || public != "" {
		return
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		c.fault(flag, "it is needed beside --%s %s, which listens on every address and names none; set it to what clients use, such as %s", listenFlag, listening, example)
	}
}

func (c *checker) onOff(flag string, s Switch) {
	if s.wrong && s.text != "" {
		c.fault(flag, "%q is neither true nor false", s)
	}
}

func (c *checker) count(flag string, s Setting[int], least, most int) {
	if s.wrong || s.value < least || s.value > most {
		c.fault(flag, "%q is not a whole number from %d to %d", s, least, most)
	}
}

// countIfGiven is count, unless the setting says nothing: a default then stands
// for it.
func (c *checker) countIfGiven(flag string, s Setting[int], least, most int) {
	if s.text != "" || s.value != 0 {
		c.count(flag, s, least, most)
	}
}

func (c *checker) openRuns(flag string, open Setting[OpenRuns]) {
	const most = 100_000
	if open.wrong || open.value < 0 || open.value > most {
		c.fault(flag, "%q is not a whole number from 1 to %d", open, most)
	}
}

// quotaIfGiven asks for two limits that a step fits in, unless the setting says
// nothing: a default then stands for it.
func (c *checker) quotaIfGiven(flag string, s Setting[Quota], least int) {
	if s.text == "" && s.value == (Quota{}) {
		return
	}
	const most = 1_000_000_000
	if q := s.value; s.wrong || q.Account < least || q.Project < q.Account || q.Project > most {
		c.fault(flag, "%q is not what an account may use in a minute and what the project may, such as 60,600, from %d to %d", s, least, most)
	}
}

func (c *checker) networks(flag string, s Setting[[]netip.Prefix]) {
	if !s.wrong {
		return
	}
	for _, text := range split(s.text) {
		if _, err := netip.ParsePrefix(text); err != nil {
			c.fault(flag, "%q is not a network such as 10.1.2.0/24", text)
		}
	}
}

func (c *checker) durations(flag string, s Setting[[]time.Duration]) {
	if !s.wrong {
		return
	}
	for _, text := range split(s.text) {
		if _, err := parseWait(text); err != nil {
			c.fault(flag, "%q is not a duration such as 5s or 2h", text)
		}
	}
}

func (c *checker) location(flag string, s Setting[*time.Location]) {
	if s.wrong {
		c.fault(flag, "%q is not a time zone such as Europe/Vienna", s)
	}
}

// wait accepts an empty text, which is none.
func (c *checker) wait(flag string, s Setting[time.Duration]) {
	if s.wrong && s.text != "" {
		c.fault(flag, "%q is not a duration such as 30s or 1h", s)
	}
}

// timeIfGiven asks for a time between two others, unless the setting says
// nothing: a default then stands for it.
func (c *checker) timeIfGiven(flag string, s Setting[time.Duration], least, most time.Duration) {
	if s.text == "" && s.value == 0 {
		return
	}
	if s.wrong || s.value < least || s.value > most {
		c.fault(flag, "%q is not a time, from %v to %v", s, least, most)
	}
}

// restsIfGiven asks for two times, the first at most the second, unless the
// setting says nothing.
func (c *checker) restsIfGiven(flag string, s Setting[[]time.Duration], least, most time.Duration) {
	if s.text == "" && s.value == nil {
		return
	}
	if rests := s.value; s.wrong || len(rests) != 2 || rests[0] < least || rests[1] > most || rests[0] > rests[1] {
		c.fault(flag, "%q is not the first cool-down and the longest, from %v to %v", s, least, most)
	}
}
