package einvoice

import (
	"regexp"
	"strings"
	"time"
)

var (
	chargeUBL = func(e *element) bool { return isTrue(e.find("cbc:ChargeIndicator")) }
	allowUBL  = func(e *element) bool { return !chargeUBL(e) }
)

// bindUBL describes the syntax UBL 2.1, of Invoice and CreditNote in the order of their schemas.
func bindUBL(b *binder, inv *Invoice, credit bool) {
	b.text("cbc:CustomizationID", &inv.Specification)
	b.text("cbc:ProfileID", &inv.Process)
	b.text("cbc:ID", &inv.Number)
	b.date("cbc:IssueDate", "BT-2", time.DateOnly, &inv.IssueDate)
	if credit {
		b.date("cbc:TaxPointDate", "BT-7", time.DateOnly, &inv.TaxPointDate)
		b.text("cbc:CreditNoteTypeCode", &inv.TypeCode)
	} else {
		b.date("cbc:DueDate", "BT-9", time.DateOnly, &inv.DueDate)
		b.text("cbc:InvoiceTypeCode", &inv.TypeCode)
	}
	each(b, "cbc:Note", "note", &inv.Notes, nil, noteUBL)
	if !credit {
		b.date("cbc:TaxPointDate", "BT-7", time.DateOnly, &inv.TaxPointDate)
	}
	b.text("cbc:DocumentCurrencyCode", &inv.Currency)
	b.currency = inv.Currency
	b.text("cbc:TaxCurrencyCode", &inv.TaxCurrency)
	b.text("cbc:AccountingCost", &inv.BuyerAccounting)
	b.text("cbc:BuyerReference", &inv.BuyerReference)
	referencesUBL(b, inv, credit)
	debit := inv.Debit
	if debit == nil {
		debit = &Debit{}
	}
	partiesUBL(b, inv, &debit.Creditor)
	paymentsUBL(b, inv, debit, credit)
	if *debit != (Debit{}) {
		inv.Debit = debit
	}
	b.prose("cac:PaymentTerms/cbc:Note", &inv.PaymentTerms)
	each(b, "cac:PrepaidPayment", "third party payment", &inv.ThirdPartyClaims, nil, func(b *binder, c *Claim) {
		b.text("cbc:ID", &c.Type)
		b.amount("cbc:PaidAmount", "BT-DEX-002", &c.Amount)
		b.text("cbc:InstructionID", &c.Text)
	})
	each(b, "cac:AllowanceCharge", "allowance", &inv.Allowances, allowUBL, func(b *binder, a *Allowance) {
		allowanceUBL(b, a, "false", "BT-94", "BT-92", "BT-93")
		b.in("cac:TaxCategory", func(b *binder) { categoryUBL(b, &a.Category, &a.Rate, "BT-96") })
	})
	each(b, "cac:AllowanceCharge", "charge", &inv.Charges, chargeUBL, func(b *binder, a *Allowance) {
		allowanceUBL(b, a, "true", "BT-101", "BT-99", "BT-100")
		b.in("cac:TaxCategory", func(b *binder) { categoryUBL(b, &a.Category, &a.Rate, "BT-103") })
	})
	totalsUBL(b, inv)
	name, quantity := "cac:InvoiceLine", "cbc:InvoicedQuantity"
	if credit {
		name, quantity = "cac:CreditNoteLine", "cbc:CreditedQuantity"
	}
	each(b, name, "line", &inv.Lines, nil, func(b *binder, l *Line) { lineUBL(b, l, quantity) })
}

