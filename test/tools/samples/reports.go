package main

import (
	"fmt"
	"strings"
)

// heading is a style with a number of its own in contents; sizes in points.
func heading(level int, points float64, color string, before int) string {
	return fmt.Sprintf(`<w:style w:type="paragraph" w:styleId="Heading%d"><w:name w:val="heading %d"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:pPr><w:keepNext/><w:keepLines/><w:numPr><w:ilvl w:val="%d"/><w:numId w:val="3"/></w:numPr><w:spacing w:before="%d" w:after="80"/><w:outlineLvl w:val="%d"/></w:pPr><w:rPr><w:b/><w:bCs/><w:color w:val="%s"/>%s</w:rPr></w:style>`,
		level, level, level-1, before, level-1, color, size(points))
}

// contents is a style of a line of contents.
func contents(level int) string {
	return fmt.Sprintf(`<w:style w:type="paragraph" w:styleId="TOC%d"><w:name w:val="toc %d"/><w:basedOn w:val="Normal"/><w:pPr><w:tabs><w:tab w:val="left" w:pos="%d"/><w:tab w:val="right" w:leader="dot" w:pos="9072"/></w:tabs><w:spacing w:after="60"/><w:ind w:start="%d"/></w:pPr></w:style>`,
		level, level, 240+560*level, 240*(level-1))
}

// bookReport has a cover, contents, footnotes, numbered headings and tables with captions.
func bookReport() *word {
	d := newWord("Cambria", "en-GB")
	d.styles = heading(1, 16, "1F4E79", 360) + heading(2, 13, "2E74B5", 240) + contents(1) + contents(2) +
		`<w:style w:type="paragraph" w:styleId="Caption"><w:name w:val="caption"/><w:basedOn w:val="Normal"/><w:pPr><w:keepNext/><w:spacing w:before="160" w:after="60"/></w:pPr><w:rPr><w:i/><w:iCs/><w:color w:val="1F4E79"/>` + size(9) + `</w:rPr></w:style>`
	d.list(level(0, "decimal", "%1", 567, 567), level(1, "decimal", "%1.%2", 567, 567))
	d.header = d.paragraph(`<w:pBdr><w:bottom w:val="single" w:sz="4" w:space="2" w:color="1F4E79"/></w:pBdr><w:tabs><w:tab w:val="right" w:pos="9072"/></w:tabs>`, `<w:i/>`+size(9), "Energy report 2026\tTown of Altental")
	d.footer = d.pageOf(`<w:jc w:val="center"/>`, size(9), "Page", "of")
	d.p(`<w:spacing w:before="2400" w:after="120"/>`, `<w:b/><w:color w:val="1F4E79"/>`+size(32), "Energy report 2026")
	d.p(`<w:spacing w:after="600"/>`, `<w:color w:val="595959"/>`+size(16), "Use, costs and emissions of the town’s 64 buildings")
	d.raw(`<w:jc w:val="center"/><w:spacing w:after="600"/>`, d.paint(landscape(1), 400, 250))
	d.p("", "", "Office of Building Management\nEditor: Marlene Okonjo\nNovember 2026")
	d.p(`<w:pageBreakBefore/>`, `<w:b/><w:color w:val="1F4E79"/>`+size(16), "Contents")
	chapters := []struct {
		title    string
		page     int
		sections []string
	}{{"Summary", 3, nil}, {"How the figures were taken", 3, []string{"Meters", "Weather"}}, {"Results", 4, []string{"Heat", "Electricity", "Water"}}, {"What comes next", 5, []string{"Measures until 2028", "Money"}}}
	begin := `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> TOC \o "1-2" \h </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>`
	for i, chapter := range chapters {
		d.raw(`<w:pStyle w:val="TOC1"/>`, begin+d.runs("", fmt.Sprintf("%d\t%s\t%d", i+1, chapter.title, chapter.page)))
		begin = ""
		for n, title := range chapter.sections {
			d.raw(`<w:pStyle w:val="TOC2"/>`, d.runs("", fmt.Sprintf("%d.%d\t%s\t%d", i+1, n+1, title, chapter.page)))
		}
	}
	d.raw("", `<w:r><w:fldChar w:fldCharType="end"/></w:r>`)
	text := "The town’s buildings used 18.4 GWh of heat and 6.1 GWh of electricity, four and two per cent less than in the year before. The mild winter explains about half of it; the rest is the work on the two schools and the new control of the swimming pool."
	for i, chapter := range chapters {
		first := `<w:pStyle w:val="Heading1"/>`
		if i == 0 {
			first += `<w:pageBreakBefore/>`
		}
		d.p(first, "", chapter.title)
		d.raw(`<w:jc w:val="both"/>`, d.runs("", text)+d.note([]string{"All figures are rounded; sums may differ in the last place.", "Meters are read on the first working day of a month.", "Figures of the fire station are estimated for March.", "The council decided on 8 October 2026 (paper 118/26)."}[i])+d.runs("", " "+strings.Repeat("Buildings that are heated with wood are counted with their share of the delivered chips. ", 3)))
		for n, title := range chapter.sections {
			d.p(`<w:pStyle w:val="Heading2"/>`, "", title)
			d.p(`<w:jc w:val="both"/>`, "", strings.Repeat(text+" ", 2))
			if i == 2 {
				d.raw(`<w:pStyle w:val="Caption"/>`, d.runs("", "Table ")+field("SEQ Table", "", fmt.Sprint(n+1))+d.runs("", ": "+title+" by kind of building"))
				d.table(grid, []int{3672, 1800, 1800, 1800}, 1, []string{"Building", "2024", "2025", "2026"}, []string{"Schools", "7,410", "7,120", "6,655"}, []string{"Sports halls and pool", "6,020", "5,990", "5,804"}, []string{"Offices", "3,180", "3,204", "3,150"}, []string{"Others", "2,760", "2,810", "2,791"})
			}
		}
		for _, point := range []string{"Heat pumps replace two oil boilers.", "Sensors switch the light of corridors.", "Roofs of three schools get solar cells of 240 kW in all."} {
			if i == 3 {
				d.p(item(2, 0), "", point)
			}
		}
	}
	return d
}

