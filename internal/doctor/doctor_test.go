package doctor

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"
)

// files makes a root directory.
func files(pairs ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1] + "\n")}
	}
	return m
}

// held is a machine with a deep idle state, from which a program keeps CPUs by the latency given.
func held(latency uint32) fstest.MapFS {
	root := files(cpuDir+"/cpu0/cpuidle/state0/latency", "133")
	root["dev/cpu_dma_latency"] = &fstest.MapFile{Data: binary.NativeEndian.AppendUint32(nil, latency)}
	return root
}

// machine makes one with the interfaces of which names, flags and MTUs are given.
func machine(interfaces ...string) fstest.MapFS {
	root := files("sys/class/net/bonding_masters", "")
	for i := 0; i < len(interfaces); i += 3 {
		dir := "sys/class/net/" + interfaces[i]
		maps.Copy(root, files(dir+"/flags", interfaces[i+1], dir+"/mtu", interfaces[i+2], dir+"/ifindex", strconv.Itoa(i)))
	}
	return root
}

const (
	limits   = "Limit                     Soft Limit           Hard Limit           Units     \n"
	rtNone   = limits + "Max realtime priority     0                    0                    "
	rtEnough = limits + "Max realtime priority     98                   98                   "
	memSmall = limits + "Max locked memory         8388608              8388608              bytes     "
	memAll   = limits + "Max locked memory         unlimited            unlimited            bytes     "
	swaps    = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority"
)

