package lang

import (
	"strings"
	"time"
)

// TimestampLayout writes {{Timestamp}}: safe in file names on every system.
const TimestampLayout = "2006-01-02 15.04.05"

// Builtins are the tags that every automation has. A source field of exactly
// the same name wins over each.
type Builtins struct {
	AcceptedAt   time.Time      // {{Timestamp}}
	Zone         *time.Location // of {{Timestamp}}; nil is UTC
	AutomationID string         // {{Automation ID}}
	WorkflowName string         // {{Workflow Name}}
	Locale       string         // of functions without one of their own; empty: English
	// Number is {{Number …}} of a series that the document declares; nil: it declares none.
	Number func(series string) (int64, bool)
}

func (b Builtins) get(name string, anyCase bool) (string, bool) {
	is := func(builtin string) bool {
		return name == builtin || anyCase && strings.EqualFold(name, builtin)
	}
	if n, ok := b.number(name); ok {
		return n, true
	}
	switch {
	case is("Timestamp"):
		zone := b.Zone
		if zone == nil {
			zone = time.UTC
		}
		return b.AcceptedAt.In(zone).Format(TimestampLayout), true
	case is("Automation ID"):
		return b.AutomationID, true
	case is("Workflow Name"):
		return b.WorkflowName, true
	}
	return "", false
}

// builtin is the value of a built-in name, in any case.
func (e *Evaluator) builtin(name string) (string, bool) {
	if text, ok := e.builtins.get(name, false); ok {
		return text, true
	}
	return e.builtins.get(name, true)
}
