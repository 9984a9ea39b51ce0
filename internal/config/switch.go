package config

import (
	"fmt"
	"strconv"

	"github.com/alecthomas/kong"
)

// A Switch is a setting that is on or off: as a flag it needs no value. Like
// all values it is kept as text until Check.
type Switch string

// On tells what the setting comes to; one that Check finds wrong is off.
func (s Switch) On() bool {
	on, _ := strconv.ParseBool(string(s))
	return on
}

// IsBool makes it a flag that stands alone.
func (*Switch) IsBool() bool { return true }

// Decode takes the value that was given, whatever it is; without one it is on.
func (s *Switch) Decode(ctx *kong.DecodeContext) error {
	*s = "true"
	if ctx.Scan.Peek().Type == kong.FlagValueToken {
		*s = Switch(fmt.Sprint(ctx.Scan.Pop().Value))
	}
	return nil
}

func (c *checker) onOff(flag string, s Switch) {
	if _, err := strconv.ParseBool(string(s)); err != nil && s != "" {
		c.fault(flag, "%q is neither true nor false", string(s))
	}
}
