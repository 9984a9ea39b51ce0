package main

// headline is the title of a slide of a company.
func headline(text string) box {
	return box{x: 40, y: 24, w: 880, h: 60, body: `anchor="ctr">`, size: 30, lines: []string{text}}
}

// businessDecks are decks that companies show: figures, diagrams, tables, pictures, notes.
func businessDecks() map[string]map[string]string {
	return map[string]map[string]string{"charts": chartDeck(), "smartart": smartArtDeck(), "tables": tableDeck(), "pictures": pictureDeck(), "notes-and-sections": spokenDeck()}
}

func chartDeck() map[string]string {
	months := []string{"Jan", "Feb", "Mar", "Apr", "May", "Jun"}
	whole := area{60, 95, 840, 410}
	return deck(
		on(headline("Revenue and costs"), chart{area: whole, kind: "col", title: "Thousand euro by month", names: months, series: []series{{"Revenue", "4472C4", []float64{420, 455, 512, 498, 540, 588}}, {"Costs", "ED7D31", []float64{380, 390, 402, 415, 409, 431}}}}),
		on(headline("Orders by country"), chart{area: whole, kind: "bar", isStacked: true, title: "Orders in the first half-year", names: []string{"Austria", "Germany", "Netherlands", "Switzerland"}, series: []series{{"New customers", "70AD47", []float64{120, 410, 95, 60}}, {"Known customers", "A5A5A5", []float64{340, 980, 210, 175}}}}),
		on(headline("Time to answer"), chart{area: whole, kind: "line", title: "Hours until the first answer", names: months, series: []series{{"Mail", "4472C4", []float64{9.5, 8.2, 7.9, 6.4, 5.1, 4.8}}, {"Chat", "FFC000", []float64{1.2, 1.1, 0.9, 0.9, 0.7, 0.6}}}}),
		on(headline("Where visitors come from"), chart{area: area{60, 95, 460, 410}, kind: "pie", title: "Visits in June", names: []string{"Search", "Direct", "Partners", "Mail"}, series: []series{{"Visits", "", []float64{52, 24, 15, 9}}}},
			box{x: 540, y: 160, w: 360, h: 260, size: 20, lines: []string{"- Search grew by a fifth since the new help pages", "- Partners bring the visitors who stay longest", "- Mail is sent once a month"}}))
}

func smartArtDeck() map[string]string {
	step := func(x int, text string) node {
		return node{area: area{x, 120, 190, 110}, preset: "roundRect", fill: "4472C4", text: text}
	}
	arrow := func(x int) node {
		return node{area: area{x, 155, 36, 40}, preset: "rightArrow", fill: "B4C7E7", isLink: true}
	}
	place := area{40, 110, 880, 370}
	return deck(
		on(headline("From the order to the invoice"), diagram{area: place, layout: "process1", nodes: []node{step(0, "Order comes in"), arrow(192), step(230, "Goods are packed"), arrow(422), step(460, "Parcel is handed over"), arrow(652), step(690, "Invoice is sent")}}),
		on(headline("Who leads what"), diagram{area: place, layout: "orgChart1", nodes: []node{
			{area: area{340, 10, 200, 80}, preset: "rect", fill: "1F3864", text: "Management"}, {area: area{438, 90, 4, 60}, preset: "rect", fill: "8EA9DB", isLink: true}, {area: area{108, 148, 664, 4}, preset: "rect", fill: "8EA9DB", isLink: true},
			{area: area{20, 180, 180, 80}, preset: "rect", fill: "4472C4", text: "Purchase"}, {area: area{108, 150, 4, 30}, preset: "rect", fill: "8EA9DB", isLink: true},
			{area: area{350, 180, 180, 80}, preset: "rect", fill: "4472C4", text: "Production"}, {area: area{438, 150, 4, 30}, preset: "rect", fill: "8EA9DB", isLink: true},
			{area: area{680, 180, 180, 80}, preset: "rect", fill: "4472C4", text: "Sales"}, {area: area{768, 150, 4, 30}, preset: "rect", fill: "8EA9DB", isLink: true}}}),
		on(headline("The year in a circle"), diagram{area: place, layout: "cycle2", nodes: []node{
			{area: area{360, 0, 150, 110}, preset: "ellipse", fill: "4472C4", text: "Plan"}, {area: area{590, 130, 150, 110}, preset: "ellipse", fill: "ED7D31", text: "Build"}, {area: area{360, 255, 150, 110}, preset: "ellipse", fill: "70AD47", text: "Measure"}, {area: area{130, 130, 150, 110}, preset: "ellipse", fill: "7030A0", text: "Learn"},
			{area: area{400, 160, 70, 50}, preset: "leftCircularArrow", fill: "BFBFBF", isLink: true}}}))
}

