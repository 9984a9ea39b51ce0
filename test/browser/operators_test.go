package browser

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/browser"
)

func TestThePagesOfOperatorsFitInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	office, err := app.OpenAdmin(t.Context(), i.database, i.secrets)
	if err != nil {
		t.Fatal(err)
	}
	defer office.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	const evil = `Print <script>alert(1)</script> & a name that goes on for longer than any line of a page can show at once, without an end in sight`
	must(office.SetOperator(t.Context(), ada, true))
	team, err := office.CreateTeam(t.Context(), evil)
	must(err)
	const email = "a.person.with.a.very.long.address.that.does.not.fit@subdomain.of.a.company.example.com"
	id, err := office.CreateUser(t.Context(), evil, email, team)
	must(err)
	for _, name := range []string{"browser", "shop", evil} {
		_, err := office.CreateToken(t.Context(), email, name, 30*24*time.Hour, platen.ScopeRead)
		must(err)
	}
	tokens, err := office.DB.Tokens.TokensOf(t.Context(), id)
	must(err)
	must(office.DB.Tokens.RevokeToken(t.Context(), tokens[0].ID))
	must(office.ConnectUser(t.Context(), email, platen.DriveConnection{Kind: platen.ConnectionServiceAccount, Subject: email}))
	must(office.Act(t.Context(), admin.ByCommand("platen pause"), func(ctx context.Context) error {
		_, err := office.Pause(ctx, platen.PauseUser, email, "The price list is being corrected.")
		return err
	}))
	const at = "/console/operator/"
	pages := map[string]string{
		"overview": at, "users": at + "users/", "user": at + "users/" + id + "/", "delete": at + "users/" + id + "/delete", "teams": at + "teams/", "team": at + "teams/" + team + "/",
		"connections": at + "connections/", "keys": at + "keys/", "retention": at + "retention/", "audit": at + "audit/",
	}
	for screen, o := range looked(map[string]browser.Options{"light": {}, "dark": {Dark: true}, "telephone": {Width: 390}}) {
		p := i.signIn(t, o)
		for name, path := range pages {
			p.Visit(i.origin + path)
			if p.Status() != http.StatusOK {
				t.Errorf("%s, %s: got %d, want 200", name, screen, p.Status())
			}
			p.Evaluate(`for (const d of document.querySelectorAll("details")) d.open = true; ""`)
			p.WantFit()
			wantAccessible(t, p, name+", "+screen)
			p.Shot("operator-" + name + "-" + screen)
		}
	}
	// The whole way of a token, by its buttons.
	p := i.signIn(t, browser.Options{})
	p.Press(`header a[href="/console/operator/"]`)
	p.Visit(i.origin + pages["user"])
	p.Evaluate(`for (const d of document.querySelectorAll("details")) d.open = true; ""`)
	p.Type("#name", "made in Chromium")
	p.Press(`form[action$="/tokens"] button`)
	if text := p.Text(".copy"); !strings.HasPrefix(text, platen.TokenPrefix) {
		t.Errorf("got %q, want the new token", text)
	}
	p.Press("main section a")
	p.Press(`a[href$="/disable"]`)
	p.Press("main section button")
	if text := p.Text("main"); !strings.Contains(text, "disabled") {
		t.Errorf("got %q, want that the user is disabled", text)
	}
}
