// Package compare makes outputs of past runs once more, with the program that it is in. It
// says on which pages they look different from the PDFs that are stored. What it makes stays
// in memory: it writes to no database and no drive, draws no number, and sends nothing.
//
// The steps are those of runs, package activities. How pages are read is in marks.go, and how
// they are compared in difference.go. Which runs are compared, and what is printed of them,
// belongs to others.
package compare

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/include"
)

// A Comparer compares one output after the other. All fields but Location are required.
type Comparer struct {
	Plans interface {
		StoredPlan(ctx context.Context, automationID string) (platen.Plan, error)
	}
	Automations activities.Automations
	Outputs     interface {
		Output(ctx context.Context, outputID string) (platen.Output, error)
	}
	// Drafts are the files of our drive, made by store.Drafts. Drive opens it for an account.
	Drafts *store.Store
	Drive  func(ctx context.Context, accountID string, now time.Time) (*google.Client, error)

	Protector activities.Protector
	Pictures  activities.Pictures
	// Location is the zone of {{Timestamp}}; nil means UTC.
	Location *time.Location
}

// State says what came of a comparison.
type State string

// The states of results.
const (
	Same        State = "same"
	Different   State = "different"
	NotCompared State = "not compared"
)

// A Result is what came of one output.
type Result struct {
	platen.LatestOutput
	State                   State
	Why                     string // it is not compared, or not made now
	PagesBefore, PagesAfter int
	Pages                   []Page // that look different
	Before, After           []byte // PDFs; After is nil if none is made now
}

// A reason is why an output cannot be compared.
type reason string

func (r reason) Error() string { return string(r) }

// ErrAddress is what Pictures answers for a picture of an address: nobody outside is asked.
var ErrAddress error = reason("it shows a picture of an address, which is not fetched again")

// Compare makes an output once more. Its only error is that of ctx: all else is in the result.
func (c Comparer) Compare(ctx context.Context, of platen.LatestOutput) (Result, error) {
	r := Result{LatestOutput: of, State: NotCompared}
	defer c.Drafts.Discard()
	made, err := c.prepare(ctx, of)
	if err == nil {
		r.Before = made.before
		r.After, err = made.again(ctx)
	}
	why, isReason := errors.AsType[reason](err)
	refused, isRefused := errors.AsType[*platen.Error](err)
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case isReason:
		r.Why = string(why)
	case made != nil && c.Drafts.Discard().After(made.at):
		r.Why = "the template, or a file that it includes, shows or appends, was changed since"
	case isRefused && made != nil && !activities.MayPass(err):
		r.State, r.Why = Different, "it cannot be made now: "+refused.Message
	case isRefused:
		r.Why = refused.Message
	case err != nil:
		r.Why = err.Error()
	default:
		c.compare(&r)
	}
	return r, nil
}

func (c Comparer) compare(r *Result) {
	var err error
	if r.Pages, r.PagesBefore, r.PagesAfter, err = PDFs(r.Before, r.After); err != nil {
		r.Why = err.Error()
		return
	}
	if r.State = Same; len(r.Pages) > 0 {
		r.State = Different
	}
}

// prepare reads what an output was made of.
func (c Comparer) prepare(ctx context.Context, of platen.LatestOutput) (*draft, error) {
	o, err := c.Outputs.Output(ctx, of.ID)
	if err != nil {
		return nil, err
	}
	if _, err := c.Automations.OutputData(ctx, o.AutomationID, o.ID, o.Attempt); err != nil {
		return nil, err
	}
	plan, err := c.Plans.StoredPlan(ctx, o.AutomationID)
	if err != nil {
		return nil, err
	}
	planned, ok := plan.Output(o.ID)
	switch {
	case !ok || o.PDF == nil || !planned.Document.CreatePDFCopy:
		return nil, reason("it has no PDF")
	case planned.Document.Encrypts():
		return nil, reason("its PDF is encrypted")
	}
	account, err := c.Drafts.AccountOf(ctx, o.PDF.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, reason("its PDF is not in the drive of this database: it was removed, or is at Google")
	}
	if err != nil {
		return nil, err
	}
	file, err := c.Drafts.Get(ctx, account.ID, o.PDF.ID)
	if err != nil {
		return nil, err
	}
	before, err := c.Drafts.Content(ctx, nil, file.SHA256)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(before); o.PDF.SHA256 != "" && hex.EncodeToString(sum[:]) != o.PDF.SHA256 {
		return nil, reason("its PDF was changed in the drive")
	}
	c.Drafts.Discard() // the PDF itself is no template
	client, err := c.Drive(ctx, account.ID, file.CreatedAt)
	if err != nil {
		return nil, err
	}
	planned.Document = undressed(planned.Document)
	plan.Documents = []platen.PlannedDocument{planned}
	return &draft{
		Client: client, Comparer: c, account: account.ID, plan: plan, before: before, at: file.CreatedAt,
		output: platen.Output{ID: o.ID, AutomationID: o.AutomationID, DocumentID: o.DocumentID, State: platen.OutputPending, Attempt: o.Attempt},
	}, nil
}

