package drive

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/platenhq/platen/internal/drive/fault"
)

// faultBody is the answer's JSON to a request for that path. Docs and Slides list no
// errors with reasons: there the status says which error it is.
func faultBody(f *fault.Error, path string) map[string]any {
	body := map[string]any{"code": f.Code, "message": f.Message, "status": f.Status}
	if !isEditorPath(path) {
		item := map[string]any{"message": f.Message, "domain": cmp.Or(f.Domain, "global"), "reason": f.Reason}
		if f.Location != "" {
			item["location"], item["locationType"] = f.Location, f.LocationType
		}
		body["errors"] = []any{item}
	}
	if f.Details != nil {
		body["details"] = f.Details
	}
	return map[string]any{"error": body}
}

// isEditorPath tells requests of Docs and of Slides from those of Drive.
func isEditorPath(path string) bool { return strings.HasPrefix(path, "/v1/") }

// notServed answers for methods that are not here. Those of Google's are 400: who
// asks must not take the answer for a missing file (404), nor ask again (501).
func notServed(r *http.Request) *fault.Error {
	for _, service := range []string{"/drive/", "/v1/", "/upload/", "/resumable/", "/download/", "/batch"} {
		if strings.HasPrefix(r.URL.Path, service) {
			return &fault.Error{Code: http.StatusBadRequest, Status: "UNIMPLEMENTED", Reason: "methodNotServed",
				Message: fmt.Sprintf("This drive does not serve %s %.200s. The page on the drive in Platen's documentation lists what it serves.", r.Method, r.URL.Path)}
		}
	}
	return &fault.Error{Code: http.StatusNotFound, Status: "NOT_FOUND", Reason: "notFound", Message: "There is nothing at this address."}
}

func pageNotFound(id string) *fault.Error {
	return &fault.Error{Code: http.StatusNotFound, Status: "NOT_FOUND", Reason: "notFound", Message: "The page (" + id + ") could not be found."}
}

func unavailable(message string) *fault.Error {
	return &fault.Error{Code: http.StatusServiceUnavailable, Status: "UNAVAILABLE", Reason: "backendError", Message: message}
}

func internalError() *fault.Error {
	return &fault.Error{Code: http.StatusInternalServerError, Status: "INTERNAL", Reason: "internalError", Message: "Internal Error"}
}