// referencesUBL are the period and the documents that an invoice names.
func referencesUBL(b *binder, inv *Invoice, credit bool) {
	b.in("cac:InvoicePeriod", func(b *binder) {
		if b.writing || b.look("cbc:StartDate") != nil || b.look("cbc:EndDate") != nil {
			if inv.Period == nil && !b.writing {
				inv.Period = &Period{}
			}
			if inv.Period != nil {
				periodUBL(b, inv.Period, "BT-73", "BT-74")
			}
		}
		b.text("cbc:DescriptionCode", &inv.TaxPointCode)
	})
	b.in("cac:OrderReference", func(b *binder) {
		if b.writing && inv.Order == "" && inv.SalesOrder != "" {
			b.constant("cbc:ID", "NA") // the schema asks for it
		}
		b.text("cbc:ID", &inv.Order)
		b.text("cbc:SalesOrderID", &inv.SalesOrder)
		if !b.writing && inv.Order == "NA" && inv.SalesOrder != "" {
			inv.Order = ""
		}
	})
	each(b, "cac:BillingReference", "preceding invoice", &inv.Preceding, nil, func(b *binder, r *Reference) {
		b.text("cac:InvoiceDocumentReference/cbc:ID", &r.Number)
		b.date("cac:InvoiceDocumentReference/cbc:IssueDate", "BT-26", time.DateOnly, &r.Date)
	})
	b.text("cac:DespatchDocumentReference/cbc:ID", &inv.DespatchAdvice)
	b.text("cac:ReceiptDocumentReference/cbc:ID", &inv.ReceivingAdvice)
	if credit {
		b.text("cac:ContractDocumentReference/cbc:ID", &inv.Contract)
		documentsUBL(b, inv, true)
		b.text("cac:OriginatorDocumentReference/cbc:ID", &inv.Tender)
	} else {
		b.text("cac:OriginatorDocumentReference/cbc:ID", &inv.Tender)
		b.text("cac:ContractDocumentReference/cbc:ID", &inv.Contract)
		documentsUBL(b, inv, false)
		b.text("cac:ProjectReference/cbc:ID", &inv.Project)
	}
}

// partiesUBL are all whom an invoice names, and where it was delivered. The creditor of a
// direct debit stands among the ids of the seller or the payee.
func partiesUBL(b *binder, inv *Invoice, creditor *string) {
	b.in("cac:AccountingSupplierParty/cac:Party", func(b *binder) { partyUBL(b, &inv.Seller, creditor) })
	b.in("cac:AccountingCustomerParty/cac:Party", func(b *binder) { partyUBL(b, &inv.Buyer, nil) })
	group(b, "cac:PayeeParty", &inv.Payee, func(b *binder, p *Payee) {
		if b.writing {
			b.identifier("cac:PartyIdentification/cbc:ID", &p.ID)
		} else {
			for _, id := range idsUBL(b.at, creditor) {
				p.ID = &id
				break
			}
		}
		b.text("cac:PartyName/cbc:Name", &p.Name)
		b.identifier("cac:PartyLegalEntity/cbc:CompanyID", &p.Registration)
	})
	group(b, "cac:TaxRepresentativeParty", &inv.Representative, func(b *binder, p *Party) {
		b.text("cac:PartyName/cbc:Name", &p.Name)
		group(b, "cac:PostalAddress", &p.Address, addressUBL)
		taxesUBL(b, p)
	})
	group(b, "cac:Delivery", &inv.Delivery, func(b *binder, d *Delivery) {
		b.date("cbc:ActualDeliveryDate", "BT-72", time.DateOnly, &d.Date)
		b.in("cac:DeliveryLocation", func(b *binder) {
			b.identifier("cbc:ID", &d.ID)
			group(b, "cac:Address", &d.Address, addressUBL)
		})
		b.text("cac:DeliveryParty/cac:PartyName/cbc:Name", &d.Name)
	})
}

// kindUBL holds the type of an invoice that was read to its root element: the model knows
// credit notes by their type alone.
func kindUBL(b *binder, inv *Invoice, root, own, other string) {
	if isCode(other, inv.TypeCode) && !isCode(own, inv.TypeCode) {
		*b.found = append(*b.found, newFinding(Error, "BR-CL-01", "BT-3", "",
			"The document is "+root+", and "+quote(inv.TypeCode)+" is the type of another kind.",
			"Write 380 in an Invoice and 381 in a CreditNote, or another code of its list."))
	}
}

