package opc

import (
	"errors"
	"io"
	"testing"
)

func TestFaultsOfFilesKeepTheirCauseForTheLog(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault *FormatError
		want  string
		cause bool
	}{
		{&FormatError{Message: "the file is empty"}, "the file is empty", false},
		{&FormatError{Message: "the file is damaged", Err: io.ErrUnexpectedEOF}, "the file is damaged: unexpected EOF", true},
	} {
		if got := c.fault.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
		if got := errors.Is(c.fault, io.ErrUnexpectedEOF); got != c.cause {
			t.Errorf("%s: it is an unexpected EOF: %t, want %t", c.want, got, c.cause)
		}
	}
}

func TestFaultsOfRequestsGoToTheClientAsTheyAre(t *testing.T) {
	t.Parallel()
	const message = "Invalid requests[0].insertText: …"
	if got := (&RequestError{Message: message}).Error(); got != message {
		t.Errorf("got %q, want %q", got, message)
	}
}
