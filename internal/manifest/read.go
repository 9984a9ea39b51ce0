package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Limits of a file and of what aliases make of it.
const (
	maxFile     = 4 << 20 // bytes
	maxTemplate = 10 << 20
	maxNodes    = 100_000
	maxDepth    = 64
)

// An Entry is a workflow of a file.
type Entry struct {
	Name string
	Workflow
	// Templates are the contents of the documents' templates, in their order.
	Templates [][]byte

	origin
}

// Files are what files say.
type Files struct {
	Workflows []Entry
	Senders   []Sender
}

// An origin is where in a file something is.
type origin struct {
	file    string
	under   string           // as people write it, such as workflows.Invoices
	places  map[string]place // by JSON pointer into it
	secrets map[string]bool  // pointers of values that the environment gave
}

func (d *decoding) origin(under string) origin {
	o := origin{d.file, under, map[string]place{}, map[string]bool{}}
	d.under, d.places, d.secrets = under, o.places, o.secrets
	return o
}

type place struct{ line, column int }

// A Reader reads files.
type Reader struct {
	// Getenv looks up what ${NAME} stands for.
	Getenv func(name string) (string, bool)
	// CheckTemplate says why a content can be no template; nil: only the service knows.
	CheckTemplate func(content []byte) error
}

// Read reads files, and of folders those that end in .yaml or .yml. The error names every
// mistake with its file, line and column.
func (r Reader) Read(paths []string) (Files, error) {
	var all Files
	var wrong []error
	for _, path := range paths {
		files, err := filesOf(path)
		if err != nil {
			return Files{}, err
		}
		for _, file := range files {
			content, err := readLimited(file, maxFile)
			if err != nil {
				return Files{}, err
			}
			read, err := r.parse(file, content)
			wrong = append(wrong, err)
			for _, e := range read.Workflows {
				if i := slices.IndexFunc(all.Workflows, func(o Entry) bool { return o.Name == e.Name }); i >= 0 {
					wrong = append(wrong, fmt.Errorf("%s: the workflow %q is in %s already: leave it out of one", e.at(""), e.Name, all.Workflows[i].at("")))
					continue
				}
				all.Workflows = append(all.Workflows, e)
			}
			for _, s := range read.Senders {
				if i := slices.IndexFunc(all.Senders, func(o Sender) bool { return o.Name == s.Name }); i >= 0 {
					wrong = append(wrong, fmt.Errorf("%s: the mail sender %q is in %s already: leave it out of one", s.at(""), s.Name, all.Senders[i].at("")))
					continue
				}
				all.Senders = append(all.Senders, s)
			}
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return Files{}, err
	}
	return all, nil
}

func filesOf(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	var files []string
	inside, err := os.ReadDir(path)
	for _, f := range inside {
		if ext := filepath.Ext(f.Name()); !f.IsDir() && (ext == ".yaml" || ext == ".yml") {
			files = append(files, filepath.Join(path, f.Name()))
		}
	}
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no file that ends in .yaml: name one, or write one with 'platen export'", path)
	}
	return files, err
}

func readLimited(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it has more than %d MiB", limit>>20)}
	}
	return content, err
}

// parse reads one file.
func (r Reader) parse(name string, content []byte) (Files, error) {
	var root yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	if err := decoder.Decode(&root); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("the file is empty: begin with 'version: 1' and 'workflows:'")
		}
		return Files{}, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if decoder.Decode(new(yaml.Node)) != io.EOF {
		return Files{}, fmt.Errorf("%s has more than one YAML document: split it at '---' into files of one folder", name)
	}
	d := &decoding{file: name, getenv: r.Getenv, left: maxNodes}
	top := d.members(root.Content[0], "", []string{"version", "senders", "workflows"})
	if n := top["version"]; n == nil || n.Value != fmt.Sprint(Version) {
		d.fault(or(n, root.Content[0]), "version", "must be there and be %d, as in 'version: %d'", Version, Version)
	}
	var read Files
	if n := top["senders"]; n != nil {
		read.Senders = d.senders(n)
	}
	if n := top["workflows"]; n != nil {
		read.Workflows = d.workflows(n)
	} else if len(read.Senders) == 0 {
		d.fault(root.Content[0], "workflows", "is required: name each workflow, with its settings below")
	}
	for i := range read.Workflows {
		r.templates(d, &read.Workflows[i])
	}
	return read, errors.Join(d.faults...)
}

