package dml

import (
	"strconv"
	"strings"
)

// The letters of formats that count by an alphabet (ECMA-376 part 1, 17.18.59).
const (
	russianAlphabet    = "абвгдежзиклмнопрстуфхцчшщыэюя"
	arabicAlphabet     = "أبتثجحخدذرزسشصضطظعغفقكلمنهوي"
	arabicAbjad        = "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ"
	hindiVowels        = "अआइईउऊऋएऐओऔ"
	hindiConsonants    = "कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह"
	thaiAlphabet       = "กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ"
	koreanSyllables    = "가나다라마바사아자차카타파하"
	koreanConsonants   = "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"
	katakana           = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
	katakanaHalf       = "ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝ"
	katakanaPoem       = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
	katakanaPoemHalf   = "ｲﾛﾊﾆﾎﾍﾄﾁﾘﾇﾙｦﾜｶﾖﾀﾚｿﾂﾈﾅﾗﾑｳヰﾉｵｸﾔﾏｹﾌｺｴﾃｱｻｷﾕﾒﾐｼヱﾋﾓｾｽﾝ"
	heavenlyStems      = "甲乙丙丁戊己庚辛壬癸"
	earthlyBranches    = "子丑寅卯辰巳午未申酉戌亥"
	hebrewAlphabet     = "אבגדהוזחטיכלמנסעפצקרשת"
	fullWidthDigits    = "０１２３４５６７８９"
	devanagariDigits   = "०१२३४५६७८९"
	thaiDigits         = "๐๑๒๓๔๕๖๗๘๙"
	ideographDigits    = "〇一二三四五六七八九"
	taiwaneseDigits    = "○一二三四五六七八九"
	koreanDigits       = "영일이삼사오육칠팔구"
	koreanIdeographs   = "零一二三四五六七八九"
	simplifiedLegal    = "零壹贰叁肆伍陆柒捌玖"
	traditionalLegal   = "零壹貳參肆伍陸柒捌玖"
	japaneseLegal      = "零壱弐参四伍六七八九"
	enclosedIdeographs = "㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉"
)

// alphabets begin again behind their last letter, each letter written twice then.
var alphabets = map[string]string{
	"russianLower": russianAlphabet, "russianUpper": strings.ToUpper(russianAlphabet), "arabicAlpha": arabicAlphabet, "arabicAbjad": arabicAbjad,
	"hindiVowels": hindiVowels, "hindiConsonants": hindiConsonants, "thaiLetters": thaiAlphabet, "ganada": koreanSyllables, "chosung": koreanConsonants,
	"aiueo": katakanaHalf, "aiueoFullWidth": katakana, "iroha": katakanaPoemHalf, "irohaFullWidth": katakanaPoem,
}

// places are systems that write digits by their place, as Arabic figures do.
var places = map[string]string{
	"decimalFullWidth": fullWidthDigits, "decimalFullWidth2": fullWidthDigits, "hindiNumbers": devanagariDigits, "thaiNumbers": thaiDigits,
	"ideographDigital": ideographDigits, "japaneseDigitalTenThousand": ideographDigits, "taiwaneseDigital": taiwaneseDigits,
	"koreanDigital": koreanDigits, "koreanDigital2": koreanIdeographs,
}

// single are signs for the first numbers; those behind them are Arabic figures.
var single = map[string]string{
	"decimalEnclosedCircle": "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳", "decimalEnclosedCircleChinese": "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳",
	"decimalEnclosedFullstop": "⒈⒉⒊⒋⒌⒍⒎⒏⒐⒑⒒⒓⒔⒕⒖⒗⒘⒙⒚⒛", "decimalEnclosedParen": "⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇",
	"ideographEnclosedCircle": enclosedIdeographs, "ideographTraditional": heavenlyStems, "ideographZodiac": earthlyBranches,
}

