package simulation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/platen"
)

// A driveFile is a file as a drive has it.
type driveFile struct {
	platen.File
	owner   string
	text    string // of a document
	content []byte // of a PDF
	fills   int    // changes
	listed  time.Time
	gone    bool // deleted for good
}

// drives are the drives of all owners.
type drives struct {
	files map[string]*driveFile
	made  map[string]int // by key
	// lag is how long the list of a drive lags behind its files.
	lag time.Duration
	// trashes: what is deleted goes into the trash.
	trashes bool
	status  map[string]int // what the drive of an owner answers to everything; hangs: nothing
}

func newDrives() *drives {
	return &drives{files: map[string]*driveFile{}, made: map[string]int{}, status: map[string]int{}}
}

// template puts a document into a drive that nobody has filled.
func (d *drives) template(owner, id, text string) platen.File {
	f := platen.File{ID: id, Name: id, URL: "https://drive.example/" + id, MIMEType: platen.MIMEDocs, Parent: "folder"}
	d.files[id] = &driveFile{File: f, owner: owner, text: text}
	return f
}

func (d *drives) find(id string) (*driveFile, error) {
	f, ok := d.files[id]
	if !ok || f.gone {
		return nil, platen.Errorf(platen.KindNotFound, "drive_file_not_found", "There is no file %s.", id)
	}
	return f, nil
}

// exists tells whether a file is there, outside the trash.
func (d *drives) exists(id string) bool {
	f, ok := d.files[id]
	return ok && !f.gone && !f.Trashed
}

func (d *drives) copy(owner, from, name, key string, protection platen.Protection) (platen.File, error) {
	source, err := d.find(from)
	if err != nil {
		return platen.File{}, err
	}
	d.made[key]++
	id := fmt.Sprintf("copy-%s-%d", key, d.made[key])
	properties := map[string]string{platen.PropertyKey: key}
	if protection != "" {
		properties[platen.PropertyProtection] = string(protection)
	}
	f := &driveFile{owner: owner, text: source.text, listed: time.Now().Add(d.lag), File: platen.File{
		ID: id, Name: name, URL: "https://drive.example/" + id, MIMEType: source.MIMEType, Parent: source.Parent, Properties: properties,
	}}
	d.files[id] = f
	return f.File, nil
}

func (d *drives) findByKey(owner, key string) []platen.File {
	var found []platen.File
	for _, id := range sorted(d.files) {
		if f := d.files[id]; f.owner == owner && f.Properties[platen.PropertyKey] == key && d.exists(id) && !time.Now().Before(f.listed) {
			found = append(found, f.File)
		}
	}
	return found
}

func (d *drives) upload(owner string, file platen.File, data []byte) (platen.File, error) {
	if _, taken := d.files[file.ID]; taken {
		return platen.File{}, platen.Errorf(platen.KindConflict, "drive_id_taken", "The id %s is taken.", file.ID)
	}
	file.URL, file.SHA256, file.Size = "https://drive.example/"+file.ID, hashOf(data), int64(len(data))
	d.files[file.ID] = &driveFile{File: file, owner: owner, content: data, listed: time.Now().Add(d.lag)}
	return file, nil
}

func (d *drives) delete(id string) {
	f, ok := d.files[id]
	switch {
	case !ok:
	case d.trashes:
		f.Trashed = true
	default:
		f.gone = true
	}
}

// change carries out requests that were worked out of a text.
func (d *drives) change(id, read string, requests []*docs.Request) (int, error) {
	f, err := d.find(id)
	if err != nil {
		return 0, err
	}
	if f.text != read {
		return 0, platen.Errorf(platen.KindConflict, "drive_file_changed", "The file %s has changed.", id)
	}
	for _, r := range requests {
		if r.ReplaceAllText == nil {
			return 0, fmt.Errorf("the simulated drive knows no such request: %+v", r)
		}
		f.text = strings.ReplaceAll(f.text, r.ReplaceAllText.ContainsText.Text, r.ReplaceAllText.ReplaceText)
	}
	if len(requests) > 0 {
		f.fills++
	}
	return len(requests), nil
}