// subject is the code that stands before a note in UBL: #ADU#text.
var subject = regexp.MustCompile(`(?s)^\s*#([A-Z0-9]{3})#(.*)$`)

func noteUBL(b *binder, n *Note) {
	if b.writing {
		if b.at.text = n.Text; n.Subject != "" {
			b.at.text = "#" + n.Subject + "#" + n.Text
		}
		return
	}
	n.Text = b.at.text
	if m := subject.FindStringSubmatch(n.Text); m != nil {
		n.Subject, n.Text = m[1], m[2]
	}
}

func periodUBL(b *binder, p *Period, start, end string) {
	b.date("cbc:StartDate", start, time.DateOnly, &p.Start)
	b.date("cbc:EndDate", end, time.DateOnly, &p.End)
}

// documentsUBL carries the supporting documents, and what has the same element: the
// invoiced object and, in credit notes, the project.
func documentsUBL(b *binder, inv *Invoice, credit bool) {
	const name, typeCode = "cac:AdditionalDocumentReference", "cbc:DocumentTypeCode"
	if b.writing && inv.Object != nil {
		e := b.at.add(name)
		id := e.add("cbc:ID")
		if id.text = inv.Object.Value; inv.Object.Scheme != "" {
			id.attrs = []attr{{"schemeID", inv.Object.Scheme}}
		}
		e.add(typeCode).text = "130"
	}
	if b.writing && credit && inv.Project != "" {
		e := b.at.add(name)
		e.add("cbc:ID").text = inv.Project
		e.add(typeCode).text = "50"
	}
	if object := b.typed(name, typeCode, "130"); object != nil {
		object.identifier("cbc:ID", &inv.Object)
	}
	if project := b.typed(name, typeCode, "50"); project != nil {
		project.text("cbc:ID", &inv.Project)
	}
	supporting := func(e *element) bool { code := e.find(typeCode); return code != "130" && code != "50" }
	each(b, name, "document", &inv.Documents, supporting, func(b *binder, d *Document) {
		b.text("cbc:ID", &d.Reference)
		b.prose("cbc:DocumentDescription", &d.Description)
		b.in("cac:Attachment", func(b *binder) {
			fileOf(b, "cbc:EmbeddedDocumentBinaryObject", &d.File)
			b.text("cac:ExternalReference/cbc:URI", &d.URL)
		})
	})
}

// sepa is the scheme of the creditor's identifier (BT-90) among the party's.
const sepa = "SEPA"

// idsUBL are the identifiers of a party but the creditor's, which goes to its place.
func idsUBL(party *element, creditor *string) []ID {
	var ids []ID
	for _, c := range party.children {
		if c.name != "cac:PartyIdentification" {
			continue
		}
		id := c.child("cbc:ID")
		if id == nil || strings.TrimSpace(id.text) == "" {
			continue
		}
		value, scheme := strings.TrimSpace(id.text), strings.TrimSpace(id.attr("schemeID"))
		if scheme == sepa && creditor != nil {
			*creditor = value
			continue
		}
		ids = append(ids, ID{value, scheme})
	}
	return ids
}

