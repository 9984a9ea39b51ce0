package platen

import (
	"reflect"
	"slices"
	"strconv"
)

// A Phase says how far an output is. It is not stored: it follows from what is. Phases are
// in the order in which steps reach them.
type Phase int

const (
	PhasePlanned   Phase = iota // no copy of this generation was begun
	PhaseCopying                // a copy was or may have been made
	PhaseCopied                 // the copy is known
	PhaseFilling                // one execution has begun to fill the copy, and may have filled it
	PhaseFilled                 // the copy is filled
	PhaseAppending              // a copy of a template to append was or may have been made
	PhaseUploading              // a PDF was or may have been uploaded
	PhaseStored                 // the drive has the PDF
	PhaseRemoved                // and no longer the original
	PhaseReview                 // State is REVIEW: people look at it
	PhaseDecided                // they have decided, or their time is over
	PhaseDone                   // State is DONE
	PhaseFailed                 // State is FAILED
)

// Phase returns how far an output is. It goes by the first thing that is missing: a copy
// that was thrown away is made again, although a PDF of it may be on its way.
func (o Output) Phase() Phase {
	switch {
	case o.State == OutputFailed:
		return PhaseFailed
	case o.State == OutputDone:
		return PhaseDone
	case o.State == OutputReview:
		return PhaseReview
	case o.Verdict != "":
		return PhaseDecided
	case o.Copy == nil && !o.CopyBegun:
		return PhasePlanned
	case o.Copy == nil:
		return PhaseCopying
	case !o.FillBegun:
		return PhaseCopied
	case !o.FillEnded:
		return PhaseFilling
	case o.PDF != nil && o.Removed:
		return PhaseRemoved
	case o.PDF != nil:
		return PhaseStored
	case len(o.PDFHashes) > 0:
		return PhaseUploading
	case o.AppendixBegun:
		return PhaseAppending
	}
	return PhaseFilled
}

// HasEnded tells whether an output is DONE or FAILED.
func (o Output) HasEnded() bool { return o.Phase() >= PhaseDone }

// CopyKey is the key under which the copy of this generation is found again.
func (o Output) CopyKey() string {
	return o.ID + "." + strconv.Itoa(o.Generation)
}

// Files are the files that an event about this output names: the PDF where
// there is one, and the original unless it was removed.
func (o Output) Files() []OutputFile {
	var files []OutputFile
	if o.PDF != nil {
		files = append(files, OutputFile{*o.PDF, FilePDF})
	}
	if o.Copy != nil && !o.Removed {
		files = append(files, OutputFile{*o.Copy, FileOriginal})
	}
	return files
}

// AppendixKey is the key of copies of templates that are appended to an output's PDF. No
// event names them.
func (o Output) AppendixKey() string { return o.ID + ".appendix" }

// AppendixCopies are the ids of the filled copies that an output notes.
func (o Output) AppendixCopies() []string {
	var ids []string
	for _, a := range o.Appendices {
		if a.CopyID != "" {
			ids = append(ids, a.CopyID)
		}
	}
	return ids
}

// The methods with a pointer are the transitions of an output: nothing else changes one,
// but the statements that plan outputs, have them made by a retry, and end them without
// events. Steps run twice and at the same time, so each transition asks first whether
// the output is still as its step saw it. Where another execution is ahead it returns
// ErrStepSuperseded, and the next try finds what that one did.
//
// A transition may be applied several times, each time to what the row has become; its last
// application counts.

// Change returns what a change makes of an output, and whether that is anything else. The
// output's origin stays. An output that has ended takes no change: KindConflict with code
// "output_ended".
func (o Output) Change(change func(*Output) error) (_ Output, changes bool, _ error) {
	changed := o.clone()
	if err := change(&changed); err != nil {
		return o, false, err
	}
	changed.ID, changed.AutomationID, changed.DocumentID, changed.Attempt, changed.Test = o.ID, o.AutomationID, o.DocumentID, o.Attempt, o.Test
	switch {
	case reflect.DeepEqual(changed, o):
		return o, false, nil
	case o.HasEnded():
		return o, false, Errorf(KindConflict, "output_ended", "output %s has ended as %s and is not changed any more", o.ID, o.State)
	case o.Phase() == PhaseReview && changed.Phase() == PhaseReview:
		return o, false, ErrStepSuperseded(o)
	}
	return changed, true, nil
}

// clone returns an output with lists and files of its own, for a change to write into.
func (o Output) clone() Output {
	o.MissingFields, o.PDFHashes, o.ThrownAway = slices.Clone(o.MissingFields), slices.Clone(o.PDFHashes), slices.Clone(o.ThrownAway)
	o.Findings, o.Appendices = slices.Clone(o.Findings), slices.Clone(o.Appendices)
	for _, file := range []**File{&o.Copy, &o.PDF} {
		if *file != nil {
			its := **file
			*file = &its
		}
	}
	return o
}

