package platen

import "errors"

// Sharing says who may open outputs beside those whom their folder lets.
type Sharing string

// Kinds of sharing; empty is SharingFolder.
const (
	SharingFolder Sharing = "folder" // nobody else
	SharingDomain Sharing = "domain" // everybody of the account's domain who has the link
	SharingAnyone Sharing = "anyone" // everybody who has the link
)

// Shares tells whether outputs are given to others than their folder's.
func (s Sharing) Shares() bool { return s == SharingDomain || s == SharingAnyone }

// CodeSharingRefused is the code of an error, and of the finding of an output, about
// files that the drive does not let its account share as the document asks for.
const CodeSharingRefused = "drive_sharing_refused"

// IsSharingRefused tells whether an error says that, however often it is tried.
func IsSharingRefused(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == CodeSharingRefused
}
