package api

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/platenhq/platen/internal/admission"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

const noOutput = "out_00000000000099"

// withOutputs makes a workflow whose run has outputs with these files, as memory.AddOutputs
// does.
func (x *harness) withOutputs(t testing.TB, names ...string) (wf string, ids []string) {
	t.Helper()
	wf = x.withRun(t, platen.AutomationCompleted)
	return wf, x.store.AddOutputs(x.cloud, names...)
}

func TestTheStoredPDFOfAnOutputOrElseAnExportIsAnswered(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf, ids := x.withOutputs(t, "Rechnung Köln/17.pdf", "Letter")
	a := x.do(t, "GET", wf+"/outputs/"+ids[0]+"/pdf/", "").is(200)
	if a.body != "%PDF stored Rechnung Köln/17.pdf" || a.header.Get("Content-Type") != "application/pdf" || a.header.Get("Content-Disposition") != "inline; filename*=utf-8''Rechnung%20K%C3%B6ln_17.pdf" {
		t.Errorf("got %q with %v", a.body, a.header)
	}
	tag := a.header.Get("ETag")
	if tag == "" || a.header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("got %v, want an entity tag of what does not change", a.header)
	}
	x.cloud.Fails["Download"] = platen.Errorf(platen.KindUnavailable, "", "away")
	x.cloud.Fails["file"+ids[0]] = platen.Errorf(platen.KindUnavailable, "", "away")
	x.do(t, "GET", wf+"/outputs/"+ids[0]+"/pdf/", "", "If-None-Match", tag).is(http.StatusNotModified)
	b := x.do(t, "GET", wf+"/outputs/"+ids[1]+"/pdf/", "").is(200)
	if b.body != "%PDF exported Letter" || b.header.Get("Content-Disposition") != "inline; filename=Letter.pdf" || b.header.Get("ETag") != "" || b.header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %q with %v", b.body, b.header)
	}
}

func TestAnOutputWithoutAFileSaysWhy(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf, ids := x.withOutputs(t, "a.pdf", "b.pdf", "c.pdf", "d.pdf", "e.pdf", "f.pdf")
	x.store.Output(0).State = platen.OutputPending
	x.store.Output(1).State = platen.OutputFailed
	x.store.Output(2).PDF = nil // erased
	delete(x.cloud.Files, "file"+ids[3])
	x.cloud.Fails["file"+ids[4]] = platen.Errorf(platen.KindForbidden, "drive_connection_broken", "Connect the drive again.")
	x.cloud.Fails["file"+ids[5]] = platen.Errorf(platen.KindRateLimited, platen.CodeQuotaUsedUp, "used up")
	at := func(id string) string { return wf + "/outputs/" + id + "/pdf/" }
	x.do(t, "GET", at(ids[0]), "").problem(400, "output_without_file")
	x.do(t, "GET", at(ids[1]), "").problem(400, "output_without_file")
	x.do(t, "GET", at(ids[2]), "").problem(400, "data_erased")
	x.do(t, "GET", at(ids[3]), "").problem(400, "output_file_removed")
	x.do(t, "GET", at(ids[4]), "").problem(403, "drive_connection_broken")
	x.do(t, "GET", at(ids[5]), "").problem(503, "drive_rate_limited")
	x.do(t, "GET", at(noOutput), "").problem(403, "output_not_found")
	x.do(t, "GET", at("1"), "").problem(403, "output_not_found")
	x.do(t, "GET", at(ids[0])+"?page=1", "").problem(400, "invalid_parameter")
	x.as(t, memory.BobToken, "GET", at(ids[0]), "").problem(403, "workflow_not_found")
}

func (a answer) archive() *zip.Reader {
	a.t.Helper()
	z, err := zip.NewReader(strings.NewReader(a.body), int64(len(a.body)))
	if err != nil {
		a.t.Fatalf("the answer is no zip: %v", err)
	}
	return z
}

// zipped are the files of a zip by their names, in order.
func (a answer) zipped() (names []string, contents map[string]string) {
	a.t.Helper()
	contents = map[string]string{}
	for _, f := range a.archive().File {
		file, err := f.Open()
		if err != nil {
			a.t.Fatal(err)
		}
		content, err := io.ReadAll(file)
		if err != nil {
			a.t.Fatal(err)
		}
		names = append(names, f.Name)
		contents[f.Name] = string(content)
	}
	return names, contents
}

