package lang

import (
	"github.com/go-playground/locales"
	"github.com/go-playground/locales/ar"
	"github.com/go-playground/locales/bg"
	"github.com/go-playground/locales/bs"
	"github.com/go-playground/locales/ca"
	"github.com/go-playground/locales/cs"
	"github.com/go-playground/locales/cy"
	"github.com/go-playground/locales/da"
	"github.com/go-playground/locales/el"
	"github.com/go-playground/locales/et"
	"github.com/go-playground/locales/eu"
	"github.com/go-playground/locales/fa"
	"github.com/go-playground/locales/fi"
	"github.com/go-playground/locales/ga"
	"github.com/go-playground/locales/gl"
	"github.com/go-playground/locales/he"
	"github.com/go-playground/locales/hi"
	"github.com/go-playground/locales/hr"
	"github.com/go-playground/locales/hu"
	"github.com/go-playground/locales/hy"
	"github.com/go-playground/locales/id"
	"github.com/go-playground/locales/is"
	"github.com/go-playground/locales/ja"
	"github.com/go-playground/locales/ka"
	"github.com/go-playground/locales/kk"
	"github.com/go-playground/locales/ko"
	"github.com/go-playground/locales/lt"
	"github.com/go-playground/locales/lv"
	"github.com/go-playground/locales/mk"
	"github.com/go-playground/locales/ms"
	"github.com/go-playground/locales/mt"
	"github.com/go-playground/locales/nb"
	"github.com/go-playground/locales/nn"
	"github.com/go-playground/locales/pl"
	"github.com/go-playground/locales/ro"
	"github.com/go-playground/locales/ru"
	"github.com/go-playground/locales/sk"
	"github.com/go-playground/locales/sl"
	"github.com/go-playground/locales/sq"
	"github.com/go-playground/locales/sr"
	"github.com/go-playground/locales/sv"
	"github.com/go-playground/locales/th"
	"github.com/go-playground/locales/tr"
	"github.com/go-playground/locales/uk"
	"github.com/go-playground/locales/vi"
	"github.com/go-playground/locales/zh"
)

// translator has the names of months and days in languages that calendarOf does not
// write itself, as an earlier CLDR has them; nil for a language that it does not know.
func translator(language string) locales.Translator {
	switch language {
	case "ar":
		return ar.New()
	case "bg":
		return bg.New()
	case "bs":
		return bs.New()
	case "ca":
		return ca.New()
	case "cs":
		return cs.New()
	case "cy":
		return cy.New()
	case "da":
		return da.New()
	case "el":
		return el.New()
	case "et":
		return et.New()
	case "eu":
		return eu.New()
	case "fa":
		return fa.New()
	case "fi":
		return fi.New()
	case "ga":
		return ga.New()
	case "gl":
		return gl.New()
	case "he":
		return he.New()
	case "hi":
		return hi.New()
	case "hr":
		return hr.New()
	case "hu":
		return hu.New()
	case "hy":
		return hy.New()
	case "id":
		return id.New()
	case "is":
		return is.New()
	case "ja":
		return ja.New()
	case "ka":
		return ka.New()
	case "kk":
		return kk.New()
	case "ko":
		return ko.New()
	case "lt":
		return lt.New()
	case "lv":
		return lv.New()
	case "mk":
		return mk.New()
	case "ms":
		return ms.New()
	case "mt":
		return mt.New()
	case "nb", "no":
		return nb.New()
	case "nn":
		return nn.New()
	case "pl":
		return pl.New()
	case "ro":
		return ro.New()
	case "ru":
		return ru.New()
	case "sk":
		return sk.New()
	case "sl":
		return sl.New()
	case "sq":
		return sq.New()
	case "sr":
		return sr.New()
	case "sv":
		return sv.New()
	case "th":
		return th.New()
	case "tr":
		return tr.New()
	case "uk":
		return uk.New()
	case "vi":
		return vi.New()
	case "zh":
		return zh.New()
	}
	return nil
}

// calendarBy reads the names of a translator.
func calendarBy(t locales.Translator) calendar {
	return calendar{months: [12]string(t.MonthsWide()), short: [12]string(t.MonthsAbbreviated()), days: [7]string(t.WeekdaysWide())}
}
