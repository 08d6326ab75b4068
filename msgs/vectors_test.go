package msgs_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/cdr"
)

type vector struct {
	typ, json string
	payload   []byte
}

func vectors(t testing.TB) []vector {
	t.Helper()
	file, err := os.Open("testdata/cdr-vectors.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var rows []vector
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		columns := strings.Split(lines.Text(), "\t")
		payload, err := hex.DecodeString(columns[2])
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, vector{columns[0], columns[1], payload})
	}
	if err := lines.Err(); err != nil || len(rows) == 0 {
		t.Fatalf("%d vectors: %v", len(rows), err)
	}
	return rows
}

// message returns the value of the vector.
func (v vector) message(t testing.TB) (message, *cdr.Schema) {
	t.Helper()
	m, schema := newMessage(t, v.typ)
	decoder := json.NewDecoder(strings.NewReader(v.json))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	if err := set(reflect.ValueOf(m).Elem(), schema, value); err != nil {
		t.Fatal(err)
	}
	return m, schema
}

// TestVectors compares the encoding with bytes from another implementation.
func TestVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.typ, func(t *testing.T) {
			want, schema := v.message(t)
			payload, err := cdr.Marshal(want)
			if err != nil || !bytes.Equal(payload, v.payload) {
				t.Fatalf("encoded: %v\n got %x\nwant %x", err, payload, v.payload)
			}
			if n := cdr.Size(want); n != len(payload) {
				t.Errorf("size %d, want %d", n, len(payload))
			}
			padded := append(bytes.Clone(v.payload), 0xff, 0xff, 0xff)
			for name, data := range map[string][]byte{
				"little endian": v.payload, "padded": padded, "big endian": bigEndian(v.payload, schema),
			} {
				for mode, unmarshal := range modes {
					got, _ := newMessage(t, v.typ)
					if err := unmarshal(data, got); err != nil || !equal(got, want) {
						t.Errorf("%s, %s: %v\n got %v\nwant %v", name, mode, err, got, want)
					}
				}
			}
		})
	}
}

var modes = map[string]func([]byte, cdr.Message) error{"copy": cdr.Unmarshal, "view": cdr.UnmarshalView}

// TestTruncatedVectors cuts every vector at every byte. All but the whole must be refused, for no
// message of the vectors ends in something that may be missing.
func TestTruncatedVectors(t *testing.T) {
	for _, v := range vectors(t) {
		m, schema := newMessage(t, v.typ)
		for _, payload := range [][]byte{v.payload, bigEndian(v.payload, schema)} {
			for n := range payload {
				for mode, unmarshal := range modes {
					err := unmarshal(payload[:n:n], m)
					if err == nil {
						t.Fatalf("%s, %s: %d of %d bytes were accepted", v.typ, mode, n, len(payload))
					}
				}
			}
		}
	}
}
