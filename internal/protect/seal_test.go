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

var sealedAt = time.Date(2026, 11, 29, 6, 0, 0, 0, time.UTC)

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
	var p protect.Protector
	joined, _, err := p.Append(in, []platen.AppendedPDF{{Name: "a.pdf", Content: page(t, "Terms")}})
	if err != nil {
		t.Fatal(err)
	}
	for what, pdf := range map[string][]byte{"as it is": in, "with another, in streams": joined} {
		sealed, err := p.Seal(t.Context(), pdf, s, sealedAt)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if !bytes.HasPrefix(sealed, pdf) {
			t.Errorf("%s: bytes of the PDF were changed", what)
		}
		wantSealed(t, what, sealed, o, "")
		for _, password := range []string{"geheim", "with space €"} {
			locked, err := p.ProtectAndSeal(t.Context(), pdf, password, true, s, sealedAt)
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
	var p protect.Protector
	for profile, part := range map[platen.PDFProfile]pdfa.Part{platen.ProfilePDFA2b: pdfa.Part2, platen.ProfilePDFA3b: pdfa.Part3} {
		archived, err := p.Archive(protect.Rendered(t, "invoice.docx"), platen.Archive{Profile: profile, At: sealedAt})
		if err != nil {
			t.Fatal(err)
		}
		sealed, err := p.Seal(t.Context(), archived, s, sealedAt)
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

func (failing) Sign(context.Context, [sha256.Size]byte) ([]byte, error) { return nil, errFails }
func (failing) Room() int                                               { return 100 }
func (failing) Name() string                                            { return "Nobody" }

func TestWhatCannotBeSealedIsNoPDF(t *testing.T) {
	t.Parallel()
	var p protect.Protector
	if _, err := p.Seal(t.Context(), page(t, "x"), failing{}, sealedAt); !errors.Is(err, errFails) {
		t.Errorf("got %v, want the error of the signer", err)
	}
	s, _ := newSealer(t)
	locked, err := p.Protect(page(t, "x"), "pw", false)
	if err != nil {
		t.Fatal(err)
	}
	for what, pdf := range map[string][]byte{"nothing": nil, "no PDF": []byte("%PDF-1.7\nx"), "encrypted": locked} {
		if _, err := p.Seal(t.Context(), pdf, s, sealedAt); platen.KindOf(err) != platen.KindInvalid {
			t.Errorf("%s: got %v, want a refusal", what, err)
		}
	}
}
