package google

import (
	"context"

	docsapi "google.golang.org/api/docs/v1"
	"google.golang.org/api/googleapi"
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
	return c.document(fileID).edit(ctx, read, compose)
}

// EditPresentation is EditDocument for presentations.
func (c *Client) EditPresentation(ctx context.Context, fileID string, read platen.Reading, compose func(*slidesapi.Presentation) ([]*slidesapi.Request, error)) (int, error) {
	return c.presentation(fileID).edit(ctx, read, compose)
}

// fileAPI is what the APIs of documents and of presentations have alike, in
// types of their own.
type fileAPI[File, Request, Response any] struct {
	noun   string
	texts  string // the fields that platen.ReadTexts asks for
	get    func(context.Context, ...googleapi.CallOption) (*File, error)
	update func(context.Context, *File, []*Request) ([]*Response, error)
	// replaced is empty for requests that replace no text. A response may be nil.
	replaced func(*Request, *Response) replaced
	shown    func(*File) []string
}

func (c *Client) document(fileID string) fileAPI[docsapi.Document, docsapi.Request, docsapi.Response] {
	return fileAPI[docsapi.Document, docsapi.Request, docsapi.Response]{
		noun: "document", texts: documentFields, shown: shownInDocument,
		get: func(ctx context.Context, options ...googleapi.CallOption) (*docsapi.Document, error) {
			return c.docs.Documents.Get(fileID).IncludeTabsContent(true).Context(ctx).Do(options...)
		},
		update: func(ctx context.Context, read *docsapi.Document, requests []*docsapi.Request) ([]*docsapi.Response, error) {
			batch := &docsapi.BatchUpdateDocumentRequest{Requests: requests}
			if read.RevisionId != "" {
				batch.WriteControl = &docsapi.WriteControl{RequiredRevisionId: read.RevisionId}
			}
			answer, err := c.docs.Documents.BatchUpdate(fileID, batch).Context(ctx).Do()
			if err != nil {
				return nil, err
			}
			return answer.Replies, nil
		},
		replaced: func(q *docsapi.Request, a *docsapi.Response) (r replaced) {
			if all := q.ReplaceAllText; all != nil && all.ContainsText != nil {
				r.find, r.replace = all.ContainsText.Text, all.ReplaceText
			}
			if a != nil && a.ReplaceAllText != nil {
				r.places = a.ReplaceAllText.OccurrencesChanged
			}
			return r
		},
	}
}

func (c *Client) presentation(fileID string) fileAPI[slidesapi.Presentation, slidesapi.Request, slidesapi.Response] {
	return fileAPI[slidesapi.Presentation, slidesapi.Request, slidesapi.Response]{
		noun: "presentation", texts: presentationFields, shown: shownInPresentation,
		get: func(ctx context.Context, options ...googleapi.CallOption) (*slidesapi.Presentation, error) {
			return c.slides.Presentations.Get(fileID).Context(ctx).Do(options...)
		},
		update: func(ctx context.Context, read *slidesapi.Presentation, requests []*slidesapi.Request) ([]*slidesapi.Response, error) {
			batch := &slidesapi.BatchUpdatePresentationRequest{Requests: requests}
			if read.RevisionId != "" {
				batch.WriteControl = &slidesapi.WriteControl{RequiredRevisionId: read.RevisionId}
			}
			answer, err := c.slides.Presentations.BatchUpdate(fileID, batch).Context(ctx).Do()
			if err != nil {
				return nil, err
			}
			return answer.Replies, nil
		},
		replaced: func(q *slidesapi.Request, a *slidesapi.Response) (r replaced) {
			if all := q.ReplaceAllText; all != nil && all.ContainsText != nil {
				r.find, r.replace = all.ContainsText.Text, all.ReplaceText
			}
			if a != nil && a.ReplaceAllText != nil {
				r.places = a.ReplaceAllText.OccurrencesChanged
			}
			return r
		},
	}
}

func (a fileAPI[File, Request, Response]) edit(ctx context.Context, read platen.Reading, compose func(*File) ([]*Request, error)) (int, error) {
	file, err := a.read(ctx, read)
	if err != nil {
		return 0, err
	}
	requests, err := compose(file)
	if err != nil || len(requests) == 0 {
		return 0, err
	}
	responses, err := a.update(ctx, file, requests)
	if err != nil {
		return 0, classifyUnquoted("fill the "+a.noun, err)
	}
	if len(responses) != len(requests) {
		return 0, platen.Errorf(platen.KindInternal, "drive_unexpected", "The drive gave an unexpected answer.")
	}
	var all []replaced
	for i, q := range requests {
		if r := a.replaced(q, responses[i]); r.find != "" {
			all = append(all, r)
		}
	}
	return len(requests), checkReplaced(all, func() ([]string, error) { return a.show(ctx) })
}

func (a fileAPI[File, Request, Response]) read(ctx context.Context, read platen.Reading) (file *File, err error) {
	if read == platen.ReadTexts {
		file, err = a.get(ctx, googleapi.QueryParameter("fields", a.texts))
	} else {
		file, err = explicit(ctx, a.get)
	}
	return file, classify("read the "+a.noun, err)
}

// show returns the passages that the file shows now.
func (a fileAPI[File, Request, Response]) show(ctx context.Context) ([]string, error) {
	file, err := a.read(ctx, platen.ReadTexts)
	if err != nil {
		return nil, err
	}
	return a.shown(file), nil
}
