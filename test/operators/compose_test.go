package operators_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	compose "github.com/compose-spec/compose-go/v2/types"
)

// The parser of docker compose reads the file as it is shipped, and every secret that it
// names is one that deploy/secrets.sh makes.
func TestDockerComposeReadsItsFile(t *testing.T) {
	const file = "../../deploy/compose.yaml"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	project, err := loader.LoadWithContext(t.Context(), compose.ConfigDetails{
		WorkingDir: dir, ConfigFiles: []compose.ConfigFile{{Filename: file, Content: raw}}, Environment: compose.Mapping{},
	}, func(o *loader.Options) { o.SetProjectName("platen", false) })
	if err != nil {
		t.Fatal(err)
	}
	names := project.ServiceNames()
	for _, want := range []string{"postgres", "temporal", "migrate", "serve", "worker", "drive"} {
		if !slices.Contains(names, want) {
			t.Errorf("services: got %v, want %s among them", names, want)
		}
	}
	for name, service := range project.Services {
		for _, secret := range service.Secrets {
			if _, ok := project.Secrets[secret.Source]; !ok {
				t.Errorf("%s uses the secret %s, which the file does not define", name, secret.Source)
			}
		}
		for on := range service.DependsOn {
			if !slices.Contains(names, on) {
				t.Errorf("%s depends on %s, which is no service", name, on)
			}
		}
	}
}
