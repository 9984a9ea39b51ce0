package pdf

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"
)

func TestStreamsAreCompressedAndComeBackWhole(t *testing.T) {
	t.Parallel()
	long := []byte(strings.Repeat("berth ", 10000))
	for name, deflate := range map[string]func([]byte) []byte{"compress": compress, "compressQuickly": compressQuickly} {
		for _, data := range [][]byte{nil, []byte("a"), long, []byte("after a longer one")} { // compressors are used again
			if got := inflated(t, deflate(data)); !bytes.Equal(got, data) {
				t.Errorf("%s: got %d bytes back, want %d", name, len(got), len(data))
			}
		}
		if got := len(deflate(long)); got > len(long)/100 {
			t.Errorf("%s: got %d bytes of %d, want a hundredth", name, got, len(long))
		}
	}
}

func TestWhatManyDocumentsShareIsCompressedMore(t *testing.T) {
	t.Parallel()
	data := caladeaFile(t)
	if most, quick := len(compress(data)), len(compressQuickly(data)); most >= quick {
		t.Errorf("got %d bytes, quickly %d; want fewer", most, quick)
	}
}

func TestAPictureIsPreparedOnceForAllDocuments(t *testing.T) {
	t.Parallel()
	file := pngOf(t, quarters())
	file = append(file, "TestAPictureIsPreparedOnceForAllDocuments"...) // like no other test's
	first, second := prepareShared(sha256.Sum256(file), file), prepareShared(sha256.Sum256(file), file)
	if first.err != nil || len(first.pixels) == 0 || &first.pixels[0] != &second.pixels[0] {
		t.Errorf("got %v, %d bytes, and other ones the second time", first.err, len(first.pixels))
	}
	other := append(bytes.Clone(file), '.')
	if third := prepareShared(sha256.Sum256(other), other); len(third.pixels) == 0 || &third.pixels[0] == &first.pixels[0] {
		t.Error("another file is the same picture")
	}
}

func TestAPreparedPictureCountsWithItsMask(t *testing.T) {
	t.Parallel()
	if got := (preparedPicture{pixels: make([]byte, 30), mask: make([]byte, 12)}).size(); got != 42 {
		t.Errorf("got %d bytes, want 42", got)
	}
}
