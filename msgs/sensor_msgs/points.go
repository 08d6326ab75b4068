package sensor_msgs

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
)

// pointFieldSizes has the bytes of each PointField datatype.
var pointFieldSizes = [...]int{PointField_INT8: 1, PointField_UINT8: 1, PointField_INT16: 2, PointField_UINT16: 2,
	PointField_INT32: 4, PointField_UINT32: 4, PointField_FLOAT32: 4, PointField_FLOAT64: 8}

// Points iterates over the records of the cloud, row by row, and yields the first element of each of
// the named fields as float64, in the order of the names. The slice is reused from record to record.
//
// It fails if a field is missing or of an unknown type, or if the data is shorter than the layout
// says.
func (m *PointCloud2) Points(names ...string) (iter.Seq[[]float64], error) {
	readers := make([]pointReader, len(names))
	for i, name := range names {
		r, err := m.reader(name)
		if err != nil {
			return nil, fmt.Errorf("PointCloud2: field %q: %w", name, err)
		}
		readers[i] = r
	}
	if err := m.checkLayout(); err != nil {
		return nil, fmt.Errorf("PointCloud2: %w", err)
	}
	return func(yield func([]float64) bool) {
		values := make([]float64, len(readers))
		for row := range int(m.Height) {
			for column := range int(m.Width) {
				record := m.Data[row*int(m.RowStep)+column*int(m.PointStep):]
				for i, r := range readers {
					values[i] = r.value(record)
				}
				if !yield(values) {
					return
				}
			}
		}
	}, nil
}

// checkLayout tells whether every record lies within the data.
func (m *PointCloud2) checkLayout() error {
	row := uint64(m.Width) * uint64(m.PointStep)
	if m.Height > 1 && row > uint64(m.RowStep) {
		return fmt.Errorf("%d points of %d bytes do not fit into a row of %d bytes", m.Width, m.PointStep, m.RowStep)
	}
	if m.Height == 0 || m.Width == 0 {
		return nil
	}
	// Both factors have 32 bits, and the sum is checked against a length that fits.
	if need := uint64(m.Height-1)*uint64(m.RowStep) + row; need > uint64(len(m.Data)) {
		return fmt.Errorf("%d by %d points need %d bytes, the data has %d", m.Height, m.Width, need, len(m.Data))
	}
	return nil
}

// A pointReader finds a value in a record.
type pointReader struct {
	offset   int
	datatype uint8
	order    binary.ByteOrder
}

func (m *PointCloud2) reader(name string) (pointReader, error) {
	for _, f := range m.Fields {
		if f.Name != name {
			continue
		}
		if f.Datatype == 0 || int(f.Datatype) >= len(pointFieldSizes) {
			return pointReader{}, fmt.Errorf("datatype %d is unknown", f.Datatype)
		}
		if uint64(f.Offset)+uint64(pointFieldSizes[f.Datatype]) > uint64(m.PointStep) {
			return pointReader{}, fmt.Errorf("offset %d is outside of a record of %d bytes", f.Offset, m.PointStep)
		}
		r := pointReader{int(f.Offset), f.Datatype, binary.LittleEndian}
		if m.IsBigendian {
			r.order = binary.BigEndian
		}
		return r, nil
	}
	return pointReader{}, fmt.Errorf("the cloud has none of that name")
}

func (r pointReader) value(record []byte) float64 {
	b := record[r.offset:]
	switch r.datatype {
	case PointField_INT8:
		return float64(int8(b[0]))
	case PointField_UINT8:
		return float64(b[0])
	case PointField_INT16:
		return float64(int16(r.order.Uint16(b)))
	case PointField_UINT16:
		return float64(r.order.Uint16(b))
	case PointField_INT32:
		return float64(int32(r.order.Uint32(b)))
	case PointField_UINT32:
		return float64(r.order.Uint32(b))
	case PointField_FLOAT32:
		return float64(math.Float32frombits(r.order.Uint32(b)))
	default:
		return math.Float64frombits(r.order.Uint64(b))
	}
}
