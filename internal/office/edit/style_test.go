package edit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// textStyle is a style as the API has them.
type textStyle struct {
	Bold   bool     `json:"bold,omitempty"`
	Link   *string  `json:"link"`
	Size   *float64 `json:"size"`
	Secret string   `json:"-"`
	Plain  string
}

// Google's field masks name fields with commas between them (google.protobuf.FieldMask).
func TestAMaskNamesTheFieldsOfAStyle(t *testing.T) {
	t.Parallel()
	for mask, want := range map[string]string{
		"bold": "bold", "link,bold": "bold link", " link , bold": "bold link", "link.url": "link", "link.url,link.other": "link", "*": "bold link size",
	} {
		got, err := StyleFields(mask, textStyle{}, fmt.Errorf)
		if err != nil {
			t.Errorf("%q: %v", mask, err)
			continue
		}
		for name, listed := range got {
			if !listed {
				t.Errorf("%q: %s is there and not listed", mask, name)
			}
		}
		if names := strings.Join(slices.Sorted(maps.Keys(got)), " "); names != want {
			t.Errorf("%q: got %q, want %q", mask, names, want)
		}
	}
}

func TestAMaskWithoutAFieldOfTheStyleIsInvalid(t *testing.T) {
	t.Parallel()
	for mask, want := range map[string]string{
		"":             "At least one field must be listed in fields.",
		"bold,italic":  `The field "italic" is not a field of the style.`,
		"bold,":        `The field "" is not a field of the style.`,
		"Bold":         `The field "Bold" is not a field of the style.`,
		"-":            `The field "-" is not a field of the style.`,
		"Plain":        `The field "Plain" is not a field of the style.`,
		"bold, a.b":    `The field " a.b" is not a field of the style.`,
		"*,bold":       `The field "*" is not a field of the style.`,
		"bold link":    `The field "bold link" is not a field of the style.`,
		".bold":        `The field ".bold" is not a field of the style.`,
		"Secret":       `The field "Secret" is not a field of the style.`,
		"bold;link":    `The field "bold;link" is not a field of the style.`,
		"textStyle.bo": `The field "textStyle.bo" is not a field of the style.`,
	} {
		if got, err := StyleFields(mask, textStyle{}, fmt.Errorf); err == nil || err.Error() != want || got != nil {
			t.Errorf("%q: got %v, %v; want %q", mask, got, err, want)
		}
	}
}

func TestStylesThatSayTheSameHaveOneKey(t *testing.T) {
	t.Parallel()
	size := func(points float64) *float64 { return &points }
	one := StyleKey(&textStyle{Bold: true, Size: size(9), Secret: "a"})
	if same := StyleKey(&textStyle{Bold: true, Size: size(9), Secret: "b"}); one == "" || same != one {
		t.Errorf("got the keys %q and %q, want one", one, same)
	}
	for _, other := range []textStyle{{Size: size(9)}, {Bold: true, Size: size(9.5)}, {Bold: true}, {Bold: true, Size: size(0)}} {
		if key := StyleKey(other); key == one {
			t.Errorf("%+v has the key of another style, %q", other, key)
		}
	}
	if got := StyleKey(func() {}); got != "" {
		t.Errorf("what is no style has the key %q, want none", got)
	}
}

func TestColoursAreWrittenInHexadecimal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		red, green, blue float64
		want             string
	}{
		{0, 0, 0, "000000"},
		{1, 1, 1, "FFFFFF"},
		{1, 0.5, 0, "FF8000"},                          // 127.5 is rounded up
		{10.0 / 255, 11.4 / 255, 11.6 / 255, "0A0B0C"}, // to the nearest of 255 steps
		{-1, 2, 0.2, "00FF33"},
	} {
		if got := HexColor(c.red, c.green, c.blue); got != c.want {
			t.Errorf("%g %g %g: got %s, want %s", c.red, c.green, c.blue, got, c.want)
		}
	}
}
