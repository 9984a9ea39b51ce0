// Package deploy_test checks the files of this folder as far as that goes
// without a container engine: their syntax, and that they name programs,
// commands and settings that exist.
package deploy_test

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"gopkg.in/yaml.v3"

	"github.com/platenhq/platen/internal/config"
)

type compose struct {
	Services map[string]struct {
		Image       string            `yaml:"image"`
		User        string            `yaml:"user"`
		Command     []string          `yaml:"command"`
		ReadOnly    bool              `yaml:"read_only"`
		CapDrop     []string          `yaml:"cap_drop"`
		CapAdd      []string          `yaml:"cap_add"`
		SecurityOpt []string          `yaml:"security_opt"`
		Memory      string            `yaml:"mem_limit"`
		Processes   int               `yaml:"pids_limit"`
		Processors  float64           `yaml:"cpus"`
		Secrets     []string          `yaml:"secrets"`
		Environment map[string]string `yaml:"environment"`
		DependsOn   yaml.Node         `yaml:"depends_on"`
		Build       struct {
			Dockerfile string `yaml:"dockerfile"`
			Target     string `yaml:"target"`
		} `yaml:"build"`
	} `yaml:"services"`
	Volumes map[string]any `yaml:"volumes"`
	Secrets map[string]struct {
		File string `yaml:"file"`
	} `yaml:"secrets"`
}

