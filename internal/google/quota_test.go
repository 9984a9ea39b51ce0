package google_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	docsapi "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
)

// budgets note what is asked for and settled.
type budgets struct {
	refuse  error
	asked   []platen.QuotaTicket
	settled []platen.Usage
	owners  []string // of what was settled
	kept    []platen.Usage
	refused []string
}

func (b *budgets) Take(_ context.Context, t platen.QuotaTicket) error {
	b.asked = append(b.asked, t)
	return b.refuse
}

func (b *budgets) TakeNow(ctx context.Context, t platen.QuotaTicket) error     { return b.Take(ctx, t) }
func (b *budgets) TakePreview(ctx context.Context, t platen.QuotaTicket) error { return b.Take(ctx, t) }

func (b *budgets) Settle(_ context.Context, t platen.QuotaTicket, used, kept platen.Usage) error {
	b.owners = append(b.owners, t.OwnerID)
	b.settled, b.kept = append(b.settled, used), append(b.kept, kept)
	return nil
}

func (b *budgets) Refused(_ context.Context, _ platen.QuotaAccount, kind platen.QuotaKind, project bool) error {
	whose := "account"
	if project {
		whose = "project"
	}
	b.refused = append(b.refused, map[platen.QuotaKind]string{platen.DocsWrites: "docs writes", platen.DriveUnits: "drive"}[kind]+" of the "+whose)
	return nil
}

