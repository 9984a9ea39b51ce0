package catalog

import (
	"strings"
	"sync"
	"testing"
	"time"
)

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

func TestAMomentIsWrittenAsTheLanguageDoes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 12, 31, 4, 54, 0, 0, time.FixedZone("", 3600))
	for language, want := range map[string]string{
		"en": "31 December 2026, 03:54 UTC", "de": "31. Dezember 2026, 03:54 Uhr (UTC)", "fr": "31 décembre 2026, 03:54 (UTC)", "es": "31 de diciembre de 2026, 03:54 (UTC)",
	} {
		if got := In(language).Moment(at); got != want {
			t.Errorf("%s: got %q, want %q", language, got, want)
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

func TestMistakesAreSaidInEachLanguage(t *testing.T) {
	t.Parallel()
	if got := In("en").Mistake("unknown_field", "The source has no field Nam."); got != "The source has no field Nam." {
		t.Errorf("English: got %q", got)
	}
	if got := In("de").Mistake("unknown_field", "The source has no field Nam."); got != "In den Daten gibt es kein Feld Nam." {
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
