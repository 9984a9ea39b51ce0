package workflows_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	enums "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
)

// A shownStep is a step as Temporal's UI shows it: as the row of an activity,
// or as that of a marker of a local activity.
type shownStep struct {
	name, summary string
	local         bool
}

// shown reads the steps as the UI does. Of a scheduled activity it shows the
// type; of a marker called LocalActivity the ActivityType in the first payload
// of its detail "data"; beside both the summary in the event's user metadata.
func shown(t *testing.T, history *historypb.History) []shownStep {
	t.Helper()
	var all []shownStep
	for _, e := range history.Events {
		var s shownStep
		switch e.GetEventType() {
		case enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
			s.name = e.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName()
		case enums.EVENT_TYPE_MARKER_RECORDED:
			marker := e.GetMarkerRecordedEventAttributes()
			if marker.GetMarkerName() != "LocalActivity" {
				continue
			}
			var data struct{ ActivityType string }
			payload(t, marker.GetDetails()["data"].GetPayloads()[0].GetData(), &data)
			s.name, s.local = data.ActivityType, true
		default:
			continue
		}
		if summary := e.GetUserMetadata().GetSummary(); summary != nil {
			payload(t, summary.GetData(), &s.summary)
		}
		all = append(all, s)
	}
	return all
}

func payload(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("payload %s: %v", data, err)
	}
}

// summaries are what operators read beside each step's name.
var summaries = map[string]*regexp.Regexp{
	"LoadPlan":         regexp.MustCompile(`^load the plan$`),
	"CopyTemplate":     regexp.MustCompile(`^copy the template · doc_\d$`),
	"FillTags":         regexp.MustCompile(`^fill the tags · doc_\d$`),
	"FillAppendices":   regexp.MustCompile(`^fill what is appended · doc_\d$`),
	"MakePDF":          regexp.MustCompile(`^make the PDF · doc_\d$`),
	"RemoveOriginal":   regexp.MustCompile(`^remove the original · doc_\d$`),
	"RecordOutput":     regexp.MustCompile(`^record the output · doc_\d$`),
	"RecordFailure":    regexp.MustCompile(`^record the failure · doc_\d$`),
	"SendEvent":        regexp.MustCompile(`^deliver the event, attempt \d+( · doc_\d)?$`),
	"AskEndpoint":      regexp.MustCompile(`^ask the endpoint for attempt \d+$`),
	"TrashLeftovers":   regexp.MustCompile(`^remove what is left over · doc_\d$`),
	"GatherOutputs":    regexp.MustCompile(`^gather what the mail brings · doc_\d$`),
	"SendMail":         regexp.MustCompile(`^send the mail( · doc_\d)?$`),
	"GiveUpMail":       regexp.MustCompile(`^give the mail up$`),
	"ReleaseOutput":    regexp.MustCompile(`^release what was approved · doc_\d$`),
	"TendReview":       regexp.MustCompile(`^look after the review$`),
	"HoldCancelled":    regexp.MustCompile(`^hold the event: its delivery was cancelled$`),
	"FinishAutomation": regexp.MustCompile(`^record the outcome$`),
	"FailAutomation":   regexp.MustCompile(`^record the outcome$`),
}

func TestEveryStepHasANameAndASummaryInTheUI(t *testing.T) {
	t.Parallel()
	for name, history := range recorded(t) {
		local, regular := 0, 0
		for _, s := range shown(t, history) {
			if want, ok := summaries[s.name]; !ok || !want.MatchString(s.summary) {
				t.Errorf("%s: step %q has the summary %q, want %v", name, s.name, s.summary, want)
			}
			if s.local {
				local++
			} else {
				regular++
			}
		}
		if strings.HasPrefix(name, "run-") && local == 0 || strings.HasPrefix(name, "deliver-") && !strings.HasPrefix(name, "deliver-cancelled") && regular == 0 {
			t.Errorf("%s: %d steps are local and %d regular: this looks in the wrong places", name, local, regular)
		}
	}
}

