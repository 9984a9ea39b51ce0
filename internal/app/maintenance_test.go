package app

import (
	"slices"
	"testing"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/mail"
	"github.com/platenhq/platen/internal/maintenance"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/run"
)

func TestEachProgramHasItsMaintenanceJobs(t *testing.T) {
	t.Parallel()
	db := &postgres.DB{}
	server, err := mail.NewServer(mail.Options{URL: "smtp://mail.example.com", From: "platen@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	telling := config.Defaults[config.Work]()
	for program, c := range map[string]struct {
		jobs []maintenance.Job
		want []string
	}{
		"serve":                     {served{db: db}.jobs(), []string{"template sweep", "preview sweep", "key sweep", "audit sweep", "token warning"}},
		"worker":                    {workJobs(config.Work{}, run.New(db), nil, nil, nil, &activities.Mails{}, nil), []string{"output sweep", "folder sweep", "batch sweep", "usage", "reviews", "overdue targets", "schedules", "retention", "erasure"}},
		"worker with a mail server": {workJobs(telling, run.New(db), nil, nil, nil, &activities.Mails{Server: server}, nil), []string{"output sweep", "folder sweep", "batch sweep", "usage", "reviews", "overdue targets", "schedules", "retention", "erasure", "overdue mails", "notices"}},
		"drive":                     {driveJobs(&store.Store{}), []string{"drive sweep"}},
	} {
		var got []string
		for _, job := range c.jobs {
			got = append(got, job.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", program, got, c.want)
		}
	}
}
