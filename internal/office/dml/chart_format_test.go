package dml

import (
	"math"
	"strings"
	"testing"
)

func TestValuesAreWrittenAsTheirFormatSays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value  float64
		format string
		want   string
	}{
		{0.29000000000000015, "General", "0.29"},
		{-1e-12, "0.00", "0.00"},
		{1234567, "#,##0", "1,234,567"},
		{0.37, "0%", "37%"},
		{0.375, "0.0%", "37.5%"},
		{79.626, "#,##0", "80"},
		{-12.5, "0.00", "-12.50"},
		{-12.5, "#,##0.0;(#,##0.0)", "(12.5)"},
		{0, `0;-0;"none"`, "none"},
		{1500, `"€ "#,##0.00`, "€ 1,500.00"},
		{5, `0\ \ ;[<0.05]\ "n."`, "5  "},
		{2500000, `0.0,,"M"`, "2.5M"},
		{0.5, "#.##", ".5"},
		{39083, "mmm-yy", "Jan-07"},
		{39083, "d/m/yyyy", "1/1/2007"},
		{1e300, "yyyy", "1e+300"},
		{math.NaN(), "0", ""},
		{7, `"`, "7"},
	} {
		if got := FormatValue(c.value, c.format); got != c.want {
			t.Errorf("%v as %q: got %q, want %q", c.value, c.format, got, c.want)
		}
	}
}

func wantValues(t *testing.T, cases []formatCase) {
	t.Helper()
	for _, c := range cases {
		if got := FormatValue(c.value, c.format); got != c.want {
			t.Errorf("%v as %q: got %q, want %q", c.value, c.format, got, c.want)
		}
	}
}

type formatCase struct {
	value        float64
	format, want string
}

func TestGeneralNumbersHaveTheDigitsTheyNeed(t *testing.T) {
	t.Parallel()
	wantValues(t, []formatCase{
		{0, "", "0"}, {math.Copysign(0, -1), "General", "0"}, {-5, "", "-5"}, {1200, "general", "1200"}, {0.5, "Standard", "0.5"},
		{1.0 / 3, "", "0.3333333333"}, {0.0001, "", "0.0001"}, {0.00001, "", "1e-05"}, {12345678901, "", "12345678901"}, {-12345678901, "", "-12345678901"}, {1e11, "", "1e+11"}, {123456789012, "", "1.23456789e+11"},
		{math.Inf(1), "0", ""}, {math.Inf(-1), "", ""},
	})
}

// A text format, and words beside General, leave the number as it is.
func TestNumbersAmongTextAreGeneral(t *testing.T) {
	t.Parallel()
	wantValues(t, []formatCase{{5, "@", "5"}, {2.5, `General" kg"`, "2.5 kg"}, {-3, `"about "General`, "about -3"}, {-3, `General;General" less"`, "3 less"}, {7, "[Red]General_)", "7"},
		// Letters that are longer or shorter in lower case.
		{7, "ȺGeneral", "Ⱥ7"}, {7, "\u212AGeneral", "\u212A7"}})
}

func TestDigitsAreFilledAndLeftOut(t *testing.T) {
	t.Parallel()
	wantValues(t, []formatCase{
		{5, "000", "005"}, {1234, "000", "1234"}, {0, "00.00", "00.00"}, {-7, "00", "-07"},
		{5, "0.0#", "5.0"}, {5.25, "0.0#", "5.25"}, {5.5, "0.##", "5.5"}, {5, "0.##", "5"}, {100, "#", "100"}, {0, "0.00", "0.00"},
		{0, "#", ""}, {0.4, "#", ""}, {0, "#,###", ""}, {0.25, "#.##", ".25"}, {-0.25, "#.##", "-.25"}, // # shows no zeros
		{12345.678, "0.0000000000000000000", "12345.678000000000000"}, // fifteen places at most
		{3, "00000000000000000000", "000000000000003"},
	})
}

func TestDigitsStandInGroups(t *testing.T) {
	t.Parallel()
	wantValues(t, []formatCase{
		{999, "#,##0", "999"}, {1000, "#,##0", "1,000"}, {-1234567.5, "#,##0.0", "-1,234,567.5"}, {0, "#,##0", "0"}, {5, "0,000", "0,005"},
		{1234567, "0,", "1235"}, {1500000, `#,##0.0,," M"`, "1.5 M"}, {2000, `0.0,`, "2.0"},
	})
}

func TestSharesAreHundredths(t *testing.T) {
	t.Parallel()
	wantValues(t, []formatCase{{0.07, "0%", "7%"}, {-0.5, "0.0%", "-50.0%"}, {1, "0 %", "100 %"}, {0.3, `0"%"`, "0%"}, {0.5, "%0", "%50"}})
}

