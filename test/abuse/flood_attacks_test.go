package abuse

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

const large = 32 << 20

// An attack is what one client sends on a connection of its own.
type attack struct {
	name string
	// target picks the host.
	target func(*service) string
	// head is the request but for Host and the empty line; %s is a random name.
	head string
	// send writes the body; nil: the client only stays connected.
	send func(ctx context.Context, w io.Writer) error
}

// repeated writes a prefix and then the piece until n bytes are written, or for ever.
func repeated(prefix, piece string, n int) func(context.Context, io.Writer) error {
	block := strings.Repeat(piece, max(1, 64<<10/len(piece)))
	return func(ctx context.Context, w io.Writer) error {
		if _, err := io.WriteString(w, prefix); err != nil {
			return err
		}
		for sent := len(prefix); ctx.Err() == nil && (n == 0 || sent < n); sent += len(block) {
			part := block
			if n > 0 {
				part = block[:min(len(block), n-sent)]
			}
			if _, err := io.WriteString(w, part); err != nil {
				return err
			}
		}
		return nil
	}
}

// trickled writes a byte of the body, again and again.
func trickled(ctx context.Context, w io.Writer) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := w.Write([]byte{' '}); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// chunked writes the body in chunks that never end.
func chunked(piece string) func(context.Context, io.Writer) error {
	block := strings.Repeat(piece, max(1, 32<<10/len(piece)))
	return repeated("", fmt.Sprintf("%x\r\n%s\r\n", len(block), block), 0)
}

func silent(ctx context.Context, _ io.Writer) error {
	<-ctx.Done()
	return ctx.Err()
}

func zipped(ctx context.Context, w io.Writer) error {
	_, err := w.Write(bomb())
	return err
}

// manyFields are as many header fields as a request may have.
func manyFields() string {
	var b strings.Builder
	for i := 0; b.Len() < 14<<10; i++ {
		fmt.Fprintf(&b, "X%x: 1\r\n", i)
	}
	return b.String()
}

const announced = "Content-Length: 33554432\r\n"

// attacks need no credentials.
func attacks() []attack {
	return []attack{
		{"empty requests", (*service).onDrive, "POST /v1/documents/%s:batchUpdate HTTP/1.1\r\n" + announced, repeated(`{"requests":[`, "{},", large)},
		{"empty requests with a wrong token", (*service).onDrive, "POST /v1/documents/%s:batchUpdate HTTP/1.1\r\nAuthorization: Bearer drv_%[1]s\r\n" + announced, repeated(`{"requests":[`, "{},", large)},
		{"upload to an unknown session", (*service).onDrive, "PUT /upload/drive/v3/files?upload_id=%s HTTP/1.1\r\n" + announced, repeated("", "\x00", large)},
		{"endless upload to an unknown session", (*service).onDrive, "PUT /upload/drive/v3/files?upload_id=%s HTTP/1.1\r\nTransfer-Encoding: chunked\r\n", chunked("a")},
		{"trickled upload", (*service).onDrive, "PUT /upload/drive/v3/files?upload_id=%s HTTP/1.1\r\n" + announced, trickled},
		{"many parameters", (*service).onDrive, "PUT /upload/drive/v3/files?upload_id=%s" + strings.Repeat("&a", 6000) + " HTTP/1.1\r\n" + announced, trickled},
		{"endless multipart", (*service).onDrive, "POST /upload/drive/v3/files?uploadType=multipart&x=%s HTTP/1.1\r\nContent-Type: multipart/related; boundary=x\r\nTransfer-Encoding: chunked\r\n", chunked("--x\r\nA: b\r\n\r\n{}\r\n")},
		{"grants", (*service).onDrive, "POST /token?%s HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 65536\r\n", repeated("", "a&b%25&", 64<<10)},
		{"trickled grants", (*service).onDrive, "POST /token?%s HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 65536\r\n", trickled},
		{"events to an unknown source", (*service).onHooks, "POST /%s HTTP/1.1\r\n" + announced, repeated(`{"a":"`, "a", large)},
		{"endless event", (*service).onHooks, "POST /%s HTTP/1.1\r\nTransfer-Encoding: chunked\r\n", chunked("a")},
		{"trickled events", (*service).onHooks, "POST /%s HTTP/1.1\r\n" + announced, trickled},
		{"deep JSON", (*service).onHooks, "POST /%s HTTP/1.1\r\n" + announced, repeated("", "[", large)},
		{"zipped events", (*service).onHooks, "POST /%s HTTP/1.1\r\nContent-Encoding: gzip\r\n" + fmt.Sprintf("Content-Length: %d\r\n", len(bomb())), zipped},
		{"bodies with a wrong token", (*service).onAPI, "POST /v0/workflows HTTP/1.1\r\nAuthorization: %s\r\n" + announced, repeated(`{"name":"`, "a", large)},
		{"forms of previews", (*service).onAPI, "POST /preview/%s HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 524288\r\n", repeated("", "f.a=b&", 512<<10)},
		{"many fields, to serve", (*service).onHooks, "POST /%s HTTP/1.1\r\n" + manyFields() + "Content-Length: 1000\r\n", trickled},
		{"many fields, to drive", (*service).onDrive, "POST /token?%s HTTP/1.1\r\n" + manyFields() + "Content-Length: 1000\r\n", trickled},
		{"headers without end", (*service).onAPI, "GET /%s HTTP/1.1\r\n" + strings.Repeat("X: y\r\n", 20_000), silent},
		{"nothing, on many connections", (*service).onAPI, "", nil},
		{"nothing, on many connections to drive", (*service).onDrive, "", nil},
	}
}

func nothing(context.Context, io.Writer) error { return nil }

// probes ask whether the programs are ready, as anybody may.
func probes() []attack {
	return []attack{
		{"readiness", (*service).onAPI, "GET /readyz?%s HTTP/1.1\r\n", nothing},
		{"readiness of the drive", (*service).onDrive, "GET /readyz?%s HTTP/1.1\r\n", nothing},
	}
}

// idles opens connections and says nothing on them.
func idles(ctx context.Context, address string) {
	for range 100 {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err != nil {
			return
		}
		defer conn.Close()
	}
	<-ctx.Done()
}

// makes carries the attack out once; what the other side says to it is its
// status, 0 when it says nothing.
func (a attack) makes(ctx context.Context, s *service) int {
	address := a.target(s)
	if a.send == nil {
		idles(ctx, address)
		return 0
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return 0
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	status := make(chan int, 1)
	go func() {
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			status <- 0
		} else {
			status <- answer.StatusCode
		}
		// A client that was answered begins again with another connection.
		_ = conn.Close()
	}()
	head := fmt.Sprintf(a.head, rand.Text()) + "Host: " + address + "\r\n\r\n"
	if _, err := io.WriteString(conn, head); err != nil {
		return <-status
	}
	_ = a.send(ctx, conn) // it ends by an answer, or by the end of the test
	return <-status
}

// A tally counts what clients were answered.
type tally struct {
	mu    sync.Mutex
	count map[string]map[int]int
}

func (c *tally) add(name string, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count[name] == nil {
		c.count[name] = map[int]int{}
	}
	c.count[name][status]++
}

// flood has so many clients attack until ctx ends.
func flood(ctx context.Context, s *service, clients int, with []attack) (wait func() *tally) {
	c := &tally{count: map[string]map[int]int{}}
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			a := with[i%len(with)]
			for ctx.Err() == nil {
				c.add(a.name, a.makes(ctx, s))
			}
		})
	}
	return func() *tally {
		all.Wait()
		return c
	}
}
