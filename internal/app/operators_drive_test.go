package app

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
)

// drops makes a workflow of a file, as a browser does that it was dropped in, and returns
// where that leads.
func (p person) drops(file string) string {
	p.t.Helper()
	template, err := os.ReadFile("../../examples/" + file)
	p.must(err)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("upload", file)
	p.must(err)
	_, err = part.Write(template)
	p.must(errors.Join(err, form.WriteField("once", "a key of the page"), form.Close()))
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.origin+"/console/new-workflow", &body)
	p.must(err)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err := p.client.Do(r)
	p.must(err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusSeeOther {
		shown, err := io.ReadAll(answer.Body)
		p.t.Fatalf("drop %s: got %s: %s, %v", file, answer.Status, shown, err)
	}
	return answer.Header.Get("Location")
}

func TestAUserOfTheOperatorsPageDropsAFileAtOnce(t *testing.T) {
	t.Parallel()
	listener := testkit.Listen(t)
	o := openOfficeBy(t, true, listener)
	parts := testkit.NewParts(t)
	parts.Start(parts.Running, t, "drive", func(ready func()) error {
		c := config.Defaults[config.DriveServer]()
		c.Database = config.Database{DatabaseURL: o.pool.Config().ConnString()}
		return Drive(parts.Running, c, slog.New(slog.DiscardHandler), listener, ready)
	})
	_, full := o.operator("op@example.com")
	op := o.signsIn(full)
	const users = operatorPages + "users/"
	user := op.post(users, "name", "Ada", "email", "ada@example.com")
	if page := op.get(user, "Connected by <code>token</code>"); strings.Contains(page, "Make a drive") {
		t.Errorf("the page of a user with a drive offers another: %s", page)
	}
	token, err := o.CreateToken(t.Context(), "ada@example.com", "first", time.Hour)
	o.must(err)
	ada := o.signsIn(token)
	ada.get(ada.drops("letter.docx"), "letter", "ready")

	// Once is enough, and who is there already gets one, too.
	op.refused(409, "has a drive already", user+"drive")
	bobID, text := o.user("bob@example.com")
	op.get(users+bobID+"/", "No drive is connected", "Make a drive for the user")
	op.post(users + bobID + "/drive")
	o.signsIn(text).drops("letter.docx")
	if n := o.count(`SELECT count(*) FROM audit WHERE action = 'POST /console/operator/users/{user}/drive' AND owner_id = $1 AND outcome = 'done'`, bobID); n != 1 {
		t.Errorf("%d entries in Bob's audit, want 1", n)
	}
	second, _ := o.operator("two@example.com")
	op.refused(403, "platen user connect", users+second+"/drive")
}

// The files of an account may be somebody else's, so the page connects new accounts alone.
func TestAnAccountThatTheDriveHasIsConnectedByACommandAlone(t *testing.T) {
	t.Parallel()
	o := openOffice(t, true)
	_, err := store.New(o.pool).CreateUser(t.Context(), "Somebody", "ADA@example.com")
	o.must(err)
	_, full := o.operator("op@example.com")
	op := o.signsIn(full)
	op.refused(409, "The drive has an account with the address ada@example.com already", operatorPages+"users/", "name", "Ada", "email", "ada@example.com")
	var id string
	o.must(o.pool.QueryRow(t.Context(), `SELECT id FROM users WHERE email = 'ada@example.com'`).Scan(&id))
	op.get(operatorPages+"users/"+id+"/", "No drive is connected")
	if n := o.count(`SELECT count(*) FROM drive_connections`) + o.count(`SELECT count(*) FROM drive.tokens`); n != 0 {
		t.Errorf("%d connections and tokens, want none", n)
	}
	if _, err := o.DB.Connections.DriveConnection(t.Context(), id); platen.KindOf(err) != platen.KindForbidden {
		t.Errorf("got %v, want that no drive is connected", err)
	}
}
