package config_test

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/platenhq/platen/internal/config"
)

func TestListeningOnEveryAddressAsksForAPublicOne(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"0.0.0.0", "[::]", ""} {
		c := serve(t, "--api="+host+":8080", "--hooks="+host+":8081")
		err := c.Check()
		if err == nil || !strings.Contains(err.Error(), "2 fault") || !strings.Contains(err.Error(), "--api-url (PLATEN_API_URL)") || !strings.Contains(err.Error(), "--hooks-url") {
			t.Errorf("serve on %q: got %v, want faults of both public addresses", host, err)
		}
		c.APIURL, c.HooksURL = "https://api.example.com/v0", "https://hooks.example.com"
		if err := c.Check(); err != nil {
			t.Errorf("serve on %q with public addresses: got %v", host, err)
		}
		d := config.Defaults[config.DriveServer]()
		d.Database, d.Drive = c.Database, host+":8082"
		if err := d.Check(); err == nil || !strings.Contains(err.Error(), "--drive-url") {
			t.Errorf("drive on %q: got %v, want a fault of its public address", host, err)
		}
	}
}

func TestASwitchNeedsNoValueAndItsFaultsAreReportedWithTheOthers(t *testing.T) {
	t.Setenv("PLATEN_ALLOW_UNSAFE_DURABILITY", "perhaps")
	var c config.Work
	parser, err := kong.New(&c, kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	for flag, on := range map[string]bool{"--temporal-tls": true, "--temporal-tls=true": true, "--temporal-tls=0": false, "--max-open=1": false} {
		c.TemporalTLS = config.Switch{}
		if _, err := parser.Parse([]string{flag}); err != nil || c.TemporalTLS.Value() != on {
			t.Errorf("%s: got %q, %v; want %v", flag, c.TemporalTLS, err, on)
		}
	}
	if _, err := parser.Parse([]string{"--temporal-tls=maybe", "--max-open=many"}); err != nil {
		t.Fatalf("the parser refuses alone: %v", err)
	}
	err = c.Check()
	for _, flag := range []string{"--temporal-tls", "--allow-unsafe-durability", "--max-open", "--database-url"} {
		if err == nil || !strings.Contains(err.Error(), flag+" (") {
			t.Errorf("the error does not name %s: %v", flag, err)
		}
	}
}

func TestPublicAddressesAreHTTPSOutsideThisMachine(t *testing.T) {
	t.Parallel()
	for _, given := range []struct{ flag, address, fault string }{
		{"--api-url", "http://api.example.com/v0", "--api-url (PLATEN_API_URL)"},
		{"--api-url", "HTTP://10.0.0.1:8080/v0", "--api-url"},
		{"--hooks-url", "http://hooks.localhost.example.com", "--hooks-url"},
		{"--drive-url", "http://drive.example.com", "--drive-url"},
		{"--api-url", "https://api.example.com/v0", ""},
		{"--api-url", "http://127.0.0.1:8080/v0", ""},
		{"--api-url", "http://[::1]:8080/v0", ""},
		{"--hooks-url", "http://localhost:8081", ""},
		{"--hooks-url", "http://hooks.localhost:8081", ""},
	} {
		err := serve(t, given.flag+"="+given.address).Check()
		if (err == nil) != (given.fault == "") || err != nil && (!strings.Contains(err.Error(), given.fault) || !strings.Contains(err.Error(), "PLATEN_ALLOW_HTTP")) {
			t.Errorf("serve %s=%s: got %v, want a fault of %q", given.flag, given.address, err, given.fault)
		}
		if err := serve(t, given.flag+"="+given.address, "--allow-http").Check(); err != nil {
			t.Errorf("serve --allow-http %s=%s: got %v", given.flag, given.address, err)
		}
	}
	for _, flag := range []string{"--pictures-url=http://api.example.com/pictures", "--drive-url=http://drive.example.com"} {
		if err := work(t, "--drive-kind=google", flag).Check(); err == nil || !strings.Contains(err.Error(), strings.Split(flag, "=")[0]) {
			t.Errorf("worker %s: got %v, want its fault", flag, err)
		}
	}
	d := config.Defaults[config.DriveServer]()
	d.Database, d.DriveURL = serve(t).Database, "http://drive.example.com"
	if err := d.Check(); err == nil || !strings.Contains(err.Error(), "--drive-url") {
		t.Errorf("drive: got %v, want a fault of its public address", err)
	}
}

func TestACertificateForTemporalHasItsKey(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--temporal-tls-cert-file=cert.pem", "--temporal-tls-key-file=key.pem"} {
		if err := work(t, flag).Check(); err == nil || !strings.Contains(err.Error(), "--temporal-tls-key-file") {
			t.Errorf("worker %s: got %v, want that both are needed", flag, err)
		}
	}
}
