package main

import (
	"strings"
	"testing"
)

func TestEachKindOfWhatAnAccountIsKnownByIsTakenOut(t *testing.T) {
	t.Parallel()
	r := newRedactor([]string{"Canary Lovelace"})
	r.learn([]byte(`{"documentId": "canary-1", "headers": {"kix.canary2": {"headerId": "kix.canary2"}}, "parents": ["canary-folder"]}`))
	for said, want := range map[string]string{
		"Canary Lovelace was here":                            "redacted was here",
		"canary@example.org may not":                          "redacted@example.com may not",
		"see https://docs.google.com/document/d/canary/edit":  "see https://redacted.example/",
		"token ya29.a0AfH6SMBcanaryCANARY123":                 "token redacted",
		"project 123456789012 has":                            "project 0 has",
		"SUGGESTIONS_INLINE":                                  "SUGGESTIONS_INLINE",
		"PREVIEW_SUGGESTIONS_ACCEPTED":                        "PREVIEW_SUGGESTIONS_ACCEPTED",
		"type.googleapis.com/google.rpc.ErrorInfo":            "type.googleapis.com/google.rpc.ErrorInfo",
		"Invalid requests[0].deleteContentRange: no range is": "Invalid requests[0].deleteContentRange: no range is",
	} {
		if got := r.text(said); got != want {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
	got := string(r.body([]byte(`{"title": "Canary's letter", "id": "canary-1", "headers": {"kix.canary2": {"headerId": "kix.canary2"}}, "startIndex": 12345678901, "name": "canary.docx", "message": "File not found: canary-folder."}`)))
	if strings.Contains(strings.ToLower(got), "canary") || !strings.Contains(got, "12345678901") {
		t.Errorf("got %s, want no canary, and numbers as they are", got)
	}
	if id := r.ids["kix.canary2"]; id == "" || strings.Count(got, id) != 2 {
		t.Errorf("got %s, want the id %q at both places where it stood", got, id)
	}
}
