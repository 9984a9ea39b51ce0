package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/secret"
)

func (l Log) check(c *checker) {
	if l.LogLevel.wrong {
		c.oneOf("log-level", l.LogLevel.text, logLevels()...)
	}
	c.oneOf("log-format", string(l.LogFormat), string(LogJSON), string(LogText))
}

func logLevels() []string { return []string{"debug", "info", "warn", "error"} }

func (s Start) check(c *checker) { c.wait("start-wait", s.StartWait) }

func (s Stop) check(c *checker) {
	c.timeIfGiven("shutdown-delay", s.ShutdownDelay, 0, time.Minute)
}

func (d Database) check(c *checker) {
	c.onOff("allow-unsafe-durability", d.AllowUnsafeDurability)
	c.onOff("require-roles", d.RequireRoles)
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
	if _, err := secret.ParseKeys(string(s.SecretKeys)); err != nil {
		c.fault("secret-keys", "%v", err)
	}
}

// Box holds the keys. The error names the setting and quotes no key.
func (s Secrets) Box() (*secret.Box, error) {
	box, err := secret.ParseKeys(string(s.SecretKeys))
	if err != nil {
		return nil, fmt.Errorf("--secret-keys (PLATEN_SECRET_KEYS): %w", err)
	}
	return box, nil
}

// leastOutputs is longer than events are delivered: what tells of them goes with
// outputs.
const leastOutputs = 7 * 24 * time.Hour

func (r Retention) check(c *checker) {
	c.wait("retention-data", r.RetentionData)
	c.wait("retention-outputs", r.RetentionOutputs)
	c.appendable("erasures-file", r.ErasuresFile)
	data, outputs := r.RetentionData.Value(), r.RetentionOutputs.Value()
	switch {
	case outputs == 0:
	case data == 0 || outputs < data:
		c.fault("retention-outputs", "%v is shorter than source data is kept (--retention-data, %s); make it as long, or shorten that", outputs, c.twin("retention-data"))
	case outputs < leastOutputs:
		c.fault("retention-outputs", "%v is too short: events may be under way for days; make it 168h or longer, or 0s for ever", outputs)
	}
}

func (m Mail) check(c *checker) {
	if m.SMTPFrom == "" {
		return
	}
	if _, err := platen.ParseSender(m.SMTPFrom); err != nil {
		c.fault("smtp-from", "%v", err)
	}
}

// leastBounceKey is how many characters the key of bounces has at least.
const leastBounceKey = 20

func (b Bounces) check(c *checker) {
	if n := len(b.SMTPBounceKey); n > 0 && n < leastBounceKey {
		c.fault("smtp-bounce-key", "it has %d characters; give %d or more that nobody guesses", n, leastBounceKey)
	}
}

// check quotes nothing of the address, which may hold a password.
func (m MailServer) check(c *checker) {
	m.Mail.check(c)
	c.onOff("smtp-clear-text", m.SMTPClearText)
	c.onOff("smtp-notices", m.SMTPNotices)
	if (m.SMTPFrom == "") != (m.SMTPURL == "") {
		c.fault("smtp-url", "it goes together with --smtp-from (%s); give both or none", c.twin("smtp-from"))
		return
	}
	if m.SMTPBounces != "" {
		if m.SMTPFrom == "" {
			c.fault("smtp-bounces", "it goes together with --smtp-from (%s)", c.twin("smtp-from"))
		}
		if _, err := platen.ParseBounceAddress(m.SMTPBounces); err != nil {
			c.fault("smtp-bounces", "%v", err)
		}
	}
	if m.SMTPURL == "" {
		return
	}
	if _, err := platen.ParseMailServer(m.SMTPURL, m.SMTPClearText.Value()); err != nil {
		c.fault("smtp-url", "%v", err)
	}
}

