package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

const (
	// fileSuffix makes the variable that names a file out of the variable of a secret:
	// PLATEN_SECRET_KEYS_FILE holds the path of a file with what PLATEN_SECRET_KEYS would say.
	// https://docs.docker.com/compose/how-tos/use-secrets/ has the convention.
	fileSuffix     = "_FILE"
	maxSecretBytes = 64 << 10
)

// SecretFiles reads secrets from the files that the environment names. Secrets are the
// flags with the tag secret. A line break at a file's end is no part of its secret.
type SecretFiles struct{ faults []error }

// Option has kong's parser read the files before it reads the environment. It keeps what
// is wrong with them for Check.
func (f *SecretFiles) Option() kong.Option {
	return kong.PostBuild(func(k *kong.Kong) error {
		for _, flag := range secrets(k) {
			if err := readSecretFile(flag.Envs[0]); err != nil {
				f.faults = append(f.faults, Fault{Flag: flag.Name, Variable: flag.Envs[0] + fileSuffix, Message: err.Error()})
			}
		}
		return nil
	})
}

// Check reports every file that cannot be used together with what check finds in the
// other settings; without such a file it does nothing. A nil check finds nothing.
func (f *SecretFiles) Check(check func() error) error {
	if len(f.faults) == 0 {
		return nil
	}
	c := checker{faults: slices.Clone(f.faults)}
	if check == nil {
		return c.err()
	}
	for _, other := range Faults(check()) {
		// A secret that was not read is missing: the file's fault says why.
		if !slices.ContainsFunc(f.faults, func(err error) bool { return Faults(err)[0].Flag == other.Flag }) {
			c.faults = append(c.faults, other)
		}
	}
	return c.err()
}

// SecretFileVariables are those that name a file with a secret.
func SecretFileVariables(k *kong.Kong) []string {
	var all []string
	for _, flag := range secrets(k) {
		all = append(all, flag.Envs[0]+fileSuffix)
	}
	return all
}

// secrets are the flags with the tag secret, each once.
func secrets(k *kong.Kong) []*kong.Flag {
	var all []*kong.Flag
	seen := map[string]bool{}
	// The visitor returns no error, so that there is none.
	_ = kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok && flag.Tag.Has("secret") && !seen[flag.Envs[0]] {
			seen[flag.Envs[0]] = true
			all = append(all, flag)
		}
		return next(nil)
	})
	return all
}

// readSecretFile sets a variable to what its file holds, if there is one.
func readSecretFile(variable string) error {
	name := os.Getenv(variable + fileSuffix)
	if name == "" {
		return nil
	}
	if os.Getenv(variable) != "" {
		return fmt.Errorf("%s is set, too: take one of them away", variable)
	}
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("it names a file that cannot be read: %w", err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxSecretBytes+1))
	switch secret := strings.TrimRight(string(content), "\r\n"); {
	case err != nil:
		return fmt.Errorf("it names a file that cannot be read: %w", err)
	case len(content) > maxSecretBytes:
		return fmt.Errorf("%s is larger than %d KiB: it is no secret", name, maxSecretBytes>>10)
	case secret == "":
		return fmt.Errorf("%s is empty", name)
	case strings.ContainsAny(secret, "\r\n\x00"):
		return fmt.Errorf("%s has more than one line: a secret has one", name)
	default:
		return errors.Join(os.Setenv(variable, secret), os.Unsetenv(variable+fileSuffix))
	}
}
