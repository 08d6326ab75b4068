package bag

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pinion-ros/pinion/internal/atomicfile"
	"go.yaml.in/yaml/v4"
)

// MetadataFile is the name of the file that describes a bag.
const MetadataFile = "metadata.yaml"

// maxMetadata bounds what is read of it.
const maxMetadata = 64 << 20

// Metadata describes a bag.
type Metadata struct {
	Version     int
	Storage     string // "sqlite3"
	Start       int64  // receive time of the first message, ns since 1970
	Duration    time.Duration
	Messages    uint64
	Topics      []TopicCount
	Mode        Mode
	Compression string // format of compression, "" for none
	Files       []FileInfo
	Distro      string
}

// Topic is a topic of a bag.
type Topic struct {
	Name, Type, Encoding string // Encoding is "cdr"
	Offered              []Profile
	TypeHash             string
}

// TopicCount is a topic and the number of its messages.
type TopicCount struct {
	Topic
	Messages uint64
}

// FileInfo is one of the files of a bag.
type FileInfo struct {
	Name     string // relative to the bag
	Start    int64
	Duration time.Duration
	Messages uint64
}

// count adds a message.
func (f *FileInfo) count(time int64) {
	end := time
	if f.Messages > 0 {
		end = max(end, f.Start+int64(f.Duration))
		time = min(time, f.Start)
	}
	f.Start, f.Duration = time, span(time, end)
	f.Messages++
}

// The YAML form. What a version lacks stays empty.
type (
	document struct {
		Bag metadataYAML `yaml:"rosbag2_bagfile_information"`
	}
	metadataYAML struct {
		Version     int          `yaml:"version"`
		Storage     string       `yaml:"storage_identifier"`
		Duration    durationYAML `yaml:"duration"`
		Start       startYAML    `yaml:"starting_time"`
		Messages    uint64       `yaml:"message_count"`
		Topics      []topicYAML  `yaml:"topics_with_message_count"`
		Compression string       `yaml:"compression_format"`
		Mode        string       `yaml:"compression_mode"`
		Paths       []string     `yaml:"relative_file_paths"`
		Files       []fileYAML   `yaml:"files"`
		Custom      *yaml.Node   `yaml:"custom_data,omitempty"`
		Distro      *string      `yaml:"ros_distro,omitempty"`
	}
	durationYAML struct {
		NS int64 `yaml:"nanoseconds"`
	}
	startYAML struct {
		NS int64 `yaml:"nanoseconds_since_epoch"`
	}
	topicYAML struct {
		Topic    topicMetadataYAML `yaml:"topic_metadata"`
		Messages uint64            `yaml:"message_count"`
	}
	topicMetadataYAML struct {
		Name     string       `yaml:"name"`
		Type     string       `yaml:"type"`
		Encoding string       `yaml:"serialization_format"`
		Offered  profilesYAML `yaml:"offered_qos_profiles"`
		TypeHash *string      `yaml:"type_description_hash,omitempty"`
	}
	fileYAML struct {
		Path     string       `yaml:"path"`
		Start    startYAML    `yaml:"starting_time"`
		Duration durationYAML `yaml:"duration"`
		Messages uint64       `yaml:"message_count"`
	}
)

// parseMetadata reads the text of a metadata.yaml.
func parseMetadata(text []byte) (*Metadata, error) {
	var d document
	if err := yaml.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	b := d.Bag
	if b.Version < 1 {
		return nil, errors.New("rosbag2_bagfile_information.version is missing")
	}
	m := &Metadata{
		Version: b.Version, Storage: b.Storage, Start: b.Start.NS, Duration: time.Duration(b.Duration.NS),
		Messages: b.Messages, Compression: b.Compression,
	}
	var err error
	if m.Mode, err = ParseMode(b.Mode); err != nil {
		return nil, err
	}
	if b.Distro != nil {
		m.Distro = *b.Distro
	}
	for _, t := range b.Topics {
		m.Topics = append(m.Topics, TopicCount{t.Topic.topic(), t.Messages})
	}
	m.Files = fileInfos(b)
	return m, nil
}