// newsletter has a title over the page, and text in two and three columns around pictures.
func newsletter() *word {
	d := newWord("Georgia", "en-GB")
	d.margins = [4]int{1134, 1134, 1134, 1134}
	// columns ends a section of n columns.
	columns := func(n int) {
		line := ""
		if n > 1 {
			line = ` w:sep="1"`
		}
		fmt.Fprintf(&d.body, `<w:p><w:pPr><w:spacing w:after="0" w:line="20" w:lineRule="exact"/><w:sectPr><w:type w:val="continuous"/><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" w:header="708" w:footer="708" w:gutter="0"/><w:cols w:num="%d" w:space="454"%s/></w:sectPr></w:pPr></w:p>`, n, line)
	}
	d.p(`<w:jc w:val="center"/><w:spacing w:after="0"/>`, `<w:b/><w:color w:val="833C0B"/>`+size(34), "The Orchard Post")
	d.p(`<w:pBdr><w:top w:val="single" w:sz="8" w:space="2" w:color="833C0B"/><w:bottom w:val="single" w:sz="8" w:space="2" w:color="833C0B"/></w:pBdr><w:tabs><w:tab w:val="center" w:pos="4819"/><w:tab w:val="right" w:pos="9638"/></w:tabs>`, size(9), "No. 48\tNews for tenants and neighbours\tNovember 2026")
	columns(1)
	title := func(text string) {
		d.p(`<w:keepNext/><w:spacing w:before="160" w:after="60"/>`, `<w:b/><w:color w:val="833C0B"/>`+size(14), text)
	}
	story := "The old press house is a meeting place again. Forty neighbours carried out rubble, laid the floor and painted the windows, and on the first of November the kettle boiled for the first time. "
	title("A kettle boils again")
	d.raw(`<w:jc w:val="both"/>`, d.float(landscape(4), "right", 110, 70)+d.runs(size(10), strings.Repeat(story, 3)))
	d.p(`<w:jc w:val="both"/>`, size(10), strings.Repeat(story, 2))
	title("Heating season")
	d.p(`<w:jc w:val="both"/>`, size(10), "Bleed your radiators once before the frost. If one stays cold, call the caretaker; do not turn the valve in the cellar. "+strings.Repeat("A room at nineteen degrees costs about six per cent less for each degree than one at twenty. ", 3))
	title("Bins")
	d.p(`<w:jc w:val="both"/>`, size(10), "From January paper is collected on Thursdays. "+strings.Repeat("Please put the bins out by six in the morning and take them back in the evening. ", 4))
	columns(2)
	d.p(`<w:shd w:val="clear" w:color="auto" w:fill="FBE4D5"/><w:jc w:val="center"/><w:spacing w:before="200" w:after="120"/>`, `<w:i/>`+size(12), "“I have not had so many people at my table since the wedding.” – Mrs Achterberg, no. 7")
	columns(1)
	for _, date := range []string{"3 December\nCarols in the yard, with soup", "12 December\nRepair café: bring what is broken", "17 December\nBuilding committee, open to all", "6 January\nCollection of trees", "14 January\nFrench for beginners, first evening", "22 January\nMeeting of tenants in the press house", "30 January\nSwap of books and toys", "5 February\nFirst aid for grandparents", "11 February\nPancakes"} {
		d.p(`<w:keepLines/><w:spacing w:after="80"/>`, size(10), "**"+strings.Replace(date, "\n", "**\n", 1))
	}
	columns(3)
	d.kind = "continuous"
	d.p(`<w:pBdr><w:top w:val="single" w:sz="8" w:space="2" w:color="833C0B"/></w:pBdr><w:jc w:val="center"/><w:spacing w:before="200"/>`, size(8), "Orchard Homes plc, 4 Orchard Lane, Bath · written by tenants · the next number appears in February")
	return d
}

