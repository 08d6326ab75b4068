package cyclone

// #include "messages.h"
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
)

// listening is held while messages are collected.
var listening sync.Mutex

// explained calls f, and adds to its error what Cyclone DDS says meanwhile. Where there is no error that
// goes to standard error, as it otherwise would at once and with 11.x does always.
func explained(f func() error) error {
	listening.Lock()
	defer listening.Unlock()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	C.pn_listen(1)
	err := f()
	said := strings.ReplaceAll(strings.TrimSpace(C.GoString(C.pn_listen(0))), "\n", "; ")
	switch {
	case Eleven && err != nil:
		return fmt.Errorf("%w; what it says about that is on standard error", err)
	case said == "":
		return err
	case err != nil:
		return fmt.Errorf("%w: %s", err, said)
	}
	fmt.Fprintln(os.Stderr, said)
	return nil
}