func or(n, other *yaml.Node) *yaml.Node {
	if n == nil {
		return other
	}
	return n
}

// workflows reads what is below workflows, in the order of the file.
func (d *decoding) workflows(n *yaml.Node) (entries []Entry) {
	names := d.pairs(n, "workflows")
	for _, pair := range names {
		e := Entry{Name: pair.name, origin: d.origin("workflows." + pair.name)}
		if pair.value.Tag == nullTag { // a workflow with nothing but a name
			e.places[""] = place{pair.key.Line, pair.key.Column}
		} else {
			d.value(pair.value, reflectOf(&e.Workflow), "")
		}
		for i := range e.Documents {
			e.Documents[i] = e.Documents[i].withDefaults(e.Name)
		}
		for i := range e.Receivers {
			e.Receivers[i] = e.Receivers[i].withDefaults()
		}
		for i := range e.Targets {
			e.Targets[i] = e.Targets[i].withDefaults()
		}
		for i := range e.Schedules {
			e.Schedules[i] = e.Schedules[i].withDefaults()
		}
		d.names(e)
		entries = append(entries, e)
	}
	d.under = ""
	return entries
}

// names has each receiver, each target and each schedule have a name of its own, by which it is found again.
func (d *decoding) names(e Entry) {
	for _, kind := range partKinds {
		taken := map[string]int{}
		for i, p := range kind.of(e.Workflow) {
			pointer := fmt.Sprintf("/%s/%d", kind.member, i)
			fault := func(format string, args ...any) {
				d.faults = append(d.faults, fmt.Errorf("%s: workflows.%s.%s.name %s", e.at(pointer+"/name"), e.Name, dotted(pointer), fmt.Sprintf(format, args...)))
			}
			if other, ok := taken[p.name]; ok && p.name != "" {
				fault("is that of %s[%d], too: give one another name", kind.member, other)
			} else if p.name == "" {
				fault("is required: 'apply' finds the %s by it", kind.noun)
			}
			taken[p.name] = i
		}
	}
}

// templates reads the files that the documents of e name.
func (r Reader) templates(d *decoding, e *Entry) {
	for i, document := range e.Documents {
		pointer := fmt.Sprintf("/documents/%d/template", i)
		at, known := e.places[pointer]
		if !known || document.Template == "" {
			continue // it is a fault already
		}
		path := filepath.FromSlash(document.Template)
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(e.file), path)
		}
		content, err := readLimited(path, maxTemplate)
		if err == nil && kindOf(document.Template) == "" {
			err = errors.New("must end in .docx or .pptx")
		}
		if err == nil && r.CheckTemplate != nil {
			err = r.CheckTemplate(content)
		}
		if of, ok := errors.AsType[*fs.PathError](err); ok && e.secrets[pointer] {
			err = fmt.Errorf("%s the file that the environment names: %w", of.Op, of.Err)
		}
		if err != nil {
			d.faults = append(d.faults, fmt.Errorf("%s:%d:%d: workflows.%s.%s: %w", e.file, at.line, at.column, e.Name, dotted(pointer), err))
		}
		e.Templates = append(e.Templates, content)
	}
}

// The kinds of documents, by the ending of their templates.
var kinds = map[string]string{".docx": "CLOUD_DOCS", ".pptx": "CLOUD_SLIDES"}

func kindOf(template string) string { return kinds[strings.ToLower(filepath.Ext(template))] }

// at is where the value with this pointer is, or what is around it.
func (o origin) at(pointer string) string {
	for {
		if p, ok := o.places[pointer]; ok || pointer == "" {
			return fmt.Sprintf("%s:%d:%d", o.file, p.line, p.column)
		}
		pointer = pointer[:strings.LastIndex(pointer, "/")]
	}
}

// dotted is a JSON pointer as people write it: documents[0].when.
func dotted(pointer string) string {
	var b strings.Builder
	for _, part := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch {
		case part != "" && strings.Trim(part, "0123456789") == "":
			b.WriteString("[" + part + "]")
		case b.Len() > 0:
			b.WriteString("." + part)
		default:
			b.WriteString(part)
		}
	}
	return b.String()
}
