package outgoing

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

var errOwn = errors.New("the address is one at which this installation listens, or one that it works with itself")

// lookupTime is for the name of a host of our own, which is near.
const lookupTime = 2 * time.Second

// leadsTo tells whether an address, which is about to be connected to, is one of
// these, each host:port. A host that is empty or unspecified stands for every address
// of this machine. Names are looked up each time, because what is behind them moves;
// that happens where the port is theirs, and a name that cannot be looked up is no
// host.
func leadsTo(own []string, address string) bool {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return false
	}
	to := at.Addr().Unmap().WithZone("")
	return slices.ContainsFunc(own, func(one string) bool {
		host, port, err := net.SplitHostPort(one)
		if err != nil || port != strconv.Itoa(int(at.Port())) {
			return false
		}
		ip, err := netip.ParseAddr(host)
		switch {
		case host == "" || err == nil && ip.IsUnspecified():
			return isOfThisMachine(to)
		case err == nil:
			return ip.Unmap().WithZone("") == to
		}
		ctx, cancel := context.WithTimeout(context.Background(), lookupTime)
		defer cancel()
		found, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		return slices.ContainsFunc(found, func(ip netip.Addr) bool { return ip.Unmap().WithZone("") == to })
	})
}

func isOfThisMachine(ip netip.Addr) bool {
	if ip.IsLoopback() || ip.IsUnspecified() {
		return true
	}
	addresses, _ := net.InterfaceAddrs()
	return slices.ContainsFunc(addresses, func(a net.Addr) bool {
		network, ok := a.(*net.IPNet)
		if !ok {
			return false
		}
		own, ok := netip.AddrFromSlice(network.IP)
		return ok && own.Unmap() == ip
	})
}
