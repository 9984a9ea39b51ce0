package soffice

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/office/blank"
)

// libreOffice has time: other tests take the processors.
func libreOffice(t *testing.T, seats int) *Pool {
	t.Helper()
	return open(t, Options{Seats: seats, Program: program(t), Timeout: 5 * time.Minute, Wait: 5 * time.Minute})
}

// unconfined is a LibreOffice without a cell, whose walls would hide what its
// settings and our checks do.
func unconfined(t *testing.T) *Pool {
	t.Helper()
	return open(t, Options{Seats: 1, Program: program(t), Timeout: 5 * time.Minute, Unconfined: true})
}

func TestLibreOfficeConvertsWordAndPowerPointSideBySide(t *testing.T) {
	t.Parallel()
	p := libreOffice(t, 2)
	presentation, err := blank.Presentation()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for name, file := range map[string][]byte{".docx": docx(t, paragraph("Dear Söhne"), ""), ".pptx": presentation} {
		all.Go(func() {
			pdf, err := p.PDF(t.Context(), file, name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if got := text(t, pdf); name == ".docx" && !strings.Contains(got, "Dear Söhne") {
				t.Errorf("got %q, want the document's words", got)
			}
		})
	}
	all.Wait()
	if got := running(t, p.directory.path); len(got) != 0 {
		t.Errorf("still running:\n%s", strings.Join(got, "\n"))
	}
}

func TestACellChangesNothingOfADocument(t *testing.T) {
	t.Parallel()
	file := docx(t, paragraph("Dear Söhne, with fonts of the system"), "")
	inside, err := libreOffice(t, 1).PDF(t.Context(), file, ".docx")
	if err != nil {
		t.Fatal(err)
	}
	outside, err := unconfined(t).PDF(t.Context(), file, ".docx")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := placed(t, inside), placed(t, outside); got != want {
		t.Errorf("in a cell: got\n%s, want\n%s", got, want)
	}
}

func TestLibreOfficeSaysWhatItCannotRead(t *testing.T) {
	t.Parallel()
	p := libreOffice(t, 1)
	if _, err := p.PDF(t.Context(), []byte("no office file"), ".docx"); !errors.Is(err, ErrUnreadable) {
		t.Errorf("got %v, want %v", err, ErrUnreadable)
	}
	if pdf, err := p.PDF(t.Context(), docx(t, paragraph("next"), ""), ".docx"); err != nil || !strings.Contains(text(t, pdf), "next") {
		t.Errorf("the next file: got %v, want its words", err)
	}
}

func TestLibreOfficeIsGoneWhenAConversionIsCancelled(t *testing.T) {
	t.Parallel()
	p := libreOffice(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error)
	go func() {
		_, err := p.PDF(ctx, docx(t, strings.Repeat(paragraph("words and words"), 20_000), ""), ".docx")
		ended <- err
	}()
	eventually(t, "soffice.bin runs", func() bool {
		return strings.Contains(strings.Join(running(t, p.directory.path), "\n"), "soffice.bin")
	})
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if got := running(t, p.directory.path); len(got) != 0 {
		t.Errorf("still running:\n%s", strings.Join(got, "\n"))
	}
}

// A picture as Word writes it.
const picture = `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="914400" cy="914400"/><wp:docPr id="%d" name="p"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture">` +
	`<pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:%s="%s"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>` +
	`<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="914400" cy="914400"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`

func field(instruction string) string {
	return `<w:p><w:fldSimple w:instr="` + strings.ReplaceAll(instruction, `"`, "&quot;") + `"><w:r><w:t>old</w:t></w:r></w:fldSimple></w:p>`
}

// linking is a document that asks for all that it can from a server and from
// files of the machine.
func linking(t *testing.T, server, file, secret string) []byte {
	t.Helper()
	body := paragraph("before") + fmt.Sprintf(picture, 1, "link", "web") + fmt.Sprintf(picture, 2, "link", "file") +
		field(`INCLUDEPICTURE "`+server+`/field.png" \d`) + field(`INCLUDETEXT "`+server+`/text.docx"`) + field(`INCLUDETEXT "`+secret+`"`) +
		field(`LINK Excel.Sheet.12 "`+server+`/sheet.xlsx" "A1" \a`) +
		`<w:altChunk r:id="chunk"/><w:altChunk r:id="inner"/><w:subDoc r:id="sub"/>` + paragraph("after")
	link := func(id, kind, target string) string {
		return `<Relationship Id="` + id + `" Type="KIND/` + kind + `" Target="` + target + `" TargetMode="External"/>`
	}
	inner := docx(t, paragraph("within")+fmt.Sprintf(picture, 1, "link", "web")+fmt.Sprintf(picture, 2, "link", "file")+field(`INCLUDETEXT "`+secret+`"`),
		link("web", "image", server+"/inner.png")+link("file", "image", fileURL(file)))
	return docx(t, body, link("web", "image", server+"/picture.png")+link("file", "image", fileURL(file))+
		link("chunk", "aFChunk", fileURL(secret))+link("sub", "subDocument", server+"/sub.docx")+
		`<Relationship Id="settings" Type="KIND/settings" Target="settings.xml"/><Relationship Id="inner" Type="KIND/aFChunk" Target="inner.docx"/>`,
		part{"word/inner.docx", string(inner)},
		part{"word/settings.xml", `<w:settings xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:attachedTemplate r:id="template"/></w:settings>`},
		part{"word/_rels/settings.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="template" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate" Target="` + server + `/template.dotx" TargetMode="External"/></Relationships>`})
}

func fileURL(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }

// plainly converts a .docx file with a LibreOffice that nothing was taken from:
// a witness that the file does what it is here for.
func plainly(t *testing.T, program string, file []byte) []byte {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "document.docx")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), program, "-env:UserInstallation="+fileURL(filepath.Join(dir, "profile")), "--headless", "--norestore", "--convert-to", "pdf", "--outdir", dir, path)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	pdf, err := os.ReadFile(filepath.Join(dir, "document.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	return pdf
}

// pictures are the widths, in pixels, of those that another program finds in a PDF.
func pictures(t *testing.T, pdf []byte) (widths []int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.pdf")
	if err := os.WriteFile(path, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("pdfimages", "-list", path).Output()
	if err != nil {
		t.Fatalf("pdfimages: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		// page, number, kind, width; two lines are the table's head
		if fields := strings.Fields(line); len(fields) > 3 && fields[2] == "image" {
			if width, err := strconv.Atoi(fields[3]); err == nil {
				widths = append(widths, width)
			}
		}
	}
	return widths
}

// pictureFile is a picture on the machine, so many pixels wide.
func pictureFile(t *testing.T, width int) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "picture.png"))
	if err == nil {
		err = errors.Join(png.Encode(f, image.NewGray(image.Rect(0, 0, width, 9))), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

func TestADocumentReachesNeitherTheNetworkNorFilesOfTheMachine(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.Method+" "+r.URL.Path)
	}))
	defer server.Close()
	requests := func() []string {
		mu.Lock()
		defer mu.Unlock()
		all := asked
		asked = nil
		return all
	}
	secret := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(secret, []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := linking(t, server.URL, pictureFile(t, 9), secret)

	plain := plainly(t, program(t), file)
	if got, shown := requests(), pictures(t, plain); !slices.Contains(got, "GET /picture.png") || !slices.Contains(got, "GET /inner.png") || len(shown) == 0 {
		t.Errorf("the document is harmless: LibreOffice by itself asks for %v and shows %d pictures", got, len(shown))
	}
	pdf, err := unconfined(t).PDF(t.Context(), file, ".docx")
	if err != nil {
		t.Fatal(err)
	}
	said := text(t, pdf)
	for _, own := range []string{"before", "within", "after"} {
		if !strings.Contains(said, own) {
			t.Errorf("got %q, want the document's own words, %q among them", said, own)
		}
	}
	if got := requests(); len(got) != 0 {
		t.Errorf("LibreOffice asked for %v, want nothing", got)
	}
	if shown := pictures(t, pdf); len(shown) != 0 || strings.Contains(said, "hunter2") {
		t.Errorf("got %d pictures and the text %q, want nothing of the machine's files", len(shown), said)
	}
}

// LibreOffice would put each of these into a PDF with any settings.
func TestPicturesOfTheMachineThatLibreOfficeWouldShowAreRefused(t *testing.T) {
	t.Parallel()
	p := unconfined(t)
	var body, relationships string
	var parts []part
	var wanted []int
	const drawnAnew = 0 // in LibreOffice's own pixels
	add := func(reference, kind, name string, content func(inner string) string) {
		n := len(wanted)
		width := 20 + n
		wanted = append(wanted, width)
		if strings.HasSuffix(name, ".emf") {
			wanted[n] = drawnAnew
		}
		body += strings.ReplaceAll(reference, "ID", fmt.Sprintf("r%d", n))
		relationships += fmt.Sprintf(`<Relationship Id="r%d" Type="KIND/%s" Target="%s"/>`, n, kind, name)
		linked := `<image width="50" height="50" xlink:href="` + fileURL(pictureFile(t, width)) + `"/>`
		parts = append(parts, part{"word/" + name, content(linked)})
	}
	shown := fmt.Sprintf(picture, 1, "embed", "ID")
	add(shown, "image", "a.svg", svg)
	add(shown, "image", "image.xml", svg)
	add(shown, "image", "b.svg", func(inner string) string { return strings.Repeat(" ", 1500) + svg(inner) })
	add(shown, "image", "c.svg", func(inner string) string {
		return svg(`<image width="50" height="50" xlink:href="data:image/png;base64,` + base64.StdEncoding.EncodeToString([]byte(svg(inner))) + `"/>`)
	})
	add(shown, "image", "d.svg", func(inner string) string { return `<!DOCTYPE svg [<?x '?>]>` + svg(inner+`<!-- '>> <svg> -->`) })
	add(shown, "image", "e.emf", func(inner string) string { return string(emf(record(0x4008, imageObject, bitmap(svg(inner))))) })
	add(shown, "image", "f.emf", func(inner string) string { return string(emf(inParts(bitmap(" "+svg(inner)), 32))) })
	add(`<w:altChunk r:id="ID"/>`, "image", "chunk.docx", func(inner string) string { return string(drawn(t, "a.svg", svg(inner))) })

	for _, one := range parts {
		if _, err := p.PDF(t.Context(), docx(t, paragraph("words"), "", one), ".docx"); !errors.Is(err, ErrLinked) {
			t.Errorf("%s: got %v, want %v", one.name, err, ErrLinked)
		}
	}
	s := <-p.free // which shows LibreOffice what it is given
	defer func() { p.free <- s }()
	pdf, err := s.convert(t.Context(), docx(t, body, relationships, parts...), ".docx", importFilters()[".docx"])
	if err != nil {
		t.Fatal(err)
	}
	same := func(got, want int) bool { return got == want || want == drawnAnew && got > 0 }
	if got := pictures(t, pdf); !slices.EqualFunc(got, wanted, same) {
		t.Errorf("LibreOffice by itself shows pictures of the widths %v, want %v: what is harmless needs no check", got, wanted)
	}
}

// No parallel test may see the variable.
func TestAPictureForWhichLibreOfficeWouldStartAProgramIsRefused(t *testing.T) {
	path := program(t)
	programs, mark := t.TempDir(), filepath.Join(t.TempDir(), "mark")
	c := exec.Command("/bin/sh", "-c", `cd "$1" && printf '#!/bin/sh\ntouch "%s"\n' "$2" > gs && chmod 700 gs && cp gs pstoedit && cp gs convert`, "sh", programs, mark)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("write programs: %v: %s", err, out)
	}
	t.Setenv("PATH", programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
	p := open(t, Options{Seats: 1, Program: path, Timeout: 5 * time.Minute, Unconfined: true})
	file := drawn(t, "a.png", eps)
	if _, err := p.PDF(t.Context(), file, ".docx"); !errors.Is(err, ErrProgram) || exists(mark) {
		t.Errorf("got %v, want %v; a program was started: %v", err, ErrProgram, exists(mark))
	}
	s := <-p.free // which shows LibreOffice what it is given
	defer func() { p.free <- s }()
	if _, err := s.convert(t.Context(), file, ".docx", importFilters()[".docx"]); err != nil || !exists(mark) {
		t.Errorf("%v: LibreOffice by itself starts no program: what is harmless needs no check", err)
	}
}

// opening is a document with a macro that makes a file as soon as the document
// is opened. It is in LibreOffice's own format, where a macro can be read.
func opening(mark string) []byte {
	return []byte(`<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:script="urn:oasis:names:tc:opendocument:xmlns:script:1.0" xmlns:ooo="http://openoffice.org/2004/office" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dom="http://www.w3.org/2001/xml-events" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text">
<office:scripts><office:script script:language="ooo:Basic"><ooo:libraries><ooo:library-embedded ooo:name="Standard"><ooo:module ooo:name="M"><ooo:source-code>Sub Main
Shell("/bin/touch", 0, "` + mark + `", True)
End Sub</ooo:source-code></ooo:module></ooo:library-embedded></ooo:libraries></office:script>
<office:event-listeners><script:event-listener script:language="ooo:script" script:event-name="dom:load" xlink:href="vnd.sun.star.script:Standard.M.Main?language=Basic&amp;location=document" xlink:type="simple"/></office:event-listeners></office:scripts>
<office:body><office:text><text:p>words</text:p></office:text></office:body></office:document>`)
}

// openedBy opens a document, as with a double click, in a LibreOffice whose
// profile has more in it than ours, and returns when something has happened.
func openedBy(t *testing.T, program string, file []byte, ext, registry string, happened func() bool) {
	t.Helper()
	dir := t.TempDir()
	path, user := filepath.Join(dir, "document"+ext), filepath.Join(dir, "profile", "user")
	if err := errors.Join(os.WriteFile(path, file, 0o600), os.MkdirAll(user, 0o700), os.WriteFile(filepath.Join(user, "registrymodifications.xcu"), []byte(registry), 0o600)); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	l := launch{dir: dir, mortal: dir, environment: environment(dir, dir), log: log}
	g, err := l.start(program, "-env:UserInstallation="+fileURL(filepath.Dir(user)), "--headless", "--norestore", path)
	if err != nil {
		t.Fatal(err)
	}
	defer g.end()
	eventually(t, "what the document is here for happens", happened)
}

func TestNoMacroRuns(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "mark")
	file := opening(mark)
	const trusting = `<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>0</value></prop></item></oor:items>`
	openedBy(t, program(t), file, ".fodt", trusting, func() bool { return exists(mark) })
	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}
	p := unconfined(t)
	pdf, err := p.convert(t.Context(), file, ".fodt", "")
	if err != nil || !strings.Contains(text(t, pdf), "words") {
		t.Errorf("got %v, want the document's words", err)
	}
	if exists(mark) {
		t.Error("the macro was run")
	}
	// LibreOffice writes its settings anew, without those that it does not know.
	s := <-p.free
	defer func() { p.free <- s }()
	if err := s.furnish(); err != nil {
		t.Fatal(err)
	}
	document := filepath.Join(s.work(), "document.fodt")
	if err := os.WriteFile(document, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if said, status, err := s.run(t.Context(), document, ""); err != nil || status != 0 {
		t.Fatalf("got %d, %v: %s", status, err, said)
	}
	settings, err := os.ReadFile(filepath.Join(s.profile(), "user", "registrymodifications.xcu"))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"DisableMacrosExecution": "true", "MacroSecurityLevel": "3", "BlockUntrustedRefererLinks": "true", "ooInetProxyType": "2", "Link": "2"} {
		if want := `<prop oor:name="` + name + `" oor:op="fuse"><value>` + value + `</value>`; !strings.Contains(string(settings), want) {
			t.Errorf("LibreOffice does not keep %s", want)
		}
	}
}