// ErrStepSuperseded is KindConflict for a step of which another execution is ahead.
func ErrStepSuperseded(o Output) error {
	return Errorf(KindConflict, CodeStepSuperseded, "Another execution of this step is ahead; trying again finds what it did (%s).", o.ID)
}

// checkAttempt is CheckAttempt for the output's automation.
func (o Output) checkAttempt(attempt int) error {
	return CheckAttempt(o.AutomationID, attempt, o.Attempt)
}

// HasCopy tells whether this is the output's copy, in this generation.
func (o Output) HasCopy(generation int, fileID string) bool {
	return o.Generation == generation && o.Copy != nil && o.Copy.ID == fileID
}

// HasCopyOf tells whether an output is still about the copy that a step saw.
func (o Output) HasCopyOf(seen Output) bool {
	return seen.Copy != nil && o.HasCopy(seen.Generation, seen.Copy.ID)
}

// checkCopy returns ErrStepSuperseded for an output that is about another copy now.
func (o Output) checkCopy(seen Output) error {
	if !o.HasCopyOf(seen) {
		return ErrStepSuperseded(o)
	}
	return nil
}

// BeginCopy notes that a copy of this name is about to be made, and tells whether one may
// have been made before. An output that has its copy, or has ended, stays as it is.
func (o *Output) BeginCopy(attempt int, name string) (again bool, err error) {
	if err := o.checkAttempt(attempt); err != nil {
		return false, err
	}
	again = o.CopyBegun
	if o.Phase() < PhaseCopied {
		o.Repeated = o.Repeated || again
		o.CopyBegun, o.Name = true, name
	}
	return again, nil
}

// TakeCopy makes a copy that of the output. One that comes too late is noted as thrown
// away: the output has another one, or is in another generation. HasCopy tells.
func (o *Output) TakeCopy(generation int, copied File) {
	switch {
	case o.HasEnded() || o.HasCopy(generation, copied.ID):
	case o.Generation == generation && o.Copy == nil:
		o.Copy = &copied
	default:
		o.Repeated = true
		o.ThrownAway = withEach(o.ThrownAway, copied.ID)
	}
}

// LeaveCopy begins the next generation and leaves the files of this one alone, because a
// receiver may know them. An output that is further stays as it is.
func (o *Output) LeaveCopy(attempt int, seen Output) error {
	if err := o.checkAttempt(attempt); err != nil {
		return err
	}
	if o.Phase() <= PhaseCopied && o.Generation == seen.Generation && (o.Copy == nil || o.HasCopyOf(seen)) {
		o.Generation++
		o.CopyBegun, o.Copy, o.KeepsFiles = false, nil, true
	}
	return nil
}

// AbandonCopy throws the copy away and begins the next generation, unless another execution
// is ahead with the copy.
func (o *Output) AbandonCopy(attempt int, seen Output) error {
	if err := o.checkAttempt(attempt); err != nil {
		return err
	}
	if o.HasEnded() || !o.HasCopyOf(seen) || o.PDF != nil || o.Removed ||
		o.FillBegun != seen.FillBegun || o.FillEnded != seen.FillEnded || !slices.Equal(o.PDFHashes, seen.PDFHashes) {
		return ErrStepSuperseded(*o)
	}
	o.ThrownAway = withEach(o.ThrownAway, o.Copy.ID)
	o.Generation++
	o.Repeated = true
	o.CopyBegun, o.Copy, o.FillBegun, o.FillEnded = false, nil, false, false
	return nil
}

// BeginFill notes which copy is in use, and that one execution, and no other, fills it. A
// copy that comes too late for that is thrown away as by TakeCopy; HasCopyOf tells.
func (o *Output) BeginFill(seen Output) error {
	if o.TakeCopy(seen.Generation, *seen.Copy); !o.HasCopyOf(seen) {
		return nil
	}
	if o.Phase() != PhaseCopied {
		return ErrStepSuperseded(*o)
	}
	o.FillBegun = true
	return nil
}

// RevertFill takes the beginning of a fill back: the drive has refused to begin.
func (o *Output) RevertFill(seen Output) error {
	if o.FillEnded || !o.HasCopyOf(seen) {
		return ErrStepSuperseded(*o)
	}
	o.FillBegun = false
	return nil
}

// EndFill notes that the copy is filled, or was found filled, and what was met on the way.
func (o *Output) EndFill(seen Output, missing []string, findings []Finding) error {
	if o.FillEnded || !o.HasCopyOf(seen) {
		return ErrStepSuperseded(*o)
	}
	o.FillBegun, o.FillEnded = true, true
	o.MissingFields, o.Findings = missing, findings
	return nil
}

