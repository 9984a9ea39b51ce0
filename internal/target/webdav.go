package target

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"path"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// webdav speaks to servers of WebDAV (RFC 4918), such as Nextcloud's.
type webdav struct {
	web
	target platen.Target
}

func (s webdav) ask(ctx context.Context, method, key string, h http.Header, content []byte, takes func(io.Reader) error) (answer, error) {
	r := http.Request{Header: h}
	switch {
	case s.target.User != "":
		r.SetBasicAuth(s.target.User, string(s.target.Secret))
	case s.target.Secret != "":
		h.Set("Authorization", "Bearer "+string(s.target.Secret))
	}
	return s.do(ctx, method, s.at(key), h, content, takes)
}

// find reads what stands under the key: WebDAV knows no checksums that all servers have.
func (s webdav) find(ctx context.Context, f platen.StoredFile) (there *object, err error) {
	a, err := s.ask(ctx, http.MethodGet, f.Key, http.Header{}, nil, func(r io.Reader) (err error) {
		there, err = objectOf(r)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case a.status == http.StatusNotFound, a.status == http.StatusConflict: // the latter where a folder is not there
		return nil, nil
	case a.status != http.StatusOK:
		return nil, a.refusal("")
	}
	return there, nil
}

// put stores the file under a name of its own first, and moves it: so a connection that is
// cut leaves no half file under the key, and what stands there is not replaced.
func (s webdav) put(ctx context.Context, f platen.StoredFile, _ bool) (version string, err error) {
	part := partOf(f)
	a, err := s.upload(ctx, part, f)
	if folder := path.Dir(f.Key); err == nil && folder != "." && (a.status == http.StatusConflict || a.status == http.StatusNotFound) {
		if err := s.makeFolders(ctx, folder); err != nil {
			return "", err
		}
		a, err = s.upload(ctx, part, f)
	}
	if err == nil && a.status == http.StatusConflict {
		a.status = http.StatusNotFound // of the folder of url
	}
	if err == nil && !a.isSuccess() {
		err = a.refusal("")
	}
	if err != nil {
		return "", err
	}
	h := http.Header{}
	h.Set("Destination", s.at(f.Key).String())
	h.Set("Overwrite", "F")
	a, err = s.ask(ctx, "MOVE", part, h, nil, nil)
	switch {
	case err != nil:
		return "", err
	case a.status == http.StatusPreconditionFailed:
		if err := s.remove(ctx, part, ""); err != nil {
			return "", err
		}
		return "", errExists
	case !a.isSuccess():
		return "", a.refusal("")
	}
	return "", nil
}

func (s webdav) upload(ctx context.Context, key string, f platen.StoredFile) (answer, error) {
	h := http.Header{}
	h.Set("Content-Type", f.Type)
	return s.ask(ctx, http.MethodPut, key, h, f.Content, nil)
}

// partOf is the key of a file while it is on its way. It is the same in each attempt, and
// another for another output: two that want one path never move each other's file.
func partOf(f platen.StoredFile) string {
	of := sha256.Sum256([]byte(f.Key + "\x00" + f.OutputID))
	return path.Join(path.Dir(f.Key), ".platen-"+hex.EncodeToString(of[:16])+".part")
}

// makeFolders makes the folders of a path that are not there, outermost first.
func (s webdav) makeFolders(ctx context.Context, folder string) error {
	made := ""
	for name := range strings.SplitSeq(folder, "/") {
		made = path.Join(made, name)
		a, err := s.ask(ctx, "MKCOL", made+"/", http.Header{}, nil, nil)
		switch {
		case err != nil:
			return err
		case a.isSuccess(), a.status == http.StatusMethodNotAllowed: // it was there
		case a.status == http.StatusConflict:
			a.status = http.StatusNotFound // of the folder of url
			return a.refusal("")
		default:
			return a.refusal("")
		}
	}
	return nil
}

func (s webdav) remove(ctx context.Context, key, _ string) error {
	a, err := s.ask(ctx, http.MethodDelete, key, http.Header{}, nil, nil)
	if err == nil && !a.isSuccess() && a.status != http.StatusNotFound {
		err = a.refusal("")
	}
	return err
}
