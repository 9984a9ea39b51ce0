package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"syscall"
	"testing"

	"google.golang.org/api/googleapi"

	"github.com/platenhq/platen/internal/platen"
)

func TestWhatFailedIsSaidWithoutTheAccount(t *testing.T) {
	t.Parallel()
	refused := &googleapi.Error{Code: 403, Message: "canary@example.com may not", Body: `{"error":{"status":"PERMISSION_DENIED"}}`}
	address := "https://drive.example/canary"
	for want, err := range map[string]error{
		"files.copy: status 403 (PERMISSION_DENIED)":                               callError{"files.copy", refused},
		"files.copy: no answer within 2m0s":                                        callError{"files.copy", &url.Error{Op: "Post", URL: address, Err: context.DeadlineExceeded}},
		"files.get: no answer: connection refused":                                 callError{"files.get", &url.Error{Op: "Get", URL: address, Err: syscall.ECONNREFUSED}},
		"files.get: no answer, or one that cannot be read (*errors.errorString)":   callError{"files.get", &url.Error{Op: "Get", URL: address, Err: io.ErrUnexpectedEOF}},
		"files.get: The drive connection is broken: connect the drive again.":      callError{"files.get", &url.Error{Op: "Get", URL: address, Err: platen.Errorf(platen.KindForbidden, platen.CodeConnectionBroken, "The drive connection is broken: connect the drive again.")}},
		"the document has 1 tables, not 2":                                         unexpected("the document has 1 tables, not 2"),
		"documents.get: interrupted":                                               callError{"documents.get", context.Canceled},
		"files.export: status 403 (PERMISSION_DENIED); the drive gave no file ids": errors.Join(callError{"files.export", refused}, fmt.Errorf("tables: %w", unexpected("the drive gave no file ids"))),
	} {
		if got := describe(err); got != want {
			t.Errorf("%v: got %q, want %q", err, got, want)
		}
	}
}
