package config_test

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/quota"
)

// parse reads flags as the programs do.
func parse[T any](t *testing.T, flags ...string) (c T) {
	t.Helper()
	parser, err := kong.New(&c, kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(flags); err != nil {
		t.Fatalf("the parser refuses %q alone: %v", flags, err)
	}
	return c
}

// needed are the settings that have no default.
func needed() []string {
	return []string{"--database-url=postgres://u:p@127.0.0.1/platen", "--secret-keys=MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE", "--drive-kind=google"}
}

// serve has the settings that are needed, and others.
func serve(t *testing.T, flags ...string) config.Serve {
	t.Helper()
	return parse[config.Serve](t, append(needed(), flags...)...)
}

// work has the settings that are needed, and others.
func work(t *testing.T, flags ...string) config.Work {
	t.Helper()
	return parse[config.Work](t, append(needed(), flags...)...)
}

func TestEveryFaultIsReportedTogether(t *testing.T) {
	t.Parallel()
	err := serve(t, "--log-level=loud", "--database-url=mysql://root:hunter2@db/platen", "--secret-keys=",
		"--api=8080", "--api-url=https://api.example.com", "--hooks-url=ftp://hooks.example.com", "--hooks-body-limit=a lot",
		"--rate-limit=-1", "--rate-burst=0", "--unauthenticated-limit=few", "--source-rate-limit=many",
		"--oauth-client-id=id", "--time-zone=Mars/Olympus").Check()
	if err == nil {
		t.Fatal("got no error, want one that names every fault")
	}
	for _, flag := range []string{"log-level", "database-url", "secret-keys", "--api ", "api-url", "hooks-url", "hooks-body-limit", "--rate-limit", "--rate-burst", "--unauthenticated-limit", "--source-rate-limit", "oauth-client-id", "--time-zone"} {
		if !strings.Contains(err.Error(), flag) {
			t.Errorf("the error does not name %s:\n%v", flag, err)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the error quotes the database password:\n%v", err)
	}
}

func TestEachSettingOfEachProgramIsChecked(t *testing.T) {
	t.Parallel()
	everywhere := []string{"--log-level=loud", "--log-format=xml", "--start-wait=soon", "--start-wait=-1s", "--database-url=", "--database-url=mysql://db", "--allow-unsafe-durability=maybe"}
	service := []string{"--secret-keys=", "--google-quota-docs-writes=60", "--google-quota-docs-writes=0,600", "--google-quota-docs-reads=2,3000", "--google-quota-slides-writes=60,59",
		"--google-quota-slides-reads=few,many", "--google-quota-drive-units=499,1000000", "--drive-kind=dropbox", "--oauth-client-id=id", "--drive-url=ftp://drive", "--hooks-url=hooks", "--api-url=https://api.example.com",
		"--allow-private=127.0.0.0/8,10.0.0.1", "--time-zone=Mars/Olympus"}
	alone := map[string]struct {
		check func(*testing.T, string) error
		flags []string
	}{
		"migrate": {func(t *testing.T, flag string) error { return parse[config.Migrate](t, needed()[0], flag).Check() }, nil},
		"serve": {func(t *testing.T, flag string) error { return serve(t, flag).Check() }, append(service,
			"--api=8080", "--api=:8080", "--hooks=nowhere", "--hooks=[::]:8081", "--temporal-ui-url=ui", "--hooks-body-limit=1023", "--hooks-body-limit=33554433",
			"--rate-limit=-1", "--rate-limit=1000001", "--rate-burst=0", "--rate-burst=1000001", "--unauthenticated-limit=-1", "--unauthenticated-limit=100001",
			"--source-rate-limit=-1", "--source-rate-limit=1000001")},
		"worker": {func(t *testing.T, flag string) error { return work(t, flag).Check() }, append(service,
			"--temporal-address=temporal", "--temporal-address=temporal:70000", "--temporal-namespace=", "--temporal-tls=maybe",
			"--pictures-url=https://api.example.com", "--queue=", "--queue=a.b", "--queue=__a", "--build-id=__1", "--promotion=never", "--sweep-after=later",
			"--max-open=0", "--max-parked=0", "--max-parked=1000001", "--max-parked-per-owner=0", "--max-parked-per-owner=1000001", "--retry-schedule=0s,soon", "--retry-schedule=-1s",
			"--delivery-timeout=9ms", "--delivery-timeout=16s", "--delivery-timeout=soon", "--delivery-timeout=1s,2s", "--endpoint-in-flight=0", "--endpoint-max-in-flight=1001", "--endpoint-in-flight=1001", "--endpoint-failures=0",
			"--endpoint-failures=1001", "--endpoint-rest=1h", "--endpoint-rest=0s,1h", "--endpoint-rest=1h,1m", "--endpoint-rest=1h,25h", "--endpoint-rest=1s,soon",
			"--retention-data=-1h", "--retention-data=soon", "--retention-outputs=100h", "--retention-outputs=forever", "--retention-outputs=2159h",
			"--endpoint-disable-after=999ms", "--endpoint-disable-after=9000h")},
		"drive": {func(t *testing.T, flag string) error { return parse[config.DriveServer](t, needed()[0], flag).Check() }, []string{
			"--drive=8082", "--drive=:8082", "--drive-url=drive", "--drive-at-once=-1", "--drive-at-once=few", "--drive-rate-limit=1000001", "--drive-exporter=word", "--drive-soffice=/opt/soffice", "--drive-like=dropbox", "--drive-like-speed=0", "--drive-like-speed=1001", "--drive-like-speed=fast"}},
	}
	for program, c := range alone {
		for _, flag := range append(everywhere, c.flags...) {
			name, _, _ := strings.Cut(flag, "=")
			err := c.check(t, flag)
			if err == nil || !strings.Contains(err.Error(), " 1 fault(s)") || !strings.Contains(err.Error(), name) {
				t.Errorf("%s %s: got %v, want a fault of this setting alone", program, flag, err)
			}
		}
	}
}

func TestABadKeyIsReportedBesideTheOthersAndNotQuoted(t *testing.T) {
	t.Parallel()
	err := serve(t, "--log-level=loud", "--secret-keys=c2hvcnQ").Check()
	if err == nil || !strings.Contains(err.Error(), "2 fault(s)") || !strings.Contains(err.Error(), "--secret-keys (PLATEN_SECRET_KEYS): master key 1 of 1") {
		t.Errorf("got %v, want faults of the log level and of the key", err)
	}
	if err != nil && strings.Contains(err.Error(), "c2hvcnQ") {
		t.Errorf("the error quotes the key:\n%v", err)
	}
}

func TestAGoodConfigurationHasNoFault(t *testing.T) {
	t.Parallel()
	c := serve(t)
	if err := c.Check(); err != nil {
		t.Fatalf("got %v, want no fault", err)
	}
	if c.HooksBodyLimit.Value() != 1<<20 || c.Location().String() != "UTC" {
		t.Errorf("body limit and zone: got %d and %v, want %d and UTC", c.HooksBodyLimit.Value(), c.Location(), 1<<20)
	}
	vienna := serve(t, "--time-zone=Europe/Vienna")
	if err := vienna.Check(); err != nil || vienna.Location().String() != "Europe/Vienna" {
		t.Errorf("zone of samples: got %v, %v; want Europe/Vienna", vienna.Location(), err)
	}
	if c.RateLimit.Value() != 50 || c.RateBurst.Value() != 200 || c.SourceRateLimit.Value() != 0 {
		t.Errorf("rates: got %v, %v and %v", c.RateLimit, c.RateBurst, c.SourceRateLimit)
	}
}

func TestWorkReadsNetworksZonesAndWaits(t *testing.T) {
	t.Parallel()
	w := work(t, "--max-open=10", "--max-parked=50", "--allow-private=127.0.0.0/8, ::1/128", "--time-zone=Europe/Vienna", "--retry-schedule=0s,50ms")
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	networks := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	if !slices.Equal(w.AllowPrivate.Value(), networks) || !slices.Equal(w.RetrySchedule.Value(), []time.Duration{0, 50 * time.Millisecond}) ||
		w.Location().String() != "Europe/Vienna" || w.Places() != (platen.Places{Open: 10, OwnerOpen: 7, Parked: 50, OwnerParked: 100}) {
		t.Errorf("got %v, %v, %v and %+v", w.AllowPrivate, w.RetrySchedule, w.TimeZone, w.Places())
	}
	google, own := work(t, "--max-open=auto"), work(t, "--drive-kind=platen", "--drive-endpoint=http://127.0.0.1:8082")
	if err := errors.Join(google.Check(), own.Check()); err != nil || google.Carries() != 64 || own.Carries() != 6*runtime.GOMAXPROCS(0) {
		t.Errorf("open runs of this worker: got %d with Google and %d with a drive, %v; want 64, and 6 for each core", google.Carries(), own.Carries(), err)
	}
	if google.Places().Open != 64 || own.Places().Open != 0 {
		t.Errorf("the ceiling over all workers: got %d with Google and %d with a drive, want 64 and none", google.Places().Open, own.Places().Open)
	}
	if got := work(t, "--worker-open=20", "--max-open=10"); got.Carries() != 20 || got.Places().Open != 10 {
		t.Errorf("by settings: got %d for this worker and %d over all, want 20 and 10", got.Carries(), got.Places().Open)
	}
	if err := work(t, "--allow-private=10.0.0.1", "--time-zone=Mars/Olympus", "--retry-schedule=0s,soon").Check(); err == nil || strings.Count(err.Error(), "--") != 3 {
		t.Errorf("got %v, want three faults", err)
	}
}

func TestOpenRunsAreAutoOrANumber(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "0", "-1", "100001", "many", "AUTO"} {
		err := work(t, "--max-open="+text, "--worker-open="+text).Check()
		for _, flag := range []string{"--max-open (PLATEN_MAX_OPEN)", "--worker-open (PLATEN_WORKER_OPEN)"} {
			if want := fmt.Sprintf("%s: %q is not a whole number from 1 to 100000", flag, text); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: got %v, want %s", text, err, want)
			}
		}
	}
}

