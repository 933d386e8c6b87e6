package web

import (
	"net/http"

	"golang.org/x/text/language"
)

// words are the texts of pages in one language.
type words struct {
	Lang string

	Operators, Technologies, State, Address, Area, Position, Height, Support, Azimuths string
	Emissions, Operator, Technology, Day, Source, Of                                   string
	NotFound, Later                                                                    string
}

var english = words{
	Lang: "en", Operators: "Operators", Technologies: "Technologies", State: "Status", Address: "Address", Area: "Area",
	Position: "Position",
	Height:   "Height", Support: "Support", Azimuths: "Azimuths", Emissions: "Emissions", Operator: "Operator",
	Technology: "Technology", Day: "Date",
	Source: "Source", NotFound: "This site does not exist.",
	Later: "This page cannot be shown at this moment. Come back a little later.", Of: "data of",
}

var french = words{
	Lang: "fr", Operators: "Opérateurs", Technologies: "Technologies", State: "Statut", Address: "Adresse",
	Area: "Zone", Position: "Position",
	Height: "Hauteur", Support: "Support", Azimuths: "Azimuts", Emissions: "Émissions", Operator: "Opérateur",
	Technology: "Technologie", Day: "Date",
	Source: "Source", NotFound: "Ce site n’existe pas ici.",
	Later: "Cette page ne peut pas être affichée pour le moment. Revenez un peu plus tard.", Of: "données du",
}

var languages = language.NewMatcher([]language.Tag{language.English, language.French})

// wordsFor returns the words in the reader's language.
func wordsFor(r *http.Request) words {
	header := r.Header.Get("Accept-Language")
	if len(header) > 200 {
		return english
	}
	wanted, _, err := language.ParseAcceptLanguage(header)
	if err != nil {
		return english
	}
	if _, i, _ := languages.Match(wanted...); i == 1 {
		return french
	}
	return english
}
