// Package picture gets the pictures that tags of templates ask for: from a data
// URI, a public address or a file of the drive, or as a QR code of a text. It
// sees that each is a picture of a size that drives take, and says where the
// drive finds it.
//
// What tags mean, and where in a document a picture stands, belong elsewhere;
// so does reaching anything: callers say how addresses and files are read.
package picture

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	_ "image/gif"  // decoder
	_ "image/jpeg" // decoder
	_ "image/png"  // decoder
	"net/url"
	"strings"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/merge"
)

const (
	// MaxBytes is how many bytes a picture may have.
	MaxBytes = 16 << 20
	// MaxPixels is how many pixels; Google's limit.
	MaxPixels = 25_000_000
	// maxAddress is how many characters an address may have; Google's limit.
	maxAddress = 2000
)

// A Source gets pictures for one kind of drive.
type Source struct {
	// Fetch reads what stands at an address, at most limit bytes, through a
	// client that cannot be turned against our own network. An error of
	// KindInvalid says what is wrong with the address.
	Fetch func(ctx context.Context, address string, limit int64) ([]byte, error)
	// Direct says that the drive takes data URIs, as our own does.
	Direct bool
	// Publish lets a drive that is not Direct read a picture at an address for
	// a while; nil: there is no public address to offer it at.
	Publish func(ctx context.Context, data []byte, mediaType string) (address string, err error)
}

// Obtain gets one picture; download reads a file of the drive. An error of
// KindInvalid is a mistake of the data, told without quoting it.
func (s Source) Obtain(ctx context.Context, p merge.Picture, download func(ctx context.Context, fileID string) ([]byte, error)) (merge.Obtained, error) {
	data, err := s.read(ctx, p, download)
	if err != nil {
		return merge.Obtained{}, err
	}
	if len(data) > MaxBytes {
		return merge.Obtained{}, platen.Errorf(platen.KindInvalid, "picture_too_large", "The picture is larger than %d MiB.", MaxBytes>>20)
	}
	c, format, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case err != nil:
		return merge.Obtained{}, unusable("What the field leads to is not a PNG, JPEG or GIF.")
	case c.Width < 1 || c.Height < 1:
		return merge.Obtained{}, unusable("The picture has no pixels.")
	case c.Width > MaxPixels/c.Height:
		return merge.Obtained{}, platen.Errorf(platen.KindInvalid, "picture_too_large", "The picture has more than %d million pixels.", MaxPixels/1_000_000)
	}
	uri, err := s.reachable(ctx, p, data, "image/"+format)
	return merge.Obtained{URI: uri, Width: c.Width, Height: c.Height}, err
}

func (s Source) read(ctx context.Context, p merge.Picture, download func(ctx context.Context, fileID string) ([]byte, error)) ([]byte, error) {
	switch {
	case p.QR:
		return code(p.Source)
	case hasPrefix(p.Source, "data:"):
		return decoded(p.Source)
	case isAddress(p.Source):
		return s.Fetch(ctx, p.Source, MaxBytes)
	case !isFileID(p.Source):
		return nil, unusable("The field is no data URI (data:image/png;base64,…), no public address (https://…) and no id of a file in the drive.")
	}
	data, err := download(ctx, p.Source)
	switch platen.KindOf(err) {
	case platen.KindNotFound, platen.KindForbidden, platen.KindInvalid, platen.KindGone:
		if err != nil {
			return nil, unusable("The drive of the workflow's owner has no file with this id that can be read: it may not be shared with this service.")
		}
	case platen.KindTooLarge:
		return nil, platen.Errorf(platen.KindInvalid, "picture_too_large", "The picture is larger than %d MiB.", MaxBytes>>20)
	}
	return data, err
}

// reachable says where the drive finds a picture.
func (s Source) reachable(ctx context.Context, p merge.Picture, data []byte, mediaType string) (string, error) {
	switch {
	case s.Direct:
		return "data:" + mediaType + ";base64," + base64.StdEncoding.EncodeToString(data), nil
	case s.Publish != nil:
		return s.Publish(ctx, data, mediaType)
	case !p.QR && isAddress(p.Source) && len(p.Source) <= maxAddress:
		return p.Source, nil
	}
	return "", platen.Errorf(platen.KindInvalid, "picture_needs_address",
		"Google takes pictures from public addresses alone: send the picture's own, or ask the operator to set PLATEN_PICTURES_URL.")
}

func unusable(message string) error {
	return platen.Errorf(platen.KindInvalid, "picture_unusable", "%s", message)
}

// decoded reads a data URI (RFC 2397).
func decoded(uri string) ([]byte, error) {
	head, text, ok := strings.Cut(uri, ",")
	if len(text) > base64.StdEncoding.EncodedLen(MaxBytes) {
		return nil, platen.Errorf(platen.KindInvalid, "picture_too_large", "The picture is larger than %d MiB.", MaxBytes>>20)
	}
	if !ok || len(head) < len(";base64") || !strings.EqualFold(head[len(head)-len(";base64"):], ";base64") {
		return nil, unusable("The data URI of the picture is not written data:image/png;base64,…")
	}
	text = strings.NewReplacer("\n", "", "\r", "", " ", "", "-", "+", "_", "/", "=", "").Replace(text)
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, unusable("The data URI of the picture is not base64.")
	}
	return data, nil
}

func hasPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func isAddress(s string) bool {
	if !hasPrefix(s, "https://") && !hasPrefix(s, "http://") {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && u.Host != ""
}

// isFileID tells what ids of Drive's files are made of.
func isFileID(s string) bool {
	const shortest, longest = 8, 200
	return len(s) >= shortest && len(s) <= longest && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}
