package lang_test

import (
	"fmt"
	"strings"
	"testing"
)

// From CLDR: dates/calendars/gregorian, months and days in the form that stands
// beside a day (format; wide and abbreviated).
func TestMonthsAndDaysHaveTheirNamesInTheLanguageOfTheLocale(t *testing.T) {
	t.Parallel()
	english := [3]string{
		"January February March April May June July August September October November December",
		"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
		"Sunday Monday Tuesday Wednesday Thursday Friday Saturday",
	}
	german := [3]string{
		"Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
		"Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.",
		"Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag",
	}
	austrian := german
	austrian[0] = strings.Replace(austrian[0], "Januar", "Jänner", 1)
	austrian[1] = strings.NewReplacer("Jan.", "Jän.", "Sept.", "Sep.").Replace(austrian[1])
	british := english
	british[1] = strings.Replace(british[1], "Sep", "Sept", 1)
	portuguese := [3]string{
		"janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
		"jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.",
		"domingo segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado",
	}
	for locale, want := range map[string][3]string{
		"en": english, "en-GB": british, "de": german, "de-DE": german, "de-CH": german, "DE-de": german,
		"de-AT": austrian, "de_AT": austrian, "pt": portuguese, "pt-BR": portuguese,
		"tlh": english, // a language that CLDR does not have
		"sr-Latn": {
			"januar februar mart april maj jun jul avgust septembar oktobar novembar decembar",
			"jan feb mar apr maj jun jul avg sep okt nov dec",
			"nedelja ponedeljak utorak sreda četvrtak petak subota",
		},
		"hu": {
			"január február március április május június július augusztus szeptember október november december",
			"jan. febr. márc. ápr. máj. jún. júl. aug. szept. okt. nov. dec.",
			"vasárnap hétfő kedd szerda csütörtök péntek szombat",
		},
		"pl-PL": { // the form beside a day
			"stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
			"sty lut mar kwi maj cze lip sie wrz paź lis gru",
			"niedziela poniedziałek wtorek środa czwartek piątek sobota",
		},
		"fr-FR": {
			"janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
			"janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
			"dimanche lundi mardi mercredi jeudi vendredi samedi",
		},
		"es": {
			"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
			"ene feb mar abr may jun jul ago sept oct nov dic",
			"domingo lunes martes miércoles jueves viernes sábado",
		},
		"it": {
			"gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
			"gen feb mar apr mag giu lug ago set ott nov dic",
			"domenica lunedì martedì mercoledì giovedì venerdì sabato",
		},
		"nl-BE": {
			"januari februari maart april mei juni juli augustus september oktober november december",
			"jan feb mrt apr mei jun jul aug sep okt nov dec",
			"zondag maandag dinsdag woensdag donderdag vrijdag zaterdag",
		},
	} {
		var got [3][]string
		e := evaluator(t, "{}")
		name := func(date, pattern string) string {
			return value(e, fmt.Sprintf(`= DATE("%s", "%s", "", "%s")`, date, pattern, locale))
		}
		for month := range 12 {
			date := fmt.Sprintf("2026-%02d-01", month+1)
			got[0], got[1] = append(got[0], strings.TrimPrefix(name(date, "d MMMM"), "1 ")), append(got[1], strings.TrimPrefix(name(date, "d MMM"), "1 "))
		}
		for day := range 7 {
			got[2] = append(got[2], name(fmt.Sprintf("2026-02-%02d", day+1), "EEEE")) // the 1st is a Sunday
		}
		for i, names := range got {
			if line := strings.Join(names, " "); line != want[i] {
				t.Errorf("%s: got %s, want %s", locale, line, want[i])
			}
		}
	}
}

func TestEachLetterOfADatePatternWritesItsPart(t *testing.T) {
	t.Parallel()
	const morning, night = "2026-03-05T04:07:09", "0987-11-25T16:30:45"
	cases := []struct{ pattern, morning, night string }{
		{"yyyy", "2026", "0987"},
		{"yy", "26", "87"},
		{"MM", "03", "11"},
		{"M", "3", "11"},
		{"dd", "05", "25"},
		{"d", "5", "25"},
		{"HH", "04", "16"},
		{"H", "4", "16"},
		{"hh", "04", "04"},
		{"h", "4", "4"},
		{"mm", "07", "30"},
		{"ss", "09", "45"},
		{"a", "AM", "PM"},
		{"d.M.yyyy", "5.3.2026", "25.11.0987"},
		{"yyyy-MM-dd HH:mm:ss", "2026-03-05 04:07:09", "0987-11-25 16:30:45"},
		{"MM/dd/yy, hh:mm a", "03/05/26, 04:07 AM", "11/25/87, 04:30 PM"},
		{"yyyyMMdd", "20260305", "09871125"},
		{"", "", ""},
	}
	for _, c := range cases {
		checkValues(t, "{}", map[string]string{
			fmt.Sprintf(`= DATE("%s", "%s")`, morning, c.pattern): c.morning,
			fmt.Sprintf(`= DATE("%s", "%s")`, night, c.pattern):   c.night,
		})
	}
}

// The hours of h go from 1 to 12: midnight is 12 AM, noon 12 PM.
func TestTheClockOfTwelveHoursHasNoHourZero(t *testing.T) {
	t.Parallel()
	for hour, want := range map[string]string{
		"00": "12 AM 0", "01": "1 AM 1", "11": "11 AM 11", "12": "12 PM 12", "13": "1 PM 13", "23": "11 PM 23",
	} {
		checkValues(t, "{}", map[string]string{`= DATE("2026-01-01T` + hour + `:00", "h a H")`: want})
	}
}

