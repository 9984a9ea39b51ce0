package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
)

// PDF.js is what npm has under the version that test/Makefile names; make pdfjs fetches it.
func TestPDFJSIsUnchanged(t *testing.T) {
	t.Parallel()
	sums, err := os.ReadFile("pdfjs/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	files, lines := readAssets(), strings.Split(strings.TrimSpace(string(sums)), "\n")
	if len(lines) != 3 {
		t.Fatalf("got %d sums, want 3", len(lines))
	}
	for _, line := range lines {
		want, name, _ := strings.Cut(line, "  ")
		sum := sha256.Sum256(files[name].content())
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%s: got the SHA-256 %s, want %s", name, got, want)
		}
	}
	rules, err := os.ReadFile("../../test/Makefile")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^PDFJS += ([\d.]+)$`).FindSubmatch(rules)
	if version == nil {
		t.Fatal("test/Makefile names no version of pdf.js")
	}
	for _, name := range []string{"pdf.min.mjs", "pdf.worker.min.mjs"} {
		if !bytes.Contains(files[name].content(), append([]byte("pdfjsVersion = "), version[1]...)) {
			t.Errorf("%s is not of the version %s", name, version[1])
		}
	}
}

func TestAssetsAreKeptForGoodAndCompressed(t *testing.T) {
	t.Parallel()
	site := NewSite(SiteOptions{PublicURL: "https://api.test"})
	get := func(address, encodings string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, address, nil)
		r.Header.Set("Accept-Encoding", encodings)
		w := httptest.NewRecorder()
		site.ServeHTTP(w, r)
		return w
	}
	for name, a := range readAssets() {
		plain := get(a.address, "br, gzip;q=0")
		if plain.Code != http.StatusOK || plain.Header().Get("Content-Encoding") != "" || !bytes.Equal(plain.Body.Bytes(), a.content()) {
			t.Errorf("%s: got %d, encoded %q, %d bytes; want the file", name, plain.Code, plain.Header().Get("Content-Encoding"), plain.Body.Len())
		}
		packed := get(a.address, "br, gzip;q=0.8")
		if packed.Header().Get("Content-Encoding") != "gzip" || packed.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: got %v, want it compressed", name, packed.Header())
			continue
		}
		if cache := packed.Header().Get("Cache-Control"); !strings.Contains(cache, "immutable") {
			t.Errorf("%s: got Cache-Control %q, want immutable", name, cache)
		}
		unpacked, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(err)
		}
		if content, err := io.ReadAll(unpacked); err != nil || !bytes.Equal(content, a.content()) {
			t.Errorf("%s: got %d bytes, %v; want the file", name, len(content), err)
		}
	}
	if w := get("/console/assets/000000000000-pages.js", "gzip"); w.Code != http.StatusNotFound {
		t.Errorf("another hash: got %d, want 404", w.Code)
	}
}

// What a browser that was never here loads before it shows a page: a page itself has some 5 kB.
func TestAFirstPageIsLight(t *testing.T) {
	t.Parallel()
	const most = 140_000
	all, sum := readAssets(), 0
	for _, name := range []string{"site.css", "site.js", "pages.js", "regular.woff2", "bold.woff2"} {
		sum += len(all[name].packed())
	}
	if sum > most {
		t.Errorf("a first page has %d bytes of assets, want %d at most", sum, most)
	}
	for _, font := range []string{"regular.woff2", "bold.woff2"} {
		if file := strings.TrimPrefix(all.address(font), assetsPath); !strings.Contains(string(all["site.css"].content()), `"./`+file+`"`) {
			t.Errorf("site.css does not name %s", file)
		}
	}
}

// A module that changes has another address, and so has each that imports it.
func TestModulesImportEachOtherByTheirHashes(t *testing.T) {
	t.Parallel()
	all := readAssets()
	for _, name := range []string{"pdf.min.mjs", "pdf.worker.min.mjs"} {
		file := strings.TrimPrefix(all.address(name), assetsPath)
		if text := string(all["pages.js"].content()); !strings.Contains(text, `"./`+file+`"`) || strings.Contains(text, `"./`+name+`"`) {
			t.Errorf("pages.js does not import %s", file)
		}
	}
}
