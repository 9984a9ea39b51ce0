package abuse

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// wireTime is for how long an attacker keeps a connection on which it says little.
const wireTime = 2 * time.Second

// A wire is what an attacker does to a connection by itself.
type wire struct {
	name string
	head string // after which Host and an empty line follow; empty: nothing is said
	body string
	slow bool // the body comes a byte at a time
	many int  // connections
}

func (w wire) String() string { return fmt.Sprintf("%s: %.200q %.200q", w.name, w.head, w.body) }

// wires are requests that net/http does not make. authorization is a whole field, or
// empty.
func wires(path, authorization string) []wire {
	post := "POST " + path + " HTTP/1.1\r\n" + authorization
	get := "GET " + path + " HTTP/1.1\r\n" + authorization
	return []wire{
		{name: "a slow body", head: post + "Content-Type: application/json\r\nContent-Length: 100000\r\n", body: strings.Repeat(" ", 100_000), slow: true},
		{name: "a slow body in chunks", head: post + "Transfer-Encoding: chunked\r\n", body: strings.Repeat("1\r\n{\r\n", 10_000), slow: true},
		{name: "a body that is cut off", head: post + "Content-Length: 100000\r\n", body: `{"a":`},
		{name: "chunks that are none", head: post + "Transfer-Encoding: chunked\r\n", body: "zz\r\n{}\r\n-1\r\n"},
		{name: "two lengths", head: post + "Content-Length: 2\r\nContent-Length: 3\r\n", body: "{}x"},
		{name: "a length and chunks", head: post + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", body: "2\r\n{}\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n"},
		{name: "a length below zero", head: post + "Content-Length: -1\r\n"},
		{name: "expects to go on", head: post + "Expect: 100-continue\r\nContent-Length: 1000\r\n"},
		{name: "many fields", head: get + strings.Repeat("X: y\r\n", 2000)},
		{name: "a long field", head: get + "X: " + strings.Repeat("y", 100_000) + "\r\n"},
		{name: "bytes in a field", head: get + "X: \x00\xff\r\n"},
		{name: "a field on two lines", head: get + "X: a\r\n b\r\n"},
		{name: "a second host", head: get + "Host: evil.example\r\n"},
		{name: "an address of another host", head: "GET http://169.254.169.254" + path + " HTTP/1.1\r\n" + authorization},
		{name: "bytes in the path", head: "GET /v0/\xff\xfe%zz/../../" + " HTTP/1.1\r\n" + authorization},
		{name: "a tunnel", head: "CONNECT 127.0.0.1:22 HTTP/1.1\r\n"},
		{name: "an upgrade", head: get + "Connection: Upgrade\r\nUpgrade: websocket\r\n"},
		{name: "an older protocol", head: "POST " + path + " HTTP/1.0\r\n" + authorization, body: "{}"},
		{name: "many requests at once", head: get + "\r\n" + strings.Repeat("GET / HTTP/1.1\r\nHost: a\r\n\r\n", 50) + get},
		{name: "no HTTP", head: "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n"},
		{name: "half a request", head: "POST " + path, slow: true},
		{name: "many connections", many: 50},
	}
}

// make carries it out at an address and returns what is answered first; nil: nothing.
func (w wire) make(ctx context.Context, address string) (*http.Response, []byte) {
	var dialer net.Dialer
	for range w.many {
		if conn, err := dialer.DialContext(ctx, "tcp", address); err == nil {
			defer conn.Close()
		}
	}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, nil
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	if conn.SetDeadline(time.Now().Add(wireTime)) != nil {
		return nil, nil
	}
	go w.say(ctx, conn, address) // ends by the deadline at the latest
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return nil, nil
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(response.Body, 1<<20)) // what came until the deadline
	return response, body
}

func (w wire) say(ctx context.Context, conn net.Conn, address string) {
	if w.many > 0 {
		return
	}
	if _, err := io.WriteString(conn, w.head+"Host: "+address+"\r\n\r\n"); err != nil || !w.slow {
		_, _ = io.WriteString(conn, w.body) // the answer says what became of it
		return
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for i := range len(w.body) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if _, err := conn.Write([]byte{w.body[i]}); err != nil {
			return
		}
	}
}
