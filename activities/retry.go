package activities

import "github.com/platenhq/platen"

// Retryable is the one table that says whether a failed step is worth another
// try. What the integrator has to cure fails at once; what passes by itself,
// and what we do not know, is tried again.
func Retryable(k platen.Kind) bool {
	switch k {
	case platen.KindInvalid, platen.KindForbidden, platen.KindNotFound, platen.KindGone, platen.KindTooLarge:
		return false
	case platen.KindConflict, platen.KindRateLimited, platen.KindUnavailable, platen.KindInternal:
		return true
	}
	return true
}
