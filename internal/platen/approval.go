package platen

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// An Approval has each output of a document wait in state REVIEW until named people let it
// out: nothing is shared, mailed or told of before. An extension.
type Approval struct {
	By   []string // e-mail addresses of those who decide, 1 to MaxApprovers
	Need int      // how many of By have to approve; 0: all of them
	When string   // a condition, as Document.When: what it is false for waits for nobody
	// RemindDays is after how many days those who have not answered are reminded, and how
	// many days apart after that; 0: never.
	RemindDays int
	ExpireDays int // after how many days the output fails, 1 to MaxExpireDays
	// Deputies has for addresses of By the address of somebody who may decide in place of
	// that one, once a reminder was due.
	Deputies map[string]string
	// CorrectByLink: those who come by a link may correct the data, too, and therefore see
	// all of it. Those who are signed in as one of By may.
	CorrectByLink bool
}

// Limits of approvals, and what a new one has.
const (
	MaxApprovers      = 10
	MaxExpireDays     = 365
	DefaultRemindDays = 3
	DefaultExpireDays = 30
	MaxReviewReason   = 1000 // characters of the reason of a rejection
)

// Needed is how many approvals let an output out.
func (a Approval) Needed() int {
	if a.Need == 0 {
		return len(a.By)
	}
	return min(a.Need, len(a.By))
}

// Problem says what is wrong with an approval, and the member that is at fault; empty:
// nothing. The condition is worked out elsewhere.
func (a Approval) Problem() (member, problem string) {
	seen := map[string]bool{}
	for _, address := range a.By {
		lower := strings.ToLower(address)
		switch {
		case !IsEmailAddress(address):
			return "by", fmt.Sprintf("must have plain addresses such as ada@example.com; %q is none", address)
		case seen[lower]:
			return "by", fmt.Sprintf("names %s twice", address)
		}
		seen[lower] = true
	}
	switch {
	case len(a.By) == 0 || len(a.By) > MaxApprovers:
		return "by", fmt.Sprintf("must have 1 to %d addresses", MaxApprovers)
	case a.Need < 0 || a.Need > len(a.By):
		return "need", fmt.Sprintf(`must be "all", or a number from 1 to %d, as many as by has`, len(a.By))
	case a.ExpireDays < 1 || a.ExpireDays > MaxExpireDays:
		return "expireDays", fmt.Sprintf("must be 1 to %d", MaxExpireDays)
	case a.RemindDays < 0 || a.RemindDays >= a.ExpireDays && a.RemindDays > 0:
		return "remindDays", "must be 0, for no reminder, or less than expireDays"
	case len(a.Deputies) > 0 && a.RemindDays == 0:
		return "deputies", "may decide after a reminder, and there is none: set remindDays"
	}
	has, stands := map[string]bool{}, map[string]bool{} // one person never answers twice
	for _, of := range slices.Sorted(maps.Keys(a.Deputies)) {
		lower := strings.ToLower(a.Deputies[of])
		switch deputy := a.Deputies[of]; {
		case !seen[strings.ToLower(of)]:
			return "deputies", fmt.Sprintf("names %s, which is not in by", of)
		case !IsEmailAddress(deputy):
			return "deputies", fmt.Sprintf("must have plain addresses such as ada@example.com; %q is none", deputy)
		case strings.EqualFold(of, deputy):
			return "deputies", fmt.Sprintf("makes %s a deputy of the same address", of)
		case has[strings.ToLower(of)]:
			return "deputies", fmt.Sprintf("names %s twice", of)
		case seen[lower]:
			return "deputies", fmt.Sprintf("makes %s a deputy, who is in by: one person would answer twice. Name somebody else", deputy)
		case stands[lower]:
			return "deputies", fmt.Sprintf("makes %s the deputy of two: one person would answer twice. Name one for each", deputy)
		}
		has[strings.ToLower(of)], stands[lower] = true, true
	}
	return "", ""
}

// CodeApprovalOfPDF is the code of a mail that is to bring an office file, whose PDF alone
// people approve.
const CodeApprovalOfPDF = "approval_of_pdf"

