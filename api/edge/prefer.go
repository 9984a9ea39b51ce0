package edge

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// MaxWait is how long a request may wait for its answer at most: proxies commonly give up
// after a minute.
const MaxWait = 50 * time.Second

// PreferredWait reads how long a request prefers to wait (Prefer: wait, RFC 7240, section
// 4.3), MaxWait at most. The first wait of a request counts. Not asked: there is none that
// can be read, which RFC 7240 (section 2) has ignored.
func PreferredWait(h http.Header) (wait time.Duration, asked bool) {
	for _, field := range h.Values("Prefer") {
		for preference := range strings.SplitSeq(field, ",") {
			preference, _, _ = strings.Cut(preference, ";")
			name, value, _ := strings.Cut(preference, "=")
			if !strings.EqualFold(strings.TrimSpace(name), "wait") {
				continue
			}
			value = strings.TrimSpace(value)
			if len(value) > 1 && value[0] == '"' && value[len(value)-1] == '"' {
				value = value[1 : len(value)-1]
			}
			if value == "" || strings.Trim(value, "0123456789") != "" {
				return 0, false
			}
			seconds, err := strconv.Atoi(value)
			if err != nil { // more than fit
				return MaxWait, true
			}
			return min(time.Duration(min(seconds, 3600))*time.Second, MaxWait), true
		}
	}
	return 0, false
}

// answerTime is how long an answer may take to be read and written after a wait.
const answerTime = 20 * time.Second

// Wait prepares a request for an answer that comes so late: its body counts for the budget
// no longer, and its deadlines are those of the late answer. Nothing of the body may be
// held meanwhile.
func Wait(w http.ResponseWriter, r *http.Request, most time.Duration) {
	notesOf(r.Context()).holding.Release()
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Time{}) // not every writer has deadlines
	_ = c.SetWriteDeadline(time.Now().Add(most + answerTime))
}
