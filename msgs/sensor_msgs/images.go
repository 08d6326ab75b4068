package sensor_msgs

import (
	"fmt"
	"image"
	"image/color"
)

// bytesPerPixel of the encodings that AsImage knows (REP-118 has their names).
var bytesPerPixel = map[string]int{"mono8": 1, "mono16": 2, "rgb8": 3, "bgr8": 3, "rgba8": 4, "bgra8": 4}

// AsImage returns the picture as an image of the standard library, for the encodings mono8, mono16,
// rgb8, bgr8, rgba8 and bgra8. It shares no memory with m. It fails for other encodings and if the
// data is shorter than the layout says.
func (m *Image) AsImage() (image.Image, error) {
	size, ok := bytesPerPixel[m.Encoding]
	if !ok {
		return nil, fmt.Errorf("Image: encoding %q is none of mono8, mono16, rgb8, bgr8, rgba8, bgra8", m.Encoding)
	}
	w, h := int(m.Width), int(m.Height)
	if uint64(w)*uint64(size) > uint64(m.Step) {
		return nil, fmt.Errorf("Image: %d pixels of %d bytes do not fit into a step of %d bytes", w, size, m.Step)
	}
	if uint64(h)*uint64(m.Step) > uint64(len(m.Data)) {
		return nil, fmt.Errorf("Image: %d rows of %d bytes, the data has %d", h, m.Step, len(m.Data))
	}
	rect := image.Rect(0, 0, w, h)
	row := func(y int) []byte { return m.Data[y*int(m.Step):][:w*size] }
	switch m.Encoding {
	case "mono8":
		img := image.NewGray(rect)
		for y := range h {
			copy(img.Pix[y*img.Stride:], row(y))
		}
		return img, nil
	case "mono16":
		img := image.NewGray16(rect) // big-endian, as the standard library has it
		for y := range h {
			src, dst := row(y), img.Pix[y*img.Stride:]
			for i := 0; i < len(src); i += 2 {
				dst[i], dst[i+1] = src[i], src[i+1]
				if m.IsBigendian == 0 {
					dst[i], dst[i+1] = src[i+1], src[i]
				}
			}
		}
		return img, nil
	}
	img := image.NewNRGBA(rect)
	red, blue := 0, 2
	if m.Encoding[0] == 'b' {
		red, blue = 2, 0
	}
	for y := range h {
		src, dst := row(y), img.Pix[y*img.Stride:]
		for x := range w {
			s, d := src[x*size:][:size], dst[x*4:][:4]
			d[0], d[1], d[2], d[3] = s[red], s[1], s[blue], 255
			if size == 4 {
				d[3] = s[3]
			}
		}
	}
	return img, nil
}

// SetImage fills all but the header from an image: mono8 for *image.Gray, mono16 for *image.Gray16,
// rgba8 for all others. It uses the capacity of m.Data and shares no memory with img.
func (m *Image) SetImage(img image.Image) {
	b := img.Bounds()
	m.Width, m.Height, m.IsBigendian = uint32(b.Dx()), uint32(b.Dy()), 0
	switch img := img.(type) {
	case *image.Gray:
		m.layout("mono8")
		m.eachRow(func(y int, dst []byte) { copy(dst, img.Pix[img.PixOffset(b.Min.X, b.Min.Y+y):]) })
	case *image.Gray16:
		m.layout("mono16")
		m.eachRow(func(y int, dst []byte) {
			src := img.Pix[img.PixOffset(b.Min.X, b.Min.Y+y):]
			for i := 0; i < len(dst); i += 2 {
				dst[i], dst[i+1] = src[i+1], src[i]
			}
		})
	default:
		m.layout("rgba8")
		m.eachRow(func(y int, dst []byte) {
			for x := range b.Dx() {
				c := color.NRGBAModel.Convert(img.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA)
				copy(dst[4*x:], []byte{c.R, c.G, c.B, c.A})
			}
		})
	}
}

// layout sets the encoding and makes room for the pixels.
func (m *Image) layout(encoding string) {
	m.Encoding = encoding
	m.Step = m.Width * uint32(bytesPerPixel[encoding])
	size := int(m.Step) * int(m.Height)
	if cap(m.Data) < size {
		m.Data = make([]uint8, size)
	}
	m.Data = m.Data[:size]
}

func (m *Image) eachRow(f func(y int, row []byte)) {
	step := int(m.Step)
	for y := range int(m.Height) {
		f(y, m.Data[y*step:][:step])
	}
}
