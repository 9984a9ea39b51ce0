package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestSourceDataIsShownAsItCountsWithWhatIsOddAboutIt(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		data     string
		pointers string
	}{
		`{}`:                              {`{}`, ""},
		"\ufeff {\"a\" : [ ] , \"b\":{}}": {`{"a":[],"b":{}}`, ""},
		`{"a":1,"b":2,"a":{"c":[3,{"c":4,"c":5}]}}`:                 {`{"a":{"c":[3,{"c":5}]},"b":2}`, "/a /a/c/1/c"},
		`{"a":1,"\u0061":2,"a":3}`:                                  {`{"a":3}`, "/a /a"},
		`{"n":12345678901234567890.10,"e":-1E+2,"t":true,"z":null}`: {`{"n":12345678901234567890.10,"e":-1E+2,"t":true,"z":null}`, ""},
		"{\"s\":\"a\xffb\\ud800\\u0000<&>\",\"x/~\":1,\"x/~\":1}":   {"{\"s\":\"a\ufffdb\ufffd\\u0000<&>\",\"x/~\":1}", "/x~1~0"},
	} {
		data, findings, err := readSourceData([]byte(body))
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		var pointers []string
		for _, f := range findings {
			pointers = append(pointers, f.Pointer)
			if f.Code != "duplicate_key" || f.Message == "" {
				t.Errorf("%s: finding %+v", body, f)
			}
		}
		if string(data) != want.data || strings.Join(pointers, " ") != want.pointers {
			t.Errorf("%s: got %s and %q, want %s and %q", body, data, pointers, want.data, want.pointers)
		}
		if !jsontext.Value(data).IsValid() {
			t.Errorf("%s: %s is no strict JSON", body, data)
		}
	}
}

func TestFindingsAreBounded(t *testing.T) {
	t.Parallel()
	body := `{` + strings.Repeat(`"`+strings.Repeat("k", 1000)+`":1,`, 1000) + `"z":1}`
	data, findings, err := readSourceData([]byte(body))
	text, _ := json.Marshal(findings)
	if err != nil || len(findings) != maxFaults || len(text) > 20_000 || len(data) > 2000 {
		t.Errorf("got %d findings in %d bytes beside %d of data, %v", len(findings), len(text), len(data), err)
	}
}

func FuzzSourceData(f *testing.F) {
	for _, body := range []string{`{"a":1,"a":[{"b":"\ud83d\ude00"}]}`, "{\"\xff\":1,\"\xfe\":2}", `{"":{"":{}}}`, `[`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		data, _, err := readSourceData(body)
		if err != nil {
			if json.Valid(body) {
				t.Errorf("%q was accepted and cannot be shown: %v", body, err)
			}
			return
		}
		if !jsontext.Value(data).IsValid() {
			t.Errorf("%q is shown as %q", body, data)
		}
	})
}
