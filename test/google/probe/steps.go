package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/googleapi"
	slidesapi "google.golang.org/api/slides/v1"
)

// documents asks what concerns the content of documents.
func (r *run) documents(ctx context.Context) error {
	original, err := r.upload(ctx, "Document", body)
	if err != nil {
		return err
	}
	copied, err := r.copy(ctx, original)
	if err != nil {
		return err
	}
	before, err := r.document(ctx, copied, "")
	if err != nil {
		return err
	}
	r.absentStart(ctx, copied)
	return errors.Join(r.replacedText(ctx, copied, before), r.tables(ctx, copied))
}

// suggestions asks whether a copy has those of its original. The product refuses
// such templates, so these answers are none for test/google to fill.
func (r *run) suggestions(ctx context.Context) error {
	original, err := r.upload(ctx, "Suggestions", suggesting)
	if err != nil {
		return err
	}
	copied, err := r.copy(ctx, original)
	if err != nil {
		return err
	}
	var runs []int
	for _, id := range []string{original, copied} {
		d, err := r.document(ctx, id, " (suggestions)")
		if err != nil {
			return err
		}
		runs = append(runs, suggested(contentOf(d)))
	}
	if runs[0] == 0 {
		r.leave(Suggestions, "The upload of tracked changes made no suggestions.")
		return nil
	}
	r.settle(Suggestions, runs[1] > 0, "Runs with suggestions: %d in the original, %d in the copy.", runs[0], runs[1])
	return nil
}

// upload makes a document of the content of a .docx.
func (r *run) upload(ctx context.Context, name, content string) (id string, err error) {
	file, err := wordFile(content)
	if err != nil {
		return "", err
	}
	made, err := r.create(ctx, "files.create (.docx as document)", func(ctx context.Context) (*driveapi.File, error) {
		return r.Drive.Files.Create(&driveapi.File{Name: name, MimeType: docType, Parents: []string{r.folder}}).
			Media(bytes.NewReader(file), googleapi.ContentType(docxType), googleapi.ChunkSize(0)).SupportsAllDrives(true).Fields("id").Context(ctx).Do()
	})
	if err != nil {
		return "", err
	}
	return made.Id, nil
}

func (r *run) copy(ctx context.Context, of string) (id string, err error) {
	made, err := r.create(ctx, "files.copy", func(ctx context.Context) (*driveapi.File, error) {
		return r.Drive.Files.Copy(of, &driveapi.File{Name: "Copy", Parents: []string{r.folder}}).SupportsAllDrives(true).Fields("id,sha256Checksum").Context(ctx).Do()
	})
	if err != nil {
		return "", err
	}
	return made.Id, nil
}

// document reads a document; which tells calls of one kind apart.
func (r *run) document(ctx context.Context, id, which string) (d *docsapi.Document, err error) {
	err = r.call(ctx, "documents.get"+which, func(ctx context.Context) error {
		d, err = r.Docs.Documents.Get(id).IncludeTabsContent(true).SuggestionsViewMode("SUGGESTIONS_INLINE").Context(ctx).Do()
		return err
	})
	return d, err
}

// contentOf is the content of the first tab, which an upload has alone.
func contentOf(d *docsapi.Document) []*docsapi.StructuralElement {
	if len(d.Tabs) == 0 || d.Tabs[0].DocumentTab == nil || d.Tabs[0].DocumentTab.Body == nil {
		return nil
	}
	return d.Tabs[0].DocumentTab.Body.Content
}

func (r *run) batch(ctx context.Context, id, what string, requests ...*docsapi.Request) error {
	return r.call(ctx, "documents.batchUpdate ("+what+")", func(ctx context.Context) error {
		_, err := r.Docs.Documents.BatchUpdate(id, &docsapi.BatchUpdateDocumentRequest{Requests: requests}).Context(ctx).Do()
		return err
	})
}

// suggested counts runs that are suggested to be inserted or deleted.
func suggested(content []*docsapi.StructuralElement) int {
	n := 0
	eachRun(content, func(t *docsapi.TextRun) {
		if len(t.SuggestedInsertionIds)+len(t.SuggestedDeletionIds) > 0 {
			n++
		}
	})
	return n
}

