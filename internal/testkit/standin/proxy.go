package standin

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"
)

// proxy takes CONNECT for the known hosts and answers in their name.
type proxy struct {
	url     string
	handler http.Handler
	root    *x509.Certificate
	key     *ecdsa.PrivateKey // of the root and of every host

	mu    sync.Mutex
	certs map[string]*tls.Certificate
}

// startProxy writes the certificate to be trusted to the path ca.
func startProxy(t testing.TB, ca string, handler http.Handler) *proxy {
	t.Helper()
	p := &proxy{handler: handler, certs: map[string]*tls.Certificate{}}
	var err error
	if p.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatalf("make the authority's key: %v", err)
	}
	p.root = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Platen's tests"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, p.root, p.root, &p.key.PublicKey, p.key)
	if err != nil {
		t.Fatalf("make the authority: %v", err)
	}
	if p.root, err = x509.ParseCertificate(der); err != nil {
		t.Fatalf("read the authority: %v", err)
	}
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(p)
	// Connections that end in the middle are the clients' business.
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// ServeHTTP takes over the connection of a CONNECT and serves TLS on it.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.Host)
	if r.Method != http.MethodConnect || err != nil || !hosts[host] {
		http.Error(w, "this proxy knows Google's hosts alone, not "+r.Host, http.StatusBadGateway)
		return
	}
	conn, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	secured := tls.Server(early{conn, buffered.Reader}, &tls.Config{
		NextProtos:     []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.certificate(host) },
	})
	defer secured.Close()
	one := &oneConn{conn: secured, closed: make(chan struct{})}
	server := &http.Server{Handler: p.handler, ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0), ConnState: func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed || state == http.StateHijacked {
			one.Close()
		}
	}}
	_ = server.Serve(one)
}

func (p *proxy) certificate(host string) (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.certs[host]; ok {
		return c, nil
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(int64(len(p.certs) + 2)), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: p.root.NotBefore, NotAfter: p.root.NotAfter, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, p.root, &p.key.PublicKey, p.key)
	if err != nil {
		return nil, err
	}
	p.certs[host] = &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: p.key}
	return p.certs[host], nil
}

func (p *proxy) client() *http.Client {
	pool := x509.NewCertPool()
	pool.AddCert(p.root)
	return &http.Client{Transport: &http.Transport{
		Proxy:             func(*http.Request) (*url.URL, error) { return url.Parse(p.url) },
		TLSClientConfig:   &tls.Config{RootCAs: pool},
		DisableKeepAlives: true,
	}}
}

// early gives what was read ahead of the handshake first.
type early struct {
	net.Conn
	ahead *bufio.Reader
}

func (e early) Read(b []byte) (int, error) { return e.ahead.Read(b) }

// oneConn is a listener with one connection.
type oneConn struct {
	conn   net.Conn
	taken  bool
	once   sync.Once
	closed chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	if !l.taken {
		l.taken = true
		return l.conn, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *oneConn) Addr() net.Addr { return l.conn.LocalAddr() }
