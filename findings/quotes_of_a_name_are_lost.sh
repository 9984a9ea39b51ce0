#!/usr/bin/env bash
# Go wneessen/go-mail v0.8.1: FromFormat and its kin change a name that has quotes in it.
#
# Expected: FromFormat(name, address) takes any name, as its parameters are apart. A name
#   with quotes is written as RFC 5322 (3.2.4) has it, with a backslash in front of each,
#   and the receiver reads the name that was given.
# Seen: the name is put between quotes as it is. `Bau "Nord" GmbH` is read back without
#   its quotes and with two spaces twice, and there is no error. FromMailAddress with
#   net/mail's Address keeps it. A comma alone does no harm in either.
# Why it matters here: companies have such names, and our mails carry the sender's name as
#   the operator set it. We give the library a mail.Address.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
cat > go.mod <<'MOD'
module look

go 1.26

require github.com/wneessen/go-mail v0.8.1
MOD
cat > main.go <<'GO'
package main

import (
	"bytes"
	"fmt"
	"net/mail"
	"os"

	gomail "github.com/wneessen/go-mail"
)

func main() {
	changed := false
	for _, look := range []struct{ name, format string }{
		{"Bau Nord GmbH", "Bau Nord GmbH"},
		{"Nord, Bau", "Nord, Bau"},
		{`Bau "Nord" GmbH`, "Bau  Nord  GmbH"},
	} {
		byFormat := read(func(m *gomail.Msg) error { return m.FromFormat(look.name, "office@example.com") })
		byAddress := read(func(m *gomail.Msg) error {
			m.FromMailAddress(&mail.Address{Name: look.name, Address: "office@example.com"})
			return nil
		})
		fmt.Printf("%q: FromFormat %q, FromMailAddress %q\n", look.name, byFormat, byAddress)
		changed = changed || byFormat != look.format || byAddress != look.name
	}
	if changed {
		fmt.Println("this changed")
		os.Exit(1)
	}
}

// read is the name of the sender, as the receiver of the message reads it.
func read(from func(*gomail.Msg) error) string {
	message := gomail.NewMsg()
	if err := from(message); err != nil {
		return "refused: " + err.Error()
	}
	message.SetBodyString(gomail.TypeTextPlain, "text")
	var sent bytes.Buffer
	if _, err := message.WriteTo(&sent); err != nil {
		panic(err)
	}
	received, err := mail.ReadMessage(&sent)
	if err != nil {
		panic(err)
	}
	senders, err := received.Header.AddressList("From")
	if err != nil {
		panic(err)
	}
	return senders[0].Name
}
GO
GOFLAGS=-mod=mod go mod tidy >/dev/null 2>&1
go run .
