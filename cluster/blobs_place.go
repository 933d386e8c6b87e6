package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"regexp"
	"strings"
)

// inDatabase is the place of blobs without a store of S3.
const inDatabase = "pg"

// A place is a folder of a store of S3.
type place struct {
	bucket   string
	prefix   string // of the names: empty, or with / at its end
	endpoint string // host, and port
	plain    bool   // without TLS
	region   string
}

var (
	errPlace = errors.New(`--cluster-blobs: want pg or s3://bucket/prefix?endpoint=https://host:port&region=name`)
	buckets  = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	regions  = regexp.MustCompile(`^[A-Za-z0-9-]{0,64}$`)
	hosts    = regexp.MustCompile(`^([A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\])(:[0-9]{1,5})?$`)
)

// parsePlace reads the place of blobs, nil for the database. Its errors never show the text, which may
// have a password.
func parsePlace(where string) (*place, error) {
	if where == inDatabase {
		return nil, nil
	}
	u, err := url.Parse(where)
	if err != nil || u.Scheme != "s3" {
		return nil, errPlace
	}
	if u.User != nil {
		return nil, errors.New("--cluster-blobs: keys do not belong in the address: " + wantKeys)
	}
	p := &place{bucket: u.Host, prefix: strings.Trim(u.Path, "/")}
	if !buckets.MatchString(p.bucket) {
		return nil, fmt.Errorf("%w: the name of the bucket is not one", errPlace)
	}
	if p.prefix != "" && (!fs.ValidPath(p.prefix) || checkName(p.prefix) != nil) {
		return nil, fmt.Errorf("%w: the prefix has other characters than letters, digits and ._-/", errPlace)
	}
	if p.prefix != "" {
		p.prefix += "/"
	}
	return p, p.parseQuery(u.RawQuery)
}

// parseQuery reads the parameters.
func (p *place) parseQuery(raw string) error {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return errPlace
	}
	for name, v := range values {
		if name != "endpoint" && name != "region" || len(v) != 1 {
			return fmt.Errorf("%w: it has parameters other than one endpoint and one region; as for keys, %s", errPlace, wantKeys)
		}
	}
	if p.region = values.Get("region"); !regions.MatchString(p.region) {
		return fmt.Errorf("%w: the region is not one", errPlace)
	}
	endpoint := values.Get("endpoint")
	if endpoint == "" {
		endpoint = "https://s3.amazonaws.com"
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || strings.Trim(u.Path, "/") != "" ||
		u.RawQuery != "" || u.Fragment != "" || !hosts.MatchString(u.Host) {
		return fmt.Errorf("%w: the endpoint is not one", errPlace)
	}
	p.endpoint, p.plain = u.Host, u.Scheme == "http"
	return nil
}

// String returns the place as parsePlace reads it, equal for equal places: the cluster stores it, and each node
// compares it with its own.
func (p *place) String() string {
	if p == nil {
		return inDatabase
	}
	scheme := "https"
	if p.plain {
		scheme = "http"
	}
	s := "s3://" + p.bucket + "/" + strings.TrimSuffix(p.prefix, "/") + "?endpoint=" + scheme + "://" + p.endpoint
	if p.region != "" {
		s += "&region=" + p.region
	}
	return s
}
