// Package einvoice_test holds what Platen writes and says of e-invoices against the
// published rules of EN 16931, XRechnung, Peppol and Factur-X, run by Saxon, and against the public
// example invoices. Make einvoice runs it.
package einvoice_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/einvoice"
	"github.com/platenhq/platen/internal/protect"
)

func seeds() int {
	if n, err := strconv.Atoi(os.Getenv("PLATEN_EINVOICE_SEEDS")); err == nil {
		return n
	}
	return 500
}

func seeded(seed int) *einvoice.Invoice {
	return maker{rand.New(rand.NewPCG(uint64(seed), 1)), kinds[seed%len(kinds)]}.invoice()
}

func write(t *testing.T, inv *einvoice.Invoice) []byte {
	t.Helper()
	document, err := einvoice.Write(inv)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func TestSeededInvoicesHaveNoFindingsAndComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	for seed := range seeds() {
		inv := seeded(seed)
		for _, f := range einvoice.Validate(inv) {
			t.Errorf("seed %d (%s): %s", seed, kinds[seed%len(kinds)].name, f)
		}
		comesBack(t, fmt.Sprint("seed ", seed), inv)
		if t.Failed() {
			return
		}
	}
}

// comesBack writes an invoice down and reads it again.
func comesBack(t *testing.T, name string, inv *einvoice.Invoice) {
	t.Helper()
	document := write(t, inv)
	again, found, err := einvoice.Read(document)
	if err != nil || len(found) > 0 {
		t.Fatalf("%s: read what was written: %v, %v\n%s", name, err, found, document)
	}
	if second := write(t, again); string(second) != string(document) {
		t.Errorf("%s: written, read and written (-first +second):\n%s", name, cmp.Diff(string(document), string(second)))
	}
}

func TestTheOfficialRulesAcceptSeededInvoices(t *testing.T) {
	t.Parallel()
	rules := newOfficial(t)
	for i, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			documents, sheets := map[string][]byte{}, map[string][]string{}
			for seed := i; seed < seeds(); seed += len(kinds) {
				inv, name := seeded(seed), fmt.Sprint("seed-", seed)
				documents[name], sheets[name] = write(t, inv), sheetsOf(inv)
			}
			failed := rules.failed(t, documents, sheets)
			for name, asserts := range failed {
				t.Errorf("%s: the official rules refuse it: %s", name, asserts)
			}
			t.Logf("%d invoices, %d with failed asserts", len(documents), len(failed))
		})
	}
}

func TestPlantedMistakesAreRefusedAsTheOfficialRulesDo(t *testing.T) {
	t.Parallel()
	rules := newOfficial(t)
	all := 0
	for _, k := range kinds {
		planted, documents := map[string]mistake{}, map[string][]byte{}
		sound := string(write(t, sample(k)))
		for _, m := range mistakes {
			inv, ok := m.in(k)
			if !ok {
				continue
			}
			if document := write(t, inv); string(document) != sound { // BASIC may have no place for it
				planted[m.name()], documents[m.name()] = m, document
			}
		}
		all += len(planted)
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			refusedAlike(t, rules, planted, documents)
		})
	}
	t.Logf("%d mistakes planted, of %d kinds", all, len(mistakes))
	if all < 200 {
		t.Errorf("%d mistakes, want 200 at least", all)
	}
}