// Deployments pass variables on that may be empty.
func TestAnEmptySettingIsItsDefaultWhereTheProductHasIt(t *testing.T) {
	t.Parallel()
	w := work(t, "--max-parked=", "--max-parked-per-owner=", "--retry-schedule=", "--delivery-timeout=", "--endpoint-in-flight=", "--endpoint-failures=",
		"--endpoint-rest=", "--endpoint-disable-after=", "--allow-private=", "--sweep-after=", "--start-wait=", "--time-zone=", "--temporal-tls=", "--allow-unsafe-durability=")
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	if w.Endpoints() != (config.EndpointLimits{}) || w.RetrySchedule.Value() != nil || w.AllowPrivate.Value() != nil || w.Location() != time.UTC || w.TemporalTLS.Value() {
		t.Errorf("got %+v", w)
	}
	if p := w.Places(); p.Parked != platen.DefaultParked || p.OwnerParked != platen.DefaultOwnerParked {
		t.Errorf("got %+v, want the default", p)
	}
	if err := serve(t, "--rate-limit=", "--hooks-body-limit=").Check(); err == nil || !strings.Contains(err.Error(), `--rate-limit (PLATEN_RATE_LIMIT): "" is not a whole number`) || !strings.Contains(err.Error(), "2 fault(s)") {
		t.Errorf("got %v, want faults of limits that are empty", err)
	}
}

