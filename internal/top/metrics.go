package top

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/msgs/statistics_msgs"
)

const metricsType = "statistics_msgs/msg/MetricsMessage"

// forgotten is how long after its last message a metric is shown.
const forgotten = 15 * time.Second

// maxMetrics bounds what a faulty publisher can fill memory with.
const maxMetrics = 4096

// metrics keeps the latest of what nodes publish about themselves.
type metrics struct {
	mu    sync.Mutex
	known map[metricKey]*metricState
}

type metricKey struct{ source, name string }

type metricState struct {
	Metric
	seen time.Time
}

// add takes a message in. What cannot be read is left out, for others publish it.
func (m *metrics) add(payload []byte, now time.Time) {
	var msg statistics_msgs.MetricsMessage
	if cdr.Unmarshal(payload, &msg) != nil {
		return
	}
	key := metricKey{msg.MeasurementSourceName, msg.MetricsSource}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.known[key]
	if s == nil {
		if len(m.known) >= maxMetrics {
			return
		}
		if m.known == nil {
			m.known = make(map[metricKey]*metricState)
		}
		s = &metricState{}
		m.known[key] = s
	}
	s.seen = now
	s.Metric = Metric{Source: key.source, Name: key.name, Unit: msg.Unit, total: s.total, trend: s.trend}
	for i := range msg.Statistics {
		s.set(&msg.Statistics[i])
	}
	if s.Count != nil {
		s.total += *s.Count
	}
	if s.Mean != nil {
		s.trend = push(s.trend, *s.Mean)
	}
}

func (m *Metric) set(p *statistics_msgs.StatisticDataPoint) {
	to := map[uint8]**float64{
		statistics_msgs.StatisticDataType_STATISTICS_DATA_TYPE_AVERAGE:      &m.Mean,
		statistics_msgs.StatisticDataType_STATISTICS_DATA_TYPE_MINIMUM:      &m.Min,
		statistics_msgs.StatisticDataType_STATISTICS_DATA_TYPE_MAXIMUM:      &m.Max,
		statistics_msgs.StatisticDataType_STATISTICS_DATA_TYPE_STDDEV:       &m.StdDev,
		statistics_msgs.StatisticDataType_STATISTICS_DATA_TYPE_SAMPLE_COUNT: &m.Count,
	}[p.DataType]
	if to != nil && !math.IsNaN(p.Data) && !math.IsInf(p.Data, 0) {
		*to = &p.Data
	}
}

// list returns the metrics by source and name, without those that come no more.
func (m *metrics) list(now time.Time) []Metric {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []Metric{}
	for key, s := range m.known {
		if now.Sub(s.seen) > forgotten {
			delete(m.known, key)
			continue
		}
		metric := s.Metric
		metric.trend = slices.Clone(s.trend)
		list = append(list, metric)
	}
	slices.SortFunc(list, func(a, b Metric) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// push appends to a trend and forgets what is too old to be shown.
func push(trend []float64, v float64) []float64 {
	trend = append(trend, v)
	return trend[max(0, len(trend)-trendLength):]
}
