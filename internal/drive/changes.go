package drive

import (
	"context"
	"net/http"
	"time"

	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/drive/store"
)

// getStartPageToken answers a token for the changes that come from now on.
func (s *Server) getStartPageToken(w http.ResponseWriter, r *http.Request, _ store.User) error {
	m, err := parseFields(orAll(r.URL.Query().Get("fields")), driveapi.StartPageToken{})
	if err != nil {
		return err
	}
	if _, err := within(r.URL.Query()); err != nil {
		return err
	}
	now, _, err := s.store.Horizon(r.Context())
	if err != nil {
		return err
	}
	token := store.ChangesToken{Transaction: now, Issued: time.Now().Unix()}
	return writeJSON(w, http.StatusOK, m.apply(map[string]any{"kind": "drive#startPageToken", "startPageToken": token.String()}))
}

// listChanges answers the user's files that changed since a token was given, each
// with its last change.
func (s *Server) listChanges(w http.ResponseWriter, r *http.Request, user store.User) error {
	query := r.URL.Query()
	fields := query.Get("fields")
	if fields == "" {
		fields = "kind,nextPageToken,newStartPageToken,changes(kind,changeType,type,time,removed,fileId,file(" + defaultFields + "))"
	}
	m, err := parseFields(fields, driveapi.ChangeList{})
	if err != nil {
		return err
	}
	size, err := intParameter(query, "pageSize", defaultPageSize, maxPageSize)
	if err != nil {
		return err
	}
	token, err := store.ParseChangesToken(query.Get("pageToken"), time.Now())
	if err != nil {
		return err
	}
	isEmpty, err := within(query)
	if err != nil {
		return err
	}
	found, next, err := s.store.Changes(r.Context(), user.ID, token, size+1, query.Get("includeRemoved") != "false")
	if err != nil {
		return err
	}
	answer := map[string]any{"kind": "drive#changeList"}
	if len(found) > size {
		found = found[:size]
		last := found[size-1]
		next.Transaction, next.After = last.Transaction, last.FileID
		answer["nextPageToken"] = next.String()
	} else {
		answer["newStartPageToken"] = next.String()
	}
	changes := []any{}
	if !isEmpty {
		if changes, err = s.changeResources(r.Context(), user, found); err != nil {
			return err
		}
	}
	answer["changes"] = changes
	return writeJSON(w, http.StatusOK, m.apply(answer))
}

func (s *Server) changeResources(ctx context.Context, user store.User, found []store.Change) ([]any, error) {
	var ids []string
	for _, c := range found {
		if !c.IsRemoved {
			ids = append(ids, c.FileID)
		}
	}
	files, err := s.store.Owned(ctx, user.ID, ids)
	if err != nil {
		return nil, err
	}
	all := make([]any, len(found))
	for i, c := range found {
		f, isThere := files[c.FileID]
		r := map[string]any{
			"kind": "drive#change", "changeType": "file", "type": "file", "time": wireTime(c.At),
			"fileId": c.FileID, "removed": c.IsRemoved || !isThere,
		}
		if isThere && !c.IsRemoved {
			r["file"] = s.resource(f, user, user)
		}
		all[i] = r
	}
	return all, nil
}
