// Package config holds the settings of the programs: their flags, their
// environment twins, their defaults, and what makes them wrong. It looks
// whether files are there, reads none but those that hold secrets (SecretFiles), and
// opens no connections.
//
// A setting has its type from the flag on, and one run reports every fault of a
// configuration together, not the first alone (see Setting). A default stands in the
// tag of its setting and nowhere else. If a package of the product has the default,
// the setting's help names it, and the setting is zero.
package config

import (
	"cmp"
	"errors"
	"log/slog"
	"net/netip"
	"net/url"
	"runtime"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/telemetry"
)

// Defaults returns the settings without flags, ignoring the environment.
func Defaults[T any]() T {
	var settings T
	if err := kong.ApplyDefaults(&settings, kong.PostBuild(leaveEnvironment)); err != nil {
		panic(err) // by a tag that is wrong
	}
	return settings
}

func leaveEnvironment(k *kong.Kong) error {
	for _, flag := range k.Model.Flags {
		flag.Tag.Envs = nil
	}
	return nil
}

// Log says how much is logged, and in which form.
type Log struct {
	LogLevel  Setting[slog.Level] `env:"PLATEN_LOG_LEVEL" default:"info" help:"Least level to log: debug, info, warn or error."`
	LogFormat LogFormat           `env:"PLATEN_LOG_FORMAT" default:"json" help:"Form of log lines on standard error: json or text."`
}

// LogFormat is the form of log lines.
type LogFormat string

// The forms of log lines.
const (
	LogJSON LogFormat = "json"
	LogText LogFormat = "text"
)

// Observe says where operators look at a program.
type Observe struct {
	Metrics string `env:"PLATEN_METRICS" placeholder:"127.0.0.1:9464" help:"host:port of metrics (/metrics) and probes (/livez, /readyz), for operators alone: it asks for no credentials. Empty: none."`
	// Telemetry is what the program shows there; nil: nothing.
	Telemetry *telemetry.Telemetry `kong:"-"`
}

// Database says where the service's database is.
type Database struct {
	DatabaseURL           string `name:"database-url" env:"PLATEN_DATABASE_URL" secret:"" placeholder:"postgres://user:password@host:5432/platen" help:"Postgres database of the service."`
	AllowUnsafeDurability Switch `env:"PLATEN_ALLOW_UNSAFE_DURABILITY" help:"Run although Postgres has fsync, full_page_writes or synchronous_commit off. What was accepted may then be lost."`
	RequireRoles          Switch `env:"PLATEN_REQUIRE_ROLES" help:"Refuse to start with a login that may do more in the database than the program needs, such as a superuser or the owner of the tables. 'platen roles' makes logins that fit."`
}

// Start says how a program begins.
type Start struct {
	StartWait Setting[time.Duration] `env:"PLATEN_START_WAIT" default:"1m" help:"How long to wait at start for a Postgres or a Temporal that does not answer, before giving up. 0s: not at all."`
}

// Clients says which client a request comes from.
type Clients struct {
	TrustedProxies Setting[[]netip.Prefix] `env:"PLATEN_TRUSTED_PROXIES" placeholder:"CIDR[,CIDR…]" help:"Networks, such as 10.0.0.0/8, of the proxies and load balancers in front of this program. What they write into X-Forwarded-For is the client's address, in logs, the audit and address lists of sources. Default: none, the client is the one that connects."`
}

// PublicHTTP says whether public addresses may do without TLS.
type PublicHTTP struct {
	AllowHTTP Switch `name:"allow-http" env:"PLATEN_ALLOW_HTTP" help:"Take public addresses that begin with http:// outside this machine. Access tokens, source events and links that open documents can then be read on the way."`
}

// Secrets holds the keys that encrypt what is secret at rest.
type Secrets struct {
	SecretKeys platen.Secret `name:"secret-keys" env:"PLATEN_SECRET_KEYS" secret:"" placeholder:"KEY[,OLDER…]" help:"Keys that encrypt secrets at rest: base64 of 32 random bytes each; the first encrypts, all decrypt. 'platen key' makes one. Better given in the environment than on the command line."`
}

