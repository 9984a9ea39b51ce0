package preview

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/check"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/form"
	"github.com/platenhq/platen/internal/template/lang"
)

// maxFetched is how many different pictures one form gets from addresses.
const maxFetched = 20

// SampleOf fills a copy of a document's template with sample data, and removes
// it again. A template that cannot be filled with the data has no PDF; its
// findings say why. KindRateLimited with code "preview_busy": too many are
// being filled.
func (p *Previewer) SampleOf(ctx context.Context, wf platen.Workflow, d platen.Document, data []byte) (platen.Sample, error) {
	release, err := take(ctx, p.turns, wf.Owner.ID)
	if err != nil {
		return platen.Sample{}, err
	}
	defer release()
	return p.sample(ctx, wf, d, sampling{
		password: true, appendices: true,
		data:     func(*check.Template) ([]byte, []string, error) { return data, nil, nil },
		pictures: p.Pictures,
		download: p.downloadForCaller(wf),
	})
}

// downloadForCaller reads files that data names with the access of the caller: the
// template is shared with the team, other files of its owner's drive are not.
func (p *Previewer) downloadForCaller(wf platen.Workflow) func(Drive, context.Context, string) ([]byte, error) {
	return func(drive Drive, ctx context.Context, fileID string) ([]byte, error) {
		caller, ok := platen.CallerOf(ctx)
		if !ok || caller.ID == wf.Owner.ID {
			return drive.Download(ctx, fileID)
		}
		own, err := p.Drives(ctx, caller.ID)
		var data []byte
		if err == nil {
			data, err = own.Download(ctx, fileID)
		}
		switch platen.KindOf(err) {
		case platen.KindNotFound, platen.KindForbidden, platen.KindInvalid:
			return nil, &platen.Error{Kind: platen.KindInvalid, Code: "picture_unusable",
				Message: "A preview reads files of the drive as pictures with your own access, and you cannot read this one. Share the file with yourself, or ask the owner of the workflow for the preview.", Err: err}
		}
		return data, err
	}
}

// SampleOfForm is SampleOf for somebody without an account, who types values into the
// form of the template. known are the fields of the source; empty: nothing is known of
// them. of is the event that the form was filled with; nil: none. The answer says nothing of the password. No id that is typed in makes a file of
// the owner's drive a picture or a part of the text, and addresses are read by FormPictures. The form
// comes back with the sample.
func (p *Previewer) SampleOfForm(ctx context.Context, wf platen.Workflow, d platen.Document, known []string, in platen.FormInput, of []byte) (platen.Sample, platen.TemplateForm, error) {
	release, err := take(ctx, p.forms, d.ID)
	if err != nil {
		return platen.Sample{}, platen.TemplateForm{}, err
	}
	defer release()
	var made platen.TemplateForm
	sample, err := p.sample(ctx, wf, d, sampling{
		data: func(t *check.Template) (data []byte, fields []string, err error) {
			made = formOf(t, known, wf.Locale, in)
			data, err = form.Data(made.Form, in, of)
			return data, fieldsOf(made.Form, known), err
		},
		pictures: p.FormPictures,
		fetched:  maxFetched,
		isForm:   true,
		download: func(Drive, context.Context, string) ([]byte, error) {
			return nil, platen.Errorf(platen.KindInvalid, "picture_unusable", "Pictures of the drive are not shown here.")
		},
	})
	return sample, made, err
}

// sampling is how samples differ by who asks.
type sampling struct {
	password bool // findings are also about the template of the password
	// appendices: what is appended is looked at, too.
	appendices bool
	// data makes the event, and tells the fields of the source; nil: those of the data.
	data     func(*check.Template) (event []byte, fields []string, err error)
	pictures Pictures // nil: none
	fetched  int      // how many pictures may come from addresses; 0: no limit
	isForm   bool     // who asks has no account, and data names no documents of the drive
	// download reads a file that a tag names as a picture.
	download func(drive Drive, ctx context.Context, fileID string) ([]byte, error)
}

// A subject is what is filled and what with.
type subject struct {
	drive   Drive
	file    fill.Template
	checked *check.Template
	filling *fill.Filling
	// found and tried are what was found before anything was copied, without
	// pictures.
	found  []check.Finding
	tried  fill.Outcome
	behind appended // what was found about appended files
}