func TestTextInADatePatternIsItself(t *testing.T) {
	t.Parallel()
	checkValues(t, "{}", map[string]string{
		`= DATE("2026-03-05", "'d' d")`:                 "d 5",
		`= DATE("2026-03-05", "d 'de' MMMM", "", "es")`: "5 de marzo",
		`= DATE("2026-03-05", "'Stand: 'd.M.")`:         "Stand: 5.3.",
		`= DATE("2026-03-05", "''yy")`:                  "'26",
		`= DATE("2026-03-05", "h 'o''clock'")`:          "12 o'clock",
		`= DATE("2026-03-05", "d 'not closed")`:         "5 not closed",
		`= DATE("2026-03-05", "d (M) [yy] #1")`:         "5 (3) [26] #1",
	})
}

func TestSignsOfAnyScriptMayStandInADatePattern(t *testing.T) {
	t.Parallel()
	checkValues(t, "{}", map[string]string{
		`= DATE("2026-03-05", "d – M")`:       "5 – 3",
		`= DATE("2026-03-05", "yyyy年M月d日")`:   "2026年3月5日",
		`= DATE("2026-03-05", "d ··· M 😀")`:   "5 ··· 3 😀",
		`= DATE("2026-03-05", "'Ää' d Öö M")`: "Ää 5 Öö 3",
	})
}

func TestLettersThatADatePatternDoesNotKnowAreAFinding(t *testing.T) {
	t.Parallel()
	const want = "unknown_date_format: The format of a date knows yyyy, yy, MMMM, MMM, LLLL, LLL, MM, M, dd, d, EEEE, HH, H, hh, h, mm, ss, a; other text stands in apostrophes."
	for _, pattern := range []string{"yyy", "yyyyy", "MMMMM", "ddd", "HHH", "hhh", "mmm", "sss", "aa", "E", "EEE", "D", "S", "Z", "YYYY", "d of M", "dth"} {
		checkRefused(t, "{}", map[string]string{`= DATE("2026-03-05", "` + pattern + `")`: want})
	}
}

func TestADateInALocaleThatIsNoneIsAFinding(t *testing.T) {
	t.Parallel()
	checkRefused(t, "{}", map[string]string{
		`= DATE("2026-03-05", "d", "", "!!")`:           "unknown_locale: The function asks for a locale such as en-US or de-AT.",
		`= DATE("2026-03-05", "d", "", "deutsch-AT-x")`: "unknown_locale: The function asks for a locale such as en-US or de-AT.",
	})
}

// From CLDR: months stand-alone, and the patterns yMMMM and yMMM, which say whether a
// year counts as standing beside a month.
func TestAMonthWithoutADayStandsAlone(t *testing.T) {
	t.Parallel()
	for locale, want := range map[string][3]string{ // with a day, with a year, alone
		"pl":      {"31 stycznia 2026", "styczeń 2026", "styczeń"},
		"ru":      {"31 января 2026", "январь 2026", "январь"},
		"uk":      {"31 січня 2026", "січень 2026", "січень"},
		"cs":      {"31 ledna 2026", "leden 2026", "leden"},
		"fi":      {"31 tammikuuta 2026", "tammikuu 2026", "tammikuu"},
		"hr":      {"31 siječnja 2026", "siječanj 2026", "siječanj"},
		"el":      {"31 Ιανουαρίου 2026", "Ιανουάριος 2026", "Ιανουάριος"},
		"kk":      {"31 қаңтар 2026", "қаңтар 2026", "Қаңтар"},
		"sr-Latn": {"31 januar 2026", "januar 2026", "januar"},
		"sr":      {"31 јануар 2026", "јануар 2026", "јануар"},
		"de":      {"31 Januar 2026", "Januar 2026", "Januar"},
	} {
		checkValues(t, `{"V": "2026-01-31"}`, map[string]string{
			`= DATE(V, "d MMMM yyyy", "", "` + locale + `")`:        want[0],
			`= DATE(V, "MMMM yyyy", "", "` + locale + `")`:          want[1],
			`= DATE(V, "MMMM", "", "` + locale + `")`:               want[2],
			`= DATE(V, "LLLL", "", "` + locale + `")`:               want[2],
			`= DATE(V, "d. 'd' LLLL yyyy", "", "` + locale + `")`:   "31. d " + want[2] + " 2026",
			`= DATE(V, "'d' 'dd' MMMM yyyy", "", "` + locale + `")`: "d dd " + want[1],
		})
	}
	checkValues(t, `{"V": "2026-01-31"}`, map[string]string{
		`= DATE(V, "d MMM yyyy", "", "de")`: "31 Jan. 2026",
		`= DATE(V, "MMM yyyy", "", "de")`:   "Jan. 2026",
		`= DATE(V, "LLL yyyy", "", "de")`:   "Jan 2026",
		`= DATE(V, "MMM yyyy", "", "ru")`:   "янв. 2026",
	})
}

func TestTheHalvesOfTheDayAreTheLocales(t *testing.T) {
	t.Parallel()
	for locale, want := range map[string]string{"en": "3 PM", "en-GB": "3 pm", "el": "3 μ.μ.", "ja": "3 午後", "hu": "3 du."} {
		checkValues(t, "{}", map[string]string{`= DATE("2026-01-31T15:00", "h a", "", "` + locale + `")`: want})
	}
}