// counting opens drives of a server whose calls are counted.
func counting(t *testing.T, b *budgets, h http.HandlerFunc) *google.Connector {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	connector, err := google.NewConnector(google.Options{
		Kind: platen.DrivePlaten, DriveEndpoint: server.URL + "/drive/v3", DocsEndpoint: server.URL, SlidesEndpoint: server.URL,
		Transport: server.Client().Transport, Budgets: b,
		Connections: func(context.Context, string) (platen.DriveConnection, error) {
			return platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "token"}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return connector
}

func drive(t *testing.T, c *google.Connector) *google.Client {
	t.Helper()
	client, err := c.Drive(t.Context(), "usr_1")
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// answerAll answers what each kind of request asks for.
func answerAll(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/export"), r.URL.Query().Get("alt") == "media":
		_, _ = w.Write([]byte("%PDF-1.7\n%%EOF"))
	case strings.HasSuffix(r.URL.Path, "/generateIds"):
		answer(w, 200, `{"ids":["id_1"]}`)
	case strings.HasSuffix(r.URL.Path, ":batchUpdate"):
		answer(w, 200, `{"replies":[{"replaceAllText":{"occurrencesChanged":1}}]}`)
	case strings.HasSuffix(r.URL.Path, "/about"):
		answer(w, 200, `{"user":{"emailAddress":"ada@example.com"}}`)
	default:
		answer(w, 200, `{"id":"x"}`)
	}
}

func change(ctx context.Context, client *google.Client) error {
	_, err := client.EditDocument(ctx, "x", platen.ReadTexts, func(*docsapi.Document) ([]*docsapi.Request, error) {
		return []*docsapi.Request{{ReplaceAllText: &docsapi.ReplaceAllTextRequest{ContainsText: &docsapi.SubstringMatchCriteria{Text: "{{A}}"}, ReplaceText: "b"}}}, nil
	})
	return err
}

func TestEachCallCountsAsGoogleCountsIt(t *testing.T) {
	t.Parallel()
	units := func(n int) platen.Usage { return platen.Usage{platen.DriveUnits: n} }
	for name, c := range map[string]struct {
		call func(ctx context.Context, client *google.Client) error
		want []platen.Usage
	}{
		"reading a file":    {func(ctx context.Context, c *google.Client) error { _, err := c.File(ctx, "x"); return err }, []platen.Usage{units(5)}},
		"looking for a key": {func(ctx context.Context, c *google.Client) error { _, err := c.FindByKey(ctx, "k"); return err }, []platen.Usage{units(100)}},
		"a copy":            {func(ctx context.Context, c *google.Client) error { _, err := c.Copy(ctx, "x", "n", "k"); return err }, []platen.Usage{units(50)}},
		"an id":             {func(ctx context.Context, c *google.Client) error { _, err := c.NewFileID(ctx); return err }, []platen.Usage{units(5)}},
		"an upload": {func(ctx context.Context, c *google.Client) error {
			_, err := c.Upload(ctx, platen.File{ID: "x"}, []byte("PDF"))
			return err
		}, []platen.Usage{units(50)}},
		"a download":           {func(ctx context.Context, c *google.Client) error { _, err := c.Download(ctx, "x"); return err }, []platen.Usage{units(200)}},
		"an export":            {func(ctx context.Context, c *google.Client) error { _, err := c.ExportPDF(ctx, "x"); return err }, []platen.Usage{units(200)}},
		"removing":             {func(ctx context.Context, c *google.Client) error { return c.Delete(ctx, "x") }, []platen.Usage{units(50)}},
		"trashing":             {func(ctx context.Context, c *google.Client) error { return c.Trash(ctx, "x") }, []platen.Usage{units(50)}},
		"looking for a folder": {func(ctx context.Context, c *google.Client) error { _, err := c.FindFolders(ctx, "x", "n"); return err }, []platen.Usage{units(100)}},
		"making a folder": {func(ctx context.Context, c *google.Client) error {
			_, err := c.CreateFolder(ctx, platen.File{ID: "x", Name: "n", Parent: "y"})
			return err
		}, []platen.Usage{units(50)}},
		"sharing with everybody": {func(ctx context.Context, c *google.Client) error { return c.Share(ctx, "x", platen.SharingAnyone) }, []platen.Usage{units(100), units(50)}},
		"sharing with the domain, twice": {func(ctx context.Context, c *google.Client) error {
			return errors.Join(c.Share(ctx, "x", platen.SharingDomain), c.Share(ctx, "y", platen.SharingDomain))
		}, []platen.Usage{units(5), units(100), units(50), units(100), units(50)}},
		"changing documents": {change, []platen.Usage{{platen.DocsReads: 1}, {platen.DocsWrites: 1}}},
		"changing presentations": {func(ctx context.Context, c *google.Client) error {
			_, err := c.EditPresentation(ctx, "x", platen.ReadWhole, replaceSlideTexts(pair{"{{A}}", "b"}))
			return err
		}, []platen.Usage{{platen.SlidesReads: 1}, {platen.SlidesWrites: 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &budgets{}
			if err := c.call(t.Context(), drive(t, counting(t, b, answerAll))); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, b.settled); diff != "" {
				t.Errorf("counted (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCallsUseWhatWasReservedBeforeAndAskForTheRestOneByOne(t *testing.T) {
	t.Parallel()
	b := &budgets{}
	connector := counting(t, b, answerAll)
	later := platen.Usage{platen.SlidesWrites: 1}
	ctx, done, err := connector.Reserve(t.Context(), "usr_1", "wkf_1", "out_1", platen.Usage{platen.DocsWrites: 1, platen.DocsReads: 2}, later)
	if err != nil {
		t.Fatal(err)
	}
	client := drive(t, connector)
	if err := change(ctx, client); err != nil {
		t.Fatal(err)
	}
	if _, err := client.File(ctx, "x"); err != nil {
		t.Fatal(err)
	}
	done(true)
	if len(b.asked) != 2 || b.asked[0].ID != "out_1" || b.asked[0].OwnerID != "usr_1" || !b.asked[0].Asks.Covers(later) || b.asked[1].Asks != (platen.Usage{platen.DriveUnits: 5}) {
		t.Errorf("asked for %+v, want what was reserved, and the reading of a file", b.asked)
	}
	if want := []platen.Usage{{platen.DriveUnits: 5}, {platen.DocsWrites: 1, platen.DocsReads: 1}}; !slices.Equal(b.settled, want) || b.kept[1] != later {
		t.Errorf("settled %v and kept %v, want %v and %v at the end", b.settled, b.kept, want, later)
	}
}

func TestPreviewsOfAllOwnersAreCountedTogether(t *testing.T) {
	t.Parallel()
	b := &budgets{}
	connector := counting(t, b, answerAll)
	for _, owner := range []string{"usr_1", "usr_2"} {
		ctx, done, err := connector.ReservePreview(t.Context(), owner, platen.Usage{platen.DocsWrites: 1, platen.DocsReads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := change(ctx, drive(t, connector)); err != nil {
			t.Fatal(err)
		}
		done()
	}
	if len(b.asked) != 2 || b.asked[0].OwnerID != b.asked[1].OwnerID || b.asked[0].ID == b.asked[1].ID || b.owners[0] != b.asked[0].OwnerID || b.owners[0] == "usr_1" {
		t.Errorf("asked for %+v and settled for %q, want two tickets of one who is no owner", b.asked, b.owners)
	}
}

func TestACallThatTheQuotasDoNotLeaveIsNotMade(t *testing.T) {
	t.Parallel()
	b := &budgets{refuse: platen.Errorf(platen.KindRateLimited, platen.CodeQuotaUsedUp, "Used up.")}
	connector := counting(t, b, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("got a request for %s, want none", r.URL.Path) })
	_, err := drive(t, connector).File(t.Context(), "x")
	if e, ok := errors.AsType[*platen.Error](err); !ok || e.Code != platen.CodeQuotaUsedUp || e.Kind != platen.KindRateLimited {
		t.Errorf("got %v, want the refusal", err)
	}
	if _, _, err := connector.Reserve(t.Context(), "usr_1", "wkf_1", "out_1", platen.Usage{platen.DriveUnits: 50}, platen.Usage{}); platen.KindOf(err) != platen.KindRateLimited {
		t.Errorf("reserve: got %v, want the refusal", err)
	}
	if len(b.settled) != 0 {
		t.Errorf("settled %v, want nothing of what was refused", b.settled)
	}
}

func TestARefusalOfGooglesForItsQuotaIsNoted(t *testing.T) {
	t.Parallel()
	limit := func(name string) string {
		return `{"error":{"code":429,"message":"Quota exceeded for quota metric 'Write requests'","status":"RESOURCE_EXHAUSTED","details":[` +
			`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED","domain":"googleapis.com","metadata":{"quota_limit":"` + name + `","quota_limit_value":"60"}}]}}`
	}
	changes := func(w http.ResponseWriter, r *http.Request, status int, body string) {
		if r.Method == http.MethodPost {
			answer(w, status, body)
			return
		}
		answerAll(w, r)
	}
	for name, c := range map[string]struct {
		status int
		body   string
		want   []string
	}{
		"of the user":               {429, limit("WriteRequestsPerMinutePerUser"), []string{"docs writes of the account"}},
		"of the project":            {429, limit("WriteRequestsPerMinutePerProject"), []string{"docs writes of the project"}},
		"of somebody":               {429, "slow down", []string{"docs writes of the account"}},
		"of the user, as Drive has": {403, fault(403, "userRateLimitExceeded", "m"), []string{"docs writes of the account"}},
		"no right":                  {403, fault(403, "insufficientFilePermissions", "m"), nil},
		"no storage":                {403, fault(403, "storageQuotaExceeded", "m"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &budgets{}
			err := change(t.Context(), drive(t, counting(t, b, func(w http.ResponseWriter, r *http.Request) { changes(w, r, c.status, c.body) })))
			if err == nil || c.want != nil && platen.KindOf(err) != platen.KindRateLimited {
				t.Errorf("got %v, want the refusal, of KindRateLimited if it is for a quota", err)
			}
			if diff := cmp.Diff(c.want, b.refused); diff != "" {
				t.Errorf("noted (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGoogleCountsByUserAndProject(t *testing.T) {
	t.Parallel()
	of := func(email, project string) string {
		return strings.NewReplacer("robot@example.com", email, `"type":`, `"project_id":"`+project+`","type":`).Replace(string(serviceKey(t)))
	}
	path := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(path, []byte(of("operator@example.com", "ours")), 0o600); err != nil {
		t.Fatal(err)
	}
	connections := map[string]platen.DriveConnection{
		"operator's":             {Kind: platen.ConnectionServiceAccount},
		"operator's as Ada":      {Kind: platen.ConnectionServiceAccount, Subject: "ada@example.com"},
		"sibling":                {Kind: platen.ConnectionServiceAccount, Secret: platen.Secret(of("sibling@example.com", "ours"))},
		"sibling as Ada":         {Kind: platen.ConnectionServiceAccount, Subject: "ada@example.com", Secret: platen.Secret(of("sibling@example.com", "ours"))},
		"sibling with a new key": {Kind: platen.ConnectionServiceAccount, Secret: platen.Secret(of("sibling@example.com", "ours"))},
		"foreign":                {Kind: platen.ConnectionServiceAccount, Secret: platen.Secret(of("robot@elsewhere.example", "theirs"))},
		"Grace's":                {Kind: platen.ConnectionRefreshToken, Secret: "grace"},
		"Linus's":                {Kind: platen.ConnectionRefreshToken, Secret: "linus"},
	}
	b := &budgets{}
	connector, err := google.NewConnector(google.Options{
		Kind: platen.DriveGoogle, ServiceAccountFile: path, OAuthClientID: "id", OAuthClientSecret: "secret", Budgets: b,
		Connections: func(_ context.Context, userID string) (platen.DriveConnection, error) {
			return connections[userID], nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	account := func(name string) platen.QuotaAccount {
		t.Helper()
		if _, _, err := connector.Reserve(t.Context(), name, "wkf_1", "out_1", platen.Usage{platen.DriveUnits: 5}, platen.Usage{}); err != nil {
			t.Fatal(err)
		}
		return b.asked[len(b.asked)-1].QuotaAccount
	}
	for _, c := range []struct {
		a, b                  string
		sameUser, sameProject bool
	}{
		{"operator's", "sibling", false, true},
		{"operator's", "operator's as Ada", false, true},
		{"operator's as Ada", "sibling as Ada", true, true},
		{"sibling", "sibling with a new key", true, true},
		{"operator's", "foreign", false, false},
		{"operator's", "Grace's", false, true},
		{"Grace's", "Linus's", false, true},
	} {
		x, y := account(c.a), account(c.b)
		if (x.Account == y.Account) != c.sameUser || (x.Project == y.Project) != c.sameProject {
			t.Errorf("%s and %s: same user %t, same project %t; want %t and %t", c.a, c.b, x.Account == y.Account, x.Project == y.Project, c.sameUser, c.sameProject)
		}
	}
	for name, shared := range map[string]bool{"operator's": true, "sibling": true, "operator's as Ada": false, "Grace's": false} {
		if got := account(name); got.Shared != shared {
			t.Errorf("%s: shared %t, want %t", name, got.Shared, shared)
		}
	}
}
