package platen

import (
	"time"
)

// A QuotaKind is something that Google counts by the minute.
type QuotaKind int

// The kinds of quotas, with the pages that say their limits:
// https://developers.google.com/workspace/docs/api/limits,
// https://developers.google.com/workspace/slides/api/limits and
// https://developers.google.com/workspace/drive/api/guides/limits.
const (
	DocsWrites   QuotaKind = iota // changes of documents; a batch is one
	DocsReads                     // readings of documents
	SlidesWrites                  // changes of presentations; a batch is one
	SlidesReads                   // readings of presentations
	DriveUnits                    // quota units of calls to the Drive API
	quotaKinds
)

// CodeQuotaUsedUp is the code of a step that waits for a quota.
const CodeQuotaUsedUp = "drive_quota_used_up"

// A Usage says how much of each quota is used, by QuotaKind.
type Usage [quotaKinds]int

// Plus is both together.
func (u Usage) Plus(other Usage) Usage {
	for kind := range u {
		u[kind] += other[kind]
	}
	return u
}

// Minus is what is left of it without the other; an entry may be below zero.
func (u Usage) Minus(other Usage) Usage {
	for kind := range u {
		u[kind] -= other[kind]
	}
	return u
}

// Covers reports whether other uses at most as much of each kind.
func (u Usage) Covers(other Usage) bool {
	for kind := range u {
		if other[kind] > u[kind] {
			return false
		}
	}
	return true
}

// Quotas are the limits by the minute. 0: there is none.
type Quotas struct {
	Account Usage // of one user of Google
	Project Usage // of all together
}

// QuotaWindow is the time for which a call counts.
const QuotaWindow = time.Minute

// A QuotaAccount is a user of Google in a project of Google. Both are known by
// digests.
type QuotaAccount struct {
	Project string
	Account string
	Shared  bool // owners who know nothing of each other use it
}

// A QuotaTicket is what somebody uses of quotas, or waits for.
type QuotaTicket struct {
	ID string // who asks again has the same
	QuotaAccount
	OwnerID string // whose share it is
	// WorkflowID is whose part of that share it is; empty: of none.
	WorkflowID string
	Asks       Usage
	Later      Usage // what of it is used a second later, at the earliest; not stored
	AskedAt    time.Time
	// DueAt is when one that waits is to ask again; HeldUntil is until when one that
	// was granted counts, unless it is settled before. One of the two is zero.
	DueAt, HeldUntil time.Time
}

// A QuotaUse counts until a time. Of one that is held, it is the earliest: it counts
// for a minute from when it is settled.
type QuotaUse struct {
	Account string
	OwnerID string
	Until   time.Time
	Usage   Usage
}

// A QuotaBook is what is known of a project at a moment, without the ticket of
// who asks.
type QuotaBook struct {
	Now     time.Time
	Own     *QuotaTicket  // the ticket of who asks, as it is stored; nil: there is none
	Account []QuotaUse    // what counts for the account of who asks
	Project []QuotaUse    // what counts for the project, the account's included
	Waiting []QuotaTicket // the other tickets of the project that wait
}