// scriptNumber writes a number in a format of one script; false for other formats.
func scriptNumber(n int, format string) (string, bool) {
	if letters, ok := alphabets[format]; ok {
		return fromAlphabet(n, letters), true
	}
	if digits, ok := places[format]; ok {
		return inDigits(n, digits), true
	}
	if signs, ok := single[format]; ok {
		if all := []rune(signs); n >= 1 && n <= len(all) {
			return string(all[n-1]), true
		}
		return strconv.Itoa(n), true
	}
	switch format {
	case "chineseCounting", "taiwaneseCounting":
		if n >= 100 { // the counting system ends at 99
			return inDigits(n, taiwaneseDigits), true
		}
		return chineseNumber(n, counting{digits: taiwaneseDigits, units: "十百千", large: "万億", skipsOne: true}), true
	case "chineseCountingThousand":
		return chineseNumber(n, counting{digits: koreanIdeographs, units: "十百千", large: "万亿", skipsOne: true, hasZero: true}), true
	case "taiwaneseCountingThousand":
		return chineseNumber(n, counting{digits: koreanIdeographs, units: "十百千", large: "萬億", skipsOne: true, hasZero: true}), true
	case "japaneseCounting":
		return chineseNumber(n, counting{digits: ideographDigits, units: "十百千", large: "万億", skipsOne: true, neverOne: true}), true
	case "koreanCounting":
		return chineseNumber(n, counting{digits: koreanDigits, units: "십백천", large: "만억", skipsOne: true, neverOne: true}), true
	case "japaneseLegal":
		return chineseNumber(n, counting{digits: japaneseLegal, units: "拾百阡", large: "萬億"}), true
	case "chineseLegalSimplified":
		return chineseNumber(n, counting{digits: simplifiedLegal, units: "拾佰仟", large: "萬亿", hasZero: true}), true
	case "ideographLegalTraditional":
		return chineseNumber(n, counting{digits: traditionalLegal, units: "拾佰仟", large: "萬億", hasZero: true}), true
	case "ideographZodiacTraditional":
		if stems, branches := []rune(heavenlyStems), []rune(earthlyBranches); n >= 1 && n <= 60 {
			return string([]rune{stems[(n-1)%10], branches[(n-1)%12]}), true
		}
		return strconv.Itoa(n), true
	case "koreanLegal":
		return koreanWords(n), true
	case "hebrew1":
		return hebrewNumber(n), true
	case "hebrew2":
		// Behind the last letter it stands in front of those that begin again.
		if letters := []rune(hebrewAlphabet); n >= 1 {
			last := len(letters)
			return strings.Repeat(string(letters[last-1]), min((n-1)/last, mostRepeated)) + string(letters[(n-1)%last]), true
		}
		return strconv.Itoa(n), true
	}
	return "", false
}

// mostRepeated is how often a letter is written at most.
const mostRepeated = 40

func fromAlphabet(n int, alphabet string) string {
	a := []rune(alphabet)
	if n < 1 {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(a[(n-1)%len(a)]), min((n-1)/len(a)+1, mostRepeated))
}

func inDigits(n int, digits string) string {
	signs := []rune(digits)
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return signs[r-'0']
		}
		return r
	}, strconv.Itoa(n))
}

// counting is a system of East Asia: a digit and its unit for each place, and larger
// units for each four places.
type counting struct {
	digits, units, large string
	skipsOne             bool // 10 to 19 begin with their unit
	neverOne             bool // 100 and 1000 begin with theirs, too
	hasZero              bool // a zero stands for places that are left out within a number
}

func chineseNumber(n int, c counting) string {
	if n < 0 || n >= 1_000_000_000 {
		return strconv.Itoa(n)
	}
	digits, units, large := []rune(c.digits), []rune(c.units), []rune(c.large)
	if n == 0 {
		return string(digits[0])
	}
	var out []rune
	isSkipped := false
	for group := len(large); group >= 0; group-- {
		part := n
		for range group {
			part /= 10_000
		}
		part %= 10_000
		for place, power := 3, 1000; place >= 0; place, power = place-1, power/10 {
			digit := part / power % 10
			if digit == 0 {
				isSkipped = isSkipped || len(out) > 0
				continue
			}
			if isSkipped && c.hasZero {
				out = append(out, digits[0])
			}
			isSkipped = false
			isOmitted := digit == 1 && place > 0 && (c.neverOne || c.skipsOne && place == 1 && len(out) == 0)
			if !isOmitted {
				out = append(out, digits[digit])
			}
			if place > 0 {
				out = append(out, units[place-1])
			}
		}
		if group > 0 && part > 0 {
			out = append(out, large[group-1])
		}
	}
	return string(out)
}

// koreanWords are the native numbers of Korean, which end at 99.
func koreanWords(n int) string {
	tens := []string{"", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔"}
	ones := []string{"", "하나", "둘", "셋", "넷", "다섯", "여섯", "일곱", "여덟", "아홉"}
	if n < 1 || n > 99 {
		return strconv.Itoa(n)
	}
	return tens[n/10] + ones[n%10]
}

// hebrewNumber adds up letters: 15 and 16 are 9 and 6, 9 and 7, since the others
// would write the name of God.
func hebrewNumber(n int) string {
	if n < 1 || n > 999 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for _, d := range []struct {
		value int
		sign  string
	}{{400, "ת"}, {300, "ש"}, {200, "ר"}, {100, "ק"}, {16, "טז"}, {15, "טו"}, {90, "צ"}, {80, "פ"}, {70, "ע"}, {60, "ס"}, {50, "נ"}, {40, "מ"}, {30, "ל"}, {20, "כ"},
		{10, "י"}, {9, "ט"}, {8, "ח"}, {7, "ז"}, {6, "ו"}, {5, "ה"}, {4, "ד"}, {3, "ג"}, {2, "ב"}, {1, "א"}} {
		for n >= d.value && (d.value != 15 && d.value != 16 || n == d.value) {
			b.WriteString(d.sign)
			n -= d.value
		}
	}
	return b.String()
}
