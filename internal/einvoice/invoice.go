// Package einvoice has the semantic model of EN 16931-1 and its two syntaxes, UN/CEFACT CII
// D16B and OASIS UBL 2.1. It has the rules that a receiver holds an invoice to, too: those
// of EN 16931, of the German XRechnung and of Peppol.
//
// It knows neither events nor PDF files. Amounts are decimals throughout, with the digits
// that were written: 5.50 stays 5.50.
package einvoice

import (
	"strings"

	"github.com/shopspring/decimal"
)

// Number is an amount, a quantity or a percentage that may be absent. It keeps the digits
// behind the point as they were written.
type Number = decimal.NullDecimal

// A Syntax is one of the two ways to write an invoice down (EN 16931-2).
type Syntax string

const (
	CII Syntax = "CII"
	UBL Syntax = "UBL"
)

// An Invoice is an invoice or a credit note. The tag bt of each field has its number in
// EN 16931: BT for a business term, BG for a group. A type that several groups have lists
// the numbers in the order of their role. Dates are written 2006-01-02, an absent term is
// empty.
type Invoice struct {
	// Syntax is what the invoice was read from or is written as: a few rules differ.
	Syntax Syntax

	Process       string `bt:"BT-23"`
	Specification string `bt:"BT-24"`

	Number           string      `bt:"BT-1"`
	IssueDate        string      `bt:"BT-2"`
	TypeCode         string      `bt:"BT-3"` // UNTDID 1001
	Currency         string      `bt:"BT-5"` // ISO 4217
	TaxCurrency      string      `bt:"BT-6"`
	TaxPointDate     string      `bt:"BT-7"`
	TaxPointCode     string      `bt:"BT-8"` // UNTDID 2005: 3, 35 or 432
	DueDate          string      `bt:"BT-9"`
	BuyerReference   string      `bt:"BT-10"`
	Project          string      `bt:"BT-11"`
	Contract         string      `bt:"BT-12"`
	Order            string      `bt:"BT-13"`
	SalesOrder       string      `bt:"BT-14"`
	ReceivingAdvice  string      `bt:"BT-15"`
	DespatchAdvice   string      `bt:"BT-16"`
	Tender           string      `bt:"BT-17"`
	Object           *ID         `bt:"BT-18"` // scheme of UNTDID 1153
	BuyerAccounting  string      `bt:"BT-19"`
	PaymentTerms     string      `bt:"BT-20"`
	Notes            []Note      `bt:"BG-1"`
	Preceding        []Reference `bt:"BG-3"`
	Seller           Party       `bt:"BG-4"`
	Buyer            Party       `bt:"BG-7" role:"1"`
	Payee            *Payee      `bt:"BG-10"`
	Representative   *Party      `bt:"BG-11" role:"2"` // name, VAT identifier and address
	Delivery         *Delivery   `bt:"BG-13"`
	Period           *Period     `bt:"BG-14"`
	Payments         []Payment   `bt:"BG-16"` // one for each account that may be paid into
	Remittance       string      `bt:"BT-83"`
	Debit            *Debit      `bt:"BG-19"`
	Allowances       []Allowance `bt:"BG-20"`
	Charges          []Allowance `bt:"BG-21" role:"1"`
	Totals           *Totals     `bt:"BG-22"`
	VAT              []Breakdown `bt:"BG-23"`
	Documents        []Document  `bt:"BG-24"`
	Lines            []Line      `bt:"BG-25"`
	ThirdPartyClaims []Claim     `bt:"BG-DEX-09"` // of the extension of XRechnung

	// Of the profile EXTENDED of Factur-X, whose numbers have an X.
	Title          string            `bt:"BT-X-2"`
	DeliveryNote   string            `bt:"BT-X-202"`
	FinalDelivery  *Delivery         `bt:"BG-X-27" role:"2"` // to whom a delivery goes on
	Invoicee       *Delivery         `bt:"BG-X-36" role:"3"` // who gets the invoice in the buyer's place
	ServiceCharges []ServiceCharge   `bt:"BG-X-42"`          // part of the charges (BT-108)
	Discounts      []PaymentDiscount `bt:"BG-X-44"`
}

// An ID is an identifier and the scheme that it belongs to.
type ID struct {
	Value  string
	Scheme string
}

