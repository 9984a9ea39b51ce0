package api

import (
	"encoding/json"
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

// correctOutput has the output of a review made again of other data, and answers with it as
// it stands then.
func (s *server) correctOutput(w http.ResponseWriter, r *http.Request) error {
	wf, o, err := s.findOutput(r)
	if err != nil {
		return err
	}
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return err
	}
	var data []byte
	var seen *int
	if err := decode(body, members{"round": wholeNumber(&seen, 1, math.MaxInt32), "data": eventData(&data)}, "data"); err != nil {
		return err
	}
	round := 0
	set(&round, seen)
	by := caller(r.Context())
	_, err = s.Reviews.Correct(r.Context(), by, wf.ID, o.ID, round, data, func(review platen.Review, now time.Time) (platen.ReviewCorrection, error) {
		_, err := review.For(by.Email, now)
		return platen.ReviewCorrection{By: by.Email, At: now, UserID: by.ID}, err
	})
	if err != nil {
		return err
	}
	if _, o, err = s.findOutput(r); err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, output(o))
}

// eventData reads an object that could be an event.
func eventData(dst *[]byte) member {
	return func(d *decoder, pointer string) {
		objectAsSent(dst)(d, pointer)
		if *dst == nil {
			return
		}
		if _, err := platen.SourceFields(*dst); err != nil {
			d.fault(pointer, "must not nest objects and lists deeper than %d levels", platen.MaxSourceDepth)
		}
	}
}

// outputDataJSON is what an output is, or is to be, made of.
type outputDataJSON struct {
	Data json.RawMessage `json:"data"` // null: it was erased
}

// getOutputData shows what an output is made of: the source data of its automation, or what
// approvers have made of it.
func (s *server) getOutputData(w http.ResponseWriter, r *http.Request) error {
	wf, o, err := s.findOutput(r)
	if err != nil {
		return err
	}
	out := outputDataJSON{Data: json.RawMessage("null")}
	a, err := s.Automations.WorkflowAutomation(r.Context(), caller(r.Context()), wf.ID, o.AutomationID)
	if err != nil {
		return err
	}
	if a.EraseRequestedAt == nil {
		var data []byte
		if data, err = s.Automations.OutputData(r.Context(), a.ID, o.ID, 0); err == nil {
			out.Data, _, err = readSourceData(data)
		}
	}
	if err != nil && !platen.IsDataErased(err) {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, out)
}
