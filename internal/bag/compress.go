package bag

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Mode is what of a bag is compressed.
type Mode string

const (
	Uncompressed Mode = ""
	// FileMode compresses files as a whole once they are complete.
	FileMode Mode = "file"
	// MessageMode compresses each message.
	MessageMode Mode = "message"
)

// Zstd is the format of compression, the only one that rosbag2 brings along. It is also what the names
// of compressed files end in.
const Zstd = "zstd"

// maxMessage bounds what a message may become, as msggen does for messages that have a bound.
const maxMessage = 256 << 20

// ParseMode reads the name of a mode, in small letters or large ones. "none" is one.
func ParseMode(name string) (Mode, error) {
	switch m := Mode(strings.ToLower(name)); m {
	case FileMode, MessageMode, Uncompressed:
		return m, nil
	case "none":
		return Uncompressed, nil
	}
	return "", fmt.Errorf("compression mode %q is none of file, message and none", name)
}

// isCompressed tells a compressed message from one of CDR, which begins with a zero.
func isCompressed(data []byte) bool { return bytes.HasPrefix(data, []byte{0x28, 0xb5, 0x2f, 0xfd}) }

// isCompressedFile tells by its name.
func isCompressedFile(name string) bool { return strings.HasSuffix(name, "."+Zstd) }

// newDecoder returns a decoder that uses no goroutines, so that it may be left to the garbage collector.
func newDecoder(r io.Reader, options ...zstd.DOption) (*zstd.Decoder, error) {
	return zstd.NewReader(r, append(options, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))...)
}

// newEncoder returns an encoder that uses no goroutines.
func newEncoder(w io.Writer) (*zstd.Encoder, error) {
	return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithZeroFrames(true))
}

// compressor compresses messages of batches.
type compressor struct {
	encoder *zstd.Encoder
	out     batch
}

func newCompressor() (*compressor, error) {
	e, err := newEncoder(nil)
	return &compressor{encoder: e}, err
}

// compress returns b with its messages compressed, which is valid until the next call.
func (c *compressor) compress(b *batch) *batch {
	c.out.reset()
	for _, e := range b.entries {
		from := len(c.out.data)
		c.out.data = c.encoder.EncodeAll(b.message(e), c.out.data)
		c.out.entries = append(c.out.entries, entry{e.topic, e.time, from, len(c.out.data)})
	}
	return &c.out
}

// compressFile replaces a file by a compressed one and returns its name.
func compressFile(name string) (compressed string, err error) {
	in, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	compressed = name + "." + Zstd
	out, err := os.OpenFile(compressed, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", err
	}
	err = copyCompressed(out, in)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		os.Remove(compressed)
		return "", fmt.Errorf("%s: %w", compressed, err)
	}
	return compressed, os.Remove(name)
}

func copyCompressed(w io.Writer, r io.Reader) error {
	e, err := newEncoder(w)
	if err != nil {
		return err
	}
	_, err = io.Copy(e, r)
	return errors.Join(err, e.Close())
}

// decompressFile writes what a compressed file holds into a temporary one, whose name it returns.
func decompressFile(ctx context.Context, name string) (temporary string, err error) {
	in, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.CreateTemp("", "*-"+strings.TrimSuffix(filepath.Base(name), "."+Zstd))
	if err != nil {
		return "", err
	}
	err = copyDecompressed(ctx, out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		os.Remove(out.Name())
		return "", fmt.Errorf("decompress %s to %s: %w", name, filepath.Dir(out.Name()), err)
	}
	return out.Name(), nil
}

func copyDecompressed(ctx context.Context, w io.Writer, r io.Reader) error {
	d, err := newDecoder(r)
	if err != nil {
		return err
	}
	defer d.Close()
	const step = 4 << 20
	for {
		if _, err := io.CopyN(w, d, step); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}
