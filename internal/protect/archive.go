package protect

import (
	"bytes"
	"crypto/md5" //nolint:gosec // the sum that a PDF has of a file in it (ISO 32000-1, table 46)
	"crypto/sha256"
	"fmt"
	"mime"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/platenhq/platen/internal/pdfa"
	"github.com/platenhq/platen/internal/platen"
)

// Archive makes a PDF one that conforms to a profile of ISO 19005, and says so in it. It adds
// what colours mean, metadata and files. What a PDF of another program has in it that no such
// file may have is left out or changed where no page looks different without it.
//
// KindInvalid with platen.CodeProfileUnmet: the PDF does not conform all the same. The message
// says why. KindTooLarge: it is larger than MaxInput. A fault in a is one of the program.
func (Protector) Archive(pdf []byte, a platen.Archive) (archived []byte, err error) {
	if err := checkArchive(a); err != nil {
		return nil, err
	}
	if len(pdf) > MaxInput {
		return nil, platen.Errorf(platen.KindTooLarge, "pdf_too_large", "The PDF is larger than %d MiB: make the template smaller.", MaxInput>>20)
	}
	defer func() {
		if cause := recover(); cause != nil { // the library panics on some broken files
			archived, err = nil, unreadableError(fmt.Errorf("panic: %v", cause))
		}
	}()
	preparePDFCPU()
	archived, ok := archiveDirectly(pdf, a)
	if !ok {
		if archived, err = archiveForeign(pdf, a); err != nil {
			return nil, err
		}
	}
	if err := judge(archived, a.Profile); err != nil {
		return nil, err
	}
	return archived, nil
}

// judge holds a PDF to the profile that it claims, whoever made it: a template of ours, too, may
// have an address that is longer than a string may be.
func judge(pdf []byte, profile platen.PDFProfile) error {
	part := pdfa.Part2
	if profile == platen.ProfilePDFA3b {
		part = pdfa.Part3
	}
	faults, err := pdfa.Check(pdf, part)
	if err != nil {
		return unreadableError(err)
	}
	if len(faults) > 0 {
		return platen.Errorf(platen.KindInvalid, platen.CodeProfileUnmet, "The PDF does not conform to %s: %s. Take what causes it out of the template or of appendices, or set no pdf.profile.", profile, pdfa.Words(faults))
	}
	return nil
}

var mediaType = regexp.MustCompile(`^[A-Za-z0-9][-A-Za-z0-9+._]*/[A-Za-z0-9][-A-Za-z0-9+._]*$`)

func checkArchive(a platen.Archive) error {
	size := 0
	names := map[string]bool{}
	for _, f := range a.Files {
		size += len(f.Content)
		isPlain := !strings.ContainsFunc(f.Name, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`\/()<>`, r) })
		if !isPlain || f.Name == "" || names[f.Name] || !mediaType.MatchString(f.MIMEType) || f.Relationship == "" {
			return fmt.Errorf("the file %q of type %q with the relationship %q cannot be in a PDF", f.Name, f.MIMEType, f.Relationship)
		}
		names[f.Name] = true
	}
	switch {
	case a.Profile != platen.ProfilePDFA2b && a.Profile != platen.ProfilePDFA3b:
		return fmt.Errorf("there is no profile %q", a.Profile)
	case a.Profile != platen.ProfilePDFA3b && len(a.Files) > 0:
		return fmt.Errorf("a file of %s holds no other files", a.Profile)
	case size > platen.MaxEmbedded:
		return platen.Errorf(platen.KindTooLarge, "pdf_too_large", "The files in the PDF have more than %d MiB.", platen.MaxEmbedded>>20)
	}
	return nil
}

// An addition is an object that a file gets, without its number.
type addition struct {
	entries string // of its dictionary
	stream  []byte
	is      bool // it is a stream
}

// additions are the objects that make a PDF one to be kept, numbered from first on, and the
// entries of the catalog that lead to them: names are those of its name dictionary.
func additions(a platen.Archive, first int, title string) (objects []addition, catalog, names string) {
	add := func(one addition) (number int) {
		objects = append(objects, one)
		return first + len(objects) - 1
	}
	metadata := add(addition{entries: "/Type /Metadata /Subtype /XML", stream: packet(a, title), is: true})
	profile := add(addition{entries: "/N 3 /Filter /FlateDecode", stream: compressedSRGB(), is: true})
	catalog = fmt.Sprintf(" /Metadata %d 0 R /OutputIntents [<</Type /OutputIntent /S /GTS_PDFA1 /OutputConditionIdentifier (sRGB) /RegistryName (http://www.color.org) /Info (sRGB) /DestOutputProfile %d 0 R>>]", metadata, profile)
	if len(a.Files) == 0 {
		return objects, catalog, ""
	}
	files := slices.Clone(a.Files)
	slices.SortFunc(files, func(f, g platen.EmbeddedFile) int { return strings.Compare(f.Name, g.Name) })
	catalog += " /AF ["
	for _, f := range files {
		dates := ""
		if !f.ModifiedAt.IsZero() {
			dates = fmt.Sprintf(" /ModDate (%s)", pdfDate(f.ModifiedAt))
		}
		content := add(addition{entries: fmt.Sprintf("/Type /EmbeddedFile /Subtype /%s /Params <</Size %d /CheckSum <%x>%s>> /Filter /FlateDecode",
			types.EncodeName(mimeName(f.MIMEType)), len(f.Content), md5.Sum(f.Content), dates), stream: compressed(f.Content), is: true})
		described := ""
		if f.Description != "" {
			described = fmt.Sprintf(" /Desc <%s>", utf16Hex(f.Description))
		}
		file := add(addition{entries: fmt.Sprintf("/Type /Filespec /F (%s) /UF <%s>%s /AFRelationship /%s /EF <</F %d 0 R /UF %d 0 R>>",
			f.Name, utf16Hex(f.Name), described, types.EncodeName(string(f.Relationship)), content, content)})
		catalog += fmt.Sprintf("%d 0 R ", file)
		names += fmt.Sprintf("(%s) %d 0 R ", f.Name, file)
	}
	return objects, catalog + "]", "/EmbeddedFiles <</Names [" + names + "]>>"
}

