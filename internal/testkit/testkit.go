// Package testkit gives tests what they cannot make in five lines. That is a
// database of their own on a real Postgres, and a Temporal namespace or task
// queue on a real server. Both belong to the one bin/platen-dev that `make
// test` starts. Nothing but tests may import it, and no test binary links
// Temporal's server.
package testkit

import (
	"encoding/json"
	"os"
	"strconv"
	"sync"
	"testing"
)

// StackVariable names the environment variable that holds the path of the
// ready file which platen-dev wrote (its --ready-file flag).
const StackVariable = "PLATEN_TEST_STACK"

// Stack is what platen-dev writes into its ready file.
type Stack struct {
	APIURL            string `json:"apiUrl"`
	HooksURL          string `json:"hooksUrl"`
	DriveURL          string `json:"driveUrl"`
	DriveToken        string `json:"driveToken"`
	TemporalAddress   string `json:"temporalAddress"`
	TemporalNamespace string `json:"temporalNamespace"`
	TemporalUIURL     string `json:"temporalUiUrl"`
	DatabaseURL       string `json:"databaseUrl"`
	AccessToken       string `json:"accessToken"`
}

var readStack = sync.OnceValues(func() (Stack, error) {
	var s Stack
	raw, err := os.ReadFile(os.Getenv(StackVariable))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(raw, &s)
})

// Running returns the stack that this test run shares. It fails the test when
// none was started: `make test` is the way to run tests that need one.
func Running(t testing.TB) Stack {
	t.Helper()
	s, err := readStack()
	if err != nil {
		t.Fatalf("no running stack (%s=%q): %v; run the tests with `make test`, or start bin/platen-dev with --ready-file and name that file", StackVariable, os.Getenv(StackVariable), err)
	}
	return s
}

// Number reads a whole number from the environment, such as a seed.
func Number(t testing.TB, variable string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%q is not a whole number", variable, text)
	}
	return n
}
