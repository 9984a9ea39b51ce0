package console

import "testing"

func TestAnExampleHasTheShapeOfAnEventAndNoneOfItsValues(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]string{
		`{"Name":"Ada Byron","Nr":7,"Paid":true,"Note":null,"Due":"2025-12-31T10:00:00Z","Sum":"12.50","Link":"https://pay.test/x?card=1"}`: `{"Due":"2026-01-02","Link":"https://example.com/","Name":"example","Note":null,"Nr":1,"Paid":true,"Sum":"1"}`,
		`{"Items":[{"Text":"Ink","Quantity":2},{"Text":"Pen"}],"Tags":["a","b"],"None":[]}`:                                                 `{"Items":[{"Quantity":1,"Text":"example"}],"None":[],"Tags":["example"]}`,
		`[]`: "", `{}`: "", `null`: "", ``: "",
	} {
		if got := shapeOf([]byte(event)); got != want {
			t.Errorf("%s: got %s, want %s", event, got, want)
		}
	}
}
