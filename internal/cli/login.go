package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/platenhq/platen/client"
)

// Access is how a command reaches the API. Empty fields default to those that 'platen
// login' keeps.
type Access struct {
	APIURL    string `name:"api-url" env:"PLATEN_API_URL" placeholder:"URL" help:"Address of the API, such as https://platen.example/v0. Default: that of 'platen login'."`
	Token     string `env:"PLATEN_TOKEN" secret:"" help:"Access token. Better given in the environment than on the command line. Default: that of 'platen login'."`
	AllowHTTP bool   `name:"allow-http" help:"Send the access token to another machine without TLS."`
}

// userAgent names the program to the API.
const userAgent = "platen-cli"

// A login is what 'platen login' keeps.
type login struct {
	Address   string `json:"address"`
	Token     string `json:"token"`
	AllowHTTP bool   `json:"allowHttp,omitempty"`
}

func (e *Environment) file(name string) (string, error) {
	if e.Config == "" {
		return "", errors.New("there is no directory for configuration: set HOME, or PLATEN_API_URL and PLATEN_TOKEN")
	}
	return filepath.Join(e.Config, name), nil
}

const loginFile = "login.json"

// kept reads the login; without one it is empty.
func (e *Environment) kept() (login, error) {
	var l login
	if e.Config == "" {
		return l, nil
	}
	name := filepath.Join(e.Config, loginFile)
	raw, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, err
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return l, fmt.Errorf("%s cannot be read (%w): run 'platen login' again", name, err)
	}
	return l, nil
}

// writePrivate puts a file in place that nobody else may read. It is there as a whole or
// as it was before.
func writePrivate(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	beside, err := os.CreateTemp(filepath.Dir(name), ".new-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = beside.Write(content)
	err = errors.Join(err, beside.Close())
	if err == nil {
		err = os.Rename(beside.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(beside.Name()))
	}
	return nil
}

// client connects by what was given, and what is kept. A kept token goes to the address
// that it was kept for, and nowhere else.
func (a Access) client(e *Environment) (*client.Client, error) { return a.clientAs(e, userAgent) }

// clientAs is client of a program of another name.
func (a Access) clientAs(e *Environment, program string) (*client.Client, error) {
	l := login{a.APIURL, a.Token, a.AllowHTTP}
	if a.APIURL == "" || a.Token == "" {
		kept, err := e.kept()
		switch {
		case err != nil:
			return nil, err
		case kept.Token == "" && a.APIURL == "":
			return nil, noAccess("you are not logged in: run 'platen login', or set PLATEN_API_URL and PLATEN_TOKEN")
		case kept.Token == "" || a.Token == "" && !sameAPI(a.APIURL, kept.Address):
			return nil, noAccess("there is no access token for %s: run 'platen login %s', or set PLATEN_TOKEN", Shown(a.APIURL), Shown(a.APIURL))
		}
		if a.APIURL == "" {
			l.Address = kept.Address
		}
		if a.Token == "" {
			l.Token = kept.Token
		}
		l.AllowHTTP = a.AllowHTTP || kept.AllowHTTP && sameAPI(l.Address, kept.Address)
	}
	return l.client(program)
}

func (l login) client(program string) (*client.Client, error) {
	c, err := client.New(client.Options{Address: l.Address, Token: l.Token, AllowHTTP: l.AllowHTTP, UserAgent: program})
	if err != nil {
		return nil, Usage(err)
	}
	return c, nil
}

// sameAPI compares addresses as a client takes them.
func sameAPI(given, kept string) bool {
	if given == "" {
		return true
	}
	c, err := client.New(client.Options{Address: given, Token: "none", AllowHTTP: true})
	return err == nil && c.Address() == kept
}

func noAccess(format string, args ...any) error {
	return &exit{fmt.Errorf(format, args...), ExitNoAccess}
}

// refused tells whether the API takes no request with the token.
func refused(err error) bool {
	switch client.CodeOf(err) {
	case "credentials_missing", "credentials_malformed", "token_unknown", "token_expired", "token_revoked", "user_disabled", "scope_missing":
		return true
	}
	return false
}

type loginCommand struct {
	Address   string `arg:"" optional:"" help:"Address of the API, such as https://platen.example/v0. Asked for when it is left out."`
	AllowHTTP bool   `name:"allow-http" help:"Send the access token to another machine without TLS."`
}

// Run keeps a token that the API knows, and no other.
func (c *loginCommand) Run(ctx context.Context, e *Environment) error {
	file, err := e.file(loginFile)
	if err != nil {
		return err
	}
	l := login{AllowHTTP: c.AllowHTTP}
	if l.Address, err = c.address(ctx, e); err != nil {
		return err
	}
	if l.Token, err = readToken(ctx, e); err != nil {
		return err
	}
	api, err := l.client(userAgent)
	if err != nil {
		return err
	}
	l.Address = api.Address()
	me, err := api.Me(ctx)
	if err != nil {
		return fmt.Errorf("the token was not kept: %w", err)
	}
	raw, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err := writePrivate(file, append(raw, '\n')); err != nil {
		return fmt.Errorf("keep the token: %w", err)
	}
	_, err = fmt.Fprintf(e.Out, "Logged in to %s as %s <%s>. %s\nThe token is in %s, which only you can read.\n",
		l.Address, Shown(me.User.Name), Shown(me.User.Email), about(me.Token), file)
	return err
}

func (c *loginCommand) address(ctx context.Context, e *Environment) (string, error) {
	if c.Address != "" {
		return c.Address, nil
	}
	if e.Ask == nil {
		return "", Usage(errors.New("name the address of the API, such as: platen login https://platen.example/v0"))
	}
	return e.Ask(ctx, "Address of the API: ", false)
}

func readToken(ctx context.Context, e *Environment) (string, error) {
	if e.Ask != nil {
		return e.Ask(ctx, "Access token (it is not shown): ", true)
	}
	text, err := interruptible(ctx, func() (string, error) { return readLine(e.In) })
	if err == nil && text == "" {
		err = Usage(errors.New("standard input has no access token: pipe it in, such as 'platen login https://platen.example/v0 <token.txt'"))
	}
	return text, err
}

// maxLine is more than any token has, in bytes.
const maxLine = 4 << 10

// readLine reads no further than the line's end.
func readLine(from io.Reader) (string, error) {
	var line []byte
	for one := make([]byte, 1); len(line) < maxLine; {
		n, err := from.Read(one)
		if n == 1 && one[0] == '\n' || errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
		line = append(line, one[:n]...)
	}
	return strings.TrimSpace(string(bytes.TrimPrefix(line, []byte("\ufeff")))), nil
}

func about(t client.Token) string {
	text := "The token may read and change"
	if !t.Write {
		text = "The token may only read"
	}
	switch len(t.WorkflowIDs) {
	case 0:
		text += " all your workflows"
	default:
		text += " " + strings.Join(t.WorkflowIDs, ", ")
	}
	if t.ExpiresAt != nil {
		return text + ", until " + stamp(*t.ExpiresAt) + "."
	}
	return text + "."
}

type logoutCommand struct{}

// Run is well without a login, too.
func (logoutCommand) Run(e *Environment) error {
	file, err := e.file(loginFile)
	if err != nil {
		return err
	}
	err = os.Remove(file)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = fmt.Fprintln(e.Out, "You were not logged in.")
		return err
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(e.Out, "Logged out. The token stays good until it expires or the operator revokes it.")
	return err
}