// Temporal says where Temporal is.
type Temporal struct {
	TemporalAddress   string `env:"PLATEN_TEMPORAL_ADDRESS" default:"127.0.0.1:7233" help:"host:port of Temporal's frontend."`
	TemporalNamespace string `env:"PLATEN_TEMPORAL_NAMESPACE" default:"default" help:"Temporal namespace of the runs."`
	// Temporal Cloud and clusters with an authorizer may refuse calls of the operator service.
	TemporalSkipAttributes Switch `env:"PLATEN_TEMPORAL_SKIP_ATTRIBUTES" help:"Neither look for the search attributes of runs at start nor add them: for a Temporal that lets nobody do so. Add PlatenWorkflowId, PlatenOwner, PlatenTeam and PlatenOutcome by hand first, type Keyword."`
	TemporalTLS            Switch `name:"temporal-tls" env:"PLATEN_TEMPORAL_TLS" help:"Speak TLS to Temporal."`
	// Each of these implies TLS.
	TemporalCAFile     string        `name:"temporal-tls-ca-file" env:"PLATEN_TEMPORAL_TLS_CA_FILE" placeholder:"PATH" help:"Certificates (PEM) of the authority that Temporal's certificate comes from (implies TLS). Empty: the system's authorities."`
	TemporalCertFile   string        `name:"temporal-tls-cert-file" env:"PLATEN_TEMPORAL_TLS_CERT_FILE" placeholder:"PATH" help:"Client certificate (PEM) that is shown to Temporal, with --temporal-tls-key-file (implies TLS). It is read again for each connection."`
	TemporalKeyFile    string        `name:"temporal-tls-key-file" env:"PLATEN_TEMPORAL_TLS_KEY_FILE" placeholder:"PATH" help:"Private key (PEM) of that certificate."`
	TemporalServerName string        `name:"temporal-tls-server-name" env:"PLATEN_TEMPORAL_TLS_SERVER_NAME" placeholder:"temporal.example.com" help:"Host name in Temporal's certificate (implies TLS). Empty: that of --temporal-address."`
	TemporalAPIKey     platen.Secret `name:"temporal-api-key" env:"PLATEN_TEMPORAL_API_KEY" secret:"" help:"API key for Temporal, where it asks for one (implies TLS)."`
}

// UsesTLS tells whether Temporal is spoken to by TLS.
func (t Temporal) UsesTLS() bool {
	return t.TemporalTLS.Value() || t.TemporalAPIKey != "" || t.TemporalCAFile != "" || t.TemporalCertFile != "" || t.TemporalServerName != ""
}

// Cloud says which cloud drive holds templates and outputs. There is no default:
// users' credentials go there.
type Cloud struct {
	DriveKind          platen.DriveKind `env:"PLATEN_DRIVE_KIND" placeholder:"google|platen" help:"Cloud drive of this installation: google, or platen, which is 'platen drive' at --drive-endpoint. It must be chosen; --drive-endpoint alone chooses platen."`
	DriveEndpoint      string           `env:"PLATEN_DRIVE_ENDPOINT" placeholder:"http://127.0.0.1:8082" help:"Address of 'platen drive'. Empty with --drive-kind google."`
	ServiceAccountFile string           `env:"PLATEN_SERVICE_ACCOUNT_FILE" help:"Google service-account key file, for users connected by service account."`
	OAuthClientID      string           `name:"oauth-client-id" env:"PLATEN_OAUTH_CLIENT_ID" help:"OAuth client of users connected by refresh token."`
	OAuthClientSecret  platen.Secret    `name:"oauth-client-secret" env:"PLATEN_OAUTH_CLIENT_SECRET" secret:"" help:"Secret of that OAuth client."`
	OAuthEndpoint      string           `name:"oauth-endpoint" env:"PLATEN_OAUTH_ENDPOINT" placeholder:"http://127.0.0.1:9000" help:"Address of a sign-in service in place of Google's, with auth, token and revoke below it. For tests. Empty: Google."`
}

// Redirect is where Google sends the browsers of users who connect.
type Redirect struct {
	OAuthRedirectURL string `name:"oauth-redirect-url" env:"PLATEN_OAUTH_REDIRECT_URL" placeholder:"https://api.example.com/connect/google/callback" help:"Public address of /connect/google/callback on the host of the API, exactly as it stands among the redirect URIs of the OAuth client. Empty: users cannot connect in a browser."`
}

// OIDC is an OpenID provider at which users of the console may sign in.
type OIDC struct {
	OIDCIssuer       string        `name:"oidc-issuer" env:"PLATEN_OIDC_ISSUER" placeholder:"https://login.example.com" help:"OpenID provider at which users of the console may sign in, as its tokens name it. They are known by their verified e-mail address. Its client's redirect URI is /console/sign-in/callback on the host of the API. Empty: access tokens alone."`
	OIDCClientID     string        `name:"oidc-client-id" env:"PLATEN_OIDC_CLIENT_ID" help:"Client at that provider."`
	OIDCClientSecret platen.Secret `name:"oidc-client-secret" env:"PLATEN_OIDC_CLIENT_SECRET" secret:"" help:"Secret of that client. Empty: it has none (PKCE is always used)."`
	OIDCName         string        `name:"oidc-name" env:"PLATEN_OIDC_NAME" default:"your organization's account" help:"What the page of the sign-in calls that provider."`
	OIDCTrustEmail   Switch        `name:"oidc-trust-email" env:"PLATEN_OIDC_TRUST_EMAIL" help:"Take e-mail addresses that the provider does not call verified. Only for a provider in which nobody can choose an address, such as a single tenant of Entra ID."`
}

