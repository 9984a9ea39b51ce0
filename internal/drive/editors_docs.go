package drive

import (
	"cmp"
	"net/http"

	docsapi "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
)

func (s *Server) getDocument(w http.ResponseWriter, r *http.Request, user store.User) error {
	m, err := resourceMask(r, docsapi.Document{})
	if err != nil {
		return err
	}
	if err := checkViewMode(r); err != nil {
		return err
	}
	f, err := s.getEditorFile(r.Context(), user, r.PathValue("id"), store.DocumentType)
	if err != nil {
		return err
	}
	return s.writeDocument(w, r, m, f)
}

// checkViewMode refuses parameters of documents.get that Google does not know.
func checkViewMode(r *http.Request) error {
	query := r.URL.Query()
	switch mode := query.Get("suggestionsViewMode"); mode {
	case "", defaultView, inlineView, "PREVIEW_SUGGESTIONS_ACCEPTED", docs.WithoutSuggestions:
	default:
		return fault.InvalidParameter("suggestionsViewMode", "Invalid value at 'suggestions_view_mode': %.60q", mode)
	}
	switch tabs := query.Get("includeTabsContent"); tabs {
	case "", "true", "false":
	default:
		return fault.InvalidParameter("includeTabsContent", "Invalid value at 'include_tabs_content': %.60q", tabs)
	}
	return nil
}

// defaultView leaves the choice to the drive, which is inlineView.
const (
	defaultView = "DEFAULT_FOR_CURRENT_ACCESS"
	inlineView  = "SUGGESTIONS_INLINE"
)

func (s *Server) writeDocument(w http.ResponseWriter, r *http.Request, m mask, f store.File) error {
	return s.writeReading(w, r, f, reader{mask: m, identity: []string{"documentId", "title"}, resource: func(content []byte) (any, error) {
		mode := r.URL.Query().Get("suggestionsViewMode")
		if mode == "" || mode == defaultView {
			mode = inlineView
		}
		d, err := s.formats.getDocument(content, f.ID, f.Name, f.RevisionID(), mode)
		if err != nil {
			return nil, err
		}
		s.addressPictures(f.SHA256, d)
		if r.URL.Query().Get("includeTabsContent") == "true" {
			d = withTabs(d)
		}
		return d, nil
	}})
}

// withTabs moves a document's content into its first tab, where clients that
// know tabs look for it. Office files have no tabs, so there is one.
func withTabs(d *docsapi.Document) *docsapi.Document {
	return &docsapi.Document{
		DocumentId: d.DocumentId, Title: d.Title, RevisionId: d.RevisionId, SuggestionsViewMode: d.SuggestionsViewMode,
		Tabs: []*docsapi.Tab{{
			TabProperties: &docsapi.TabProperties{TabId: "t.0", Title: "Tab 1", ForceSendFields: []string{"Index"}},
			DocumentTab: &docsapi.DocumentTab{
				Body: d.Body, Headers: d.Headers, Footers: d.Footers, Footnotes: d.Footnotes,
				DocumentStyle: d.DocumentStyle, NamedStyles: d.NamedStyles, NamedRanges: d.NamedRanges, Lists: d.Lists,
				InlineObjects: d.InlineObjects, PositionedObjects: d.PositionedObjects,
			},
		}},
	}
}

// createDocument makes a blank document with the title.
func (s *Server) createDocument(w http.ResponseWriter, r *http.Request, user store.User) error {
	m, f, err := newEditorFile(s, r, user, documentLimits, store.DocumentType, func(d *docsapi.Document) string {
		return cmp.Or(d.Title, "Untitled document")
	})
	if err != nil {
		return err
	}
	return s.writeDocument(w, r, m, f)
}

func (s *Server) callDocument(w http.ResponseWriter, r *http.Request, user store.User) error {
	var answers []*docsapi.Response
	return batchUpdate[docsapi.BatchUpdateDocumentRequest, docsapi.BatchUpdateDocumentResponse]{
		mimeType: store.DocumentType,
		check:    checkDocumentCall,
		pictures: func(call *docsapi.BatchUpdateDocumentRequest) []*string { return documentPictures(call.Requests) },
		apply: func(content []byte, id string, call *docsapi.BatchUpdateDocumentRequest) (edited []byte, err error) {
			edited, answers, err = s.formats.applyDocument(content, id, call.Requests)
			return edited, err
		},
		answer: func(f store.File, call *docsapi.BatchUpdateDocumentRequest) *docsapi.BatchUpdateDocumentResponse {
			return &docsapi.BatchUpdateDocumentResponse{
				DocumentId:   f.ID,
				Replies:      replies(answers, len(call.Requests)),
				WriteControl: &docsapi.WriteControl{RequiredRevisionId: f.RevisionID()},
			}
		},
	}.serve(s, w, r, user)
}

func checkDocumentCall(body []byte, call *docsapi.BatchUpdateDocumentRequest) (required string, err error) {
	if len(call.Requests) == 0 {
		return "", noRequests()
	}
	if err := docs.MarkStarts(body, call.Requests); err != nil {
		return "", fault.BadRequest("badRequest", "Invalid JSON payload received: %s.", jsonFault(err))
	}
	if call.WriteControl == nil {
		return "", nil
	}
	// A target revision lets Google merge what others wrote since. Nothing is
	// merged here, so it has to be the latest too.
	required = call.WriteControl.RequiredRevisionId
	if required != "" && call.WriteControl.TargetRevisionId != "" {
		return "", fault.BadRequest("badRequest", "Only one of requiredRevisionId and targetRevisionId can be set in writeControl.")
	}
	return required + call.WriteControl.TargetRevisionId, nil
}
