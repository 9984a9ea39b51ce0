package table

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// read are the rows of a table, a line each: "2 {…}", or "2 ! what is wrong".
func read(t *testing.T, rows Rows) string {
	t.Helper()
	var out strings.Builder
	for row, err := range rows {
		if err != nil {
			if _, ok := errors.AsType[*FormatError](err); !ok {
				t.Fatalf("got %T, %v; want a FormatError", err, err)
			}
			fmt.Fprintf(&out, "%d ! %v\n", row.Number, err)
			continue
		}
		fmt.Fprintf(&out, "%d %s\n", row.Number, row.Body)
	}
	return out.String()
}

func utf16le(text string) string {
	out, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	return out
}

func utf16be(text string) string {
	out, _ := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder().String(text)
	return out
}

func latin(text string) string {
	out, _ := charmap.Windows1252.NewEncoder().String(text)
	return out
}

func TestCSVFilesOfManyProgramsAreRead(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]struct {
		file    string
		options Options
		found   string // encoding and delimiter
		rows    string
	}{
		"as the RFC has it":                           {"Name,No\r\nAda,1\r\nBob,2\r\n", Options{}, `UTF-8 ","`, "2 {\"Name\":\"Ada\",\"No\":\"1\"}\n3 {\"Name\":\"Bob\",\"No\":\"2\"}\n"},
		"without an end of its line":                  {"Name,No\nAda,1", Options{}, `UTF-8 ","`, "2 {\"Name\":\"Ada\",\"No\":\"1\"}\n"},
		"of one column with decimal commas":           {"N\n0,30\n19,99\n", Options{}, `UTF-8 ";"`, "2 {\"N\":\"0,30\"}\n3 {\"N\":\"19,99\"}\n"},
		"of one column":                               {"Name\nAda\nBob\n", Options{}, `UTF-8 ","`, "2 {\"Name\":\"Ada\"}\n3 {\"Name\":\"Bob\"}\n"},
		"old Mac lines in quotes":                     {"A,B\n\"x\ry\",1\n", Options{}, `UTF-8 ","`, "2 {\"A\":\"x\\ry\",\"B\":\"1\"}\n"},
		"a German Excel":                              {"\ufeffName;Betrag\r\nJürgen;1.234,50\r\nÄnne;12,5\r\n", Options{}, `UTF-8 ";"`, "2 {\"Betrag\":\"1.234,50\",\"Name\":\"Jürgen\"}\n3 {\"Betrag\":\"12,5\",\"Name\":\"Änne\"}\n"},
		"a doubtful number, with commas":              {"N;B\nx;1.234\ny;1,50\nz;1,234\n", Options{Decimal: ","}, `UTF-8 ";"`, "2 {\"B\":1234,\"N\":\"x\"}\n3 {\"B\":\"1,50\",\"N\":\"y\"}\n4 {\"B\":1.234,\"N\":\"z\"}\n"},
		"a doubtful number, with points":              {"N,B\nx,\"1,234\"\ny,1.50\nz,-1.234\n", Options{Decimal: "."}, `UTF-8 ","`, "2 {\"B\":1234,\"N\":\"x\"}\n3 {\"B\":\"1.50\",\"N\":\"y\"}\n4 {\"B\":-1.234,\"N\":\"z\"}\n"},
		"a doubtful number alone":                     {"N;B\nx;1.234\n", Options{}, `UTF-8 ";"`, "2 {\"B\":\"1.234\",\"N\":\"x\"}\n"},
		"a doubtful number, said":                     {"N;B\nx;1.234\n", Options{Decimal: ","}, `UTF-8 ";"`, "2 {\"B\":1234,\"N\":\"x\"}\n"},
		"numbers of both kinds":                       {"N;B\nx;1,50\ny;1.50\nz;1.234\n", Options{}, `UTF-8 ";"`, "2 {\"B\":\"1,50\",\"N\":\"x\"}\n3 {\"B\":\"1.50\",\"N\":\"y\"}\n4 {\"B\":\"1.234\",\"N\":\"z\"}\n"},
		"what only looks like numbers":                {"Zip;Phone;IBAN;D\n01067;0049 30 1234;DE02 1203;1,5\n", Options{}, `UTF-8 ";"`, "2 {\"D\":\"1,5\",\"IBAN\":\"DE02 1203\",\"Phone\":\"0049 30 1234\",\"Zip\":\"01067\"}\n"},
		"tabs":                                        {"A\tB\nx, y\t1;2\n", Options{}, "UTF-8 \"\\t\"", "2 {\"A\":\"x, y\",\"B\":\"1;2\"}\n"},
		"bars":                                        {"A|B\nx|1\n", Options{}, `UTF-8 "|"`, "2 {\"A\":\"x\",\"B\":\"1\"}\n"},
		"a line for Excel":                            {"SEP=|\r\nA,x|B\r\n1|2\r\n", Options{}, `UTF-8 "|"`, "3 {\"A,x\":\"1\",\"B\":\"2\"}\n"},
		"a delimiter that is said":                    {"A;B,C\n1;2,3\n", Options{Delimiter: ";"}, `UTF-8 ";"`, "2 {\"A\":\"1\",\"B,C\":\"2,3\"}\n"},
		"quotes, commas and lines":                    {"A,B\n\"x, \"\"y\"\"\",\"1\n2\"\nz,3\n", Options{}, `UTF-8 ","`, "2 {\"A\":\"x, \\\"y\\\"\",\"B\":\"1\\n2\"}\n4 {\"A\":\"z\",\"B\":\"3\"}\n"},
		"UTF-16 with a mark, as Excel's Unicode text": {utf16le("Näme\tB\r\nÖ\t1\r\n"), Options{}, "UTF-16LE \"\\t\"", "2 {\"B\":\"1\",\"Näme\":\"Ö\"}\n"},
		"UTF-16 without a mark":                       {utf16be("Name;B\nÖx;1\n"), Options{}, `UTF-16BE ";"`, "2 {\"B\":\"1\",\"Name\":\"Öx\"}\n"},
		"windows-1252":                                {latin("Name;Preis\nJürgen;5 €\n"), Options{Encoding: "windows-1252"}, `windows-1252 ";"`, "2 {\"Name\":\"Jürgen\",\"Preis\":\"5 €\"}\n"},
		"empty lines and cells":                       {"A,B,C\n\n,,\n1,,3\n", Options{}, `UTF-8 ","`, "4 {\"A\":\"1\",\"C\":\"3\"}\n"},
		"rows that are shorter":                       {"A,B,C\n1\n2,3\n", Options{}, `UTF-8 ","`, "2 {\"A\":\"1\"}\n3 {\"A\":\"2\",\"B\":\"3\"}\n"},
		"cells behind the last name":                  {"A,B,,\n1,2,,\n3,4,x,\n5,6,,\n", Options{}, `UTF-8 ","`, "2 {\"A\":\"1\",\"B\":\"2\"}\n3 ! has something in column C, which has no name in the first row\n4 {\"A\":\"5\",\"B\":\"6\"}\n"},
		"names with dots":                             {"Customer.Name,Customer.Address.City,No\nAda,Kiel,1\n", Options{}, `UTF-8 ","`, "2 {\"Customer\":{\"Address\":{\"City\":\"Kiel\"},\"Name\":\"Ada\"},\"No\":\"1\"}\n"},
		"a dot that parts nothing":                    {"No.,A\n1,2\n", Options{}, `UTF-8 ","`, "2 {\"A\":\"2\",\"No.\":\"1\"}\n"},
		"rows of one invoice": {"No,Customer,Items.Name,Items.Price\nR1,Ada,Tea,1\nR1,,Milk,2\nR2,Bob,Rum,3\n", Options{Key: "No", Items: "Items"}, `UTF-8 ","`,
			"2 {\"Customer\":\"Ada\",\"Items\":[{\"Name\":\"Tea\",\"Price\":\"1\"},{\"Name\":\"Milk\",\"Price\":\"2\"}],\"No\":\"R1\"}\n4 {\"Customer\":\"Bob\",\"Items\":[{\"Name\":\"Rum\",\"Price\":\"3\"}],\"No\":\"R2\"}\n"},
		"an invoice that comes back": {"No,Items.N\nR1,a\nR2,b\nR1,c\n,d\n", Options{Key: "No", Items: "Items"}, `UTF-8 ","`,
			"2 {\"Items\":[{\"N\":\"a\"}],\"No\":\"R1\"}\n3 {\"Items\":[{\"N\":\"b\"}],\"No\":\"R2\"}\n4 ! has the same \"No\" as row 2, and other rows stand between. Sort the table by it\n5 ! has nothing in column \"No\", which says what belongs together\n"},
		"a key that is no column":  {"No,Items.N\nR1,a\n", Options{Key: "Nr", Items: "Items"}, `UTF-8 ","`, "0 ! no column is named \"Nr\": its columns are \"No\", \"Items.N\"\n"},
		"a key without items":      {"No,N\nR1,a\n", Options{Key: "No", Items: "Items"}, `UTF-8 ","`, "0 ! no column is named \"Items.…\", so that rows with one \"No\" have no items\n"},
		"cut off in a quote":       {"A,B\n1,2\n3,\"x\n4,5\n", Options{}, `UTF-8 ","`, "2 {\"A\":\"1\",\"B\":\"2\"}\n0 ! row 3 begins a quote that is not closed: the file is cut off, or a quote in a cell is not written twice\n"},
		"cut off in a row":         {"A,B,C\n1,2,3\n4,5", Options{}, `UTF-8 ","`, "2 {\"A\":\"1\",\"B\":\"2\",\"C\":\"3\"}\n0 ! row 3, the last, has 2 of 3 cells and no end of its line: the file is cut off\n"},
		"a quote inside of a cell": {"A,B\n5\" pipe,2\n", Options{Delimiter: ","}, `UTF-8 ","`, "0 ! row 2 has a quote in line 2, at character 2, that does not belong there: a cell with quotes stands in quotes, and each of its own is written twice\n"},
	} {
		for how, file := range map[string]*strings.Reader{"at once": strings.NewReader(want.file)} {
			found, rows, err := CSV(file, want.options)
			if err != nil {
				t.Errorf("%s, %s: %v", what, how, err)
				continue
			}
			if got := fmt.Sprintf("%s %q", found.Encoding, found.Delimiter); got != want.found {
				t.Errorf("%s, %s: found %s, want %s", what, how, got, want.found)
			}
			if got := read(t, rows); got != want.rows {
				t.Errorf("%s, %s: got\n%swant\n%s", what, how, got, want.rows)
			}
		}
		_, rows, err := CSV(iotest.OneByteReader(strings.NewReader(want.file)), want.options)
		if err != nil {
			t.Errorf("%s, byte by byte: %v", what, err)
		} else if got := read(t, rows); got != want.rows {
			t.Errorf("%s, byte by byte: got\n%swant\n%s", what, got, want.rows)
		}
	}
}

