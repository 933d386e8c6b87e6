package cluster

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"
	"github.com/minio/minio-go/v7/pkg/signer"
)

// An s3Client calls a store of S3. Each call is one signed request, without a redirect, which would need another
// signature, or another try, which s3Store makes.
type s3Client struct {
	bucket     url.URL // its path ends with /
	region     string
	keys       *credentials.Credentials
	roleClient *http.Client // for the keys of the machine's role
	transport  http.RoundTripper
}

const (
	payloadHeader = "X-Amz-Content-Sha256"
	emptyPayload  = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // SHA-256 of no bytes
	usualRegion   = "us-east-1"
	noSuchKey     = "NoSuchKey"
	mostAnswer    = 64 << 10 // bytes of an answer without an object
)

var errKeys = errors.New("there are no keys of the store: " + wantKeys)

func newS3Client(at *place, limits s3Limits) (*s3Client, error) {
	roleClient := &http.Client{Timeout: limits.header}
	keys := credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{},
		&credentials.FileAWSCredentials{},
		&credentials.IAM{Client: roleClient},
	})
	c := &s3Client{keys: keys, roleClient: roleClient, transport: newS3Transport(limits)}
	if _, err := c.key(context.Background()); err != nil { // at the start, not with the first photo
		return nil, err
	}
	var err error
	c.bucket, c.region, err = at.url()
	return c, err
}

// url returns the address of the bucket, as a path of the endpoint or as a host of its own, and its region. The
// store is not asked for the region: an answer that names another one is shown with the remedy.
func (p *place) url() (url.URL, string, error) {
	u := url.URL{Scheme: "https", Host: strings.TrimSuffix(p.endpoint, ":443"), Path: "/"}
	if p.plain {
		u.Scheme, u.Host = "http", strings.TrimSuffix(p.endpoint, ":80")
	}
	region := p.region
	if region == "" {
		region = s3utils.GetRegionFromURL(u)
	}
	if region == "" {
		region = os.Getenv("AWS_REGION")
	}
	if region == "" {
		region = usualRegion
	}
	if !regions.MatchString(region) {
		return u, "", errors.New("AWS_REGION is not the name of a region")
	}
	if u.Host == "s3.amazonaws.com" { // for all regions, but it only redirects to the others
		u.Host = "s3.dualstack." + region + ".amazonaws.com"
		if strings.HasPrefix(region, "cn-") {
			u.Host += ".cn"
		}
	}
	if s3utils.IsVirtualHostSupported(u, p.bucket) {
		u.Host = p.bucket + "." + u.Host
	} else {
		u.Path += p.bucket + "/"
	}
	return u, region, nil
}

// key returns the key to sign with. It may ask the machine, because keys of a role end.
func (c *s3Client) key(ctx context.Context) (credentials.Value, error) {
	v, err := c.keys.GetWithContext(&credentials.CredContext{Client: c.roleClient, Context: ctx})
	if err != nil || v.AccessKeyID == "" || v.SecretAccessKey == "" {
		return v, errKeys
	}
	return v, nil
}

// call sends a request. set, if there is one, adds to it right before. The answer has the method's
// status of success; any other status is an error with the words of the store.
func (c *s3Client) call(ctx context.Context, method, name string, set func(*http.Request)) (*http.Response, error) {
	at := c.bucket
	at.Path += name
	r, err := http.NewRequestWithContext(ctx, method, at.String(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "relais")
	r.Header.Set(payloadHeader, emptyPayload)
	key, err := c.key(ctx)
	if err != nil {
		return nil, err
	}
	if set != nil {
		set(r)
	}
	resp, err := c.transport.RoundTrip(signer.SignV4(*r, key.AccessKeyID, key.SecretAccessKey, key.SessionToken, c.region))
	if err != nil {
		return nil, err
	}
	success := http.StatusOK // exactly this: another 2xx is the answer of a proxy
	if method == http.MethodDelete {
		success = http.StatusNoContent
	}
	if resp.StatusCode == success {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, c.refusal(method, resp)
}

// end ends an answer, so that its connection can be used again unless the answer is long.
func end(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, mostAnswer)
	resp.Body.Close()
}

// A refusal is an answer of a store.
type refusal struct {
	XMLName xml.Name `xml:"Error"`
	Code    string
	Message string
	Region  string // of the bucket, if it is another one than was signed for
	status  int
}

// refusal reads an answer that is not a success. That something is missing is believed only if the
// store says so, except after HEAD, where it cannot: proxies say it of stores that they do not find.
func (c *s3Client) refusal(method string, resp *http.Response) error {
	e := &refusal{status: resp.StatusCode}
	text, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer))
	if err != nil {
		return err
	}
	if method == http.MethodHead {
		e.Code = http.StatusText(resp.StatusCode)
		if e.status == http.StatusNotFound {
			e.Code = noSuchKey
		}
	} else if xml.Unmarshal(text, e) != nil || e.Code == "" || resp.StatusCode/100 == 2 {
		return fmt.Errorf("%s to a %s, not from a store of S3: %.80q", resp.Status, method, text)
	}
	if e.Region == "" {
		e.Region = resp.Header.Get("X-Amz-Bucket-Region")
	}
	if e.Region == c.region || !regions.MatchString(e.Region) {
		e.Region = ""
	}
	return e
}

func (e *refusal) Error() string {
	text := fmt.Sprintf("%d %.64q", e.status, e.Code)
	if e.Message != "" {
		text += fmt.Sprintf(": %.300q", e.Message)
	}
	if e.Region != "" {
		text += ": the bucket is in the region " + e.Region + ": say so with AWS_REGION, or with region= in --cluster-blobs"
	}
	return text
}

func (e *refusal) missing() bool { return e.status == http.StatusNotFound && e.Code == noSuchKey }
