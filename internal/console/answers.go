package console

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/platenhq/platen/client"
)

// approveOutput and rejectOutput answer for who is signed in, about what the page has shown.

func (s *site) approveOutput(ctx context.Context, r request) (string, error) {
	output := r.PathValue("output")
	if _, err := r.api.ApproveOutput(ctx, r.workflowID(), output, r.round()); err != nil {
		return r.runPage(), err
	}
	return r.runPage() + "#review-" + output, nil
}

func (s *site) rejectOutput(ctx context.Context, r request) (string, error) {
	output := r.PathValue("output")
	if _, err := r.api.RejectOutput(ctx, r.workflowID(), output, r.typed("reason"), r.round()); err != nil {
		return r.runPage(), err
	}
	return r.runPage() + "#review-" + output, nil
}

// round is that of the pages which the form stood under.
func (r request) round() int {
	n, err := strconv.Atoi(r.typed("round"))
	if err != nil || n < 1 {
		return math.MaxInt32 // a form that is not ours has seen nothing
	}
	return n
}

// waitsFor tells whether an output waits for the answer of somebody.
func waitsFor(o client.Output, address string) bool {
	if o.State != "REVIEW" || o.Review == nil {
		return false
	}
	for _, a := range o.Review.Answers {
		if a.For != nil && strings.EqualFold(*a.For, address) {
			return false
		}
	}
	return slices.ContainsFunc(o.Review.By, func(one string) bool { return strings.EqualFold(one, address) })
}
