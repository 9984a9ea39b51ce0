package console

import (
	"net/url"
	"slices"
	"time"
)

// chosenDays are the days, in UTC, that a page lists.
type chosenDays struct {
	From, To string // both included, as time.DateOnly; empty: all
	Days     []someDays
}

// someDays are days that many ask for.
type someDays struct{ Text, From, To string }

func daysOf(asked url.Values, now time.Time) chosenDays {
	day := func(before int) string { return now.UTC().AddDate(0, 0, -before).Format(time.DateOnly) }
	return chosenDays{asked.Get("from"), asked.Get("to"), []someDays{
		{say("Today"), day(0), day(0)}, {say("Yesterday"), day(1), day(1)}, {say("7 days"), day(6), day(0)}, {say("30 days"), day(29), day(0)},
	}}
}

// Others tells whether days are chosen that are not among Days.
func (d chosenDays) Others() bool {
	return (d.From != "" || d.To != "") && !slices.ContainsFunc(d.Days, func(of someDays) bool { return of.From == d.From && of.To == d.To })
}

// days are the times from the beginning of the first day to the end of the last, zero where
// there is none, or why they are none.
func days(first, last string) (since, until time.Time, why string) {
	from, errFrom := time.Parse(time.DateOnly, first)
	to, errTo := time.Parse(time.DateOnly, last)
	if first != "" && errFrom != nil || last != "" && errTo != nil {
		return since, until, say("A day is written like 2026-01-31.")
	}
	if first != "" {
		since = from
	}
	if last != "" {
		until = to.AddDate(0, 0, 1)
	}
	return since, until, ""
}

// fieldsOf are the hidden fields of a form that keep what a query has.
func fieldsOf(kept []string) (fields [][2]string) {
	for ; len(kept) > 0; kept = kept[2:] {
		if kept[1] != "" {
			fields = append(fields, [2]string{kept[0], kept[1]})
		}
	}
	return fields
}
