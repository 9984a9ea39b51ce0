package console

import (
	"embed"
	"hash/fnv"
	"html/template"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Icons are Lucide's, without its comments and class names.
//
//go:embed icons/*.svg icons/LICENSE
var iconFiles embed.FS

// drawings are the contents of the icons' svg elements, by their names in Lucide.
var drawings = readDrawings()

func readDrawings() map[string]string {
	files, err := iconFiles.ReadDir("icons")
	if err != nil {
		panic(err) // they are embedded
	}
	out := map[string]string{}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".svg")
		if !ok {
			continue
		}
		text, err := iconFiles.ReadFile(path.Join("icons", f.Name()))
		if err != nil {
			panic(err) // it is embedded
		}
		_, inner, _ := strings.Cut(string(text), ">")
		out[name] = strings.TrimSuffix(strings.TrimSpace(inner), "</svg>")
	}
	return out
}

const stroke = `fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"`

// drawn is an icon in the colour of the text beside it, which says the same.
func drawn(name string) template.HTML {
	drawing, ok := drawings[name]
	if !ok {
		panic("there is no icon " + name) // a template of ours names it
	}
	return template.HTML(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" stroke="currentColor" ` + stroke + `>` + drawing + `</svg>`)
}

// iconNames are the names that workflows may give their icon, beside Lucide's. They are
// compared without case and signs.
var iconNames = map[string]string{
	"documenttext": "file-text", "document": "file-text", "invoice": "receipt", "letter": "mail", "envelope": "mail", "email": "mail",
	"certificate": "award", "diploma": "award", "contract": "scroll-text", "slides": "presentation", "label": "tag", "delivery": "truck",
	"shipping": "truck", "business": "briefcase", "event": "calendar", "people": "users", "box": "package", "payment": "credit-card", "form": "clipboard-list", "company": "building",
}

var letters = regexp.MustCompile(`[^a-z0-9]`)

// drawingOf finds what a workflow calls its icon; a page with text where there is no such
// icon.
func drawingOf(name string) string {
	plain := letters.ReplaceAllString(strings.ToLower(name), "")
	if known, ok := iconNames[plain]; ok {
		return drawings[known]
	}
	for ours, drawing := range drawings {
		if strings.ReplaceAll(ours, "-", "") == plain {
			return drawing
		}
	}
	return drawings["file-text"]
}

var (
	hexColor = regexp.MustCompile(`^#([0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$`)
	// noColor is what a workflow has that chose none. One of ownColors stands for it, so that
	// people see which is which.
	noColor   = "#cccccc"
	ownColors = []string{"#2f52cf", "#b4530b", "#8a3fb0", "#12703a", "#0b7285", "#b0305f", "#6b5b00", "#58616d"}
)

// chip is the icon of a workflow on its colour; class may be "chip large".
func chip(class, id, color, icon string) template.HTML {
	if !hexColor.MatchString(color) || strings.EqualFold(color, noColor) {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(id)) // never fails
		color = ownColors[int(sum.Sum32()%uint32(len(ownColors)))]
	}
	ink := "#fff"
	if lightness(color) > 0.4 {
		ink = "#171b22"
	}
	return template.HTML(`<svg class="` + template.HTMLEscapeString(class) + `" viewBox="0 0 40 40" aria-hidden="true"><rect width="40" height="40" rx="9" fill="` + color + `"/><g transform="translate(8 8)" stroke="` + ink + `" ` + stroke + `>` + drawingOf(icon) + `</g></svg>`)
}

// lightness is from 0 to 1, as WCAG 2 reckons it, roughly.
func lightness(hex string) float64 {
	digits := strings.TrimPrefix(hex, "#")
	if len(digits) < 6 {
		digits = strings.Repeat(digits[:1], 2) + strings.Repeat(digits[1:2], 2) + strings.Repeat(digits[2:3], 2)
	}
	n, err := strconv.ParseUint(digits[:6], 16, 32)
	if err != nil {
		return 0
	}
	share := func(shift uint) float64 { v := float64(n>>shift&0xff) / 255; return v * v }
	return 0.2126*share(16) + 0.7152*share(8) + 0.0722*share(0)
}