// ConnectURL is where users begin to connect; empty: they cannot.
func (r Redirect) ConnectURL() string { return strings.TrimSuffix(r.OAuthRedirectURL, "/callback") }

// GoogleScope is what users are asked to allow.
type GoogleScope string

// The scopes that users can be asked for.
const (
	ScopeDriveFile GoogleScope = "drive.file"
	ScopeDrive     GoogleScope = "drive"
)

// Kind is the drive that was chosen; empty: none was.
func (d Cloud) Kind() platen.DriveKind {
	if d.DriveKind == "" && d.DriveEndpoint != "" {
		return platen.DrivePlaten
	}
	return d.DriveKind
}

// GoogleQuotas are what Google lets an account, and all together, call in a minute.
// A default is quota.OfGoogle, and stands in the help.
type GoogleQuotas struct {
	DocsWrites   Setting[Quota] `name:"google-quota-docs-writes" env:"PLATEN_GOOGLE_QUOTA_DOCS_WRITES" placeholder:"60,600" help:"Changes of documents that Google allows in a minute, for an account and for the project. Default with Google: 60,600."`
	DocsReads    Setting[Quota] `name:"google-quota-docs-reads" env:"PLATEN_GOOGLE_QUOTA_DOCS_READS" placeholder:"300,3000" help:"Readings of documents in a minute. Default with Google: 300,3000."`
	SlidesWrites Setting[Quota] `name:"google-quota-slides-writes" env:"PLATEN_GOOGLE_QUOTA_SLIDES_WRITES" placeholder:"60,600" help:"Changes of presentations in a minute. Default with Google: 60,600."`
	SlidesReads  Setting[Quota] `name:"google-quota-slides-reads" env:"PLATEN_GOOGLE_QUOTA_SLIDES_READS" placeholder:"600,3000" help:"Readings of presentations in a minute. Default with Google: 600,3000."`
	DriveUnits   Setting[Quota] `name:"google-quota-drive-units" env:"PLATEN_GOOGLE_QUOTA_DRIVE_UNITS" placeholder:"325000,1000000" help:"Quota units of the Drive API in a minute. Default with Google: 325000,1000000."`
}

// Over is the defaults with what was given in their place.
func (q GoogleQuotas) Over(quotas platen.Quotas) platen.Quotas {
	for kind, given := range q.byKind() {
		if of := given.Value(); of != (Quota{}) {
			quotas.Account[kind], quotas.Project[kind] = of.Account, of.Project
		}
	}
	return quotas
}

func (q GoogleQuotas) byKind() map[platen.QuotaKind]Setting[Quota] {
	return map[platen.QuotaKind]Setting[Quota]{
		platen.DocsWrites: q.DocsWrites, platen.DocsReads: q.DocsReads,
		platen.SlidesWrites: q.SlidesWrites, platen.SlidesReads: q.SlidesReads, platen.DriveUnits: q.DriveUnits,
	}
}

// Mail says whom mails come from. Without a sender nobody gets any.
type Mail struct {
	SMTPFrom string `name:"smtp-from" env:"PLATEN_SMTP_FROM" placeholder:"\"Example Ltd\" <invoices@example.com>" help:"Whom mails about outputs come from: an address, or a name with one; the same for 'serve' and 'worker'. Empty: no mail is sent, and no document may ask for any."`
}

// MailServer says which server takes the mails.
type MailServer struct {
	Mail
	SMTPBounces   string        `name:"smtp-bounces" env:"PLATEN_SMTP_BOUNCES" placeholder:"bounces@example.com" help:"Where mails come back to that cannot be delivered: an address, in which each mail adds + and its own name, or a domain alone. Hand on what comes there with 'platen bounce'. Empty: they go back to the sender, and nobody here knows."`
	SMTPURL       platen.Secret `name:"smtp-url" env:"PLATEN_SMTP_URL" secret:"" placeholder:"smtp://user:password@mail.example.com:587" help:"Mail server, which goes together with --smtp-from: smtp:// with STARTTLS (port 587), or smtps:// with TLS from the beginning (port 465). Escape special characters of a password, such as %2F. Without a user nobody signs in."`
	SMTPNotices   Switch        `name:"smtp-notices" env:"PLATEN_SMTP_NOTICES" default:"true" help:"Mail owners of workflows when automations begin to fail, and when a receiver, a target or a drive needs them. Off: only outputs are sent."`
	SMTPClearText Switch        `name:"smtp-clear-text" env:"PLATEN_SMTP_CLEAR_TEXT" help:"Speak to an smtp:// server without TLS, where the network is trusted; without a user. Everybody on the way can then read mails."`
}

