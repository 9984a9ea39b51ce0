package main

import "strings"

// letter is a business letter in one language.
type letter struct {
	name, font, lang string
	isRTL            bool
	sender, receiver string // with \n
	date, subject    string
	greeting         string
	text             []string // **bold**
	points           []string
	head             []string
	rows             [][]string
	closing, signer  string
}

func (l letter) parts() map[string]string {
	d := newWord(l.font, l.lang)
	d.isRTL = l.isRTL
	d.p(`<w:jc w:val="end"/><w:spacing w:after="480" w:line="240" w:lineRule="auto"/>`, size(9), l.sender)
	d.p(`<w:spacing w:after="480" w:line="240" w:lineRule="auto"/>`, "", l.receiver)
	d.p(`<w:jc w:val="end"/>`, "", l.date)
	d.p(`<w:spacing w:before="240" w:after="240"/>`, `<w:b/>`+size(13), l.subject)
	d.p("", "", l.greeting)
	for _, text := range l.text {
		d.p(`<w:jc w:val="both"/>`, "", text)
	}
	for _, text := range l.points {
		d.p(item(2, 0)+`<w:spacing w:after="60"/>`, "", text)
	}
	if l.head != nil {
		d.table(grid, []int{4200, 1600, 2800}, 1, append([][]string{l.head}, l.rows...)...)
	}
	d.p(`<w:spacing w:before="480" w:after="720"/>`, "", l.closing)
	d.p(`<w:tabs><w:tab w:val="start" w:leader="underscore" w:pos="4000"/></w:tabs>`, "", "\t")
	d.p("", "", l.signer)
	d.footer = d.paragraph(`<w:pBdr><w:top w:val="single" w:sz="4" w:space="4" w:color="808080"/></w:pBdr><w:tabs><w:tab w:val="center" w:pos="4536"/><w:tab w:val="end" w:pos="9072"/></w:tabs>`, size(8),
		strings.ReplaceAll(l.sender, "\n", "\t"))
	return d.parts()
}

