package config

import (
	"cmp"
	"errors"
	"net/netip"
	"net/url"
	"runtime"
	"strings"
	"time"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/secret"
)

func (l Log) check(c *checker) {
	c.oneOf("log-level", l.LogLevel, "debug", "info", "warn", "error")
	c.oneOf("log-format", l.LogFormat, "json", "text")
}

func (s Start) check(c *checker) time.Duration { return c.wait("start-wait", s.StartWait) }

func (d Database) check(c *checker) {
	c.onOff("allow-unsafe-durability", d.AllowUnsafeDurability)
	if d.DatabaseURL == "" {
		c.fault("database-url", "it is needed, such as postgres://platen:secret@127.0.0.1:5432/platen")
		return
	}
	// The address holds a password, so no message quotes it.
	u, err := url.Parse(d.DatabaseURL)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
		c.fault("database-url", "it is not a postgres:// address")
	}
}

func (s Secrets) check(c *checker) {
	if s.SecretKeys == "" {
		c.fault("secret-keys", "it is needed; 'platen key' makes a key")
		return
	}
	if _, err := secret.ParseKeys(s.SecretKeys); err != nil {
		c.fault("secret-keys", "%v", err)
	}
}

func (t Temporal) check(c *checker) {
	c.hostPort("temporal-address", t.TemporalAddress, "127.0.0.1:7233")
	if t.TemporalNamespace == "" {
		c.fault("temporal-namespace", "it must not be empty")
	}
	c.onOff("temporal-tls", t.TemporalTLS)
}

func (d Cloud) check(c *checker) {
	d.checkKind(c)
	c.publicURL("drive-endpoint", d.DriveEndpoint, "")
	if (d.OAuthClientID == "") != (d.OAuthClientSecret == "") {
		c.fault("oauth-client-id", "it goes together with --oauth-client-secret; give both or none")
	}
}

func (d Cloud) checkKind(c *checker) {
	switch kind := d.Kind(); {
	case kind == "":
		c.fault("drive-kind", "no cloud drive is chosen; set it to google, or to platen with --drive-endpoint (%s), the address of 'platen drive'", c.twin("drive-endpoint"))
	case kind != platen.DriveGoogle && kind != platen.DrivePlaten:
		c.oneOf("drive-kind", d.DriveKind, string(platen.DriveGoogle), string(platen.DrivePlaten))
	case kind == platen.DrivePlaten && d.DriveEndpoint == "":
		c.fault("drive-endpoint", "it is needed beside --drive-kind platen; set it to the address of 'platen drive', such as http://127.0.0.1:8082")
	case kind == platen.DriveGoogle && d.DriveEndpoint != "":
		c.fault("drive-endpoint", "it names a drive other than Google; leave it out, or set --drive-kind (%s) to platen", c.twin("drive-kind"))
	case kind == platen.DrivePlaten && isGoogle(d.DriveEndpoint):
		c.fault("drive-endpoint", "this is Google, which takes no tokens of 'platen drive'; leave it out and set --drive-kind (%s) to google", c.twin("drive-kind"))
	}
}

// isGoogle tells addresses of Google's APIs; what is no address is none.
func isGoogle(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := "." + strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	return strings.HasSuffix(host, ".google.com") || strings.HasSuffix(host, ".googleapis.com") || strings.HasSuffix(host, ".googleusercontent.com")
}

// Check reports every fault of the settings together. Keys may be left out: not
// every connection has a secret.
func (s Connect) Check() error {
	var c checker
	s.Database.check(&c)
	if s.SecretKeys != "" {
		s.Secrets.check(&c)
	}
	s.Cloud.check(&c)
	return c.err()
}

// Check reports every fault of the settings together; wait is for how long to
// wait for the database.
func (m Migrate) Check() (wait time.Duration, err error) {
	var c checker
	m.Log.check(&c)
	m.Database.check(&c)
	wait = m.Start.check(&c)
	return wait, c.err()
}

