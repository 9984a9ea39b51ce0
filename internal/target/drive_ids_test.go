package target

import (
	"context"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

// busyDrive has a file whose id is taken, and does not answer when it is asked for it.
type busyDrive struct {
	Drive
	asked int
}

func (*busyDrive) FolderToFill(context.Context, string) (platen.File, error) {
	return platen.File{MIMEType: platen.MIMEFolder}, nil
}

func (*busyDrive) FindFiles(context.Context, string, string) ([]platen.File, error) { return nil, nil }

func (d *busyDrive) File(context.Context, string) (platen.File, error) {
	if d.asked++; d.asked == 1 { // an earlier request is still on its way
		return platen.File{}, platen.Errorf(platen.KindNotFound, "drive_file_not_found", "none")
	}
	return platen.File{}, platen.Errorf(platen.KindUnavailable, "drive_unavailable", "busy")
}

func (*busyDrive) Upload(context.Context, platen.File, []byte) (platen.File, error) {
	return platen.File{}, platen.Errorf(platen.KindConflict, "drive_file_exists", "taken")
}

// KindConflict has the caller take another id: a second file would stand beside the first.
func TestAnIDIsSpentOnlyWhereTheDriveSaysWhatStandsUnderIt(t *testing.T) {
	t.Parallel()
	stores := NewStores(nil, func(context.Context, string) (Drive, error) { return &busyDrive{}, nil })
	_, err := stores.Put(t.Context(), platen.Target{Kind: platen.TargetDrive}, platen.StoredFile{Key: "a.pdf", Drive: platen.InDrive{FolderID: "folder", FileID: "known"}}, nil)
	if platen.KindOf(err) != platen.KindUnavailable {
		t.Errorf("got %v, want an error that another time may cure", err)
	}
}
