package console

import (
	"image"
	"image/color"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
)

var qrModule = regexp.MustCompile(`M(\d+) (\d+)h1v1h-1z`)

func TestTheQRCodeOfALinkIsRead(t *testing.T) {
	t.Parallel()
	const link = "https://api.example.com/forms/frm_1234567890abcdefghijklmnopqrstuvwxyz"
	drawn := string(qrOf(link, `the "link"`))
	if !strings.Contains(drawn, `aria-label="the &#34;link&#34;"`) {
		t.Errorf("got %.120s, want a label", drawn)
	}
	const module, most = 4, 400
	picture := image.NewGray(image.Rect(0, 0, most, most))
	for i := range picture.Pix {
		picture.Pix[i] = 255
	}
	for _, at := range qrModule.FindAllStringSubmatch(drawn, -1) {
		x, _ := strconv.Atoi(at[1])
		y, _ := strconv.Atoi(at[2])
		for i := range module * module {
			picture.SetGray(x*module+i%module, y*module+i/module, color.Gray{})
		}
	}
	bitmap, err := gozxing.NewBinaryBitmapFromImage(picture)
	if err != nil {
		t.Fatal(err)
	}
	found, err := qrcode.NewQRCodeReader().Decode(bitmap, nil)
	if err != nil || found.GetText() != link {
		t.Errorf("a reader found %v, %v; want the link", found, err)
	}
	if got := qrOf(strings.Repeat("x", 5000), ""); got != "" {
		t.Errorf("got %.40s, want nothing for what is too long", got)
	}
}