// Every check is here in its good and in a bad state, and finds nothing out on an empty machine.
var states = map[string][]struct {
	system System
	status Status
	want   string // in what was found, or in a fix
}{
	"real-time priority": {
		{System{Root: files("proc/self/status", "CapEff:\t0000000000800000")}, Good, "CAP_SYS_NICE"},
		{System{Root: files("proc/self/status", "CapEff:\t0", "proc/self/limits", rtEnough)}, Good, "98"},
		{System{Root: files("proc/self/status", "CapEff:\t0", "proc/self/limits", rtNone)}, Warning, "rtprio 98"},
	},
	"real-time throttling": {
		{System{Root: files("proc/sys/kernel/sched_rt_runtime_us", "950000", "proc/sys/kernel/sched_rt_period_us", "1000000")}, Good, "950000"},
		{System{Root: files("proc/sys/kernel/sched_rt_runtime_us", "-1", "proc/sys/kernel/sched_rt_period_us", "1000000")}, Warning, "not throttled"},
		{System{Root: files("proc/sys/kernel/sched_rt_runtime_us", "0", "proc/sys/kernel/sched_rt_period_us", "1000000")}, Bad, "sysctl"},
	},
	"locked memory": {
		{System{Root: files("proc/self/status", "CapEff:\t0000000000004000")}, Good, "CAP_IPC_LOCK"},
		{System{Root: files("proc/self/status", "CapEff:\t0", "proc/self/limits", memAll)}, Good, "unlimited"},
		{System{Root: files("proc/self/status", "CapEff:\t0", "proc/self/limits", memSmall)}, Warning, "8 MiBecho"},
	},
	"swap": {
		{System{Root: files("proc/swaps", swaps)}, Good, "none"},
		{System{Root: files("proc/swaps", swaps+"\n/swapfile file 2097148 0 -2")}, Warning, "swapoff"},
	},
	"preemption": {
		{System{Root: files("sys/kernel/realtime", "1")}, Good, "PREEMPT_RT"},
		{System{Root: files("proc/version", "Linux version 6.1 SMP PREEMPT_DYNAMIC")}, Good, "PREEMPT_DYNAMIC"},
		{System{Root: files("proc/version", "Linux version 6.1 SMP")}, Warning, "not preemptible"},
	},
	"frequency governor": {
		{System{Root: files(cpuDir+"/cpu0/cpufreq/scaling_governor", "performance")}, Good, "performance"},
		{System{Root: files(cpuDir+"/cpu0/cpufreq/scaling_governor", "performance", cpuDir+"/cpu11/cpufreq/scaling_governor", "powersave")}, Warning, "powersave"},
	},
	"idle states": {
		{System{Root: files(cpuDir+"/cpu0/cpuidle/state0/latency", "2")}, Good, "2 µs"},
		{System{Root: files(cpuDir+"/cpu0/cpuidle/state0/latency", "2", cpuDir+"/cpu0/cpuidle/state1/latency", "133", cpuDir+"/cpu0/cpuidle/state1/disable", "1")}, Good, "2 µs"},
		{System{Root: files(cpuDir+"/cpu0/cpuidle/state0/latency", "2", cpuDir+"/cpu0/cpuidle/state1/latency", "133", cpuDir+"/cpu0/cpuidle/state1/disable", "0")}, Warning, "133 µs"},
		{System{Root: held(0)}, Good, "allows 0 µs"},
		{System{Root: held(100)}, Warning, "133 µs"},
	},
	"isolated CPUs": {
		{System{Root: files(cpuDir+"/isolated", "2-3", cpuDir+"/online", "0-3")}, Good, "2,3"},
		{System{Root: files(cpuDir+"/isolated", "", cpuDir+"/online", "0-3")}, Warning, "isolcpus=3 nohz_full=3 rcu_nocbs=3 irqaffinity=0,1,2"},
		{System{Root: files(cpuDir+"/isolated", "", cpuDir+"/online", "0")}, Warning, "one CPU"},
		{System{Root: files(cpuDir+"/isolated", "2-3", cpuDir+"/online", "0-3"), CPUs: []int{3}}, Good, "2,3"},
		{System{Root: files(cpuDir+"/isolated", "3", cpuDir+"/online", "0-3"), CPUs: []int{2, 3}}, Warning, "isolcpus=2,3 nohz_full=2,3 rcu_nocbs=2,3 irqaffinity=0,1"},
		{System{Root: files(cpuDir+"/isolated", "", cpuDir+"/online", "0-1"), CPUs: []int{0, 1}}, Warning, "none"},
		{System{Root: files(cpuDir+"/isolated", "", cpuDir+"/online", "0-1"), CPUs: []int{3}}, Bad, "CPU 3 does not exist or is off; there are 0,1"},
	},
	"interrupts on lanes' CPUs": {
		{System{Root: files(cpuDir+"/isolated", "")}, Good, "no CPUs"},
		{System{Root: files(cpuDir+"/isolated", "3", cpuDir+"/online", "0-3", "proc/irq/24/effective_affinity_list", "0-2")}, Good, "none on CPU 3"},
		{System{Root: files(cpuDir+"/online", "0-1", "proc/irq/24/effective_affinity_list", "0"), CPUs: []int{1, 3}}, Unknown, "CPU 3 does not exist"},
		{System{Root: files(cpuDir+"/isolated", "", cpuDir+"/online", "0-3", "proc/irq/24/effective_affinity_list", "1"), CPUs: []int{1}}, Warning, "echo 0,2,3 | sudo tee /proc/irq/24/smp_affinity_list"},
		{System{Root: files(cpuDir+"/isolated", "", cpuDir+"/online", "0-1", "proc/irq/24/effective_affinity_list", "1"), CPUs: []int{0, 1}}, Warning, "interrupts 24 on CPUs 0,1"},
	},
	"clock source": {
		{System{Root: files("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc")}, Good, "tsc"},
		{System{Root: files("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet", "sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet")}, Warning, "echo tsc"},
	},
	"virtual machine": {
		{System{Root: files("proc/cpuinfo", "flags\t\t: fpu sse")}, Good, "no sign"},
		{System{Root: files("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor sse")}, Warning, "virtual machine"},
	},
	"receive buffer": {
		{System{Root: files("proc/sys/net/core/rmem_max", "16777216")}, Good, "16 MiB"},
		{System{Root: files("proc/sys/net/core/rmem_max", "212992")}, Warning, "is 208 KiB, less than 8 MiBsudo sysctl -w net.core.rmem_max=8388608"},
	},
	"send buffer": {
		{System{Root: files("proc/sys/net/core/wmem_max", "16777216")}, Good, "16 MiB"},
		{System{Root: files("proc/sys/net/core/wmem_max", "212992")}, Warning, "sysctl -w net.core.wmem_max=2097152"},
	},
	"IP fragments": {
		{System{Root: files("proc/sys/net/ipv4/ipfrag_time", "3", "proc/sys/net/ipv4/ipfrag_high_thresh", "134217728")}, Good, "3 s in 128 MiB"},
		{System{Root: files("proc/sys/net/ipv4/ipfrag_time", "30", "proc/sys/net/ipv4/ipfrag_high_thresh", "134217728")}, Warning, "ipfrag_time=3"},
		{System{Root: files("proc/sys/net/ipv4/ipfrag_time", "3", "proc/sys/net/ipv4/ipfrag_high_thresh", "4194304")}, Warning, "ipfrag_high_thresh=134217728"},
	},
	"busy polling": {
		{System{Root: files("proc/sys/net/core/busy_poll", "50", "proc/sys/net/core/busy_read", "50")}, Good, "50"},
		{System{Root: files("proc/sys/net/core/busy_poll", "0", "proc/sys/net/core/busy_read", "0")}, Warning, "busy_poll=50"},
	},
	"multicast": {
		{System{Root: machine("eth0", "0x1003", "1500", "lo", "0x9", "65536")}, Good, "eth0"},
		{System{Root: machine("lo", "0x9", "65536", "eth9", "0x1003", "1500", "eth1", "0x1003", "1500")}, Good, "eth9"},
		{System{Root: machine("tun0", "0x3", "1400", "eth0", "0x1003", "1500")}, Good, "eth0"},
		{System{Root: machine("eth0", "0x3", "1500"), Local: true}, Good, "not used"},
		{System{Root: machine("eth0", "0x3", "1500", "lo", "0x9", "65536"), Interfaces: []string{"lo"}}, Good, "lo needs none"},
		{System{Root: machine("eth0", "0x1003", "1500", "wlan0", "0x1002", "1500"), Interfaces: []string{"wlan0"}}, Bad, "ip link set wlan0 up"},
		{System{Root: machine("eth0", "0x1003", "1500", "wlan0", "0x3", "1500"), Interfaces: []string{"wlan0", ""}}, Bad, "wlan0 has no multicast, eth0 is up"},
		{System{Root: machine("eth0", "0x3", "1500")}, Bad, "multicast on"},
		{System{Root: machine("eth0", "0x1003", "1500"), Interfaces: []string{"eth1"}}, Unknown, "no interface eth1"},
	},
	"MTU": {
		{System{Root: machine("eth0", "0x1003", "9000")}, Good, "9000"},
		{System{Root: machine("eth0", "0x1003", "1400")}, Warning, "mtu 1500"},
		{System{Root: machine("eth0", "0x1003", "1400"), Local: true}, Good, "not used"},
		{System{Root: machine("eth0", "0x1003", "1400", "eth1", "0x1003", "1500"), Interfaces: []string{"eth1"}}, Good, "eth1 has 1500"},
	},
	"domain and ports": {
		{System{Root: files("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999"), Domain: 101}, Good, "32650 to 32723 for 32 participants"},
		{System{Root: files("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999"), Domain: 102}, Warning, "ROS_DOMAIN_ID"},
		{System{Root: files(), Domain: 233}, Bad, "233"},
	},
	"Cyclone DDS": {
		{System{Root: files(), Cyclone: "0.10.5"}, Good, "0.10.5"},
		{System{Root: files(), Cyclone: "11.0.1"}, Good, "11.0.1"},
		{System{Root: files(), Cyclone: "0.9.1"}, Bad, "0.9.1"},
	},
}

