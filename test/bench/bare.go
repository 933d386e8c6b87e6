package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path"
	"strconv"
)

const bareListen = "127.0.0.1:18081"

// An answer is an answer of a server, which the bare handler repeats.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// serveBare serves the recorded answers, with their headers and bodies, from memory.
func serveBare(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var answers []answer
	if err := json.Unmarshal(text, &answers); err != nil {
		return err
	}
	for i := range answers {
		answers[i].Header.Del("Date") // net/http sets its own
	}
	return http.ListenAndServe(bareListen, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i, err := strconv.Atoi(path.Base(r.URL.Path))
		if err != nil || i < 0 || i >= len(answers) {
			return // /readyz
		}
		a := &answers[i]
		h := w.Header()
		for k, v := range a.Header {
			h[k] = v
		}
		w.WriteHeader(a.Status)
		w.Write(a.Body)
	}))
}
