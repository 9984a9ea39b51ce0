package drive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/office/opc"
)

// pictureURL is the address of a picture in the content with this hash: of every file that has the
// content, so that what is said of one can be said of all. Only a reader of the content can know
// the address, which is valid as long as the content exists.
func (s *Server) pictureURL(content []byte, part string) string {
	if part == "" {
		return ""
	}
	return s.publicURL + "/pictures/" + hex.EncodeToString(content) + "/" + (&url.URL{Path: part}).EscapedPath()
}

// addressPictures makes addresses of the names of parts in a document, whose content
// has this hash.
func (s *Server) addressPictures(content []byte, d *docsapi.Document) {
	address := func(o *docsapi.EmbeddedObject) {
		if o != nil && o.ImageProperties != nil {
			o.ImageProperties.ContentUri = s.pictureURL(content, o.ImageProperties.ContentUri)
		}
	}
	for _, o := range d.InlineObjects {
		address(o.InlineObjectProperties.EmbeddedObject)
	}
	for _, o := range d.PositionedObjects {
		address(o.PositionedObjectProperties.EmbeddedObject)
	}
}

// addressPagePictures makes addresses of the names of parts on pages.
func (s *Server) addressPagePictures(content []byte, pages ...*slidesapi.Page) {
	for _, p := range pages {
		s.addressElements(content, p.PageElements)
	}
}

func (s *Server) addressElements(content []byte, elements []*slidesapi.PageElement) {
	for _, e := range elements {
		if e.Image != nil {
			e.Image.ContentUrl = s.pictureURL(content, e.Image.ContentUrl)
		}
		if e.ElementGroup != nil {
			s.addressElements(content, e.ElementGroup.Children)
		}
	}
}

// getPicture answers the address of a picture in content.
func (s *Server) getPicture(w http.ResponseWriter, r *http.Request) error {
	body, mimeType, err := s.pictureIn(r.Context(), r.PathValue("content"), r.PathValue("part"))
	if err != nil {
		return err
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("X-Robots-Tag", "noindex")
	w.Header().Set("Content-Type", mimeType)
	if !inline[mimeType] {
		w.Header().Set("Content-Disposition", "attachment")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	return nil
}

// pictureIn reads a picture out of an office file by the hash of that file.
func (s *Server) pictureIn(ctx context.Context, hash, part string) (body []byte, mimeType string, err error) {
	sum, err := hex.DecodeString(hash)
	if err != nil {
		return nil, "", pictureNotFound()
	}
	content, err := s.store.Content(ctx, nil, sum)
	if errors.Is(err, store.ErrNotFound) {
		return nil, "", pictureNotFound()
	}
	if err != nil {
		return nil, "", err
	}
	release, err := s.slot(ctx)
	if err != nil {
		return nil, "", err
	}
	defer release()
	p, err := opc.ReadPackage(content)
	if err != nil {
		return nil, "", pictureNotFound()
	}
	mimeType = p.ContentType(part)
	body, ok := p.Part(part)
	if !ok || !strings.HasPrefix(mimeType, "image/") {
		return nil, "", pictureNotFound()
	}
	return body, mimeType, nil
}

func pictureNotFound() *fault.Error {
	f := fault.FileNotFound("")
	f.Message = "There is no picture at this address."
	return f
}

// fetchOwnPictures puts the pictures themselves into the place of their addresses on
// this drive: where a user may see them, they need no network. Others stay as they
// are. A picture is put in once, and named by its hash from then on (opc.Bitmaps).
func (s *Server) fetchOwnPictures(ctx context.Context, user store.User, addresses []*string) error {
	known, total := map[string]string{}, 0
	for _, address := range addresses {
		path, ok := strings.CutPrefix(*address, s.publicURL+"/")
		if !ok {
			continue
		}
		if again, ok := known[path]; ok {
			*address = again
			continue
		}
		body, err := s.ownPicture(ctx, user, "/"+path)
		if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == http.StatusNotFound {
			return fault.BadRequest("badRequest", "There was a problem retrieving the image. This drive has none at %.200s that the caller may see.", *address)
		}
		if err != nil {
			return err
		}
		if total += len(body); total > store.MaxContent {
			return fault.TooLarge("The pictures of a batch", store.MaxContent)
		}
		known[path] = fmt.Sprintf("data:image/*;sha256=%x;base64,", sha256.Sum256(body))
		*address = "data:image/*;base64," + base64.StdEncoding.EncodeToString(body)
	}
	return nil
}

// ownPicture reads the bytes at an address of this drive: of a picture in a document,
// or of a file, by its public address, that of its id, or that of its download.
func (s *Server) ownPicture(ctx context.Context, user store.User, address string) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, pictureNotFound()
	}
	if rest, ok := strings.CutPrefix(u.Path, "/pictures/"); ok {
		hash, part, _ := strings.Cut(rest, "/")
		body, _, err := s.pictureIn(ctx, hash, part)
		return body, err
	}
	var f store.File
	if key, ok := strings.CutPrefix(u.Path, "/d/"); ok {
		f, err = s.store.ByLink(ctx, key)
	} else if id, ok := strings.CutPrefix(u.Path, "/drive/v3/files/"); ok {
		f, err = s.store.Get(ctx, user.ID, id)
	} else {
		f, err = s.store.FindShared(ctx, u.Query().Get("id"))
	}
	if err != nil {
		return nil, err
	}
	if f.SHA256 == nil || f.IsEditor() || s.needsAccess(f) && f.Role(user.ID) == "" {
		return nil, pictureNotFound()
	}
	return s.store.Content(ctx, nil, f.SHA256)
}

// documentPictures are the addresses of pictures in requests.
func documentPictures(requests []*docsapi.Request) []*string {
	var all []*string
	for _, r := range requests {
		if r != nil && r.InsertInlineImage != nil {
			all = append(all, &r.InsertInlineImage.Uri)
		}
	}
	return all
}

// presentationPictures are the addresses of pictures in requests.
func presentationPictures(requests []*slidesapi.Request) []*string {
	var all []*string
	for _, r := range requests {
		switch {
		case r == nil:
		case r.CreateImage != nil:
			all = append(all, &r.CreateImage.Url)
		case r.ReplaceImage != nil:
			all = append(all, &r.ReplaceImage.Url)
		case r.ReplaceAllShapesWithImage != nil:
			all = append(all, &r.ReplaceAllShapesWithImage.ImageUrl)
		}
	}
	return all
}
