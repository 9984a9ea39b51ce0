package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/platenhq/platen/internal/app"
)

func TestAWrongFlagNamesTheHelpOfItsCommand(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"serve --databse-url x":  "'platen serve --help'",
		"user create --name Ada": "'platen user create --help'",
		"user destroy":           "'platen user --help'",
		"sevre":                  "'platen --help'",
		"":                       "'platen --help'",
	} {
		if err := run(t.Context(), strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("platen %s: got %v, want %s named", args, err, want)
		}
	}
}

func TestTheVersionIsAFlagToo(t *testing.T) {
	t.Parallel()
	type ended struct{ code int }
	var out bytes.Buffer
	parser, err := kong.New(&commands{}, kong.Writers(&out, &out), kong.Exit(func(code int) { panic(ended{code}) }))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if got := recover(); got != (ended{0}) || out.String() != "platen "+app.Version()+"\n" {
			t.Errorf("got %v and %q, want status 0 and the version", got, out.String())
		}
	}()
	_, _ = parser.Parse([]string{"--version"})
}
