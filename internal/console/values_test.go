package console

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// The message of a run names where a value is at fault, and the value stands in the data
// alone.
func TestTheDataOfAFailedRunMarksEachValueAtFaultOnce(t *testing.T) {
	t.Parallel()
	const message = `The template cannot be filled with this data. Posten, item 2, Preis: this text is not a number. Write one such as 14.00. faellig: this is not a date. Write one such as 2026-01-31 or 2026-01-31T15:04:05Z. {{= 1 / Null}}: The formula divides by zero.`
	failure := `{"code":"data_unusable","message":"` + message + `"}`
	output := `{"id":"` + toldOutput + `","automationId":"` + toldRun + `","documentId":"` + toldDocument + `","state":"FAILED","error":` + failure + `}`
	run := `{"id":"` + toldRun + `","workflowId":"` + toldWorkflow + `","state":"FAILED","acceptedAt":"2026-01-02T13:48:00Z","error":` + failure + `,"outputs":[` + output + `,` + output + `],
		"sourceData":{"Preis":"<3>","Posten":[{"Preis":14},{"Name":"Kette","Preis":"vier<b>zehn"}],"Faellig":"bald","Null":0}}`
	api := ofWorkflow().with(answers{"GET /automations/" + toldRun + "/": run, "GET /events/": `[]`})
	path := toldPath + "runs/" + toldRun + "/"
	p := visit(t, SiteOptions{API: api, Hooks: http.NotFoundHandler()}, path+"?data=shown", nil)
	p.has(t,
		`&#34;Preis&#34;: <mark id="value-1">&#34;vier&lt;b&gt;zehn&#34;</mark>`, `Faellig&#34;: <mark id="value-2">&#34;bald&#34;</mark>`,
		`<a class="inline" href="#value-1"><bdi>Posten, item 2, Preis</bdi></a>, line 9: <code>&#34;vier&lt;b&gt;zehn&#34;</code> – <bdi>this text is not a number. Write one such as 14.00.</bdi></li>`,
		`<a class="inline" href="#value-2"><bdi>Faellig</bdi></a>, line 12: <code>&#34;bald&#34;</code> – <bdi>this is not a date. Write one such as 2026-01-31 or 2026-01-31T15:04:05Z.</bdi></li>`,
		`"Preis": "<3>"`)
	if n := strings.Count(p.html, "<mark"); n != 2 {
		t.Errorf("got %d marks, want one for each of the 2 values:\n%s", n, p.html)
	}
	visit(t, SiteOptions{API: api, Hooks: http.NotFoundHandler()}, path, nil).lacks(t, "zehn", "bald", "<mark")
}

func TestAValueAtFaultIsFoundInDataOfEachShape(t *testing.T) {
	t.Parallel()
	for message, c := range map[string]struct{ data, want string }{
		"Price: this text is not a number.":                          {`{"Price":"x","Items":[{"Price":1}]}`, `"x"`},
		"The template cannot be filled. A b: no.":                    {`{"A b":"x"}`, `"x"`},
		"Customer.Address.Zip: no.":                                  {`{"Customer":{"Address":{"Zip":{"a":[1,"b"]}}}}`, "{\n        \"a\": [\n          1,\n          \"b\"\n        ]\n      }"},
		"Orders, item 2, Lines, item 1, Price.Net: no.":              {`{"Orders":[{"Lines":[{"Price":{"Net":"a"}}]},{"Lines":[{"Price":{"Net":"b"}}]}]}`, `"b"`},
		"Shop.Orders, item 1: no.":                                   {`{"Shop":{"Orders":["\"é\\", 2]}}`, `"\"é\\"`},
		"ITEMS, item 1, price: no.":                                  {`{"Items":[{"Price":null}]}`, `null`},
		"Anything else. Did you mean SUM? Total: no.":                {`{"Total":true}`, `true`},
		"{{= 1 / Zero}}: The formula divides by zero.":               {`{"Zero":0}`, ""},
		"Items, item 3, Price: no.":                                  {`{"Items":[{"Price":1}]}`, ""},
		"It does not have \"Total\". {{= Total}}: Total is missing.": {`{"Total.":1}`, ""},
		"Price: no. Price: no.":                                      {`{"Price":"x"}`, `"x"`},
	} {
		_, found := markValues(indent(new(strings.Builder), json.RawMessage(c.data)), []string{message, message})
		var got []string
		for _, v := range found {
			got = append(got, v.Value)
		}
		if want := slices.DeleteFunc([]string{c.want}, func(s string) bool { return s == "" }); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", message, got, want)
		}
	}
}
