package dml

import (
	"strings"
	"testing"
)

// ST_NumberFormat, ECMA-376 part 1, 17.18.59.
func TestNumbersAreWrittenInTheirFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format string
		want   map[int]string
	}{
		{"decimal", map[int]string{0: "0", 7: "7", -3: "-3", 1234: "1234"}},
		{"unheard-of", map[int]string{12: "12"}},
		{"", map[int]string{12: "12"}},
		{"upperRoman", map[int]string{1: "I", 3: "III", 4: "IV", 9: "IX", 14: "XIV", 40: "XL", 49: "XLIX", 90: "XC", 400: "CD", 900: "CM", 1666: "MDCLXVI", 3999: "MMMCMXCIX", 4000: "MMMM", 0: "0", -1: "-1", 32768: "32768"}},
		{"lowerRoman", map[int]string{1999: "mcmxcix", 0: "0"}},
		// a, b … z, aa, bb … zz, aaa
		{"upperLetter", map[int]string{1: "A", 26: "Z", 27: "AA", 28: "BB", 52: "ZZ", 53: "AAA", 0: "", -1: ""}},
		{"lowerLetter", map[int]string{1: "a", 26: "z", 27: "aa", 54: "bbb", 0: ""}},
		{"decimalZero", map[int]string{0: "00", 5: "05", 9: "09", 10: "10", 100: "100"}},
		{"ordinal", map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 10: "10th", 11: "11th", 12: "12th", 13: "13th", 14: "14th", 21: "21st", 22: "22nd", 23: "23rd", 30: "30th", 101: "101st", 111: "111th", 112: "112th", 113: "113th"}},
		{"none", map[int]string{5: ""}},
		{"bullet", map[int]string{5: ""}},
		// Twenty-nine letters: those without ё, й, ъ and ь.
		{"russianLower", map[int]string{1: "а", 9: "и", 10: "к", 29: "я", 30: "аа", 58: "яя", 59: "ааа", 0: "0"}},
		{"russianUpper", map[int]string{1: "А", 29: "Я", 30: "АА", 0: "0"}},
		{"chicago", map[int]string{1: "*", 2: "†", 3: "‡", 4: "§", 5: "**", 8: "§§", 9: "***", 0: "*", -4: "*"}},
		{"numberInDash", map[int]string{3: "- 3 -", 0: "- 0 -"}},
		{"decimalEnclosedCircle", map[int]string{1: "①", 10: "⑩", 20: "⑳", 21: "21", 0: "0"}},
		{"decimalEnclosedCircleChinese", map[int]string{2: "②"}},
		{"decimalEnclosedFullstop", map[int]string{1: "⒈", 20: "⒛", 21: "21"}},
		{"decimalEnclosedParen", map[int]string{1: "⑴", 20: "⒇", 21: "21"}},
		{"hex", map[int]string{9: "9", 10: "A", 31: "1F", 256: "100"}},
		{"decimalFullWidth", map[int]string{120: "１２０"}},
		{"decimalFullWidth2", map[int]string{120: "１２０"}},
		{"decimalHalfWidth", map[int]string{120: "120"}},
		{"hebrew1", map[int]string{1: "א", 10: "י", 11: "יא", 15: "טו", 16: "טז", 17: "יז", 20: "כ", 115: "קטו", 400: "ת", 999: "תתקצט", 0: "0", 1000: "1000"}},
		{"hebrew2", map[int]string{1: "א", 11: "כ", 22: "ת", 23: "תא", 45: "תתא"}},
		{"arabicAlpha", map[int]string{1: "أ", 2: "ب", 3: "ت", 28: "ي", 29: "أأ"}},
		{"arabicAbjad", map[int]string{1: "أ", 2: "ب", 3: "ج", 28: "غ", 29: "أأ"}},
		{"hindiVowels", map[int]string{1: "अ", 2: "आ"}},
		{"hindiConsonants", map[int]string{1: "क", 2: "ख"}},
		{"hindiNumbers", map[int]string{12: "१२"}},
		{"thaiLetters", map[int]string{1: "ก", 2: "ข", 3: "ค", 4: "ง", 41: "ฮ", 42: "กก"}},
		{"thaiNumbers", map[int]string{12: "๑๒"}},
		{"ganada", map[int]string{1: "가", 14: "하", 15: "가가"}},
		{"chosung", map[int]string{1: "ㄱ", 14: "ㅎ"}},
		{"koreanDigital", map[int]string{10: "일영", 12: "일이"}},
		{"koreanDigital2", map[int]string{10: "一零", 12: "一二"}},
		{"koreanCounting", map[int]string{1: "일", 10: "십", 11: "십일", 20: "이십", 100: "백", 111: "백십일"}},
		{"koreanLegal", map[int]string{1: "하나", 10: "열", 11: "열하나", 20: "스물", 99: "아흔아홉", 100: "100"}},
		{"aiueo", map[int]string{1: "ｱ", 46: "ﾝ", 47: "ｱｱ"}},
		{"aiueoFullWidth", map[int]string{1: "ア", 46: "ン"}},
		{"iroha", map[int]string{1: "ｲ", 2: "ﾛ", 48: "ﾝ"}},
		{"irohaFullWidth", map[int]string{1: "イ", 2: "ロ", 48: "ン"}},
		{"ideographDigital", map[int]string{1: "一", 10: "一〇", 105: "一〇五"}},
		{"ideographEnclosedCircle", map[int]string{1: "㊀", 10: "㊉", 11: "11"}},
		{"ideographTraditional", map[int]string{1: "甲", 10: "癸", 11: "11"}},
		{"ideographZodiac", map[int]string{1: "子", 12: "亥", 13: "13"}},
		{"ideographZodiacTraditional", map[int]string{1: "甲子", 11: "甲戌", 60: "癸亥", 61: "61"}},
		{"ideographLegalTraditional", map[int]string{1: "壹", 10: "壹拾", 101: "壹佰零壹"}},
		{"japaneseCounting", map[int]string{1: "一", 10: "十", 11: "十一", 20: "二十", 100: "百", 1000: "千", 10000: "一万", 12345: "一万二千三百四十五"}},
		{"japaneseLegal", map[int]string{1: "壱", 2: "弐", 10: "壱拾", 1000: "壱阡"}},
		{"japaneseDigitalTenThousand", map[int]string{10: "一〇"}},
		{"taiwaneseDigital", map[int]string{10: "一○"}},
		{"taiwaneseCounting", map[int]string{1: "一", 10: "十", 21: "二十一", 101: "一○一"}},
		{"taiwaneseCountingThousand", map[int]string{10: "十", 100: "一百", 101: "一百零一", 110: "一百一十", 1001: "一千零一"}},
		{"chineseCounting", map[int]string{1: "一", 10: "十", 19: "十九", 99: "九十九", 100: "一○○"}},
		{"chineseCountingThousand", map[int]string{11: "十一", 105: "一百零五", 10010: "一万零一十"}},
		{"chineseLegalSimplified", map[int]string{3: "叁", 10: "壹拾", 305: "叁佰零伍"}},
		{"custom:001, 002, 003, ...", map[int]string{7: "007", 1234: "1234"}},
	} {
		for n, want := range c.want {
			if got := FormatNumber(n, c.format); got != want {
				t.Errorf("%d as %s: got %q, want %q", n, c.format, got, want)
			}
		}
	}
}