func TestCSVFilesThatCannotBeReadSayWhy(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct {
		options Options
		why     string
	}{
		"":               {Options{}, "the file is empty"},
		"\n\n":           {Options{}, "the file is empty"},
		"A,B,A\n1,2,3\n": {Options{}, `two columns are named "A": A and C`},
		"A,A.B\n1,2\n":   {Options{}, `column A is named "A", and column B "A.B"`},
		"A\n1\n":         {Options{Encoding: "EBCDIC"}, `the encoding "EBCDIC" is not known`},
		"A;B\n1;2\n":     {Options{Delimiter: "ab"}, `the delimiter "ab"`},
		"A;B\n1;3\n":     {Options{Decimal: "x"}, `the decimal sign "x"`},
		"A,Na\x01me\n":   {Options{}, "the name of column B has a control character"},
		"A\"x,B\n1,2\n":  {Options{}, "row 1 has a quote in line 1"},
		strings.Repeat("x", maxName+1) + ",B\n1,2\n": {Options{}, "more than 200 characters"},
		strings.Repeat("x,", MaxColumns) + "y\n1\n":  {Options{}, "two columns are named"},
	} {
		if _, _, err := CSV(strings.NewReader(file), want.options); err == nil || !strings.Contains(err.Error(), want.why) {
			t.Errorf("%.20q: got %v, want %s", file, err, want.why)
		}
	}
}

