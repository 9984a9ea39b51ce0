package einvoice_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/einvoice"
)

// The folder with the published artefacts, and the jar of Saxon.
const (
	artefactsVariable = "PLATEN_EINVOICE_ARTEFACTS"
	saxonVariable     = "PLATEN_SAXON"
	saxonOfDebian     = "/usr/share/java/Saxon-HE.jar"
)

// artefacts is the folder with the published artefacts: clones of eInvoicing-EN16931,
// xrechnung-schematron, xrechnung-testsuite, peppol-bis-invoice-3, mustangproject and the
// ZUGFeRD corpus, under these names. It skips the test without them.
func artefacts(t *testing.T) string {
	t.Helper()
	folder := os.Getenv(artefactsVariable)
	if folder == "" {
		t.Skipf("%s names no folder with the published rules; make einvoice says what belongs there", artefactsVariable)
	}
	if _, err := os.Stat(filepath.Join(folder, "eInvoicing-EN16931")); err != nil {
		t.Fatalf("%s: %v", artefactsVariable, err)
	}
	return folder
}

// facturX is the folder with the schemas and rules of the profiles of Factur-X 1.09.
const facturX = "mustangproject/validator/src/main/resources/"

// official runs the published rules with Saxon, which shares nothing with ours.
type official struct {
	saxon  string
	sheets map[string]string // by cii, ubl, xr-cii, xr-ubl, peppol-cii, peppol-ubl, basic, extended
	// schemas are those of basic and extended.
	schemas map[string]string
	taken   map[string]bool // the rules of Peppol that XRechnung has taken over
}

