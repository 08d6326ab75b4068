package cli

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/pinion-ros/pinion/internal/bag"
	"github.com/pinion-ros/pinion/internal/interfaces"
	"github.com/pinion-ros/pinion/msggen"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/spf13/cobra"
)

// recordFlags are those of bag record.
type recordFlags struct {
	config                bag.RecordConfig
	readFilter            func() error
	looker                looker
	storage, mode, format string
}

func bagRecordCommand() *cobra.Command {
	r := &recordFlags{}
	cmd := &cobra.Command{
		Use:   "record [TOPIC]... | --all | --regex RE",
		Short: "Record topics until interrupted",
		Long: `record writes what arrives on topics, those that appear later included, with the time it arrived.
It asks for no more quality of service than the publishers offer. What is killed in the middle
loses about a tenth of a second; the bag can be played as it is. Bags carry the definitions of
their messages, those of own types from -I or AMENT_PREFIX_PATH.

Each message can be compressed, or each file once it is complete: what is not complete when the
program is killed stays as it is.`,
		RunE: r.run,
	}
	r.add(cmd)
	return cmd
}

func (r *recordFlags) add(cmd *cobra.Command) {
	c, flags := &r.config, cmd.Flags()
	r.looker.includeFlag(cmd)
	ignoredFlag(cmd, "disable-keyboard-controls") // there are none
	r.readFilter = filterFlags(cmd, &c.Filter)
	flags.BoolVarP(&c.Filter.All, "all", "a", false, "all topics that are not hidden")
	flags.BoolVar(&c.Filter.IncludeHidden, "include-hidden-topics", false, "hidden topics, too")
	flags.StringVarP(&c.Dir, "output", "o", "", "directory to make (default rosbag2_ and the time)")
	flags.StringVarP(&r.storage, "storage", "s", "sqlite3", "kind of files; sqlite3 is the only one")
	flags.Int64VarP(&c.Split.Size, "max-bag-size", "b", 0, "bytes after which another file is begun (0: none)")
	flags.VarP((*seconds)(&c.Split.Duration), "max-bag-duration", "d", "time after which another file is begun (0: none)")
	flags.StringVar(&r.mode, "compression-mode", "none", "what is compressed: none, file or message")
	flags.StringVar(&r.format, "compression-format", "", "how it is compressed; zstd is the only way")
	flags.IntVar(&c.Cache, "max-cache-size", 100<<20, "bytes that may wait for the disk; as many more are being written")
	flags.StringVar(&c.Distro, "distro", os.Getenv("ROS_DISTRO"), "ROS distribution whose format is written; that of humble is read by all")
}

func (r *recordFlags) run(cmd *cobra.Command, args []string) error {
	if err := r.readFilter(); err != nil {
		return err
	}
	c := &r.config
	c.Filter.Topics = append(c.Filter.Topics, args...)
	if c.Filter.Empty() {
		return errors.New("name topics, or say --all or --regex")
	}
	if err := r.check(); err != nil {
		return usage(cmd, err)
	}
	if c.Dir == "" {
		c.Dir = time.Now().Format("rosbag2_2006_01_02-15_04_05")
	}
	c.Format = bag.FormatOf(c.Distro)
	places, err := interfaces.Places(r.looker.include, os.Getenv)
	if err != nil {
		return err
	}
	c.Definitions = msggen.NewLoader(places...)
	node, err := bagNode(cmd, "pinion_recorder")
	if err != nil {
		return err
	}
	defer node.Close()
	for i, t := range c.Filter.Topics {
		if c.Filter.Topics[i], err = pubsub.ExpandTopicName(t, node.Name(), node.Namespace()); err != nil {
			return err
		}
	}
	s, err := bag.Record(cmd.Context(), node, *c)
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %d messages of %d topics; %d dropped, %d lost before they arrived, %d malformed\n",
		c.Dir, s.Messages, len(s.Topics), s.Dropped, s.Lost, s.Malformed)
	return err
}

// check holds the values of flags against what there is.
func (r *recordFlags) check() (err error) {
	c := &r.config
	if c.Cache < bag.MinCache {
		return fmt.Errorf("--max-cache-size: at least %d", bag.MinCache)
	}
	if c.Split.Size != 0 && c.Split.Size < bag.MinSplitSize {
		return fmt.Errorf("--max-bag-size: at least %d, or 0 for files of any size", bag.MinSplitSize)
	}
	if err := checkStorage(r.storage); err != nil {
		return err
	}
	c.Mode, err = compressionMode(r.mode, r.format)
	return err
}

func checkStorage(storage string) error {
	switch storage {
	case "sqlite3":
		return nil
	case "mcap":
		return errors.New(`--storage mcap: there is no library for MCAP files in pinion; record sqlite3 and have "ros2 bag convert" make MCAP of it`)
	}
	return fmt.Errorf("--storage %s: sqlite3 is the only one", storage)
}

func compressionMode(mode, format string) (bag.Mode, error) {
	m, err := bag.ParseMode(mode)
	if err != nil {
		return "", fmt.Errorf("--compression-mode: %w", err)
	}
	if format != "" && format != bag.Zstd {
		return "", fmt.Errorf("--compression-format %s: %s is the only one", format, bag.Zstd)
	}
	return m, nil
}
