package ports

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

// reserve takes a port of this machine for as long as this process lives. Another process
// that looks for a free port finds it taken, and a server with SO_REUSEADDR, as Go,
// Postgres and HAProxy set it, can listen there: the socket is bound and does not listen
// (socket(7)). ErrTaken says that somebody else has the port.
func reserve(address string) error {
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return fmt.Errorf("resolve %s: %w", address, err)
	}
	if at.IP == nil {
		at.IP = net.IPv4zero
	}
	family, name := syscall.AF_INET6, syscall.Sockaddr(&syscall.SockaddrInet6{Port: at.Port, Addr: [16]byte(at.IP.To16())})
	if ip := at.IP.To4(); ip != nil {
		family, name = syscall.AF_INET, &syscall.SockaddrInet4{Port: at.Port, Addr: [4]byte(ip)}
	}
	fd, err := syscall.Socket(family, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	if err := syscall.Bind(fd, name); err != nil {
		_ = syscall.Close(fd)
		if errors.Is(err, syscall.EADDRINUSE) {
			return fmt.Errorf("%s: %w", address, ErrTaken)
		}
		return fmt.Errorf("bind to %s: %w", address, err)
	}
	// Only now: with it, the bind would succeed beside that of another process.
	return os.NewSyscallError("setsockopt", syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1))
}
