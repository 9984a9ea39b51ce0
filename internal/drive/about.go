package drive

import (
	"net/http"
	"strconv"

	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
)

// exportTypes lists what a Docs or Slides file can be exported as.
func exportTypes(mimeType string) []string {
	switch mimeType {
	case store.DocumentType:
		return []string{store.PDFType, store.DocxType, store.TextType}
	case store.PresentationType:
		return []string{store.PDFType, store.PptxType, store.TextType}
	}
	return nil
}

// officeType is the type of the bytes that a Docs or Slides file is kept as.
func officeType(mimeType string) string {
	if mimeType == store.DocumentType {
		return store.DocxType
	}
	return store.PptxType
}

// about answers what this drive and the account can do. As on Google's, fields
// is required.
func (s *Server) about(w http.ResponseWriter, r *http.Request, user store.User) error {
	fields := r.URL.Query().Get("fields")
	if fields == "" {
		return fault.BadRequest("required", "The 'fields' parameter is required for this method.").At("parameter", "fields")
	}
	m, err := parseFields(fields, driveapi.About{})
	if err != nil {
		return err
	}
	used, trashed, err := s.store.Usage(r.Context(), user.ID)
	if err != nil {
		return err
	}
	size := strconv.Itoa(store.MaxContent)
	return writeJSON(w, http.StatusOK, m.apply(map[string]any{
		"kind": "drive#about",
		"user": userResource(user),
		"storageQuota": map[string]any{
			"usage":             strconv.FormatInt(used, 10),
			"usageInDrive":      strconv.FormatInt(used, 10),
			"usageInDriveTrash": strconv.FormatInt(trashed, 10),
		},
		"exportFormats": map[string]any{
			store.DocumentType:     anyList(exportTypes(store.DocumentType)),
			store.PresentationType: anyList(exportTypes(store.PresentationType)),
		},
		"importFormats": map[string]any{
			store.DocxType: []any{store.DocumentType},
			store.PptxType: []any{store.PresentationType},
		},
		"maxImportSizes":  map[string]any{store.DocumentType: size, store.PresentationType: size},
		"maxUploadSize":   size,
		"appInstalled":    true,
		"canCreateDrives": false,
	}))
}

// listDrives answers that there are no shared drives.
func (s *Server) listDrives(w http.ResponseWriter, r *http.Request, _ store.User) error {
	m, err := parseFields(orAll(r.URL.Query().Get("fields")), driveapi.DriveList{})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, m.apply(map[string]any{"kind": "drive#driveList", "drives": []any{}}))
}

func anyList(texts []string) []any {
	result := make([]any, len(texts))
	for i, t := range texts {
		result[i] = t
	}
	return result
}
