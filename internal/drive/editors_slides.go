package drive

import (
	"cmp"
	"encoding/json"
	"net/http"

	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/drive/store"
)

func (s *Server) getPresentation(w http.ResponseWriter, r *http.Request, user store.User) error {
	m, err := resourceMask(r, slidesapi.Presentation{})
	if err != nil {
		return err
	}
	f, err := s.getEditorFile(r.Context(), user, r.PathValue("id"), store.PresentationType)
	if err != nil {
		return err
	}
	return s.writePresentation(w, r, m, f)
}

func (s *Server) writePresentation(w http.ResponseWriter, r *http.Request, m mask, f store.File) error {
	return s.writeReading(w, r, f, reader{mask: m, identity: []string{"presentationId", "title"}, resource: func(content []byte) (any, error) {
		p, err := s.formats.getPresentation(content, f.ID, f.Name, f.RevisionID())
		if err != nil {
			return nil, err
		}
		for _, pages := range [][]*slidesapi.Page{p.Slides, p.Layouts, p.Masters} {
			s.addressPagePictures(f.SHA256, pages...)
		}
		return p, nil
	}})
}

// getPage answers one slide, layout, master or notes page.
func (s *Server) getPage(w http.ResponseWriter, r *http.Request, user store.User) error {
	m, err := resourceMask(r, slidesapi.Page{})
	if err != nil {
		return err
	}
	f, err := s.getEditorFile(r.Context(), user, r.PathValue("id"), store.PresentationType)
	if err != nil {
		return err
	}
	id := r.PathValue("page")
	return s.writeReading(w, r, f, reader{mask: m, resource: func(content []byte) (any, error) {
		p, err := s.formats.getPage(content, id, f.RevisionID())
		if err != nil {
			return nil, err
		}
		s.addressPagePictures(f.SHA256, p)
		return p, nil
	}})
}

// createPresentation makes a blank presentation with the title.
func (s *Server) createPresentation(w http.ResponseWriter, r *http.Request, user store.User) error {
	m, f, err := newEditorFile(s, r, user, presentationLimits, store.PresentationType, func(p *slidesapi.Presentation) string {
		return cmp.Or(p.Title, "Untitled presentation")
	})
	if err != nil {
		return err
	}
	return s.writePresentation(w, r, m, f)
}

func (s *Server) callPresentation(w http.ResponseWriter, r *http.Request, user store.User) error {
	var answers []*slidesapi.Response
	return batchUpdate[slidesapi.BatchUpdatePresentationRequest, slidesapi.BatchUpdatePresentationResponse]{
		mimeType: store.PresentationType,
		check:    checkPresentationCall,
		pictures: func(call *slidesapi.BatchUpdatePresentationRequest) []*string {
			return presentationPictures(call.Requests)
		},
		apply: func(content []byte, id string, call *slidesapi.BatchUpdatePresentationRequest) (edited []byte, err error) {
			edited, answers, err = s.formats.applyPresentation(content, id, call.Requests)
			return edited, err
		},
		answer: func(f store.File, call *slidesapi.BatchUpdatePresentationRequest) *slidesapi.BatchUpdatePresentationResponse {
			return &slidesapi.BatchUpdatePresentationResponse{
				PresentationId: f.ID,
				Replies:        replies(answers, len(call.Requests)),
				WriteControl:   &slidesapi.WriteControl{RequiredRevisionId: f.RevisionID()},
			}
		},
	}.serve(s, w, r, user)
}

func checkPresentationCall(body []byte, call *slidesapi.BatchUpdatePresentationRequest) (required string, err error) {
	if len(call.Requests) == 0 {
		return "", noRequests()
	}
	keepZeros(body, call.Requests)
	if call.WriteControl == nil {
		return "", nil
	}
	return call.WriteControl.RequiredRevisionId, nil
}

// keepZeros tells what is given from what is left out, where Google's types know no
// difference: a new slide before all others, at index 0, from one without an index, which
// comes last; an empty alternative text from one that stays.
func keepZeros(body []byte, requests []*slidesapi.Request) {
	var given struct {
		Requests []struct {
			CreateSlide struct {
				InsertionIndex *int64 `json:"insertionIndex"`
			} `json:"createSlide"`
			UpdatePageElementAltText struct {
				Description *string `json:"description"`
				Title       *string `json:"title"`
			} `json:"updatePageElementAltText"`
		} `json:"requests"`
	}
	if json.Unmarshal(body, &given) != nil {
		return // it was read before
	}
	for i, r := range given.Requests {
		if i >= len(requests) || requests[i] == nil {
			continue
		}
		if of := requests[i].CreateSlide; of != nil && r.CreateSlide.InsertionIndex != nil {
			of.ForceSendFields = append(of.ForceSendFields, "InsertionIndex")
		}
		if of := requests[i].UpdatePageElementAltText; of != nil && r.UpdatePageElementAltText.Description != nil {
			of.ForceSendFields = append(of.ForceSendFields, "Description")
		}
		if of := requests[i].UpdatePageElementAltText; of != nil && r.UpdatePageElementAltText.Title != nil {
			of.ForceSendFields = append(of.ForceSendFields, "Title")
		}
	}
}
