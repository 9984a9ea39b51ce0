// Package testkit gives tests what they cannot make in five lines. That is a
// database of their own on a real Postgres, and a Temporal namespace or task
// queue on a real server. Both belong to the one bin/platen-dev that `make
// test` starts for itself, and `make stack` until it is stopped. Nothing but tests may import it, and no test binary links
// Temporal's server.
package testkit

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// StackVariable names the environment variable that holds the path of the
// ready file which platen-dev wrote (its --ready-file flag). Without it, tests use what
// `make stack` started.
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
	file := os.Getenv(StackVariable)
	if file == "" {
		root, err := Root()
		if err != nil {
			return s, err
		}
		file = filepath.Join(root, ".stack", "ready.json")
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, err
	}
	// Many tests at once keep a machine of two cores busy: only a server that is away
	// takes longer than that to let somebody in.
	address, err := url.Parse(s.DatabaseURL)
	if err != nil {
		return s, err
	}
	q := address.Query()
	q.Set("connect_timeout", "60")
	address.RawQuery = q.Encode()
	s.DatabaseURL = address.String()
	return s, nil
})

// Root is the folder of the module that is tested.
func Root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("not within a module")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

// Running returns the stack that this test run shares. It fails the test when
// none was started.
func Running(t testing.TB) Stack {
	t.Helper()
	s, err := readStack()
	if err != nil {
		t.Fatalf("this test needs Postgres and Temporal (%s=%q: %v): start them once with `make stack`, or run `make test TESTS=./this/package`", StackVariable, os.Getenv(StackVariable), err)
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