// A Note is free text of the invoice with its subject.
type Note struct {
	Subject string `bt:"BT-21"` // UNTDID 4451
	Text    string `bt:"BT-22"`
}

// A Reference names an earlier invoice.
type Reference struct {
	Number string `bt:"BT-25"`
	Date   string `bt:"BT-26"`
}

// A Party is a seller, a buyer or the seller's tax representative.
type Party struct {
	Name         string   `bt:"BT-27 BT-44 BT-62"`
	TradingName  string   `bt:"BT-28 BT-45"`
	IDs          []ID     `bt:"BT-29 BT-46"`
	Registration *ID      `bt:"BT-30 BT-47"`
	VATID        string   `bt:"BT-31 BT-48 BT-63"`
	TaxID        string   `bt:"BT-32"`
	Legal        string   `bt:"BT-33"`
	Endpoint     *ID      `bt:"BT-34 BT-49"`
	Address      *Address `bt:"BG-5 BG-8 BG-12"`
	Contact      *Contact `bt:"BG-6 BG-9"`
}

// An Address is where somebody is.
type Address struct {
	Line1       string `bt:"BT-35 BT-50 BT-64 BT-75 BT-X-59 BT-X-173 BT-X-235"`
	Line2       string `bt:"BT-36 BT-51 BT-65 BT-76 BT-X-60 BT-X-174 BT-X-236"`
	Line3       string `bt:"BT-162 BT-163 BT-164 BT-165 BT-X-61 BT-X-175 BT-X-237"`
	City        string `bt:"BT-37 BT-52 BT-66 BT-77 BT-X-62 BT-X-176 BT-X-238"`
	PostCode    string `bt:"BT-38 BT-53 BT-67 BT-78 BT-X-58 BT-X-172 BT-X-234"`
	Subdivision string `bt:"BT-39 BT-54 BT-68 BT-79 BT-X-64 BT-X-178 BT-X-240"`
	Country     string `bt:"BT-40 BT-55 BT-69 BT-80 BT-X-63 BT-X-177 BT-X-239"` // ISO 3166-1
}

// A Contact is whom to ask.
type Contact struct {
	Name  string `bt:"BT-41 BT-56"`
	Phone string `bt:"BT-42 BT-57"`
	Email string `bt:"BT-43 BT-58"`
}

// A Payee is paid in the seller's place.
type Payee struct {
	Name         string `bt:"BT-59"`
	ID           *ID    `bt:"BT-60"`
	Registration *ID    `bt:"BT-61"`
}

// A Delivery says where and when goods or services of the invoice, or of a line, were delivered.
// Where else something went has no date.
type Delivery struct {
	Name    string   `bt:"BT-70 BT-X-50 BT-X-164 BT-X-226"`
	ID      *ID      `bt:"BT-71 BT-X-48 BT-X-162 BT-X-224"`
	Date    string   `bt:"BT-72 BT-X-85"`
	Address *Address `bt:"BG-15 BG-X-9 BG-X-29 BG-X-38" role:"+3"` // that of the delivery, and 3
}

// A Period is the time that an invoice or a line is about.
type Period struct {
	Start string `bt:"BT-73 BT-134"`
	End   string `bt:"BT-74 BT-135"`
}

// A Payment is a way to pay.
type Payment struct {
	Code    string   `bt:"BT-81"` // UNTDID 4461
	Text    string   `bt:"BT-82"`
	Account *Account `bt:"BG-17"`
	Card    *Card    `bt:"BG-18"`
}

// An Account is what a credit transfer goes to.
type Account struct {
	ID   string `bt:"BT-84"`
	Name string `bt:"BT-85"`
	Bank string `bt:"BT-86"` // a BIC
}

// A Card was charged.
type Card struct {
	Number  string `bt:"BT-87"` // the last digits
	Holder  string `bt:"BT-88"`
	Network string // which UBL asks for, and EN 16931 does not know
}

// A Debit is collected by the seller.
type Debit struct {
	Mandate  string `bt:"BT-89"`
	Creditor string `bt:"BT-90"`
	Account  string `bt:"BT-91"`
}

