package interop

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// What becomes of an exchange: of what a client sends, and what the server answers to it.
const (
	refused     = "refused"       // and the next connections, too
	cutBefore   = "cut before it" // the server sees none of it
	cutWithin   = "cut within the request"
	answerLost  = "reset after the request"
	halfAnswer  = "half an answer"
	delayed     = "delayed"
	stalled     = "stalled" // the answer never comes
	late        = "late"    // the server sees it when the client has given up
	lateHalf    = "half of it late"
	slowBytes   = "slow bytes"
	restarted   = "the server restarts"
	doubled     = "doubled" // sent to the server twice; the second answer counts
	answersBusy = "503 after it"
	answersMany = "429 in place of it"
	redirects   = "redirected"
	endless     = "an endless answer"
)

// deckOf are the faults that a protocol may meet: in SSH nobody can speak for the server.
func deckOf(scheme string) []string {
	deck := []string{refused, cutBefore, cutWithin, answerLost, halfAnswer, delayed, stalled, late, lateHalf, slowBytes, restarted}
	if scheme == "http" {
		deck = append(deck, doubled, answersBusy, answersMany, redirects, endless)
	}
	return deck
}

// spoken are answers that come from something between us and a server.
var spoken = map[string]string{
	answersBusy: "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n",
	answersMany: "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n",
	redirects:   "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
	endless:     "HTTP/1.1 500 Internal Server Error\r\n\r\n" + strings.Repeat("endless ", 64<<10),
}

// A wire is a TCP proxy that lets faults meet exchanges: those of a deck in an order that its
// seed decides, and each of the deck before any meets another exchange.
type wire struct {
	listener net.Listener
	server   string
	restart  func()       // of the server
	up       sync.RWMutex // held while the server restarts

	mu      sync.Mutex
	random  *rand.Rand
	deck    []string
	left    []string // of the deck
	rounds  int      // decks to come
	every   int      // exchanges for one fault, about
	wait    int      // exchanges until the next fault
	refuses int      // connections to come
	met     map[string]int
	open    map[net.Conn]struct{}
}

// newWire deals a deck so many times, a fault about every so many exchanges.
func newWire(t *testing.T, server string, seed uint64, deck []string, rounds, every int, restart func()) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{
		listener: l, server: server, restart: restart, random: rand.New(rand.NewPCG(seed, 1)),
		deck: deck, rounds: rounds, every: every, wait: every, met: map[string]int{}, open: map[net.Conn]struct{}{},
	}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return // closed
			}
			go w.carry(client)
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		w.cutAll()
	})
	return w
}

// awaits the end of a restart.
func (w *wire) awaits() {
	w.up.RLock()
	defer w.up.RUnlock()
}

// isQuiet tells that no fault is to come.
func (w *wire) isQuiet() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rounds == 0 && len(w.left) == 0
}

// An exchange is under way on a connection.
type exchange struct {
	fault    string
	most     int // bytes that pass, of a fault that lets some pass
	sent     []byte
	answered int // bytes
}

// begin deals a fault to an exchange that begins with these bytes, or none. Late is what stores
// a file: nothing else that is late changes anything.
func (w *wire) begin(first []byte) *exchange {
	w.mu.Lock()
	defer w.mu.Unlock()
	x := &exchange{}
	if w.wait--; w.wait > 0 {
		return x
	}
	if len(w.left) == 0 {
		if w.rounds == 0 {
			return x
		}
		w.rounds--
		w.left = slices.Clone(w.deck)
		w.random.Shuffle(len(w.left), func(i, j int) { w.left[i], w.left[j] = w.left[j], w.left[i] })
	}
	reads := slices.ContainsFunc([]string{"HEAD ", "GET ", "DELETE ", "MKCOL ", "MOVE "}, func(method string) bool { return bytes.HasPrefix(first, []byte(method)) })
	if reads && (w.left[0] == late || w.left[0] == lateHalf) {
		return x
	}
	x.fault, w.left = w.left[0], w.left[1:]
	w.wait = 1 + w.random.IntN(2*w.every)
	// Half of the time a head is cut, and else a body.
	x.most = 1 + w.random.IntN([]int{200, 20000}[w.random.IntN(2)])
	w.met[x.fault]++
	if x.fault == refused {
		w.refuses = 2
	}
	return x
}

func (w *wire) refusesThis() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refuses == 0 {
		return false
	}
	w.refuses--
	return true
}

func (w *wire) note(c net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open[c] = struct{}{}
}

// cutAll ends all connections, as a server that ends does.
func (w *wire) cutAll() {
	w.mu.Lock()
	all := slices.Collect(maps.Keys(w.open))
	w.mu.Unlock()
	w.reset(all...)
}

// reset ends connections with RST.
func (w *wire) reset(conns ...net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range conns {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = c.Close()
		delete(w.open, c)
	}
}