// Spreadsheets round halves away from zero, and see fifteen digits of a number.
func TestHalvesAreRoundedAwayFromZero(t *testing.T) {
	t.Parallel()
	wantValues(t, []formatCase{
		{0.5, "0", "1"}, {1.5, "0", "2"}, {2.5, "0", "3"}, {-2.5, "0", "-3"}, {0.125, "0%", "13%"}, {0.125, "0.00", "0.13"}, {1.005, "0.00", "1.01"}, {1234.5, "#,##0", "1,235"},
		{2.4999, "0", "2"}, {-0.4, "0", "0"}, {123456789012345678, "0", "123456789012346000"},
	})
}

// ECMA-376 part 1, 18.8.31: sections are for positive numbers, negative ones and
// zero; what a section does not say is as in the first.
func TestSectionsAreChosenBySign(t *testing.T) {
	t.Parallel()
	for format, want := range map[string][3]string{ // of 2, -2 and 0
		"0.0":                  {"2.0", "-2.0", "0.0"},
		"0;(0)":                {"2", "(2)", "0"},
		"0;-0;zero":            {"2", "-2", "zero"},
		`0;;"-"`:               {"2", "2", "-"},
		`+0;-0;0;@`:            {"+2", "-2", "0"},
		`0"a";0"b";0"c"`:       {"2a", "2b", "0c"},
		"[Red]0;[Blue][<0]0.0": {"2", "2.0", "0"},
	} {
		wantValues(t, []formatCase{{2, format, want[0]}, {-2, format, want[1]}, {0, format, want[2]}})
	}
}

func TestLettersOfAFormatStandForThemselves(t *testing.T) {
	t.Parallel()
	wantValues(t, []formatCase{
		{5, `"EUR "0`, "EUR 5"}, {5, `0\ \k\g`, "5 kg"}, {5, `"0"0"#"`, "05#"}, {5, `0_)`, "5"}, {5, `* 0`, "5"}, {5, `"só "0" €"`, "só 5 €"},
		{5, `"ym"`, "ym"}, {5, `0"`, "5"}, {5, `0\`, "5"}, {5, `[0`, "5"}, {5, `"n/a"`, "n/a"}, {-5, `$0`, "-$5"},
	})
}

func TestLongFormatsAreCutOff(t *testing.T) {
	t.Parallel()
	wantValues(t, []formatCase{{5, strings.Repeat("_x", 127) + "00", "5"}})
}

// Serial numbers count days from 30 December 1899: 1 January 2007 is 39083.
func TestDatesAreWritten(t *testing.T) {
	t.Parallel()
	wantValues(t, []formatCase{
		{39083, "yyyy-mm-dd", "2007-01-01"}, {39083, "dd.mm.yy", "01.01.07"}, {39087, "d mmmm yyyy", "5 January 2007"}, {39083, "ddd d mmm", "Mon 1 Jan"}, {39083, "dddd", "Monday"}, {39083, "DD/MM/YYYY", "01/01/2007"},
		{39083, "mmmmm", "J"}, {39355, "mmmmm yy", "S 07"}, // 30 September
		{1, "d/m/yyyy", "31/12/1899"}, {39083, `yyyy"y"`, "2007y"}, {39083, `d\.m\.`, "1.1."}, {39083, "[$-409]d-mmm;@", "1-Jan"},
		{2958465, "d/m/yyyy", "31/12/9999"}, {2958466, "yyyy", "2958466"}, {-1, "yyyy", "-1"}, {0, "d/m/yyyy", "30/12/1899"},
	})
}

// ECMA-376 part 1, 18.8.31: m is minutes behind hours and in front of seconds;
// hours go to twelve where the format has AM/PM or A/P. 0.38 of a day is 9:07:12.
func TestTimesAreWritten(t *testing.T) {
	t.Parallel()
	wantValues(t, []formatCase{
		{0.38, "h:mm", "9:07"}, {0.38, "hh:mm:ss", "09:07:12"}, {0.38, "mm:ss", "07:12"}, {0.38, "h:m:s", "9:7:12"}, {0.5, "h:mm", "12:00"}, {0.75, "hh", "18"}, {0.75, "h", "18"},
		{0.38, "h:mm AM/PM", "9:07 AM"}, {0.75, "h:mm am/pm", "6:00 PM"}, {0.5, "hh:mm A/P", "12:00 P"}, {0, "h A/P", "12 A"},
		{39083.38, "d/m/yyyy h:mm", "1/1/2007 9:07"}, {39083.38, "h:mm d/m", "9:07 1/1"}, {39083.38, "mmm h", "Jan 9"},
		{0.999999, "s", "0"}, // the next day begins: whole seconds
	})
}

func FuzzFormatValue(f *testing.F) {
	for _, format := range []string{"General", "#,##0.00;(0)", `[<1]"x"\ 0%`, "mmm-yy", "0.0,,"} {
		f.Add(1234.5, format)
	}
	f.Fuzz(func(t *testing.T, v float64, format string) {
		if got := FormatValue(v, format); len(got) > 2000 {
			t.Errorf("%v as %q has %d bytes", v, format, len(got))
		}
	})
}
