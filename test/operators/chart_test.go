// Package operators_test checks what operators load into programs of other people, with
// the parts of these programs that read it: the chart with Helm and the types of
// Kubernetes, alert rules and dashboards with Prometheus.
//
// It is a module of its own, so that the product depends on none of them. What can be
// checked without them is checked in deploy.
package operators_test

import (
	"fmt"
	"net"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"
)

// rendered are the objects of the chart, by "Kind name".
type rendered map[string]any

// types are those that the chart may have.
var types = map[string]func() any{
	"apps/v1 Deployment":                     func() any { return &appsv1.Deployment{} },
	"autoscaling/v2 HorizontalPodAutoscaler": func() any { return &autoscalingv2.HorizontalPodAutoscaler{} },
	"batch/v1 Job":                           func() any { return &batchv1.Job{} },
	"v1 Service":                             func() any { return &corev1.Service{} },
	"networking.k8s.io/v1 Ingress":           func() any { return &networkingv1.Ingress{} },
	"networking.k8s.io/v1 NetworkPolicy":     func() any { return &networkingv1.NetworkPolicy{} },
	"policy/v1 PodDisruptionBudget":          func() any { return &policyv1.PodDisruptionBudget{} },
}

// render does as `helm template` does, and decodes what comes out; a field that
// Kubernetes does not know is an error.
func render(t *testing.T, valuesFile string) rendered {
	t.Helper()
	chart, err := loader.Load("../../deploy/helm/platen")
	if err != nil {
		t.Fatal(err)
	}
	values, err := chartutil.ReadValuesFile(valuesFile)
	if err != nil {
		t.Fatal(err)
	}
	all, err := chartutil.ToRenderValues(chart, values, chartutil.ReleaseOptions{Name: "platen", Namespace: "platen"}, chartutil.DefaultCapabilities)
	if err != nil {
		t.Fatal(err)
	}
	files, err := engine.Engine{Strict: true}.Render(chart, all)
	if err != nil {
		t.Fatal(err)
	}
	objects := rendered{}
	for name, text := range files {
		for document := range strings.SplitSeq(text, "\n---\n") {
			var head struct {
				APIVersion, Kind string
				Metadata         struct{ Name string }
			}
			if err := yaml.Unmarshal([]byte(document), &head); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, document)
			}
			if head.Kind == "" {
				continue
			}
			kind, ok := types[head.APIVersion+" "+head.Kind]
			if !ok {
				t.Fatalf("%s: %s %s is not known to this test", name, head.APIVersion, head.Kind)
			}
			object := kind()
			if err := yaml.UnmarshalStrict([]byte(document), object); err != nil {
				t.Fatalf("%s: %s: %v", name, head.Kind, err)
			}
			objects[head.Kind+" "+head.Metadata.Name] = object
		}
	}
	return objects
}

func of[T any](t *testing.T, r rendered, name string) T {
	t.Helper()
	object, ok := r[name].(T)
	if !ok {
		t.Fatalf("there is no %s", name)
	}
	return object
}

func TestEachValueSetIsAcceptedByTheTypesOfKubernetes(t *testing.T) {
	sets, err := filepath.Glob("values/*.yaml")
	if err != nil || len(sets) < 5 {
		t.Fatalf("got %d value sets, %v; want five", len(sets), err)
	}
	for _, set := range sets {
		t.Run(strings.TrimSuffix(filepath.Base(set), ".yaml"), func(t *testing.T) {
			r := render(t, set)
			for _, program := range []string{"serve", "worker"} {
				checkPods(t, of[*appsv1.Deployment](t, r, "Deployment platen-"+program).Spec.Template.Spec)
			}
			job := of[*batchv1.Job](t, r, "Job platen-migrate")
			checkPods(t, job.Spec.Template.Spec)
			if got := job.Annotations["helm.sh/hook"]; got != "pre-install,pre-upgrade" {
				t.Errorf("migrations run %q, want before installations and upgrades", got)
			}
			for name, object := range r {
				if d, ok := object.(*appsv1.Deployment); ok {
					checkDeployment(t, r, d)
				}
				if p, ok := object.(*networkingv1.NetworkPolicy); ok {
					checkPolicy(t, name, p)
				}
			}
		})
	}
}

