package sensor_msgs_test

import (
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/msgs/sensor_msgs"
)

func cloud(order binary.ByteOrder) *sensor_msgs.PointCloud2 {
	m := sensor_msgs.NewPointCloud2()
	m.Height, m.Width, m.PointStep, m.RowStep = 2, 3, 16, 50 // rows are padded
	m.IsBigendian = order == binary.BigEndian
	m.Fields = []sensor_msgs.PointField{
		{Name: "x", Offset: 0, Datatype: sensor_msgs.PointField_FLOAT32, Count: 1},
		{Name: "id", Offset: 4, Datatype: sensor_msgs.PointField_INT16, Count: 1},
		{Name: "t", Offset: 8, Datatype: sensor_msgs.PointField_FLOAT64, Count: 1},
	}
	m.Data = make([]byte, 98) // the last row lacks its padding
	for i := range 6 {
		r := m.Data[i/3*50+i%3*16:]
		order.PutUint32(r, math.Float32bits(float32(i)/2))
		order.PutUint16(r[4:], uint16(-i))
		order.PutUint64(r[8:], math.Float64bits(float64(i)*10))
	}
	return m
}

func TestPoints(t *testing.T) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		points, err := cloud(order).Points("t", "x", "id")
		if err != nil {
			t.Fatal(err)
		}
		i := 0.0
		for p := range points {
			if want := []float64{i * 10, i / 2, -i}; !slices.Equal(p, want) {
				t.Errorf("%v: point %v, want %v", order, p, want)
			}
			i++
		}
		if i != 6 {
			t.Errorf("%v points", i)
		}
	}
}

func TestPointsErrors(t *testing.T) {
	for want, change := range map[string]func(*sensor_msgs.PointCloud2){
		`field "x": the cloud has none`: func(m *sensor_msgs.PointCloud2) { m.Fields = nil },
		"datatype 9":                    func(m *sensor_msgs.PointCloud2) { m.Fields[0].Datatype = 9 },
		"datatype 0":                    func(m *sensor_msgs.PointCloud2) { m.Fields[0].Datatype = 0 },
		"offset 13":                     func(m *sensor_msgs.PointCloud2) { m.Fields[0].Offset = 13 },
		"need 98 bytes":                 func(m *sensor_msgs.PointCloud2) { m.Data = m.Data[:97] },
		"do not fit":                    func(m *sensor_msgs.PointCloud2) { m.RowStep = 47 },
		"the data has 98": func(m *sensor_msgs.PointCloud2) {
			m.Width, m.Height, m.PointStep, m.RowStep = 1, math.MaxUint32, math.MaxUint32, math.MaxUint32
		},
	} {
		m := cloud(binary.LittleEndian)
		change(m)
		if _, err := m.Points("x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestImageRoundTrip(t *testing.T) {
	gray, gray16, rgba := image.NewGray(image.Rect(2, 1, 7, 4)), image.NewGray16(image.Rect(0, 0, 5, 3)), image.NewNRGBA(image.Rect(0, 0, 5, 3))
	for i := range gray.Pix {
		gray.Pix[i] = byte(i * 7)
	}
	for i := range gray16.Pix {
		gray16.Pix[i] = byte(i * 11)
	}
	for i := range rgba.Pix {
		rgba.Pix[i] = byte(i * 13)
	}
	for encoding, img := range map[string]image.Image{"mono8": gray, "mono16": gray16, "rgba8": rgba} {
		m := sensor_msgs.NewImage()
		m.SetImage(img)
		if m.Encoding != encoding {
			t.Errorf("encoding %q, want %q", m.Encoding, encoding)
		}
		got, err := m.AsImage()
		if err != nil {
			t.Fatal(err)
		}
		b := img.Bounds()
		for y := range b.Dy() {
			for x := range b.Dx() {
				if g, w := got.At(x, y), img.At(b.Min.X+x, b.Min.Y+y); !reflect.DeepEqual(g, w) {
					t.Fatalf("%s: pixel %d,%d is %v, want %v", encoding, x, y, g, w)
				}
			}
		}
	}
}

func TestImageEncodings(t *testing.T) {
	want := color.NRGBA{R: 1, G: 2, B: 3, A: 255}
	for encoding, pixel := range map[string][]byte{"rgb8": {1, 2, 3}, "bgr8": {3, 2, 1}, "rgba8": {1, 2, 3, 255}, "bgra8": {3, 2, 1, 255}} {
		m := sensor_msgs.Image{Height: 1, Width: 1, Encoding: encoding, Step: uint32(len(pixel)), Data: pixel}
		img, err := m.AsImage()
		if err != nil || img.At(0, 0) != want {
			t.Errorf("%s: %v, %v", encoding, img, err)
		}
	}
	big := sensor_msgs.Image{Height: 1, Width: 1, Encoding: "mono16", Step: 2, IsBigendian: 1, Data: []byte{0x12, 0x34}}
	if img, err := big.AsImage(); err != nil || img.At(0, 0) != (color.Gray16{Y: 0x1234}) {
		t.Errorf("big-endian mono16: %v, %v", img, err)
	}
}

func TestImageErrors(t *testing.T) {
	for want, m := range map[string]sensor_msgs.Image{
		"bayer_rggb8":    {Encoding: "bayer_rggb8"},
		"do not fit":     {Encoding: "rgb8", Width: 2, Height: 1, Step: 5, Data: make([]byte, 5)},
		"the data has 5": {Encoding: "mono8", Width: 3, Height: 2, Step: 3, Data: make([]byte, 5)},
		"the data has 0": {Encoding: "mono8", Width: math.MaxUint32, Height: math.MaxUint32, Step: math.MaxUint32},
	} {
		if _, err := m.AsImage(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
