//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// A mapTab is a page with scripts and a WebGL of software. It remembers what a person would not
// see: faults, and requests to other hosts.
type mapTab struct {
	*tab
	host   string // of the server, with its port
	faults []string
	asked  []string // addresses without the host
	denied []string // answers that are errors
}

// webGL are the arguments for a machine without a graphics card. Names of hosts lead nowhere.
var webGL = []string{"--use-angle=swiftshader", "--enable-unsafe-swiftshader",
	"--host-resolver-rules=MAP relais.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"}

func openMap(t *testing.T, host string, args ...string) *mapTab {
	t.Helper()
	m := &mapTab{tab: openBrowser(t, args...), host: host}
	m.heard = m.hear
	for _, domain := range []string{"Runtime", "Log", "Network", "Page"} {
		m.must(domain+".enable", object{}, nil)
	}
	m.size(1000, 720) // a larger one takes longer to draw
	return m
}

// hear keeps what the browser complains about and what it asks for.
func (m *mapTab) hear(method string, params json.RawMessage) {
	var e struct {
		Type             string
		Args             []struct{ Value, Description any }
		ExceptionDetails struct {
			Text      string
			Exception struct{ Description string }
		}
		Entry    struct{ Source, Level, Text, URL string }
		Request  struct{ URL string }
		Response struct {
			URL    string
			Status int
		}
	}
	if err := json.Unmarshal(params, &e); err != nil {
		m.t.Fatalf("%s: %v", params, err)
	}
	switch method {
	case "Runtime.consoleAPICalled":
		if e.Type == "error" || e.Type == "warning" {
			m.faults = append(m.faults, fmt.Sprint("console: ", e.Args))
		}
	case "Runtime.exceptionThrown":
		m.faults = append(m.faults, "thrown: "+e.ExceptionDetails.Text+" "+e.ExceptionDetails.Exception.Description)
	case "Log.entryAdded":
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			m.faults = append(m.faults, "log: "+e.Entry.Text+" "+e.Entry.URL)
		}
	case "Network.requestWillBeSent":
		address, own := strings.CutPrefix(e.Request.URL, "http://"+m.host)
		if !own && !strings.HasPrefix(e.Request.URL, "blob:") && !strings.HasPrefix(e.Request.URL, "data:") {
			m.faults = append(m.faults, "foreign request: "+e.Request.URL)
		}
		m.asked = append(m.asked, address)
	case "Network.responseReceived":
		if e.Response.Status >= 400 {
			m.denied = append(m.denied, fmt.Sprint(e.Response.Status, " ", e.Response.URL))
		}
	}
}

// size makes the window so large, in CSS pixels.
func (m *mapTab) size(width, height int) {
	m.t.Helper()
	m.must("Emulation.setDeviceMetricsOverride", object{"width": width, "height": height, "deviceScaleFactor": 1,
		"mobile": false}, nil)
}

// show opens a path, and waits until the map has drawn everything.
func (m *mapTab) show(path string) {
	m.t.Helper()
	m.open("http://" + m.host + path)
	m.idle()
}

// load opens a path, and waits until the page is there: the map may still be drawing.
func (m *mapTab) load(path string) {
	m.t.Helper()
	m.open("http://" + m.host + path)
	m.until("the page is there", "document.readyState === 'complete' && globalThis.relais?.map")
}

// evaluate returns the value of an expression of JavaScript, which may be a promise.
func (m *mapTab) evaluate(expression string, result any) {
	m.t.Helper()
	must(m.t, m.try(expression, result))
}

func (m *mapTab) try(expression string, result any) error {
	m.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := m.call("Runtime.evaluate", object{"expression": expression, "awaitPromise": true, "returnByValue": true},
		&answer); err != nil {
		return err
	}
	if e := answer.ExceptionDetails; e != nil {
		return fmt.Errorf("%s: %s %s", expression, e.Text, e.Exception.Description)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer.Result.Value, result)
}

// until waits for an expression, or what it promises, to be true.
func (m *mapTab) until(what, expression string) {
	m.t.Helper()
	var err error
	if !waitFor(func() bool {
		var ok bool
		err = m.try("Promise.resolve("+expression+").then(Boolean)", &ok)
		if !ok {
			time.Sleep(100 * time.Millisecond)
		}
		return ok
	}) {
		m.t.Fatalf("waited until %s, in vain: %v; faults: %q", what, err, m.faults)
	}
}

// idle waits until the map has drawn everything.
func (m *mapTab) idle() {
	m.t.Helper()
	m.until("the map is drawn", `globalThis.relais?.map?.loaded() && relais.map.areTilesLoaded() &&
		relais.map.isSourceLoaded('base') && !relais.map.isMoving() && document.getElementById('progress').hidden`)
}

// jump moves the map, and waits until it has drawn everything there.
func (m *mapTab) jump(lat, lng, zoom float64) {
	m.t.Helper()
	m.evaluate(fmt.Sprintf(`new Promise((done) => {
		relais.map.once('idle', () => done(null));
		relais.map.jumpTo({ center: [%v, %v], zoom: %v });
	})`, lng, lat, zoom), nil)
}

// clean makes sure that nothing was complained about, and forgets it.
func (m *mapTab) clean(t *testing.T) {
	t.Helper()
	if len(m.faults) > 0 {
		t.Errorf("the browser complains: %q", m.faults)
	}
	if len(m.denied) > 0 {
		t.Errorf("the page asked for what it does not get: %q", m.denied)
	}
	m.faults, m.denied = nil, nil
}

// typeKey presses a key, such as "Tab" or "ArrowDown".
func (m *mapTab) typeKey(key string, code int) {
	m.t.Helper()
	event := object{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code}
	if key == "Enter" {
		event["text"] = "\r"
	}
	m.must("Input.dispatchKeyEvent", event, nil)
	event["type"] = "keyUp"
	delete(event, "text")
	m.must("Input.dispatchKeyEvent", event, nil)
}
