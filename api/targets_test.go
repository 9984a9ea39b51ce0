package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

const newTargetBody = `{"name":"Archive","kind":"s3","url":"https://s3.example.com/bucket/","region":"eu-central-1","user":"AKIA","secret":"hidden-7","path":"Invoices/{{Customer}}","sidecar":true,"lockMode":"COMPLIANCE","lockDays":30}`

func TestATargetIsMadeChangedTestedAndRemovedAndItsSecretNeverShown(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) {
		o.TestTarget = func(_ context.Context, t platen.Target) platen.TargetTest {
			if t.Secret != "hidden-8" {
				return platen.TargetTest{Err: platen.Errorf(platen.KindUnavailable, platen.CodeTargetSignInRefused, "Refused. It is tried again.")}
			}
			return platen.TargetTest{Key: "platen-test", Stored: true, Removed: true}
		}
	})
	all := x.newWorkflow(t, `{"name":"A"}`) + "/targets"
	answer := x.do(t, "POST", all, newTargetBody).is(http.StatusCreated)
	made := answer.object()
	if made["url"] != "https://s3.example.com/bucket" || made["hasSecret"] != true || made["lockDays"] != 30.0 || made["office"] != false || strings.Contains(string(answer.body), "hidden") {
		t.Errorf("got %s", answer.body)
	}
	one := all + "/" + made["id"].(string)
	if got := x.do(t, "POST", one+"/test", "").is(http.StatusOK).object()["error"].(map[string]any); got["code"] != platen.CodeTargetSignInRefused || got["message"] != "Refused." {
		t.Errorf("a test with wrong credentials: got %v", got)
	}
	changed := x.do(t, "PATCH", one, `{"path":"","kind":"webdav","secret":"hidden-8","office":true}`).is(http.StatusOK).object()
	if changed["path"] != "" || changed["kind"] != "s3" || changed["office"] != true || changed["sidecar"] != true {
		t.Errorf("changed to %v, want what was left out to stay, and the kind", changed)
	}
	if got := x.do(t, "POST", one+"/test", "").is(http.StatusOK).object(); got["stored"] != true || got["removed"] != true || got["error"] != nil {
		t.Errorf("a test: got %v", got)
	}
	wfID := strings.Split(all, "/")[3]
	if stored, err := x.store.Targets(t.Context(), x.ada, wfID); err != nil || stored[0].CheckedAt.IsZero() {
		t.Errorf("got %+v, %v, want the test that succeeded noted", stored, err)
	}
	x.do(t, "PATCH", one, `{"name":"B"}`, "If-Match", `"another"`).is(http.StatusPreconditionFailed)
	x.do(t, "DELETE", one, "", "If-Match", `"another"`).is(http.StatusPreconditionFailed)
	for _, body := range []string{`{"url":"https://evil.example/bucket"}`, `{"user":"eve"}`} {
		if got := x.do(t, "PATCH", one, body).problem(http.StatusBadRequest, "invalid_body"); !slices.Contains(got.pointers(), "/secret") {
			t.Errorf("%s without the secret: got %v", body, got)
		}
	}
	x.do(t, "PATCH", one, `{"url":"https://other.example/bucket","secret":"hidden-9"}`).is(http.StatusOK)
	x.do(t, "DELETE", one, "").is(http.StatusNoContent)
	x.do(t, "GET", one, "").is(http.StatusForbidden)
}