func eachRun(content []*docsapi.StructuralElement, do func(*docsapi.TextRun)) {
	for _, e := range content {
		switch {
		case e.Paragraph != nil:
			for _, p := range e.Paragraph.Elements {
				if p.TextRun != nil {
					do(p.TextRun)
				}
			}
		case e.TableOfContents != nil:
			eachRun(e.TableOfContents.Content, do)
		case e.Table != nil:
			for _, row := range e.Table.TableRows {
				for _, cell := range row.TableCells {
					eachRun(cell.Content, do)
				}
			}
		}
	}
}

func textOf(content []*docsapi.StructuralElement) string {
	var text strings.Builder
	eachRun(content, func(t *docsapi.TextRun) { text.WriteString(t.Content) })
	return text.String()
}

// absentStart sends a range whose startIndex the library leaves out because it is
// zero.
func (r *run) absentStart(ctx context.Context, id string) {
	err := r.batch(ctx, id, "a range without startIndex", &docsapi.Request{DeleteContentRange: &docsapi.DeleteContentRangeRequest{Range: &docsapi.Range{EndIndex: 1}}})
	refused, ok := errors.AsType[*googleapi.Error](err)
	switch {
	case err == nil:
		r.settle(AbsentStart, false, "It is accepted.")
	case ok && refused.Code == http.StatusBadRequest:
		r.settle(AbsentStart, true, "It is: %s", message(err))
	default:
		r.leave(AbsentStart, describe(err))
	}
}

// replacedText replaces the marker, exports at once and reads again.
func (r *run) replacedText(ctx context.Context, id string, before *docsapi.Document) error {
	err := r.batch(ctx, id, "replaceAllText", &docsapi.Request{ReplaceAllText: &docsapi.ReplaceAllTextRequest{
		ContainsText: &docsapi.SubstringMatchCriteria{Text: marker, MatchCase: true}, ReplaceText: replaced,
	}})
	if err != nil {
		return err
	}
	exported, err := r.export(ctx, id, textType)
	if err != nil {
		return err
	}
	r.settle(ExportShowsEdit, bytes.Contains(exported, []byte(replaced)) && bytes.Count(exported, []byte(marker)) < 2, "The text export right after the edit has the new text in %d places, the old one in %d.",
		bytes.Count(exported, []byte(replaced)), bytes.Count(exported, []byte(marker)))
	if _, err := r.export(ctx, id, "application/pdf"); err != nil {
		return err
	}
	after, err := r.document(ctx, id, "")
	if err != nil {
		return err
	}
	if contents(before) == nil {
		r.leave(ContentsReached, "The upload of a contents table made none.")
		return nil
	}
	text := ""
	if c := contents(after); c != nil {
		text = textOf(c.Content)
	}
	r.settle(ContentsReached, strings.Contains(text, replaced), "The contents table reads %q.", text)
	return nil
}

func contents(d *docsapi.Document) *docsapi.TableOfContents {
	for _, e := range contentOf(d) {
		if e.TableOfContents != nil {
			return e.TableOfContents
		}
	}
	return nil
}

func (r *run) export(ctx context.Context, id, mimeType string) (content []byte, err error) {
	err = r.call(ctx, "files.export ("+mimeType+")", func(ctx context.Context) error {
		response, err := r.Drive.Files.Export(id, mimeType).Context(ctx).Download()
		if err != nil {
			return err
		}
		defer response.Body.Close()
		content, err = io.ReadAll(response.Body)
		return err
	})
	return content, err
}

