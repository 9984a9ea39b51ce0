package intake

import (
	"errors"
	"io"
	"math"
	"mime/multipart"
)

// ErrNoForm says that a body is not the form that its type announces.
var ErrNoForm = errors.New("no form")

// beside is how many bytes may stand before a part: its headers and, before the first one,
// what belongs to none.
const beside = 64 << 10

// EachPart calls read for each part of a form (multipart/form-data, RFC 7578) as it comes:
// the form as a whole is held nowhere. What read leaves of a part is passed over. The error
// is that of read or of body, or ErrNoForm: also of a form with more than most parts.
func EachPart(body io.Reader, boundary string, most int, read func(*multipart.Part) error) error {
	if boundary == "" {
		return ErrNoForm
	}
	source := &io.LimitedReader{R: body}
	parts := multipart.NewReader(source, boundary)
	for n := 0; ; n++ {
		source.N = beside
		part, err := parts.NextPart()
		if err == io.EOF && source.N > 0 { // wrapped, it is that of a form that stops
			return nil
		}
		if err != nil || n == most {
			return errors.Join(ErrNoForm, err)
		}
		source.N = math.MaxInt64
		if err := read(part); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, part); err != nil {
			return errors.Join(ErrNoForm, err)
		}
	}
}