// Letters repeat with each round through the alphabet, forty times at most.
func TestRepeatedLettersEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format string
		size   int    // of the alphabet
		last   string // of its letters
	}{{"lowerLetter", 26, "z"}, {"upperLetter", 26, "Z"}, {"russianLower", 29, "я"}, {"russianUpper", 29, "Я"}, {"chicago", 4, "§"}} {
		for round, want := range map[int]int{39: 39, 40: 40, 41: 40, 100_000: 40} {
			if got := FormatNumber(round*c.size, c.format); got != strings.Repeat(c.last, want) {
				t.Errorf("%d as %s: got %q, want %d times %s", round*c.size, c.format, got, want, c.last)
			}
		}
	}
}

func TestLongRomanNumbersAreWritten(t *testing.T) {
	t.Parallel()
	if got, want := FormatNumber(32767, "upperRoman"), strings.Repeat("M", 32)+"DCCLXVII"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The schemes are those of ST_TextAutonumberScheme (ECMA-376 part 1, 20.1.10.61).
func TestNumbersAreWrittenByTheirScheme(t *testing.T) {
	t.Parallel()
	for scheme, want := range map[string]string{
		"alphaLcParenBoth": "(d)", "alphaLcParenR": "d)", "alphaLcPeriod": "d.", "alphaUcParenBoth": "(D)", "alphaUcParenR": "D)", "alphaUcPeriod": "D.",
		"romanLcParenBoth": "(iv)", "romanLcParenR": "iv)", "romanLcPeriod": "iv.", "romanUcParenBoth": "(IV)", "romanUcParenR": "IV)", "romanUcPeriod": "IV.",
		"arabicParenBoth": "(4)", "arabicParenR": "4)", "arabicPeriod": "4.", "arabicPlain": "4", "hebrew2Minus": "- 4 -", "": "4",
	} {
		if got := AutoNumber(scheme, 4); got != want {
			t.Errorf("%s: got %q, want %q", scheme, got, want)
		}
	}
}

func TestNumbersAreWrittenInTheWordsOfALanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n                      int
		format, language, want string
		isKnown                bool
	}{
		{21, "cardinalText", "en-US", "Twenty-one", true},
		{21, "cardinalText", "de-DE", "Einundzwanzig", true},
		{3, "cardinalText", "", "Three", true},
		{3, "cardinalText", "zz", "Three", true},
		{3, "ordinalText", "en-GB", "Third", true},
		{3, "ordinalText", "fr-FR", "Troisième", true},
		{3, "ordinalText", "es-ES", "Tercero", true},
		{3, "ordinal", "en-US", "3rd", true},
		{3, "ordinal", "de-AT", "3.", true},
		{1, "ordinal", "fr-FR", "1er", true},
		{2, "ordinal", "fr-FR", "2e", true},
		{2, "ordinal", "it-IT", "2º", true},
		{3, "hindiCounting", "en-US", "तीन", true},
		{3, "thaiCounting", "en-US", "สาม", true},
		{3, "vietnameseCounting", "en-US", "ba", true},
		{3, "bahtText", "en-US", "สามบาทถ้วน", true},
		{3, "dollarText", "en-US", "Three and 00/100", true},
		{3, "hebrew1", "en-US", "ג", true},
		{3, "unheard-of", "en-US", "3", false},
		{3, "custom:first, second", "en-US", "3", false},
	} {
		if got, isKnown := NumberIn(c.n, c.format, c.language); got != c.want || isKnown != c.isKnown {
			t.Errorf("%d as %s in %q: got %q (known: %t), want %q (%t)", c.n, c.format, c.language, got, isKnown, c.want, c.isKnown)
		}
	}
}

