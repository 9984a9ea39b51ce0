package api

import (
	"archive/zip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

const (
	maxZipped      = 100       // outputs in a zip
	maxZipBytes    = 100 << 20 // of their PDFs together
	maxNameInZip   = 150       // bytes
	zipErrors      = "errors.txt"
	zipEntryWindow = time.Minute // within which each PDF is read and sent
)

// zipOutputs answers with the PDFs of chosen outputs, one after the other. The answer has
// begun before the first is read, so files that cannot be read are listed in the zip.
func (s *server) zipOutputs(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.find(r)
	if err != nil {
		return err
	}
	in := parametersOf(r)
	ids := in.ids("id", platen.PrefixOutput)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if n := len(ids); len(in.faults) == 0 && (n < 1 || n > maxZipped) {
		in.fault("The parameter id must be there 1 to %d times.", maxZipped)
	}
	if err := in.err(); err != nil {
		return err
	}
	found, err := s.Outputs.WorkflowOutputs(r.Context(), caller(r.Context()), wf.ID, platen.OutputQuery{IDs: ids})
	if err != nil {
		return err
	}
	found = slices.DeleteFunc(found, func(o platen.Output) bool { return !slices.Contains(ids, o.ID) })
	if len(found) < len(ids) {
		return platen.ErrOutputNotFound()
	}
	if err := s.zips.Take(w.Header(), sha256.Sum256([]byte(caller(r.Context()).ID))); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Disposition", disposition("attachment", wf.Name+".zip"))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	return s.writeZip(w, r, wf.Owner.ID, found)
}

func (s *server) writeZip(w http.ResponseWriter, r *http.Request, ownerID string, found []platen.Output) error {
	z, out := newNamedZip(w), http.NewResponseController(w)
	var left strings.Builder // the outputs left out, and why
	size := 0
	for _, o := range found {
		_ = out.SetWriteDeadline(time.Now().Add(zipEntryWindow)) // not every writer has one
		content, err := s.zipped(r, ownerID, o, size)
		if r.Context().Err() != nil {
			return nil // nobody listens any more
		}
		if err != nil {
			fmt.Fprintf(&left, "%s %s: %s\r\n", o.ID, safeName(nameOf(o)), reasonOf(r, err))
			continue
		}
		size += len(content)
		if z.add(pdfName(o), o.UpdatedAt, content) != nil || out.Flush() != nil {
			return nil
		}
	}
	if left.Len() > 0 {
		_ = z.add(zipErrors, s.now(), []byte(left.String()))
	}
	_ = z.Close() // fails only when nobody listens any more
	return nil
}

func (s *server) zipped(r *http.Request, ownerID string, o platen.Output, size int) ([]byte, error) {
	if err := hasPDF(o); err != nil {
		return nil, err
	}
	var content []byte
	full := o.PDF != nil && int64(size)+o.PDF.Size > maxZipBytes
	if !full {
		var err error
		if content, err = s.outputFiles.read(r.Context(), ownerID, caller(r.Context()).ID, o); err != nil {
			return nil, err
		}
	}
	if full || size+len(content) > maxZipBytes {
		return nil, platen.Errorf(platen.KindTooLarge, "zip_full", "The zip is full: its PDFs may have %d MiB together. Choose this one in another zip.", maxZipBytes>>20)
	}
	return content, nil
}

// nameOf is what an output is called, as far as it is; empty: it is not.
func nameOf(o platen.Output) string {
	if files := o.Files(); len(files) > 0 {
		return files[0].Name
	}
	return ""
}

// reasonOf is an error in a line: its message and its code.
func reasonOf(r *http.Request, err error) string {
	message := "Something went wrong on our side. Try again."
	if e, ok := errors.AsType[*platen.Error](err); ok && e.Kind != platen.KindInternal && e.Message != "" {
		message = e.Message
	}
	return fmt.Sprintf("%s (%s)", message, edge.Code(r, err))
}

// A namedZip gives each of its files a name that no other has and every system takes.
type namedZip struct {
	*zip.Writer
	taken map[string]bool
}

func newNamedZip(w io.Writer) *namedZip {
	return &namedZip{zip.NewWriter(w), map[string]bool{zipErrors: true}}
}

func (z *namedZip) add(name string, at time.Time, content []byte) error {
	if name != zipErrors {
		name = platen.DistinctName(safeName(name), z.taken)
	}
	to, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at})
	if err != nil {
		return err
	}
	if _, err = to.Write(content); err != nil {
		return err
	}
	return z.Flush()
}

// reserved are names that Windows keeps for devices.
var reserved = []string{"con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9"}

// safeName makes a file's name of a text: it leads to no other folder, hides no letter and
// changes no order, and has an ending where the text has.
func safeName(text string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`/\:*?"<>|`, r), r == utf8.RuneError:
			return '_'
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			return -1
		}
		return r
	}, text)
	ext := path.Ext(name)
	if len(ext) > 10 || strings.ContainsRune(ext, ' ') {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	for len(stem)+len(ext) > maxNameInZip {
		_, last := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-last]
	}
	stem = strings.Trim(stem, " .")
	if stem == "" || slices.Contains(reserved, strings.ToLower(stem)) {
		stem = "file " + stem
	}
	return strings.TrimSpace(stem) + ext
}
