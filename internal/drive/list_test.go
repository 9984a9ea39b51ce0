package drive

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/drive/store"
)

func names(t *testing.T, a *account, q string) string {
	t.Helper()
	list, err := a.files.List().Q(q).OrderBy("name").Do()
	if err != nil {
		t.Fatalf("q %s: %v", q, err)
	}
	var found []string
	for _, f := range list.Files {
		found = append(found, f.Name)
	}
	return strings.Join(found, " ")
}

func TestListFindsFilesByQuery(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	folder := must[*driveapi.File](t)(a.files.Create(&driveapi.File{Name: "dir", MimeType: store.FolderType}).Do())
	a.text(&driveapi.File{Name: "a", AppProperties: map[string]string{"key": "it's \\ one"}, ModifiedTime: "2026-01-01T00:00:00.000Z"}, "")
	a.text(&driveapi.File{Name: "b", AppProperties: map[string]string{"key": "two"}, Properties: map[string]string{"p": "q"}, Starred: true}, "")
	a.text(&driveapi.File{Name: "Red-car.txt", Parents: []string{folder.Id}}, "")
	a.document("doc", "x")
	trashed := a.text(&driveapi.File{Name: "gone"}, "")
	must[*driveapi.File](t)(a.files.Update(trashed.Id, &driveapi.File{Trashed: true}).Do())
	h.account("Eve").text(&driveapi.File{Name: "e", AppProperties: map[string]string{"key": "two"}}, "")

	for q, want := range map[string]string{
		``: "a b dir doc gone Red-car.txt",
		`appProperties has { key='key' and value='two' }`:                          "b",
		`appProperties has {key='key' and value='it\'s \\ one'} and trashed=false`: "a",
		`properties has { value='q' and key='p' }`:                                 "b",
		`trashed = true`: "gone",
		`not trashed = true and not (name = 'a' or name = 'b')`:                      "dir doc Red-car.txt",
		`'root' in parents and trashed = false`:                                      "a b dir doc",
		`'` + folder.Id + `' in parents`:                                             "Red-car.txt",
		`mimeType = '` + store.FolderType + `'`:                                      "dir",
		`mimeType != '` + store.FolderType + `' and mimeType contains 'google-apps'`: "doc",
		`name contains 'car'`:                                                        "Red-car.txt",
		`name contains 'ar'`:                                                         "",
		`name contains '.*'`:                                                         "",
		`modifiedTime < '2026-01-01T00:00:01'`:                                       "a",
		`modifiedTime >= '2026-01-01T00:00:00.000Z' and starred = true`:              "b",
		`name = 'a' or name = 'b' and trashed = true`:                                "a",
		`'me' in owners and sharedWithMe`:                                            "",
		`'ADA@example.com' in writers and name = 'a'`:                                "a",
		`fullText contains 'red' or visibility = 'x'`:                                "!",
		`fullText contains 'car red'`:                                                "Red-car.txt",
		`fullText contains '"car red"'`:                                              "",
		`fullText contains '"red-car"'`:                                              "Red-car.txt",
		`visibility = 'limited' and name = 'a' or visibility = 'anyoneWithLink'`:     "a",
		`visibility != 'limited'`:                                                    "",
	} {
		if want == "!" {
			_, err := a.files.List().Q(q).Do()
			wantFault(t, err, 400, "invalid")
			continue
		}
		if got := names(t, a, q); got != want {
			t.Errorf("q %s: got %q, want %q", q, got, want)
		}
	}
}

func TestNamesAreSearchedForLiterally(t *testing.T) {
	a := newHarness(t).account("Ada")
	const special = `***:(?i)[x]{1} a.b* c+ d? ^e$ f|g \ ' " % _ @q1 $1 -- /* Ä`
	a.text(&driveapi.File{Name: special}, "")
	a.text(&driveapi.File{Name: "other"}, "")
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(special)
	for _, q := range []string{"name = '" + quoted + "'", "name contains '" + quoted + "'", "fullText contains '" + quoted + "'"} {
		if got := names(t, a, q); got != special {
			t.Errorf("q %s: got %q", q, got)
		}
	}
	for _, word := range strings.Fields(quoted) {
		if got := names(t, a, "name contains '"+word+"'"); got != special {
			t.Errorf("word %s: got %q, want the file", word, got)
		}
	}
}

