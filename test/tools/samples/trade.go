package main

import (
	"fmt"
	"strings"
)

const (
	tight = `<w:spacing w:after="0" w:line="240" w:lineRule="auto"/>`
	// ruled is a table with lines between its rows only.
	ruled = `<w:tblBorders><w:top w:val="single" w:sz="8" w:space="0" w:color="375623"/><w:bottom w:val="single" w:sz="8" w:space="0" w:color="375623"/><w:insideH w:val="single" w:sz="4" w:space="0" w:color="C5E0B3"/></w:tblBorders>`
)

// head is the paper of a company: its mark and name above, its facts below each page.
func (d *word) head(name, address string, facts ...string) {
	d.header = `<w:p><w:pPr><w:tabs><w:tab w:val="right" w:pos="9072"/></w:tabs><w:spacing w:after="240"/></w:pPr>` + d.paint(logo(), 60, 30) +
		d.runs(size(9)+`<w:color w:val="595959"/>`, "\t"+name+" · "+address) + `</w:p>`
	d.footer = d.paragraph(`<w:pBdr><w:top w:val="single" w:sz="4" w:space="4" w:color="70AD47"/></w:pBdr><w:tabs><w:tab w:val="center" w:pos="4536"/><w:tab w:val="right" w:pos="9072"/></w:tabs>`+tight, size(8), strings.Join(facts, "\t"))
}

func (d *word) title(text string) {
	d.p(`<w:spacing w:before="120" w:after="240"/>`, `<w:b/><w:color w:val="375623"/>`+size(20), text)
}

// offer has positions, options that the customer may add, and a sum of each kind.
func offer() *word {
	d := newWord("Calibri", "en-GB")
	d.margins = [4]int{1700, 1417, 1134, 1417}
	d.head("Greenleaf Office Furniture Ltd", "18 Mill Road, Leeds LS10 1JW", "VAT GB 293 1184 55", "Bank: Example Bank, 20-00-00, 55779911", "offers@example.com")
	d.p(tight, "", "Harbour Clinic\nMs Priya Raman\n2 Quay Street\nHull HU1 1TJ")
	d.p(`<w:tabs><w:tab w:val="right" w:pos="9072"/></w:tabs><w:spacing w:before="360"/>`, "", "Offer **AN-2026-0418**\tLeeds, 23 November 2026")
	d.title("Furniture for the new waiting room")
	d.p("", "", "Dear Ms Raman, thank you for your visit to our showroom. As agreed we offer the following, delivered and set up on one day:")
	rows := []row{{isHead: true, cells: filled("E2EFD9", cells(2, "<w:b/>", "No.", "Item", "Qty", "Unit price", "Amount"))}}
	item := func(no, name, more, quantity, price, amount string) {
		line := cells(2, "", no, "", quantity, price, amount)
		line[1].raw = d.paragraph(`<w:spacing w:before="40" w:after="0" w:line="240" w:lineRule="auto"/>`, "<w:b/>", name) + d.paragraph(`<w:spacing w:after="40" w:line="240" w:lineRule="auto"/>`, size(9)+`<w:color w:val="595959"/>`, more)
		rows = append(rows, row{cells: line})
	}
	item("1", "Bench “Arno”, three seats", "Ash, oiled; cover of recycled wool, sea green; 180 × 62 × 78 cm", "6", "£684.00", "£4,104.00")
	item("2", "Side table “Ticino”", "Round, 45 cm; top of linoleum, three legs of powder-coated steel", "4", "£149.50", "£598.00")
	item("3", "Reception desk", "Two places, one of them at the height of a wheelchair; drawn to measure", "1", "£3,280.00", "£3,280.00")
	item("4", "Delivery and setting up", "Two people, one day; packing is taken back", "1", "£420.00", "£420.00")
	sum := func(label, amount, format, fill string) {
		rows = append(rows, row{cells: []cell{{text: label, span: 4, align: "end", format: format, fill: fill}, {text: amount, align: "end", format: format, fill: fill}}})
	}
	sum("Net", "£8,402.00", "", "")
	sum("VAT 20 %", "£1,680.40", "", "")
	sum("Total", "£10,082.40", "<w:b/>", "E2EFD9")
	rows = append(rows, row{cells: []cell{{text: "Options – please tick what you want to add", span: 5, format: "<w:b/><w:i/>", fill: "F2F2F2"}}})
	item("☐ A", "Noise panels for the ceiling", "Eight panels of 120 × 60 cm, white, class A", "8", "£96.00", "£768.00")
	item("☐ B", "Children’s corner", "Low table, four stools, a wall with magnets", "1", "£890.00", "£890.00")
	item("☐ C", "Care contract", "Cleaning of covers twice a year, for three years", "3", "£240.00", "£720.00")
	d.merged(ruled, []int{700, 4872, 700, 1300, 1500}, rows...)
	d.p(`<w:spacing w:before="240"/>`, "", "Prices hold until **31 January 2027**. Delivery takes six weeks from your order. Payment within 14 days with a discount of 2 %, or within 30 days net.")
	d.p(`<w:keepNext/><w:spacing w:before="480" w:after="0"/><w:tabs><w:tab w:val="left" w:leader="underscore" w:pos="3969"/><w:tab w:val="left" w:pos="5103"/><w:tab w:val="left" w:leader="underscore" w:pos="9072"/></w:tabs>`, "", "\t\t\t")
	d.p(`<w:tabs><w:tab w:val="left" w:pos="5103"/></w:tabs>`, size(8), "Greenleaf Office Furniture Ltd\tOrdered: place, date, name and signature")
	return d
}

