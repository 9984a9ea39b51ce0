package pdfrules_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/pdfa"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/protect"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
)

var profiles = map[platen.PDFProfile]pdfa.Part{platen.ProfilePDFA2b: pdfa.Part2, platen.ProfilePDFA3b: pdfa.Part3}

func TestEveryExampleConformsToItsProfile(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../examples/*.*x")
	if err != nil || len(files) < 4 {
		t.Fatalf("found %d examples: %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		wantConforming(t, filepath.Base(file), made(t, file, data))
	}
	wantConforming(t, "everything", everything(t))
}

// wantConforming archives a PDF by each profile, and checks what comes of it.
func wantConforming(t *testing.T, name string, file []byte) {
	t.Helper()
	for profile, part := range profiles {
		out, err := protect.Protector{}.Archive(file, platen.Archive{Profile: profile})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		faults, err := pdfa.Check(out, part)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, f := range faults {
			t.Errorf("%s, %s: %s", name, profile, f)
		}
	}
}

// folderOfSamples names office files of others, whose PDFs must conform too.
func TestPDFsOfOthersFilesConform(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("PLATEN_OFFICE_CORPUS")
	if folder == "" {
		t.Skip("set PLATEN_OFFICE_CORPUS to a folder with .docx and .pptx files below it")
	}
	n := 0
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".docx") && !strings.HasSuffix(path, ".pptx") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n++
		t.Run(filepath.Base(path), func(t *testing.T) { wantConforming(t, filepath.Base(path), made(t, path, data)) })
		return nil
	})
	if err != nil || n == 0 {
		t.Errorf("looked at %d files: %v", n, err)
	}
}

// drawn is an archived file that has one of each that there is a rule for.
func drawn(t *testing.T) []byte {
	t.Helper()
	c := pdf.NewCanvas("Drawn", "en-GB")
	c.AddPage(300, 300)
	face := pdf.EmbeddedFonts().Face("Carlito", false, false)
	c.Text(20, 40, "Archived", face, 12, dml.RGB{})
	c.Rect(20, 60, 40, 40, &pdf.Fill{Color: dml.RGB{R: 200}, Transparency: 0.5}, nil)
	c.LinkURL(20, 20, 60, 20, "https://example.com/")
	picture := image.NewNRGBA(image.Rect(0, 0, 4, 4))
	picture.Set(1, 1, color.NRGBA{R: 255, A: 128})
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		t.Fatal(err)
	}
	if err := c.Image(file.Bytes(), 100, 100, 40, 40, pdf.ImageOptions{}); err != nil {
		t.Fatal(err)
	}
	out, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
	out, err = protect.Protector{}.Archive(out, platen.Archive{
		Profile: platen.ProfilePDFA3b, At: at,
		Files:   []platen.EmbeddedFile{{Name: "a.xml", Description: "data", MIMEType: "text/xml", Relationship: platen.RelationshipData, Content: []byte("<a/>"), ModifiedAt: at}},
		Schemas: []platen.XMPSchema{{Name: "Ours", Namespace: "https://example.com/ns#", Prefix: "ex", Properties: []platen.XMPProperty{{Name: "Kind", Value: "x", Description: "what it is"}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What our renderer draws may break a rule, too. Then it gets no claim.
func TestWhatWeDrawIsJudgedAsWell(t *testing.T) {
	t.Parallel()
	for what, draw := range map[string]func(*pdf.Canvas){
		"an address that is too long": func(c *pdf.Canvas) { c.LinkURL(20, 20, 60, 20, "https://example.com/"+strings.Repeat("x", 40_000)) },
		"a page of nothing":           func(c *pdf.Canvas) { c.AddPage(1, 1) },
		"states that are too deep": func(c *pdf.Canvas) {
			for range 40 {
				c.Save()
			}
		},
	} {
		c := pdf.NewCanvas("Drawn", "en-GB")
		c.AddPage(300, 300)
		draw(c)
		out, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		archived, err := protect.Protector{}.Archive(out, platen.Archive{Profile: platen.ProfilePDFA2b})
		if err == nil {
			faults, _ := pdfa.Check(archived, pdfa.Part2)
			t.Errorf("%s: it claims to conform, and breaks %v", what, faults)
		} else if e, ok := errors.AsType[*platen.Error](err); !ok || e.Code != platen.CodeProfileUnmet {
			t.Errorf("%s: got %v, want %s", what, err, platen.CodeProfileUnmet)
		}
	}
}

// A break of each rule that our files can break is found, by its clause.
func TestABreakOfARuleOfArchivesIsFound(t *testing.T) {
	t.Parallel()
	whole := drawn(t)
	plain := rendertest.Tool(t, whole, "qpdf", "--qdf", "--object-streams=disable", "FILE", "-")
	faults, err := pdfa.Check([]byte(plain), pdfa.Part3)
	// qpdf counts the line break in front of endstream in, where the content ends with one.
	faults = slices.DeleteFunc(faults, func(f pdfa.Fault) bool { return f.Clause == "6.1.7" })
	if err != nil || len(faults) > 0 {
		t.Fatalf("got %v, %v of a whole file", faults, err)
	}
	catalog := func(entry string) [2]string { return [2]string{"/Type /Catalog", "/Type /Catalog " + entry} }
	page := func(entry string) [2]string { return [2]string{"/Type /Page\n", "/Type /Page " + entry + "\n"} }
	inObjects := map[string]struct {
		change [2]string
		clause string
	}{
		"no output intent":                     {[2]string{"/OutputIntents", "/OutputIntentz"}, "6.2.4.3"},
		"an output intent of another standard": {[2]string{"/S /GTS_PDFA1", "/S /GTS_PDFX"}, "6.2.4.3"},
		"the profile of a scanner":             {[2]string{"mntrRGB XYZ", "scnrRGB XYZ"}, "6.2.3"},
		"no metadata":                          {[2]string{"/Metadata ", "/Matadata "}, "6.6.2.1"},
		"metadata that are no XML":             {[2]string{"</rdf:RDF>", "</rdf:RDX>"}, "6.6.2.1"},
		"another part":                         {[2]string{"<pdfaid:part>3", "<pdfaid:part>2"}, "6.6.4"},
		"a level that there is not":            {[2]string{"conformance>B", "conformance>C"}, "6.6.4"},
		"a property that nothing describes":    {[2]string{"<dc:format>application/pdf</dc:format>", "<dc:farmat>application/pdf</dc:farmat>"}, "6.6.2.3.1"},
		"a title that is no list":              {[2]string{"rdf:Alt>", "rdf:Bag>"}, "6.6.2.3.1"},
		"a date that is none":                  {[2]string{"CreateDate>2026", "CreateDate>in 2026"}, "6.6.2.3.1"},
		"a category that there is not":         {[2]string{"external", "extended"}, "6.6.2.3.3"},
		"a description without a field":        {[2]string{"<pdfaSchema:prefix>ex</pdfaSchema:prefix>", ""}, "6.6.2.3.3"},
		"a property that lost its description": {[2]string{"<pdfaProperty:name>Kind", "<pdfaProperty:name>Other"}, "6.6.2.3.1"},
		"a font that is not embedded":          {[2]string{"/FontFile2", "/FontFilm2"}, "6.2.11.4.1"},
		"a font of no type":                    {[2]string{"/Subtype /Type0", "/Subtype /Type9"}, "6.2.11.2"},
		"a font without a map of glyphs":       {[2]string{"/CIDToGIDMap /Identity", "/CIDToGIDMap /Other"}, "6.2.11.3.2"},
		"another encoding":                     {[2]string{"/Encoding /Identity-H", "/Encoding /Other-H"}, "6.2.11.3.3"},
		"other widths":                         {[2]string{"/W [\n    1\n    [\n      ", "/W [\n    1\n    [\n      9"}, "6.2.11.5"},
		"a letter that the font lacks":         {[2]string{"<0001", "<0101"}, "6.2.11.4.1"},
		"no letter":                            {[2]string{"<0001", "<0000"}, "6.2.11.8"},
		"a link that is hidden":                {[2]string{"/F 4\n", "/F 6\n"}, "6.3.2"},
		"a link without flags":                 {[2]string{"/F 4\n", "/Fx 4\n"}, "6.3.2"},
		"an annotation of sound":               {[2]string{"/Subtype /Link", "/Subtype /Sound"}, "6.3.1"},
		"a note without looks":                 {[2]string{"/Subtype /Link", "/Subtype /Text"}, "6.3.3"},
		"a script":                             {[2]string{"/S /URI", "/S /JavaScript"}, "6.5.1"},
		"a script at the beginning":            {catalog("/OpenAction <</S /JavaScript /JS (x)>>"), "6.5.1"},
		"actions of the file":                  {catalog("/AA <<>>"), "6.5.2"},
		"actions of a page":                    {page("/AA <<>>"), "6.5.2"},
		"requirements":                         {catalog("/Requirements []"), "6.11"},
		"a form that readers draw":             {catalog("/NeedsRendering true"), "6.4.2"},
		"a form of XFA":                        {catalog("/AcroForm <</XFA (x)>>"), "6.4.2"},
		"fields that readers draw":             {catalog("/AcroForm <</NeedAppearances true>>"), "6.4.1"},
		"permissions":                          {catalog("/Perms <</Other 1>>"), "6.1.12"},
		"layers without a name":                {catalog("/OCProperties <</D <<>>>>"), "6.9"},
		"steps of a page":                      {page("/PresSteps <<>>"), "6.10"},
		"a page of nothing":                    {[2]string{"    300.00\n    300.00\n", "    1.00\n    300.00\n"}, "6.1.13"},
		"an operator that is none":             {[2]string{" rg\n", " rgx\n"}, "6.2.2"},
		"colours of inks":                      {[2]string{" rg\n", " 0 k\n"}, "6.2.4.3"},
		"states that are too deep":             {[2]string{"\nBT\n", "\n" + strings.Repeat("q ", 30) + "BT\n"}, "6.1.13"},
		"a rendering intent that is none":      {[2]string{"\nBT\n", "\n/Other ri BT\n"}, "6.2.6"},
		"a mode of mixing that is none":        {[2]string{"/BM /Normal", "/BM /Other"}, "6.2.10"},
		"a transfer function":                  {[2]string{"/BM /Normal", "/TR /Identity"}, "6.2.5"},
		"a picture that is smoothed":           {[2]string{"/Subtype /Image", "/Subtype /Image /Interpolate true"}, "6.2.8"},
		"a picture with others":                {[2]string{"/Subtype /Image", "/Subtype /Image /Alternates []"}, "6.2.8"},
		"a picture in inks":                    {[2]string{"/ColorSpace /DeviceRGB", "/ColorSpace /DeviceCMYK"}, "6.2.4.3"},
		"a file of no type":                    {[2]string{"/Subtype /text#2fxml", "/Subtype /text"}, "6.8"},
		"a file that is nothing to it":         {[2]string{"/AFRelationship", "/AFRelationshap"}, "6.8"},
		"a file that belongs to nothing":       {[2]string{"/AF [", "/AX ["}, "6.8"},
		"a file without a name":                {[2]string{"/UF ", "/UX "}, "6.8"},
		"a string of odd digits":               {catalog("/Odd <656>"), "6.1.6"},
		"a string of no digits":                {catalog("/Odd <65zz>"), "6.1.6"},
		"a name that is too long":              {catalog("/" + strings.Repeat("x", 128) + " 1"), "6.1.13"},
		"a string that is too long":            {catalog("/Long (" + strings.Repeat("x", 32768) + ")"), "6.1.13"},
		"a number that is too large":           {catalog("/Large 2147483648"), "6.1.13"},
		"encryption":                           {[2]string{"trailer <<", "trailer <<\n  /Encrypt <<>>"}, "6.1.3"},
		"no ID":                                {[2]string{"/ID [", "/IX ["}, "6.1.3"},
	}
	for what, c := range inObjects {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(plain, c.change[0]) {
				t.Fatalf("the file lacks %q", c.change[0])
			}
			wantFault(t, []byte(rendertest.Tool(t, []byte(strings.ReplaceAll(plain, c.change[0], c.change[1])), "fix-qdf", "FILE")), c.clause)
		})
	}
	for what, c := range map[string]struct {
		broken string
		clause string
	}{
		"another version":       {strings.Replace(plain, "%PDF-1.7", "%PDF-2.0", 1), "6.1.2"},
		"something in front":    {"\n" + plain, "6.1.2"},
		"something behind":      {plain + "more", "6.1.3"},
		"a space behind xref":   {strings.Replace(plain, "\nxref\n", "\nxref  ", 1), "6.1.4"},
		"objects without lines": {strings.ReplaceAll(plain, "\nendobj", " endobj"), "6.1.9"},
		"packed by LZW":         {strings.Replace(string(whole), "/N 3 /Filter /FlateDecode", "/N 3 /Filter /LZWDecode  ", 1), "6.1.7"},
		"another length":        {strings.Replace(string(whole), "/Length 1", "/Length 2", 1), "6.1.7"},
		"streams without lines": {strings.ReplaceAll(string(whole), "\nendstream", " endstream"), "6.1.7"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			wantFault(t, []byte(c.broken), c.clause)
		})
	}
}

// Damaged files end with a judgement, or with an error, and soon.
func TestADamagedFileIsJudgedSoon(t *testing.T) {
	t.Parallel()
	whole := drawn(t)
	plain := []byte(rendertest.Tool(t, whole, "qpdf", "--qdf", "--object-streams=disable", "FILE", "-"))
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		file := slices.Clone(plain)
		for range 1 + random.IntN(4) {
			at := random.IntN(len(file))
			file[at] = plain[random.IntN(len(plain))]
		}
		_, _ = pdfa.Check(file[:len(file)-random.IntN(2)*random.IntN(len(file)/2)], pdfa.Part3) // it returns
	}
}

func wantFault(t *testing.T, broken []byte, clause string) {
	t.Helper()
	faults, err := pdfa.Check(broken, pdfa.Part3)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(faults, func(f pdfa.Fault) bool { return f.Clause == clause }) {
		t.Errorf("found %v, want a fault of %s", faults, clause)
	}
}
