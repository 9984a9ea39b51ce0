package app

import (
	"testing"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/quota"
)

// Where nothing is counted, no statement is made.
func TestOurOwnDriveHasNoQuotasUnlessTheyAreGiven(t *testing.T) {
	t.Parallel()
	own, google := config.Cloud{DriveEndpoint: "http://127.0.0.1:8082"}, config.Cloud{DriveKind: platen.DriveGoogle}
	given := config.GoogleQuotas{DocsWrites: config.Of(config.Quota{Account: 6, Project: 60})}
	if got := quotas(own, config.GoogleQuotas{}); got != (platen.Quotas{}) {
		t.Errorf("our own drive: got %v, want none", got)
	}
	want := platen.Quotas{Account: platen.Usage{platen.DocsWrites: 6}, Project: platen.Usage{platen.DocsWrites: 60}}
	if got := quotas(own, given); got != want {
		t.Errorf("our own drive with a setting: got %v, want that one alone: %v", got, want)
	}
	if got := quotas(google, config.GoogleQuotas{}); got != quota.OfGoogle() {
		t.Errorf("Google: got %v, want %v", got, quota.OfGoogle())
	}
}
