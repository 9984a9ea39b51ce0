package config

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Doctor configures the command that looks at an installation. What it does not name
// it reads from the environment, as the programs do.
type Doctor struct {
	Database
	Secrets
	Cloud
	Temporal
	MailServer
	SealKey
	Queue       string      `env:"PLATEN_QUEUE" default:"platen" help:"Temporal task queue of the workers."`
	GoogleScope GoogleScope `env:"PLATEN_GOOGLE_SCOPE" default:"drive.file" help:"What users who connect in a browser are asked to allow."`
}

// A Program is one whose settings are read.
type Program string

// The programs.
const (
	ServeProgram  Program = "serve"
	WorkerProgram Program = "worker"
	DriveProgram  Program = "drive"
)

// A Reading is what the programs read of one setting.
type Reading struct {
	Flag     string
	Variable string
	Programs []Program // that read it
	IsSet    bool      // by somebody; else its default holds
	Fault    string    // why it cannot be read or used; empty: it can
}

// Read returns what each program would read, in the order of the variables: what d
// says, and all else from the environment. unknown are variables that begin with
// PLATEN_ and that known does not name.
func (d Doctor) Read(programs []Program, known func(variable string) bool) (all []Reading, unknown []string, err error) {
	byFlag := map[string]*Reading{}
	for _, p := range programs {
		read, faults, err := d.readAs(p)
		if err != nil {
			return nil, nil, fmt.Errorf("settings of %s: %w", p, err)
		}
		for _, r := range read {
			if byFlag[r.Flag] == nil {
				byFlag[r.Flag] = &r
			}
			one := byFlag[r.Flag]
			one.Programs = append(one.Programs, p)
			if at := slices.IndexFunc(faults, func(f Fault) bool { return f.Flag == r.Flag }); at >= 0 {
				one.Fault = faults[at].Message
			}
		}
	}
	for _, r := range byFlag {
		all = append(all, *r)
	}
	slices.SortFunc(all, func(a, b Reading) int { return strings.Compare(a.Variable, b.Variable) })
	for _, pair := range os.Environ() {
		variable, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(variable, "PLATEN_") && !known(variable) {
			unknown = append(unknown, variable)
		}
	}
	slices.Sort(unknown)
	return all, unknown, nil
}

// readAs reads the settings of one program.
func (d Doctor) readAs(p Program) ([]Reading, []Fault, error) {
	switch p {
	case ServeProgram:
		return readSettings(func(s *Serve) {
			s.Database, s.Secrets, s.Cloud, s.GoogleScope = d.Database, d.Secrets, d.Cloud, cmp.Or(d.GoogleScope, s.GoogleScope)
		}, d, Serve.Check)
	case WorkerProgram:
		return readSettings(func(w *Work) {
			w.Database, w.Secrets, w.Cloud, w.Temporal, w.Queue = d.Database, d.Secrets, d.Cloud, d.Temporal, d.Queue
		}, d, Work.Check)
	case DriveProgram:
		return readSettings(func(s *DriveServer) { s.Database = d.Database }, d, DriveServer.Check)
	}
	return nil, nil, fmt.Errorf("there is no program %q; take %s, %s or %s", p, ServeProgram, WorkerProgram, DriveProgram)
}

func readSettings[T any](overrule func(*T), d Doctor, check func(T) error) ([]Reading, []Fault, error) {
	var settings T
	parser, err := kong.New(&settings, kong.Exit(func(int) {}))
	if err != nil {
		return nil, nil, err
	}
	if _, err := parser.Parse(nil); err != nil {
		return nil, nil, err
	}
	overrule(&settings)
	given := d.given()
	var all []Reading
	for _, flag := range parser.Model.Flags {
		if len(flag.Envs) == 0 {
			continue
		}
		_, set := os.LookupEnv(flag.Envs[0])
		all = append(all, Reading{Flag: flag.Name, Variable: flag.Envs[0], IsSet: set || given[flag.Name]})
	}
	faults := check(settings)
	found := Faults(faults)
	if faults != nil && len(found) == 0 {
		return nil, nil, faults
	}
	return all, found, nil
}

// given are the flags that d has otherwise than by default.
func (d Doctor) given() map[string]bool {
	defaults := Defaults[Doctor]()
	return map[string]bool{
		"database-url": d.DatabaseURL != "", "secret-keys": d.SecretKeys != "", "drive-kind": d.DriveKind != "", "drive-endpoint": d.DriveEndpoint != "",
		"service-account-file": d.ServiceAccountFile != "", "oauth-client-id": d.OAuthClientID != "", "oauth-client-secret": d.OAuthClientSecret != "", "oauth-endpoint": d.OAuthEndpoint != "",
		"temporal-address": d.TemporalAddress != defaults.TemporalAddress, "temporal-namespace": d.TemporalNamespace != defaults.TemporalNamespace,
		"temporal-tls": d.TemporalTLS.Value(), "temporal-api-key": d.TemporalAPIKey != "", "temporal-tls-ca-file": d.TemporalCAFile != "", "temporal-tls-cert-file": d.TemporalCertFile != "",
		"temporal-tls-key-file": d.TemporalKeyFile != "", "temporal-tls-server-name": d.TemporalServerName != "", "queue": d.Queue != defaults.Queue, "google-scope": d.GoogleScope != defaults.GoogleScope,
		"allow-unsafe-durability": d.AllowUnsafeDurability.Value(),
	}
}
