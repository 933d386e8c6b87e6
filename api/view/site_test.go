package view

import "testing"

func TestBasePath(t *testing.T) {
	for baseURL, want := range map[string]string{"": "", "http://127.0.0.1:8080": "", "https://antennas.example": "",
		"https://www.example/antennes": "/antennes", "https://www.example/a/b": "/a/b"} {
		if got := BasePath(baseURL); got != want {
			t.Errorf("BasePath(%q) = %q, want %q", baseURL, got, want)
		}
	}
}
