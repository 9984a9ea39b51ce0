// Package include puts documents of a drive into a copy of a template: clauses, terms,
// annexes that several templates share. What they say is filled with the template
// afterwards, by the same event.
//
// Which documents a tag names is package fill's, and how one file is put into another
// internal/office/merge's.
package include

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/office/merge"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
)

const (
	// maxDepth is how deep documents may include one another, and maxDocuments how many
	// are included in one, each counted as often as it is.
	maxDepth, maxDocuments = 5, 100
	// maxBytes is how many bytes different documents have in memory, and maxText how many of
	// text and structure are put into one, each document counted as often as it is included.
	maxBytes, maxText = 64 << 20, 16 << 20
	// maxName is how many bytes a path or an id may have.
	maxName = 1000
)

// Drive is that of somebody, with their access. Errors carry a platen.Kind.
type Drive interface {
	File(ctx context.Context, fileID string) (platen.File, error)
	FindFolders(ctx context.Context, parentID, name string) ([]platen.File, error)
	FindFiles(ctx context.Context, parentID, name string) ([]platen.File, error)
	ExportOffice(ctx context.Context, fileID, contentType string) ([]byte, error)
	Download(ctx context.Context, fileID string) ([]byte, error)
	ReplaceContent(ctx context.Context, fileID, contentType string, content []byte) (platen.File, error)
}

// Of returns what includes documents into copies of a template in the drive of its owner. They
// are read with the access of reader. Names are paths from the folder that the template is in.
//
// Run twice: a copy is read, and its content replaced at once. A copy whose documents are
// in it has no tags of documents any more.
func Of(drive, reader Drive, templateID string) fill.Include {
	return func(ctx context.Context, copied platen.File, choose fill.Choose) (func(context.Context) error, error) {
		content, err := expanded(ctx, drive, reader, templateID, copied.ID, choose)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) error {
			_, err := drive.ReplaceContent(ctx, copied.ID, platen.MIMEDocx, content)
			return err
		}, nil
	}
}

// Whole returns what reads a template with the documents that it includes.
func Whole(drive, reader Drive, templateID string) fill.Whole {
	return func(ctx context.Context, choose fill.Choose) ([]byte, error) {
		return expanded(ctx, drive, reader, templateID, templateID, choose)
	}
}

// expanded is the content of a template, or of a copy, with what it includes.
func expanded(ctx context.Context, drive, reader Drive, templateID, fileID string, choose fill.Choose) ([]byte, error) {
	template, err := drive.File(ctx, templateID)
	if err != nil {
		return nil, fmt.Errorf("read the template: %w", err)
	}
	content, err := drive.ExportOffice(ctx, fileID, platen.MIMEDocx)
	if err != nil {
		return nil, fmt.Errorf("read the copy: %w", err)
	}
	p, err := opc.ReadPackage(content)
	if err != nil {
		return nil, fmt.Errorf("read the copy: %w", err)
	}
	x := &expander{ctx: ctx, drive: reader, choose: choose, read: map[string]*document{}}
	if err := x.expand(p, template, nil); err != nil {
		return nil, err
	}
	content, err = p.Bytes()
	if large, ok := errors.AsType[*opc.RequestError](err); ok {
		return nil, invalid("include_too_many", "The document is too large with all that it includes. %s", large.Message)
	}
	if err != nil {
		return nil, fmt.Errorf("write the copy: %w", err)
	}
	return content, nil
}

// An expander is one copy being prepared.
type expander struct {
	ctx    context.Context
	drive  Drive
	choose fill.Choose
	read   map[string]*document // by id
	bytes  int                  // of different documents
	count  int                  // of documents, as often as they are included
	text   int                  // of these, in bytes
	depth  int                  // of what the document that is read now includes
}

// A document is read, with what it includes.
type document struct {
	*opc.Package
	// within are the documents in it, text the bytes of its text with theirs, and depth how
	// deep they are, 1 without any.
	within, text, depth int
}

func invalid(code, format string, args ...any) error {
	return platen.Errorf(platen.KindInvalid, code, format, args...)
}

// expand puts into a file the documents that it names. around are those that it is in.
func (x *expander) expand(p *opc.Package, file platen.File, around []platen.File) error {
	around = append(slices.Clone(around), file)
	_, err := merge.Into(p, func(text string) ([]merge.Source, bool, error) {
		choice, ok, err := x.choose(text)
		if err != nil || !ok {
			return nil, false, err
		}
		var files []merge.Source
		for i, name := range choice.Names {
			said := fmt.Sprintf("%.120s", choice.Tag)
			if !choice.IsFixed && len(choice.Names) > 1 {
				said += fmt.Sprintf(", name %d", i+1)
			}
			one, err := x.include(name, said, around)
			if err != nil {
				return nil, false, err
			}
			files = append(files, one)
		}
		return files, true, nil
	})
	if unfit, ok := errors.AsType[*merge.Error](err); ok {
		return invalid("include_unusable", "A document that %q includes cannot be put into it. %s", file.Name, unfit.Message)
	}
	if broken, ok := errors.AsType[*opc.FormatError](err); ok {
		return invalid("include_unusable", "A document that %q includes cannot be put into it: %s.", file.Name, broken.Message)
	}
	return err
}

