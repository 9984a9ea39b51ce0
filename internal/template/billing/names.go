package billing

import "strings"

// Names of fields, folded, in English and in German: a row is a term and the words for it.

// wholeNames are those of the whole invoice.
var wholeNames = named(`
BT-1	invoicenumber invoiceno invoicenr invoiceid number no nr rechnungsnummer rechnungsnr rechnungnr renr belegnummer nummer creditnotenumber creditnoteno gutschriftsnummer gutschriftnr
BT-2	invoicedate issuedate date dateofissue issued rechnungsdatum belegdatum ausstellungsdatum datum
BT-3	invoicetype invoicetypecode typecode rechnungsart rechnungstyp
BT-5	currency currencycode waehrung waehrungscode
BT-6	vatcurrency taxcurrency accountingcurrency steuerwaehrung
BT-7	taxpointdate vatpointdate
BT-9	duedate due dueon paymentdue paymentduedate faelligkeitsdatum faelligam faellig faelligkeit zahlbarbis zahlungsziel
BT-10	buyerreference leitwegid leitweg routingid customerreference yourreference ihrzeichen kundenreferenz
BT-11	project projectnumber projectreference projekt projektnummer
BT-12	contract contractnumber contractreference vertrag vertragsnummer
BT-13	ordernumber orderno purchaseorder purchaseordernumber ponumber po orderreference yourorder bestellnummer bestellung auftragsnummerdeskunden
BT-14	salesorder salesordernumber auftragsnummer auftragsnr
BT-16	deliverynote deliverynotenumber lieferscheinnummer lieferschein
BT-20	paymentterms terms termsofpayment zahlungsbedingungen zahlungskonditionen
BT-22	note notes remark remarks comment bemerkung bemerkungen hinweis anmerkung
BT-25	precedinginvoice precedinginvoicenumber originalinvoice originalinvoicenumber originalrechnung ursprungsrechnung korrigierterechnung
BT-26	precedinginvoicedate originalinvoicedate datumderoriginalrechnung
BT-72	deliverydate dateofdelivery delivered dateofsupply servicedate lieferdatum leistungsdatum
BT-73	periodstart billingperiodstart serviceperiodstart leistungszeitraumvon leistungvon zeitraumvon
BT-74	periodend billingperiodend serviceperiodend leistungszeitraumbis leistungbis zeitraumbis
BT-83	paymentreference remittanceinformation reference verwendungszweck zahlungsreferenz
BT-84	iban bankaccount bankiban kontonummer selleriban paymentiban
BT-85	accountholder accountname kontoinhaber
BT-86	bic swift bankbic bankcode sellerbic
BT-89	mandate mandatereference sepamandate mandatsreferenz mandat
BT-90	creditorid creditoridentifier glaeubigerid
BT-92	discount discountamount allowance allowances rabatt rabattbetrag nachlass
BT-99	freight shipping shippingcosts charge charges surcharge versandkosten fracht zuschlag
BT-106	linetotal linestotal sumoflines itemstotal positionssumme summepositionen zwischensumme
BT-107	allowancetotal totalallowances summenachlaesse
BT-108	chargetotal totalcharges summezuschlaege
BT-109	subtotal nettotal totalnet netamount totalwithoutvat totalexcludingvat totalbeforetax net netto nettobetrag summenetto nettosumme gesamtnetto
BT-110	vat vatamount vattotal totalvat tax taxamount taxtotal totaltax mwst mwstbetrag mehrwertsteuer umsatzsteuer ustbetrag ust steuerbetrag steuer
BT-111	vatinaccountingcurrency taxinaccountingcurrency
BT-112	total grosstotal totalgross grandtotal totalamount amount totalwithvat totalincludingvat gross gesamt gesamtbetrag brutto bruttobetrag summebrutto rechnungsbetrag endbetrag
BT-113	paid paidamount amountpaid prepaid prepaidamount advancepayment deposit angezahlt anzahlung bezahlt bereitsgezahlt
BT-115	amountdue dueamount totaldue balance balancedue payable zahlbetrag zahlungsbetrag offenerbetrag restbetrag
`)

// listNames are those of lists, by the group that they are.
var listNames = named(`
BG-25	items item lines line lineitems lineitem positions position products services articles rows positionen rechnungspositionen posten artikel leistungen zeilen
BG-20	discounts allowances rabatte nachlaesse abzuege
BG-21	charges surcharges zuschlaege nebenkosten
`)