func TestALaterByteThatIsNoUTF8IsTheFilesFault(t *testing.T) {
	t.Parallel()
	file := "A,B\n" + strings.Repeat("a long row,of the table\n", sampled/20) + latin("Jürgen,x\n")
	_, rows, err := CSV(strings.NewReader(file), Options{})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(read(t, rows)), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "0 ! row ") || !strings.Contains(last, "is no UTF-8") {
		t.Errorf("the last is %q, want that it is no UTF-8", last)
	}
}

func TestRowsAreBoundedBeforeTheyAreRead(t *testing.T) {
	t.Parallel()
	const most = maxRow + 256<<10 // what is read ahead, and held twice
	for what, want := range map[string]struct {
		file    io.Reader
		options Options
		why     string
	}{
		"a quote that is not closed": {io.MultiReader(strings.NewReader("A,B\n1,\""), io.LimitReader(endless{}, 64<<20)), Options{}, "a row has more than 1048576 bytes: a quote may not be closed"},
		"a line without an end":      {io.MultiReader(strings.NewReader("A,B\n1,"), io.LimitReader(endless{}, 64<<20)), Options{}, "a row has more than 1048576 bytes"},
		"rows of one key":            {strings.NewReader("K,Items.X\n" + strings.Repeat("k,"+strings.Repeat("x", 1000)+"\n", 2000)), Options{Key: "K", Items: "Items"}, "has items of more than 1048576 bytes"},
		"a long key":                 {strings.NewReader("K,Items.X\n" + strings.Repeat("k", 300) + ",1\n"), Options{Key: "K", Items: "Items"}, "has more than 200 bytes in column"},
	} {
		counted := &counter{src: want.file}
		_, rows, err := CSV(counted, want.options)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if got := read(t, rows); !strings.Contains(got, want.why) {
			t.Errorf("%s: got %.200s, want %s", what, got, want.why)
		}
		if counted.n > most+3*sampled {
			t.Errorf("%s: %d bytes are read, want at most %d", what, counted.n, most)
		}
	}
	file := simple(t, "", `<row r="1"><c t="inlineStr"><is><t>A</t></is></c></row><row r="2"><c t="inlineStr"><is><t>`+strings.Repeat("x", 2*maxRow)+`</t></is></c></row></sheetData>`)
	if _, _, err := readBook(file, Options{}); err == nil || !strings.Contains(err.Error(), "a piece of the workbook has more than 1048576 bytes") {
		t.Errorf("a long cell: got %v", err)
	}
}

