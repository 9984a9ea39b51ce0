package google

import (
	"context"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/platen"
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
	api := fileAPI[docsapi.Document, docsapi.Request]{
		noun: "document",
		get: func() (*docsapi.Document, error) {
			get := c.docs.Documents.Get(fileID).IncludeTabsContent(true).Context(ctx)
			if read == platen.ReadTexts {
				return get.Fields(documentFields).Do()
			}
			return explicit(ctx, get.Context, get.Do)
		},
		update: func(document *docsapi.Document, requests []*docsapi.Request) ([]int64, error) {
			batch := &docsapi.BatchUpdateDocumentRequest{Requests: requests}
			if document.RevisionId != "" {
				batch.WriteControl = &docsapi.WriteControl{RequiredRevisionId: document.RevisionId}
			}
			answer, err := c.docs.Documents.BatchUpdate(fileID, batch).Context(ctx).Do()
			if err != nil {
				return nil, err
			}
			changed := make([]int64, len(answer.Replies))
			for i, reply := range answer.Replies {
				if reply != nil && reply.ReplaceAllText != nil {
					changed[i] = reply.ReplaceAllText.OccurrencesChanged
				}
			}
			return changed, nil
		},
		replacement: func(r *docsapi.Request) (find, replace string) {
			if q := r.ReplaceAllText; q != nil && q.ContainsText != nil {
				return q.ContainsText.Text, q.ReplaceText
			}
			return "", ""
		},
		show: func() ([]string, error) { return c.shownInDocument(ctx, fileID) },
	}
	return edit(api, compose)
}

// EditPresentation is EditDocument for presentations.
func (c *Client) EditPresentation(ctx context.Context, fileID string, read platen.Reading, compose func(*slidesapi.Presentation) ([]*slidesapi.Request, error)) (int, error) {
	api := fileAPI[slidesapi.Presentation, slidesapi.Request]{
		noun: "presentation",
		get: func() (*slidesapi.Presentation, error) {
			get := c.slides.Presentations.Get(fileID).Context(ctx)
			if read == platen.ReadTexts {
				return get.Fields(presentationFields).Do()
			}
			return explicit(ctx, get.Context, get.Do)
		},
		update: func(presentation *slidesapi.Presentation, requests []*slidesapi.Request) ([]int64, error) {
			batch := &slidesapi.BatchUpdatePresentationRequest{Requests: requests}
			if presentation.RevisionId != "" {
				batch.WriteControl = &slidesapi.WriteControl{RequiredRevisionId: presentation.RevisionId}
			}
			answer, err := c.slides.Presentations.BatchUpdate(fileID, batch).Context(ctx).Do()
			if err != nil {
				return nil, err
			}
			changed := make([]int64, len(answer.Replies))
			for i, reply := range answer.Replies {
				if reply != nil && reply.ReplaceAllText != nil {
					changed[i] = reply.ReplaceAllText.OccurrencesChanged
				}
			}
			return changed, nil
		},
		replacement: func(r *slidesapi.Request) (find, replace string) {
			if q := r.ReplaceAllText; q != nil && q.ContainsText != nil {
				return q.ContainsText.Text, q.ReplaceText
			}
			return "", ""
		},
		show: func() ([]string, error) { return c.shownInPresentation(ctx, fileID) },
	}
	return edit(api, compose)
}

// fileAPI is what the APIs of documents and of presentations have alike, in
// types of their own.
type fileAPI[File, Request any] struct {
	noun   string
	get    func() (*File, error)
	update func(read *File, requests []*Request) (changed []int64, err error) // changed: occurrences, an entry for each reply
	// replacement returns what a request finds and puts there; nothing for requests
	// that replace no text.
	replacement func(*Request) (find, replace string)
	show        func() ([]string, error)
}

func edit[File, Request any](api fileAPI[File, Request], compose func(*File) ([]*Request, error)) (int, error) {
	file, err := api.get()
	if err != nil {
		return 0, classify("read the "+api.noun, err)
	}
	requests, err := compose(file)
	if err != nil || len(requests) == 0 {
		return 0, err
	}
	changed, err := api.update(file, requests)
	if err != nil {
		return 0, classifyUnquoted("fill the "+api.noun, err)
	}
	if len(changed) != len(requests) {
		return 0, platen.Errorf(platen.KindInternal, "drive_unexpected", "The drive gave an unexpected answer.")
	}
	var all []replaced
	for i, r := range requests {
		if find, replace := api.replacement(r); find != "" {
			all = append(all, replaced{find: find, replace: replace, places: changed[i]})
		}
	}
	return len(requests), checkReplaced(all, api.show)
}