// purchaseOrder has two addresses beside each other and a block of terms.
func purchaseOrder() *word {
	d := newWord("Arial", "en-US")
	d.margins = [4]int{1134, 1134, 1134, 1134}
	block := func(title, text string) cell {
		return cell{raw: d.paragraph(`<w:shd w:val="clear" w:color="auto" w:fill="1F3864"/>`+tight, `<w:b/><w:color w:val="FFFFFF"/>`+size(9), title) + d.paragraph(`<w:spacing w:before="60" w:after="60" w:line="240" w:lineRule="auto"/>`, size(9.5), text)}
	}
	d.merged("", []int{4819, 4819}, row{cells: []cell{
		{text: "Calloway Instruments, Inc.", format: "<w:b/>" + size(14)}, {text: "PURCHASE ORDER", align: "end", format: `<w:b/><w:color w:val="1F3864"/>` + size(18)}}},
		row{cells: []cell{{text: "4100 Prairie Avenue\nMadison, WI 53704", format: size(9.5)}, {text: "PO number **4500-118834**\nDate 11/23/2026", align: "end", format: size(9.5)}}})
	d.gap(6)
	d.merged(grid, []int{4819, 4819}, row{cells: []cell{block("VENDOR", "Lindqvist Sensors AB\nStorgatan 9\n582 23 Linköping, Sweden\nAttn. Åsa Öberg"), block("SHIP TO", "Calloway Instruments, Inc.\nReceiving dock 4\n4120 Prairie Avenue\nMadison, WI 53704")}})
	d.gap(6)
	d.merged(grid, []int{2409, 2410, 2409, 2410}, row{cells: filled("D9E2F3", cells(9, "<w:b/>"+size(9), "Requisitioner", "Ship via", "F.O.B.", "Terms"))}, row{cells: cells(9, size(9), "D. Okafor, ext. 2214", "DHL Express", "Destination", "Net 45")})
	d.gap(6)
	rows := []row{{isHead: true, cells: filled("D9E2F3", cells(3, "<w:b/>"+size(9), "Line", "Part number", "Description", "Qty", "Unit", "Price", "Total"))}}
	for i, line := range [][]string{{"LQ-PT1000-6", "Platinum probe, 6 mm × 150 mm, class A", "120", "ea", "38.40", "4,608.00"}, {"LQ-TX20", "Head transmitter 4–20 mA, −50 to +250 °C", "120", "ea", "61.25", "7,350.00"}, {"LQ-CBL-05", "Cable, shielded, silicone, 5 m", "240", "ea", "12.10", "2,904.00"}, {"LQ-CAL-3P", "Calibration at three points with certificate (ISO 17025)", "120", "ea", "22.00", "2,640.00"}, {"LQ-PACK", "Packing for air freight", "1", "lot", "180.00", "180.00"}} {
		rows = append(rows, row{cells: cells(3, size(9), append([]string{fmt.Sprint(10 * (i + 1))}, line...)...)})
	}
	for _, sum := range [][2]string{{"Subtotal", "17,682.00"}, {"Freight", "640.00"}, {"TOTAL USD", "18,322.00"}} {
		rows = append(rows, row{cells: []cell{{text: sum[0], span: 6, align: "end", format: "<w:b/>" + size(9)}, {text: sum[1], align: "end", format: "<w:b/>" + size(9)}}})
	}
	d.merged(grid, []int{650, 1750, 3538, 700, 700, 1000, 1300}, rows...)
	d.p(`<w:spacing w:before="240"/>`, "<w:b/>"+size(9), "Terms and instructions")
	for _, text := range []string{"Send two copies of your invoice to payables@example.com and quote the number of this order.", "Enter this order according to the prices, terms, delivery method and specifications listed above.", "Notify us at once if you cannot ship by December 18, 2026.", "Country of origin and tariff number must stand on the invoice for each line."} {
		d.p(item(1, 0)+tight, size(9), text)
	}
	d.p(`<w:tabs><w:tab w:val="left" w:leader="underscore" w:pos="5500"/><w:tab w:val="left" w:pos="6500"/><w:tab w:val="left" w:leader="underscore" w:pos="9638"/></w:tabs><w:spacing w:before="700" w:after="0"/>`, "", "\t\t\t")
	d.p(`<w:tabs><w:tab w:val="left" w:pos="6500"/></w:tabs>`, size(8), "Authorized by\tDate")
	return d
}

