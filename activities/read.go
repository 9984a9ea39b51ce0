package activities

import (
	"context"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// quotaOfReading is for a download, or an export.
var quotaOfReading = platen.Usage{platen.DriveUnits: 200}

// read gets a file of an output that was made: its PDF, or its office file. A PDF that
// people approved is read as they approved it.
func (d *Documents) read(ctx context.Context, j job, o platen.Output, office bool) (file platen.AttachedFile, err error) {
	ctx, done, err := d.reserve(ctx, j, quotaOfReading, nothingLater)
	if err != nil {
		return file, err
	}
	defer done(true)
	if office {
		kind := j.planned.Document.Type
		file = platen.AttachedFile{Name: strings.TrimSuffix(o.Copy.Name, kind.OfficeExtension()) + kind.OfficeExtension(), Type: kind.OfficeType()}
		file.Content, err = j.drive.ExportOffice(ctx, o.Copy.ID, file.Type)
	} else {
		file = platen.AttachedFile{Name: o.PDF.Name, Type: platen.MIMEPDF}
		file.Content, err = j.drive.Download(ctx, o.PDF.ID)
	}
	if err == nil && !office && !o.IsApproved(file.Content) {
		err = platen.ErrApprovedFileChanged()
	}
	return file, err
}
