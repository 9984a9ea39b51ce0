package google

import (
	"errors"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// replaced is a request that replaces a text wherever it stands, and in how many
// places it did.
type replaced struct {
	find, replace string
	places        int64
}

// checkReplaced sees that the requests of a batch left no tag, and that what
// one of them put in for a later one to find was found as often. Only where a
// tag was found nowhere, it asks what the file shows now: a drive need not reach
// all of it, and what is out of reach may show nowhere either.
func checkReplaced(all []replaced, show func() ([]string, error)) error {
	later := map[string]int64{}
	var left []string
	for _, r := range slices.Backward(all) {
		if places, ok := later[r.replace]; ok && places != r.places {
			return platen.Errorf(platen.KindInternal, "drive_unexpected", "The drive replaced a tag in some places only.")
		}
		later[r.find] = r.places
		if r.places == 0 && strings.HasPrefix(r.find, "{{") {
			left = append(left, r.find)
		}
	}
	if len(left) == 0 {
		return nil
	}
	passages, err := show()
	if err != nil {
		return behindChange(err)
	}
	for _, tag := range slices.Backward(left) {
		if slices.ContainsFunc(passages, func(p string) bool { return strings.Contains(p, tag) }) {
			return platen.Errorf(platen.KindInvalid, platen.CodeTagLeft,
				"The drive could not replace %.200q in the document, although it stands there. Delete it in the template and write it in one go, without a picture or field inside.", tag)
		}
	}
	return nil
}

// behindChange is the error of a call that follows the change: an error
// for too many calls would say that nothing has changed.
func behindChange(err error) error {
	refused, ok := errors.AsType[*platen.Error](err)
	if !ok || refused.Kind != platen.KindRateLimited {
		return err
	}
	later := *refused
	later.Kind, later.Code = platen.KindUnavailable, "drive_unavailable"
	return &later
}