func TestDefaultsLeaveTheEnvironmentOut(t *testing.T) {
	t.Setenv("PLATEN_RATE_LIMIT", "7")
	if got := config.Defaults[config.Serve]().RateLimit.Value(); got != 50 {
		t.Errorf("got %d, want 50", got)
	}
	if got := parse[config.Serve](t).RateLimit.Value(); got != 7 {
		t.Errorf("read by a program: got %d, want 7", got)
	}
}

// What a package of the product has as its default, help names.
func TestHelpNamesTheDefaultsOfTheProduct(t *testing.T) {
	t.Parallel()
	breaker := delivery.Breaker{}.WithDefaults()
	for field, want := range map[string]string{
		"MaxParked":            fmt.Sprintf("Default: %d.", platen.DefaultParked),
		"OwnerParked":          fmt.Sprintf("Default: %d.", platen.DefaultOwnerParked),
		"DeliveryTimeout":      fmt.Sprintf("Default: %.0fs.", outgoing.DefaultTimeout.Seconds()),
		"EndpointInFlight":     fmt.Sprintf("Default: %d.", breaker.InFlight),
		"EndpointMaxInFlight":  fmt.Sprintf("Default: %d.", breaker.MaxInFlight),
		"EndpointFailures":     fmt.Sprintf("Default: %d.", breaker.Failures),
		"EndpointRest":         fmt.Sprintf("Default: %.0fm,%.0fh.", breaker.CoolDown.Minutes(), breaker.MaxCoolDown.Hours()),
		"EndpointDisableAfter": fmt.Sprintf("Default: %.0fh,", breaker.DisableAfter.Hours()),
	} {
		f, ok := reflect.TypeFor[config.Work]().FieldByName(field)
		if !ok || !strings.Contains(f.Tag.Get("help"), want) {
			t.Errorf("%s: got %q, want %q in it", field, f.Tag.Get("help"), want)
		}
	}
}