func TestATargetOfSFTPNamesTheKeyOfItsServer(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) {
		o.SSHSecret = func(secret string) string {
			if strings.HasPrefix(secret, "ssh-ed25519 ") {
				return "is a public key"
			}
			return ""
		}
	})
	all := x.newWorkflow(t, `{"name":"A"}`) + "/targets"
	const (
		hostKey = `"hostKey":"SHA256:uNiVztksCsDhcc0u9e8BrCnAJoVAzoXMp1VqVgwkVCU"`
		sftp    = `"name":"Files","kind":"sftp","url":"sftp://files.example.com:2022/in","user":"ada"`
		key     = `"secret":"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n-----END OPENSSH PRIVATE KEY-----\n"`
	)
	for body, member := range map[string]string{
		sftp + `,"secret":"pw"`:                                                                                   "/hostKey",
		sftp + `,"secret":"pw","hostKey":"SHA256:short"`:                                                          "/hostKey",
		sftp + `,"secret":"pw","hostKey":"MD5:16:27:ac:a5:76:28:2d:36"`:                                           "/hostKey",
		sftp + `,` + hostKey:                                                                                      "/secret",
		sftp + `,"secret":"ssh-ed25519 AAAA",` + hostKey:                                                          "/secret",
		`"name":"Files","kind":"sftp","url":"sftp://files.example.com/in","secret":"pw",` + hostKey:               "/user",
		`"name":"Files","kind":"sftp","url":"https://files.example.com/in","user":"ada","secret":"pw",` + hostKey: "/url",
		`"name":"Files","kind":"webdav","url":"https://files.example.com/in","user":"ada",` + key:                 "/secret",
		`"name":"Files","kind":"webdav","url":"https://files.example.com/in",` + hostKey:                          "/hostKey",
	} {
		if got := x.do(t, "POST", all, "{"+body+"}").problem(http.StatusBadRequest, "invalid_body"); !slices.Contains(got.pointers(), member) {
			t.Errorf("%s: got %v, want %s", body, got, member)
		}
	}
	made := x.do(t, "POST", all, "{"+sftp+","+hostKey+","+key+"}").is(http.StatusCreated)
	if got := made.object(); got["url"] != "sftp://files.example.com:2022/in" || got["hostKey"] != "SHA256:uNiVztksCsDhcc0u9e8BrCnAJoVAzoXMp1VqVgwkVCU" || strings.Contains(string(made.body), "b3BlbnNzaA") {
		t.Errorf("got %s", made.body)
	}
	one := all + "/" + made.object()["id"].(string)
	x.do(t, "PATCH", one, `{"secret":"ssh-ed25519 AAAA"}`).problem(http.StatusBadRequest, "invalid_body")
	x.do(t, "PATCH", one, `{"name":"B"}`).is(http.StatusOK)
}

