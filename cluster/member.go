package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"regexp"

	"relais/internal/folder"
	"relais/internal/store"
)

// MemberName is the file of a data folder that says which cluster it belongs to.
const MemberName = "cluster.json"

// A Member is the part of a cluster that a folder remembers, so that a node starts without the engine.
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

// errSecret says that a node cannot open the secrets that others sealed.
var errSecret = errors.New("secret.key is not that of the cluster: copy it from another node")

// IsMember reports whether a folder is a node's.
func IsMember(dir folder.Dir) (bool, error) {
	_, err := ReadMember(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Write makes a folder one of the cluster. The file never has a password.
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
	passwordInText = regexp.MustCompile(`(?i)\b(ssl)?password\s*=\s*('(\\.|[^'])*'|[^\s&]*)`)
	userInURL      = regexp.MustCompile(`^(postgres(?:ql)?://[^:@/?#]*).*@`)
)

// withoutPassword returns a connection string without its passwords. PostgreSQL's URLs may have
// several hosts and signs that other URLs may not have: from those, all between the user and the
// last @ goes.
func withoutPassword(text string) string {
	if u, err := url.Parse(text); err == nil && u.User != nil {
		u.User = url.User(u.User.Username())
		text = u.String()
	} else if err != nil {
		text = userInURL.ReplaceAllString(text, "$1@")
	}
	return passwordInText.ReplaceAllString(text, "")
}

// HasPassword reports whether a connection string has a password.
func HasPassword(text string) bool {
	u, err := url.Parse(text)
	if err == nil && u.User != nil {
		if _, ok := u.User.Password(); ok {
			return true
		}
	} else if m := userInURL.FindStringSubmatch(text); err != nil && m != nil && text[len(m[1])] == ':' {
		return true
	}
	return passwordInText.MatchString(text)
}

// ConnectMember connects a folder's node. A node that was in the cluster before connects without the
// engine too: then err is nil, and the stores are read as they are. An empty address stands for RELAIS_CLUSTER, or
// else for the address in m. secret names the node's secret.key; version is the version of the program.
func ConnectMember(ctx context.Context, m Member, address, version string, secret []byte, log *slog.Logger,
) (*Engine, error) {
	address = cmp.Or(address, os.Getenv("RELAIS_CLUSTER"), m.URL) // the first two may have a password
	e, err := open(address, m.Node, log)
	if err != nil {
		return nil, err
	}
	e.id, e.blobs, e.version, e.key = m.Cluster, m.Blobs, version, secret
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	c, err := e.readCluster(ctx)
	switch {
	case errors.Is(err, ErrNone): // before store.ErrAway, which it comes with: such a database is there and is empty
		err = ErrNone
	case errors.Is(err, store.ErrAway) && m.Cluster != "":
		e.state.setEngine(err)
		return e, nil
	case err != nil:
	case m.Cluster != "" && c.id != m.Cluster:
		err = fmt.Errorf("the folder is of cluster %s, and the database has cluster %s: use an empty folder",
			m.Cluster, c.id)
	case !bytes.Equal(c.secret, secret):
		err = errSecret
	default:
		e.identity = c
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
