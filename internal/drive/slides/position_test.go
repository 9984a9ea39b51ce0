package slides

import (
	"strings"
	"testing"

	gslides "google.golang.org/api/slides/v1"
)

func move(to int64, ids ...string) *gslides.Request {
	return &gslides.Request{UpdateSlidesPosition: &gslides.UpdateSlidesPositionRequest{SlideObjectIds: ids, InsertionIndex: to}}
}

// fiveSlides makes slides a_one to e_five in one section; the first is 256.
func fiveSlides() []*gslides.Request {
	ids := []string{"b_two", "c_three", "d_four", "e_five"}
	requests := []*gslides.Request{duplicate("slide_256", map[string]string{"slide_256": ids[3]})}
	for i := 2; i >= 0; i-- {
		requests = append(requests, duplicate("slide_256", map[string]string{"slide_256": ids[i]}))
	}
	return requests
}

func TestSlidesMoveBeforeTheOneThatWasAtTheIndex(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request *gslides.Request
		want    string
	}{
		"to the front":        {move(0, "d_four"), "d_four slide_256 b_two c_three e_five"},
		"to the end":          {move(5, "slide_256"), "b_two c_three d_four e_five slide_256"},
		"forth":               {move(4, "b_two"), "slide_256 c_three d_four b_two e_five"},
		"back":                {move(1, "e_five"), "slide_256 e_five b_two c_three d_four"},
		"several":             {move(3, "slide_256", "d_four"), "b_two c_three slide_256 d_four e_five"},
		"where it is":         {move(2, "c_three"), "slide_256 b_two c_three d_four e_five"},
		"right behind itself": {move(3, "c_three"), "slide_256 b_two c_three d_four e_five"},
		"all":                 {move(2, "slide_256", "b_two", "c_three", "d_four", "e_five"), "slide_256 b_two c_three d_four e_five"},
	} {
		p := sectioned(t)
		apply(t, p, append(fiveSlides(), c.request)...)
		p = reread(t, p)
		var got []string
		for _, s := range get(t, p).Slides {
			got = append(got, s.ObjectId)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %s, want %s", name, strings.Join(got, " "), c.want)
		}
		// The section lists them in the same order.
		all, section, _ := strings.Cut(listed(t, p), " | ")
		if all != section {
			t.Errorf("%s: the slides %s, in the section %s", name, all, section)
		}
	}
}

func TestMovesThatCannotBeMadeAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request *gslides.Request
		want    string
	}{
		"of none":         {move(0), "At least one slide (slideObjectIds) must be specified."},
		"of what is none": {move(0, "slide_256_2"), "The slide (slide_256_2) could not be found."},
		"twice":           {move(0, "slide_256", "slide_256"), "The slides must be in their order in the presentation, without duplicates: slide_256."},
		"before all":      {move(-1, "slide_256"), "The insertion index -1 must be between 0 and the number of slides, 1."},
		"behind all":      {move(2, "slide_256"), "The insertion index 2 must be between 0 and the number of slides, 1."},
	} {
		if got := refuse(t, pptx(t, sp("2", para("a")), ""), c.request); got != "Invalid requests[0].updateSlidesPosition: "+c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	requests := append(fiveSlides(), move(0, "c_three", "b_two"))
	if got := refuse(t, pptx(t, sp("2", para("a")), ""), requests...); !strings.HasSuffix(got, "The slides must be in their order in the presentation, without duplicates: b_two.") {
		t.Errorf("in another order: got %q", got)
	}
}
