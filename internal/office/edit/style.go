package edit

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
)

// StyleFields returns the names that the mask of a request for a style lists,
// all fields of the style's type for "*". Of a path such as "link.url" its
// first name counts.
func StyleFields(mask string, style any, invalid RequestFault) (map[string]bool, error) {
	known := map[string]bool{}
	t := reflect.TypeOf(style)
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			known[name] = true
		}
	}
	if mask == "" {
		return nil, invalid("At least one field must be listed in fields.")
	}
	if mask == "*" {
		return known, nil
	}
	listed := map[string]bool{}
	for field := range strings.SplitSeq(mask, ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(field), ".")
		if !known[name] {
			return nil, invalid("The field %q is not a field of the style.", field)
		}
		listed[name] = true
	}
	return listed, nil
}

// StyleKey is the same for styles of the API that say the same.
func StyleKey(style any) string {
	key, err := json.Marshal(style)
	if err != nil {
		return "" // styles of the API always marshal
	}
	return string(key)
}

// StyleKeys is StyleKey for many styles, where most equal the last one.
type StyleKeys struct {
	last any
	text string
}

// Key is the StyleKey of a style, which nobody may change afterwards.
func (k *StyleKeys) Key(style any) string {
	if k.last == nil || !reflect.DeepEqual(k.last, style) {
		k.last, k.text = style, StyleKey(style)
	}
	return k.text
}

// HexColor writes a colour of the API, whose parts go from 0 to 1, as OOXML
// does: RRGGBB.
func HexColor(red, green, blue float64) string {
	part := func(f float64) int { return int(math.Round(min(max(f, 0), 1) * 255)) }
	return fmt.Sprintf("%02X%02X%02X", part(red), part(green), part(blue))
}
