package lang_test

import (
	"testing"
)

// ISO 8601, RFC 3339, day.month.year and the form of {{Timestamp}}.
func TestDatesAreReadAsTheyAreUsuallyWritten(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"2026-01-31":                            "2026-01-31 00:00:00",
		"20260131":                              "2026-01-31 00:00:00",
		"31.1.2026":                             "2026-01-31 00:00:00",
		"31.01.2026":                            "2026-01-31 00:00:00",
		" 2026-01-31 ":                          "2026-01-31 00:00:00",
		"2026-01-31T15:04":                      "2026-01-31 15:04:00",
		"2026-01-31 15:04":                      "2026-01-31 15:04:00",
		"2026-01-31T15:04:05":                   "2026-01-31 15:04:05",
		"2026-01-31 15:04:05":                   "2026-01-31 15:04:05",
		"2026-01-31T15:04:05.123":               "2026-01-31 15:04:05",
		"2026-01-31 15.04.05":                   "2026-01-31 15:04:05",
		"2026-01-31T15:04:05Z":                  "2026-01-31 15:04:05",
		"2026-01-31T15:04:05.999999999Z":        "2026-01-31 15:04:05",
		"2026-01-31T15:04:05+02:00":             "2026-01-31 15:04:05",
		"2026-01-31 15:04:05-05:00":             "2026-01-31 15:04:05",
		"2026-01-31T15:04:05+0200":              "2026-01-31 15:04:05",
		"2024-02-29":                            "2024-02-29 00:00:00",
		"2026-01-31T12:00Z":                     "2026-01-31 12:00:00", // Java, js-joda and PHP leave zero seconds out
		"2026-01-31T12:00+01:00":                "2026-01-31 12:00:00",
		"2026-01-31T12:00+01:00[Europe/Vienna]": "2026-01-31 12:00:00", // Java's ZonedDateTime
		"2026-01-31T12:00:00Z[UTC]":             "2026-01-31 12:00:00",
		"2026-01-31 12:00:00+02":                "2026-01-31 12:00:00", // Postgres
		"2026-01-31 12:00:00.123456+05:30":      "2026-01-31 12:00:00",
		"2026-01-31 12:00:00-03:30":             "2026-01-31 12:00:00",
		"1890-01-31 12:00:00+01:05:21":          "1890-01-31 12:00:00",
		"2026-01-31T12:00:00+02":                "2026-01-31 12:00:00",
		"2026-01-31 12:00:00+0200":              "2026-01-31 12:00:00",
		"2026-01-31 12:00Z":                     "2026-01-31 12:00:00",
		"2026-01-31t12:00:00z":                  "2026-01-31 12:00:00", // RFC 3339, 5.6
		"2026-01-31T12:00:00,5Z":                "2026-01-31 12:00:00",
		"2026-01-31T12:00:00,123456":            "2026-01-31 12:00:00",
		"2026-01-31 12:00:00.000000":            "2026-01-31 12:00:00", // PHP
		"2026-01-31T12:00:00.0000000Z":          "2026-01-31 12:00:00", // .NET
		"2026-01-31T12:00:00.123456789012Z":     "2026-01-31 12:00:00",
		"2026-01-31 12:00:00 +0100":             "2026-01-31 12:00:00", // Ruby
		"2026-01-31 12:00:00 UTC":               "2026-01-31 12:00:00",
		"2026-01-31 12:00:00 +0000 UTC":         "2026-01-31 12:00:00", // Go
		"2026-01-31T12:00:00−05:00":             "2026-01-31 12:00:00",
		"20260131T120000Z":                      "2026-01-31 12:00:00",
		"20260131T1200":                         "2026-01-31 12:00:00",
		"20260131T120000+0100":                  "2026-01-31 12:00:00",
		"2016-12-31T23:59:60Z":                  "2017-01-01 00:00:00",
		"Sat, 31 Jan 2026 12:00:00 +0100":       "2026-01-31 12:00:00", // mails
		"31 Jan 2026 12:00 +0100":               "2026-01-31 12:00:00",
		"Sat, 31 Jan 2026 12:00:00 GMT":         "2026-01-31 12:00:00", // HTTP
		"Sat Jan 31 2026 12:00:00 GMT+0100 (Central European Standard Time)": "2026-01-31 12:00:00", // JavaScript
	} {
		checkValues(t, `{"V": "`+written+`"}`, map[string]string{`= DATE(V, "yyyy-MM-dd HH:mm:ss")`: want})
	}
	checkValues(t, `{"V": 20260131}`, map[string]string{"= DATE(V)": "2026-01-31"})
}

