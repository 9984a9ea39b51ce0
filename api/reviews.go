package api

import (
	"fmt"
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
	return s.answerReview(w, r, true, func() (string, error) { return "", readNothing(r) })
}

func (s *server) rejectOutput(w http.ResponseWriter, r *http.Request) error {
	return s.answerReview(w, r, false, func() (string, error) { return readReason(r) })
}

// readReason reads why an output is rejected.
func readReason(r *http.Request) (string, error) {
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return "", err
	}
	var reason *string
	err = decode(body, members{"reason": text(&reason, func(text string) string {
		if n := utf8.RuneCountInString(text); n > platen.MaxReviewReason || strings.TrimSpace(text) == "" {
			return fmt.Sprintf("must say why, in %d characters at most", platen.MaxReviewReason)
		}
		return ""
	})}, "reason")
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(*reason), nil
}

func (s *server) answerReview(w http.ResponseWriter, r *http.Request, approves bool, read func() (reason string, _ error)) error {
	wf, o, err := s.findOutput(r)
	if err != nil {
		return err
	}
	reason, err := read()
	if err != nil {
		return err
	}
	by := caller(r.Context())
	_, err = s.Reviews.Answer(r.Context(), by, wf.ID, o.ID, 0, func(review platen.Review, now time.Time) (platen.Answer, error) {
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