func readCompose(t *testing.T) compose {
	t.Helper()
	var c compose
	if err := yaml.Unmarshal([]byte(read(t, "compose.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func read(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestComposeHasEveryPart(t *testing.T) {
	t.Parallel()
	c := readCompose(t)
	for _, name := range []string{"postgres", "temporal", "temporal-ui", "temporal-role", "migrate", "roles", "admin", "serve", "worker", "drive"} {
		if _, ok := c.Services[name]; !ok {
			t.Errorf("compose.yaml has no service %s", name)
		}
	}
	stages := regexp.MustCompile(`(?m)^FROM \S+ AS (\S+)`).FindAllStringSubmatch(read(t, "Dockerfile"), -1)
	var targets []string
	for _, s := range stages {
		targets = append(targets, s[1])
	}
	settings := settingsOfPlaten(t)
	for name, s := range c.Services {
		if target := s.Build.Target; target != "" && !slices.Contains(targets, target) {
			t.Errorf("service %s is built from stage %s; the Dockerfile has %v", name, target, targets)
		}
		for variable := range s.Environment {
			if strings.HasPrefix(variable, "PLATEN_") && !slices.Contains(settings, strings.TrimSuffix(variable, "_FILE")) {
				t.Errorf("service %s sets %s, which no program reads", name, variable)
			}
		}
		for i := 0; i+1 < len(s.DependsOn.Content); i += 2 {
			if on := s.DependsOn.Content[i].Value; s.DependsOn.Kind == yaml.MappingNode && len(c.Services[on].Image) == 0 {
				t.Errorf("service %s depends on %s, which is not there", name, on)
			}
		}
	}
}

// Two images of others write into themselves when they start.
var writes = []string{"temporal", "temporal-ui"}

func TestEveryContainerOfComposeIsBounded(t *testing.T) {
	t.Parallel()
	release := regexp.MustCompile(`:\d+\.\d+[.0-9]*$`)
	for name, s := range readCompose(t).Services {
		if s.ReadOnly == slices.Contains(writes, name) {
			t.Errorf("%s: got read_only %v", name, s.ReadOnly)
		}
		if !slices.Equal(s.CapDrop, []string{"ALL"}) || len(s.CapAdd) > 0 {
			t.Errorf("%s: got capabilities dropped %v and added %v, want all dropped", name, s.CapDrop, s.CapAdd)
		}
		if !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s can gain privileges", name)
		}
		if s.Memory == "" || s.Processes == 0 || s.Processors == 0 {
			t.Errorf("%s: got limits of memory %q, processes %d and processors %v, want all", name, s.Memory, s.Processes, s.Processors)
		}
		if s.Image != "platen" && !release.MatchString(s.Image) { // platen is built here
			t.Errorf("%s: got image %s, want one of a release", name, s.Image)
		}
		if strings.HasPrefix(s.Image, "postgres:") && s.User != "postgres" {
			t.Errorf("%s begins as root", name)
		}
	}
}

// An attacker who takes over one program gets only what that program has.
func TestEachProgramOfComposeHasALoginOfItsOwnAndNoSecretThatItDoesNotUse(t *testing.T) {
	t.Parallel()
	c, secrets := readCompose(t), makeSecrets(t)
	logins := map[string]string{"temporal": c.Services["temporal"].Environment["POSTGRES_USER"]}
	for _, name := range []string{"serve", "worker", "drive", "migrate"} {
		u, err := url.Parse(environmentOf(t, c, name, secrets)["PLATEN_DATABASE_URL"])
		if err != nil {
			t.Fatal(err)
		}
		logins[name] = u.User.Username()
	}
	seen := map[string]string{}
	for program, login := range logins {
		if other := seen[login]; other != "" {
			t.Errorf("%s and %s have the login %s", program, other, login)
		}
		seen[login] = program
	}
	for _, name := range []string{"drive", "migrate", "roles", "temporal", "temporal-ui", "temporal-role", "postgres"} {
		if slices.Contains(c.Services[name].Secrets, "secret_keys") {
			t.Errorf("%s gets the secret keys, which it does not use", name)
		}
	}
	for _, name := range []string{"serve", "worker", "drive"} {
		if c.Services[name].Environment["PLATEN_REQUIRE_ROLES"] != "true" {
			t.Errorf("%s starts with any login", name)
		}
	}
}

// The environment of a container can be read where its files cannot.
func TestNoSecretOfComposeIsInAnEnvironment(t *testing.T) {
	t.Parallel()
	c := readCompose(t)
	for name, s := range c.Services {
		for variable, value := range s.Environment {
			if regexp.MustCompile(`PASSWORD|PWD|SECRET|KEY|_DATABASE_URL`).MatchString(variable) && !strings.HasPrefix(value, "/run/secrets/") {
				t.Errorf("%s has %s in its environment", name, variable)
			}
		}
		for _, secret := range s.Secrets {
			if c.Secrets[secret].File == "" {
				t.Errorf("%s has the secret %s, which is not there", name, secret)
			}
		}
	}
}

func TestMakingSecretsAgainKeepsThem(t *testing.T) {
	t.Parallel()
	folder := makeSecrets(t)
	before := read(t, filepath.Join(folder, "serve_database_url"))
	runSecrets(t, folder)
	if got := read(t, filepath.Join(folder, "serve_database_url")); got != before {
		t.Errorf("got %q, want %q as before", got, before)
	}
	info, err := os.Stat(folder)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the folder of secrets has mode %v, want 0700", info.Mode().Perm())
	}
}

// makeSecrets runs secrets.sh and returns the folder that it filled.
func makeSecrets(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "secrets")
	runSecrets(t, folder)
	return folder
}

func runSecrets(t *testing.T, folder string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "./secrets.sh", folder)
	command.Env = []string{"PATH=" + os.Getenv("PATH")}
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("make secrets: %v\n%s", err, out)
	}
}

// environmentOf is what a service reads: its variables, and those that files hold. A
// file is there only if the service names it among its secrets.
func environmentOf(t *testing.T, c compose, name, secrets string) map[string]string {
	t.Helper()
	environment := map[string]string{}
	for variable, value := range c.Services[name].Environment {
		environment[variable] = valueByDefault(value)
		secret, ok := strings.CutPrefix(value, "/run/secrets/")
		if !ok {
			continue
		}
		if !slices.Contains(c.Services[name].Secrets, secret) {
			t.Errorf("%s: %s is no secret of this service", name, value)
		}
		delete(environment, variable)
		file := strings.TrimPrefix(c.Secrets[secret].File, "./secrets/")
		environment[strings.TrimSuffix(variable, "_FILE")] = strings.TrimSpace(read(t, filepath.Join(secrets, file)))
	}
	return environment
}

