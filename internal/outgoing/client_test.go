package outgoing_test

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/outgoing"
)

func loopback() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

func receiver(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

// get asks what stands at an address: the answer's status, or why there is none.
func get(t *testing.T, o outgoing.Options, address string) (status int, failure string) {
	t.Helper()
	client := outgoing.NewClient(o)
	ctx, cancel := client.WithTimeout(t.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(request)
	if err != nil {
		return 0, client.Explain("the receiver", err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode, ""
}

func TestAddressesThatAreNotPublicAreRefused(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	server := receiver(t, func(http.ResponseWriter, *http.Request) { calls.Add(1) })
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{
		"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254",
		"168.63.129.16", "100.64.0.1", "[fe80::1]", "[fd00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::1]", "2130706433", "0x7f.1",
	} {
		_, failure := get(t, outgoing.Options{Timeout: time.Minute}, "http://"+host+":"+port+"/")
		refused := strings.Contains(failure, "private network")
		unknown := strings.Contains(failure, "does not exist") || strings.Contains(failure, "resolved") // odd spellings are names
		if !refused && !(unknown && (host == "2130706433" || host == "0x7f.1")) {
			t.Errorf("%s: got %q, want it refused", host, failure)
		}
	}
	wide := []netip.Prefix{netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("::/0")}
	if _, failure := get(t, outgoing.Options{AllowPrivate: wide}, "http://[64:ff9b::7f00:1]:"+port+"/"); !strings.Contains(failure, "private network") {
		t.Errorf("NAT64 allowed: got %q, want it refused all the same", failure)
	}
	if calls.Load() != 0 {
		t.Errorf("%d calls arrived", calls.Load())
	}
	allowed := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	if status, failure := get(t, outgoing.Options{AllowPrivate: allowed}, server.URL); failure != "" || calls.Load() != 1 {
		t.Errorf("allowed prefix: got %d %q and %d calls, want it answered", status, failure, calls.Load())
	}
}

func TestAProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://192.0.2.1:3128")
	server := receiver(t, func(http.ResponseWriter, *http.Request) {})
	if _, failure := get(t, outgoing.Options{AllowPrivate: loopback()}, server.URL); failure != "" {
		t.Errorf("got %q, want an answer", failure)
	}
}

func TestFailuresSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	plain := receiver(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	closed := httptest.NewServer(nil)
	closed.Close()
	trusted := &tls.Config{RootCAs: secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	wrongName := trusted.Clone()
	wrongName.ServerName = "other.test"
	expired := trusted.Clone()
	expired.Time = func() time.Time { return time.Now().AddDate(200, 0, 0) }
	for name, c := range map[string]struct {
		url  string
		tls  *tls.Config
		want string
	}{
		"cut":           {plain.URL, nil, "the receiver closed the connection without an answer"},
		"refused":       {closed.URL, nil, "the receiver refuses connections"},
		"untrusted":     {secure.URL, nil, "an authority that is not trusted"},
		"wrong name":    {secure.URL, wrongName, "another host name"},
		"expired":       {secure.URL, expired, "expired or is not valid yet"},
		"no TLS":        {strings.Replace(plain.URL, "http:", "https:", 1), nil, "TLS"},
		"unknown host":  {"http://does-not-exist.invalid/", nil, "the host name \"does-not-exist.invalid\""},
		"trusted works": {secure.URL, trusted, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, failure := get(t, outgoing.Options{AllowPrivate: loopback(), TLS: c.tls, Timeout: time.Minute}, c.url)
			if !strings.Contains(failure, c.want) || (c.want == "") != (failure == "") || strings.Contains(failure, "127.0.0.1") {
				t.Errorf("got %q, want %q", failure, c.want)
			}
		})
	}
}

// An allowed network that holds the address of a cloud's credentials does not open it.
func TestNoAllowedNetworkLeadsToTheCredentialsOfAMachine(t *testing.T) {
	t.Parallel()
	wide := []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
	for _, host := range []string{"169.254.169.254", "[::ffff:169.254.169.254]", "[fd00:ec2::254]", "169.254.170.2", "168.63.129.16", "100.100.100.200", "[fd20:ce::254]"} {
		if _, failure := get(t, outgoing.Options{AllowPrivate: wide, Timeout: time.Second}, "http://"+host+"/"); !strings.Contains(failure, "private network") {
			t.Errorf("%s: got %q, want that it is refused", host, failure)
		}
	}
}

// What listens beside a receiver in an allowed network, such as a database, is none.
func TestOwnPortsAreNotConnectedToInAnAllowedNetwork(t *testing.T) {
	t.Parallel()
	server := receiver(t, func(http.ResponseWriter, *http.Request) {})
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for own, refused := range map[string]bool{
		"127.0.0.1:" + port: true,
		"localhost:" + port: true,
		"0.0.0.0:" + port:   true,
		"[::]:" + port:      true,
		":" + port:          true,
		"127.0.0.2:" + port: false,
		"127.0.0.1:1":       false,
		"192.0.2.1:" + port: false,
	} {
		_, failure := get(t, outgoing.Options{AllowPrivate: loopback(), Own: []string{own}, Timeout: time.Minute}, server.URL)
		if strings.Contains(failure, "this installation of Platen") != refused {
			t.Errorf("own %s: got %q, want it refused: %v", own, failure, refused)
		}
	}
}
