package app

import (
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/maintenance"
	"github.com/platenhq/platen/internal/postgres"
)

func TestEachProgramHasItsMaintenanceJobs(t *testing.T) {
	t.Parallel()
	db := &postgres.DB{}
	for program, c := range map[string]struct {
		jobs []maintenance.Job
		want []string
	}{
		"serve":  {served{db: db}.jobs(), []string{"template sweep", "preview sweep", "key sweep"}},
		"worker": {workJobs(db, nil, nil, time.Hour), []string{"output sweep"}},
		"drive":  {driveJobs(&drive.Store{}), []string{"drive sweep"}},
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
