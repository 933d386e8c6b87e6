package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// A peer answers the documents of relais from another program. Its server is b.peers, a program of a module of
// its own.
type peer struct {
	name, listen string
	child        *child // nil if the program is missing
	loaded       struct {
		Seconds  float64
		Versions string
	}
}

// A question is one that relais and the peers answer.
type question struct {
	name           string
	relais, others string // paths
}

// measurePeers measures the answers of relais next to those of the peers. All must answer the same sites.
func (b *bench) measurePeers(ctx context.Context) error {
	p := b.programs[0]
	if _, _, err := p.ingest(ctx, p.folder("data"), b.kit.all); err != nil {
		return err
	}
	server, err := p.serve(ctx, p.folder("data"))
	if err != nil {
		return err
	}
	defer server.stop()
	settle(server.pid)
	documents := filepath.Join(b.work, "documents")
	if err := p.writeDocuments(documents); err != nil {
		return err
	}
	peers := []*peer{{name: "postgis", listen: "127.0.0.1:18091"}, {name: "sqlite", listen: "127.0.0.1:18092"},
		{name: "tile38", listen: "127.0.0.1:18093"}}
	load := figure{what: "ready to answer", unit: "s", of: []float64{server.ready.Seconds()},
		note: "from the snapshot file, or from the documents"}
	for _, other := range peers {
		if err := other.start(ctx, b.peers, documents); err != nil {
			fmt.Fprintf(os.Stderr, "%s is left out: %v\n", other.name, err)
		} else {
			defer other.child.stop()
			fmt.Println(other.name+":", other.loaded.Versions)
		}
		b.table.programs = append(b.table.programs, other.name)
		load.of = append(load.of, other.loaded.Seconds)
	}
	b.table.print(load)
	questions, err := p.findQuestions()
	if err != nil {
		return err
	}
	for _, q := range questions {
		if err := b.measureQuestion(ctx, peers, q); err != nil {
			return err
		}
	}
	return nil
}

// start starts the program of a peer, which loads the documents.
func (o *peer) start(ctx context.Context, program, documents string) error {
	cmd := exec.CommandContext(ctx, program, "-peer", o.name, "-documents", documents, "-listen", o.listen)
	cmd.Stderr = os.Stderr
	child, err := start(cmd, o.listen)
	if err != nil {
		return err
	}
	o.child = child
	a, err := fetch("http://"+o.listen+"/loaded", "", nil)
	if err == nil {
		err = json.Unmarshal(a.Body, &o.loaded)
	}
	return err
}

// writeDocuments writes all sites of France as lists show them, one in each line.
func (p *program) writeDocuments(path string) error {
	var out bytes.Buffer
	for offset := 0; ; offset += 1000 {
		a, err := p.get(fmt.Sprintf("/antennas?limit=1000&offset=%d", offset), nil)
		if err != nil {
			return err
		}
		sites, err := sitesOf(a.Body)
		if err != nil {
			return err
		}
		for _, s := range sites {
			out.Write(append(s, '\n'))
		}
		if len(sites) < 1000 {
			return os.WriteFile(path, out.Bytes(), 0o644)
		}
	}
}

func (p *program) findQuestions() ([]question, error) {
	list, err := p.list("/antennas?limit=1&offset=1000")
	if err != nil {
		return nil, err
	}
	const near = "lat=48.8566&lon=2.3522&radiusKm=2&limit=20"
	id := list.Data[0].ID
	questions := []question{{"by id, the summary", "/antennas?ids=" + id, "/id/" + id}}
	for _, n := range []int{50, 1000} {
		box, err := p.findBox(n)
		if err != nil {
			return nil, err
		}
		questions = append(questions, question{fmt.Sprintf("box, about %d", n), "/antennas?limit=5000&" + box, "/box?" + box})
	}
	return append(questions, question{"nearest 20", "/antennas?" + near, "/nearest?" + near}), nil
}

// measureQuestion prints the row of a question. The bare handler sends the answer of relais.
func (b *bench) measureQuestion(ctx context.Context, peers []*peer, q question) error {
	p := b.programs[0]
	own, err := p.get(q.relais, nil)
	if err != nil {
		return err
	}
	want, err := idsOf(own.Body)
	if err != nil {
		return err
	}
	bare, err := b.startBare(ctx, []answer{own})
	if err != nil {
		return err
	}
	defer bare.stop()
	r, err := wrk(p.base(), p.key, row{path: q.relais}, connections, b.each)
	if err != nil {
		return err
	}
	f := figure{what: q.name, unit: "/s", of: []float64{r.rate}, note: fmt.Sprintf("%d sites, %d bytes", len(want), len(own.Body))}
	for _, o := range peers {
		if o.child == nil {
			f.of = append(f.of, 0)
			continue
		}
		a, err := fetch("http://"+o.listen+q.others, "", nil)
		if err != nil {
			return err
		}
		got, err := idsOf(a.Body)
		if err != nil {
			return err
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("%s: %s answers %d other sites than relais, which answers %d", q.name, o.name, len(got), len(want))
		}
		r, err := wrk("http://"+o.listen, "", row{path: q.others}, connections, b.each)
		if err != nil {
			return err
		}
		f.of = append(f.of, r.rate)
	}
	if r, err = wrk("http://"+bareListen, "", row{path: "/0"}, connections, b.each); err != nil {
		return err
	}
	f.bare = r.rate
	b.table.print(f)
	return nil
}

// sitesOf returns the documents of an answer.
func sitesOf(body []byte) ([]json.RawMessage, error) {
	var a struct{ Data []json.RawMessage }
	err := json.Unmarshal(body, &a)
	return a.Data, err
}

// idsOf returns the ids of the sites of an answer, sorted: orders differ.
func idsOf(body []byte) ([]string, error) {
	var a struct{ Data []struct{ ID string } }
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, err
	}
	var ids []string
	for _, s := range a.Data {
		ids = append(ids, s.ID)
	}
	slices.Sort(ids)
	return ids, nil
}
