package main

import "strings"

// payslip is a dense table of small figures.
func payslip() *word {
	d := newWord("Arial", "en-GB")
	d.margins = [4]int{1134, 1134, 1134, 1134}
	small := size(8)
	pair := func(label, value string) []cell {
		return []cell{{text: label, format: small, fill: "F2F2F2"}, {text: value, format: "<w:b/>" + small}}
	}
	d.merged(grid, []int{6638, 3000}, row{cells: []cell{{text: "Northwind Traders Ltd", format: "<w:b/>" + size(14)}, {text: "Payslip · November 2026", align: "end", format: "<w:b/>" + size(11), anchor: "center"}}})
	d.merged(grid, []int{1400, 1812, 1400, 1813, 1400, 1813},
		row{cells: append(append(pair("Employee", "Siân Llewellyn"), pair("Number", "00417")...), pair("Tax code", "1257L")...)},
		row{cells: append(append(pair("Department", "Warehouse"), pair("NI number", "QQ 12 34 56 C")...), pair("Pay date", "27/11/2026")...)})
	d.gap(4)
	rows := []row{{cells: filled("1F3864", cells(1, `<w:b/><w:color w:val="FFFFFF"/>`+small, "Payments", "Hours", "Rate", "Amount", "Deductions", "Amount"))}}
	rows[0].cells[4].align = "start"
	for _, line := range [][]string{
		{"Basic pay", "151.67", "15.20", "2,305.38", "Income tax", "295.40"}, {"Overtime × 1.5", "9.50", "22.80", "216.60", "National Insurance", "141.93"}, {"Overtime × 2", "4.00", "30.40", "121.60", "Pension (5 %)", "132.18"},
		{"Night allowance", "12.00", "2.15", "25.80", "Student loan, plan 2", "18.00"}, {"Holiday pay", "", "", "0.00", "Cycle to work", "41.66"}, {"Expenses, not taxed", "", "", "48.12", "Union", "14.53"},
	} {
		cells := cells(1, small, line...)
		cells[4].align = "start"
		rows = append(rows, row{cells: cells})
	}
	total := filled("D9E2F3", cells(1, "<w:b/>"+small, "Total payments", "", "", "2,717.50", "Total deductions", "643.70"))
	total[4].align = "start"
	d.merged(grid, []int{2219, 900, 900, 1300, 2819, 1500}, append(rows, row{cells: total})...)
	d.gap(4)
	d.merged(grid, []int{1606, 1606, 1606, 1606, 1607, 1607},
		row{cells: []cell{{text: "This year so far", span: 4, format: "<w:b/>" + small, fill: "F2F2F2"}, {text: "Net pay", span: 2, merge: "restart", align: "center", anchor: "center", fill: "C5E0B3", format: "<w:b/>" + size(13), raw: d.paragraph(`<w:jc w:val="center"/>`+tight, small, "Net pay") + d.paragraph(`<w:jc w:val="center"/>`+tight, "<w:b/>"+size(15), "£2,073.80")}}},
		row{cells: append(cells(0, small, "Gross for tax", "Tax paid", "NI paid", "Pension"), cell{span: 2, merge: "continue", fill: "C5E0B3"})},
		row{cells: append(cells(0, small, "20,904.16", "2,298.20", "1,104.57", "1,045.21"), cell{span: 2, merge: "continue", fill: "C5E0B3"})})
	d.p(`<w:spacing w:before="120"/>`, size(7.5), "Paid by BACS to account ending 4471. Questions: payroll@example.com. Holiday left: 6.5 days. The Christmas payment run is on **18 December**.")
	d.p(`<w:pBdr><w:top w:val="dashed" w:sz="6" w:space="6" w:color="808080"/></w:pBdr><w:jc w:val="center"/>`, size(7), "✂ keep this slip for at least two years")
	return d
}