// Bounces lets a mail server hand on mails that came back.
type Bounces struct {
	SMTPBounceKey platen.Secret `name:"smtp-bounce-key" env:"PLATEN_SMTP_BOUNCE_KEY" secret:"" help:"Key of 20 characters or more with which a mail server hands on mails that came back ('platen bounce', or /bounces on the host of the API). Empty: none are taken."`
}

// Seal says whether PDFs are sealed: signed with the certificate of an organization.
type Seal struct {
	SealCertificateFile string `name:"seal-certificate-file" env:"PLATEN_SEAL_CERTIFICATE_FILE" placeholder:"PATH" help:"Certificate (PEM) that PDFs are sealed with, and behind it those that lead to a root: the same for 'serve' and 'worker'. 'serve' does not read the file. Empty: nothing is sealed, and no document may ask for it."`
}

// SealKey is what PDFs are sealed with.
type SealKey struct {
	Seal
	SealKeyFile string        `name:"seal-key-file" env:"PLATEN_SEAL_KEY_FILE" placeholder:"PATH" help:"Private key (PEM, without a password) of that certificate: RSA of 2048 bits or more, or ECDSA. It goes together with --seal-certificate-file."`
	SealTSAURL  platen.Secret `name:"seal-tsa-url" env:"PLATEN_SEAL_TSA_URL" secret:"" placeholder:"https://user:password@tsa.example.com" help:"Time stamp service (RFC 3161) that dates seals, which goes together with --seal-certificate-file. It gets a hash, and nothing of the document. Empty: seals have no time stamp."`
}

// StampService is the time stamp service, apart from what it asks for.
type StampService struct{ URL, User, Password string }

// Stamps reads where time stamps come from; nil: from nowhere. The error quotes nothing of the
// address, which may hold a password.
func (s SealKey) Stamps() (*StampService, error) {
	if s.SealTSAURL == "" {
		return nil, nil
	}
	u, err := url.Parse(string(s.SealTSAURL))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.Fragment != "" {
		return nil, errors.New("it is not an http or https address, such as https://tsa.example.com; escape special characters of a password, such as %2F")
	}
	password, _ := u.User.Password()
	service := &StampService{User: u.User.Username(), Password: password}
	u.User = nil
	service.URL = u.String()
	return service, nil
}

// Migrate configures the command that brings the database up to a release.
type Migrate struct {
	Log
	Start
	Database
}

// RoleLogins are the addresses that programs have the database at. Users and passwords in
// them become logins.
type RoleLogins struct {
	ServeDatabaseURL  string `name:"serve-database-url" env:"PLATEN_SERVE_DATABASE_URL" secret:"" placeholder:"postgres://platen_serve:password@host:5432/platen" help:"What 'serve' has as PLATEN_DATABASE_URL: its user is made, with that password. Empty: it is left alone."`
	WorkerDatabaseURL string `name:"worker-database-url" env:"PLATEN_WORKER_DATABASE_URL" secret:"" placeholder:"postgres://platen_worker:password@host:5432/platen" help:"The same of 'worker'."`
	DriveDatabaseURL  string `name:"drive-database-url" env:"PLATEN_DRIVE_DATABASE_URL" secret:"" placeholder:"postgres://platen_files:password@host:5432/platen" help:"The same of 'drive'."`
	// Of serve, too.
	OperatorDatabaseURL string `name:"operator-database-url" env:"PLATEN_OPERATOR_DATABASE_URL" secret:"" placeholder:"postgres://platen_operator:password@host:5432/platen" help:"What 'serve' has for the operators' pages, under the same name."`
}

// Roles configures the command that makes roles and logins in the database.
type Roles struct {
	Log
	Start
	Database
	RoleLogins
	Prefix string `env:"PLATEN_ROLES_PREFIX" placeholder:"platen" help:"What the names of the roles begin with. Default: the name of the database."`
	Print  bool   `help:"Print what an administrator of Postgres runs instead, where the owner of the tables may not make roles, and change nothing. It holds passwords."`
}

// Connect configures the command that stores how a user's drive is opened.
type Connect struct {
	Database
	Secrets
	Cloud
}