// An Allowance is a discount, or a charge, of the invoice or of one line. Those of a line
// have no VAT.
type Allowance struct {
	Amount     Number `bt:"BT-92 BT-99 BT-136 BT-141"`
	Base       Number `bt:"BT-93 BT-100 BT-137 BT-142"`
	Percent    Number `bt:"BT-94 BT-101 BT-138 BT-143"`
	Category   string `bt:"BT-95 BT-102"` // UNTDID 5305
	Rate       Number `bt:"BT-96 BT-103"`
	Reason     string `bt:"BT-97 BT-104 BT-139 BT-144"`
	ReasonCode string `bt:"BT-98 BT-105 BT-140 BT-145"` // UNTDID 5189, of charges 7161
}

// Totals are the sums of an invoice.
type Totals struct {
	Lines       Number `bt:"BT-106"`
	Allowances  Number `bt:"BT-107"`
	Charges     Number `bt:"BT-108"`
	WithoutVAT  Number `bt:"BT-109"`
	VAT         Number `bt:"BT-110"`
	VATForeign  Number `bt:"BT-111"` // in the currency of BT-6
	WithVAT     Number `bt:"BT-112"`
	Paid        Number `bt:"BT-113"`
	Rounding    Number `bt:"BT-114"`
	Due         Number `bt:"BT-115"`
	vatRepeated bool   // more than one BT-110, which only a document that was read can have
}

// A Breakdown is one row of the VAT breakdown.
type Breakdown struct {
	Base          Number `bt:"BT-116"`
	Tax           Number `bt:"BT-117"`
	Category      string `bt:"BT-118"` // UNTDID 5305
	Rate          Number `bt:"BT-119"`
	Exemption     string `bt:"BT-120"`
	ExemptionCode string `bt:"BT-121"` // VATEX
}

// A Document supports the invoice, by its address or with its bytes.
type Document struct {
	Reference   string `bt:"BT-122"`
	Description string `bt:"BT-123"`
	URL         string `bt:"BT-124"`
	File        *File  `bt:"inline"`
}

// A File is attached. Content is base64, as it stands in the XML.
type File struct {
	Content  string `bt:"BT-125"`
	MimeType string `bt:"BT-125-1"`
	Name     string `bt:"BT-125-2"`
}

// A Line is one position of the invoice.
type Line struct {
	ID              string           `bt:"BT-126"`
	Note            string           `bt:"BT-127"`
	Object          *ID              `bt:"BT-128"`
	Quantity        Number           `bt:"BT-129"`
	Unit            string           `bt:"BT-130"` // UN/ECE Recommendations 20 and 21
	Net             Number           `bt:"BT-131"`
	OrderLine       string           `bt:"BT-132"`
	BuyerAccounting string           `bt:"BT-133"`
	Period          *Period          `bt:"BG-26" role:"1"`
	Allowances      []Allowance      `bt:"BG-27" role:"2"`
	Charges         []Allowance      `bt:"BG-28" role:"3"`
	Price           Number           `bt:"BT-146"`
	Discount        Number           `bt:"BT-147"`
	GrossPrice      Number           `bt:"BT-148"`
	BaseQuantity    Number           `bt:"BT-149"`
	BaseUnit        string           `bt:"BT-150"`
	Category        string           `bt:"BT-151"` // UNTDID 5305
	Rate            Number           `bt:"BT-152"`
	Name            string           `bt:"BT-153"`
	Description     string           `bt:"BT-154"`
	SellerItem      string           `bt:"BT-155"`
	BuyerItem       string           `bt:"BT-156"`
	StandardItem    *ID              `bt:"BT-157"`
	Classes         []Classification `bt:"BT-158"`
	Origin          string           `bt:"BT-159"`
	Attributes      []Attribute      `bt:"BG-32"`
	Lines           []Line           `bt:"BG-DEX-01"` // of the extension of XRechnung, in UBL

	// Of the profile EXTENDED of Factur-X. Of the lines with a status DETAIL alone is part of the
	// totals; the others are GROUP and INFORMATION.
	Status             string         `bt:"BT-X-8"`
	Parent             string         `bt:"BT-X-304"` // the identifier (BT-126) of the line that it is part of
	MoreNotes          []LineNote     `bt:"BT-127-00"`
	OrderNumber        string         `bt:"BT-X-21"`
	OrderDate          string         `bt:"BT-X-22"`
	DiscountPercent    Number         `bt:"BT-X-34"` // of the first discount of the price (BT-147)
	DiscountBase       Number         `bt:"BT-X-35"`
	DiscountReason     string         `bt:"BT-X-36"`
	DiscountReasonCode string         `bt:"BT-X-313"` // UNTDID 5189
	MoreDiscounts      []ItemDiscount `bt:"BT-147-00"`
	Delivery           *Delivery      `bt:"BG-X-7" role:"1"`
	DespatchAdvice     string         `bt:"BT-X-86"`
	DespatchAdviceLine string         `bt:"BT-X-87"`
	DespatchAdviceDate string         `bt:"BT-X-88"`
	DeliveryNote       string         `bt:"BT-X-92"`
	DeliveryNoteLine   string         `bt:"BT-X-93"`
	DeliveryNoteDate   string         `bt:"BT-X-94"`
	Exemption          string         `bt:"BT-X-96"`
	ExemptionCode      string         `bt:"BT-X-97"` // VATEX
}

