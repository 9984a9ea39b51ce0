package main

import "maps"

// decks are the samples for slides, by name.
func decks() map[string]map[string]string {
	title := func(text string, isRTL bool) box {
		return box{x: 40, y: 24, w: 880, h: 70, body: `anchor="b">`, size: 36, isRTL: isRTL, lines: []string{text}}
	}
	content := func(isRTL bool, body string, size int, lines ...string) box {
		return box{x: 40, y: 110, w: 880, h: 380, body: body, size: size, isRTL: isRTL, lines: lines}
	}
	long := []string{"- A market of 4.2 million small companies that still send invoices by post", "- Twelve pilots since March, nine of them paying", "- One price for each document, no licence and no seat",
		"- Growth by partners: accountants recommend us to the firms whose books they keep", "- The next release adds signatures and archives", "- Breakeven in the second quarter of 2028 with eighteen people", "- We look for two million euros for sales in Austria and the Netherlands",
		"- Risks: a large competitor lowers its prices, or a law changes the format of invoices again"}
	all := map[string]map[string]string{
		"pitch-that-shrinks": deck(on(title("Why now", false), content(false, `><a:normAutofit fontScale="70000" lnSpcReduction="20000"/>`, 28, long...)), on(title("Team", false), content(false, `><a:normAutofit/>`, 24, long[:3]...))),
		"arabic": deck(on(title("خطة العام القادم", true), content(true, ">", 24, "- زيادة المبيعات بنسبة 15% في الربع الأول", "- افتتاح فرع جديد في مدينة Dubai", "- تدريب (40) موظفاً على النظام الجديد")),
			on(box{x: 100, y: 100, w: 300, h: 150, preset: "roundRect", fill: "70AD47", body: `anchor="ctr">`, size: 28, align: "ctr", isRTL: true, lines: []string{"المرحلة الأولى"}}, box{x: 520, y: 100, w: 300, h: 150, preset: "homePlate", fill: "4472C4", body: `anchor="ctr">`, size: 28, align: "ctr", isRTL: true, lines: []string{"المرحلة الثانية 2027"}})),
		"hebrew":   deck(on(title("סיכום הרבעון", true), content(true, ">", 24, "- המכירות עלו ב־12% לעומת 2025", "- נפתחו שלושה סניפים חדשים", "- לקוחות: Intel, Teva ועוד"))),
		"japanese": deck(on(title("来年度の計画について", false), content(false, ">", 24, "- 売上高を前年比15％増やす（第1四半期）", "- 大阪に新しい支店を開設し、営業担当者を20名採用する予定です。詳細は別紙「採用計画」をご覧ください。", "- 新システムの研修を行う"))),
		"shapes": deck(on(title("How it works", false),
			box{x: 60, y: 160, w: 220, h: 120, preset: "chevron", fill: "4472C4", body: `anchor="ctr">`, size: 20, align: "ctr", lines: []string{"Event"}},
			box{x: 300, y: 160, w: 220, h: 120, preset: "chevron", fill: "ED7D31", body: `anchor="ctr">`, size: 20, align: "ctr", lines: []string{"Template"}},
			box{x: 540, y: 160, w: 220, h: 120, preset: "flowChartDocument", fill: "A5A5A5", body: `anchor="ctr">`, size: 20, align: "ctr", lines: []string{"Document"}},
			box{x: 60, y: 330, w: 150, h: 150, preset: "cloud", fill: "5B9BD5", body: `anchor="ctr">`, size: 16, align: "ctr", lines: []string{"Drive"}},
			box{x: 300, y: 330, w: 150, h: 150, preset: "star5", fill: "FFC000"},
			box{x: 540, y: 330, w: 220, h: 120, preset: "wedgeRoundRectCallout", fill: "70AD47", body: `anchor="ctr">`, size: 16, lines: []string{"All of it in one second"}})),
		"spaced": deck(on(title("Empty lines between", false), content(false, ">", 20, "First line", "", "Third line", "", "- a bullet", "", "The last line of the slide"))),
	}
	maps.Copy(all, businessDecks())
	return all
}
