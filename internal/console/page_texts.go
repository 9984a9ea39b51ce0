package console

import (
	"encoding/json"
	"html/template"

	"github.com/platenhq/platen/internal/catalog"
)

// textsIn are what templates call for texts in a language. Where they stand, they are in
// English.
func textsIn(p catalog.Printer) template.FuncMap {
	return template.FuncMap{"t": p.Text, "language": p.Language, "place": p.Place, "drawn": func(message string) string {
		if p.English() {
			return message
		}
		return p.Text("something looks different")
	}}
}

// scriptWords are what the scripts of a page say, as JSON, by the names that they have there.
func scriptWords(p catalog.Printer) string {
	words := map[string]any{"pages": textsOf(p, pagesTexts)}
	for name, text := range textsOf(p, studioTexts) {
		words[name] = text
	}
	out, err := json.Marshal(words)
	if err != nil {
		panic(err) // it holds strings alone
	}
	return string(out)
}

// pagesTexts are those of pages.js.
var pagesTexts = texts{
	"making": "The pages are being made …", "page": "Page {n} of {all}", "first": "First page", "finding": "Finding {n}", "shown": "Show on page {n}",
	"more": "The other {n} pages are in the PDF.", "encrypted": "This PDF is encrypted", "password": "Password of this PDF. It stays in your browser",
	"wrong": "This is not its password.", "open": "Open", "damaged": "The file cannot be shown here. Open it as a PDF.",
	"offline": "The pages could not be fetched. Check the connection, and load this page again.",
	"differ":  "Words that one of them lacks: {n}. They are outlined.", "same": "Both have the same words.", "long": "They are too long to be compared here.",
	"alone":   "One of the two cannot be shown, so they are not compared.",
	"refused": "The pages cannot be shown right now. Load this page again in a moment.",
}

// studioTexts are those of the scripts with forms.
var studioTexts = texts{
	"filling": "Filling …", "filled": "Filled.", "wrong": "The template cannot be filled with this. What is wrong stands above its pages.",
	"waiting": "Many previews are being made. One moment …", "offline": "The service does not answer. What you typed is still here: press Fill the template.",
	"large": "The picture has more than 2 MiB. Choose a smaller one.", "full": "All pictures together are too large. Choose smaller ones.",
	"empty": "The file is empty. Choose another.", "unreadable": "The picture could not be read. Choose it once more.",
	"kind":   "The file is no picture that can be used. Choose a PNG, JPEG or GIF file.",
	"chosen": "The picture that was chosen", "another": "Choose another", "sending": "Being sent. One moment …",
}

func textsOf(p catalog.Printer, english texts) map[string]string {
	out := make(map[string]string, len(english))
	for name, text := range english {
		out[name] = p.Text(text)
	}
	return out
}