func (p *Previewer) read(ctx context.Context, wf platen.Workflow, d platen.Document, how sampling) (s subject, err error) {
	if s.drive, err = p.Drives(ctx, wf.Owner.ID); err != nil {
		return s, err
	}
	if s.file, err = readTemplate(ctx, s.drive, d); err != nil {
		return s, err
	}
	s.checked = check.Read(s.file)
	if _, err := p.wholeOf(ctx, wf, d, s.checked, nil, how.isForm); err != nil {
		return s, err
	}
	addTexts(s.checked, d, how.password)
	data, fields, err := how.data(s.checked)
	if err != nil {
		return s, err
	}
	if s.filling, err = p.filling(wf, d, data); err != nil {
		return s, fmt.Errorf("read the sample data: %w", err)
	}
	if how.appendices {
		if s.behind, err = p.checkAppendices(ctx, s.drive, wf, d, s.checked, fields, data); err != nil {
			return s, err
		}
	}
	s.found, s.tried, err = s.checked.FindingsWith(s.filling, fields)
	return s, err
}

// quotaOf is what a preview asks for: the template and its copy are read, the copy
// once more where its texts are not enough; it is made, filled, exported and removed.
func quotaOf(d platen.Document) platen.Usage {
	asks := platen.Usage{platen.DriveUnits: 50 + 200 + 50}
	if d.Type == platen.TypeSlides {
		asks[platen.SlidesReads], asks[platen.SlidesWrites] = 3, 1
	} else {
		asks[platen.DocsReads], asks[platen.DocsWrites] = 3, 1
	}
	return asks
}

func (p *Previewer) sample(ctx context.Context, wf platen.Workflow, d platen.Document, how sampling) (platen.Sample, error) {
	if p.Quotas != nil {
		reserved, done, err := p.Quotas.ReservePreview(ctx, wf.Owner.ID, quotaOf(d))
		if err != nil {
			return platen.Sample{}, err
		}
		defer done()
		ctx = reserved
	}
	s, err := p.read(ctx, wf, d, how)
	if err != nil {
		return platen.Sample{}, err
	}
	out := platen.Sample{Name: s.filling.Name(), MissingFields: platen.UnionOfFields(s.tried.Missing, s.behind.missing)}
	s.filling.Obtain, s.filling.Include = p.obtain(ctx, s.drive, how), p.includes(ctx, wf, d, how)
	var made sampled
	if len(s.tried.Findings) > 0 || s.checked.RefusedFor(d, p.alts(s.tried)) != nil {
		// Most samples that cannot be made end here, with nothing copied. Their
		// pictures may have mistakes, too. One that cannot be had just now is not
		// what this sample fails of.
		made.outcome, _ = s.filling.Try(s.file)
	} else {
		made, err = p.fillCopy(ctx, s, wf.Owner.ID, d, copyName+out.Name)
	}
	s.found = s.checked.With(s.found, made.outcome.Findings)
	out.PDFFindings = made.findings
	out.Findings = append(append(tell(s.found), foretell(s.filling, out.MissingFields, s.found, how.password)...), s.behind.findings...)
	if d.RequiresAccessibility() {
		out.Findings = append(out.Findings, barriers(d, s.checked, p.alts(s.tried))...)
	}
	if made.pdf == nil || err != nil {
		return out, err
	}
	marked, err := p.Marker.Mark(made.pdf, mark)
	if err != nil {
		return out, fmt.Errorf("mark the sample: %w", err)
	}
	out.PDF = marked
	return out, nil
}

// obtain gets pictures for one sample.
func (p *Previewer) obtain(ctx context.Context, drive Drive, how sampling) lang.Obtain {
	if how.pictures == nil {
		return nil
	}
	fetched := 0
	return func(picture lang.Picture) (lang.Obtained, error) {
		if picture.Code == "" && !strings.HasPrefix(strings.ToLower(picture.Source), "data:") {
			if fetched++; how.fetched > 0 && fetched > how.fetched {
				return lang.Obtained{}, platen.Errorf(platen.KindInvalid, "too_many_pictures", "At most %d different pictures are read from addresses here.", how.fetched)
			}
		}
		obtained, err := how.pictures.Obtain(ctx, picture, func(ctx context.Context, fileID string) ([]byte, error) {
			return how.download(drive, ctx, fileID)
		})
		return obtained, findUnanswered(ctx, err)
	}
}

// findUnanswered makes a finding of an address that does not answer. A run
// tries it again for hours; here somebody waits, who may have mistyped it.
func findUnanswered(ctx context.Context, err error) error {
	if e, ok := errors.AsType[*platen.Error](err); ok && e.Code == "address_unavailable" && ctx.Err() == nil {
		return &platen.Error{Kind: platen.KindInvalid, Code: e.Code, Message: e.Message, Err: err}
	}
	return err
}