func hashOf(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// docsDocument is a text as the Docs API shows it.
func docsDocument(text string) *docs.Document {
	return &docs.Document{Body: &docs.Body{Content: []*docs.StructuralElement{{
		StartIndex: 1, EndIndex: int64(len(text)) + 2,
		Paragraph: &docs.Paragraph{Elements: []*docs.ParagraphElement{{StartIndex: 1, EndIndex: int64(len(text)) + 2, TextRun: &docs.TextRun{Content: text + "\n"}}}},
	}}}}
}

// A driveClient is the drive of an owner as a process sees it.
type driveClient struct {
	w     *harness
	p     *process
	owner string
}

func (c driveClient) do(ctx context.Context, what, of string, effect func(d *drives) error) error {
	status := 0
	err := c.w.do(ctx, c.p, partDrive, what, of, func() error {
		switch status = c.w.drives.status[c.owner]; status {
		case 0:
			return effect(c.w.drives)
		case hangs:
			return nil
		}
		return platen.Errorf(platen.KindUnavailable, "drive_fault", "The drive answered %d.", status)
	})
	if err == nil && status == hangs {
		return hang(ctx, partDrive)
	}
	return err
}

func (c driveClient) copyOf(ctx context.Context, fileID, name, key string, p platen.Protection) (f platen.File, err error) {
	err = c.do(ctx, "copies the template", key, func(d *drives) (err error) {
		f, err = d.copy(c.owner, fileID, name, key, p)
		return err
	})
	return f, err
}

func (c driveClient) Copy(ctx context.Context, fileID, name, key string) (platen.File, error) {
	return c.copyOf(ctx, fileID, name, key, "")
}

func (c driveClient) CopyProtected(ctx context.Context, fileID, name, key string) (platen.File, error) {
	return c.copyOf(ctx, fileID, name, key, platen.ProtectionCredentials)
}

// The workflows of simulations name no folders of outputs.
func (c driveClient) CopyInto(context.Context, string, string, string, string, platen.Protection) (platen.File, error) {
	return platen.File{}, errNoFolders
}

// CopyAs copies a template that is appended.
func (c driveClient) CopyAs(ctx context.Context, _, _, fileID, name, key string, p platen.Protection) (platen.File, error) {
	return c.copyOf(ctx, fileID, name, key, p)
}

func (c driveClient) FindFolders(context.Context, string, string) ([]platen.File, error) {
	return nil, errNoFolders
}

func (c driveClient) CreateFolder(context.Context, platen.File) (platen.File, error) {
	return platen.File{}, errNoFolders
}

func (c driveClient) Share(context.Context, string, platen.Sharing) error { return errNoFolders }

var errNoFolders = platen.Errorf(platen.KindInvalid, "drive_no_folders", "The simulated drive has no folders.")

func (c driveClient) FindByKey(ctx context.Context, key string) (found []platen.File, err error) {
	err = c.do(ctx, "looks for", key, func(d *drives) error {
		found = d.findByKey(c.owner, key)
		return nil
	})
	return found, err
}

// EditDocument reads and changes in two calls, as the protocol does.
func (c driveClient) EditDocument(ctx context.Context, fileID string, _ platen.Reading, compose func(*docs.Document) ([]*docs.Request, error)) (n int, err error) {
	var text string
	err = c.do(ctx, "reads", fileID, func(d *drives) error {
		f, err := d.find(fileID)
		if err == nil {
			text = f.text
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	requests, err := compose(docsDocument(text))
	if err != nil || len(requests) == 0 {
		return 0, err
	}
	err = c.do(ctx, "fills", fileID, func(d *drives) (err error) {
		n, err = d.change(fileID, text, requests)
		return err
	})
	return n, err
}

func (c driveClient) EditPresentation(context.Context, string, platen.Reading, func(*slides.Presentation) ([]*slides.Request, error)) (int, error) {
	return 0, platen.Errorf(platen.KindInvalid, "drive_no_slides", "The simulated drive has no presentations.")
}

func (c driveClient) ExportPDFWithFindings(ctx context.Context, fileID string) (pdf []byte, _ []platen.Finding, err error) {
	err = c.do(ctx, "exports", fileID, func(d *drives) error {
		f, err := d.find(fileID)
		if err == nil {
			pdf = []byte("PDF of " + f.text)
		}
		return err
	})
	return pdf, nil, err
}

func (c driveClient) ExportOffice(context.Context, string, string) ([]byte, error) {
	return nil, platen.Errorf(platen.KindInvalid, "drive_no_office", "The simulated drive has no office files.")
}

func (c driveClient) NewFileID(ctx context.Context) (id string, err error) {
	err = c.do(ctx, "asks for an id", c.owner, func(d *drives) error {
		d.made["ids"]++
		id = fmt.Sprintf("pdf-%d", d.made["ids"])
		return nil
	})
	return id, err
}

func (c driveClient) Upload(ctx context.Context, file platen.File, data []byte) (f platen.File, err error) {
	err = c.do(ctx, "uploads", file.Properties[platen.PropertyKey], func(d *drives) (err error) {
		f, err = d.upload(c.owner, file, data)
		return err
	})
	return f, err
}

func (c driveClient) File(ctx context.Context, fileID string) (f platen.File, err error) {
	err = c.do(ctx, "looks at", fileID, func(d *drives) error {
		found, err := d.find(fileID)
		if err == nil {
			f = found.File
		}
		return err
	})
	return f, err
}

func (c driveClient) Download(ctx context.Context, fileID string) (content []byte, err error) {
	err = c.do(ctx, "downloads", fileID, func(d *drives) error {
		found, err := d.find(fileID)
		if err == nil {
			content = found.content
		}
		return err
	})
	return content, err
}

func (c driveClient) Trash(ctx context.Context, fileID string) error {
	return c.do(ctx, "trashes", fileID, func(d *drives) error {
		if f, ok := d.files[fileID]; ok {
			f.Trashed = true
		}
		return nil
	})
}

func (c driveClient) Delete(ctx context.Context, fileID string) error {
	return c.do(ctx, "deletes", fileID, func(d *drives) error {
		d.delete(fileID)
		return nil
	})
}
