package drive

import (
	"net/http"
	"strconv"

	driveapi "google.golang.org/api/drive/v3"
)

// exportTypes lists what a Docs or Slides file can be exported as.
func exportTypes(mimeType string) []string {
	switch mimeType {
	case documentType:
		return []string{pdfType, docxType, textType}
	case presentationType:
		return []string{pdfType, pptxType, textType}
	}
	return nil
}

// officeType is the type of the bytes that a Docs or Slides file is kept as.
func officeType(mimeType string) string {
	if mimeType == documentType {
		return docxType
	}
	return pptxType
}

// about answers what this drive and the account can do. As on Google's, fields
// is required.
func (s *Server) about(w http.ResponseWriter, r *http.Request, user User) error {
	fields := r.URL.Query().Get("fields")
	if fields == "" {
		return badRequest("required", "The 'fields' parameter is required for this method.").at("parameter", "fields")
	}
	m, err := parseFields(fields, driveapi.About{})
	if err != nil {
		return err
	}
	used, trashed, err := s.store.usage(r.Context(), user.ID)
	if err != nil {
		return err
	}
	size := strconv.Itoa(MaxContent)
	return writeJSON(w, http.StatusOK, m.apply(map[string]any{
		"kind": "drive#about",
		"user": userResource(user),
		"storageQuota": map[string]any{
			"usage":             strconv.FormatInt(used, 10),
			"usageInDrive":      strconv.FormatInt(used, 10),
			"usageInDriveTrash": strconv.FormatInt(trashed, 10),
		},
		"exportFormats": map[string]any{
			documentType:     anyList(exportTypes(documentType)),
			presentationType: anyList(exportTypes(presentationType)),
		},
		"importFormats": map[string]any{
			docxType: []any{documentType},
			pptxType: []any{presentationType},
		},
		"maxImportSizes":  map[string]any{documentType: size, presentationType: size},
		"maxUploadSize":   size,
		"appInstalled":    true,
		"canCreateDrives": false,
	}))
}

// listDrives answers that there are no shared drives.
func (s *Server) listDrives(w http.ResponseWriter, r *http.Request, _ User) error {
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
