package deploy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"text/template"

	"gopkg.in/yaml.v3"
)

// An object is one of Kubernetes, as far as it is looked at.
type object struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		Replicas int
		Template struct {
			Spec struct {
				AutomountServiceAccountToken *bool `yaml:"automountServiceAccountToken"`
				Containers                   []container
				Volumes                      []struct {
					Name   string
					Secret struct {
						Items []struct{ Key, Path string }
					}
				}
			}
		}
	}
}

type container struct {
	Name           string
	Image          string
	Args           []string
	Env            []struct{ Name, Value string }
	LivenessProbe  probe `yaml:"livenessProbe"`
	ReadinessProbe probe `yaml:"readinessProbe"`
	Resources      map[string]any

	SecurityContext struct {
		ReadOnlyRootFilesystem   bool  `yaml:"readOnlyRootFilesystem"`
		RunAsNonRoot             bool  `yaml:"runAsNonRoot"`
		AllowPrivilegeEscalation *bool `yaml:"allowPrivilegeEscalation"`
		Capabilities             struct{ Drop []string }
	} `yaml:"securityContext"`
}

type probe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

// chart renders the chart with what Helm adds to Go's templates, as far as it is used.
func chart(t *testing.T, change func(values map[string]any)) []object {
	t.Helper()
	var values map[string]any
	if err := yaml.Unmarshal([]byte(read(t, "helm/platen/values.yaml")), &values); err != nil {
		t.Fatal(err)
	}
	change(values)
	all := template.New("").Option("missingkey=error")
	all.Funcs(template.FuncMap{
		"list":  func(items ...string) []string { return items },
		"int":   func(n int) int { return n },
		"quote": func(v any) string { return fmt.Sprintf("%q", fmt.Sprint(v)) },
		"toJson": func(v any) (string, error) {
			raw, err := json.Marshal(v)
			return string(raw), err
		},
		"nindent": func(n int, text string) string {
			return "\n" + strings.Repeat(" ", n) + strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", n))
		},
		"include": func(name string, with any) (string, error) {
			var out bytes.Buffer
			err := all.ExecuteTemplate(&out, name, with)
			return out.String(), err
		},
	})
	var objects []object
	for _, name := range []string{"_container.tpl", "programs.yaml", "migrate.yaml", "network.yaml"} {
		if _, err := all.New(name).Parse(read(t, "helm/platen/templates/"+name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"programs.yaml", "migrate.yaml", "network.yaml"} {
		var out bytes.Buffer
		if err := all.ExecuteTemplate(&out, name, map[string]any{"Values": values}); err != nil {
			t.Fatal(err)
		}
		for decoder := yaml.NewDecoder(&out); ; {
			var o object
			err := decoder.Decode(&o)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if o.Kind != "" {
				objects = append(objects, o)
			}
		}
	}
	return objects
}

func TestTheChartRunsEachProgramBoundedAndProbed(t *testing.T) {
	t.Parallel()
	objects := chart(t, func(values map[string]any) {
		values["drive"].(map[string]any)["replicas"] = 1
	})
	var kinds []string
	settings := settingsOfPlaten(t)
	for _, o := range objects {
		kinds = append(kinds, o.Kind+" "+o.Metadata.Name)
		for _, c := range o.Spec.Template.Spec.Containers {
			checkContainer(t, o, c, settings)
		}
	}
	slices.Sort(kinds)
	want := []string{
		"Deployment platen-drive", "Deployment platen-serve", "Deployment platen-worker", "Job platen-migrate",
		"PodDisruptionBudget platen-drive", "PodDisruptionBudget platen-serve", "PodDisruptionBudget platen-worker", "Service platen-drive", "Service platen-serve",
	}
	if !slices.Equal(kinds, want) {
		t.Errorf("got %q, want %q", kinds, want)
	}
}

func checkContainer(t *testing.T, o object, c container, settings []string) {
	t.Helper()
	security := c.SecurityContext
	if !security.ReadOnlyRootFilesystem || !security.RunAsNonRoot || security.AllowPrivilegeEscalation == nil || *security.AllowPrivilegeEscalation || !slices.Equal(security.Capabilities.Drop, []string{"ALL"}) {
		t.Errorf("%s: may do too much: %+v", c.Name, security)
	}
	if token := o.Spec.Template.Spec.AutomountServiceAccountToken; token == nil || *token {
		t.Errorf("%s: has a token of the cluster", c.Name)
	}
	if o.Kind == "Deployment" && (c.LivenessProbe.HTTPGet.Path != "/livez" || c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.Resources["limits"] == nil) {
		t.Errorf("%s: got %+v, %+v and %v; want its probes and a limit", c.Name, c.LivenessProbe, c.ReadinessProbe, c.Resources)
	}
	for _, e := range c.Env {
		file, ok := strings.CutPrefix(e.Value, "/run/secrets/platen/")
		if name := strings.TrimSuffix(e.Name, "_FILE"); !slices.Contains(settings, name) || (name != e.Name) != ok {
			t.Errorf("%s: %s=%s is no setting", c.Name, e.Name, e.Value)
		}
		if ok && !strings.Contains(fmt.Sprint(o.Spec.Template.Spec.Volumes), "{"+file+" "+file+"}") {
			t.Errorf("%s: nothing mounts %s", c.Name, e.Value)
		}
	}
}

func TestTheChartHasNoDriveBesideGoogle(t *testing.T) {
	t.Parallel()
	for _, o := range chart(t, func(map[string]any) {}) {
		if strings.Contains(o.Metadata.Name, "drive") {
			t.Errorf("got %s %s, want no drive", o.Kind, o.Metadata.Name)
		}
	}
}

func TestTheWorkerAloneHasTheKeyOfSeals(t *testing.T) {
	t.Parallel()
	settings := settingsOfPlaten(t)
	for _, o := range chart(t, func(values map[string]any) {
		values["secretSettings"] = map[string]any{"PLATEN_SEAL_CERTIFICATE": "seal.pem"}
		values["workerSecretSettings"] = map[string]any{"PLATEN_SEAL_KEY": "seal-key.pem"}
	}) {
		for _, c := range o.Spec.Template.Spec.Containers {
			checkContainer(t, o, c, append(settings, "PLATEN_SEAL_CERTIFICATE", "PLATEN_SEAL_KEY"))
		}
		if has, want := strings.Contains(fmt.Sprint(o), "seal-key.pem"), o.Metadata.Name == "platen-worker"; has != want && o.Kind != "PodDisruptionBudget" {
			t.Errorf("%s %s: has the key: %t, want %t", o.Kind, o.Metadata.Name, has, want)
		}
	}
}
