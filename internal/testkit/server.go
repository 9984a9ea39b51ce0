package testkit

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/testkit/ports"
)

// largeTable is from how many rows on no statement may read a table from end to end.
const largeTable = 10_000

// A Server is a Postgres of a test's own, as nobody configured it. It serves TLS with a
// certificate for 127.0.0.1, and writes the plan of each statement into its log.
type Server struct {
	// URL is of a superuser, over TLS, and checks the server's certificate.
	URL string
	// Certificate and Key are the paths of the server's.
	Certificate, Key string

	log string // path
}

// Postgres starts a server whose programs are in a directory (postgres, initdb; 14 or
// later), in a new cluster that sorts by the rules of English where the version can do so
// without a locale of the system's. It ends with the test.
func Postgres(t testing.TB, programs string) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "server")
	if err != nil {
		t.Fatalf("make a directory for Postgres: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &Server{log: filepath.Join(dir, "log"), Certificate: filepath.Join(dir, "server.crt"), Key: filepath.Join(dir, "server.key")}
	s.certify(t)
	password := rand.Text()
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "password"), []byte(password), 0o600)
	}
	if err != nil {
		t.Fatalf("prepare Postgres: %v", err)
	}
	defer log.Close()
	var as *syscall.SysProcAttr
	if os.Getuid() == 0 { // as which it does not run
		as = &syscall.SysProcAttr{Credential: nobody(t, dir)}
	}
	command := func(program string, args ...string) *exec.Cmd {
		c := exec.Command(filepath.Join(programs, program), args...)
		c.Dir, c.Stdout, c.Stderr, c.SysProcAttr, c.Env = dir, log, log, as, []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH")}
		return c
	}
	words := []string{"--pgdata=data", "--username=platen", "--pwfile=password", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"}
	if Major(t, programs) >= 15 {
		words = append(words, "--locale-provider=icu", "--icu-locale=en-US")
	}
	if err := command("initdb", words...).Run(); err != nil {
		t.Fatalf("initdb of %s: %v\n%s", programs, err, s.said())
	}
	port, err := ports.Free("127.0.0.1", 1)
	if err != nil {
		t.Fatal(err)
	}
	var settings []string
	for _, one := range []string{
		"port=" + strconv.Itoa(port[0]), "listen_addresses=127.0.0.1", "unix_socket_directories=",
		"ssl=on", "ssl_cert_file=" + s.Certificate, "ssl_key_file=" + s.Key,
		"shared_preload_libraries=auto_explain", "auto_explain.log_min_duration=0", "auto_explain.log_format=json",
		"auto_explain.log_analyze=on", "auto_explain.log_timing=off", "auto_explain.log_nested_statements=on",
	} {
		settings = append(settings, "-c", one)
	}
	server := command("postgres", append([]string{"-D", "data"}, settings...)...)
	if err := server.Start(); err != nil {
		t.Fatalf("start Postgres: %v", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = server.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGQUIT)
		<-ended
	})
	address := url.URL{Scheme: "postgres", User: url.UserPassword("platen", password), Host: "127.0.0.1:" + strconv.Itoa(port[0]), Path: "/postgres"}
	address.RawQuery = url.Values{"sslmode": {"verify-full"}, "sslrootcert": {s.Certificate}}.Encode()
	s.URL = address.String()
	for {
		conn, err := pgx.Connect(t.Context(), s.URL)
		if err == nil {
			_ = conn.Close(context.Background())
			return s
		}
		select {
		case <-ended:
			t.Fatalf("Postgres ended: %s", s.said())
		case <-t.Context().Done():
			t.Fatalf("Postgres does not answer: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Major is the major version of the Postgres whose programs are in a directory.
func Major(t testing.TB, programs string) int {
	t.Helper()
	said, err := exec.Command(filepath.Join(programs, "postgres"), "--version").Output()
	if err != nil {
		t.Fatalf("ask Postgres in %s for its version: %v", programs, err)
	}
	found := regexp.MustCompile(`\(PostgreSQL\) (\d+)`).FindSubmatch(said)
	if found == nil {
		t.Fatalf("Postgres in %s says that it is %q", programs, said)
	}
	major, _ := strconv.Atoi(string(found[1]))
	return major
}

// Installed are the directories of the Postgres programs that this machine has, by major
// version: those that `make stock` installed, and the system's.
func Installed(t testing.TB) map[int]string {
	t.Helper()
	var found []string
	for _, pattern := range []string{
		filepath.Join(os.Getenv("PLATEN_STOCK"), "node_modules", "postgres-*", "native", "bin"),
		"/usr/lib/postgresql/*/bin",
	} {
		some, _ := filepath.Glob(pattern) // fails on a malformed pattern only
		found = append(found, some...)
	}
	all := map[int]string{}
	for _, programs := range found {
		all[Major(t, programs)] = programs
	}
	return all
}

// certify makes a certificate that signs itself.
func (s *Server) certify(t testing.TB) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, of, of, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{s.Certificate: {Type: "CERTIFICATE", Bytes: certificate}, s.Key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (s *Server) said() string {
	text, _ := os.ReadFile(s.log) // what cannot be read says nothing
	return string(text)
}

// Mark is where the log ends now, for Plans.
func (s *Server) Mark() int { return len(s.said()) }

// A plan has what auto_explain writes of a statement.
type plan struct {
	Text string          `json:"Query Text"`
	Plan planNode        `json:"Plan"`
	JIT  json.RawMessage `json:"JIT"`
}

type planNode struct {
	Type     string     `json:"Node Type"`
	Relation string     `json:"Relation Name"`
	Disabled bool       `json:"Disabled"` // since Postgres 18
	Cost     float64    `json:"Total Cost"`
	Rows     float64    `json:"Actual Rows"` // of one loop, as those below
	Removed  float64    `json:"Rows Removed by Filter"`
	Loops    float64    `json:"Actual Loops"`
	Below    []planNode `json:"Plans"`
}

// refused is what is wrong with a plan: nodes that settings forbid, before Postgres 18
// marked by a cost that no table is large enough for, and large tables that are read from
// end to end.
func (n planNode) refused() []string {
	var found []string
	for _, below := range n.Below {
		found = append(found, below.refused()...)
	}
	if n.Disabled || n.Cost >= 1e9 && len(found) == 0 {
		found = append(found, fmt.Sprintf("%s %s is forbidden (cost %.0f)", n.Type, n.Relation, n.Cost))
	}
	if read := (n.Rows + n.Removed) * n.Loops; n.Type == "Seq Scan" && read >= largeTable {
		found = append(found, fmt.Sprintf("%s reads %.0f rows", n.Relation, read))
	}
	return found
}

// Plans are how many statements the log explains behind a mark, and what is wrong with
// each that should not have been carried out so: compiled, by a node that is forbidden, or
// by a read of a large table from end to end.
func (s *Server) Plans(mark int) (explained int, wrong []string) {
	text := s.said()[mark:]
	for {
		_, rest, there := strings.Cut(text, "plan:\n")
		if !there {
			return explained, wrong
		}
		text = rest
		var lines strings.Builder
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "\t") {
				break
			}
			lines.WriteString(line[1:])
		}
		var p plan
		if err := json.Unmarshal([]byte(lines.String()), &p); err != nil {
			continue // the end is being written
		}
		explained++
		found := p.Plan.refused()
		if len(p.JIT) > 0 {
			found = append(found, "is compiled")
		}
		if len(found) > 0 {
			wrong = append(wrong, strings.Join(found, ", ")+": "+p.Text)
		}
	}
}

// Away is where a server at an address, host:port, is so long away: what is sent takes
// half of it there, and the answer half of it back.
func Away(t testing.TB, address string, takes time.Duration) string {
	t.Helper()
	l := Listen(t)
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", address)
			if err != nil {
				client.Close()
				continue
			}
			go carry(server, client, takes/2)
			go carry(client, server, takes/2)
		}
	}()
	return l.Addr().String()
}

// carry passes on what it reads, each piece so long after it came.
func carry(to, from net.Conn, takes time.Duration) {
	type piece struct {
		bytes []byte
		due   time.Time
	}
	pieces := make(chan piece, 1024)
	go func() {
		defer to.Close()
		for p := range pieces {
			time.Sleep(time.Until(p.due))
			_, _ = to.Write(p.bytes) // who is gone reads nothing
		}
	}()
	for {
		buffer := make([]byte, 16<<10)
		n, err := from.Read(buffer)
		if n > 0 {
			pieces <- piece{buffer[:n], time.Now().Add(takes)}
		}
		if err != nil {
			close(pieces)
			return
		}
	}
}
