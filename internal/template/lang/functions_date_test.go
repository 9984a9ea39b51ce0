package lang_test

import (
	"testing"
)

func TestDaysThatCannotBeAddedAreAFinding(t *testing.T) {
	t.Parallel()
	const (
		whole  = "wrong_days: ADD_DAYS adds a whole number of days, at most 999999."
		beyond = "wrong_days: ADD_DAYS leads outside the years 1 to 9999."
		body   = `{"Million": 1e6, "Huge": 1e64, "Beyond": -1e30, "Text": "x"}`
	)
	checkRefused(t, body, map[string]string{
		`= ADD_DAYS("2026-01-01", 0.5)`:     whole,
		`= ADD_DAYS("2026-01-01", 1000000)`: whole,
		`= ADD_DAYS("2026-01-01", Million)`: whole,
		`= ADD_DAYS("2026-01-01", Huge)`:    whole,
		`= ADD_DAYS("2026-01-01", Beyond)`:  whole,
		`= ADD_DAYS("0001-01-01", -1)`:      beyond,
		`= ADD_DAYS("9999-12-31", 1)`:       beyond,
		`= ADD_DAYS("9000-01-01", 999999)`:  beyond,
		`= ADD_DAYS("2026-01-01", Text)`:    "not_a_number: The value of Text is not a number.",
		`= ADD_DAYS("2026-01-01")`:          "wrong_arguments: ADD_DAYS is written ADD_DAYS(Due, 14).",
	})
}
