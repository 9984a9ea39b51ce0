package target

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
)

// files speaks to servers of SFTP: version 3 of the protocol (draft-ietf-secsh-filexfer-02),
// as OpenSSH does, over SSH (RFC 4253). Its connection is made when it is needed first.
type files struct {
	client     *outgoing.Client
	target     platen.Target
	host, port string
	folder     string // of the URL
	conn       net.Conn
	open       *sftp.Client
}

func (s *files) close() {
	// The connection ends first: a server that does not answer keeps nobody waiting.
	if s.conn != nil {
		_ = s.conn.Close()
	}
	if s.open != nil {
		_ = s.open.Close()
	}
	s.open, s.conn = nil, nil
}

func (s *files) at(key string) string { return path.Join(s.folder, key) }

// do carries out something within the time of one request.
func (s *files) do(ctx context.Context, act func(c *sftp.Client) error) error {
	ctx, cancel := s.client.WithTimeout(ctx)
	defer cancel()
	if s.open == nil {
		if err := s.connect(ctx); err != nil {
			return err
		}
	}
	stop := context.AfterFunc(ctx, func() { _ = s.conn.Close() })
	err := act(s.open)
	stop()
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*platen.Error](err); ok || errors.Is(err, errExists) || errors.Is(err, errUnseen) {
		return err
	}
	s.close()
	return s.refusal(ctx, err)
}

// refusal says what an error of a server means.
func (s *files) refusal(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return noAnswer(s.client, ctx.Err())
	}
	status, answered := errors.AsType[*sftp.StatusError](err)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return unavailable(platen.CodeTargetSignInRefused, "The credentials may not do this at the target: correct user and secret, or their rights. It is tried again.")
	case errors.Is(err, fs.ErrNotExist):
		return unavailable(platen.CodeTargetNotFound, "The target answers that the folder of url is not there: create it, or correct url. It is tried again.")
	case answered && (status.FxCode() == sftp.ErrSSHFxFailure || status.FxCode() == sftp.ErrSSHFxOpUnsupported):
		return unavailable(platen.CodeTargetRefused, "The target refuses to store the file, and does not say why: look at its rights, and whether it has room. It is tried again.")
	case answered:
		return unavailable(platen.CodeTargetRefused, "The target refuses the request (SFTP status %d): correct its settings. It is tried again.", status.Code)
	}
	return noAnswer(s.client, err)
}

// hostKeys are the kinds of keys that a server may have, in the order in which OpenSSH prefers
// them. A server shows one key of a kind that it is asked for.
var hostKeys = [][]string{
	{ssh.KeyAlgoED25519},
	{ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521},
	{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256},
}

// connect signs in at a server that has the key of the target.
func (s *files) connect(ctx context.Context) error {
	auth, err := s.auth()
	if err != nil {
		return err
	}
	var seen []string
	for _, kinds := range hostKeys {
		config := &ssh.ClientConfig{User: s.target.User, Auth: auth, HostKeyAlgorithms: kinds, ClientVersion: "SSH-2.0-Platen"}
		shown := ""
		config.HostKeyCallback = func(_ string, _ net.Addr, key ssh.PublicKey) error {
			if shown = ssh.FingerprintSHA256(key); shown != s.target.HostKey {
				return errHostKey
			}
			return nil
		}
		err := s.signIn(ctx, config)
		if err == nil {
			return nil
		}
		s.close()
		_, differ := errors.AsType[*ssh.AlgorithmNegotiationError](err)
		switch {
		case ctx.Err() != nil:
			return noAnswer(s.client, ctx.Err())
		case shown != "" && shown != s.target.HostKey:
			seen = append(seen, shown)
		case differ: // it has no key of this kind
		case shown != "" && !cutOff(err):
			return unavailable(platen.CodeTargetSignInRefused, "The target refuses the credentials: correct user and secret. It is tried again.")
		default:
			return noAnswer(s.client, err)
		}
	}
	if len(seen) == 0 {
		return unavailable(platen.CodeTargetRefused, "No SSH connection could be agreed on with the target: it needs a host key of Ed25519, ECDSA or RSA, and the algorithms of OpenSSH 7.4 or later. It is tried again.")
	}
	return unavailable(platen.CodeTargetHostKey, "The target is not the server that hostKey names: its keys are %s. Ask who runs it whether one of them is right, and set it as hostKey. It is tried again.", strings.Join(seen, " and "))
}

var errHostKey = errors.New("another host key")

