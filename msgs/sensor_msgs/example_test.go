package sensor_msgs_test

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"

	"github.com/pinion-ros/pinion/msgs/sensor_msgs"
)

func ExamplePointCloud2_Points() {
	cloud := sensor_msgs.PointCloud2{
		Height: 1, Width: 2, PointStep: 8, RowStep: 16,
		Fields: []sensor_msgs.PointField{
			{Name: "x", Offset: 0, Datatype: sensor_msgs.PointField_FLOAT32, Count: 1},
			{Name: "intensity", Offset: 4, Datatype: sensor_msgs.PointField_UINT16, Count: 1},
		},
		Data: make([]byte, 16),
	}
	binary.LittleEndian.PutUint32(cloud.Data[8:], math.Float32bits(1.5))
	binary.LittleEndian.PutUint16(cloud.Data[12:], 200)

	points, err := cloud.Points("x", "intensity")
	if err != nil {
		fmt.Println(err)
		return
	}
	for p := range points {
		fmt.Println(p[0], p[1])
	}
	// Output:
	// 0 0
	// 1.5 200
}

func ExampleImage_SetImage() {
	picture := image.NewGray(image.Rect(0, 0, 2, 1))
	picture.SetGray(1, 0, color.Gray{Y: 255})

	var m sensor_msgs.Image
	m.SetImage(picture)
	fmt.Println(m.Encoding, m.Width, m.Height, m.Data)

	back, err := m.AsImage()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(back.At(1, 0))
	// Output:
	// mono8 2 1 [0 255]
	// {255}
}