func tableDeck() map[string]string {
	return deck(
		on(headline("Results by quarter"), sheet{area: area{40, 110, 880, 300}, widths: []int{280, 150, 150, 150, 150}, right: 1, size: 18, rows: [][]string{
			{"Thousand euro", "Q1", "Q2", "Q3", "Q4"}, {"Revenue", "1,387", "1,626", "1,544", "1,901"}, {"Cost of goods", "−702", "−811", "−790", "−933"}, {"Staff", "−388", "−391", "−402", "−415"}, {"Result", "297", "424", "352", "553"}}},
			box{x: 40, y: 430, w: 880, h: 50, size: 14, lines: []string{"Figures before audit; staff without the bonus of December."}}),
		on(headline("What each plan has"), sheet{area: area{40, 110, 880, 340}, widths: []int{340, 180, 180, 180}, right: 9, size: 16, rows: [][]string{
			{"", "Free", "Team", "Company"}, {"Documents each month", "50", "2,000", "without limit"}, {"Limits and support", "<", "<", "<"}, {"Answer within", "–", "two days", "four hours"}, {"Single sign-on", "–", "–", "✓"}, {"Price for each user and month", "0 €", "12 €", "ask us, there is a price for each size of company"}}}),
	)
}

func pictureDeck() map[string]string {
	caption := func(x, w int, text string) box {
		return box{x: x, y: 430, w: w, h: 40, size: 16, align: "ctr", lines: []string{text}}
	}
	return deck(
		on(photo{area: area{0, 0, 960, 540}, data: landscape(2)}, box{x: 0, y: 380, w: 960, h: 110, fill: "1F3864", color: "FFFFFF", body: `lIns="508000" anchor="ctr">`, size: 40, lines: []string{"Holidays in the hills"}}),
		on(headline("Three places"), photo{area: area{40, 120, 280, 300}, data: landscape(3), crop: 20000}, photo{area: area{340, 120, 280, 300}, data: landscape(5), crop: 20000, preset: "roundRect"}, photo{area: area{640, 120, 280, 300}, data: landscape(8), crop: 20000, preset: "ellipse"},
			caption(40, 280, "Altental"), caption(340, 280, "Seeblick"), caption(640, 280, "Hochkar")),
		on(photo{area: area{40, 60, 420, 420}, data: landscape(9), crop: 18750}, box{x: 500, y: 60, w: 420, h: 420, body: `anchor="ctr">`, size: 22, lines: []string{"A week for two", "", "- Seven nights with breakfast", "- A guide for three days", "- Train from Vienna or Munich", "", "from 890 €"}}, photo{area: area{800, 30, 120, 60}, data: logo()}))
}

func spokenDeck() map[string]string {
	slides := []slideOf{
		{section: "Opening", notes: "Welcome everybody. Wait until the doors are closed.", shapes: []shape{box{x: 0, y: 0, w: 960, h: 540, fill: "1F3864"}, box{x: 80, y: 180, w: 800, h: 90, fill: "1F3864", color: "FFFFFF", body: `anchor="b">`, size: 44, lines: []string{"Annual meeting 2026"}}, box{x: 80, y: 280, w: 800, h: 50, fill: "2F5597", color: "FFFFFF", size: 20, lines: []string{"Orchard Homes plc · Bath, 12 December"}}}},
		{notes: "Five minutes only.", shapes: []shape{headline("Agenda"), box{x: 40, y: 110, w: 880, h: 360, size: 26, lines: []string{"- Report of the board", "- Accounts", "- Discharge of the board", "- Elections", "- Any other business"}}}},
		{section: "Report", notes: "The figures of the fire insurance come on the next page.", shapes: []shape{headline("Homes let"), box{x: 60, y: 140, w: 260, h: 220, preset: "ellipse", fill: "70AD47", body: `anchor="ctr">`, size: 44, align: "ctr", lines: []string{"98.2 %"}}, box{x: 360, y: 140, w: 540, h: 260, size: 22, lines: []string{"1,204 of 1,226 homes are let.", "Twelve are being renovated, ten stand empty for less than a month.", "Rents rose by 2.1 %, less than prices."}}}},
		{section: "Closing", shapes: []shape{headline("Thank you"), box{x: 40, y: 200, w: 880, h: 100, body: `anchor="ctr">`, size: 28, align: "ctr", lines: []string{"Questions to board@example.com"}}}},
	}
	return deck(slides...)
}