// deliveryNote has lines without prices and boxes to tick.
func deliveryNote() *word {
	d := newWord("Arial", "de-DE")
	d.margins = [4]int{1700, 1417, 1134, 1417}
	d.head("Greenleaf Büromöbel GmbH", "Am Güterbahnhof 3, 28195 Bremen", "USt-IdNr. DE 811 907 334", "HRB 20418 Bremen", "Tel. 0421 555 01 80")
	d.merged("", []int{5272, 1700, 2100}, row{cells: []cell{{merge: "restart", text: "Stadtbibliothek Osterholz\nz. Hd. Frau Büşra Yılmaz\nBahnhofstraße 36\n27711 Osterholz-Scharmbeck"}, {text: "Lieferschein-Nr.", format: size(9)}, {text: "LS-2026-3307", align: "end", format: size(9)}}},
		row{cells: []cell{{merge: "continue"}, {text: "Lieferdatum", format: size(9)}, {text: "27.11.2026", align: "end", format: size(9)}}},
		row{cells: []cell{{merge: "continue"}, {text: "Kundennummer", format: size(9)}, {text: "K-10452", align: "end", format: size(9)}}},
		row{cells: []cell{{merge: "continue"}, {text: "Ihre Bestellung", format: size(9)}, {text: "SB/26/118", align: "end", format: size(9)}}})
	d.title("Lieferschein")
	rows := []row{{isHead: true, cells: filled("E2EFD9", cells(3, "<w:b/>", "Pos.", "Artikel", "Bezeichnung", "bestellt", "geliefert", "offen"))}}
	for i, line := range [][]string{{"10-2210", "Regal „Weser“, Buche, 200 × 80 × 30 cm\nSeriennummern: W-88120 bis W-88127", "8", "8", "0"}, {"10-2214", "Fachboden, verstellbar, Buche", "48", "48", "0"}, {"22-0071", "Lesesessel „Ostfriesland“, Filz anthrazit", "6", "4", "2"}, {"31-5500", "Bücherwagen mit vier Rollen, zwei davon feststellbar", "2", "2", "0"}, {"90-0001", "Montagematerial, Satz", "1", "1", "0"}} {
		rows = append(rows, row{cells: cells(3, "", append([]string{fmt.Sprint(i + 1)}, line...)...)})
	}
	d.merged(ruled, []int{700, 1200, 4072, 1000, 1100, 1000}, rows...)
	d.p(`<w:spacing w:before="240"/>`, "", "Die offenen Sessel liefern wir **in der 51. Kalenderwoche** frei Haus nach. Die Ware bleibt bis zur vollständigen Bezahlung unser Eigentum.")
	for _, text := range []string{"Lieferung vollständig und unbeschädigt übernommen", "Mängel, siehe Rückseite", "Verpackung zurückgegeben"} {
		d.raw(`<w:ind w:start="425" w:hanging="425"/><w:spacing w:after="60"/>`, d.checkBox(false)+d.runs("", "\t"+text))
	}
	d.p(`<w:tabs><w:tab w:val="left" w:leader="underscore" w:pos="2835"/><w:tab w:val="left" w:pos="3402"/><w:tab w:val="left" w:leader="underscore" w:pos="9072"/></w:tabs><w:spacing w:before="700" w:after="0"/>`, "", "\t\t\t")
	d.p(`<w:tabs><w:tab w:val="left" w:pos="3402"/></w:tabs>`, size(8), "Datum\tName in Druckbuchstaben und Unterschrift")
	return d
}