// refusedAlike holds what we say of documents with a mistake to what the official rules say.
func refusedAlike(t *testing.T, rules *official, planted map[string]mistake, documents map[string][]byte) {
	t.Helper()
	sheets, read := map[string][]string{}, map[string]*einvoice.Invoice{}
	findings := map[string][]einvoice.Finding{}
	for name, document := range documents {
		inv, found, err := einvoice.Read(document)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		read[name], sheets[name], findings[name] = inv, sheetsOf(inv), append(found, einvoice.Validate(inv)...)
	}
	failed := rules.failed(t, documents, sheets)
	for name, m := range planted {
		inv, found := read[name], findings[name]
		rule := m.rule
		if named := extendedRules[rule]; named != "" && inv.Specification == einvoice.SpecExtended {
			rule = named
		}
		if !slices.ContainsFunc(found, func(f einvoice.Finding) bool {
			return f.Rule == rule && f.Term == m.term && f.Severity == einvoice.Error
		}) {
			t.Errorf("%s: no finding %s of %s, but %s", name, rule, m.term, found)
		}
		if !says(failed[name], rule) {
			t.Errorf("%s: the official rules do not say %s, but %s", name, rule, failed[name])
		}
		for _, f := range found {
			if f.Severity == einvoice.Error && !says(failed[name], f.Rule) && !stricter(inv, f.Rule) {
				t.Errorf("%s: we refuse it by %s (%s), and the official rules by %s alone", name, f.Rule, f.Message, failed[name])
			}
		}
	}
	t.Logf("%d mistakes", len(planted))
}

// says reports whether a rule is among those that failed. The rules of Factur-X have numbers of
// their own for codes that a list does not have, and for what their schema does not allow.
func says(failed []string, rule string) bool {
	return slices.ContainsFunc(failed, func(one string) bool {
		return one == rule || strings.HasPrefix(rule, "BR-CL-") && strings.HasPrefix(one, "FX-SCH-A-")
	})
}

// examples are the public example invoices below a folder.
func examples(t *testing.T, patterns ...string) []string {
	t.Helper()
	var files []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(artefacts(t), pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		files = append(files, found...)
	}
	return files
}

func TestPublicExamplesAreReadAndJudgedAsTheOfficialRulesDo(t *testing.T) {
	t.Parallel()
	rules := newOfficial(t)
	documents, sheets, read := map[string][]byte{}, map[string][]string{}, map[string][]einvoice.Finding{}
	written, specifications := map[string][]byte{}, map[string]string{}
	for i, file := range examples(t,
		"eInvoicing-EN16931/cii/examples/*.xml", "eInvoicing-EN16931/ubl/examples/*.[xX]*", "eInvoicing-EN16931/test/testfiles/*.xml",
		"xrechnung-testsuite/src/test/*/*/*.xml",
	) {
		document, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		inv, found, err := einvoice.Read(document)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		name := fmt.Sprintf("%03d-%s", i, strings.ReplaceAll(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), " ", "_"))
		documents[name], sheets[name], read[name] = document, sheetsOf(inv), append(found, einvoice.Validate(inv)...)
		written[name], specifications[name] = write(t, inv), inv.Specification
		comesBack(t, name, inv)
	}
	before := rules.failed(t, documents, sheets)
	after := rules.failed(t, written, sheets)
	valid := 0
	for name, found := range read {
		ours := rulesOf(found)
		if theirs := known(before[name], specifications[name]); !cmp.Equal(ours, theirs) {
			t.Errorf("%s: we refuse it by %s, the official rules by %s: %s", name, ours, theirs, found)
		}
		if len(known(before[name], specifications[name])) == 0 {
			valid++
		}
		if more := added(before[name], after[name]); len(more) > 0 {
			t.Errorf("%s: read and written again, the official rules refuse it by %s", name, more)
		}
	}
	t.Logf("%d examples, of them %d valid by the official rules", len(documents), valid)
}

// added are the rules that refuse a document after, and did not before.
func added(before, after []string) []string {
	var rules []string
	for _, rule := range after {
		if !slices.Contains(before, rule) {
			rules = append(rules, rule)
		}
	}
	return rules
}

func rulesOf(found []einvoice.Finding) []string {
	rules := []string{}
	for _, f := range found {
		if f.Severity == einvoice.Error && !slices.Contains(rules, f.Rule) {
			rules = append(rules, f.Rule)
		}
	}
	slices.Sort(rules)
	return rules
}