// check quotes nothing of the service's address, which may hold a password.
func (s SealKey) check(c *checker) {
	if (s.SealCertificateFile == "") != (s.SealKeyFile == "") {
		c.fault("seal-key-file", "it goes together with --seal-certificate-file (%s); give both or none", c.twin("seal-certificate-file"))
	}
	c.readable("seal-certificate-file", s.SealCertificateFile)
	c.readable("seal-key-file", s.SealKeyFile)
	if s.SealTSAURL != "" && s.SealCertificateFile == "" {
		c.fault("seal-tsa-url", "it goes together with --seal-certificate-file (%s); give that, or leave this out", c.twin("seal-certificate-file"))
	}
	if _, err := s.Stamps(); err != nil {
		c.fault("seal-tsa-url", "%v", err)
	}
}

func (t Temporal) check(c *checker) {
	c.hostPort("temporal-address", t.TemporalAddress, Defaults[Temporal]().TemporalAddress)
	if t.TemporalNamespace == "" {
		c.fault("temporal-namespace", "it must not be empty")
	}
	c.onOff("temporal-tls", t.TemporalTLS)
	c.onOff("temporal-skip-attributes", t.TemporalSkipAttributes)
	if (t.TemporalCertFile == "") != (t.TemporalKeyFile == "") {
		c.fault("temporal-tls-cert-file", "it goes together with --temporal-tls-key-file (%s); give both or none", c.twin("temporal-tls-key-file"))
	}
	c.readable("temporal-tls-ca-file", t.TemporalCAFile)
	c.readable("temporal-tls-cert-file", t.TemporalCertFile)
	c.readable("temporal-tls-key-file", t.TemporalKeyFile)
}

func (d Cloud) check(c *checker) {
	d.checkKind(c)
	c.publicURL("drive-endpoint", d.DriveEndpoint, "")
	if (d.OAuthClientID == "") != (d.OAuthClientSecret == "") {
		c.fault("oauth-client-id", "it goes together with --oauth-client-secret; give both or none")
	}
	c.publicURL("oauth-endpoint", d.OAuthEndpoint, "")
}

// check asks for limits in which every step of an output fits.
func (q GoogleQuotas) check(c *checker) {
	c.quotaIfGiven("google-quota-docs-writes", q.DocsWrites, 1)
	c.quotaIfGiven("google-quota-docs-reads", q.DocsReads, 3)
	c.quotaIfGiven("google-quota-slides-writes", q.SlidesWrites, 1)
	c.quotaIfGiven("google-quota-slides-reads", q.SlidesReads, 3)
	c.quotaIfGiven("google-quota-drive-units", q.DriveUnits, 500)
}

