package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Scripts are embedded as they are. Those of pdf.js, which npm has byte for byte, are
// compressed as browsers take them.
//
//go:embed site/*.css site/*.js pdfjs/*.mjs.gz pdfjs/LICENSE fonts/*.woff2 fonts/LICENSE
var assetFiles embed.FS

//go:embed site/icon.svg
var icon []byte

// ServeIcon answers with the icon of every page of a host, for /favicon.ico.
func ServeIcon(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	_, _ = w.Write(icon) // fails only when nobody reads any more
}

// assetsPath is above the files that pages of both kinds refer to. They say nothing of
// anybody, and need no session.
const assetsPath = consolePath + "assets/"

// assetNames are the files in an order in which each comes after those that it imports.
var assetNames = []string{"fonts/bold.woff2", "fonts/regular.woff2", "pdfjs/LICENSE", "pdfjs/pdf.min.mjs", "pdfjs/pdf.worker.min.mjs", "site/pages.js", "site/fields.js", "site/public.js", "site/site.css", "site/site.js", "site/studio.js", "site/times.js"}

// An asset is a file whose address has the hash of what is embedded, so that browsers keep it
// for good.
type asset struct {
	address, contentType string
	content              func() []byte
	packed               func() []byte // gzip; embedded, or made at the first request for it and kept
}

// assets are all of them, by the last part of their names.
type assets map[string]asset

// readAssets reads the files. Modules and style sheets name modules and
// fonts, such as "./pages.js": such a name is replaced by that with the hash.
func readAssets() assets {
	out, hashed := assets{}, []string{}
	for _, path := range assetNames {
		file, isPacked := path, strings.HasPrefix(path, "pdfjs/") && strings.HasSuffix(path, ".mjs")
		if isPacked {
			file += ".gz"
		}
		embedded := func() []byte {
			content, err := assetFiles.ReadFile(file)
			if err != nil {
				panic(err) // it is embedded
			}
			return content
		}
		read, packed := embedded, embedded
		content := read()
		name := path[strings.LastIndexByte(path, '/')+1:]
		contentType := "text/plain; charset=utf-8"
		switch {
		case strings.HasSuffix(name, ".css"):
			contentType = "text/css; charset=utf-8"
		case strings.HasSuffix(name, ".woff2"):
			contentType = "font/woff2"
		case strings.HasSuffix(name, "js"):
			contentType = "text/javascript; charset=utf-8"
		}
		if strings.HasSuffix(name, ".js") || strings.HasSuffix(name, ".css") {
			content = []byte(strings.NewReplacer(hashed...).Replace(string(content)))
			read = func() []byte { return content }
		}
		if isPacked {
			read = func() []byte { return unpack(packed()) }
		} else {
			packed = sync.OnceValue(func() []byte { return pack(read()) })
		}
		sum := sha256.Sum256(content)
		address := hex.EncodeToString(sum[:6]) + "-" + name
		hashed = append(hashed, `"./`+name+`"`, `"./`+address+`"`)
		out[name] = asset{address: assetsPath + address, contentType: contentType, content: read, packed: packed}
	}
	return out
}

// address of a file, below the public address of the host; it is one of assetNames.
func (a assets) address(name string) string {
	found, ok := a[name]
	if !ok {
		panic("there is no asset " + name) // a template of ours names it
	}
	return found.address
}

func pack(content []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is a good one
	_, _ = w.Write(content)                                 // a buffer takes everything
	_ = w.Close()
	return bytes.Clone(out.Bytes())
}

// unpack is for the few clients that do not take gzip, and keeps nothing.
func unpack(packed []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(err) // a broken build
	}
	content, err := io.ReadAll(r)
	if err != nil {
		panic(err) // a broken build
	}
	return content
}

func (s *site) asset(w http.ResponseWriter, r *http.Request) {
	for _, a := range s.assets {
		if r.URL.Path != a.address {
			continue
		}
		h, content := w.Header(), a.content
		h.Set("Content-Type", a.contentType)
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("Vary", "Accept-Encoding")
		if takesGzip(r.Header) {
			h.Set("Content-Encoding", "gzip")
			content = a.packed
		}
		body := content()
		h.Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body) // fails only when nobody listens any more
		return
	}
	s.fail(w, r, errNoPage)
}

// takesGzip tells whether a client takes gzip (RFC 9110, section 12.5.3).
func takesGzip(h http.Header) bool {
	for one := range strings.SplitSeq(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		name, weight, weighted := strings.Cut(one, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			_, q, _ := strings.Cut(weight, "=")
			return !weighted || strings.Trim(q, "0. ") != ""
		}
	}
	return false
}
