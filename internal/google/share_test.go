package google_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
)

func TestAFileIsSharedUnlessItIs(t *testing.T) {
	t.Parallel()
	type permission struct{ Type, Role, Domain string }
	for name, c := range map[string]struct {
		with    platen.Sharing
		there   string // permissions
		address string // of the account
		want    []permission
	}{
		"with everybody":                       {platen.SharingAnyone, `{"type":"user"}`, "", []permission{{"anyone", "reader", ""}}},
		"with everybody, who may read it":      {platen.SharingAnyone, `{"type":"user"},{"type":"anyone"}`, "", nil},
		"with everybody, while the domain may": {platen.SharingAnyone, `{"type":"domain","domain":"example.com"}`, "", []permission{{"anyone", "reader", ""}}},
		"with the domain":                      {platen.SharingDomain, ``, "Ada@Example.com", []permission{{"domain", "reader", "example.com"}}},
		"with the domain, which may read it":   {platen.SharingDomain, `{"type":"domain","domain":"example.com"}`, "ada@example.com", nil},
		"with the domain, while another may":   {platen.SharingDomain, `{"type":"domain","domain":"example.org"}`, "ada@example.com", []permission{{"domain", "reader", "example.com"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var made []permission
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/drive/v3/about":
					answer(w, 200, `{"user":{"emailAddress":"`+c.address+`"}}`)
					return
				case r.URL.Path != "/drive/v3/files/file/permissions" || r.URL.Query().Get("supportsAllDrives") != "true":
					t.Errorf("got %s %s, want the permissions of the file, on shared drives too", r.Method, r.URL)
				case r.Method == http.MethodPost:
					var p permission
					if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
						t.Error(err)
					}
					made = append(made, p)
				}
				answer(w, 200, `{"permissions":[`+c.there+`]}`)
			})
			if err := client.Share(t.Context(), "file", c.with); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, made); diff != "" {
				t.Errorf("permissions that were made (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnAccountWithoutADomainSharesWithNone(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"ada@gmail.com", "ada@googlemail.com", "robot@probe.iam.gserviceaccount.com", "nobody", ""} {
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/drive/v3/about" {
				t.Errorf("%q: got %s %s, want nothing but the account read", address, r.Method, r.URL)
			}
			answer(w, 200, `{"user":{"emailAddress":"`+address+`"}}`)
		})
		if err := client.Share(t.Context(), "file", platen.SharingDomain); !platen.IsSharingRefused(err) || platen.KindOf(err) != platen.KindForbidden {
			t.Errorf("%q: got %v, want that it cannot be shared so", address, err)
		}
	}
}

func TestADriveThatDoesNotLetShareIsToldFromOneThatWillLater(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		body    string
		refused bool
		kind    platen.Kind
	}{
		"not this account":  {403, fault(403, "insufficientFilePermissions", "m"), true, platen.KindForbidden},
		"not this sharing":  {400, fault(400, "invalidSharingRequest", "m"), true, platen.KindForbidden},
		"not outside":       {403, fault(403, "publishOutNotPermitted", "m"), true, platen.KindForbidden},
		"too often":         {403, fault(403, "sharingRateLimitExceeded", "m"), false, platen.KindRateLimited},
		"not there":         {404, fault(404, "notFound", "m"), false, platen.KindNotFound},
		"not for a moment":  {503, fault(503, "backendError", "m"), false, platen.KindUnavailable},
		"no access anymore": {401, fault(401, "authError", "m"), false, platen.KindForbidden},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == method {
					answer(w, c.status, c.body)
					return
				}
				answer(w, 200, `{}`)
			})
			err := client.Share(t.Context(), "file", platen.SharingAnyone)
			if platen.IsSharingRefused(err) != c.refused || err == nil || platen.KindOf(err) != c.kind {
				t.Errorf("%s at %s: got %v of kind %v, want %v, and refused %t", name, method, err, platen.KindOf(err), c.kind, c.refused)
			}
		}
	}
}

func TestFoldersOfExactlyANameAreFound(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		const want = `name = 'O\'Hara \\ Sons' and 'par\'ent' in parents and mimeType = 'application/vnd.google-apps.folder' and trashed=false`
		if got := query.Get("q"); got != want {
			t.Errorf("asked for %s, want %s", got, want)
		}
		if query.Get("orderBy") != "createdTime" || query.Get("corpora") != "allDrives" || query.Get("includeItemsFromAllDrives") != "true" {
			t.Errorf("asked with %s, want the oldest first, of all drives", r.URL.RawQuery)
		}
		answer(w, 200, `{"files":[{"id":"1","name":"O'HARA \\ Sons"},{"id":"2","name":"O'Hara \\ Sons","parents":["p"]},{"id":"3","name":"O'Hara \\ Sons"}]}`)
	})
	found, err := client.FindFolders(t.Context(), "par'ent", `O'Hara \ Sons`)
	if err != nil || len(found) != 2 || found[0].ID != "2" || found[0].Parent != "p" || found[1].ID != "3" {
		t.Errorf("got %+v, %v; want those of exactly this name, in their order", found, err)
	}
}

func TestAFolderIsMadeUnderItsID(t *testing.T) {
	t.Parallel()
	taken := false
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var sent map[string]any
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		want := map[string]any{"id": "id", "name": "Ada", "mimeType": "application/vnd.google-apps.folder", "parents": []any{"parent"}}
		if diff := cmp.Diff(want, sent); diff != "" || r.URL.Query().Get("supportsAllDrives") != "true" {
			t.Errorf("%s: sent (-want +got):\n%s", r.URL, diff)
		}
		if taken {
			answer(w, 409, fault(409, "fileIdInUse", "A file already exists with the provided ID."))
			return
		}
		answer(w, 200, `{"id":"id","name":"Ada","mimeType":"application/vnd.google-apps.folder","parents":["parent"]}`)
	})
	folder := platen.File{ID: "id", Name: "Ada", Parent: "parent"}
	made, err := client.CreateFolder(t.Context(), folder)
	if err != nil || made.ID != "id" || made.Parent != "parent" || made.MIMEType != platen.MIMEFolder {
		t.Errorf("got %+v, %v; want the folder", made, err)
	}
	taken = true
	if _, err := client.CreateFolder(t.Context(), folder); platen.KindOf(err) != platen.KindConflict {
		t.Errorf("under an id that is taken: got %v, want KindConflict", err)
	}
}
