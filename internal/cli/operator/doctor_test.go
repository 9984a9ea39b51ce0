package operator

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/doctor"
)

func TestDoctorFailsWhereSomethingKeepsTheServiceFromWorking(t *testing.T) {
	t.Parallel()
	c := doctorCommand{Doctor: config.Defaults[config.Doctor](), Limit: 5 * time.Second, JSON: true}
	c.DatabaseURL, c.TemporalAddress = emptyDatabase(t), "127.0.0.1:1"
	var out bytes.Buffer
	err := c.run(t.Context(), &out)
	if err == nil || !strings.HasPrefix(err.Error(), "doctor: ") || !strings.HasSuffix(err.Error(), " failures") {
		t.Errorf("got %v, want how many failures there are", err)
	}
	var report doctor.Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || report.Failures() < 2 || len(report.Settings) == 0 {
		t.Errorf("got %v and %s; want the failures of database and Temporal, and the settings", err, out.String())
	}
}

func TestDoctorKnowsTheVariablesOfAllCommands(t *testing.T) {
	t.Parallel()
	known, err := variables()
	if err != nil {
		t.Fatal(err)
	}
	for _, variable := range []string{"PLATEN_DATABASE_URL", "PLATEN_API", "PLATEN_DRIVE_LIKE", "PLATEN_DRIVE_CREDENTIAL", "PLATEN_DEV_TEMPORAL_DATABASE_URL"} {
		if !known(variable) {
			t.Errorf("%s would be said to be unknown", variable)
		}
	}
	if known("PLATEN_DATABASE_URI") {
		t.Error("a misspelt variable is known")
	}
}

func TestAnInterruptedDoctorSaysSo(t *testing.T) {
	t.Parallel()
	c := doctorCommand{Doctor: config.Defaults[config.Doctor](), Limit: 5 * time.Second}
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	if err := c.run(ctx, io.Discard); err == nil || err.Error() != "doctor: interrupted" {
		t.Errorf("got %v, want that it was interrupted", err)
	}
}

func TestDoctorRefusesWhatItCannotLookAt(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"doctor --folder x":      "--folder needs --user",
		"doctor --limit 0s":      "--limit",
		"doctor --program sevre": "sevre",
	} {
		if err := Run(t.Context(), strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("platen %s: got %v, want %q", args, err, want)
		}
	}
}
