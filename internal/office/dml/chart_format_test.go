package dml

import (
	"math"
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
