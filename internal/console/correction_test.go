package console

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/catalog"
)

// A form changes the values that were changed, and no other byte.
func TestAFormChangesWhatWasTypedAlone(t *testing.T) {
	t.Parallel()
	data := `{"Name": "Ada", "Total":1.50e1, "Paid":false ,"Note":null,"Items":[{"Price":12345678901234567890.10,"Text":"a\r\nb"},{}],"a/b":{"~":"x"},"Years":{"2025":[["y"]]}}`
	f, err := dataFormOf([]byte(data))
	if err != nil || f.TooLong {
		t.Fatalf("got %+v (%v), want a form", f, err)
	}
	var labels []string
	same := url.Values{}
	for _, field := range f.Fields {
		labels = append(labels, field.Label)
		same.Set(field.Name, strings.ReplaceAll(field.Value, "\n", "\r\n"))
	}
	if got, want := strings.Join(labels, " "), "Name Total Paid Note Items[1].Price Items[1].Text a/b.~ Years.2025[1][1]"; got != want {
		t.Errorf("got fields %s, want %s", got, want)
	}
	in := catalog.In("en")
	if got, problem := f.typed(in, same); problem != "" || string(got) != data {
		t.Errorf("as it was: got %s %q, want %s", got, problem, data)
	}
	for change, want := range map[string]string{
		`v0="Grace" <x>`: strings.Replace(data, `"Ada"`, `"\"Grace\" <x>"`, 1),
		"v1= 20 ":        strings.Replace(data, "1.50e1", "20", 1),
		"v2=true":        strings.Replace(data, "false", "true", 1),
		"v3=Call first":  strings.Replace(data, "null", `"Call first"`, 1),
		"v1=1,5":         "Total must be a number such as 1234.50.",
		"v1=":            "Total must be a number such as 1234.50.",
		"v1=\"1\"":       "Total must be a number such as 1234.50.",
		"v2=yes":         "Paid must be true or false.",
	} {
		name, value, _ := strings.Cut(change, "=")
		got, problem := f.typed(in, url.Values{name: {value}})
		if problem != want && string(got) != want {
			t.Errorf("%s: got %s %q, want %s", change, got, problem, want)
		}
	}
}

func TestDataThatDoesNotFitAFormSaysSo(t *testing.T) {
	t.Parallel()
	many := `{"a":[` + strings.TrimSuffix(strings.Repeat("1,", maxDataFields+1), ",") + `]}`
	for name, data := range map[string]string{"too many": many, "too long": `{"a":` + strconv.Quote(strings.Repeat("x", maxDataText+1)) + `}`, "nothing": `{"a":{}}`, "more than a browser may send": `{"a":[` + strings.TrimSuffix(strings.Repeat(`"`+strings.Repeat("ä", 5_000)+`",`, 20), ",") + `]}`} {
		if f, err := dataFormOf([]byte(data)); err != nil || !f.TooLong {
			t.Errorf("%s: got %d fields (%v), want that it does not fit", name, len(f.Fields), err)
		}
	}
}
