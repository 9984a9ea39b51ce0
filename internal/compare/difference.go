package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// tolerance is how far something may be from where it was, in points: 0.1 mm, which nobody sees.
const tolerance = 0.1 / mmPerPoint

const mmPerPoint = 25.4 / 72

// A Page says how a page looks different. It holds no word of a document.
type Page struct {
	Number int `json:"page"` // from 1
	// Missing and Added: there is no such page now, or there was none.
	Missing bool `json:"missing,omitempty"`
	Added   bool `json:"added,omitempty"`
	Resized bool `json:"resized,omitempty"`
	// Moved words are in another place, the farthest of them FarthestMM from where it was.
	// Restyled words have another font, size or colour.
	Moved      int     `json:"moved,omitempty"`
	FarthestMM float64 `json:"farthestMm,omitempty"`
	Gone       int     `json:"gone,omitempty"`
	New        int     `json:"new,omitempty"`
	Restyled   int     `json:"restyled,omitempty"`
	// Shapes are lines, areas and pictures that are not as or where they were.
	Shapes int `json:"shapes,omitempty"`
}

func (p Page) differs() bool { return p != Page{Number: p.Number} }

// String is how the page differs in words, such as "page 2: 14 words moved by up to 4.2 mm".
func (p Page) String() string {
	var all []string
	say := func(n int, one, more string) {
		if n == 1 {
			all = append(all, "1 "+one)
		} else if n > 1 {
			all = append(all, fmt.Sprintf("%d %s", n, more))
		}
	}
	switch {
	case p.Missing:
		all = append(all, "gone")
	case p.Added:
		all = append(all, "new")
	}
	if p.Resized {
		all = append(all, "another size")
	}
	by := fmt.Sprintf(" moved by up to %.1f mm", p.FarthestMM)
	say(p.Moved, "word"+by, "words"+by)
	say(p.Gone, "word gone", "words gone")
	say(p.New, "new word", "new words")
	say(p.Restyled, "word in another style", "words in another style")
	say(p.Shapes, "shape differs", "shapes differ")
	return fmt.Sprintf("page %d: %s", p.Number, strings.Join(all, ", "))
}

// PDFs returns the pages on which two PDFs look different, and how many pages each has.
func PDFs(before, after []byte) (pages []Page, countBefore, countAfter int, err error) {
	old, err := readSheets(before)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("the stored PDF: %w", err)
	}
	made, err := readSheets(after)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("the new PDF: %w", err)
	}
	for n := range max(len(old), len(made)) {
		p := Page{Number: n + 1}
		switch {
		case n >= len(made):
			p.Missing = true
		case n >= len(old):
			p.Added = true
		default:
			p.compare(old[n], made[n])
		}
		if p.differs() {
			pages = append(pages, p)
		}
	}
	return pages, len(old), len(made), nil
}

// compare pairs what stands where it stood. Of the rest it pairs words of one text, in their
// order.
func (p *Page) compare(old, made sheet) {
	p.Resized = old.size != made.size
	oldRest, madeRest := unpaired(old.marks, made.marks)
	later := map[string][]mark{} // by text
	for _, m := range madeRest {
		if m.text == "" {
			p.Shapes++
			continue
		}
		later[m.text] = append(later[m.text], m)
		p.New++
	}
	shapes := 0
	for _, m := range oldRest {
		pairs := later[m.text]
		switch {
		case m.text == "":
			shapes++
			continue
		case len(pairs) == 0:
			p.Gone++
			continue
		}
		later[m.text] = pairs[1:]
		p.New--
		if by := math.Hypot(m.x-pairs[0].x, m.y-pairs[0].y); by > tolerance {
			p.Moved++
			p.FarthestMM = max(p.FarthestMM, math.Round(by*mmPerPoint*10)/10)
		} else {
			p.Restyled++
		}
	}
	p.Shapes = max(p.Shapes, shapes) // one that changed is gone and new
}

// unpaired returns the marks that are not in both lists, alike and in one place.
func unpaired(old, made []mark) (oldRest, madeRest []mark) {
	type kind struct{ text, style string }
	places, taken := map[kind][]int{}, make([]bool, len(made))
	for i, m := range made {
		k := kind{m.text, m.style}
		places[k] = append(places[k], i)
	}
	for _, m := range old {
		k := kind{m.text, m.style}
		for len(places[k]) > 0 && taken[places[k][0]] {
			places[k] = places[k][1:]
		}
		at := slices.IndexFunc(places[k], func(i int) bool {
			return !taken[i] && math.Hypot(m.x-made[i].x, m.y-made[i].y) <= tolerance
		})
		if at < 0 {
			oldRest = append(oldRest, m)
			continue
		}
		taken[places[k][at]] = true
	}
	for i, m := range made {
		if !taken[i] {
			madeRest = append(madeRest, m)
		}
	}
	return oldRest, madeRest
}
