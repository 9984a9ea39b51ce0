package console

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func TestAnExampleHasTheShapeOfAnEventAndNoneOfItsValues(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]string{
		`{"Name":"Grace Byron","Nr":7,"Paid":true,"Note":null,"Due":"2025-12-31T10:00:00Z","Sum":"17.50","Link":"https://pay.test/x?card=1"}`: `{"Due":"2026-01-02T10:30:00Z","Link":"https://example.com/","Name":"Ada Lovelace","Note":null,"Nr":1042,"Paid":true,"Sum":"12.50"}`,
		`{"To":"lovelace@post.test","At":"@home","Colour":"blue"}`:                                                                            `{"At":"example","Colour":"example","To":"ada@example.com"}`,
		`{"Items":[{"Text":"Ink","Quantity":2},{"Text":"Pen"}],"Tags":["a","b"],"None":[]}`:                                                   `{"Items":[{"Quantity":3,"Text":"example"}],"None":[],"Tags":["example"]}`,
		`[]`: "", `{}`: "", `null`: "", ``: "",
	} {
		if got := shapeOf([]byte(event)); got != want {
			t.Errorf("%s: got %s, want %s", event, got, want)
		}
	}
}

func TestAnExampleOfATemplateHasACodeThatCanBeDrawn(t *testing.T) {
	t.Parallel()
	got := exampleOf([]byte(`{"type":"object","properties":{"Article":{"type":["string","array","null"],"examples":["4006381333931"]}}}`))
	if want := `{"Article":"4006381333931"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A template works with dates and numbers as they come: an example in another form would
// fail where the events do not.
func TestAnExampleHasDatesAndNumbersInTheFormThatWasSeen(t *testing.T) {
	t.Parallel()
	for seen, want := range map[string]string{
		`"2025-12-31"`: `"2026-01-02"`, `"2025-12-31T23:59:58.123+02:00"`: `"2026-01-02T10:30:00Z"`, `"2025-12-31 23:59"`: `"2026-01-02 10:30"`,
		`"31.12.2025"`: `"02.01.2026"`, `"1.2.2025"`: `"2.1.2026"`, `"31.12.25"`: `"02.01.26"`, `"31.12.2025 23:59"`: `"02.01.2026 10:30"`,
		`"31/12/2025"`: `"02/01/2026"`, `"12/31/2025"`: `"01/02/2026"`, `"2025/12/31"`: `"2026/01/02"`,
		`"December 31, 2025"`: `"January 2, 2026"`, `"31 Dec 2025"`: `"2 Jan 2026"`, `"Wed, 31 Dec 2025 23:59:58 GMT"`: `"Fri, 02 Jan 2026 10:30:00 UTC"`,
		`"31. Dezember 2025"`: `"2. Januar 2026"`, `"31 décembre 2025"`: `"2 janvier 2026"`, `"23:59"`: `"10:30"`,
		`"20251231"`: `"20260102"`, `20251231`: `20260102`, `"12345678"`: `"10000000"`, `1767225598`: `1767349800`, `1767225598123`: `1767349800000`,
		`"17"`: `"10"`, `"17.25"`: `"10.00"`, `"1.234,56 €"`: `"1.000,00 €"`, `"EUR 1,234.56"`: `"EUR 1,000.00"`, `"-5,5 %"`: `"-1,0 %"`, `17`: `1`, `17.25`: `1.5`, `-3`: `1`,
		`"4012345678901"`: `"4006381333931"`, `"1767225598123"`: `"1767349800000"`, // an EAN-13 by its check digit, and milliseconds
		`"May"`: `"example"`, `"3 apples"`: `"example"`, `"A-17"`: `"example"`,
	} {
		if got := shapeOf([]byte(`{"Thing":` + seen + `}`)); got != `{"Thing":`+want+`}` {
			t.Errorf("%s: got %s, want %s", seen, got, want)
		}
	}
}

func TestAnExampleFollowsTheNameOfAFieldWhereItSaysMore(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]string{
		`{"Customer":{"Name":"X","City":"Y","Zip":"24103","Phone":"+49 431 1"}}`: `{"Customer":{"City":"Graz","Name":"Ada Lovelace","Phone":"+43 316 555 0100","Zip":"8010"}}`,
		`{"Items":[{"Name":"Ink","Price":3.75,"Qty":2}]}`:                        `{"Items":[{"Name":"Oak table","Price":12.50,"Qty":3}]}`,
		`{"Invoice date":"31.12.2025","Due date":"soon","Year":1999}`:            `{"Due date":"2026-04-13","Invoice date":"02.01.2026","Year":2026}`,
		`{"Total":"1.234,50 €","Amount":100}`:                                    `{"Amount":12.50,"Total":"1.000,00 €"}`,
	} {
		if got := shapeOf([]byte(event)); got != want {
			t.Errorf("%s: got %s, want %s", event, got, want)
		}
	}
	if got, want := exampleEvent([]string{"Name", "Customer.Email", "Invoice date", "Colour"}), `{"Colour":"example","Customer":{"Email":"ada@example.com"},"Invoice date":"2026-03-16","Name":"Ada Lovelace"}`; got != want {
		t.Errorf("of names alone: got %s, want %s", got, want)
	}
}

func TestAnExampleFillsEveryTagOfATemplate(t *testing.T) {
	t.Parallel()
	schema := `{"type":"object","properties":{
		"Name":{"type":["string","number","boolean","array","null"]},"Invoice date":{"type":["string","null"]},"E-mail":{"type":["string"]},
		"Logo":{"type":["string"]},"Payment link":{"type":["string"]},"Paid":{"description":"Asked for by conditions only."},"Total":{"type":["number","string"]},"Notes":{"type":"array"},
		"Customer":{"type":["object","array"],"properties":{"City":{"type":["string"]}},"items":{"$ref":"#/properties/Customer"}},
		"Items":{"type":"array","items":{"type":"object","properties":{"Price":{"type":["number"]}}}}}}`
	want := `{"Customer":{"City":"Graz"},"E-mail":"ada@example.com","Invoice date":"2026-03-16","Items":[{"Price":12.50}],"Logo":"` + onePixel + `","Name":"Ada Lovelace","Notes":["example"],"Paid":true,"Payment link":"https://example.com/orders/1042","Total":12.50}`
	if got := exampleOf(json.RawMessage(schema)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := exampleOf(json.RawMessage(`{"type":"object"}`)); got != "" {
		t.Errorf("a template without tags: got %s, want nothing", got)
	}
}

// What is too large to be printed is not worked out: the page of a workflow is shown often.
func TestALargeEventIsNoExampleAndCostsLittle(t *testing.T) {
	var many strings.Builder
	for n := range maxExample {
		fmt.Fprintf(&many, `,"%05d":""`, n)
	}
	if got := shapeOf([]byte("{" + many.String()[1:] + "}")); got != "" {
		t.Errorf("got an example of %d bytes, want none", len(got))
	}
	if got := shapeOf([]byte(`{"Items":[` + strings.Repeat(`{"Name":"Ink"},`, maxExample) + `{}]}`)); got != `{"Items":[{"Name":"Oak table"}]}` {
		t.Errorf("of a long list: got %q, want one item", got)
	}
	picture := "data:image/png;base64," + strings.Repeat("A", 1<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	textLike("Logo", "", picture)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("a picture of 1 MiB took %d bytes, want it copied nowhere", got)
	}
}

// A run fails with a made-up picture address, and with an object where the template
// expects a list.
func TestAnExampleThatIsCopiedCanBeFilled(t *testing.T) {
	t.Parallel()
	for event, picture := range map[string]string{
		`{"logo":"https://shop.example/brand"}`: "logo", `{"Firmenbild":"http://a.example/1"}`: "Firmenbild", `{"Banner":"https://a.example/b.PNG?v=1"}`: "Banner", `{"Foto":"data:image/jpeg;base64,AA"}`: "Foto",
	} {
		var got map[string]string
		if err := json.Unmarshal([]byte(shapeOf([]byte(event))), &got); err != nil || got[picture] != onePixel {
			t.Errorf("%s: got %v, %v; want a picture", event, got, err)
		}
	}
	const object = `"type":["object","array"],"properties":{"Preis":{"type":["number","string","array","null"]}},"items":{"$ref":"#"}`
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"Posten":{` + object + `}}}`: `{"Posten":[{"Preis":12.50}]}`,
		`{"type":"object","properties":{"Items":{` + object + `}}}`:  `{"Items":[{"Preis":12.50}]}`,
		`{"type":"object","properties":{"Kunde":{` + object + `}}}`:  `{"Kunde":{"Preis":12.50}}`,
		`{"type":"object","properties":{"Siegel":{"type":["string","array","null"],"description":"A picture: a data URI, an address, or the id of a file of the drive."}}}`: `{"Siegel":"` + onePixel + `"}`,
	} {
		if got := exampleOf([]byte(schema)); got != want {
			t.Errorf("%s: got %s, want %s", schema, got, want)
		}
	}
}
