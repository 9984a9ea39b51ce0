package intake

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"strings"
	"testing"
)

func TestTheFormIsReadPartByPart(t *testing.T) {
	t.Parallel()
	const first = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n"
	const second = "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f.docx\"\r\n\r\ntwo\r\n"
	header := func(n int) string {
		return "--b\r\nContent-Disposition: form-data; name=\"a\"\r\nX: " + strings.Repeat("x", n) + "\r\n\r\none\r\n"
	}
	for name, c := range map[string]struct {
		body, want string
		err        error
	}{
		"two parts":             {"before\r\n" + first + second + "--b--\r\nbehind", "[a  one f f.docx two]", nil},
		"no part":               {"--b--", "[]", nil},
		"nothing":               {"", "[]", ErrNoForm},
		"no boundary":           {"one", "[]", ErrNoForm},
		"without an end":        {first, "[]", ErrNoForm},
		"stops in a part":       {first + strings.TrimSuffix(second, "\r\n"), "[a  one]", ErrNoForm},
		"three parts":           {first + second + first + "--b--", "[a  one f f.docx two]", ErrNoForm},
		"a header":              {header(60<<10) + "--b--", "[a  one]", nil},
		"too large a header":    {header(70<<10) + "--b--", "[]", ErrNoForm},
		"much before the first": {strings.Repeat("x", 70<<10) + "\r\n" + first + "--b--", "[]", ErrNoForm},
		"a large part":          {strings.Replace(first, "one", strings.Repeat("x", 1<<20), 1) + second + "--b--", "[a  1048576 f f.docx two]", nil},
	} {
		got := []string{}
		err := EachPart(strings.NewReader(c.body), "b", 2, func(part *multipart.Part) error {
			content, err := io.ReadAll(part)
			if err != nil {
				return ErrNoForm
			}
			if len(content) > 100 {
				content = fmt.Append(nil, len(content))
			}
			got = append(got, part.FormName(), part.FileName(), string(content))
			return nil
		})
		if fmt.Sprint(got) != c.want || !errors.Is(err, c.err) || (err != nil) != (c.err != nil) {
			t.Errorf("%s: got %v and %v, want %s and %v", name, got, err, c.want, c.err)
		}
	}
}

func TestWhatIsLeftOfAPartIsPassedOver(t *testing.T) {
	t.Parallel()
	large := "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n" + strings.Repeat("x", 1<<20) + "\r\n"
	var got []string
	if err := EachPart(strings.NewReader(large+strings.Replace(large, `"a"`, `"c"`, 1)+"--b--"), "b", 9, func(part *multipart.Part) error {
		got = append(got, part.FormName())
		return nil
	}); err != nil || fmt.Sprint(got) != "[a c]" {
		t.Errorf("got %v and %v, want the names of both parts", got, err)
	}
	broken := errors.New("broken")
	if err := EachPart(strings.NewReader(large+"--b--"), "b", 9, func(*multipart.Part) error { return broken }); err != broken {
		t.Errorf("got %v, want what read says", err)
	}
	if err := EachPart(strings.NewReader("--\r\n\r\nx\r\n----"), "", 9, func(*multipart.Part) error { return nil }); !errors.Is(err, ErrNoForm) {
		t.Errorf("without a boundary: got %v, want ErrNoForm", err)
	}
	if err := EachPart(io.MultiReader(strings.NewReader(large[:100]), failing{broken}), "b", 9, func(*multipart.Part) error { return nil }); !errors.Is(err, broken) {
		t.Errorf("a body that breaks: got %v, want why", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
