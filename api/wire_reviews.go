package api

import (
	"github.com/platenhq/platen/internal/platen"
)

// reviewJSON says who is to approve an output, and what they answered.
type reviewJSON struct {
	Round       int              `json:"round"` // the attempt that made it
	By          []string         `json:"by"`
	Needed      int              `json:"needed"`
	SHA256      string           `json:"sha256"` // of the PDF
	RequestedAt string           `json:"requestedAt"`
	ExpiresAt   string           `json:"expiresAt"`
	RemindedAt  *string          `json:"remindedAt"`
	Verdict     *platen.Verdict  `json:"verdict"` // null: it waits
	DecidedAt   *string          `json:"decidedAt"`
	Unsent      *string          `json:"unsent"` // why the last mail about it did not go out
	Answers     []reviewAnswered `json:"answers"`
	Correction  *correctionJSON  `json:"correction,omitempty"` // the last one of its data

	CorrectByLink bool `json:"correctByLink,omitempty"`
}

// correctionJSON says who has corrected what an output is made of.
type correctionJSON struct {
	By     *string  `json:"by"` // null: the source data was erased
	Fields []string `json:"fields"`
	At     string   `json:"at"`
}

type reviewAnswered struct {
	For      *string `json:"for"` // null: the source data was erased
	By       *string `json:"by"`  // for, or a deputy
	Approves bool    `json:"approves"`
	Reason   *string `json:"reason"`
	At       string  `json:"at"`
}

func reviewOf(r *platen.Review) *reviewJSON {
	if r == nil {
		return nil
	}
	j := reviewJSON{
		Round: r.Round, By: r.By, Needed: r.Needed(), SHA256: r.SHA256, RequestedAt: platen.Timestamp(r.RequestedAt), ExpiresAt: platen.Timestamp(r.ExpiresAt),
		RemindedAt: moment(r.RemindedAt), DecidedAt: moment(r.DecidedAt), Unsent: orNull(r.Unsent), Answers: make([]reviewAnswered, len(r.Answers)),
		CorrectByLink: r.CorrectByLink,
	}
	if r.Verdict != "" {
		j.Verdict = &r.Verdict
	}
	if c := r.Correction; c != nil {
		j.Correction = &correctionJSON{By: orNull(c.By), Fields: append([]string{}, c.Fields...), At: platen.Timestamp(c.At)}
	}
	for i, a := range r.Answers {
		j.Answers[i] = reviewAnswered{For: orNull(a.For), By: orNull(a.By), Approves: a.Approves, Reason: orNull(a.Reason), At: platen.Timestamp(a.At)}
	}
	return &j
}
