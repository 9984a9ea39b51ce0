package abuse

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// A shot is one request.
type shot struct {
	method, url string
	header      http.Header
	body        []byte
}

func (s shot) String() string {
	return fmt.Sprintf("%s %.400s %.600v %.600q", s.method, s.url, s.header, s.body)
}

// request is nil for what net/http does not send.
func (s shot) request() *http.Request {
	r, err := http.NewRequest(s.method, s.url, bytes.NewReader(s.body))
	if err != nil {
		return nil
	}
	r.Header = s.header
	return r
}

var placeholder = regexp.MustCompile(`\{\+?\w+\}`)

// shoot makes a request of an operation at base. ids has what names of a path stand
// for, of the attacker's own and of others.
func (r *dice) shoot(o operation, base, token string, ids map[string][]string) shot {
	s := shot{method: o.method, header: http.Header{}}
	path := placeholder.ReplaceAllStringFunc(o.path, func(name string) string {
		known := ids[strings.Trim(name, "{+}")]
		if len(known) == 0 || r.in(6) {
			return pick(r, "wkf_0000000000000000", "..", "%2e%2e", "%00", "%ff%fe", "%F0%9F%98%80", strings.Repeat("a", 5_000), "aut_%27", "1", "root", "%20", "a%2Fb", "-1")
		}
		return url.PathEscape(pick(r, known...))
	})
	s.url = base + path + r.query(o)
	if r.in(20) {
		s.method = pick(r, "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "get")
	}
	if s.method != http.MethodGet && s.method != http.MethodHead {
		s.body = r.body(o)
	}
	r.dress(&s, o, token)
	return s
}

func (r *dice) query(o operation) string {
	var pairs []string
	for _, p := range o.parameters {
		if p.In == "query" && r.in(3) {
			pairs = append(pairs, p.Name+"="+url.QueryEscape(fmt.Sprint(r.value(p.Schema, p.Name, o.types, 0))))
		}
	}
	if r.in(10) {
		pairs = append(pairs, pick(r, "alt=media", "alt=json", "fields=*", "limit=-1", "limit=1000&limit=2", "cursor=%00", "a=%zz", ";=;", "uploadType=media", "upload_id=x", strings.Repeat("a&", 300)))
	}
	if len(pairs) == 0 {
		return ""
	}
	separator := "?"
	if strings.Contains(o.path, "?") {
		separator = "&"
	}
	return separator + strings.Join(pairs, "&")
}

// body is JSON as the operation asks for it, or damaged.
func (r *dice) body(o operation) []byte {
	raw, err := json.Marshal(r.value(o.body, "", o.types, 0))
	if err != nil {
		return nil // no number that JSON has
	}
	text := string(raw)
	if r.in(6) {
		text = r.damaged(text)
	}
	if r.in(20) {
		text = ""
	}
	return []byte(text)
}

// dress gives the request its fields.
func (r *dice) dress(s *shot, o operation, token string) {
	set := func(name string, values ...string) { s.header.Set(name, pick(r, values...)) }
	if token != "" {
		s.header.Set("Authorization", token)
	}
	set("Content-Type", "application/json", "application/json", "application/json", "application/json; charset=utf-16", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "multipart/related; boundary=x", "", "a/b/c", "application/json;;;")
	for _, p := range o.parameters {
		if p.In == "header" && r.in(3) {
			set(p.Name, `"1"`, `W/"a", *`, "*", "key-"+fmt.Sprint(r.IntN(20)), strings.Repeat("k", 300), "\xff", "")
		}
	}
	if !r.in(4) {
		return
	}
	switch r.IntN(7) {
	case 0:
		s.header.Set("Content-Encoding", "gzip")
		s.body = r.packed(s.body)
	case 1:
		set("Content-Encoding", "br", "gzip, gzip", "identity", "deflate")
	case 2:
		set("X-Forwarded-For", "127.0.0.1", "::1, 10.0.0.1", "a", strings.Repeat("1.1.1.1,", 500))
	case 3:
		set("X-Request-Id", "a", strings.Repeat("a", 200), "\u202e")
	case 4:
		set("Range", "bytes=0-", "bytes=-1", "bytes=9-1,2-3", "bytes="+strings.Repeat("0-1,", 500), "lines=1")
	case 5:
		set("Accept", "text/html", "application/xml", "*/*;q=0", strings.Repeat("a/b,", 300))
	case 6:
		set("X-Http-Method-Override", "DELETE", "GET")
	}
}

// packed is gzip of the body, of far more than any limit, or cut off.
func (r *dice) packed(body []byte) []byte {
	if r.in(3) {
		return bomb()
	}
	zipped := pack(bytes.NewReader(body))
	if r.in(3) {
		return zipped[:r.IntN(len(zipped))]
	}
	return zipped
}

func pack(from io.Reader) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.Copy(z, from) // neither fails in memory
	_ = z.Close()
	return b.Bytes()
}

// bomb is JSON of 64 MiB in a few kilobytes.
var bomb = sync.OnceValue(func() []byte {
	return pack(io.MultiReader(strings.NewReader(`{"a":"`), io.LimitReader(endless('a'), 64<<20), strings.NewReader(`"}`)))
})

type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}
