package lang_test

import (
	"strings"
	"testing"
)

const linkUnusable = "link_unusable: The address of the link must begin with https://, http://, mailto: or tel:, and have at most 2000 characters."

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
