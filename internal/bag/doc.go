// Package bag records topics into bags of ROS 2 and plays them: directories with SQLite files and a
// metadata.yaml, as rosbag2 writes and reads them.
//
// A Recorder copies what arrives into a queue of bounded size and writes it in transactions that
// are a tenth of a second apart, so that a program that is killed loses no more than that: Open
// rebuilds the metadata that it did not get to write. A Player publishes each message at its time
// since the first, on an absolute schedule, with the quality of service that was recorded.
//
// Recordings can go on in another file at a size or after a time, and be compressed with zstd: each
// file once it is complete, or each message. What is compressed is decompressed while it is read.
//
// Sources: the sources of rosbag2, branches humble and jazzy (rosbag2_storage_sqlite3 for the
// tables, rosbag2_storage for metadata.yaml, rosbag2_compression for what is compressed).
package bag
