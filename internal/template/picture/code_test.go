package picture_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/datamatrix"
	"github.com/makiuchi-d/gozxing/oned"
	"github.com/makiuchi-d/gozxing/qrcode"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
	"github.com/platenhq/platen/internal/template/picture"
)

// drawnCode is the picture of a code.
func drawnCode(t *testing.T, kind syntax.Symbology, text string) image.Image {
	t.Helper()
	got, err := picture.Source{Direct: true}.Obtain(t.Context(), lang.Picture{Source: text, Code: kind}, nil)
	if err != nil {
		t.Fatalf("%s of %.40q: %v", kind, text, err)
	}
	data, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(got.URI, "data:image/png;base64,"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if size := p.Bounds().Size(); size.X != got.Width || size.Y != got.Height {
		t.Errorf("%s: got %d×%d in a picture of %v", kind, got.Width, got.Height, size)
	}
	return p
}

const swissBill = "SPC\n0200\n1\nCH4431999123000889012\nS\nRobert Schneider AG\nRue du Lac\n1268\n2501\nBiel\nCH\n\n\n\n\n\n\n\n1949.75\nCHF\nS\nPia-Maria Rutschmann-Schnyder\nGrosse Marktgasse\n28\n9400\nRorschach\nCH\nQRR\n210000000003139471430009017\nOrder of 15 June 2020\nEPD"

// ZXing's readers, which others keep, read what is drawn.
func TestOtherPeoplesReadersReadTheCodes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind   syntax.Symbology
		text   string
		reader gozxing.Reader
	}{
		"a QR code of an address":            {syntax.SymbologyQR, "https://example.com/pay?no=7", qrcode.NewQRCodeReader()},
		"a QR code of words":                 {syntax.SymbologyQR, "Zoë & Søren, 17 €", qrcode.NewQRCodeReader()},
		"a full QR code":                     {syntax.SymbologyQR, strings.Repeat("x", 2331), qrcode.NewQRCodeReader()},
		"a GiroCode":                         {syntax.SymbologyQR, "BCD\n002\n1\nSCT\n\nMusterfrau GmbH\nDE02120300000000202051\nEUR1234.50\n\n\nRechnung 17", qrcode.NewQRCodeReader()},
		"a Swiss QR code under its cross":    {syntax.SymbologyQR, swissBill, qrcode.NewQRCodeReader()},
		"a short Swiss QR code":              {syntax.SymbologyQR, strings.Replace(swissBill, "Order of 15 June 2020", "", 1), qrcode.NewQRCodeReader()},
		"a long Swiss QR code":               {syntax.SymbologyQR, strings.Replace(swissBill, "Order of 15 June 2020", strings.Repeat("Zürich ", 20), 1), qrcode.NewQRCodeReader()},
		"an EAN-13":                          {syntax.SymbologyEAN13, "4006381333931", oned.NewEAN13Reader()},
		"a Code 128 of letters and digits":   {syntax.SymbologyCode128, "Parcel-00012345 ~{}", oned.NewCode128Reader()},
		"a Code 128 of digits":               {syntax.SymbologyCode128, "12345678901234567890", oned.NewCode128Reader()},
		"a Code 128 as long as they are":     {syntax.SymbologyCode128, strings.Repeat("Ab3-", 20), oned.NewCode128Reader()},
		"a Data Matrix":                      {syntax.SymbologyDataMatrix, "SN 4711/0815 ~", datamatrix.NewDataMatrixReader()},
		"a Data Matrix of several regions":   {syntax.SymbologyDataMatrix, strings.Repeat("part ", 100), datamatrix.NewDataMatrixReader()},
		"a Data Matrix as large as they are": {syntax.SymbologyDataMatrix, strings.Repeat("x", 1304), datamatrix.NewDataMatrixReader()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bits, err := gozxing.NewBinaryBitmapFromImage(drawnCode(t, c.kind, c.text))
			if err != nil {
				t.Fatal(err)
			}
			hints := map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true} // and not which characters to expect: nobody tells a telephone
			read, err := c.reader.Decode(bits, hints)
			if err != nil {
				t.Fatalf("it is not read: %v", err)
			}
			if read.GetText() != c.text {
				t.Errorf("got %q, want %q", read.GetText(), c.text)
			}
		})
	}
}

// texts are such as readers guess wrongly if a code does not say which characters it has.
var texts = []string{
	"Jürgen Müller", "Zürich", "Žižkov", "Škoda 17 €", "Łódź", "Crème brûlée", "Señor Muñoz", "Ærøskøbing", "Þórður", "Győr",
	"Москва", "Αθήνα", "東京都", "서울", "ราคา", "שלום", "السعر", "naïve 🙂", "½ m² für 3 °C", "ß", "é", "Straße 5, 80331 München",
	"BEGIN:VCARD\nVERSION:3.0\nN:Müller;Jürgen\nEND:VCARD", "https://example.com/Größe?q=ä",
	"BCD\n002\n1\nSCT\n\nMüller & Söhne GmbH\nDE02120300000000202051\nEUR1234.50\n\n\nRechnung für März",
}

