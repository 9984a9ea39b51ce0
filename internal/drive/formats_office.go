package drive

import (
	"errors"
	"fmt"
	"strings"
	"time"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/slides"
	"github.com/platenhq/platen/internal/office/blank"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/slide"
)

// officeFormats binds the formats to the packages beside this one. isInline has
// suggestions in documents read as text, as on Google's drive.
func officeFormats(fonts *pdf.FontSet, isInline bool, now func() time.Time) formats {
	documents := newDocuments(fonts, isInline, now)
	return formats{
		document: format{
			blank: blank.Document,
			check: func(content []byte) error {
				_, err := wml.ReadDocument(content)
				return unconvertible(err, ".docx")
			},
			plain: plainFile,
			pdf:   documents.pdf,
			text:  documentText,
		},
		presentation: format{
			blank: blank.Presentation,
			check: func(content []byte) error {
				_, err := pml.ReadPresentation(content)
				return unconvertible(err, ".pptx")
			},
			plain: plainFile,
			pdf: func(content []byte, title string) ([]byte, []render.Finding, error) {
				return makePDF(content, title, fonts, pml.ReadPresentation, slide.Presentation)
			},
			text: presentationText,
		},
		getDocument:   documents.get,
		applyDocument: documents.apply,
		getPresentation: func(content []byte, id, title, revision string) (*slidesapi.Presentation, error) {
			p, err := pml.ReadPresentation(content)
			if err != nil {
				return nil, classify(err)
			}
			resource, err := slides.Get(p, id, title, revision)
			return resource, classify(err)
		},
		getPage: func(content []byte, page, revision string) (*slidesapi.Page, error) {
			p, err := pml.ReadPresentation(content)
			if err != nil {
				return nil, classify(err)
			}
			resource, err := slides.GetPage(p, page, revision)
			return resource, classify(err)
		},
		applyPresentation: func(content []byte, id string, requests []*slidesapi.Request) ([]byte, []*slidesapi.Response, error) {
			p, err := pml.ReadPresentation(content)
			if err != nil {
				return nil, nil, classify(err)
			}
			return written(p, id, requests, slides.Apply)
		},
	}
}

func plainFile(content []byte) ([]byte, error) {
	plain, err := opc.Plain(content)
	return plain, classify(err)
}

// saver is a model that can be written back.
type saver interface{ Bytes() ([]byte, error) }

// written carries out a batch on a model and writes what it left.
func written[M saver, Q, A any](model M, id string, requests []*Q, apply func(M, string, []*Q) ([]*A, error)) ([]byte, []*A, error) {
	answers, err := apply(model, id, requests)
	if err != nil {
		return nil, nil, classify(err)
	}
	body, err := model.Bytes()
	if err != nil {
		return nil, nil, fmt.Errorf("write the edited file: %w", classify(err))
	}
	return body, answers, nil
}

func makePDF[M any](content []byte, title string, fonts *pdf.FontSet, read func([]byte) (M, error), draw func(*pdf.FontSet, M, string) ([]byte, []render.Finding, error)) ([]byte, []render.Finding, error) {
	model, err := read(content)
	if err != nil {
		return nil, nil, classify(err)
	}
	pdf, findings, err := draw(fonts, model, title)
	if err != nil {
		return nil, nil, classify(err)
	}
	return pdf, findings, nil
}

// classify makes faults of the errors that a user can cause.
func classify(err error) error {
	var request *opc.RequestError
	var format *opc.FormatError
	var missing *slides.NotFoundError
	switch {
	case errors.As(err, &missing):
		return pageNotFound(missing.ID)
	case errors.As(err, &request):
		return fault.BadRequest("badRequest", "%s", request.Message)
	case errors.As(err, &format):
		return fault.BadRequest("conversionUnsupportedConversionPath", "The file cannot be converted: %s", format.Message)
	}
	return err
}

// unconvertible turns every error in reading an uploaded file into a fault of
// the client, not of the server.
func unconvertible(err error, kind string) error {
	var f *fault.Error
	if err = classify(err); err == nil || errors.As(err, &f) {
		return err
	}
	return fault.BadRequest("conversionUnsupportedConversionPath", "The file cannot be converted: it is not a %s file that can be read.", kind)
}

// documentText is what the body says, a line for each paragraph and cell.
func documentText(content []byte) (string, error) {
	d, err := wml.ReadDocument(content)
	if err != nil {
		return "", classify(err)
	}
	resource, err := docs.Get(d, "", "", "")
	if err != nil {
		return "", classify(err)
	}
	var b strings.Builder
	if resource.Body != nil {
		writeStructure(&b, resource.Body.Content)
	}
	return b.String(), nil
}

func writeStructure(b *strings.Builder, content []*docsapi.StructuralElement) {
	for _, element := range content {
		if element.Paragraph != nil {
			for _, part := range element.Paragraph.Elements {
				if part.TextRun != nil {
					b.WriteString(part.TextRun.Content)
				}
			}
		}
		if element.Table == nil {
			continue
		}
		for _, row := range element.Table.TableRows {
			for _, cell := range row.TableCells {
				writeStructure(b, cell.Content)
			}
		}
	}
}

// presentationText is what the shapes and tables of the slides say.
func presentationText(content []byte) (string, error) {
	p, err := pml.ReadPresentation(content)
	if err != nil {
		return "", classify(err)
	}
	resource, err := slides.Get(p, "", "", "")
	if err != nil {
		return "", classify(err)
	}
	var b strings.Builder
	for _, slide := range resource.Slides {
		writeElements(&b, slide.PageElements)
	}
	return b.String(), nil
}

func writeElements(b *strings.Builder, elements []*slidesapi.PageElement) {
	for _, element := range elements {
		if element.Shape != nil {
			writeSlideText(b, element.Shape.Text)
		}
		if element.ElementGroup != nil {
			writeElements(b, element.ElementGroup.Children)
		}
		if element.Table == nil {
			continue
		}
		for _, row := range element.Table.TableRows {
			for _, cell := range row.TableCells {
				writeSlideText(b, cell.Text)
			}
		}
	}
}

func writeSlideText(b *strings.Builder, text *slidesapi.TextContent) {
	if text == nil {
		return
	}
	for _, element := range text.TextElements {
		if element.TextRun != nil {
			b.WriteString(element.TextRun.Content)
		}
	}
}