func TestATargetOfAzureNamesItsContainerAndHasACredential(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	all := x.newWorkflow(t, `{"name":"A"}`) + "/targets"
	const (
		azure = `"name":"Archive","kind":"azure","url":"https://example.blob.core.windows.net/archive/in"`
		key   = `"user":"example","secret":"cGxhdGVu"`
		token = `"secret":"?sv=2026-06-06&sr=c&sp=rc&sig=c2VjcmV0"`
	)
	for body, member := range map[string]string{
		`"name":"Archive","kind":"azure","url":"https://example.blob.core.windows.net",` + token:  "/url",
		`"name":"Archive","kind":"azure","url":"https://example.blob.core.windows.net/",` + token: "/url",
		`"name":"Archive","kind":"azure","url":"sftp://example.blob.core.windows.net/a",` + token: "/url",
		azure:                       "/secret",
		azure + `,"user":"example"`: "/secret",
		azure + `,"user":"example","secret":"sv=2026-06-06&sig=c2VjcmV0"`:                                       "/secret",
		azure + `,"user":"other","secret":"cGxhdGVu"`:                                                           "/user",
		azure + `,"user":"example","secret":" "`:                                                                "/secret",
		azure + `,"secret":" "`:                                                                                 "/secret",
		azure + `,"secret":"sv=2026-06-06&sp=rl&sig=c2VjcmV0"`:                                                  "/secret",
		`"name":"Archive","kind":"azure","url":"https://example.dfs.core.windows.net/archive",` + token:         "/url",
		`"name":"Archive","kind":"azure","url":"https://example.file.core.windows.net/archive",` + token:        "/url",
		`"name":"Archive","kind":"azure","url":"https://Example.Queue.core.windows.net/archive",` + token:       "/url",
		`"name":"Archive","kind":"azure","url":"https://example.table.core.chinacloudapi.cn/archive",` + token:  "/url",
		`"name":"Archive","kind":"azure","url":"https://example.z6.web.core.windows.net/archive",` + token:      "/url",
		`"name":"Archive","kind":"azure","url":"https://example.z12.file.storage.azure.net/archive",` + token:   "/url",
		`"name":"Archive","kind":"azure","url":"http://example.blob.core.windows.net/archive",` + token:         "/url",
		`"name":"Archive","kind":"azure","url":"https://example.blob.core.windows.net/Archive",` + token:        "/url",
		azure + `,"secret":"cGxhdGVu"`:                                                                          "/secret",
		azure + `,"secret":"https://example.blob.core.windows.net/archive?sv=2026-06-06&sig=c2VjcmV0"`:          "/secret",
		azure + `,"user":"Some One","secret":"cGxhdGVu"`:                                                        "/user",
		azure + `,"region":"eu","user":"example","secret":"cGxhdGVu"`:                                           "/region",
		azure + `,"encryption":"AES256","user":"example","secret":"cGxhdGVu"`:                                   "/encryption",
		azure + `,"lockDays":3,"user":"example","secret":"cGxhdGVu"`:                                            "/lockDays",
		`"name":"Cloud","kind":"webdav","url":"https://cloud.example.com","lockMode":"COMPLIANCE","lockDays":3`: "/lockMode",
	} {
		if got := x.do(t, "POST", all, "{"+body+"}").problem(http.StatusBadRequest, "invalid_body"); !slices.Equal(got.pointers(), []string{member}) {
			t.Errorf("%s: got %v, want %s", body, got, member)
		}
	}
	made := x.do(t, "POST", all, "{"+azure+","+key+`,"lockMode":"COMPLIANCE","lockDays":3650}`).is(http.StatusCreated)
	if got := made.object(); got["kind"] != "azure" || got["user"] != "example" || got["lockDays"] != 3650.0 || strings.Contains(string(made.body), "cGxhdGVu") {
		t.Errorf("got %s", made.body)
	}
	one := all + "/" + made.object()["id"].(string)
	for _, body := range []string{`{"user":""}`, `{"user":"another"}`} { // the key would be taken for a token, or sent elsewhere
		if got := x.do(t, "PATCH", one, body).problem(http.StatusBadRequest, "invalid_body"); !slices.Contains(got.pointers(), "/secret") {
			t.Errorf("%s: got %v", body, got)
		}
	}
	x.do(t, "PATCH", one, `{"user":"",`+token+`}`).is(http.StatusOK)
}

func TestATargetHasBounds(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	all := x.newWorkflow(t, `{"name":"A"}`) + "/targets"
	for change, member := range map[string]string{
		`"kind":"ftp"`: "/kind", `"url":"https://api.test/v0/in"`: "/url", `"url":"http://s3.example.com/b"`: "/url", `"url":"https://ada:pw@s3.example.com/b"`: "/url",
		`"url":"https://s3.example.com/b?x=1"`: "/url", `"url":"sftp://s3.example.com/b"`: "/url", `"url":"https://s3.example.com/../b"`: "/url", `"name":""`: "/name", `"lockDays":-1`: "/lockDays", `"lockDays":0`: "/lockDays",
		`"lockMode":"SOME"`: "/lockMode", `"encryption":"mine"`: "/encryption", `"kmsKey":"k"`: "/kmsKey", `"region":"eu central"`: "/region", `"path":"a/../b"`: "/path", `"path":"Invoices/{{Customer"`: "/path", `"user":""`: "/user", `"secret":""`: "/secret",
		`"secret":"` + strings.Repeat("x", platen.MaxTargetSecret+1) + `"`: "/secret", `"secret":"hidden\n"`: "/secret", `"office":1`: "/office", `"other":1`: "/other",
	} {
		name, _, _ := strings.Cut(change, ":")
		var kept []string
		for _, one := range strings.Split(strings.Trim(newTargetBody, "{}"), `,"`) {
			if one = `"` + strings.TrimPrefix(one, `"`); !strings.HasPrefix(one, name+":") {
				kept = append(kept, one)
			}
		}
		kept = append(kept, change)
		body := "{" + strings.ReplaceAll(strings.Join(kept, ","), `"path":"Invoices/{{Customer}"`, `"path":"Invoices"`) + "}"
		if got := x.do(t, "POST", all, body).problem(http.StatusBadRequest, "invalid_body"); !slices.Equal(got.pointers(), []string{member}) {
			t.Errorf("%s: got %v, want it to point to %s", change, got, member)
		}
	}
	x.do(t, "POST", all, `{"name":"Cloud","kind":"webdav","url":"http://nextcloud/in"}`).is(http.StatusCreated)
	x.do(t, "POST", all, `{"name":"Cloud 2","kind":"webdav","url":"http://10.0.0.7/in"}`).is(http.StatusCreated)
}