func TestWorkReadsHowEndpointsAreTreated(t *testing.T) {
	t.Parallel()
	w := work(t)
	if err := w.Check(); err != nil || w.Endpoints() != (config.EndpointLimits{}) {
		t.Errorf("without settings: got %+v, %v; want none", w.Endpoints(), err)
	}
	w = work(t, "--delivery-timeout=150ms", "--endpoint-in-flight=2", "--endpoint-max-in-flight=16", "--endpoint-failures=3", "--endpoint-rest=600ms,36s", "--endpoint-disable-after=72m")
	want := config.EndpointLimits{
		Timeout: 150 * time.Millisecond, InFlight: 2, MaxInFlight: 16, Failures: 3,
		Rest: 600 * time.Millisecond, MaxRest: 36 * time.Second, DisableAfter: 72 * time.Minute,
	}
	if err := w.Check(); err != nil || w.Endpoints() != want {
		t.Errorf("got %+v, %v; want %+v", w.Endpoints(), err, want)
	}
	err := work(t, "--delivery-timeout=16s", "--endpoint-in-flight=0", "--endpoint-max-in-flight=1001", "--endpoint-failures=x", "--endpoint-rest=1h,1m", "--endpoint-disable-after=1h,2h").Check()
	for _, want := range []string{
		`--delivery-timeout (PLATEN_DELIVERY_TIMEOUT): "16s" is not a time, from 10ms to 15s`,
		`--endpoint-in-flight (PLATEN_ENDPOINT_IN_FLIGHT): "0" is not a whole number from 1 to 1000`,
		`--endpoint-max-in-flight (PLATEN_ENDPOINT_MAX_IN_FLIGHT): "1001" is not a whole number from 1 to 1000`,
		`--endpoint-failures (PLATEN_ENDPOINT_FAILURES): "x" is not a whole number from 1 to 1000`,
		`--endpoint-rest (PLATEN_ENDPOINT_REST): "1h,1m" is not the first cool-down and the longest, from 1ms to 24h0m0s`,
		`--endpoint-disable-after (PLATEN_ENDPOINT_DISABLE_AFTER): "1h,2h" is not a time, from 1s to 8760h0m0s`,
	} {
		if err == nil || strings.Count(err.Error(), "--") != 6 || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want six faults and %s", err, want)
		}
	}
}

func TestFewerPlacesForAReceiverThatAnswersQuicklyAreAFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string // empty: no fault
	}{
		{[]string{"--endpoint-in-flight=8", "--endpoint-max-in-flight=7"}, `--endpoint-max-in-flight (PLATEN_ENDPOINT_MAX_IN_FLIGHT): 7 is below --endpoint-in-flight (PLATEN_ENDPOINT_IN_FLIGHT), which is 8; give at least as many`},
		{[]string{"--endpoint-max-in-flight=3"}, `--endpoint-max-in-flight (PLATEN_ENDPOINT_MAX_IN_FLIGHT): 3 is below --endpoint-in-flight (PLATEN_ENDPOINT_IN_FLIGHT), which is 4; give at least as many`},
		{[]string{"--endpoint-in-flight=8", "--endpoint-max-in-flight=8"}, ""},
		{[]string{"--endpoint-in-flight=40"}, ""}, // 40 at once, however it answers
	} {
		err := work(t, c.args...).Check()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: got %v, want %q", c.args, err, c.want)
		}
	}
}

