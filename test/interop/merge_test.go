package interop

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"reflect"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit/standin"
)

// clientsVariable names the environment variable with the directory that has
// the clients in its node_modules.
const clientsVariable = "PLATEN_CLIENTS"

// merge is what merge.mjs tells.
type merge struct {
	Type        string
	Found       []bool
	Occurrences int
	Filled      bool
	PDF         string
	Permission  string
	Gone        int
}

func TestGooglesClientsForNodeMakeAMerge(t *testing.T) {
	dir := os.Getenv(clientsVariable)
	if dir == "" {
		t.Skipf("%s does not name a directory with Google's clients; make clients fetches them and runs this", clientsVariable)
	}
	for _, c := range []struct{ kind, file, tag, value string }{
		{"document", "letter.docx", "{{Season}}", "Zoë & \"Co\" <3"},
		{"presentation", "offer.pptx", "{{Offer Number}}", "Zoë Ångström 😀"},
	} {
		t.Run(c.kind, func(t *testing.T) {
			google := standin.New(t)
			ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
			defer stop()
			node := exec.CommandContext(ctx, "node", "merge.mjs", c.kind, "../../examples/"+c.file, c.tag, c.value)
			node.Env = append(append(os.Environ(), google.Environment()...),
				"CLIENTS="+dir, "SERVICE_ACCOUNT="+google.ServiceAccount, "REFRESH_TOKEN="+google.RefreshToken)
			node.Stderr = os.Stderr
			out, err := node.Output()
			if err != nil {
				t.Fatalf("merge: %v\nrequests: %q", err, google.Requests())
			}
			var got merge
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			want := merge{
				Type: "application/vnd.google-apps." + c.kind, Found: []bool{true}, Occurrences: got.Occurrences,
				Filled: true, PDF: "%PDF-", Permission: "anyoneWithLink", Gone: 404,
			}
			if !reflect.DeepEqual(got, want) || got.Occurrences < 1 {
				t.Errorf("got %+v, want %+v with at least one occurrence", got, want)
			}
		})
	}
}