func (d Cloud) checkKind(c *checker) {
	switch kind := d.Kind(); {
	case kind == "":
		c.fault("drive-kind", "no cloud drive is chosen; set it to google, or to platen with --drive-endpoint (%s), the address of 'platen drive'", c.twin("drive-endpoint"))
	case kind != platen.DriveGoogle && kind != platen.DrivePlaten:
		c.oneOf("drive-kind", string(d.DriveKind), string(platen.DriveGoogle), string(platen.DrivePlaten))
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

func (r Redirect) check(c *checker) {
	c.publicURL("oauth-redirect-url", r.OAuthRedirectURL, "/connect/google/callback")
	if strings.HasSuffix(r.OAuthRedirectURL, "/") {
		c.fault("oauth-redirect-url", "%q ends in a slash, and Google compares the whole address; leave the slash out", r.OAuthRedirectURL)
	}
}

func (o OIDC) check(c *checker) {
	c.publicURL("oidc-issuer", o.OIDCIssuer, "")
	if (o.OIDCIssuer == "") != (o.OIDCClientID == "") {
		c.fault("oidc-issuer", "it goes together with --oidc-client-id (%s); give both or none", c.twin("oidc-client-id"))
	}
	c.onOff("oidc-trust-email", o.OIDCTrustEmail)
}

// Check reports every fault of the settings together.
func (l ConnectLink) Check() error {
	var c checker
	l.Database.check(&c)
	l.Secrets.check(&c)
	if l.OAuthRedirectURL == "" {
		c.fault("oauth-redirect-url", "it is needed, the same as that of 'serve'")
	}
	l.Redirect.check(&c)
	return c.err()
}

// checkRedirect holds what connecting in a browser needs beside the address.
func (s Serve) checkRedirect(c *checker) {
	s.Redirect.check(c)
	c.oneOf("google-scope", string(cmp.Or(s.GoogleScope, ScopeDriveFile)), string(ScopeDriveFile), string(ScopeDrive))
	if s.OAuthRedirectURL != "" && (s.Kind() != platen.DriveGoogle || s.OAuthClientID == "") {
		c.fault("oauth-redirect-url", "it is for Google and an OAuth client; set --drive-kind (%s) to google and --oauth-client-id (%s), or leave it out", c.twin("drive-kind"), c.twin("oauth-client-id"))
	}
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

// Check reports every fault of the settings together.
func (m Migrate) Check() error {
	var c checker
	m.Log.check(&c)
	m.Database.check(&c)
	m.Start.check(&c)
	return c.err()
}

func (o Observe) check(c *checker) {
	if o.Metrics != "" {
		c.hostPort("metrics", o.Metrics, "127.0.0.1:9464")
	}
}

// Check reports every fault of the settings together.
func (r Roles) Check() error {
	var c checker
	r.Log.check(&c)
	r.Database.check(&c)
	r.Start.check(&c)
	return c.err()
}

// Check reports every fault of the settings together.
func (s Serve) Check() error {
	var c checker
	defaults := Defaults[Serve]()
	s.Log.check(&c)
	s.Observe.check(&c)
	s.Database.check(&c)
	s.Secrets.check(&c)
	s.Cloud.check(&c)
	c.readable("service-account-file", s.ServiceAccountFile)
	s.GoogleQuotas.check(&c)
	c.hostPort("api", s.API, defaults.API)
	c.hostPort("hooks", s.Hooks, defaults.Hooks)
	c.publicURL("api-url", s.APIURL, "/v0")
	c.publicURL("hooks-url", s.HooksURL, "")
	c.publicURL("drive-url", s.DriveURL, "")
	s.PublicHTTP.check(&c, map[string]string{"api-url": s.APIURL, "hooks-url": s.HooksURL, "drive-url": s.DriveURL, "oauth-redirect-url": s.OAuthRedirectURL, "oidc-issuer": s.OIDCIssuer})
	c.reachable("api-url", s.APIURL, "api", s.API, "https://api.example.com/v0")
	c.reachable("hooks-url", s.HooksURL, "hooks", s.Hooks, "https://hooks.example.com")
	c.publicURL("temporal-ui-url", s.TemporalUIURL, "")
	s.Start.check(&c)
	s.Stop.check(&c)
	s.checkRedirect(&c)
	s.OIDC.check(&c)
	s.Mail.check(&c)
	s.Bounces.check(&c)
	c.count("hooks-body-limit", s.HooksBodyLimit, 1024, 32<<20)
	c.count("rate-limit", s.RateLimit, 0, 1_000_000)
	c.count("rate-burst", s.RateBurst, 1, 1_000_000)
	c.count("unauthenticated-limit", s.UnauthenticatedLimit, 0, 100_000)
	c.count("source-rate-limit", s.SourceRateLimit, 0, 1_000_000)
	c.networks("allow-private", s.AllowPrivate)
	c.networks("pictures-allow-private", s.PicturesPrivate)
	c.location("time-zone", s.TimeZone)
	s.Clients.check(&c)
	if s.AuditRetention.Value() != 0 || s.AuditRetention.wrong {
		c.timeIfGiven("audit-retention", s.AuditRetention, 720*time.Hour, 876000*time.Hour)
	}
	return c.err()
}

// check asks for https at public addresses, by flag, that lead out of this machine.
func (p PublicHTTP) check(c *checker, addresses map[string]string) {
	c.onOff("allow-http", p.AllowHTTP)
	for _, flag := range slices.Sorted(maps.Keys(addresses)) {
		u, err := url.Parse(addresses[flag])
		if err == nil && u.Scheme == "http" && !isHere(u.Hostname()) && !p.AllowHTTP.Value() {
			c.fault(flag, "%q is in clear text; make it https, or set --allow-http (%s) where the network is trusted", addresses[flag], c.twin("allow-http"))
		}
	}
}

// isHere tells hosts that are this machine.
func isHere(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.Unmap().IsLoopback()
}

func (p Clients) check(c *checker) { c.networks("trusted-proxies", p.TrustedProxies) }

// Check reports every fault of the settings together.
func (w Work) Check() error {
	var c checker
	w.Log.check(&c)
	w.Observe.check(&c)
	w.Database.check(&c)
	w.Secrets.check(&c)
	w.Cloud.check(&c)
	c.readable("service-account-file", w.ServiceAccountFile)
	w.GoogleQuotas.check(&c)
	w.Temporal.check(&c)
	c.publicURL("pictures-url", w.PicturesURL, "/pictures")
	c.publicURL("api-url", w.APIURL, "/v0")
	c.publicURL("hooks-url", w.HooksURL, "")
	c.publicURL("drive-url", w.DriveURL, "")
	w.PublicHTTP.check(&c, map[string]string{"api-url": w.APIURL, "hooks-url": w.HooksURL, "drive-url": w.DriveURL, "pictures-url": w.PicturesURL})
	if w.Queue == "" {
		c.fault("queue", "it must not be empty")
	}
	w.checkBuild(&c)
	w.Start.check(&c)
	c.wait("sweep-after", w.SweepAfter)
	w.Retention.check(&c)
	w.MailServer.check(&c)
	w.SealKey.check(&c)
	c.openRuns("worker-open", w.WorkerOpen)
	c.openRuns("max-open", w.MaxOpen)
	c.countIfGiven("max-parked", w.MaxParked, 1, 1_000_000)
	c.countIfGiven("max-parked-per-owner", w.OwnerParked, 1, 1_000_000)
	c.networks("allow-private", w.AllowPrivate)
	c.networks("pictures-allow-private", w.PicturesPrivate)
	c.location("time-zone", w.TimeZone)
	c.durations("retry-schedule", w.RetrySchedule)
	w.checkEndpoints(&c)
	return c.err()
}

func (w Work) checkEndpoints(c *checker) {
	// Steps that deliver have little more than 15 s.
	c.timeIfGiven("delivery-timeout", w.DeliveryTimeout, 10*time.Millisecond, 15*time.Second)
	c.countIfGiven("endpoint-in-flight", w.EndpointInFlight, 1, 1000)
	c.countIfGiven("endpoint-max-in-flight", w.EndpointMaxInFlight, 1, 1000)
	w.checkInFlight(c)
	c.countIfGiven("endpoint-failures", w.EndpointFailures, 1, 1000)
	c.restsIfGiven("endpoint-rest", w.EndpointRest, time.Millisecond, 24*time.Hour)
	c.timeIfGiven("endpoint-disable-after", w.EndpointDisableAfter, time.Second, 365*24*time.Hour)
}

// defaultInFlight is the InFlight of delivery.DefaultBreaker.
const defaultInFlight = 4

// checkInFlight holds that a receiver that answers quickly does not get less at once
// than others. A larger --endpoint-in-flight alone is for all receivers.
func (w Work) checkInFlight(c *checker) {
	least, most := cmp.Or(w.EndpointInFlight.Value(), defaultInFlight), w.EndpointMaxInFlight.Value()
	if most > 0 && most < least {
		c.fault("endpoint-max-in-flight", "%d is below --endpoint-in-flight (%s), which is %d; give at least as many", most, c.twin("endpoint-in-flight"), least)
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
	c.oneOf("promotion", string(w.Promotion), string(PromoteAuto), string(PromoteManual))
}

// Check reports every fault of the settings together.
func (d DriveServer) Check() error {
	var c checker
	d.Log.check(&c)
	d.Observe.check(&c)
	d.Database.check(&c)
	c.hostPort("drive", d.Drive, Defaults[DriveServer]().Drive)
	c.publicURL("drive-url", d.DriveURL, "")
	d.PublicHTTP.check(&c, map[string]string{"drive-url": d.DriveURL})
	c.reachable("drive-url", d.DriveURL, "drive", d.Drive, "https://drive.example.com")
	c.wait("drive-link-lifetime", d.LinkLifetime)
	c.count("drive-at-once", d.AtOnce, 0, 1_000_000)
	c.count("drive-rate-limit", d.RateLimit, 0, 1_000_000)
	c.fonts("drive-fonts", d.Fonts)
	c.exporter(d.Exporter, d.Soffice, d.Unconfined)
	d.Clients.check(&c)
	d.Likeness.check(&c)
	d.Start.check(&c)
	d.Stop.check(&c)
	return c.err()
}

func (c *checker) exporter(e Exporter, soffice string, unconfined bool) {
	c.oneOf("drive-exporter", string(cmp.Or(e, OwnExporter)), string(OwnExporter), string(LibreOffice))
	if soffice != "" && e != LibreOffice {
		c.fault("drive-soffice", "it goes together with --drive-exporter %s; set that, or leave this out", LibreOffice)
		return
	}
	if unconfined && e != LibreOffice {
		c.fault("drive-exporter-unconfined", "it goes together with --drive-exporter %s; set that, or leave this out", LibreOffice)
	}
	c.program("drive-soffice", soffice, "LibreOffice's soffice")
}

func (l Likeness) check(c *checker) {
	c.oneOf("drive-like", string(cmp.Or(l.Like, LikeOwn)), string(LikeOwn), string(LikeGoogle))
	c.countIfGiven("drive-like-speed", l.Speed, 1, 1000)
}

// Check reports every fault of the settings together.
func (s Compare) Check() error {
	var c checker
	s.Database.check(&c)
	c.location("time-zone", s.TimeZone)
	c.fonts("drive-fonts", s.Fonts)
	if cmp.Or(s.Exporter, OwnExporter) != OwnExporter {
		c.fault("drive-exporter", "it must be own: LibreOffice makes the pages here, and a release of Platen does not change them")
	}
	if s.SecretKeys == "" {
		c.fault("secret-keys", "it is missing: the keys open the events of past runs")
	}
	return c.err()
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
	RetrySchedule Setting[[]time.Duration]
	Likeness
	Fonts, Soffice, ReadyFile string
	Exporter                  Exporter
	Unconfined                bool
	MailServer
	SealKey
	Bounces
}

// Check reports every fault of the settings together.
func (d Dev) Check() error {
	var c checker
	d.Log.check(&c)
	d.MailServer.check(&c)
	d.SealKey.check(&c)
	d.Bounces.check(&c)
	if (d.SMTPBounces == "") != (d.SMTPBounceKey == "") {
		c.fault("smtp-bounces", "it goes together with --smtp-bounce-key (%s); give both or none", c.twin("smtp-bounce-key"))
	}
	c.prefix = "PLATEN_DEV_"
	c.durations("retry-schedule", d.RetrySchedule)
	d.Likeness.check(&c)
	c.fonts("drive-fonts", d.Fonts)
	c.exporter(d.Exporter, d.Soffice, d.Unconfined)
	if d.ReadyFile != "" {
		c.directory("ready-file", filepath.Dir(d.ReadyFile))
	}
	return errors.Join(c.faults...)
}