// AddMissing notes tags without data because of which the document is not made.
func (o *Output) AddMissing(seen Output, missing []string) error {
	if err := o.checkCopy(seen); err != nil {
		return err
	}
	o.MissingFields = withEach(o.MissingFields, missing...)
	return nil
}

// checkAppendix returns ErrStepSuperseded for an output that does not wait any more for the
// appendix that a step saw it wait for.
func (o Output) checkAppendix(attempt int, seen Output) error {
	if err := o.checkAttempt(attempt); err != nil {
		return err
	}
	if o.HasEnded() || o.PDF != nil || len(o.Appendices) != len(seen.Appendices) {
		return ErrStepSuperseded(o)
	}
	return nil
}

// BeginAppendix notes that a copy of a template to append is about to be made, and tells
// whether one may have been made before.
func (o *Output) BeginAppendix(attempt int, seen Output) (again bool, err error) {
	if err := o.checkAppendix(attempt, seen); err != nil {
		return false, err
	}
	again = o.AppendixBegun
	o.Repeated = o.Repeated || again
	o.AppendixBegun = true
	return again, nil
}

// TakeAppendix notes that the next appendix is ready.
func (o *Output) TakeAppendix(attempt int, seen Output, ready Appendix) error {
	if err := o.checkAppendix(attempt, seen); err != nil {
		return err
	}
	o.Appendices = append(o.Appendices, ready)
	o.AppendixBegun = false
	return nil
}

// ForgetAppendices has the appendices from an index on made again, and throws their copies
// away.
func (o *Output) ForgetAppendices(attempt int, seen Output, from int) error {
	if err := o.checkAttempt(attempt); err != nil {
		return err
	}
	if o.HasEnded() || o.PDF != nil || !slices.Equal(o.AppendixCopies(), seen.AppendixCopies()) {
		return ErrStepSuperseded(*o)
	}
	o.ThrownAway = withEach(o.ThrownAway, Output{Appendices: o.Appendices[from:]}.AppendixCopies()...)
	o.Appendices = o.Appendices[:from]
	o.Repeated = true
	return nil
}

// DropAppendices notes that the PDF holds the appendices, and which of their copies the
// drive does not let go: they are a finding.
func (o *Output) DropAppendices(kept []string) {
	o.Appendices = nil
	o.ThrownAway = withEach(o.ThrownAway, kept...)
	if len(kept) > 0 {
		o.Findings = withEach(o.Findings, appendixKept)
	}
}

// BeginUpload notes the bytes of a PDF, its id if it has none yet, and what making it found,
// before it is uploaded. What a step saw of the end of the fill may not be stored yet, and
// is the same for all executions, for they made their PDFs of one filled copy.
func (o *Output) BeginUpload(seen Output, pdfID, hash string, findings []Finding) error {
	if o.Phase() >= PhaseReview || !o.HasCopyOf(seen) || !o.FillBegun {
		return ErrStepSuperseded(*o)
	}
	if !o.FillEnded {
		o.FillEnded, o.MissingFields = true, seen.MissingFields
	}
	if o.PDFID == "" {
		o.PDFID = pdfID
	}
	o.PDFHashes = append(o.PDFHashes, hash)
	for _, a := range seen.Appendices {
		o.MissingFields = withEach(o.MissingFields, a.Missing...)
	}
	ofFilling := slices.DeleteFunc(slices.Clone(seen.Findings), func(f Finding) bool { return !f.IsOfFilling() })
	o.Findings = withEach(ofFilling, findings...)
	return nil
}

// LeavePDF has another PDF made under an id of its own, unless the output has its PDF: the
// one with this id is in the drive's trash.
func (o *Output) LeavePDF(pdfID string) {
	if !o.HasEnded() && o.PDF == nil && o.PDFID == pdfID {
		o.PDFID, o.PDFHashes = "", nil
	}
}

// TakesPDF tells whether a PDF is that of the output. If not, it came too late, and nobody
// else knows it: the output has failed, or was made again.
func (o Output) TakesPDF(fileID string) bool {
	return o.State != OutputFailed && o.PDFID == fileID
}

// TakePDF notes that the drive has the PDF, if it is that of the output: TakesPDF.
func (o *Output) TakePDF(stored File) {
	if o.TakesPDF(stored.ID) && o.PDF == nil {
		o.PDF = &stored
		o.PDFHashes = withEach(o.PDFHashes, stored.SHA256)
	}
}

// EndRemoval notes that the original is removed, or that the drive does not let it go: that
// is a finding.
func (o *Output) EndRemoval(seen Output, kept bool) error {
	if err := o.checkCopy(seen); err != nil {
		return err
	}
	if !kept {
		o.Removed = true
		return nil
	}
	o.Findings = withEach(o.Findings, originalKept)
	return nil
}

// AddFinding notes a finding, once.
func (o *Output) AddFinding(seen Output, finding Finding) error {
	if err := o.checkCopy(seen); err != nil {
		return err
	}
	o.Findings = withEach(o.Findings, finding)
	return nil
}