func partyUBL(b *binder, p *Party, creditor *string) {
	b.identifier("cbc:EndpointID", &p.Endpoint)
	if b.writing {
		ids := p.IDs
		if creditor != nil && *creditor != "" {
			ids = append(ids[:len(ids):len(ids)], ID{*creditor, sepa})
		}
		for _, id := range ids {
			e := b.at.add("cac:PartyIdentification").add("cbc:ID")
			if e.text = id.Value; id.Scheme != "" {
				e.attrs = []attr{{"schemeID", id.Scheme}}
			}
		}
	} else {
		p.IDs = idsUBL(b.at, creditor)
	}
	b.text("cac:PartyName/cbc:Name", &p.TradingName)
	group(b, "cac:PostalAddress", &p.Address, addressUBL)
	taxesUBL(b, p)
	b.in("cac:PartyLegalEntity", func(b *binder) {
		b.text("cbc:RegistrationName", &p.Name)
		b.identifier("cbc:CompanyID", &p.Registration)
		b.prose("cbc:CompanyLegalForm", &p.Legal)
	})
	group(b, "cac:Contact", &p.Contact, func(b *binder, c *Contact) {
		b.text("cbc:Name", &c.Name)
		b.text("cbc:Telephone", &c.Phone)
		b.text("cbc:ElectronicMail", &c.Email)
	})
}

// taxesUBL carries the VAT identifier and, under another scheme, the tax registration.
func taxesUBL(b *binder, p *Party) {
	const name, scheme = "cac:PartyTaxScheme", "cac:TaxScheme/cbc:ID"
	if b.writing {
		for _, tax := range []ID{{p.VATID, "VAT"}, {p.TaxID, "FC"}} {
			if tax.Value != "" {
				e := b.at.add(name)
				e.add("cbc:CompanyID").text = tax.Value
				e.add("cac:TaxScheme").add("cbc:ID").text = tax.Scheme
			}
		}
		return
	}
	for _, c := range b.at.children {
		if c.name != name {
			continue
		}
		if strings.EqualFold(c.find(scheme), "VAT") {
			p.VATID = c.find("cbc:CompanyID")
		} else {
			p.TaxID = c.find("cbc:CompanyID")
		}
	}
}

func addressUBL(b *binder, a *Address) {
	b.text("cbc:StreetName", &a.Line1)
	b.text("cbc:AdditionalStreetName", &a.Line2)
	b.text("cbc:CityName", &a.City)
	b.text("cbc:PostalZone", &a.PostCode)
	b.text("cbc:CountrySubentity", &a.Subdivision)
	b.text("cac:AddressLine/cbc:Line", &a.Line3)
	b.text("cac:Country/cbc:IdentificationCode", &a.Country)
}

func paymentsUBL(b *binder, inv *Invoice, debit *Debit, credit bool) {
	first := true
	each(b, "cac:PaymentMeans", "payment", &inv.Payments, nil, func(b *binder, p *Payment) {
		b.text("cbc:PaymentMeansCode", &p.Code)
		if p.Code != "" || !b.writing {
			b.attr("cbc:PaymentMeansCode", "name", &p.Text)
		}
		if credit && (first || !b.writing) {
			b.date("cbc:PaymentDueDate", "BT-9", time.DateOnly, &inv.DueDate)
		}
		b.text("cbc:PaymentID", &inv.Remittance)
		group(b, "cac:CardAccount", &p.Card, func(b *binder, c *Card) {
			b.text("cbc:PrimaryAccountNumberID", &c.Number)
			if b.writing && c.Network == "" {
				b.constant("cbc:NetworkID", "NA") // the schema asks for it
			}
			b.text("cbc:NetworkID", &c.Network)
			b.text("cbc:HolderName", &c.Holder)
		})
		group(b, "cac:PayeeFinancialAccount", &p.Account, func(b *binder, a *Account) {
			b.text("cbc:ID", &a.ID)
			b.text("cbc:Name", &a.Name)
			b.text("cac:FinancialInstitutionBranch/cbc:ID", &a.Bank)
		})
		if first || !b.writing {
			b.in("cac:PaymentMandate", func(b *binder) {
				b.text("cbc:ID", &debit.Mandate)
				b.text("cac:PayerFinancialAccount/cbc:ID", &debit.Account)
			})
		}
		first = false
	})
}