// checkPods holds the restricted standard of pod security, and that no secret is a value.
// https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
func checkPods(t *testing.T, pods corev1.PodSpec) {
	t.Helper()
	if pods.AutomountServiceAccountToken == nil || *pods.AutomountServiceAccountToken {
		t.Error("pods have a token of the cluster")
	}
	volumes := map[string]corev1.Volume{}
	for _, v := range pods.Volumes {
		volumes[v.Name] = v
	}
	for _, c := range pods.Containers {
		s := c.SecurityContext
		if s == nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation || s.RunAsNonRoot == nil || !*s.RunAsNonRoot ||
			s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem || s.Capabilities == nil || !slices.Contains(s.Capabilities.Drop, "ALL") ||
			s.SeccompProfile == nil || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
			t.Errorf("%s may do more than the restricted standard allows", c.Name)
		}
		mounts := map[string]string{}
		for _, m := range c.VolumeMounts {
			if _, ok := volumes[m.Name]; !ok {
				t.Errorf("%s mounts %s, which is no volume", c.Name, m.Name)
			}
			mounts[m.MountPath] = m.Name
		}
		for _, e := range c.Env {
			file, ok := strings.CutPrefix(e.Value, "/run/secrets/platen/")
			if !ok {
				continue
			}
			items := volumes[mounts["/run/secrets/platen"]].Secret.Items
			if !slices.ContainsFunc(items, func(i corev1.KeyToPath) bool { return i.Path == file }) {
				t.Errorf("%s: nothing mounts %s for %s", c.Name, file, e.Name)
			}
		}
	}
}

func checkDeployment(t *testing.T, r rendered, d *appsv1.Deployment) {
	t.Helper()
	labels := d.Spec.Selector.MatchLabels
	if !reflect.DeepEqual(labels, d.Spec.Template.Labels) {
		t.Errorf("%s selects %v, but its pods are %v", d.Name, labels, d.Spec.Template.Labels)
	}
	c := d.Spec.Template.Spec.Containers[0]
	for what, probe := range map[string]*corev1.Probe{"startup": c.StartupProbe, "liveness": c.LivenessProbe, "readiness": c.ReadinessProbe} {
		if probe == nil || probe.HTTPGet == nil || !hasPort(c, probe.HTTPGet.Port) {
			t.Errorf("%s has no %s probe at one of its ports: %+v", d.Name, what, probe)
		}
	}
	if c.Resources.Limits.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero() {
		t.Errorf("%s: got %+v, want a limit of memory and a request of processors", d.Name, c.Resources)
	}
	if len(d.Spec.Template.Spec.TopologySpreadConstraints) == 0 {
		t.Errorf("%s is not spread over nodes", d.Name)
	}
	budget := of[*policyv1.PodDisruptionBudget](t, r, "PodDisruptionBudget "+d.Name)
	if !reflect.DeepEqual(budget.Spec.Selector.MatchLabels, labels) {
		t.Errorf("the budget of %s is for %v", d.Name, budget.Spec.Selector.MatchLabels)
	}
	scaler, scaled := r["HorizontalPodAutoscaler "+d.Name].(*autoscalingv2.HorizontalPodAutoscaler)
	if scaled == (d.Spec.Replicas != nil) || scaled && (scaler.Spec.ScaleTargetRef.Name != d.Name || *scaler.Spec.MinReplicas < 2) {
		t.Errorf("%s: has both a number of replicas and a scaler, or neither, or one for something else", d.Name)
	}
	if service, ok := r["Service "+d.Name].(*corev1.Service); ok {
		for _, p := range service.Spec.Ports {
			if !hasPort(c, p.TargetPort) {
				t.Errorf("the service %s leads to %v, which no container has", d.Name, p.TargetPort)
			}
		}
	}
}

