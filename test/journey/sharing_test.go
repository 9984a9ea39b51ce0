package journey

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/platen"
)

// refusingToShare stands before the drive and refuses to share with a reason of
// Google's: the first so many times.
func refusingToShare(t *testing.T, drive, reason string, times int32) string {
	t.Helper()
	target, err := url.Parse(drive)
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	var refused atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/permissions") && refused.Add(1) <= times {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"error":{"code":403,"message":"No.","errors":[{"message":"No.","domain":"global","reason":"`+reason+`"}]}}`)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A drive that refuses by its policy refuses each time, one whose limit is used up only
// for a while.
func TestOutputsAreSharedBeforeTheirEventOrSayWhyNot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		likeGoogle bool
		reason     string
		times      int32
		sharing    string
		refused    bool
	}{
		"our drive":                       {sharing: "anyone"},
		"a drive like Google's":           {sharing: "anyone", likeGoogle: true},
		"after a limit of sharing":        {sharing: "anyone", likeGoogle: true, reason: "sharingRateLimitExceeded", times: 1},
		"against a policy":                {sharing: "anyone", reason: "publishOutNotPermitted", times: 1000, refused: true},
		"with a domain, on our own drive": {sharing: "domain", refused: true},
		"with a service account's domain": {sharing: "domain", likeGoogle: true, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := example(t, examples.Letter)
			o := options{likeGoogle: c.likeGoogle}
			if c.reason != "" {
				o.between = func(drive string) string { return refusingToShare(t, drive, c.reason, c.times) }
			}
			h := open(t, o)
			template, _ := h.uploadToFolder(t, e)
			w := h.createWorkflow(t, object{"name": "Papers"})
			h.addDocument(t, w, template, object{"outputName": "Paper", "createPdfCopy": true, "outputSharing": c.sharing})
			r := newReceiver(t)
			h.register(t, w, r)
			post(t, w.Source.WebhookURL, e.Event, http.StatusOK)
			got := r.next(t).event
			if got.Type != "DOCUMENTS_CREATED" || len(got.Data.Documents) != 2 {
				t.Fatalf("got %+v, want the PDF and its original", got)
			}
			for _, d := range got.Data.Documents {
				list, err := h.files.Permissions.List(d.ID).Fields("permissions(type,role)").Context(t.Context()).Do()
				if err != nil {
					t.Fatal(err)
				}
				readers := 0
				for _, p := range list.Permissions {
					if p.Type == "anyone" && p.Role == "reader" {
						readers++
					}
				}
				if want := map[bool]int{false: 1, true: 0}[c.refused]; readers != want {
					t.Errorf("%s: got %d permissions of anyone to read, want %d", d.Name, readers, want)
				}
			}
			h.finished(t, w.ID, platen.AutomationCompleted)
			var run struct {
				Outputs []struct{ Findings []struct{ Code string } }
			}
			h.call(t, http.MethodGet, "/workflows/"+w.ID+"/automations/"+got.Data.AutomationID+"/", nil, &run, http.StatusOK)
			refused := len(run.Outputs) == 1 && len(run.Outputs[0].Findings) == 1 && run.Outputs[0].Findings[0].Code == platen.CodeSharingRefused
			if refused != c.refused {
				t.Errorf("outputs %+v, want a finding of the refusal: %v", run.Outputs, c.refused)
			}
		})
	}
}