func allowanceUBL(b *binder, a *Allowance, isCharge, percent, amount, base string) {
	b.constant("cbc:ChargeIndicator", isCharge)
	b.text("cbc:AllowanceChargeReasonCode", &a.ReasonCode)
	b.text("cbc:AllowanceChargeReason", &a.Reason)
	b.number("cbc:MultiplierFactorNumeric", percent, &a.Percent)
	b.amount("cbc:Amount", amount, &a.Amount)
	b.amount("cbc:BaseAmount", base, &a.Base)
}

func categoryUBL(b *binder, category *string, rate *Number, term string) {
	b.text("cbc:ID", category)
	b.number("cbc:Percent", term, rate)
	if *category != "" || rate.Valid {
		b.constant("cac:TaxScheme/cbc:ID", "VAT")
	}
}

// totalsUBL carries the VAT totals, the VAT breakdown below the first, and the totals.
func totalsUBL(b *binder, inv *Invoice) {
	if inv.Totals == nil && !b.writing && (b.look("cac:LegalMonetaryTotal") != nil || b.look("cac:TaxTotal") != nil) {
		inv.Totals = &Totals{}
	}
	t := inv.Totals
	if b.writing && t == nil {
		t = &Totals{}
	}
	breakdown := func(b *binder, v *Breakdown) {
		b.amount("cbc:TaxableAmount", "BT-116", &v.Base)
		b.amount("cbc:TaxAmount", "BT-117", &v.Tax)
		b.in("cac:TaxCategory", func(b *binder) {
			b.text("cbc:ID", &v.Category)
			b.number("cbc:Percent", "BT-119", &v.Rate)
			b.text("cbc:TaxExemptionReasonCode", &v.ExemptionCode)
			b.text("cbc:TaxExemptionReason", &v.Exemption)
			if v.Category != "" || v.Rate.Valid {
				b.constant("cac:TaxScheme/cbc:ID", "VAT")
			}
		})
	}
	if b.writing {
		if t.VAT.Valid || len(inv.VAT) > 0 {
			inner := *b
			inner.at = b.at.add("cac:TaxTotal")
			inner.amount("cbc:TaxAmount", "BT-110", &t.VAT)
			each(&inner, "cac:TaxSubtotal", "VAT breakdown", &inv.VAT, nil, breakdown)
		}
		if t.VATForeign.Valid {
			inner := *b
			inner.at, inner.currency = b.at.add("cac:TaxTotal"), inv.TaxCurrency
			inner.amount("cbc:TaxAmount", "BT-111", &t.VATForeign)
		}
	} else {
		for _, c := range b.at.children {
			if c.name != "cac:TaxTotal" {
				continue
			}
			inner := *b
			inner.at = c
			var currency string
			inner.attr("cbc:TaxAmount", "currencyID", &currency)
			switch {
			case inv.TaxCurrency != "" && currency == inv.TaxCurrency && currency != inv.Currency:
				inner.currency = currency
				inner.amount("cbc:TaxAmount", "BT-111", &t.VATForeign)
			case t.VAT.Valid:
				t.vatRepeated = true
			default:
				inner.amount("cbc:TaxAmount", "BT-110", &t.VAT)
				each(&inner, "cac:TaxSubtotal", "VAT breakdown", &inv.VAT, nil, breakdown)
			}
		}
	}
	b.in("cac:LegalMonetaryTotal", func(b *binder) {
		b.amount("cbc:LineExtensionAmount", "BT-106", &t.Lines)
		b.amount("cbc:TaxExclusiveAmount", "BT-109", &t.WithoutVAT)
		b.amount("cbc:TaxInclusiveAmount", "BT-112", &t.WithVAT)
		b.amount("cbc:AllowanceTotalAmount", "BT-107", &t.Allowances)
		b.amount("cbc:ChargeTotalAmount", "BT-108", &t.Charges)
		b.amount("cbc:PrepaidAmount", "BT-113", &t.Paid)
		b.amount("cbc:PayableRoundingAmount", "BT-114", &t.Rounding)
		b.amount("cbc:PayableAmount", "BT-115", &t.Due)
	})
}

