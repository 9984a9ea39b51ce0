package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
)

// picture draws a PNG of w to h pixels; at says the colour of a point, whose
// coordinates run from 0 to 1.
func picture(w, h int, at func(x, y float64) color.RGBA) string {
	canvas := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			canvas.SetRGBA(x, y, at((float64(x)+0.5)/float64(w), (float64(y)+0.5)/float64(h)))
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, canvas); err != nil {
		panic(err) // writing into memory does not fail
	}
	return out.String()
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255} //nolint:gosec // the lowest byte of each is meant
}

// logo is a company's mark: two leaves on a see-through ground.
func logo() string {
	return picture(240, 120, func(x, y float64) color.RGBA {
		left, right := math.Hypot(2*(x-0.38), y-0.5), math.Hypot(2*(x-0.62), y-0.5)
		switch {
		case left < 0.42 && right < 0.42:
			return rgb(0x375623)
		case left < 0.42:
			return rgb(0x70AD47)
		case right < 0.42:
			return rgb(0xA9D18E)
		}
		return color.RGBA{}
	})
}

// landscape is a picture of hills below an evening sky; the seed moves the hills.
func landscape(seed float64) string {
	return picture(480, 300, func(x, y float64) color.RGBA {
		near, far := 0.78+0.07*math.Sin(7*x+seed), 0.62+0.09*math.Sin(4*x+2*seed)
		switch {
		case y > near:
			return rgb(0x274E13)
		case y > far:
			return rgb(0x548235)
		case math.Hypot(1.6*(x-0.7), y-0.35) < 0.12:
			return rgb(0xFFE699)
		}
		return color.RGBA{R: uint8(255 - 90*(1-y)), G: uint8(150 + 70*(1-y)), B: uint8(120 + 130*(1-y)), A: 255}
	})
}