func hasPort(c corev1.Container, port intstr.IntOrString) bool {
	return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.Name == port.String() })
}

// checkPolicy: nobody may ask the service that describes a cloud's machine.
func checkPolicy(t *testing.T, name string, p *networkingv1.NetworkPolicy) {
	t.Helper()
	if len(p.Spec.PolicyTypes) != 2 || len(p.Spec.Ingress) == 0 || len(p.Spec.Egress) == 0 {
		t.Errorf("%s: does not say what may come and go", name)
	}
	metadata := net.ParseIP("169.254.169.254")
	for _, rule := range p.Spec.Egress {
		for _, to := range rule.To {
			if to.IPBlock == nil {
				continue
			}
			_, block, err := net.ParseCIDR(to.IPBlock.CIDR)
			if err != nil {
				t.Fatal(err)
			}
			isExcepted := slices.ContainsFunc(to.IPBlock.Except, func(cidr string) bool {
				_, except, err := net.ParseCIDR(cidr)
				return err == nil && except.Contains(metadata)
			})
			if block.Contains(metadata) && !isExcepted {
				t.Errorf("%s lets %v reach %v", name, p.Spec.PodSelector.MatchLabels, metadata)
			}
		}
	}
}

func TestAnIngressLeadsToPortsOfServices(t *testing.T) {
	r := render(t, "values/large.yaml")
	ingress := of[*networkingv1.Ingress](t, r, "Ingress platen")
	var got []string
	for _, rule := range ingress.Spec.Rules {
		for _, path := range rule.HTTP.Paths {
			to := path.Backend.Service
			service := of[*corev1.Service](t, r, "Service "+to.Name)
			if !slices.ContainsFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Name == to.Port.Name }) {
				t.Errorf("%s leads to %s:%s, which is no port of it", rule.Host, to.Name, to.Port.Name)
			}
			got = append(got, fmt.Sprintf("%s%s → %s:%s", rule.Host, path.Path, to.Name, to.Port.Name))
		}
	}
	want := []string{"api.example.com/ → platen-serve:api", "drive.example.com/ → platen-drive:drive", "hooks.example.com/ → platen-serve:hooks"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(ingress.Spec.TLS) != 1 || len(ingress.Spec.TLS[0].Hosts) != 3 {
		t.Errorf("got %+v, want one certificate for three hosts", ingress.Spec.TLS)
	}
}

func TestTheDriveMayReachPostgresAlone(t *testing.T) {
	p := of[*networkingv1.NetworkPolicy](t, render(t, "values/large.yaml"), "NetworkPolicy platen-drive")
	var to []string
	for _, rule := range p.Spec.Egress {
		for _, peer := range rule.To {
			to = append(to, peer.IPBlock.CIDR)
		}
		if len(rule.To) == 0 && (len(rule.Ports) != 2 || rule.Ports[0].Port.IntValue() != 53) {
			t.Errorf("the drive may reach anything at %+v", rule.Ports)
		}
	}
	if want := []string{"10.20.0.0/24"}; !slices.Equal(to, want) {
		t.Errorf("the drive may reach %v, want %v", to, want)
	}
}

func TestErasuresAreKeptWhereAClaimIs(t *testing.T) {
	worker := of[*appsv1.Deployment](t, render(t, "values/large.yaml"), "Deployment platen-worker").Spec.Template.Spec
	found := false
	for _, e := range worker.Containers[0].Env {
		found = found || e.Name == "PLATEN_ERASURES_FILE" && strings.HasPrefix(e.Value, worker.Containers[0].VolumeMounts[len(worker.Containers[0].VolumeMounts)-1].MountPath+"/")
	}
	if !found {
		t.Errorf("the worker does not keep erasures on its claim: %+v", worker.Containers[0])
	}
}
