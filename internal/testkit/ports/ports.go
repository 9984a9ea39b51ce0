// Package ports chooses and checks TCP ports for servers that insist on opening
// their listener themselves, as Postgres and Temporal do. A server of our own
// listens on port 0 and needs nothing from here.
package ports

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"syscall"
)

// ErrTaken is what Check returns, wrapped, when something else listens there.
var ErrTaken = errors.New("address already in use")

// Below the range from which Linux (32768 up) and macOS (49152 up) take the
// local ports of outgoing connections: a chosen port stays free until its
// server opens it, even when hundreds of connections are made in between.
const (
	first = 20000
	last  = 30000
)

// Free returns n different ports of host on which nothing listens. On Linux they stay this
// process's until it ends: no other call returns one of them, in any process.
func Free(host string, n int) ([]int, error) {
	chosen := make([]int, 0, n)
	for tries := 0; len(chosen) < n; tries++ {
		if tries > last-first {
			return nil, fmt.Errorf("find %d free ports of %s between %d and %d", n, host, first, last)
		}
		port := first + rand.IntN(last-first)
		if slices.Contains(chosen, port) {
			continue
		}
		err := reserve(net.JoinHostPort(host, strconv.Itoa(port)))
		if errors.Is(err, ErrTaken) {
			continue
		}
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, port)
	}
	return chosen, nil
}

// Check says whether a server could listen on address ("127.0.0.1:7233"). Its
// error names the address, and is ErrTaken when the port is in use.
func Check(address string) error {
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s: %w", address, ErrTaken)
	}
	if err != nil {
		return fmt.Errorf("listen on %s: %w", address, err)
	}
	return l.Close()
}

// Resolve splits address and puts a free port in the place of port 0. It fails
// with ErrTaken when the port is in use.
func Resolve(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, fmt.Errorf("address %q is not host:port: %w", address, err)
	}
	port, err = strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("address %q: the port must be a number from 0 to 65535", address)
	}
	if port == 0 {
		free, err := Free(host, 1)
		if err != nil {
			return "", 0, err
		}
		return host, free[0], nil
	}
	return host, port, Check(address)
}