// minutes are numbered on four levels.
func minutes() *word {
	d := newWord("Calibri", "en-GB")
	d.list(level(0, "decimal", "%1", 567, 567), level(1, "decimal", "%1.%2", 1134, 567), level(2, "lowerLetter", "%3)", 1588, 454), level(3, "lowerRoman", "%4.", 2041, 453))
	d.p(`<w:spacing w:after="0"/>`, `<w:b/>`+size(20), "Minutes")
	d.p(`<w:pBdr><w:bottom w:val="single" w:sz="8" w:space="4" w:color="2F5496"/></w:pBdr>`, `<w:color w:val="2F5496"/>`+size(12), "Building committee of Orchard Homes plc, 19 November 2026, 14:00–16:10, room 3.04")
	d.merged("", []int{1701, 7371},
		row{cells: []cell{{text: "Present", format: "<w:b/>"}, {text: "Amara Eze (chair), Tomás Rivera, Wilhelmina Jansen, Odd Bjørnstad (minutes)"}}},
		row{cells: []cell{{text: "Apologies", format: "<w:b/>"}, {text: "Henrietta Locke"}}},
		row{cells: []cell{{text: "Papers", format: "<w:b/>"}, {text: "BC/26/41 to BC/26/44"}}})
	for _, line := range []struct {
		level int
		text  string
	}{
		{0, "**Minutes of the last meeting**"}, {1, "The minutes of 22 October were approved with one change: in 4.2 “shall” becomes “may”."}, {1, "Matters arising:"}, {2, "the crane permit has come;"}, {2, "the neighbour at no. 14 has agreed to the scaffold, on two conditions:"}, {3, "no work before eight o’clock,"}, {3, "the hedge is replanted in spring."},
		{0, "**Progress of the site**"}, {1, "Mr Rivera reported that the shell is finished up to the second floor. Concrete for the third is ordered for 2 December if the temperature stays above 5 °C; otherwise the date moves to the week after."}, {1, "Costs stand at £2.84 million of £4.10 million. The committee noted the following risks:"}, {2, "the price of copper, up 11 % since September;"}, {2, "a gap of three weeks between the lift’s delivery and the electrician’s start."},
		{0, "**Decisions**"}, {1, "The facade is made of larch, untreated (for: 3, against: 1)."}, {1, "The tender for the outside areas goes out in January:"}, {2, "lot 1, paths and drainage;"}, {2, "lot 2, planting;"}, {3, "trees of at least 18 cm girth,"}, {3, "three years of care."}, {0, "**Any other business**"}, {1, "The next meeting is on **17 December 2026** at 14:00."},
	} {
		before := ""
		if line.level == 0 {
			before = `<w:keepNext/>`
		}
		d.p(before+item(3, line.level)+`<w:spacing w:before="60" w:after="60"/>`, "", line.text)
	}
	d.p(`<w:keepNext/><w:spacing w:before="240"/>`, "<w:b/>", "Actions")
	d.table(grid, []int{4772, 2300, 2000}, 9, []string{"What", "Who", "Until"}, []string{"Ask three firms for prices of larch boards", "W. Jansen", "4 December"}, []string{"Move the electrician’s start forward", "T. Rivera", "27 November"}, []string{"Draft the tender, both lots", "O. Bjørnstad", "15 December"})
	d.footer = d.pageOf(`<w:jc w:val="end"/>`, size(8), "Building committee, 19 November 2026 – page", "of")
	return d
}

// controls is a form of content controls: text, a list, a date, check boxes.
func controls() *word {
	d := newWord("Calibri", "en-GB")
	grey := `<w:color w:val="808080"/>`
	text := func(title, value string) string {
		return control(`<w:alias w:val="`+title+`"/><w:tag w:val="`+strings.ReplaceAll(title, " ", "_")+`"/><w:text/>`, d.runs("", value))
	}
	placeholder := func(title, value string) string {
		return control(`<w:alias w:val="`+title+`"/><w:showingPlcHdr/><w:text/>`, d.runs(grey, value))
	}
	list := control(`<w:alias w:val="Kind of contract"/><w:dropDownList><w:listItem w:displayText="permanent" w:value="p"/><w:listItem w:displayText="for a term" w:value="t"/></w:dropDownList>`, d.runs("", "for a term"))
	date := control(`<w:alias w:val="First day"/><w:date w:fullDate="2027-02-01T00:00:00Z"><w:dateFormat w:val="d MMMM yyyy"/><w:lid w:val="en-GB"/><w:storeMappedDataAs w:val="dateTime"/><w:calendar w:val="gregorian"/></w:date>`, d.runs("", "1 February 2027"))
	d.p(`<w:shd w:val="clear" w:color="auto" w:fill="2F5496"/><w:jc w:val="center"/><w:spacing w:before="0" w:after="0"/>`, `<w:b/><w:color w:val="FFFFFF"/>`+size(18), "New starter form")
	d.p(`<w:shd w:val="clear" w:color="auto" w:fill="D9E2F3"/><w:jc w:val="center"/>`, size(9), "Please fill in all fields and send the form to people@example.com before the first day.")
	field := func(label, runs string) row {
		return row{height: 420, cells: []cell{{text: label, format: "<w:b/>", fill: "F2F2F2", anchor: "center"}, {raw: `<w:p><w:pPr><w:spacing w:before="40" w:after="40" w:line="240" w:lineRule="auto"/></w:pPr>` + runs + `</w:p>`, anchor: "center"}}}
	}
	section := func(title string) row {
		return row{cells: []cell{{text: title, span: 2, format: `<w:b/><w:caps/><w:color w:val="2F5496"/>`, fill: "D9E2F3"}}}
	}
	choice := func(isChecked bool, text string) string { return d.checkBox(isChecked) + d.runs("", " "+text+"    ") }
	d.merged(grid, []int{2835, 6237}, section("Person"), field("Full name", text("Full name", "Ngozi Adeyemi-Clarke")), field("Preferred name", placeholder("Preferred name", "Click here to enter text")), field("Date of birth", text("Date of birth", "14 March 1994")),
		field("Title", choice(false, "Mr")+choice(true, "Ms")+choice(false, "Mx")+choice(false, "Dr")),
		section("Work"), field("First day", date), field("Kind of contract", list), field("Weekly hours", text("Weekly hours", "37.5")), field("Works from", choice(true, "office")+choice(true, "home")+choice(false, "site")),
		section("Equipment"), field("Computer", choice(false, "none")+choice(true, "notebook 14″")+choice(false, "notebook 16″")), field("Access", choice(true, "building")+choice(true, "car park")+choice(false, "server room")), field("Remarks", placeholder("Remarks", "Click here to enter text")))
	d.body.WriteString(`<w:sdt><w:sdtPr><w:alias w:val="Consent"/></w:sdtPr><w:sdtContent>`)
	d.raw(`<w:spacing w:before="240"/><w:ind w:start="425" w:hanging="425"/><w:jc w:val="both"/>`, d.checkBox(true)+d.runs("", "\tI agree that my picture is shown in the directory of the company. I can withdraw this at any time, without a reason and without any drawback."))
	d.body.WriteString(`</w:sdtContent></w:sdt>`)
	d.p(`<w:tabs><w:tab w:val="left" w:leader="dot" w:pos="4253"/><w:tab w:val="left" w:pos="4820"/><w:tab w:val="left" w:leader="dot" w:pos="9072"/></w:tabs><w:spacing w:before="600" w:after="0"/>`, "", "\t\t\t")
	d.p(`<w:tabs><w:tab w:val="left" w:pos="4820"/></w:tabs>`, size(8), "Place and date\tSignature")
	return d
}