// include reads the document of a name, with all that it includes itself.
func (x *expander) include(name, said string, around []platen.File) (merge.Source, error) {
	within := around[len(around)-1]
	file, err := x.find(name, within)
	switch {
	case platen.KindOf(err) == platen.KindNotFound, platen.KindOf(err) == platen.KindForbidden:
		return merge.Source{}, invalid("include_not_found", "%s, in %q: there is no such document in the folder of that file, and no file of this id that may be read. Names are paths, such as Clauses/Payment.", said, within.Name)
	case errors.Is(err, errAmbiguous):
		return merge.Source{}, invalid("include_ambiguous", "%s, in %q: several files or folders have this name. Rename all but one, or name the id of the file.", said, within.Name)
	case err != nil:
		return merge.Source{}, err
	}
	if i := slices.IndexFunc(around, func(f platen.File) bool { return f.ID == file.ID }); i >= 0 {
		var names []string
		for _, f := range around[i:] {
			names = append(names, f.Name)
		}
		return merge.Source{}, invalid("include_loop", "%s: the document includes itself: %s. Take the tag out of one of them.", said, strings.Join(append(names, file.Name), " → "))
	}
	tooMany := func() error {
		return invalid("include_too_many", "%s: a document includes at most %d others, %d deep, with %d MiB of text together. Name fewer, or put some into one document.", said, maxDocuments, maxDepth, maxText>>20)
	}
	if x.count++; x.count > maxDocuments || len(around) > maxDepth {
		return merge.Source{}, tooMany()
	}
	d := x.read[file.ID]
	if d != nil {
		x.count += d.within
	} else if d, err = x.readWhole(file, said, around); err != nil {
		return merge.Source{}, err
	}
	x.text, x.depth = x.text+d.text, max(x.depth, d.depth)
	if x.count > maxDocuments || x.text > maxText || len(around)-1+d.depth > maxDepth {
		return merge.Source{}, tooMany()
	}
	return merge.Source{Name: strings.TrimSuffix(file.Name, ".docx"), Package: d.Package}, nil
}

// readWhole reads a document with all that it includes.
func (x *expander) readWhole(file platen.File, said string, around []platen.File) (*document, error) {
	d, err := x.open(file, said)
	if err != nil {
		return nil, err
	}
	before, beside := x.count, x.depth
	x.depth = 0
	if err := x.expand(d.Package, file, around); err != nil {
		return nil, err
	}
	text, _ := d.Part(d.MainPart())
	d.within, d.text, d.depth = x.count-before, len(text), x.depth+1
	x.depth, x.read[file.ID] = beside, d
	return d, nil
}

// open reads the content of a document.
func (x *expander) open(file platen.File, said string) (*document, error) {
	var content []byte
	var err error
	switch file.MIMEType {
	case platen.MIMEDocs:
		content, err = x.drive.ExportOffice(x.ctx, file.ID, platen.MIMEDocx)
	case platen.MIMEDocx:
		content, err = x.drive.Download(x.ctx, file.ID)
	default:
		return nil, invalid("include_unusable", "%s: %q is no Word document.", said, file.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("read an included document: %w", err)
	}
	p, err := opc.ReadPackage(content)
	if broken, ok := errors.AsType[*opc.FormatError](err); ok {
		return nil, invalid("include_unusable", "%s: %q cannot be read: %s.", said, file.Name, broken.Message)
	}
	if err != nil {
		return nil, fmt.Errorf("read an included document: %w", err)
	}
	if x.bytes += p.Size(); x.bytes > maxBytes {
		return nil, invalid("include_too_many", "%s: the documents that are included have more than %d MiB together. Make their pictures smaller, or name fewer.", said, maxBytes>>20)
	}
	return &document{Package: p}, nil
}

var errNotFound = platen.Errorf(platen.KindNotFound, "include_not_found", "There is no such document.")

// errAmbiguous says that nobody can tell which of several files is meant: the wrong clause in a
// contract is worse than none.
var errAmbiguous = errors.New("several files have the name")

// find finds a document by its path from the folder of another, or by its id.
func (x *expander) find(name string, within platen.File) (platen.File, error) {
	if len(name) > maxName {
		return platen.File{}, errNotFound
	}
	parts := strings.Split(name, "/")
	folder := within.Parent
	for _, part := range parts[:len(parts)-1] {
		if folder == "" || strings.TrimSpace(part) == "" {
			return platen.File{}, errNotFound
		}
		found, err := x.drive.FindFolders(x.ctx, folder, strings.TrimSpace(part))
		if err != nil {
			return platen.File{}, fmt.Errorf("look for a folder: %w", err)
		}
		if folder = ""; len(found) == 1 {
			folder = found[0].ID
		}
		if len(found) > 1 {
			return platen.File{}, errAmbiguous
		}
	}
	last := strings.TrimSpace(parts[len(parts)-1])
	for _, called := range []string{last, last + ".docx"} {
		if folder == "" || last == "" {
			break
		}
		found, err := x.drive.FindFiles(x.ctx, folder, called)
		if err != nil {
			return platen.File{}, fmt.Errorf("look for a document: %w", err)
		}
		found = slices.DeleteFunc(found, func(f platen.File) bool { return f.MIMEType != platen.MIMEDocs && f.MIMEType != platen.MIMEDocx })
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return platen.File{}, errAmbiguous
		}
	}
	if len(parts) > 1 || !isID(last) {
		return platen.File{}, errNotFound
	}
	file, err := x.drive.File(x.ctx, last)
	if err == nil && file.Trashed {
		err = errNotFound
	}
	return file, err
}

// isID tells what ids of files are made of.
func isID(s string) bool {
	return len(s) >= 8 && len(s) <= 200 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}