func lineUBL(b *binder, l *Line, quantity string) {
	b.text("cbc:ID", &l.ID)
	b.prose("cbc:Note", &l.Note)
	b.number(quantity, "BT-129", &l.Quantity)
	if !b.writing || l.Quantity.Valid {
		b.attr(quantity, "unitCode", &l.Unit)
	}
	b.amount("cbc:LineExtensionAmount", "BT-131", &l.Net)
	b.text("cbc:AccountingCost", &l.BuyerAccounting)
	group(b, "cac:InvoicePeriod", &l.Period, func(b *binder, p *Period) { periodUBL(b, p, "BT-134", "BT-135") })
	b.text("cac:OrderLineReference/cbc:LineID", &l.OrderLine)
	b.in("cac:DocumentReference", func(b *binder) {
		if b.identifier("cbc:ID", &l.Object); l.Object != nil {
			b.constant("cbc:DocumentTypeCode", "130")
		}
	})
	each(b, "cac:AllowanceCharge", "allowance", &l.Allowances, allowUBL, func(b *binder, a *Allowance) {
		allowanceUBL(b, a, "false", "BT-138", "BT-136", "BT-137")
	})
	each(b, "cac:AllowanceCharge", "charge", &l.Charges, chargeUBL, func(b *binder, a *Allowance) {
		allowanceUBL(b, a, "true", "BT-143", "BT-141", "BT-142")
	})
	b.in("cac:Item", func(b *binder) {
		b.prose("cbc:Description", &l.Description)
		b.text("cbc:Name", &l.Name)
		b.text("cac:BuyersItemIdentification/cbc:ID", &l.BuyerItem)
		b.text("cac:SellersItemIdentification/cbc:ID", &l.SellerItem)
		b.identifier("cac:StandardItemIdentification/cbc:ID", &l.StandardItem)
		b.text("cac:OriginCountry/cbc:IdentificationCode", &l.Origin)
		each(b, "cac:CommodityClassification", "classification", &l.Classes, nil, func(b *binder, c *Classification) {
			b.text("cbc:ItemClassificationCode", &c.Code)
			b.attr("cbc:ItemClassificationCode", "listID", &c.List)
			b.attr("cbc:ItemClassificationCode", "listVersionID", &c.Version)
		})
		b.in("cac:ClassifiedTaxCategory", func(b *binder) { categoryUBL(b, &l.Category, &l.Rate, "BT-152") })
		each(b, "cac:AdditionalItemProperty", "attribute", &l.Attributes, nil, func(b *binder, a *Attribute) {
			b.text("cbc:Name", &a.Name)
			b.text("cbc:Value", &a.Value)
		})
	})
	b.in("cac:Price", func(b *binder) {
		b.amount("cbc:PriceAmount", "BT-146", &l.Price)
		b.number("cbc:BaseQuantity", "BT-149", &l.BaseQuantity)
		if !b.writing || l.BaseQuantity.Valid {
			b.attr("cbc:BaseQuantity", "unitCode", &l.BaseUnit)
		}
		b.in("cac:AllowanceCharge", func(b *binder) {
			if l.Discount.Valid || l.GrossPrice.Valid {
				b.constant("cbc:ChargeIndicator", "false")
			}
			if b.writing && l.GrossPrice.Valid && !l.Discount.Valid {
				zero := Number{Valid: true}
				b.amount("cbc:Amount", "BT-147", &zero) // the schema asks for it
			}
			b.amount("cbc:Amount", "BT-147", &l.Discount)
			b.amount("cbc:BaseAmount", "BT-148", &l.GrossPrice)
		})
	})
	each(b, "cac:SubInvoiceLine", "line", &l.Lines, nil, func(b *binder, l *Line) { lineUBL(b, l, quantity) })
}
