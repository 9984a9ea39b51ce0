package lang_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/testkit/property"
)

func TestTagsTakeTheirValuesFromTheData(t *testing.T) {
	t.Parallel()
	const body = `{
		"Name": "Ada", "name": "lower", "Total": 1234567890123456789.10, "Rate": 1.50, "Big": 1E400, "Yes": true, "No": false, "Null": null,
		"Customer": {"Address": {"City": "Zürich"}, "Customer’s No.": 7},
		"Items": [{"Name": "a", "Qty": 1, "Sub": [{"X": 1}, {"X": 2}]}, {"Name": "b"}, {"Name": null, "Sub": [{"X": 3}]}],
		"Tags": ["x", 2, null, "", true, ["y"]], "None": [], "Empty": {}, "Mixed": ["s", {"k": 1}],
		"a.b": "flat", "a": {"b": "nested", "c": 1}, "No. of pages": 3, "Size [cm]": 10, "Grid": [[1, 2], [3, 4]],
		"Years": [{"2024": 5}, {"2024": 6}], "Twice": 1, "Twice": 2, "UPPER": "u", "  Padded  Key ": "p",
		"Lone": "\ud800x", "Timestamp": "mine", "automation id": "theirs"
	}`
	data := parse(t, body)
	builtins := lang.Builtins{
		AcceptedAt: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC), AutomationID: "aut_1", WorkflowName: "Invoices",
	}
	for tag, want := range map[string]string{
		"Name": "Ada", "name": "lower", "Total": "1234567890123456789.10", "Rate": "1.50", "Big": "1E400",
		"Yes": "true", "No": "false", "Null": "",
		"Customer.Address.City": "Zürich", "customer.address.CITY": "Zürich", "Customer . Address . City": "Zürich",
		"Customer.Customer's No.": "7",
		"Items.Name":              "a, b", "Items.Qty": "1", "Items.0.Name": "a", "Items[1].Name": "b", "items[0].qty": "1",
		"Items.Sub.X": "1, 2, 3", "Items[0].Sub.X": "1, 2", "Items[0].Sub[1].X": "2",
		"Tags": "x, 2, true, y", "Tags.0": "x", "Tags[4]": "true", "None": "", "None.Name": "", "Empty": "", "Mixed": "s", "Mixed.k": "1",
		"a.b": "flat", "a.c": "1", "No. of pages": "3", "Size [cm]": "10", "Grid[1][0]": "3", "Grid.0": "1, 2", "Grid": "1, 2, 3, 4",
		"Years.2024": "5, 6", "Twice": "2", "upper": "u", "Padded Key": "p", "Lone": "\ufffdx",
		"Timestamp": "mine", "timestamp": "mine", "Automation ID": "aut_1", "automation id": "theirs",
		"Workflow Name": "Invoices", "WORKFLOW NAME": "Invoices",
	} {
		got, missing := lang.Expand("{{"+tag+"}}", data, builtins)
		if got != want || len(missing) > 0 {
			t.Errorf("{{%s}} = %q, missing %q; want %q", tag, got, missing, want)
		}
	}
	for _, tag := range []string{"NAME", "Nope", "Customer", "Items", "Items[3].Name", "Items.Nope", "Tags.Name", "Name.First", "Customer..Address", ".", "Items[-1].Name", "[0]"} {
		got, missing := lang.Expand("{{"+tag+"}}", data, builtins)
		if got != "" || len(missing) != 1 || missing[0] != tag {
			t.Errorf("{{%s}} = %q, missing %q; want it missing", tag, got, missing)
		}
	}
}

func TestTimestampIsTheTimeOfAcceptanceInTheZone(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 23, 4, 5, 0, time.UTC)
	for want, zone := range map[string]*time.Location{
		"2026-01-02 23.04.05": nil,
		"2026-01-03 01.04.05": time.FixedZone("", 2*3600),
	} {
		got, _ := lang.Expand("{{Timestamp}}", parse(t, `{}`), lang.Builtins{AcceptedAt: at, Zone: zone})
		if got != want {
			t.Errorf("in %v: %q, want %q", zone, got, want)
		}
	}
}

func TestParseDataRefusesWhatIsNotOneObject(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, platen.MaxSourceDepth+1) + "1" + strings.Repeat("}", platen.MaxSourceDepth+1)
	for _, body := range []string{"", " ", "[]", "1", `{"a":1`, `{"a":1}{}`, `{"a":1} x`, `{"a":1,}`, `{"a":tru}`, `{a:1}`, deep} {
		_, err := lang.ParseData([]byte(body))
		if e, ok := errors.AsType[*platen.Error](err); !ok || e.Kind != platen.KindInvalid {
			t.Errorf("ParseData(%.40q): %v, want KindInvalid", body, err)
		}
	}
	if got, _ := lang.Expand("{{a}}", parse(t, "\ufeff {\"a\":\"\xff\"} "), lang.Builtins{}); got != "\ufffd" {
		t.Errorf("invalid UTF-8 after a byte order mark became %q, want U+FFFD", got)
	}
}

func TestEverySourceFieldIsATag(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		body := drawJSON(t, 0)
		fields, err := platen.SourceFields([]byte(body))
		if err != nil {
			t.Fatalf("SourceFields(%s): %v", body, err)
		}
		data := parse(t, body)
		for _, field := range fields {
			if _, missing := lang.Expand("{{"+field+"}}", data, lang.Builtins{}); len(missing) > 0 {
				t.Fatalf("{{%s}} has no value in %s", field, body)
			}
		}
	})
}

// drawJSON makes an object; names do not repeat, since the fields of a value
// that a later duplicate replaces have no value.
func drawJSON(t *rapid.T, depth int) string {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-cA-C]{1,3}( [a-c])?`), 0, 4, rapid.ID).Draw(t, "names")
	var members []string
	for _, name := range names {
		members = append(members, `"`+name+`":`+drawValue(t, depth+1))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func drawValue(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	switch {
	case kind == 0 && depth < 4:
		return drawJSON(t, depth)
	case kind == 1 && depth < 4:
		var items []string
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			items = append(items, drawValue(t, depth+1))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	return rapid.SampledFrom([]string{`"x"`, `""`, "1", "-0.10", "true", "null"}).Draw(t, "scalar")
}

func TestLookingUpIsLinearInTheData(t *testing.T) {
	t.Parallel()
	nested := `{"a":` + strings.Repeat("[", 60) + "1" + strings.Repeat(",1]", 60) + "}"
	tag := "{{a" + strings.Repeat(".0", 200) + "}}"
	if _, missing := lang.Expand(tag, parse(t, nested), lang.Builtins{}); len(missing) != 1 {
		t.Errorf("missing %q, want the tag", missing)
	}
}

func BenchmarkParseDataOneMebibyte(b *testing.B) {
	body := []byte(`{"l":[` + strings.TrimSuffix(strings.Repeat(`{"a":1},`, 130_000), ",") + `]}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := lang.ParseData(body); err != nil {
			b.Fatal(err)
		}
	}
}
