package app

import (
	"container/list"
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
// that has been idle longest makes room; where none is, the new one goes.
type connections struct {
	most int

	mu   sync.Mutex
	open map[net.Conn]*list.Element // their places in idle; nil while a request is under way
	idle *list.List                 // of net.Conn, the longest idle in front
}

func newConnections(most int) *connections {
	return &connections{most: most, open: map[net.Conn]*list.Element{}, idle: list.New()}
}

// changed is the ConnState of an http.Server.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if place := c.open[conn]; place != nil {
		c.idle.Remove(place)
		c.open[conn] = nil
	}
	switch state {
	case http.StateNew:
		c.makeRoom(conn)
	case http.StateIdle:
		if _, ok := c.open[conn]; ok {
			c.open[conn] = c.idle.PushBack(conn)
		}
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
	}
}

// makeRoom closes one connection if the new one is one too many. The server
// tells of the end of each later; it is counted out at once.
func (c *connections) makeRoom(conn net.Conn) {
	if len(c.open) >= c.most {
		longest := c.idle.Front()
		if longest == nil {
			_ = conn.Close()
			return
		}
		given := c.idle.Remove(longest).(net.Conn)
		delete(c.open, given)
		_ = given.Close()
	}
	// One that has said nothing yet is as idle as one that says nothing more.
	c.open[conn] = c.idle.PushBack(conn)
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
