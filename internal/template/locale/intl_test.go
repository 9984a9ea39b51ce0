package locale

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"golang.org/x/text/currency"
)

// asICU are what ICU 78 writes otherwise than CLDR 48.1 has it. Its table of currencies
// passes over sr-Cyrl-ME and, where no script is given, the regions of Fulah. For pt-CV,
// where every currency takes the point of the escudo, it forgets that Portugal's former
// escudo has signs of its own.
var asICU = []string{"sr-Cyrl-ME BAM", "ff-GH GHS", "ff-GM GMD", "ff-LR LRD", "ff-NG NGN", "ff-SL SLE", "pt-CV PTE"}

// Node's Intl is ICU, which writes by the same data. PLATEN_CURRENCIES=all takes every
// currency in every locale, in place of four and the locale's own: more than a million
// amounts.
func TestNumbersAndAmountsOfEveryLocaleAreICUs(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	const release = "48.0" // what ICU 78 says of itself; 78.2 has the data of CLDR 48.1
	answers, releases := askIntl(t, node)
	if releases.CLDR != release {
		t.Skipf("%s has ICU %s with CLDR %s, want CLDR %s", releases.Node, releases.ICU, releases.CLDR, release)
	}
	texts := 0
	for _, a := range answers {
		l, err := Find(a.Locale)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range slices.Sorted(maps.Keys(a.Texts)) {
			what, number, _ := strings.Cut(key, " ")
			if slices.Contains(asICU, a.Locale+" "+what) {
				continue
			}
			texts++
			if got := l.as(what, decimal.RequireFromString(number)); got != a.Texts[key] {
				t.Errorf("%s in %s: got %+q, want %+q", key, a.Locale, got, a.Texts[key])
			}
		}
	}
	if len(answers) < 600 {
		t.Errorf("got %d locales that ICU knows, want 600 at least", len(answers))
	}
	t.Logf("%d texts in %d locales as ICU %s of Node %s writes them", texts, len(answers), releases.ICU, releases.Node)
}

// as writes a number in the way that a request to intl.js names.
func (l *Locale) as(what string, d decimal.Decimal) string {
	switch what {
	case "number":
		return l.Number(d, -1)
	case "percent":
		return l.Percent(d.Shift(2).Round(1), -1)
	}
	return l.Amount(d, what, -1)
}

type intlAnswer struct {
	Locale string
	Texts  map[string]string
}

type intlReleases struct{ Node, ICU, CLDR string }

func askIntl(t *testing.T, node string) ([]intlAnswer, intlReleases) {
	t.Helper()
	request := struct {
		Locales map[string][]string `json:"locales"` // with their currencies
		Numbers []json.Number       `json:"numbers"`
	}{map[string][]string{}, []json.Number{"0", "0.5", "999", "1234", "-1234.5", "12345.678", "-1234567.891"}}
	for name := range blocks() {
		l, err := Find(name)
		if err != nil || name == root || name == "systems" || name == "digits" {
			continue
		}
		currencies := currenciesFor(l)
		request.Locales[name] = currencies
		if l.find("system") != "latn" {
			request.Locales[name+"-u-nu-latn"] = currencies
		}
	}
	in, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "testdata/intl.js")
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var releases intlReleases
	var answers []intlAnswer
	lines := json.NewDecoder(bytes.NewReader(out))
	if err := lines.Decode(&releases); err != nil {
		t.Fatal(err)
	}
	for lines.More() {
		var a intlAnswer
		if err := lines.Decode(&a); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	return answers, releases
}

func currenciesFor(l *Locale) []string {
	if os.Getenv("PLATEN_CURRENCIES") == "all" {
		var all []string
		for line := range strings.Lines(blocks()[root]) {
			if code, _, _ := strings.Cut(line, "\t"); HasCurrency(code) {
				all = append(all, code)
			}
		}
		return all
	}
	all := []string{"EUR", "USD", "JPY", "CHF"}
	if own, _ := currency.FromTag(l.Tag()); HasCurrency(own.String()) {
		all = append(all, own.String())
	}
	return all
}