// Findings about files that stay in the drive.
var (
	originalKept = Finding{Code: CodeFileKept, Message: "The original stays in the drive, which lets this account neither delete nor trash it. Give the account the role of a content manager there, or remove the file by hand."}
	appendixKept = Finding{Code: CodeFileKept, Message: "A filled copy of an appended template stays in the drive, which lets this account neither delete nor trash it. Give the account the role of a content manager there, or remove the file by hand."}
)

// IsMade tells whether nothing is missing of what a document asks for.
func (o Output) IsMade(of Document) bool {
	switch {
	case !o.FillEnded:
		return false
	case !of.CreatePDFCopy:
		return true
	case o.PDF == nil, len(o.Appendices) > 0: // copies of templates are to be removed
		return false
	}
	return !of.RemoveOutput || o.Removed || slices.Contains(o.Findings, originalKept)
}

// ErrNotYetMade says that what is stored of an output, and noted, does not make it.
var ErrNotYetMade = Errorf(KindConflict, "output_not_made", "The output is not made yet, as far as is stored; trying again finds what was made.")

// Waits tells whether an output may not leave before people have approved it.
func (o Output) Waits(of Document) bool { return of.Approval != nil && o.Verdict != VerdictApproved }

// BeginReview has an output that is made wait for those who approve it, and returns
// ErrNotYetMade for one that is not. One that waits, or was decided, stays as it is.
func (o *Output) BeginReview(attempt int, of Document) error {
	if err := o.checkAttempt(attempt); err != nil {
		return err
	}
	switch {
	case o.Phase() >= PhaseReview:
		return nil
	case !o.IsMade(of) || o.PDF == nil:
		return ErrNotYetMade
	}
	o.State = OutputReview
	return nil
}

// Decide ends the wait of an output: its automation goes on. Where another has decided before,
// that one is ahead.
func (o *Output) Decide(v Verdict) error {
	if o.Phase() != PhaseReview {
		return ErrStepSuperseded(*o)
	}
	o.State, o.Verdict = OutputPending, v
	return nil
}

// Finish ends an output that is made, and returns ErrNotYetMade for one that is not, or that
// nobody has let out.
func (o *Output) Finish(attempt int, of Document) error {
	if err := o.checkAttempt(attempt); err != nil {
		return err
	}
	_, _, refused := o.Verdict.Failure()
	if !o.IsMade(of) || o.Waits(of) || refused || o.State == OutputReview {
		return ErrNotYetMade
	}
	o.State = OutputDone
	return nil
}

// Fail ends an output that cannot be made; message is for the integrator and quotes no value.
// What people were asked about stays in the drive if its receiver may know it.
func (o *Output) Fail(attempt int, code, message string) error {
	if err := o.checkAttempt(attempt); err != nil {
		return err
	}
	if o.KeepsFiles && o.Phase() >= PhaseReview {
		o.Copy, o.PDF, o.PDFID, o.PDFHashes = nil, nil, "", nil
	}
	o.State, o.FailureCode, o.Failure = OutputFailed, code, message
	for _, v := range []Verdict{VerdictRejected, VerdictExpired} { // which a restore may have forgotten
		if refusal, _, _ := v.Failure(); refusal == code {
			o.Verdict = v
		}
	}
	return nil
}

// FoundFiles are those of an output whose run the store has forgotten.
type FoundFiles struct {
	Generation int
	Original   *File    // nil: it was removed
	PDF        *File    // nil: there is none
	Unsure     bool     // several files have the key, and the right one is unknown
	ThrownAway []string // ids of copies to remove once there is a PDF
}

// Recover ends an output whose files were found. Its missing fields and findings are lost.
// Files that the run had removed may be back, because our own drive is restored with the
// database: the sweep looks for them, unless it could take a file that a receiver knows for
// an orphan. One that people look at stays as it is.
func (o *Output) Recover(found FoundFiles) {
	if o.State == OutputReview {
		return
	}
	o.State, o.Generation, o.Repeated = OutputDone, found.Generation, !found.Unsure
	o.CopyBegun, o.FillBegun, o.FillEnded = true, true, true
	o.Copy, o.Removed = found.Original, found.Original == nil
	o.ThrownAway = slices.Concat(o.ThrownAway, o.AppendixCopies(), found.ThrownAway)
	o.Appendices, o.AppendixBegun = nil, false
	if found.PDF != nil {
		o.PDF, o.PDFID, o.PDFHashes = found.PDF, found.PDF.ID, nil
		if found.PDF.SHA256 != "" {
			o.PDFHashes = []string{found.PDF.SHA256}
		}
	}
}

// withEach puts values behind others, each once.
func withEach[T comparable](values []T, more ...T) []T {
	for _, v := range more {
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}