// Compare configures the command that makes outputs of past runs once more. What it shares with
// the worker and the drive must say the same: it decides how pages look.
type Compare struct {
	Database
	Secrets
	Fonts    string                  `name:"drive-fonts" env:"PLATEN_DRIVE_FONTS" placeholder:"DIR" help:"Directory of fonts for PDFs: the same as that of 'drive'. Default: none."`
	Exporter Exporter                `name:"drive-exporter" env:"PLATEN_DRIVE_EXPORTER" default:"own" help:"What makes the PDFs: the same as that of 'drive'. It must be own: the pages of LibreOffice are not Platen's."`
	TimeZone Setting[*time.Location] `env:"PLATEN_TIME_ZONE" default:"UTC" help:"Zone of {{Timestamp}}, such as Europe/Vienna: the same as that of 'worker'."`
}

// Location is the zone of {{Timestamp}}.
func (c Compare) Location() *time.Location { return cmp.Or(c.TimeZone.Value(), time.UTC) }

// ConnectLink configures the command that prints where a user connects.
type ConnectLink struct {
	Database
	Secrets
	Redirect
}

// DriveAddress says where our own drive is reached from outside.
type DriveAddress struct {
	DriveURL string `env:"PLATEN_DRIVE_URL" placeholder:"https://drive.example.com" help:"Public address of our own drive, the same as that of 'drive': no outgoing webhook may lead there. Empty: the drive's endpoint alone is known."`
}

// PicturesAllowPrivate says where pictures may come from. Their addresses come with data
// of events, which anybody may have written.
type PicturesAllowPrivate struct {
	PicturesPrivate Setting[[]netip.Prefix] `name:"pictures-allow-private" env:"PLATEN_PICTURES_ALLOW_PRIVATE" placeholder:"CIDR[,CIDR…]" help:"Private networks that pictures in data of events may come from, such as 10.1.2.0/24: the same for 'serve' and 'worker'. Default: none."`
}

// Stop says how a program that answers requests ends.
type Stop struct {
	ShutdownDelay Setting[time.Duration] `env:"PLATEN_SHUTDOWN_DELAY" default:"0s" help:"How long to answer on after SIGTERM while /readyz says 503, so that a balancer takes the program out before it stops; one minute at most. 0s: stop at once."`
}

// Serve configures the API and the webhook host.
type Serve struct {
	Log
	Observe
	Start
	Stop
	Database
	Secrets
	Cloud
	GoogleQuotas
	Redirect
	OIDC
	Clients
	PublicHTTP
	Mail
	Bounces
	Seal
	AuditRetention Setting[time.Duration] `env:"PLATEN_AUDIT_RETENTION" default:"8760h" help:"How long the audit keeps who did what; 720h at least. 0s: for ever."`
	GoogleScope    GoogleScope            `env:"PLATEN_GOOGLE_SCOPE" default:"drive.file" help:"What users who connect in a browser are asked to allow: drive.file, the files that this service makes, or drive, all files. Google lets public applications ask for drive only after a security assessment."`
	DriveAddress
	API                  string       `name:"api" env:"PLATEN_API" default:"127.0.0.1:8080" help:"host:port on which the API listens."`
	Hooks                string       `env:"PLATEN_HOOKS" default:"127.0.0.1:8081" help:"host:port on which source webhooks listen."`
	APIURL               string       `name:"api-url" env:"PLATEN_API_URL" placeholder:"https://api.example.com/v0" help:"Public address of the API, ending in /v0. Empty: by the listening address."`
	HooksURL             string       `env:"PLATEN_HOOKS_URL" placeholder:"https://hooks.example.com" help:"Public address of source webhooks. Empty: by the listening address."`
	HooksBodyLimit       Setting[int] `env:"PLATEN_HOOKS_BODY_LIMIT" default:"1048576" help:"Largest accepted body of a source event, in bytes."`
	RateLimit            Setting[int] `env:"PLATEN_RATE_LIMIT" default:"50" help:"Requests per second that each access token may send to the API, in the long run and for each process. 0: no limit."`
	RateBurst            Setting[int] `env:"PLATEN_RATE_BURST" default:"200" help:"Requests that an access token may send at once after a pause."`
	UnauthenticatedLimit Setting[int] `env:"PLATEN_UNAUTHENTICATED_LIMIT" default:"10" help:"Requests per second of one address with unknown, expired or revoked tokens, with ten times as many at once. More are answered 429. Good tokens are not counted. 0: no limit."`
	SourceRateLimit      Setting[int] `env:"PLATEN_SOURCE_RATE_LIMIT" default:"0" help:"Events per second that each source address takes, with as many again at once after a pause; more are answered 429. 0: no limit. Few senders repeat what was refused."`
	PicturesAllowPrivate
	AllowPrivate Setting[[]netip.Prefix] `env:"PLATEN_ALLOW_PRIVATE" placeholder:"CIDR[,CIDR…]" help:"Private networks that test events may reach, such as 10.1.2.0/24: the same as those of 'worker'. Default: none."`
	TimeZone     Setting[*time.Location] `env:"PLATEN_TIME_ZONE" default:"UTC" help:"Zone of {{Timestamp}} in previews, such as Europe/Vienna: the same as that of 'worker'."`
	// Temporal's UI is only linked to: serve knows nothing else of Temporal.
	TemporalUIURL     string `name:"temporal-ui-url" env:"PLATEN_TEMPORAL_UI_URL" placeholder:"https://temporal.example.com" help:"Public address of Temporal's UI, for the links of automations to their runs. Empty: no links."`
	TemporalNamespace string `env:"PLATEN_TEMPORAL_NAMESPACE" default:"default" help:"Temporal namespace that those links name."`
	// What one with this login may do, serve's own may not.
	OperatorDatabaseURL string `name:"operator-database-url" env:"PLATEN_OPERATOR_DATABASE_URL" secret:"" placeholder:"postgres://platen_operator:password@host:5432/platen" help:"The database with the login of the operators' pages, which 'platen roles' makes. Users who are operators ('platen user operator') see these pages in the console. Empty: there are none."`
}

