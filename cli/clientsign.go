package cli

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"relais/auth/access"
)

type clientSign struct {
	Secret string   `required:"" help:"The client's signing secret; in RELAIS_SECRET other users of the machine do not see it."`
	Key    string   `help:"The client's API key; printed as the header Authorization."`
	Body   *os.File `placeholder:"FILE" help:"The body of the request; - is standard input."`
	JSON   bool     `name:"json" help:"Print one JSON object."`
	Method string   `arg:"" help:"GET, POST …"`
	URL    *url.URL `arg:"" name:"url" help:"The URL that is asked for; its query is not signed."`
}

// Validate refuses a request that no client could send: its signature would help nobody to find a mistake.
func (c *clientSign) Validate() error {
	switch {
	case c.Secret == "":
		return errors.New("--secret: it is empty")
	case c.Method == "" || strings.Trim(strings.ToUpper(c.Method), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "":
		return fmt.Errorf("%q is not a method, such as GET", c.Method)
	case c.URL.Scheme != "http" && c.URL.Scheme != "https" || c.URL.Host == "":
		return fmt.Errorf("%q is not a URL, such as https://antennas.example/external/v1/antennas", c.URL)
	}
	return nil
}

// Run prints the headers.
func (c *clientSign) Run(streams Streams) error {
	sum := access.EmptyBody
	if c.Body != nil {
		h := sha256.New()
		if _, err := io.Copy(h, c.Body); err != nil {
			return err
		}
		sum = [sha256.Size]byte(h.Sum(nil))
	}
	headers := [][2]string{{"X-Sq-Signature",
		access.Sign(c.Secret, time.Now(), c.Method, cmp.Or(access.SentPath(c.URL), "/"), sum)}}
	if c.Key != "" {
		headers = slices.Insert(headers, 0, [2]string{"Authorization", "Bearer " + c.Key})
	}
	if c.JSON {
		object := map[string]string{}
		for _, h := range headers {
			object[h[0]] = h[1]
		}
		return printJSON(streams.Out, object)
	}
	for _, h := range headers {
		if _, err := fmt.Fprintf(streams.Out, "%s: %s\n", h[0], h[1]); err != nil {
			return err
		}
	}
	return nil
}
