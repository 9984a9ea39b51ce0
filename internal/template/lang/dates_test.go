package lang_test

import (
	"testing"
)

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
