package platen_test

import (
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

// Factur-X, chapter 6: a PDF says which profile its XML has, in words that differ from BT-24.
func TestAPDFSaysWhichProfileOfFacturXItsInvoiceHas(t *testing.T) {
	t.Parallel()
	for profile, want := range map[platen.InvoiceProfile]struct{ level, version, file string }{
		platen.InvoiceEN16931:   {"EN 16931", "1.0", "factur-x.xml"},
		platen.InvoiceBasic:     {"BASIC", "1.0", "factur-x.xml"},
		platen.InvoiceExtended:  {"EXTENDED", "1.0", "factur-x.xml"},
		platen.InvoiceXRechnung: {"XRECHNUNG", "3.0", "xrechnung.xml"},
	} {
		var a platen.Archive
		a.Hold(platen.EInvoice{Syntax: platen.InvoiceCII, Profile: profile}, []byte("<invoice/>"))
		if len(a.Files) != 1 || a.Files[0].Name != want.file || a.Files[0].Relationship != platen.RelationshipAlternative || len(a.Schemas) != 1 {
			t.Fatalf("%s: got %+v", profile, a)
		}
		for name, value := range map[string]string{"ConformanceLevel": want.level, "Version": want.version, "DocumentFileName": want.file} {
			if !slices.ContainsFunc(a.Schemas[0].Properties, func(p platen.XMPProperty) bool { return p.Name == name && p.Value == value }) {
				t.Errorf("%s: got %+v, want %s of %s", profile, a.Schemas[0].Properties, name, value)
			}
		}
	}
}
