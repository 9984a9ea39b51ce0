package interop

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit/standin"
)

// programVariable names the environment variable with rclone's path.
const programVariable = "PLATEN_RCLONE"

// harness is rclone with two remotes for one account of one drive: "service:" has
// a service account's key, "user:" a refresh token.
type harness struct {
	t       *testing.T
	program string
	google  *standin.Google
	env     []string
	dir     string // of local files
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	program := os.Getenv(programVariable)
	if program == "" {
		t.Skipf("%s does not name rclone; make rclone builds it and runs this", programVariable)
	}
	b := &harness{t: t, program: program, google: standin.New(t), dir: t.TempDir()}
	token, err := json.Marshal(map[string]string{
		"access_token": "expired", "token_type": "Bearer", "refresh_token": b.google.RefreshToken, "expiry": "2020-01-01T00:00:00Z",
	})
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(b.dir, "rclone.conf")
	b.write(config, fmt.Sprintf("[service]\ntype = drive\nscope = drive\nservice_account_file = %s\n\n"+
		"[user]\ntype = drive\nscope = drive\nclient_id = client\nclient_secret = secret\ntoken = %s\n", b.google.ServiceAccount, token))
	b.env = append(os.Environ(), b.google.Environment()...)
	b.env = append(b.env, "RCLONE_CONFIG="+config, "RCLONE_RETRIES=1", "RCLONE_LOW_LEVEL_RETRIES=1", "RCLONE_DRIVE_PACER_MIN_SLEEP=1ms")
	return b
}

func (b *harness) write(path, content string) string {
	b.t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// rclone returns what it prints.
func (b *harness) rclone(t *testing.T, args ...string) string {
	t.Helper()
	out, err := b.try(args...)
	if err != nil {
		t.Fatalf("rclone %s: %v\nrequests:\n%s", strings.Join(args, " "), err, strings.Join(b.google.Requests(), "\n"))
	}
	return out
}

func (b *harness) try(args ...string) (string, error) {
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, b.program, args...)
	c.Env = b.env
	var said, failed bytes.Buffer
	c.Stdout, c.Stderr = &said, &failed
	if err := c.Run(); err != nil {
		return said.String(), fmt.Errorf("%w: %s", err, failed.String())
	}
	return said.String(), nil
}

