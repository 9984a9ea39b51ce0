package protect_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/pdfa"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/protect"
	"github.com/platenhq/platen/internal/seal"
	"github.com/platenhq/platen/internal/seal/sealtest"
)

var sealedAt = time.Now()

func newSealer(t *testing.T) (*seal.Sealer, sealtest.Organization) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	o := sealtest.NewOrganization(t, "Brightwater Yachts", key)
	s, err := seal.New(o.Chain(), o.Key)
	if err != nil {
		t.Fatal(err)
	}
	return s, o
}

func always(s protect.Signer) func() (protect.Signer, error) {
	return func() (protect.Signer, error) { return s, nil }
}

var byteRange = regexp.MustCompile(`/ByteRange \[0 (\d+) (\d+) (\d+)\] */Contents <([0-9a-f]+)>`)

// wantSealed has poppler, OpenSSL and qpdf judge a sealed PDF.
func wantSealed(t *testing.T, what string, pdf []byte, o sealtest.Organization, password string) {
	t.Helper()
	arguments := []string{"-nocert"}
	checked := []string{"--check"}
	if password != "" {
		arguments, checked = append(arguments, "-upw", password), append(checked, "--password="+password)
	}
	path := store(t, pdf)
	said, err := run(t, "pdfsig", append(arguments, path)...)
	if err != nil || !strings.Contains(said, "Signature is Valid.") || !strings.Contains(said, "Total document signed") || !strings.Contains(said, "ETSI.CAdES.detached") || !strings.Contains(said, "Brightwater Yachts") {
		t.Errorf("%s: pdfsig says %s, %v", what, said, err)
	}
	if said, err := run(t, "qpdf", append(checked, path)...); err != nil || strings.Contains(strings.ToLower(said), "warning") {
		t.Errorf("%s: qpdf says %s, %v", what, said, err)
	}
	parts := byteRange.FindSubmatch(pdf)
	if parts == nil {
		t.Fatalf("%s: there is no signature in it", what)
	}
	number := func(b []byte) int { n, _ := strconv.Atoi(string(b)); return n }
	from, to, rest := number(parts[1]), number(parts[2]), number(parts[3])
	signature, err := hex.DecodeString(string(parts[4]))
	if err != nil || to+rest != len(pdf) {
		t.Fatalf("%s: a signature of %d to %d and %d of %d bytes, %v", what, from, to, rest, len(pdf), err)
	}
	if said, err := run(t, "openssl", "cms", "-verify", "-cades", "-binary", "-inform", "DER", "-in", store(t, signature), "-content", store(t, append(bytes.Clone(pdf[:from]), pdf[to:]...)), "-CAfile", store(t, o.Root), "-purpose", "any", "-out", os.DevNull); err != nil {
		t.Errorf("%s: openssl says %s, %v", what, said, err)
	}
}

func TestASealIsGoodByOtherPrograms(t *testing.T) {
	t.Parallel()
	s, o := newSealer(t)
	in := page(t, "Invoice 2026-17 for Ada")
	p := protect.Protector{Signer: always(s)}
	joined, _, err := p.Append(in, []platen.AppendedPDF{{Name: "a.pdf", Content: page(t, "Terms")}})
	if err != nil {
		t.Fatal(err)
	}
	for what, pdf := range map[string][]byte{"as it is": in, "with another, in streams": joined} {
		sealed, err := p.Seal(t.Context(), pdf, sealedAt)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if !bytes.HasPrefix(sealed, pdf) {
			t.Errorf("%s: bytes of the PDF were changed", what)
		}
		wantSealed(t, what, sealed, o, "")
		for _, password := range []string{"geheim", "with space €"} {
			locked, err := p.ProtectAndSeal(t.Context(), pdf, password, true, sealedAt)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			wantSealed(t, what+", encrypted", locked, o, password)
			if err := p.Opens(locked, password); err != nil {
				t.Errorf("%s: %v", what, err)
			}
			if bytes.Contains(locked, []byte("Brightwater")) && !bytes.Contains(o.Chain(), []byte("Brightwater")) {
				t.Errorf("%s: a string is not encrypted", what)
			}
		}
	}
}

