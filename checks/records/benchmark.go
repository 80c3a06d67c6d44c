package records

import (
	"fmt"
	"math"
	"strings"
)

// BenchmarkProperty is the name of the JUnit property that holds measurements.
const BenchmarkProperty = "benchmark"

// Measurement is what the harness measured for one backend in one direction.
// Times are milliseconds; a figure that the record lacks is NaN.
type Measurement struct {
	Backend   string // canonical
	Direction string // forward or backward
	Median    float64
	Mean      float64
	RelStd    float64 // percent
	Min, Max  float64
	NRep      int // repetitions inside the run; 0 when absent
	// Per is the work that the times are of when the record gave a rate, such as
	// TFLOP for TFLOPS; "" for the times of a call.
	Per string
	// Kernels is the profile of one call, the last repetition; nil when the record
	// has none.
	Kernels []Kernel
}

// Kernel is one kernel name of a profile.
type Kernel struct {
	Name   string
	SelfUS float64 // device time of all launches of one call, microseconds
	Count  int     // launches per call
}

// Launches counts the kernels of one call; ok is false without a profile.
func (m Measurement) Launches() (n int, ok bool) {
	for _, k := range m.Kernels {
		n += k.Count
	}
	return n, m.Kernels != nil
}

// SelfMS is the device time of one call in milliseconds, NaN without a profile.
func (m Measurement) SelfMS() float64 {
	if m.Kernels == nil {
		return math.NaN()
	}
	sum := 0.0
	for _, k := range m.Kernels {
		sum += k.SelfUS
	}
	return sum / 1000
}

// Measurements are what the benchmark properties of a case say. An error names
// the field of the first one that could not be read and what was found there; a
// case without such a property has none.
func Measurements(c Case) ([]Measurement, error) {
	if c.Unreadable != nil {
		return nil, c.Unreadable
	}
	return c.Measured, nil
}

// HasBenchmark reports whether the case carries a benchmark property.
func (c Case) HasBenchmark() bool { return c.Measured != nil || c.Unreadable != nil }

// measure adds the measurements of a benchmark property.
func (c *Case) measure(value []byte, names *interner) {
	ms, err := parseBenchmark(value, names)
	if err != nil && c.Unreadable == nil {
		c.Unreadable = err
	}
	if c.Measured == nil {
		c.Measured = ms
		return
	}
	c.Measured = append(c.Measured, ms...)
}

// ParseBenchmark reads the value of a benchmark property: a dict from backend to
// a dict from direction to figures. Unknown fields are ignored, an unexpected
// shape is an error.
func ParseBenchmark(value string) ([]Measurement, error) {
	return parseBenchmark([]byte(value), &interner{})
}

// parseBenchmark never returns a nil slice without an error.
func parseBenchmark(value []byte, names *interner) ([]Measurement, error) {
	if ms, ok := quickBenchmark(value, names); ok {
		return ms, nil
	}
	v, err := ParseLiteral(string(value))
	if err != nil {
		return nil, err
	}
	return benchmark(v)
}

func benchmark(v Value) ([]Measurement, error) {
	root, ok := v.(*Dict)
	if !ok {
		return nil, shape("benchmark", "a dict from backend to figures", v)
	}
	all := []Measurement{}
	for i, key := range root.Keys {
		backend, ok := key.(string)
		if !ok {
			return nil, shape("benchmark", "backend names as keys", key)
		}
		directions, ok := root.Values[i].(*Dict)
		if !ok {
			return nil, shape(backend, "a dict with forward or backward", root.Values[i])
		}
		for j, key := range directions.Keys {
			direction, ok := key.(string)
			if !ok || direction != "forward" && direction != "backward" {
				return nil, shape(backend, "forward or backward", key)
			}
			if directions.Values[j] == nil {
				continue
			}
			m, err := measurement(backend+"."+direction, directions.Values[j])
			if err != nil {
				return nil, err
			}
			m.Backend, m.Direction = CanonicalBackend(backend), direction
			all = append(all, m)
		}
	}
	return all, nil
}

