package lifecycle

import (
	"maps"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/installation"
	"github.com/platenhq/platen/internal/testkit/program"
)

// A backup of an installation with a login for each program goes into a cluster that has
// no roles, and the login of each program works there.
func TestABackupGoesIntoANewCluster(t *testing.T) {
	t.Parallel()
	versions := testkit.Installed(t)
	if len(versions) == 0 {
		t.Skip("there is no Postgres in the usual places: make tools")
	}
	dumps, err := exec.LookPath("pg_dump")
	if err != nil {
		t.Skip("there is no pg_dump: make tools")
	}
	programs := versions[slices.Min(slices.Collect(maps.Keys(versions)))] // pg_dump refuses a server that is newer
	t.Logf("Postgres of %s, %s", programs, dumps)
	binary, dir := program.Built(t, "platen"), program.Dir(t, "platen-cluster")
	const name = "letters"
	// at is an installation whose database is in a cluster.
	at := func(cluster *url.URL) (settings []string) {
		for program, login := range map[string]string{"": name, "SERVE_": name + "_serve", "WORKER_": name + "_worker", "DRIVE_": name + "_files"} {
			address := *cluster
			address.User, address.Path = url.UserPassword(login, "secret-"+login), "/"+name
			settings = append(settings, "PLATEN_"+program+"DATABASE_URL="+address.String())
		}
		return append(settings, "PASSWORD=secret-"+name, "TEXTFILES="+dir, "PLATEN_SECRET_KEYS="+operate(t, binary, nil, "key"))
	}
	var clusters [2]*url.URL
	for i := range clusters {
		address, err := url.Parse(testkit.Postgres(t, programs).URL)
		if err != nil {
			t.Fatal(err)
		}
		clusters[i] = address
	}
	printed := func(heading string) string {
		return "platen() { " + binary + " \"$@\"; }\n" + commands(t, heading,
			"ROLE platen ", "ROLE "+name+" ", "createdb platen --owner platen", "createdb "+name+" --owner "+name,
			"psql --quiet platen", "psql --quiet --set=ON_ERROR_STOP=1 "+name)
	}
	first := at(clusters[0])
	made, _, _ := strings.Cut(printed("Put Postgres back into a new cluster"), "pg_restore ")
	installation.Shell(t, dir, clusters[0].String(), made+"platen migrate\nplaten roles\nplaten user create --name Ada --email ada@example.com\n"+printed("Back up"), first...)

	second := at(clusters[1])
	installation.Shell(t, dir, clusters[1].String(), printed("Put Postgres back into a new cluster"), second...)
	if said := operate(t, binary, second, "user", "list"); !strings.Contains(said, "ada@example.com") {
		t.Errorf("the new cluster has the users %q, want ada@example.com", said)
	}
	for _, setting := range second {
		if login, address, _ := strings.Cut(setting, "_DATABASE_URL="); login != setting && login != "PLATEN" {
			said := operate(t, binary, append(second, "PLATEN_DATABASE_URL="+address), "doctor", "--json")
			if !strings.Contains(said, "Each program has a role of its own, and row-level security is on.") {
				t.Errorf("with the login of %s the doctor says %s", login, said)
			}
		}
	}
}

// operate runs an operator's command and returns all that it prints. The doctor may find
// that Temporal is not there.
func operate(t *testing.T, binary string, settings []string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), binary, args...)
	c.Env = program.Environment(settings...)
	c.Stderr = t.Output()
	out, err := c.Output()
	if err != nil && args[0] != "doctor" {
		t.Fatalf("platen %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}
