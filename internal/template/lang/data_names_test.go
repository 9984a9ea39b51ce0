package lang

import (
	"encoding/json"
	"fmt"
	"testing"
)

// Objects of many members find them by maps; what is found must be the same.
func TestManyMembersAreFoundAsFewAre(t *testing.T) {
	t.Parallel()
	names := []string{"Name", "name", "Other Name", "OTHER", "Straße", "E-Mail", "e-mail", "e-mail ", "Other  Name"}
	parse := func(more int) *object {
		body := "{"
		for i, name := range names {
			key, err := json.Marshal(name)
			if err != nil {
				t.Fatal(err)
			}
			body += fmt.Sprintf("%s: %d,", key, i)
		}
		for i := range more {
			body += fmt.Sprintf(`"Filler %d": 0,`, i)
		}
		d, err := ParseData([]byte(body + `"last": 0}`))
		if err != nil {
			t.Fatal(err)
		}
		return d.root.(*object)
	}
	few, many := parse(0), parse(searchedFrom)
	if few.canonical != nil || many.canonical == nil {
		t.Fatal("the objects are not of the two kinds")
	}
	for _, name := range append(names[:7:7], "NAME", "other name", "Other", "STRASSE", "straße", "E-MAIL", "Nobody", "") {
		for _, anyCase := range []bool{false, true} {
			want, wantOK := few.get(name, anyCase)
			if got, ok := many.get(name, anyCase); got != want || ok != wantOK {
				t.Errorf("%q, any case %v: got %v, %v, want %v, %v", name, anyCase, got, ok, want, wantOK)
			}
		}
	}
}
