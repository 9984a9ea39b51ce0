package einvoice

import "strings"

// The time that VAT falls due, in UNTDID 2475 of CII and in 2005 of the model (BT-8).
var (
	dueCodes  = map[string]string{"5": "3", "29": "35", "72": "432"}
	dueInCII  = map[string]string{"3": "5", "35": "29", "432": "72"}
	chargeCII = func(e *element) bool { return isTrue(e.find("ram:ChargeIndicator/udt:Indicator")) }
	allowCII  = func(e *element) bool { return !chargeCII(e) }
)

// bindCII describes the syntax CII, of the schema D16B (SCRDM) in its order.
func bindCII(b *binder, inv *Invoice) {
	b.in("rsm:ExchangedDocumentContext", func(b *binder) {
		b.text("ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID", &inv.Process)
		b.text("ram:GuidelineSpecifiedDocumentContextParameter/ram:ID", &inv.Specification)
	})
	b.extended = inv.isExtended()
	b.in("rsm:ExchangedDocument", func(b *binder) {
		b.text("ram:ID", &inv.Number)
		if b.extended {
			b.text("ram:Name", &inv.Title)
		}
		b.text("ram:TypeCode", &inv.TypeCode)
		b.date("ram:IssueDateTime/udt:DateTimeString", "BT-2", dateCII, &inv.IssueDate)
		each(b, "ram:IncludedNote", "note", &inv.Notes, nil, func(b *binder, n *Note) {
			b.prose("ram:Content", &n.Text)
			b.text("ram:SubjectCode", &n.Subject)
		})
	})
	b.in("rsm:SupplyChainTradeTransaction", func(b *binder) {
		each(b, "ram:IncludedSupplyChainTradeLineItem", "line", &inv.Lines, nil, lineCII)
		b.required("ram:ApplicableHeaderTradeAgreement", func(b *binder) { agreementCII(b, inv) })
		b.required("ram:ApplicableHeaderTradeDelivery", func(b *binder) { deliveryCII(b, inv) })
		b.required("ram:ApplicableHeaderTradeSettlement", func(b *binder) { settlementCII(b, inv) })
	})
}