func TestATargetThatMissesOfficeFilesIsAFinding(t *testing.T) {
	t.Parallel()
	x, wf, d := withTemplates(t, &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{}`)}})
	x.do(t, "PATCH", d, `{"createPdfCopy":true,"removeOutput":true}`).is(http.StatusOK)
	made := x.do(t, "POST", wf+"/targets", `{"name":"Archive","kind":"webdav","url":"https://cloud.example.com/in","office":true}`).is(http.StatusCreated)
	if got, want := codesOf(made.object()), "[office:office_file_removed]"; got != want {
		t.Errorf("the target: got %s, want %s", got, want)
	}
	one := wf + "/targets/" + made.object()["id"].(string)
	if got, want := made.header.Get("ETag"), x.do(t, "GET", one, "").header.Get("ETag"); got != want {
		t.Errorf("its tag: got %s, want %s", got, want)
	}
	if got, want := codesOf(x.do(t, "PATCH", d, `{"outputName":"B"}`).is(http.StatusOK).object()), "[removeOutput:office_file_removed]"; got != want {
		t.Errorf("the document: got %s, want %s", got, want)
	}
	if got := x.do(t, "POST", d+"/check/", `{}`).is(http.StatusOK).body; !strings.Contains(got, "target Archive is to have it") {
		t.Errorf("the check: got %s", got)
	}
	if got := x.do(t, "PATCH", one, `{"office":false}`).is(http.StatusOK).object(); got["findings"] != nil {
		t.Errorf("without office: got %v", got["findings"])
	}
}

func TestATargetInTheDriveNamesAFolderThatItsOwnerCanFill(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) { o.Own = func(string) bool { return true } })
	x.cloud.Files["folder-1"] = platen.File{ID: "folder-1", MIMEType: platen.MIMEFolder}
	x.cloud.Files["folder-2"] = platen.File{ID: "folder-2", MIMEType: platen.MIMEFolder, Trashed: true}
	all := x.newWorkflow(t, `{"name":"A"}`) + "/targets"
	const drive = `"name":"Archive","kind":"drive"`
	for body, member := range map[string]string{
		drive:                       "/url",
		drive + `,"url":""`:         "/url",
		drive + `,"url":" "`:        "/url",
		drive + `,"url":"A folder"`: "/url",
		drive + `,"url":"https://s3.example.com/bucket"`:                                           "/url",
		drive + `,"url":"folder-1","user":"ada"`:                                                   "/user",
		drive + `,"url":"folder-1","secret":"pw"`:                                                  "/secret",
		drive + `,"url":"folder-1","hostKey":"SHA256:uNiVztksCsDhcc0u9e8BrCnAJoVAzoXMp1VqVgwkVCU"`: "/hostKey",
		drive + `,"url":"folder-1","region":"eu"`:                                                  "/region",
		drive + `,"url":"folder-1","encryption":"AES256"`:                                          "/encryption",
		drive + `,"url":"folder-1","kmsKey":"k"`:                                                   "/kmsKey",
		drive + `,"url":"folder-1","lockMode":"COMPLIANCE","lockDays":3`:                           "/lockMode",
	} {
		if got := x.do(t, "POST", all, "{"+body+"}").problem(http.StatusBadRequest, "invalid_body"); !slices.Equal(got.pointers(), []string{member}) {
			t.Errorf("%s: got %v, want %s", body, got, member)
		}
	}
	for id, says := range map[string]string{"folder-2": "restore it", "pdf-file": "in place of a folder", "folder-3": "share it with the owner"} {
		got := x.do(t, "POST", all, `{`+drive+`,"url":"`+id+`"}`).problem(http.StatusBadRequest, platen.CodeTargetNotFound)
		if !slices.Equal(got.pointers(), []string{"/url"}) || !strings.Contains(got.Detail, says) || strings.Contains(got.Detail, "tried again") {
			t.Errorf("%s: got %+v", id, got)
		}
	}
	made := x.do(t, "POST", all, `{`+drive+`,"url":"https://drive.google.com/drive/folders/folder-1?usp=sharing","path":"Invoices/{{Customer}}","sidecar":true}`).is(http.StatusCreated).object()
	if made["url"] != "folder-1" || made["hasSecret"] != false || made["path"] != "Invoices/{{Customer}}" {
		t.Errorf("got %v, want the id of the folder", made)
	}
	one := all + "/" + made["id"].(string)
	x.do(t, "PATCH", one, `{"url":"folder-2"}`).problem(http.StatusBadRequest, platen.CodeTargetNotFound)
	x.do(t, "PATCH", one, `{"user":"ada"}`).problem(http.StatusBadRequest, "invalid_body")
	x.cloud.Fails["FolderToFill"] = platen.Errorf(platen.KindForbidden, "drive_file_forbidden", "no")
	x.do(t, "PATCH", one, `{"url":"folder-3"}`).problem(http.StatusBadRequest, platen.CodeTargetSignInRefused)
	x.cloud.Fails["FolderToFill"] = platen.Errorf(platen.KindUnavailable, "drive_unavailable", "down")
	x.do(t, "PATCH", one, `{"url":"folder-3"}`).problem(http.StatusServiceUnavailable, "drive_unavailable")
	if got := x.do(t, "PATCH", one, `{"path":"","when":"Total > 3"}`).is(http.StatusOK).object(); got["url"] != "folder-1" || got["path"] != "" {
		t.Errorf("changed to %v: the folder stays, and no drive is asked", got)
	}
}

// Bob and Cyd are a team, and the workflow is Bob's, whose account stores what is made.
func TestNobodyStoresInAFolderThatTheyMayNotFill(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	folder := func(id string) platen.File { return platen.File{ID: id, MIMEType: platen.MIMEFolder} }
	x.cloud.Files["bobs-folder"], x.cloud.Files["shared-folder"] = folder("bobs-folder"), folder("shared-folder")
	cyds := &memory.Drive{Fails: map[string]error{}, Files: map[string]platen.File{"cyds-folder": folder("cyds-folder"), "shared-folder": folder("shared-folder")}}
	x.others["usr_00000000000003"] = cyds
	all := "/v0/workflows/" + x.as(t, memory.BobToken, "POST", "/v0/workflows/", `{"name":"W"}`).is(201).object()["id"].(string) + "/targets"
	one := all + "/" + x.as(t, memory.CydToken, "POST", all, `{"name":"Archive","kind":"drive","url":"shared-folder"}`).is(201).object()["id"].(string)
	for id, code := range map[string]string{"bobs-folder": "drive_file_not_found", "nowhere": "drive_file_not_found", "cyds-folder": platen.CodeTargetNotFound} {
		x.as(t, memory.CydToken, "POST", all, `{"name":"Archive","kind":"drive","url":"`+id+`"}`).problem(400, code)
		x.as(t, memory.CydToken, "PATCH", one, `{"url":"`+id+`"}`).problem(400, code)
	}
	x.as(t, memory.BobToken, "PATCH", one, `{"url":"bobs-folder"}`).is(200)
	cyds.Fails["FolderToFill"] = platen.Errorf(platen.KindForbidden, "drive_file_forbidden", "no")
	p := x.as(t, memory.CydToken, "PATCH", one, `{"url":"shared-folder"}`).problem(400, "drive_file_forbidden")
	if got := p.pointers(); len(got) != 1 || got[0] != "/url" || !strings.Contains(p.Detail, "may put no files") {
		t.Errorf("got %+v", p)
	}
}
