package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime/multipart"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// DriveCommands move files between this machine and Platen's own drive. They go beside
// the operator's commands of the drive.
type DriveCommands struct {
	Put drivePut `cmd:"" group:"api" help:"Upload a file. A .docx or .pptx file becomes a document that can be a template. Prints its id."`
	Get driveGet `cmd:"" group:"api" help:"Download a file, or a document as an office file or PDF."`
	Ls  driveLs  `cmd:"" group:"api" help:"List the files of your account, the last changed first."`
}

// DriveAccess is how a command reaches the drive, which has accounts and tokens of its own.
type DriveAccess struct {
	Endpoint  string `name:"drive-endpoint" env:"PLATEN_DRIVE_ENDPOINT" required:"" placeholder:"URL" help:"Address of the drive, such as http://127.0.0.1:8082."`
	Token     string `name:"credential" env:"PLATEN_DRIVE_CREDENTIAL" secret:"" help:"Token of the drive (drv_…). Better given in the environment than on the command line."`
	AllowHTTP bool   `name:"allow-http" help:"Send the token to another machine without TLS."`
}

const (
	driveTimeout = 5 * time.Minute
	maxDriveFile = 64 << 20 // bytes
	maxRefusal   = 64 << 10 // bytes that are read of an answer that refuses
)

// officeTypes are what files of this machine are, by their endings, and what they become.
var officeTypes = map[string]struct{ office, document string }{
	".docx": {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/vnd.google-apps.document"},
	".pptx": {"application/vnd.openxmlformats-officedocument.presentationml.presentation", "application/vnd.google-apps.presentation"},
}

// A driveFile is what the drive says of a file.
type driveFile struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	MIMEType string    `json:"mimeType"`
	Modified time.Time `json:"modifiedTime"`
}

const driveFields = "id,name,mimeType,modifiedTime"

// ask sends one request and returns the answer's content.
func (a DriveAccess) ask(ctx context.Context, method, path string, query url.Values, contentType string, body []byte) ([]byte, error) {
	u, err := url.Parse(a.Endpoint)
	if err != nil || !isWebAddress(a.Endpoint) {
		return nil, Usage(errors.New("--drive-endpoint: give the address of the drive, such as http://127.0.0.1:8082"))
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme == "http" && !a.AllowHTTP && u.Hostname() != "localhost" && !ip.IsLoopback() {
		return nil, Usage(fmt.Errorf("the token would go to %s without TLS: give an address with https, or allow it with --allow-http", Shown(u.Hostname())))
	}
	if a.Token == "" {
		return nil, noAccess("there is no token of the drive: set PLATEN_DRIVE_CREDENTIAL; 'platen drive token' makes one")
	}
	ctx, cancel := context.WithTimeout(ctx, driveTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(a.Endpoint, "/")+path+"?"+query.Encode(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+a.Token)
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	answer, err := direct(driveTimeout).Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask the drive: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, driveRefusal(answer)
	}
	content, err := io.ReadAll(io.LimitReader(answer.Body, maxDriveFile+1))
	if err == nil && len(content) > maxDriveFile {
		err = fmt.Errorf("the file has more than %d bytes", maxDriveFile)
	}
	return content, err
}

// driveRefusal has the message of Google's form of an error.
func driveRefusal(answer *http.Response) error {
	var said struct {
		Error struct{ Message string }
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxRefusal))
	if err != nil || json.Unmarshal(raw, &said) != nil || said.Error.Message == "" {
		said.Error.Message = "look at the address"
	}
	refusal := fmt.Errorf("the drive answered %s: %s", answer.Status, Shown(said.Error.Message))
	if answer.StatusCode == http.StatusUnauthorized {
		return &exit{refusal, ExitNoAccess}
	}
	return refusal
}

type drivePut struct {
	DriveAccess
	Showing
	File string `arg:"" help:"File of this machine."`
	Name string `help:"Its name in the drive. Default: that of the file, for a document without its ending."`
	AsIs bool   `name:"as-is" help:"Keep a .docx or .pptx file as it is."`
}

func (c *drivePut) Run(ctx context.Context, e *Environment) error {
	content, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	extension := filepath.Ext(c.File)
	types := officeTypes[strings.ToLower(extension)]
	metadata := map[string]string{"name": filepath.Base(c.File)}
	if types.document != "" && !c.AsIs {
		metadata["mimeType"] = types.document
		metadata["name"] = strings.TrimSuffix(metadata["name"], extension)
	}
	if c.Name != "" {
		metadata["name"] = c.Name
	}
	body, contentType, err := related(metadata, types.office, content)
	if err != nil {
		return err
	}
	raw, err := c.ask(ctx, http.MethodPost, "/upload/drive/v3/files", url.Values{"uploadType": {"multipart"}, "fields": {driveFields}}, contentType, body)
	if err != nil {
		return err
	}
	var made driveFile
	if err := json.Unmarshal(raw, &made); err != nil {
		return fmt.Errorf("read what the drive says of the file: %w", err)
	}
	if c.JSON {
		return printJSON(e.Out, made)
	}
	_, err = fmt.Fprintln(e.Out, Shown(made.ID))
	return err
}

