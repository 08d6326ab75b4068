package doctor

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Latency sums a measurement up, in microseconds. Without a Count it failed, and Note tells why.
type Latency struct {
	Name  string  `json:"name"`
	Count int     `json:"count"`
	P50   float64 `json:"p50_us"`
	P99   float64 `json:"p99_us"`
	Max   float64 `json:"max_us"`
	Note  string  `json:"note,omitempty"`
}

// Measure measures wake-ups and round trips over loopback, each for the given time. Where one fails, the
// other does not; the error is that of ctx.
func Measure(ctx context.Context, d time.Duration) ([]Latency, error) {
	return measureAll(ctx, d, wakeUp, loopback)
}

func measureAll(ctx context.Context, d time.Duration, all ...func(context.Context, time.Duration) (Latency, error)) ([]Latency, error) {
	var results []Latency
	for _, measure := range all {
		type outcome struct {
			l   Latency
			err error
		}
		done := make(chan outcome)
		go func() {
			runtime.LockOSThread() // for good: what is set on the thread ends with it
			l, err := measure(ctx, d)
			done <- outcome{l, err}
		}()
		o := <-done
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if o.err != nil {
			o.l = Latency{Name: o.l.Name, Note: o.err.Error()}
		}
		results = append(results, o.l)
	}
	return results, nil
}

// wakeUp measures how late a thread wakes up that sleeps until the next millisecond, as cyclictest
// does. It runs with SCHED_FIFO where that is allowed and says so where not.
func wakeUp(ctx context.Context, d time.Duration) (Latency, error) {
	l := Latency{Name: "wake-up after 1 ms"}
	err := unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: lanePriority,
		Flags: unix.SCHED_FLAG_RESET_ON_FORK}, 0)
	if err != nil {
		l.Note = "with the normal policy: " + err.Error()
	}
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return l, err
	}
	var late []time.Duration
	start := now.Nano()
	for i := int64(1); ctx.Err() == nil && i <= d.Milliseconds(); i++ {
		due := unix.NsecToTimespec(start + i*int64(time.Millisecond))
		for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &due, nil) == unix.EINTR {
		}
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
			return l, err
		}
		late = append(late, time.Duration(now.Nano()-due.Nano()))
	}
	l.set(late)
	return l, ctx.Err()
}

// loopback measures round trips of 64 bytes between two UDP sockets.
func loopback(ctx context.Context, d time.Duration) (Latency, error) {
	l := Latency{Name: "loopback round trip of 64 B"}
	echo, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return l, err
	}
	go func() {
		buf := make([]byte, 64)
		for {
			n, from, err := echo.ReadFromUDPAddrPort(buf)
			if err != nil {
				return // closed
			}
			// What is not echoed is missed by the other side.
			_, _ = echo.WriteToUDPAddrPort(buf[:n], from)
		}
	}()
	defer echo.Close()
	conn, err := net.DialUDP("udp4", nil, echo.LocalAddr().(*net.UDPAddr))
	if err != nil {
		return l, err
	}
	defer conn.Close()
	var trips []time.Duration
	buf := make([]byte, 64)
	for end := time.Now().Add(d); ctx.Err() == nil && time.Now().Before(end); {
		start := time.Now()
		if err := conn.SetDeadline(start.Add(time.Second)); err != nil {
			return l, err
		}
		if _, err := conn.Write(buf); err != nil {
			return l, err
		}
		if _, err := conn.Read(buf); err != nil {
			return l, fmt.Errorf("no echo over loopback: %w", err)
		}
		trips = append(trips, time.Since(start))
	}
	l.set(trips)
	return l, ctx.Err()
}

func (l *Latency) set(d []time.Duration) {
	l.Count = len(d)
	if len(d) == 0 {
		return
	}
	slices.Sort(d)
	us := func(i int) float64 { return float64(d[i]) / 1000 }
	l.P50, l.P99, l.Max = us(len(d)/2), us(len(d)*99/100), us(len(d)-1)
}
