package console

import (
	"encoding/json"
	"testing"
)

func TestAnExampleHasTheShapeOfAnEventAndNoneOfItsValues(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]string{
		`{"Name":"Ada Byron","Nr":7,"Paid":true,"Note":null,"Due":"2025-12-31T10:00:00Z","Sum":"12.50","Link":"https://pay.test/x?card=1"}`: `{"Due":"2026-01-02","Link":"https://example.com/","Name":"example","Note":null,"Nr":1,"Paid":true,"Sum":"1"}`,
		`{"To":"lovelace@post.test","At":"@home"}`:                                          `{"At":"example","To":"ada@example.com"}`,
		`{"Items":[{"Text":"Ink","Quantity":2},{"Text":"Pen"}],"Tags":["a","b"],"None":[]}`: `{"Items":[{"Quantity":1,"Text":"example"}],"None":[],"Tags":["example"]}`,
		`[]`: "", `{}`: "", `null`: "", ``: "",
	} {
		if got := shapeOf([]byte(event)); got != want {
			t.Errorf("%s: got %s, want %s", event, got, want)
		}
	}
}

func TestAnExampleFillsEveryTagOfATemplate(t *testing.T) {
	t.Parallel()
	schema := `{"type":"object","properties":{
		"Name":{"type":["string","number","boolean","array","null"]},"Invoice date":{"type":["string","null"]},"E-mail":{"type":["string"]},
		"Logo":{"type":["string"]},"Payment link":{"type":["string"]},"Paid":{"description":"Asked for by conditions only."},"Total":{"type":["number","string"]},"Notes":{"type":"array"},
		"Customer":{"type":["object","array"],"properties":{"City":{"type":["string"]}},"items":{"$ref":"#/properties/Customer"}},
		"Items":{"type":"array","items":{"type":"object","properties":{"Price":{"type":["number"]}}}}}}`
	want := `{"Customer":{"City":"example"},"E-mail":"ada@example.com","Invoice date":"2026-01-02","Items":[{"Price":1}],"Logo":"` + onePixel + `","Name":"example","Notes":["example"],"Paid":true,"Payment link":"https://example.com/","Total":1}`
	if got := exampleOf(json.RawMessage(schema)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := exampleOf(json.RawMessage(`{"type":"object"}`)); got != "" {
		t.Errorf("a template without tags: got %s, want nothing", got)
	}
}