// Location is the zone of {{Timestamp}} in previews.
func (s Serve) Location() *time.Location { return cmp.Or(s.TimeZone.Value(), time.UTC) }

// Retention says how long what automations leave is kept after their end.
type Retention struct {
	RetentionData    Setting[time.Duration] `env:"PLATEN_RETENTION_DATA" default:"2160h" help:"How long source data, payloads of events and answers of receivers are kept after an automation ended, such as 720h. 0s: for ever."`
	RetentionOutputs Setting[time.Duration] `env:"PLATEN_RETENTION_OUTPUTS" default:"0s" help:"How long outputs are kept after an automation ended, with their files in the drive and their events: at least as long as source data, and 168h. 0s: for ever."`
	ErasuresFile     string                 `env:"PLATEN_ERASURES_FILE" placeholder:"PATH" help:"File to which each erasure is appended, outside the database: after a restore from an older backup the worker erases the same again. Keep it apart from the database. Empty: a restore brings back what was erased."`
}

// Work configures the worker.
type Work struct {
	Log
	Observe
	Start
	Database
	Secrets
	Cloud
	GoogleQuotas
	Temporal
	DriveAddress
	PublicHTTP
	MailServer
	SealKey
	// Where this installation answers: nothing is sent there.
	APIURL      string            `name:"api-url" env:"PLATEN_API_URL" placeholder:"https://api.example.com/v0" help:"Public address of the API, the same as that of 'serve': no event is sent there. Empty: not known."`
	HooksURL    string            `env:"PLATEN_HOOKS_URL" placeholder:"https://hooks.example.com" help:"Public address of source webhooks, the same as that of 'serve': no event is sent there. Empty: not known."`
	Queue       string            `env:"PLATEN_QUEUE" default:"platen" help:"Temporal task queue."`
	BuildID     string            `name:"build-id" env:"PLATEN_BUILD_ID" default:"auto" help:"Build that this worker is, for Temporal's worker versioning: runs end on the build on which they began. auto: the program's version, which 'platen version' prints. Empty: no versioning."`
	Promotion   Promotion         `env:"PLATEN_PROMOTION" default:"auto" help:"How a build comes to get new runs. auto: a build that is new to Temporal does as soon as its first worker polls, and any build does when the one that has them has no workers left. manual: 'platen deployment promote' does it."`
	WorkerOpen  Setting[OpenRuns] `env:"PLATEN_WORKER_OPEN" default:"auto" help:"Most runs open at once that this worker takes itself; the rest waits in Postgres. auto: with PLATEN_DRIVE_KIND=platen, whose documents cost processor time, 6 for each core of this worker, more would only cost more; with Google, whose answers take their time, 64."`
	MaxOpen     Setting[OpenRuns] `env:"PLATEN_MAX_OPEN" default:"auto" help:"Ceiling of the runs open at once over all workers, also if these could take more. auto: with PLATEN_DRIVE_KIND=platen none; with Google 64."`
	MaxParked   Setting[int]      `env:"PLATEN_MAX_PARKED" placeholder:"1000" help:"Most runs over all workers that may wait for something outside, such as a drive that does not answer. They do not count as open. From this number on, owners with such runs share it equally. Default: 1000."`
	OwnerParked Setting[int]      `name:"max-parked-per-owner" env:"PLATEN_MAX_PARKED_PER_OWNER" placeholder:"100" help:"Most runs of one owner that may wait for something outside. From this number on, the owner's workflows with such runs share it equally, and their other events wait in Postgres; other workflows go on. Default: 100."`
	PicturesAllowPrivate
	AllowPrivate Setting[[]netip.Prefix] `env:"PLATEN_ALLOW_PRIVATE" placeholder:"CIDR[,CIDR…]" help:"Private networks that outgoing webhooks may reach, such as 10.1.2.0/24. Addresses at which clouds give credentials are never reached. Default: none."`
	PicturesURL  string                  `name:"pictures-url" env:"PLATEN_PICTURES_URL" placeholder:"https://api.example.com/pictures" help:"Public address of /pictures on the host of the API, where Google reads pictures that templates ask for. Empty: only pictures that have a public address of their own can be put into documents on Google."`
	TimeZone     Setting[*time.Location] `env:"PLATEN_TIME_ZONE" default:"UTC" help:"Zone of {{Timestamp}}, such as Europe/Vienna."`
	SweepAfter   Setting[time.Duration]  `env:"PLATEN_SWEEP_AFTER" default:"1h" help:"How long after an output has ended the drive is looked through once more for files that repeated steps left behind: longer than its list may lag behind."`
	Retention
	RetrySchedule Setting[[]time.Duration] `env:"PLATEN_RETRY_SCHEDULE" placeholder:"0s,5s,5m,…" help:"Waits before each attempt to deliver an event. The first attempt is made at once; its wait does not count. Default: ten attempts over three days."`
	// Endpoints: what keeps a receiver that does not answer from slowing down others.
	DeliveryTimeout      Setting[time.Duration]   `env:"PLATEN_DELIVERY_TIMEOUT" placeholder:"15s" help:"Time of one attempt to deliver an event, 15s at most. Default: 15s."`
	EndpointInFlight     Setting[int]             `env:"PLATEN_ENDPOINT_IN_FLIGHT" placeholder:"4" help:"Most attempts under way at once to one address of one owner, over all workers, until it has shown that it answers quickly, and after a failure. Default: 4."`
	EndpointMaxInFlight  Setting[int]             `env:"PLATEN_ENDPOINT_MAX_IN_FLIGHT" placeholder:"32" help:"Most attempts under way at once to an address that answers within a second. Default: 32."`
	EndpointFailures     Setting[int]             `env:"PLATEN_ENDPOINT_FAILURES" placeholder:"5" help:"Failures in a row after which an address is left alone for a while. Default: 5."`
	EndpointRest         Setting[[]time.Duration] `env:"PLATEN_ENDPOINT_REST" placeholder:"1m,1h" help:"How long it is left alone, at first and at most; the time doubles with each attempt that fails after it. Default: 1m,1h."`
	EndpointDisableAfter Setting[time.Duration]   `env:"PLATEN_ENDPOINT_DISABLE_AFTER" placeholder:"120h" help:"Time of nothing but failure after which nothing more is sent to an address. Default: 120h, five days."`
	// Alone: no other worker can be there, so that a build that does not poll
	// is gone for good. For the program that runs everything.
	Alone bool `kong:"-"`
}

