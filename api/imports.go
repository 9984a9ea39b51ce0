package api

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/platen"
)

// importWorkflow makes a workflow of what exportWorkflow gave, here or at another
// installation. Nothing is made of a file that has a mistake.
func (s *server) importWorkflow(w http.ResponseWriter, r *http.Request) error {
	body, err := edge.ReadBody(r, importLimit)
	if err != nil {
		return err
	}
	if err := edge.Reserve(r.Context(), importLimit); err != nil { // for what is in it
		return err
	}
	in, err := readImport(body)
	if err != nil {
		return err
	}
	if err := s.checkOrder(in.workflow.workflowPatch, "/workflow"); err != nil {
		return err
	}
	for i, d := range in.documents {
		if err := s.checkSettings(r.Context(), caller(r.Context()).ID, d.documentPatch, fmt.Sprintf("/documents/%d", i)); err != nil {
			return err
		}
	}
	return s.addWorkflow(w, r, in.workflow, in.autoCreate == nil || *in.autoCreate, in.documents)
}

// imported is a file that was read.
type imported struct {
	workflow   newWorkflow
	autoCreate *bool
	documents  []newDocument
	templates  []string // the entry of each document
}

func errImport(format string, args ...any) error {
	return platen.Errorf(platen.KindInvalid, "import_invalid", format, args...)
}

const importCure = "Send the file as the export gave it."

func readImport(body []byte) (imported, error) {
	entries, err := readEntries(body)
	if err != nil {
		return imported{}, err
	}
	described, ok := entries[workflowEntry]
	if !ok {
		return imported{}, errImport("The zip file has no %s. %s", workflowEntry, importCure)
	}
	in, err := readPortable(described)
	if err != nil {
		return imported{}, err
	}
	if err := fewTemplates(len(in.documents)); err != nil {
		return imported{}, err
	}
	delete(entries, workflowEntry)
	for i, name := range in.templates {
		content, ok := entries[name]
		if !ok {
			return imported{}, errImport("%s, documents/%d/template: the zip file has no entry %s, or another document has it already. %s", workflowEntry, i, cut(name), importCure)
		}
		delete(entries, name)
		office, err := officeOf(cut(name), content)
		if err != nil {
			why := cmp.Or(opc.WhyOther(content), "save the template as one")
			return imported{}, errImport("%s is no .docx or .pptx file: %s. Keep its name in the zip file.", cut(name), why)
		}
		in.documents[i].office = office
		in.documents[i].fileIDPointer = fmt.Sprintf("/documents/%d/template", i)
	}
	for name := range entries {
		return imported{}, errImport("%s names no template %s, which is in the zip file. Leave it out.", workflowEntry, cut(name))
	}
	return in, nil
}

// readEntries unpacks a zip file of the form that an export has: few entries, all in one
// folder, each once and none large.
func readEntries(body []byte) (map[string][]byte, error) {
	if err := checkDirectory(body); err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return nil, errImport("The body is no zip file that can be read: %v. %s", err, importCure)
	}
	entries, left := map[string][]byte{}, int64(importLimit)
	for _, f := range archive.File {
		limit := int64(uploadLimit)
		switch {
		case f.Name == workflowEntry:
			limit = bodyLimit
		case !isTemplateEntry(f.Name):
			return nil, errImport("The zip file has an entry %q. There are %s, and templates as %s1.docx and %s2.pptx, and nothing else.", cut(f.Name), workflowEntry, templatesFolder, templatesFolder)
		}
		if entries[f.Name] != nil {
			return nil, errImport("The zip file has the entry %s more than once. %s", f.Name, importCure)
		}
		content, err := readEntry(f, min(limit, left))
		if err != nil {
			return nil, err
		}
		entries[f.Name] = content
		left -= int64(len(content))
	}
	return entries, nil
}

// isTemplateEntry: what the entry is called decides nothing else, and no path is made of it.
func isTemplateEntry(name string) bool {
	rest, ok := strings.CutPrefix(name, templatesFolder)
	number, extension, _ := strings.Cut(rest, ".")
	return ok && len(number) > 0 && len(number) <= 3 && strings.Trim(number, "0123456789") == "" && (extension == "docx" || extension == "pptx")
}