func TestPagesShowEveryFileOnceWhileFilesComeAndGo(t *testing.T) {
	a := newHarness(t).account("Ada")
	var ids []string
	for i := range 9 {
		// Equal names: the id has to break the tie.
		ids = append(ids, a.text(&driveapi.File{Name: fmt.Sprint("n", i/3)}, "").Id)
	}
	for _, order := range []string{"", "name desc,createdTime asc", "folder,modifiedTime desc,quotaBytesUsed,starred"} {
		var seen []string
		token := ""
		for page := 0; ; page++ {
			list, err := a.files.List().PageSize(4).PageToken(token).OrderBy(order).Q("name != 'late'").Do()
			if err != nil {
				t.Fatalf("order %q page %d: %v", order, page, err)
			}
			for _, f := range list.Files {
				seen = append(seen, f.Id)
			}
			if token = list.NextPageToken; token == "" {
				break
			}
			a.text(&driveapi.File{Name: "late"}, "")
		}
		slices.Sort(seen)
		if want := slices.Sorted(slices.Values(ids)); !slices.Equal(seen, want) {
			t.Errorf("order %q: got %d files, want each of the 9 once", order, len(seen))
		}
	}
	first := must[*driveapi.FileList](t)(a.files.List().PageSize(2).OrderBy("modifiedTime").Do())
	_, err := a.files.List().PageSize(2).OrderBy("name").PageToken(first.NextPageToken).Do()
	wantFault(t, err, 400, "invalid")
	for _, call := range []*driveapi.FilesListCall{
		a.files.List().PageToken("forged"), a.files.List().PageSize(1001), a.files.List().OrderBy("size"),
		a.files.List().PageToken("eyJyIjoiIiwiYSI6W119"),
	} {
		_, err := call.Do()
		wantFault(t, err, 400, "invalid")
	}
}

func TestFieldMasksKeepWhatTheySelect(t *testing.T) {
	t.Parallel()
	value := map[string]any{
		"kind": "k", "nextPageToken": "n",
		"files": []any{map[string]any{"id": "1", "appProperties": map[string]any{"a": "b", "c": "d"}, "owners": []any{map[string]any{"me": true, "displayName": "x"}}}},
	}
	for fields, want := range map[string]string{
		"*":                             `{"files":[{"appProperties":{"a":"b","c":"d"},"id":"1","owners":[{"displayName":"x","me":true}]}],"kind":"k","nextPageToken":"n"}`,
		"kind":                          `{"kind":"k"}`,
		"kind, files(id)":               `{"files":[{"id":"1"}],"kind":"k"}`,
		"files/id,files/owners/me":      `{"files":[{"id":"1","owners":[{"me":true}]}]}`,
		"files(owners(displayName),id)": `{"files":[{"id":"1","owners":[{"displayName":"x"}]}]}`,
		"files/appProperties/a":         `{"files":[{"appProperties":{"a":"b"}}]}`,
		"files(owners/me),files":        `{"files":[{"appProperties":{"a":"b","c":"d"},"id":"1","owners":[{"displayName":"x","me":true}]}]}`,
		"files/*,kind":                  `{"files":[{"appProperties":{"a":"b","c":"d"},"id":"1","owners":[{"displayName":"x","me":true}]}],"kind":"k"}`,
		"*/id":                          `{"files":[{"id":"1"}],"kind":"k","nextPageToken":"n"}`,
	} {
		m, err := parseFields(fields, driveapi.FileList{})
		if err != nil {
			t.Errorf("fields %s: %v", fields, err)
			continue
		}
		if got := string(must[[]byte](t)(json.Marshal(m.apply(value)))); got != want {
			t.Errorf("fields %s: got %s, want %s", fields, got, want)
		}
	}
	for _, fields := range []string{"", ",", "files(", "files(id", "files)", "id", "files(id))", "files/", "kind/x", "a" + strings.Repeat("/a", 50), strings.Repeat("files(", 60)} {
		if m, err := parseFields(fields, driveapi.FileList{}); err == nil {
			t.Errorf("fields %q: got %v, want an error", fields, m)
		}
	}
}

func TestAListingLooksInTheUsersDriveAlone(t *testing.T) {
	a := newHarness(t).account("Ada")
	a.text(&driveapi.File{Name: "a"}, "")
	for spaces, want := range map[string]int{"drive": 1, "appDataFolder": 0, "appDataFolder,drive": 1} {
		if got := must[*driveapi.FileList](t)(a.files.List().Corpora("user").Spaces(spaces).Do()); len(got.Files) != want {
			t.Errorf("%s: got %d files, want %d", spaces, len(got.Files), want)
		}
	}
	_, err := a.files.List().Corpora("drive").DriveId("x").Do()
	wantFault(t, err, 404, "notFound")
	_, err = a.files.List().Corpora("drive").Do()
	wantFault(t, err, 400, "required")
	_, err = a.files.List().Spaces("attic").Do()
	wantFault(t, err, 400, "invalid")
	_, err = a.files.GenerateIds().Space("appDataFolder").Do()
	wantFault(t, err, 400, "invalid")
}
