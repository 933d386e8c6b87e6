//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// A row is a request to measure.
type row struct {
	name      string
	path      string
	elsewhere bool   // at another place each time
	peers     string // the path that they answer with the same sites, or ""
	headers   map[string]string
	conns     int // 0: 8
}

var gzip = map[string]string{"Accept-Encoding": "gzip"}

// measureAnswers measures answers a second, and the memory of the servers before and after.
func (b *bench) measureAnswers(ctx context.Context) error {
	atRest := figure{what: "memory, at rest, never asked", unit: "MB", note: "resident, when nothing is prepared any more"}
	after := figure{what: "memory, after all this", unit: "MB"}
	var servers []*child
	defer func() {
		for _, s := range servers {
			s.stop()
		}
	}()
	for _, p := range b.programs {
		server, err := p.serve(ctx, b.all)
		if err != nil {
			return err
		}
		servers = append(servers, server)
		server.settle()
		atRest.of = append(atRest.of, statusMB(server.pid, "VmRSS"))
	}
	if b.peers != "" {
		peers, err := b.startPeers(ctx, servers[0].ready)
		if err != nil {
			return err
		}
		servers = append(servers, peers...)
	}
	b.table.print(atRest)
	rows, err := findRows(b.programs[0])
	if err != nil {
		return err
	}
	for _, r := range rows {
		if b.peers != "" && r.peers == "" {
			continue
		}
		if err := b.measureRow(r); err != nil {
			return err
		}
	}
	for i := range atRest.of {
		after.of = append(after.of, statusMB(servers[i].pid, "VmRSS"))
	}
	b.table.print(after)
	return nil
}

// startPeers starts the peers, which load the documents, and prints when they were ready. What is missing is left out.
func (b *bench) startPeers(ctx context.Context, ready time.Duration) (peers []*child, err error) {
	documents := filepath.Join(b.work, "documents")
	if err := b.programs[0].writeDocuments(documents); err != nil {
		return nil, err
	}
	f := figure{what: "ready to answer", unit: "s", of: []float64{ready.Seconds()}, note: "from snapshots or documents"}
	for _, name := range []string{"postgis", "sqlite"} {
		listen := fmt.Sprintf("127.0.0.1:%d", 18091+len(peers))
		cmd := exec.CommandContext(ctx, b.peers, name, documents, listen)
		cmd.Stderr = os.Stderr
		server, err := start(cmd, listen)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s is left out: %v\n", name, err)
			continue
		}
		peers = append(peers, server)
		b.programs = append(b.programs, &program{base: "http://" + listen})
		b.table.programs = append(b.table.programs, name)
		f.of = append(f.of, server.ready.Seconds())
	}
	b.table.print(f)
	return peers, nil
}

// writeDocuments writes all sites of France as lists show them, as a JSON array.
func (p *program) writeDocuments(path string) error {
	var all []json.RawMessage
	for offset := 0; offset == len(all); offset += 1000 {
		a, err := p.get(fmt.Sprintf("/antennas?limit=1000&offset=%d", offset), nil)
		if err != nil {
			return err
		}
		var page struct{ Data []json.RawMessage }
		if err := json.Unmarshal(a.body, &page); err != nil {
			return err
		}
		all = append(all, page.Data...)
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// measureRow measures a row of each program, and the bare handler with the same answer. Peers must answer the
// same sites.
func (b *bench) measureRow(r row) (err error) {
	f := figure{what: r.name, unit: "/s"}
	var first answer
	for i, p := range b.programs {
		if p.path == "" { // a peer
			r.path = r.peers
		}
		a, err := p.get(r.path, r.headers)
		if err != nil {
			return err
		}
		if i == 0 {
			first = a
		} else if p.path == "" && !slices.Equal(idsOf(a), idsOf(first)) {
			return fmt.Errorf("%s: %s answers other sites than relais", r.name, b.table.programs[i])
		}
		rate, err := wrk(p.base, p.key, r, b.each)
		if err != nil {
			return err
		}
		f.of = append(f.of, rate)
	}
	f.note = fmt.Sprintf("%d bytes", len(first.body))
	f.bare, err = b.measureBare(first, r.conns)
	b.table.print(f)
	return err
}

// idsOf returns the ids of the sites of an answer, sorted: orders differ.
func idsOf(a answer) (ids []string) {
	var l listing
	if err := json.Unmarshal(a.body, &l); err != nil {
		return []string{err.Error()}
	}
	for _, s := range l.Data {
		ids = append(ids, s.ID)
	}
	slices.Sort(ids)
	return ids
}

// measureBare measures a handler that sends an answer from memory: what net/http does at best.
func (b *bench) measureBare(a answer, conns int) (rate float64, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	a.header.Del("Date") // net/http sets its own
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for k, v := range a.header {
			w.Header()[k] = v
		}
		w.Write(a.body)
	}))
	return wrk("http://"+l.Addr().String(), "", row{path: "/", conns: conns}, b.each)
}

// findRows returns requests for the data of the server.
func findRows(p *program) (rows []row, err error) {
	list, err := p.list("/antennas?limit=1")
	if err != nil {
		return nil, err
	}
	one, err := p.get("/antennas/"+list.Data[0].ID, nil)
	if err != nil {
		return nil, err
	}
	for _, half := range []float64{0.00225, 0.01125, 0.0675} { // degrees
		box := fmt.Sprintf("south=%.5f&north=%.5f&west=%.5f&east=%.5f", 48.8566-half, 48.8566+half, 2.3522-half*1.5,
			2.3522+half*1.5)
		rows = append(rows, row{name: fmt.Sprintf("box of %.1f km", half*222.4), path: "/antennas?limit=5000&" + box,
			peers: "/box?" + box})
	}
	rows[2].peers = "" // a page may not have all
	medium, id := rows[1].path, "/antennas/"+list.Data[0].ID
	const near = "radiusKm=2&limit=20&lat=48.8566&lon=2.3522"
	return append(rows,
		row{name: rows[1].name + ", gzip", path: medium, headers: gzip},
		row{name: "by id, the summary", path: "/antennas?ids=" + list.Data[0].ID, peers: "/id?ids=" + list.Data[0].ID},
		row{name: "by id", path: id},
		row{name: "304", path: id, headers: map[string]string{"If-None-Match": one.header.Get("ETag")}},
		row{name: "nearest 20", path: "/antennas?" + near, peers: "/nearest?" + near},
		row{name: "nearest 20, each time elsewhere", path: "/antennas?" + near, elsewhere: true},
		row{name: "q", path: "/antennas?q=rue+saint&limit=20"},
		row{name: "look-up by radio", path: "/antennas/lookup-by-radio?value=100500&limit=20"},
		row{name: "last page of all", path: fmt.Sprintf("/antennas?limit=50&offset=%d", list.Meta.TotalMatched-50)},
		row{name: "late page of an operator",
			path: fmt.Sprintf("/antennas?operator=ORANGE&limit=50&offset=%d", list.Meta.TotalMatched/5)},
		row{name: "tile of Paris, zoom 11", path: "/tiles/FR/11/1037/704.mvt", headers: gzip},
		row{name: "tile of Paris, zoom 14", path: "/tiles/FR/14/8299/5636.mvt", headers: gzip},
		// A client may have four large answers under way, and an answer ends after it was read.
		row{name: "export, gzip, 2 conn.", path: "/antennas/export", headers: gzip, conns: 2},
	), nil
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
	return l, json.Unmarshal(a.body, &l)
}