// ServeLimits are what Serve's numbers come to.
type ServeLimits struct {
	StartWait       time.Duration
	HooksBodyLimit  int // bytes
	RateLimit       int // per second; 0: none
	RateBurst       int
	StrangerLimit   int // per second; 0: none
	SourceRateLimit int // per second; 0: none
	AllowPrivate    []netip.Prefix
	Location        *time.Location
}

// Check reports every fault of the settings together.
func (s Serve) Check() (ServeLimits, error) {
	var c checker
	s.Log.check(&c)
	s.Database.check(&c)
	s.Secrets.check(&c)
	s.Cloud.check(&c)
	c.hostPort("api", s.API, "127.0.0.1:8080")
	c.hostPort("hooks", s.Hooks, "127.0.0.1:8081")
	c.publicURL("api-url", s.APIURL, "/v0")
	c.publicURL("hooks-url", s.HooksURL, "")
	c.publicURL("drive-url", s.DriveURL, "")
	c.reachable("api-url", s.APIURL, "api", s.API, "https://api.example.com/v0")
	c.reachable("hooks-url", s.HooksURL, "hooks", s.Hooks, "https://hooks.example.com")
	c.publicURL("temporal-ui-url", s.TemporalUIURL, "")
	limits := ServeLimits{
		StartWait:       s.Start.check(&c),
		HooksBodyLimit:  c.count("hooks-body-limit", s.HooksBodyLimit, 1024, 32<<20),
		RateLimit:       c.count("rate-limit", s.RateLimit, 0, 1_000_000),
		RateBurst:       c.count("rate-burst", s.RateBurst, 1, 1_000_000),
		StrangerLimit:   c.count("stranger-limit", s.StrangerLimit, 0, 100_000),
		SourceRateLimit: c.count("source-rate-limit", s.SourceRateLimit, 0, 1_000_000),
		AllowPrivate:    c.networks("allow-private", s.AllowPrivate),
		Location:        c.location("time-zone", s.TimeZone),
	}
	return limits, c.err()
}

// WorkLimits are what Work's settings come to.
type WorkLimits struct {
	StartWait    time.Duration
	SweepAfter   time.Duration
	Places       platen.Places
	AllowPrivate []netip.Prefix
	Location     *time.Location
	Schedule     []time.Duration // empty: the default
	Endpoints    EndpointLimits
}

// EndpointLimits are how endpoints are treated; what is zero is the default.
type EndpointLimits struct {
	Timeout       time.Duration // of one attempt
	InFlight      int
	Failures      int
	Rest, MaxRest time.Duration
	DisableAfter  time.Duration
}

func (w Work) endpoints(c *checker) EndpointLimits {
	rests := c.ownDurations("endpoint-rest", w.EndpointRest, time.Millisecond, 24*time.Hour, "the first rest", "the longest")
	return EndpointLimits{
		// Steps that deliver have little more than 15 s.
		Timeout:  c.ownDurations("delivery-timeout", w.DeliveryTimeout, 10*time.Millisecond, 15*time.Second, "a time")[0],
		InFlight: c.ownCount("endpoint-in-flight", w.EndpointInFlight, 1, 1000),
		Failures: c.ownCount("endpoint-failures", w.EndpointFailures, 1, 1000),
		Rest:     rests[0], MaxRest: rests[1],
		DisableAfter: c.ownDurations("endpoint-disable-after", w.EndpointDisableAfter, time.Second, 365*24*time.Hour, "a time")[0],
	}
}

