package api

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// boundTexts writes what it is given as lines.
type boundTexts struct{ to io.Writer }

func (b boundTexts) Add(title string, pdf []byte) error {
	if strings.Contains(string(pdf), "broken") {
		return platen.Errorf(platen.KindInvalid, "pdf_unreadable", "The PDF cannot be read.")
	}
	_, err := fmt.Fprintf(b.to, "%s: %s\n", title, pdf)
	return err
}

func (b boundTexts) Close(left []byte) error {
	_, err := b.to.Write(left)
	return err
}

func TestOnePDFOfABatchHasItsOutputsInTheOrderOfTheRows(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	at, outputs := x.madeBatch(t, "B.pdf", "A.pdf", "broken.pdf", "Secret.pdf", "D.pdf")
	delete(x.cloud.Files, outputs[1].PDF.ID)
	x.store.Batches[0].Outputs[4][0].PDF.Properties = map[string]string{platen.PropertyProtection: string(platen.ProtectionPassword)}
	a := x.do(t, "GET", at+"/outputs.pdf", "").is(200)
	want := []string{"October.csv", "B: %PDF stored B.pdf", "D: %PDF stored D.pdf", "row 2 A.pdf: The file of the output is not in the drive any more", "row 3 broken.pdf: The PDF cannot be read.", "row 4 Secret.pdf: Outputs with a password are not put into one PDF"}
	lines := strings.Split(a.body, "\n")
	for i, w := range want {
		if i >= len(lines) || !strings.HasPrefix(lines[i], w) {
			t.Fatalf("got %q, want line %d to begin with %q", a.body, i+1, w)
		}
	}
	if got := a.header.Get("Content-Disposition"); a.header.Get("Content-Type") != platen.MIMEPDF || !strings.Contains(got, "October.csv.pdf") {
		t.Errorf("got %v, want a PDF with the name of the batch", a.header)
	}
	if a := x.do(t, "GET", at+"/outputs.pdf?rows=5-5", "").is(200); strings.TrimSpace(a.body) != "October.csv "+strings.TrimPrefix(at[strings.LastIndex(at, "/"):], "/")+"\nD: %PDF stored D.pdf" {
		t.Errorf("the fifth row: got %q", a.body)
	}
	if a := x.do(t, "HEAD", at+"/outputs.pdf", "").is(200); a.body != "" {
		t.Errorf("HEAD: got %q", a.body)
	}
}

func TestOnePDFOfABatchIsRefusedWhereNothingCouldBeInIt(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	at, outputs := x.madeBatch(t, "Secret.pdf", "A.pdf")
	outputs[0].PDF.Properties = map[string]string{platen.PropertyProtection: string(platen.ProtectionPassword)}
	x.do(t, "GET", at+"/outputs.pdf?rows=1-1", "").problem(400, "outputs_encrypted")
	x.do(t, "GET", at+"/outputs.pdf?rows=6-9", "").problem(400, "batch_without_pdf")
	x.do(t, "GET", at+"/outputs.pdf?rows=9-6", "").problem(400, "invalid_parameter")
	x.as(t, memory.BobToken, "GET", at+"/outputs.pdf", "").problem(403, "workflow_not_found")
}

// Who prints a batch prints nothing that nobody has approved.
func TestWhatWaitsForPeopleIsInNoPDFOfABatch(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	at, _ := x.madeBatch(t, "Offer.pdf", "Sent.pdf")
	x.store.Batches[0].Outputs[1][0].State = platen.OutputReview
	if a := x.do(t, "GET", at+"/outputs.pdf", "").is(200); strings.Contains(a.body, "%PDF stored Offer.pdf") || !strings.Contains(a.body, "row 1 Offer.pdf: The output waits for those who approve it") {
		t.Errorf("got %q, want Sent.pdf alone", a.body)
	}
	x.do(t, "GET", at+"/outputs.pdf?rows=1-1", "").problem(400, "batch_without_pdf")
	names, _ := x.do(t, "GET", at+"/outputs.zip", "").is(200).zipped()
	if want := []string{"00002 Sent.pdf", "errors.txt"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

// A leaver is a client that leaves after some bytes.
type leaver struct {
	http.ResponseWriter
	room int
}

func (l *leaver) Write(b []byte) (int, error) {
	if l.room -= len(b); l.room < 0 {
		return 0, errors.New("gone")
	}
	return l.ResponseWriter.Write(b)
}

func TestNoPDFIsBoundForAClientThatLeft(t *testing.T) {
	t.Parallel()
	read := 0
	x := newHarness(t)
	at, _ := x.madeBatch(t, "A.pdf", "B.pdf", "C.pdf", "D.pdf", "E.pdf", "F.pdf")
	x.cloud.During = func() { read++ }
	next := x.handler
	x.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(&leaver{w, 50}, r) })
	x.do(t, "GET", at+"/outputs.pdf", "")
	if read > 3 {
		t.Errorf("%d files are read of a client that left after the second, want no more", read)
	}
}

// A stalled writer takes nothing until it goes on.
type stalled struct {
	http.ResponseWriter
	goOn chan struct{}
}

func (s *stalled) Write(b []byte) (int, error) {
	<-s.goOn
	return s.ResponseWriter.Write(b)
}

func TestOnePDFDoesNotWaitForSlowReadersOfOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := newHarness(t)
		ada := x.ada
		ada.Team = x.store.Tokens[sha256.Sum256([]byte(memory.BobToken))].Team
		x.store.Tokens[sha256.Sum256([]byte(memory.AdaToken))] = ada
		at, _ := x.madeBatch(t, "A.pdf")
		next, goOn := x.handler, make(chan struct{})
		x.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != memory.AdaToken {
				w = &stalled{w, goOn}
			}
			next.ServeHTTP(w, r)
		})
		var slow sync.WaitGroup
		for _, token := range []string{memory.BobToken, memory.CydToken} {
			slow.Go(func() { x.as(t, token, "GET", at+"/outputs.pdf", "") })
			synctest.Wait()
		}
		x.do(t, "GET", at+"/outputs.pdf", "").is(200)
		close(goOn)
		slow.Wait()
	})
}
