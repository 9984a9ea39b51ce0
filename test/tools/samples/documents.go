package main

import (
	"fmt"
	"strings"
)

// documents are the samples for word processors, by name.
func documents() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, l := range append(letters(), lettersOfAsia()...) {
		all[l.name] = l.parts()
	}
	for name, d := range map[string]*word{
		"contract-numbered": contract(), "contract-bilingual": bilingual(), "certificate-ribbon": certificate(), "certificate-arabic": arabicCertificate(),
		"labels": labels(), "invoice-long": invoice(), "report": report(), "form": form(), "price-list-hebrew": priceList(), "names-of-all-scripts": names(),
		"offer-with-options": offer(), "purchase-order": purchaseOrder(), "delivery-note": deliveryNote(), "price-list-merged": mergedPrices(), "reminder-spanish": reminder(),
		"payslip": payslip(), "minutes": minutes(), "form-controls": controls(), "letter-window": windowLetter(), "contract-french": frenchContract(),
		"report-contents": bookReport(), "newsletter": newsletter(), "certificate-border": borderCertificate(), "labels-parcels": parcelLabels(),
	} {
		all[name] = d.parts()
	}
	return all
}

const clause = "The Supplier delivers the goods named in annex A to the place that the Customer has written into the order, at its own risk and cost, within ten working days. " +
	"A delay that the Supplier has not caused gives no right to damages; the Customer may withdraw from the order when the delay is longer than thirty days."

func contract() *word {
	d := newWord("Cambria", "en-GB")
	d.p(`<w:jc w:val="center"/><w:spacing w:after="360"/>`, `<w:b/>`+size(18), "Supply agreement")
	d.p(`<w:jc w:val="both"/>`, "", "between **Northwind Traders Ltd**, 12 Harbour Street, Bristol (the “Supplier”) and **Orchard Homes plc**, 4 Orchard Lane, Bath (the “Customer”).")
	for i, title := range []string{"Subject", "Delivery", "Prices and payment", "Warranty", "Liability", "Term", "Law and courts"} {
		d.p(`<w:keepNext/>`+item(1, 0)+`<w:spacing w:before="240"/>`, "<w:b/>", title)
		for n := range 2 + i%3 {
			d.p(item(1, 1)+`<w:jc w:val="both"/>`, "", strings.Repeat(clause+" ", 1+(i+n)%2))
		}
	}
	d.p(`<w:keepNext/><w:tabs><w:tab w:val="left" w:pos="4820"/></w:tabs><w:spacing w:before="720"/>`, "", "Bristol, ____________\tBath, ____________")
	d.p(`<w:tabs><w:tab w:val="left" w:leader="underscore" w:pos="3969"/><w:tab w:val="left" w:pos="4820"/><w:tab w:val="left" w:leader="underscore" w:pos="8789"/></w:tabs><w:spacing w:before="720"/>`, "", "\t\t\t")
	d.footer = `<w:p><w:pPr><w:jc w:val="center"/></w:pPr><w:r><w:t xml:space="preserve">Page </w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>1</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`
	return d
}

func bilingual() *word {
	d := newWord("Arial", "en-GB")
	d.p(`<w:jc w:val="center"/>`, `<w:b/>`+size(16), "Employment contract / عقد عمل")
	rtl := newWord("Arial", "ar-SA")
	rtl.isRTL = true
	d.body.WriteString(`<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/>` + grid + `<w:tblLayout w:type="fixed"/></w:tblPr><w:tblGrid><w:gridCol w:w="4536"/><w:gridCol w:w="4536"/></w:tblGrid>`)
	for i, pair := range [][2]string{
		{"The Employer employs the Employee as an engineer from 1 January 2027.", "يوظف صاحب العمل الموظف بصفة مهندس اعتباراً من 1 يناير 2027."},
		{"The monthly salary is AED 18,500.00, paid on the last working day.", "الراتب الشهري 18,500.00 درهم إماراتي يُدفع في آخر يوم عمل."},
		{"The trial period is six months (article 9).", "فترة التجربة ستة أشهر (المادة ٩)."},
		{"Working time is 40 hours a week, Monday to Friday.", "ساعات العمل 40 ساعة أسبوعياً من الاثنين إلى الجمعة."},
	} {
		fmt.Fprintf(&d.body, `<w:tr><w:tc><w:tcPr><w:tcW w:w="4536" w:type="dxa"/></w:tcPr>%s</w:tc><w:tc><w:tcPr><w:tcW w:w="4536" w:type="dxa"/></w:tcPr>%s</w:tc></w:tr>`,
			d.paragraph("", "", fmt.Sprintf("%d. %s", i+1, pair[0])), rtl.paragraph("", "", fmt.Sprintf("%d. %s", i+1, pair[1])))
	}
	d.body.WriteString("</w:tbl>")
	d.p("", "", "In case of doubt the Arabic text (النص العربي) prevails over the English one.")
	return d
}