func newOfficial(t *testing.T) *official {
	t.Helper()
	folder := artefacts(t)
	saxon := os.Getenv(saxonVariable)
	if saxon == "" {
		saxon = saxonOfDebian
	}
	if _, err := os.Stat(saxon); err != nil {
		t.Skipf("no Saxon: install libsaxonhe-java, or name its jar in %s", saxonVariable)
	}
	cen := filepath.Join(folder, "eInvoicing-EN16931")
	sheets := map[string]string{
		"cii": filepath.Join(cen, "cii/xslt/EN16931-CII-validation.xslt"),
		"ubl": filepath.Join(cen, "ubl/xslt/EN16931-UBL-validation.xslt"),
	}
	out := t.TempDir()
	for name, schema := range map[string]string{
		"xr-cii":     "xrechnung-schematron/src/validation/schematron/cii/XRechnung-CII-validation.sch",
		"xr-ubl":     "xrechnung-schematron/src/validation/schematron/ubl/XRechnung-UBL-validation.sch",
		"peppol-cii": "peppol-bis-invoice-3/rules/sch/PEPPOL-EN16931-CII.sch",
		"peppol-ubl": "peppol-bis-invoice-3/rules/sch/PEPPOL-EN16931-UBL.sch",
		"basic":      facturX + "schematron/ZF_250/FACTUR-X_BASIC.sch",
		"extended":   facturX + "schematron/ZF_250/FACTUR-X_EXTENDED.sch",
	} {
		sheets[name] = filepath.Join(out, name+".xslt")
		if err := os.WriteFile(sheets[name], stylesheet(t, filepath.Join(folder, schema)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list := etree.NewDocument()
	if err := list.ReadFromFile(filepath.Join(folder, "xrechnung-schematron/src/xsl/rule-list.xml")); err != nil {
		t.Fatal(err)
	}
	taken := map[string]bool{}
	for _, rule := range list.FindElements("//rule") {
		taken[rule.Text()] = true
	}
	return &official{saxon: saxon, sheets: sheets, taken: taken, schemas: map[string]string{
		"basic":    filepath.Join(folder, facturX+"schema/ZF_250/BASIC/FACTUR-X_BASIC.xsd"),
		"extended": filepath.Join(folder, facturX+"schema/ZF_250/EXTENDED/FACTUR-X_EXTENDED.xsd"),
	}}
}

// sheetsOf are the rules that an invoice is held to. Those of EXTENDED stand in place of those
// of EN 16931, and have most of them.
func sheetsOf(inv *einvoice.Invoice) []string {
	syntax := strings.ToLower(string(inv.Syntax))
	switch {
	case strings.Contains(inv.Specification, ":xrechnung_"):
		return []string{syntax, "xr-" + syntax, "peppol-" + syntax}
	case inv.Specification == einvoice.SpecPeppol:
		return []string{syntax, "peppol-" + syntax}
	case inv.Specification == einvoice.SpecBasic:
		return []string{syntax, "basic"}
	case inv.Specification == einvoice.SpecExtended:
		return []string{"extended"}
	}
	return []string{syntax}
}

// failed runs the rules over documents, and has for each the fatal asserts that failed.
// The documents of a stylesheet are one run: to compile it takes longest.
func (o *official) failed(t *testing.T, documents map[string][]byte, sheets map[string][]string) map[string][]string {
	t.Helper()
	failed := map[string][]string{}
	of := map[string][]string{}
	for name := range documents {
		for _, sheet := range sheets[name] {
			of[sheet] = append(of[sheet], name)
		}
	}
	for sheet, names := range of {
		in, out := t.TempDir(), t.TempDir()
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(in, name+".xml"), documents[name], 0o600); err != nil {
				t.Fatal(err)
			}
		}
		run := exec.Command("java", "-Xmx1g", "-cp", o.saxon, "net.sf.saxon.Transform", "-s:"+in, "-o:"+out, "-xsl:"+o.sheets[sheet])
		if said, err := run.CombinedOutput(); err != nil {
			t.Fatalf("Saxon on %s: %v\n%s", sheet, err, said)
		}
		for _, name := range names {
			report := etree.NewDocument()
			if err := report.ReadFromFile(filepath.Join(out, name+".xml")); err != nil {
				t.Fatalf("report of %s on %s: %v", sheet, name, err)
			}
			for _, f := range report.FindElements("//failed-assert") {
				rule := f.SelectAttrValue("id", "")
				isOfXRechnung := strings.HasPrefix(sheet, "peppol") && slices.Contains(sheets[name], "xr-"+strings.TrimPrefix(sheet, "peppol-"))
				if f.SelectAttrValue("flag", "fatal") == "fatal" && !slices.Contains(failed[name], rule) && (!isOfXRechnung || o.taken[rule]) {
					failed[name] = append(failed[name], rule)
				}
			}
		}
		if schema := o.schemas[sheet]; schema != "" {
			for _, name := range outsideOf(t, schema, in, names) {
				failed[name] = append(failed[name], noPlace)
			}
		}
	}
	return failed
}

// outsideOf are the documents of a folder that a schema refuses.
func outsideOf(t *testing.T, schema, in string, names []string) []string {
	t.Helper()
	arguments := []string{"--noout", "--schema", schema}
	for _, name := range names {
		arguments = append(arguments, filepath.Join(in, name+".xml"))
	}
	said, err := exec.Command("xmllint", arguments...).CombinedOutput()
	if refused := new(exec.ExitError); err != nil && !errors.As(err, &refused) {
		t.Fatalf("install libxml2-utils: %v", err)
	}
	var outside []string
	for _, name := range names {
		at := filepath.Join(in, name+".xml")
		switch {
		case strings.Contains(string(said), at+" validates\n"):
		case strings.Contains(string(said), at+" fails to validate\n"):
			outside = append(outside, name)
		default:
			t.Fatalf("xmllint on %s: %v\n%s", name, err, said)
		}
	}
	return outside
}

// noPlace is the rule for what a profile of Factur-X has no place for. Its schema and its rules
// refuse that without a name; ours have this one.
const noPlace = "PROFILE"

// stylesheet compiles a Schematron schema: a pattern becomes a mode, and a rule a template,
// of which the first that matches a node is used.
func stylesheet(t *testing.T, path string) []byte {
	t.Helper()
	schema := schemaOf(t, path)
	out := etree.NewDocument()
	sheet := out.CreateElement("xsl:stylesheet")
	sheet.CreateAttr("version", "3.0")
	sheet.CreateAttr("xml:base", "file://"+path) // of the lists of codes beside it
	sheet.CreateAttr("xmlns:xsl", "http://www.w3.org/1999/XSL/Transform")
	sheet.CreateAttr("xmlns:xs", "http://www.w3.org/2001/XMLSchema")
	for _, ns := range schema.SelectElements("ns") {
		if ns.SelectAttrValue("prefix", "") != "xs" {
			sheet.CreateAttr("xmlns:"+ns.SelectAttrValue("prefix", ""), ns.SelectAttrValue("uri", ""))
		}
	}
	for _, a := range schema.Attr {
		if a.Space == "xmlns" && sheet.SelectAttr("xmlns:"+a.Key) == nil {
			sheet.CreateAttr("xmlns:"+a.Key, a.Value)
		}
	}
	for _, let := range schema.SelectElements("let") {
		variable(sheet, let)
	}
	for _, function := range schema.FindElements("//function") {
		function = function.Copy()
		prefixed(function)
		sheet.AddChild(function)
	}
	root := sheet.CreateElement("xsl:template")
	root.CreateAttr("match", "/")
	report := root.CreateElement("report")
	for i, pattern := range schema.SelectElements("pattern") {
		mode := fmt.Sprint("p", i)
		apply := report.CreateElement("xsl:apply-templates")
		apply.CreateAttr("select", ".")
		apply.CreateAttr("mode", mode)
		walk(sheet, "node()|/", mode, -1)
		for _, let := range pattern.SelectElements("let") {
			variable(sheet, let)
		}
		rules := pattern.SelectElements("rule")
		for j, rule := range rules {
			template := walk(sheet, rule.SelectAttrValue("context", ""), mode, len(rules)-j)
			descend := template.Child[0]
			template.RemoveChild(descend)
			for _, let := range rule.SelectElements("let") {
				variable(template, let)
			}
			for _, assert := range rule.SelectElements("assert") {
				when := template.CreateElement("xsl:if")
				when.CreateAttr("test", "not("+assert.SelectAttrValue("test", "")+")")
				failed := when.CreateElement("failed-assert")
				failed.CreateAttr("id", assert.SelectAttrValue("id", ""))
				failed.CreateAttr("flag", assert.SelectAttrValue("flag", "fatal"))
			}
			for _, unused := range rule.SelectElements("report") {
				when := template.CreateElement("xsl:if")
				when.CreateAttr("test", unused.SelectAttrValue("test", ""))
				failed := when.CreateElement("failed-assert")
				failed.CreateAttr("id", noPlace)
				failed.CreateAttr("flag", "fatal")
			}
			template.AddChild(descend)
		}
	}
	compiled, err := out.WriteToBytes()
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// schemaOf reads a schema with what it includes in its place.
func schemaOf(t *testing.T, path string) *etree.Element {
	t.Helper()
	doc := etree.NewDocument()
	if err := doc.ReadFromFile(path); err != nil {
		t.Fatal(err)
	}
	schema := doc.Root()
	for _, include := range schema.SelectElements("include") {
		part := schemaOf(t, filepath.Join(filepath.Dir(path), include.SelectAttrValue("href", "")))
		schema.InsertChildAt(include.Index(), part)
		schema.RemoveChild(include)
	}
	return schema
}

func variable(parent, let *etree.Element) {
	v := parent.CreateElement("xsl:variable")
	v.CreateAttr("name", let.SelectAttrValue("name", ""))
	v.CreateAttr("select", let.SelectAttrValue("value", ""))
}

func walk(sheet *etree.Element, match, mode string, priority int) *etree.Element {
	template := sheet.CreateElement("xsl:template")
	template.CreateAttr("match", match)
	template.CreateAttr("mode", mode)
	template.CreateAttr("priority", fmt.Sprint(priority))
	apply := template.CreateElement("xsl:apply-templates")
	apply.CreateAttr("select", "@*|node()")
	apply.CreateAttr("mode", mode)
	return template
}

// prefixed gives a function of XSLT and what is in it the prefix of our stylesheet.
func prefixed(e *etree.Element) {
	e.RemoveAttr("xmlns")
	e.Space = "xsl"
	for _, child := range e.ChildElements() {
		prefixed(child)
	}
}
