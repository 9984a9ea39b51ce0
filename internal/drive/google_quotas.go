package drive

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/platenhq/platen/internal/drive/fault"
)

// A quota is one of Google's budgets for a minute, for one user and for a project:
// here all accounts of the drive. The numbers are those of
// https://developers.google.com/workspace/docs/api/limits, …/slides/api/limits and
// …/drive/api/guides/limits.
type quota struct {
	user, project int64
}

func quotaOf(c call) quota {
	switch {
	case c.service == driveService:
		return quota{user: 325_000, project: 1_000_000}
	case c.isWrite:
		return quota{user: 60, project: 600}
	case c.service == docsService:
		return quota{user: 300, project: 3_000}
	}
	return quota{user: 600, project: 3_000}
}

// unitsOfADay is Drive's budget of a project for a day.
const unitsOfADay = 400_000_000

// A meter counts what was used of the budgets. It is safe for concurrent use.
type meter struct {
	mu     sync.Mutex
	minute time.Time // that is counted
	used   map[usedBy]int64
	day    time.Time
	units  int64 // of the day
}

// usedBy says whose use of a budget is counted: a user's, or the project's where the
// user is empty.
type usedBy struct {
	service service
	isWrite bool
	user    string
}

// take counts a call, or says with which error Google refuses it. What is refused
// does not count.
func (g *googleLike) take(user string, c call) error {
	m, now, units := &g.meter, g.now(), int64(1)
	by := usedBy{service: c.service, isWrite: c.isWrite}
	if c.service == driveService {
		by.isWrite, units = false, c.units // one budget for all of them
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if minute := now.Truncate(time.Minute / g.speed); !minute.Equal(m.minute) || m.used == nil {
		m.minute, m.used = minute, map[usedBy]int64{}
	}
	if day := now.Truncate(24 * time.Hour / g.speed); !day.Equal(m.day) {
		m.day, m.units = day, 0
	}
	project, budget := by, quotaOf(c)
	by.user = user
	switch {
	case m.used[by]+units > budget.user:
		return quotaExceeded(c, budget.user, true)
	case m.used[project]+units > budget.project:
		return quotaExceeded(c, budget.project, false)
	case c.service == driveService && m.units+units > unitsOfADay:
		return usageLimit("dailyLimitExceeded", "Daily Limit Exceeded")
	}
	m.used[by] += units
	m.used[project] += units
	if c.service == driveService {
		m.units += units
	}
	return nil
}

// projectNumber is the project that every account of a drive like Google's is in.
const projectNumber = "1"

// quotaExceeded is how Google says that a budget is used up: Drive with a reason of the
// domain usageLimits, Docs and Slides with the details of google.rpc.ErrorInfo.
// Neither says when to come again.
func quotaExceeded(c call, limit int64, ofUser bool) error {
	if c.service == driveService {
		if ofUser {
			return usageLimit("userRateLimitExceeded", "User Rate Limit Exceeded. Rate of requests for user exceed configured project quota. "+
				"You may consider re-evaluating expected per-user traffic to the API and adjust project quota limits accordingly. "+
				"You may monitor aggregate quota usage and adjust limits in the API Console: https://console.developers.google.com/apis/api/drive.googleapis.com/quotas?project="+projectNumber)
		}
		return usageLimit("rateLimitExceeded", "Rate Limit Exceeded")
	}
	metric, name, words := "read_requests", "ReadRequestsPerMinutePer", "Read requests"
	if c.isWrite {
		metric, name, words = "write_requests", "WriteRequestsPerMinutePer", "Write requests"
	}
	per, unit := "Project", "1/min/{project}"
	limited := words + " per minute"
	if ofUser {
		per, unit, limited = "User", unit+"/{user}", limited+" per user"
	}
	host := string(c.service) + ".googleapis.com"
	return &fault.Error{
		Code: http.StatusTooManyRequests, Status: "RESOURCE_EXHAUSTED",
		Message: fmt.Sprintf("Quota exceeded for quota metric '%s' and limit '%s' of service '%s' for consumer 'project_number:%s'.", words, limited, host, projectNumber),
		Details: []any{
			map[string]any{
				"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "RATE_LIMIT_EXCEEDED", "domain": "googleapis.com",
				"metadata": map[string]any{
					"service": host, "consumer": "projects/" + projectNumber, "quota_location": "global",
					"quota_metric": host + "/" + metric, "quota_limit": name + per, "quota_limit_value": fmt.Sprint(limit), "quota_unit": unit,
				},
			},
			map[string]any{
				"@type": "type.googleapis.com/google.rpc.Help",
				"links": []any{map[string]any{"description": "Request a higher quota limit.", "url": "https://cloud.google.com/docs/quotas/help/request_increase"}},
			},
		},
	}
}

// usageLimit is an error of Drive about its budgets.
func usageLimit(reason, message string) *fault.Error {
	f := fault.Forbidden(reason, message)
	f.Domain = "usageLimits"
	return f
}
