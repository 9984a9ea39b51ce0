package app

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit/program"
)

// asks makes one request on a connection that stays open.
func asks(t *testing.T, conn net.Conn) int {
	t.Helper()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

func wantClosed(t *testing.T, what string, conn net.Conn) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%s: got %d bytes and %v, want it closed", what, n, err)
	}
}

// settles waits until so many are idle: the server says so after its answer.
func (c *connections) settles(t *testing.T, idle int) {
	t.Helper()
	err := program.Within(20*time.Second, func() error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.idle.Len() != idle {
			return fmt.Errorf("%d are idle, want %d", c.idle.Len(), idle)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// serves answers on as many connections as c lets be open.
func (c *connections) serves(t *testing.T, h http.HandlerFunc) (dial func() net.Conn) {
	t.Helper()
	server := httptest.NewUnstartedServer(c.watch(h))
	server.Config.ConnState, server.Config.ConnContext = c.noteState, c.carry
	server.Start()
	t.Cleanup(server.Close)
	return func() net.Conn {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
}

func TestTheConnectionThatIsIdleLongestMakesRoomForANewOne(t *testing.T) {
	t.Parallel()
	c := newConnections(2)
	busy, done := make(chan struct{}), make(chan struct{})
	dial := c.serves(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			busy <- struct{}{}
			<-done
		}
	})
	first, second := dial(), dial()
	asks(t, first)
	asks(t, second)
	c.settles(t, 2)
	asks(t, first) // so that the second is idle longest
	c.settles(t, 2)
	third := dial()
	asks(t, third)
	wantClosed(t, "idle longest", second)
	asks(t, first)

	for _, conn := range []net.Conn{first, third} {
		if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		<-busy
	}
	wantClosed(t, "one more than are busy", dial())
	close(done)
}

func TestTheOldestRequestThatIsStillComingMakesRoomWhereNoConnectionIsIdle(t *testing.T) {
	t.Parallel()
	c := newConnections(3)
	begun, read, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	dial := c.serves(t, func(_ http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodPost:
			begun <- struct{}{}
			_, _ = io.Copy(io.Discard, r.Body)
		case http.MethodPut:
			_, _ = io.Copy(io.Discard, r.Body)
			read <- struct{}{}
			<-done
		}
	})
	answer := sync.OnceFunc(func() { close(done) })
	t.Cleanup(answer)
	says := func(conn net.Conn, text string) {
		t.Helper()
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
	}
	whole, first, second := dial(), dial(), dial()
	says(whole, "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
	<-read
	for _, conn := range []net.Conn{first, second} {
		says(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na")
		<-begun
	}
	if got := asks(t, dial()); got != http.StatusOK {
		t.Errorf("one more than send: got %d, want 200", got)
	}
	wantClosed(t, "whose request has been coming longest", first)
	says(second, "bc")
	answer()
	for what, conn := range map[string]net.Conn{"later": second, "whole": whole} {
		if answer, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("%s: got %v, want it answered", what, err)
		}
	}
}

func TestARequestWithTooManyFieldsIs431(t *testing.T) {
	t.Parallel()
	for fields, want := range map[int]int{mostFields: 200, mostFields + 1: 431} {
		for _, name := range []string{"X", "X%"} {
			r := httptest.NewRequest("GET", "/", nil)
			for i := range fields {
				if name == "X" {
					r.Header.Add(name, "y")
				} else {
					r.Header.Add("X"+strconv.Itoa(i), "y")
				}
			}
			w := httptest.NewRecorder()
			fewFields(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%d fields: got %d, want %d", fields, w.Code, want)
			}
		}
	}
}
