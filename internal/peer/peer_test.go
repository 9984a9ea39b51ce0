package peer

import (
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func TestTheClientIsWhoeverTheLastTrustedProxyNames(t *testing.T) {
	t.Parallel()
	trusted := Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		name, remote string
		forwarded    []string
		want         string
	}{
		{"no proxy", "203.0.113.7:4000", nil, "203.0.113.7"},
		{"a client that lies", "203.0.113.7:4000", []string{"198.51.100.1"}, "203.0.113.7"},
		{"a proxy", "10.0.0.1:4000", []string{"203.0.113.7"}, "203.0.113.7"},
		{"a proxy without the header", "10.0.0.1:4000", nil, "10.0.0.1"},
		{"a client that lies to a proxy", "10.0.0.1:4000", []string{"198.51.100.1, 203.0.113.7"}, "203.0.113.7"},
		{"a client that sends the header twice", "10.0.0.1:4000", []string{"198.51.100.1", "203.0.113.7"}, "203.0.113.7"},
		{"two proxies", "10.0.0.1:4000", []string{"198.51.100.1, 203.0.113.7, 10.0.0.2"}, "203.0.113.7"},
		{"only proxies", "10.0.0.1:4000", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"nonsense", "10.0.0.1:4000", []string{"203.0.113.7, unknown"}, "10.0.0.1"},
		{"with a port", "10.0.0.1:4000", []string{"203.0.113.7:81"}, "203.0.113.7"},
		{"IPv6", "[fd00::1%eth0]:4000", []string{"[2001:db8::7]:81"}, "2001:db8::7"},
		{"IPv4 in IPv6", "[::ffff:10.0.0.1]:4000", []string{"::ffff:203.0.113.7"}, "203.0.113.7"},
		{"a long header", "10.0.0.1:4000", []string{"203.0.113.7" + strings.Repeat(",10.0.0.2", 1000)}, "10.0.0.2"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.remote
		for _, value := range c.forwarded {
			r.Header.Add("X-Forwarded-For", value)
		}
		if got := trusted.Client(r); got.String() != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr = "@"
	if got := trusted.Client(r); got.IsValid() {
		t.Errorf("a Unix socket: got %s, want no address", got)
	}
	r.RemoteAddr = "10.0.0.1:4000"
	r.Header.Set("X-Forwarded-For", "203.0.113.7")
	if got := Proxies(nil).Client(r); got.String() != "10.0.0.1" {
		t.Errorf("nobody is trusted: got %s, want the connection's address", got)
	}
}