// lineNames are those of the items of lists.
var lineNames = named(`
BT-126	position pos no number linenumber lineno id nr posnr positionsnummer
BT-127	note remark bemerkung
BT-129	quantity qty count amountofitems hours days menge anzahl stueckzahl stunden tage
BT-130	unitcode einheitencode einheitcode
BT-131	net netamount linetotal linenet nettotal sum total amount netto nettobetrag gesamtnetto summe gesamt gesamtpreis betrag
BT-134	from periodstart von leistungvon
BT-135	to until periodend bis leistungbis
BT-136	discount rabatt nachlass
BT-146	price unitprice netprice priceperunit rate rateperhour preis einzelpreis stueckpreis nettopreis einzelpreisnetto
BT-149	pricebase basequantity per preiseinheit
BT-151	vatcategory taxcategory vatcode taxcode steuerkategorie steuerschluessel
BT-152	vatrate vat taxrate tax vatpercent taxpercent mwst mwstsatz ust ustsatz steuersatz
BT-153	name item itemname title product productname service article bezeichnung artikel artikelname titel leistung produkt
BT-154	description details text beschreibung artikelbeschreibung leistungsbeschreibung
BT-155	sku itemnumber itemno articlenumber productcode artikelnummer artikelnr
BT-156	buyeritemnumber customeritemnumber kundenartikelnummer
BT-157	gtin ean barcode
BT-159	origin countryoforigin ursprungsland
BT-160	reason grund
`)

// creditNoteNames are names of BT-1 that say what kind of document it is.
var creditNoteNames = []string{"creditnotenumber", "creditnoteno", "gutschriftsnummer", "gutschriftnr"}

// unitNames are those of units that people read: a code is another thing.
var unitNames = []string{"unit", "units", "uom", "einheit", "einheiten", "mengeneinheit", "me"}

// unitCodes are units that quantities have by their names.
var unitCodes = map[string]string{"hours": "HUR", "stunden": "HUR", "days": "DAY", "tage": "DAY"}

// listed are the terms of other lists, by those that items of a line would have.
var listed = map[string]map[string]string{
	"BG-20": {"BT-131": "BT-92", "BT-136": "BT-92", "BT-146": "BT-92", "BT-152": "BT-96", "BT-151": "BT-95", "BT-153": "BT-97", "BT-154": "BT-97", "BT-160": "BT-97"},
	"BG-21": {"BT-131": "BT-99", "BT-146": "BT-99", "BT-152": "BT-103", "BT-151": "BT-102", "BT-153": "BT-104", "BT-154": "BT-104", "BT-160": "BT-104"},
}

// attributes are what a party has, by one word for each.
var attributes = named(`
name	name company companyname organisation organization firma firmenname
line1	address addressline1 addressline street addressstreet streetaddress strasse adresse anschrift adressestrasse strassehausnummer
line2	addressline2 adresszusatz zusatz
city	city addresscity town addresstown ort stadt adresseort adressestadt
code	zip zipcode postcode postalcode addresszip addresspostcode addresspostalcode plz postleitzahl adresseplz
country	country countrycode addresscountry addresscountrycode land laendercode landcode adresseland
vat	vatid vatnumber vatno vat vatidentifier uid uidnummer ustid ustidnr umsatzsteuerid umsatzsteueridentifikationsnummer
tax	taxnumber taxid steuernummer steuernr
id	number no id nummer nr
contact	contact contactname contactperson ansprechpartner kontakt
phone	phone telephone contactphone telefon tel telefonnummer
email	email mail contactemail emailadresse
iban	iban account bankaccount
endpoint	endpoint electronicaddress peppolid
scheme	endpointscheme electronicaddressscheme
date	date datum
`)

// A party has terms by its attributes, and names that its fields begin with.
type party struct {
	names []string
	terms map[string]string
}

var parties = []party{
	{[]string{"shipto", "deliverto", "delivery", "lieferung", "liefer", "warenempfaenger"}, map[string]string{
		"name": "BT-70", "line1": "BT-75", "line2": "BT-76", "city": "BT-77", "code": "BT-78", "country": "BT-80", "date": "BT-72", "id": "BT-71",
	}},
	{[]string{"seller", "supplier", "vendor", "issuer", "sender", "verkaeufer", "lieferant", "absender", "aussteller", "rechnungssteller", "unser", "unsere", "our"}, map[string]string{
		"name": "BT-27", "line1": "BT-35", "line2": "BT-36", "city": "BT-37", "code": "BT-38", "country": "BT-40", "vat": "BT-31", "tax": "BT-32", "id": "BT-29",
		"contact": "BT-41", "phone": "BT-42", "email": "BT-43", "iban": "BT-84", "endpoint": "BT-34", "scheme": "BT-34-1",
	}},
	// What an invoice says without a party's name is the customer's: its own seller is mostly text
	// of the template.
	{[]string{"customer", "client", "buyer", "billto", "billing", "recipient", "rechnungsempfaenger", "kunde", "kunden", "kaeufer", "empfaenger", "auftraggeber", ""}, map[string]string{
		"name": "BT-44", "line1": "BT-50", "line2": "BT-51", "city": "BT-52", "code": "BT-53", "country": "BT-55", "vat": "BT-48", "id": "BT-46",
		"contact": "BT-56", "phone": "BT-57", "email": "BT-58", "endpoint": "BT-49", "scheme": "BT-49-1",
	}},
	{[]string{""}, map[string]string{"tax": "BT-32"}},
}

// named reads rows of a word and the names for it.
func named(rows string) map[string]string {
	all := map[string]string{}
	for row := range strings.Lines(rows) {
		word, names, _ := strings.Cut(strings.TrimSpace(row), "\t")
		for name := range strings.FieldsSeq(names) {
			all[name] = word
		}
	}
	return all
}
