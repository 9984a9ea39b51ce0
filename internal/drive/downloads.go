package drive

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"

	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
)

// download is what an operation of files.download is about. Its name says all
// of it, so that no process has to remember it.
type download struct {
	File     string `json:"f"`
	MimeType string `json:"m,omitempty"`
}

// downloadFile begins an operation that ends with the address of a file's
// bytes, or of its export. It has ended at once.
func (s *Server) downloadFile(w http.ResponseWriter, r *http.Request, user store.User) error {
	if r.URL.Query().Get("revisionId") != "" {
		return fault.InvalidParameter("revisionId", "This drive keeps no earlier revisions.")
	}
	return s.writeOperation(w, r, user, download{File: r.PathValue("id"), MimeType: r.URL.Query().Get("mimeType")})
}

func (s *Server) getOperation(w http.ResponseWriter, r *http.Request, user store.User) error {
	var d download
	raw, err := base64.RawURLEncoding.DecodeString(r.PathValue("name"))
	if err != nil || json.Unmarshal(raw, &d) != nil {
		f := fault.FileNotFound("")
		f.Message = "Operation not found."
		return f.At("parameter", "name")
	}
	return s.writeOperation(w, r, user, d)
}

func (s *Server) writeOperation(w http.ResponseWriter, r *http.Request, user store.User, d download) error {
	m, err := parseFields(orAll(r.URL.Query().Get("fields")), driveapi.Operation{})
	if err != nil {
		return err
	}
	f, err := s.store.Get(r.Context(), user.ID, d.File)
	if err != nil {
		return err
	}
	address := s.publicURL + "/drive/v3/files/" + url.PathEscape(f.ID)
	switch {
	case !f.HasContent():
		return fault.Forbidden("fileNotDownloadable", "Folders and shortcuts cannot be downloaded.")
	case !f.IsEditor() && d.MimeType != "" && d.MimeType != f.MimeType:
		return fault.InvalidParameter("mimeType", "Only Docs Editors files can be downloaded as another type.")
	case !f.IsEditor():
		address += "?alt=media"
	default:
		if d.MimeType == "" {
			d.MimeType = officeType(f.MimeType)
		}
		if !slices.Contains(exportTypes(f.MimeType), d.MimeType) {
			return fault.InvalidParameter("mimeType", "The requested conversion is not supported.")
		}
		address += "/export?mimeType=" + url.QueryEscape(d.MimeType)
	}
	name, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, m.apply(map[string]any{
		"name": base64.RawURLEncoding.EncodeToString(name), "done": true,
		"metadata": map[string]any{"@type": "type.googleapis.com/google.apps.drive.v3.DownloadFileMetadata"},
		"response": map[string]any{
			"@type":       "type.googleapis.com/google.apps.drive.v3.DownloadFileResponse",
			"downloadUri": address, "partialDownloadAllowed": !f.IsEditor(),
		},
	}))
}
