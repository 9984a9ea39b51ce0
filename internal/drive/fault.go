package drive

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// fault is an error of Google's wire format, fit to be shown to the client.
type fault struct {
	code    int    // HTTP status
	status  string // google.rpc.Code, such as NOT_FOUND
	reason  string // errors[].reason, what clients of Drive branch on
	message string
	domain  string // errors[].domain; global if empty
	details []any  // of google.rpc, if there are any
	// retryAfter is when to come again; 0: the answer does not say it, but for a 503.
	retryAfter time.Duration
	// location names the parameter or header at fault, if one is.
	location, locationType string
}

func (f *fault) Error() string { return fmt.Sprintf("%d %s: %s", f.code, f.reason, f.message) }

// body is the answer's JSON to a request for that path. Docs and Slides list no
// errors with reasons: there the status says which error it is.
func (f *fault) body(path string) map[string]any {
	body := map[string]any{"code": f.code, "message": f.message, "status": f.status}
	if !isEditorPath(path) {
		item := map[string]any{"message": f.message, "domain": cmp.Or(f.domain, "global"), "reason": f.reason}
		if f.location != "" {
			item["location"], item["locationType"] = f.location, f.locationType
		}
		body["errors"] = []any{item}
	}
	if f.details != nil {
		body["details"] = f.details
	}
	return map[string]any{"error": body}
}

// isEditorPath tells requests of Docs and of Slides from those of Drive.
func isEditorPath(path string) bool { return strings.HasPrefix(path, "/v1/") }

func (f *fault) at(locationType, location string) *fault {
	f.locationType, f.location = locationType, location
	return f
}

func badRequest(reason, format string, args ...any) *fault {
	return &fault{code: http.StatusBadRequest, status: "INVALID_ARGUMENT", reason: reason, message: fmt.Sprintf(format, args...)}
}

func invalidParameter(name, format string, args ...any) *fault {
	return badRequest("invalid", format, args...).at("parameter", name)
}

func forbidden(reason, message string) *fault {
	return &fault{code: http.StatusForbidden, status: "PERMISSION_DENIED", reason: reason, message: message}
}

// fileNotFound answers for an unknown file and for somebody else's alike.
func fileNotFound(id string) *fault {
	f := &fault{code: http.StatusNotFound, status: "NOT_FOUND", reason: "notFound", message: "File not found: " + id + "."}
	return f.at("parameter", "fileId")
}

// notServed answers for methods that are not here. Those of Google's are 400: who
// asks must not take the answer for a missing file (404), nor ask again (501).
func notServed(r *http.Request) *fault {
	for _, service := range []string{"/drive/", "/v1/", "/upload/", "/resumable/", "/download/", "/batch"} {
		if strings.HasPrefix(r.URL.Path, service) {
			return &fault{code: http.StatusBadRequest, status: "UNIMPLEMENTED", reason: "methodNotServed",
				message: fmt.Sprintf("This drive does not serve %s %.200s. The page on the drive in Platen's documentation lists what it serves.", r.Method, r.URL.Path)}
		}
	}
	return &fault{code: http.StatusNotFound, status: "NOT_FOUND", reason: "notFound", message: "There is nothing at this address."}
}

func pageNotFound(id string) *fault {
	return &fault{code: http.StatusNotFound, status: "NOT_FOUND", reason: "notFound", message: "The page (" + id + ") could not be found."}
}

func fileIDInUse() *fault {
	return &fault{code: http.StatusConflict, status: "ALREADY_EXISTS", reason: "fileIdInUse", message: "A file already exists with the provided ID."}
}

func tooLarge(what string, limit int64) *fault {
	return &fault{code: http.StatusRequestEntityTooLarge, status: "INVALID_ARGUMENT", reason: "uploadTooLarge",
		message: fmt.Sprintf("%s may have at most %d bytes.", what, limit)}
}

func unavailable(message string) *fault {
	return &fault{code: http.StatusServiceUnavailable, status: "UNAVAILABLE", reason: "backendError", message: message}
}

func internalError() *fault {
	return &fault{code: http.StatusInternalServerError, status: "INTERNAL", reason: "internalError", message: "Internal Error"}
}