// windowLetter keeps the places of DIN 5008, form B: address field, fold marks,
// information block.
func windowLetter() *word {
	d := newWord("Arial", "de-DE")
	d.margins = [4]int{5613, 1134, 1985, 1417}
	one := func(format, text string) string { return d.paragraph(tight, format, text) }
	field := func(x, y, w, h float64, text string) string { return d.shape("rect", x, y, w, h, "", "", text) }
	const mm = 72 / 25.4
	mark := func(y float64) string { return d.shape("rect", 5*mm, y*mm, 14, 0.7, "000000", "", "") }
	d.raw(tight, mark(105)+mark(148.5)+mark(210)+
		field(20*mm, 45*mm, 85*mm, 45*mm, one(`<w:u w:val="single"/>`+size(6.5), "Sparkasse am Kanal · Hafenweg 2 · 48155 Münster")+one(size(7), " ")+one("", "Einschreiben")+one("", "Frau")+one("", "Dr. Käthe Süßmilch")+one("", "Prinzipalmarkt 8")+one("", "48143 Münster"))+
		field(125*mm, 45*mm, 75*mm, 48*mm, one(size(9), "Ihr Zeichen: sü")+one(size(9), "Ihre Nachricht vom: 12.11.2026")+one(size(9), "Unser Zeichen: bk-kr 4471")+one(size(9), " ")+one(size(9), "Name: Bernd Köster")+one(size(9), "Telefon: 0251 555-2140")+one(size(9), "E-Mail: koester@example.com")+one(size(9), " ")+one(size(9), "Datum: 23.11.2026")))
	d.p(`<w:spacing w:after="480"/>`, "<w:b/>", "Ihr Antrag auf ein Baudarlehen über 180.000 €")
	d.p("", "", "Sehr geehrte Frau Dr. Süßmilch,")
	for _, text := range []string{
		"vielen Dank für Ihr Vertrauen. Wir haben Ihren Antrag geprüft und bieten Ihnen das Darlehen zu **3,41 % Sollzins** (effektiver Jahreszins 3,52 %) mit einer Zinsbindung von zehn Jahren an. Die monatliche Rate beträgt 811,50 €.",
		"Bitte senden Sie uns bis zum **11. Dezember 2026** den unterschriebenen Vertrag, den Grundbuchauszug und die Bestätigung Ihrer Wohngebäudeversicherung. Für Sondertilgungen bis zu 5 % der Darlehenssumme im Jahr berechnen wir kein Entgelt.",
		"An das Angebot halten wir uns drei Wochen gebunden. Für ein Gespräch stehe ich Ihnen gern zur Verfügung.",
	} {
		d.p("", "", text)
	}
	d.p(`<w:spacing w:before="240" w:after="720"/>`, "", "Mit freundlichen Grüßen")
	d.p("", "", "i. V. Bernd Köster\nBaufinanzierung")
	d.p(tight, size(9), "Anlagen\nDarlehensvertrag (zweifach), Europäisches Standardisiertes Merkblatt")
	d.footer = d.mergedTable("", []int{3118, 3118, 3119}, row{cells: cells(9, size(7), "Sparkasse am Kanal\nAnstalt des öffentlichen Rechts\nHafenweg 2, 48155 Münster", "Vorstand: Ruth Ahlers (Vorsitz), Jens Öztürk\nAmtsgericht Münster HRA 9911", "BIC EXAMDE33XXX\nUSt-IdNr. DE 126 114 970\nwww.example.com")}) + d.paragraph(tight, size(2), "")
	return d
}