// borderCertificate has a border around its page in landscape.
func borderCertificate() *word {
	d := newWord("Palatino Linotype", "en-GB")
	d.landscape = true
	side := func(name string) string {
		return `<w:` + name + ` w:val="double" w:sz="18" w:space="24" w:color="7F6000"/>`
	}
	d.section = `<w:pgBorders w:offsetFrom="page">` + side("top") + side("left") + side("bottom") + side("right") + `</w:pgBorders><w:vAlign w:val="center"/>`
	center := `<w:jc w:val="center"/>`
	d.raw(center, d.paint(logo(), 120, 60))
	d.p(center+`<w:spacing w:before="240" w:after="240"/>`, `<w:b/><w:smallCaps/><w:color w:val="7F6000"/><w:spacing w:val="60"/>`+size(34), "Certificate of Apprenticeship")
	d.p(center, size(13), "The Chamber of Crafts of Altental hereby certifies that")
	d.p(center+`<w:pBdr><w:bottom w:val="single" w:sz="6" w:space="2" w:color="7F6000"/></w:pBdr><w:ind w:start="2835" w:end="2835"/>`, `<w:i/>`+size(30), "Rosalía Fernández Ibáñez")
	d.p(center+`<w:spacing w:before="240"/>`, size(13), "born on 4 May 2004 in Santander, has passed the final examination in the trade of\n**Cabinet maker**\nwith the overall mark **very good (1.3)** and is entitled to bear the title of journeywoman.")
	d.merged(`<w:jc w:val="center"/>`, []int{4000, 4000, 4000}, row{height: 1300, cells: []cell{{text: "Altental, 20 November 2026", align: "center", anchor: "bottom"}, {text: "", align: "center"}, {text: "Prof. Dr. Ansgar Vielhaber", align: "center", anchor: "bottom"}}},
		row{cells: []cell{{text: "Place and date", align: "center", format: `<w:i/>` + size(9)}, {}, {text: "President of the Chamber", align: "center", format: `<w:i/>` + size(9)}}})
	return d
}

// parcelLabels are eight labels of 99 × 67 mm on a sheet, with services and weights.
func parcelLabels() *word {
	d := newWord("Arial", "nl-NL")
	d.margins = [4]int{737, 262, 0, 262}
	frame := `<w:tblBorders><w:top w:val="dotted" w:sz="4" w:space="0" w:color="A6A6A6"/><w:left w:val="dotted" w:sz="4" w:space="0" w:color="A6A6A6"/><w:bottom w:val="dotted" w:sz="4" w:space="0" w:color="A6A6A6"/><w:right w:val="dotted" w:sz="4" w:space="0" w:color="A6A6A6"/><w:insideH w:val="dotted" w:sz="4" w:space="0" w:color="A6A6A6"/><w:insideV w:val="dotted" w:sz="4" w:space="0" w:color="A6A6A6"/></w:tblBorders>`
	people := []string{"Drukkerij De Vries & Zn.\nT.a.v. mevr. A. van ’t Hoff\nIJsselkade 14\n7411 AB DEVENTER", "Fa. Gebr. Jacobs\nMagazijn 3\nRue de l’Église 20\n4000 LIÈGE\nBELGIQUE", "Café Zürichberg\nHerr Urs Bräunli\nVoltastrasse 9\n8044 ZÜRICH\nSCHWEIZ", "Møller & Søn ApS\nNørrebrogade 81, 2. tv.\n2200 KØBENHAVN N\nDANMARK"}
	var rows []row
	for r := range 4 {
		line := row{height: 3798}
		for column := range 2 {
			n := 2*r + column
			bar := d.paragraph(`<w:shd w:val="clear" w:color="auto" w:fill="000000"/><w:tabs><w:tab w:val="right" w:pos="5200"/></w:tabs><w:spacing w:before="120" w:after="120" w:line="240" w:lineRule="auto"/>`, `<w:b/><w:color w:val="FFFFFF"/>`+size(12), []string{"EXPRESS\t24 h", "PAKKET\tBE", "PAKKET\tCH", "PAKKET\tDK"}[n%4])
			line.cells = append(line.cells, cell{anchor: "center", raw: d.paragraph(tight, size(7), "Afzender: Boekbinderij Linde, Kerkstraat 5, 3511 LX Utrecht") + bar + d.paragraph(tight+`<w:ind w:start="567"/>`, size(12), people[n%4]) +
				d.paragraph(`<w:tabs><w:tab w:val="right" w:pos="5200"/></w:tabs><w:spacing w:before="160" w:after="0" w:line="240" w:lineRule="auto"/>`, size(8), fmt.Sprintf("Colli %d van 8\t%d,%d kg", n+1, 2+n, n))})
		}
		rows = append(rows, line)
	}
	d.merged(frame, []int{5613, 5613}, rows...)
	d.p(`<w:spacing w:after="0" w:line="20" w:lineRule="exact"/>`, size(1), "")
	return d
}
