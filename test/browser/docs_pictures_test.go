package browser

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/testkit/browser"
	"github.com/platenhq/platen/internal/testkit/pages"
)

// pictures has the test take the pictures of the docs, as 'make pictures' does.
var takesPictures = flag.Bool("pictures", false, "write the pictures of the docs")

const (
	picturesFolder = "docs/pictures"
	// pictureMost is how many bytes a picture of the docs may have: the program carries them.
	pictureMost = 90_000
)

// The docs show the product as it is: each picture is of a page that this test reaches.
func TestThePicturesOfTheDocsAreOfPagesAsTheyAreInChromium(t *testing.T) {
	t.Parallel()
	h := openHarbour(t)
	h.spread(t)
	v := visitor{h.signIn(t, browser.Options{Width: 1120}), t, "docs"}
	taken := map[string]bool{}
	shoot := func(name string) {
		t.Helper()
		v.Evaluate(`document.activeElement?.blur(); ""`)
		taken[name+".png"] = true
		if *takesPictures {
			writePicture(t, name, v.Screen())
		}
	}
	drawn := func() {
		t.Helper()
		waitFor(t, v.Page, "the pages in sight are drawn", `[...document.querySelectorAll(".pages")].every((e) => e.getBoundingClientRect().top > innerHeight || e.dataset.state === "drawn")`)
	}

	// Today, a workflow, a run that failed, and what a search finds.
	v.reads("main", "Today", wrongPrice)
	drawn()
	shoot("today")
	v.Visit(h.origin + "/console/workflows/" + h.invoices.ID + "/")
	drawn()
	shoot("workflow")
	v.Visit(h.origin + "/console/workflows/" + h.invoices.ID + "/outputs/")
	drawn()
	shoot("documents")
	v.Visit(h.origin + "/")
	v.presses("BW-2026-0419 " + wrongPrice)
	v.reads("section.failed", "Write one such as 14.00")
	shoot("failed")
	v.Enter("#find", "Hopper")
	v.presses("BW-2026-0420 Grace Hopper")
	drawn()
	shoot("run")

	// The letter of the page for people who write letters.
	v.Visit(h.origin + "/console/new-workflow")
	v.Drop(".drop", letter(t, "berth letter.docx", "Dear {{Name}},", "your berth is number {{Berth}."))
	shoot("drop")
	v.presses("Create")
	untilState(v.Page, ".pages", "drawn")
	v.reads("article", "Mistakes")
	shoot("mistake")
	v.opensForms()
	v.Drop(`form[action$="/template"] .drop`, letter(t, "berth letter.docx", pages.Shown(t, lettersPage)...))
	v.Press(`form[action$="/template"] button`)
	v.presses("Make a document")
	v.writes(v.called("input, textarea", "Name"), "Ada Lovelace")
	v.writes(v.called("input, textarea", "Berth"), "17")
	filled(t, v.Page, "Dear Ada Lovelace,")
	shoot("form")

	// Whatever the docs show was taken, and nothing is taken for nothing.
	root := pages.Root(t)
	shown := map[string]bool{}
	for _, page := range []string{"docs/start.md", "docs/console.md", lettersPage} {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(text), "](pictures/")[1:] {
			name, _, _ := strings.Cut(part, ")")
			shown[name] = true
		}
	}
	for name := range taken {
		info, err := os.Stat(filepath.Join(root, picturesFolder, name))
		switch {
		case err != nil:
			t.Errorf("%v: take it with 'make pictures'", err)
		case info.Size() > pictureMost:
			t.Errorf("%s has %d bytes, want %d at most", name, info.Size(), pictureMost)
		case !shown[name]:
			t.Errorf("no page of the docs shows %s", name)
		}
		delete(shown, name)
	}
	for name := range shown {
		t.Errorf("the docs show %s, which this test does not take", name)
	}
}

// spread has events of the last day, as a harbour has that does not begin this minute.
func (h *harbour) spread(t *testing.T) {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), h.database.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	_, err = pool.Exec(t.Context(), `
		INSERT INTO automations (id, workflow_id, source_id, owner_id, state, body, request_id, reference, accepted_at, started_at, finished_at)
		SELECT 'aut_' || lpad(n::text, 16, '0'), a.workflow_id, a.source_id, a.owner_id, 'COMPLETED', a.body, a.request_id, 'BW-2026-0' || 416 - n, at, at, at + interval '310 milliseconds'
		FROM (SELECT * FROM automations WHERE workflow_id = $1 AND state = 'COMPLETED' ORDER BY accepted_at LIMIT 1) a,
			generate_series(1, 240) n, LATERAL (SELECT now() - make_interval(mins => 60 + n * 5 + (n * n * 7) % 97) AS at) s`, h.invoices.ID)
	if err != nil {
		t.Fatal(err)
	}
}

// writePicture writes a picture of few colours, which is small.
func writePicture(t *testing.T, name string, content []byte) {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	few := image.NewPaletted(full.Bounds(), fewColours(full))
	draw.Draw(few, few.Bounds(), full, full.Bounds().Min, draw.Src)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, few); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(pages.Root(t), picturesFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%s.png: %d bytes\n", name, out.Len())
}

// fewColours are the 256 that a picture has most of.
func fewColours(p image.Image) color.Palette {
	counts := map[color.RGBA]int{}
	for y := p.Bounds().Min.Y; y < p.Bounds().Max.Y; y++ {
		for x := p.Bounds().Min.X; x < p.Bounds().Max.X; x++ {
			counts[color.RGBAModel.Convert(p.At(x, y)).(color.RGBA)]++
		}
	}
	var all []color.RGBA
	for c := range counts {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	var few color.Palette
	for _, c := range all[:min(len(all), 256)] {
		few = append(few, c)
	}
	return few
}