// Location is the zone of {{Timestamp}}.
func (w Work) Location() *time.Location { return cmp.Or(w.TimeZone.Value(), time.UTC) }

// onGoogle is how many runs are open at once with Google, whose answers take
// their time.
const onGoogle = 64

// Carries is how many open runs this worker takes itself. A run on a drive of one's
// own takes processor time from its first to its last step, one on Google mostly
// waits.
func (w Work) Carries() int {
	const forEachCore = 6
	switch open := int(w.WorkerOpen.Value()); {
	case open > 0:
		return open
	case w.Kind() == platen.DrivePlaten:
		return forEachCore * runtime.GOMAXPROCS(0)
	}
	return onGoogle
}

// Places bound the runs of all workers together; Open 0: what they carry.
func (w Work) Places() platen.Places {
	open := int(w.MaxOpen.Value())
	if open == 0 && w.Kind() == platen.DriveGoogle {
		open = onGoogle
	}
	places := platen.Places{Parked: cmp.Or(w.MaxParked.Value(), platen.DefaultParked), OwnerParked: cmp.Or(w.OwnerParked.Value(), platen.DefaultOwnerParked)}
	if open > 0 {
		return platen.PlacesFor(open, places.Parked, places.OwnerParked)
	}
	return places
}

// EndpointLimits are how endpoints are treated; what is zero is the default.
type EndpointLimits struct {
	Timeout       time.Duration // of one attempt
	InFlight      int
	MaxInFlight   int
	Failures      int
	Rest, MaxRest time.Duration
	DisableAfter  time.Duration
}

