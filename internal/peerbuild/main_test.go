package peerbuild_test

import (
	"os"
	"testing"

	"github.com/pinion-ros/pinion/internal/leaktest"
)

func TestMain(m *testing.M) { os.Exit(leaktest.Run(m)) }
