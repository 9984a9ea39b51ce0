package chaos

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// A sent is one source event with everything that was done to bring it in.
type sent struct {
	id       string
	workflow *workflow
	keyed    bool      // it carries a webhook-id, so that repeats count once
	posts    int       // requests that may have arrived
	acks     int       // answered with 200
	ackedAt  time.Time // first
}

// A load posts source events with known ids, in every way in which senders
// behave and misbehave.
type load struct {
	integrator *integrator
	markers    markers
	client     *http.Client

	calm bool // every event is sent once, by a sender that waits for the answer
	// most is how many events may be on their way when another is posted: on a machine that
	// does not keep up, the load waits. 0: as many as there are.
	most int
	// arrived counts what receivers have taken.
	arrived func() int

	mu      sync.Mutex
	took    []time.Duration // to be answered with 200
	ledger  []*sent
	later   int            // 503 with Retry-After
	unclear int            // requests without an answer, or with one that leaves it open
	strange map[string]int // answers that nobody should get
}

func newLoad(i *integrator, c markers) *load {
	return &load{
		integrator: i, markers: c, strange: map[string]int{},
		client: &http.Client{Timeout: 12 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 8}},
	}
}

// run posts until ctx ends, then lets posts under way end.
func (l *load) run(ctx context.Context, random *rand.Rand, every time.Duration) {
	var posts sync.WaitGroup
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := 0; ; {
		if l.hasRoom() {
			s := l.enter(l.integrator.workflows[n%len(l.integrator.workflows)])
			manner := l.manner(random)
			posts.Go(func() { manner(context.WithoutCancel(ctx), s) })
			n++
		}
		select {
		case <-ctx.Done():
			posts.Wait()
			return
		case <-tick.C:
		}
	}
}

func (l *load) hasRoom() bool { return l.most == 0 || l.acknowledged()-l.arrived() < l.most }

// enter writes one more event into the ledger.
func (l *load) enter(w *workflow) *sent {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &sent{id: fmt.Sprintf("chaos-%05d", len(l.ledger)), workflow: w}
	l.ledger = append(l.ledger, s)
	return s
}

// burst posts so many events of one workflow side by side.
func (l *load) burst(ctx context.Context, w *workflow, events int) {
	var posts sync.WaitGroup
	for range events {
		s := l.enter(w)
		posts.Go(func() { l.post(ctx, s) })
	}
	posts.Wait()
}

// manner chooses how one event is sent.
func (l *load) manner(random *rand.Rand) func(context.Context, *sent) {
	switch n := random.IntN(100); {
	case n < 45, l.calm:
		return func(ctx context.Context, s *sent) { l.post(ctx, s) }
	case n < 70:
		return l.insist
	case n < 80:
		return l.twice
	case n < 90:
		return l.abort
	}
	return l.trickle
}

// insist repeats an event under the same key until it is acknowledged.
func (l *load) insist(ctx context.Context, s *sent) {
	s.keyed = true
	for range 10 {
		if l.post(ctx, s) {
			return
		}
		time.Sleep(500 * time.Millisecond) // a sender that keeps to Retry-After
	}
}

// twice sends an event again although it was acknowledged.
func (l *load) twice(ctx context.Context, s *sent) {
	s.keyed = true
	l.post(ctx, s)
	l.post(ctx, s)
}

// abort goes away when the request is sent, before any answer.
func (l *load) abort(ctx context.Context, s *sent) {
	l.raw(ctx, s, func(conn net.Conn, request []byte) bool {
		_, err := conn.Write(request)
		l.note(s, nil, err)
		return false
	})
}

// trickle sends the body in pieces, over half a second.
func (l *load) trickle(ctx context.Context, s *sent) {
	l.raw(ctx, s, func(conn net.Conn, request []byte) bool {
		piece := len(request)/5 + 1
		for len(request) > 0 {
			n := min(piece, len(request))
			if _, err := conn.Write(request[:n]); err != nil {
				return true
			}
			request = request[n:]
			time.Sleep(100 * time.Millisecond) // what the manner is about
		}
		return true
	})
}

// blame notes an answer that nobody should get.
func (l *load) blame(answer string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.strange[answer]++
}

// acknowledged counts events that were answered with 200 so far.
func (l *load) acknowledged() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.ledger {
		n += min(s.acks, 1)
	}
	return n
}

// refusals counts requests that were answered with 503 so far.
func (l *load) refusals() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.later
}

// ballast makes events need room, so that a full disk is soon noticed.
func ballast(id string) string {
	sum := sha256.Sum256([]byte(id))
	random := rand.NewChaCha8(sum)
	raw := make([]byte, 2<<10)
	_, _ = random.Read(raw)
	return hex.EncodeToString(raw)
}

func (l *load) body(s *sent) []byte {
	body, err := json.Marshal(object{
		"Chaos Id": s.id, "Key": keyOf(s.id), "Name": "Ada", "Tag": l.markers.tag, "Password": l.markers.password, "Trick": "not filled: {{Name}}", "Ballast": ballast(s.id),
	})
	if err != nil {
		panic(err) // strings alone
	}
	return body
}

func (l *load) request(ctx context.Context, s *sent) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.workflow.source, bytes.NewReader(l.body(s)))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if s.keyed {
		request.Header.Set("webhook-id", "key-of-"+s.id)
	}
	return request, nil
}

// post sends once and says whether it was acknowledged.
func (l *load) post(ctx context.Context, s *sent) bool {
	request, err := l.request(ctx, s)
	if err != nil {
		return l.note(s, nil, err)
	}
	began := time.Now()
	answer, err := l.client.Do(request)
	if err != nil {
		return l.note(s, nil, err)
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	if answer.StatusCode == http.StatusOK {
		l.mu.Lock()
		l.took = append(l.took, time.Since(began))
		l.mu.Unlock()
	}
	return l.note(s, answer, err)
}

// raw writes a request by hand on a connection of its own. send tells whether
// to wait for the answer.
func (l *load) raw(ctx context.Context, s *sent, send func(net.Conn, []byte) bool) {
	request, err := l.request(ctx, s)
	if err != nil {
		l.note(s, nil, err)
		return
	}
	var text bytes.Buffer
	if err := request.Write(&text); err != nil {
		l.note(s, nil, err)
		return
	}
	address, err := url.Parse(s.workflow.source)
	if err != nil {
		l.note(s, nil, err)
		return
	}
	conn, err := net.DialTimeout("tcp", address.Host, 5*time.Second)
	if err != nil {
		l.note(s, nil, err)
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(12 * time.Second))
	if !send(conn, text.Bytes()) {
		return
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), request)
	if err != nil {
		l.note(s, nil, err)
		return
	}
	_ = answer.Body.Close()
	l.note(s, answer, nil)
}

// note writes down what came of a request: 200 is a promise, 503 and no answer
// leave it open, everything else is a fault of ours that blames the sender. A
// 503 says when to come again.
func (l *load) note(s *sent, answer *http.Response, err error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.posts++
	switch {
	case answer == nil:
		l.unclear++
	case answer.StatusCode == http.StatusOK: // also when the rest was cut off
		if s.acks++; s.acks == 1 {
			s.ackedAt = time.Now()
		}
		return true
	case answer.StatusCode == http.StatusServiceUnavailable && answer.Header.Get("Retry-After") != "":
		l.unclear++
		l.later++
	default:
		l.strange[fmt.Sprintf("%d, Retry-After %q, %v", answer.StatusCode, answer.Header.Get("Retry-After"), err)]++
	}
	return false
}
