package config_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/config"
)

func serve() config.Serve {
	return config.Serve{
		Log:            config.Log{LogLevel: "info", LogFormat: "json"},
		Database:       config.Database{DatabaseURL: "postgres://u:p@127.0.0.1/platen"},
		Secrets:        config.Secrets{SecretKeys: "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE"},
		Cloud:          config.Cloud{DriveKind: "google"},
		API:            "127.0.0.1:8080",
		Hooks:          "127.0.0.1:8081",
		HooksBodyLimit: "1048576",
		RateLimit:      "50", RateBurst: "200", StrangerLimit: "10", SourceRateLimit: "0",
	}
}

func TestEveryFaultIsReportedTogether(t *testing.T) {
	t.Parallel()
	c := serve()
	c.LogLevel = "loud"
	c.DatabaseURL = "mysql://root:hunter2@db/platen"
	c.SecretKeys = ""
	c.API = "8080"
	c.APIURL = "https://api.example.com"
	c.HooksURL = "ftp://hooks.example.com"
	c.HooksBodyLimit = "a lot"
	c.RateLimit, c.RateBurst, c.StrangerLimit, c.SourceRateLimit = "-1", "0", "few", "many"
	c.OAuthClientID, c.TimeZone = "id", "Mars/Olympus"
	_, err := c.Check()
	if err == nil {
		t.Fatal("got no error, want one that names every fault")
	}
	for _, flag := range []string{"log-level", "database-url", "secret-keys", "--api ", "api-url", "hooks-url", "hooks-body-limit", "--rate-limit", "--rate-burst", "--stranger-limit", "--source-rate-limit", "oauth-client-id", "--time-zone"} {
		if !strings.Contains(err.Error(), flag) {
			t.Errorf("the error does not name %s:\n%v", flag, err)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the error quotes the database password:\n%v", err)
	}
}

func TestABadKeyIsReportedBesideTheOthersAndNotQuoted(t *testing.T) {
	t.Parallel()
	c := serve()
	c.LogLevel, c.SecretKeys = "loud", "c2hvcnQ"
	_, err := c.Check()
	if err == nil || !strings.Contains(err.Error(), "2 fault(s)") || !strings.Contains(err.Error(), "--secret-keys (PLATEN_SECRET_KEYS): master key 1 of 1") {
		t.Errorf("got %v, want faults of the log level and of the key", err)
	}
	if err != nil && strings.Contains(err.Error(), "c2hvcnQ") {
		t.Errorf("the error quotes the key:\n%v", err)
	}
}

func TestAGoodConfigurationHasNoFault(t *testing.T) {
	t.Parallel()
	limits, err := serve().Check()
	if err != nil {
		t.Fatalf("got %v, want no fault", err)
	}
	if limits.HooksBodyLimit != 1<<20 || limits.Location.String() != "UTC" {
		t.Errorf("body limit and zone: got %d and %v, want %d and UTC", limits.HooksBodyLimit, limits.Location, 1<<20)
	}
	vienna := serve()
	vienna.TimeZone = "Europe/Vienna"
	if zoned, err := vienna.Check(); err != nil || zoned.Location.String() != "Europe/Vienna" {
		t.Errorf("zone of samples: got %v, %v; want Europe/Vienna", zoned.Location, err)
	}
	if limits.RateLimit != 50 || limits.RateBurst != 200 || limits.SourceRateLimit != 0 {
		t.Errorf("rates: got %+v", limits)
	}
}

func TestWorkReadsNetworksZonesAndWaits(t *testing.T) {
	t.Parallel()
	w := config.Work{
		Log: serve().Log, Database: serve().Database, Secrets: serve().Secrets, Cloud: serve().Cloud,
		Temporal: config.Temporal{TemporalAddress: "127.0.0.1:7233", TemporalNamespace: "default"},
		Queue:    "platen", MaxOpen: "10", MaxParked: "50", AllowPrivate: "127.0.0.0/8, ::1/128", TimeZone: "Europe/Vienna", RetrySchedule: "0s,50ms",
	}
	limits, err := w.Check()
	if err != nil {
		t.Fatal(err)
	}
	if len(limits.AllowPrivate) != 2 || len(limits.Schedule) != 2 || limits.Location.String() != "Europe/Vienna" || limits.Places != (platen.Places{Open: 10, OwnerOpen: 7, Parked: 50, OwnerParked: 100}) {
		t.Errorf("got %+v", limits)
	}
	w.MaxOpen = "auto"
	google, err := w.Check()
	w.DriveKind, w.DriveEndpoint = "platen", "http://127.0.0.1:8082"
	own, errOwn := w.Check()
	if err != nil || errOwn != nil || google.Places.Open != 64 || own.Places.Open != 6*runtime.GOMAXPROCS(0) {
		t.Errorf("open runs: got %d with Google and %d with a drive, %v %v; want 64, and 6 for each core", google.Places.Open, own.Places.Open, err, errOwn)
	}
	w.AllowPrivate, w.TimeZone, w.RetrySchedule = "10.0.0.1", "Mars/Olympus", "soon"
	if _, err = w.Check(); err == nil || strings.Count(err.Error(), "--") < 3 {
		t.Errorf("got %v, want three faults", err)
	}
}

func TestWorkReadsHowEndpointsAreTreated(t *testing.T) {
	t.Parallel()
	w := config.Work{
		Log: serve().Log, Database: serve().Database, Secrets: serve().Secrets, Cloud: serve().Cloud,
		Temporal: config.Temporal{TemporalAddress: "127.0.0.1:7233", TemporalNamespace: "default"},
		Queue:    "platen", MaxOpen: "10", TimeZone: "UTC",
	}
	limits, err := w.Check()
	if err != nil || limits.Endpoints != (config.EndpointLimits{}) {
		t.Errorf("without settings: got %+v, %v; want none", limits.Endpoints, err)
	}
	w.DeliveryTimeout, w.EndpointInFlight, w.EndpointFailures, w.EndpointRest, w.EndpointDisableAfter = "150ms", "2", "3", "600ms,36s", "72m"
	want := config.EndpointLimits{
		Timeout: 150 * time.Millisecond, InFlight: 2, Failures: 3,
		Rest: 600 * time.Millisecond, MaxRest: 36 * time.Second, DisableAfter: 72 * time.Minute,
	}
	if limits, err = w.Check(); err != nil || limits.Endpoints != want {
		t.Errorf("got %+v, %v; want %+v", limits.Endpoints, err, want)
	}
	w.DeliveryTimeout, w.EndpointInFlight, w.EndpointFailures, w.EndpointRest, w.EndpointDisableAfter = "16s", "0", "x", "1h,1m", "1h,2h"
	if _, err = w.Check(); err == nil || strings.Count(err.Error(), "--") != 5 {
		t.Errorf("got %v, want five faults", err)
	}
}

func TestTheExampleOfAnAddressIsTheDefaultOfItsFlag(t *testing.T) {
	t.Parallel()
	c := serve()
	c.API, c.Hooks = "8080", "nowhere"
	_, err := c.Check()
	for _, want := range []string{`--api (PLATEN_API): "8080" is not host:port, such as 127.0.0.1:8080`, `--hooks (PLATEN_HOOKS): "nowhere" is not host:port, such as 127.0.0.1:8081`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestSettingsOfTheProgramForOneMachineAreCheckedBeforeItStarts(t *testing.T) {
	t.Parallel()
	err := config.Dev{Log: config.Log{LogLevel: "loud", LogFormat: "json"}, RetrySchedule: "soon"}.Check()
	for _, want := range []string{"--log-level (PLATEN_LOG_LEVEL)", "--retry-schedule (PLATEN_DEV_RETRY_SCHEDULE)"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if err := (config.Dev{Log: serve().Log}).Check(); err != nil {
		t.Errorf("got %v of good settings", err)
	}
}

func TestWhatMakesPDFsIsKnown(t *testing.T) {
	t.Parallel()
	d := config.DriveServer{Log: serve().Log, Database: serve().Database, Start: config.Start{StartWait: "1s"}, Drive: "127.0.0.1:8082"}
	for _, c := range []struct{ exporter, soffice, fault string }{
		{"", "", ""}, {"own", "", ""}, {"libreoffice", "", ""}, {"libreoffice", "/opt/soffice", ""},
		{"word", "", `--drive-exporter (PLATEN_DRIVE_EXPORTER): "word" is not one of own, libreoffice`},
		{"own", "/opt/soffice", "--drive-soffice (PLATEN_DRIVE_SOFFICE): it goes together with --drive-exporter libreoffice"},
	} {
		d.Exporter, d.Soffice = c.exporter, c.soffice
		_, err := d.Check()
		if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%q with soffice %q: got %v, want %q", c.exporter, c.soffice, err, c.fault)
		}
	}
}