// A LineNote is a further note of a line.
type LineNote struct {
	Text    string `bt:"BT-127"`
	Subject string `bt:"BT-X-10"` // UNTDID 4451
}

// An ItemDiscount is a further discount of a price.
type ItemDiscount struct {
	Amount     Number `bt:"BT-147"`
	Percent    Number `bt:"BT-X-34"`
	Base       Number `bt:"BT-X-35"`
	Reason     string `bt:"BT-X-36"`
	ReasonCode string `bt:"BT-X-313"`
}

// A ServiceCharge is one for transport, packing or the like.
type ServiceCharge struct {
	Description string `bt:"BT-X-271"`
	Amount      Number `bt:"BT-X-272"`
	Category    string `bt:"BT-X-273"` // UNTDID 5305
	Rate        Number `bt:"BT-X-274"`
}

// A PaymentDiscount is what may be deducted by those who pay early.
type PaymentDiscount struct {
	From    string `bt:"BT-X-282"` // when the period begins
	Period  Number `bt:"BT-X-283"`
	Unit    string `bt:"BT-X-284"` // of the period, such as DAY
	Base    Number `bt:"BT-X-285"`
	Percent Number `bt:"BT-X-286"`
	Amount  Number `bt:"BT-X-287"`
}

// A Classification is a code of an item from a list of UNTDID 7143.
type Classification struct {
	Code    string `bt:"BT-158"`
	List    string `bt:"BT-158-1"`
	Version string `bt:"BT-158-2"`
}

// An Attribute is a property of an item.
type Attribute struct {
	Name  string `bt:"BT-160"`
	Value string `bt:"BT-161"`
}

// A Claim is what somebody else has to get through this invoice.
type Claim struct {
	Type   string `bt:"BT-DEX-001"`
	Amount Number `bt:"BT-DEX-002"`
	Text   string `bt:"BT-DEX-003"`
}

// Profiles by their identifiers in BT-24.
const (
	SpecEN16931      = "urn:cen.eu:en16931:2017"
	SpecBasic        = "urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic"
	SpecExtended     = "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended"
	SpecXRechnung    = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0"
	SpecXRechnungExt = SpecXRechnung + "#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0"
	SpecXRechnungCVD = SpecXRechnung + "#compliant#urn:xeinkauf.de:kosit:xrechnung:cvd_0.9"
	SpecPeppol       = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
	ProcessPeppol    = "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"
)

// isExtended reports whether the invoice has the profile EXTENDED of Factur-X or ZUGFeRD 2.
func (inv *Invoice) isExtended() bool {
	s := strings.ToLower(inv.Specification)
	return strings.HasSuffix(s, "factur-x.eu:1p0:extended") || strings.HasSuffix(s, "zugferd.de:2p0:extended")
}

// BeyondEN16931 reports whether a number is one of the profile EXTENDED of Factur-X alone.
func BeyondEN16931(number string) bool {
	return strings.Contains(number, "-X-") || number == "BT-127-00" || number == "BT-147-00"
}

// IsCreditNote reports whether the invoice gives money back: its type in UNTDID 1001 is
// one that UBL writes as a CreditNote.
func (inv *Invoice) IsCreditNote() bool { return isCode("credit note", inv.TypeCode) }
