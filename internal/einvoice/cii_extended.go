package einvoice

// What the profile EXTENDED of Factur-X adds to the lines and the payment terms of CII.

// lineNotesCII are the notes of a line. The first without a subject is BT-127.
func lineNotesCII(b *binder, l *Line) {
	var all []LineNote
	if b.writing {
		if l.Note != "" {
			all = append(all, LineNote{Text: l.Note})
		}
		all = append(all, l.MoreNotes...)
	}
	each(b, "ram:IncludedNote", "note", &all, nil, func(b *binder, n *LineNote) {
		b.prose("ram:Content", &n.Text)
		b.text("ram:SubjectCode", &n.Subject)
	})
	if b.writing {
		return
	}
	if len(all) > 0 && all[0].Subject == "" {
		l.Note, all = all[0].Text, all[1:]
	}
	l.MoreNotes = append(l.MoreNotes, all...)
}

// discountsCII are the discounts of a price.
func discountsCII(b *binder, l *Line) {
	first := ItemDiscount{l.Discount, l.DiscountPercent, l.DiscountBase, l.DiscountReason, l.DiscountReasonCode}
	var all []ItemDiscount
	if b.writing {
		if first != (ItemDiscount{}) {
			all = append(all, first)
		}
		all = append(all, l.MoreDiscounts...)
	}
	each(b, "ram:AppliedTradeAllowanceCharge", "price discount", &all, allowCII, func(b *binder, d *ItemDiscount) {
		b.constant("ram:ChargeIndicator/udt:Indicator", "false")
		b.number("ram:CalculationPercent", "BT-X-34", &d.Percent)
		b.number("ram:BasisAmount", "BT-X-35", &d.Base)
		b.number("ram:ActualAmount", "BT-147", &d.Amount)
		b.text("ram:ReasonCode", &d.ReasonCode)
		b.text("ram:Reason", &d.Reason)
	})
	if b.writing || len(all) == 0 {
		return
	}
	first, l.MoreDiscounts = all[0], append(l.MoreDiscounts, all[1:]...)
	l.Discount, l.DiscountPercent, l.DiscountBase, l.DiscountReason, l.DiscountReasonCode = first.Amount, first.Percent, first.Base, first.Reason, first.ReasonCode
}

// referenceCII is a line of another document.
func referenceCII(b *binder, number, line, day *string, dayTerm string) {
	b.text("ram:IssuerAssignedID", number)
	b.text("ram:LineID", line)
	b.date("ram:FormattedIssueDateTime/qdt:DateTimeString", dayTerm, dateCII, day)
}

// lineDeliveryCII says where and when a line was delivered, and by which documents.
func lineDeliveryCII(b *binder, l *Line) {
	group(b, "ram:ShipToTradeParty", &l.Delivery, recipientCII)
	group(b, "ram:ActualDeliverySupplyChainEvent", &l.Delivery, func(b *binder, d *Delivery) {
		b.date("ram:OccurrenceDateTime/udt:DateTimeString", "BT-X-85", dateCII, &d.Date)
	})
	b.in("ram:DespatchAdviceReferencedDocument", func(b *binder) {
		referenceCII(b, &l.DespatchAdvice, &l.DespatchAdviceLine, &l.DespatchAdviceDate, "BT-X-88")
	})
	b.in("ram:DeliveryNoteReferencedDocument", func(b *binder) {
		referenceCII(b, &l.DeliveryNote, &l.DeliveryNoteLine, &l.DeliveryNoteDate, "BT-X-94")
	})
}

// lineTaxCII is the VAT of a line.
func lineTaxCII(b *binder, l *Line) {
	if !b.extended {
		taxCII(b, &l.Category, &l.Rate, "BT-152")
		return
	}
	if l.Category != "" || l.Rate.Valid || l.Exemption != "" || l.ExemptionCode != "" {
		b.constant("ram:TypeCode", "VAT")
	}
	b.text("ram:ExemptionReason", &l.Exemption)
	b.text("ram:CategoryCode", &l.Category)
	b.text("ram:ExemptionReasonCode", &l.ExemptionCode)
	b.number("ram:RateApplicablePercent", "BT-152", &l.Rate)
}

func discountTermsCII(b *binder, d *PaymentDiscount) {
	b.date("ram:BasisDateTime/udt:DateTimeString", "BT-X-282", dateCII, &d.From)
	b.number("ram:BasisPeriodMeasure", "BT-X-283", &d.Period)
	if !b.writing || d.Period.Valid {
		b.attr("ram:BasisPeriodMeasure", "unitCode", &d.Unit)
	}
	b.number("ram:BasisAmount", "BT-X-285", &d.Base)
	b.number("ram:CalculationPercent", "BT-X-286", &d.Percent)
	b.number("ram:ActualDiscountAmount", "BT-X-287", &d.Amount)
}

// furtherTermsCII are the payment terms behind the first, each with a discount. Reading
// takes the discounts of all.
func furtherTermsCII(b *binder, inv *Invoice) {
	const name, inner = "ram:SpecifiedTradePaymentTerms", "ram:ApplicableTradePaymentDiscountTerms"
	if b.writing {
		for i := 1; i < len(inv.Discounts); i++ {
			one := *b
			one.at = b.at.add(name).add(inner)
			discountTermsCII(&one, &inv.Discounts[i])
		}
		return
	}
	for _, terms := range b.at.children {
		if terms.name != name {
			continue
		}
		one := *b
		one.at = terms
		each(&one, inner, "payment discount", &inv.Discounts, nil, discountTermsCII)
	}
}