// A line is one connection of a client.
type line struct {
	*wire
	client net.Conn

	mu     sync.Mutex
	server net.Conn
	now    *exchange
}

func (w *wire) carry(client net.Conn) {
	l := &line{wire: w, client: client}
	w.note(client)
	if w.refusesThis() || !l.dial() {
		w.reset(client)
		return
	}
	l.outward()
}

// dial connects to the server; what it answers comes back from then on.
func (l *line) dial() bool {
	server, err := net.DialTimeout("tcp", l.wire.server, 5*time.Second)
	if err != nil {
		return false
	}
	l.note(server)
	l.mu.Lock()
	l.server = server
	l.mu.Unlock()
	go l.inward(server)
	return true
}

func (l *line) connection() net.Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.server
}

func (l *line) end() { l.reset(l.client, l.connection()) }

// exchange is the one that is under way: a new one begins behind an answer.
func (l *line) exchange(first []byte) *exchange {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == nil || l.now.answered > 0 {
		l.now = l.begin(first)
	}
	return l.now
}

// outward carries what a client sends.
func (l *line) outward() {
	buffer := make([]byte, 16<<10)
	for {
		n, err := l.client.Read(buffer)
		if n > 0 && !l.send(l.exchange(buffer[:n]), buffer[:n]) {
			l.end()
			return
		}
		if err != nil {
			l.hangUp(err)
			return
		}
	}
}

// send is false where the connection is to end.
func (l *line) send(x *exchange, part []byte) bool {
	first := len(x.sent) == 0
	l.mu.Lock()
	x.sent = append(x.sent, part...)
	l.mu.Unlock()
	switch x.fault {
	case refused, cutBefore:
		return false
	case restarted:
		if first {
			l.up.Lock()
			defer l.up.Unlock()
			l.cutAll()
			l.restart()
			return false
		}
	case late, lateHalf:
		return true // until the client gives up
	case cutWithin:
		if over := len(x.sent) - x.most; over > 0 {
			_, _ = l.connection().Write(part[:max(0, len(part)-over)])
			return false
		}
	case answersMany, redirects, endless:
		_, _ = l.client.Write([]byte(spoken[x.fault]))
		return false
	case delayed:
		time.Sleep(time.Duration(x.most) * 10 * time.Microsecond)
	case slowBytes:
		for len(part) > 0 && len(x.sent) < 4<<10 {
			n := min(len(part), 1+len(part)/20)
			if _, err := l.connection().Write(part[:n]); err != nil {
				return false
			}
			part = part[n:]
			time.Sleep(time.Millisecond)
		}
	}
	_, err := l.connection().Write(part)
	return err == nil
}

// hangUp has the server see the end of what a client sends, after what is late.
func (l *line) hangUp(err error) {
	l.mu.Lock()
	x := l.now
	l.mu.Unlock()
	if x != nil && (x.fault == late || x.fault == lateHalf) {
		sent := x.sent
		if x.fault == lateHalf {
			sent = sent[:len(sent)/2]
		}
		time.Sleep(time.Duration(x.most) * 100 * time.Microsecond) // another attempt is under way
		_, _ = l.connection().Write(sent)
	} else if !errors.Is(err, io.EOF) {
		l.end()
		return
	}
	if half, ok := l.connection().(*net.TCPConn); ok {
		_ = half.CloseWrite()
	}
}

// inward carries what a server answers.
func (l *line) inward(server net.Conn) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := server.Read(buffer)
		if l.connection() != server {
			return // another connection of this line answers
		}
		if n > 0 && !l.answer(buffer[:n]) {
			return
		}
		if err != nil {
			l.end()
			return
		}
	}
}

// answer is false where another connection answers, or none.
func (l *line) answer(part []byte) bool {
	l.mu.Lock()
	x := l.now
	if x == nil { // a server of SSH speaks first
		x = &exchange{}
	}
	x.answered += len(part)
	l.mu.Unlock()
	switch x.fault {
	case answerLost:
		l.end()
		return false
	case halfAnswer:
		if over := x.answered - x.most%150; over > 0 {
			_, _ = l.client.Write(part[:max(0, len(part)-over)])
			l.end()
			return false
		}
	case answersBusy:
		_, _ = l.client.Write([]byte(spoken[x.fault]))
		l.end()
		return false
	case stalled, late, lateHalf:
		return true
	case doubled:
		l.mu.Lock()
		sent := bytes.Clone(x.sent)
		l.now = &exchange{sent: sent}
		l.mu.Unlock()
		l.reset(l.connection())
		if !l.dial() {
			l.end()
			return false
		}
		_, _ = l.connection().Write(sent)
		return false
	}
	_, err := l.client.Write(part)
	return err == nil
}
