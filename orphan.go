package platen

import "time"

// An OrphanedTemplate is the copy of a template that no document uses: of one that
// was reserved and never completed, or that was removed. It is in its owner's
// drive under the document's id as key, if it is there.
type OrphanedTemplate struct {
	DocumentID string
	OwnerID    string
	CreatedAt  time.Time // of the document
}

// A PreviewCopy is a copy of a template that was filled, or was to be filled,
// with sample data. It is in its owner's drive under its key, if it is there.
type PreviewCopy struct {
	Key       string
	OwnerID   string
	CreatedAt time.Time
}

// An EndedOutput is an output that may have orphans in its owner's drive.
type EndedOutput struct {
	OutputID   string
	Automation Automation // as it was when the output was listed
	CreatedAt  time.Time
	EndedAt    time.Time
}
