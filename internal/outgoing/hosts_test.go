package outgoing_test

import (
	"testing"

	"github.com/platenhq/platen/internal/outgoing"
)

func TestHostsAreKnownInEverySpelling(t *testing.T) {
	t.Parallel()
	hosts := outgoing.NewHosts("https://hooks.example.com", "https://api.example.com:8443/v0", "http://localhost:8081", "http://[2001:db8::1]:80",
		"https://203.0.113.7", "https://bücher.example", "", "not an address", "/path")
	for address, want := range map[string]bool{
		"https://hooks.example.com/key":          true,
		"HTTPS://Hooks.Example.COM./key":         true,
		"https://hooks.example.com:443/key":      true,
		"https://hooks.example.com:0443/key":     true,
		"https://hooks.example.com:/key":         true,
		"http://hooks.example.com/key":           true, // redirects to the other
		"https://ｈooks.example.com/key":          true,
		"https://hooks。example。com/key":          true,
		"https://hooks.example.com:8080/":        false, // another service
		"https://xhooks.example.com/key":         false,
		"https://hooks.example.com.evil.test/":   false,
		"https://example.com/":                   false,
		"https://api.example.com:8443/x":         true,
		"https://api.example.com/x":              false, // another port
		"http://127.0.0.1:8081/key":              true,
		"http://[::1]:8081/key":                  true,
		"http://[::ffff:127.0.0.1]:8081/key":     true,
		"http://0.0.0.0:8081/key":                true,
		"http://sub.localhost:8081/key":          true,
		"http://127.0.0.1:9000/events":           false,
		"http://localhost/events":                false,
		"http://[2001:DB8:0:0::1]/":              true,
		"http://[2001:db8::1]:8081/":             false,
		"https://203.0.113.7/key":                true,
		"https://[::ffff:203.0.113.7]/key":       true,
		"https://203.0.113.8/key":                false,
		"https://xn--bcher-kva.example/x":        true,
		"https://user:secret@hooks.example.com/": true,
		"hooks.example.com":                      false, // no address
		"https://":                               false,
		"":                                       false,
	} {
		if got := hosts.Has(address); got != want {
			t.Errorf("%s: got %t, want %t", address, got, want)
		}
	}
	if (outgoing.Hosts{}).Has("https://hooks.example.com") {
		t.Error("no hosts know a host")
	}
}