// courses are the steps of each document, tries that were repeated once only,
// and "" those of the run as a whole.
var courses = map[string]map[string]string{
	"run-with-everything":               {"": whole, "doc_1": made + " RemoveOriginal" + told},
	"run-without-pdf":                   {"": whole, "doc_1": "CopyTemplate FillTags" + told},
	"run-without-webhook":               {"": whole, "doc_1": made + " RemoveOriginal RecordOutput"},
	"run-two-documents":                 {"": whole, "doc_1": made + " RemoveOriginal" + told, "doc_2": "CopyTemplate FillTags" + told},
	"run-to-receivers":                  {"": whole, "doc_1": "CopyTemplate FillTags" + told},
	"run-missing-field":                 {"": whole, "doc_1": "CopyTemplate FillTags" + told},
	"run-document-failed":               {"": whole, "doc_1": made + " RemoveOriginal" + told, "doc_2": "CopyTemplate" + failed},
	"run-step-retried":                  {"": whole, "doc_1": made + " RemoveOriginal" + told + " TrashLeftovers"},
	"run-failed-before-retry":           {"": whole, "doc_1": made + " RemoveOriginal" + told, "doc_2": "CopyTemplate" + failed},
	"run-retried":                       {"": whole, "doc_1": "RecordOutput SendEvent", "doc_2": made + " RemoveOriginal" + told + " TrashLeftovers"},
	"run-forgotten":                     {"": "LoadPlan", "doc_1": "CopyTemplate FillTags"},
	"run-without-template":              {"": "LoadPlan FailAutomation"},
	"run-first-delivery-failed":         {"": whole, "doc_1": made + " RemoveOriginal" + told},
	"run-cancelled-before-copy":         {"": whole, "doc_1": "CopyTemplate" + failed},
	"run-cancelled-during-copy":         {"": whole, "doc_1": "CopyTemplate" + failed},
	"run-cancelled-between-documents":   {"": whole, "doc_1": made + told, "doc_2": "CopyTemplate" + failed},
	"run-cancelled-while-a-retry-waits": {"": whole, "doc_1": "CopyTemplate FillTags" + failed},
	"run-cancelled-during-delivery":     {"": whole, "doc_1": made + " RemoveOriginal" + told},
	"run-mailed":                        {"": whole, "doc_1": made + " RecordOutput SendMail"},
	"run-mailed-together":               {"": whole, "doc_1": made + " RecordOutput GatherOutputs SendMail", "doc_2": made + " RecordOutput"},
	"run-appended":                      {"": whole, "doc_1": "CopyTemplate FillTags FillAppendices MakePDF RemoveOriginal" + told},
	"run-first-mail-failed":             {"": whole, "doc_1": made + " RecordOutput SendMail"},
	"mail-after-a-retry":                {"": "SendMail"},
	"run-in-review":                     {"": whole, "doc_1": made + " RemoveOriginal RecordOutput"},
	"run-approved":                      {"": whole, "doc_1": "ReleaseOutput" + told},
	"review-decided":                    {"": "TendReview"},
	"deliver-after-retries":             {"": "2 3 4"},
	"deliver-given-up":                  {"": "2 3 4 5 6 7 8 9 10"},
	"deliver-again":                     {"": "11"},
	"deliver-after-a-rest":              {"": "2 3"},
	"deliver-cancelled":                 {"": "HoldCancelled"},
}

const (
	whole  = "LoadPlan FinishAutomation"
	made   = "CopyTemplate FillTags MakePDF"
	told   = " RecordOutput SendEvent"
	failed = " RecordFailure SendEvent TrashLeftovers"
)

func TestOperatorsReadTheCourseOfEachDocument(t *testing.T) {
	t.Parallel()
	all := recorded(t)
	for name, want := range courses {
		if all[name] == nil {
			t.Errorf("no history %s", name)
			continue
		}
		steps := map[string][]string{}
		for _, s := range shown(t, all[name]) {
			what, document, _ := strings.Cut(s.summary, " · ")
			step := s.name
			if attempt, ok := strings.CutPrefix(what, "deliver the event, attempt "); ok && document == "" {
				step = attempt
			}
			if s.name == "AskEndpoint" {
				continue // how often an endpoint has no place is a matter of moments
			}
			if of := steps[document]; len(of) == 0 || of[len(of)-1] != step {
				steps[document] = append(of, step)
			}
		}
		got := map[string]string{}
		for document, of := range steps {
			got[document] = strings.Join(of, " ")
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, want)
		}
	}
}

// canary is in every value and password of the recorded runs.
const canary = "canary"

// Histories go into the repository and stay in Temporal: nothing personal or
// secret may be in them, nor what tells of the machine that recorded them.
func TestHistoriesHoldNoDataNoSecretsAndNoMachine(t *testing.T) {
	t.Parallel()
	forbidden := []string{canary, "letter", "whsec_", "bearer", "://", "/tmp/", "/home/", "/root/", "127.0.0.1", "localhost", "@"}
	anUUID := regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("histories: got %q, %v", paths, err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ToLower(string(raw))
		for _, word := range regexp.MustCompile(`"[A-Za-z0-9+/]{8,}={0,2}"`).FindAllString(string(raw), -1) {
			if hidden, err := base64.StdEncoding.DecodeString(strings.Trim(word, `"`)); err == nil {
				text += "\n" + strings.ToLower(string(hidden))
			}
		}
		for _, word := range forbidden {
			if i := strings.Index(text, word); i >= 0 {
				t.Errorf("%s holds %q: …%q…", path, word, text[max(0, i-80):min(len(text), i+80)])
			}
		}
		for _, id := range anUUID.FindAllString(text, -1) {
			if !strings.HasPrefix(id, "00000000-") {
				t.Errorf("%s holds the id %s of one run: record it with `make histories`", path, id)
			}
		}
	}
}

func TestTheOutcomeIsAnAttributeOfRunsButOfThoseThatCompleted(t *testing.T) {
	t.Parallel()
	all := recorded(t)
	for name, want := range map[string]int{"run-with-everything": 0, "run-document-failed": 1} {
		got := 0
		for _, e := range all[name].Events {
			if e.GetEventType() == enums.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES {
				got++
			}
		}
		if got != want {
			t.Errorf("%s: got %d events that set attributes, want %d", name, got, want)
		}
	}
}