// stricter reports whether we refuse what the published rules let pass in one syntax: in
// CII a missing row of the VAT breakdown where two lines have its category, an account that
// is missing (CII-SR-470 refuses it), and a price that is not the gross price less the
// discount, which XRechnung adds when it is built.
func stricter(inv *einvoice.Invoice, rule string) bool {
	return inv.Syntax == einvoice.CII && slices.Contains([]string{"BR-S-01", "BR-61", "PEPPOL-EN16931-R046"}, rule)
}

var (
	// nationalRules are those of Peppol for one country.
	nationalRules = regexp.MustCompile(`^[A-Z]{2}-R-`)
	// replaced are the rules that KoSIT's validator does not refuse for, because the
	// extension and the report of clean vehicles have others.
	replaced = map[string][]string{
		einvoice.SpecXRechnungExt: {"BR-CO-16", "BR-CL-10", "BR-CL-11", "BR-CL-21", "BR-CL-24", "BR-CL-25", "BR-CL-26"},
		einvoice.SpecXRechnungCVD: {"BR-CL-13"},
	}
)

// ofPayments are rules of one syntax about several payments, which the model can have.
var ofPayments = []string{"UBL-SR-46", "UBL-SR-47", "UBL-SR-54", "CII-SR-467", "CII-SR-468"}

// known leaves out the rules about elements that the model of EN 16931 does not have, the
// check digits of identifiers, the rules of single countries, and those that another replaces.
func known(asserts []string, specification string) []string {
	rules := []string{}
	for _, a := range asserts {
		isOfSyntax := strings.HasPrefix(a, "UBL-") || strings.HasPrefix(a, "CII-")
		if isOfSyntax && !slices.Contains(ofPayments, a) || strings.HasPrefix(a, "PEPPOL-COMMON-") ||
			nationalRules.MatchString(a) || slices.Contains(replaced[specification], a) {
			continue
		}
		rules = append(rules, a)
	}
	slices.Sort(rules)
	return rules
}

func TestTheCorpusOfPDFsIsRead(t *testing.T) {
	t.Parallel()
	read, refused := 0, 0
	root := filepath.Join(artefacts(t), "corpus")
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.EqualFold(filepath.Ext(path), ".pdf") ||
			!strings.Contains(path, "ZUGFeRDv2/correct") && !strings.Contains(path, "XML-Rechnung") {
			return err // ZUGFeRD 1 has another syntax
		}
		pdf, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		document, err := protect.Embedded(pdf, "factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml")
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		inv, found, err := einvoice.Read(document)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		if read++; einvoice.Refused(append(found, einvoice.Validate(inv)...)) {
			refused++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d PDFs read, %d of them refused by the rules", read, refused)
	if read < 90 {
		t.Errorf("%d PDFs read, want 90 at least", read)
	}
}

// schemaOfCII is the schema D16B among the artefacts.
const schemaOfCII = "eInvoicing-EN16931/cii/schema/D16B SCRDM (Subset)/uncoupled clm/CII/uncefact/data/standard/CrossIndustryInvoice_100pD16B.xsd"

func TestCIIFollowsItsSchema(t *testing.T) {
	t.Parallel()
	schema := filepath.Join(artefacts(t), schemaOfCII)
	if _, err := exec.LookPath("xmllint"); err != nil {
		t.Skip("no xmllint: install libxml2-utils")
	}
	folder, files := t.TempDir(), []string{"--noout", "--schema", schema}
	for seed := range seeds() {
		if inv := seeded(seed); inv.Syntax == einvoice.CII && inv.Specification != einvoice.SpecExtended { // whose schema is newer
			path := filepath.Join(folder, fmt.Sprint(seed, ".xml"))
			if err := os.WriteFile(path, write(t, inv), 0o600); err != nil {
				t.Fatal(err)
			}
			files = append(files, path)
		}
	}
	if said, err := exec.Command("xmllint", files...).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
	t.Logf("%d invoices", len(files)-3)
}
