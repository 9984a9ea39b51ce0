package main

import (
	"fmt"
	"html"
	"strings"
)

const deckNamespaces = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`

// box is a shape with text on a slide; places and lengths in points.
type box struct {
	x, y, w, h   int
	preset, fill string
	body         string // attributes of a:bodyPr and what is in it
	size         int
	align        string
	isRTL        bool
	lines        []string // "- " in front is a bullet
}

func (b box) xml(id int) string {
	const emu = 12700
	var text strings.Builder
	for _, line := range b.lines {
		attributes, bullet := fmt.Sprintf(` algn="%s"`, orElse(b.align, "l")), "<a:buNone/>"
		if b.isRTL {
			attributes = ` algn="` + orElse(b.align, "r") + `" rtl="1"`
		}
		if rest, ok := strings.CutPrefix(line, "- "); ok {
			line, bullet = rest, `<a:buChar char="•"/>`
			if b.isRTL {
				attributes += ` marR="285750"`
			}
			attributes += ` marL="285750" indent="-285750"`
		}
		fmt.Fprintf(&text, `<a:p><a:pPr%s>%s</a:pPr><a:r><a:rPr lang="en-GB" sz="%d00"><a:latin typeface="+mn-lt"/></a:rPr><a:t>%s</a:t></a:r></a:p>`, attributes, bullet, b.size, html.EscapeString(line))
	}
	if text.Len() == 0 {
		text.WriteString("<a:p/>")
	}
	fill := "<a:noFill/>"
	if b.fill != "" {
		fill = `<a:solidFill><a:srgbClr val="` + b.fill + `"/></a:solidFill>`
	}
	return fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="Box %d"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="%d" y="%d"/><a:ext cx="%d" cy="%d"/></a:xfrm><a:prstGeom prst="%s"><a:avLst/></a:prstGeom>%s</p:spPr>`+
		`<p:txBody><a:bodyPr wrap="square" %s</a:bodyPr><a:lstStyle/>%s</p:txBody></p:sp>`, id, id, b.x*emu, b.y*emu, b.w*emu, b.h*emu, orElse(b.preset, "rect"), fill, orElse(b.body, ">"), text.String())
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// deck is a presentation of slides, each some boxes.
func deck(slides ...[]box) map[string]string {
	const types, relations = "application/vnd.openxmlformats-officedocument.presentationml.", "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	tree := `<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>`
	related := func(list ...string) string {
		return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + strings.Join(list, "") + `</Relationships>`
	}
	relation := func(id, kind, target string) string {
		return `<Relationship Id="` + id + `" Type="` + relations + kind + `" Target="` + target + `"/>`
	}
	override := func(name, kind string) string {
		return `<Override PartName="/ppt/` + name + `" ContentType="` + types + kind + `+xml"/>`
	}
	overrides := override("presentation.xml", "presentation.main") + override("slideMasters/slideMaster1.xml", "slideMaster") + override("slideLayouts/slideLayout1.xml", "slideLayout")
	list, links := "", []string{relation("m", "slideMaster", "slideMasters/slideMaster1.xml")}
	parts := map[string]string{
		"_rels/.rels": related(relation("r", "officeDocument", "ppt/presentation.xml")),
		"ppt/slideMasters/slideMaster1.xml": `<p:sldMaster ` + deckNamespaces + `><p:cSld><p:bg><p:bgPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill><a:effectLst/></p:bgPr></p:bg><p:spTree>` + tree + `</p:spTree></p:cSld>` +
			`<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/><p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="l"/></p:sldLayoutIdLst></p:sldMaster>`,
		"ppt/slideMasters/_rels/slideMaster1.xml.rels": related(relation("l", "slideLayout", "../slideLayouts/slideLayout1.xml"), relation("t", "theme", "../theme/theme1.xml")),
		"ppt/slideLayouts/slideLayout1.xml":            `<p:sldLayout ` + deckNamespaces + ` type="blank"><p:cSld><p:spTree>` + tree + `</p:spTree></p:cSld></p:sldLayout>`,
		"ppt/slideLayouts/_rels/slideLayout1.xml.rels": related(relation("m", "slideMaster", "../slideMasters/slideMaster1.xml")),
		"ppt/theme/theme1.xml":                         theme(),
	}
	for i, boxes := range slides {
		name, id := fmt.Sprintf("slides/slide%d.xml", i+1), fmt.Sprintf("s%d", i+1)
		var shapes strings.Builder
		for n, b := range boxes {
			shapes.WriteString(b.xml(n + 2))
		}
		parts["ppt/"+name] = `<p:sld ` + deckNamespaces + `><p:cSld><p:spTree>` + tree + shapes.String() + `</p:spTree></p:cSld></p:sld>`
		parts[fmt.Sprintf("ppt/slides/_rels/slide%d.xml.rels", i+1)] = related(relation("l", "slideLayout", "../slideLayouts/slideLayout1.xml"))
		overrides += override(name, "slide")
		links = append(links, relation(id, "slide", name))
		list += fmt.Sprintf(`<p:sldId id="%d" r:id="%s"/>`, 256+i, id)
	}
	parts["[Content_Types].xml"] = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
		overrides + `<Override PartName="/ppt/theme/theme1.xml" ContentType="application/vnd.openxmlformats-officedocument.theme+xml"/></Types>`
	parts["ppt/_rels/presentation.xml.rels"] = related(links...)
	parts["ppt/presentation.xml"] = `<p:presentation ` + deckNamespaces + `><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="m"/></p:sldMasterIdLst><p:sldIdLst>` + list + `</p:sldIdLst><p:sldSz cx="12192000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`
	return parts
}

