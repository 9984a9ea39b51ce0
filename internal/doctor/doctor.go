// Package doctor looks at an installation: settings, database, Temporal, network,
// clock, and the drives of users. It says of each part whether it is in order, and
// what to do where it is not.
//
// It changes nothing: its connections to Postgres are read-only, and it asks drives
// and Temporal for what they show. It prints no secret. What runs need, and how a
// fault is cured by itself, is not decided here.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
)

// A Status says how something stands.
type Status string

// The ways something can stand. A warning does not keep the service from working.
const (
	OK      Status = "ok"
	Warning Status = "warning"
	Failure Status = "failure"
)

// A Finding is what was found out about one part.
type Finding struct {
	Area    string `json:"area"`    // such as "database"
	Subject string `json:"subject"` // of the area, such as "migrations" or a user's address
	Status  Status `json:"status"`
	Message string `json:"message"`
	Cure    string `json:"cure,omitempty"` // what to do; empty for OK
}

// The areas, in the order of a report.
var areas = []string{"configuration", "database", "clock", "temporal", "network", "credentials", "storage", "folder"}

// Options are what is looked at.
type Options struct {
	Settings config.Doctor
	Programs []config.Program
	// Known tells whether some command reads a variable of the environment.
	Known func(variable string) bool
	// User is the address of the one user whose drive is looked at; empty: all users.
	User string
	// Folder is the id of a folder that is looked at with the drive of User.
	Folder string
	// Limit bounds each check; DefaultLimit if zero.
	Limit time.Duration
	// Now is the clock of this machine; nil: time.Now.
	Now func() time.Time

	// Connections are how many the programs may open.
	Connections Connections
	// Pool opens read-only connections to the database, and Temporal connects to it.
	Pool     func(ctx context.Context) (*pgxpool.Pool, error)
	Temporal func(ctx context.Context) (client.Client, error)
	// MailServer signs in at the mail server, names the sender and sends nothing; nil: there is none.
	MailServer func(ctx context.Context) error
	// Seal reads what PDFs are sealed with; nil: nothing is sealed.
	Seal func() (Seal, error)
	// Drives opens drives by connections. Its error is about the settings, such as a
	// service-account key that cannot be read.
	Drives func(connections func(ctx context.Context, userID string) (platen.DriveConnection, error)) (*google.Connector, error)
}

// A Seal is what PDFs are sealed with.
type Seal struct {
	Name        string // of the organization
	From, Until time.Time
	// Stamp asks the time stamp service for a time stamp; nil: there is none.
	Stamp func(ctx context.Context) error
}

// Connections are how many to Postgres each program may open.
type Connections struct{ Serve, Worker, Drive int }

// DefaultLimit is how long a check may take.
const DefaultLimit = 10 * time.Second

// A Report is what was found, by area.
type Report struct {
	Findings []Finding       `json:"findings"`
	Settings []SettingStatus `json:"settings"`
	// Interrupted: not everything was looked at.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Failures counts what keeps the service from working.
func (r Report) Failures() int {
	n := 0
	for _, f := range r.Findings {
		if f.Status == Failure {
			n++
		}
	}
	return n
}

// An examination is one look at an installation.
type examination struct {
	Options
	secrets     *strings.Replacer
	interrupted func() bool

	mu       sync.Mutex
	findings []Finding
	settings []SettingStatus
}

// Examine looks at everything side by side. It does not fail: what it cannot find out
// is a finding. When ctx ends, the report has what was found out until then.
func Examine(ctx context.Context, o Options) Report {
	o.Limit = cmp.Or(o.Limit, DefaultLimit)
	if o.Now == nil {
		o.Now = time.Now
	}
	e := &examination{Options: o, secrets: secretsOf(o.Settings), interrupted: func() bool { return ctx.Err() != nil }}
	var all sync.WaitGroup
	for _, check := range []func(context.Context){e.configuration, e.database, e.temporal, e.network, e.mailServer, e.seal, e.credentials} {
		all.Go(func() { check(ctx) })
	}
	all.Wait()
	slices.SortStableFunc(e.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(slices.Index(areas, a.Area), slices.Index(areas, b.Area)), strings.Compare(a.Subject, b.Subject))
	})
	return Report{Findings: e.findings, Settings: e.settings, Interrupted: e.interrupted()}
}

// add notes a finding, without secrets. What broke off because nobody waits any more
// says nothing about the installation.
func (e *examination) add(f Finding) {
	if e.interrupted() {
		return
	}
	f.Message, f.Cure = e.secrets.Replace(oneLine(f.Message)), e.secrets.Replace(f.Cure)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.findings = append(e.findings, f)
}

// sentence is an error that ends as a sentence does.
func sentence(err error) string { return strings.TrimRight(err.Error(), ".") + "." }

// oneLine joins the lines of errors that have several.
func oneLine(message string) string {
	lines := strings.FieldsFunc(message, func(r rune) bool { return r == '\n' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "; ")
}

func (e *examination) ok(area, subject, format string, args ...any) {
	e.add(Finding{Area: area, Subject: subject, Status: OK, Message: fmt.Sprintf(format, args...)})
}

// limited calls do with the time of a check. A call that does not heed its context is
// left behind when the time is over.
func limited[T any](ctx context.Context, limit time.Duration, do func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := do(ctx)
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		if o.err != nil && ctx.Err() != nil {
			o.err = fmt.Errorf("no answer within %v", limit)
		}
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("no answer within %v", limit)
	}
}

// secretsOf hides what must not be printed, wherever it is quoted.
func secretsOf(d config.Doctor) *strings.Replacer {
	var pairs []string
	hide := func(secret string) {
		if len(secret) >= 4 {
			pairs = append(pairs, secret, "[secret]")
		}
	}
	hide(d.DatabaseURL)
	if pool, err := pgxpool.ParseConfig(d.DatabaseURL); err == nil {
		hide(pool.ConnConfig.Password)
	}
	for key := range strings.SplitSeq(string(d.SecretKeys), ",") {
		hide(strings.TrimSpace(key))
	}
	hide(string(d.OAuthClientSecret))
	hide(string(d.TemporalAPIKey))
	hide(string(d.SMTPURL))
	hide(string(d.SealTSAURL))
	if service, err := d.Stamps(); err == nil && service != nil {
		hide(service.Password)
	}
	if at, err := platen.ParseMailServer(d.SMTPURL, d.SMTPClearText.Value()); err == nil {
		hide(string(at.Password))
	}
	return strings.NewReplacer(pairs...)
}