func TestWhatIsNoDateOrCouldBeTwoIsAFinding(t *testing.T) {
	t.Parallel()
	const want = "not_a_date: V: this is not a date. Write one such as 2026-01-31 or 2026-01-31T15:04:05Z."
	for _, written := range []string{
		`"1/2/2026"`, `"2026-02-30"`, `"2025-02-29"`, `"2026-13-01"`, `"32.1.2026"`, `"31.1.26"`, `"January 31, 2026"`, `"2026-01"`,
		`"2026-01-31T12:60Z"`, `"2026-01-31T24:01Z"`, `"2026-01-31T12:00:61Z"`, `"2026-02-30T12:00Z"`, `"2026-01-31T12:00+24:00"`, `"2026-01-31T12:00 CET"`,
		`"0000-01-31T12:00Z"`, `"2026-01-31Z"`, `"12:00 31.1.2026"`, `"15:04"`, `"2026-01-31T25:00"`, `"2026-1-31"`, `"x"`, "5", "true", `["2026-01-31", "2026-02-01"]`,
	} {
		checkRefused(t, `{"V": `+written+`}`, map[string]string{"= DATE(V)": want, "= ADD_DAYS(V, 1)": want})
	}
	const part = "not_a_date: A part of the formula is not a date such as 2026-01-31 or 2026-01-31T15:04:05Z."
	checkRefused(t, "{}", map[string]string{`= DATE("x")`: part, `= ADD_DAYS(1 + 1, 1)`: part})
}

func TestNothingHasNoDate(t *testing.T) {
	t.Parallel()
	const body = `{"Null": null, "Blank": " ", "None": []}`
	checkValues(t, body, map[string]string{
		"= DATE(Null)": "", "= DATE(Blank)": "", "= DATE(None)": "", `= DATE("")`: "",
		"= ADD_DAYS(Null, 1)": "", "= ADD_DAYS(Blank, 1)": "", "= DATE(ADD_DAYS(Null, 1))": "",
	})
}

func TestADateWithoutAPatternIsWrittenAsISO8601(t *testing.T) {
	t.Parallel()
	checkValues(t, "{}", map[string]string{
		`= DATE("31.1.2026")`:            "2026-01-31",
		`= DATE("2026-01-31T23:59:59Z")`: "2026-01-31",
	})
}

// Vienna is UTC+1 in winter and UTC+2 in summer; New York UTC-5 and UTC-4.
func TestAZoneMovesOnlyTimesThatWereSentWithOne(t *testing.T) {
	t.Parallel()
	for written, want := range map[string][2]string{
		"2026-01-31T23:30:00Z":      {"2026-02-01 00:30", "2026-01-31 18:30"},
		"2026-07-01T23:30:00Z":      {"2026-07-02 01:30", "2026-07-01 19:30"},
		"2026-01-31T23:30:00-05:00": {"2026-02-01 05:30", "2026-01-31 23:30"},
		"2026-01-31T23:30:00":       {"2026-01-31 23:30", "2026-01-31 23:30"},
		"2026-01-31 23:30":          {"2026-01-31 23:30", "2026-01-31 23:30"},
		"2026-01-31":                {"2026-01-31 00:00", "2026-01-31 00:00"},
		"2026-01-31T23:30Z":         {"2026-02-01 00:30", "2026-01-31 18:30"},
		"2026-01-31 23:30:00+02":    {"2026-01-31 22:30", "2026-01-31 16:30"},
		"2026-01-31 23:30:00 -0330": {"2026-02-01 04:00", "2026-01-31 22:00"},
	} {
		checkValues(t, `{"V": "`+written+`"}`, map[string]string{
			`= DATE(V, "yyyy-MM-dd HH:mm", "Europe/Vienna")`:    want[0],
			`= DATE(V, "yyyy-MM-dd HH:mm", "America/New_York")`: want[1],
		})
	}
	checkValues(t, "{}", map[string]string{
		`= DATE("2026-01-31T23:30:00-05:00", "HH:mm")`:        "23:30", // as it was sent
		`= DATE("2026-01-31T23:30:00-05:00", "HH:mm", "")`:    "23:30",
		`= DATE("2026-01-31T23:30:00-05:00", "HH:mm", "UTC")`: "04:30",
	})
}

func TestOneTimeZoneServesManyDates(t *testing.T) {
	t.Parallel()
	e := evaluator(t, `{"Items": [{"At": "2026-01-01T12:00:00Z"}, {"At": "2026-07-01T12:00:00Z"}]}`)
	got := workWith(e, `{{#each Items}}{{= DATE(At, "HH", "Europe/Vienna")}} {{= DATE(At, "HH", "Asia/Tokyo")}};{{/each}}`)
	if want := "13 21;14 21;"; got.text != want || len(got.findings) > 0 {
		t.Errorf("got %q with findings %q, want %q", got.text, got.findings, want)
	}
}

func TestATimeZoneThatIsNoneIsAFinding(t *testing.T) {
	t.Parallel()
	const want = "unknown_zone: DATE asks for a time zone such as Europe/Vienna."
	checkRefused(t, "{}", map[string]string{
		`= DATE("2026-01-31T12:00:00Z", "d", "Mars")`:             want,
		`= DATE("2026-01-31", "d", "Vienna")`:                     want, // also where it would move nothing
		`= DATE("2026-01-31", "d", "../../etc/passwd")`:           want,
		`= DATE("2026-01-31T12:00:00Z", "d", "Europe/Vienna", 1)`: "unknown_locale: The function asks for a locale such as en-US or de-AT.",
	})
}

