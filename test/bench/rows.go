package main

import (
	"encoding/json"
	"fmt"
)

// findRows returns requests for the data of the server, some with answers of wanted sizes.
func findRows(p *program) ([]row, error) {
	list, err := p.list("/antennas?limit=1&offset=1000")
	if err != nil {
		return nil, err
	}
	total, id := list.Meta.TotalMatched, list.Data[0].ID
	gzip := map[string]string{"Accept-Encoding": "gzip"}
	rows := []row{}
	for _, n := range []int{50, 1000, 5000} {
		box, err := p.findBox(n)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{name: fmt.Sprintf("box, about %d", n), path: "/antennas?limit=5000&" + box})
		if n == 1000 {
			rows = append(rows, row{name: "box, about 1000, gzip", path: "/antennas?limit=5000&" + box, headers: gzip})
		}
	}
	one, err := p.get("/antennas/"+id, nil)
	if err != nil {
		return nil, err
	}
	various, err := p.someIDs(20000, total)
	if err != nil {
		return nil, err
	}
	orange, err := p.list("/antennas?operator=ORANGE&limit=1")
	if err != nil {
		return nil, err
	}
	return append(rows,
		row{name: "by id, always the same", path: "/antennas/" + id},
		row{name: "by id, 20,000 in turn", path: "/antennas/" + id, paths: various},
		row{name: "nearest 20", path: "/antennas?lat=48.8566&lon=2.3522&radiusKm=2&limit=20"},
		row{name: "q", path: "/antennas?q=rue+saint&limit=20"},
		row{name: "look-up by radio", path: "/antennas/lookup-by-radio?value=100500&limit=20"},
		row{name: "304", path: "/antennas/" + id, headers: map[string]string{"If-None-Match": one.Header.Get("ETag")}},
		row{name: "last page of all", path: fmt.Sprintf("/antennas?limit=50&offset=%d", total-50)},
		row{name: "last page of an operator",
			path: fmt.Sprintf("/antennas?operator=ORANGE&limit=50&offset=%d", orange.Meta.TotalMatched-50)},
		row{name: "tile of Paris, zoom 11", path: "/tiles/FR/11/1037/704.mvt", headers: gzip},
		row{name: "tile of Paris, zoom 14", path: "/tiles/FR/14/8299/5636.mvt", headers: gzip},
		row{name: "export, gzip, 2 conn.", path: "/antennas/export", headers: gzip, large: true},
	), nil
}

// findBox widens a box around Paris until it has about n sites.
func (p *program) findBox(n int) (box string, err error) {
	lo, hi := 0.0001, 5.0
	for range 40 {
		half := (lo + hi) / 2
		box = fmt.Sprintf("south=%.6f&north=%.6f&west=%.6f&east=%.6f", 48.8566-half, 48.8566+half, 2.3522-half*1.5,
			2.3522+half*1.5)
		a, err := p.list("/antennas?limit=1&" + box)
		if err != nil {
			return "", err
		}
		switch m := a.Meta.TotalMatched; {
		case m > n+n/50:
			hi = half
		case m < n-n/50:
			lo = half
		default:
			return box, nil
		}
	}
	return box, nil
}

// someIDs returns the paths of n sites, from the middle of all.
func (p *program) someIDs(n, total int) (paths []string, err error) {
	for offset := max(0, (total-n)/2); len(paths) < min(n, total); offset += 1000 {
		l, err := p.list(fmt.Sprintf("/antennas?limit=1000&offset=%d", offset))
		if err != nil {
			return nil, err
		}
		for _, s := range l.Data {
			paths = append(paths, "/antennas/"+s.ID)
		}
		if len(l.Data) == 0 {
			break
		}
	}
	return paths, nil
}

type listing struct {
	Data []struct{ ID string }
	Meta struct{ TotalMatched int }
}

func (p *program) list(path string) (l listing, err error) {
	a, err := p.get(path, nil)
	if err != nil {
		return l, err
	}
	return l, json.Unmarshal(a.Body, &l)
}
