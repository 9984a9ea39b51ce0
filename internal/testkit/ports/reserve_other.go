//go:build !linux

package ports

// reserve sees whether the port is free now: other systems have no way to keep it for a
// server that opens it later.
func reserve(address string) error { return Check(address) }
