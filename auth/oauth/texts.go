package oauth

import (
	"embed"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"relais/internal/lang"
)

// texts are the texts of the page in one language.
type texts struct {
	lang.Language `json:"-"`

	Title, Asks, SaysItself, Afterwards, LocalName, AppName string
	May, MayRead, MayWrite, SignIn, Name, Password          string
	Allow, Deny, Never                                      string
	AllowedTitle, Allowed, RefusedTitle, Refused            string
	TroubleTitle, GoBack                                    string
	WrongLogin, Incomplete, Limited, Busy, ReadOnly, Failed string
	Away, Full                                              string
	BadRequest, UnknownClient, WrongRedirect                string
	Foreign, Stale                                          string
}

//go:embed words/*.json
var wordFiles embed.FS

// allTexts are the texts of words/TAG.json, by the tag of their language.
var allTexts = func() map[string]*texts {
	all := map[string]*texts{}
	for _, l := range lang.All {
		t := &texts{}
		text, err := wordFiles.ReadFile("words/" + l.Tag + ".json")
		if err == nil {
			err = json.Unmarshal(text, t)
		}
		if err != nil {
			panic("oauth: words/" + l.Tag + ".json: " + err.Error()) // the files are in the program
		}
		t.Language, all[l.Tag] = l, t
	}
	return all
}()

// languageOf returns the texts in the language that a person has chosen, or else in the one that the program asks for
// (OpenID Connect Core, 3.1.2.1), or else in the one that the browser prefers.
func languageOf(query url.Values, r *http.Request) *texts {
	return allTexts[lang.For(query.Get("lang"), r, strings.Fields(query.Get("ui_locales"))...).Tag]
}
