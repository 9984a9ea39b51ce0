package lang_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

const linkUnusable = "link_unusable: The address of the link must begin with https://, http://, mailto: or tel:, and have at most 2000 characters."

func TestLinksAreTextsWithAddresses(t *testing.T) {
	t.Parallel()
	const body = `{"Url": "https://example.com/orders/7", "Label": "Your order", "Null": null, "Blank": " ", "Odd": "  https://x.at/  ",
		"Lines": "a\nb", "Mail": "mailto:ada@example.com", "Items": [{"Url": "https://x.at/1", "No": 1}, {"Url": "https://x.at/2", "No": 2}]}`
	checkLines(t, body, map[string]string{
		`{{link Url}}`:                                "https://example.com/orders/7<https://example.com/orders/7>",
		`{{link Url "here"}}`:                         "here<https://example.com/orders/7>",
		`{{link Url, "here"}}`:                        "here<https://example.com/orders/7>",
		`{{link Url; Label}}`:                         "Your order<https://example.com/orders/7>",
		`{{link Url, Label & "!"}}`:                   "Your order!<https://example.com/orders/7>",
		`{{LINK Url "here"}}`:                         "here<https://example.com/orders/7>",
		`{{link "https://x.at/" & "a"}}`:              "https://x.at/a<https://x.at/a>",
		`{{link ("https://x.at") UPPER(Label)}}`:      "YOUR ORDER<https://x.at>",
		`{{link Odd}}`:                                "https://x.at/<https://x.at/>",
		`{{link Mail "us"}}`:                          "us<mailto:ada@example.com>",
		`{{link Url, Lines}}`:                         "a\vb<https://example.com/orders/7>",
		`{{link Null "nothing"}}`:                     "nothing", // a text without a link
		`{{link Blank "nothing"}}`:                    "nothing",
		`{{link Null}}`:                               "",
		`{{link Url ""}}`:                             "", // no text to click at
		`{{#each Items}}{{link Url, No}};{{/each}}`:   "1<https://x.at/1>;2<https://x.at/2>;",
		`{{#each Items}}{{link Items.Url}};{{/each}}`: "https://x.at/1<https://x.at/1>;https://x.at/2<https://x.at/2>;",
	})
}

func TestAddressesOfLinksAreOfTheWebOfMailOrOfTelephones(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://example.com":                    "https://example.com",
		"http://example.com/a?b=c#d":             "http://example.com/a?b=c#d",
		"HTTPS://EXAMPLE.COM":                    "HTTPS://EXAMPLE.COM",
		"www.example.com/a":                      "https://www.example.com/a",
		"WWW.example.com":                        "https://WWW.example.com",
		"mailto:ada@example.com":                 "mailto:ada@example.com",
		"Mailto:ada@example.com?cc=b@c":          "Mailto:ada@example.com?cc=b@c",
		"tel:+431234":                            "tel:+431234",
		"https://exämple.at/größe":               "https://exämple.at/größe",
		"https://x/" + strings.Repeat("ä", 1990): "https://x/" + strings.Repeat("ä", 1990), // 2,000 characters
	} {
		checkLines(t, `{"Url": "`+address+`"}`, map[string]string{"{{link Url \"x\"}}": "x<" + want + ">"})
	}
	for _, address := range []string{
		"example.com", "ftp://example.com", "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "https://", "https:///path", "http:example.com",
		"https:", "mailto:", "tel:", "//example.com", "https://exa mple.com", "https://x/%zz", ":", "#top", "https://x/" + strings.Repeat("ä", 1991),
		"www." + strings.Repeat("a", 1989), // https:// goes before it
	} {
		checkRefused(t, `{"Url": "`+address+`"}`, map[string]string{"link Url": linkUnusable, `link Url "x"`: linkUnusable})
	}
}

func TestLinksOfWhatHasNoAddressAreFindings(t *testing.T) {
	t.Parallel()
	const body = `{"Url": "https://x.at", "Customer": {"Name": "Ada"}, "Urls": ["https://x.at/1", "https://x.at/2"], "One": ["https://x.at/1"]}`
	checkRefused(t, body, map[string]string{
		"link Customer":      "no_text: The tag names a part of the data that has fields of its own; name one of them.",
		"link Urls":          "many_values: The tag stands for a whole list here: in a row or a block of the list it is one after the other.",
		"link 1 / 0":         "division_by_zero: The formula divides by zero.",
		"link Url, 1 / 0":    "division_by_zero: The formula divides by zero.",
		"link Url, 1 /":      `formula_incomplete: The formula "Url, 1 /" ends too early.`,
		`link Url "a" "b"`:   `formula_unexpected: The formula "Url \"a\" \"b\"" does not go on with "\"b\"". A name with signs in it stands in brackets: [Unit Price].`,
		`link "open`:         `formula_not_closed: The formula "\"open" has a text whose quote is not closed.`,
		`link SUMM(Url) "x"`: "unknown_function: There is no function SUMM. For a field with parentheses in its name write brackets around it.",
	})
	checkLines(t, body, map[string]string{"{{link One}}": "https://x.at/1<https://x.at/1>", "{{#each Urls}}{{link this, @index}} {{/each}}": "1<https://x.at/1> 2<https://x.at/2> "})
}

