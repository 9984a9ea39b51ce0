package drive

import (
	"context"
	"errors"
	"fmt"

	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/soffice"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/office/blank"
)

// An Exporter makes PDFs in the place of the drive's own layout. It tells
// nothing of what a PDF does not show, so such exports have no findings.
type Exporter interface {
	// PDF converts a file that the drive can read; ext is ".docx" or ".pptx".
	// What the errors of package soffice stand for is answered as Google would,
	// any other error as one of ours.
	PDF(ctx context.Context, content []byte, ext string) ([]byte, error)
}

// TryExporter has a blank document and a blank presentation converted, so that
// an exporter that cannot work is found before anybody relies on it. One comes
// after the other: with one seat they would wait for each other.
func TryExporter(ctx context.Context, e Exporter) error {
	for ext, blank := range map[string]func() ([]byte, error){".docx": blank.Document, ".pptx": blank.Presentation} {
		content, err := blank()
		if err == nil {
			_, err = e.PDF(ctx, content, ext)
		}
		if err != nil {
			return fmt.Errorf("convert a blank %s file: %w", ext, err)
		}
	}
	return nil
}

// exportElsewhere has the exporter make a PDF. The slot for office files is
// released first: a request that waits for the exporter must not block
// others.
func (s *Server) exportElsewhere(ctx context.Context, f store.File, content []byte) (export, error) {
	if err := s.checkContent(ctx, f, content); err != nil {
		return export{}, err
	}
	ext := ".docx"
	if f.MimeType == store.PresentationType {
		ext = ".pptx"
	}
	pdf, err := s.exporter.PDF(ctx, content, ext)
	return export{body: pdf}, exporterFault(err)
}

// checkContent holds the limits on what files may be: no other program gets to
// see one that is over them.
func (s *Server) checkContent(ctx context.Context, f store.File, content []byte) error {
	release, err := s.slot(ctx)
	if err != nil {
		return err
	}
	defer release()
	return s.formats.of(f.MimeType).check(content)
}

func exporterFault(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, soffice.ErrUnreadable):
		return fault.BadRequest("conversionUnsupportedConversionPath", "The file cannot be converted: LibreOffice cannot read it.")
	case errors.Is(err, soffice.ErrLinked):
		return fault.BadRequest("conversionUnsupportedConversionPath", "The file cannot be converted: a picture in it refers to something outside the picture, or may do so.")
	case errors.Is(err, soffice.ErrProgram):
		return fault.BadRequest("conversionUnsupportedConversionPath", "The file cannot be converted: it has a picture in EPS, which LibreOffice is not to draw. Insert it as PNG or SVG.")
	case errors.Is(err, soffice.ErrTooLarge):
		return fault.Forbidden("exportSizeLimitExceeded", "This file is too large to be exported.")
	case errors.Is(err, soffice.ErrBusy):
		return unavailable("The drive is busy; try again.")
	case errors.Is(err, soffice.ErrTimeout):
		return unavailable("The export took too long.")
	}
	return fmt.Errorf("export with LibreOffice: %w", err)
}