func lineCII(b *binder, l *Line) {
	b.in("ram:AssociatedDocumentLineDocument", func(b *binder) {
		b.text("ram:LineID", &l.ID)
		if b.extended {
			b.text("ram:ParentLineID", &l.Parent)
		}
		b.text("ram:LineStatusReasonCode", &l.Status)
		if b.extended {
			lineNotesCII(b, l)
		} else {
			b.prose("ram:IncludedNote/ram:Content", &l.Note)
		}
	})
	b.in("ram:SpecifiedTradeProduct", func(b *binder) {
		b.identifier("ram:GlobalID", &l.StandardItem)
		b.text("ram:SellerAssignedID", &l.SellerItem)
		b.text("ram:BuyerAssignedID", &l.BuyerItem)
		b.text("ram:Name", &l.Name)
		b.prose("ram:Description", &l.Description)
		each(b, "ram:ApplicableProductCharacteristic", "attribute", &l.Attributes, nil, func(b *binder, a *Attribute) {
			b.text("ram:Description", &a.Name)
			b.text("ram:Value", &a.Value)
		})
		each(b, "ram:DesignatedProductClassification", "classification", &l.Classes, nil, func(b *binder, c *Classification) {
			b.text("ram:ClassCode", &c.Code)
			b.attr("ram:ClassCode", "listID", &c.List)
			b.attr("ram:ClassCode", "listVersionID", &c.Version)
		})
		b.text("ram:OriginTradeCountry/ram:ID", &l.Origin)
	})
	b.in("ram:SpecifiedLineTradeAgreement", func(b *binder) {
		b.in("ram:BuyerOrderReferencedDocument", func(b *binder) {
			if b.extended {
				referenceCII(b, &l.OrderNumber, &l.OrderLine, &l.OrderDate, "BT-X-22")
			} else {
				b.text("ram:LineID", &l.OrderLine)
			}
		})
		b.in("ram:GrossPriceProductTradePrice", func(b *binder) {
			b.number("ram:ChargeAmount", "BT-148", &l.GrossPrice)
			if !b.writing { // in writing the net price alone has it
				b.number("ram:BasisQuantity", "BT-149", &l.BaseQuantity)
				b.attr("ram:BasisQuantity", "unitCode", &l.BaseUnit)
			}
			if b.extended {
				discountsCII(b, l)
				return
			}
			if b.writing && l.Discount.Valid {
				b.constant("ram:AppliedTradeAllowanceCharge/ram:ChargeIndicator/udt:Indicator", "false")
			}
			b.number("ram:AppliedTradeAllowanceCharge/ram:ActualAmount", "BT-147", &l.Discount)
		})
		b.in("ram:NetPriceProductTradePrice", func(b *binder) {
			b.number("ram:ChargeAmount", "BT-146", &l.Price)
			b.number("ram:BasisQuantity", "BT-149", &l.BaseQuantity)
			if !b.writing || l.BaseQuantity.Valid {
				b.attr("ram:BasisQuantity", "unitCode", &l.BaseUnit)
			}
		})
	})
	b.in("ram:SpecifiedLineTradeDelivery", func(b *binder) {
		b.number("ram:BilledQuantity", "BT-129", &l.Quantity)
		if !b.writing || l.Quantity.Valid {
			b.attr("ram:BilledQuantity", "unitCode", &l.Unit)
		}
		if b.extended {
			lineDeliveryCII(b, l)
		}
	})
	b.required("ram:SpecifiedLineTradeSettlement", func(b *binder) {
		b.in("ram:ApplicableTradeTax", func(b *binder) { lineTaxCII(b, l) })
		group(b, "ram:BillingSpecifiedPeriod", &l.Period, func(b *binder, p *Period) { periodCII(b, p, "BT-134", "BT-135") })
		each(b, "ram:SpecifiedTradeAllowanceCharge", "allowance", &l.Allowances, allowCII, func(b *binder, a *Allowance) {
			b.constant("ram:ChargeIndicator/udt:Indicator", "false")
			allowanceCII(b, a, "BT-138", "BT-137", "BT-136")
		})
		each(b, "ram:SpecifiedTradeAllowanceCharge", "charge", &l.Charges, chargeCII, func(b *binder, a *Allowance) {
			b.constant("ram:ChargeIndicator/udt:Indicator", "true")
			allowanceCII(b, a, "BT-143", "BT-142", "BT-141")
		})
		b.number("ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount", "BT-131", &l.Net)
		if b.writing && l.Object != nil {
			b.in("ram:AdditionalReferencedDocument", func(b *binder) { objectCII(b, &l.Object) })
		} else if document := b.typed("ram:AdditionalReferencedDocument", "ram:TypeCode", "130"); document != nil {
			objectCII(document, &l.Object)
		}
		b.text("ram:ReceivableSpecifiedTradeAccountingAccount/ram:ID", &l.BuyerAccounting)
	})
}

func agreementCII(b *binder, inv *Invoice) {
	b.text("ram:BuyerReference", &inv.BuyerReference)
	b.in("ram:SellerTradeParty", func(b *binder) { partyCII(b, &inv.Seller) })
	b.in("ram:BuyerTradeParty", func(b *binder) { partyCII(b, &inv.Buyer) })
	group(b, "ram:SellerTaxRepresentativeTradeParty", &inv.Representative, partyCII)
	b.text("ram:SellerOrderReferencedDocument/ram:IssuerAssignedID", &inv.SalesOrder)
	b.text("ram:BuyerOrderReferencedDocument/ram:IssuerAssignedID", &inv.Order)
	b.text("ram:ContractReferencedDocument/ram:IssuerAssignedID", &inv.Contract)
	if tender := b.typed("ram:AdditionalReferencedDocument", "ram:TypeCode", "50"); tender != nil {
		tender.text("ram:IssuerAssignedID", &inv.Tender)
	}
	if object := b.typed("ram:AdditionalReferencedDocument", "ram:TypeCode", "130"); object != nil {
		objectCII(object, &inv.Object)
	}
	if b.writing && inv.Tender != "" {
		tender := b.at.add("ram:AdditionalReferencedDocument")
		tender.add("ram:IssuerAssignedID").text = inv.Tender
		tender.add("ram:TypeCode").text = "50"
	}
	if b.writing && inv.Object != nil {
		object := *b
		object.at = b.at.add("ram:AdditionalReferencedDocument")
		objectCII(&object, &inv.Object)
	}
	supporting := func(e *element) bool { code := e.find("ram:TypeCode"); return code != "50" && code != "130" }
	each(b, "ram:AdditionalReferencedDocument", "document", &inv.Documents, supporting, func(b *binder, d *Document) {
		b.text("ram:IssuerAssignedID", &d.Reference)
		b.text("ram:URIID", &d.URL)
		b.constant("ram:TypeCode", "916")
		b.prose("ram:Name", &d.Description)
		fileOf(b, "ram:AttachmentBinaryObject", &d.File)
	})
	b.in("ram:SpecifiedProcuringProject", func(b *binder) {
		b.text("ram:ID", &inv.Project)
		if b.writing && inv.Project != "" {
			b.constant("ram:Name", "Project reference")
		}
	})
}