func TestASealedPDFStaysOneForArchives(t *testing.T) {
	t.Parallel()
	s, o := newSealer(t)
	p := protect.Protector{Signer: always(s)}
	for profile, part := range map[platen.PDFProfile]pdfa.Part{platen.ProfilePDFA2b: pdfa.Part2, platen.ProfilePDFA3b: pdfa.Part3} {
		archived, err := p.Archive(protect.Rendered(t, "invoice.docx"), platen.Archive{Profile: profile, At: sealedAt})
		if err != nil {
			t.Fatal(err)
		}
		sealed, err := p.Seal(t.Context(), archived, sealedAt)
		if err != nil {
			t.Fatal(err)
		}
		wantSealed(t, string(profile), sealed, o, "")
		faults, err := pdfa.Check(sealed, part)
		if err != nil || len(faults) > 0 {
			t.Errorf("%s: got %v, %v", profile, faults, err)
		}
	}
}

// failing signs nothing.
type failing struct{}

var errFails = errors.New("it fails")

func (failing) Sign(context.Context, [sha256.Size]byte, time.Time) ([]byte, error) {
	return nil, errFails
}
func (failing) Room() int    { return 100 }
func (failing) Name() string { return "Nobody" }

func TestWhatCannotBeSealedIsNoPDF(t *testing.T) {
	t.Parallel()
	p := protect.Protector{Signer: always(failing{})}
	if _, err := p.Seal(t.Context(), page(t, "x"), sealedAt); !errors.Is(err, errFails) {
		t.Errorf("got %v, want the error of the signer", err)
	}
	s, _ := newSealer(t)
	p.Signer = always(s)
	locked, err := p.Protect(page(t, "x"), "pw", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (protect.Protector{}).Seal(t.Context(), page(t, "x"), sealedAt); platen.KindOf(err) != platen.KindInvalid || !strings.Contains(err.Error(), "PLATEN_SEAL_CERTIFICATE_FILE") {
		t.Errorf("got %v, want that no certificate is set", err)
	}
	if _, err := p.Seal(t.Context(), page(t, "x"), sealedAt.AddDate(1, 1, 0)); platen.KindOf(err) != platen.KindInvalid || !strings.Contains(err.Error(), "ended on ") {
		t.Errorf("got %v, want that the certificate has ended", err)
	}
	for what, pdf := range map[string][]byte{"nothing": nil, "no PDF": []byte("%PDF-1.7\nx"), "encrypted": locked} {
		if _, err := p.Seal(t.Context(), pdf, sealedAt); platen.KindOf(err) != platen.KindInvalid {
			t.Errorf("%s: got %v, want a refusal", what, err)
		}
	}
}

// A signature is of one whole file: in another it would look broken.
func TestABoundPDFHasNoSeal(t *testing.T) {
	t.Parallel()
	s, _ := newSealer(t)
	p := protect.Protector{Signer: always(s)}
	sealed, err := p.Seal(t.Context(), page(t, "Invoice 17"), sealedAt)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	b := protect.NewBinder(&out, "October")
	for _, title := range []string{"1", "2"} {
		if err := b.Add(title, sealed); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(nil); err != nil {
		t.Fatal(err)
	}
	joined, _, err := p.Append(page(t, "Offer"), []platen.AppendedPDF{{Name: "a.pdf", Content: sealed}})
	if err != nil {
		t.Fatal(err)
	}
	for what, pdf := range map[string][]byte{"bound": out.Bytes(), "appended": joined} {
		path := store(t, pdf)
		if said, _ := run(t, "pdfsig", path); !strings.Contains(said, "does not contain any signatures") {
			t.Errorf("%s: pdfsig says %s", what, said)
		}
		if said, err := run(t, "qpdf", "--check", path); err != nil {
			t.Errorf("%s: qpdf says %s, %v", what, said, err)
		}
		if said, err := run(t, "pdftotext", path, "-"); err != nil || !strings.Contains(said, "Invoice 17") {
			t.Errorf("%s: pdftotext says %s, %v", what, said, err)
		}
	}
}
