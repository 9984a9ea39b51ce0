package drive

import (
	"cmp"
	"net/http"

	docsapi "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/drive/docs"
)

func (s *Server) getDocument(w http.ResponseWriter, r *http.Request, user User) error {
	m, err := resourceMask(r, docsapi.Document{})
	if err != nil {
		return err
	}
	if err := checkViewMode(r); err != nil {
		return err
	}
	f, err := s.editable(r.Context(), user, r.PathValue("id"), documentType)
	if err != nil {
		return err
	}
	return s.writeDocument(w, r, m, f)
}

// checkViewMode refuses parameters of documents.get that Google does not know.
func checkViewMode(r *http.Request) error {
	query := r.URL.Query()
	switch mode := query.Get("suggestionsViewMode"); mode {
	case "", defaultView, "SUGGESTIONS_INLINE", "PREVIEW_SUGGESTIONS_ACCEPTED", docs.WithoutSuggestions:
	default:
		return invalidParameter("suggestionsViewMode", "Invalid value at 'suggestions_view_mode': %.60q", mode)
	}
	switch tabs := query.Get("includeTabsContent"); tabs {
	case "", "true", "false":
	default:
		return invalidParameter("includeTabsContent", "Invalid value at 'include_tabs_content': %.60q", tabs)
	}
	return nil
}

// defaultView leaves the choice to the drive.
const defaultView = "DEFAULT_FOR_CURRENT_ACCESS"

func (s *Server) writeDocument(w http.ResponseWriter, r *http.Request, m mask, f file) error {
	return s.writeReading(w, r, f, reader{mask: m, identity: []string{"documentId", "title"}, resource: func(content []byte) (any, error) {
		mode := r.URL.Query().Get("suggestionsViewMode")
		if mode == "" || mode == defaultView {
			mode = "SUGGESTIONS_INLINE"
		}
		d, err := s.formats.getDocument(content, f.ID, f.Name, f.revisionID(), mode)
		if err == nil && r.URL.Query().Get("includeTabsContent") == "true" {
			d = withTabs(d)
		}
		return d, err
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

// createDocument makes a blank document with the title; like Google's, it
// ignores all else that the body says.
func (s *Server) createDocument(w http.ResponseWriter, r *http.Request, user User) error {
	m, err := resourceMask(r, docsapi.Document{})
	if err != nil {
		return err
	}
	p, err := readPayload(r, documentLimits)
	if err != nil {
		return err
	}
	var d docsapi.Document
	if err := s.strictlyInTurn(r.Context(), p, &d); err != nil {
		return err
	}
	f, err := s.newTitled(r.Context(), user, documentType, cmp.Or(d.Title, "Untitled document"))
	if err != nil {
		return err
	}
	return s.writeDocument(w, r, m, f)
}

func (s *Server) callDocument(w http.ResponseWriter, r *http.Request, user User) error {
	id, err := batchCall(r)
	if err != nil {
		return err
	}
	m, err := resourceMask(r, docsapi.BatchUpdateDocumentResponse{})
	if err != nil {
		return err
	}
	p, err := readPayload(r, batchLimits)
	if err != nil {
		return err
	}
	leave, err := s.slot(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	var call docsapi.BatchUpdateDocumentRequest
	release, err := s.strictly(r.Context(), p, &call)
	if err != nil {
		return err
	}
	defer release()
	if len(call.Requests) == 0 {
		return noRequests()
	}
	if err := docs.MarkStarts(p.body, call.Requests); err != nil {
		return badRequest("badRequest", "Invalid JSON payload received: %s.", jsonFault(err))
	}
	var required string
	if call.WriteControl != nil {
		// A target revision lets Google merge what others wrote since. Nothing
		// is merged here, so it has to be the latest too.
		required = call.WriteControl.RequiredRevisionId
		if required != "" && call.WriteControl.TargetRevisionId != "" {
			return badRequest("badRequest", "Only one of requiredRevisionId and targetRevisionId can be set in writeControl.")
		}
		required += call.WriteControl.TargetRevisionId
	}
	var answers []*docsapi.Response
	f, err := s.edit(r.Context(), user, id, batch{mimeType: documentType, required: required, apply: func(content []byte) (edited []byte, err error) {
		edited, answers, err = s.formats.applyDocument(content, id, call.Requests)
		return edited, err
	}})
	if err != nil {
		return err
	}
	return writeMasked(w, m, &docsapi.BatchUpdateDocumentResponse{
		DocumentId:   f.ID,
		Replies:      replies(answers, len(call.Requests)),
		WriteControl: &docsapi.WriteControl{RequiredRevisionId: f.revisionID()},
	})
}