func TestChecks(t *testing.T) {
	for _, c := range checks {
		if len(states[c.name]) < 2 {
			t.Errorf("%s has no good and bad state here", c.name)
		}
		for _, tt := range states[c.name] {
			r := c.result(&tt.system)
			if text := r.Found + strings.Join(r.Fix, "\n"); r.Status != tt.status || !strings.Contains(text, tt.want) {
				t.Errorf("%s: got %+v, want %s and %q", c.name, r, tt.status, tt.want)
			}
			if (r.Status == Warning || r.Status == Bad) && r.Why == "" {
				t.Errorf("%s: %q does not say what it costs", c.name, r.Found)
			}
		}
		if r := c.result(&System{Root: files(), Domain: 0}); r.Status != Unknown || r.Found == "" {
			t.Errorf("%s on an empty machine: %+v", c.name, r)
		}
	}
}

func TestRun(t *testing.T) {
	if got := Run(&System{Root: files()}); len(got) != len(checks) || got[0].Check != checks[0].name {
		t.Errorf("%+v", got)
	}
}

func TestReport(t *testing.T) {
	r := &Report{Checks: []Result{
		{Check: "a", Status: Good, Found: "fine"},
		{Check: "b", Status: Bad, Found: strings.Repeat("broken ", 20), Why: "it hurts", Fix: []string{"mend b", "# or not"}},
	}, Measured: []Latency{{Name: "a longer name", Count: 3, P50: 1, P99: 2, Max: 3}}}
	if !r.Bad() || (&Report{Checks: r.Checks[:1]}).Bad() {
		t.Error("Bad is not about bad checks")
	}
	var text, script strings.Builder
	r.Print(&text)
	const want = `good     a              fine
bad      b              broken broken broken broken broken broken broken broken
                        broken broken broken broken broken broken broken broken
                        broken broken broken broken
         it hurts
         $ mend b
         # or not
measured a longer name  p50 1 µs, p99 2 µs, max 3 µs

2 checks: 1 good, 0 warnings, 1 bad, 0 unknown. The exit status is 1: something
will not work. "pinion doctor --fix" prints the commands above as a script.
`
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
	r.Script(&script)
	if !strings.Contains(script.String(), "\nmend b\n") || strings.Contains(script.String(), "fine") {
		t.Errorf("script:\n%s", script.String())
	}
	if strings.Contains(script.String(), "sysctl") || strings.Contains(text.String(), "sysctl") {
		t.Error("it speaks of sysctls that nobody sets")
	}
	r.Checks[1].Fix = []string{setSysctl("net.core.rmem_max", 1)}
	for name, print := range map[string]func(io.Writer){"report": r.Print, "script": r.Script} {
		text.Reset()
		if print(&text); !strings.Contains(text.String(), "/etc/sysctl.d") {
			t.Errorf("the %s does not say how a sysctl stays:\n%s", name, text.String())
		}
	}
	text.Reset()
	(&Report{Checks: r.Checks[:1]}).Print(&text)
	if !strings.HasSuffix(text.String(), "\n1 checks: 1 good, 0 warnings, 0 bad, 0 unknown. The exit status is 0: nothing is\nbad.\n") {
		t.Errorf("got\n%s", text.String())
	}
}

