// Command image writes an OCI archive with an image for each architecture: the program, a folder for
// its data and one for temporary files. It needs no container tools, and writes the same bytes for
// the same programs.
//
//	image -version v1.2.3 -created 1795470000 -o relais.oci.tar amd64=relais-amd64 arm64=relais-arm64
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// Media types of the OCI image format.
const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// user is the account that runs the program: any container runtime has it, as nonroot.
const user = 65532

func main() {
	version := flag.String("version", "devel", "version of the programs")
	created := flag.Int64("created", 0, "time of the image, in seconds since 1970")
	out := flag.String("o", "", "file to write")
	flag.Parse()
	if err := write(*out, *version, time.Unix(*created, 0).UTC(), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// object is a JSON object. Its members are written in alphabetical order.
type object map[string]any

// A layout has the blobs of an archive by digest.
type layout struct{ blobs map[string][]byte }

// add adds a blob, and returns its descriptor.
func (l *layout) add(mediaType string, blob []byte) object {
	sum := sha256.Sum256(blob)
	digest := hex.EncodeToString(sum[:])
	l.blobs[digest] = blob
	return object{"mediaType": mediaType, "digest": "sha256:" + digest, "size": len(blob)}
}

func (l *layout) addJSON(mediaType string, v object) (object, error) {
	text, err := json.Marshal(v)
	return l.add(mediaType, text), err
}

func write(path, version string, created time.Time, programs []string) error {
	l := &layout{map[string][]byte{}}
	var manifests []object
	for _, p := range programs {
		arch, file, _ := strings.Cut(p, "=")
		program, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		manifest, err := l.image(arch, program, version, created)
		if err != nil {
			return err
		}
		manifests = append(manifests, manifest)
	}
	images, err := l.addJSON(typeIndex, object{"schemaVersion": 2, "mediaType": typeIndex, "manifests": manifests})
	if err != nil {
		return err
	}
	// Podman and Docker load the image under this name.
	images["annotations"] = object{"org.opencontainers.image.ref.name": "relais:" + version}
	index, err := json.Marshal(object{"schemaVersion": 2, "mediaType": typeIndex, "manifests": []object{images}})
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := l.writeTo(f, index, created); err != nil {
		return err
	}
	return f.Close()
}

// image adds the image of a program, and returns the descriptor of its manifest.
func (l *layout) image(arch string, program []byte, version string, created time.Time) (object, error) {
	files, err := layer(program, created)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(files); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	contents := l.add(typeLayer, packed.Bytes())
	sum := sha256.Sum256(files)
	when := created.Format(time.RFC3339)
	config, err := l.addJSON(typeConfig, object{"architecture": arch, "os": "linux", "created": when,
		"config":  settings(version, when),
		"rootfs":  object{"type": "layers", "diff_ids": []string{"sha256:" + hex.EncodeToString(sum[:])}},
		"history": []object{{"created": when, "created_by": "make release"}}})
	if err != nil {
		return nil, err
	}
	manifest, err := l.addJSON(typeManifest, object{"schemaVersion": 2, "mediaType": typeManifest, "config": config,
		"layers": []object{contents}})
	if err != nil {
		return nil, err
	}
	manifest["platform"] = object{"architecture": arch, "os": "linux"}
	return manifest, nil
}

// settings says how the program is run. Healthcheck is reserved in the OCI format: Docker reads it,
// others need it told again.
func settings(version, created string) object {
	return object{
		"User":         fmt.Sprintf("%d:%d", user, user),
		"Env":          []string{"PATH=/", "RELAIS_DATA=/data", "RELAIS_LISTEN=:8080"},
		"Entrypoint":   []string{"/relais"},
		"Cmd":          []string{"serve"},
		"WorkingDir":   "/data",
		"Volumes":      object{"/data": object{}},
		"ExposedPorts": object{"8080/tcp": object{}},
		"Healthcheck": object{"Test": []string{"CMD", "/relais", "health"}, "Interval": 30 * time.Second,
			"Timeout": 6 * time.Second, "StartPeriod": time.Minute, "Retries": 3},
		"Labels": object{
			"org.opencontainers.image.title":       "relais",
			"org.opencontainers.image.description": "Registers of mobile-network antennas as a fast API and a map",
			"org.opencontainers.image.version":     version,
			"org.opencontainers.image.created":     created,
			"org.opencontainers.image.licenses":    "Apache-2.0",
		},
	}
}

// layer returns the files of an image as tar.
func layer(program []byte, created time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range []tar.Header{
		{Name: "data/", Typeflag: tar.TypeDir, Mode: 0o700, Uid: user, Gid: user},
		{Name: "relais", Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(program))},
		{Name: "tmp/", Typeflag: tar.TypeDir, Mode: 0o1777},
	} {
		h.ModTime = created
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write(program); err != nil {
				return nil, err
			}
		}
	}
	return b.Bytes(), w.Close()
}

// writeTo writes the archive.
func (l *layout) writeTo(f io.Writer, index []byte, created time.Time) error {
	w := tar.NewWriter(f)
	file := func(name string, text []byte) error {
		h := tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(text)), ModTime: created}
		if err := w.WriteHeader(&h); err != nil {
			return err
		}
		_, err := w.Write(text)
		return err
	}
	if err := file("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)); err != nil {
		return err
	}
	if err := file("index.json", index); err != nil {
		return err
	}
	digests := make([]string, 0, len(l.blobs))
	for digest := range l.blobs {
		digests = append(digests, digest)
	}
	slices.Sort(digests)
	for _, digest := range digests {
		if err := file("blobs/sha256/"+digest, l.blobs[digest]); err != nil {
			return err
		}
	}
	return w.Close()
}