func TestTheAddressOfALinkThatIsMissingIsNoted(t *testing.T) {
	t.Parallel()
	got := work(t, `{"Items": [{"A": 1}, {"A": 2}]}`, `{{link Url "x"}}{{#each Items}}{{link Home}}{{/each}}`)
	if got.text != "x" || strings.Join(got.missing, " ") != "Url Home" || len(got.findings) > 0 {
		t.Errorf("got %+v, want the text alone, and Url and Home missing", got)
	}
}

// What stands in the place of a tag in an address of the template's own links.
func TestValuesInAddressesStayOnePartOfThem(t *testing.T) {
	t.Parallel()
	const body = `{"Name": "a b&c=d/e?f#g+h%", "Base": "https://x.at/a?b=c", "Null": null, "No": 7, "Paid": true, "Items": [1, 2]}`
	for address, want := range map[string]string{
		"https://x/{{Name}}":                          "https://x/a%20b%26c%3Dd%2Fe%3Ff%23g%2Bh%25",
		"https://x/?q={{Name}}&n={{No}}":              "https://x/?q=a%20b%26c%3Dd%2Fe%3Ff%23g%2Bh%25&n=7",
		"{{Base}}":                                    "https://x.at/a?b=c", // what begins the address is none of its parts
		"{{Base}}&n={{Base}}":                         "https://x.at/a?b=c&n=https%3A%2F%2Fx.at%2Fa%3Fb%3Dc",
		"{{Null}}{{Base}}":                            "https://x.at/a?b=c",
		"{{= \" \" & Base & \" \"}}":                  "https://x.at/a?b=c",
		"https://x/{{#if Paid}}a{{else}}b{{/if}}":     "https://x/a",
		"https://x/{{#each Items}}{{this}}/{{/each}}": "https://x/1/2/",
		"https://x/{{= No * 2}}":                      "https://x/14",
		"https://x/{{Null}}":                          "https://x/",
		"{{Null}}":                                    "", // nothing is left
		"www.x.at/{{No}}":                             "https://www.x.at/7",
		"mailto:{{No}}@x.at":                          "mailto:7@x.at",
	} {
		e := evaluator(t, body)
		target, ok := e.Target(address)
		if !ok {
			t.Errorf("%s: no tag was found", address)
			continue
		}
		if got := e.Address(target, nil); got != want || len(e.Findings()) > 0 {
			t.Errorf("%s: got %s with findings %+v, want %s", address, got, e.Findings(), want)
		}
	}
}

func TestAnAddressThatTagsSpoilIsAFindingOfItsItem(t *testing.T) {
	t.Parallel()
	e := evaluator(t, `{"Items": [{"Url": "https://x.at"}, {"Url": "ftp://x.at"}]}`)
	target, _ := e.Target("{{Url}}/a")
	var got []string
	for _, item := range e.Items(read(e, "#each Items"), nil) {
		got = append(got, e.Address(target, item))
	}
	if strings.Join(got, " ") != "https://x.at/a " {
		t.Errorf("got %q, want an address and none", got)
	}
	f := e.Findings()
	if len(f) != 1 || f[0].Code != "link_unusable" || f[0].Tag != "{{Url}}/a" || !strings.HasPrefix(f[0].Message, "For item 2 of Items: The address") || !f[0].Data {
		t.Errorf("got %+v, want link_unusable of item 2", f)
	}
}

func TestAddressesWithoutTagsAreLeftAlone(t *testing.T) {
	t.Parallel()
	e := evaluator(t, "{}")
	for _, address := range []string{"", "https://x.at", "https://x.at/{a}", "https://x.at/%7Ba%7D", "https://x.at/{{}}", "https://x.at/{{a", "https://x.at/a}}", "https://x.at/%7B%7B%7D%7D"} {
		if line, ok := e.Target(address); ok {
			t.Errorf("%s: got %+v, want no tag", address, line)
		}
	}
}

// Word processors escape braces, and what stands between them, in addresses.
func TestTagsThatAWordProcessorEscapedAreTags(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://x/{{A B}}":                     "https://x/{{A B}}",
		"https://x/%7B%7BA%20B%7D%7D":           "https://x/{{A B}}",
		"https://x/%7b%7bA%20B%7d%7d":           "https://x/{{A B}}",
		"https://x/%7B%7BGr%C3%B6%C3%9Fe%7D%7D": "https://x/{{Größe}}",
		"https://x/{{A%20B%7D}":                 "https://x/{{A B}}",
		"https://x/a%20b/{{A}}/c%20d":           "https://x/a%20b/{{A}}/c%20d",
		"https://x/%7B%7BA%7D%7D%7B%7BB%7D%7D":  "https://x/{{A}}{{B}}",
		"https://x/%7B%7BA%7D%7D/%7Bb%7D":       "https://x/{{A}}/%7Bb%7D",
		"https://x/%7B%7B=%20A%20%3E%201%7D%7D": "https://x/{{= A > 1}}",
		"https://x/{{A}}%7":                     "https://x/{{A}}%7",
		"https://x/{{100%}}":                    "https://x/{{100%}}", // escapes nothing
	} {
		e := lang.NewEvaluator(nil, lang.Builtins{})
		line, ok := e.Target(address)
		if !ok || line.Text != want {
			t.Errorf("%s: got %+v, %v; want %s", address, line, ok, want)
		}
	}
}