// Endpoints is how endpoints are treated.
func (w Work) Endpoints() EndpointLimits {
	limits := EndpointLimits{
		Timeout:      w.DeliveryTimeout.Value(),
		InFlight:     w.EndpointInFlight.Value(),
		MaxInFlight:  w.EndpointMaxInFlight.Value(),
		Failures:     w.EndpointFailures.Value(),
		DisableAfter: w.EndpointDisableAfter.Value(),
	}
	if rests := w.EndpointRest.Value(); len(rests) == 2 {
		limits.Rest, limits.MaxRest = rests[0], rests[1]
	}
	return limits
}

// Promotion is how a build begins to receive new runs.
type Promotion string

// The ways of promotion; what they do is in the help of the setting.
const (
	PromoteAuto   Promotion = auto
	PromoteManual Promotion = "manual"
)

// DriveServer configures our own drive.
type DriveServer struct {
	Log
	Observe
	Start
	Stop
	Database
	Clients
	PublicHTTP
	Drive        string                 `env:"PLATEN_DRIVE" default:"127.0.0.1:8082" help:"host:port on which the drive listens."`
	DriveURL     string                 `env:"PLATEN_DRIVE_URL" placeholder:"https://drive.example.com" help:"Public address of the drive, used in links to files. Empty: by the listening address."`
	LinkLifetime Setting[time.Duration] `name:"drive-link-lifetime" env:"PLATEN_DRIVE_LINK_LIFETIME" default:"0s" help:"How long after a file was made its public address opens it, such as 2160h. Its account reads it with a token afterwards. 0s: for ever."`
	AtOnce       Setting[int]           `name:"drive-at-once" env:"PLATEN_DRIVE_AT_ONCE" default:"100" help:"Requests of each account that may be under way in this process; more are answered 429. 0: no limit."`
	RateLimit    Setting[int]           `name:"drive-rate-limit" env:"PLATEN_DRIVE_RATE_LIMIT" default:"1000" help:"Requests per second that each account may make of this process, with as many at once after a pause; more are answered 429. 0: no limit."`
	Fonts        string                 `name:"drive-fonts" aliases:"fonts" env:"PLATEN_DRIVE_FONTS" placeholder:"DIR" help:"Directory of fonts for PDFs: .ttf, .otf, .ttc, 32 files at most, 128 MiB together. It is for a company's own, found by their family, and for characters that the usual embedded fonts lack. Default: none."`
	Exporter     Exporter               `name:"drive-exporter" env:"PLATEN_DRIVE_EXPORTER" default:"own" help:"What makes the PDFs: own, the drive's own layout, or libreoffice, which must be installed and takes a second or more of processor time for each."`
	Soffice      string                 `name:"drive-soffice" env:"PLATEN_DRIVE_SOFFICE" placeholder:"PATH" help:"LibreOffice's soffice. Empty: looked for on the PATH and in the usual places."`
	Unconfined   bool                   `name:"drive-exporter-unconfined" env:"PLATEN_DRIVE_EXPORTER_UNCONFINED" help:"Run LibreOffice as the drive's user, on its network, where the system allows no namespaces. Without it the drive does not start there."`
	Likeness
}

// Likeness says which drive our own behaves like, for tests and for trying out.
type Likeness struct {
	Like  DriveLike    `name:"drive-like" env:"PLATEN_DRIVE_LIKE" default:"own" help:"Which drive this one behaves like: own or google. google has Google's quotas, answers that take seconds, lists that lag, service accounts without storage, and links that ask for an account. For tests and for trying out, not for production."`
	Speed Setting[int] `name:"drive-like-speed" env:"PLATEN_DRIVE_LIKE_SPEED" default:"1" help:"How many times faster the clock of --drive-like google goes than Google's, from 1 to 1000. With 60, a minute's quota is for a second, and an answer of two seconds takes 33 ms."`
}

// DriveLike is the drive that our own behaves like.
type DriveLike string

// The drives that our own can behave like.
const (
	LikeOwn    DriveLike = "own"
	LikeGoogle DriveLike = "google"
)

// Exporter is what makes the drive's PDFs.
type Exporter string

// The exporters of the drive.
const (
	OwnExporter Exporter = "own"
	LibreOffice Exporter = "libreoffice"
)
