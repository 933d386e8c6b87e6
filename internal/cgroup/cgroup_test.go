package cgroup

import (
	"testing"
	"testing/fstest"
)

const (
	v2     = "25 1 0:23 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	v1     = "30 24 0:26 / /sys/fs/cgroup/memory rw,nosuid shared:9 - cgroup cgroup rw,memory\n"
	cpu    = "31 24 0:27 / /sys/fs/cgroup/cpu rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
	none1  = "9223372036854771712\n" // version 1's value for no limit
	docker = "/docker/0123abcd"
)

var memoryLimits = []struct {
	name  string
	files map[string]string
	want  int64
	ok    bool
}{
	{"no /proc", nil, 0, false},
	{"version 2, a unit of systemd", map[string]string{
		"proc/self/cgroup": "0::/system.slice/relais.service\n", "proc/self/mountinfo": v2,
		"sys/fs/cgroup/system.slice/relais.service/memory.max": "536870912\n",
		"sys/fs/cgroup/system.slice/memory.max":                "max\n",
	}, 536870912, true},
	{"version 2, the slice has less", map[string]string{
		"proc/self/cgroup": "0::/system.slice/relais.service\n", "proc/self/mountinfo": v2,
		"sys/fs/cgroup/system.slice/relais.service/memory.max": "536870912\n",
		"sys/fs/cgroup/system.slice/memory.max":                "268435456\n",
	}, 268435456, true},
	{"version 2, slowed down before the limit", map[string]string{
		"proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": v2,
		"sys/fs/cgroup/a/memory.max": "536870912\n", "sys/fs/cgroup/a/memory.high": "400000000\n",
	}, 400000000, true},
	{"version 2, no limit", map[string]string{
		"proc/self/cgroup": "0::/user.slice\n", "proc/self/mountinfo": v2,
		"sys/fs/cgroup/user.slice/memory.max": "max\n",
	}, 0, false},
	{"version 2, a container that sees its group as the root", map[string]string{
		"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": v2, "sys/fs/cgroup/memory.max": "1073741824\n",
	}, 1073741824, true},
	{"version 1", map[string]string{
		"proc/self/cgroup": "12:cpu,cpuacct:/x\n9:memory:/relais\n0::/relais\n", "proc/self/mountinfo": cpu + v1,
		"sys/fs/cgroup/memory/relais/memory.limit_in_bytes": "536870912\n",
		"sys/fs/cgroup/memory/memory.limit_in_bytes":        none1,
		"sys/fs/cgroup/cpu/x/memory.limit_in_bytes":         "1\n",
	}, 536870912, true},
	{"version 1, no limit", map[string]string{
		"proc/self/cgroup": "9:memory:/relais\n", "proc/self/mountinfo": v1,
		"sys/fs/cgroup/memory/relais/memory.limit_in_bytes": none1,
	}, 0, false},
	{"version 1, a container with the path of the host", map[string]string{
		"proc/self/cgroup": "9:memory:" + docker + "\n",
		"proc/self/mountinfo": "30 24 0:26 " + docker +
			" /sys/fs/cgroup/memory ro,nosuid - cgroup cgroup rw,memory\n",
		"sys/fs/cgroup/memory/memory.limit_in_bytes": "700000000\n",
	}, 700000000, true},
	{"version 1, a group above the one that is mounted", map[string]string{
		"proc/self/cgroup": "9:memory:/other\n",
		"proc/self/mountinfo": "30 24 0:26 " + docker +
			" /sys/fs/cgroup/memory ro,nosuid - cgroup cgroup rw,memory\n",
		"sys/fs/cgroup/memory/memory.limit_in_bytes": "700000000\n",
	}, 700000000, true},
	{"both versions, memory in the first", map[string]string{
		"proc/self/cgroup": "9:memory:/a\n0::/a\n",
		"proc/self/mountinfo": v1 +
			"32 24 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
		"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "123456789\n",
	}, 123456789, true},
	{"nonsense", map[string]string{
		"proc/self/cgroup": "::::\n0::../../..\nx\n", "proc/self/mountinfo": "a b - c\n" + v2 + " - \n",
		"sys/fs/cgroup/memory.max": "-5\n",
	}, 0, false},
}

func TestMemoryLimit(t *testing.T) {
	for _, tt := range memoryLimits {
		t.Run(tt.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for name, text := range tt.files {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			if got, ok := memoryLimitIn(fsys); got != tt.want || ok != tt.ok {
				t.Errorf("limit = %d, %v; want %d, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}
