package pdfa

import (
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// macGlyphs are the names that fonts of TrueType know by numbers (OpenType, post table).
var macGlyphs = strings.Fields(".notdef .null nonmarkingreturn space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright asterisk plus comma hyphen " +
	"period slash zero one two three four five six seven eight nine colon semicolon less equal greater question at A B C D E F G H I J K L M N O P Q R S T " +
	"U V W X Y Z bracketleft backslash bracketright asciicircum underscore grave a b c d e f g h i j k l m n o p q r s t u v w x y z braceleft bar " +
	"braceright asciitilde Adieresis Aring Ccedilla Eacute Ntilde Odieresis Udieresis aacute agrave acircumflex adieresis atilde aring ccedilla eacute " +
	"egrave ecircumflex edieresis iacute igrave icircumflex idieresis ntilde oacute ograve ocircumflex odieresis otilde uacute ugrave ucircumflex udieresis " +
	"dagger degree cent sterling section bullet paragraph germandbls registered copyright trademark acute dieresis notequal AE Oslash infinity plusminus " +
	"lessequal greaterequal yen mu partialdiff summation product pi integral ordfeminine ordmasculine Omega ae oslash questiondown exclamdown logicalnot " +
	"radical florin approxequal Delta guillemotleft guillemotright ellipsis nonbreakingspace Agrave Atilde Otilde OE oe endash emdash quotedblleft " +
	"quotedblright quoteleft quoteright divide lozenge ydieresis Ydieresis fraction currency guilsinglleft guilsinglright fi fl daggerdbl periodcentered " +
	"quotesinglbase quotedblbase perthousand Acircumflex Ecircumflex Aacute Edieresis Egrave Iacute Icircumflex Idieresis Igrave Oacute Ocircumflex apple " +
	"Ograve Uacute Ucircumflex Ugrave dotlessi circumflex tilde macron breve dotaccent ring cedilla hungarumlaut ogonek caron Lslash lslash Scaron scaron " +
	"Zcaron zcaron brokenbar Eth eth Yacute yacute Thorn thorn minus multiply onesuperior twosuperior threesuperior onehalf onequarter threequarters franc " +
	"Gbreve gbreve Idotaccent Scedilla scedilla Cacute cacute Ccaron ccaron dcroat ")

// cffStrings are those that fonts of CFF know by numbers (Adobe Technical Note 5176, appendix A).
var cffStrings = strings.Fields(".notdef space exclam quotedbl numbersign dollar percent ampersand quoteright parenleft parenright asterisk plus comma hyphen period slash zero one two " +
	"three four five six seven eight nine colon semicolon less equal greater question at A B C D E F G H I J K L M N O P Q R S T U V W X Y Z bracketleft " +
	"backslash bracketright asciicircum underscore quoteleft a b c d e f g h i j k l m n o p q r s t u v w x y z braceleft bar braceright asciitilde " +
	"exclamdown cent sterling fraction yen florin section currency quotesingle quotedblleft guillemotleft guilsinglleft guilsinglright fi fl endash dagger " +
	"daggerdbl periodcentered paragraph bullet quotesinglbase quotedblbase quotedblright guillemotright ellipsis perthousand questiondown grave acute " +
	"circumflex tilde macron breve dotaccent dieresis ring cedilla hungarumlaut ogonek caron emdash AE ordfeminine Lslash Oslash OE ordmasculine ae " +
	"dotlessi lslash oslash oe germandbls onesuperior logicalnot mu trademark Eth onehalf plusminus Thorn onequarter divide brokenbar degree thorn " +
	"threequarters twosuperior registered minus eth multiply threesuperior copyright Aacute Acircumflex Adieresis Agrave Aring Atilde Ccedilla Eacute " +
	"Ecircumflex Edieresis Egrave Iacute Icircumflex Idieresis Igrave Ntilde Oacute Ocircumflex Odieresis Ograve Otilde Scaron Uacute Ucircumflex Udieresis " +
	"Ugrave Yacute Ydieresis Zcaron aacute acircumflex adieresis agrave aring atilde ccedilla eacute ecircumflex edieresis egrave iacute icircumflex " +
	"idieresis igrave ntilde oacute ocircumflex odieresis ograve otilde scaron uacute ucircumflex udieresis ugrave yacute ydieresis zcaron exclamsmall " +
	"Hungarumlautsmall dollaroldstyle dollarsuperior ampersandsmall Acutesmall parenleftsuperior parenrightsuperior twodotenleader onedotenleader " +
	"zerooldstyle oneoldstyle twooldstyle threeoldstyle fouroldstyle fiveoldstyle sixoldstyle sevenoldstyle eightoldstyle nineoldstyle commasuperior " +
	"threequartersemdash periodsuperior questionsmall asuperior bsuperior centsuperior dsuperior esuperior isuperior lsuperior msuperior nsuperior " +
	"osuperior rsuperior ssuperior tsuperior ff ffi ffl parenleftinferior parenrightinferior Circumflexsmall hyphensuperior Gravesmall Asmall Bsmall Csmall " +
	"Dsmall Esmall Fsmall Gsmall Hsmall Ismall Jsmall Ksmall Lsmall Msmall Nsmall Osmall Psmall Qsmall Rsmall Ssmall Tsmall Usmall Vsmall Wsmall Xsmall " +
	"Ysmall Zsmall colonmonetary onefitted rupiah Tildesmall exclamdownsmall centoldstyle Lslashsmall Scaronsmall Zcaronsmall Dieresissmall Brevesmall " +
	"Caronsmall Dotaccentsmall Macronsmall figuredash hypheninferior Ogoneksmall Ringsmall Cedillasmall questiondownsmall oneeighth threeeighths " +
	"fiveeighths seveneighths onethird twothirds zerosuperior foursuperior fivesuperior sixsuperior sevensuperior eightsuperior ninesuperior zeroinferior " +
	"oneinferior twoinferior threeinferior fourinferior fiveinferior sixinferior seveninferior eightinferior nineinferior centinferior dollarinferior " +
	"periodinferior commainferior Agravesmall Aacutesmall Acircumflexsmall Atildesmall Adieresissmall Aringsmall AEsmall Ccedillasmall Egravesmall " +
	"Eacutesmall Ecircumflexsmall Edieresissmall Igravesmall Iacutesmall Icircumflexsmall Idieresissmall Ethsmall Ntildesmall Ogravesmall Oacutesmall " +
	"Ocircumflexsmall Otildesmall Odieresissmall OEsmall Oslashsmall Ugravesmall Uacutesmall Ucircumflexsmall Udieresissmall Yacutesmall Thornsmall " +
	"Ydieresissmall 001.000 001.001 001.002 001.003 Black Bold Book Light Medium Regular Roman Semibold ")

// The encodings of ISO 32000-1, annex D.
var (
	standard = newStandard()
	macRoman = newMacRoman()
	winAnsi  = newWinAnsi()
)

func newStandard() (names [256]string) {
	sid := 1
	for _, r := range [][2]int{{32, 126}, {161, 175}, {177, 180}, {182, 189}, {191, 191}, {193, 200}, {202, 203}, {205, 208}, {225, 225}, {227, 227}, {232, 235}, {241, 241}, {245, 245}, {248, 251}} {
		for code := r[0]; code <= r[1]; code++ {
			names[code] = cffStrings[sid]
			sid++
		}
	}
	return names
}

func newMacRoman() (names [256]string) {
	for code := 32; code <= 126; code++ {
		names[code] = macGlyphs[code-29]
	}
	for code := 128; code <= 255; code++ {
		names[code] = macGlyphs[code-30]
	}
	names[0xCA] = "space"
	return names
}

func newWinAnsi() (names [256]string) {
	byRune := map[rune]string{}
	for n, r := range latinRunes {
		byRune[r] = n
	}
	for code := 32; code <= 255; code++ {
		n, isKnown := byRune[charmap.Windows1252.DecodeByte(byte(code))]
		if !isKnown {
			n = "bullet"
		}
		names[code] = n
	}
	names[0xA0], names[0xAD] = "space", "hyphen"
	return names
}

// latinRunes are the characters of names that do not say theirs.
var latinRunes = newLatinRunes()

func newLatinRunes() map[string]rune {
	out := map[string]rune{}
	for code, n := range macRoman {
		if n != "" {
			out[n] = charmap.Macintosh.DecodeByte(byte(code))
		}
	}
	out["space"], out["currency"], out["Euro"] = ' ', '\u00A4', '\u20AC'
	out["mu"], out["Omega"], out["Delta"] = '\u00B5', '\u03A9', '\u0394'
	for _, one := range strings.Fields("Lslash=Ł lslash=ł Scaron=Š scaron=š Zcaron=Ž zcaron=ž brokenbar=¦ Eth=Ð eth=ð Yacute=Ý yacute=ý Thorn=Þ thorn=þ minus=− multiply=× onesuperior=¹ twosuperior=² threesuperior=³ onehalf=½ onequarter=¼ threequarters=¾ Idotaccent=İ dcroat=đ Dcroat=Đ fi=ﬁ fl=ﬂ") {
		n, r, _ := strings.Cut(one, "=")
		out[n] = []rune(r)[0]
	}
	return out
}

var accents = map[string]rune{"acute": 0x301, "grave": 0x300, "circumflex": 0x302, "dieresis": 0x308, "tilde": 0x303, "ring": 0x30A, "caron": 0x30C, "cedilla": 0x327, "commaaccent": 0x327,
	"ogonek": 0x328, "macron": 0x304, "breve": 0x306, "dotaccent": 0x307, "hungarumlaut": 0x30B}

const (
	greek = "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi Psi Omega"
	small = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma1 sigma tau upsilon phi chi psi omega"
)

// runeOf is the character of a glyph's name (Adobe Glyph List), of Latin, Greek and Cyrillic
// letters, and of names that say theirs; false for others.
func runeOf(n string) (rune, bool) {
	if r, ok := latinRunes[n]; ok {
		return r, true
	}
	for _, prefix := range []string{"uni", "u"} {
		if digits, ok := strings.CutPrefix(n, prefix); ok && len(digits) >= 4 && len(digits) <= 6 && strings.ToUpper(digits) == digits {
			if v, err := strconv.ParseUint(digits, 16, 32); err == nil {
				return rune(v), true
			}
		}
	}
	for accent, mark := range accents {
		if letter, ok := strings.CutSuffix(n, accent); ok && len(letter) == 1 {
			if whole := []rune(norm.NFC.String(letter + string(mark))); len(whole) == 1 {
				return whole[0], true
			}
		}
	}
	for base, list := range map[rune]string{0x391: greek, 0x3B1: small} {
		for i, letter := range strings.Fields(list) {
			if letter == n {
				return base + rune(i), true
			}
		}
	}
	if digits, ok := strings.CutPrefix(n, "afii"); ok {
		v, err := strconv.Atoi(digits)
		switch {
		case err != nil:
		case v >= 10017 && v <= 10022:
			return rune(0x410 + v - 10017), true
		case v == 10023:
			return 0x401, true
		case v >= 10024 && v <= 10049:
			return rune(0x416 + v - 10024), true
		case v >= 10065 && v <= 10070:
			return rune(0x430 + v - 10065), true
		case v == 10071:
			return 0x451, true
		case v >= 10072 && v <= 10097:
			return rune(0x436 + v - 10072), true
		}
	}
	return 0, false
}