// recipientCII is somebody whom something goes to.
func recipientCII(b *binder, d *Delivery) {
	identityCII(b, &d.ID)
	b.text("ram:Name", &d.Name)
	group(b, "ram:PostalTradeAddress", &d.Address, addressCII)
}

func deliveryCII(b *binder, inv *Invoice) {
	day := func(b *binder, d *Delivery) {
		b.date("ram:OccurrenceDateTime/udt:DateTimeString", "BT-72", dateCII, &d.Date)
	}
	group(b, "ram:ShipToTradeParty", &inv.Delivery, recipientCII)
	if b.extended {
		group(b, "ram:UltimateShipToTradeParty", &inv.FinalDelivery, recipientCII)
	}
	group(b, "ram:ActualDeliverySupplyChainEvent", &inv.Delivery, day)
	b.text("ram:DespatchAdviceReferencedDocument/ram:IssuerAssignedID", &inv.DespatchAdvice)
	b.text("ram:ReceivingAdviceReferencedDocument/ram:IssuerAssignedID", &inv.ReceivingAdvice)
	if b.extended {
		b.text("ram:DeliveryNoteReferencedDocument/ram:IssuerAssignedID", &inv.DeliveryNote)
	}
}

func settlementCII(b *binder, inv *Invoice) {
	debit := inv.Debit
	if debit == nil {
		debit = &Debit{}
	}
	b.text("ram:CreditorReferenceID", &debit.Creditor)
	b.text("ram:PaymentReference", &inv.Remittance)
	b.text("ram:TaxCurrencyCode", &inv.TaxCurrency)
	b.text("ram:InvoiceCurrencyCode", &inv.Currency)
	if b.extended {
		group(b, "ram:InvoiceeTradeParty", &inv.Invoicee, recipientCII)
	}
	group(b, "ram:PayeeTradeParty", &inv.Payee, func(b *binder, p *Payee) {
		identityCII(b, &p.ID)
		b.text("ram:Name", &p.Name)
		b.identifier("ram:SpecifiedLegalOrganization/ram:ID", &p.Registration)
	})
	paymentsCII(b, inv, debit)
	breakdownsCII(b, inv)
	group(b, "ram:BillingSpecifiedPeriod", &inv.Period, func(b *binder, p *Period) { periodCII(b, p, "BT-73", "BT-74") })
	each(b, "ram:SpecifiedTradeAllowanceCharge", "allowance", &inv.Allowances, allowCII, func(b *binder, a *Allowance) {
		b.constant("ram:ChargeIndicator/udt:Indicator", "false")
		allowanceCII(b, a, "BT-94", "BT-93", "BT-92")
		b.in("ram:CategoryTradeTax", func(b *binder) { taxCII(b, &a.Category, &a.Rate, "BT-96") })
	})
	each(b, "ram:SpecifiedTradeAllowanceCharge", "charge", &inv.Charges, chargeCII, func(b *binder, a *Allowance) {
		b.constant("ram:ChargeIndicator/udt:Indicator", "true")
		allowanceCII(b, a, "BT-101", "BT-100", "BT-99")
		b.in("ram:CategoryTradeTax", func(b *binder) { taxCII(b, &a.Category, &a.Rate, "BT-103") })
	})
	logisticsCII(b, inv)
	b.in("ram:SpecifiedTradePaymentTerms", func(b *binder) {
		b.prose("ram:Description", &inv.PaymentTerms)
		b.date("ram:DueDateDateTime/udt:DateTimeString", "BT-9", dateCII, &inv.DueDate)
		b.text("ram:DirectDebitMandateID", &debit.Mandate)
		if b.extended && b.writing && len(inv.Discounts) > 0 {
			b.in("ram:ApplicableTradePaymentDiscountTerms", func(b *binder) { discountTermsCII(b, &inv.Discounts[0]) })
		}
	})
	if b.extended {
		furtherTermsCII(b, inv)
	}
	if *debit != (Debit{}) {
		inv.Debit = debit
	}
	group(b, "ram:SpecifiedTradeSettlementHeaderMonetarySummation", &inv.Totals, func(b *binder, t *Totals) {
		b.number("ram:LineTotalAmount", "BT-106", &t.Lines)
		b.number("ram:ChargeTotalAmount", "BT-108", &t.Charges)
		b.number("ram:AllowanceTotalAmount", "BT-107", &t.Allowances)
		b.number("ram:TaxBasisTotalAmount", "BT-109", &t.WithoutVAT)
		taxTotalsCII(b, inv, t)
		b.number("ram:RoundingAmount", "BT-114", &t.Rounding)
		b.number("ram:GrandTotalAmount", "BT-112", &t.WithVAT)
		b.number("ram:TotalPrepaidAmount", "BT-113", &t.Paid)
		b.number("ram:DuePayableAmount", "BT-115", &t.Due)
	})
	each(b, "ram:InvoiceReferencedDocument", "preceding invoice", &inv.Preceding, nil, func(b *binder, r *Reference) {
		b.text("ram:IssuerAssignedID", &r.Number)
		b.date("ram:FormattedIssueDateTime/qdt:DateTimeString", "BT-26", dateCII, &r.Date)
	})
	b.text("ram:ReceivableSpecifiedTradeAccountingAccount/ram:ID", &inv.BuyerAccounting)
}