func measurement(path string, v Value) (Measurement, error) {
	d, ok := v.(*Dict)
	if !ok {
		return Measurement{}, shape(path, "a dict of figures", v)
	}
	var m Measurement
	var err error
	if _, m.Per, err = figure(path, d, "median"); err != nil {
		return m, err
	}
	for name, field := range map[string]*float64{
		"median": &m.Median, "mean": &m.Mean, "rel_std": &m.RelStd, "min": &m.Min, "max": &m.Max,
	} {
		var e error
		var per string
		if *field, per, e = figure(path, d, name); e == nil && per != m.Per && name != "rel_std" && !math.IsNaN(*field) {
			e = fmt.Errorf("benchmark record: %s.%s: expected the unit of the median, found another one", path, name)
		}
		if e != nil && (err == nil || e.Error() < err.Error()) {
			err = e
		}
	}
	if err != nil {
		return m, err
	}
	if m.Per != "" {
		m.Min, m.Max = m.Max, m.Min // the highest rate is the shortest time
	}
	nrep, err := number(path, d, "nrep")
	if err != nil {
		return m, err
	}
	if nrep < 1 {
		return m, shape(path+".nrep", "at least 1 repetition", nrep)
	}
	m.NRep, m.RelStd = count(nrep), spread(m.RelStd)
	list, ok := d.Get("kernel_times")
	if !ok || list == nil {
		return m, nil
	}
	items, ok := list.(List)
	if !ok {
		return m, shape(path+".kernel_times", "a list", list)
	}
	m.Kernels = make([]Kernel, 0, len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s.kernel_times[%d]", path, i)
		entry, ok := item.(*Dict)
		if !ok {
			return m, shape(at, "a dict with name, self_time_us and count", item)
		}
		name, _ := entry.Get("name")
		s, ok := name.(string)
		if !ok {
			return m, shape(at+".name", "a string", name)
		}
		self, err := number(at, entry, "self_time_us")
		if err != nil {
			return m, err
		}
		n, err := number(at, entry, "count")
		if err != nil {
			return m, err
		}
		if count(n) < 1 {
			return m, shape(at+".count", fmt.Sprintf("a whole number of launches from 1 to %d", maxCount), n)
		}
		m.Kernels = append(m.Kernels, Kernel{Name: s, SelfUS: self, Count: count(n)})
	}
	return m, nil
}

// figure reads a number of milliseconds, or a text with a unit, see quantity.
func figure(path string, d *Dict, name string) (ms float64, per string, err error) {
	if v, _ := d.Get(name); v != nil {
		if s, isText := v.(string); isText {
			if ms, per, ok := quantity(s); ok {
				return ms, per, nil
			}
			return 0, "", shape(path+"."+name, "a number, or a time or rate with its unit", v)
		}
	}
	ms, err = number(path, d, name)
	return ms, "", err
}

// number reads a numeric field; absent and None are NaN.
func number(path string, d *Dict, name string) (float64, error) {
	v, ok := d.Get(name)
	if !ok {
		return math.NaN(), nil
	}
	switch n := v.(type) {
	case nil:
		return math.NaN(), nil
	case int64:
		return float64(n), nil
	case float64:
		return n, nil
	}
	return 0, shape(path+"."+name, "a number", v)
}

// maxCount bounds what is counted: launches of a call and repetitions.
const maxCount = 1 << 31

// spread is a relative standard deviation; one below zero is none.
func spread(percent float64) float64 {
	if percent < 0 {
		return math.NaN()
	}
	return percent
}

// count converts a figure that counts something; 0 when it is none.
func count(f float64) int {
	if f >= 0 && f <= maxCount && f == math.Trunc(f) {
		return int(f)
	}
	return 0
}

func shape(path, expected string, found Value) error {
	what := map[bool]string{true: "nothing"}[found == nil]
	switch v := found.(type) {
	case string:
		what = fmt.Sprintf("the string %.40q", v)
	case bool:
		what = map[bool]string{true: "True", false: "False"}[v]
	case int64, float64:
		what = fmt.Sprint(v)
	case List:
		what = "a list"
	case Tuple:
		what = "a tuple"
	case *Dict:
		what = "a dict"
	}
	return fmt.Errorf("benchmark record: %s: expected %s, found %s", path, expected, what)
}

// OwnKernel reports whether a kernel name is that of a cutile-rs entry function.
func OwnKernel(name string) bool { return strings.HasSuffix(name, "_entry") }
