package platen

import "time"

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
