package chaos

import (
	"context"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	driveapi "google.golang.org/api/drive/v3"
)

// sampled is how many PDFs are read of outputs that nothing happened to: each
// takes two programs.
const sampled = 30

// checkContents reads what was made: it says what was sent, each tag filled
// once. It reads the originals of all that were made, and the PDFs of every output that a fault may
// have touched, with other people's programs and the password that was sent;
// of the other PDFs it reads a sample that the seed chooses.
func (w *witness) checkContents(ctx context.Context, files map[string]*driveapi.File) {
	w.t.Helper()
	var rest []outputRow
	for _, o := range w.outputs(ctx) {
		if o.State == "DONE" && o.Copy != nil && !o.Removed && files[*o.Copy] != nil {
			w.checkOriginal(ctx, o)
		}
		switch {
		case o.PDF == nil || files[*o.PDF] == nil || o.Rejected:
		case o.Repeated || o.Generation > 0:
			w.checkPDF(ctx, o)
			w.counts["touched"]++
		default:
			rest = append(rest, o)
		}
	}
	random := rand.New(rand.NewPCG(w.seed, 2))
	random.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	for _, o := range rest[:min(len(rest), sampled)] {
		w.checkPDF(ctx, o)
	}
}

// expected is the text of a document whose tags were filled once: a second
// time would fill the tag in the value of the last one, too.
func (w *witness) expected(o outputRow) string {
	return "Event " + o.Chaos + " of Ada: " + w.load.markers.tag + " not filled: {{Name}}" + numberSign + strconv.FormatInt(o.Number, 10)
}

// appendix begins what is appended to a document.
const appendix = "Behind "

// numberSign stands before the number of a document.
const numberSign = " no. "

// says tells whether a document has a text. What was made before Postgres went back
// may have the number that its automation had then.
func (w *witness) says(got, want string) bool {
	if w.timeline.wentBack() {
		got, _, _ = strings.Cut(got, numberSign)
		want, _, _ = strings.Cut(want, numberSign)
	}
	return got == want
}

func words(text string) string {
	return strings.Join(strings.Fields(strings.TrimPrefix(text, "\ufeff")), " ")
}

// checkOriginal reads an original as the drive exports it.
func (w *witness) checkOriginal(ctx context.Context, o outputRow) {
	w.t.Helper()
	answer, err := w.workflow(o.WorkflowID).owner.files.Files.Export(*o.Copy, "text/plain").Context(ctx).Download()
	if err != nil {
		w.fault("lost", "original of %s: %v", o.Chaos, err)
		return
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	if got, want := words(string(said)), w.expected(o); !w.says(got, want) {
		w.fault("output", "original of %s: got %q, want %q", o.Chaos, got, want)
	}
	w.counts["originals read"]++
}

func (w *witness) checkPDF(ctx context.Context, o outputRow) {
	w.t.Helper()
	d, _ := w.document(o.DocumentID)
	name, err := w.download(ctx, o)
	if err != nil {
		w.fault("lost", "PDF of %s: %v", o.Chaos, err)
		return
	}
	if d.password && exec.CommandContext(ctx, "pdftotext", name, "-").Run() == nil {
		w.fault("output", "the PDF of %s opens without its password", o.Chaos)
	}
	said, err := exec.CommandContext(ctx, "pdftotext", "-raw", "-upw", w.load.markers.password, name, "-").Output()
	if err != nil {
		w.fault("output", "PDF of %s: pdftotext: %v", o.Chaos, err)
		return
	}
	want := w.expected(o)
	if d.appended {
		want += " " + appendix + o.Chaos
	}
	if got := words(string(said)); !w.says(got, want) {
		w.fault("output", "PDF of %s: got %q, want %q", o.Chaos, got, want)
	}
	w.counts["PDFs read"]++
}

// download returns the path of a copy of an output's PDF.
func (w *witness) download(ctx context.Context, o outputRow) (string, error) {
	w.t.Helper()
	answer, err := w.workflow(o.WorkflowID).owner.files.Files.Get(*o.PDF).Context(ctx).Download()
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return "", err
	}
	name := filepath.Join(w.t.TempDir(), *o.PDF+".pdf")
	return name, os.WriteFile(name, content, 0o600)
}