func TestPartsOfAWorkbookAreBounded(t *testing.T) {
	t.Parallel()
	const names = `<row r="1"><c r="A1"><v>1</v></c></row></sheetData>`
	merges := func(n int) string {
		var all strings.Builder
		for i := range n {
			fmt.Fprintf(&all, `<mergeCell ref="A%d:A%d"/>`, 2+2*i, 3+2*i)
		}
		return names + "<mergeCells>" + all.String() + "</mergeCells>"
	}
	for what, want := range map[string]struct {
		parts map[string]string
		why   string // empty: it is read
	}{
		"as many texts as there may be":  {map[string]string{"xl/sharedStrings.xml": "<sst>" + strings.Repeat("<si/>", maxTexts) + "</sst>"}, ""},
		"more texts":                     {map[string]string{"xl/sharedStrings.xml": "<sst>" + strings.Repeat("<si/>", maxTexts+1) + "</sst>"}, "share more than"},
		"texts that are long together":   {map[string]string{"xl/sharedStrings.xml": "<sst>" + strings.Repeat("<si><t>"+strings.Repeat("x", 1<<20)+"</t></si>", maxText>>20+1) + "</sst>"}, "share more than"},
		"more styles than there may be":  {map[string]string{"xl/styles.xml": "<styleSheet><cellXfs>" + strings.Repeat("<xf/>", maxStyles+1) + "</cellXfs></styleSheet>"}, "styles of cells"},
		"as many merges as there may be": {map[string]string{"xl/worksheets/sheet1.xml": "<worksheet><sheetData>" + merges(maxMerges) + "</worksheet>"}, ""},
		"more merges":                    {map[string]string{"xl/worksheets/sheet1.xml": "<worksheet><sheetData>" + merges(maxMerges+1) + "</worksheet>"}, "more than 10000 cells that go over several rows"},
		"more rows than a sheet has":     {map[string]string{"xl/worksheets/sheet1.xml": fmt.Sprintf(`<worksheet><sheetData><row/><row r="%d"/></sheetData></worksheet>`, maxRows+1)}, "more than 1048576 rows"},
	} {
		_, _, err := readBook(simpleWith(t, "", names, want.parts), Options{})
		if want.why == "" && err != nil || want.why != "" && (err == nil || !strings.Contains(err.Error(), want.why)) {
			t.Errorf("%s: got %v, want %q", what, err, want.why)
		}
	}
}

