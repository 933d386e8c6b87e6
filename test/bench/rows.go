package main

import (
	"encoding/json"
	"fmt"
)

// findRows returns requests for the data of the server, some with answers of wanted sizes.
func findRows(base string) ([]row, error) {
	list, err := getList(base + "/antennas?limit=1&offset=1000")
	if err != nil {
		return nil, err
	}
	total, id := list.Meta.TotalMatched, list.Data[0].ID
	gzip := map[string]string{"Accept-Encoding": "gzip"}
	rows := []row{}
	for _, n := range []int{50, 1000, 5000} {
		box, err := findBox(base, n)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{name: fmt.Sprintf("bbox, about %d", n), path: "/antennas?limit=5000&" + box})
		if n == 1000 {
			rows = append(rows, row{name: "bbox, about 1000, gzip", path: "/antennas?limit=5000&" + box, headers: gzip})
		}
	}
	one, err := fetch(base+"/antennas/"+id, nil)
	if err != nil {
		return nil, err
	}
	orange, err := getList(base + "/antennas?operator=ORANGE&limit=1")
	if err != nil {
		return nil, err
	}
	return append(rows,
		row{name: "by id", path: "/antennas/" + id},
		row{name: "nearest 20", path: "/antennas?lat=48.8566&lon=2.3522&radiusKm=2&limit=20"},
		row{name: "q", path: "/antennas?q=rue+saint&limit=20"},
		row{name: "lookup", path: "/antennas/lookup-by-radio?value=100500&limit=20"},
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
func findBox(base string, n int) (box string, err error) {
	lo, hi := 0.0001, 5.0
	for range 40 {
		half := (lo + hi) / 2
		box = fmt.Sprintf("south=%.6f&north=%.6f&west=%.6f&east=%.6f", 48.8566-half, 48.8566+half, 2.3522-half*1.5,
			2.3522+half*1.5)
		a, err := getList(base + "/antennas?limit=1&" + box)
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

type listing struct {
	Data []struct{ ID string }
	Meta struct{ TotalMatched int }
}

func getList(url string) (l listing, err error) {
	a, err := fetch(url, nil)
	if err != nil {
		return l, err
	}
	return l, json.Unmarshal(a.Body, &l)
}
