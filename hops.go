package platen

import (
	"strconv"
	"strings"
)

// HopsHeader is the header of a delivery, and of a source event, that counts
// the deliveries that led to it: 1 for the event of an automation whose source
// event carried none.
const HopsHeader = "Platen-Hops"

// MaxHops is how many deliveries may lead to a source event. Workflows that
// hand on to each other need two or three; in a circle each hop may start as
// many automations as a workflow has documents.
const MaxHops = 5

// Hops reads the values of HopsHeader: the largest number counts, at most one
// above MaxHops, and what is no number is 0, because a sender that hands on a
// header cannot repair it.
func Hops(values []string) int {
	most := 0
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			// A number that is out of range is the largest there is.
			n, err := strconv.ParseUint(strings.TrimSpace(part), 10, 31)
			if err == nil || n > 0 {
				most = max(most, int(min(n, MaxHops+1)))
			}
		}
	}
	return most
}