// Each value of ST_NumberFormat is known.
func TestEachFormatOfTheStandardIsKnown(t *testing.T) {
	t.Parallel()
	for format := range strings.FieldsSeq(`decimal upperRoman lowerRoman upperLetter lowerLetter ordinal cardinalText ordinalText hex chicago ideographDigital japaneseCounting aiueo iroha
		decimalFullWidth decimalHalfWidth japaneseLegal japaneseDigitalTenThousand decimalEnclosedCircle decimalFullWidth2 aiueoFullWidth irohaFullWidth decimalZero bullet ganada chosung
		decimalEnclosedFullstop decimalEnclosedParen decimalEnclosedCircleChinese ideographEnclosedCircle ideographTraditional ideographZodiac ideographZodiacTraditional taiwaneseCounting
		ideographLegalTraditional taiwaneseCountingThousand taiwaneseDigital chineseCounting chineseLegalSimplified chineseCountingThousand koreanDigital koreanCounting koreanLegal koreanDigital2
		vietnameseCounting russianLower russianUpper none numberInDash hebrew1 hebrew2 arabicAlpha arabicAbjad hindiVowels hindiConsonants hindiNumbers hindiCounting thaiLetters thaiNumbers
		thaiCounting bahtText dollarText`) {
		for _, n := range []int{1, 9, 10, 11, 19, 20, 99, 100, 110, 1001, 10_000, 123_456} {
			if text, isKnown := NumberIn(n, format, "en-US"); !isKnown || text == "" && format != "none" && format != "bullet" {
				t.Errorf("%d as %s: got %q, known: %t", n, format, text, isKnown)
			}
		}
	}
}
