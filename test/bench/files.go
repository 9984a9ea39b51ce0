package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"

	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/drive/slides"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/pml"
)

// Kinds of files, by the ends of their names.
const (
	document     = ".docx"
	presentation = ".pptx"
)

// A file is an Office file without tags.
type file struct {
	name, title, kind string
	data              []byte
}

func kindOf(e examples.Example) string {
	if e.Name == examples.Offer {
		return presentation
	}
	return document
}

var element = regexp.MustCompile(`<[^>]*>`)

// tags counts those of an example, headers and footers included.
func tags(e examples.Example) (int, error) {
	p, err := opc.ReadPackage(e.Template)
	if err != nil {
		return 0, err
	}
	parts := []string{p.MainPart()}
	for _, r := range p.Relationships(p.MainPart()) {
		if r.Type == "header" || r.Type == "footer" {
			parts = append(parts, r.Target)
		}
	}
	n := 0
	for _, part := range parts {
		xml, _ := p.Part(part)
		n += bytes.Count(element.ReplaceAll(xml, nil), []byte("{{"))
	}
	return n, nil
}

// tenPages is a report on the paper of the example letter: its styles, header
// with logo and footer, and on each page a heading, text set in lines, a list
// and a table.
func tenPages(letter file) (file, error) {
	p, err := opc.ReadPackage(letter.data)
	if err != nil {
		return file{}, err
	}
	part := p.MainPart()
	xml, _ := p.Part(part)
	head, rest, found := strings.Cut(string(xml), "<w:body>")
	section := strings.LastIndex(rest, "<w:sectPr>")
	if !found || section < 0 {
		return file{}, errors.New("the example letter has no body with a section")
	}
	words := rand.New(rand.NewPCG(1, 1)) // the same words each time
	body := ""
	for n := range 10 {
		body += reportPage(words, n+1)
	}
	p.SetPart(part, p.ContentType(part), []byte(head+"<w:body>"+body+rest[section:]))
	data, err := p.Bytes()
	return file{name: "ten pages", title: "Report", kind: document, data: data}, err
}

func reportPage(random *rand.Rand, number int) string {
	paragraph := func(properties, text string) string {
		return "<w:p><w:pPr>" + properties + `</w:pPr><w:r><w:t xml:space="preserve">` + text + "</w:t></w:r></w:p>"
	}
	pageBreak := ""
	if number > 1 {
		pageBreak = "<w:pageBreakBefore/>"
	}
	page := paragraph(`<w:pStyle w:val="Heading1"/>`+pageBreak, fmt.Sprintf("%d. %s", number, someWords(random, 4)))
	for range 3 {
		page += paragraph(`<w:pStyle w:val="BodyText"/><w:jc w:val="both"/>`, someWords(random, 75)+".")
	}
	for range 4 {
		page += paragraph(`<w:pStyle w:val="ListBullet"/>`, someWords(random, 8))
	}
	border := `<w:%s w:val="single" w:sz="4" w:space="0" w:color="C9D3DC"/>`
	borders := ""
	for _, side := range []string{"top", "left", "bottom", "right", "insideH", "insideV"} {
		borders += fmt.Sprintf(border, side)
	}
	page += `<w:tbl><w:tblPr><w:tblW w:w="9412" w:type="dxa"/><w:tblBorders>` + borders + `</w:tblBorders></w:tblPr><w:tblGrid>` + strings.Repeat(`<w:gridCol w:w="2353"/>`, 4) + "</w:tblGrid>"
	for range 8 {
		page += "<w:tr>"
		for range 4 {
			page += `<w:tc><w:tcPr><w:tcW w:w="2353" w:type="dxa"/></w:tcPr>` + paragraph("", someWords(random, 2)) + "</w:tc>"
		}
		page += "</w:tr>"
	}
	return page + "</w:tbl>" + paragraph("", "")
}

func someWords(random *rand.Rand, count int) string {
	all := strings.Fields("harbour berth yacht season agreement of the and with for each member club water engine inspection is was has been quarter result " +
		"weather Hafenstraße café north south insurance between under regular maintenance 2026 1,480.50 guests charter week crew figures list")
	picked := make([]string, count)
	for i := range picked {
		picked[i] = all[random.IntN(len(all))]
	}
	return strings.Join(picked, " ")
}

// fiveSlides is the example offer with its slide five times.
func fiveSlides(offer file) (file, error) {
	p, err := pml.ReadPresentation(offer.data)
	if err != nil {
		return file{}, err
	}
	resource, err := slides.Get(p, "example", "Example", "1")
	if err != nil {
		return file{}, err
	}
	again := &gslides.Request{DuplicateObject: &gslides.DuplicateObjectRequest{ObjectId: resource.Slides[0].ObjectId}}
	if _, err := slides.Apply(p, "example", []*gslides.Request{again, again, again, again}); err != nil {
		return file{}, err
	}
	data, err := p.Bytes()
	return file{name: "five slides", title: "Offer", kind: presentation, data: data}, err
}
