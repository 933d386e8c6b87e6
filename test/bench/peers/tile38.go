package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"
)

// tile38 is a Tile38 of its own. Documents are the properties of GeoJSON features.
type tile38 struct {
	server *exec.Cmd
	pool   *redis.Pool
}

func newTile38(ctx context.Context, dir string) (peer, error) {
	path, err := exec.LookPath("tile38-server")
	if err != nil {
		return nil, errors.New("tile38-server is missing in PATH")
	}
	socket := filepath.Join(dir, "socket")
	t := &tile38{server: exec.Command(path, "-d", filepath.Join(dir, "data"), "-s", socket, "-q")}
	connections := 4 * runtime.NumCPU()
	t.pool = &redis.Pool{MaxIdle: connections, MaxActive: connections, Wait: true,
		Dial: func() (redis.Conn, error) { return redis.Dial("unix", socket) }}
	if err := t.server.Start(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err = t.do(ctx, "PING"); err == nil {
			return t, nil
		}
		if time.Now().After(end) {
			t.close()
			return nil, err
		}
	}
}

func (t *tile38) do(ctx context.Context, command string, args ...any) (any, error) {
	c, err := t.pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return redis.DoContext(c, ctx, command, args...)
}

const featureStart, featureEnd = `"properties":`, "}"

func (t *tile38) load(ctx context.Context, all []document) (string, error) {
	c, err := t.pool.GetContext(ctx)
	if err != nil {
		return "", err
	}
	defer c.Close()
	for _, d := range all {
		feature := fmt.Sprintf(`{"type":"Feature","geometry":{"type":"Point","coordinates":[%v,%v]},%s%s%s`, d.lon, d.lat,
			featureStart, d.text, featureEnd)
		if err := c.Send("SET", "sites", d.id, "OBJECT", feature); err != nil {
			return "", err
		}
	}
	if _, err := redis.DoContext(c, ctx, ""); err != nil { // sends all, and reads all answers
		return "", err
	}
	info, err := redis.String(t.do(ctx, "INFO", "server"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(info) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "tile38_version:"); ok {
			return "Tile38 " + v + ", redigo " + moduleVersion("github.com/gomodule/redigo"), nil
		}
	}
	return "Tile38 of unknown version", nil
}

// join joins the documents of a search, whose answer is a cursor and pairs of id and object.
func join(reply any, err error) (string, int, error) {
	parts, err := redis.Values(reply, err)
	if err != nil || len(parts) != 2 {
		return "", 0, errors.Join(err, fmt.Errorf("the answer has %d parts, want 2", len(parts)))
	}
	pairs, err := redis.Values(parts[1], nil)
	if err != nil {
		return "", 0, err
	}
	var joined strings.Builder
	for i, p := range pairs {
		pair, err := redis.Strings(p, nil)
		if err != nil || len(pair) < 2 {
			return "", 0, errors.Join(err, fmt.Errorf("an object has %d parts, want 2", len(pair)))
		}
		if i > 0 {
			joined.WriteByte(',')
		}
		joined.WriteString(documentOf(pair[1]))
	}
	return joined.String(), len(pairs), nil
}

// documentOf returns the properties of a feature, its last member.
func documentOf(feature string) string {
	_, text, _ := strings.Cut(feature, featureStart)
	return strings.TrimSuffix(text, featureEnd)
}

func (t *tile38) inBox(ctx context.Context, b box) (string, int, error) {
	return join(t.do(ctx, "WITHIN", "sites", "LIMIT", 5000, "OBJECTS", "BOUNDS", b.south, b.west, b.north, b.east))
}

func (t *tile38) byID(ctx context.Context, id string) (string, int, error) {
	feature, err := redis.String(t.do(ctx, "GET", "sites", id))
	return documentOf(feature), 1, err
}

func (t *tile38) nearest(ctx context.Context, lat, lon, km float64, most int) (string, int, error) {
	return join(t.do(ctx, "NEARBY", "sites", "LIMIT", most, "OBJECTS", "POINT", lat, lon, km*1000))
}

func (t *tile38) close() {
	t.pool.Close()
	t.server.Process.Kill()
	t.server.Wait()
}
