// Package picture gets the pictures that tags of templates name. It reads a
// data URI, a public address or a file of the drive, or draws a code of a
// text. It sees that each is a picture of a size that drives take, and says
// where the drive finds it.
//
// What tags mean, and where in a document a picture stands, belong elsewhere.
// Callers say how addresses and files are read.
package picture

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
)

const (
	// MaxBytes is how many bytes a picture may have.
	MaxBytes = 16 << 20
	// MaxPixels is how many pixels; Google's limit.
	MaxPixels = 25_000_000
	// MaxSide is how many of them a side may have, and MaxRatio how many times
	// as long as the other it may be: what is longer is no picture on a page.
	MaxSide  = 20_000
	MaxRatio = 1_000
	// maxAddress is how many characters an address may have; Google's limit.
	maxAddress = 2000
)

// A Source gets pictures for one kind of drive.
type Source struct {
	// Fetch reads what stands at an address, at most limit bytes, through a
	// client that cannot be turned against our own network. An error of
	// KindInvalid says what is wrong with the address; KindTooLarge: there is
	// more.
	Fetch func(ctx context.Context, address string, limit int64) ([]byte, error)
	// Direct says that the drive takes data URIs, as our own does.
	Direct bool
	// Publish lets a drive that is not Direct read a picture at an address for
	// a while; nil: there is no public address to offer it at.
	Publish func(ctx context.Context, data []byte, mediaType string) (address string, err error)
	// Redrawing has room for as many pictures as may be turned or converted at once: each
	// takes up to ten bytes for a pixel meanwhile. Nil bounds nothing.
	Redrawing chan struct{}
}

// Obtain gets one picture; download reads a file of the drive. An error of
// KindInvalid is a mistake of the data, told without quoting it; KindTooLarge:
// the picture has more than p.Limit bytes.
func (s Source) Obtain(ctx context.Context, p lang.Picture, download func(ctx context.Context, fileID string) ([]byte, error)) (lang.Obtained, error) {
	limit := int64(MaxBytes)
	if p.Limit > 0 {
		limit = min(limit, p.Limit)
	}
	data, err := s.read(ctx, p, limit, download)
	if err != nil {
		return lang.Obtained{}, err
	}
	if int64(len(data)) > limit {
		return lang.Obtained{}, refuseSize(limit)
	}
	found, err := readHeader(data)
	if err != nil {
		return lang.Obtained{}, err
	}
	was := found.mediaType
	if data, found, err = s.redraw(ctx, data, found); err != nil {
		return lang.Obtained{}, err
	}
	if int64(len(data)) > limit {
		return lang.Obtained{}, refuseSize(limit)
	}
	got := lang.Obtained{Width: found.width, Height: found.height, Bytes: int64(len(data))}
	if s.Direct {
		got.URI, got.Again = writeDataURI(p.Source, data, found.mediaType)
		return got, nil
	}
	if s.Publish == nil && !isShown(was) {
		return got, refuse("Google takes PNG, JPEG and GIF alone. Send the picture as one of them, or ask the operator to set PLATEN_PICTURES_URL.")
	}
	got.URI, err = s.publish(ctx, p, data, found.mediaType)
	return got, err
}

// refuseSize says that a picture is larger than it may be: than any, or than
// the document has room for.
func refuseSize(limit int64) error {
	if limit < MaxBytes {
		return platen.Errorf(platen.KindTooLarge, "pictures_too_large", "The pictures of the document are too large together.")
	}
	return refuseTooLarge("The picture is larger than %d MiB.", MaxBytes>>20)
}

func (s Source) read(ctx context.Context, p lang.Picture, limit int64, download func(ctx context.Context, fileID string) ([]byte, error)) ([]byte, error) {
	switch {
	case p.Code != "":
		return drawCode(p.Code, p.Source)
	case hasPrefix(p.Source, "data:"):
		return decode(p.Source, limit)
	case isAddress(p.Source):
		data, err := s.Fetch(ctx, p.Source, limit)
		if platen.KindOf(err) == platen.KindTooLarge {
			return nil, refuseSize(limit)
		}
		return data, err
	case !isFileID(p.Source):
		return nil, refuse("The field is no data URI (data:image/png;base64,…), no public address (https://…) and no id of a file in the drive.")
	}
	data, err := download(ctx, p.Source)
	refused, ok := errors.AsType[*platen.Error](err)
	switch {
	case !ok:
		return data, err
	case refused.Kind == platen.KindTooLarge:
		return nil, refuseSize(limit)
	}
	switch refused.Code {
	case "drive_file_without_content":
		return nil, refuse("The id is that of a document of the drive's own kind, not of a picture.")
	case "drive_file_not_found":
		return nil, refuse("The drive of the workflow's owner has no file with this id, or it is not shared with this service.")
	case "drive_file_forbidden":
		return nil, refuse("The drive does not let this service read the file with this id: share it with the service.")
	case "drive_quota":
		return nil, refuse(refused.Message)
	}
	return nil, err
}

// writeDataURI returns one that holds a picture, and names one that it holds again by its
// SHA-256, which our drive knows from earlier in the batch.
func writeDataURI(source string, data []byte, mediaType string) (uri, again string) {
	uri = "data:" + mediaType + ";base64," + base64.StdEncoding.EncodeToString(data)
	if uri == source {
		uri = source // most are written like this one, and then it is kept once
	}
	if again = fmt.Sprintf("data:%s;sha256=%x;base64,", mediaType, sha256.Sum256(data)); len(again) >= len(uri) {
		again = ""
	}
	return uri, again
}

// publish says where a drive that is not direct finds a picture.
func (s Source) publish(ctx context.Context, p lang.Picture, data []byte, mediaType string) (string, error) {
	switch {
	case s.Publish != nil:
		return s.Publish(ctx, data, mediaType)
	case p.Code == "" && isAddress(p.Source) && len(p.Source) <= maxAddress:
		return p.Source, nil
	}
	return "", platen.Errorf(platen.KindInvalid, "picture_needs_address",
		"Google takes pictures from public addresses alone: send the picture's own, or ask the operator to set PLATEN_PICTURES_URL.")
}

func refuse(message string) error {
	return platen.Errorf(platen.KindInvalid, "picture_unusable", "%s", message)
}

// decode reads a data URI (RFC 2397) of at most limit bytes.
func decode(uri string, limit int64) ([]byte, error) {
	head, text, ok := strings.Cut(uri, ",")
	if !ok || !strings.HasSuffix(strings.ToLower(head), ";base64") {
		return nil, refuse("The data URI of the picture is not written data:image/png;base64,…")
	}
	text = strings.NewReplacer("\n", "", "\r", "", " ", "", "-", "+", "_", "/", "=", "").Replace(text)
	if int64(base64.RawStdEncoding.DecodedLen(len(text))) > limit {
		return nil, refuseSize(limit)
	}
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, refuse("The data URI of the picture is not base64.")
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