// CheckApproval refuses a document that makes nothing whose bytes people can approve, or that
// mails other bytes.
func (d Document) CheckApproval() error {
	switch {
	case d.Approval == nil:
		return nil
	case !d.CreatePDFCopy:
		return Errorf(KindInvalid, "approval_without_pdf", "What people approve is a PDF, and the document makes none. Set createPdfCopy, or send \"approval\": null.")
	case d.Email != nil && d.Email.Attach == AttachOffice:
		return Errorf(KindInvalid, CodeApprovalOfPDF, "What people approve is the PDF, and the mail is to bring the office file. Set email.attach to pdf or link, or send \"approval\": null.")
	}
	return nil
}

// deputy is who may decide in place of an approver; empty: nobody.
func (a Approval) deputy(of string) string {
	for address, deputy := range a.Deputies {
		if strings.EqualFold(address, of) {
			return deputy
		}
	}
	return ""
}

// IsApproved tells whether bytes may pass for the PDF of an output: of one that people are
// asked, or were asked, to approve, they are those that were made.
func (o Output) IsApproved(pdf []byte) bool {
	sum := sha256.Sum256(pdf)
	return o.IsApprovedHash(hex.EncodeToString(sum[:]))
}

// IsApprovedHash is IsApproved for bytes with this hex SHA-256.
func (o Output) IsApprovedHash(sha256 string) bool {
	return o.State != OutputReview && o.Verdict == "" || o.PDF == nil || sha256 == o.PDF.SHA256
}

// ErrApprovedFileChanged is KindInvalid for a PDF that is not the one that people approve.
func ErrApprovedFileChanged() error {
	return Errorf(KindInvalid, CodeApprovedFileChanged, "The PDF in the drive is not the one that people were asked to approve: somebody replaced or removed it. Retry the automation once it has failed: the document is made and asked about again.")
}

// A Verdict is what became of a review.
type Verdict string

// Verdicts; empty: the output waits, or waited for nobody.
const (
	VerdictApproved Verdict = "APPROVED"
	VerdictRejected Verdict = "REJECTED"
	VerdictExpired  Verdict = "EXPIRED"
	// VerdictCorrected is of reviews alone: the output is made again of other data, and asked
	// about in the next round.
	VerdictCorrected Verdict = "CORRECTED"
)

// Codes of outputs that failed because nobody let them out, and their messages. The reason
// that somebody gave stands in the review.
const (
	CodeApprovalRejected    = "approval_rejected"
	MessageApprovalRejected = "Somebody who was asked to approve the document rejected it. The output's review says who and why. Send the event again with other data, or retry the automation to ask again."
	CodeApprovalExpired     = "approval_expired"
	MessageApprovalExpired  = "The document was not approved in time. Retry the automation to ask again, or set approval.expireDays of the document."
	// CodeApprovedFileChanged is of an output whose PDF is not the one that was approved.
	CodeApprovedFileChanged = "approved_file_changed"
)

// Failure returns why an output with this verdict is not made; ok is false for one that may
// go out.
func (v Verdict) Failure() (code, message string, ok bool) {
	switch v {
	case VerdictRejected:
		return CodeApprovalRejected, MessageApprovalRejected, true
	case VerdictExpired:
		return CodeApprovalExpired, MessageApprovalExpired, true
	}
	return "", "", false
}

// A Review is an output that waits, or waited, for people. Each time that it begins to wait
// it is another round.
type Review struct {
	Approval
	OutputID, AutomationID, WorkflowID string
	Round                              int    // 1 at first
	SHA256                             string // hex, of the PDF that is reviewed
	RequestedAt, ExpiresAt             time.Time
	// RemindedAt is when those who had not answered were reminded last; nil: never.
	RemindedAt *time.Time
	Verdict    Verdict
	DecidedAt  *time.Time
	Answers    []Answer
	// Correction is the last one of the data that the round is about; nil: none.
	Correction *ReviewCorrection
	// Unsent is why the last mail about it did not go out; empty: it did.
	Unsent string
}

