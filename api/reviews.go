package api

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// approveOutput and rejectOutput add the answer of the caller to the review of an output,
// and answer with it as it stands then.

func (s *server) approveOutput(w http.ResponseWriter, r *http.Request) error {
	return s.answerReview(w, r, true)
}

func (s *server) rejectOutput(w http.ResponseWriter, r *http.Request) error {
	return s.answerReview(w, r, false)
}

// readDecision reads why an output is rejected, and the round that the caller has seen; 0:
// the latest.
func readDecision(r *http.Request, approves bool) (reason string, round int, err error) {
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil || approves && len(body) == 0 {
		return "", 0, err
	}
	var why *string
	var seen *int
	in, required := members{"round": wholeNumber(&seen, 1, math.MaxInt32)}, []string{}
	if !approves {
		required = append(required, "reason")
		in["reason"] = text(&why, func(text string) string {
			if n := utf8.RuneCountInString(text); n > platen.MaxReviewReason || strings.TrimSpace(text) == "" {
				return fmt.Sprintf("must say why, in %d characters at most", platen.MaxReviewReason)
			}
			return ""
		})
	}
	err = decode(body, in, required...)
	set(&round, seen)
	return strings.TrimSpace(orEmpty(why)), round, err
}

func (s *server) answerReview(w http.ResponseWriter, r *http.Request, approves bool) error {
	wf, o, err := s.findOutput(r)
	if err != nil {
		return err
	}
	reason, round, err := readDecision(r, approves)
	if err != nil {
		return err
	}
	by := caller(r.Context())
	_, err = s.Reviews.Answer(r.Context(), by, wf.ID, o.ID, round, func(review platen.Review, now time.Time) (platen.Answer, error) {
		as, err := review.For(by.Email, now)
		return platen.Answer{For: as.For, By: as.By, Approves: approves, Reason: reason, At: now, UserID: by.ID}, err
	})
	if err != nil {
		return err
	}
	if _, o, err = s.findOutput(r); err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, output(o))
}
