package hook

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
)

// A Format is how messages are written: "" is for programs, in the form of Standard Webhooks.
type Format string

// Ntfy is for people: a hook's address is a topic of ntfy (https://docs.ntfy.sh/publish/), which shows each message on
// the phones that have subscribed to it.
const Ntfy Format = "ntfy"

// topicPath is the path of a topic. A server of ntfy is not below a path.
var topicPath = regexp.MustCompile(`^/[-_A-Za-z0-9]{1,64}$`)

// check returns an *InvalidError if messages of the format cannot be sent to an address.
func (f Format) check(u *url.URL) error {
	switch {
	case f == "":
	case f != Ntfy:
		return &InvalidError{"format", "want ntfy, or leave it out"}
	case !topicPath.MatchString(u.Path) || u.RawQuery != "":
		return &InvalidError{"url", "want the address of a topic of ntfy, such as https://ntfy.sh/relais-2f7c, without a query"}
	}
	return nil
}

// A Notice says for a person what happened.
type Notice struct{ Title, Text, Link string } // Link may be ""

// mostNotice is the bytes of a text that ntfy shows: it makes a file of a longer one.
const mostNotice = 4096

// An ntfyMessage is a message in the form of ntfy, "publish as JSON". The queue has it without its topic, which is a
// kind of password.
type ntfyMessage struct {
	Topic   string `json:"topic,omitempty"`
	Title   string `json:"title"`
	Message string `json:"message"`
	Click   string `json:"click,omitempty"`
}

// ntfy returns the message of a notice.
func (n Notice) ntfy() ntfyMessage {
	text := n.Text
	if len(text) > mostNotice {
		const cut = "\n…"
		text = strings.ToValidUTF8(text[:mostNotice-len(cut)], "") + cut
	}
	return ntfyMessage{Title: n.Title, Message: text, Click: n.Link}
}

// publication returns where a message to a topic is sent, and the message with the topic.
func publication(topic *url.URL, body string) (*url.URL, string, error) {
	var m ntfyMessage
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		return nil, "", err
	}
	m.Topic = strings.TrimPrefix(topic.Path, "/")
	root := *topic
	root.Path = "/"
	text, err := json.Marshal(m)
	return &root, string(text), err
}