// An Answer is the decision of one approver.
type Answer struct {
	// For is the address of Approval.By that has decided by it. It and By are empty once the
	// source data was erased.
	For string
	// By is who decided: For, or a deputy.
	By       string
	Approves bool
	Reason   string // of a rejection
	At       time.Time
	UserID   string // usr_… of who was signed in; empty: it came by a link
}

// An Approver is somebody who may answer in a review, for one address of Approval.By.
type Approver struct{ For, By string }

// deputiesAct tells whether deputies may decide: a reminder was due.
func (r Review) deputiesAct(now time.Time) bool {
	return r.RemindDays > 0 && !now.Before(r.RequestedAt.AddDate(0, 0, r.RemindDays))
}

// Waiting are those who may answer now and have not, deputies behind whom they stand for.
func (r Review) Waiting(now time.Time) []Approver {
	var all []Approver
	for _, address := range r.By {
		if r.answer(address) != nil {
			continue
		}
		all = append(all, Approver{For: address, By: address})
		if deputy := r.deputy(address); deputy != "" && r.deputiesAct(now) {
			all = append(all, Approver{For: address, By: deputy})
		}
	}
	return all
}

// answer is that for an address of By; nil: there is none yet.
func (r Review) answer(address string) *Answer {
	for i := range r.Answers {
		if strings.EqualFold(r.Answers[i].For, address) {
			return &r.Answers[i]
		}
	}
	return nil
}

// For returns for which address of By somebody answers: the own one first, else that of
// somebody who has not answered. KindForbidden with code "not_an_approver".
func (r Review) For(address string, now time.Time) (Approver, error) {
	for _, of := range r.By {
		if strings.EqualFold(of, address) {
			return Approver{For: of, By: of}, nil
		}
	}
	var answered *Approver
	for _, of := range r.By {
		if !strings.EqualFold(r.deputy(of), address) || !r.deputiesAct(now) {
			continue
		}
		as := Approver{For: of, By: address}
		if r.answer(of) == nil {
			return as, nil
		}
		answered = &as
	}
	if answered != nil {
		return *answered, nil
	}
	return Approver{}, Errorf(KindForbidden, "not_an_approver", "The document names others who approve it: those in its approval.by, and after a reminder their deputies.")
}

// Add adds an answer to a review, and sets the verdict where it decides: one rejection, or
// as many approvals as are needed. The same answer again changes nothing. KindInvalid:
// "review_ended" where a verdict was there or its time is over, "review_answered" for
// another answer in the same place.
func (r *Review) Add(a Answer) (added bool, err error) {
	switch before := r.answer(a.For); {
	case before != nil && before.Approves == a.Approves:
		return false, nil
	case before != nil:
		return false, Errorf(KindInvalid, "review_answered", "This was decided before, on %s, and stays so.", before.At.UTC().Format("2006-01-02 15:04 UTC"))
	case r.Verdict != "":
		return false, Errorf(KindInvalid, "review_ended", "The output waits for nobody any more: it is %s.", r.Verdict)
	case !a.At.Before(r.ExpiresAt):
		return false, Errorf(KindInvalid, "review_ended", "The time to approve the output is over.")
	case !slices.ContainsFunc(r.Waiting(a.At), func(w Approver) bool {
		return strings.EqualFold(w.For, a.For) && strings.EqualFold(w.By, a.By)
	}):
		return false, Errorf(KindForbidden, "not_an_approver", "The document names others who approve it.")
	}
	r.Answers = append(r.Answers, a)
	approvals := 0
	for _, one := range r.Answers {
		if one.Approves {
			approvals++
		}
	}
	switch {
	case !a.Approves:
		r.Verdict, r.DecidedAt = VerdictRejected, &a.At
	case approvals >= r.Needed():
		r.Verdict, r.DecidedAt = VerdictApproved, &a.At
	}
	return true, nil
}

// Next is when something is due of a review that waits: a reminder, or its end.
func (r Review) Next() (at time.Time, reminds bool) {
	if r.RemindDays > 0 {
		last := r.RequestedAt
		if r.RemindedAt != nil {
			last = *r.RemindedAt
		}
		if at := last.AddDate(0, 0, r.RemindDays); at.Before(r.ExpiresAt) {
			return at, true
		}
	}
	return r.ExpiresAt, false
}
