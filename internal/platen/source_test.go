package platen_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestHopsAreTheLargestNumberAndGarbageIsNone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []string
		want   int
	}{
		{nil, 0}, {[]string{""}, 0}, {[]string{"0"}, 0}, {[]string{" 3 "}, 3}, {[]string{"1", "4", "2"}, 4}, {[]string{"2, 5,x"}, 5},
		{[]string{"6"}, 6}, {[]string{"7000"}, 6}, {[]string{"99999999999999999999999999"}, 6}, {[]string{"4294967296"}, 6},
		{[]string{"-7"}, 0}, {[]string{"5.9"}, 0}, {[]string{"0x10"}, 0}, {[]string{"+3"}, 0}, {[]string{"1_0"}, 0}, {[]string{"\x80"}, 0},
	} {
		if got := platen.Hops(c.values); got != c.want {
			t.Errorf("%q: got %d, want %d", c.values, got, c.want)
		}
	}
}

func TestSourceFieldsAreLeafPathsInOrderOfKeys(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"flat":                    {`{"b":1,"a":"x","c":null,"d":true}`, []string{"b", "a", "c", "d"}},
		"nested":                  {`{"Customer":{"Name":"x","Address":{"City":"y"}},"No":-1.5e3}`, []string{"Customer.Name", "Customer.Address.City", "No"}},
		"list of objects":         {`{"LineItem":[{"Name":"a","Qty":1},{"Qty":2,"Note":"n"}],"Sum":3}`, []string{"LineItem.Name", "LineItem.Qty", "LineItem.Note", "Sum"}},
		"list of scalars":         {`{"Tags":["a",1,null]}`, []string{"Tags"}},
		"lists in lists":          {`{"m":[[1,2],[{"x":1}]]}`, []string{"m", "m.x"}},
		"empty object and list":   {`{"o":{},"l":[ ],"i":[{}],"p":{ "q" : [ { } ] }}`, []string{"o", "l", "i", "p.q"}},
		"duplicates":              {`{"a":1,"b":2,"a":{"c":3}}`, []string{"a", "b", "a.c"}},
		"escapes":                 {`{"a\"b\\":1,"\u00e4":2,"x\ty":3,"va\"l":"}],\\\"{"}`, []string{`a"b\`, "ä", "x\ty", `va"l`}},
		"white space":             {" \r\n{ \"a\" :\t1 , \"b\" : { \"c\" : [ 1 , 2 ] } }\n", []string{"a", "b.c"}},
		"byte order mark":         {"\ufeff{\"a\":1}", []string{"a"}},
		"nothing":                 {`{}`, []string{}},
		"names that none can use": {`{"":1,"a\u0000b":2,"c":3}`, []string{"c"}},
		"invalid UTF-8":           {"{\"a\xff\":1}", []string{"a\ufffd"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := platen.SourceFields([]byte(c.body))
			if err != nil {
				t.Fatalf("SourceFields(%s): %v", c.body, err)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("SourceFields(%s) = %q, want %q", c.body, got, c.want)
			}
		})
	}
}

func TestSourceFieldsRefusesWhatIsNotOneObject(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, platen.MaxSourceDepth+1) + "1" + strings.Repeat("}", platen.MaxSourceDepth+1)
	for name, c := range map[string]struct{ body, code string }{
		"empty":         {"", "source_empty"},
		"blank":         {" \n", "source_empty"},
		"list":          {`[{"a":1}]`, "source_not_object"},
		"scalar":        {`"a"`, "source_not_object"},
		"trailing data": {`{"a":1}{"b":2}`, "source_not_json"},
		"trailing text": {`{"a":1} x`, "source_not_json"},
		"cut off":       {`{"a":{"b":1}`, "source_not_json"},
		"comma":         {`{"a":1,}`, "source_not_json"},
		"form":          {`a=1&b=2`, "source_not_json"},
		"too deep":      {deep, "source_too_deep"},
		"very deep":     {`{"a":` + strings.Repeat("[", 500_000) + strings.Repeat("]", 500_000) + "}", "source_not_json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := platen.SourceFields([]byte(c.body))
			e, ok := errors.AsType[*platen.Error](err)
			if !ok || e.Kind != platen.KindInvalid || e.Code != c.code {
				t.Errorf("SourceFields = %q, %v; want KindInvalid with code %s", got, err, c.code)
			}
		})
	}
}