// mimeName is a media type without parameters.
func mimeName(s string) string {
	kind, _, err := mime.ParseMediaType(s)
	if err != nil {
		return s
	}
	return kind
}

// pdfDate is a time as a PDF has it (ISO 32000-1, 7.9.4).
func pdfDate(t time.Time) string { return t.UTC().Format("D:20060102150405") + "+00'00'" }

// utf16Hex is a text string in hexadecimal digits.
func utf16Hex(s string) string {
	out := []byte("FEFF")
	for _, u := range utf16.Encode([]rune(s)) {
		out = fmt.Appendf(out, "%04X", u)
	}
	return string(out)
}

// unfit are entries in a file of our renderer that keep it from conforming.
var unfit = [][]byte{[]byte("/DeviceCMYK"), []byte("/LZWDecode"), []byte("/JavaScript"), []byte("/EmbeddedFile")}

// archiveDirectly archives a PDF of our renderer's making in one pass over its bytes. Any
// other, and any that must be changed first, is left to the library: ok is false.
func archiveDirectly(pdf []byte, a platen.Archive) (archived []byte, ok bool) {
	objects, entries, inStreams, ok := splitDirectly(pdf)
	if !ok {
		return nil, false
	}
	trailer := directTrailer.FindSubmatch(entries)
	if trailer == nil {
		return nil, false
	}
	size, _ := strconv.Atoi(string(trailer[1]))
	root, _ := strconv.Atoi(string(trailer[2]))
	info, _ := strconv.Atoi(string(trailer[3]))
	const end = ">>\nendobj\n\n"
	if size <= len(objects) || root < 1 || root > len(objects) || info < 1 || info > len(objects) || !bytes.HasSuffix(objects[root-1], []byte(end)) {
		return nil, false
	}
	for _, object := range objects {
		if isUnfit(object) {
			return nil, false
		}
	}
	added, catalog, names := additions(a, size, directTitle(objects[info-1]))
	if names != "" {
		catalog += " /Names <<" + names + ">>"
	}
	out := bytes.NewBuffer(make([]byte, 0, len(pdf)+8<<10+2*embeddedSize(added)))
	out.Write(directHead)
	offsets := make([]int, 0, len(objects)+len(added))
	for i, object := range objects {
		offsets = append(offsets, out.Len())
		if i == root-1 {
			out.Write(object[:len(object)-len(end)])
			out.WriteString(catalog + end)
			continue
		}
		out.Write(object)
	}
	for i, one := range added {
		offsets = append(offsets, out.Len())
		one.write(out, size+i)
	}
	id := sha256.Sum256(out.Bytes())
	table := out.Len()
	fmt.Fprintf(out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for i, at := range offsets {
		if i == len(objects) {
			fmt.Fprintf(out, "%d %d\n", size, len(added))
		}
		fmt.Fprintf(out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(out, "trailer\n<</Size %d /Root %d 0 R /Info %d 0 R /ID [<%x><%x>]", size+len(added), root, info, id[:16], id[:16])
	if inStreams {
		fmt.Fprintf(out, " /XRefStm %d", offsets[len(objects)-1])
	}
	fmt.Fprintf(out, ">>\nstartxref\n%d\n%%%%EOF\n", table)
	return out.Bytes(), true
}

var directTrailer = regexp.MustCompile(`^/Size (\d+) /Root (\d+) 0 R /Info (\d+) 0 R /ID `)

// isUnfit tells whether an object has an entry that no file to be kept has. Releases before
// this one wrote links without flags.
func isUnfit(object []byte) bool {
	head, _, _ := bytes.Cut(object, []byte("\nstream\n"))
	if bytes.Contains(head, []byte("/Subtype /Link")) && !bytes.Contains(head, []byte("/F 4")) {
		return true
	}
	return slices.ContainsFunc(unfit, func(entry []byte) bool { return bytes.Contains(head, entry) })
}

var titleEntry = regexp.MustCompile(`/Title <([0-9A-F]*)>`)

// directTitle is the title that our renderer wrote.
func directTitle(info []byte) string {
	found := titleEntry.FindSubmatch(info)
	if found == nil {
		return ""
	}
	title, err := types.HexLiteralToString(types.HexLiteral(found[1]))
	if err != nil {
		return ""
	}
	return title
}

func embeddedSize(added []addition) (size int) {
	for _, one := range added {
		size += len(one.stream)
	}
	return size
}

func (one addition) write(out *bytes.Buffer, number int) {
	fmt.Fprintf(out, "%d 0 obj\n<<%s", number, one.entries)
	if one.is {
		fmt.Fprintf(out, " /Length %d>>\nstream\n", len(one.stream))
		out.Write(one.stream)
		out.WriteString("\nendstream\nendobj\n\n")
		return
	}
	out.WriteString(">>\nendobj\n\n")
}
