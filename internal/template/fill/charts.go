package fill

import (
	"encoding/json"
	"slices"
	"strings"

	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/google/walk"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// CodeChartNotFilled says of a chart with a tag that its data cannot be changed.
const (
	CodeChartNotFilled    = "chart_not_filled"
	ChartNotFilledMessage = "This is a picture of a chart, or one that is linked to a sheet, and Google lets no program change its data: keep the template as a .docx or .pptx file in Platen's own drive, or take the tag out of the description."
)

// A chart is one of the template that says by its description what it shows.
type chart struct {
	statement *syntax.Statement
	fixed     bool // it is a picture, or linked to a sheet
}

// findChartTag reads what a chart of the template says of itself: its tag, and nothing
// else, in its description or its title.
func (p *composer) findChartTag(texts ...string) (*syntax.Statement, bool) {
	tag := ChartTag(texts...)
	if tag == "" {
		return nil, false
	}
	s := p.e.Read(syntax.Parse(tag)[0])
	return s, s.Kind == syntax.Chart || s.Kind == syntax.Faulty
}

// ChartTag is the tag of a chart among the description and the title of an object, where
// one of them is that and nothing else; empty for none.
func ChartTag(texts ...string) string {
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if tags := syntax.Parse(text); len(tags) == 1 && tags[0].Text == text && isChartTag(text) {
			return text
		}
	}
	return ""
}

// isChartTag tells of the text of a tag that begins as that of a chart.
func isChartTag(text string) bool {
	first, _, _ := strings.Cut(syntax.Canonical(strings.TrimPrefix(text, "{{")), " ")
	return strings.EqualFold(first, syntax.ChartWord)
}

// chartText is the text that takes the place of the tag of a chart: its data, as JSON.
// It is empty where nothing is to be put there.
func (p *composer) chartText(c chart, scope *lang.Scope) string {
	if c.fixed {
		p.e.Report(lang.Finding{Code: CodeChartNotFilled, Tag: c.statement.Tag, Message: ChartNotFilledMessage})
		return ""
	}
	data := p.e.Chart(c.statement, scope)
	if data == nil {
		return ""
	}
	text, err := json.Marshal(data)
	if err != nil {
		return "" // texts always marshal
	}
	p.quoted += len(text)
	return string(text)
}

// fillCharts fills the charts of a paragraph.
func (p *composer) fillCharts(para *para, scope *lang.Scope, w writer) {
	for _, c := range para.charts {
		if text := p.chartText(c, scope); p.isNewChart("", c, text) {
			w.fillChart(c.statement.Tag, text)
		}
	}
}

// isNewChart tells of data that no request has yet: one fills all charts of a document,
// or of a slide, with the same tag. Where these would show different data, it reports it.
func (p *composer) isNewChart(page string, c chart, text string) bool {
	if text == "" {
		return false
	}
	key := page + " " + c.statement.Tag
	before, known := p.charted[key]
	if known && before != text {
		p.e.Report(lang.Finding{Code: "two_charts", Tag: c.statement.Tag, Message: "Two charts have this tag and would show different data, for they stand in different blocks: write one of the tags in another way, such as with limit 1000."})
	}
	p.charted[key] = text
	return !known
}

func (w *docsWriter) fillChart(tag, text string) {
	w.add(&docs.Request{ReplaceAllText: &docs.ReplaceAllTextRequest{ContainsText: &docs.SubstringMatchCriteria{Text: tag, MatchCase: true}, ReplaceText: text}})
}

// fillChart does nothing: no chart stands in the text of a slide.
func (w *slidesWriter) fillChart(string, string) {}

// fillSlideCharts fills the charts of a slide that comes out.
func (p *composer) fillSlideCharts(made *showing, requests *[]*slides.Request) {
	for _, c := range made.page.charts {
		if text := p.chartText(c, made.scope); p.isNewChart(made.id, c, text) {
			*requests = append(*requests, &slides.Request{ReplaceAllText: &slides.ReplaceAllTextRequest{
				ContainsText: &slides.SubstringMatchCriteria{Text: c.statement.Tag, MatchCase: true}, ReplaceText: text, PageObjectIds: []string{made.id},
			}})
		}
	}
}

// keepTitles keeps the tags of a chart's own titles, which our drive shows as the title of
// the object.
func (p *composer) keepTitles(title string) {
	if ChartTag(title) == "" {
		for line := range strings.SplitSeq(title, "\n") {
			p.keepBox(line)
		}
	}
}

// fillTitles replaces the tags of the titles of charts on a slide.
func (p *composer) fillTitles(made *showing) {
	for _, title := range made.page.titles {
		if p.page == nil {
			p.keepTitles(title)
			continue
		}
		for _, tag := range syntax.Parse(title) {
			r := replacement{tag.Text, p.hideBraces(p.e.Text(p.e.Read(tag), made.scope))}
			if !slices.Contains(p.page.kept, r) {
				p.page.kept = append(p.page.kept, r)
			}
		}
	}
}

// hideBraces hides a value that has some.
func (p *composer) hideBraces(value string) string {
	if strings.ContainsAny(value, "{}") {
		return p.hide(value)
	}
	return value
}

// findTitles finds the titles of charts.
func findTitles(elements []*slides.PageElement, into []string) []string {
	for _, e := range elements {
		switch {
		case e.ElementGroup != nil:
			into = findTitles(e.ElementGroup.Children, into)
		case e.Shape == nil && e.Image == nil && e.Table == nil && e.SheetsChart == nil && strings.Contains(e.Title, "{{") && ChartTag(e.Title) == "":
			into = append(into, e.Title)
		}
	}
	return into
}

// findCharts finds the charts of a slide that have tags.
func (p *composer) findCharts(elements []*slides.PageElement, into []chart) []chart {
	for _, e := range elements {
		if e.ElementGroup != nil {
			into = p.findCharts(e.ElementGroup.Children, into)
			continue
		}
		if s, ok := p.findChartTag(e.Description, e.Title); ok && (e.SheetsChart != nil || e.Shape == nil) {
			into = append(into, chart{statement: s, fixed: e.SheetsChart != nil || e.Image != nil || e.WordArt != nil || e.Video != nil || e.Line != nil || e.Table != nil})
		}
	}
	return into
}

// isChartText tells of a replacement that fills a chart.
func isChartText(find, replace string) bool {
	return isChartTag(find) && strings.HasPrefix(replace, "{")
}

// hasTitles tells of charts with tags in their titles.
func (t Template) hasTitles() (found bool) {
	t.Show(
		func(d *docs.Document) { found = slices.ContainsFunc(walk.Tabs(d), hasTitles) },
		func(p *slides.Presentation) {
			found = slices.ContainsFunc(p.Slides, func(s *slides.Page) bool { return len(findTitles(s.PageElements, nil)) > 0 })
		},
	)
	return found
}

func hasTitles(t *docs.Tab) bool {
	tagged := func(o *docs.EmbeddedObject) bool { return o != nil && strings.Contains(o.Title, "{{") }
	for _, o := range t.DocumentTab.InlineObjects {
		if o.InlineObjectProperties != nil && tagged(o.InlineObjectProperties.EmbeddedObject) {
			return true
		}
	}
	for _, o := range t.DocumentTab.PositionedObjects {
		if o.PositionedObjectProperties != nil && tagged(o.PositionedObjectProperties.EmbeddedObject) {
			return true
		}
	}
	return false
}