// readEntry does not believe what the entry says of its size.
func readEntry(f *zip.File, limit int64) ([]byte, error) {
	tooLarge := errImport("%s in the zip file is too large: a template has at most 10 MiB, %s 1 MiB, and all of it together 16 MiB.", f.Name, workflowEntry)
	if f.UncompressedSize64 > uint64(limit) {
		return nil, tooLarge
	}
	unpacked, err := f.Open()
	if err != nil {
		return nil, errImport("%s in the zip file cannot be unpacked: %v. %s", f.Name, err, importCure)
	}
	defer unpacked.Close()
	content := make([]byte, 0, f.UncompressedSize64+1)
	into := bytes.NewBuffer(content)
	switch n, err := io.Copy(into, io.LimitReader(unpacked, limit+1)); {
	case err != nil:
		return nil, errImport("%s in the zip file cannot be unpacked: %v. %s", f.Name, err, importCure)
	case n > limit:
		return nil, tooLarge
	}
	return into.Bytes(), nil
}

// What the end of a zip file says of its directory (APPNOTE 4.3.16).
const (
	directoryEnd     = 22       // bytes, without a comment
	maxDirectory     = 64 << 10 // bytes
	directoryEndMark = "PK\x05\x06"
)

// checkDirectory bounds what reading the directory takes, before anything of it is
// believed. Files with a comment, of several disks or of zip64 are none of ours.
func checkDirectory(body []byte) error {
	refused := errImport("The body is no zip file as an export gives it. Send the .zip file with its bytes as they are.")
	if len(body) < directoryEnd || !bytes.HasPrefix(body, []byte("PK\x03\x04")) {
		return refused
	}
	end := body[len(body)-directoryEnd:]
	if !bytes.HasPrefix(end, []byte(directoryEndMark)) {
		return refused
	}
	entries, size, offset := binary.LittleEndian.Uint16(end[10:]), binary.LittleEndian.Uint32(end[12:]), binary.LittleEndian.Uint32(end[16:])
	switch {
	case binary.LittleEndian.Uint16(end[20:]) != 0 || uint64(offset)+uint64(size)+directoryEnd != uint64(len(body)):
		return refused
	case entries > maxTemplates+1 || size > maxDirectory:
		return errImport("The zip file has %d entries: at most %d are allowed, %s and %d templates.", entries, maxTemplates+1, workflowEntry, maxTemplates)
	}
	return nil
}

// readPortable reads workflowEntry. Its errors name the place in that file.
func readPortable(described []byte) (imported, error) {
	var head struct {
		Format  string          `json:"format"`
		Version json.RawMessage `json:"version"`
	}
	if json.Unmarshal(described, &head) == nil && head.Format == portableFormat && head.Version != nil && string(head.Version) != fmt.Sprint(portableVersion) {
		return imported{}, errImport("%s has the version %s, and this installation reads version %d. Export the workflow from an installation of this release, or bring this one up to date.", workflowEntry, cut(string(head.Version)), portableVersion)
	}
	var in imported
	var format, exported *string
	var version *int
	var hasWorkflow bool
	wf := in.workflow.members()
	wf["autoCreate"] = flag(&in.autoCreate)
	wf["sourceFields"] = list(&in.workflow.sourceFields, maxFields, line(maxFieldName))
	err := decode(described, members{
		"format":     text(&format, oneOf(portableFormat)),
		"version":    wholeNumber(&version, portableVersion, portableVersion),
		"exportedAt": text(&exported, short(maxFieldName)),
		"workflow":   object(&hasWorkflow, wf, "name"),
		"documents":  objects(maxTemplates, in.nextDocument),
	}, "format", "version", "workflow", "documents")
	var e *platen.Error
	if errors.As(err, &e) {
		return in, &platen.Error{Kind: platen.KindInvalid, Code: "import_invalid", Message: "In " + workflowEntry + ": " + e.Message, Faults: e.Faults, Err: err}
	}
	return in, err
}

// nextDocument describes one document of the list, and takes it in when it was read.
func (in *imported) nextDocument() (m members, required []string, done func()) {
	var d documentPatch
	var template *string
	m = documentMembers(&d)
	for _, name := range []string{"id", "documentType", "file", "previewUrl", "outputFolderId", "appendices", "createPDFCopy", "enablePdfPreventCopy"} {
		delete(m, name)
	}
	m["template"] = text(&template, func(s string) string {
		if !isTemplateEntry(s) {
			return "must name a template in the zip file, such as " + templatesFolder + "1.docx"
		}
		return ""
	})
	return m, []string{"template"}, func() {
		if template != nil {
			in.documents, in.templates = append(in.documents, newDocument{documentPatch: d}), append(in.templates, *template)
		}
	}
}
