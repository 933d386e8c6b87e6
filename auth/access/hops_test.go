package access

import "testing"

func TestHops(t *testing.T) {
	proxies, err := ParsePrefixes([]string{"127.0.0.1/32", "10.0.0.0/8"})
	must(t, err)
	for _, tt := range []struct {
		name, peer string
		proxies    Proxies
		forwarded  []string
		want       SeenHops
	}{
		{"a proxy", "127.0.0.1:1", proxies, []string{"192.0.2.1"}, SeenHops{WithHeader: 1}},
		{"a proxy that says nothing", "10.1.2.3:1", proxies, nil, SeenHops{NoHeader: 1}},
		{"a proxy that nobody named", "172.17.0.2:1", proxies, []string{"192.0.2.1"},
			SeenHops{Unknown: "172.17.0.2", FromUnknown: 1}},
		{"no list", "127.0.0.1:1", nil, []string{"192.0.2.1"}, SeenHops{Unknown: "127.0.0.1", FromUnknown: 1}},
		{"somebody's header", "203.0.113.77:1", proxies, []string{"192.0.2.1"},
			SeenHops{Unknown: "203.0.113.0/24", FromUnknown: 1}},
		{"a caller", "203.0.113.77:1", proxies, nil, SeenHops{}},
		{"nothing of all", "203.0.113.77:1", nil, nil, SeenHops{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var h Hops
			h.Note(tt.proxies, tt.peer, tt.forwarded)
			if got := h.Seen(); got != tt.want {
				t.Errorf("Seen = %+v, want %+v", got, tt.want)
			}
		})
	}
	(*Hops)(nil).Note(proxies, "127.0.0.1:1", nil)
	if got := (*Hops)(nil).Seen(); got != (SeenHops{}) {
		t.Errorf("nil: Seen = %+v, want nothing", got)
	}
}
