package platen

import (
	"fmt"
	"time"
)

// MonthUsage is what an owner used in a month. Tests are not counted.
type MonthUsage struct {
	OwnerID string
	Month   time.Time // its first moment in UTC
	// Documents are the outputs that were made, each counted once, in the month in which it
	// was. Pages and Bytes are those of their PDFs.
	Documents, Pages, Bytes int64
	// Mails are recipients for whom a mail server took a mail about an output.
	Mails int64
}

// An OwnerUsage is what one owner of several used.
type OwnerUsage struct {
	MonthUsage
	Email string // empty: the owner was deleted
	Limit *int64 // of documents in a month, as it is now; nil: none
}

// Month is the first moment of the month of a time, in UTC.
func Month(of time.Time) time.Time {
	of = of.UTC()
	return time.Date(of.Year(), of.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// Position is that of a month in a list of usage.
func (u MonthUsage) Position() Position { return Position{CreatedAt: u.Month, ID: u.OwnerID} }

const monthLayout = "2006-01"

// FormatMonth writes a month as 2026-11.
func FormatMonth(month time.Time) string { return month.UTC().Format(monthLayout) }

// ParseMonth reads what FormatMonth writes.
func ParseMonth(text string) (time.Time, error) { return time.Parse(monthLayout, text) }

// MaxUsageLimit is the highest number of documents that an owner may be limited to in a month.
const MaxUsageLimit = 1_000_000_000_000

// usageRetry is how long senders are to wait at most: the limit may be raised at any time.
const usageRetry = time.Hour

// A UsageRoom is how many documents an owner with a limit may have in a month.
type UsageRoom struct {
	Most int64
	Used int64 // were made in this month, or are still to be made of what waits and runs
}

// Left is how many more documents are accepted.
func (r UsageRoom) Left() int64 { return max(r.Most-r.Used, 0) }

// CodeUsageLimit is the code of events that the limit of their owner leaves no room for.
const CodeUsageLimit = "usage_limit_reached"

// ErrUsageLimit refuses events that make more documents than their owner has room for in the
// month of now.
func ErrUsageLimit(now time.Time, r UsageRoom, makes int64) error {
	ends := Month(now).AddDate(0, 1, 0)
	return &Error{Kind: KindRateLimited, Code: CodeUsageLimit, RetryAfter: min(usageRetry, ends.Sub(now)),
		Message: fmt.Sprintf("The limit of the workflow's owner leaves room for %d documents, and this makes %d. The limit is %d in a month, and %d are made or wait. Nothing was stored. Send less, send it again after %s, or have the operator raise the limit.",
			r.Left(), makes, r.Most, r.Used, Timestamp(ends))}
}