// A payment of as many bytes as its standard allows is no larger than it allows.
func TestACodeOfAPaymentIsNoLargerThanItsStandardAllows(t *testing.T) {
	t.Parallel()
	const giro = "BCD\n002\n1\nSCT\n\nMüller\nDE02120300000000202051\nEUR1234.50\n\n\n"
	for _, c := range []struct {
		text                string
		longest, most, side int // bytes, bytes with the character set, and modules
	}{
		{giro, 331, 329, 69},
		{strings.TrimSuffix(strings.Replace(swissBill, "Order of 15 June 2020", "ü", 1), "\nEPD"), 997, 995, 117},
	} {
		for length := c.longest - 5; length <= c.longest; length++ {
			text := c.text + strings.Repeat("x", length-len(c.text))
			p := drawnCode(t, syntax.SymbologyQR, text)
			if got := darkArea(p).Dx(); got != c.side*8 {
				t.Errorf("%d bytes: got %d modules, want %d", length, got/8, c.side)
			}
			bits, err := gozxing.NewBinaryBitmapFromImage(p)
			if err != nil {
				t.Fatal(err)
			}
			read, err := qrcode.NewQRCodeReader().Decode(bits, nil)
			if err != nil {
				t.Fatalf("%d bytes: %v", length, err)
			}
			if length <= c.most && read.GetText() != text {
				t.Errorf("%d bytes: got %.60q, want %.60q", length, read.GetText(), text)
			}
		}
	}
}

// zbar stands in most readers of Linux, and guesses otherwise than ZXing.
func TestZbarReadsTheCodesOfEveryScript(t *testing.T) {
	t.Parallel()
	zbarimg, err := exec.LookPath("zbarimg")
	if err != nil {
		t.Skip("zbarimg is not installed: apt-get install zbar-tools")
	}
	for _, text := range texts {
		path := filepath.Join(t.TempDir(), "code.png")
		var drawn bytes.Buffer
		if err := png.Encode(&drawn, drawnCode(t, syntax.SymbologyQR, text)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, drawn.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := exec.Command(zbarimg, "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", path).Output()
		if err != nil || strings.TrimSuffix(string(got), "\n") != text {
			t.Errorf("got %q: %v; want %q", got, err, text)
		}
	}
}

func TestZXingReadsTheCodesOfEveryScript(t *testing.T) {
	t.Parallel()
	for _, text := range append(texts, strings.Replace(swissBill, "Order of 15 June 2020", "Grüsse aus Zürich", 1)) {
		bits, err := gozxing.NewBinaryBitmapFromImage(drawnCode(t, syntax.SymbologyQR, text))
		if err != nil {
			t.Fatal(err)
		}
		read, err := qrcode.NewQRCodeReader().Decode(bits, nil)
		if err != nil || read.GetText() != text {
			t.Errorf("got %v: %v; want %q", read, err, text)
		}
	}
}

// A module is 8 pixels. The margins are those of the standards.
func TestCodesHaveTheirMargins(t *testing.T) {
	t.Parallel()
	for kind, want := range map[syntax.Symbology]image.Point{syntax.SymbologyQR: {4, 4}, syntax.SymbologyEAN13: {11, 0}, syntax.SymbologyCode128: {10, 0}, syntax.SymbologyDataMatrix: {1, 1}} {
		p := drawnCode(t, kind, "4006381333931")
		if got := darkArea(p); got.Min != want.Mul(8) || got.Max != p.Bounds().Max.Sub(want.Mul(8)) {
			t.Errorf("%s: dark in %v of %v, want a margin of %v modules", kind, got, p.Bounds().Max, want)
		}
	}
	p := drawnCode(t, syntax.SymbologyQR, swissBill)
	if got := darkArea(p); got.Dx()*56 < p.Bounds().Dx()*46-112 || got.Dx()*56 > p.Bounds().Dx()*46+112 {
		t.Errorf("a Swiss QR code is %d of %d pixels, want 46 of 56 mm", got.Dx(), p.Bounds().Dx())
	}
}

// darkArea is where a picture has dark pixels.
func darkArea(p image.Image) image.Rectangle {
	var area image.Rectangle
	for y := range p.Bounds().Dy() {
		for x := range p.Bounds().Dx() {
			if r, _, _, _ := p.At(x, y).RGBA(); r == 0 {
				area = area.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return area
}

func TestATextThatIsTooLongForACodeIsAFaultOfTheData(t *testing.T) {
	t.Parallel()
	for kind, text := range map[syntax.Symbology]string{syntax.SymbologyQR: strings.Repeat("x", 4000), syntax.SymbologyDataMatrix: strings.Repeat("x", 1559), syntax.SymbologyCode128: strings.Repeat("x", 81), syntax.SymbologyEAN13: "1"} {
		_, err := picture.Source{Direct: true}.Obtain(t.Context(), lang.Picture{Source: text, Code: kind}, nil)
		if platen.KindOf(err) != platen.KindInvalid {
			t.Errorf("%s: got %v, want it invalid", kind, err)
		}
	}
}