// tables inserts a row below merged and shaded cells, and deletes a table's only row.
func (r *run) tables(ctx context.Context, id string) error {
	d, err := r.document(ctx, id, "")
	if err != nil {
		return err
	}
	all := tablesOf(d)
	if len(all) != 2 {
		return unexpected(fmt.Sprintf("the document has %d tables, not 2", len(all)))
	}
	at := func(e *docsapi.StructuralElement) *docsapi.TableCellLocation {
		return &docsapi.TableCellLocation{TableStartLocation: &docsapi.Location{Index: e.StartIndex}}
	}
	// The second table first: indexes before it stay.
	deleted := r.batch(ctx, id, "deleteTableRow", &docsapi.Request{DeleteTableRow: &docsapi.DeleteTableRowRequest{TableCellLocation: at(all[1])}})
	if err := r.batch(ctx, id, "insertTableRow", &docsapi.Request{InsertTableRow: &docsapi.InsertTableRowRequest{TableCellLocation: at(all[0]), InsertBelow: true}}); err != nil {
		return errors.Join(deleted, err)
	}
	if d, err = r.document(ctx, id, ""); err != nil {
		return err
	}
	left := tablesOf(d)
	switch refused, ok := errors.AsType[*googleapi.Error](deleted); {
	case ok && refused.Code == http.StatusBadRequest:
		r.settle(LastRow, false, "It is refused: %s", message(deleted))
	case deleted != nil:
		r.leave(LastRow, describe(deleted))
	default:
		r.settle(LastRow, len(left) == 1, "%d of 2 tables are left.", len(left))
	}
	if len(left) == 0 || len(left[0].Table.TableRows) != 3 {
		r.leave(InsertedRow, "The row was not inserted as one.")
		return nil
	}
	rows := left[0].Table.TableRows
	merged, was := styleAt(rows[1], 0), styleAt(rows[0], 0)
	shade, wasShade := styleAt(rows[1], len(rows[1].TableCells)-1), styleAt(rows[0], len(rows[0].TableCells)-1)
	r.settle(InsertedRow, merged.ColumnSpan == was.ColumnSpan && shadeOf(shade) == shadeOf(wasShade), "Columns of the first cell: %d, above it %d. Colour of the last cell: %s, above it %s.",
		merged.ColumnSpan, was.ColumnSpan, shadeOf(shade), shadeOf(wasShade))
	return nil
}

func tablesOf(d *docsapi.Document) (all []*docsapi.StructuralElement) {
	for _, e := range contentOf(d) {
		if e.Table != nil {
			all = append(all, e)
		}
	}
	return all
}

func styleAt(row *docsapi.TableRow, cell int) *docsapi.TableCellStyle {
	if cell >= 0 && cell < len(row.TableCells) && row.TableCells[cell].TableCellStyle != nil {
		return row.TableCells[cell].TableCellStyle
	}
	return &docsapi.TableCellStyle{}
}

func shadeOf(s *docsapi.TableCellStyle) string {
	if s.BackgroundColor == nil || s.BackgroundColor.Color == nil || s.BackgroundColor.Color.RgbColor == nil {
		return "none"
	}
	c := s.BackgroundColor.Color.RgbColor
	return fmt.Sprintf("#%02x%02x%02x", int(c.Red*255+0.5), int(c.Green*255+0.5), int(c.Blue*255+0.5))
}

// presentations asks whether replaceAllText reaches speaker notes.
func (r *run) presentations(ctx context.Context) error {
	file, err := r.create(ctx, "files.create (presentation)", func(ctx context.Context) (*driveapi.File, error) {
		return r.Drive.Files.Create(&driveapi.File{Name: "Presentation", MimeType: slidesType, Parents: []string{r.folder}}).SupportsAllDrives(true).Fields("id").Context(ctx).Do()
	})
	if err != nil {
		return err
	}
	p, err := r.presentation(ctx, file.Id)
	if err != nil {
		return err
	}
	notes := notesID(p)
	if notes == "" {
		r.leave(NotesReached, "A new presentation has no speaker notes here.")
		return nil
	}
	if err := r.slidesBatch(ctx, file.Id, "insertText", &slidesapi.Request{InsertText: &slidesapi.InsertTextRequest{ObjectId: notes, Text: marker}}); err != nil {
		return err
	}
	err = r.slidesBatch(ctx, file.Id, "replaceAllText", &slidesapi.Request{ReplaceAllText: &slidesapi.ReplaceAllTextRequest{
		ContainsText: &slidesapi.SubstringMatchCriteria{Text: marker, MatchCase: true}, ReplaceText: replaced,
	}})
	if err != nil {
		return err
	}
	if p, err = r.presentation(ctx, file.Id); err != nil {
		return err
	}
	text := notesText(p)
	r.settle(NotesReached, strings.Contains(text, replaced), "The notes read %q.", text)
	return nil
}

