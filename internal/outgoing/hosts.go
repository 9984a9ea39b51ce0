package outgoing

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// Hosts are the hosts and ports at which an installation itself answers. They
// are no receivers of its events: a workflow would start itself for ever. The
// zero value has none.
type Hosts struct {
	known map[string]bool // host:port, as hostPort writes it
}

// NewHosts returns the hosts of these addresses; one that is empty or names no host
// adds none. An address with a port stands for that port alone, because other services
// may have the host's other ports. One without a port stands for those of http and
// https, because one usually redirects to the other.
func NewHosts(addresses ...string) Hosts {
	h := Hosts{known: map[string]bool{}}
	for _, address := range addresses {
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" {
			continue
		}
		ports := []string{u.Port()}
		if u.Port() == "" {
			ports = []string{"80", "443"}
		}
		for _, port := range ports {
			h.known[hostPort(u.Hostname(), port)] = true
		}
	}
	return h
}

// Has tells whether an address, however it is spelled, leads to one of the
// hosts. What is no address leads nowhere.
func (h Hosts) Has(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return false
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return h.known[hostPort(u.Hostname(), port)]
}

// hostPort is the one spelling of a host and a port. This machine has one name.
func hostPort(host, port string) string {
	if n, err := strconv.Atoi(port); err == nil {
		port = strconv.Itoa(n) // no zeros before it
	}
	// What is typed with other letters or dots is looked up in this form.
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	host = strings.TrimRight(strings.ToLower(host), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.WithZone("").Unmap()
		host = ip.String()
		if ip.IsLoopback() || ip.IsUnspecified() {
			host = "localhost"
		}
	}
	if strings.HasSuffix(host, ".localhost") { // RFC 6761, section 6.3
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}