// Check reports every fault of the settings together.
func (w Work) Check() (WorkLimits, error) {
	var c checker
	w.Log.check(&c)
	w.Database.check(&c)
	w.Secrets.check(&c)
	w.Cloud.check(&c)
	w.Temporal.check(&c)
	c.publicURL("pictures-url", w.PicturesURL, "/pictures")
	c.publicURL("api-url", w.APIURL, "/v0")
	c.publicURL("hooks-url", w.HooksURL, "")
	c.publicURL("drive-url", w.DriveURL, "")
	if w.Queue == "" {
		c.fault("queue", "it must not be empty")
	}
	w.checkBuild(&c)
	limits := WorkLimits{
		StartWait:  w.Start.check(&c),
		SweepAfter: c.wait("sweep-after", w.SweepAfter),
		Places: platen.PlacesFor(w.maxOpen(&c),
			cmp.Or(c.ownCount("max-parked", w.MaxParked, 1, 1_000_000), platen.DefaultParked),
			cmp.Or(c.ownCount("max-parked-per-owner", w.OwnerParked, 1, 1_000_000), platen.DefaultOwnerParked)),
		AllowPrivate: c.networks("allow-private", w.AllowPrivate),
		Location:     c.location("time-zone", w.TimeZone),
		Schedule:     c.durations("retry-schedule", w.RetrySchedule),
		Endpoints:    w.endpoints(&c),
	}
	return limits, c.err()
}

// maxOpen is how many runs may be open. A run on a drive of one's own takes
// processor time from its first to its last step, one on Google mostly waits.
func (w Work) maxOpen(c *checker) int {
	const forEachCore, onGoogle = 6, 64
	switch {
	case w.MaxOpen != "auto":
		return c.count("max-open", w.MaxOpen, 1, 100_000)
	case w.Kind() == platen.DrivePlaten:
		return forEachCore * runtime.GOMAXPROCS(0)
	default:
		return onGoogle
	}
}

// checkBuild holds what Temporal asks of names of deployments and builds.
func (w Work) checkBuild(c *checker) {
	if w.BuildID == "" {
		return
	}
	if strings.ContainsAny(w.Queue, ".:") || strings.HasPrefix(w.Queue, "__") {
		c.fault("queue", "%q names a worker deployment too, which takes no '.' and ':' and must not begin with '__'; take another, or --build-id='' for no versioning", w.Queue)
	}
	if strings.HasPrefix(w.BuildID, "__") || len(w.BuildID) > 200 {
		c.fault("build-id", "%q begins with '__' or is longer than 200 bytes", w.BuildID)
	}
	c.oneOf("promotion", w.Promotion, "auto", "manual")
}

// What may make the drive's PDFs.
const (
	OwnExporter = "own"
	LibreOffice = "libreoffice"
)

// DriveLimits are what DriveServer's settings come to.
type DriveLimits struct {
	StartWait time.Duration
}

// Check reports every fault of the settings together.
func (d DriveServer) Check() (DriveLimits, error) {
	var c checker
	d.Log.check(&c)
	d.Database.check(&c)
	c.hostPort("drive", d.Drive, "127.0.0.1:8082")
	c.publicURL("drive-url", d.DriveURL, "")
	c.reachable("drive-url", d.DriveURL, "drive", d.Drive, "https://drive.example.com")
	c.oneOf("drive-exporter", cmp.Or(d.Exporter, OwnExporter), OwnExporter, LibreOffice)
	if d.Soffice != "" && d.Exporter != LibreOffice {
		c.fault("drive-soffice", "it goes together with --drive-exporter %s; set that, or leave this out", LibreOffice)
	}
	limits := DriveLimits{StartWait: d.Start.check(&c)}
	return limits, c.err()
}

// Check reports every fault of the settings together.
func (d Database) Check() error {
	var c checker
	d.check(&c)
	return c.err()
}

// Dev are settings of platen-dev that the services check only once its Postgres
// and Temporal run.
type Dev struct {
	Log
	RetrySchedule string
}

// Check reports every fault of the settings together.
func (d Dev) Check() error {
	var c checker
	d.Log.check(&c)
	c.prefix = "PLATEN_DEV_"
	c.durations("retry-schedule", d.RetrySchedule)
	return errors.Join(c.faults...)
}
