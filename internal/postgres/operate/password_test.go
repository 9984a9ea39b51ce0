package operate_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/operate"
)

func TestStatementsThatMakeLoginsHoldNoPassword(t *testing.T) {
	t.Parallel()
	const password = "correct horse battery staple"
	sql := operate.RolesSQL("platen", "owner", []operate.Login{{Name: "platen_work", Password: password, Parts: []postgres.Part{postgres.PartWork}}})
	if strings.Contains(sql, password) || !strings.Contains(sql, "PASSWORD E'SCRAM-SHA-256$4096:") {
		t.Errorf("got %s, want what a server keeps of the password", sql)
	}
}
