package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"

	"relais/internal/folder"
	"relais/internal/store"
)

// MemberName is the file of a data folder that says which cluster it belongs to.
const MemberName = "cluster.json"

// A Member is what a folder remembers of its cluster.
type Member struct {
	Cluster string `json:"cluster"` // its id
	Node    string `json:"node"`
	URL     string `json:"url"` // without a password
	Blobs   string `json:"blobs"`
}

// ReadMember reads which cluster a folder belongs to. Error: fs.ErrNotExist for an ordinary folder.
func ReadMember(dir folder.Dir) (m Member, err error) {
	path := filepath.Join(string(dir), MemberName)
	if err := folder.ReadJSON(path, &m); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return m, err
		}
		return m, fmt.Errorf("%s: %w", MemberName, err)
	}
	if m.Cluster == "" {
		return m, fmt.Errorf("%s names no cluster: restore it, or start with an empty folder", MemberName)
	}
	return m, nil
}

// IsMember reports whether a folder is a node's.
func IsMember(dir folder.Dir) (bool, error) {
	_, err := ReadMember(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Write makes a folder one of the cluster.
func (m Member) Write(dir folder.Dir) error {
	m.URL = withoutPassword(m.URL)
	if old, err := ReadMember(dir); err == nil && old == m {
		return nil
	}
	return folder.ReplacePrivate(filepath.Join(string(dir), MemberName), func(w io.Writer) error {
		to := json.NewEncoder(w)
		to.SetEscapeHTML(false)
		return to.Encode(m)
	})
}

var (
	passwordOfText = regexp.MustCompile(`(?i)\b(ssl)?password\s*=\s*('(\\.|[^'])*'|[^\s&]*)`)
	userOfURL      = regexp.MustCompile(`^(postgres(?:ql)?://[^:@/?#]*)(?:.*)@`)
)

// withoutPassword returns a connection string without its passwords. What looks like one goes, also
// in a text that is not a URL.
func withoutPassword(text string) string {
	return passwordOfText.ReplaceAllString(userOfURL.ReplaceAllString(text, "$1@"), "")
}

// ConnectMember connects a folder's node. A node that was in the cluster before connects without
// the engine too: then err is nil, and the stores are read as they are. url is "" for RELAIS_CLUSTER, or else that of m.
// secret is the content of secret.key, version that of the program.
func ConnectMember(ctx context.Context, m Member, url, version string, secret []byte, log *slog.Logger,
) (*Engine, error) {
	url = cmp.Or(url, os.Getenv("RELAIS_CLUSTER"), m.URL) // the first two may have a password
	e, err := open(url, m.Node, log)
	if err != nil {
		return nil, err
	}
	e.id, e.blobs, e.version, e.sum = m.Cluster, m.Blobs, version, SecretSum(secret)
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	found, err := e.readCluster(ctx)
	switch {
	case errors.Is(err, ErrNone):
		err = ErrNone
	case errors.Is(err, store.ErrAway) && m.Cluster != "":
		e.state.answered(err)
		return e, nil
	case err != nil:
	case m.Cluster != "" && found.id != m.Cluster:
		err = fmt.Errorf("the folder is of cluster %s, and the database has cluster %s: use an empty folder",
			m.Cluster, found.id)
	default:
		e.identity = found
		err = e.CheckSecret(secret)
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// Joinable reports whether a folder can become a node's: it has nothing but a secret.key.
func Joinable(dir folder.Dir) (bool, error) {
	entries, err := os.ReadDir(string(dir))
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if name := e.Name(); name != "secret.key" && name != "serve.lock" && name != "lost+found" {
			return false, nil
		}
	}
	return true, nil
}
