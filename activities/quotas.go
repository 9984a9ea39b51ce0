package activities

import (
	"context"

	"github.com/platenhq/platen/internal/platen"
)

// Quotas shares among all who call a drive what it allows in a minute.
type Quotas interface {
	// Reserve takes what a part of an output will use, before its first call; calls
	// with the context that it returns use that. later is kept for the next part, a
	// second later or more, if this one is ok. done gives back all else that was not
	// used. Where the drive has no quotas nobody is asked. KindRateLimited with code
	// platen.CodeQuotaUsedUp, and when to try again: there is nothing left for now.
	Reserve(ctx context.Context, ownerID, workflowID, outputID string, asks, later platen.Usage) (_ context.Context, done func(ok bool), _ error)
}

// reserve is Quotas.Reserve for a part of an output.
func (d *Documents) reserve(ctx context.Context, j job, asks, later platen.Usage) (context.Context, func(ok bool), error) {
	if d.Quotas == nil {
		return ctx, func(bool) {}, nil
	}
	return d.Quotas.Reserve(ctx, j.plan.OwnerID, j.plan.WorkflowID, j.planned.OutputID, asks, later)
}

// What the parts of an output ask for, in the units of Google's Drive API. Repeated
// steps look for what is there; that is asked for call by call.
var (
	nothingLater  = platen.Usage{}
	quotaOfPDF    = platen.Usage{platen.DriveUnits: 200 + 5 + 50} // export, id, upload
	quotaOfRemove = platen.Usage{platen.DriveUnits: 50}
	// Of a target in the drive: a look at its folder; and for each file looks at the PDF, the
	// folder and the file, a list, and a copy.
	quotaOfPlace   = platen.Usage{platen.DriveUnits: 5}
	quotaOfPlacing = platen.Usage{platen.DriveUnits: 5 + 5 + 5 + 100 + 50}
)

// quotaOfAppendix is for a copy of an appended template, which is read as a whole where
// its texts are not enough, and filled.
func quotaOfAppendix(filledAs string) platen.Usage {
	if filledAs == platen.MIMESlides {
		return platen.Usage{platen.DriveUnits: 50, platen.SlidesReads: 2, platen.SlidesWrites: 1}
	}
	return platen.Usage{platen.DriveUnits: 50, platen.DocsReads: 2, platen.DocsWrites: 1}
}

// quotaOfAppending is for the PDFs of what is appended: a PDF is looked at and read, a
// filled copy exported and removed.
func quotaOfAppending(appendices []platen.Appendix) platen.Usage {
	units := 0
	for _, a := range appendices {
		if a.CopyID == "" {
			units += 5 + 200
		} else {
			units += 200 + 50
		}
	}
	return platen.Usage{platen.DriveUnits: units}
}

// quotaOfSharing are the units for a file: its permissions are listed, and one is made.
const quotaOfSharing = 100 + 50

// quotaOfCopy is for the copy, and for a look at the template and at the folder that it
// goes into.
func (j job) quotaOfCopy() platen.Usage {
	if j.planned.Document.OutputFolder == "" && j.planned.Document.OutputFolderID == "" {
		return platen.Usage{platen.DriveUnits: 50}
	}
	return platen.Usage{platen.DriveUnits: 5 + 5 + 50}
}

// quotaOfFill is for a batch, and for the readings that the template may take.
func (d *Documents) quotaOfFill(j job) platen.Usage {
	of := j.planned.Document
	readings := d.Readings.Most(of.ID)
	if of.Type == platen.TypeSlides {
		return platen.Usage{platen.SlidesWrites: 1, platen.SlidesReads: readings}
	}
	return platen.Usage{platen.DocsWrites: 1, platen.DocsReads: readings}
}