// valueByDefault is the value of a compose variable when those that it refers to are
// unset.
func valueByDefault(value string) string {
	return regexp.MustCompile(`\$\{[A-Z_]+:-[^}]*\}`).ReplaceAllStringFunc(value, func(reference string) string {
		_, fallback, _ := strings.Cut(strings.Trim(reference, "${}"), ":-")
		return fallback
	})
}

// configure reads settings as a program does in this environment.
func configure[T any](t *testing.T, environment map[string]string) (c T) {
	t.Helper()
	fromEnvironment := kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		for _, name := range flag.Envs {
			if value, ok := environment[name]; ok {
				return value, nil
			}
		}
		return nil, nil
	})
	parser, err := kong.New(&c, kong.Resolvers(fromEnvironment))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEachProgramOfComposeStartsWithItsSettings(t *testing.T) {
	t.Parallel()
	c, secrets := readCompose(t), makeSecrets(t)
	for _, name := range []string{"serve", "worker"} {
		// As printed, without what the endpoint alone says.
		if kind := c.Services[name].Environment["PLATEN_DRIVE_KIND"]; kind != "platen" && kind != "google" {
			t.Errorf("service %s: got PLATEN_DRIVE_KIND %q, want google or platen", name, kind)
		}
	}
	for name, err := range map[string]error{
		"serve":   configure[config.Serve](t, environmentOf(t, c, "serve", secrets)).Check(),
		"worker":  configure[config.Work](t, environmentOf(t, c, "worker", secrets)).Check(),
		"drive":   configure[config.DriveServer](t, environmentOf(t, c, "drive", secrets)).Check(),
		"migrate": configure[config.Migrate](t, environmentOf(t, c, "migrate", secrets)).Check(),
	} {
		if got := c.Services[name].Command; len(got) != 1 || got[0] != name {
			t.Errorf("service %s: got command %q", name, got)
		}
		if err != nil {
			t.Errorf("service %s: %v", name, err)
		}
	}
}

func TestDockerfileRunsAsAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	text := read(t, "Dockerfile")
	instruction := regexp.MustCompile(`^(FROM|HEALTHCHECK|WORKDIR|COPY|RUN|ENV|USER|VOLUME|EXPOSE|ENTRYPOINT) \S`)
	user := ""
	continued := false
	for n, line := range strings.Split(text, "\n") {
		switch {
		case continued, line == "", strings.HasPrefix(line, "#"):
		case !instruction.MatchString(line):
			t.Errorf("Dockerfile:%d: %q is no instruction", n+1, line)
		case strings.HasPrefix(line, "FROM "):
			user = ""
		case strings.HasPrefix(line, "USER "):
			user = strings.TrimPrefix(line, "USER ")
		case strings.HasPrefix(line, "ENTRYPOINT ") && (user == "" || user == "root"):
			t.Errorf("Dockerfile:%d: the stage ends as root", n+1)
		}
		continued = strings.HasSuffix(line, `\`)
	}
}

// settingsOfPlaten are the environment variables that internal/config names.
func settingsOfPlaten(t *testing.T) []string {
	t.Helper()
	var settings []string
	for _, m := range regexp.MustCompile(`env:"(PLATEN_[A-Z_]+)"`).FindAllStringSubmatch(read(t, "../internal/config/config.go"), -1) {
		settings = append(settings, m[1])
	}
	if len(settings) == 0 {
		t.Fatal("internal/config/config.go names no variable")
	}
	return settings
}

func TestAutomationsOfTheContainersLinkToTemporalsUI(t *testing.T) {
	t.Parallel()
	serve := readCompose(t).Services["serve"]
	if got := serve.Environment["PLATEN_TEMPORAL_UI_URL"]; !strings.Contains(got, "8233") {
		t.Errorf("serve has %q as the address of Temporal's UI, want the port that compose.yaml opens", got)
	}
}