// What this machine and the fake ones have to say fits into a terminal, commands excepted.
func TestPrintWidth(t *testing.T) {
	r := &Report{}
	for _, c := range checks {
		for _, tt := range states[c.name] {
			r.Checks = append(r.Checks, c.result(&tt.system))
		}
	}
	var text strings.Builder
	r.Print(&text)
	for line := range strings.Lines(text.String()) {
		isFix := slices.ContainsFunc([]string{"$ ", "# "}, func(s string) bool { return strings.HasPrefix(strings.TrimSpace(line), s) })
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 && !isFix {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1 KiB", 212992: "208 KiB", 1572864: "1.5 MiB", 8 << 20: "8 MiB", 3 << 30: "3 GiB"} {
		if got := size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestInterfaceNames(t *testing.T) {
	got, err := InterfaceNames([]string{"127.0.0.1", "eth77", ""})
	if want := []string{"lo", "eth77", ""}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

func TestMeasure(t *testing.T) {
	results, err := Measure(t.Context(), 20*time.Millisecond)
	if err != nil || len(results) != 2 || results[0].Count != 20 {
		t.Fatalf("%+v, %v", results, err)
	}
	for _, l := range results {
		if l.Count == 0 || l.P50 <= 0 || l.P99 < l.P50 || l.Max < l.P99 {
			t.Errorf("%+v", l)
		}
	}
}

// A measurement that fails takes neither the others nor the report with it.
func TestMeasureFails(t *testing.T) {
	fails := func(context.Context, time.Duration) (Latency, error) {
		return Latency{Name: "fails"}, errors.New("no loopback")
	}
	results, err := measureAll(t.Context(), 20*time.Millisecond, fails, wakeUp)
	if err != nil || len(results) != 2 || results[0] != (Latency{Name: "fails", Note: "no loopback"}) || results[1].Count != 20 {
		t.Errorf("%+v, %v", results, err)
	}
	var text strings.Builder
	(&Report{Measured: results}).Print(&text)
	if !regexp.MustCompile(`unknown +fails +no loopback\n`).MatchString(text.String()) {
		t.Error(text.String())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := measureAll(ended, time.Second, fails); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
