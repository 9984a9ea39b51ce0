package memory

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Drive keeps the contract of api.Drive, with files whose contents are made up until
// something is written. A method fails with what Fails has of its name.
type Drive struct {
	Files    map[string]platen.File
	Contents map[string][]byte // of files, as office files
	Fails    map[string]error  // by method; Download and ExportPDF by file as well
	Hang     bool              // until the context ends
	During   func()            // runs in every call
	Replaced []string          // file, type and length of each content
	Copies   []platen.File     // and what else was made
	Trashed  []string

	// Converts is what the drive adds to contents that it gives back.
	Converts []byte

	mu      sync.Mutex
	changes int64
}

// NewDrive has a text document, a presentation, a PDF and a document in the trash, whose ids
// are docs-file, slides-file, pdf-file and trashed-file.
func NewDrive() *Drive {
	return &Drive{Fails: map[string]error{}, Contents: map[string][]byte{}, Files: map[string]platen.File{
		"docs-file":    {ID: "docs-file", MIMEType: platen.MIMEDocs},
		"slides-file":  {ID: "slides-file", MIMEType: platen.MIMESlides},
		"pdf-file":     {ID: "pdf-file", MIMEType: platen.MIMEPDF},
		"trashed-file": {ID: "trashed-file", MIMEType: platen.MIMEDocs, Trashed: true},
	}}
}

func (d *Drive) call(ctx context.Context, method string) error {
	if d.Hang {
		<-ctx.Done()
		return platen.Errorf(platen.KindUnavailable, "", "gave up")
	}
	if d.During != nil {
		d.During()
	}
	return cmp.Or(ctx.Err(), d.Fails[method])
}

func (d *Drive) File(ctx context.Context, id string) (platen.File, error) {
	if err := d.call(ctx, "File"); err != nil {
		return platen.File{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	f, ok := d.Files[id]
	if !ok {
		return f, platen.Errorf(platen.KindNotFound, "", "not there")
	}
	return f, nil
}

func (d *Drive) FolderToFill(ctx context.Context, id string) (platen.File, error) {
	if err := d.call(ctx, "FolderToFill"); err != nil {
		return platen.File{}, err
	}
	return d.File(ctx, id)
}

func (d *Drive) Copy(ctx context.Context, id, name, key string) (platen.File, error) {
	if _, err := d.File(ctx, id); err != nil {
		return platen.File{}, err
	}
	return d.add(ctx, "Copy", name, d.Files[id].MIMEType, key)
}

func (d *Drive) CreateBlank(ctx context.Context, name, mimeType, key string) (platen.File, error) {
	return d.add(ctx, "CreateBlank", name, mimeType, key)
}

func (d *Drive) CreateFrom(ctx context.Context, name, mimeType, key, _ string, content []byte) (platen.File, error) {
	f, err := d.add(ctx, "CreateFrom", name, mimeType, key)
	if err == nil {
		d.write(f.ID, content)
	}
	return f, err
}

func (d *Drive) write(id string, content []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.Contents == nil {
		d.Contents = map[string][]byte{}
	}
	d.Contents[id] = content
}

// ExportOffice gives an empty office file where nothing was written.
func (d *Drive) ExportOffice(ctx context.Context, id, contentType string) ([]byte, error) {
	if err := d.call(ctx, "ExportOffice"); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if content := d.Contents[id]; content != nil {
		return slices.Concat(content, d.Converts), nil
	}
	if contentType == platen.MIMEPptx {
		return []byte(Zip("ppt/presentation.xml", "")), nil
	}
	return []byte(Zip("word/document.xml", "")), nil
}

// FindByKey returns what was made with a key.
func (d *Drive) FindByKey(ctx context.Context, key string) ([]platen.File, error) {
	if err := d.call(ctx, "FindByKey"); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(d.Copies), func(f platen.File) bool { return f.Properties[platen.PropertyKey] != key }), nil
}

func (d *Drive) ReplaceContent(ctx context.Context, id, contentType string, content []byte) (platen.File, error) {
	if err := d.call(ctx, "ReplaceContent"); err != nil {
		return platen.File{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Replaced = append(d.Replaced, fmt.Sprintf("%s %s %d", id, contentType, len(content)))
	if d.Contents == nil {
		d.Contents = map[string][]byte{}
	}
	d.Contents[id] = content
	f := d.Files[id]
	f.ID = id
	return d.changed(f), nil
}

// changed gives a file its time of change, each a second after the one before. The caller
// holds mu.
func (d *Drive) changed(f platen.File) platen.File {
	d.changes++
	f.ModifiedAt = time.Unix(d.changes, 0).UTC()
	d.Files[f.ID] = f
	return f
}

// Edit changes a file as somebody does in the drive's editor.
func (d *Drive) Edit(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changed(d.Files[id])
}

func (d *Drive) add(ctx context.Context, method, name, mimeType, key string) (platen.File, error) {
	if err := d.call(ctx, method); err != nil {
		return platen.File{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	f := platen.File{ID: "copy-of-" + key, Name: name, URL: "https://drive.test/" + key, MIMEType: mimeType,
		Properties: map[string]string{platen.PropertyKey: key}}
	for slices.ContainsFunc(d.Copies, func(one platen.File) bool { return one.ID == f.ID }) {
		f.ID += "-again"
	}
	f = d.changed(f)
	d.Copies = append(d.Copies, f)
	return f, nil
}

func (d *Drive) Download(ctx context.Context, id string) ([]byte, error) {
	f, err := d.File(ctx, id)
	return []byte("%PDF stored " + f.Name), cmp.Or(err, d.Fails[id])
}

func (d *Drive) ExportPDF(ctx context.Context, id string) ([]byte, error) {
	f, err := d.File(ctx, id)
	return []byte("%PDF exported " + f.Name), cmp.Or(err, d.Fails[id])
}

func (d *Drive) Trash(_ context.Context, id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Trashed = append(d.Trashed, id)
	return nil
}

// Zip is a zip file of names and contents; one that begins with a main part is an office file
// of its kind.
func Zip(pairs ...string) string {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	types := map[string]string{"word": "wordprocessingml.document", "ppt": "presentationml.presentation", "xl": "spreadsheetml.sheet"}
	if folder, _, _ := strings.Cut(pairs[0], "/"); types[folder] != "" {
		pairs = append([]string{"[Content_Types].xml", `<Types><Override PartName="/` + pairs[0] + `" ContentType="application/vnd.openxmlformats-officedocument.` + types[folder] + `.main+xml"/></Types>`}, pairs...)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		f, err := z.Create(pairs[i])
		if err == nil {
			_, err = f.Write([]byte(pairs[i+1]))
		}
		if err != nil {
			panic(err) // a buffer takes everything
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.String()
}