// undressed is a document without what leaves no trace on its pages, and would leave one
// elsewhere.
func undressed(d platen.Document) platen.Document {
	d.OutputFolder, d.OutputFolderID, d.OutputSharing = "", "", ""
	d.Seal, d.Email, d.Approval = false, nil, nil
	return d
}

// A draft is an output that is made in memory: its drive, and the only row there is.
type draft struct {
	*google.Client
	Comparer
	account string
	plan    platen.Plan
	output  platen.Output
	before  []byte
	at      time.Time // when the stored PDF was made
	made    []byte
}

// again makes the PDF by the steps of a run.
func (d *draft) again(ctx context.Context) ([]byte, error) {
	steps := &activities.Documents{
		Automations: d.Automations, Plans: d, Outputs: d, Protector: d.Protector, Pictures: d.Pictures, Location: d.Location,
		Drives:  func(context.Context, string) (activities.Drive, error) { return d, nil },
		Include: func(_, templateID string) fill.Include { return include.Of(d, d, templateID) },
	}
	_, err := steps.MakePDF(ctx, activities.Step{AutomationID: d.output.AutomationID, OutputID: d.output.ID, Attempt: d.output.Attempt})
	return d.made, err
}

func (d *draft) Plan(context.Context, string) (platen.Plan, error)       { return d.plan, nil }
func (d *draft) PinnedPlan(context.Context, string) (platen.Plan, error) { return d.plan, nil }

func (d *draft) Output(context.Context, string) (platen.Output, error) { return d.output, nil }
func (d *draft) RememberedOutput(context.Context, string) (platen.Output, error) {
	return d.output, nil
}
func (d *draft) WriteNotes(context.Context, string) error { return nil }

func (d *draft) UpdateOutput(_ context.Context, _ string, change func(*platen.Output) error) (platen.Output, error) {
	next := d.output
	if err := change(&next); err != nil {
		return d.output, err
	}
	d.output = next
	return next, nil
}

func (d *draft) NoteOutput(ctx context.Context, id string, change func(*platen.Output) error) (platen.Output, error) {
	return d.UpdateOutput(ctx, id, change)
}

func (d *draft) RecordOutput(context.Context, string, func(*platen.Output) error, func(platen.Output) (platen.Event, error)) (platen.Output, string, error) {
	return d.output, "", errors.New("a draft is not recorded")
}

// NewFileID, Upload and Delete keep the PDF, and the copies that it was made of, out of the drive.
func (d *draft) NewFileID(context.Context) (string, error) { return store.NewFileID(), nil }

func (d *draft) Upload(_ context.Context, file platen.File, data []byte) (platen.File, error) {
	sum := sha256.Sum256(data)
	d.made, file.SHA256 = data, hex.EncodeToString(sum[:])
	return file, nil
}

func (d *draft) Delete(context.Context, string) error { return nil }

// ReplaceContent gives a copy what it includes.
func (d *draft) ReplaceContent(ctx context.Context, fileID, _ string, content []byte) (platen.File, error) {
	copied, err := d.Drafts.Get(ctx, d.account, fileID)
	if err == nil {
		_, _, err = d.Drafts.ReplaceContent(ctx, copied, store.NewBlob(content))
	}
	if err != nil {
		return platen.File{}, fmt.Errorf("include in a draft: %w", err)
	}
	return d.File(ctx, fileID)
}
