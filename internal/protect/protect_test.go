package protect_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/protect"
)

// page makes a PDF of another program's that says text.
func page(t testing.TB, text string) []byte {
	t.Helper()
	content := "BT /F1 12 Tf 10 800 Td (" + text + ") Tj ET"
	out, table := []byte("%PDF-1.4\n"), ""
	for i, object := range []string{
		"<</Type /Catalog /Pages 2 0 R>>",
		"<</Type /Pages /Kids [3 0 R] /Count 1>>",
		"<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources <</Font <</F1 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content),
		"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding>>",
	} {
		table += fmt.Sprintf("%010d 00000 n \n", len(out))
		out = fmt.Appendf(out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	at := len(out)
	return fmt.Appendf(out, "xref\n0 6\n0000000000 65535 f \n%strailer\n<</Size 6 /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", table, at)
}

func store(t *testing.T, pdf []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.pdf")
	if err := os.WriteFile(path, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// run returns what an independent reader says.
func run(t *testing.T, name string, arguments ...string) (string, error) {
	t.Helper()
	out, err := exec.Command(name, arguments...).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		t.Fatalf("%s is needed for this test: make tools installs it", name)
	}
	return string(out), err
}

func TestOtherReadersNeedThePasswordAndFindTheText(t *testing.T) {
	t.Parallel()
	const text = "Invoice 2026-17 for Ada"
	in := page(t, text)
	for _, password := range []string{
		"abc", "van Dyke", "10€", "Zürich-1", "日本", "שלום 1", "😀", `~!@#$%^&*()_+{}[]|\:";'<>?,./`, strings.Repeat("x", 127), strings.Repeat("ä", 63),
	} {
		for _, preventCopy := range []bool{false, true} {
			out, err := protect.Protector{}.Protect(in, password, preventCopy)
			if err != nil {
				t.Fatalf("Protect with %q: %v", password, err)
			}
			path := store(t, out)
			shown, err := run(t, "qpdf", "--show-encryption", "--password="+password, path)
			permissions, extraction := "P = -4\n", "extract for any purpose: allowed"
			if preventCopy {
				permissions, extraction = "P = -20\n", "extract for any purpose: not allowed"
			}
			for _, want := range []string{"R = 6\n", permissions, extraction, "stream encryption method: AESv3", "string encryption method: AESv3"} {
				if !strings.Contains(shown, want) {
					t.Errorf("%q: qpdf shows (%v)\n%swant %q", password, err, shown, want)
				}
			}
			// pdftotext cuts what it takes on its command line after 32 bytes.
			if got, err := run(t, "pdftotext", "-upw", password, path, "-"); len(password) <= 32 && (err != nil || !strings.Contains(got, text) && !preventCopy) {
				t.Errorf("%q: pdftotext reads %q, %v", password, got, err)
			}
			for _, wrong := range []string{"", "wrong"} {
				if got, err := run(t, "pdftotext", "-upw", wrong, path, "-"); err == nil {
					t.Errorf("%q: pdftotext opens it with %q: %q", password, wrong, got)
				}
			}
			if got, err := run(t, "qpdf", "--check", "--password="+password, path); err != nil {
				t.Errorf("%q: qpdf finds faults: %v\n%s", password, err, got)
			}
			if err := (protect.Protector{}).Opens(out, password); err != nil {
				t.Errorf("Opens with %q: %v", password, err)
			}
			if err := (protect.Protector{}).Opens(out, password[:len(password)/2]+"w"); platen.KindOf(err) != platen.KindInvalid || err == nil {
				t.Errorf("Opens with a wrong password: %v, want KindInvalid", err)
			}
		}
	}
}

func TestAPasswordIsTakenAsItIsTyped(t *testing.T) {
	t.Parallel()
	in := page(t, "x")
	for odd, typed := range map[string]string{"a\u00a0b": "a b", "Cafe\u0301": "Café", "x\u200by\u00ad": "xy", "ＡＢ１": "AB1", "a\u1680b": "a b"} {
		out, err := protect.Protector{}.Protect(in, odd, false)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := run(t, "pdftotext", "-upw", typed, store(t, out), "-"); err != nil {
			t.Errorf("%q does not open what %q protected: %v %s", typed, odd, err, got)
		}
		for _, password := range []string{odd, typed} {
			if err := (protect.Protector{}).Opens(out, password); err != nil {
				t.Errorf("Opens with %q: %v", password, err)
			}
		}
	}
}

func TestPasswordsThatProtectNothingAreRefused(t *testing.T) {
	t.Parallel()
	in := page(t, "x")
	for password, code := range map[string]string{
		"": "pdf_password_empty", " \u00a0": "pdf_password_empty", "\u200b": "pdf_password_empty",
		strings.Repeat("x", 128): "pdf_password_too_long", strings.Repeat("ä", 64): "pdf_password_too_long",
		"a\nb": "pdf_password_unprintable", "a\x00b": "pdf_password_unprintable", "a\xff": "pdf_password_unprintable",
	} {
		_, err := protect.Protector{}.Protect(in, password, false)
		if e, ok := errors.AsType[*platen.Error](err); !ok || e.Kind != platen.KindInvalid || e.Code != code {
			t.Errorf("password %q: %v, want %s", password, err, code)
		}
	}
}

// encryptedForNobody is a PDF that opens without a password.
func encryptedForNobody(t *testing.T, pdf []byte) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "open.pdf")
	if out, err := run(t, "qpdf", "--encrypt", "", "owner", "256", "--", store(t, pdf), path); err != nil {
		t.Fatal(err, out)
	}
	encrypted, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return encrypted
}

func TestBrokenInputIsRefused(t *testing.T) {
	t.Parallel()
	in := page(t, "x")
	encrypted, err := protect.Protector{}.Protect(in, "first", false)
	if err != nil {
		t.Fatal(err)
	}
	for name, pdf := range map[string][]byte{
		"nothing": nil, "text": []byte("no PDF"), "half": in[:len(in)/2], "encrypted already": encrypted, "too large": make([]byte, protect.MaxInput+1),
		"encrypted, though anybody may read it": encryptedForNobody(t, in),
	} {
		_, err := protect.Protector{}.Protect(pdf, "second", false)
		if kind := platen.KindOf(err); kind != platen.KindInvalid && kind != platen.KindTooLarge {
			t.Errorf("Protect of %s: %v, want KindInvalid or KindTooLarge", name, err)
		}
	}
	shorter := func(entry string) []byte {
		return regexp.MustCompile("/"+entry+"<..").ReplaceAll(encrypted, []byte("/"+entry+"<"))
	}
	for name, pdf := range map[string][]byte{
		"nothing": nil, "not encrypted": in, "half": encrypted[:len(encrypted)/2],
		"without hashes":  bytes.ReplaceAll(encrypted, []byte("/U<"), []byte("/X<")),
		"longer":          bytes.ReplaceAll(encrypted, []byte("/Perms<"), []byte("/Perms<00")),
		"shorter":         shorter("Perms"),
		"a shorter hash":  shorter("U"),
		"a shorter key":   shorter("UE"),
		"no hexadecimals": bytes.ReplaceAll(encrypted, []byte("/UE<"), []byte("/UE<xx")),
	} {
		err := (protect.Protector{}).Opens(pdf, "first")
		if e, ok := errors.AsType[*platen.Error](err); !ok || e.Kind != platen.KindInvalid || e.Code != "pdf_not_encrypted" {
			t.Errorf("Opens of %s: %v, want pdf_not_encrypted", name, err)
		}
	}
}

// versioned is an empty PDF whose catalog names a version.
func versioned(version string) []byte {
	var pdf bytes.Buffer
	pdf.WriteString("%PDF-1.3\n")
	var starts []int
	for i, object := range []string{
		"<</Type/Catalog/Pages 2 0 R/Version/" + version + ">>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]/Resources<<>>>>",
	} {
		starts = append(starts, pdf.Len())
		fmt.Fprintf(&pdf, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	table := pdf.Len()
	pdf.WriteString("xref\n0 4\n0000000000 65535 f \n")
	for _, start := range starts {
		fmt.Fprintf(&pdf, "%010d 00000 n \n", start)
	}
	fmt.Fprintf(&pdf, "trailer\n<</Size 4/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", table)
	return pdf.Bytes()
}

// A version in the catalog overrules the one at the head of the file.
func TestNoOlderVersionIsLeftInTheCatalog(t *testing.T) {
	t.Parallel()
	out, err := protect.Protector{}.Protect(versioned("1.4"), "abc", false)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(out, []byte("%PDF-2.0")) {
		t.Errorf("it begins with %.8q, want %%PDF-2.0", out)
	}
	plain, err := run(t, "qpdf", "--qdf", "--object-streams=disable", "--password=abc", "--decrypt", store(t, out), "-")
	if err != nil || !strings.Contains(plain, "/Catalog") || strings.Contains(plain, "/Version /1.4") {
		t.Errorf("qpdf reads (%v)\n%s\nwant a catalog without a version", err, plain)
	}
}

func TestEachEncryptionDiffersAndManyGoOnAtOnce(t *testing.T) {
	t.Parallel()
	in := page(t, "x")
	var wg sync.WaitGroup
	out := make([][]byte, 8)
	for i := range out {
		wg.Go(func() {
			var err error
			password := fmt.Sprintf("secret %d", i)
			if out[i], err = (protect.Protector{}).Protect(in, password, i%2 == 0); err != nil {
				t.Error(err)
				return
			}
			if err := (protect.Protector{}).Opens(out[i], password); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i := range out {
		if bytes.Equal(out[i], out[(i+1)%len(out)]) {
			t.Error("two encryptions are alike")
		}
	}
}

func BenchmarkProtect(b *testing.B) {
	in := page(b, "Invoice")
	for b.Loop() {
		if _, err := (protect.Protector{}).Protect(in, "secret", true); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpens(b *testing.B) {
	out, err := protect.Protector{}.Protect(page(b, "Invoice"), "secret", true)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := (protect.Protector{}).Opens(out, "secret"); err != nil {
			b.Fatal(err)
		}
	}
}

func TestNothingOfAValueIsLeftThatNobodySees(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, " \t": true, "\u200b": true, "\u200b\u2060\ufeff": true, "\u2063": true, "\u3164": true, "\u115f": true, "\ufe0f": true, "\U000e0041": true, "\u034f": true,
		"0": false, "\u200b7": false, "\u00e9": false, "\u540d": false, "-": false,
	} {
		if got := protect.Vanishes(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
