package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestASessionEndsWithItsToken(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant("Mine")
	now := time.Now()
	b := x.console(t, func(o *console.SiteOptions) { o.Now = func() time.Time { return now } }).signIn(me.Token)
	b.get("/").is(200)
	for name, c := range b.cookies {
		if !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || !strings.HasPrefix(name, "__Host-") || strings.Contains(c.Value, me.Token) {
			t.Errorf("the cookie is %+v", c)
		}
	}
	kept := map[string]*http.Cookie{}
	for name, c := range b.cookies {
		kept[name] = c
	}
	_, err := x.Owner.Exec(t.Context(), `UPDATE tokens SET revoked_at = now() WHERE user_id = $1`, me.User.ID)
	x.Must(err)
	run := "/console/workflows/" + me.IDs["workflow"] + "/runs/" + me.IDs["automation"] + "/"
	a := b.get(run).is(http.StatusSeeOther)
	if want := "/console/sign-in?next=" + url.QueryEscape(run); a.header.Get("Location") != want || len(b.cookies) != 0 {
		t.Errorf("leads to %q with %v, want %s without a cookie", a.header.Get("Location"), b.cookies, want)
	}
	_, err = x.Owner.Exec(t.Context(), `UPDATE tokens SET revoked_at = NULL WHERE user_id = $1`, me.User.ID)
	x.Must(err)
	b.cookies = kept
	b.get(run).is(200)
	now = now.Add(console.SessionTime)
	b.get(run).is(http.StatusSeeOther)
}

func TestSigningInAndOut(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t)
	b.get("/").is(http.StatusSeeOther)
	b.get("/console/sign-in?next=/console/workflows/").is(200).shows(`value="/console/workflows/"`)
	for _, wrong := range []string{"", "plt_1", memory.NobodyToken, strings.Repeat("x", 600)} {
		b.open("POST", "/console/sign-in", url.Values{"token": {wrong}}).is(http.StatusForbidden).shows(`role="alert"`)
	}
	b.open("POST", "/console/sign-in", url.Values{"token": {strings.Repeat("x", 10_000)}}).is(http.StatusBadRequest)
	for next, want := range map[string]string{"/console/workflows/": "/console/workflows/", "//evil.test": "/", "https://evil.test": "/", "/console/..//evil.test": "/", `/console/\evil.test`: "/"} {
		a := b.open("POST", "/console/sign-in", url.Values{"token": {" " + memory.AdaToken + "\n"}, "next": {next}}).is(http.StatusSeeOther)
		if got := a.header.Get("Location"); got != want {
			t.Errorf("next %q leads to %q, want %q", next, got, want)
		}
	}
	b.get("/").is(200).shows("Ada")
	b.open("POST", "/console/sign-out", nil).is(http.StatusSeeOther)
	b.get("/").is(http.StatusSeeOther)
	b.cookies["__Host-platen_session"] = &http.Cookie{Name: "__Host-platen_session", Value: "bm90IHNlYWxlZA"}
	b.get("/").is(http.StatusSeeOther)
}

func TestARefusedSignInSaysWhatToDo(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t)
	for _, wrong := range []string{"", "plt_1", memory.NobodyToken} {
		b.open("POST", "/console/sign-in", url.Values{"token": {wrong}}).is(http.StatusForbidden).
			shows(`role="alert"`, "platen token create --user").lacks("Authorization", "the header")
	}
	b.open("POST", "/console/sign-in", url.Values{"token": {memory.NobodyToken}}).shows("This token is not valid")
}
