package wml

import (
	"strings"
	"testing"
)

// shownBy reads a document with a store and returns the text of its paragraphs.
func shownBy(t *testing.T, body string) string {
	t.Helper()
	const relations = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	d := docx{body: body,
		relations: `<Relationship Id="store" Type="` + relations + `customXml" Target="../customXml/item1.xml"/>`,
		parts: map[string]string{
			"customXml/item1.xml":            `<o:order xmlns:o="urn:order" xmlns="urn:other" no="7"><o:name>Ada</o:name><o:name>Grace</o:name><o:lines>one&#10;two</o:lines><o:day>2026-03-01</o:day><o:done>true</o:done><o:pick>b</o:pick><o:empty/><plain>P</plain></o:order>`,
			"customXml/_rels/item1.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="` + relations + `customXmlProps" Target="itemProps1.xml"/></Relationships>`,
			"customXml/itemProps1.xml":       `<ds:datastoreItem ds:itemID="{AB-1}" xmlns:ds="http://schemas.openxmlformats.org/officeDocument/2006/customXml"/>`,
		}}.read(t)
	var all []string
	var add func(blocks []Block)
	add = func(blocks []Block) {
		for _, b := range blocks {
			switch b := b.(type) {
			case *Paragraph:
				all = append(all, shownText(b.Runs))
			case *Table:
				for _, row := range b.Rows {
					for _, c := range row.Cells {
						add(c.Blocks)
					}
				}
			}
		}
	}
	add(d.Sections[0].Blocks)
	return strings.Join(all, "|")
}

func control(properties, content string) string {
	return `<w:sdt><w:sdtPr>` + properties + `</w:sdtPr><w:sdtContent>` + content + `</w:sdtContent></w:sdt>`
}

func binding(xpath string) string {
	return `<w:dataBinding w:prefixMappings="xmlns:x='urn:order' xmlns:y=&quot;urn:other&quot;" w:xpath="` + xpath + `" w:storeItemID="{ab-1}"/>`
}

func TestABoundControlShowsItsData(t *testing.T) {
	t.Parallel()
	inline := func(properties string) string { return `<w:p>` + control(properties, text("stored")) + `</w:p>` }
	date := func(format string) string {
		return `<w:date><w:dateFormat w:val="` + format + `"/><w:lid w:val="de-AT"/></w:date>`
	}
	for name, c := range map[string]struct{ body, want string }{
		"an element":              {inline(binding("/x:order[1]/x:name[1]")), "Ada"},
		"the second":              {inline(binding("/x:order/x:name[2]")), "Grace"},
		"an attribute":            {inline(binding("/x:order[1]/@no")), "7"},
		"another namespace":       {inline(binding("/x:order[1]/y:plain[1]")), "P"},
		"two lines":               {inline(binding("/x:order[1]/x:lines[1]")), "one\ntwo"},
		"what is not there":       {inline(binding("/x:order[1]/x:name[3]")), "stored"},
		"of a wrong namespace":    {inline(binding("/y:order[1]/x:name[1]")), "stored"},
		"what is empty":           {inline(binding("/x:order[1]/x:empty[1]")), "stored"},
		"of another store":        {inline(strings.Replace(binding("/x:order[1]/x:name[1]"), "{ab-1}", "{ab-2}", 1)), "stored"},
		"of any store":            {inline(strings.Replace(binding("/x:order[1]/x:name[1]"), ` w:storeItemID="{ab-1}"`, "", 1)), "Ada"},
		"without a binding":       {inline(""), "stored"},
		"a path of another form":  {inline(binding("//x:name[last()]")), "stored"},
		"a formatted text":        {inline(`<w:richText/>` + binding("/x:order[1]/x:name[1]")), "stored"},
		"a date":                  {inline(date("d. MMMM yyyy") + binding("/x:order[1]/x:day[1]")), "1. März 2026"},
		"a date of a day":         {inline(date("dddd, dd.MM.yy 'Uhr'") + binding("/x:order[1]/x:day[1]")), "Sonntag, 01.03.26 Uhr"},
		"a check box":             {inline(`<w14:checkbox/>` + binding("/x:order[1]/x:done[1]")), "☒"},
		"an entry of a list":      {inline(`<w:dropDownList><w:listItem w:displayText="First" w:value="a"/><w:listItem w:displayText="Second" w:value="b"/></w:dropDownList>` + binding("/x:order[1]/x:pick[1]")), "Second"},
		"without content":         {`<w:p>` + control(binding("/x:order[1]/x:name[1]"), "") + `</w:p>`, "Ada"},
		"in several runs":         {`<w:p>` + text("a ") + control(binding("/x:order[1]/x:name[1]"), text("st")+text("ored")) + text(" z") + `</w:p>`, "a Ada z"},
		"around a paragraph":      {control(binding("/x:order[1]/x:name[1]"), `<w:p>`+text("stored")+`</w:p>`), "Ada"},
		"around two":              {control(binding("/x:order[1]/x:name[1]"), `<w:p>`+text("stored")+`</w:p><w:p>`+text("more")+`</w:p>`) + `<w:p>` + text("z") + `</w:p>`, "Ada|z"},
		"around a cell":           {`<w:tbl><w:tr>` + control(binding("/x:order[1]/x:name[1]"), `<w:tc><w:p>`+text("stored")+`</w:p></w:tc>`) + `</w:tr></w:tbl>`, "Ada"},
		"around a table it stays": {control(binding("/x:order[1]/x:name[1]"), `<w:tbl><w:tr><w:tc><w:p>`+text("stored")+`</w:p></w:tc></w:tr></w:tbl>`), "stored"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := shownBy(t, c.body); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAPromptGivesWayToDataInTheStyleOfItsControl(t *testing.T) {
	t.Parallel()
	d := docx{parts: map[string]string{"docProps/core.xml": `<cp:coreProperties xmlns:cp="urn:cp" xmlns:dc="urn:dc"><dc:title>Offer</dc:title></cp:coreProperties>`,
		"_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>` +
			`<Relationship Id="r2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`},
		body: `<w:p>` + control(`<w:rPr><w:b/></w:rPr><w:showingPlcHdr/><w:dataBinding w:prefixMappings="xmlns:a='urn:cp' xmlns:b='urn:dc'" w:xpath="/a:coreProperties[1]/b:title[1]" w:storeItemID="{6C3C8BC8-F283-45AE-878A-BAB7291924A1}"/>`,
			`<w:r><w:rPr><w:i/></w:rPr><w:t>[Title]</w:t></w:r>`) + `</w:p>`}.read(t)
	runs := firstParagraph(t, d).Runs
	if len(runs) != 1 || shownText(runs) != "Offer" || !runs[0].Bold || runs[0].Italic {
		t.Errorf("got %q, bold %t, italic %t; want a bold Offer", shownText(runs), runs[0].Bold, runs[0].Italic)
	}
}
