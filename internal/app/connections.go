package app

import (
	"container/list"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
)

const (
	// mostConnections bounds the connections of one listener: each takes up to
	// 50 kB before anything of a body is read.
	mostConnections = 2000
	// mostHeaderBytes bounds a request's line and its fields together.
	mostHeaderBytes = 16 << 10
	// mostFields bounds the values of a request's fields: short ones take twenty
	// times their bytes.
	mostFields = 100
)

// connections bounds how many are open at once. When there is one more, the one
// that has been idle longest makes room; where none is, the one whose client has
// been sending a request's body longest; where none is either, the new one goes.
type connections struct {
	most int

	mu      sync.Mutex
	open    map[net.Conn]*list.Element // their places in idle or sending; nil while a request that has come is answered
	idle    *list.List                 // of net.Conn, the longest idle in front
	sending *list.List                 // of net.Conn, the oldest request in front
}

func newConnections(most int) *connections {
	return &connections{most: most, open: map[net.Conn]*list.Element{}, idle: list.New(), sending: list.New()}
}

// noteState is the ConnState of an http.Server.
func (c *connections) noteState(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leave(conn)
	switch state {
	case http.StateNew:
		c.makeRoom(conn)
	case http.StateActive:
		if _, ok := c.open[conn]; ok {
			c.open[conn] = c.sending.PushBack(conn)
		}
	case http.StateIdle:
		if _, ok := c.open[conn]; ok {
			c.open[conn] = c.idle.PushBack(conn)
		}
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
	}
}

// leave takes the connection out of its list.
func (c *connections) leave(conn net.Conn) {
	if place := c.open[conn]; place != nil {
		c.idle.Remove(place) // a list ignores elements of other lists
		c.sending.Remove(place)
		c.open[conn] = nil
	}
}

// makeRoom closes one connection if the new one exceeds the limit. It stops counting it
// at once; the server reports its end later.
func (c *connections) makeRoom(conn net.Conn) {
	if len(c.open) >= c.most {
		longest := c.idle.Front()
		if longest == nil {
			longest = c.sending.Front()
		}
		if longest == nil {
			_ = conn.Close()
			return
		}
		given := longest.Value.(net.Conn)
		c.leave(given)
		delete(c.open, given)
		_ = given.Close()
	}
	// One that has said nothing yet is as idle as one that says nothing more.
	c.open[conn] = c.idle.PushBack(conn)
}

type connKey struct{}

// carry is the ConnContext of an http.Server: watch finds the connection there.
func (c *connections) carry(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// watch notes when the whole of a request has come. From then on its connection
// stays: it waits for us, not for its client.
func (c *connections) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _ := r.Context().Value(connKey{}).(net.Conn)
		if r.ContentLength == 0 {
			c.forget(conn)
		} else {
			// A copy: the server looks at the type of its own body at the end.
			r = r.WithContext(r.Context())
			r.Body = &watchedBody{r.Body, func() { c.forget(conn) }}
		}
		next.ServeHTTP(w, r)
	})
}

func (c *connections) forget(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leave(conn)
}

// A watchedBody calls ended when it has been read to its end.
type watchedBody struct {
	io.ReadCloser
	ended func()
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.ended()
	}
	return n, err
}

// fewFields refuses requests with more fields than anybody needs.
func fewFields(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fields := 0
		for _, values := range r.Header {
			fields += len(values)
		}
		if fields > mostFields {
			w.Header().Set("Connection", "close")
			http.Error(w, "The request has too many header fields.", http.StatusRequestHeaderFieldsTooLarge)
			return
		}
		next.ServeHTTP(w, r)
	})
}
