package drive

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/platenhq/platen/internal/render"
)

// findingsHeader says in the answer to an export what the PDF does not show as
// its author meant it: a JSON list of objects with code and message, in ASCII.
// It is ours alone; Google sends nothing of the kind. Without findings it is
// not there.
const findingsHeader = "Platen-Export-Findings"

// maxFindingsHeader bounds the header's value in bytes, well below what HTTP
// clients and proxies take of one header. Findings behind it are left out.
const maxFindingsHeader = 4 << 10

// An export is a file in another format.
type export struct {
	body     []byte
	findings string // the header's value; empty: none
}

func (e export) size() int { return len(e.body) + len(e.findings) }

// findingsValue writes findings for the header, as many as it has room for.
func findingsValue(findings []render.Finding) (string, error) {
	type wire struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	value := ""
	for _, f := range findings {
		text, err := json.Marshal(wire(f))
		if err != nil {
			return "", fmt.Errorf("write a finding: %w", err)
		}
		next := ascii(text)
		if len(value)+len(next)+2 > maxFindingsHeader {
			break
		}
		if value != "" {
			value += ","
		}
		value += next
	}
	if value == "" {
		return "", nil
	}
	return "[" + value + "]", nil
}

// ascii escapes non-ASCII characters in JSON: header values are not UTF-8 (RFC 9110, 5.5).
func ascii(text []byte) string {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r < utf8.RuneSelf:
			out = append(out, byte(r))
		case r > 0xFFFF:
			const offset, half = 0x10000, 0x3FF
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xD800+(r-offset)>>10, 0xDC00+(r-offset)&half)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[size:]
	}
	return string(out)
}

// codesOf are for the log, where no character of a document belongs.
func codesOf(findings []render.Finding) []string {
	codes := make([]string, len(findings))
	for i, f := range findings {
		codes[i] = f.Code
	}
	return codes
}
