package namecmd

import (
	"os"
	"testing"

	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

func TestMain(m *testing.M) { os.Exit(pubsubtest.Run(m)) }
