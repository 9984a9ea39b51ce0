package console_test

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/signin"
	"github.com/platenhq/platen/internal/testkit"
)

// Users by their addresses.
type byEmail []platen.User

func (all byEmail) UserByEmail(_ context.Context, email string) (platen.User, error) {
	for _, u := range all {
		if strings.EqualFold(u.Email, email) {
			return u, nil
		}
	}
	return platen.User{}, platen.Errorf(platen.KindNotFound, "user_not_found", "nobody has it")
}

// An auditBook keeps what is recorded.
type auditBook []platen.AuditEntry

func (b *auditBook) Record(_ context.Context, e platen.AuditEntry) error {
	*b = append(*b, e)
	return nil
}

// signsIn is the console with a provider, and a browser that goes there and back.
func (x *harness) signsIn(t *testing.T, book *auditBook, users ...platen.User) (*browser, *testkit.OpenID) {
	t.Helper()
	o := testkit.NewOpenID(t)
	b := x.console(t, func(s *console.SiteOptions) {
		s.Provider = signin.New(signin.Options{Issuer: o.URL, ClientID: o.ClientID, ClientSecret: o.ClientSecret, RedirectURL: "https://api.test" + console.ProviderCallback})
		s.ProviderName, s.Users, s.Audit = "Example Inc.", byEmail(users), book
		s.Client = func(*http.Request) netip.Addr { return netip.MustParseAddr("192.0.2.7") }
	})
	return b, o
}

// there follows the console's redirect to the provider, and returns where that sends the
// browser back.
func there(t *testing.T, from answer) string {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Get(from.header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	to, err := answer.Location()
	if err != nil {
		t.Fatal(err)
	}
	return to.RequestURI()
}

func TestAUserSignsInAtTheProviderAndSeesTheirOwn(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	var book auditBook
	b, o := x.signsIn(t, &book, x.ada())
	o.Claim(map[string]any{"email": strings.ToUpper(x.ada().Email), "email_verified": true})
	page := b.open(http.MethodGet, "/console/sign-in?next=%2Fconsole%2Fworkflows%2F", nil)
	if want := `href="/console/sign-in/provider?next=%2Fconsole%2Fworkflows%2F">Sign in with Example Inc.</a>`; !strings.Contains(page.body, want) {
		t.Fatalf("no way to the provider in %s", page.body)
	}
	back := there(t, b.open(http.MethodGet, "/console/sign-in/provider?next=%2Fconsole%2Fworkflows%2F", nil))
	in := b.open(http.MethodGet, back, nil, "Sec-Fetch-Site", "cross-site")
	if in.status != http.StatusSeeOther || in.header.Get("Location") != "/console/workflows/" {
		t.Fatalf("got %d to %s, want the page that was asked for: %s", in.status, in.header.Get("Location"), in.body)
	}
	if got := b.open(http.MethodGet, "/console/workflows/", nil); got.status != http.StatusOK || !strings.Contains(got.body, x.ada().Name) {
		t.Errorf("got %d %s, want the workflows of %s", got.status, got.body, x.ada().Name)
	}
	if len(book) != 1 || book[0].Action != "GET /console/sign-in/callback" || book[0].Actor.ID != x.ada().ID || book[0].Actor.Address.String() != "192.0.2.7" || book[0].OwnerID != x.ada().ID || book[0].Outcome != platen.AuditDone {
		t.Errorf("the audit: got %+v, want the sign-in", book)
	}
	if again := b.open(http.MethodGet, back, nil); again.status != http.StatusBadRequest {
		t.Errorf("the same answer of the provider again: got %d, want 400", again.status)
	}
}

func TestSignInsOfOneAddressAreLimited(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	o := testkit.NewOpenID(t)
	b := x.console(t, func(s *console.SiteOptions) {
		s.Provider = signin.New(signin.Options{Issuer: o.URL, ClientID: o.ClientID, ClientSecret: o.ClientSecret, RedirectURL: "https://api.test" + console.ProviderCallback})
		s.ProviderName, s.Users = "Example Inc.", byEmail{x.ada()}
		s.ProviderLimit = func(http.Header, *http.Request) error { return errors.New("too many") }
	})
	back := there(t, b.open(http.MethodGet, "/console/sign-in/provider", nil))
	if got := b.open(http.MethodGet, back, nil); got.status != http.StatusTooManyRequests || !strings.Contains(got.body, "in a moment") {
		t.Errorf("one too many: got %d %s, want 429", got.status, got.body)
	}
}

func TestNobodyElseIsLetInByTheProvider(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	verified := map[string]any{"email": x.ada().Email, "email_verified": true}
	for name, c := range map[string]struct {
		claims map[string]any
		change func(b *browser, back string) string
		status int
		want   string
	}{
		"an address that nobody has here": {map[string]any{"email": "eve@example.com", "email_verified": true}, nil, 403, "nobody here has this e-mail address"},
		"an address that is not verified": {map[string]any{"email": x.ada().Email}, nil, 403, "not verified"},
		"an account that is gone":         {map[string]any{"email": "gone@example.com", "email_verified": true}, nil, 403, "not known"},
		"a token of another sign-in":      {map[string]any{"email": x.ada().Email, "email_verified": true, "nonce": "x"}, nil, 503, "could not be checked"},
		"the answer to another browser":   {verified, func(b *browser, back string) string { clear(b.cookies); return back }, 400, "another browser"},
		"a refusal": {verified, func(_ *browser, back string) string {
			u, _ := url.Parse(back)
			q := u.Query()
			q.Set("error", "access_denied")
			return u.Path + "?" + q.Encode()
		}, 400, "not signed in there"},
		"a code that the provider forgot": {verified, func(_ *browser, back string) string {
			u, _ := url.Parse(back)
			q := u.Query()
			q.Set("code", "x")
			return u.Path + "?" + q.Encode()
		}, 403, "not accepted"},
		"a state that was made up": {verified, func(_ *browser, back string) string {
			u, _ := url.Parse(back)
			q := u.Query()
			q.Set("state", "x")
			return u.Path + "?" + q.Encode()
		}, 400, "another browser"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var book auditBook
			b, o := x.signsIn(t, &book, x.ada(), platen.User{ID: "usr_goneGoneGoneGone", Email: "gone@example.com"})
			o.Claim(c.claims)
			back := there(t, b.open(http.MethodGet, "/console/sign-in/provider", nil))
			if c.change != nil {
				back = c.change(b, back)
			}
			got := b.open(http.MethodGet, back, nil, "Sec-Fetch-Site", "cross-site")
			if got.status != c.status || !strings.Contains(got.body, c.want) {
				t.Errorf("got %d, want %d and %q: %s", got.status, c.status, c.want, got.body)
			}
			if refused := name == "an account that is gone"; refused != (len(book) == 1) || refused && book[0].Outcome == platen.AuditDone {
				t.Errorf("the audit: got %+v, want the refusal of a user alone", book)
			}
			if home := b.open(http.MethodGet, "/", nil); home.status != http.StatusSeeOther {
				t.Errorf("somebody is signed in: %d", home.status)
			}
		})
	}
}
