package telemetry

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// A driveCall names a series of calls to the drive.
type driveCall struct{ operation, outcome string }

type driveSeries struct {
	calls prometheus.Counter
	took  prometheus.Observer
}

// DriveCalls counts the calls that a transport to the cloud drive carries.
func (m *Metrics) DriveCalls(next http.RoundTripper) http.RoundTripper {
	if m == nil {
		return next
	}
	return countedDrive{m, next}
}

type countedDrive struct {
	m    *Metrics
	next http.RoundTripper
}

func (c countedDrive) RoundTrip(r *http.Request) (*http.Response, error) {
	begun := time.Now()
	response, err := c.next.RoundTrip(r)
	outcome := "no_answer"
	if err == nil {
		outcome = strconv.Itoa(response.StatusCode)
		if response.StatusCode < 400 {
			outcome = "ok"
		}
	}
	s := c.m.driveSeries(driveCall{Operation(r.Method, r.URL.Path), outcome})
	s.calls.Inc()
	exemplify(s.took, sentTrace(r.Context()), time.Since(begun))
	return response, err
}

func (m *Metrics) driveSeries(call driveCall) driveSeries {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.drive[call]
	if !ok {
		s = driveSeries{
			m.counters["platen_drive_calls_total"].WithLabelValues(call.operation, call.outcome),
			m.histograms["platen_drive_call_duration_seconds"].WithLabelValues(call.operation),
		}
		m.drive[call] = s
	}
	return s
}

// Operation is Google's name of the method that a request to the drive calls, such as
// files.copy; "other" where there is none.
func Operation(method, path string) string {
	for _, prefix := range []string{"/resumable", "/upload", "/download"} {
		path = strings.TrimPrefix(path, prefix)
	}
	service, rest := "", ""
	for prefix, name := range map[string]string{"/drive/v3/files": "files", "/v1/documents": "documents", "/v1/presentations": "presentations", "/drive/v3/": "drive"} {
		if after, ok := strings.CutPrefix(path, prefix); ok && len(name) > 0 && (service == "" || service == "drive") {
			service, rest = name, strings.Trim(after, "/")
		}
	}
	parts := strings.Split(rest, "/")
	switch {
	case service == "":
		return "other"
	case service == "drive":
		switch parts[0] {
		case "about", "changes", "drives":
			return parts[0]
		}
		return "other"
	case strings.HasSuffix(rest, ":batchUpdate"):
		return service + ".batchUpdate"
	case rest == "" && method == http.MethodGet:
		return service + ".list"
	case rest == "":
		return service + ".create"
	case len(parts) > 1:
		switch parts[1] {
		case "copy", "export", "permissions", "pages":
			return service + "." + parts[1]
		}
		return "other"
	case rest == "generateIds":
		return service + ".generateIds"
	}
	switch method {
	case http.MethodGet:
		return service + ".get"
	case http.MethodPatch, http.MethodPut:
		return service + ".update"
	case http.MethodDelete:
		return service + ".delete"
	}
	return "other"
}