// endless is a file of one letter.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

type counter struct {
	src io.Reader
	n   int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	c.n += n
	return n, err
}

// book is a workbook of parts.
func book(t *testing.T, parts map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, content := range parts {
		entry, err := w.Create(name)
		if err == nil {
			_, err = entry.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func readBook(file []byte, o Options) (Found, Rows, error) {
	return Workbook(bytes.NewReader(file), int64(len(file)), o)
}

// simple is a workbook of one sheet, with the parts that Excel writes.
func simple(t *testing.T, workbookPr, sheetData string) []byte {
	t.Helper()
	return simpleWith(t, workbookPr, sheetData, nil)
}

// simpleWith is simple with other parts in the place of some.
func simpleWith(t *testing.T, workbookPr, sheetData string, others map[string]string) []byte {
	t.Helper()
	const relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	parts := map[string]string{
		"_rels/.rels":     relations + `<Relationship Id="r" Type="` + office + `officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml": `<workbook xmlns:r="x">` + workbookPr + `<sheets><sheet name="Old" sheetId="2" state="hidden" r:id="rId2"/><sheet name="Rows" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": relations + `<Relationship Id="rId1" Type="` + office + `worksheet" Target="worksheets/sheet1.xml"/>` +
			`<Relationship Id="rId2" Type="` + office + `worksheet" Target="/xl/worksheets/sheet2.xml"/>` +
			`<Relationship Id="rId3" Type="` + office + `sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId4" Type="` + office + `styles" Target="styles.xml"/></Relationships>`,
		"xl/sharedStrings.xml": `<sst><si><t>Name</t></si><si><r><t>A</t></r><r><t>da</t></r><rPh><t>phonetic</t></rPh></si><si><t xml:space="preserve">line_x000D_</t></si></sst>`,
		"xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy hh:mm"/><numFmt numFmtId="165" formatCode="[Red]#,##0.00 &quot;days&quot;"/><numFmt numFmtId="166" formatCode="[h]:mm"/><numFmt numFmtId="167" formatCode="[$-407]d\. mmmm yyyy;@"/></numFmts>` +
			`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="167"/><xf numFmtId="21"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml": `<worksheet><sheetData>` + sheetData + `</worksheet>`,
		"xl/worksheets/sheet2.xml": `<worksheet><sheetData><row><c t="inlineStr"><is><t>Old</t></is></c></row><row><c><v>7</v></c></row></sheetData></worksheet>`,
	}
	maps.Copy(parts, others)
	return book(t, parts)
}

func TestCellsOfAWorkbookAreWhatTheyShow(t *testing.T) {
	t.Parallel()
	const names = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>V</t></is></c></row>`
	cell := func(attributes, content string) string {
		return names + `<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" ` + attributes + `>` + content + `</c></row></sheetData>`
	}
	ada := func(v string) string { return `2 {"Name":"Ada","V":` + v + "}\n" }
	for what, want := range map[string]struct{ pr, data, rows string }{
		"a whole number":                {"", cell("", "<v>42</v>"), ada("42")},
		"fifteen digits":                {"", cell("", "<v>19.989999999999998</v>"), ada("19.99")},
		"a sum of tenths":               {"", cell("", "<v>0.30000000000000004</v>"), ada("0.3")},
		"a small number":                {"", cell("", "<v>1E-3</v>"), ada("0.001")},
		"a large number":                {"", cell("", "<v>1.2345678901234567E+20</v>"), ada("123456789012346000000")},
		"a number in a format of days":  {"", cell(`s="3"`, "<v>12.5</v>"), ada("12.5")},
		"a date":                        {"", cell(`s="1"`, "<v>46053</v>"), ada(`"2026-01-31"`)},
		"a date in German":              {"", cell(`s="5"`, "<v>46053</v>"), ada(`"2026-01-31"`)},
		"a date and a time":             {"", cell(`s="2"`, "<v>46053.520833333336</v>"), ada(`"2026-01-31T12:30:00"`)},
		"a time":                        {"", cell(`s="6"`, "<v>0.52084490740740741</v>"), ada(`"12:30:01"`)},
		"hours that go on":              {"", cell(`s="4"`, "<v>1.5104166666666667</v>"), ada(`"36:15:00"`)},
		"the calendar of 1904":          {`<workbookPr date1904="1"/>`, cell(`s="1"`, "<v>44591</v>"), ada(`"2026-01-31"`)},
		"the first day of 1900":         {"", cell(`s="1"`, "<v>1</v>"), ada(`"1900-01-01"`)},
		"the last before the leap day":  {"", cell(`s="1"`, "<v>59</v>"), ada(`"1900-02-28"`)},
		"the first behind it":           {"", cell(`s="1"`, "<v>61</v>"), ada(`"1900-03-01"`)},
		"a leap day that there was not": {"", cell(`s="1"`, "<v>60</v>"), "2 ! column B: 29 February 1900, a day that there was not\n"},
		"a date before all":             {"", cell(`s="1"`, "<v>-1</v>"), "2 ! column B: a date before the calendar of Excel begins, or behind its end\n"},
		"yes and no":                    {"", cell(`t="b"`, "<v>1</v>"), ada("true")},
		"a text of a formula":           {"", cell(`t="str"`, `<f>A2&amp;"x"</f><v>Adax</v>`), ada(`"Adax"`)},
		"a number of a formula":         {"", cell("", "<f>1+1</f><v>2</v>"), ada("2")},
		"a formula without a value":     {"", cell("", "<f>1+1</f>"), "2 ! column B: a formula without a value. Open the workbook in a spreadsheet, and save it again\n"},
		"an error":                      {"", cell(`t="e"`, "<v>#N/A</v>"), "2 ! column B: the error #N/A\n"},
		"a date by ISO 8601":            {"", cell(`t="d"`, "<v>2026-01-31</v>"), ada(`"2026-01-31"`)},
		"a character that XML has not":  {"", cell(`t="s"`, "<v>2</v>"), ada(`"line"`)},
		"a postcode as a text":          {"", cell(`t="inlineStr"`, "<is><t>01067</t></is>"), ada(`"01067"`)},
		"nothing":                       {"", cell("", ""), "2 {\"Name\":\"Ada\"}\n"},
		"cells and rows without places": {"", `<row><c t="s"><v>0</v></c></row><row><c t="s"><v>1</v></c></row></sheetData>`, "2 {\"Name\":\"Ada\"}\n"},
		"rows that are left out":        {"", names + `<row r="5"><c r="B5"><v>1</v></c></row></sheetData>`, "5 {\"V\":1}\n"},
		"a cell over three rows":        {"", names + `<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2"><v>1</v></c></row><row r="3"><c r="B3"><v>2</v></c></row><row r="4"/></sheetData><mergeCells><mergeCell ref="A2:A4"/></mergeCells>`, "2 {\"Name\":\"Ada\",\"V\":1}\n3 {\"Name\":\"Ada\",\"V\":2}\n"},
		"a text that there is not":      {"", cell(`t="s"`, "<v>99</v>"), "2 ! column B: the workbook is damaged, or not all of it is there. Open it in a spreadsheet, and save it again\n"},
		"a sheet that is cut off":       {"", names + `<row r="2"><c r="A2" t="s"><v>1</v></c></row><row r="3"><c`, ""},
	} {
		found, rows, err := readBook(simple(t, want.pr, want.data), Options{})
		if want.rows == "" {
			if err == nil {
				t.Errorf("%s: got no error", what)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if found.Sheet != "Rows" || fmt.Sprint(found.Sheets) != "[Old Rows]" {
			t.Errorf("%s: found %+v", what, found)
		}
		for range 2 { // rows that nobody reads hold nothing, so they can be read again
			if got := read(t, rows); got != want.rows {
				t.Errorf("%s: got\n%swant\n%s", what, got, want.rows)
			}
		}
	}
}

func TestAReaderMayStopAtARow(t *testing.T) {
	t.Parallel()
	_, ofBook, err := readBook(simple(t, "", `<row><c t="s"><v>0</v></c></row><row><c t="s"><v>1</v></c></row><row><c t="s"><v>1</v></c></row></sheetData>`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, ofCSV, err := CSV(strings.NewReader("A\n1\n2\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, inGroups, err := CSV(strings.NewReader("K,Items.X\n1,a\n2,b\n3,c\n"), Options{Key: "K", Items: "Items"})
	if err != nil {
		t.Fatal(err)
	}
	for what, rows := range map[string]Rows{"a workbook": ofBook, "CSV": ofCSV, "rows of keys": inGroups} {
		n := 0
		for range rows {
			n++
			break
		}
		if n != 1 {
			t.Errorf("%s: got %d rows, want the first", what, n)
		}
	}
}

func TestASheetIsChosenByItsName(t *testing.T) {
	t.Parallel()
	file := simple(t, "", `<row r="1"/></sheetData>`)
	if _, rows, err := readBook(file, Options{Sheet: "Old"}); err != nil || read(t, rows) != "2 {\"Old\":7}\n" {
		t.Errorf("got %v, want its row", err)
	}
	for why, o := range map[string]Options{`no sheet "New": it has "Old", "Rows"`: {Sheet: "New"}, `sheet "Rows" is empty`: {}} {
		if _, _, err := readBook(file, o); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("got %v, want %s", err, why)
		}
	}
}

func TestHiddenRowsAreCounted(t *testing.T) {
	t.Parallel()
	found, rows, err := readBook(simple(t, "", `<row r="1"><c t="s"><v>0</v></c></row><row r="2" hidden="1"><c t="s"><v>1</v></c></row></sheetData>`), Options{})
	if err != nil || found.Hidden != 1 || read(t, rows) != "2 {\"Name\":\"Ada\"}\n" {
		t.Errorf("got %+v, %v; want one hidden row, which is a row", found, err)
	}
}

func TestWhatIsNoWorkbookSaysSo(t *testing.T) {
	t.Parallel()
	whole := simple(t, "", `<row r="1"><c t="s"><v>0</v></c></row></sheetData>`)
	for why, file := range map[string][]byte{
		"old workbook (.xls), or has a password": []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"),
		"no workbook (.xlsx), or not all":        whole[:len(whole)-10],
		"it has no sheets":                       book(t, map[string]string{"word/document.xml": "<document/>"}),
	} {
		if _, _, err := readBook(file, Options{}); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("got %v, want %s", err, why)
		}
	}
}

func TestColumnsHaveTheLettersOfSpreadsheets(t *testing.T) {
	t.Parallel()
	for column, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 701: "ZZ", 702: "AAA"} {
		if got := letters(column); got != want {
			t.Errorf("%d: got %s, want %s", column, got, want)
		}
	}
}
