package google

import (
	"context"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen"
)

// EditDocument reads a document, or its texts alone, has its change composed, and
// makes the change in one batch. The batch happens wholly or not at all, and only
// to the revision that was read: KindConflict when there is another by then. An
// error of compose is returned as it is; no requests change nothing. It returns
// how many requests were carried out.
//
// A tag that a request was to replace, and that still stands there, is
// KindInvalid with code platen.CodeTagLeft, although the rest of the batch was
// made: it would stand in the output.
func (c *Client) EditDocument(ctx context.Context, fileID string, read platen.Reading, compose func(*docsapi.Document) ([]*docsapi.Request, error)) (int, error) {
	get := c.docs.Documents.Get(fileID).IncludeTabsContent(true).Context(ctx)
	if read == platen.ReadTexts {
		get = get.Fields(documentFields)
	}
	document, err := get.Do()
	if err != nil {
		return 0, classify("read the document", err)
	}
	requests, err := compose(document)
	if err != nil || len(requests) == 0 {
		return 0, err
	}
	batch := &docsapi.BatchUpdateDocumentRequest{Requests: requests}
	if document.RevisionId != "" {
		batch.WriteControl = &docsapi.WriteControl{RequiredRevisionId: document.RevisionId}
	}
	answer, err := c.docs.Documents.BatchUpdate(fileID, batch).Context(ctx).Do()
	if err != nil {
		return 0, classifyUnquoted("fill the document", err)
	}
	if err := wholly(len(answer.Replies), len(requests)); err != nil {
		return 0, err
	}
	var all []replaced
	for i, r := range requests {
		if q, reply := r.ReplaceAllText, answer.Replies[i]; q != nil && q.ContainsText != nil {
			one := replaced{find: q.ContainsText.Text, replace: q.ReplaceText}
			if reply != nil && reply.ReplaceAllText != nil {
				one.places = reply.ReplaceAllText.OccurrencesChanged
			}
			all = append(all, one)
		}
	}
	return len(requests), checkReplaced(all, func() ([]string, error) { return c.shownInDocument(ctx, fileID) })
}

// EditPresentation is EditDocument for presentations.
func (c *Client) EditPresentation(ctx context.Context, fileID string, read platen.Reading, compose func(*slidesapi.Presentation) ([]*slidesapi.Request, error)) (int, error) {
	get := c.slides.Presentations.Get(fileID).Context(ctx)
	if read == platen.ReadTexts {
		get = get.Fields(presentationFields)
	}
	presentation, err := get.Do()
	if err != nil {
		return 0, classify("read the presentation", err)
	}
	requests, err := compose(presentation)
	if err != nil || len(requests) == 0 {
		return 0, err
	}
	batch := &slidesapi.BatchUpdatePresentationRequest{Requests: requests}
	if presentation.RevisionId != "" {
		batch.WriteControl = &slidesapi.WriteControl{RequiredRevisionId: presentation.RevisionId}
	}
	answer, err := c.slides.Presentations.BatchUpdate(fileID, batch).Context(ctx).Do()
	if err != nil {
		return 0, classifyUnquoted("fill the presentation", err)
	}
	if err := wholly(len(answer.Replies), len(requests)); err != nil {
		return 0, err
	}
	var all []replaced
	for i, r := range requests {
		if q, reply := r.ReplaceAllText, answer.Replies[i]; q != nil && q.ContainsText != nil {
			one := replaced{find: q.ContainsText.Text, replace: q.ReplaceText}
			if reply != nil && reply.ReplaceAllText != nil {
				one.places = reply.ReplaceAllText.OccurrencesChanged
			}
			all = append(all, one)
		}
	}
	return len(requests), checkReplaced(all, func() ([]string, error) { return c.shownInPresentation(ctx, fileID) })
}

func wholly(replies, requests int) error {
	if replies != requests {
		return platen.Errorf(platen.KindInternal, "drive_unexpected", "The drive gave an unexpected answer.")
	}
	return nil
}