func theme() string {
	colors := ""
	for _, pair := range [][2]string{{"dk1", "000000"}, {"lt1", "FFFFFF"}, {"dk2", "44546A"}, {"lt2", "E7E6E6"}, {"accent1", "4472C4"}, {"accent2", "ED7D31"}, {"accent3", "A5A5A5"}, {"accent4", "FFC000"}, {"accent5", "5B9BD5"}, {"accent6", "70AD47"}, {"hlink", "0563C1"}, {"folHlink", "954F72"}} {
		colors += `<a:` + pair[0] + `><a:srgbClr val="` + pair[1] + `"/></a:` + pair[0] + `>`
	}
	font := `<a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/>`
	fill := strings.Repeat(`<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>`, 3)
	return `<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Plain"><a:themeElements><a:clrScheme name="Plain">` + colors + `</a:clrScheme><a:fontScheme name="Plain"><a:majorFont>` + font + `</a:majorFont><a:minorFont>` + font + `</a:minorFont></a:fontScheme>` +
		`<a:fmtScheme name="Plain"><a:fillStyleLst>` + fill + `</a:fillStyleLst><a:lnStyleLst>` + strings.Repeat(`<a:ln w="6350"><a:solidFill><a:schemeClr val="phClr"/></a:solidFill></a:ln>`, 3) + `</a:lnStyleLst><a:effectStyleLst>` + strings.Repeat(`<a:effectStyle><a:effectLst/></a:effectStyle>`, 3) + `</a:effectStyleLst><a:bgFillStyleLst>` + fill + `</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>`
}

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
	return map[string]map[string]string{
		"pitch-that-shrinks": deck([]box{title("Why now", false), content(false, `><a:normAutofit fontScale="70000" lnSpcReduction="20000"/>`, 28, long...)}, []box{title("Team", false), content(false, `><a:normAutofit/>`, 24, long[:3]...)}),
		"arabic": deck([]box{title("خطة العام القادم", true), content(true, ">", 24, "- زيادة المبيعات بنسبة 15% في الربع الأول", "- افتتاح فرع جديد في مدينة Dubai", "- تدريب (40) موظفاً على النظام الجديد")},
			[]box{{x: 100, y: 100, w: 300, h: 150, preset: "roundRect", fill: "70AD47", body: `anchor="ctr">`, size: 28, align: "ctr", isRTL: true, lines: []string{"المرحلة الأولى"}}, {x: 520, y: 100, w: 300, h: 150, preset: "homePlate", fill: "4472C4", body: `anchor="ctr">`, size: 28, align: "ctr", isRTL: true, lines: []string{"المرحلة الثانية 2027"}}}),
		"hebrew":   deck([]box{title("סיכום הרבעון", true), content(true, ">", 24, "- המכירות עלו ב־12% לעומת 2025", "- נפתחו שלושה סניפים חדשים", "- לקוחות: Intel, Teva ועוד")}),
		"japanese": deck([]box{title("来年度の計画について", false), content(false, ">", 24, "- 売上高を前年比15％増やす（第1四半期）", "- 大阪に新しい支店を開設し、営業担当者を20名採用する予定です。詳細は別紙「採用計画」をご覧ください。", "- 新システムの研修を行う")}),
		"shapes": deck([]box{title("How it works", false),
			{x: 60, y: 160, w: 220, h: 120, preset: "chevron", fill: "4472C4", body: `anchor="ctr">`, size: 20, align: "ctr", lines: []string{"Event"}},
			{x: 300, y: 160, w: 220, h: 120, preset: "chevron", fill: "ED7D31", body: `anchor="ctr">`, size: 20, align: "ctr", lines: []string{"Template"}},
			{x: 540, y: 160, w: 220, h: 120, preset: "flowChartDocument", fill: "A5A5A5", body: `anchor="ctr">`, size: 20, align: "ctr", lines: []string{"Document"}},
			{x: 60, y: 330, w: 150, h: 150, preset: "cloud", fill: "5B9BD5", body: `anchor="ctr">`, size: 16, align: "ctr", lines: []string{"Drive"}},
			{x: 300, y: 330, w: 150, h: 150, preset: "star5", fill: "FFC000"},
			{x: 540, y: 330, w: 220, h: 120, preset: "wedgeRoundRectCallout", fill: "70AD47", body: `anchor="ctr">`, size: 16, lines: []string{"All of it in one second"}}}),
		"spaced": deck([]box{title("Empty lines between", false), content(false, ">", 20, "First line", "", "Third line", "", "- a bullet", "", "The last line of the slide")}),
	}
}
