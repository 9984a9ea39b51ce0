package catalog

import (
	"time"

	"github.com/platenhq/platen/internal/template/locale"
)

// moments are how the languages write a moment, in letters of CLDR.
var moments = []string{"d MMMM yyyy, HH:mm 'UTC'", "d. MMMM yyyy, HH:mm 'Uhr (UTC)'", "d MMMM yyyy, HH:mm '(UTC)'", "d 'de' MMMM 'de' yyyy, HH:mm '(UTC)'"}

// Moment is a time as the language writes it, in UTC, for mails and for pages without scripts:
// nobody knows the zone of who reads them.
func (p Printer) Moment(at time.Time) string {
	l, err := locale.Find(p.Language())
	if err != nil {
		panic(err) // the languages are ours
	}
	text, ok := l.Calendar().Format(at.UTC(), moments[p.index])
	if !ok {
		panic("no pattern of a moment") // likewise
	}
	return text
}