func certificate() *word {
	d := newWord("Georgia", "en-GB")
	d.landscape = true
	gradient := `<a:gradFill><a:gsLst><a:gs pos="0"><a:srgbClr val="1F3864"/></a:gs><a:gs pos="100000"><a:srgbClr val="8EAADB"/></a:gs></a:gsLst><a:lin ang="0" scaled="0"/></a:gradFill>`
	center := `<w:jc w:val="center"/>`
	d.body.WriteString(`<w:p><w:pPr>` + center + `</w:pPr>` +
		d.shape("frame", 30, 30, 782, 535, "C9A227", "", "") +
		d.shape("rect", 60, 60, 722, 60, gradient, "", `<w:p><w:pPr>`+center+`</w:pPr><w:r><w:rPr><w:color w:val="FFFFFF"/>`+size(28)+`</w:rPr><w:t>Certificate of Completion</w:t></w:r></w:p>`) +
		d.shape("star12", 650, 430, 90, 90, "C9A227", "7F6000", `<w:p><w:pPr>`+center+`</w:pPr><w:r><w:rPr><w:b/>`+size(14)+`</w:rPr><w:t>2026</w:t></w:r></w:p>`) +
		d.shape("ribbon2", 271, 400, 300, 60, "DEEBF7", "2F5496", `<w:p><w:pPr>`+center+`</w:pPr><w:r><w:t>with distinction</w:t></w:r></w:p>`) + `</w:p>`)
	d.p(center+`<w:spacing w:before="1900"/>`, size(14), "This is to certify that")
	d.p(center, `<w:i/>`+size(36), "Anneliese Brückner")
	d.p(center, size(14), "has completed the course\n**Safe work at heights** of 24 hours")
	return d
}

func arabicCertificate() *word {
	d := newWord("Arial", "ar-SA")
	d.isRTL, d.landscape = true, true
	center := `<w:jc w:val="center"/>`
	d.body.WriteString(`<w:p><w:pPr><w:bidi/>` + center + `</w:pPr>` + d.shape("roundRect", 40, 40, 762, 515, "", "006C35", "") +
		d.shape("ellipse", 371, 420, 100, 100, "006C35", "", `<w:p><w:pPr><w:bidi/>`+center+`</w:pPr><w:r><w:rPr><w:color w:val="FFFFFF"/><w:rtl/></w:rPr><w:t>ختم</w:t></w:r></w:p>`) + `</w:p>`)
	d.p(center+`<w:spacing w:before="1200"/>`, `<w:b/>`+size(32), "شهادة تقدير")
	d.p(center, size(16), "تشهد إدارة المعهد بأن الطالبة")
	d.p(center, `<w:color w:val="006C35"/>`+size(28), "مريم بنت خالد العتيبي")
	d.p(center, size(16), "قد أتمت دورة **Excel المتقدم** بنجاح بتاريخ 23/11/2026 وبتقدير ممتاز (98%).")
	return d
}

func labels() *word {
	d := newWord("Arial", "de-DE")
	widths := []int{3024, 3024, 3024}
	d.body.WriteString(`<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/><w:tblLayout w:type="fixed"/></w:tblPr><w:tblGrid><w:gridCol w:w="3024"/><w:gridCol w:w="3024"/><w:gridCol w:w="3024"/></w:tblGrid>`)
	people := []string{"Jörg Großmann\nMühlweg 18\n79312 Altental", "Łukasz Wiśniewski\nul. Źródlana 3\n30-698 Kraków", "Ιωάννης Παπαδόπουλος\nΕρμού 5\n105 63 Αθήνα", "Наталья Щербакова\nул. Объездная, 7\n603000 Н. Новгород",
		"Seán Ó Briain\n4 Sráid na Mara\nGaillimh", "Þóra Ævarsdóttir\nLaugavegur 12\n101 Reykjavík", "Çağla Yıldız\nİstiklal Cad. 9\n34433 İstanbul", "Nguyễn Thị Hương\n15 Phố Huế\nHà Nội", "Zoë Van der Berg\nKeizersgracht 1\n1015 CN Amsterdam"}
	for row := range 7 {
		d.body.WriteString(`<w:tr><w:trPr><w:trHeight w:val="1984" w:hRule="exact"/></w:trPr>`)
		for column := range widths {
			fmt.Fprintf(&d.body, `<w:tc><w:tcPr><w:tcW w:w="3024" w:type="dxa"/><w:vAlign w:val="center"/></w:tcPr>%s</w:tc>`,
				d.paragraph(`<w:spacing w:after="0" w:line="240" w:lineRule="auto"/><w:ind w:start="170"/>`, "", people[(3*row+column)%len(people)]))
		}
		d.body.WriteString(`</w:tr>`)
	}
	d.body.WriteString(`</w:tbl>`)
	return d
}