// frenchContract has articles, lists in roman numbers and initials on each page.
func frenchContract() *word {
	d := newWord("Times New Roman", "fr-FR")
	d.list(level(0, "upperRoman", "Article %1.", 1418, 1418), level(1, "decimal", "%1.%2", 567, 567), level(2, "lowerRoman", "(%3)", 1134, 567))
	d.p(`<w:jc w:val="center"/><w:spacing w:after="360"/>`, `<w:b/><w:smallCaps/>`+size(18), "Contrat de prestation de services")
	d.p(`<w:jc w:val="both"/>`, "<w:b/>", "Entre les soussignés :")
	d.p(`<w:jc w:val="both"/><w:ind w:start="567"/>`, "", "la société **Atelier Lumière SAS**, au capital de 50 000 euros, immatriculée au RCS de Nantes sous le numéro 812 345 678, dont le siège est situé 4, quai de la Fosse, 44000 Nantes, ci-après « le Prestataire »,")
	d.p(`<w:jc w:val="both"/><w:ind w:start="567"/>`, "", "et la commune de **Saint-Aubin-des-Œillets**, représentée par son maire, M. Benoît Lefèvre, ci-après « le Client »,")
	d.p(`<w:jc w:val="both"/>`, "<w:b/>", "il a été convenu ce qui suit :")
	text := "Le Prestataire s’engage à exécuter les prestations avec tout le soin requis, conformément aux règles de l’art et aux délais convenus ; il informe sans délai le Client de toute difficulté de nature à compromettre leur bonne fin."
	for _, article := range []struct {
		title  string
		points []string
	}{
		{"Objet", []string{"le diagnostic de l’éclairage public existant (1 240 points lumineux) ;", "l’étude de son remplacement par des lampes à diodes ;", "le suivi des travaux jusqu’à leur réception."}}, {"Durée", nil},
		{"Prix et paiement", []string{"30 % à la signature, soit 12 600,00 € HT ;", "50 % à la remise de l’étude, soit 21 000,00 € HT ;", "le solde à la réception, soit 8 400,00 € HT."}}, {"Responsabilité", nil}, {"Confidentialité", nil}, {"Résiliation", []string{"de plein droit, trente jours après une mise en demeure restée sans effet ;", "d’un commun accord, à tout moment."}}, {"Litiges", nil},
	} {
		d.p(`<w:keepNext/>`+item(3, 0)+`<w:spacing w:before="240"/>`, "<w:b/>", article.title)
		d.p(item(3, 1)+`<w:jc w:val="both"/>`, "", text)
		if article.points != nil {
			d.p(`<w:keepNext/>`+item(3, 1)+`<w:jc w:val="both"/>`, "", "Il s’agit notamment des éléments suivants :")
		} else {
			d.p(item(3, 1)+`<w:jc w:val="both"/>`, "", "Les parties se réunissent au moins une fois par mois, sur convocation de la plus diligente ; un compte rendu est établi dans les huit jours. « Jour » s’entend de tout jour ouvré, du lundi au vendredi.")
		}
		for _, point := range article.points {
			d.p(item(3, 2)+`<w:jc w:val="both"/><w:spacing w:after="60"/>`, "", point)
		}
	}
	d.p(`<w:keepNext/><w:spacing w:before="360"/>`, "", "Fait à Nantes, le 23 novembre 2026, en deux exemplaires originaux.")
	d.merged("", []int{4536, 4536}, row{height: 1500, cells: []cell{{text: "Pour le Prestataire\n**Clémence Aït-Haddad**, présidente", align: "center"}, {text: "Pour le Client (« lu et approuvé »)\n**Benoît Lefèvre**, maire", align: "center"}}})
	d.footer = d.pageOf(`<w:tabs><w:tab w:val="right" w:pos="9072"/></w:tabs>`, size(9), "Paraphes : ______ / ______\tPage", "sur")
	return d
}