// mergedPrices is a price list whose groups go over several rows and columns.
func mergedPrices() *word {
	d := newWord("Calibri", "en-IE")
	d.p(`<w:jc w:val="center"/><w:spacing w:after="60"/>`, `<w:b/><w:color w:val="7F3F00"/>`+size(24), "Wholesale price list 2027")
	d.p(`<w:jc w:val="center"/><w:spacing w:after="240"/>`, `<w:i/>`+size(10), "Valid from 1 January 2027 · all prices in euro, without VAT, ex roastery Cork")
	head := func(c cell) cell {
		c.format, c.fill, c.anchor = `<w:b/><w:color w:val="FFFFFF"/>`, "7F3F00", "center"
		return c
	}
	rows := []row{
		{isHead: true, cells: []cell{head(cell{text: "Origin", merge: "restart"}), head(cell{text: "Coffee", merge: "restart"}), head(cell{text: "Price for each kilogram", span: 3, align: "center"})}},
		{isHead: true, cells: []cell{head(cell{merge: "continue"}), head(cell{merge: "continue"}), head(cell{text: "from 6 kg", align: "end"}), head(cell{text: "from 30 kg", align: "end"}), head(cell{text: "from 90 kg", align: "end"})}},
	}
	for _, group := range []struct {
		name, fill string
		lines      [][]string
	}{
		{"Central America", "FBE4D5", [][]string{{"Guatemala Antigua, washed", "17.80", "16.40", "15.10"}, {"Honduras Marcala, organic", "16.20", "15.00", "13.90"}, {"Costa Rica Tarrazú, honey", "19.50", "18.20", "17.00"}}},
		{"East Africa", "FFF2CC", [][]string{{"Ethiopia Yirgacheffe, washed", "21.00", "19.80", "18.40"}, {"Kenya Nyeri AA", "24.60", "23.10", "on request"}}},
		{"Asia", "E2EFD9", [][]string{{"Sumatra Gayo, wet-hulled", "18.90", "17.50", "16.30"}, {"India Monsooned Malabar", "15.70", "14.60", "13.40"}, {"Laos Bolaven Robusta", "11.90", "11.00", "10.20"}}},
	} {
		for i, line := range group.lines {
			first := cell{text: group.name, merge: "restart", fill: group.fill, format: "<w:b/>", anchor: "center"}
			if i > 0 {
				first = cell{merge: "continue", fill: group.fill}
			}
			rows = append(rows, row{height: 400, cells: append([]cell{first}, cells(1, "", line...)...)})
		}
	}
	rows = append(rows, row{cells: []cell{{text: "Decaffeination by carbon dioxide", span: 2, fill: "F2F2F2"}, {text: "+ 2.40 for each kilogram, every quantity", span: 3, align: "center", fill: "F2F2F2"}}})
	for _, r := range rows[2 : len(rows)-1] {
		r.cells[1].align = "start"
	}
	d.merged(grid, []int{1900, 3372, 1250, 1250, 1300}, rows...)
	d.p(`<w:spacing w:before="240"/>`, size(9), "Orders by Tuesday noon leave on Wednesday. Below 6 kg the price of our shop applies. Sacks of 30 kg are lent; we charge 15.00 when they do not come back within sixty days.")
	return d
}