func TestAddedDaysKeepTheFormOfTheDate(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"2026-01-31":                    "2026-02-14",
		"31.1.2026":                     "2026-02-14",
		"2026-01-31T23:30":              "2026-02-14T23:30:00",
		"2026-01-31 23:30:15":           "2026-02-14T23:30:15",
		"2026-01-31T23:30:15.25":        "2026-02-14T23:30:15.25",
		"2026-01-31T23:30:15Z":          "2026-02-14T23:30:15Z",
		"2026-01-31T23:30:15.25Z":       "2026-02-14T23:30:15.25Z",
		"2026-01-31T23:30:15+02:00":     "2026-02-14T23:30:15+02:00",
		"2026-01-31 15.04.05":           "2026-02-14T15:04:05",
		"2026-01-31T23:30:15.123456789": "2026-02-14T23:30:15.123456789",
	} {
		checkValues(t, `{"V": "`+written+`"}`, map[string]string{"= ADD_DAYS(V, 14)": want})
	}
}

func TestDaysAreAddedOverTheEndsOfMonthsAndYears(t *testing.T) {
	t.Parallel()
	checkValues(t, `{"Days": "30", "None": null}`, map[string]string{
		`= ADD_DAYS("2026-01-31", 1)`:       "2026-02-01",
		`= ADD_DAYS("2026-01-31", -31)`:     "2025-12-31",
		`= ADD_DAYS("2024-02-28", 1)`:       "2024-02-29",
		`= ADD_DAYS("2026-01-01", 0)`:       "2026-01-01",
		`= ADD_DAYS("2026-01-01", None)`:    "2026-01-01",
		`= ADD_DAYS("2026-01-01", Days)`:    "2026-01-31",
		`= ADD_DAYS("2026-01-01", 2.0)`:     "2026-01-03",
		`= ADD_DAYS("0001-01-02", -1)`:      "0001-01-01",
		`= ADD_DAYS("9999-12-30", 1)`:       "9999-12-31",
		`= ADD_DAYS("2026-01-01", 365)`:     "2027-01-01",
		`= ADD_DAYS("0001-01-01", 999999)`:  "2738-11-28", // 2,737 years of 365.2425 days, and 330 days
		`= ADD_DAYS(Timestamp, 1)`:          "2026-01-03T15:04:05",
		`= DATE(ADD_DAYS("2026-01-01", 1))`: "2026-01-02",
	})
}

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
		`= ADD_DAYS("2026-01-01", Text)`:    "not_a_number: Text: this text is not a number. Write one such as 14.00.",
		`= ADD_DAYS("2026-01-01")`:          "wrong_arguments: ADD_DAYS is written ADD_DAYS(Due, 14).",
	})
}

// Stripe's created is in seconds, JavaScript's Date.now() in milliseconds.
func TestSecondsSince1970AreATime(t *testing.T) {
	t.Parallel()
	checkValues(t, `{"Created": 1769860800, "Text": "1769860800", "Millis": 1769860800123, "Null": null, "Blank": " "}`, map[string]string{
		"= FROM_UNIX(Created)":      "2026-01-31T12:00:00Z",
		"= FROM_UNIX(Text)":         "2026-01-31T12:00:00Z",
		"= FROM_UNIX(Millis)":       "2026-01-31T12:00:00.123Z",
		"= FROM_UNIX(0)":            "1970-01-01T00:00:00Z",
		"= FROM_UNIX(-1.5)":         "1969-12-31T23:59:58.5Z",
		"= FROM_UNIX(99999999999)":  "5138-11-16T09:46:39Z",
		"= FROM_UNIX(100000000000)": "1973-03-03T09:46:40Z",
		`= DATE(FROM_UNIX(Created), "d.M.yyyy HH:mm", "Europe/Vienna")`: "31.1.2026 13:00",
		`= DATE(ADD_DAYS(FROM_UNIX(Created), 14), "d MMMM", "UTC")`:     "14 February",
		"= FROM_UNIX(Null)": "", "= DATE(FROM_UNIX(Blank))": "",
	})
	checkRefused(t, `{"Word": "soon", "Micros": 1769860800123456, "Seconds": 1769860800}`, map[string]string{
		"= DATE(Seconds)":     "not_a_date: Seconds: this is a number and not a date. FROM_UNIX reads the seconds since 1970, as in DATE(FROM_UNIX(Created)).",
		"= FROM_UNIX(Micros)": "not_a_date: FROM_UNIX reads seconds or milliseconds since 1970, such as 1769860800. This number is larger.",
		"= FROM_UNIX()":       "wrong_arguments: FROM_UNIX is written FROM_UNIX(Created).",
	})
}