// fileInfos returns what is known of the files. Their names are those of the paths: rosbag2 does not
// change the others when it compresses a file. There are no others before version 5.
func fileInfos(b metadataYAML) []FileInfo {
	var all []FileInfo
	for _, f := range b.Files {
		all = append(all, FileInfo{f.Path, f.Start.NS, time.Duration(f.Duration.NS), f.Messages})
	}
	if len(all) != len(b.Paths) {
		if len(b.Paths) == 0 {
			return all
		}
		all = make([]FileInfo, len(b.Paths))
	}
	for i, p := range b.Paths {
		all[i].Name = p
	}
	return all
}

func (t topicMetadataYAML) topic() Topic {
	topic := Topic{Name: t.Name, Type: t.Type, Encoding: t.Encoding, Offered: t.Offered.profiles}
	if t.TypeHash != nil {
		topic.TypeHash = *t.TypeHash
	}
	return topic
}

// yaml returns the form of m.Version.
func (m *Metadata) yaml() metadataYAML {
	b := metadataYAML{
		Version: m.Version, Storage: m.Storage, Duration: durationYAML{int64(m.Duration)}, Start: startYAML{m.Start},
		Messages: m.Messages, Compression: m.Compression, Mode: strings.ToUpper(string(m.Mode)),
		Topics: []topicYAML{}, Paths: []string{}, Files: []fileYAML{},
	}
	for _, t := range m.Topics {
		y := topicYAML{topicMetadataYAML{
			Name: t.Name, Type: t.Type, Encoding: t.Encoding, Offered: profilesYAML{t.Offered, m.Version},
		}, t.Messages}
		if m.Version >= 7 {
			y.Topic.TypeHash = &t.TypeHash
		}
		b.Topics = append(b.Topics, y)
	}
	for _, f := range m.Files {
		b.Paths = append(b.Paths, f.Name)
		b.Files = append(b.Files, fileYAML{f.Name, startYAML{f.Start}, durationYAML{int64(f.Duration)}, f.Messages})
	}
	if m.Version >= 6 {
		b.Custom = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "~"}
	}
	if m.Version >= 8 {
		b.Distro = &m.Distro
	}
	return b
}

// Text returns m as a metadata.yaml of its version.
func (m *Metadata) Text() ([]byte, error) { return yaml.Marshal(document{m.yaml()}) }

// innerText returns what the table of metadata holds.
func (m *Metadata) innerText() ([]byte, error) { return yaml.Marshal(m.yaml()) }

// write replaces the file in the directory, so that it is there whole or not at all.
func (m *Metadata) write(dir string) error {
	text, err := m.Text()
	if err != nil {
		return err
	}
	return atomicfile.Replace(filepath.Join(dir, MetadataFile), text, 0o644)
}

// readMetadata reads the file in the directory.
func readMetadata(dir string) (*Metadata, error) {
	name := filepath.Join(dir, MetadataFile)
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxMetadata {
		return nil, fmt.Errorf("%s: %d bytes are too many for a description", name, info.Size())
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	m, err := parseMetadata(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// add merges what a file holds into the description.
func (m *Metadata) add(f FileInfo, topics []TopicCount) {
	m.Files = append(m.Files, f)
	if f.Messages > 0 {
		end := math.MinInt64
		if m.Messages > 0 {
			end = int(m.end())
		} else {
			m.Start = f.Start
		}
		m.Start = min(m.Start, f.Start)
		m.Duration = span(m.Start, max(int64(end), f.Start+int64(f.Duration)))
		m.Messages += f.Messages
	}
	for _, t := range topics {
		m.addTopic(t)
	}
}

func (m *Metadata) addTopic(t TopicCount) {
	for i := range m.Topics {
		if known := &m.Topics[i]; known.Name == t.Name {
			known.Messages += t.Messages
			if len(known.Offered) == 0 {
				known.Offered = t.Offered
			}
			return
		}
	}
	m.Topics = append(m.Topics, t)
}

// end returns the time of the last message.
func (m *Metadata) end() int64 { return m.Start + int64(m.Duration) }

// span returns the time from a to b, the longest there is where it does not fit.
func span(a, b int64) time.Duration {
	if d := b - a; d >= 0 {
		return time.Duration(d)
	}
	return math.MaxInt64
}