// cutOff tells a connection that ended from an answer. The library has no type for a refusal,
// and words it by the way of signing in.
func cutOff(err error) bool {
	_, network := errors.AsType[net.Error](err)
	return network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

func (s *files) signIn(ctx context.Context, config *ssh.ClientConfig) error {
	address := net.JoinHostPort(s.host, s.port)
	var err error
	if s.conn, err = s.client.Dial(ctx, address); err != nil {
		return err
	}
	conn := s.conn
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	c, channels, requests, err := ssh.NewClientConn(conn, address, config)
	if err != nil {
		return err
	}
	s.open, err = sftp.NewClient(ssh.NewClient(c, channels, requests), sftp.UseConcurrentWrites(true))
	return err
}

// auth signs in with the target's private key, or with its password.
func (s *files) auth() ([]ssh.AuthMethod, error) {
	secret := string(s.target.Secret)
	if !strings.HasPrefix(secret, platen.PrivateKeyPrefix) {
		return []ssh.AuthMethod{ssh.Password(secret), ssh.KeyboardInteractive(func(_, _ string, questions []string, _ []bool) ([]string, error) {
			return slices.Repeat([]string{secret}, len(questions)), nil
		})}, nil
	}
	if problem := SecretProblem(secret); problem != "" {
		return nil, unavailable(platen.CodeTargetSignInRefused, "The secret %s. It is tried again.", problem)
	}
	key, err := ssh.ParsePrivateKey([]byte(secret))
	return []ssh.AuthMethod{ssh.PublicKeys(key)}, err
}

// SecretProblem says why nobody can sign in with a secret of SFTP, which is a password or a
// private key; empty: they may.
func SecretProblem(secret string) string {
	const isPublic = "is a public key: give the private key, the file without .pub; the public one belongs into authorized_keys on the server"
	if !strings.HasPrefix(secret, platen.PrivateKeyPrefix) {
		_, _, _, _, err := ssh.ParseAuthorizedKey([]byte(secret))
		switch {
		case err == nil, strings.HasPrefix(secret, "---- BEGIN SSH2 PUBLIC KEY"): // RFC 4716
			return isPublic
		case strings.HasPrefix(secret, "PuTTY-User-Key-File-"):
			return "is a private key of PuTTY: send it as OpenSSH writes it, which 'puttygen key.ppk -O private-openssh -o key' does, or Conversions > Export OpenSSH key in PuTTYgen, without a passphrase"
		case strings.ContainsAny(secret, "\r\n"):
			return "has a line break, and a password is one line"
		}
		return ""
	}
	_, err := ssh.ParsePrivateKey([]byte(secret))
	_, locked := errors.AsType[*ssh.PassphraseMissingError](err)
	switch first, _, _ := strings.Cut(secret, "\n"); {
	case locked, strings.Contains(first, "BEGIN ENCRYPTED PRIVATE KEY"): // the latter is of PKCS #8
		return "is a private key with a passphrase, which nobody types in here: take it off a copy of the file with ssh-keygen -p, or make a key for this with ssh-keygen -N ''"
	case err != nil && strings.Contains(first, "PUBLIC KEY"):
		return isPublic
	case err != nil:
		return "is a private key that cannot be read: send the file that ssh-keygen wrote, with its line breaks"
	}
	return ""
}

// find reads what stands under the key: SFTP knows no checksums that all servers have. Where
// a file has its name, an attempt that was cut off may have left the other name, too.
func (s *files) find(ctx context.Context, f platen.StoredFile) (there *object, err error) {
	err = s.do(ctx, func(c *sftp.Client) error {
		file, err := c.Open(s.at(f.Key))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case errors.Is(err, fs.ErrPermission):
			return errUnseen
		case err != nil:
			return err
		}
		defer func() { _ = file.Close() }()
		_ = c.Remove(s.at(partOf(f)))
		info, err := file.Stat()
		if err != nil {
			return err
		}
		if info.Size() > platen.MaxTargetFile {
			there = &object{bytes: info.Size()}
			return nil
		}
		hash := sha256.New()
		n, err := file.WriteTo(hash)
		there = &object{sha256: hex.EncodeToString(hash.Sum(nil)), bytes: n}
		return err
	})
	if err != nil {
		return nil, err
	}
	return there, nil
}

// put stores the file under a name of its own first: so a connection that is cut leaves no
// half file under the key.
func (s *files) put(ctx context.Context, f platen.StoredFile, _ bool) (version string, err error) {
	return "", s.do(ctx, func(c *sftp.Client) error {
		part := s.at(partOf(f))
		err := upload(c, part, f.Content)
		if errors.Is(err, fs.ErrNotExist) {
			if _, err := c.Stat(s.folder); err != nil {
				return err
			}
			if err := c.MkdirAll(path.Dir(part)); err != nil {
				return err
			}
			err = upload(c, part, f.Content)
		}
		if err != nil {
			return err
		}
		return settle(c, part, s.at(f.Key))
	})
}

func upload(c *sftp.Client, at string, content []byte) error {
	f, err := c.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.ReadFrom(bytes.NewReader(content))
	if err == nil {
		if _, can := c.HasExtension("fsync@openssh.com"); can {
			err = f.Sync()
		}
	}
	if failed := f.Close(); err == nil {
		err = failed
	}
	return err
}

// settle gives a file its name, and answers errExists where another has it. A link replaces
// nothing. Nor does a rename, says the protocol; some servers do it all the same. And some
// say that they made a link, and made none (rclone 1.60).
func settle(c *sftp.Client, part, at string) error {
	if _, can := c.HasExtension("hardlink@openssh.com"); can && c.Link(part, at) == nil {
		if _, err := c.Lstat(at); err == nil {
			return c.Remove(part)
		}
	}
	_, err := c.Lstat(at)
	if errors.Is(err, fs.ErrNotExist) {
		if err = c.Rename(part, at); err == nil {
			return nil
		}
		if _, missing := c.Lstat(at); missing != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	if err := c.Remove(part); err != nil {
		return err
	}
	return errExists
}

func (s *files) remove(ctx context.Context, key, _ string) error {
	return s.do(ctx, func(c *sftp.Client) error {
		if err := c.Remove(s.at(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}