func TestAZipHasWhatCanBeReadUnderSafeNamesAndTellsTheRest(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf, ids := x.withOutputs(t, "Invoice.pdf", "invoice.PDF.pdf", "../../etc/passwd.pdf", "INVOICE.pdf", "errors.txt.pdf", "CON.pdf", "Gone.pdf", "Letter", "big.pdf", "ab\u202efdp.exe.pdf")
	delete(x.cloud.Files, "file"+ids[6])
	x.store.Output(8).PDF.Size = maxZipBytes + 1
	query := url.Values{"id": append(slices.Clone(ids), ids[0])}.Encode()
	a := x.do(t, "GET", wf+"/outputs/zip/?"+query, "").is(200)
	if got := a.header.Get("Content-Disposition"); a.header.Get("Content-Type") != "application/zip" || got != "attachment; filename=W.zip" {
		t.Errorf("got %v", a.header)
	}
	names, contents := a.zipped()
	want := []string{"Invoice.pdf", "invoice.PDF.pdf", ".._.._etc_passwd.pdf", "INVOICE (2).pdf", "errors.txt.pdf", "file CON.pdf", "Letter.pdf", "abfdp.exe.pdf", "errors.txt"}
	want[2] = "_.._etc_passwd.pdf"
	if !slices.Equal(names, want) {
		t.Errorf("got the names %q, want %q", names, want)
	}
	if contents["INVOICE (2).pdf"] != "%PDF stored INVOICE.pdf" || contents["Letter.pdf"] != "%PDF exported Letter" {
		t.Errorf("got %q", contents)
	}
	left := strings.Split(strings.TrimSpace(contents["errors.txt"]), "\r\n")
	if len(left) != 2 || !strings.HasPrefix(left[0], ids[6]+" Gone.pdf: ") || !strings.HasSuffix(left[0], "(output_file_removed)") || !strings.HasSuffix(left[1], "(zip_full)") {
		t.Errorf("got what is left out %q, want Gone.pdf and big.pdf", left)
	}
}

// What waits for people is there to be looked at. No zip passes it on, and nobody sees other
// bytes than those that were made.
func TestAnOutputThatWaitsForPeopleIsSeenAndNotPassedOn(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf, ids := x.withOutputs(t, "Offer.pdf", "Sent.pdf")
	o, sum := x.store.Output(0), sha256.Sum256([]byte("%PDF stored Offer.pdf"))
	o.State, o.PDF.SHA256 = platen.OutputReview, hex.EncodeToString(sum[:])
	at := wf + "/outputs/" + ids[0] + "/pdf/"
	x.do(t, "GET", at, "").is(200)
	names, contents := x.do(t, "GET", wf+"/outputs/zip/?"+url.Values{"id": ids}.Encode(), "").is(200).zipped()
	if want := []string{"Sent.pdf", "errors.txt"}; !slices.Equal(names, want) || !strings.Contains(contents["errors.txt"], "(output_in_review)") {
		t.Errorf("got %q and %q, want Sent.pdf alone", names, contents["errors.txt"])
	}
	for _, change := range []func(){
		func() { o.PDF.SHA256 = strings.Repeat("0", 64) },
		func() { o.State, o.Verdict = platen.OutputDone, platen.VerdictApproved },
	} {
		change()
		x.do(t, "GET", at, "").problem(400, platen.CodeApprovedFileChanged)
	}
}

func TestAZipOfNothingOrTooMuchOrOthersIsRefused(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf, ids := x.withOutputs(t, "a.pdf")
	var many []string
	for i := range maxZipped + 1 {
		many = append(many, fmt.Sprintf("id=out_%014d", i))
	}
	at := wf + "/outputs/zip/?"
	x.do(t, "GET", at, "").problem(400, "invalid_parameter")
	x.do(t, "GET", at+"id=1", "").problem(400, "invalid_parameter")
	x.do(t, "GET", at+"id="+ids[0]+"&name=b", "").problem(400, "invalid_parameter")
	x.do(t, "GET", at+strings.Join(many, "&"), "").problem(400, "invalid_parameter")
	x.do(t, "GET", at+"id="+ids[0]+"&id="+noOutput, "").problem(403, "output_not_found")
	x.as(t, memory.BobToken, "GET", at+"id="+ids[0], "").problem(403, "workflow_not_found")
}

// A user who reads as much as possible does not delay others.
func TestFilesOfOutputsAreReadInTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		noDrive := errors.New("no drive")
		f := outputFiles{turns: admission.NewKeyed(fileTurns), drives: func(context.Context, string) (Drive, error) { return nil, noDrive }}
		for range fileTurns.PerKey {
			f.turns.TryTake("ada")
		}
		begun := time.Now()
		_, err := f.read(t.Context(), "owner", "ada", platen.Output{})
		if busy, ok := errors.AsType[*platen.Error](err); !ok || busy.Code != "outputs_busy" || busy.RetryAfter != 5*time.Second || time.Since(begun) != 15*time.Second {
			t.Errorf("ada: got %v after %s, want outputs_busy", err, time.Since(begun))
		}
		if _, err := f.read(t.Context(), "owner", "bob", platen.Output{}); !errors.Is(err, noDrive) {
			t.Errorf("bob: got %v, want his turn", err)
		}
	})
}

func TestOneWhoReadsTooManyFilesOfOutputsIsToldToWait(t *testing.T) {
	t.Parallel()
	now := time.Now() // stands still: no request is too slow to count
	x := newHarness(t, func(o *Options) { o.Now = func() time.Time { return now } })
	wf, ids := x.withOutputs(t, "a.pdf")
	for range zipRate.Burst {
		x.do(t, "GET", wf+"/outputs/zip/?id="+ids[0], "").is(200)
	}
	x.do(t, "GET", wf+"/outputs/zip/?id="+ids[0], "").problem(429, "rate_limited")
	for range outputFileRate.Burst {
		x.do(t, "GET", wf+"/outputs/"+ids[0]+"/pdf/", "").is(200)
	}
	x.do(t, "GET", wf+"/outputs/"+ids[0]+"/pdf/", "").problem(429, "rate_limited")
}
