package journey

import (
	"regexp"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit/pages"
	"github.com/platenhq/platen/internal/testkit/program"
	"github.com/platenhq/platen/internal/testkit/standin"
)

// Google's hosts are our drive here: the commands know nothing of it.
func TestTheGooglePageWorksAsPrinted(t *testing.T) {
	t.Parallel()
	google := standin.New(t)
	_, _, database := installation(t)
	dir := t.TempDir()
	page := func(headings ...string) string {
		return strings.ReplaceAll(pages.Typed(t, "docs/google.md", headings...), "PLATEN_SECRET_KEYS=…", "PLATEN_SECRET_KEYS=$KEY")
	}
	script := `set -euo pipefail
platen() { "$PLATEN" "$@"; }
cd "$DIR"
platen migrate
platen user create --name "Ada Lovelace" --email ada@example.com
export KEY="$(platen key)"
set -a
` + page("Consent screen and client") + `set +a
` + page("A user connects") + `
PLATEN_SECRET_KEYS=$KEY platen user connect --email ada@example.com --kind service_account --subject "$ACCOUNT"
` + page("Disconnect")
	said := shell(t, script, append(google.Environment(), "PLATEN="+program.Built(t, "platen"), "DIR="+dir, "PLATEN_DATABASE_URL="+database,
		"ACCOUNT="+google.Account, "PLATEN_SERVICE_ACCOUNT_FILE="+google.ServiceAccount)...)
	if want := `https://api\.example\.com/connect/google\?\S+`; !regexp.MustCompile(want).MatchString(said) {
		t.Errorf("the commands said %s, want %s in it", said, want)
	}
}
