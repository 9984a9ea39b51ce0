package opc

import (
	"strings"
	"testing"
)

func TestAPictureIsReadAgainByItsSHA256(t *testing.T) {
	t.Parallel()
	const pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	const sum = "6b7fa434f92a8b80aab02d9bf1a12e49ffcae424e4013a1c4f68b67e3d2bbcd0"
	const again = "data:image/png;sha256=" + sum + ";base64,"
	var b Bitmaps
	if _, err := b.Read(again); err == nil || !strings.Contains(err.Error(), "came before") {
		t.Errorf("before the picture: got %v, want an error", err)
	}
	first, err := b.Read(pixel)
	if err != nil {
		t.Fatal(err)
	}
	if first.sum != sum {
		t.Fatalf("got the SHA-256 %s, want %s", first.sum, sum)
	}
	for _, uri := range []string{again, strings.ToUpper(again)} {
		if got, err := b.Read(uri); err != nil || got != first {
			t.Errorf("%s: got %p, %v, want %p", uri, got, err, first)
		}
	}
	for _, uri := range []string{"data:image/png;base64,", "data:image/png;sha256=00;base64,", "data:text/plain;sha256=" + sum + ";base64,"} {
		if _, err := b.Read(uri); err == nil {
			t.Errorf("%s: got no error", uri)
		}
	}
}