// related is the body of a multipart upload (Google's "Upload file data").
func related(metadata any, mimeType string, content []byte) (body []byte, contentType string, err error) {
	about, err := json.Marshal(metadata)
	if err != nil {
		return nil, "", err
	}
	if mimeType == "" { // of a PDF or a picture its first bytes say it
		mimeType = http.DetectContentType(content)
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, part := range []struct {
		mimeType string
		content  []byte
	}{{"application/json; charset=UTF-8", about}, {mimeType, content}} {
		into, err := w.CreatePart(textproto.MIMEHeader{"Content-Type": {part.mimeType}})
		if err == nil {
			_, err = into.Write(part.content)
		}
		if err != nil {
			return nil, "", err
		}
	}
	err = w.Close()
	return b.Bytes(), "multipart/related; boundary=" + w.Boundary(), err
}

type driveGet struct {
	DriveAccess
	ID  string `arg:"" help:"Id of the file."`
	To  string `required:"" placeholder:"FILE" help:"File of this machine to write; -: standard output."`
	PDF bool   `name:"pdf" help:"A document as PDF. Default: as an office file."`
}

func (c *driveGet) Run(ctx context.Context, e *Environment) error {
	if err := prepareFile("--to", c.To); err != nil {
		return err
	}
	path := "/drive/v3/files/" + url.PathEscape(c.ID)
	raw, err := c.ask(ctx, http.MethodGet, path, url.Values{"fields": {driveFields}}, "", nil)
	if err != nil {
		return err
	}
	var of driveFile
	if err := json.Unmarshal(raw, &of); err != nil {
		return fmt.Errorf("read what the drive says of the file: %w", err)
	}
	query := url.Values{"alt": {"media"}}
	if as := c.exportOf(of.MIMEType); as != "" {
		path, query = path+"/export", url.Values{"mimeType": {as}}
	}
	content, err := c.ask(ctx, http.MethodGet, path, query, "", nil)
	if err != nil {
		return err
	}
	if c.To == "-" {
		_, err = e.Out.Write(content)
		return err
	}
	if err := os.WriteFile(c.To, content, 0o600); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Err, "%s: %s, %d bytes\n", Shown(c.To), Shown(of.Name), len(content))
	return err
}

// exportOf is the type as which a document is exported; empty: the file comes as it is.
func (c *driveGet) exportOf(mimeType string) string {
	for _, types := range officeTypes {
		switch {
		case types.document != mimeType:
		case c.PDF:
			return "application/pdf"
		default:
			return types.office
		}
	}
	return ""
}

type driveLs struct {
	DriveAccess
	Listing
	Name string `help:"Only files that have this in their name."`
}

func (c *driveLs) Run(ctx context.Context, e *Environment) error {
	return printList(e, c.Listing, c.files(ctx), []string{"ID", "NAME", "TYPE", "CHANGED"}, func(f driveFile) []string {
		return []string{f.ID, f.Name, f.MIMEType[strings.LastIndexByte(f.MIMEType, '.')+1:], stamp(f.Modified)}
	})
}

func (c *driveLs) files(ctx context.Context) iter.Seq2[driveFile, error] {
	query := url.Values{"q": {"trashed = false"}, "fields": {"nextPageToken,files(" + driveFields + ")"}, "orderBy": {"modifiedTime desc"}, "pageSize": {"100"}}
	if c.Name != "" {
		query.Set("q", "trashed = false and name contains '"+strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(c.Name)+"'")
	}
	return func(yield func(driveFile, error) bool) {
		for {
			raw, err := c.ask(ctx, http.MethodGet, "/drive/v3/files", query, "", nil)
			var page struct {
				Files         []driveFile
				NextPageToken string
			}
			if err == nil {
				err = json.Unmarshal(raw, &page)
			}
			if err != nil {
				yield(driveFile{}, err)
				return
			}
			for _, f := range page.Files {
				if !yield(f, nil) {
					return
				}
			}
			if page.NextPageToken == "" {
				return
			}
			query.Set("pageToken", page.NextPageToken)
		}
	}
}