func invoice() *word {
	d := newWord("Calibri", "en-GB")
	d.p(`<w:jc w:val="right"/>`, size(24)+`<w:color w:val="2F5496"/>`, "INVOICE")
	d.p(`<w:tabs><w:tab w:val="right" w:pos="9072"/></w:tabs>`, "", "Orchard Homes plc\tNumber 2026-1187")
	rows := [][]string{{"Item", "Quantity", "Unit price", "Amount"}}
	for i := range 46 {
		rows = append(rows, []string{fmt.Sprintf("%d  Oak shelf of %d cm, oiled, with brackets and screws", i+1, 40+10*(i%9)), fmt.Sprint(1 + i%5), fmt.Sprintf("%d.50", 20+7*(i%9)), fmt.Sprintf("%d.50", (1+i%5)*(20+7*(i%9)))})
	}
	d.table(grid, []int{4872, 1200, 1400, 1600}, 1, rows...)
	d.p(`<w:jc w:val="right"/><w:spacing w:before="240"/>`, "", "Total **£6,412.00**")
	return d
}

func report() *word {
	d := newWord("Calibri", "en-GB")
	d.p(`<w:spacing w:after="240"/>`, size(26)+`<w:color w:val="1F3864"/>`, "Annual report on water quality")
	for i, title := range []string{"Summary", "Sampling", "Results", "Outlook"} {
		d.p(`<w:keepNext/><w:spacing w:before="360"/>`, `<w:b/>`+size(15), fmt.Sprintf("%d  %s", i+1, title))
		for range 3 {
			d.p(`<w:jc w:val="both"/>`, "", "Samples were taken at forty places between January and October, at least once a month, and examined in two laboratories. None of the limits of the directive was exceeded; nitrate (NO₃⁻) came closest, with 41 mg/l in March. "+clause)
		}
		d.p(item(2, 0), "", "pH between 6.9 and 7.6, hardness 14 °dH")
		d.p(item(2, 0), "", "E. coli: not found in 100 ml")
	}
	d.p(`<w:shd w:val="clear" w:color="auto" w:fill="FFF2CC"/><w:pBdr><w:left w:val="single" w:sz="24" w:space="8" w:color="BF9000"/></w:pBdr>`, "", "The next report appears in **November 2027**.")
	return d
}

func form() *word {
	d := newWord("Arial", "en-GB")
	d.p(`<w:jc w:val="center"/>`, `<w:b/>`+size(16), "Application for leave")
	for _, label := range []string{"Name", "Department", "From", "To", "Reason"} {
		d.p(`<w:tabs><w:tab w:val="left" w:pos="2268"/><w:tab w:val="right" w:leader="dot" w:pos="9072"/></w:tabs><w:spacing w:after="200"/>`, "", label+":\t\t")
	}
	d.p("", "", "☐ paid leave   ☒ unpaid leave   ☐ parental leave")
	d.table(grid, []int{3024, 3024, 3024}, 3, []string{"Employee", "Head of department", "Personnel"}, []string{"\n\n", "", ""})
	return d
}

func priceList() *word {
	d := newWord("Arial", "he-IL")
	d.isRTL = true
	d.p(`<w:jc w:val="center"/>`, `<w:b/>`+size(18), "מחירון לשנת 2027")
	d.p(`<w:tabs><w:tab w:val="start" w:leader="dot" w:pos="7000"/></w:tabs>`, "", "קפה הפוך (Cappuccino)\t14 ₪")
	d.p(`<w:tabs><w:tab w:val="start" w:leader="dot" w:pos="7000"/></w:tabs>`, "", "תה עם נענע\t9 ₪")
	d.table(grid, []int{4200, 1600, 2800}, 1, []string{"מוצר", "יחידה", "מחיר"}, []string{"שולחן עץ 120×80", "1", "1,190.00 ₪"}, []string{"כיסא מתקפל", "4", "460.00 ₪"})
	d.p(item(1, 0), "", "המחירים כוללים מע״מ.")
	d.p(item(1, 0), "", "משלוח עד הבית: 49 ₪ (חינם מעל 500 ₪).")
	d.p(`<w:jc w:val="both"/>`, "", strings.Repeat("כל הזכויות שמורות. החברה רשאית לשנות את המחירים ללא הודעה מוקדמת. ", 4))
	return d
}

func names() *word {
	d := newWord("Arial", "en-GB")
	d.p("", size(16), "Names of one company in several scripts")
	for _, text := range []string{"Latin\tPlaten & Søn", "Greek\tΠλάτεν", "Cyrillic\tПлатен", "Hebrew\tפלאטן בע״מ", "Arabic\tشركة بلاتن (ش.م.م)", "Japanese\tプラテン株式会社", "Chinese\t普拉滕有限公司", "Korean\t플라텐 주식회사"} {
		d.p(`<w:tabs><w:tab w:val="left" w:pos="2268"/></w:tabs>`, "", text)
	}
	d.p("", "", "Order שלום עולם 2026-1187 of مرحبا بكم 12,50 €, and 東京タワー beside it.")
	return d
}