func letters() []letter {
	return []letter{
		{name: "letter-english", font: "Arial", lang: "en-GB", sender: "Northwind Traders\n12 Harbour Street\nBristol BS1 4RW", receiver: "Ms Eleanor Whitcombe\n4 Orchard Lane\nBath BA1 2LN",
			date: "23 November 2026", subject: "Your order 2026-1187", greeting: "Dear Ms Whitcombe,",
			text: []string{"Thank you for your order of 19 November. We have packed **all twelve items** and handed them to the carrier this morning; the parcel should reach you within three working days. You will find the prices below, and the invoice in a separate letter.",
				"Should anything be missing or damaged, write to us within fourteen days, and we shall replace it at our own cost."},
			points: []string{"Keep the packing until you have checked the contents.", "Quote the number of the order in every letter."},
			head:   []string{"Item", "Quantity", "Price"}, rows: [][]string{{"Oak shelf, 80 cm", "4", "£312.00"}, {"Steel bracket", "8", "£47.60"}}, closing: "Yours sincerely,", signer: "Martin Hale, Customer Service"},
		{name: "letter-german", font: "Calibri", lang: "de-DE", sender: "Gemeindewerke Altental GmbH\nBrückenstraße 7\n79312 Altental", receiver: "Herrn Jörg Großmann\nMühlweg 18\n79312 Altental",
			date: "23. November 2026", subject: "Jahresabrechnung für Strom und Wasser", greeting: "Sehr geehrter Herr Großmann,",
			text: []string{"beiliegend erhalten Sie die Abrechnung für den Zeitraum vom 1. November 2025 bis zum 31. Oktober 2026. Aus den gezahlten Abschlägen ergibt sich ein **Guthaben von 84,17 €**, das wir mit dem nächsten Abschlag verrechnen, sofern Sie nicht binnen zwei Wochen eine Überweisung wünschen.",
				"Die Grundversorgungsverordnung verpflichtet uns, auf die Preisanpassungsmöglichkeiten und das außerordentliche Kündigungsrecht hinzuweisen."},
			points: []string{"Zählerstände können Sie jederzeit elektronisch übermitteln.", "Rückfragen beantwortet unsere Verbrauchsabrechnungsstelle."},
			head:   []string{"Verbrauch", "Menge", "Betrag"}, rows: [][]string{{"Strom", "2.418 kWh", "846,30 €"}, {"Wasser", "96 m³", "211,20 €"}}, closing: "Mit freundlichen Grüßen", signer: "i. A. Ulrike Käßbohrer"},
		{name: "letter-french", font: "Times New Roman", lang: "fr-FR", sender: "Cabinet Lefèvre & Associés\n21, rue de la République\n69002 Lyon", receiver: "Mme Élodie Garçon\n8, allée des Chênes\n38000 Grenoble",
			date: "Lyon, le 23 novembre 2026", subject: "Objet : renouvellement de votre contrat", greeting: "Madame,",
			text: []string{"Votre contrat n° 4471 arrive à échéance le 31 décembre 2026. Nous vous proposons de le reconduire aux mêmes conditions ; la prime annuelle s’élèvera à **1 248,00 €**, soit une hausse de 1,9 %.",
				"Sans réponse de votre part avant le 15 décembre, le contrat sera reconduit tacitement pour une durée d’un an, conformément à l’article L. 113-12 du code des assurances."},
			points: []string{"« Tous risques » : franchise inchangée.", "Assistance à l’étranger : incluse dès le premier kilomètre."}, closing: "Veuillez agréer, Madame, l’expression de nos salutations distinguées.", signer: "Gaëlle Lefèvre"},
		{name: "letter-polish", font: "Verdana", lang: "pl-PL", sender: "Księgarnia „Żółw”\nul. Świętojańska 15\n81-368 Gdynia", receiver: "Pan Łukasz Wiśniewski\nul. Źródlana 3\n30-698 Kraków",
			date: "23 listopada 2026 r.", subject: "Potwierdzenie zamówienia", greeting: "Szanowny Panie,",
			text:    []string{"dziękujemy za złożenie zamówienia. Książki zostaną wysłane **najpóźniej w środę** przesyłką kurierską; numer przesyłki otrzyma Pan pocztą elektroniczną. Prosimy o sprawdzenie zawartości paczki w obecności doręczyciela."},
			closing: "Z poważaniem", signer: "Małgorzata Dąbrowska"},
		{name: "letter-russian", font: "Times New Roman", lang: "ru-RU", sender: "ООО «Северный ветер»\nНевский проспект, д. 48\n191025 Санкт-Петербург", receiver: "г-же Наталье Щербаковой\nул. Объездная, д. 7\n603000 Нижний Новгород",
			date: "23 ноября 2026 г.", subject: "О поставке оборудования", greeting: "Уважаемая Наталья Юрьевна!",
			text: []string{"Сообщаем, что оборудование по договору № 118/26 отгружено **20 ноября** железнодорожным транспортом. Ориентировочный срок доставки — десять рабочих дней. Просим подготовить площадку для разгрузки и подтвердить готовность письмом.",
				"Оплата второй части осуществляется после подписания акта приёма-передачи."},
			head: []string{"Наименование", "Кол-во", "Сумма"}, rows: [][]string{{"Насос центробежный", "2", "418 000,00 ₽"}, {"Щит управления", "1", "96 500,00 ₽"}}, closing: "С уважением,", signer: "генеральный директор А. В. Ёлкин"},
		{name: "letter-greek", font: "Arial", lang: "el-GR", sender: "Ελαιώνες Καλαμάτας Α.Ε.\nΑριστομένους 22\n241 00 Καλαμάτα", receiver: "κ. Ιωάννη Παπαδόπουλο\nΕρμού 5\n105 63 Αθήνα",
			date: "23 Νοεμβρίου 2026", subject: "Προσφορά ελαιολάδου", greeting: "Αγαπητέ κύριε Παπαδόπουλε,",
			text: []string{"σε συνέχεια της συνάντησής μας σας αποστέλλουμε την προσφορά μας για **2.400 λίτρα** εξαιρετικού παρθένου ελαιολάδου. Οι τιμές ισχύουν έως το τέλος του έτους και περιλαμβάνουν τη μεταφορά έως την αποθήκη σας."}, closing: "Με εκτίμηση", signer: "Ευγενία Ξανθοπούλου"},
		{name: "letter-arabic", font: "Arial", lang: "ar-SA", isRTL: true, sender: "شركة النخيل للتجارة\nشارع الملك فهد ١٢\nالرياض ١١٥٦٤", receiver: "السيدة فاطمة الزهراء\nشارع الجامعة 45\nعمّان 11942",
			date: "٢٣ نوفمبر ٢٠٢٦", subject: "تأكيد الطلب رقم 2026-1187", greeting: "تحية طيبة وبعد،",
			text: []string{"نشكركم على طلبكم المؤرخ في ١٩ نوفمبر، ويسرنا إعلامكم بأن **جميع المنتجات** قد شُحنت هذا الصباح عبر شركة Aramex وستصلكم خلال ثلاثة أيام عمل. تجدون تفاصيل الأسعار في الجدول أدناه، كما ستصلكم الفاتورة برسالة منفصلة.",
				"إذا وجدتم أي نقص أو تلف في الشحنة فيرجى مراسلتنا على support@example.com خلال (14) يوماً من تاريخ الاستلام، وسنقوم باستبدالها على نفقتنا."},
			points: []string{"يرجى الاحتفاظ بالتغليف حتى فحص المحتويات.", "اذكروا رقم الطلب في جميع المراسلات."},
			head:   []string{"الصنف", "الكمية", "السعر"}, rows: [][]string{{"رف خشبي 80 سم", "4", "1,250.00 ر.س"}, {"حامل فولاذي", "8", "190.50 ر.س"}}, closing: "وتفضلوا بقبول فائق الاحترام،", signer: "محمد عبد الله، خدمة العملاء"},
		{name: "letter-hebrew", font: "Times New Roman", lang: "he-IL", isRTL: true, sender: "הוצאת הספרים עלים בע״מ\nרחוב הרצל 48\nתל אביב 6688311", receiver: "לכבוד\nגב׳ רחל כהן\nרחוב העצמאות 7, חיפה",
			date: "23 בנובמבר 2026", subject: "הנדון: חידוש מנוי מספר 4471", greeting: "שלום רב,",
			text: []string{"המנוי שלך לכתב העת Science Weekly מסתיים ב־31 בדצמבר 2026. אנו מציעים לך לחדש אותו **באותם תנאים**; המחיר השנתי יהיה 348.00 ₪, כולל מע״מ (17%). ניתן לשלם בכרטיס אשראי או בהעברה בנקאית.",
				"לשאלות נוספות אפשר לפנות אלינו בטלפון 03-5551234 בימים א׳–ה׳ בין השעות 9:00–17:00."},
			points: []string{"המנוי הדיגיטלי כלול במחיר.", "ניתן לבטל בכל עת בהודעה של 30 יום."},
			head:   []string{"פריט", "כמות", "מחיר"}, rows: [][]string{{"מנוי שנתי", "1", "348.00 ₪"}, {"משלוח", "12", "60.00 ₪"}}, closing: "בכבוד רב,", signer: "דוד לוי, שירות לקוחות"},
		{name: "letter-persian", font: "Arial", lang: "fa-IR", isRTL: true, sender: "کتاب\u200cفروشی گلستان\nخیابان انقلاب، پلاک ۱۲\nتهران", receiver: "جناب آقای پارسا چگینی\nخیابان حافظ ۴۵\nشیراز",
			date: "۲ آذر ۱۴۰۵", subject: "تأیید سفارش", greeting: "با سلام و احترام،",
			text:    []string{"کتاب\u200cهای شما امروز با پست پیشتاز ارسال شد و حداکثر تا **سه روز کاری** به دست شما می\u200cرسد. خواهشمند است هنگام تحویل، بسته را بررسی کنید و در صورت هرگونه آسیب، با شمارهٔ ۰۲۱-۸۸۷۷۶۶۵۵ تماس بگیرید."},
			closing: "با سپاس فراوان", signer: "ژاله گنجی"},
		{name: "letter-japanese", font: "MS Mincho", lang: "ja-JP", sender: "株式会社みどり商事\n〒150-0002\n東京都渋谷区渋谷2-4-6", receiver: "有限会社さくら製作所\n営業部　山田太郎 様",
			date: "2026年11月23日", subject: "ご注文の確認について", greeting: "拝啓　時下ますますご清栄のこととお喜び申し上げます。",
			text: []string{"このたびは弊社製品をご注文いただき、誠にありがとうございます。ご注文の品（注文番号：2026-1187）は、**11月25日（水）**に発送いたします。到着まで3日ほどかかる見込みですので、今しばらくお待ちください。",
				"なお、商品に不足や破損がございましたら、到着後14日以内にカスタマーサービス（support@example.com）までご連絡くださいますようお願い申し上げます。ご不明な点は、「よくあるご質問」もあわせてご覧ください。"},
			points: []string{"梱包材は内容をご確認いただくまで保管してください。", "お問い合わせの際は注文番号をお知らせください。"},
			head:   []string{"品名", "数量", "金額"}, rows: [][]string{{"オーク材の棚（80cm）", "4", "￥48,000"}, {"スチール製ブラケット", "8", "￥9,600"}}, closing: "敬具", signer: "営業部　鈴木一郎"},
		{name: "letter-chinese", font: "SimSun", lang: "zh-CN", sender: "北京绿叶贸易有限公司\n朝阳区建国路88号\n100022", receiver: "上海海风机械厂\n王小明 先生",
			date: "2026年11月23日", subject: "关于订单确认的函", greeting: "尊敬的王先生：",
			text: []string{"感谢贵公司11月19日的订单。全部货物已于今日上午由铁路发运，预计**三个工作日**内到达。请在收货时仔细核对数量；如有缺少或损坏，请于14天内书面通知我方，我方将免费更换。",
				"付款方式：货到后30天内电汇（T/T）。详细价格见下表，发票另行寄送。"},
			head: []string{"品名", "数量", "金额"}, rows: [][]string{{"橡木架（80厘米）", "4", "¥2,480.00"}, {"钢制支架", "8", "¥396.80"}}, closing: "此致\n敬礼！", signer: "客户服务部　李华"},
		{name: "letter-korean", font: "Malgun Gothic", lang: "ko-KR", sender: "주식회사 푸른나무\n서울특별시 종로구 세종대로 175\n03172", receiver: "김민수 님\n부산광역시 해운대구 센텀로 45",
			date: "2026년 11월 23일", subject: "주문 확인 안내", greeting: "안녕하세요.",
			text: []string{"귀하께서 11월 19일에 주문하신 상품이 **오늘 오전에** 발송되었습니다. 배송에는 영업일 기준 3일 정도 걸릴 예정입니다. 상품이 파손되었거나 누락된 경우에는 14일 이내에 고객센터로 연락해 주시기 바랍니다."}, closing: "감사합니다.", signer: "고객지원팀 이영희"},
	}
}