// paymentsCII are the ways to pay. The account of a direct debit stands in the first.
func paymentsCII(b *binder, inv *Invoice, debit *Debit) {
	first := true
	each(b, "ram:SpecifiedTradeSettlementPaymentMeans", "payment", &inv.Payments, nil, func(b *binder, p *Payment) {
		b.text("ram:TypeCode", &p.Code)
		b.text("ram:Information", &p.Text)
		group(b, "ram:ApplicableTradeSettlementFinancialCard", &p.Card, func(b *binder, c *Card) {
			b.text("ram:ID", &c.Number)
			b.text("ram:CardholderName", &c.Holder)
		})
		if first || !b.writing {
			b.text("ram:PayerPartyDebtorFinancialAccount/ram:IBANID", &debit.Account)
		}
		first = false
		group(b, "ram:PayeePartyCreditorFinancialAccount", &p.Account, func(b *binder, a *Account) {
			number := "ram:IBANID"
			if b.writing && !validIBAN(a.ID) || !b.writing && b.look(number) == nil {
				number = "ram:ProprietaryID"
			}
			if number == "ram:IBANID" {
				b.text(number, &a.ID)
			}
			b.text("ram:AccountName", &a.Name)
			if number != "ram:IBANID" {
				b.text(number, &a.ID)
			}
		})
		if b.writing && p.Account == nil {
			return
		}
		var bank string
		if p.Account != nil {
			bank = p.Account.Bank
		}
		b.text("ram:PayeeSpecifiedCreditorFinancialInstitution/ram:BICID", &bank)
		if p.Account != nil {
			p.Account.Bank = bank
		}
	})
}