// reminder is a second request for payment, in Spanish.
func reminder() *word {
	d := newWord("Calibri", "es-ES")
	d.margins = [4]int{1700, 1417, 1134, 1417}
	d.head("Muebles Hoja Verde, S. L.", "Calle de la Ribera, 22, 46002 Valencia", "CIF B-98123456", "Registro Mercantil de Valencia, tomo 9120", "cobros@example.com")
	d.p(tight, "", "Construcciones Núñez e Hijos, S. A.\nAtt. D. Íñigo Núñez Peñalver\nAvenida de la Constitución, 140\n28850 Torrejón de Ardoz (Madrid)")
	d.p(`<w:jc w:val="end"/><w:spacing w:before="360"/>`, "", "Valencia, 23 de noviembre de 2026")
	d.title("Segundo recordatorio de pago")
	d.p("", "", "Estimado señor Núñez:")
	d.p(`<w:jc w:val="both"/>`, "", "Al revisar nuestra contabilidad hemos comprobado que las facturas siguientes continúan pendientes, pese a nuestro aviso del 2 de noviembre. ¿Se trata de un descuido? Le rogamos que efectúe el pago **antes del 7 de diciembre de 2026**.")
	rows := []row{{isHead: true, cells: filled("E2EFD9", cells(3, "<w:b/>", "Factura", "Fecha", "Vencimiento", "Importe", "Días de demora", "Intereses"))}}
	for _, line := range [][]string{{"F-2026/0871", "01/09/2026", "01/10/2026", "2.310,00 €", "53", "33,54 €"}, {"F-2026/0902", "14/09/2026", "14/10/2026", "845,50 €", "40", "9,27 €"}, {"F-2026/0955", "30/09/2026", "30/10/2026", "1.120,75 €", "24", "7,37 €"}} {
		rows = append(rows, row{cells: cells(3, "", line...)})
	}
	rows = append(rows, row{cells: []cell{{text: "Total pendiente", span: 3, format: "<w:b/>", fill: "F2F2F2"}, {text: "4.276,25 €", align: "end", format: "<w:b/>", fill: "F2F2F2"}, {fill: "F2F2F2"}, {text: "50,18 €", align: "end", format: "<w:b/>", fill: "F2F2F2"}}})
	d.merged(ruled, []int{1500, 1450, 1450, 1672, 1600, 1400}, rows...)
	d.p(`<w:jc w:val="both"/><w:spacing w:before="240"/>`, "", "Si ya ha realizado la transferencia, no tenga en cuenta esta carta. En caso contrario nos veremos obligados a aplicar los intereses de demora previstos en la Ley 3/2004 y a suspender los pedidos en curso.")
	d.p(`<w:pBdr><w:top w:val="single" w:sz="6" w:space="4" w:color="375623"/><w:left w:val="single" w:sz="6" w:space="4" w:color="375623"/><w:bottom w:val="single" w:sz="6" w:space="4" w:color="375623"/><w:right w:val="single" w:sz="6" w:space="4" w:color="375623"/></w:pBdr><w:ind w:start="1134" w:end="1134"/><w:jc w:val="center"/>`, "", "IBAN **ES91 2100 0418 4502 0005 1332**\nConcepto: F-2026/0871, 0902, 0955")
	d.p(`<w:spacing w:before="360" w:after="600"/>`, "", "Atentamente,")
	d.p("", "", "Begoña Muñoz Ibáñez\nDepartamento de cobros")
	return d
}