// asked says whether rclone has made a request that contains all of these.
func asked(requests []string, parts ...string) bool {
	return slices.ContainsFunc(requests, func(r string) bool {
		for _, part := range parts {
			if !strings.Contains(r, part) {
				return false
			}
		}
		return true
	})
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestRcloneWorksOnOurDrive(t *testing.T) {
	b := newHarness(t)
	small := b.write(filepath.Join(b.dir, "small.txt"), "hello, drive\n")
	noise := make([]byte, 1<<20+12345)
	rand.Read(noise)
	large := b.write(filepath.Join(b.dir, "large.bin"), string(noise))
	letter, err := filepath.Abs("../../examples/letter.docx")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name string
		run  func(t *testing.T)
	}{
		{"an empty drive is listed", func(t *testing.T) {
			want(t, "lsf", b.rclone(t, "lsf", "service:"), "")
		}},
		{"a small file is uploaded in one request", func(t *testing.T) {
			b.google.Requests()
			b.rclone(t, "copyto", small, "service:folder/small.txt")
			if requests := b.google.Requests(); !asked(requests, "POST /upload/drive/v3/files", "uploadType=multipart") {
				t.Errorf("no multipart upload among %q", requests)
			}
		}},
		{"a large file is uploaded in chunks", func(t *testing.T) {
			b.google.Requests()
			b.rclone(t, "copyto", large, "user:folder/large.bin", "--drive-upload-cutoff", "0", "--drive-chunk-size", "256k")
			if requests := b.google.Requests(); !asked(requests, "uploadType=resumable", "upload_id=") {
				t.Errorf("no resumable upload among %q", requests)
			}
		}},
		{"files are listed with size and hash", func(t *testing.T) {
			want(t, "lsf", b.rclone(t, "lsf", "--format", "ps", "user:folder"), fmt.Sprintf("large.bin;%d\nsmall.txt;13\n", len(noise)))
			want(t, "lsf -R", b.rclone(t, "lsf", "-R", "--files-only", "--hash", "MD5", "--format", "hp", "--include", "*.txt", "service:"), "3ab6f3ebc54dcd452c6adc967894f9ae;folder/small.txt\n")
		}},
		{"a file is read", func(t *testing.T) {
			want(t, "cat", b.rclone(t, "cat", "service:folder/small.txt"), "hello, drive\n")
			want(t, "cat of a range", b.rclone(t, "cat", "--offset", "7", "--count", "5", "service:folder/small.txt"), "drive")
		}},
		{"files are compared by their hashes", func(t *testing.T) {
			b.rclone(t, "check", b.dir, "service:folder", "--include", "{small.txt,large.bin}")
			b.write(small, "hello, other\n")
			if _, err := b.try("check", b.dir, "service:folder", "--include", "{small.txt,large.bin}"); err == nil {
				t.Error("check finds no difference to a file that was changed")
			}
			b.rclone(t, "check", b.dir, "service:folder", "--download", "--include", "large.bin")
		}},
		{"a changed file replaces the one before", func(t *testing.T) {
			b.rclone(t, "copyto", small, "service:folder/small.txt")
			want(t, "cat", b.rclone(t, "cat", "user:folder/small.txt"), "hello, other\n")
			want(t, "lsf", b.rclone(t, "lsf", "user:folder"), "large.bin\nsmall.txt\n")
		}},
		{"a file is copied on the server", func(t *testing.T) {
			b.google.Requests()
			b.rclone(t, "copyto", "service:folder/large.bin", "service:copies/again.bin")
			if requests := b.google.Requests(); !asked(requests, "POST", "/copy") || asked(requests, "/upload/") {
				t.Errorf("no copy on the server: %q", requests)
			}
			want(t, "lsf", b.rclone(t, "lsf", "--format", "ps", "service:copies"), fmt.Sprintf("again.bin;%d\n", len(noise)))
		}},
		{"a file is moved on the server", func(t *testing.T) {
			b.google.Requests()
			b.rclone(t, "moveto", "service:copies/again.bin", "service:folder/moved.bin")
			if requests := b.google.Requests(); !asked(requests, "PATCH", "addParents=") || asked(requests, "/upload/") {
				t.Errorf("no move on the server: %q", requests)
			}
			all := strings.Fields(b.rclone(t, "lsf", "-R", "service:"))
			slices.Sort(all) // it lists folders side by side
			want(t, "lsf -R", strings.Join(all, " "), "copies/ folder/ folder/large.bin folder/moved.bin folder/small.txt")
		}},
		{"a file is shared by its link", func(t *testing.T) {
			link := strings.TrimSpace(b.rclone(t, "link", "service:folder/small.txt"))
			response, err := b.google.Client().Get(link)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err != nil || response.StatusCode != 200 {
				t.Fatalf("%s: got %d %v", link, response.StatusCode, err)
			}
			want(t, link, string(body), "hello, other\n")
		}},
		{"a file is deleted into the trash, and the trash emptied", func(t *testing.T) {
			b.rclone(t, "deletefile", "service:folder/moved.bin")
			want(t, "lsf", b.rclone(t, "lsf", "service:folder"), "large.bin\nsmall.txt\n")
			want(t, "lsf of the trash", b.rclone(t, "lsf", "--drive-trashed-only", "--files-only", "-R", "service:"), "folder/moved.bin\n")
			b.rclone(t, "cleanup", "service:")
			want(t, "lsf of the trash", b.rclone(t, "lsf", "--drive-trashed-only", "--files-only", "-R", "service:"), "")
		}},
		{"the account is told about", func(t *testing.T) {
			var about struct{ Used, Trashed int64 }
			if err := json.Unmarshal([]byte(b.rclone(t, "about", "--json", "service:")), &about); err != nil {
				t.Fatal(err)
			}
			if about.Used != int64(len(noise))+13 || about.Trashed != 0 {
				t.Errorf("about: got %+v, want %d used", about, len(noise)+13)
			}
		}},
		{"an Office file is imported", func(t *testing.T) {
			b.rclone(t, "copyto", letter, "service:letter.docx", "--drive-import-formats", "docx")
			want(t, "lsf", b.rclone(t, "lsf", "--files-only", "service:"), "letter.docx\n")
			want(t, "lsf without documents", b.rclone(t, "lsf", "--files-only", "--drive-skip-gdocs", "service:"), "")
		}},
		{"a document is exported", func(t *testing.T) {
			back := filepath.Join(b.dir, "back.docx")
			b.rclone(t, "copyto", "service:letter.docx", back, "--drive-export-formats", "docx")
			before, err1 := os.ReadFile(letter)
			after, err2 := os.ReadFile(back)
			if err1 != nil || err2 != nil || !bytes.Equal(before, after) {
				t.Errorf("the export differs from what was imported: %d and %d bytes (%v, %v)", len(before), len(after), err1, err2)
			}
			if pdf := b.rclone(t, "cat", "user:letter.pdf", "--drive-export-formats", "pdf"); !strings.HasPrefix(pdf, "%PDF-") {
				t.Errorf("the PDF begins with %.20q", pdf)
			}
			if text := b.rclone(t, "cat", "user:letter.txt", "--drive-export-formats", "txt"); !strings.Contains(text, "{{") {
				t.Errorf("the text is %.80q", text)
			}
		}},
		{"a folder goes with all that is in it", func(t *testing.T) {
			b.rclone(t, "mkdir", "service:folder/empty")
			b.rclone(t, "purge", "service:folder")
			want(t, "lsf", b.rclone(t, "lsf", "--dirs-only", "service:"), "copies/\n")
		}},
	} {
		if !t.Run(step.name, step.run) {
			return
		}
	}
}
