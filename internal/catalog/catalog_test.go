package catalog

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

var verb = regexp.MustCompile(`%(?:\[\d+\])?[a-z]|\{\w+\}`)

// verbs are those of a text without the numbers of their arguments, in order of the alphabet.
func verbs(text string) string {
	all := verb.FindAllString(text, -1)
	for i := range all {
		all[i] = regexp.MustCompile(`\[\d+\]`).ReplaceAllString(all[i], "")
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func TestEachTextIsThereInEachLanguage(t *testing.T) {
	t.Parallel()
	for english, of := range texts {
		for language, text := range map[string]string{"de": of.de, "fr": of.fr, "es": of.es} {
			if strings.TrimSpace(text) == "" || text != strings.TrimSpace(text) || verbs(text) != verbs(english) {
				t.Errorf("%s: %q is %q, want a text with the same verbs", language, english, text)
			}
			if end, want := text[len(text)-1], english[len(english)-1]; (end == '.') != (want == '.') {
				t.Errorf("%s: %q is %q: one ends with a full stop, and the other does not", language, english, text)
			}
		}
	}
	for english, of := range counts {
		for language, text := range map[string][2]string{"en": of.en, "de": of.de, "fr": of.fr, "es": of.es} {
			for _, one := range text {
				if one == "" || verbs(one) != verbs(english) && !strings.HasPrefix(one, verbs(english)) && verbs(one) != "" {
					t.Errorf("%s: %q is %q", language, english, one)
				}
			}
		}
		if _, twice := texts[english]; twice {
			t.Errorf("%q is there twice", english)
		}
	}
}

func TestTheLanguageIsThatOfTheBrowserOrTheSetting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		wanted []string
		want   string
	}{
		{[]string{"de"}, "de"}, {[]string{"de-AT"}, "de"}, {[]string{"de-CH,fr;q=0.9"}, "de"}, {[]string{"ja,fr;q=0.5,en;q=0.4"}, "fr"}, {[]string{"es-419"}, "es"},
		{[]string{"en-GB,de;q=0.9"}, "en"}, {[]string{"ja"}, "en"}, {nil, "en"}, {[]string{"", "fr"}, "fr"}, {[]string{"es", "fr"}, "es"}, {[]string{"ja", "fr"}, "fr"},
		{[]string{"*"}, "en"}, {[]string{"de;q=2;;"}, "en"}, {[]string{strings.Repeat("x-", 5000)}, "en"},
	} {
		if got := Choose(c.wanted...).Language(); got != c.want {
			t.Errorf("%.40q: got %s, want %s", c.wanted, got, c.want)
		}
	}
}

func TestNumbersHaveTheFormsOfTheirLanguage(t *testing.T) {
	t.Parallel()
	const english = "And %d more, which stay empty here."
	for language, want := range map[string][3]string{
		"en": {"And 0 more, which stay empty here.", "And 1 more, which stays empty here.", "And 1,200 more, which stay empty here."},
		"de": {"Und 0 weitere, die hier leer bleiben.", "Und 1 weiteres, das hier leer bleibt.", "Und 1.200 weitere, die hier leer bleiben."},
		"fr": {"Et 0 autre, qui reste vide ici.", "Et 1 autre, qui reste vide ici.", "Et 1 200 autres, qui restent vides ici."},
		"es": {"Y 0 más, que aquí quedan vacíos.", "Y 1 más, que aquí queda vacío.", "Y 1.200 más, que aquí quedan vacíos."},
	} {
		p := In(language)
		for i, n := range []int{0, 1, 1200} {
			if got := p.Text(english, n); strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(got) != want[i] {
				t.Errorf("%s: got %q, want %q", language, got, want[i])
			}
		}
	}
}

func TestPrintersAreForAllAtOnce(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				if got := In("de").Text("row %s", "3"); got != "Zeile 3" {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	all.Wait()
}

// asked are the texts that templates and programs take from here, where they stand.
var asked = []*regexp.Regexp{
	regexp.MustCompile(`\{\{-?\s*(?:template "[^"]*" )?\(?t "((?:[^"\\]|\\.)*)"`), regexp.MustCompile(`\(t "((?:[^"\\]|\\.)*)"`),
}

// Texts of templates that nothing translates are found here, and texts that nobody asks for.
func TestTextsOfPagesAreInTheCatalogueAndNoOthers(t *testing.T) {
	t.Parallel()
	known := slices.Collect(maps.Keys(texts))
	known = append(known, slices.Collect(maps.Keys(counts))...)
	files, err := filepath.Glob("../console/*.html")
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d templates, %v", len(files), err)
	}
	var all strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
		for _, form := range asked {
			for _, match := range form.FindAllStringSubmatch(string(content), -1) {
				if !slices.Contains(known, match[1]) {
					t.Errorf("%s: %q is not in the catalogue", file, match[1])
				}
			}
		}
	}
	programs, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range programs {
		if strings.Contains(file, "../catalog/") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
	}
	for _, text := range known {
		if !strings.Contains(all.String(), `"`+text+`"`) {
			t.Errorf("nobody shows %q", text)
		}
	}
}

func TestMistakesAreSaidInEachLanguage(t *testing.T) {
	t.Parallel()
	for _, all := range []map[string]texted{mistakes, places} {
		for code, of := range all {
			if of.de == "" || of.fr == "" || of.es == "" {
				t.Errorf("%s: got %+v", code, of)
			}
		}
	}
	if got := In("en").Mistake("unknown_field", "The source has no field Nam."); got != "The source has no field Nam." {
		t.Errorf("English: got %q", got)
	}
	if got := In("de").Mistake("unknown_field", "The source has no field Nam."); got != "Dieses Feld gibt es nicht." {
		t.Errorf("German: got %q", got)
	}
	if got := In("es").Mistake("of_another_release", "x"); got != "Aquí hay algo mal." {
		t.Errorf("a code that is not known: got %q", got)
	}
	for where, want := range map[string]string{
		"paragraph 3": "Absatz 3", "table 1, row 2, cell 1, paragraph 3": "Tabelle 1, Zeile 2, Zelle 1, Absatz 3", "notes of slide 1, description of a picture": "Notizen zu Folie 1, Beschreibung eines Bildes",
		`tab "Für Anna", paragraph 1`: `Tab "Für Anna", Absatz 1`, "outputName": "Name der Ausgaben",
	} {
		if got := In("de").Place(where); got != want {
			t.Errorf("%s: got %q, want %q", where, got, want)
		}
	}
}