// Every body that is one byte away from this one must be taken exactly where
// encoding/json takes it.
func TestSourceFieldsTakesWhatIsValidJSON(t *testing.T) {
	t.Parallel()
	body := []byte("\t{\"a\":[-0.5e+1,0,12,true,false,null,{}, []],\"\\u00e4\\n\":{\"\xff\":\"\\ud800/\\/\"},\"l\":[[1E9],\"x\"]}\r\n ")
	check := func(body []byte) {
		_, err := platen.SourceFields(body)
		trimmed := bytes.TrimLeft(body, " \t\r\n")
		if want := json.Valid(body) && trimmed[0] == '{'; want != (err == nil) {
			t.Errorf("SourceFields(%q): %v; want taken: %v", body, err, want)
		}
	}
	check(body)
	for i := range body {
		check(body[:i])
		check(slices.Concat(body[:i], body[i+1:]))
		for c := range 256 {
			check(slices.Concat(body[:i], []byte{byte(c)}, body[i+1:]))
			check(slices.Concat(body[:i], []byte{byte(c)}, body[i:]))
		}
	}
}

func TestSourceFieldsTakesTheDeepestThatIsAllowed(t *testing.T) {
	t.Parallel()
	body := strings.Repeat(`{"a":`, platen.MaxSourceDepth) + "1" + strings.Repeat("}", platen.MaxSourceDepth)
	got, err := platen.SourceFields([]byte(body))
	want := strings.TrimSuffix(strings.Repeat("a.", platen.MaxSourceDepth), ".")
	if err != nil || !slices.Equal(got, []string{want}) {
		t.Errorf("SourceFields = %q, %v; want the one path", got, err)
	}
}

func TestSourceFieldsIsBounded(t *testing.T) {
	t.Parallel()
	many := map[string]int{}
	for i := range 5000 {
		many[fmt.Sprintf("field%d", i)] = i
	}
	body, err := json.Marshal(many)
	if err != nil {
		t.Fatal(err)
	}
	got, err := platen.SourceFields(body)
	if err != nil || len(got) != platen.MaxSourceFields {
		t.Errorf("%d fields, %v; want %d", len(got), err, platen.MaxSourceFields)
	}

	// A long key above many leaves must not be repeated for each of them.
	long := strings.Repeat("k", 400_000)
	got, err = platen.SourceFields([]byte(`{"` + long + `":` + string(body) + `,"z":1}`))
	if err != nil || !slices.Equal(got, []string{"z"}) {
		t.Errorf("%d fields, %v; want the short one alone", len(got), err)
	}
}

func FuzzSourceFields(f *testing.F) {
	for _, s := range []string{`{"a":[{"b":1},{}],"c":{"d":"\\\""}}`, `{}`, `[`, ` {"a" : null } `, `{"\u0000":1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		fields, err := platen.SourceFields(body)
		var decoded map[string]any
		trimmed := bytes.TrimPrefix(body, []byte("\ufeff"))
		d := json.NewDecoder(bytes.NewReader(trimmed))
		d.UseNumber()
		valid := json.Valid(trimmed) && d.Decode(&decoded) == nil && decoded != nil
		if valid != (err == nil) && !strings.Contains(fmt.Sprint(err), "nests") {
			t.Fatalf("body %q: valid %v, error %v", body, valid, err)
		}
		_, unnamed := decoded[""]
		if err == nil && len(fields) == 0 && len(decoded) > 0 && !unnamed && !bytes.Contains(body, []byte(`\u0000`)) && len(body) < 100 {
			t.Fatalf("body %q has no fields", body)
		}
	})
}

func BenchmarkSourceFieldsOneMebibyte(b *testing.B) {
	body := []byte(`{"l":[` + strings.TrimSuffix(strings.Repeat("{},", 349_000), ",") + `]}`)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := platen.SourceFields(body); err != nil {
			b.Fatal(err)
		}
	}
}
