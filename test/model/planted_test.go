package model

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit"
)

// plantedVariable is a regular expression of the names of bugs that are planted.
const plantedVariable = "PLATEN_MODEL_PLANTED"

// A plant is a bug that the model notices within its short form.
type plant struct {
	name  string
	edits []edit
}

// An edit puts one text of a file in place of another.
type edit struct{ file, old, new string }

func plants() []plant {
	const approvals, reviews = "../../internal/platen/approval.go", stores + "/review_answers.go"
	const receivers, rules, events = stores + "/receivers.go", "../../internal/platen/receiver.go", stores + "/events.go"
	return []plant{
		{"an answer counts twice", []edit{
			{approvals, "	case before != nil && before.Approves == a.Approves:\n		return false, nil\n	case before != nil:\n", "	case before != nil && before.Approves != a.Approves:\n"},
			{approvals, "	case !slices.ContainsFunc(r.Waiting(a.At), ", "	case before == nil && !slices.ContainsFunc(r.Waiting(a.At), "},
			{reviews, "VALUES (@id, @round, @place, @approves, @detail, @user)", "VALUES (@id, @round, @place, @approves, @detail, @user) ON CONFLICT (output_id, round, place) DO NOTHING"},
		}},
		{"one approval is enough", []edit{{approvals, "case approvals >= r.Needed():", "case approvals >= 1:"}}},
		{"an answer to another round counts", []edit{{reviews, "case round != 0 && round != p.Round:", "case round < 0:"}}},
		{"what is corrected keeps its approvals", []edit{{reviews, "v.output_id, v.round, v.place,", "v.output_id, (SELECT max(round) FROM reviews WHERE output_id = v.output_id) AS round, v.place,"}}},
		{"receivers get events of each type", []edit{{rules, "if !slices.Contains(r.Events, e.Type) {", "if slices.Contains(r.Events, \"\") {"}}},
		{"receivers get what no condition was worked out for", []edit{{rules, "own.State = EventPending; r.Faulty {", "own.State = EventPending; r.Faulty && r.When == \"\" {"}}},
		{"a workflow has one receiver more", []edit{{receivers, "n >= platen.MaxReceivers", "n > platen.MaxReceivers"}}},
		{"the recovery for one receiver takes the events of all", []edit{{events, `if !of.test && of.receiverID == "" {`, "if !of.test {"}}},
		{"a redelivery asks nothing of its receiver", []edit{{events, "return destination{test: r.Test, receiverID: r.ReceiverID}, err", "return destination{test: r.Test}, err"}}},
	}
}

// planted are the files of a plant with its bug in them.
func (p plant) planted(t *testing.T) map[string]string {
	t.Helper()
	contents := map[string]string{}
	for _, e := range p.edits {
		content, known := contents[e.file]
		if !known {
			raw, err := os.ReadFile(e.file)
			if err != nil {
				t.Fatal(err)
			}
			content = string(raw)
		}
		if got := strings.Count(content, e.old); got != 1 {
			t.Errorf("%s: %s has its place %d times, want once", p.name, filepath.Base(e.file), got)
		}
		contents[e.file] = strings.Replace(content, e.old, e.new, 1)
	}
	return contents
}

// TestPlantedBugsHaveTheirPlaces: a bug that cannot be planted any more proves nothing.
func TestPlantedBugsHaveTheirPlaces(t *testing.T) {
	t.Parallel()
	for _, p := range plants() {
		p.planted(t)
	}
}

// TestPlantedBugsAreNoticed builds the model with one bug after the other and sees it fail.
func TestPlantedBugsAreNoticed(t *testing.T) {
	only := os.Getenv(plantedVariable)
	if only == "" {
		t.Skip("takes a minute for each bug: make model PLANTED=.")
	}
	testkit.Running(t)
	chosen, err := regexp.Compile(only)
	if err != nil {
		t.Fatalf("%s: %v", plantedVariable, err)
	}
	for _, p := range plants() {
		if !chosen.MatchString(p.name) {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			said, failed := play(t, build(t, p.planted(t)), "on")
			if !failed {
				t.Fatalf("the model did not notice it:\n%.2000s", said)
			}
			t.Log(regexp.MustCompile(`step \d+ failed first`).FindString(said))
		})
	}
}
