package bag

// Format is the layout of the files that a recording gets. All layouts are read.
type Format int

const (
	// FormatJazzy is that of ROS 2 Jazzy: metadata 9, tables 4. Humble cannot read it.
	FormatJazzy Format = iota
	// FormatHumble is that of ROS 2 Humble: metadata 5, tables 3. Newer distributions read it, too.
	FormatHumble
)

// FormatOf returns the layout that a ROS distribution writes.
func FormatOf(distro string) Format {
	switch distro {
	case "humble", "galactic", "foxy":
		return FormatHumble
	}
	return FormatJazzy
}

func (f Format) metadataVersion() int {
	if f == FormatHumble {
		return 5
	}
	return 9
}

// schemaVersion returns the version of the tables. Before 3 there was no table that tells it.
func (f Format) schemaVersion() int {
	if f == FormatHumble {
		return 3
	}
	return 4
}

// tables returns the statements that make an empty file.
func (f Format) tables() []string {
	common := []string{
		`CREATE TABLE schema(schema_version INTEGER PRIMARY KEY,ros_distro TEXT NOT NULL)`,
		`CREATE TABLE metadata(id INTEGER PRIMARY KEY,metadata_version INTEGER NOT NULL,metadata TEXT NOT NULL)`,
		`CREATE TABLE messages(id INTEGER PRIMARY KEY,topic_id INTEGER NOT NULL,timestamp INTEGER NOT NULL, data BLOB NOT NULL)`,
		`CREATE INDEX timestamp_idx ON messages (timestamp ASC)`,
	}
	if f == FormatHumble {
		return append([]string{
			`CREATE TABLE topics(id INTEGER PRIMARY KEY,name TEXT NOT NULL,type TEXT NOT NULL,serialization_format TEXT NOT NULL,offered_qos_profiles TEXT NOT NULL)`,
		}, common...)
	}
	return append([]string{
		`CREATE TABLE topics(id INTEGER PRIMARY KEY,name TEXT NOT NULL,type TEXT NOT NULL,serialization_format TEXT NOT NULL,offered_qos_profiles TEXT NOT NULL,type_description_hash TEXT NOT NULL)`,
		`CREATE TABLE message_definitions(id INTEGER PRIMARY KEY,topic_type TEXT NOT NULL,encoding TEXT NOT NULL,encoded_message_definition TEXT NOT NULL,type_description_hash TEXT NOT NULL)`,
	}, common...)
}
