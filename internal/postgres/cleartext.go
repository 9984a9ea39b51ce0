package postgres

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// ClearText names the hosts outside this machine that a connection may reach without
// TLS, as sslmode disable, allow and prefer have it; none is empty. With prefer, the
// default, a server without TLS, or somebody who stands in for it, gets clear text.
func ClearText(c *pgxpool.Config) string {
	var hosts []string
	add := func(host string, secure bool) {
		if !secure && !isHere(host) && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	add(c.ConnConfig.Host, c.ConnConfig.TLSConfig != nil)
	for _, f := range c.ConnConfig.Fallbacks {
		add(f.Host, f.TLSConfig != nil)
	}
	return strings.Join(hosts, ", ")
}

// isHere tells hosts that are this machine; a path is a socket of its file system.
func isHere(host string) bool {
	if strings.HasPrefix(host, "/") || host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
