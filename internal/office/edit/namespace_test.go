package edit

import (
	"testing"

	"github.com/beevik/etree"
)

func TestAPrefixIsDeclaredOnlyWhereNoAncestorBindsIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ document, want string }{
		"bound by the root":        {`<root xmlns:r="urn:r"><mid><list/></mid></root>`, ""},
		"bound by the parent":      {`<root><mid><list xmlns:r="urn:r"/></mid></root>`, ""},
		"not bound":                {`<root><mid><list/></mid></root>`, "urn:new"},
		"another prefix is bound":  {`<root xmlns:x="urn:r"><mid><list/></mid></root>`, "urn:new"},
		"a plain attribute":        {`<root r="urn:r"><mid><list/></mid></root>`, "urn:new"},
		"bound beside, not around": {`<root><mid><other xmlns:r="urn:r"/><list/></mid></root>`, "urn:new"},
	} {
		d := etree.NewDocument()
		if err := d.ReadFromString(c.document); err != nil {
			t.Fatal(err)
		}
		e := etree.NewElement("entry")
		DeclarePrefix(e, d.FindElement("//list"), "r", "urn:new")
		if got := e.SelectAttrValue("xmlns:r", ""); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
