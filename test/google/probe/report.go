package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// A Question is one that Google's documentation does not answer.
type Question string

// The questions.
const (
	LastRow         Question = "Does deleting the last row delete the table?"
	InsertedRow     Question = "Does insertTableRow copy merges and the style of cells?"
	ContentsReached Question = "Does replaceAllText reach contents tables?"
	NotesReached    Question = "Does replaceAllText reach speaker notes?"
	Suggestions     Question = "Does files.copy keep suggestions?"
	CreateHash      Question = "Does the answer to a create carry sha256Checksum?"
	AbsentStart     Question = "Is a range without startIndex refused?"
	ExportShowsEdit Question = "Does an export right after an edit show the edit?"
	ListLag         Question = "Does files.list show a new file, and after how long?"
	Reasons         Question = "Which reasons come with 403 and 429?"
	Times           Question = "How long do calls take?"
)

// Questions are all, in the order of a report.
func Questions() []Question {
	return []Question{LastRow, InsertedRow, ContentsReached, NotesReached, Suggestions, CreateHash, AbsentStart, ExportShowsEdit, ListLag, Reasons, Times}
}

// A Settled question has an answer; one that stays open has a reason.
type Settled struct {
	Question Question `json:"question"`
	Answer   string   `json:"answer"` // "yes", "no", "see details" or "open"
	Details  string   `json:"details"`
}

// Kept is a file that could not be removed.
type Kept struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// A Timing is how long calls of one name took, in milliseconds.
type Timing struct {
	Call   string `json:"call"`
	Calls  int    `json:"calls"`
	Median int64  `json:"medianMs"`
	Most   int64  `json:"mostMs"`
}

// A Report is what a probe found out.
type Report struct {
	Questions   []Settled `json:"questions"`
	Timings     []Timing  `json:"timings"`
	Failed      []string  `json:"failed,omitempty"` // parts that did not finish
	Interrupted bool      `json:"interrupted,omitempty"`
	Kept        []Kept    `json:"kept,omitempty"` // remove them by hand
}

func (r *run) settle(q Question, yes bool, format string, args ...any) {
	answer := "no"
	if yes {
		answer = "yes"
	}
	r.found[q] = true
	r.report.Questions = append(r.report.Questions, Settled{q, answer, fmt.Sprintf(format, args...)})
}

// leave says why a question stays open.
func (r *run) leave(q Question, why string) {
	r.found[q] = true
	r.report.Questions = append(r.report.Questions, Settled{q, "open", why})
}

// conclude answers what all calls together say, and takes out what is the account's.
func (r *run) conclude() {
	r.report.Timings = r.recorder.timings()
	r.found[Reasons], r.found[Times] = true, true
	refusals := r.recorder.refusals()
	r.report.Questions = append(r.report.Questions,
		Settled{Reasons, "see details", cmp.Or(strings.Join(refusals, "; "), "No call was refused with 403 or 429.")},
		Settled{Times, "see details", fmt.Sprintf("%d kinds of calls; the table has their times.", len(r.report.Timings))})
	for _, q := range Questions() {
		if !r.found[q] {
			r.report.Questions = append(r.report.Questions, Settled{q, "open", "The probe did not come so far."})
		}
	}
	redact := r.recorder.redactor()
	for i, s := range r.report.Questions {
		r.report.Questions[i].Details = redact.text(s.Details)
	}
	all := Questions()
	slices.SortStableFunc(r.report.Questions, func(a, b Settled) int {
		return cmp.Compare(slices.Index(all, a.Question), slices.Index(all, b.Question))
	})
}

// Print writes the report as text.
func (r Report) Print(to io.Writer) error {
	for _, s := range r.Questions {
		fmt.Fprintf(to, "%s\n    %s: %s\n", s.Question, s.Answer, s.Details)
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nCALL\tCALLS\tMEDIAN\tMOST")
	for _, t := range r.Timings {
		fmt.Fprintf(w, "%s\t%d\t%v\t%v\n", t.Call, t.Calls, time.Duration(t.Median)*time.Millisecond, time.Duration(t.Most)*time.Millisecond)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, f := range r.Failed {
		fmt.Fprintln(to, "Not finished:", f)
	}
	if r.Interrupted {
		fmt.Fprintln(to, "The probe was interrupted.")
	}
	for _, k := range r.Kept {
		fmt.Fprintf(to, "Could not be removed, remove it by hand: %s (%s)\n", k.ID, k.Why)
	}
	if len(r.Kept) == 0 {
		fmt.Fprintln(to, "Everything that the probe made was removed.")
	}
	return nil
}

// PrintJSON writes the report for programs.
func (r Report) PrintJSON(to io.Writer) error {
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}