// breakdownsCII are the VAT of each rate. What says when it is due stands in the first.
func breakdownsCII(b *binder, inv *Invoice) {
	row := 0
	each(b, "ram:ApplicableTradeTax", "VAT breakdown", &inv.VAT, nil, func(b *binder, v *Breakdown) {
		b.number("ram:CalculatedAmount", "BT-117", &v.Tax)
		b.constant("ram:TypeCode", "VAT")
		b.text("ram:ExemptionReason", &v.Exemption)
		b.number("ram:BasisAmount", "BT-116", &v.Base)
		b.text("ram:CategoryCode", &v.Category)
		b.text("ram:ExemptionReasonCode", &v.ExemptionCode)
		if row++; b.writing && row == 1 || !b.writing && inv.TaxPointDate == "" {
			b.date("ram:TaxPointDate/udt:DateString", "BT-7", dateCII, &inv.TaxPointDate)
		}
		code := dueInCII[inv.TaxPointCode]
		if b.writing && row > 1 {
			code = ""
		} else if b.writing && code == "" {
			code = inv.TaxPointCode // the rules refuse it
		}
		if b.text("ram:DueDateTypeCode", &code); !b.writing && code != "" {
			if inv.TaxPointCode = dueCodes[code]; inv.TaxPointCode == "" {
				inv.TaxPointCode = code
			}
		}
		b.number("ram:RateApplicablePercent", "BT-119", &v.Rate)
	})
}

// logisticsCII carries the charges for transport of the profile EXTENDED. In others they are
// read as charges.
func logisticsCII(b *binder, inv *Invoice) {
	const name, place = "ram:SpecifiedLogisticsServiceCharge", "service charge"
	if b.extended {
		each(b, name, place, &inv.ServiceCharges, nil, func(b *binder, s *ServiceCharge) {
			b.text("ram:Description", &s.Description)
			b.number("ram:AppliedAmount", "BT-X-272", &s.Amount)
			b.in("ram:AppliedTradeTax", func(b *binder) { taxCII(b, &s.Category, &s.Rate, "BT-X-274") })
		})
		return
	}
	if b.writing {
		return
	}
	var services []Allowance
	each(b, name, place, &services, nil, func(b *binder, a *Allowance) {
		b.text("ram:Description", &a.Reason)
		b.number("ram:AppliedAmount", "BT-99", &a.Amount)
		b.in("ram:AppliedTradeTax", func(b *binder) { taxCII(b, &a.Category, &a.Rate, "BT-103") })
	})
	inv.Charges = append(inv.Charges, services...)
}

// taxTotalsCII carries the VAT total in the currency of the invoice and in that of accounting.
func taxTotalsCII(b *binder, inv *Invoice, t *Totals) {
	if b.writing {
		for _, total := range []struct {
			amount   Number
			currency string
		}{{t.VAT, inv.Currency}, {t.VATForeign, inv.TaxCurrency}} {
			if total.amount.Valid {
				e := b.at.add("ram:TaxTotalAmount")
				e.text, e.attrs = FormatNumber(total.amount), []attr{{"currencyID", total.currency}}
			}
		}
		return
	}
	for _, e := range b.at.children {
		if e.name != "ram:TaxTotalAmount" {
			continue
		}
		one := *b
		one.at = &element{children: []*element{e}}
		switch currency := strings.TrimSpace(e.attr("currencyID")); {
		case inv.TaxCurrency != "" && currency == inv.TaxCurrency && currency != inv.Currency:
			one.number(e.name, "BT-111", &t.VATForeign)
		case t.VAT.Valid:
			t.vatRepeated = true
		case currency != "" && currency != inv.Currency:
			b.report("BT-110", "The VAT total is in "+quote(currency)+", and the invoice in "+quote(inv.Currency),
				"Write it in the currency of the invoice (BT-5), or name the other one as VAT accounting currency (BT-6).")
		default:
			one.number(e.name, "BT-110", &t.VAT)
		}
	}
}

func taxCII(b *binder, category *string, rate *Number, term string) {
	if *category != "" || rate.Valid {
		b.constant("ram:TypeCode", "VAT")
	}
	b.text("ram:CategoryCode", category)
	b.number("ram:RateApplicablePercent", term, rate)
}

func periodCII(b *binder, p *Period, start, end string) {
	b.date("ram:StartDateTime/udt:DateTimeString", start, dateCII, &p.Start)
	b.date("ram:EndDateTime/udt:DateTimeString", end, dateCII, &p.End)
}

func allowanceCII(b *binder, a *Allowance, percent, base, amount string) {
	b.number("ram:CalculationPercent", percent, &a.Percent)
	b.number("ram:BasisAmount", base, &a.Base)
	b.number("ram:ActualAmount", amount, &a.Amount)
	b.text("ram:ReasonCode", &a.ReasonCode)
	b.text("ram:Reason", &a.Reason)
}

