// Package deploy_test checks the files of this folder as far as that goes
// without a container engine: their syntax, and that they name programs,
// commands and settings that exist.
package deploy_test

import (
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"gopkg.in/yaml.v3"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/secret"
)

type compose struct {
	Services map[string]struct {
		Image       string            `yaml:"image"`
		Command     []string          `yaml:"command"`
		Environment map[string]string `yaml:"environment"`
		DependsOn   yaml.Node         `yaml:"depends_on"`
		Build       struct {
			Dockerfile string `yaml:"dockerfile"`
			Target     string `yaml:"target"`
		} `yaml:"build"`
	} `yaml:"services"`
	Volumes map[string]any `yaml:"volumes"`
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
	var c compose
	if err := yaml.Unmarshal([]byte(read(t, "compose.yaml")), &c); err != nil {
		t.Fatal(err)
	}
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
			if strings.HasPrefix(variable, "PLATEN_") && !slices.Contains(settings, variable) {
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

// Whoever takes one program over gets what that program has.
func TestEachProgramOfComposeHasALoginOfItsOwnAndNoSecretThatItDoesNotUse(t *testing.T) {
	t.Parallel()
	var c compose
	if err := yaml.Unmarshal([]byte(read(t, "compose.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	logins := map[string]string{"temporal": c.Services["temporal"].Environment["POSTGRES_USER"]}
	for _, name := range []string{"serve", "worker", "drive", "migrate"} {
		u, err := url.Parse(valueByDefault(c.Services[name].Environment["PLATEN_DATABASE_URL"]))
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
	for _, name := range []string{"drive", "migrate", "roles", "temporal", "temporal-ui", "postgres"} {
		if _, ok := c.Services[name].Environment["PLATEN_SECRET_KEYS"]; ok {
			t.Errorf("%s gets the secret keys, which it does not use", name)
		}
	}
	for _, name := range []string{"serve", "worker", "drive"} {
		if c.Services[name].Environment["PLATEN_REQUIRE_ROLES"] != "true" {
			t.Errorf("%s starts with any login", name)
		}
	}
}

// valueByDefault is what a variable of compose comes to where nobody sets those that it
// refers to: their defaults, and a key for the one that has none.
func valueByDefault(value string) string {
	return regexp.MustCompile(`\$\{[A-Z_]+:[^}]*\}`).ReplaceAllStringFunc(value, func(reference string) string {
		name, rest, _ := strings.Cut(strings.Trim(reference, "${}"), ":")
		if fallback, ok := strings.CutPrefix(rest, "-"); ok {
			return fallback
		}
		if name == "PLATEN_SECRET_KEYS" {
			return secret.NewKey()
		}
		return "stated"
	})
}

// configure reads settings as a program does in this environment.
func configure[T any](t *testing.T, environment map[string]string) (c T) {
	t.Helper()
	fromEnvironment := kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		for _, name := range flag.Envs {
			if value, ok := environment[name]; ok {
				return valueByDefault(value), nil
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
	var c compose
	if err := yaml.Unmarshal([]byte(read(t, "compose.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"serve", "worker"} {
		// As printed, without what the endpoint alone says.
		if kind := c.Services[name].Environment["PLATEN_DRIVE_KIND"]; kind != "platen" && kind != "google" {
			t.Errorf("service %s: got PLATEN_DRIVE_KIND %q, want google or platen", name, kind)
		}
	}
	for name, err := range map[string]error{
		"serve":   configure[config.Serve](t, c.Services["serve"].Environment).Check(),
		"worker":  configure[config.Work](t, c.Services["worker"].Environment).Check(),
		"drive":   configure[config.DriveServer](t, c.Services["drive"].Environment).Check(),
		"migrate": configure[config.Migrate](t, c.Services["migrate"].Environment).Check(),
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