func (r *run) presentation(ctx context.Context, id string) (p *slidesapi.Presentation, err error) {
	err = r.call(ctx, "presentations.get", func(ctx context.Context) error {
		p, err = r.Slides.Presentations.Get(id).Context(ctx).Do()
		return err
	})
	return p, err
}

func (r *run) slidesBatch(ctx context.Context, id, what string, requests ...*slidesapi.Request) error {
	return r.call(ctx, "presentations.batchUpdate ("+what+")", func(ctx context.Context) error {
		_, err := r.Slides.Presentations.BatchUpdate(id, &slidesapi.BatchUpdatePresentationRequest{Requests: requests}).Context(ctx).Do()
		return err
	})
}

func notesOf(p *slidesapi.Presentation) *slidesapi.Page {
	if len(p.Slides) == 0 || p.Slides[0].SlideProperties == nil {
		return nil
	}
	return p.Slides[0].SlideProperties.NotesPage
}

func notesID(p *slidesapi.Presentation) string {
	if page := notesOf(p); page != nil && page.NotesProperties != nil {
		return page.NotesProperties.SpeakerNotesObjectId
	}
	return ""
}

func notesText(p *slidesapi.Presentation) string {
	var text strings.Builder
	if page := notesOf(p); page != nil {
		for _, e := range page.PageElements {
			if e.ObjectId != notesID(p) || e.Shape == nil || e.Shape.Text == nil {
				continue
			}
			for _, t := range e.Shape.Text.TextElements {
				if t.TextRun != nil {
					text.WriteString(t.TextRun.Content)
				}
			}
		}
	}
	return text.String()
}

const property = "platenProbe"

// plainFile asks what concerns files: the answer to a create, refusals, and how far
// a list lags.
func (r *run) plainFile(ctx context.Context) error {
	content := "a probe of Platen\n"
	wanted := &driveapi.File{Id: r.ids[1], Name: "File.txt", MimeType: textType, Parents: []string{r.folder}, AppProperties: map[string]string{property: r.ids[1]}}
	r.files = append(r.files, wanted.Id) // the id is known before the file is there
	var made *driveapi.File
	err := r.call(ctx, "files.create (text)", func(ctx context.Context) (err error) {
		made, err = r.Drive.Files.Create(wanted).Media(strings.NewReader(content), googleapi.ContentType(textType), googleapi.ChunkSize(0)).
			SupportsAllDrives(true).Fields("id,sha256Checksum,size").Context(ctx).Do()
		return err
	})
	if err != nil {
		return err
	}
	created := time.Now()
	r.settle(CreateHash, made.Sha256Checksum != "", "The answer to files.create has a checksum of %d characters.", len(made.Sha256Checksum))
	_, _ = r.export(ctx, wanted.Id, "application/pdf") // its refusal is what is asked for
	_ = r.call(ctx, "files.get (unknown)", func(ctx context.Context) error {
		_, err := r.Drive.Files.Get("platen-probe-unknown").SupportsAllDrives(true).Fields("id").Context(ctx).Do()
		return err
	})
	return r.listed(ctx, wanted.Id, created)
}

// listed asks the list until it shows a file: after ¼, ½, 1 … seconds, at most 30
// apart.
func (r *run) listed(ctx context.Context, id string, created time.Time) error {
	for pause := time.Second / 4; ; pause = min(2*pause, 30*time.Second) {
		shown := false
		err := r.call(ctx, "files.list", func(ctx context.Context) error {
			page, err := r.Drive.Files.List().Q("appProperties has { key='" + property + "' and value='" + id + "' } and trashed=false").
				Corpora("allDrives").SupportsAllDrives(true).IncludeItemsFromAllDrives(true).Fields("files(id)").Context(ctx).Do()
			shown = err == nil && len(page.Files) > 0
			return err
		})
		waited := time.Since(created)
		switch {
		case err != nil:
			return err
		case shown:
			r.settle(ListLag, true, "The list shows a new file after %v.", waited.Round(100*time.Millisecond))
			return nil
		case waited > r.o.Wait:
			r.settle(ListLag, false, "The list does not show a new file after %v.", waited.Round(time.Second))
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