// objectCII carries the identifier of an invoiced object (BT-18, BT-128).
func objectCII(b *binder, v **ID) {
	if b.writing {
		b.constant("ram:IssuerAssignedID", (*v).Value)
		b.constant("ram:TypeCode", "130")
		b.text("ram:ReferenceTypeCode", &(*v).Scheme)
		return
	}
	var id ID
	b.text("ram:IssuerAssignedID", &id.Value)
	b.text("ram:ReferenceTypeCode", &id.Scheme)
	if id.Value != "" {
		*v = &id
	}
}

// identityCII carries an identifier, which has another element when it has a scheme.
func identityCII(b *binder, v **ID) {
	name := "ram:ID"
	if b.writing && *v != nil && (*v).Scheme != "" || !b.writing && b.at.child("ram:GlobalID") != nil {
		name = "ram:GlobalID"
	}
	b.identifier(name, v)
}

func partyCII(b *binder, p *Party) {
	if b.writing {
		for _, named := range []bool{false, true} {
			for i := range p.IDs {
				if id := &p.IDs[i]; (id.Scheme != "") == named {
					one := *b
					one.at = &element{}
					identityCII(&one, &id)
					b.at.children = append(b.at.children, one.at.children...)
				}
			}
		}
	} else {
		for _, name := range []string{"ram:ID", "ram:GlobalID"} {
			for _, c := range b.at.children {
				if c.name == name && strings.TrimSpace(c.text) != "" {
					p.IDs = append(p.IDs, ID{strings.TrimSpace(c.text), strings.TrimSpace(c.attr("schemeID"))})
				}
			}
		}
	}
	b.text("ram:Name", &p.Name)
	b.prose("ram:Description", &p.Legal)
	b.in("ram:SpecifiedLegalOrganization", func(b *binder) {
		b.identifier("ram:ID", &p.Registration)
		b.text("ram:TradingBusinessName", &p.TradingName)
	})
	group(b, "ram:DefinedTradeContact", &p.Contact, func(b *binder, c *Contact) {
		name := "ram:PersonName"
		if !b.writing && b.look(name) == nil {
			name = "ram:DepartmentName"
		}
		b.text(name, &c.Name)
		b.text("ram:TelephoneUniversalCommunication/ram:CompleteNumber", &c.Phone)
		b.text("ram:EmailURIUniversalCommunication/ram:URIID", &c.Email)
	})
	group(b, "ram:PostalTradeAddress", &p.Address, addressCII)
	b.identifier("ram:URIUniversalCommunication/ram:URIID", &p.Endpoint)
	if b.writing {
		for _, tax := range []ID{{p.VATID, "VA"}, {p.TaxID, "FC"}} {
			if tax.Value != "" {
				e := b.at.add("ram:SpecifiedTaxRegistration").add("ram:ID")
				e.text, e.attrs = tax.Value, []attr{{"schemeID", tax.Scheme}}
			}
		}
		return
	}
	for _, c := range b.at.children {
		id := c.child("ram:ID")
		if c.name != "ram:SpecifiedTaxRegistration" || id == nil {
			continue
		}
		switch strings.TrimSpace(id.attr("schemeID")) {
		case "VA":
			p.VATID = strings.TrimSpace(id.text)
		case "FC":
			p.TaxID = strings.TrimSpace(id.text)
		}
	}
}

func addressCII(b *binder, a *Address) {
	b.text("ram:PostcodeCode", &a.PostCode)
	b.text("ram:LineOne", &a.Line1)
	b.text("ram:LineTwo", &a.Line2)
	b.text("ram:LineThree", &a.Line3)
	b.text("ram:CityName", &a.City)
	b.text("ram:CountryID", &a.Country)
	b.text("ram:CountrySubDivisionName", &a.Subdivision)
}

// fileOf carries an attachment.
func fileOf(b *binder, path string, v **File) {
	group(b, path, v, func(b *binder, f *File) {
		if b.writing {
			b.at.text = f.Content
			b.at.attrs = append(b.at.attrs, attr{"mimeCode", f.MimeType}, attr{"filename", f.Name})
			return
		}
		f.Content, f.MimeType, f.Name = strings.TrimSpace(b.at.text), b.at.attr("mimeCode"), b.at.attr("filename")
	})
}
