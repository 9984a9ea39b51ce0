package api

import (
	"net/http"

	"github.com/platenhq/platen/internal/platen"
)

type usageJSON struct {
	Month     string `json:"month"` // in UTC
	Documents int64  `json:"documents"`
	Pages     int64  `json:"pages"`
	Bytes     int64  `json:"bytes"`
	Mails     int64  `json:"mails"`
}

// listUsage shows what the caller used in each month, the oldest first.
func (s *server) listUsage(w http.ResponseWriter, r *http.Request) error {
	in := parametersOf(r)
	page := in.newestFirst()
	if err := in.err(); err != nil {
		return err
	}
	found, err := s.Usage.CallersUsage(r.Context(), caller(r.Context()), oneMore(page))
	if err != nil {
		return err
	}
	return writePage(s, w, r, page, found, platen.MonthUsage.Position, monthUsage)
}

func monthUsage(u platen.MonthUsage) usageJSON {
	return usageJSON{platen.FormatMonth(u.Month), u.Documents, u.Pages, u.Bytes, u.Mails}
}
