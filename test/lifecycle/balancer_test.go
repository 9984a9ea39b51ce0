package lifecycle

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/platenhq/platen/internal/testkit/installation"
	"github.com/platenhq/platen/internal/testkit/program"
)

// A balancer is HAProxy with the configuration that docs/production.md prints.
type balancer struct {
	socket            string
	api, hooks, drive string
}

// newBalancer stands in front of every process of the service, and clients of the
// service go to it from then on.
func newBalancer(t *testing.T, s *service) *balancer {
	t.Helper()
	path, err := exec.LookPath("haproxy")
	if err != nil {
		t.Fatalf("%v: `make balancer` installs it", err)
	}
	at := installation.Addresses(t, 3)
	b := &balancer{socket: filepath.Join(s.Dir, "haproxy.sock"), api: at[0], hooks: at[1], drive: at[2]}
	printed := block(t, "../../docs/production.md", "haproxy")
	for _, place := range []struct{ text, here string }{
		{":8080 ssl crt /etc/haproxy/api.pem", installation.Host(b.api)}, {":8081 ssl crt /etc/haproxy/hooks.pem", installation.Host(b.hooks)}, {":8082 ssl crt /etc/haproxy/drive.pem", installation.Host(b.drive)},
		{"10.0.0.1:8080", installation.Host(s.API[0])}, {"10.0.0.2:8080", installation.Host(s.API[1])},
		{"10.0.0.1:8081 port 8080", installation.Host(s.Hooks[0]) + " port " + port(s.API[0])},
		{"10.0.0.2:8081 port 8080", installation.Host(s.Hooks[1]) + " port " + port(s.API[1])},
		{"10.0.0.1:8082", installation.Host(s.Drive[0])}, {"10.0.0.2:8082", installation.Host(s.Drive[1])},
	} {
		if strings.Count(printed, place.text) != 1 {
			t.Fatalf("the page does not print %q once any more: change this test with it", place.text)
		}
		printed = strings.Replace(printed, place.text, place.here, 1)
	}
	config := filepath.Join(s.Dir, "haproxy.cfg")
	if err := os.WriteFile(config, []byte("global\n    stats socket "+b.socket+"\n"+printed), 0o600); err != nil {
		t.Fatal(err)
	}
	life, err := program.Start(exec.Command(path, "-db", "-f", config), filepath.Join(s.Dir, "haproxy.log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = life.Signal(syscall.SIGTERM) // it may have ended
		<-life.Ended
		if t.Failed() {
			t.Logf("haproxy said:\n%.4000s", life.Said())
		}
	})
	s.Reach(b.api, b.hooks, b.drive)
	s.api, s.hooks, s.drive = [2]string{b.api, b.api}, [2]string{b.hooks, b.hooks}, b.drive
	return b
}

func port(address string) string { return address[strings.LastIndex(address, ":")+1:] }

// await returns when the balancer has found what was started, as an operator looks
// before the next process is replaced.
func (b *balancer) await(t *testing.T, name string) {
	t.Helper()
	installation.Eventually(t, "the balancer to see "+name, func() error {
		states, err := b.states()
		if err != nil {
			return err
		}
		seen := 0
		for server, state := range states {
			if strings.HasSuffix(server, "/"+name) {
				seen++
				if !strings.HasPrefix(state, "UP") {
					return fmt.Errorf("%s is %s", server, state)
				}
			}
		}
		if seen == 0 {
			return fmt.Errorf("it does not know %s: %v", name, states)
		}
		return nil
	})
}

// states are those of each server, by backend and name.
func (b *balancer) states() (map[string]string, error) {
	conn, err := net.Dial("unix", b.socket)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("show stat\n")); err != nil {
		return nil, err
	}
	rows := csv.NewReader(bufio.NewReader(conn))
	rows.FieldsPerRecord = -1
	table, err := rows.ReadAll()
	if err != nil {
		return nil, err
	}
	const state = 17 // of the columns that HAProxy's management guide lists under "show stat"
	states := map[string]string{}
	for _, row := range table {
		if len(row) > state {
			states[row[0]+"/"+row[1]] = row[state]
		}
	}
	return states, nil
}

// block is the one block of a page in this language.
func block(t *testing.T, page, language string) string {
	t.Helper()
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(raw), "\n```"+language+"\n")
	text, _, ok2 := strings.Cut(text, "\n```\n")
	if !ok || !ok2 {
		t.Fatalf("%s has no block of %s", page, language)
	}
	return text + "\n"
}
