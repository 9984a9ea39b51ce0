// Package peer says which client a request comes from, behind proxies that are
// trusted to say it.
//
// It is used by all that listen, the wing included, and knows nothing of ours.
package peer

import (
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the networks of the trusted proxies. Nil: there are none, and the
// client is the peer of the connection.
type Proxies []netip.Prefix

// maxForwarded is how many addresses of X-Forwarded-For are looked at.
const maxForwarded = 32

// Client is the address of the client: the one that opened the connection or,
// where that is a trusted proxy, the last one of X-Forwarded-For that is none.
// What stands in front of that was written by the client and counts for nothing.
// The zero address: it cannot be known.
func (p Proxies) Client(r *http.Request) netip.Addr {
	client := parse(r.RemoteAddr)
	if !p.trusts(client) {
		return client
	}
	rest := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	for range maxForwarded {
		at := strings.LastIndexByte(rest, ',')
		address := parse(strings.TrimSpace(rest[at+1:]))
		if !address.IsValid() {
			return client // the last that a trusted proxy named
		}
		client = address
		if at < 0 || !p.trusts(client) {
			return client
		}
		rest = rest[:at]
	}
	return client
}

func (p Proxies) trusts(address netip.Addr) bool {
	for _, network := range p {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// parse reads an address with or without a port; IPv4 is IPv4, however it is
// written, and zones are left out.
func parse(text string) netip.Addr {
	address, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		both, err := netip.ParseAddrPort(text)
		if err != nil {
			return netip.Addr{}
		}
		address = both.Addr()
	}
	return address.Unmap().WithZone("")
}