func TestTheExampleOfAnAddressIsTheDefaultOfItsFlag(t *testing.T) {
	t.Parallel()
	err := serve(t, "--api=8080", "--hooks=nowhere").Check()
	for _, want := range []string{`--api (PLATEN_API): "8080" is not host:port, such as 127.0.0.1:8080`, `--hooks (PLATEN_HOOKS): "nowhere" is not host:port, such as 127.0.0.1:8081`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestSettingsOfTheProgramForOneMachineAreCheckedBeforeItStarts(t *testing.T) {
	t.Parallel()
	loud, soon := serve(t, "--log-level=loud").Log, work(t, "--retry-schedule=soon").RetrySchedule
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	err := config.Dev{
		Log: loud, RetrySchedule: soon, Fonts: nowhere, Exporter: config.LibreOffice, Soffice: nowhere, ReadyFile: filepath.Join(nowhere, "ready.json"),
		MailServer: config.MailServer{SMTPURL: "smtp://127.0.0.1:1025"}, Bounces: config.Bounces{SMTPBounceKey: "short"},
	}.Check()
	for _, want := range []string{
		"--log-level (PLATEN_LOG_LEVEL)", "--retry-schedule (PLATEN_DEV_RETRY_SCHEDULE)", "--drive-fonts (PLATEN_DEV_DRIVE_FONTS): stat " + nowhere,
		"--drive-soffice (PLATEN_DEV_DRIVE_SOFFICE)", "--ready-file (PLATEN_DEV_READY_FILE): stat " + nowhere, "(PLATEN_SMTP_",
		"--smtp-bounce-key (PLATEN_SMTP_BOUNCE_KEY): it has 5 characters", "--smtp-bounces (PLATEN_SMTP_BOUNCES): it goes together with --smtp-bounce-key",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	file := filepath.Join(t.TempDir(), "font.ttf")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, cure := range map[string]string{nowhere: "make the directory, or name another one", file: "is a file; name a directory, such as " + filepath.Dir(file)} {
		if err := (config.Dev{Log: serve(t).Log, Fonts: path}).Check(); err == nil || !strings.Contains(err.Error(), cure) {
			t.Errorf("%s: got %v, want the cure %q", path, err, cure)
		}
	}
	if err := (config.Dev{Log: serve(t).Log}).Check(); err != nil {
		t.Errorf("got %v of good settings", err)
	}
}

func TestWhatMakesPDFsIsKnown(t *testing.T) {
	t.Parallel()
	d := config.Defaults[config.DriveServer]()
	d.Database = serve(t).Database
	soffice := filepath.Join(t.TempDir(), "soffice")
	if err := os.WriteFile(soffice, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		exporter   config.Exporter
		soffice    string
		unconfined bool
		fault      string
	}{
		{"", "", false, ""}, {"own", "", false, ""}, {"libreoffice", "", true, ""}, {"libreoffice", soffice, false, ""},
		{"word", "", false, `--drive-exporter (PLATEN_DRIVE_EXPORTER): "word" is not one of own, libreoffice`},
		{"own", "/opt/soffice", false, "--drive-soffice (PLATEN_DRIVE_SOFFICE): it goes together with --drive-exporter libreoffice"},
		{"own", "", true, "--drive-exporter-unconfined (PLATEN_DRIVE_EXPORTER_UNCONFINED): it goes together with --drive-exporter libreoffice"},
	} {
		d.Exporter, d.Soffice, d.Unconfined = c.exporter, c.soffice, c.unconfined
		err := d.Check()
		if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%q with soffice %q: got %v, want %q", c.exporter, c.soffice, err, c.fault)
		}
	}
}

func TestGooglesQuotasHoldUnlessOthersAreGiven(t *testing.T) {
	t.Parallel()
	if got := work(t).Over(quota.OfGoogle()); got != quota.OfGoogle() {
		t.Errorf("got %v without a setting, want %v", got, quota.OfGoogle())
	}
	of := reflect.TypeFor[config.GoogleQuotas]()
	var flags []string
	for i := range of.NumField() {
		flags = append(flags, "--"+of.Field(i).Tag.Get("name")+"="+of.Field(i).Tag.Get("placeholder"))
	}
	c := work(t, flags...)
	if got := c.Over(platen.Quotas{}); c.Check() != nil || got != quota.OfGoogle() {
		t.Errorf("got %v and the fault %v with the placeholders of the help, want Google's %v", got, c.Check(), quota.OfGoogle())
	}
	more := serve(t, "--google-quota-docs-writes=300,600").Over(quota.OfGoogle())
	if more.Account[platen.DocsWrites] != 300 || more.Account[platen.DocsReads] != 300 || more.Account[platen.SlidesWrites] != 60 {
		t.Errorf("got %v with 300 changes of documents, want the others to stay", more.Account)
	}
}
